//! Passkey settings: the RP ID, which never changes, the allowed origins, and stateless challenges.

use crate::Engine;
use crate::EngineStartError;
use sinete_core::entropy::draw_bytes;
use sinete_core::id::FlowId;
use sinete_core::limits::PASSKEY_CHALLENGE_LIFETIME;
use sinete_core::time::Timestamp;
use sinete_crypto::platform::mac::{MAC_BYTES, MacPurpose};
pub use sinete_crypto::sign_in::credentials::totp::TotpTolerance;
use sinete_crypto::sign_in::credentials::webauthn::{CHALLENGE_BYTES, RelyingParty};
use sinete_store::platform::instance;
use sinete_store::{Store, WriteBatch};

/// The settings of passkeys and TOTP.
#[derive(Clone, Debug, Default)]
pub struct PasskeySettings {
    /// The RP ID; by default the host of the base URL. It is fixed at the first start.
    pub domain: Option<String>,
    /// The allowed origins; by default that of the base URL.
    pub origins: Vec<String>,
    /// How late a TOTP code may be.
    pub totp_tolerance: TotpTolerance,
}

/// Why the passkey settings are invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasskeySettingsError {
    /// Passkeys are already bound to another domain.
    #[error(
        "passkeys of this instance are bound to the domain {fixed_domain} since its first start, not to \
         {configured_domain}; set webauthn.rp_id to {fixed_domain}"
    )]
    BoundToOtherDomain {
        /// The fixed domain.
        fixed_domain: String,
        /// The configured domain.
        configured_domain: String,
    },
    /// An origin is not within the domain.
    #[error(
        "pages of {origin} cannot use passkeys of the domain {domain}; correct webauthn.origins or webauthn.rp_id"
    )]
    ForeignOrigin {
        /// The origin.
        origin: String,
        /// The domain.
        domain: String,
    },
}

/// Establishes the relying party. Its domain is fixed at the first start, and permanently once there is a
/// passkey.
pub(crate) async fn establish_relying_party(
    store: &Store,
    settings: &PasskeySettings,
    issuer: &str,
) -> Result<RelyingParty, EngineStartError> {
    let issuer_origin = url_origin(issuer);
    let stored_domain = instance::find_instance(store).await?.and_then(|instance| instance.passkey_domain);
    let domain = match (&settings.domain, stored_domain) {
        (None, Some(fixed)) if is_host_of_domain(origin_host(issuer_origin), &fixed) => fixed,
        (configured_domain, stored_domain) => {
            let configured_domain =
                configured_domain.clone().unwrap_or_else(|| origin_host(issuer_origin).to_owned());
            if stored_domain.as_ref() != Some(&configured_domain) {
                // If another node or an earlier start was first and passkeys exist, the stored value is used.
                let _ = store
                    .commit(
                        WriteBatch::new().with_statement(instance::fix_passkey_domain(&configured_domain)),
                    )
                    .await?;
            }
            let stored = instance::find_instance(store).await?.and_then(|instance| instance.passkey_domain);
            match stored {
                Some(fixed) if fixed != configured_domain => {
                    return Err(PasskeySettingsError::BoundToOtherDomain {
                        fixed_domain: fixed,
                        configured_domain,
                    }
                    .into());
                }
                Some(_) | None => configured_domain,
            }
        }
    };
    let origins =
        if settings.origins.is_empty() { vec![issuer_origin.to_owned()] } else { settings.origins.clone() };
    match origins.iter().find(|origin| !is_host_of_domain(origin_host(origin), &domain)) {
        Some(origin) => Err(PasskeySettingsError::ForeignOrigin { origin: origin.clone(), domain }.into()),
        None => Ok(RelyingParty { id: domain, origins }),
    }
}

/// The origin of a URL: scheme, host and port.
fn url_origin(address: &str) -> &str {
    let after_scheme = address.find("://").map_or(0, |index| index + 3);
    let end = address[after_scheme..].find('/').map_or(address.len(), |index| after_scheme + index);
    &address[..end]
}

fn origin_host(origin: &str) -> &str {
    let authority = origin.split_once("://").map_or(origin, |(_, rest)| rest);
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    }
}

/// Whether a page on this host may use passkeys of the domain.
fn is_host_of_domain(host: &str, domain: &str) -> bool {
    host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
}

/// The context of a challenge, so that it is not valid in another flow or at another step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChallengePurpose {
    /// The flow.
    pub(crate) flow: FlowId,
    /// The step of the flow.
    pub(crate) step: u32,
}

/// Issues a challenge: the time, random bytes, and a MAC over both and the context. Nothing is stored. It can
/// be used once, because using it advances the flow.
pub(crate) fn issue_challenge(engine: &Engine, occasion: ChallengePurpose) -> [u8; CHALLENGE_BYTES] {
    let random: [u8; 8] = draw_bytes(engine.entropy());
    let seconds = engine.now().seconds().to_be_bytes();
    let mut challenge = [0; CHALLENGE_BYTES];
    challenge[..8].copy_from_slice(&seconds);
    challenge[8..16].copy_from_slice(&random);
    let step = occasion.step.to_be_bytes();
    let parts: [&[u8]; 4] = [occasion.flow.as_bytes(), &step, &seconds, &random];
    challenge[16..]
        .copy_from_slice(&engine.instance_keys().compute_mac(MacPurpose::PasskeyChallenge, &parts));
    challenge
}

/// Whether the challenge is ours, for this context, and not expired.
pub(crate) fn is_challenge_valid(engine: &Engine, occasion: ChallengePurpose, challenge: &[u8]) -> bool {
    let Ok(challenge) = <&[u8; CHALLENGE_BYTES]>::try_from(challenge) else { return false };
    let (Some(seconds), Some(stamp)) = (challenge.first_chunk::<8>(), challenge.last_chunk::<MAC_BYTES>())
    else {
        return false;
    };
    let step = occasion.step.to_be_bytes();
    let parts: [&[u8]; 4] = [occasion.flow.as_bytes(), &step, seconds, &challenge[8..16]];
    if !engine.instance_keys().verify_mac(MacPurpose::PasskeyChallenge, &parts, stamp) {
        return false;
    }
    let made_at = Timestamp::from_seconds(i64::from_be_bytes(*seconds));
    engine.now().since(made_at) <= PASSKEY_CHALLENGE_LIFETIME
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn webauthn_origin_is_scheme_host_and_port() {
        for (address, origin, host) in [
            ("https://id.example.com", "https://id.example.com", "id.example.com"),
            ("https://id.example.com/auth", "https://id.example.com", "id.example.com"),
            ("http://localhost:8080", "http://localhost:8080", "localhost"),
            ("http://[::1]:8080/x", "http://[::1]:8080", "[::1]"),
        ] {
            assert_eq!((url_origin(address), origin_host(url_origin(address))), (origin, host));
        }
    }

    #[test]
    fn webauthn_page_may_use_passkeys_of_its_domain_or_a_parent() {
        for (host, domain, may) in [
            ("example.com", "example.com", true),
            ("id.example.com", "example.com", true),
            ("example.com", "id.example.com", false),
            ("badexample.com", "example.com", false),
            ("example.com.evil", "example.com", false),
        ] {
            assert_eq!(is_host_of_domain(host, domain), may, "{host} {domain}");
        }
    }
}

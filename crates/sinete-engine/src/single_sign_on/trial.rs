//! Trying a connection without anybody signing in: each thing that has to be right, in the order in which it is needed,
//! and what is wrong in plain words.

use super::description::read_anew;
use super::{ProviderError, open_id, redeem, saml, target};
use crate::{Engine, Failure};
use sinete_core::outbound::OutboundPurpose;
use sinete_core::provider::metadata::OidcProviderMetadata;
use sinete_core::provider::saml::settings::SamlConnectionSettings;
use sinete_crypto::client_assertion::VerificationKeySet;
use sinete_crypto::saml::SamlSigningCertificate;
use sinete_store::connections::ConnectionRow;

/// What was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionCheck {
    /// What the provider says about itself.
    Description,
    /// The keys it publishes.
    Keys,
    /// Whether it takes our proof of who we are.
    Credentials,
    /// The certificates that verify what a provider signs which speaks SAML.
    Certificates,
}

impl ConnectionCheck {
    /// Its name. It is part of our interface.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Description => "description",
            Self::Keys => "keys",
            Self::Credentials => "credentials",
            Self::Certificates => "certificates",
        }
    }
}

/// What came of looking at one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionFinding {
    /// At what.
    pub check: ConnectionCheck,
    /// What is wrong with it, if anything.
    pub wrong: Option<String>,
}

/// Everything that was looked at. It ends with the first thing that is wrong, on which the rest hangs.
pub async fn try_out(engine: &Engine, connection: &ConnectionRow) -> Result<Vec<ConnectionFinding>, Failure> {
    let mut findings = Vec::new();
    if let Some(saml) = connection.chosen.saml() {
        return Ok(vec![certificates(engine, saml)]);
    }
    let provider = match read_anew(engine, connection).await {
        Ok(provider) => provider,
        Err(trouble) => return Ok(vec![wrong(ConnectionCheck::Description, trouble.to_string())]),
    };
    let takes = open_id(connection).and_then(|it| Ok(provider.must_take(it.authentication)?));
    if let Err(why) = takes {
        return Ok(vec![wrong(ConnectionCheck::Description, why.to_string())]);
    }
    findings.push(right(ConnectionCheck::Description));
    findings.push(match published(engine, connection, &provider).await {
        Ok(()) => right(ConnectionCheck::Keys),
        Err(why) => wrong(ConnectionCheck::Keys, why.to_owned()),
    });
    findings.push(match credentials(engine, connection, &provider).await? {
        Ok(()) => right(ConnectionCheck::Credentials),
        Err(why) => wrong(ConnectionCheck::Credentials, why),
    });
    Ok(findings)
}

const fn right(check: ConnectionCheck) -> ConnectionFinding {
    ConnectionFinding { check, wrong: None }
}

const fn wrong(check: ConnectionCheck, why: String) -> ConnectionFinding {
    ConnectionFinding { check, wrong: Some(why) }
}

/// Whether one of the certificates has not ended. One that has still counts: what it says about itself is nobody's word but
/// the provider's, which has probably taken another by then.
fn certificates(engine: &Engine, saml: &SamlConnectionSettings) -> ConnectionFinding {
    let all = saml::certificates(saml);
    match all.iter().map(SamlSigningCertificate::ends_at).max() {
        Some(last) if last > engine.now() => right(ConnectionCheck::Certificates),
        Some(last) => {
            let why = format!(
                "the last of its certificates ended on {}: see which one the provider signs with now",
                last.to_string().split('T').next().unwrap_or_default()
            );
            wrong(ConnectionCheck::Certificates, why)
        }
        None => wrong(ConnectionCheck::Certificates, "it has no certificate that can be read".to_owned()),
    }
}

/// Whether keys are published with which something can be verified.
async fn published(
    engine: &Engine,
    connection: &ConnectionRow,
    provider: &OidcProviderMetadata,
) -> Result<(), &'static str> {
    let target = target(connection, OutboundPurpose::ConnectionTest, provider.jwks_uri.as_str());
    let body = engine.web().get(&target).await.map_err(|_| "its keys could not be read")?;
    let set = serde_json::from_slice(&body)
        .map_err(|_| "what stands where its keys should be is no set of keys")?;
    if VerificationKeySet::of(&set, None).is_empty() {
        return Err("none of the keys it publishes verifies RS256, PS256, ES256 or EdDSA");
    }
    Ok(())
}

/// Whether the provider knows us. A code that nobody gave out is refused in any case: a provider that knows us says that
/// the code is wrong, and one that does not says that we are.
async fn credentials(
    engine: &Engine,
    connection: &ConnectionRow,
    provider: &OidcProviderMetadata,
) -> Result<Result<(), String>, Failure> {
    let verifier = "a-verifier-of-no-request-that-was-ever-made-anywhere";
    let (purpose, code) = (OutboundPurpose::ConnectionTest, ("a-code-of-nobody", verifier));
    Ok(match redeem(engine, connection, provider, purpose, code).await? {
        Ok(_) => Err("its token endpoint took a code that nobody gave out".to_owned()),
        Err(ProviderError::Refused(error)) if error == "invalid_grant" => Ok(()),
        Err(ProviderError::Refused(error)) => Err(format!(
            "its token endpoint refused us with {error}: check the client id, the secret or key, and the callback \
             address that is registered there"
        )),
        Err(trouble) => Err(trouble.to_string()),
    })
}

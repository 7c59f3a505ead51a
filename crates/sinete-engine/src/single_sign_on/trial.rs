//! Trying a connection without anybody signing in: each thing that has to be right, in the order in which it is needed,
//! and what is wrong in plain words.

use super::description::read_anew;
use super::{Trouble, open_id, redeem, saml, target};
use crate::{Engine, Failed};
use sinete_core::outbound::OutboundPurpose;
use sinete_core::provider::metadata::Provider;
use sinete_core::provider::saml::settings::Saml;
use sinete_crypto::client_assertion::ClientKeys;
use sinete_crypto::saml::ProviderCertificate;
use sinete_store::connections::Connection;

/// What was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// What the provider says about itself.
    Description,
    /// The keys it publishes.
    Keys,
    /// Whether it takes our proof of who we are.
    Credentials,
    /// The certificates that verify what a provider signs which speaks SAML.
    Certificates,
}

impl Check {
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
pub struct Finding {
    /// At what.
    pub check: Check,
    /// What is wrong with it, if anything.
    pub wrong: Option<String>,
}

/// Everything that was looked at. It ends with the first thing that is wrong, on which the rest hangs.
pub async fn try_out(engine: &Engine, connection: &Connection) -> Result<Vec<Finding>, Failed> {
    let mut findings = Vec::new();
    if let Some(saml) = connection.chosen.saml() {
        return Ok(vec![certificates(engine, saml)]);
    }
    let provider = match read_anew(engine, connection).await {
        Ok(provider) => provider,
        Err(trouble) => return Ok(vec![wrong(Check::Description, trouble.to_string())]),
    };
    let takes = open_id(connection).and_then(|it| Ok(provider.must_take(it.authentication)?));
    if let Err(why) = takes {
        return Ok(vec![wrong(Check::Description, why.to_string())]);
    }
    findings.push(right(Check::Description));
    findings.push(match published(engine, connection, &provider).await {
        Ok(()) => right(Check::Keys),
        Err(why) => wrong(Check::Keys, why.to_owned()),
    });
    findings.push(match credentials(engine, connection, &provider).await? {
        Ok(()) => right(Check::Credentials),
        Err(why) => wrong(Check::Credentials, why),
    });
    Ok(findings)
}

const fn right(check: Check) -> Finding {
    Finding { check, wrong: None }
}

const fn wrong(check: Check, why: String) -> Finding {
    Finding { check, wrong: Some(why) }
}

/// Whether one of the certificates has not ended. One that has still counts: what it says about itself is nobody's word but
/// the provider's, which has probably taken another by then.
fn certificates(engine: &Engine, saml: &Saml) -> Finding {
    let all = saml::certificates(saml);
    match all.iter().map(ProviderCertificate::ends_at).max() {
        Some(last) if last > engine.now() => right(Check::Certificates),
        Some(last) => {
            let why = format!(
                "the last of its certificates ended on {}: see which one the provider signs with now",
                last.to_string().split('T').next().unwrap_or_default()
            );
            wrong(Check::Certificates, why)
        }
        None => wrong(Check::Certificates, "it has no certificate that can be read".to_owned()),
    }
}

/// Whether keys are published with which something can be verified.
async fn published(
    engine: &Engine,
    connection: &Connection,
    provider: &Provider,
) -> Result<(), &'static str> {
    let target = target(connection, OutboundPurpose::ConnectionTest, provider.jwks_uri.as_str());
    let body = engine.web().get(&target).await.map_err(|_| "its keys could not be read")?;
    let set = serde_json::from_slice(&body)
        .map_err(|_| "what stands where its keys should be is no set of keys")?;
    if ClientKeys::of(&set, None).is_empty() {
        return Err("none of the keys it publishes verifies RS256, PS256, ES256 or EdDSA");
    }
    Ok(())
}

/// Whether the provider knows us. A code that nobody gave out is refused in any case: a provider that knows us says that
/// the code is wrong, and one that does not says that we are.
async fn credentials(
    engine: &Engine,
    connection: &Connection,
    provider: &Provider,
) -> Result<Result<(), String>, Failed> {
    let verifier = "a-verifier-of-no-request-that-was-ever-made-anywhere";
    let (purpose, code) = (OutboundPurpose::ConnectionTest, ("a-code-of-nobody", verifier));
    Ok(match redeem(engine, connection, provider, purpose, code).await? {
        Ok(_) => Err("its token endpoint took a code that nobody gave out".to_owned()),
        Err(Trouble::Refused(error)) if error == "invalid_grant" => Ok(()),
        Err(Trouble::Refused(error)) => Err(format!(
            "its token endpoint refused us with {error}: check the client id, the secret or key, and the callback \
             address that is registered there"
        )),
        Err(trouble) => Err(trouble.to_string()),
    })
}

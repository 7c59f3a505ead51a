//! Tests a connection without a sign-in: each requirement in the order it is needed, with problems in plain
//! words.

use super::metadata_cache::refetch_provider;
use super::{ProviderCallError, ProviderError, openid_settings, provider_target, redeem_code, saml};
use crate::{Engine, Failure};
use sinete_core::identity_providers::oidc::metadata::OidcProviderMetadata;
use sinete_core::identity_providers::saml::settings::SamlConnectionSettings;
use sinete_core::platform::outbound::OutboundPurpose;
use sinete_crypto::identity_providers::saml::SamlSigningCertificate;
use sinete_crypto::oauth::client_assertion::VerificationKeySet;
use sinete_store::identity_providers::connections::ConnectionRow;

/// A check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionCheck {
    /// The metadata.
    Metadata,
    /// The published keys.
    Keys,
    /// Our client authentication.
    Credentials,
    /// The signing certificates of a SAML provider.
    Certificates,
}

impl ConnectionCheck {
    /// The name, which is part of the public interface.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Metadata => "description",
            Self::Keys => "keys",
            Self::Credentials => "credentials",
            Self::Certificates => "certificates",
        }
    }
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionFinding {
    /// The check.
    pub check: ConnectionCheck,
    /// The problem, if any.
    pub problem: Option<String>,
}

/// Runs all checks, up to the first problem, on which the rest depends.
pub async fn check_connection(
    engine: &Engine,
    connection: &ConnectionRow,
) -> Result<Vec<ConnectionFinding>, Failure> {
    let mut findings = Vec::new();
    if let Some(saml) = connection.settings.saml_settings() {
        return Ok(vec![check_certificates(engine, saml)]);
    }
    let provider = match refetch_provider(engine, connection).await {
        Ok(provider) => provider,
        Err(error) => return Ok(vec![failed_finding(ConnectionCheck::Metadata, error.to_string())]),
    };
    let takes =
        openid_settings(connection).and_then(|it| Ok(provider.require_auth_method(it.authentication)?));
    if let Err(error) = takes {
        return Ok(vec![failed_finding(ConnectionCheck::Metadata, error.to_string())]);
    }
    findings.push(passed_finding(ConnectionCheck::Metadata));
    findings.push(match check_published_keys(engine, connection, &provider).await {
        Ok(()) => passed_finding(ConnectionCheck::Keys),
        Err(error) => failed_finding(ConnectionCheck::Keys, error.to_owned()),
    });
    let problem = find_credential_problem(engine, connection, &provider).await?;
    findings.push(ConnectionFinding { check: ConnectionCheck::Credentials, problem });
    Ok(findings)
}

const fn passed_finding(check: ConnectionCheck) -> ConnectionFinding {
    ConnectionFinding { check, problem: None }
}

const fn failed_finding(check: ConnectionCheck, reason: String) -> ConnectionFinding {
    ConnectionFinding { check, problem: Some(reason) }
}

/// Checks that at least one certificate has not expired. Expired certificates are still accepted at sign-in:
/// the expiry is only the provider's own statement, and it has probably rolled over by then.
fn check_certificates(engine: &Engine, saml: &SamlConnectionSettings) -> ConnectionFinding {
    let all = saml::parse_certificates(saml);
    match all.iter().map(SamlSigningCertificate::expires_at).max() {
        Some(last) if last > engine.now() => passed_finding(ConnectionCheck::Certificates),
        Some(last) => {
            let reason = format!(
                "the last of its certificates ended on {}: see which one the provider signs with now",
                last.to_string().split('T').next().unwrap_or_default()
            );
            failed_finding(ConnectionCheck::Certificates, reason)
        }
        None => {
            failed_finding(ConnectionCheck::Certificates, "it has no certificate that can be read".to_owned())
        }
    }
}

/// Checks that usable keys are published.
async fn check_published_keys(
    engine: &Engine,
    connection: &ConnectionRow,
    provider: &OidcProviderMetadata,
) -> Result<(), &'static str> {
    let target = provider_target(connection, OutboundPurpose::ConnectionTest, provider.jwks_uri.as_str());
    let body = engine.outbound_http().get(&target).await.map_err(|_| "its keys could not be fetched")?;
    let set = serde_json::from_slice(&body)
        .map_err(|_| "the document at its jwks_uri is not a JSON Web Key Set")?;
    if VerificationKeySet::from_jwks(&set, None).is_empty() {
        return Err("none of the keys it publishes verifies RS256, PS256, ES256 or EdDSA");
    }
    Ok(())
}

/// What is wrong with our client authentication, if anything. It is tried with an invalid code: a provider
/// that accepts our authentication rejects the code, otherwise it rejects the client.
async fn find_credential_problem(
    engine: &Engine,
    connection: &ConnectionRow,
    provider: &OidcProviderMetadata,
) -> Result<Option<String>, Failure> {
    let verifier = "a-verifier-of-no-request-that-was-ever-made-anywhere";
    let (purpose, code) = (OutboundPurpose::ConnectionTest, "a-code-of-nobody");
    let error = match redeem_code(engine, connection, provider, purpose, code, verifier).await {
        Ok(_) => return Ok(Some("its token endpoint accepted a code that was never issued".to_owned())),
        Err(ProviderCallError::Provider(error)) => error,
        Err(ProviderCallError::Failed(failure)) => return Err(failure),
    };
    Ok(match error {
        ProviderError::Refused(error) if error == "invalid_grant" => None,
        ProviderError::Refused(error) => Some(format!(
            "its token endpoint returned the error {error}: check the client id, the secret or key, and the \
             redirect URI that is registered there"
        )),
        error => Some(error.to_string()),
    })
}

//! Client authentication by certificate (RFC 8705 §2).

use super::credential_verification::{ClientProofError, FailedProof};
use crate::Engine;
use crate::oauth::cache::client::CachedClient;
use crate::oauth::client_keys;
use crate::oauth::mtls::ClientCertificate;
use sinete_core::time::Timestamp;

/// Verifies that a trusted CA issued the certificate and that it has the registered subject name. Nothing
/// else matters, so that it can be renewed.
pub(in crate::oauth) fn verify_pki_certificate(
    engine: &Engine,
    client: &CachedClient,
    certificate: &ClientCertificate,
    now: Timestamp,
) -> Result<(), String> {
    let settings = engine.settings().mtls.as_ref();
    let Some(authorities) = settings.and_then(|settings| settings.authorities.as_ref()) else {
        return Err("no trusted certificate authority is configured".to_owned());
    };
    authorities.verify_certificate(certificate, now).map_err(|certificate| certificate.to_string())?;
    let expected = client.metadata.certificate_name();
    match expected.filter(|name| certificate.names().contains_name(name)) {
        Some(_) => Ok(()),
        None => Err("the certificate does not contain the name that the client registered".to_owned()),
    }
}

/// Verifies that the certificate is registered by the client and currently valid.
pub(in crate::oauth) async fn verify_registered_certificate(
    engine: &Engine,
    client: &CachedClient,
    certificate: &ClientCertificate,
    now: Timestamp,
) -> Result<(), ClientProofError> {
    if engine.settings().mtls.is_none() {
        return Err(FailedProof::wrong_credential("client certificates are not accepted").into());
    }
    if !certificate.is_current(now) {
        return Err(FailedProof::wrong_credential("the certificate has expired or is not valid yet").into());
    }
    let reason = match client_keys::find_certificate_keys(engine, client, certificate).await? {
        Some(keys) if keys.contains_certificate(certificate) => return Ok(()),
        Some(_) => "the certificate is not among those that the client registered",
        None => "the client has registered no certificate, or it is not available",
    };
    Err(FailedProof::wrong_credential(reason).into())
}

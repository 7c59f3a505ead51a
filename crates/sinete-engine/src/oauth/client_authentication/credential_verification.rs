//! Verification of a client's credential, which must be of the registered method. A secret is the same secret
//! in the header and in the body
//! (docs/contribute/decisions/0270-client-authentication-secret-in-header-or-body.md).

use super::{ClientAuthRequest, ClientCredential, mtls};
use crate::oauth::cache::client::CachedClient;
use crate::oauth::client_keys;
use crate::{Engine, Failure};
use sinete_core::oauth::client_metadata::ClientAuthMethod;
use sinete_core::oauth::security_profile::SecurityProfile;
use sinete_core::secret::Digest;
use sinete_core::time::Timestamp;
use sinete_crypto::oauth::client_assertion;
use sinete_crypto::oauth::client_assertion::{AssertionAudienceForm, ClientAssertionExpectations};
use sinete_store::oauth::assertion_replays;
use sinete_store::oauth::client_authentication::ClientAuthState;
use sinete_store::{BatchOutcome, WriteBatch};

/// The path of the token endpoint, whose URL every assertion may have as audience.
pub const TOKEN_ENDPOINT: &str = "/connect/token";

/// Why a client is not authenticated.
pub(super) enum ClientProofError {
    /// Its credential is wrong.
    Invalid(FailedProof),
    /// An internal failure.
    Failed(Failure),
}

impl From<FailedProof> for ClientProofError {
    fn from(failed: FailedProof) -> Self {
        Self::Invalid(failed)
    }
}

impl<E: Into<Failure>> From<E> for ClientProofError {
    fn from(failure: E) -> Self {
        Self::Failed(failure.into())
    }
}

/// A failed authentication. All failures take the same work, so that response times do not reveal which
/// clients exist or how they authenticate.
pub(super) struct FailedProof {
    /// The reason, for our log.
    pub(super) reason: String,
    /// The registered method, if the client proved that it holds its secret and may know.
    pub(super) expected: Option<ClientAuthMethod>,
}

impl FailedProof {
    /// The credential was verified and is wrong.
    pub(super) fn wrong_credential(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), expected: None }
    }

    /// The secret is right, but the client is registered for another method.
    pub(super) fn with_expected_method(expected: ClientAuthMethod) -> Self {
        let reason = "the client holds its secret and is registered for another method";
        Self { reason: reason.to_owned(), expected: Some(expected) }
    }

    /// There was nothing to verify the credential with, so the same work is done with a decoy. Secrets are
    /// looked up together with the client, whether or not it exists.
    pub(super) fn unverifiable_credential(auth_request: &ClientAuthRequest, reason: &str) -> Self {
        match &auth_request.credential {
            ClientCredential::Assertion(assertion) => client_assertion::verify_decoy_assertion(assertion),
            ClientCredential::None | ClientCredential::HeaderSecret(_) | ClientCredential::BodySecret(_) => {}
        }
        Self { reason: reason.to_owned(), expected: None }
    }
}

/// Verifies the credential; the error is for our log.
pub(super) async fn verify_credential(
    engine: &Engine,
    auth_request: &ClientAuthRequest,
    client: &CachedClient,
    auth_state: &ClientAuthState,
    now: Timestamp,
) -> Result<(), ClientProofError> {
    use ClientAuthMethod::{ClientSecretBasic, ClientSecretPost, None, PrivateKeyJwt};
    use ClientAuthMethod::{SelfSignedTlsClientAuth, TlsClientAuth};
    match (client.metadata.token_endpoint_auth_method, &auth_request.credential) {
        (None, ClientCredential::None) => Ok(()),
        (
            ClientSecretBasic | ClientSecretPost,
            ClientCredential::HeaderSecret(_) | ClientCredential::BodySecret(_),
        ) => {
            if auth_state.has_secret {
                Ok(())
            } else {
                Err(FailedProof::wrong_credential("the secret is wrong").into())
            }
        }
        (PrivateKeyJwt, ClientCredential::Assertion(assertion)) => {
            verify_assertion(engine, auth_request, client, assertion, now).await
        }
        (TlsClientAuth | SelfSignedTlsClientAuth, ClientCredential::None)
            if auth_request.certificate.is_none() =>
        {
            Err(FailedProof::wrong_credential("the connection has no client certificate").into())
        }
        (TlsClientAuth, ClientCredential::None) if let Some(certificate) = &auth_request.certificate => {
            Ok(mtls::verify_pki_certificate(engine, client, certificate, now)
                .map_err(FailedProof::wrong_credential)?)
        }
        (SelfSignedTlsClientAuth, ClientCredential::None)
            if let Some(certificate) = &auth_request.certificate =>
        {
            mtls::verify_registered_certificate(engine, client, certificate, now).await
        }
        // A caller with the secret may know how the client is registered.
        (expected, ClientCredential::HeaderSecret(_) | ClientCredential::BodySecret(_))
            if auth_state.has_secret =>
        {
            Err(FailedProof::with_expected_method(expected).into())
        }
        (
            None
            | ClientSecretBasic
            | ClientSecretPost
            | PrivateKeyJwt
            | TlsClientAuth
            | SelfSignedTlsClientAuth,
            _,
        ) => Err(FailedProof::unverifiable_credential(
            auth_request,
            "the client used another authentication method than it registered",
        )
        .into()),
    }
}

/// Verifies the assertion, and that it is used for the first time on any node.
async fn verify_assertion(
    engine: &Engine,
    auth_request: &ClientAuthRequest,
    client: &CachedClient,
    assertion: &str,
    now: Timestamp,
) -> Result<(), ClientProofError> {
    let Some(keys) = client_keys::find_signing_keys(engine, client, assertion).await? else {
        let reason = "the client has no keys, or they cannot be read";
        return Err(FailedProof::unverifiable_credential(auth_request, reason).into());
    };
    let issuer = &engine.settings().issuer;
    // FAPI 2.0 §5.3.2.1: only the issuer is accepted as audience.
    let is_strict = client.metadata.security_profile == SecurityProfile::Fapi2;
    // A request to the mTLS endpoints may use their URLs as audience (RFC 8705 §5).
    let addresses = [Some(issuer), engine.settings().mtls.as_ref().map(|it| &it.address)];
    let endpoints = addresses.into_iter().flatten().flat_map(|address| {
        [format!("{address}{TOKEN_ENDPOINT}"), format!("{address}{}", auth_request.endpoint)]
    });
    let endpoints = endpoints.filter(|_| !is_strict);
    let audiences: Vec<String> = [issuer.clone()].into_iter().chain(endpoints).collect();
    let expected = ClientAssertionExpectations {
        client: client.client.id.as_str(),
        audiences: &audiences,
        audience_form: if is_strict { AssertionAudienceForm::One } else { AssertionAudienceForm::OneOrList },
        algorithm: client.metadata.token_endpoint_auth_signing_alg,
        now,
    };
    let accepted = client_assertion::verify_client_assertion(assertion, &keys, &expected)
        .map_err(|rejection| FailedProof::wrong_credential(rejection.to_string()))?;
    let digest = Digest::from_parts(&[accepted.id.as_bytes()]);
    let statement =
        assertion_replays::record_assertion(&client.client.id, &digest, accepted.replay_expires_at);
    match engine.store().commit(WriteBatch::new().with_statement(statement)).await? {
        BatchOutcome::Committed(_) => Ok(()),
        BatchOutcome::Conflict(_) => {
            Err(FailedProof::wrong_credential("the assertion was used before").into())
        }
    }
}

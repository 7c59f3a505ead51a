//! Client authentication: none, a secret, an assertion or a client certificate, and always only the
//! registered one of these.

mod credential_verification;
mod mtls;

use crate::oauth::cache::client;
pub use crate::oauth::cache::client::CachedClient;
use crate::oauth::cache::client_authentication;
pub(crate) use crate::oauth::cache::client_authentication::ClientAuthCache;
pub use crate::oauth::cache::client_authentication::{UnconfirmedClient, find_cached_client};
pub use credential_verification::TOKEN_ENDPOINT;
use credential_verification::{ClientProofError, FailedProof, verify_credential};
use sinete_core::refusal::oauth::OAuthRefusal;

use crate::oauth::client_documents::{DocumentUse, refuse_invalid_document_url, update_document_client};
use crate::oauth::dpop::DpopHeader;
use crate::oauth::mtls::ClientCertificate;
use crate::{ATTEMPTS_MAX, Engine, Error, EventCause, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::client_id::ClientId;
use sinete_core::events::security_event::{EventKind, SecurityEventActor};
use sinete_core::oauth::client_metadata::ClientAuthMethod;
use sinete_core::oauth::confirmation::ConfirmationClaim;
use sinete_core::oauth::grants::AuthorizationGrant;
use sinete_core::refusal::Refusal;
use sinete_core::secret::{AuthorizationCodeSecret, ClientSecret, RefreshTokenSecret, Secret};
use sinete_core::time::Timestamp;
use sinete_crypto::oauth::client_assertion;
use sinete_store::oauth::client_authentication::{ClientAuthState, find_client_auth_state};
use sinete_store::oauth::clients::ClientOrigin;
use sinete_store::oauth::subject_state::token_lookup;
use sinete_store::oauth::subject_state::token_lookup::ClientLookup;
use sinete_store::oauth::{authorization_codes, refresh_tokens};
use sinete_store::{DependencySnapshot, WriteBatch};
use std::fmt;
use std::sync::Arc;

/// The client authentication of a request, unverified.
#[derive(Clone)]
pub struct ClientAuthRequest {
    /// The `client_id`; `None` if only the assertion contains it.
    pub client: Option<String>,
    /// The credential.
    pub credential: ClientCredential,
    /// The path of the endpoint, which an assertion may have as audience.
    pub endpoint: &'static str,
    /// The client certificate of the connection, if present. It may accompany any credential, and is the
    /// credential for clients that registered mTLS.
    pub certificate: Option<Arc<ClientCertificate>>,
    /// The DPoP proof, if present.
    pub dpop: Option<DpopHeader>,
}

/// The credential of a client, other than a certificate.
#[derive(Clone)]
pub enum ClientCredential {
    /// None: a public client, or one with a certificate.
    None,
    /// A secret in the `Authorization` header.
    HeaderSecret(String),
    /// A secret in the body.
    BodySecret(String),
    /// A client assertion.
    Assertion(String),
}

/// An authenticated client.
#[derive(Clone, Debug)]
pub struct AuthenticatedClient {
    /// The client at its current version.
    pub client: Arc<CachedClient>,
    /// Its condition, including its owner's.
    pub condition: LifecycleCondition,
    /// The key or certificate that issued tokens are bound to.
    pub confirmation: Option<ConfirmationClaim>,
    /// The key or certificate of the request, whether or not the client's tokens are bound.
    pub presented_confirmation: Option<ConfirmationClaim>,
}

impl AuthenticatedClient {
    pub(super) fn new(
        client: Arc<CachedClient>,
        condition: LifecycleCondition,
        auth_request: &ClientAuthRequest,
    ) -> Self {
        let confirmation = auth_request.certificate.as_ref().map(|certificate| certificate.confirmation());
        let is_bound = client.metadata.tls_client_certificate_bound_access_tokens;
        Self {
            client,
            condition,
            confirmation: confirmation.clone().filter(|_| is_bound),
            presented_confirmation: confirmation,
        }
    }

    /// Whether the client is not accountable: a public client, whose id anyone can use, or a self-registered
    /// client that no operator verified. Clients of organizations and operators that authenticate are
    /// accountable.
    pub fn is_unaccountable(&self) -> bool {
        let is_public = self.client.metadata.token_endpoint_auth_method == ClientAuthMethod::None;
        let is_unverified = self.client.client.origin == ClientOrigin::DynamicRegistration
            && self.client.client.verified_at.is_none();
        is_public || is_unverified
    }

    /// Rejects a client whose tokens must be bound if the request has no key or certificate.
    pub(crate) fn require_binding_key(&self) -> Result<(), Refusal> {
        let (metadata, bound) = (&self.client.metadata, self.confirmation.as_ref());
        let lacks_certificate = metadata.tls_client_certificate_bound_access_tokens
            && bound.and_then(ConfirmationClaim::certificate).is_none();
        let lacks_key = metadata.dpop_bound_access_tokens && bound.and_then(ConfirmationClaim::key).is_none();
        let reason = match (lacks_certificate, lacks_key) {
            (false, false) => return Ok(()),
            (true, _) => OAuthRefusal::CertificateBindingMissing,
            (false, true) => OAuthRefusal::DpopBindingMissing,
        };
        Err(Refusal::because(reason, ""))
    }

    /// The binding of refresh tokens. A client that authenticates by certificate is not bound to it, so that
    /// it can renew the certificate (RFC 8705 §7.1); a confidential client may change its DPoP key (RFC 9449
    /// §5).
    pub(crate) fn refresh_token_confirmation(&self) -> Option<ConfirmationClaim> {
        let (method, bound) = (self.client.metadata.token_endpoint_auth_method, self.confirmation.as_ref()?);
        let certificate = bound.certificate_only().filter(|_| !method.uses_certificate());
        let key = bound.key_only().filter(|_| method == ClientAuthMethod::None);
        ConfirmationClaim::merge_optional(certificate, key.as_ref())
    }

    /// The client id.
    pub fn id(&self) -> &ClientId {
        &self.client.client.id
    }

    /// The client as the actor of an event.
    pub fn event_cause(&self, cause: &EventCause) -> EventCause {
        EventCause { actor: SecurityEventActor::Client(self.id().clone()), origin: cause.origin.clone() }
    }
}

/// The presented grant, unverified.
pub(crate) enum PresentedGrant {
    /// Not loaded: the grant type reads its own data. The dependency snapshot of the client authentication.
    NotLoaded(DependencySnapshot),
    /// The machine in its organization, if it has roles there.
    Machine(Option<token_lookup::ServiceLookup>),
    /// A refresh token, if it exists.
    RefreshToken(Option<token_lookup::TokenLookup<refresh_tokens::RefreshTokenStatus>>),
    /// An authorization code, if it exists.
    AuthorizationCode(Option<token_lookup::TokenLookup<authorization_codes::AuthorizationCodeStatus>>),
}

impl PresentedGrant {
    /// The dependency snapshot of the client authentication, if known.
    pub(in crate::oauth) fn dependency_snapshot(&self) -> Option<DependencySnapshot> {
        match self {
            Self::NotLoaded(facts) => Some(*facts),
            Self::AuthorizationCode(lookup) => lookup.as_ref().map(|lookup| lookup.dependency_snapshot),
            Self::RefreshToken(lookup) => lookup.as_ref().map(|lookup| lookup.dependency_snapshot),
            Self::Machine(_) => None,
        }
    }

    /// Whether the presented code or refresh token does not exist.
    pub(crate) const fn is_missing(&self, grant: Option<&AuthorizationGrant>) -> bool {
        let names_one = matches!(
            grant,
            Some(AuthorizationGrant::AuthorizationCode { .. } | AuthorizationGrant::RefreshToken { .. })
        );
        names_one && !matches!(self, Self::AuthorizationCode(Some(_)) | Self::RefreshToken(Some(_)))
    }
}

/// Authenticates the client of a request, if it is enabled.
///
/// An assertion is used up before anything else is checked, so that callers cannot forget it.
pub async fn authenticate_client(
    engine: &Engine,
    auth_request: &ClientAuthRequest,
    cause: &EventCause,
) -> Result<AuthenticatedClient, Error> {
    let (client, _) = authenticate_client_with_grant(engine, auth_request, None, cause).await?;
    match client.condition {
        LifecycleCondition::Enabled => Ok(client),
        LifecycleCondition::Suspended | LifecycleCondition::Ended => {
            Err(Refusal::because(OAuthRefusal::ClientNotAllowed, "the client or its owner is disabled")
                .into())
        }
    }
}

/// The same for callers that handle disabled clients themselves, together with the presented grant, which is
/// returned only for an authenticated client.
pub(crate) async fn authenticate_client_with_grant(
    engine: &Engine,
    auth_request: &ClientAuthRequest,
    grant: Option<&AuthorizationGrant>,
    cause: &EventCause,
) -> Result<(AuthenticatedClient, PresentedGrant), Error> {
    let Some(id) = claimed_client_id(auth_request) else {
        if DocumentUse::at_endpoint(auth_request.endpoint) == DocumentUse::FirstRequest {
            refuse_invalid_document_url(engine, auth_request.client.as_deref().unwrap_or_default())?;
        }
        return Err(invalid_client("the client_id is missing, or the request has two different ones").into());
    };
    update_document_client(engine, &id, DocumentUse::at_endpoint(auth_request.endpoint), cause).await?;
    let now = engine.now();
    let digest = match &auth_request.credential {
        ClientCredential::HeaderSecret(secret) | ClientCredential::BodySecret(secret) => {
            Secret::<ClientSecret>::parse(secret).ok().map(|secret| secret.digest())
        }
        ClientCredential::None | ClientCredential::Assertion(_) => None,
    };
    let client_lookup = ClientLookup { client: &id, secret: digest.as_ref() };
    // Verifying an assertion may require fetching the client's keys, so the grant is read afterwards.
    let is_asserted = matches!(auth_request.credential, ClientCredential::Assertion(_));
    let loaded_client = match load_client(engine, client_lookup, grant.filter(|_| !is_asserted), now).await? {
        Some(loaded_client) if loaded_client.1.condition != LifecycleCondition::Ended => Some(loaded_client),
        Some(_) | None => None,
    };
    let Some((cached_client, auth_state, presented_grant)) = loaded_client else {
        return refuse_client(
            engine,
            id,
            FailedProof::unverifiable_credential(auth_request, "there is no such client"),
            cause,
        )
        .await;
    };
    match verify_credential(engine, auth_request, &cached_client, &auth_state, now).await {
        Ok(()) if is_asserted && grant.is_some() => {
            let Some((client, auth_state, presented_grant)) =
                load_client(engine, client_lookup, grant, engine.now()).await?
            else {
                return Err(invalid_client("there is no such client").into());
            };
            Ok((AuthenticatedClient::new(client, auth_state.condition, auth_request), presented_grant))
        }
        Ok(()) => {
            let client = AuthenticatedClient::new(cached_client, auth_state.condition, auth_request);
            if let Some(facts) = presented_grant.dependency_snapshot() {
                client_authentication::cache_client_authentication(engine, auth_request, &client, facts);
            }
            Ok((client, presented_grant))
        }
        Err(ClientProofError::Invalid(failed)) => refuse_client(engine, id, failed, cause).await,
        Err(ClientProofError::Failed(failure)) => Err(failure.into()),
    }
}

/// Records the failed authentication and refuses the request.
async fn refuse_client<T>(
    engine: &Engine,
    id: ClientId,
    FailedProof { reason, expected }: FailedProof,
    cause: &EventCause,
) -> Result<T, Error> {
    let event = engine.event(EventKind::ClientProofFailed, cause, engine.now()).with_subject("client", &id);
    // Failures above a rate are answered but not recorded, so that they cannot fill the log.
    if let Some(event) =
        engine.limit_failure_event(event.with_client(id).with_detail("reason", reason.clone()))
    {
        engine
            .store()
            .commit(WriteBatch::new().with_event(&event))
            .await?
            .into_result()
            .map_err(|_| Failure::Contended)?;
    }
    let refusal = invalid_client(&reason);
    Err(match expected {
        None => refusal,
        Some(method) => refusal.with_public_text(format!(
            "Client authentication failed: the client is registered for {} and sent its secret instead.",
            method.as_str()
        )),
    }
    .into())
}

/// The claimed client id, if all parts of the request agree.
fn claimed_client_id(auth_request: &ClientAuthRequest) -> Option<ClientId> {
    let in_assertion = match &auth_request.credential {
        ClientCredential::Assertion(assertion) => Some(client_assertion::read_claimed_client(assertion)?),
        ClientCredential::None | ClientCredential::HeaderSecret(_) | ClientCredential::BodySecret(_) => None,
    };
    match (&auth_request.client, &in_assertion) {
        (Some(client_id), Some(in_assertion)) if client_id != in_assertion => None,
        (Some(client_id), _) => client_id.parse().ok(),
        (None, in_assertion) => in_assertion.as_ref()?.parse().ok(),
    }
}

/// Loads the client in its current state. If it changed between two reads, it is read again.
async fn load_client(
    engine: &Engine,
    client_lookup: ClientLookup<'_>,
    grant: Option<&AuthorizationGrant>,
    now: Timestamp,
) -> Result<Option<(Arc<CachedClient>, ClientAuthState, PresentedGrant)>, Failure> {
    for _ in 0..ATTEMPTS_MAX {
        let Some((auth_state, presented_grant)) =
            load_presented_grant(engine, grant, client_lookup, now).await?
        else {
            return Ok(None);
        };
        if let Some(client) =
            client::load_client_at_version(engine, client_lookup.client, auth_state.version).await?
        {
            return Ok(Some((client, auth_state, presented_grant)));
        }
    }
    Err(Failure::Contended)
}

/// Loads the client's state with the presented grant; `None` for an unknown client.
async fn load_presented_grant(
    engine: &Engine,
    grant: Option<&AuthorizationGrant>,
    client_lookup: ClientLookup<'_>,
    now: Timestamp,
) -> Result<Option<(ClientAuthState, PresentedGrant)>, Failure> {
    let store = engine.store();
    Ok(match grant {
        Some(AuthorizationGrant::ClientCredentials) => {
            let client_and_grant = token_lookup::load_service(store, client_lookup, now).await?;
            if let Some((_, Some(service))) = &client_and_grant {
                engine.shared.newest_dependency_version.record_version(service.dependency_snapshot.version);
            }
            client_and_grant.map(|(client, lookup)| (client, PresentedGrant::Machine(lookup)))
        }
        Some(AuthorizationGrant::RefreshToken { token })
            if let Ok(token) = RefreshTokenSecret::parse(token) =>
        {
            let client_and_grant =
                token_lookup::load_refresh_token(store, client_lookup, &token.digests(), now).await?;
            if let Some((_, Some(lookup))) = &client_and_grant {
                engine.shared.newest_dependency_version.record_version(lookup.dependency_snapshot.version);
            }
            client_and_grant.map(|(client, lookup)| (client, PresentedGrant::RefreshToken(lookup)))
        }
        Some(AuthorizationGrant::AuthorizationCode { code, .. })
            if let Ok(code) = AuthorizationCodeSecret::parse(code) =>
        {
            let client_and_grant =
                token_lookup::load_authorization_code(store, client_lookup, &code.digest(), now).await?;
            if let Some((_, Some(lookup))) = &client_and_grant {
                engine.shared.newest_dependency_version.record_version(lookup.dependency_snapshot.version);
            }
            client_and_grant.map(|(client, lookup)| (client, PresentedGrant::AuthorizationCode(lookup)))
        }
        _ => {
            let client_and_facts =
                find_client_auth_state(store, client_lookup.client, client_lookup.secret, now).await?;
            if let Some((_, facts)) = &client_and_facts {
                engine.shared.newest_dependency_version.record_version(facts.version);
            }
            client_and_facts.map(|(client, facts)| (client, PresentedGrant::NotLoaded(facts)))
        }
    })
}

/// The same refusal for unknown clients, wrong credentials and wrong methods, so that it does not reveal
/// which clients exist.
pub fn invalid_client(reason: &str) -> Refusal {
    Refusal::because(OAuthRefusal::ClientAuthenticationFailed, reason)
}

impl fmt::Debug for ClientAuthRequest {
    /// Omits the credential, which may be secret.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?} at {} by {:?}", self.client, self.endpoint, self.credential)
    }
}

impl fmt::Debug for ClientCredential {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::None => "nothing",
            Self::HeaderSecret(_) => "a secret in the header",
            Self::BodySecret(_) => "a secret in the body",
            Self::Assertion(_) => "an assertion",
        })
    }
}

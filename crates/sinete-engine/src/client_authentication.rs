//! Clients proving who they are: with nothing but their name, a secret, a signed assertion or the certificate of their
//! connection, and always in the one way they registered.

mod certificate;
pub mod keys;
pub(crate) mod known;
mod shown;
mod supposed;

pub use known::CachedClient;
pub(crate) use shown::PresentedGrant;
pub(crate) use supposed::ClientAuthCache;
pub use supposed::{UnconfirmedClient, suppose};

use crate::certificates::ClientCertificate;
use crate::key_proofs::DpopHeader;
use crate::{ATTEMPTS_MAX, Engine, EventCause, Failure};
use sinete_core::client::ClientId;
use sinete_core::client::metadata::ClientAuthMethod;
use sinete_core::client::profile::SecurityProfile;
use sinete_core::grant::AuthorizationGrant;
use sinete_core::people::LifecycleCondition;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::{ClientSecret, Digest, Secret};
use sinete_core::security::event::{EventKind, SecurityEventActor};
use sinete_core::time::Timestamp;
use sinete_core::token::confirmation::ConfirmationClaim;
use sinete_crypto::client_assertion::{self, AssertionAudienceForm, ClientAssertionExpectations};
use sinete_store::client_proofs::ClientAuthState;
use sinete_store::clients::ClientOrigin;
use sinete_store::standing::shown::ClientLookup;
use sinete_store::{WriteBatch, assertion_replays};
use std::fmt;
use std::sync::Arc;

/// What a request showed, as it was sent. Nothing of it is believed yet.
#[derive(Clone)]
pub struct ClientAuthRequest {
    /// The client it says it is from; left out where the assertion says it.
    pub client: Option<String>,
    /// How it proves that.
    pub proof: ClientCredential,
    /// The path of the endpoint that was asked, which an assertion may name as its audience.
    pub endpoint: &'static str,
    /// The certificate of the connection, where it showed one. It may come with any proof, and is one itself for a client
    /// that registered so.
    pub certificate: Option<Arc<ClientCertificate>>,
    /// The proof that it holds a key, where it brought one.
    pub key: Option<DpopHeader>,
}

/// How a request proves which client it is from, beside the certificate of its connection.
#[derive(Clone)]
pub enum ClientCredential {
    /// Not at all: the client keeps no secret, or its certificate is the proof.
    Nothing,
    /// A secret in the Authorization header.
    HeaderSecret(String),
    /// A secret in the body.
    BodySecret(String),
    /// A signed assertion.
    Assertion(String),
}

/// A client that proved who it is.
#[derive(Clone, Debug)]
pub struct AuthenticatedClient {
    /// What is known about it, at the version that counts now.
    pub known: Arc<CachedClient>,
    /// Whether it counts, its owner included.
    pub condition: LifecycleCondition,
    /// The key the request was made with, to which whatever is issued is then bound.
    pub confirmation: Option<ConfirmationClaim>,
    /// The key the request was made with, whether or not the client asked for its tokens to be bound.
    pub shown: Option<ConfirmationClaim>,
}

impl AuthenticatedClient {
    fn of(known: Arc<CachedClient>, condition: LifecycleCondition, presented: &ClientAuthRequest) -> Self {
        let shown = presented.certificate.as_ref().map(|certificate| certificate.confirmation());
        let is_bound = known.metadata.tls_client_certificate_bound_access_tokens;
        Self { known, condition, confirmation: shown.clone().filter(|_| is_bound), shown }
    }

    /// Whether its name says nothing about who sends its requests: anybody can name a client that keeps no secret, and anybody
    /// can register one that does. The clients of organizations and operators that authenticate, and those that registered
    /// themselves and that an operator verified, are accountable.
    pub fn is_anybody(&self) -> bool {
        let is_public = self.known.metadata.token_endpoint_auth_method == ClientAuthMethod::None;
        let is_unverified =
            self.known.client.origin == ClientOrigin::Itself && self.known.client.verified_at.is_none();
        is_public || is_unverified
    }

    /// Refuses a client whose tokens are to be bound and that shows nothing to bind them to.
    pub(crate) fn must_be_bindable(&self) -> Result<(), Refusal> {
        let (metadata, bound) = (&self.known.metadata, self.confirmation.as_ref());
        let lacks_certificate = metadata.tls_client_certificate_bound_access_tokens
            && bound.and_then(ConfirmationClaim::certificate).is_none();
        let lacks_key = metadata.dpop_bound_access_tokens && bound.and_then(ConfirmationClaim::key).is_none();
        let public = match (lacks_certificate, lacks_key) {
            (false, false) => return Ok(()),
            (true, _) => "the client's tokens are bound to its certificate, and the connection shows none",
            (false, true) => "the client's tokens are bound to a key, and the request brings no DPoP proof",
        };
        Err(Refusal::new(RefusalCode::InvalidRequest, public, public))
    }

    /// What its refresh tokens are bound to. A client whose certificate is its proof holds them by that proof, so that it
    /// can renew the certificate (RFC 8705 §7.1); one with any proof may change the key it signs with (RFC 9449 §5).
    pub(crate) fn lasting_confirmation(&self) -> Option<ConfirmationClaim> {
        let (method, bound) = (self.known.metadata.token_endpoint_auth_method, self.confirmation.as_ref()?);
        let certificate = bound.only_certificate().filter(|_| !method.is_certificate());
        let key = bound.only_key().filter(|_| method == ClientAuthMethod::None);
        ConfirmationClaim::joined(certificate, key.as_ref())
    }

    /// Its id.
    pub fn id(&self) -> &ClientId {
        &self.known.client.id
    }

    /// The client as who caused something.
    pub fn cause(&self, cause: &EventCause) -> EventCause {
        EventCause { actor: SecurityEventActor::Client(self.id().clone()), origin: cause.origin.clone() }
    }
}

/// The client behind a request, if it proved who it is and is enabled.
///
/// An assertion is spent by being shown, before anything else is looked at: whoever asks cannot forget it.
pub async fn authenticate(
    engine: &Engine,
    presented: &ClientAuthRequest,
    cause: &EventCause,
) -> Result<Result<AuthenticatedClient, Refusal>, Failure> {
    Ok(identify(engine, presented, None, cause).await?.and_then(|(client, _)| match client.condition {
        LifecycleCondition::Enabled => Ok(client),
        LifecycleCondition::Suspended | LifecycleCondition::Ended => {
            let public = "the client may not do this";
            Err(Refusal::new(RefusalCode::UnauthorizedClient, public, "the client or its owner is disabled"))
        }
    }))
}

/// The same, where the caller has an answer of its own for a client that is disabled, with what the request shows for
/// its grant. That is handed over only to a client that proved who it is.
pub(crate) async fn identify(
    engine: &Engine,
    presented: &ClientAuthRequest,
    grant: Option<&AuthorizationGrant>,
    cause: &EventCause,
) -> Result<Result<(AuthenticatedClient, PresentedGrant), Refusal>, Failure> {
    let Some(id) = claimed(presented) else { return Ok(Err(unproven("no client is named, or two are"))) };
    let now = engine.now();
    let digest = match &presented.proof {
        ClientCredential::HeaderSecret(secret) | ClientCredential::BodySecret(secret) => {
            Secret::<ClientSecret>::parse(secret).ok().map(|secret| secret.digest())
        }
        ClientCredential::Nothing | ClientCredential::Assertion(_) => None,
    };
    let asker = ClientLookup { client: &id, secret: digest.as_ref() };
    // Proving an assertion may take as long as the client's own server does, so what it shows is read after that.
    let is_asserted = matches!(presented.proof, ClientCredential::Assertion(_));
    let found = match find(engine, asker, grant.filter(|_| !is_asserted), now).await? {
        Some(found) if found.1.condition != LifecycleCondition::Ended => Some(found),
        Some(_) | None => None,
    };
    let Some((known, standing, shown)) = found else {
        return refuse_proof(engine, id, FailedProof::unchecked(presented, "there is no such client"), cause)
            .await;
    };
    match prove(engine, presented, &known, &standing, now).await? {
        Ok(()) if is_asserted && grant.is_some() => {
            let Some((known, standing, shown)) = find(engine, asker, grant, engine.now()).await? else {
                return Ok(Err(unproven("there is no such client")));
            };
            Ok(Ok((AuthenticatedClient::of(known, standing.condition, presented), shown)))
        }
        Ok(()) => {
            let client = AuthenticatedClient::of(known, standing.condition, presented);
            if let Some(facts) = shown.facts() {
                supposed::remember(engine, presented, &client, facts);
            }
            Ok(Ok((client, shown)))
        }
        Err(failed) => refuse_proof(engine, id, failed, cause).await,
    }
}

/// A proof that does not show who asks. Saying so takes the same work whatever is wrong with it, so that the time of an answer
/// does not tell which ids exist or how a client authenticates.
struct FailedProof {
    /// What was wrong, for our log.
    reason: String,
}

impl FailedProof {
    /// The proof was looked at and is wrong.
    fn checked(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }

    /// There was nothing to check the proof against. What checking it would have cost is spent on nothing. Secrets are looked
    /// up with the client, whether there is one or not.
    fn unchecked(presented: &ClientAuthRequest, reason: &str) -> Self {
        match &presented.proof {
            ClientCredential::Assertion(assertion) => client_assertion::verify_decoy(assertion),
            ClientCredential::Nothing
            | ClientCredential::HeaderSecret(_)
            | ClientCredential::BodySecret(_) => {}
        }
        Self { reason: reason.to_owned() }
    }
}

/// Records that a request did not prove to be from the client it names, and refuses it.
async fn refuse_proof<T>(
    engine: &Engine,
    id: ClientId,
    FailedProof { reason }: FailedProof,
    cause: &EventCause,
) -> Result<Result<T, Refusal>, Failure> {
    let event = engine.event(EventKind::ClientProofFailed, cause, engine.now()).about("client", &id);
    // Whoever fails without end is answered, and does not make the log grow without end.
    if let Some(event) = engine.recorded_failure(event.through(id).with("reason", reason.clone())) {
        engine.store().commit(WriteBatch::new().record(&event)).await?.map_err(|_| Failure::Contended)?;
    }
    Ok(Err(unproven(&reason)))
}

/// The client a request says it is from, if everything in it says the same.
fn claimed(presented: &ClientAuthRequest) -> Option<ClientId> {
    let in_assertion = match &presented.proof {
        ClientCredential::Assertion(assertion) => Some(client_assertion::claimed_client(assertion)?),
        ClientCredential::Nothing | ClientCredential::HeaderSecret(_) | ClientCredential::BodySecret(_) => {
            None
        }
    };
    match (&presented.client, &in_assertion) {
        (Some(named), Some(in_assertion)) if named != in_assertion => None,
        (Some(named), _) => named.parse().ok(),
        (None, in_assertion) => in_assertion.as_ref()?.parse().ok(),
    }
}

/// The client with how it stands now. One that changed between the two reads is read again.
async fn find(
    engine: &Engine,
    asker: ClientLookup<'_>,
    grant: Option<&AuthorizationGrant>,
    now: Timestamp,
) -> Result<Option<(Arc<CachedClient>, ClientAuthState, PresentedGrant)>, Failure> {
    for _ in 0..ATTEMPTS_MAX {
        let Some((standing, shown)) = shown::look(engine, grant, asker, now).await? else {
            return Ok(None);
        };
        if let Some(known) = known::at_version(engine, asker.client, standing.version).await? {
            return Ok(Some((known, standing, shown)));
        }
    }
    Err(Failure::Contended)
}

/// Whether the proof is right and of the kind the client registered; what was wrong is for our log.
async fn prove(
    engine: &Engine,
    presented: &ClientAuthRequest,
    known: &CachedClient,
    standing: &ClientAuthState,
    now: Timestamp,
) -> Result<Result<(), FailedProof>, Failure> {
    use ClientAuthMethod::{ClientSecretBasic, ClientSecretPost, None, PrivateKeyJwt};
    use ClientAuthMethod::{SelfSignedTlsClientAuth, TlsClientAuth};
    Ok(match (known.metadata.token_endpoint_auth_method, &presented.proof) {
        (None, ClientCredential::Nothing) => Ok(()),
        (ClientSecretBasic, ClientCredential::HeaderSecret(_))
        | (ClientSecretPost, ClientCredential::BodySecret(_)) => {
            if standing.has_secret {
                Ok(())
            } else {
                Err(FailedProof::checked("the secret is wrong"))
            }
        }
        (PrivateKeyJwt, ClientCredential::Assertion(assertion)) => {
            return verify(engine, presented, known, assertion, now).await;
        }
        (TlsClientAuth | SelfSignedTlsClientAuth, ClientCredential::Nothing)
            if presented.certificate.is_none() =>
        {
            Err(FailedProof::checked("the connection shows no certificate"))
        }
        (TlsClientAuth, ClientCredential::Nothing) if let Some(shown) = &presented.certificate => {
            certificate::vouched(engine, known, shown, now).map_err(FailedProof::checked)
        }
        (SelfSignedTlsClientAuth, ClientCredential::Nothing) if let Some(shown) = &presented.certificate => {
            certificate::registered(engine, known, shown, now).await?.map_err(FailedProof::checked)
        }
        (
            None
            | ClientSecretBasic
            | ClientSecretPost
            | PrivateKeyJwt
            | TlsClientAuth
            | SelfSignedTlsClientAuth,
            _,
        ) => Err(FailedProof::unchecked(
            presented,
            "the client proves itself in another way than it registered",
        )),
    })
}

/// Whether the assertion counts, and is seen for the first time on any node.
async fn verify(
    engine: &Engine,
    presented: &ClientAuthRequest,
    known: &CachedClient,
    assertion: &str,
    now: Timestamp,
) -> Result<Result<(), FailedProof>, Failure> {
    let Some(keys) = keys::of(engine, known, assertion).await? else {
        let reason = "the client has no keys, or they cannot be read";
        return Ok(Err(FailedProof::unchecked(presented, reason)));
    };
    let issuer = &engine.settings().issuer;
    // FAPI 2.0 §5.3.2.1: the issuer, and nothing that a client could be made to believe is us.
    let is_strict = known.metadata.security_profile == SecurityProfile::Fapi2;
    // Whoever asks where certificates are shown may name what they asked by that address (RFC 8705 §5).
    let addresses = [Some(issuer), engine.settings().certificates.as_ref().map(|it| &it.address)];
    let endpoints = addresses.into_iter().flatten().flat_map(|address| {
        [format!("{address}{TOKEN_ENDPOINT}"), format!("{address}{}", presented.endpoint)]
    });
    let endpoints = endpoints.filter(|_| !is_strict);
    let audiences: Vec<String> = [issuer.clone()].into_iter().chain(endpoints).collect();
    let expected = ClientAssertionExpectations {
        client: known.client.id.as_str(),
        audiences: &audiences,
        naming: if is_strict { AssertionAudienceForm::One } else { AssertionAudienceForm::OneOrList },
        algorithm: known.metadata.token_endpoint_auth_signing_alg,
        now,
    };
    let accepted = match client_assertion::verify(assertion, &keys, &expected) {
        Ok(accepted) => accepted,
        Err(why) => return Ok(Err(FailedProof::checked(why.to_string()))),
    };
    let digest = Digest::of_parts(&[accepted.id.as_bytes()]);
    let seen = assertion_replays::first_seen(&known.client.id, &digest, accepted.forgotten_at);
    Ok(match engine.store().commit(WriteBatch::new().with(seen)).await? {
        Ok(_) => Ok(()),
        Err(_) => Err(FailedProof::checked("the assertion was used before")),
    })
}

/// The path of the token endpoint, whose address every assertion may name as its audience.
pub const TOKEN_ENDPOINT: &str = "/connect/token";

/// One answer, whether the client is unknown, its proof wrong or of another kind: nobody learns which ids exist.
pub fn unproven(reason: &str) -> Refusal {
    Refusal::new(RefusalCode::InvalidClient, "the client did not prove who it is", reason)
}

impl fmt::Debug for ClientAuthRequest {
    /// Without the proof, which may be a secret.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?} at {} by {:?}", self.client, self.endpoint, self.proof)
    }
}

impl fmt::Debug for ClientCredential {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Nothing => "nothing",
            Self::HeaderSecret(_) => "a secret in the header",
            Self::BodySecret(_) => "a secret in the body",
            Self::Assertion(_) => "an assertion",
        })
    }
}

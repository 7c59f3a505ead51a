//! Clients proving who they are: with nothing but their name, a secret, a signed assertion or the certificate of their
//! connection, and always in the one way they registered.

mod certificate;
pub mod keys;
pub(crate) mod known;
mod shown;
mod supposed;

pub use known::KnownClient;
pub(crate) use shown::Shown;
pub(crate) use supposed::Proofs;
pub use supposed::{Supposed, suppose};

use crate::certificates::Certificate;
use crate::key_proofs::ShownProof;
use crate::{ATTEMPTS_MAX, Cause, Engine, Failed};
use sinete_core::client::ClientId;
use sinete_core::client::metadata::AuthenticationMethod;
use sinete_core::client::profile::SecurityProfile;
use sinete_core::grant::Grant;
use sinete_core::people::Condition;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::{ClientSecret, Digest, Secret};
use sinete_core::security::event::{Actor, EventKind};
use sinete_core::time::Timestamp;
use sinete_core::token::confirmation::Confirmation;
use sinete_crypto::client_assertion::{self, Expected, Naming};
use sinete_store::client_proofs::Standing;
use sinete_store::clients::Origin;
use sinete_store::standing::shown::Asker;
use sinete_store::{Act, assertion_replays};
use std::fmt;
use std::sync::Arc;

/// What a request showed, as it was sent. Nothing of it is believed yet.
#[derive(Clone)]
pub struct Presented {
    /// The client it says it is from; left out where the assertion says it.
    pub client: Option<String>,
    /// How it proves that.
    pub proof: Proof,
    /// The path of the endpoint that was asked, which an assertion may name as its audience.
    pub endpoint: &'static str,
    /// The certificate of the connection, where it showed one. It may come with any proof, and is one itself for a client
    /// that registered so.
    pub certificate: Option<Arc<Certificate>>,
    /// The proof that it holds a key, where it brought one.
    pub key: Option<ShownProof>,
}

/// How a request proves which client it is from, beside the certificate of its connection.
#[derive(Clone)]
pub enum Proof {
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
    pub known: Arc<KnownClient>,
    /// Whether it counts, its owner included.
    pub condition: Condition,
    /// The key the request was made with, to which whatever is issued is then bound.
    pub confirmation: Option<Confirmation>,
    /// The key the request was made with, whether or not the client asked for its tokens to be bound.
    pub shown: Option<Confirmation>,
}

impl AuthenticatedClient {
    fn of(known: Arc<KnownClient>, condition: Condition, presented: &Presented) -> Self {
        let shown = presented.certificate.as_ref().map(|certificate| certificate.confirmation());
        let is_bound = known.metadata.tls_client_certificate_bound_access_tokens;
        Self { known, condition, confirmation: shown.clone().filter(|_| is_bound), shown }
    }

    /// Whether its name says nothing about who sends its requests: anybody can name a client that keeps no secret, and anybody
    /// can register one that does. The clients of organizations and operators that authenticate, and those that registered
    /// themselves and that an operator verified, are accountable.
    pub fn is_anybody(&self) -> bool {
        let is_public = self.known.metadata.token_endpoint_auth_method == AuthenticationMethod::None;
        let is_unverified =
            self.known.client.origin == Origin::Itself && self.known.client.verified_at.is_none();
        is_public || is_unverified
    }

    /// Refuses a client whose tokens are to be bound and that shows nothing to bind them to.
    pub(crate) fn must_be_bindable(&self) -> Result<(), Refusal> {
        let (metadata, bound) = (&self.known.metadata, self.confirmation.as_ref());
        let lacks_certificate = metadata.tls_client_certificate_bound_access_tokens
            && bound.and_then(Confirmation::certificate).is_none();
        let lacks_key = metadata.dpop_bound_access_tokens && bound.and_then(Confirmation::key).is_none();
        let public = match (lacks_certificate, lacks_key) {
            (false, false) => return Ok(()),
            (true, _) => "the client's tokens are bound to its certificate, and the connection shows none",
            (false, true) => "the client's tokens are bound to a key, and the request brings no DPoP proof",
        };
        Err(Refusal::new(RefusalCode::InvalidRequest, public, public))
    }

    /// What its refresh tokens are bound to. A client whose certificate is its proof holds them by that proof, so that it
    /// can renew the certificate (RFC 8705 §7.1); one with any proof may change the key it signs with (RFC 9449 §5).
    pub(crate) fn lasting_confirmation(&self) -> Option<Confirmation> {
        let (method, bound) = (self.known.metadata.token_endpoint_auth_method, self.confirmation.as_ref()?);
        let certificate = bound.only_certificate().filter(|_| !method.is_certificate());
        let key = bound.only_key().filter(|_| method == AuthenticationMethod::None);
        Confirmation::joined(certificate, key.as_ref())
    }

    /// Its id.
    pub fn id(&self) -> &ClientId {
        &self.known.client.id
    }

    /// The client as who caused something.
    pub fn cause(&self, cause: &Cause) -> Cause {
        Cause { actor: Actor::Client(self.id().clone()), origin: cause.origin.clone() }
    }
}

/// The client behind a request, if it proved who it is and is enabled.
///
/// An assertion is spent by being shown, before anything else is looked at: whoever asks cannot forget it.
pub async fn authenticate(
    engine: &Engine,
    presented: &Presented,
    cause: &Cause,
) -> Result<Result<AuthenticatedClient, Refusal>, Failed> {
    Ok(identify(engine, presented, None, cause).await?.and_then(|(client, _)| match client.condition {
        Condition::Enabled => Ok(client),
        Condition::Suspended | Condition::Ended => {
            let public = "the client may not do this";
            Err(Refusal::new(RefusalCode::UnauthorizedClient, public, "the client or its owner is disabled"))
        }
    }))
}

/// The same, where the caller has an answer of its own for a client that is disabled, with what the request shows for
/// its grant. That is handed over only to a client that proved who it is.
pub(crate) async fn identify(
    engine: &Engine,
    presented: &Presented,
    grant: Option<&Grant>,
    cause: &Cause,
) -> Result<Result<(AuthenticatedClient, Shown), Refusal>, Failed> {
    let Some(id) = claimed(presented) else { return Ok(Err(unproven("no client is named, or two are"))) };
    let now = engine.now();
    let digest = match &presented.proof {
        Proof::HeaderSecret(secret) | Proof::BodySecret(secret) => {
            Secret::<ClientSecret>::parse(secret).ok().map(|secret| secret.digest())
        }
        Proof::Nothing | Proof::Assertion(_) => None,
    };
    let asker = Asker { client: &id, secret: digest.as_ref() };
    // Proving an assertion may take as long as the client's own server does, so what it shows is read after that.
    let is_asserted = matches!(presented.proof, Proof::Assertion(_));
    let found = match find(engine, asker, grant.filter(|_| !is_asserted), now).await? {
        Some(found) if found.1.condition != Condition::Ended => Some(found),
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
    fn unchecked(presented: &Presented, reason: &str) -> Self {
        match &presented.proof {
            Proof::Assertion(assertion) => client_assertion::verify_decoy(assertion),
            Proof::Nothing | Proof::HeaderSecret(_) | Proof::BodySecret(_) => {}
        }
        Self { reason: reason.to_owned() }
    }
}

/// Records that a request did not prove to be from the client it names, and refuses it.
async fn refuse_proof<T>(
    engine: &Engine,
    id: ClientId,
    FailedProof { reason }: FailedProof,
    cause: &Cause,
) -> Result<Result<T, Refusal>, Failed> {
    let event = engine.event(EventKind::ClientProofFailed, cause, engine.now()).about("client", &id);
    // Whoever fails without end is answered, and does not make the log grow without end.
    if let Some(event) = engine.recorded_failure(event.through(id).with("reason", reason.clone())) {
        engine.store().commit(Act::new().record(&event)).await?.map_err(|_| Failed::Contended)?;
    }
    Ok(Err(unproven(&reason)))
}

/// The client a request says it is from, if everything in it says the same.
fn claimed(presented: &Presented) -> Option<ClientId> {
    let in_assertion = match &presented.proof {
        Proof::Assertion(assertion) => Some(client_assertion::claimed_client(assertion)?),
        Proof::Nothing | Proof::HeaderSecret(_) | Proof::BodySecret(_) => None,
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
    asker: Asker<'_>,
    grant: Option<&Grant>,
    now: Timestamp,
) -> Result<Option<(Arc<KnownClient>, Standing, Shown)>, Failed> {
    for _ in 0..ATTEMPTS_MAX {
        let Some((standing, shown)) = shown::look(engine, grant, asker, now).await? else {
            return Ok(None);
        };
        if let Some(known) = known::at_version(engine, asker.client, standing.version).await? {
            return Ok(Some((known, standing, shown)));
        }
    }
    Err(Failed::Contended)
}

/// Whether the proof is right and of the kind the client registered; what was wrong is for our log.
async fn prove(
    engine: &Engine,
    presented: &Presented,
    known: &KnownClient,
    standing: &Standing,
    now: Timestamp,
) -> Result<Result<(), FailedProof>, Failed> {
    use AuthenticationMethod::{ClientSecretBasic, ClientSecretPost, None, PrivateKeyJwt};
    use AuthenticationMethod::{SelfSignedTlsClientAuth, TlsClientAuth};
    Ok(match (known.metadata.token_endpoint_auth_method, &presented.proof) {
        (None, Proof::Nothing) => Ok(()),
        (ClientSecretBasic, Proof::HeaderSecret(_)) | (ClientSecretPost, Proof::BodySecret(_)) => {
            if standing.has_secret { Ok(()) } else { Err(FailedProof::checked("the secret is wrong")) }
        }
        (PrivateKeyJwt, Proof::Assertion(assertion)) => {
            return verify(engine, presented, known, assertion, now).await;
        }
        (TlsClientAuth | SelfSignedTlsClientAuth, Proof::Nothing) if presented.certificate.is_none() => {
            Err(FailedProof::checked("the connection shows no certificate"))
        }
        (TlsClientAuth, Proof::Nothing) if let Some(shown) = &presented.certificate => {
            certificate::vouched(engine, known, shown, now).map_err(FailedProof::checked)
        }
        (SelfSignedTlsClientAuth, Proof::Nothing) if let Some(shown) = &presented.certificate => {
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
    presented: &Presented,
    known: &KnownClient,
    assertion: &str,
    now: Timestamp,
) -> Result<Result<(), FailedProof>, Failed> {
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
    let expected = Expected {
        client: known.client.id.as_str(),
        audiences: &audiences,
        naming: if is_strict { Naming::One } else { Naming::OneOrList },
        algorithm: known.metadata.token_endpoint_auth_signing_alg,
        now,
    };
    let accepted = match client_assertion::verify(assertion, &keys, &expected) {
        Ok(accepted) => accepted,
        Err(why) => return Ok(Err(FailedProof::checked(why.to_string()))),
    };
    let digest = Digest::of_parts(&[accepted.id.as_bytes()]);
    let seen = assertion_replays::first_seen(&known.client.id, &digest, accepted.forgotten_at);
    Ok(match engine.store().commit(Act::new().with(seen)).await? {
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

impl fmt::Debug for Presented {
    /// Without the proof, which may be a secret.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?} at {} by {:?}", self.client, self.endpoint, self.proof)
    }
}

impl fmt::Debug for Proof {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Nothing => "nothing",
            Self::HeaderSecret(_) => "a secret in the header",
            Self::BodySecret(_) => "a secret in the body",
            Self::Assertion(_) => "an assertion",
        })
    }
}

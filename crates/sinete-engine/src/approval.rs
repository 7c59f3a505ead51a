//! A client asks for somebody's approval before it does something for them (OpenID CIBA): it is told what to wait with, and
//! the person is told that they are asked. Whoever is not known is asked in the same way, and never answers.

pub mod notices;
mod person;

use crate::authorize::approval::StoredCibaRequest;
use crate::authorize::{RequestingClient, before_the_person};
use crate::client_authentication::{AuthenticatedClient, keys};
use crate::flows::{self, InteractionTarget};
use crate::letters::{EmailKind, EmailMessage, EmailProof, EmailProofKind, SignInSighting};
use crate::push_request::refusal;
use crate::{ATTEMPTS_MAX, Engine, EventCause, Failure, deliver, watch};
use person::HintedPerson;
use sinete_core::authority::scope::IdentityScope;
use sinete_core::authorize::approval::{CibaAuthenticationRequest, CibaRequestError, CibaUserHint};
use sinete_core::authorize::asked::{AuthorizationChannel, PendingAuthorization};
use sinete_core::authorize::cross_device::must_risk_little;
use sinete_core::authorize::response::{AuthorizationErrorCode, AuthorizationRefusal};
use sinete_core::authorize::unvalidated::RawAuthorizationParams;
use sinete_core::client::metadata::GrantType;
use sinete_core::id::{AccountId, ApprovalRequestId};
use sinete_core::limits::APPROVAL_POLL_INTERVAL;
use sinete_core::people::language::Language;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::{BackchannelRequest, Digest, Secret};
use sinete_core::security::event::EventKind;
use sinete_core::session::device::DeviceDescription;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_crypto::request_object::{RequestObjectExpectations, verify_complete};
use sinete_store::approval_requests::{self, NewCibaRequest};
use sinete_store::assertion_replays::{self, AssertionJti};
use sinete_store::{GuardedStatement, JsonDocument, WriteBatch};

/// Where the hosted screens show what is asked, below the issuer.
pub const APPROVE_PATH: &str = "/approve";

/// A request that waits for somebody's answer.
pub struct CibaAcknowledgement {
    /// What the client waits with.
    pub request: Secret<BackchannelRequest>,
    /// How long it waits at most.
    pub lifetime: Lifetime,
    /// How long it waits between two questions.
    pub interval: Lifetime,
}

/// Asks the person, if everything about the request that can be judged without them is in order.
pub async fn start(
    engine: &Engine,
    client: &AuthenticatedClient,
    parameters: RawAuthorizationParams,
    cause: &EventCause,
) -> Result<Result<CibaAcknowledgement, Refusal>, Failure> {
    let applicant = RequestingClient::of(client.known.clone());
    let ParsedCibaRequest { parameters, once } = match opened(engine, &applicant, parameters).await? {
        Ok(opened) => opened,
        Err(wrong) => return Ok(Err(refusal(wrong))),
    };
    let mode = applicant.known.metadata.backchannel_token_delivery_mode.unwrap_or_default();
    let approval = match CibaAuthenticationRequest::read(&parameters, mode) {
        Ok(approval) => approval,
        Err(CibaRequestError::Wrong(wrong)) => return Ok(Err(refusal(wrong))),
        Err(CibaRequestError::BindingMessage(text)) => {
            return Ok(Err(Refusal::new(RefusalCode::InvalidBindingMessage, text, text)));
        }
    };
    let wanted = match before_the_person(engine, &applicant, &approval.wish, GrantType::Ciba).await? {
        Ok(wanted) => wanted,
        Err(wrong) => return Ok(Err(refusal(wrong))),
    };
    if !wanted.scopes.has(IdentityScope::OpenId) {
        // OpenID CIBA §7.1.
        return Ok(Err(refusal((AuthorizationErrorCode::InvalidScope, "scope must hold openid"))));
    }
    let target = wanted.named.as_ref().map(|audience| audience.target());
    if let Err(wrong) = must_risk_little(applicant.vouching, &wanted.scopes, &approval.wish.details, target) {
        return Ok(Err(refusal(wrong)));
    }
    let person = match person::meant(engine, &applicant, &approval).await? {
        Ok(person) => person,
        Err(wrong) => return Ok(Err(refusal(wrong))),
    };
    // What counts is what was asked for at this moment, whatever becomes usual meanwhile.
    let settled = parameters.with_default("scope", &wanted.scopes.to_string());
    let settled = match person.organization {
        Some(organization) => settled.with_default("organization", &organization.to_string()),
        None => settled,
    };
    let asking =
        CibaRequestContext { client, applicant: &applicant, approval: &approval, person: &person, once };
    asking.keep(engine, &settled, cause).await
}

/// A request as it is read.
struct ParsedCibaRequest {
    parameters: RawAuthorizationParams,
    /// What its id is remembered by and until when, if it was signed.
    once: Option<(Digest<AssertionJti>, Timestamp)>,
}

/// A signed request that does not count, or no longer. OpenID CIBA §13 has no error of its own for it.
const UNSIGNED: AuthorizationRefusal =
    (AuthorizationErrorCode::InvalidRequest, "the signed request does not count");

/// The parameters, as they came or out of the object that the client signed. A client that registered how it signs its
/// requests signs all of them, and nothing beside a signed one counts.
async fn opened(
    engine: &Engine,
    applicant: &RequestingClient,
    parameters: RawAuthorizationParams,
) -> Result<Result<ParsedCibaRequest, AuthorizationRefusal>, Failure> {
    /// What proves who the client is, and brings the request along.
    const BESIDE: [&str; 5] =
        ["client_id", "client_secret", "client_assertion", "client_assertion_type", "request"];
    let known = &applicant.known;
    let registered = known.metadata.backchannel_authentication_request_signing_alg;
    if parameters.get("request_uri").is_some() {
        return Ok(Err((AuthorizationErrorCode::InvalidRequest, "request_uri is not used here")));
    }
    let Some(object) = parameters.get("request") else {
        let signs = (AuthorizationErrorCode::InvalidRequest, "this client signs its requests");
        return Ok(if registered.is_some() {
            Err(signs)
        } else {
            Ok(ParsedCibaRequest { parameters, once: None })
        });
    };
    if parameters.iter().any(|(name, _)| !BESIDE.contains(&name)) {
        let text = "beside a signed request there is only what proves who the client is";
        return Ok(Err((AuthorizationErrorCode::InvalidRequest, text)));
    }
    let Some(keys) = keys::of(engine, known, object).await? else { return Ok(Err(UNSIGNED)) };
    let expected = RequestObjectExpectations {
        client: known.client.id.as_str(),
        issuer: &engine.settings().issuer,
        profile: known.metadata.security_profile,
        algorithm: registered,
        now: engine.now(),
    };
    let Ok(complete) = verify_complete(object, &keys, &expected) else { return Ok(Err(UNSIGNED)) };
    // A client may give an assertion and a request the same id.
    let digest = Digest::of_parts(&[b"signed request", complete.id.as_bytes()]);
    let once = Some((digest, complete.forgotten_at));
    Ok(Ok(ParsedCibaRequest { parameters: RawAuthorizationParams::new(complete.parameters), once }))
}

/// A client that asks somebody.
struct CibaRequestContext<'a> {
    client: &'a AuthenticatedClient,
    applicant: &'a RequestingClient,
    approval: &'a CibaAuthenticationRequest,
    person: &'a HintedPerson,
    once: Option<(Digest<AssertionJti>, Timestamp)>,
}

impl CibaRequestContext<'_> {
    /// Keeps the request and tells the person, if they are not asked too often. Whoever asks at the same moment counts.
    async fn keep(
        &self,
        engine: &Engine,
        parameters: &RawAuthorizationParams,
        cause: &EventCause,
    ) -> Result<Result<CibaAcknowledgement, Refusal>, Failure> {
        let (client, cause) = (self.client.id(), self.client.cause(cause));
        let from = DeviceDescription {
            place: watch::place_of(engine, &cause),
            ..DeviceDescription::of(&cause.origin)
        };
        for _ in 0..ATTEMPTS_MAX {
            let now = engine.now();
            if let Some((id, _)) = &self.once
                && assertion_replays::was_seen(engine.store(), client, id).await?
            {
                return Ok(Err(refusal(UNSIGNED)));
            }
            let counted = match self.person.one_more(engine, client).await? {
                Ok(counted) => counted,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let (secret, id) = (
                Secret::<BackchannelRequest>::mint(engine.entropy()),
                ApprovalRequestId::mint(now, engine.entropy()),
            );
            let digest = secret.digest();
            let asked = PendingAuthorization::new(
                client.clone(),
                &unhinted(parameters),
                AuthorizationChannel::Backchannel(*digest.as_bytes()),
            );
            let kept =
                StoredCibaRequest { asked, from: from.clone(), message: self.approval.message.clone() };
            let revealed = secret.reveal();
            let token = self.approval.notification_token.as_ref();
            let notice = token.map(|token| notices::sealed(engine, id, &revealed, token)).transpose()?;
            let new = NewCibaRequest {
                digest: &digest,
                id,
                client,
                account: self.person.account,
                asked_of: &self.person.meant,
                request: &JsonDocument::of(&kept)?,
                sealed_notice: notice.as_deref(),
                poll_interval: APPROVAL_POLL_INTERVAL,
                created_at: now,
                expires_at: now.plus(self.approval.lifetime),
            };
            let event = engine.event(EventKind::ApprovalRequested, &cause, now).through(client.clone());
            let event = self.person.account.into_iter().fold(event, |event, it| event.about("account", it));
            let letter = self.letter(engine, (id, &SignInSighting::of(&from, now))).await?;
            let act = WriteBatch::new()
                .with(approval_requests::start(&new))
                .with_all(
                    self.once.iter().map(|(id, until)| assertion_replays::first_seen(client, id, *until)),
                )
                .with_all(counted)
                .with_all(letter)
                .record(&event.with("request", id.to_string()));
            if engine.store().commit(act).await?.is_ok() {
                let Ok(request) = Secret::parse(&revealed) else { return Err(Failure::Interrupted) };
                let (lifetime, interval) = (self.approval.lifetime, APPROVAL_POLL_INTERVAL);
                return Ok(Ok(CibaAcknowledgement { request, lifetime, interval }));
            }
        }
        Err(Failure::Contended)
    }

    /// The letter that tells the person, where they can be written to. It names the application, and repeats nothing
    /// that the application wrote but its name. To whom nobody is, the same is written and never leaves.
    async fn letter(
        &self,
        engine: &Engine,
        (id, asked): (ApprovalRequestId, &SignInSighting),
    ) -> Result<Option<GuardedStatement>, Failure> {
        let known = self.person.account;
        let account = known.unwrap_or_else(|| AccountId::mint(engine.now(), engine.entropy()));
        let address = match (watch::address_of(engine, account).await?, known, &self.approval.whom) {
            (Some(address), _, _) => address,
            (None, None, CibaUserHint::Address(spelled)) => spelled.clone(),
            (None, _, _) => return Ok(None),
        };
        let lifetime = known.map_or(Lifetime::ZERO, |_| self.approval.lifetime);
        let letter = EmailMessage {
            about: EmailKind::ApprovalAsked { application: &self.applicant.known.client.name, asked },
            issuer: &engine.settings().issuer,
            language: flows::language(engine, Some(account), Language::default()).await?,
            proof: Some(EmailProof {
                given: leads_to(engine, &self.applicant.interaction(engine), id),
                lifetime,
            }),
        };
        deliver::post(engine, &letter, &address, lifetime).map(Some)
    }
}

/// Where the person sees what is asked; where people are led nowhere, what they find it by.
fn leads_to(engine: &Engine, interaction: &InteractionTarget, id: ApprovalRequestId) -> EmailProofKind {
    match interaction {
        InteractionTarget::Screens => {
            EmailProofKind::Link(format!("{}{APPROVE_PATH}?request={id}", engine.settings().issuer))
        }
        InteractionTarget::Elsewhere(address) => {
            let sign = if address.contains('?') { '&' } else { '?' };
            EmailProofKind::Link(format!("{address}{sign}start=approve_request&request={id}"))
        }
        InteractionTarget::Nowhere => EmailProofKind::Code(id.to_string()),
    }
}

/// The parameters without what has done its work once it is known who is asked, and what is the client's secret.
fn unhinted(parameters: &RawAuthorizationParams) -> RawAuthorizationParams {
    const SPENT: [&str; 4] = ["login_hint", "id_token_hint", "client_notification_token", "binding_message"];
    let kept = parameters.iter().filter(|(name, _)| !SPENT.contains(name));
    RawAuthorizationParams::new(kept)
}

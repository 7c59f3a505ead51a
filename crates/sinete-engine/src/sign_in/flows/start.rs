//! Starting a flow. The start does not identify the user, so it reveals nothing about accounts.

mod flow_request;

pub use flow_request::FlowRequest;

use super::account_creation::invalid_link;
use super::advance::{FlowAdvanceReason, advance_flow};
use super::{
    FlowActor, FlowSnapshot, IssuedSecrets, LoadedFlow, SignUpPolicy, SmsDelivery, challenge_messages,
    identity_provider, load_flow_account,
};
use crate::oauth::authorize::ActiveClient;
use crate::oauth::authorize::deferred::find_pending_ciba_request;
use crate::organizations::invitations;
use crate::sign_in::account_holder::AccountHolder;
use crate::sign_in::message_rate_limit::MessageResendStatus;
use crate::{ATTEMPTS_MAX, Engine, Error, EventCause, Failure};
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::accounts::phone_number::PhoneNumber;
use sinete_core::assurance::AssuranceLevel;
use sinete_core::events::security_event::SecurityEventActor;
use sinete_core::id::{FlowId, SessionId};
use sinete_core::limits::FLOW_LIFETIME;
use sinete_core::oauth::authorize::organization_selection::is_served;
use sinete_core::oauth::user_code::UserCode;
use sinete_core::organization_kind::OrganizationKind;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::access::AccessRefusal;
use sinete_core::refusal::sign_in::SignInRefusal;
use sinete_core::secret::{BootstrapToken, InvitationToken, Secret};
use sinete_core::sign_in::flows::account::FlowAccount;
use sinete_core::sign_in::flows::purpose::{FlowKind, FlowPurpose};
use sinete_core::sign_in::flows::stage::{EmailChallenge, FlowStage, IdentityProviderRedirect, SmsChallenge};
use sinete_core::sign_in::flows::{AuthenticationFlow, FlowTokenTransport, storage_format};
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::ContactKind;
use sinete_store::administration::bootstrap;
use sinete_store::identity_providers::connections;
use sinete_store::oauth::clients::ClientOrigin;
use sinete_store::organizations;
use sinete_store::organizations::memberships;
use sinete_store::sign_in::flows;
use sinete_store::sign_in::flows::{FIRST_VERSION, NewFlow, StoredFlowState};
use sinete_store::{JsonDocument, WriteBatch};

/// Starts a flow.
pub async fn start_flow(
    engine: &Engine,
    request: &FlowRequest,
    carrier: FlowTokenTransport,
    actor: &FlowActor,
) -> Result<FlowSnapshot, Error> {
    let purpose = resolve_purpose(engine, request, actor).await?;
    let (id, meant_for) =
        (FlowId::mint(engine.now(), engine.entropy()), find_invited_account(engine, &purpose).await?);
    let can_send_sms = engine.settings().flows.sms == SmsDelivery::On;
    let providers = connections::has_enabled_connection(engine.store()).await?;
    let flow = AuthenticationFlow::start(id, purpose, carrier, find_session_account(engine, actor).await?);
    let is_sign_up_open = engine.settings().flows.sign_up == SignUpPolicy::Open
        && serves_new_accounts(engine, flow.purpose()).await?;
    let flow = flow.with_sms(can_send_sms).with_identity_providers(providers).with_sign_up(is_sign_up_open);
    if let (FlowPurpose::LinkIdentity { at }, FlowKind::LinkIdentity) = (flow.purpose(), flow.kind())
        && let Err(refusal) = identity_provider::check_return_to(engine, &flow, at.return_to.as_deref())
    {
        return Err(refusal.into());
    }
    let flow = match meant_for {
        Some(account) => flow.for_account(account),
        None => flow,
    };
    store_flow(engine, flow, actor).await
}

/// Whether a new account could use the application that the user comes from. It joins the home organization only.
async fn serves_new_accounts(engine: &Engine, purpose: &FlowPurpose) -> Result<bool, Failure> {
    let FlowPurpose::Authorize { pending_authorization: pending, .. } = purpose else { return Ok(true) };
    let Some(active) = ActiveClient::find(engine, &pending.client).await? else { return Ok(true) };
    let ClientOrigin::Organization(owner) = active.client.client.origin else {
        return Ok(is_served(active.client.metadata.serves, true));
    };
    let owner = organizations::find_organization(engine.store(), owner, engine.now()).await?;
    Ok(owner.is_some_and(|owner| owner.kind == OrganizationKind::Home))
}

/// Stores a new flow, and sends its first message.
async fn store_flow(
    engine: &Engine,
    flow: AuthenticationFlow,
    actor: &FlowActor,
) -> Result<FlowSnapshot, Error> {
    let now = engine.now();
    let (token, expires_at) = (Secret::mint(engine.entropy()), now.plus(FLOW_LIFETIME));
    let (digest, document) = (token.digest(), JsonDocument::from_value(&flow)?);
    let stored = NewFlow {
        id: flow.id(),
        digest: &digest,
        kind: flow.kind().name(),
        state: StoredFlowState {
            document: &document,
            form: storage_format::FORMAT_VERSION,
            account: flow.account(),
        },
        created_at: now,
        expires_at,
    };
    // Concurrent requests may be counting messages to the same address.
    for _ in 0..ATTEMPTS_MAX {
        let statements = match flow.stage() {
            FlowStage::MailedProof(challenge) => {
                challenge_messages::send_email_challenge(
                    engine,
                    &flow,
                    challenge,
                    actor,
                    MessageResendStatus::First,
                )
                .await?
            }
            FlowStage::TextedProof(challenge) => {
                challenge_messages::send_sms_code(engine, &flow, challenge, actor, MessageResendStatus::First)
                    .await?
            }
            _ => Vec::new(),
        };
        if engine
            .store()
            .commit(WriteBatch::new().with_statement(flows::create_flow(&stored)).with_statements(statements))
            .await?
            .is_committed()
        {
            let handed = IssuedSecrets { flow: Some(token), ..IssuedSecrets::default() };
            let created = LoadedFlow { flow, digest, version: FIRST_VERSION, expires_at };
            let advanced = advance_flow(engine, created, FlowAdvanceReason::Viewed).await?;
            return Ok(advanced.into_snapshot(handed));
        }
    }
    Err(Failure::Contended.into())
}

async fn resolve_purpose(
    engine: &Engine,
    flow_request: &FlowRequest,
    actor: &FlowActor,
) -> Result<FlowPurpose, Error> {
    match flow_request {
        FlowRequest::SignIn => Ok(FlowPurpose::SignIn),
        FlowRequest::SignUp => match engine.settings().flows.sign_up {
            SignUpPolicy::Open => Ok(FlowPurpose::SignUp),
            SignUpPolicy::InvitationOnly => {
                Err(Refusal::because(SignInRefusal::SignUpClosed, "signing up is not open").into())
            }
        },
        FlowRequest::StepUp { needs } => step_up(engine, *needs, actor).await,
        FlowRequest::VerifyEmail { email } => verify_email(engine, email.as_deref(), actor).await,
        FlowRequest::ChangeEmail { email } => {
            super::email_change::start_email_change(engine, email, actor).await
        }
        FlowRequest::VerifyPhone { phone } => verify_phone(engine, phone.as_deref(), actor).await,
        FlowRequest::ResetPassword => Ok(FlowPurpose::ResetPassword),
        FlowRequest::Enroll { factor } => {
            let pending_enrollment = super::enrollment::start_enrollment(engine, *factor, actor).await?;
            Ok(FlowPurpose::Enroll { enrolling: pending_enrollment })
        }
        FlowRequest::AcceptInvitation { token } => {
            let Ok(token) = Secret::<InvitationToken>::parse(token) else {
                return Err(invitations::invalid_invitation("not an invitation token").into());
            };
            let digest = token.digest();
            let waiting_invitation = invitations::find_pending(engine, &digest).await?;
            let Ok(address) = waiting_invitation.invitation.lookup.parse::<EmailAddress>() else {
                return Err(invitations::invalid_invitation("the stored address is not valid").into());
            };
            Ok(FlowPurpose::AcceptInvitation { invitation: *digest.as_bytes(), address })
        }
        FlowRequest::LinkIdentity { connection, return_to } => {
            link_identity(engine, connection, return_to.as_deref(), actor).await
        }
        FlowRequest::FirstOperator { token } => {
            let Ok(token) = Secret::<BootstrapToken>::parse(token) else { return Err(invalid_link().into()) };
            let (digest, now) = (token.digest(), engine.now());
            let bootstrap_link = bootstrap::find_bootstrap_link(engine.store(), &digest).await?;
            if !bootstrap_link.is_some_and(|link| link.is_valid(now)) {
                return Err(invalid_link().into());
            }
            Ok(FlowPurpose::FirstOperator { link: *digest.as_bytes() })
        }
        FlowRequest::ConfirmDevice { user_code } => Ok(confirm_device(engine, user_code.as_deref())?),
        FlowRequest::ApproveRequest { request } => {
            let (_, deferred_request) = find_pending_ciba_request(engine, request).await?;
            Ok(FlowPurpose::ApproveRequest {
                pending_authorization: Box::new(deferred_request.authorization),
                answers: Default::default(),
            })
        }
        FlowRequest::Authorize(pending) => {
            Ok(FlowPurpose::Authorize { pending_authorization: pending.clone(), answers: Default::default() })
        }
    }
}

/// Approval of a device authorization, if clients may use it. A malformed user code is not shown.
fn confirm_device(engine: &Engine, user_code: Option<&str>) -> Result<FlowPurpose, Refusal> {
    if !engine.settings().flows.interaction.has_screens() {
        return Err(Refusal::because(
            SignInRefusal::DeviceAuthorizationNotAvailable,
            "there is no interface for users",
        ));
    }
    let code = user_code.and_then(|text| text.parse::<UserCode>().ok());
    let offered_code = code.map(|code| code.to_string());
    Ok(FlowPurpose::ConfirmDevice {
        user_code: offered_code,
        pending_authorization: None,
        answers: Default::default(),
    })
}

async fn step_up(
    engine: &Engine,
    needs: Option<AssuranceLevel>,
    actor: &FlowActor,
) -> Result<FlowPurpose, Error> {
    let Some(signed_in) = &actor.session else { return Err(not_signed_in().into()) };
    let account = load_flow_account(engine, signed_in.session.account).await?;
    let needs = needs.unwrap_or_else(|| account.default_assurance_level());
    if needs > account.max_assurance_level() {
        return Err(Refusal::because(
            SignInRefusal::SecondFactorMissing,
            "the user has no credential for this level",
        )
        .into());
    }
    let base = signed_in.evidence.retain_fresh(engine.now());
    Ok(FlowPurpose::StepUp { needs, base })
}

async fn verify_email(engine: &Engine, email: Option<&str>, actor: &FlowActor) -> Result<FlowPurpose, Error> {
    let Some(signed_in) = &actor.session else { return Err(not_signed_in().into()) };
    let account = signed_in.session.account;
    let contacts = contacts::list_account_contacts(engine.store(), account).await?;
    let result = email.map(|email| email.parse::<EmailAddress>().map(|address| address.lookup_key()));
    let is_meant = |lookup: &str| result.as_ref().is_none_or(|result| result.as_deref() == Ok(lookup));
    let unproven = |contact: &&contacts::ContactRow| {
        contact.kind == ContactKind::Email && contact.verified_at.is_none() && is_meant(&contact.lookup)
    };
    let contact_row = contacts.iter().filter(unproven).max_by_key(|contact| contact.is_primary);
    let address = contact_row.and_then(|contact| contact.address.parse::<EmailAddress>().ok());
    let (Some(contact), Some(address)) = (contact_row, address) else {
        return Err(Refusal::because(SignInRefusal::UnverifiedEmailNotFound, "nothing to verify").into());
    };
    let challenge = EmailChallenge {
        address,
        account: Some(account),
        new_account: None,
        password: None,
        passkey: None,
        name: None,
    };
    Ok(FlowPurpose::VerifyEmail { contact: contact.id, mailed: challenge })
}

async fn verify_phone(engine: &Engine, phone: Option<&str>, actor: &FlowActor) -> Result<FlowPurpose, Error> {
    let Some(signed_in) = &actor.session else { return Err(not_signed_in().into()) };
    if engine.settings().flows.sms == SmsDelivery::Off {
        return Err(Refusal::because(SignInRefusal::SmsNotAvailable, "no SMS gateway is configured").into());
    }
    let account = signed_in.session.account;
    let contacts = contacts::list_account_contacts(engine.store(), account).await?;
    let result = phone.map(str::parse::<PhoneNumber>);
    let is_meant = |number: &PhoneNumber| result.as_ref().is_none_or(|result| result.as_ref() == Ok(number));
    let unproven = contacts.iter().filter(|it| it.kind == ContactKind::Phone && it.verified_at.is_none());
    let numbers = unproven.filter_map(|it| Some((it.id, it.address.parse::<PhoneNumber>().ok()?)));
    let Some((contact, number)) = numbers.into_iter().find(|(_, number)| is_meant(number)) else {
        return Err(Refusal::because(SignInRefusal::UnverifiedPhoneNotFound, "nothing to verify").into());
    };
    let challenge = SmsChallenge { number, account: Some(account), from: None };
    Ok(FlowPurpose::VerifyPhone { contact, texted: challenge })
}

/// Linking of an identity at a provider of the user's organization. It adds a sign-in method, so it requires
/// recent authentication.
async fn link_identity(
    engine: &Engine,
    connection: &str,
    return_to: Option<&str>,
    actor: &FlowActor,
) -> Result<FlowPurpose, Error> {
    let Some(signed_in) = &actor.session else { return Err(not_signed_in().into()) };
    let cause = EventCause {
        actor: SecurityEventActor::Account(signed_in.session.account),
        origin: actor.origin.clone(),
    };
    let account_holder = AccountHolder::new(signed_in.clone(), cause, engine.now());
    account_holder.require_fresh_authentication(engine).await?;
    let nowhere = || {
        Err(Refusal::because(
            SignInRefusal::ConnectionNotFound,
            "no such connection of the user's organizations",
        ))
    };
    let Ok(id) = connection.parse() else { return Ok(nowhere()?) };
    let (store, now) = (engine.store(), engine.now());
    let Some(connection) = connections::find_usable_connection(store, id, now).await? else {
        return Ok(nowhere()?);
    };
    let mine = memberships::list_usable_memberships(store, signed_in.session.account, now).await?;
    if !mine.iter().any(|it| it.organization == connection.organization) {
        return Ok(nowhere()?);
    }
    let return_to = return_to.map(str::to_owned);
    let at = IdentityProviderRedirect { connection: connection.id, from: None, hint: None, return_to };
    Ok(FlowPurpose::LinkIdentity { at })
}

/// The invited account, if it exists: its user signs in.
async fn find_invited_account(
    engine: &Engine,
    purpose: &FlowPurpose,
) -> Result<Option<FlowAccount>, Failure> {
    let FlowPurpose::AcceptInvitation { address, .. } = purpose else { return Ok(None) };
    let owner =
        contacts::find_verified_contact(engine.store(), ContactKind::Email, &address.lookup_key()).await?;
    match owner {
        Some(owner) => load_flow_account(engine, owner.account).await.map(Some),
        None => Ok(None),
    }
}

async fn find_session_account(
    engine: &Engine,
    actor: &FlowActor,
) -> Result<Option<(SessionId, FlowAccount)>, Failure> {
    let Some(signed_in) = &actor.session else { return Ok(None) };
    let account = load_flow_account(engine, signed_in.session.account).await?;
    Ok(Some((signed_in.session.id, account)))
}

pub(crate) fn not_signed_in() -> Refusal {
    Refusal::because(AccessRefusal::SessionMissing, "no session")
}

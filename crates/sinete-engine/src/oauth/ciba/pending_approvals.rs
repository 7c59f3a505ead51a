//! The pending CIBA requests of a user: listing, details, and the decision.

use crate::oauth::authorize;
use crate::oauth::authorize::deferred::{StoredDeferredRequest, find_pending_ciba_request};
use crate::oauth::authorize::{
    AuthorizationStep, ConsentDecision, ConsentDevice, ConsentPrompt, InteractionAnswers,
};
use crate::sign_in::account_holder::{AccountHolder, not_found};
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use sinete_core::assurance::AssuranceLevel;
use sinete_core::events::security_event::EventKind;
use sinete_core::id::{ApprovalRequestId, OrganizationId};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_store::WriteBatch;
use sinete_store::oauth::ciba_requests;
use sinete_store::oauth::ciba_requests::CibaRequestRow;
use sinete_store::oauth::clients;
use sinete_store::oauth::deferred_grants;
use std::borrow::Cow;

/// A pending request.
#[derive(Clone, Debug)]
pub struct PendingApproval {
    /// The request.
    pub request: CibaRequestRow,
    /// The application's name.
    pub application: String,
    /// The binding message.
    pub binding_message: Option<String>,
    /// The requested scope.
    pub scope: Option<String>,
    /// The requested API, if named.
    pub resource: Option<String>,
    /// The origin of the request.
    pub device: ConsentDevice,
}

/// A pending request with its details.
#[derive(Debug)]
pub struct CibaApprovalDetails {
    /// The request.
    pub request: PendingApproval,
    /// Whether and how it can be approved.
    pub availability: ApprovalAvailability,
}

/// Whether a request can be approved.
#[derive(Debug)]
pub enum ApprovalAvailability {
    /// Now, with this prompt.
    Now(Box<ConsentPrompt>),
    /// After choosing one of these organizations.
    AfterOrganizationChoice(Vec<authorize::OrganizationOption>),
    /// After a step-up, another sign-in or the set-up of a second factor, to which a flow leads.
    AfterStepUp,
    /// Never, for this reason.
    Never(Cow<'static, str>),
}

/// Lists the pending requests of the user, oldest first.
pub async fn list(engine: &Engine, account_holder: &AccountHolder) -> Result<Vec<PendingApproval>, Failure> {
    let mut all = Vec::new();
    for request in ciba_requests::list_pending_ciba_requests(
        engine.store(),
        account_holder.account(),
        account_holder.now(),
    )
    .await?
    {
        // A request written by another version does not hide the others.
        match request.deferred.request.parse::<StoredDeferredRequest>() {
            Ok(deferred_request) => all.push(to_pending_approval(engine, request, &deferred_request).await?),
            Err(error) => tracing::warn!(id = %request.id, %error, "a stored CIBA request cannot be read"),
        }
    }
    Ok(all)
}

/// Shows one of them, with its prompt if possible.
pub async fn show(
    engine: &Engine,
    account_holder: &AccountHolder,
    id: ApprovalRequestId,
    organization: Option<OrganizationId>,
) -> Result<CibaApprovalDetails, Error> {
    let (request, deferred_request) = find_own_request(engine, account_holder, id).await?;
    let answers = InteractionAnswers { organization, ..InteractionAnswers::default() };
    let answer = match authorize::next_step(
        engine,
        &deferred_request.authorization,
        Some(&account_holder.signed_in),
        &answers,
    )
    .await?
    {
        AuthorizationStep::Consent(question) => ApprovalAvailability::Now(question),
        AuthorizationStep::ChooseOrganization(choices) => {
            ApprovalAvailability::AfterOrganizationChoice(choices)
        }
        AuthorizationStep::SignIn(_) | AuthorizationStep::StepUp(_) | AuthorizationStep::Enroll(_) => {
            ApprovalAvailability::AfterStepUp
        }
        AuthorizationStep::Deny((_, reason)) => ApprovalAvailability::Never(reason),
        AuthorizationStep::Grant(_) | AuthorizationStep::Refuse(_) | AuthorizationStep::ShowError(_) => {
            ApprovalAvailability::Never("the application may no longer make requests".into())
        }
    };
    Ok(CibaApprovalDetails {
        request: to_pending_approval(engine, request, &deferred_request).await?,
        availability: answer,
    })
}

/// Approves it for exactly what was requested, if the session is sufficient.
pub async fn approve(
    engine: &Engine,
    account_holder: &AccountHolder,
    id: ApprovalRequestId,
    organization: Option<OrganizationId>,
) -> Result<(), Error> {
    for _ in 0..ATTEMPTS_MAX {
        let (request, deferred_request) = find_own_request(engine, account_holder, id).await?;
        let (signed_in, answers) =
            (&account_holder.signed_in, InteractionAnswers { organization, ..InteractionAnswers::default() });
        let question =
            match authorize::next_step(engine, &deferred_request.authorization, Some(signed_in), &answers)
                .await?
            {
                AuthorizationStep::Consent(question) => question,
                AuthorizationStep::Deny((_, reason)) => {
                    return deny_unanswerable(engine, account_holder, &request, reason).await;
                }
                otherwise => return Err(step_required(&otherwise).into()),
            };
        let answers = InteractionAnswers {
            consent: Some(ConsentDecision::Agreed(question.consent_request)),
            ..answers
        };
        let draft =
            match authorize::next_step(engine, &deferred_request.authorization, Some(signed_in), &answers)
                .await?
            {
                AuthorizationStep::Grant(draft) => draft,
                AuthorizationStep::Deny((_, reason)) => {
                    return deny_unanswerable(engine, account_holder, &request, reason).await;
                }
                otherwise => return Err(step_required(&otherwise).into()),
            };
        let batch = draft.approve_deferred_grant(engine, &account_holder.cause).await?;
        if engine.store().commit(batch).await?.is_committed() {
            return Ok(());
        }
    }
    Err(Failure::Contended.into())
}

/// Denies it. Any session of the user is sufficient.
pub async fn deny(
    engine: &Engine,
    account_holder: &AccountHolder,
    id: ApprovalRequestId,
) -> Result<(), Error> {
    for _ in 0..ATTEMPTS_MAX {
        let (request, _) = find_own_request(engine, account_holder, id).await?;
        if engine.store().commit(deny_batch(engine, account_holder, &request, None)).await?.is_committed() {
            return Ok(());
        }
    }
    Err(Failure::Contended.into())
}

/// Finds the pending request with this id, if it is for this user.
async fn find_own_request(
    engine: &Engine,
    account_holder: &AccountHolder,
    id: ApprovalRequestId,
) -> Result<(CibaRequestRow, StoredDeferredRequest), Error> {
    let (request, deferred_request) = find_pending_ciba_request(engine, &id.to_string()).await?;
    if !request.deferred.user.matches_account(Some(account_holder.account())) {
        return Err(not_found("the request is for another user").into());
    }
    Ok((request, deferred_request))
}

fn deny_batch(
    engine: &Engine,
    account_holder: &AccountHolder,
    request: &CibaRequestRow,
    denial_reason: Option<&str>,
) -> WriteBatch {
    let event = account_holder
        .event(engine, EventKind::ApprovalDenied)
        .with_subject("account", account_holder.account())
        .with_client(request.deferred.client.clone());
    let event = denial_reason.into_iter().fold(event, |event, reason| event.with_detail("because", reason));
    WriteBatch::new()
        .with_statement(deferred_grants::deny_deferred_grant(
            request.deferred.digest,
            Some(account_holder.account()),
            account_holder.now(),
        ))
        .with_event(&event)
}

/// Denies a request that the user cannot approve, so that the client does not wait.
async fn deny_unanswerable(
    engine: &Engine,
    account_holder: &AccountHolder,
    request: &CibaRequestRow,
    denial_reason: Cow<'static, str>,
) -> Result<(), Error> {
    // A conflict means that it was answered meanwhile.
    let _ = engine.store().commit(deny_batch(engine, account_holder, request, Some(&denial_reason))).await?;
    let text = match denial_reason {
        Cow::Borrowed(text) => text,
        // Only a refused scope is named, in the event and to the client.
        Cow::Owned(_) => "the requested scope cannot be granted",
    };
    Err(Refusal::because(OAuthRefusal::CibaUserCannotApprove(text), "the user cannot approve it").into())
}

/// The refusal that says what is required before approval.
fn step_required(next: &AuthorizationStep) -> Refusal {
    match next {
        AuthorizationStep::StepUp(step_up) => {
            let refusal = Refusal::because(OAuthRefusal::ApprovalAssuranceTooLow, "a step-up is needed");
            refusal.with_required_assurance(step_up.required)
        }
        AuthorizationStep::ChooseOrganization(_) => {
            Refusal::because(OAuthRefusal::ApprovalOrganizationMissing, "several organizations")
        }
        AuthorizationStep::SignIn(_) => {
            Refusal::because(OAuthRefusal::ApprovalCredentialNotAccepted, "another sign-in is needed")
        }
        AuthorizationStep::Enroll(_) => {
            let refusal =
                Refusal::because(OAuthRefusal::ApprovalAssuranceTooLow, "a second factor must be set up");
            refusal.with_required_assurance(AssuranceLevel::Two)
        }
        AuthorizationStep::Consent(_)
        | AuthorizationStep::Grant(_)
        | AuthorizationStep::Refuse(_)
        | AuthorizationStep::Deny(_)
        | AuthorizationStep::ShowError(_) => {
            Refusal::because(OAuthRefusal::ApprovalChanged, "changed meanwhile")
        }
    }
}

async fn to_pending_approval(
    engine: &Engine,
    request: CibaRequestRow,
    deferred_request: &StoredDeferredRequest,
) -> Result<PendingApproval, Failure> {
    let client = clients::find_client(engine.store(), &request.deferred.client).await?;
    let parameter = |name: &str| deferred_request.authorization.find_parameter(name).map(str::to_owned);
    Ok(PendingApproval {
        application: client.map(|client| client.name).unwrap_or_default(),
        binding_message: deferred_request.message.as_ref().map(|message| message.as_str().to_owned()),
        scope: parameter("scope"),
        resource: parameter("resource"),
        device: ConsentDevice::new(&deferred_request.from, request.deferred.created_at),
        request,
    })
}

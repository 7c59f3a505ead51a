//! Reporting a sign-in as not one's own. All sessions end, at all applications, and all lasting access except
//! what is kept; a password reset follows.

use crate::sign_in::backchannel_logout;
use crate::sign_in::flows;
use crate::sign_in::flows::{FlowActor, FlowInput, FlowRef, FlowRequest, FlowSnapshot, IssuedSecrets};
use crate::sign_in::long_lived_access;
use crate::sign_in::long_lived_access::{LongLivedAccess, LongLivedAccessRevocation};
use crate::sign_in::restore_email::primary_address;
use crate::{Engine, Error, EventCause, Failure, UseCaseResult};
use sinete_core::events::security_event::{EventKind, RequestOrigin, SecurityEvent, SecurityEventActor};
use sinete_core::id::AccountId;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::sign_in::SignInRefusal;
use sinete_core::secret::{AccountLink, FlowToken, Secret};
use sinete_core::sign_in::flows::FlowTokenTransport;
use sinete_store::accounts::action_links;
use sinete_store::accounts::action_links::{AccountActionLinkRow, AccountActionPurpose};
use sinete_store::accounts::contacts;
use sinete_store::{BatchOutcome, WriteBatch};

/// Lists the access that following the link will revoke, so that the user can keep some. This does not use
/// the link.
pub async fn list_long_lived_access(engine: &Engine, token: &str) -> Result<Vec<LongLivedAccess>, Error> {
    let Ok(token) = Secret::<AccountLink>::parse(token) else {
        return Err(invalid_link("the text is not a link token").into());
    };
    match find_unused_link(engine, &token).await? {
        Some(link) => Ok(long_lived_access::list(engine, link.account).await?),
        None => Err(invalid_link("unknown, spent or expired").into()),
    }
}

async fn find_unused_link(
    engine: &Engine,
    token: &Secret<AccountLink>,
) -> Result<Option<AccountActionLinkRow>, Failure> {
    let link =
        action_links::find_action_link(engine.store(), &token.digest(), AccountActionPurpose::ReportSignIn)
            .await?;
    Ok(link.filter(|account_action_link| {
        account_action_link.spent_at.is_none() && account_action_link.expires_at > engine.now()
    }))
}

/// Uses the link and revokes all access of its account except what is kept; returns the account id. A
/// password reset follows, which requires a proof by e-mail as usual.
pub async fn report_sign_in(
    engine: &Engine,
    token: &str,
    keep: &[String],
    origin: &RequestOrigin,
) -> Result<AccountId, Error> {
    let Ok(token) = Secret::<AccountLink>::parse(token) else {
        return Err(invalid_link("the text is not a link token").into());
    };
    let (digest, now) = (token.digest(), engine.now());
    let Some(link) = find_unused_link(engine, &token).await? else {
        return Err(invalid_link("unknown, spent or expired").into());
    };
    let cause = EventCause { actor: SecurityEventActor::Account(link.account), origin: origin.clone() };
    let event = SecurityEvent::new(EventKind::SignInDisavowed, cause.actor.clone(), now, engine.entropy())
        .with_origin(origin)
        .with_subject("account", link.account);
    let batch = WriteBatch::new()
        .with_statement(action_links::consume_action_link(&digest, AccountActionPurpose::ReportSignIn, now))
        .with_event(&event);
    let eviction =
        LongLivedAccessRevocation { account: link.account, session: None, keep, reason: "disavowed" };
    let (batch, ended) =
        long_lived_access::revoke_long_lived_access(engine, batch, &eviction, &cause).await?;
    match engine.store().commit(batch).await? {
        BatchOutcome::Committed(_) => {
            drop(backchannel_logout::spawn_notifications(engine, ended, &cause));
            Ok(link.account)
        }
        BatchOutcome::Conflict(_) => Err(invalid_link("the link was used concurrently").into()),
    }
}

/// Starts a password reset for the user: a flow at the stage of the e-mail code, which is sent to their
/// primary address. `None` if there is none.
pub async fn start_password_reset(
    engine: &Engine,
    account: AccountId,
    actor: &FlowActor,
) -> Result<Option<FlowSnapshot>, Failure> {
    let contacts = contacts::list_account_contacts(engine.store(), account).await?;
    let Some(contact) = primary_address(&contacts) else { return Ok(None) };
    let started =
        flows::start_flow(engine, &FlowRequest::ResetPassword, FlowTokenTransport::Token, actor).await;
    let Some(FlowSnapshot { flow, issued_secrets: IssuedSecrets { flow: Some(token), .. }, .. }) =
        started.unless_refused()?
    else {
        return Ok(None);
    };
    let (id, token_text) = (flow.id().to_string(), token.reveal());
    let ticket = FlowRef { id: &id, token: &token_text, token_transport: FlowTokenTransport::Token };
    let input = FlowInput::Email { email: Some(contact.address.clone()) };
    let snapshot = flows::submit_input(engine, &ticket, &input, actor).await.unless_refused()?;
    let handed = Secret::<FlowToken>::parse(&token_text).ok();
    Ok(snapshot.map(|flow_snapshot| FlowSnapshot {
        issued_secrets: IssuedSecrets { flow: handed, ..flow_snapshot.issued_secrets },
        ..flow_snapshot
    }))
}

/// The same refusal for every reason.
fn invalid_link(reason: &str) -> Refusal {
    Refusal::because(SignInRefusal::AlertLinkInvalid, reason)
}

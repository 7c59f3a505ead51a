//! Sessions: looked up at every use, started and renewed by authentication, and ended individually or all
//! together.

use crate::sign_in::backchannel_logout;
use crate::sign_in::backchannel_logout::EndedSessions;
use crate::sign_in::long_lived_access;
use crate::sign_in::long_lived_access::LongLivedAccessRevocation;
use crate::sign_in::sign_in_alerts;
use crate::{Engine, Error, EventCause, Failure};
use sinete_core::assurance::{AssuranceLevel, AuthenticationEvidence};
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::id::{AccountId, SessionId};
use sinete_core::limits::{ACCOUNT_SESSIONS_MAX, SESSION_AGE_MAX, SESSION_IDLE_MAX};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::secret::{DeviceCookie, Digest, Secret, SessionToken};
use sinete_core::sign_in::sessions::device::DeviceDescription;
use sinete_core::time::Timestamp;
use sinete_store::accounts::AccountRow;
use sinete_store::sign_in::sessions;
use sinete_store::sign_in::sessions::{NewSession, SessionRow, SessionTokenRenewal};
use sinete_store::{BatchOutcome, JsonDocument, WriteBatch, accounts};

/// An active session.
#[derive(Clone, Debug)]
pub struct ActiveSession {
    /// Their session.
    pub session: SessionRow,
    /// The authentication evidence.
    pub evidence: AuthenticationEvidence,
    /// The current assurance level: it decays, and using the session does not renew it.
    pub assurance: AssuranceLevel,
}

/// A session, as shown to the account holder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionOverview {
    /// Its id.
    pub id: SessionId,
    /// The device and location.
    pub description: DeviceDescription,
    /// When it started.
    pub created_at: Timestamp,
    /// When it was last used, to the minute.
    pub used_at: Timestamp,
    /// When it ends regardless of use.
    pub expires_at: Timestamp,
}

/// Finds the session of this token, if it is active: not ended, not expired, of an active account. Its use is
/// recorded at most once a minute.
pub async fn find(engine: &Engine, token: &str) -> Result<Option<ActiveSession>, Failure> {
    let Ok(token) = Secret::<SessionToken>::parse(token) else { return Ok(None) };
    let now = engine.now();
    let Some(session) = sessions::find_session(engine.store(), &token.digest(), now).await? else {
        return Ok(None);
    };
    use_session(engine, session, now).await
}

/// Uses a session that is active at this time.
pub(crate) async fn use_session(
    engine: &Engine,
    session: SessionRow,
    now: Timestamp,
) -> Result<Option<ActiveSession>, Failure> {
    let evidence = session.dated_evidence()?;
    let Some(assurance) = session.assurance_level(&evidence, now) else { return Ok(None) };
    if session.needs_touch(now) {
        let until = now.plus(SESSION_IDLE_MAX).min(session.expires_at);
        // A database that cannot write does not end sessions; an unrecorded use is recorded next time.
        let touched = WriteBatch::new().with_statement(sessions::touch_session(session.id, now, until));
        engine.store().commit_best_effort(touched).await;
    }
    Ok(Some(ActiveSession { session, evidence, assurance }))
}

/// The input for a new session.
#[derive(Clone, Debug)]
pub struct SessionStart<'a> {
    /// The account, as read.
    pub account: &'a AccountRow,
    /// The evidence.
    pub evidence: &'a AuthenticationEvidence,
    /// The known device, if any.
    pub device: Option<Digest<DeviceCookie>>,
}

/// A session that starts with the commit of its transaction.
pub struct StartedSession {
    /// Its id.
    pub id: SessionId,
    /// The session token, shown once.
    pub token: Secret<SessionToken>,
    /// The sessions that end for it, whose clients must be notified.
    pub(crate) ended_sessions: EndedSessions,
}

/// Adds a new session with its events to a batch. If the account has reached its maximum, the least recently
/// used sessions end.
pub async fn start(
    engine: &Engine,
    batch: WriteBatch,
    start: &SessionStart<'_>,
    cause: &EventCause,
) -> Result<(WriteBatch, StartedSession), Failure> {
    let (now, account) = (engine.now(), start.account);
    let (id, token) = (SessionId::mint(now, engine.entropy()), Secret::mint(engine.entropy()));
    let (digest, evidence) =
        (token.digest(), JsonDocument::from_value(&start.evidence.clone().date_undated_proofs(now))?);
    let location = sign_in_alerts::locate_origin(engine, cause);
    let description = JsonDocument::from_value(&DeviceDescription {
        location,
        ..DeviceDescription::from_origin(&cause.origin)
    })?;
    let session = NewSession {
        id,
        digest: &digest,
        account: account.id,
        account_epoch: account.epoch,
        evidence: &evidence,
        device: start.device.as_ref(),
        description: &description,
        created_at: now,
        idle_expires_at: now.plus(SESSION_IDLE_MAX),
        expires_at: now.plus(SESSION_AGE_MAX),
    };
    let mut batch = batch.with_statement(accounts::lock_account_row(account.id, account.epoch));
    let before = sessions::list_account_sessions(engine.store(), account.id, now).await?;
    let arrival = sign_in_alerts::CompletedSignIn {
        account: account.id,
        device: start.device.as_ref(),
        previous_sessions: &before,
    };
    batch = sign_in_alerts::alert_on_sign_in(engine, batch, arrival, cause).await?;
    let ended = select_surplus(before);
    for surplus in &ended {
        let event = session_event(engine, EventKind::SessionEnded, account.id, cause)
            .with_subject("session", surplus);
        batch = batch
            .with_statement(sessions::end_session(account.id, *surplus, now))
            .with_event(&event.with_detail("because", "too_many"));
    }
    let event = session_event(engine, EventKind::SessionStarted, account.id, cause)
        .with_subject("session", id)
        .with_detail("methods", amr_values(start.evidence));
    let batch = batch
        .with_statement(sessions::start_session(&session))
        .with_statement(sessions::check_session_limit(account.id, now))
        .with_event(&event);
    let (batch, ended) = backchannel_logout::enqueue_backchannel_logout(engine, batch, ended);
    Ok((batch, StartedSession { id, token, ended_sessions: ended }))
}

/// The least recently used sessions, which must end for another to start.
fn select_surplus(mut sessions: Vec<SessionRow>) -> Vec<SessionId> {
    let too_many = (sessions.len() + 1).saturating_sub(ACCOUNT_SESSIONS_MAX);
    sessions.sort_by_key(|session| (session.used_at, session.id));
    sessions.into_iter().take(too_many).map(|session| session.id).collect()
}

/// The renewal of a session.
#[derive(Clone, Debug)]
pub struct SessionRenewal<'a> {
    /// The session, as read.
    pub session: &'a SessionRow,
    /// The current evidence.
    pub evidence: &'a AuthenticationEvidence,
    /// When the user last authenticated.
    pub authenticated_at: Timestamp,
}

/// Adds the renewal to a batch: the session gets a new token with the current evidence, and the old token
/// becomes invalid.
pub fn renew(
    engine: &Engine,
    batch: WriteBatch,
    renewal: &SessionRenewal<'_>,
    cause: &EventCause,
) -> Result<(WriteBatch, StartedSession), Failure> {
    let SessionRenewal { session, evidence, authenticated_at } = *renewal;
    let token = Secret::mint(engine.entropy());
    let (digest, document) =
        (token.digest(), JsonDocument::from_value(&evidence.clone().date_undated_proofs(authenticated_at))?);
    let renewed = SessionTokenRenewal { digest: &digest, evidence: &document, authenticated_at };
    let event = session_event(engine, EventKind::SessionRenewed, session.account, cause)
        .with_subject("session", session.id)
        .with_detail("methods", amr_values(evidence));
    let batch =
        batch.with_statement(sessions::renew_session(session, &renewed, engine.now())).with_event(&event);
    Ok((batch, StartedSession { id: session.id, token, ended_sessions: EndedSessions::default() }))
}

/// Lists the sessions of the account, oldest first.
pub async fn list(engine: &Engine, account: AccountId) -> Result<Vec<SessionOverview>, Failure> {
    let sessions = sessions::list_account_sessions(engine.store(), account, engine.now()).await?;
    let to_overview = |session: SessionRow| {
        Ok(SessionOverview {
            id: session.id,
            description: session.description.parse()?,
            created_at: session.created_at,
            used_at: session.used_at,
            expires_at: session.expires_at,
        })
    };
    sessions.into_iter().map(to_overview).collect()
}

/// Ends a session of the account and notifies its clients. A session of another account or an ended one is
/// not found.
pub async fn end(
    engine: &Engine,
    account: AccountId,
    id: SessionId,
    cause: &EventCause,
) -> Result<(), Error> {
    let ended = end_silently(engine, account, id, cause).await?;
    drop(backchannel_logout::spawn_notifications(engine, ended, cause));
    Ok(())
}

/// The same, with notification left to the caller.
pub(crate) async fn end_silently(
    engine: &Engine,
    account: AccountId,
    id: SessionId,
    cause: &EventCause,
) -> Result<EndedSessions, Error> {
    let now = engine.now();
    let sessions = sessions::list_account_sessions(engine.store(), account, now).await?;
    if !sessions.iter().any(|session| session.id == id) {
        return Err(Refusal::because(RequestRefusal::NotFound, "no such session of this account").into());
    }
    let event = session_event(engine, EventKind::SessionEnded, account, cause).with_subject("session", id);
    // This batch cannot conflict: ending an ended session has no effect.
    let batch = WriteBatch::new().with_statement(sessions::end_session(account, id, now)).with_event(&event);
    let (batch, ended) = backchannel_logout::enqueue_backchannel_logout(engine, batch, vec![id]);
    commit(engine, batch).await?;
    Ok(ended)
}

/// Ends all other sessions and all lasting access except what is kept, and notifies the clients.
pub async fn sign_out_elsewhere(
    engine: &Engine,
    account: AccountId,
    session_id: SessionId,
    keep: &[String],
    cause: &EventCause,
) -> Result<(), Failure> {
    let eviction = LongLivedAccessRevocation {
        account,
        session: Some(session_id),
        keep,
        reason: "signed_out_everywhere",
    };
    let (batch, ended) =
        long_lived_access::revoke_long_lived_access(engine, WriteBatch::new(), &eviction, cause).await?;
    commit(engine, batch).await?;
    drop(backchannel_logout::spawn_notifications(engine, ended, cause));
    Ok(())
}

/// Adds to a batch that all sessions of the account end except one. The caller notifies the clients. For
/// account recovery, use [`long_lived_access::revoke_long_lived_access`].
pub(crate) async fn end_other_sessions(
    engine: &Engine,
    batch: WriteBatch,
    account: AccountId,
    session_id: Option<SessionId>,
    cause: &EventCause,
) -> Result<(WriteBatch, EndedSessions), Failure> {
    let now = engine.now();
    let sessions = sessions::list_account_sessions(engine.store(), account, now).await?;
    let ended: Vec<_> =
        sessions.iter().map(|session| session.id).filter(|id| Some(*id) != session_id).collect();
    let batch = batch.with_statement(match session_id {
        Some(kept_session) => sessions::end_other_sessions(account, kept_session, now),
        None => sessions::end_account_sessions(account, now),
    });
    let batch = ended.iter().fold(batch, |batch, id| {
        batch.with_event(
            &session_event(engine, EventKind::SessionEnded, account, cause).with_subject("session", id),
        )
    });
    Ok(backchannel_logout::enqueue_backchannel_logout(engine, batch, ended))
}

async fn commit(engine: &Engine, batch: WriteBatch) -> Result<(), Failure> {
    match engine.store().commit(batch).await? {
        BatchOutcome::Committed(_) => Ok(()),
        BatchOutcome::Conflict(_) => Err(Failure::Contended),
    }
}

/// Creates an event about a session. Without a session the actor is anonymous, but the event names the
/// account.
fn session_event(engine: &Engine, kind: EventKind, account: AccountId, cause: &EventCause) -> SecurityEvent {
    let actor = match cause.actor {
        SecurityEventActor::Anonymous => SecurityEventActor::Account(account),
        _ => cause.actor.clone(),
    };
    SecurityEvent::new(kind, actor, engine.now(), engine.entropy()).with_origin(&cause.origin)
}

fn amr_values(evidence: &AuthenticationEvidence) -> Vec<&'static str> {
    evidence.amr_values().into_iter().collect()
}

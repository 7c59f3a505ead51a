//! Guesses are paid for before they are looked at, so that those which arrive together cost as much as those
//! which arrive one by one.

use super::flows::FlowActor;
use crate::{Engine, Failure};
use sinete_core::assurance::AuthenticationEvidence;
use sinete_core::id::{AccountId, SessionId};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::lockout::{FailedAttemptCounter, FailedAttemptSource, LockoutOutcome};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_store::sign_in::attempt_counters;
use sinete_store::sign_in::attempt_counters::{AttemptCounterKey, AttemptCounterRow};
use sinete_store::sign_in::{known_devices, sessions};
use sinete_store::{GuardedStatement, WriteBatch};

/// How often paying is tried while others pay too. Few are let through before everybody waits.
const COUNT_TRIES_MAX: usize = 32;

/// The factors that are counted, by the names they are counted under.
pub(crate) mod factor {
    pub(in crate::sign_in) const PASSWORD: &str = "password";
    pub(in crate::sign_in) const MAILED_CODE: &str = "mailed_code";
    pub(in crate::sign_in) const TEXTED_CODE: &str = "texted_code";
    pub(in crate::sign_in) const TOTP: &str = "totp";
    pub(in crate::sign_in) const USER_CODE: &str = "user_code";
    pub(in crate::sign_in) const RECOVERY_CODE: &str = "recovery_code";
}

/// Where guesses are counted.
#[derive(Clone, Debug)]
pub(crate) struct AttemptCounter {
    /// Who guesses, and for somebody who is known all of them together: whoever signs in once more to guess once more is counted
    /// on. Strangers never count there, so that they keep nobody waiting who is known.
    subjects: Vec<String>,
    factor: &'static str,
    counted: FailedAttemptSource,
}

impl AttemptCounter {
    /// For guesses at something of an account, or of an address that is nobody's.
    pub(crate) async fn new(
        engine: &Engine,
        account: Option<AccountId>,
        address: &str,
        factor: &'static str,
        walker: &FlowActor,
    ) -> Result<Self, Failure> {
        let is_known = match &walker.device {
            Some(device) => {
                let account = account.unwrap_or(super::flows::verify::NO_ACCOUNT);
                known_devices::is_proven_device(engine.store(), account, device, engine.now()).await?
            }
            None => false,
        };
        let whose =
            account.map_or_else(|| format!("email {address}"), |account| format!("account {account}"));
        let device = walker.device.as_ref().filter(|_| is_known).map(|device| {
            let digits: String = device.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
            format!("device {digits}")
        });
        // Whoever proves more in a session of theirs is no stranger: what others guess does not make them wait.
        let own = walker.flow_session.filter(|(owner, _)| Some(*owner) == account);
        let known = device.or_else(|| own.map(|(_, session)| format!("session {session}")));
        Ok(match known {
            Some(known) => {
                let who = match stranger_counter(factor) {
                    FailedAttemptSource::Strangers => FailedAttemptSource::KnownDevice,
                    sent => sent,
                };
                Self { subjects: vec![format!("{whose} {known}"), all_known(&whose)], factor, counted: who }
            }
            None => Self { subjects: vec![whose], factor, counted: stranger_counter(factor) },
        })
    }

    /// For guesses that an account makes, on whatever device.
    pub(crate) fn from_account(account: AccountId, factor: &'static str) -> Self {
        Self { subjects: vec![format!("account {account}")], factor, counted: stranger_counter(factor) }
    }

    /// Says how long to wait, where a guess would not be heard now. Nothing is paid.
    pub(crate) async fn require_attempt_allowed(
        &self,
        engine: &Engine,
    ) -> Result<Result<(), Refusal>, Failure> {
        Ok(wait(&self.counted(engine).await?, engine.now()))
    }

    /// Every counter as it is now.
    async fn counted(
        &self,
        engine: &Engine,
    ) -> Result<Vec<(AttemptCounterKey<'_>, Option<AttemptCounterRow>)>, Failure> {
        let mut counted = Vec::with_capacity(self.subjects.len());
        for subject in &self.subjects {
            let key = AttemptCounterKey { subject, factor: self.factor };
            counted.push((key, attempt_counters::find_attempt_counter(engine.store(), key).await?));
        }
        Ok(counted)
    }

    /// Pays for one guess, or says how long to wait.
    pub(crate) async fn count_attempt(
        &self,
        engine: &Engine,
    ) -> Result<Result<LockoutOutcome, Refusal>, Failure> {
        for _ in 0..COUNT_TRIES_MAX {
            let (counted, now) = (self.counted(engine).await?, engine.now());
            if let Err(refusal) = wait(&counted, now) {
                return Ok(Err(refusal));
            }
            let (mut act, mut outcome) = (WriteBatch::new(), LockoutOutcome::Waiting);
            for (key, before) in &counted {
                let (after, follows) = read_failures(before.as_ref()).record_failure(self.counted, now);
                let since = before.map_or(now, |counter| counter.since);
                let after =
                    AttemptCounterRow { count: after.count, since, blocked_until: after.blocked_until };
                act = act.with_statement(attempt_counters::advance_attempt_counter(
                    *key,
                    before.as_ref(),
                    &after,
                ));
                if follows != LockoutOutcome::Waiting {
                    outcome = follows;
                }
            }
            if engine.store().commit(act).await?.is_ok() {
                return Ok(Ok(outcome));
            }
        }
        Err(Failure::Contended)
    }

    /// Forgets what was counted: the guess was right.
    pub(crate) fn reset_step(&self) -> Vec<GuardedStatement> {
        let clear = |subject: &String| {
            attempt_counters::clear_attempt_counter(AttemptCounterKey { subject, factor: self.factor })
        };
        self.subjects.iter().map(clear).collect()
    }
}

/// The walker of a flow that began in a session, counted in that session where it is still alive.
pub(crate) async fn with_flow_session(
    engine: &Engine,
    flow: &AuthenticationFlow,
    walker: &FlowActor,
) -> Result<FlowActor, Failure> {
    let (Some(id), Some(account)) = (flow.session(), flow.account()) else { return Ok(walker.clone()) };
    let live = sessions::list_account_sessions(engine.store(), account, engine.now()).await?;
    let Some(session) = live.iter().find(|session| session.id == id) else { return Ok(walker.clone()) };
    Ok(with_session_counter(walker, account, id, &session.dated_evidence()?))
}

/// Counts wrong guesses in the session they are made in, apart from strangers' guesses. A session that rests only on an
/// identity provider's word gets no counter of its own: whoever controls that provider may be the one who guesses.
pub(crate) fn with_session_counter(
    walker: &FlowActor,
    account: AccountId,
    session: SessionId,
    evidence: &AuthenticationEvidence,
) -> FlowActor {
    let flow_session = (evidence.exclude_identity_providers() != AuthenticationEvidence::default())
        .then_some((account, session));
    FlowActor { flow_session, ..walker.clone() }
}

/// How strangers are counted: what is sent anew each time cannot be closed to them.
fn stranger_counter(factor: &str) -> FailedAttemptSource {
    match factor {
        factor::MAILED_CODE | factor::TEXTED_CODE | factor::USER_CODE => FailedAttemptSource::Readers,
        _ => FailedAttemptSource::Strangers,
    }
}

/// Says how long to wait, where any of these counters is closed.
fn wait(
    counted: &[(AttemptCounterKey<'_>, Option<AttemptCounterRow>)],
    now: Timestamp,
) -> Result<(), Refusal> {
    let longest =
        counted.iter().filter_map(|(_, counter)| read_failures(counter.as_ref()).remaining_wait(now)).max();
    longest.map_or(Ok(()), |wait| Err(too_many_attempts(wait)))
}

fn read_failures(counter: Option<&AttemptCounterRow>) -> FailedAttemptCounter {
    counter.map_or(FailedAttemptCounter::NONE, |counter| FailedAttemptCounter {
        count: counter.count,
        blocked_until: counter.blocked_until,
    })
}

/// Where the guesses of everybody who is known to own something are counted together.
fn all_known(whose: &str) -> String {
    format!("{whose} known")
}

/// Forgets what strangers did to something of an account, and what was done on all known devices together, because it was
/// set up anew.
pub(crate) fn reset_strangers_step(account: AccountId, factor: &'static str) -> [GuardedStatement; 2] {
    let whose = format!("account {account}");
    [&all_known(&whose), &whose]
        .map(|subject| attempt_counters::clear_attempt_counter(AttemptCounterKey { subject, factor }))
}

pub(crate) fn too_many_attempts(wait: Lifetime) -> Refusal {
    let public = "this was tried too often: wait before trying again";
    Refusal::new(RefusalCode::TooManyRequests, public, "a counter is closed").with_retry_after(wait)
}

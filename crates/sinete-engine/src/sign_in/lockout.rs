//! Lockout: attempts are counted before they are checked, so that concurrent ones cost as much as sequential
//! ones.

use super::credentials::password::HashingRequester;
use super::flows::FlowActor;
use crate::{Engine, Error, Failure};
use sinete_core::assurance::AuthenticationEvidence;
use sinete_core::id::{AccountId, SessionId};
use sinete_core::platform::rate_limit::client_network;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::sign_in::SignInRefusal;
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::lockout::{FailedAttemptCounter, LockoutOutcome, LockoutScope};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_store::sign_in::attempt_counters;
use sinete_store::sign_in::attempt_counters::{AttemptCounterKey, AttemptCounterRow};
use sinete_store::sign_in::{known_devices, sessions};
use sinete_store::{GuardedStatement, WriteBatch};

/// Maximum tries to count an attempt under contention. Few attempts are admitted before all must wait.
const COUNT_TRIES_MAX: usize = 32;

/// The names of the counted factors.
pub(crate) mod factor {
    pub(in crate::sign_in) const PASSWORD: &str = "password";
    pub(in crate::sign_in) const EMAIL_CODE: &str = "mailed_code";
    pub(in crate::sign_in) const SMS_CODE: &str = "texted_code";
    pub(in crate::sign_in) const TOTP: &str = "totp";
    pub(in crate::sign_in) const USER_CODE: &str = "user_code";
    pub(in crate::sign_in) const RECOVERY_CODE: &str = "recovery_code";
}

/// The counters of attempts.
#[derive(Clone, Debug)]
pub(crate) struct AttemptCounter {
    /// The counted subjects: the party, and for a known device all known devices together, so that signing in
    /// again gives no new attempts. Unknown devices never count there, so they cannot lock out known ones.
    subjects: Vec<String>,
    factor: &'static str,
    source: LockoutScope,
}

impl AttemptCounter {
    /// Creates the counters for attempts at a factor of an account, or of an address without an account.
    pub(crate) async fn new(
        engine: &Engine,
        account: Option<AccountId>,
        address: &str,
        factor: &'static str,
        actor: &FlowActor,
    ) -> Result<Self, Failure> {
        let is_known = match &actor.device {
            Some(device) => {
                let account = account.unwrap_or(super::flows::verify::NO_ACCOUNT);
                known_devices::is_authenticated_device(engine.store(), account, device, engine.now()).await?
            }
            None => false,
        };
        let account_subject =
            account.map_or_else(|| format!("email {address}"), |account| format!("account {account}"));
        let device = actor.device.as_ref().filter(|_| is_known).map(|device| {
            let digits: String = device.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
            format!("device {digits}")
        });
        // A step-up in the user's own session is not affected by attempts of others.
        let own_session = actor.flow_session.filter(|(owner, _)| Some(*owner) == account);
        let known_source = device.or_else(|| own_session.map(|(_, session)| format!("session {session}")));
        Ok(match known_source {
            Some(known_source) => {
                let failed_attempt_source = match unknown_device_source(factor) {
                    LockoutScope::UnknownDevices => LockoutScope::KnownDevice,
                    attempt_source => attempt_source,
                };
                Self {
                    subjects: vec![
                        format!("{account_subject} {known_source}"),
                        known_devices_subject(&account_subject),
                    ],
                    factor,
                    source: failed_attempt_source,
                }
            }
            None => Self { subjects: vec![account_subject], factor, source: unknown_device_source(factor) },
        })
    }

    /// Creates the counters for attempts made by an account, on any device.
    pub(crate) fn from_account(account: AccountId, factor: &'static str) -> Self {
        Self { subjects: vec![format!("account {account}")], factor, source: unknown_device_source(factor) }
    }

    /// Who waits for a hash: a known device, or the network of the request.
    pub(crate) fn hashing_requester(&self, actor: &FlowActor) -> HashingRequester {
        match self.source {
            LockoutScope::KnownDevice => HashingRequester::KnownDevice,
            LockoutScope::UnknownDevices | LockoutScope::SentCode => {
                HashingRequester::UnknownDevice(actor.origin.address.map(client_network))
            }
        }
    }

    /// Returns the waiting time if an attempt is not allowed now. Nothing is counted.
    pub(crate) async fn require_attempt_allowed(&self, engine: &Engine) -> Result<(), Error> {
        Ok(check_wait(&self.load_counters(engine).await?, engine.now())?)
    }

    /// Loads the counters.
    async fn load_counters(
        &self,
        engine: &Engine,
    ) -> Result<Vec<(AttemptCounterKey<'_>, Option<AttemptCounterRow>)>, Failure> {
        let mut counters = Vec::with_capacity(self.subjects.len());
        for subject in &self.subjects {
            let key = AttemptCounterKey { subject, factor: self.factor };
            counters.push((key, attempt_counters::find_attempt_counter(engine.store(), key).await?));
        }
        Ok(counters)
    }

    /// Counts an attempt, or returns the waiting time.
    pub(crate) async fn count_attempt(&self, engine: &Engine) -> Result<LockoutOutcome, Error> {
        for _ in 0..COUNT_TRIES_MAX {
            let (counters, now) = (self.load_counters(engine).await?, engine.now());
            check_wait(&counters, now)?;
            let (mut batch, mut outcome) = (WriteBatch::new(), LockoutOutcome::NotLocked);
            for (key, before) in &counters {
                let (after, follows) = read_failures(before.as_ref()).record_failure(self.source, now);
                let since = before.map_or(now, |counter| counter.since);
                let after =
                    AttemptCounterRow { count: after.count, since, blocked_until: after.blocked_until };
                batch = batch.with_statement(attempt_counters::advance_attempt_counter(
                    *key,
                    before.as_ref(),
                    &after,
                ));
                if follows != LockoutOutcome::NotLocked {
                    outcome = follows;
                }
            }
            if engine.store().commit(batch).await?.is_committed() {
                return Ok(outcome);
            }
        }
        Err(Failure::Contended.into())
    }

    /// The statements that reset the counters after a success.
    pub(crate) fn reset_statements(&self) -> Vec<GuardedStatement> {
        let clear = |subject: &String| {
            attempt_counters::clear_attempt_counter(AttemptCounterKey { subject, factor: self.factor })
        };
        self.subjects.iter().map(clear).collect()
    }
}

/// Sets the session in which the flow began, if it is still active, for counting.
pub(crate) async fn with_flow_session(
    engine: &Engine,
    flow: &AuthenticationFlow,
    actor: &FlowActor,
) -> Result<FlowActor, Failure> {
    let (Some(id), Some(account)) = (flow.session(), flow.account()) else { return Ok(actor.clone()) };
    let live = sessions::list_account_sessions(engine.store(), account, engine.now()).await?;
    let Some(session) = live.iter().find(|session| session.id == id) else { return Ok(actor.clone()) };
    Ok(with_session_counter(actor, account, id, &session.dated_evidence()?))
}

/// Counts attempts in the session apart from those of unknown devices. A session based only on an identity
/// provider gets no counter of its own, because the provider's administrator may be the attacker.
pub(crate) fn with_session_counter(
    actor: &FlowActor,
    account: AccountId,
    session: SessionId,
    evidence: &AuthenticationEvidence,
) -> FlowActor {
    let flow_session = (evidence.exclude_identity_providers() != AuthenticationEvidence::default())
        .then_some((account, session));
    FlowActor { flow_session, ..actor.clone() }
}

/// How unknown devices are counted: sent codes are never disabled for them.
fn unknown_device_source(factor: &str) -> LockoutScope {
    match factor {
        factor::EMAIL_CODE | factor::SMS_CODE | factor::USER_CODE => LockoutScope::SentCode,
        _ => LockoutScope::UnknownDevices,
    }
}

/// The waiting time, if any counter is locked.
fn check_wait(
    counters: &[(AttemptCounterKey<'_>, Option<AttemptCounterRow>)],
    now: Timestamp,
) -> Result<(), Refusal> {
    let longest =
        counters.iter().filter_map(|(_, counter)| read_failures(counter.as_ref()).remaining_wait(now)).max();
    longest.map_or(Ok(()), |wait| Err(too_many_attempts(wait)))
}

fn read_failures(counter: Option<&AttemptCounterRow>) -> FailedAttemptCounter {
    counter.map_or(FailedAttemptCounter::NONE, |counter| FailedAttemptCounter {
        count: counter.count,
        blocked_until: counter.blocked_until,
    })
}

/// The counter subject of all known devices together.
fn known_devices_subject(account_subject: &str) -> String {
    format!("{account_subject} known")
}

/// Resets the counters of unknown devices and of all known devices together, because the factor was set up
/// again.
pub(crate) fn reset_unknown_devices(account: AccountId, factor: &'static str) -> [GuardedStatement; 2] {
    let account_subject = format!("account {account}");
    [&known_devices_subject(&account_subject), &account_subject]
        .map(|subject| attempt_counters::clear_attempt_counter(AttemptCounterKey { subject, factor }))
}

pub(crate) fn too_many_attempts(wait: Lifetime) -> Refusal {
    Refusal::because(SignInRefusal::TooManyAttempts, "too many failed attempts").with_retry_after(wait)
}

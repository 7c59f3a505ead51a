//! Verification of TOTP and recovery codes, after another proof of a known user.

use super::{NO_ACCOUNT, build_flow_account};
use crate::platform::email::EmailKind;
use crate::sign_in::flows::failed_attempts::with_failed_attempt;
use crate::sign_in::flows::{FlowActor, VerifiedInput, invalid_proof};
use crate::sign_in::lockout::{AttemptCounter, factor};
use crate::sign_in::sign_in_alerts;
use crate::{Engine, Error, Failure};
use sinete_core::assurance::AuthenticationProof;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::secret::Digest;
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::flows::verified_input::VerifiedFlowInput;
use sinete_core::sign_in::lockout::LockoutOutcome;
use sinete_crypto::platform::encryption::{EncryptionContext, EncryptionPurpose};
use sinete_crypto::sign_in::credentials::recovery_codes::digest_recovery_code;
use sinete_crypto::sign_in::credentials::totp::TotpSecret;
use sinete_store::sign_in::credentials;
use sinete_store::sign_in::credentials::recovery_codes;
use sinete_store::sign_in::credentials::{CredentialRow, StoredCredentialKind};
use sinete_store::{GuardedStatement, WriteBatch};

/// Verifies a TOTP code for an unused time step.
pub(super) async fn verify_totp(
    engine: &Engine,
    flow: &AuthenticationFlow,
    digits: &str,
    actor: &FlowActor,
) -> Result<VerifiedInput, Error> {
    let guess = CountedGuess::count(engine, flow, StoredCredentialKind::Totp, actor).await?;
    let mut statement = None;
    for credential in guess.credentials() {
        let seed = engine.instance_keys().decrypt(
            &EncryptionContext::new(EncryptionPurpose::TotpSeed, credential.id.as_bytes()),
            &credential.material,
        )?;
        let Some(seed) = TotpSecret::from_bytes(&seed) else { continue };
        let lateness = engine.settings().passkeys.totp_tolerance;
        if let Some(step) = seed.find_matching_step(digits, engine.now().seconds(), lateness)
            && step > credential.counter
        {
            statement = Some(credentials::accept_totp_step(credential.id, step, engine.now()));
        }
    }
    guess.finish(engine, statement, AuthenticationProof::Totp, actor).await
}

/// Verifies an unused recovery code.
pub(super) async fn verify_recovery_code(
    engine: &Engine,
    flow: &AuthenticationFlow,
    recovery_code: &str,
    actor: &FlowActor,
) -> Result<VerifiedInput, Error> {
    let guess = CountedGuess::count(engine, flow, StoredCredentialKind::RecoveryCodes, actor).await?;
    // A malformed code is looked up as well.
    let digest = Digest::from_bytes(digest_recovery_code(recovery_code).unwrap_or_default());
    let (mut statement, mut is_last) = (None, false);
    for set in guess.credentials() {
        if recovery_codes::is_code_unused(engine.store(), &digest, set.id).await? {
            statement = Some(recovery_codes::redeem_recovery_code(&digest, set.id, engine.now()));
            is_last = recovery_codes::count_unused_codes(engine.store(), set.id).await? == 1;
        }
    }
    let account = guess.flow_account;
    let verified = guess.finish(engine, statement, AuthenticationProof::RecoveryCode, actor).await?;
    if !is_last {
        return Ok(verified);
    }
    let VerifiedInput { input: answer, batch } = verified;
    let batch = sign_in_alerts::notify_owner(engine, batch, account, EmailKind::RecoveryCodesUsedUp).await?;
    Ok(VerifiedInput { input: answer, batch })
}

/// An attempt at a factor of the flow's account, counted before it is checked.
struct CountedGuess {
    counter: AttemptCounter,
    lockout_effect: LockoutOutcome,
    active_credentials: Vec<CredentialRow>,
    kind: StoredCredentialKind,
    flow_account: sinete_core::id::AccountId,
}

impl CountedGuess {
    async fn count(
        engine: &Engine,
        flow: &AuthenticationFlow,
        kind: StoredCredentialKind,
        actor: &FlowActor,
    ) -> Result<Self, Error> {
        let account = flow.account().unwrap_or(NO_ACCOUNT);
        let factor = match kind {
            StoredCredentialKind::Totp => factor::TOTP,
            StoredCredentialKind::Passkey
            | StoredCredentialKind::Password
            | StoredCredentialKind::RecoveryCodes => factor::RECOVERY_CODE,
        };
        let bucket = AttemptCounter::new(engine, Some(account), "", factor, actor).await?;
        let follows = bucket.count_attempt(engine).await?;
        let all = credentials::list_account_credentials(engine.store(), account).await?;
        Ok(Self {
            counter: bucket,
            lockout_effect: follows,
            active_credentials: all,
            kind,
            flow_account: account,
        })
    }

    /// The usable credentials of this kind.
    fn credentials(&self) -> impl Iterator<Item = &CredentialRow> {
        let counts = |it: &&CredentialRow| it.confirmed_at.is_some() && it.disabled_at.is_none();
        self.active_credentials.iter().filter(|it| it.kind == self.kind).filter(counts)
    }

    /// Completes the attempt: a match is used up, a failure is recorded.
    async fn finish(
        self,
        engine: &Engine,
        statement: Option<GuardedStatement>,
        proof: AuthenticationProof,
        actor: &FlowActor,
    ) -> Result<VerifiedInput, Error> {
        let Some(step) = statement else {
            self.record_failure(engine, actor).await?;
            return Err(invalid_proof("the digits or the code are wrong, or were used").into());
        };
        let batch = WriteBatch::new().with_statement(step).with_statements(self.counter.reset_statements());
        let account = build_flow_account(engine, self.flow_account, &self.active_credentials).await?;
        Ok(VerifiedInput { input: VerifiedFlowInput::Authenticated { person: account, proof }, batch })
    }

    async fn record_failure(&self, engine: &Engine, actor: &FlowActor) -> Result<(), Failure> {
        let name = crate::sign_in::credentials::kind_name(self.kind);
        let event = |kind| {
            SecurityEvent::new(kind, SecurityEventActor::Anonymous, engine.now(), engine.entropy())
                .with_origin(&actor.origin)
                .with_subject("account", self.flow_account)
                .with_detail("factor", name)
        };
        let failed = event(EventKind::CredentialFailed);
        let account = Some(self.flow_account);
        let mut batch = with_failed_attempt(engine, WriteBatch::new(), failed, account, actor).await?;
        match self.lockout_effect {
            LockoutOutcome::Disabled => {
                for credential in self.credentials() {
                    batch = batch.with_statement(credentials::disable_credential(credential, engine.now()));
                }
                batch = batch.with_event(&event(EventKind::CredentialDisabled));
            }
            LockoutOutcome::LockedForUnknownDevices => {
                batch =
                    batch.with_event(&event(EventKind::CredentialDisabled).with_detail("for", "strangers"));
            }
            LockoutOutcome::NotLocked => {}
        }
        // A conflict means that the credential changed or was removed meanwhile, so there is nothing to
        // disable.
        let _ = engine.store().commit(batch).await?;
        Ok(())
    }
}

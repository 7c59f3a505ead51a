//! Digits from an authenticator application, and recovery codes: they follow another proof of somebody who is known.

use super::super::attempts::{AttemptCounter, factor};
use super::super::{FlowActor, VerifiedInput, people, wrong};
use super::NOBODY;
use crate::letters::EmailKind;
use crate::{Engine, Failure, watch};
use sinete_core::assurance::AuthenticationProof;
use sinete_core::flow::AuthenticationFlow;
use sinete_core::flow::answer::VerifiedFlowInput;
use sinete_core::flow::attempts::LockoutOutcome;
use sinete_core::refusal::Refusal;
use sinete_core::secret::Digest;
use sinete_core::security::event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_crypto::recovery_code::digest_of;
use sinete_crypto::seal::{EncryptionContext, EncryptionPurpose};
use sinete_crypto::totp::TotpSecret;
use sinete_store::credentials::{self, CredentialRow, StoredCredentialKind};
use sinete_store::{GuardedStatement, WriteBatch, recovery_codes};

/// Whether the digits are those of the person's application, for a time step that was never used.
pub(super) async fn digits(
    engine: &Engine,
    flow: &AuthenticationFlow,
    digits: &str,
    walker: &FlowActor,
) -> Result<Result<VerifiedInput, Refusal>, Failure> {
    let guess = match CountedGuess::paid(engine, flow, StoredCredentialKind::Totp, walker).await? {
        Ok(guess) => guess,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let mut right = None;
    for kept in guess.kept() {
        let seed = engine
            .instance_keys()
            .open(&EncryptionContext::new(EncryptionPurpose::TotpSeed, kept.id.as_bytes()), &kept.material)?;
        let Some(seed) = TotpSecret::from_bytes(&seed) else { continue };
        let lateness = engine.settings().passkeys.lateness;
        if let Some(step) = seed.matched_step(digits, engine.now().seconds(), lateness)
            && step > kept.counter
        {
            right = Some(credentials::accept_step(kept.id, step, engine.now()));
        }
    }
    guess.judged(engine, right, AuthenticationProof::Totp, walker).await
}

/// Whether it is a code of the person's set that was never used.
pub(super) async fn code(
    engine: &Engine,
    flow: &AuthenticationFlow,
    typed: &str,
    walker: &FlowActor,
) -> Result<Result<VerifiedInput, Refusal>, Failure> {
    let guess = match CountedGuess::paid(engine, flow, StoredCredentialKind::RecoveryCodes, walker).await? {
        Ok(guess) => guess,
        Err(refusal) => return Ok(Err(refusal)),
    };
    // What cannot be a code is looked up all the same.
    let digest = Digest::from_bytes(digest_of(typed).unwrap_or_default());
    let (mut right, mut is_last) = (None, false);
    for set in guess.kept() {
        if recovery_codes::is_unspent(engine.store(), &digest, set.id).await? {
            right = Some(recovery_codes::spend(&digest, set.id, engine.now()));
            is_last = recovery_codes::left(engine.store(), set.id).await? == 1;
        }
    }
    let account = guess.flow_account;
    let judged = guess.judged(engine, right, AuthenticationProof::RecoveryCode, walker).await?;
    Ok(match judged {
        Ok(VerifiedInput { answer, act }) if is_last => {
            let act = watch::tell(engine, act, account, EmailKind::RecoveryCodesUsedUp).await?;
            Ok(VerifiedInput { answer, act })
        }
        other => other,
    })
}

/// A guess at something of the person the flow is about, paid for before it is looked at.
struct CountedGuess {
    bucket: AttemptCounter,
    follows: LockoutOutcome,
    all: Vec<CredentialRow>,
    kind: StoredCredentialKind,
    flow_account: sinete_core::id::AccountId,
}

impl CountedGuess {
    async fn paid(
        engine: &Engine,
        flow: &AuthenticationFlow,
        kind: StoredCredentialKind,
        walker: &FlowActor,
    ) -> Result<Result<Self, Refusal>, Failure> {
        let account = flow.account().unwrap_or(NOBODY);
        let factor = match kind {
            StoredCredentialKind::Totp => factor::TOTP,
            StoredCredentialKind::Passkey
            | StoredCredentialKind::Password
            | StoredCredentialKind::RecoveryCodes => factor::RECOVERY_CODE,
        };
        let bucket = AttemptCounter::of(engine, Some(account), "", factor, walker).await?;
        let follows = match bucket.pay(engine).await? {
            Ok(follows) => follows,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let all = credentials::of_account(engine.store(), account).await?;
        Ok(Ok(Self { bucket, follows, all, kind, flow_account: account }))
    }

    /// What counts of the kind that is guessed at.
    fn kept(&self) -> impl Iterator<Item = &CredentialRow> {
        let counts = |it: &&CredentialRow| it.confirmed_at.is_some() && it.disabled_at.is_none();
        self.all.iter().filter(|it| it.kind == self.kind).filter(counts)
    }

    /// What the guess comes to: it uses up what it hit, or it is told of.
    async fn judged(
        self,
        engine: &Engine,
        right: Option<GuardedStatement>,
        proof: AuthenticationProof,
        walker: &FlowActor,
    ) -> Result<Result<VerifiedInput, Refusal>, Failure> {
        let Some(step) = right else {
            self.failed(engine, walker).await?;
            return Ok(Err(wrong("the digits or the code are wrong, or were used")));
        };
        let act = WriteBatch::new().with(step).with_all(self.bucket.forget());
        let person = people::of(engine, self.flow_account, &self.all).await?;
        Ok(Ok(VerifiedInput { answer: VerifiedFlowInput::Proved { person, proof }, act }))
    }

    async fn failed(&self, engine: &Engine, walker: &FlowActor) -> Result<(), Failure> {
        let name = crate::account::credentials::kind_name(self.kind);
        let event = |kind| {
            SecurityEvent::new(kind, SecurityEventActor::Anonymous, engine.now(), engine.entropy())
                .from_origin(&walker.origin)
                .about("account", self.flow_account)
                .with("factor", name)
        };
        let mut act = WriteBatch::new().record(&event(EventKind::CredentialFailed));
        match self.follows {
            LockoutOutcome::Disabled => {
                for kept in self.kept() {
                    act = act.with(credentials::disable(kept, engine.now()));
                }
                act = act.record(&event(EventKind::CredentialDisabled));
            }
            LockoutOutcome::ClosedToStrangers => {
                act = act.record(&event(EventKind::CredentialDisabled).with("for", "strangers"));
            }
            LockoutOutcome::Waiting => {}
        }
        // A conflict means that the credential changed or went meanwhile: then there is nothing to take away.
        let _ = engine.store().commit(act).await?;
        Ok(())
    }
}

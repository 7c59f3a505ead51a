//! Digits from an authenticator application, and recovery codes: they follow another proof of somebody who is known.

use super::super::attempts::{Bucket, factor};
use super::super::{Judged, Walker, people, wrong};
use super::NOBODY;
use crate::letters::About;
use crate::{Engine, Failed, watch};
use sinete_core::assurance::Proof;
use sinete_core::flow::Flow;
use sinete_core::flow::answer::Answer;
use sinete_core::flow::attempts::Follows;
use sinete_core::refusal::Refusal;
use sinete_core::secret::Digest;
use sinete_core::security::event::{Actor, Event, EventKind};
use sinete_crypto::recovery_code::digest_of;
use sinete_crypto::seal::{Place, Purpose};
use sinete_crypto::totp::Seed;
use sinete_store::credentials::{self, Credential, Kind};
use sinete_store::{Act, Step, recovery_codes};

/// Whether the digits are those of the person's application, for a time step that was never used.
pub(super) async fn digits(
    engine: &Engine,
    flow: &Flow,
    digits: &str,
    walker: &Walker,
) -> Result<Result<Judged, Refusal>, Failed> {
    let guess = match Guess::paid(engine, flow, Kind::Totp, walker).await? {
        Ok(guess) => guess,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let mut right = None;
    for kept in guess.kept() {
        let seed = engine
            .instance_keys()
            .open(&Place::new(Purpose::TotpSeed, kept.id.as_bytes()), &kept.material)?;
        let Some(seed) = Seed::from_bytes(&seed) else { continue };
        let lateness = engine.settings().passkeys.lateness;
        if let Some(step) = seed.matched_step(digits, engine.now().seconds(), lateness)
            && step > kept.counter
        {
            right = Some(credentials::accept_step(kept.id, step, engine.now()));
        }
    }
    guess.judged(engine, right, Proof::Totp, walker).await
}

/// Whether it is a code of the person's set that was never used.
pub(super) async fn code(
    engine: &Engine,
    flow: &Flow,
    typed: &str,
    walker: &Walker,
) -> Result<Result<Judged, Refusal>, Failed> {
    let guess = match Guess::paid(engine, flow, Kind::RecoveryCodes, walker).await? {
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
    let judged = guess.judged(engine, right, Proof::RecoveryCode, walker).await?;
    Ok(match judged {
        Ok(Judged { answer, act }) if is_last => {
            let act = watch::tell(engine, act, account, About::RecoveryCodesUsedUp).await?;
            Ok(Judged { answer, act })
        }
        other => other,
    })
}

/// A guess at something of the person the flow is about, paid for before it is looked at.
struct Guess {
    bucket: Bucket,
    follows: Follows,
    all: Vec<Credential>,
    kind: Kind,
    flow_account: sinete_core::id::AccountId,
}

impl Guess {
    async fn paid(
        engine: &Engine,
        flow: &Flow,
        kind: Kind,
        walker: &Walker,
    ) -> Result<Result<Self, Refusal>, Failed> {
        let account = flow.account().unwrap_or(NOBODY);
        let factor = match kind {
            Kind::Totp => factor::TOTP,
            Kind::Passkey | Kind::Password | Kind::RecoveryCodes => factor::RECOVERY_CODE,
        };
        let bucket = Bucket::of(engine, Some(account), "", factor, walker).await?;
        let follows = match bucket.pay(engine).await? {
            Ok(follows) => follows,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let all = credentials::of_account(engine.store(), account).await?;
        Ok(Ok(Self { bucket, follows, all, kind, flow_account: account }))
    }

    /// What counts of the kind that is guessed at.
    fn kept(&self) -> impl Iterator<Item = &Credential> {
        let counts = |it: &&Credential| it.confirmed_at.is_some() && it.disabled_at.is_none();
        self.all.iter().filter(|it| it.kind == self.kind).filter(counts)
    }

    /// What the guess comes to: it uses up what it hit, or it is told of.
    async fn judged(
        self,
        engine: &Engine,
        right: Option<Step>,
        proof: Proof,
        walker: &Walker,
    ) -> Result<Result<Judged, Refusal>, Failed> {
        let Some(step) = right else {
            self.failed(engine, walker).await?;
            return Ok(Err(wrong("the digits or the code are wrong, or were used")));
        };
        let act = Act::new().with(step).with_all(self.bucket.forget());
        let person = people::of(engine, self.flow_account, &self.all).await?;
        Ok(Ok(Judged { answer: Answer::Proved { person, proof }, act }))
    }

    async fn failed(&self, engine: &Engine, walker: &Walker) -> Result<(), Failed> {
        let name = crate::account::credentials::kind_name(self.kind);
        let event = |kind| {
            Event::new(kind, Actor::Anonymous, engine.now(), engine.entropy())
                .from_origin(&walker.origin)
                .about("account", self.flow_account)
                .with("factor", name)
        };
        let mut act = Act::new().record(&event(EventKind::CredentialFailed));
        match self.follows {
            Follows::Disabled => {
                for kept in self.kept() {
                    act = act.with(credentials::disable(kept, engine.now()));
                }
                act = act.record(&event(EventKind::CredentialDisabled));
            }
            Follows::ClosedToStrangers => {
                act = act.record(&event(EventKind::CredentialDisabled).with("for", "strangers"));
            }
            Follows::Waiting => {}
        }
        // A conflict means that the credential changed or went meanwhile: then there is nothing to take away.
        let _ = engine.store().commit(act).await?;
        Ok(())
    }
}

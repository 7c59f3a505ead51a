//! Whether a password is right. Known, unknown, disabled and passwordless accounts are asked the same questions
//! in the same order, and wait for the same work.

use super::super::attempts::{AttemptCounter, factor};
use super::super::{FlowActor, VerifiedInput, people, wrong};
use super::{NOBODY, read_address};
use crate::{Engine, Failure, passwords};
use sinete_core::assurance::AuthenticationProof;
use sinete_core::fault::ValidationErrors;
use sinete_core::flow::AuthenticationFlow;
use sinete_core::flow::action::CredentialOwner;
use sinete_core::flow::answer::VerifiedFlowInput;
use sinete_core::flow::attempts::LockoutOutcome;
use sinete_core::flow::credential::password::Password;
use sinete_core::flow::person::FlowAccount;
use sinete_core::id::AccountId;
use sinete_core::people::LifecycleCondition;
use sinete_core::refusal::Refusal;
use sinete_core::security::event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_store::contacts::{self, ContactKind};
use sinete_store::credentials::{self, CredentialRow, StoredCredentialKind};
use sinete_store::{WriteBatch, accounts};

/// Whether the password is that of the address given with it, or of whomever the flow is about.
pub(super) async fn judge(
    engine: &Engine,
    flow: &AuthenticationFlow,
    email: Option<&str>,
    password: &str,
    walker: &FlowActor,
) -> Result<Result<VerifiedInput, Refusal>, Failure> {
    let (account, lookup) = match whose(engine, flow, email).await? {
        Ok(whose) => whose,
        Err(refusal) => return Ok(Err(refusal)),
    };
    Ok(match check(engine, account, &lookup, password, walker).await? {
        Ok((person, act)) => Ok(VerifiedInput {
            answer: VerifiedFlowInput::Proved { person, proof: AuthenticationProof::Password },
            act,
        }),
        Err(refusal) => Err(refusal),
    })
}

/// Whether this is the password of the account, and what must then happen: the count is forgotten, and a hash of
/// another cost is made anew.
pub(crate) async fn check(
    engine: &Engine,
    account: Option<AccountId>,
    lookup: &str,
    password: &str,
    walker: &FlowActor,
) -> Result<Result<(FlowAccount, WriteBatch), Refusal>, Failure> {
    let id = account.unwrap_or(NOBODY);
    let found = accounts::find(engine.store(), id).await?;
    let is_enabled = found.is_some_and(|account| account.condition == LifecycleCondition::Enabled);
    let credentials = credentials::of_account(engine.store(), id).await?;
    let kept =
        credentials.iter().find(|it| it.kind == StoredCredentialKind::Password && it.disabled_at.is_none());
    let bucket = AttemptCounter::of(engine, account, lookup, factor::PASSWORD, walker).await?;
    if let Err(refusal) = bucket.must_be_open(engine).await? {
        return Ok(Err(refusal));
    }
    // A guess that finds no slot is not looked at, tells nobody anything and costs nothing; one that has a slot is paid
    // for before it is looked at.
    let slot = match passwords::slot(engine).await {
        Ok(slot) => slot,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let follows = match bucket.pay(engine).await? {
        Ok(follows) => follows,
        Err(refusal) => return Ok(Err(refusal)),
    };
    // One that is too long is nobody's, and costs as much to find out.
    let presented = Password::presented(password);
    let material = kept.filter(|_| presented.is_some()).map(|kept| &kept.material[..]);
    let guess = presented.or_else(|| Password::presented(""));
    let Some(guess) = guess else { return Ok(Err(wrong("no password"))) };
    let checked = passwords::check(engine, slot, &guess, material).await?;
    let (true, true, Some(kept)) = (checked.is_right, is_enabled, kept) else {
        failed(engine, account, kept, follows, walker).await?;
        return Ok(Err(wrong("the password is wrong, or there is none")));
    };
    let renewed = checked.renewed.map(|hash| credentials::replace_material(kept, hash.0.as_bytes()));
    let act = WriteBatch::new().with_all(bucket.forget()).with_all(renewed);
    Ok(Ok((people::of(engine, id, &credentials).await?, act)))
}

/// Whose password it should be, and the address it is counted under where that is nobody.
async fn whose(
    engine: &Engine,
    flow: &AuthenticationFlow,
    email: Option<&str>,
) -> Result<Result<(Option<AccountId>, String), Refusal>, Failure> {
    match (flow.whose_password(), email) {
        (CredentialOwner::OfAddress, Some(email)) => {
            let address = match read_address(email) {
                Ok(address) => address,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let lookup = address.lookup();
            let owner = contacts::find_owner(engine.store(), ContactKind::Email, &lookup).await?;
            Ok(Ok((owner.map(|contact| contact.account), lookup)))
        }
        (CredentialOwner::OfPerson, None) => Ok(Ok((flow.account(), String::new()))),
        (CredentialOwner::OfAddress, None) => Ok(Err(unfit("/email", "it is missing"))),
        (CredentialOwner::OfPerson, Some(_)) => {
            Ok(Err(unfit("/email", "it is known whose password is meant")))
        }
    }
}

/// Tells of a wrong password, and takes one out of use that was tried too often where its owner signs in.
async fn failed(
    engine: &Engine,
    account: Option<AccountId>,
    kept: Option<&CredentialRow>,
    follows: LockoutOutcome,
    walker: &FlowActor,
) -> Result<(), Failure> {
    let event = |kind| {
        let event = SecurityEvent::new(kind, SecurityEventActor::Anonymous, engine.now(), engine.entropy());
        let event = event.from_origin(&walker.origin).with("factor", factor::PASSWORD);
        match account {
            Some(account) => event.about("account", account),
            None => event,
        }
    };
    let mut act = WriteBatch::new().record(&event(EventKind::CredentialFailed));
    match (follows, kept) {
        (LockoutOutcome::Disabled, Some(kept)) => {
            let disabled = event(EventKind::CredentialDisabled);
            act = act.with(credentials::disable(kept, engine.now())).record(&disabled);
        }
        (LockoutOutcome::ClosedToStrangers, _) => {
            act = act.record(&event(EventKind::CredentialDisabled).with("for", "strangers"));
        }
        (LockoutOutcome::Disabled, None) | (LockoutOutcome::Waiting, _) => {}
    }
    // A conflict means that the credential changed or went meanwhile: then there is nothing to take away.
    let _ = engine.store().commit(act).await?;
    Ok(())
}

fn unfit(pointer: &str, text: &'static str) -> Refusal {
    let mut faults = ValidationErrors::default();
    faults.add(pointer, text);
    Refusal::unfit(faults)
}

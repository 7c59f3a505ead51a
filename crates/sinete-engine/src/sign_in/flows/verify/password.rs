//! Verification of passwords. Known, unknown, disabled and passwordless accounts cause the same queries in
//! the same order, and the same hashing work.

use super::{NO_ACCOUNT, parse_address};
use crate::sign_in::credentials::password;
use crate::sign_in::flows::{FlowActor, VerifiedInput, account, invalid_proof};
use crate::sign_in::lockout::{AttemptCounter, factor};
use crate::{Engine, Error, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::assurance::AuthenticationProof;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::id::AccountId;
use sinete_core::refusal::Refusal;
use sinete_core::sign_in::credentials::password::Password;
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::flows::account::FlowAccount;
use sinete_core::sign_in::flows::action::CredentialAccountSource;
use sinete_core::sign_in::flows::verified_input::VerifiedFlowInput;
use sinete_core::sign_in::lockout::LockoutOutcome;
use sinete_core::validation::ValidationErrors;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::ContactKind;
use sinete_store::sign_in::credentials;
use sinete_store::sign_in::credentials::{CredentialRow, StoredCredentialKind};
use sinete_store::{WriteBatch, accounts};

/// Verifies the password of the given address, or of the flow's account.
pub(super) async fn verify_password(
    engine: &Engine,
    flow: &AuthenticationFlow,
    email: Option<&str>,
    password: &str,
    walker: &FlowActor,
) -> Result<VerifiedInput, Error> {
    let (account, lookup) = find_password_owner(engine, flow, email).await?;
    {
        let (person, act) = check_password(engine, account, &lookup, password, walker).await?;
        Ok(VerifiedInput {
            answer: VerifiedFlowInput::Proved { person, proof: AuthenticationProof::Password },
            batch: act,
        })
    }
}

/// Verifies the password of an account, and returns the statements that follow: the counter is reset, and a
/// hash of another cost is replaced.
pub(crate) async fn check_password(
    engine: &Engine,
    account: Option<AccountId>,
    lookup: &str,
    password: &str,
    walker: &FlowActor,
) -> Result<(FlowAccount, WriteBatch), Error> {
    let id = account.unwrap_or(NO_ACCOUNT);
    let found = accounts::find_account(engine.store(), id).await?;
    let is_enabled = found.is_some_and(|account| account.condition == LifecycleCondition::Enabled);
    let credentials = credentials::list_account_credentials(engine.store(), id).await?;
    let kept =
        credentials.iter().find(|it| it.kind == StoredCredentialKind::Password && it.disabled_at.is_none());
    let bucket = AttemptCounter::new(engine, account, lookup, factor::PASSWORD, walker).await?;
    bucket.require_attempt_allowed(engine).await?;
    // An attempt without a hashing slot is not checked, reveals nothing and is not counted; one with a slot
    // is counted before it is checked.
    let slot = password::acquire_slot(engine, bucket.hashing_requester(walker)).await?;
    let follows = bucket.count_attempt(engine).await?;
    // A password that is too long never matches, with the same work.
    let presented = Password::from_submitted(password);
    let material = kept.filter(|_| presented.is_some()).map(|kept| &kept.material[..]);
    let guess = presented.or_else(|| Password::from_submitted(""));
    let Some(guess) = guess else { return Err(invalid_proof("no password").into()) };
    let checked = password::verify_password(engine, slot, &guess, material).await?;
    let (true, true, Some(kept)) = (checked.is_correct, is_enabled, kept) else {
        record_wrong_password(engine, account, kept, follows, walker).await?;
        return Err(invalid_proof("the password is wrong, or there is none").into());
    };
    let renewed =
        checked.rehashed.map(|hash| credentials::replace_credential_material(kept, hash.0.as_bytes()));
    let act = WriteBatch::new().with_statements(bucket.reset_step()).with_statements(renewed);
    Ok((account::build_person(engine, id, &credentials).await?, act))
}

/// The account of the password, and the address under which attempts are counted if there is none.
async fn find_password_owner(
    engine: &Engine,
    flow: &AuthenticationFlow,
    email: Option<&str>,
) -> Result<(Option<AccountId>, String), Error> {
    match (flow.password_owner(), email) {
        (CredentialAccountSource::OfAddress, Some(email)) => {
            let address = parse_address(email)?;
            let lookup = address.lookup_key();
            let owner = contacts::find_contact_owner(engine.store(), ContactKind::Email, &lookup).await?;
            Ok((owner.map(|contact| contact.account), lookup))
        }
        (CredentialAccountSource::OfPerson, None) => Ok((flow.account(), String::new())),
        (CredentialAccountSource::OfAddress, None) => Err(invalid_field("/email", "is required").into()),
        (CredentialAccountSource::OfPerson, Some(_)) => {
            Err(invalid_field("/email", "is known already; remove this member").into())
        }
    }
}

/// Records a wrong password, and disables it after too many failures on known devices.
async fn record_wrong_password(
    engine: &Engine,
    account: Option<AccountId>,
    kept: Option<&CredentialRow>,
    follows: LockoutOutcome,
    walker: &FlowActor,
) -> Result<(), Failure> {
    let event = |kind| {
        let event = SecurityEvent::new(kind, SecurityEventActor::Anonymous, engine.now(), engine.entropy());
        let event = event.with_origin(&walker.origin).with_detail("factor", factor::PASSWORD);
        match account {
            Some(account) => event.with_subject("account", account),
            None => event,
        }
    };
    let mut act = WriteBatch::new().with_event(&event(EventKind::CredentialFailed));
    match (follows, kept) {
        (LockoutOutcome::Disabled, Some(kept)) => {
            let disabled = event(EventKind::CredentialDisabled);
            act =
                act.with_statement(credentials::disable_credential(kept, engine.now())).with_event(&disabled);
        }
        (LockoutOutcome::ClosedToStrangers, _) => {
            act = act.with_event(&event(EventKind::CredentialDisabled).with_detail("for", "strangers"));
        }
        (LockoutOutcome::Disabled, None) | (LockoutOutcome::Waiting, _) => {}
    }
    // A conflict means that the credential changed or was removed meanwhile, so there is nothing to disable.
    let _ = engine.store().commit(act).await?;
    Ok(())
}

fn invalid_field(pointer: &str, text: &'static str) -> Refusal {
    let mut faults = ValidationErrors::default();
    faults.add(pointer, text);
    Refusal::from_validation_errors(faults)
}

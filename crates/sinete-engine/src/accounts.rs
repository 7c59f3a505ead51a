//! People, for those who run the instance: found, shown, switched off and on, signed out. A reset can be started for
//! somebody; what comes of it is theirs alone.

use crate::account::ways_in;
use crate::acting::in_trail;
use crate::flows::sends::{self, Channel, Requester};
use crate::flows::{self, Interaction};
use crate::lasting_access::{self, Eviction};
use crate::letters::{About, Given, Letter, Proof};
use crate::operating::Operating;
use crate::organizations::outrun;
use crate::{ATTEMPTS_MAX, Engine, Failed, deliver, former_members, logout, sessions};
use sinete_core::id::AccountId;
use sinete_core::limits::NOTICE_LIFETIME;
use sinete_core::people::Condition;
use sinete_core::people::address::EmailAddress;
use sinete_core::people::language::Language;
use sinete_core::people::ways_in::WayIn;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::security::event::{Event, EventKind};
use sinete_core::time::Lifetime;
use sinete_store::contacts::{self, Kind};
use sinete_store::memberships::{self, Holder};
use sinete_store::{Act, Step, accounts, sessions as stored_sessions};

pub use sinete_store::accounts::Account;
pub use sinete_store::contacts::{Contact, Kind as ContactKind};
pub use sinete_store::memberships::Membership;

/// What it takes.
const MANAGE: &str = "accounts:manage";
/// Where somebody begins to set a new password, below the issuer.
const RESET_PATH: &str = "/reset-password";

/// A person, as those who run the instance see them.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The account.
    pub account: Account,
    /// Addresses and numbers, proven or not.
    pub contacts: Vec<Contact>,
    /// Where they belong.
    pub memberships: Vec<Membership>,
    /// What they can sign in with now.
    pub ways_in: Vec<WayIn>,
    /// In how many places they are signed in.
    pub sessions: usize,
}

/// A page of all accounts, oldest first, or the one that proved an address.
pub async fn list(
    engine: &Engine,
    operating: &Operating,
    email: Option<&EmailAddress>,
    after: Option<AccountId>,
    most: u32,
) -> Result<Result<Vec<Account>, Refusal>, Failed> {
    if let Err(refusal) = operating.may(MANAGE) {
        return Ok(Err(refusal));
    }
    let Some(email) = email else {
        return Ok(Ok(accounts::page(engine.store(), after, most).await?));
    };
    let proven = contacts::find_verified(engine.store(), Kind::Email, &email.lookup()).await?;
    let Some(contact) = proven.filter(|_| after.is_none()) else { return Ok(Ok(Vec::new())) };
    Ok(Ok(accounts::find(engine.store(), contact.account).await?.into_iter().collect()))
}

/// One person.
pub async fn show(
    engine: &Engine,
    operating: &Operating,
    id: AccountId,
) -> Result<Result<Shown, Refusal>, Failed> {
    let account = match manageable(engine, operating, id).await? {
        Ok(account) => account,
        Err(refusal) => return Ok(Err(refusal)),
    };
    Ok(Ok(Shown {
        contacts: contacts::of_account(engine.store(), id).await?,
        memberships: memberships::of_account(engine.store(), id).await?,
        ways_in: ways_in(engine, id).await?,
        sessions: sessions::list(engine, id).await?.len(),
        account,
    }))
}

/// Switches the account off: nobody signs in with it, and nothing it granted counts, until it is switched on again.
pub async fn disable(
    engine: &Engine,
    operating: &Operating,
    id: AccountId,
) -> Result<Result<Account, Refusal>, Failed> {
    switch(engine, operating, id, Condition::Suspended).await
}

/// Switches the account on again.
pub async fn enable(
    engine: &Engine,
    operating: &Operating,
    id: AccountId,
) -> Result<Result<Account, Refusal>, Failed> {
    switch(engine, operating, id, Condition::Enabled).await
}

async fn switch(
    engine: &Engine,
    operating: &Operating,
    id: AccountId,
    condition: Condition,
) -> Result<Result<Account, Refusal>, Failed> {
    let account = match manageable(engine, operating, id).await? {
        Ok(account) if account.condition == condition => return Ok(Ok(account)),
        Ok(account) if account.condition == Condition::Ended => return Ok(Err(is_gone())),
        Ok(account) => account,
        Err(refusal) => return Ok(Err(refusal)),
    };
    if condition == Condition::Suspended && is_own(engine, operating, id).await? {
        let public = "nobody switches their own account off: another operator does";
        return Ok(Err(Refusal::new(RefusalCode::Conflict, public, "one's own account")));
    }
    let kind = match condition {
        Condition::Enabled => EventKind::AccountEnabled,
        Condition::Suspended | Condition::Ended => EventKind::AccountDisabled,
    };
    let mut act =
        Act::new().with(accounts::change_condition(id, account.version, condition, operating.now()));
    if condition == Condition::Suspended {
        // Nor does a provider of theirs bring them back as somebody new.
        for membership in memberships::of_account(engine.store(), id).await? {
            act = act.with_all(former_members::remember(engine, &membership).await?);
        }
    }
    let event = event(engine, operating, kind, id);
    let act = record_for_organizations(engine, operating, act, &event, id).await?;
    // None while it is switched off: nobody is told of what counts again.
    let counted = stored_sessions::of_account(engine.store(), id, operating.now()).await?;
    let (act, ended) = logout::queue(engine, act, counted.iter().map(|session| session.id).collect());
    match engine.store().commit(act).await? {
        Ok(_) => {
            drop(logout::telling(engine, ended, operating.cause()));
            Ok(accounts::find(engine.store(), id).await?.ok_or_else(no_such_account))
        }
        Err(_) => Ok(Err(outrun())),
    }
}

/// Signs the person out everywhere, and ends what acts for them without a session.
pub async fn end_sessions(
    engine: &Engine,
    operating: &Operating,
    id: AccountId,
) -> Result<Result<(), Refusal>, Failed> {
    if let Err(refusal) = manageable(engine, operating, id).await? {
        return Ok(Err(refusal));
    }
    let eviction = Eviction { account: id, session: None, keep: &[], because: "signed_out_by_operator" };
    let (act, ended) = lasting_access::evict(engine, Act::new(), &eviction, operating.cause()).await?;
    let event = event(engine, operating, EventKind::AccountSessionsEnded, id).with("sessions", ended.len());
    let act = record_for_organizations(engine, operating, act, &event, id).await?;
    match engine.store().commit(act).await? {
        Ok(_) => {
            drop(logout::telling(engine, ended, operating.cause()));
            Ok(Ok(()))
        }
        Err(_) => Err(Failed::Contended),
    }
}

/// Writes to the person that they should set a new password, and where. Nobody but them learns or chooses anything.
pub async fn start_reset(
    engine: &Engine,
    operating: &Operating,
    id: AccountId,
) -> Result<Result<(), Refusal>, Failed> {
    match manageable(engine, operating, id).await? {
        Ok(account) if account.condition != Condition::Enabled => return Ok(Err(is_gone())),
        Ok(_) => {}
        Err(refusal) => return Ok(Err(refusal)),
    }
    let known = contacts::of_account(engine.store(), id).await?;
    let proven = known.iter().filter(|it| it.kind == Kind::Email && it.verified_at.is_some());
    let primary = proven.max_by_key(|it| it.is_primary);
    let Some(address) = primary.and_then(|it| it.address.parse::<EmailAddress>().ok()) else {
        let public = "the person has no proven address to write to";
        return Ok(Err(Refusal::new(RefusalCode::Conflict, public, "nowhere to write to")));
    };
    for _ in 0..ATTEMPTS_MAX {
        let (to, by) = (address.lookup(), &Requester::Operator);
        let budget = sends::one_more(engine, Channel::Request, &to, Some(id), by).await?;
        let Some(counted) = budget.counted else { return Ok(Err(written_to_enough(budget.wait))) };
        let act = Act::new().with(asking_to_reset(engine, id, &address).await?).with_all(counted);
        let event = event(engine, operating, EventKind::AccountResetStarted, id);
        let act = record_for_organizations(engine, operating, act, &event, id).await?;
        if engine.store().commit(act).await?.is_ok() {
            return Ok(Ok(()));
        }
    }
    Err(Failed::Contended)
}

/// The letter that asks somebody to set a new password, in their own language, on its way.
async fn asking_to_reset(engine: &Engine, id: AccountId, address: &EmailAddress) -> Result<Step, Failed> {
    let issuer = &engine.settings().issuer;
    let link = match &engine.settings().flows.interaction {
        Interaction::Screens => Some(format!("{issuer}{RESET_PATH}")),
        Interaction::Elsewhere(address) => Some(address.clone()),
        Interaction::Nowhere => None,
    };
    let proof = link.map(|link| Proof { given: Given::Link(link), lifetime: NOTICE_LIFETIME });
    let language = flows::language(engine, Some(id), Language::default()).await?;
    let letter = Letter { about: About::ResetStarted, issuer, language, proof };
    deliver::post(engine, &letter, address, NOTICE_LIFETIME)
}

/// Signs everybody out, everywhere, whoever asks for it included.
pub async fn end_everybodys_sessions(
    engine: &Engine,
    operating: &Operating,
) -> Result<Result<(), Refusal>, Failed> {
    if let Err(refusal) = operating.may(MANAGE) {
        return Ok(Err(refusal));
    }
    let now = operating.now();
    let ended = stored_sessions::count_alive(engine.store(), now).await?;
    let event = operating
        .event(engine, EventKind::InstanceSessionsEnded, operating.operators())
        .about("instance", engine.instance())
        .with("sessions", ended);
    let act = Act::new().with(stored_sessions::end_everybodys(now));
    let (act, everybodys) = logout::queue_everybodys(act, now);
    match engine.store().commit(operating.record(act, &event, "")?).await? {
        Ok(_) => {
            drop(logout::telling_everybodys(engine, everybodys, operating.cause()));
            Ok(Ok(()))
        }
        Err(_) => Err(Failed::Contended),
    }
}

async fn manageable(
    engine: &Engine,
    operating: &Operating,
    id: AccountId,
) -> Result<Result<Account, Refusal>, Failed> {
    match operating.may(MANAGE) {
        Ok(()) => Ok(accounts::find(engine.store(), id).await?.ok_or_else(no_such_account)),
        Err(refusal) => Ok(Err(refusal)),
    }
}

/// Whether the account is the caller's.
async fn is_own(engine: &Engine, operating: &Operating, id: AccountId) -> Result<bool, Failed> {
    let own = memberships::find(engine.store(), operating.operators(), operating.membership()).await?;
    Ok(own.is_some_and(|own| own.holder == Holder::Person(id)))
}

/// The act with the event in the operators' audit log, and with one of the same kind in the audit log of each organization
/// that the person is a member of. Every act of operators on somebody's account is recorded here, in its own transaction.
/// An organization is told of its membership, and nothing of the account.
async fn record_for_organizations(
    engine: &Engine,
    operating: &Operating,
    act: Act,
    event: &Event,
    id: AccountId,
) -> Result<Act, Failed> {
    let mut act = operating.record(act, event, "")?;
    for membership in memberships::of_account(engine.store(), id).await? {
        let organization = membership.organization;
        if organization != operating.operators() && membership.condition != Condition::Ended {
            let told = operating.event(engine, event.kind, organization).about("membership", membership.id);
            act = in_trail(act, &told, organization, "")?;
        }
    }
    Ok(act)
}

fn event(engine: &Engine, operating: &Operating, kind: EventKind, id: AccountId) -> Event {
    operating.event(engine, kind, operating.operators()).about("account", id)
}

fn written_to_enough(wait: Lifetime) -> Refusal {
    let public = "the person was written to just now, or often enough for today: try again later";
    Refusal::new(RefusalCode::TooManyRequests, public, "too many messages to one address").retry_after(wait)
}

fn is_gone() -> Refusal {
    Refusal::new(RefusalCode::Conflict, "the account is switched off or was deleted", "not enabled")
}

fn no_such_account() -> Refusal {
    Refusal::new(RefusalCode::NotFound, "there is no such thing here", "no such account")
}

//! Answering a message about one's account: that was not me. Every session ends, here and at every application, what was
//! allowed on other devices is taken back, and a new password is on its way to be chosen.

use crate::flows::{self, Handed, Said, Standing, Ticket, Walker, Wanted};
use crate::restore_address::current_address;
use crate::{Cause, Engine, Failed, logout, sessions};
use sinete_core::flow::Carrier;
use sinete_core::id::AccountId;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::{AccountLink, FlowToken, Secret};
use sinete_core::security::event::{Actor, Event, EventKind, Origin};
use sinete_store::account_links::{self, Purpose};
use sinete_store::{Act, contacts, grants};

/// Spends the link and ends every session of the account it is about, whose id it answers with. What follows is a new
/// password, which takes a proof by mail like any other.
pub async fn disavow(
    engine: &Engine,
    token: &str,
    origin: &Origin,
) -> Result<Result<AccountId, Refusal>, Failed> {
    let Ok(token) = Secret::<AccountLink>::parse(token) else {
        return Ok(Err(worthless("the text is no link of ours")));
    };
    let (digest, now) = (token.digest(), engine.now());
    let found = account_links::find(engine.store(), &digest, Purpose::NotMe).await?;
    let Some(kept) = found.filter(|kept| kept.spent_at.is_none() && kept.expires_at > now) else {
        return Ok(Err(worthless("unknown, spent or expired")));
    };
    let cause = Cause { actor: Actor::Account(kept.account), origin: origin.clone() };
    let event = Event::new(EventKind::SignInDisavowed, cause.actor.clone(), now, engine.entropy())
        .from_origin(origin)
        .about("account", kept.account);
    let act = Act::new()
        .with(account_links::spend(&digest, Purpose::NotMe, now))
        // Whoever was talked into answering for somebody else's device did so in a session that may well go on.
        .with(grants::revoke_elsewhere(kept.account, "disavowed", now))
        .record(&event);
    let (act, ended) = sessions::ending_others(engine, act, kept.account, None, &cause).await?;
    match engine.store().commit(act).await? {
        Ok(_) => {
            drop(logout::telling(engine, ended, &cause));
            Ok(Ok(kept.account))
        }
        Err(_) => Ok(Err(worthless("somebody else was there first"))),
    }
}

/// Begins to set a new password for somebody who just said that it was not them: a flow that stands where the proof is
/// asked for, which is on its way to the address they are written to at. Nothing, where they cannot be written to.
pub async fn begin_reset(
    engine: &Engine,
    account: AccountId,
    walker: &Walker,
) -> Result<Option<Standing>, Failed> {
    let known = contacts::of_account(engine.store(), account).await?;
    let Some(contact) = current_address(&known) else { return Ok(None) };
    let started = flows::start(engine, &Wanted::ResetPassword, Carrier::Token, walker).await?;
    let Ok(Standing { flow, handed: Handed { flow: Some(token), .. }, .. }) = started else {
        return Ok(None);
    };
    let (id, shown) = (flow.id().to_string(), token.reveal());
    let ticket = Ticket { id: &id, token: &shown, carrier: Carrier::Token };
    let said = Said::Email { email: contact.address.clone() };
    let sent = flows::act(engine, &ticket, &said, walker).await?;
    let handed = Secret::<FlowToken>::parse(&shown).ok();
    Ok(sent.ok().map(|standing| Standing { handed: Handed { flow: handed, ..standing.handed }, ..standing }))
}

/// One text for every reason.
fn worthless(reason: &str) -> Refusal {
    let public = "the link is unknown, used or expired: sign in and look at your account";
    Refusal::new(RefusalCode::NotFound, public, reason)
}

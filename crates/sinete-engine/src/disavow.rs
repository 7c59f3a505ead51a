//! Answering a message about one's account: that was not me. Every session ends, here and at every application.

use crate::{Cause, Engine, Failed, sessions};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::{AccountLink, Secret};
use sinete_core::security::event::{Actor, Event, EventKind, Origin};
use sinete_store::Act;
use sinete_store::account_links::{self, Purpose};

/// Spends the link and ends every session of the account it is about. What follows is a new password, which takes
/// a proof by mail like any other.
pub async fn disavow(engine: &Engine, token: &str, origin: &Origin) -> Result<Result<(), Refusal>, Failed> {
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
    let act = Act::new().with(account_links::spend(&digest, Purpose::NotMe, now)).record(&event);
    let (act, _) = sessions::ending_others(engine, act, kept.account, None, &cause).await?;
    match engine.store().commit(act).await? {
        Ok(_) => Ok(Ok(())),
        Err(_) => Ok(Err(worthless("somebody else was there first"))),
    }
}

/// One text for every reason.
fn worthless(reason: &str) -> Refusal {
    let public = "the link is unknown, used or expired: sign in and look at your account";
    Refusal::new(RefusalCode::NotFound, public, reason)
}

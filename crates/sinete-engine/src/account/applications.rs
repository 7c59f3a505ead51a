//! What a person let applications do, in each of their organizations, and taking it back.

use super::{Oneself, no_such_thing};
use crate::{Engine, Failed};
use sinete_core::client::ClientId;
use sinete_core::id::MembershipId;
use sinete_core::refusal::Refusal;
use sinete_core::security::event::EventKind;
use sinete_store::applications::{self, Agreement, Application, Held};
use sinete_store::{Act, consents, grants};

/// An application with what it was let do for one membership.
#[derive(Clone, Debug)]
pub struct Granted {
    /// The application, and for which membership.
    pub application: Application,
    /// What was agreed to, at each API.
    pub agreements: Vec<Agreement>,
    /// What it holds now.
    pub held: Vec<Held>,
}

/// Every application that may do something in the person's name, or was agreed to.
pub async fn list(engine: &Engine, oneself: &Oneself) -> Result<Vec<Granted>, Failed> {
    let (store, account) = (engine.store(), oneself.account());
    let mut all: Vec<Granted> = Vec::new();
    for agreement in applications::agreements_of(store, account).await? {
        entry(&mut all, &agreement.with).agreements.push(agreement);
    }
    for held in applications::grants_of(store, account, oneself.now()).await? {
        entry(&mut all, &held.by).held.push(held);
    }
    all.sort_by(|one, other| {
        let key = |it: &Granted| (it.application.client.to_string(), it.application.membership);
        key(one).cmp(&key(other))
    });
    Ok(all)
}

fn entry<'a>(all: &'a mut Vec<Granted>, application: &Application) -> &'a mut Granted {
    let same = |it: &Granted| {
        (&it.application.client, it.application.membership) == (&application.client, application.membership)
    };
    let place = all.iter().position(same).unwrap_or(all.len());
    if place == all.len() {
        let granted = Granted { application: application.clone(), agreements: Vec::new(), held: Vec::new() };
        all.push(granted);
    }
    &mut all[place]
}

/// Takes back everything the application was let do for this membership. What it holds is worth nothing from
/// then on, on every node.
pub async fn remove(
    engine: &Engine,
    oneself: &Oneself,
    membership: MembershipId,
    client: &ClientId,
) -> Result<Result<(), Refusal>, Failed> {
    let granted = list(engine, oneself).await?;
    let found =
        granted.iter().find(|it| it.application.membership == membership && it.application.client == *client);
    let Some(found) = found else {
        return Ok(Err(no_such_thing("nothing was agreed with this application")));
    };
    let now = oneself.now();
    let event = oneself
        .event(engine, EventKind::ApplicationRemoved)
        .about("membership", membership)
        .within(found.application.organization)
        .through(client.clone());
    let act = Act::new()
        .with(consents::revoke_all_of(membership, client, now))
        .with(grants::revoke_all_of(membership, client, "the application was removed", now))
        .record(&event);
    // Nothing in this act can conflict: what was taken back meanwhile stays so.
    match engine.store().commit(act).await? {
        Ok(_) => Ok(Ok(())),
        Err(_) => Err(Failed::Contended),
    }
}

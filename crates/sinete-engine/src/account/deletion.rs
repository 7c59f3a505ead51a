//! Going away for good: the id stays taken, everything personal goes, and nothing of it counts from that moment.

use super::{AccountHolder, memberships, profile};
use crate::acting::in_trail;
use crate::members::{other_owners, plain, roles_refused};
use crate::{ATTEMPTS_MAX, Engine, EventCause, Failure, logout};
use sinete_core::people::LifecycleCondition;
use sinete_core::people::membership::{is_owner, may_go};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::security::event::{EventKind, RequestOrigin};
use sinete_store::{
    WriteBatch, accounts, address_changes, contacts, credentials, devices, identities, invitations,
    log_chain, memberships as stored, organizations, provisioned_users, roles, sessions,
};

/// Deletes the account. Whoever is the last owner of an organization hands it over first.
pub async fn delete(engine: &Engine, oneself: &AccountHolder) -> Result<Result<(), Refusal>, Failure> {
    if let Err(refusal) = oneself.must_be_fresh(engine).await? {
        return Ok(Err(refusal));
    }
    for _ in 0..ATTEMPTS_MAX {
        let act = match leaving_everything(engine, oneself).await? {
            Ok(act) => act,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let counted = sessions::of_account(engine.store(), oneself.account(), oneself.now()).await?;
        let counted = counted.iter().map(|session| session.id).collect();
        let (act, ended) = logout::queue(engine, act, counted);
        if engine.store().commit(act).await?.is_ok() {
            // Where they asked from was erased a moment ago and is not written down again.
            let cause = EventCause { actor: oneself.cause.actor.clone(), origin: RequestOrigin::default() };
            drop(logout::telling(engine, ended, &cause));
            return Ok(Ok(()));
        }
    }
    Err(Failure::Contended)
}

async fn leaving_everything(
    engine: &Engine,
    oneself: &AccountHolder,
) -> Result<Result<WriteBatch, Refusal>, Failure> {
    let (id, now) = (oneself.account(), oneself.now());
    let account = profile::show(engine, oneself).await?;
    let mut guards = WriteBatch::new();
    let mut events = Vec::new();
    let mut known_as = vec![id.to_string()];
    for belonging in memberships::list(engine, oneself).await? {
        let (organization, member) = (&belonging.organization, &belonging.member);
        let carried = plain(&member.roles);
        if is_owner(&carried) && organization.condition != LifecycleCondition::Ended {
            let catalogue = roles::of_organization(engine.store(), organization.id).await?;
            let others = other_owners(engine, member, &catalogue).await?;
            if may_go(true, &carried, others).is_err() {
                return Ok(Err(still_owns()));
            }
            // Two last owners who go together meet here. A suspended organization takes no change of its own,
            // and needs none: nobody is made an owner in it meanwhile.
            if organization.condition == LifecycleCondition::Enabled {
                guards = guards.with(organizations::advance(organization.id, organization.version, now));
            }
        }
        known_as.push(member.membership.id.to_string());
        let event = oneself.event(engine, EventKind::MembershipEnded);
        let event = event.about("membership", member.membership.id).within(organization.id);
        events.push((event.with("because", "account_deleted"), organization.id));
    }
    let mut act = guards
        .with(accounts::erase(&account, now))
        .with(provisioned_users::forget_all(id))
        .with(stored::end_of_account(id, now))
        .with(sessions::erase_all(id, now))
        .with(credentials::erase_all(id, now))
        .with(contacts::forget_all(id))
        .with(address_changes::forget_all(id))
        .with(invitations::forget_addresses(id))
        .with(identities::unlink_all(id))
        .with(devices::forget_all(id));
    for (event, organization) in &events {
        act = in_trail(act, event, *organization, "")?;
    }
    act = act.record(&oneself.event(engine, EventKind::AccountDeleted).about("account", id));
    // Last of all, so that where these very events came from goes too.
    Ok(Ok(act.with_all(known_as.iter().map(|who| log_chain::erase_personal(who)))))
}

fn still_owns() -> Refusal {
    let reason = roles_refused(&sinete_core::people::membership::RoleChangeRejection::LastOwner);
    let public = "you are the last owner of an organization: hand it over or delete it first";
    Refusal::new(RefusalCode::Conflict, public, reason.reason())
}

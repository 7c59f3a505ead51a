//! Account deletion: the id stays reserved, all personal data is deleted, and all access ends immediately.

use super::{memberships, profile};
use crate::access_control::organization_access::with_audit_log_event;
use crate::organizations::members::{count_other_owners, roles_refused, to_roles};
use crate::sign_in::account_holder::AccountHolder;
use crate::sign_in::backchannel_logout;
use crate::{ATTEMPTS_MAX, Engine, Error, EventCause, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::events::security_event::{EventKind, RequestOrigin};
use sinete_core::organizations::memberships::{check_membership_removal, is_owner};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::accounts::AccountRefusal;
use sinete_store::accounts::{contacts, email_changes, pictures};
use sinete_store::events::{log_chain, usage};
use sinete_store::identity_providers::identities;
use sinete_store::organizations::{invitations, memberships as stored, roles};
use sinete_store::scim::users;
use sinete_store::sign_in::{credentials, known_devices, sessions};
use sinete_store::{WriteBatch, accounts, organizations};

/// Deletes the account. The last owner of an organization must transfer ownership first.
pub async fn delete_account(engine: &Engine, account_holder: &AccountHolder) -> Result<(), Error> {
    account_holder.require_fresh_authentication(engine).await?;
    for _ in 0..ATTEMPTS_MAX {
        let batch = leave_organizations(engine, account_holder).await?;
        let sessions =
            sessions::list_account_sessions(engine.store(), account_holder.account(), account_holder.now())
                .await?;
        let session_ids = sessions.iter().map(|session| session.id).collect();
        let (batch, ended) = backchannel_logout::enqueue_backchannel_logout(engine, batch, session_ids);
        if engine.store().commit(batch).await?.is_committed() {
            // The origin was just erased and is not recorded again.
            let cause =
                EventCause { actor: account_holder.cause.actor.clone(), origin: RequestOrigin::default() };
            drop(backchannel_logout::spawn_notifications(engine, ended, &cause));
            return Ok(());
        }
    }
    Err(Failure::Contended.into())
}

async fn leave_organizations(engine: &Engine, account_holder: &AccountHolder) -> Result<WriteBatch, Error> {
    let (id, now) = (account_holder.account(), account_holder.now());
    let account = profile::show(engine, account_holder).await?;
    let mut guards = WriteBatch::new();
    let mut events = Vec::new();
    let mut known_as = vec![id.to_string()];
    for belonging in memberships::list(engine, account_holder).await? {
        let (organization, member) = (&belonging.organization, &belonging.member);
        let roles = to_roles(&member.roles);
        if is_owner(&roles) && organization.condition != LifecycleCondition::Ended {
            let catalogue = roles::list_roles(engine.store(), organization.id).await?;
            let others = count_other_owners(engine, member, &catalogue).await?;
            if check_membership_removal(true, &roles, others).is_err() {
                return Err(last_owner().into());
            }
            // Detects two last owners who delete their accounts concurrently. A suspended organization
            // accepts no change and needs no guard: no owner can be added to it meanwhile.
            if organization.condition == LifecycleCondition::Enabled {
                guards = guards.with_statement(organizations::advance_organization_version(
                    organization.id,
                    organization.version,
                    now,
                ));
            }
        }
        known_as.push(member.membership.id.to_string());
        let event = account_holder.event(engine, EventKind::MembershipEnded);
        let event = event.with_subject("membership", member.membership.id).with_organization(organization.id);
        events.push((event.with_detail("because", "account_deleted"), organization.id));
    }
    let mut batch = guards
        .with_statement(accounts::erase_account(&account, now))
        .with_statement(users::delete_account_scim_users(id))
        .with_statement(stored::end_account_memberships(id, now))
        .with_statement(sessions::erase_account_sessions(id, now))
        .with_statement(credentials::erase_account_credentials(id, now))
        .with_statement(contacts::delete_account_contacts(id))
        .with_statement(pictures::delete_account_picture(id))
        .with_statement(email_changes::delete_account_email_changes(id))
        .with_statement(invitations::erase_invitation_addresses(id))
        .with_statement(identities::unlink_account_identities(id))
        .with_statement(known_devices::delete_account_devices(id))
        .with_statement(usage::delete_account_activity(id));
    for (event, organization) in &events {
        batch = with_audit_log_event(batch, event, *organization, "")?;
    }
    batch = batch
        .with_event(&account_holder.event(engine, EventKind::AccountDeleted).with_subject("account", id));
    // Comes last, so that the origins of these events are erased too.
    Ok(batch.with_statements(
        known_as.iter().flat_map(|principal_id| log_chain::erase_personal_data(principal_id)),
    ))
}

fn last_owner() -> Refusal {
    let reason = roles_refused(&sinete_core::organizations::memberships::RoleChangeRejection::LastOwner);
    Refusal::because(AccountRefusal::LastOwnerDeletion, reason.detail())
}

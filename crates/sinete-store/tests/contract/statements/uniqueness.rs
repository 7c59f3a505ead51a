//! Rules across rows are guarded by their parent's version; unique keys hold under races.

use super::{Database, Scene};
use crate::accounts::contacts;
use crate::accounts::contacts::{ContactKind, NewContact};
use crate::contract::both_engines;
use crate::contract::probe::NOW;
use crate::identity_providers::identities;
use crate::identity_providers::identities::ExternalIdentityKey;
use crate::organizations::memberships;
use crate::organizations::memberships::MembershipHolder;
use crate::organizations::roles;
use crate::write_batch::GuardedStatement;
use crate::{Store, WriteBatch, accounts, organizations};
use sinete_core::access_control::permission_catalog::BuiltInRole;
use sinete_core::access_control::subject::LifecycleCondition::Ended;
use sinete_core::id::{AccountId, MembershipId, OrganizationId, RoleId};
use std::sync::Arc;
use tokio::sync::Barrier;

both_engines!(
    last_owner_remains_when_two_owners_leave_concurrently,
    contact_address_claimed_twice_belongs_to_the_first_account_that_verified_it,
    identity_belongs_to_one_account
);

/// Leaves the organization, unless it would have no owner.
async fn leave(store: &Store, organization: OrganizationId, id: MembershipId, owner: RoleId) -> bool {
    loop {
        let read = organizations::find_organization(store, organization, NOW).await.unwrap().unwrap();
        let membership = memberships::find_membership(store, organization, id).await.unwrap().unwrap();
        if memberships::count_role_holders(store, owner).await.unwrap() < 2 {
            return false;
        }
        let batch = WriteBatch::new()
            .with_statement(organizations::advance_organization_version(organization, read.version, NOW))
            .with_statement(memberships::change_membership_condition(&membership, Ended, NOW));
        if store.commit(batch).await.unwrap().is_committed() {
            return true;
        }
    }
}

async fn last_owner_remains_when_two_owners_leave_concurrently(database: Database) {
    let scene = Scene::set(database).await;
    let organization = scene.world.organization;
    let owner = scene.id();
    scene.happens([roles::create_built_in_role(owner, organization, BuiltInRole::Owner, NOW)]).await;
    let mut stayed = None;
    for round in 0..50 {
        let mut pair = stayed.into_iter().collect::<Vec<MembershipId>>();
        while pair.len() < 2 {
            let (account, membership): (AccountId, MembershipId) = (scene.id(), scene.id());
            let joins = [
                accounts::create_account(account, None, &scene.world.empty_document, NOW),
                scene.world.create_membership(membership, &MembershipHolder::User(account)),
                memberships::add_role(membership, owner, NOW),
            ];
            scene.happens(joins).await;
            pair.push(membership);
        }
        let line = Arc::new(Barrier::new(2));
        let leaving = pair.iter().map(|&id| {
            let (store, line) = (scene.store.clone(), line.clone());
            tokio::spawn(async move {
                line.wait().await;
                leave(&store, organization, id, owner).await
            })
        });
        let mut results = Vec::new();
        for leaving in leaving.collect::<Vec<_>>() {
            results.push(leaving.await.unwrap());
        }
        assert_eq!(results.iter().filter(|it| **it).count(), 1, "round {round}");
        stayed = pair.into_iter().zip(results).find_map(|(id, has_left)| (!has_left).then_some(id));
    }
    assert_eq!(memberships::count_role_holders(&scene.store, owner).await, Ok(1));
}

async fn contact_address_claimed_twice_belongs_to_the_first_account_that_verified_it(database: Database) {
    let scene = Scene::set(database).await;
    let accounts = [scene.world.account, scene.id()];
    scene.happens([accounts::create_account(accounts[1], None, &scene.world.empty_document, NOW)]).await;
    let claimed = accounts.map(|account| (account, scene.id()));
    for (account, id) in claimed {
        let contact = NewContact {
            id,
            account,
            kind: ContactKind::Email,
            address: "Ana@Example.com",
            lookup: "ana@example.com",
            is_primary: true,
            created_at: NOW,
        };
        scene.happens([contacts::add_contact(&contact)]).await;
    }
    assert_eq!(
        contacts::find_verified_contact(&scene.store, ContactKind::Email, "ana@example.com").await,
        Ok(None)
    );
    let line = Arc::new(Barrier::new(2));
    let proving = claimed.map(|(account, id)| {
        let (store, line) = (scene.store.clone(), line.clone());
        tokio::spawn(async move {
            line.wait().await;
            store
                .commit(WriteBatch::new().with_statement(contacts::verify_contact(account, id, NOW)))
                .await
                .unwrap()
                .is_committed()
        })
    });
    let mut proved = Vec::new();
    for proving in proving {
        proved.push(proving.await.unwrap());
    }
    assert_eq!(proved.iter().filter(|it| **it).count(), 1);
    let winner = claimed[usize::from(proved[1])].0;
    let contact =
        contacts::find_verified_contact(&scene.store, ContactKind::Email, "ana@example.com").await.unwrap();
    assert_eq!(contact.map(|it| (it.account, it.verified_at)), Some((winner, Some(NOW))));
    assert_eq!(
        contacts::find_verified_contact(&scene.store, ContactKind::Phone, "ana@example.com").await,
        Ok(None)
    );
    let contacts = contacts::list_account_contacts(&scene.store, winner).await.unwrap();
    assert_eq!(contacts[0].address, "Ana@Example.com");
}

async fn identity_belongs_to_one_account(database: Database) {
    let scene = Scene::set(database).await;
    let identity = ExternalIdentityKey { provider: "https://idp.example", subject: "42" };
    assert_eq!(identities::find_identity_account(&scene.store, identity).await, Ok(None));
    let link =
        |account: AccountId| -> [GuardedStatement; 1] { [identities::link_identity(identity, account, NOW)] };
    scene.happens(link(scene.world.account)).await;
    scene.is_refused(link(scene.id()), "identities.link").await;
    assert_eq!(
        identities::find_identity_account(&scene.store, identity).await,
        Ok(Some(scene.world.account))
    );
    let same_subject_elsewhere = ExternalIdentityKey { provider: "https://other.example", ..identity };
    assert_eq!(identities::find_identity_account(&scene.store, same_subject_elsewhere).await, Ok(None));
}

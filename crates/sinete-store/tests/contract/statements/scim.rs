//! SCIM data: names are unique and free again, and concurrent changes are detected.

use super::{Database, Scene};
use crate::contract::both_engines;
use crate::contract::probe::NOW;
use crate::organizations::memberships;
use crate::organizations::memberships::MembershipHolder;
use crate::organizations::{former_members, roles};
use crate::scim::groups;
use crate::scim::groups::ScimGroupRow;
use crate::scim::requests;
use crate::scim::requests::ScimRequestRow;
use crate::scim::users;
use crate::scim::users::{ScimUserAttributes, ScimUserChange};
use crate::{accounts, organizations};
use sinete_core::access_control::subject::LifecycleCondition::{Enabled, Ended, Suspended};
use sinete_core::id::{MembershipId, OrganizationId, RoleId, ScimRequestId};
use sinete_core::limits::SCIM_FAILURES_RETAINED_MAX;
use sinete_core::organizations::former_members::FormerMemberIdentifier;
use sinete_core::time::Lifetime;

both_engines!(
    provisioned_user_name_is_unique_until_its_member_is_removed,
    provisioned_user_change_needs_its_version_and_an_enabled_organization,
    provisioned_users_are_counted_and_listed_without_services_and_removed_ones,
    provisioned_group_name_is_free_after_its_role_is_removed,
    disabled_account_is_recognized_in_current_and_former_organizations,
    removed_member_is_recognized_until_readmitted,
    scim_requests_keep_the_last_failures_and_one_success
);

impl Scene {
    /// An unclaimed membership with this name.
    async fn provisioned(&self, name: &str) -> MembershipId {
        let id = self.id();
        self.happens([self.world.create_membership(id, &MembershipHolder::Unclaimed)]).await;
        self.happens(self.named(id, name)).await;
        id
    }

    fn named(&self, id: MembershipId, name: &str) -> [crate::GuardedStatement; 2] {
        let user_attributes =
            ScimUserAttributes { user_name: name, lookup: name, attributes: &self.world.empty_document };
        users::record_scim_user(id, self.world.organization, &user_attributes)
    }
}

async fn provisioned_user_name_is_unique_until_its_member_is_removed(database: Database) {
    let scene = Scene::set(database).await;
    let organization = scene.world.organization;
    let (ana, rui) = (scene.provisioned("ana").await, scene.provisioned("rui").await);
    scene.is_refused(scene.named(rui, "ana"), "provisioned_users.note").await;
    let user = users::find_scim_user_by_name(&scene.store, organization, "ana").await.unwrap().unwrap();
    assert_eq!((user.membership.id, user.user_name.as_deref()), (ana, Some("ana")));
    // Ended in any way.
    scene.happens([memberships::change_membership_condition(&user.membership, Ended, NOW)]).await;
    assert_eq!(users::find_scim_user_by_name(&scene.store, organization, "ana").await.unwrap(), None);
    assert_eq!(users::find_scim_user(&scene.store, organization, ana).await.unwrap(), None);
    scene.happens(scene.named(rui, "ana")).await;
    let other: OrganizationId = scene.id();
    scene.happens([scene.world.create_organization(other).unwrap()]).await;
    assert_eq!(users::find_scim_user(&scene.store, other, rui).await.unwrap(), None);
    assert_eq!(users::find_scim_user_by_name(&scene.store, other, "ana").await.unwrap(), None);
    scene.happens([users::delete_scim_user(rui)]).await;
    assert_eq!(scene.count("provisioned_users").await, 0);
}

async fn provisioned_user_change_needs_its_version_and_an_enabled_organization(database: Database) {
    let scene = Scene::set(database).await;
    let organization = scene.world.organization;
    let ana = scene.provisioned("ana").await;
    let read = async || users::find_scim_user(&scene.store, organization, ana).await.unwrap().unwrap();
    let before = read().await;
    let changed = |condition| ScimUserChange {
        profile: &scene.world.empty_document,
        external_id: Some("00u1"),
        condition,
    };
    let later = scene.world.expires_at;
    scene.happens([users::change_scim_user(&before.membership, &changed(Suspended), later)]).await;
    let after = read().await;
    assert_eq!(
        (after.membership.condition, after.membership.version),
        (Suspended, before.membership.version + 1)
    );
    assert_eq!((after.changed_at, after.membership.external_id.as_deref()), (later, Some("00u1")));
    let scim_user = users::find_scim_user_by_external_id(&scene.store, organization, "00u1").await.unwrap();
    assert_eq!(scim_user.map(|user| user.membership.id), Some(ana));
    let stale = users::change_scim_user(&before.membership, &changed(Enabled), NOW);
    scene.is_refused([stale], "provisioned_users.change").await;
    let now = organizations::find_organization(&scene.store, organization, NOW).await.unwrap().unwrap();
    let because = organizations::ConditionChangeReason { actor: "system", reason: "" };
    scene
        .happens([organizations::change_organization_condition(
            organization,
            now.version,
            Suspended,
            because,
            NOW,
        )])
        .await;
    let late = users::change_scim_user(&after.membership, &changed(Enabled), NOW);
    scene.is_refused([late], "provisioned_users.change").await;
}

async fn removed_member_is_recognized_until_readmitted(database: Database) {
    let scene = Scene::set(database).await;
    let (store, organization) = (&scene.store, scene.world.organization);
    let ana = scene.provisioned("ana").await;
    let [address, other] =
        ["ana@acme.example", "rui@acme.example"].map(|it| FormerMemberIdentifier::Email(it).digest());
    let is_former = async |of, identity, others: [_; 2]| {
        former_members::is_former_member(store, of, identity, others.map(Some)).await.unwrap()
    };
    for _ in 0..2 {
        scene.happens([former_members::insert_former_member_identifier(organization, &address, ana)]).await;
    }
    assert!(!is_former(organization, &other, [&address, &other]).await, "the user is a member");
    assert!(
        is_former(organization, &address, [&other, &other]).await,
        "a user known to a provider is recognized"
    );
    for (condition, is_out) in [(Suspended, true), (Enabled, false), (Ended, true)] {
        let now = memberships::find_membership(store, organization, ana).await.unwrap().unwrap();
        scene.happens([memberships::change_membership_condition(&now, condition, NOW)]).await;
        for others in [[&address, &other], [&other, &address]] {
            assert_eq!(is_former(organization, &other, others).await, is_out, "{condition:?}");
        }
        assert!(is_former(organization, &address, [&other; 2]).await);
        assert!(!is_former(organization, &other, [&other; 2]).await);
        assert!(!former_members::is_former_member(store, organization, &other, [None; 2]).await.unwrap());
        assert!(!is_former(scene.id(), &address, [&address; 2]).await, "in another organization");
    }
}

async fn disabled_account_is_recognized_in_current_and_former_organizations(database: Database) {
    let scene = Scene::set(database).await;
    let (store, organization, account) = (&scene.store, scene.world.organization, scene.world.account);
    let address = FormerMemberIdentifier::Email("ana@acme.example").digest();
    let digest = FormerMemberIdentifier::Email("nobody@acme.example").digest();
    let is_known = async |trace| {
        former_members::is_former_member(store, organization, &digest, [Some(trace), None]).await.unwrap()
    };
    let is_address_known = async || is_known(&address).await;
    for _ in 0..2 {
        scene.happens([former_members::record_former_account(organization, &address, account)]).await;
    }
    assert!(!is_address_known().await, "the user is a member");
    scene.happens([accounts::change_account_condition(account, 1, Suspended, NOW)]).await;
    assert!(is_address_known().await);
    scene.happens([accounts::change_account_condition(account, 2, Enabled, NOW)]).await;
    assert!(!is_address_known().await);
    let all = memberships::list_account_memberships(store, account).await.unwrap();
    let membership = all.into_iter().find(|it| it.organization == organization).unwrap();
    scene.happens([memberships::change_membership_condition(&membership, Ended, NOW)]).await;
    assert!(is_address_known().await);
    let late = FormerMemberIdentifier::Email("late@acme.example").digest();
    scene.happens([former_members::record_former_account(organization, &late, account)]).await;
    assert!(is_known(&late).await, "after it ended too");
}

async fn provisioned_users_are_counted_and_listed_without_services_and_removed_ones(database: Database) {
    let scene = Scene::set(database).await;
    let (store, organization) = (&scene.store, scene.world.organization);
    let before = users::count_scim_users(store, organization).await.unwrap();
    let mut ids = Vec::new();
    for name in ["a", "b", "c", "d"] {
        ids.push(scene.provisioned(name).await);
    }
    let machine = scene.id();
    scene
        .happens([scene
            .world
            .create_membership(machine, &MembershipHolder::Machine(scene.world.client.clone()))])
        .await;
    let gone = memberships::find_membership(store, organization, ids[1]).await.unwrap().unwrap();
    scene.happens([memberships::change_membership_condition(&gone, Ended, NOW)]).await;
    assert_eq!(users::count_scim_users(store, organization).await.unwrap(), before + 3);
    assert_eq!(users::find_scim_user(store, organization, machine).await.unwrap(), None);
    let all = users::list_scim_users(store, organization, 0, 100).await.unwrap();
    let all: Vec<_> = all.iter().map(|user| user.membership.id).collect();
    assert!(all.is_sorted() && all.len() as u64 == before + 3 && !all.contains(&machine));
    for skipped in 0..all.len() {
        let page = users::list_scim_users(store, organization, skipped as u64, 2).await.unwrap();
        let page: Vec<_> = page.iter().map(|user| user.membership.id).collect();
        assert_eq!(page, all[skipped..(skipped + 2).min(all.len())]);
        let next = users::list_scim_users_after(store, organization, Some(all[skipped]), 100).await.unwrap();
        assert_eq!(next.len(), all.len() - skipped - 1);
    }
}

async fn provisioned_group_name_is_free_after_its_role_is_removed(database: Database) {
    let scene = Scene::set(database).await;
    let organization = scene.world.organization;
    let make = |id: RoleId, name: &str| {
        let role = sinete_core::access_control::role::Role::new(name, [].into_iter().collect()).unwrap();
        roles::create_role(id, organization, &role, "", NOW)
    };
    let (first, second): (RoleId, RoleId) = (scene.id(), scene.id());
    scene.happens([make(first, "first"), make(second, "second")]).await;
    let build_group = |role| ScimGroupRow {
        role,
        created_at: NOW,
        display_name: Some("Choir".to_owned()),
        external_id: Some("same".to_owned()),
        is_created_by_scim: true,
    };
    scene.happens(groups::record_scim_group(&build_group(first), organization)).await;
    scene
        .is_refused(groups::record_scim_group(&build_group(second), organization), "provisioned_groups.note")
        .await;
    let stored = roles::list_roles(&scene.store, organization).await.unwrap();
    let stored = stored.into_iter().find(|role| role.id == first).unwrap();
    scene.happens([groups::advance_group_version(first, stored.version, organization, NOW)]).await;
    let stale = groups::advance_group_version(first, stored.version, organization, NOW);
    scene.is_refused([stale], "provisioned_groups.advance").await;
    let stored = roles::list_roles(&scene.store, organization).await.unwrap();
    let stored = stored.into_iter().find(|role| role.id == first).unwrap();
    scene.happens([roles::remove_role(&stored, organization, NOW)]).await;
    scene.happens(groups::record_scim_group(&build_group(second), organization)).await;
    let groups = groups::list_scim_groups(&scene.store, organization).await.unwrap();
    assert!(
        groups.iter().any(|group| *group == build_group(second)) && !groups.iter().any(|it| it.role == first)
    );
}

async fn scim_requests_keep_the_last_failures_and_one_success(database: Database) {
    let scene = Scene::set(database).await;
    let [one, other]: [OrganizationId; 2] = [scene.world.organization, scene.id()];
    let request = |seconds: u32, status: u16| {
        let at = NOW.plus(Lifetime::from_seconds(seconds));
        ScimRequestRow {
            id: ScimRequestId::mint(at, &scene.entropy),
            at,
            actor: "api_key 1".to_owned(),
            method: "POST".to_owned(),
            path: format!("/Groups/{seconds}"),
            status,
            scim_type: (status >= 400).then(|| "uniqueness".to_owned()),
            detail: String::new(),
            target: None,
        }
    };
    let write = async |organization, success: Option<&ScimRequestRow>, failures: &[ScimRequestRow]| {
        let batch = requests::record_scim_requests(organization, success, failures);
        scene.store.commit(batch).await.unwrap().into_result().unwrap();
    };
    let neighbour = request(1, 500);
    write(other, None, std::slice::from_ref(&neighbour)).await;
    let failures: Vec<_> = (0..SCIM_FAILURES_RETAINED_MAX + 5).map(|number| request(number, 409)).collect();
    let [earlier, later] = [request(1, 201), request(2, 200)];
    write(one, Some(&earlier), &failures[..3]).await;
    write(one, Some(&later), &failures[3..]).await;
    let scim_requests = requests::list_failed_scim_requests(&scene.store, one).await.unwrap();
    let expected: Vec<_> = failures[5..].iter().rev().cloned().collect();
    assert_eq!(scim_requests, expected);
    let last = requests::find_last_successful_scim_request(&scene.store, one).await.unwrap();
    assert_eq!(last, Some(later));
    assert_eq!(requests::list_failed_scim_requests(&scene.store, other).await.unwrap(), [neighbour]);
    assert_eq!(requests::find_last_successful_scim_request(&scene.store, other).await.unwrap(), None);
    // What is provisioned is counted without those who were removed.
    let ana = scene.provisioned("ana").await;
    scene.provisioned("rui").await;
    assert_eq!(users::count_provisioned_users(&scene.store, one, 10).await.unwrap(), 2);
    assert_eq!(users::count_provisioned_users(&scene.store, one, 1).await.unwrap(), 1);
    let user = users::find_scim_user(&scene.store, one, ana).await.unwrap().unwrap();
    scene.happens([memberships::change_membership_condition(&user.membership, Ended, NOW)]).await;
    assert_eq!(users::count_provisioned_users(&scene.store, one, 10).await.unwrap(), 1);
    assert_eq!(groups::count_scim_groups(&scene.store, one).await.unwrap(), 0);
}

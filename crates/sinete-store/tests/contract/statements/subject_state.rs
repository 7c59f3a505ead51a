//! Which subjects are active, through which client and grant, and with which permissions, at the time of the
//! query.

use super::{Database, Scene};
use crate::accounts;
use crate::contract::both_engines;
use crate::contract::probe::NOW;
use crate::oauth::clients;
use crate::oauth::clients::{ClientOrigin, NewClient};
use crate::oauth::grants::StoredGrantKind;
use crate::oauth::subject_state;
use crate::oauth::subject_state::{ActingClient, SubjectSnapshot};
use crate::organizations;
use crate::organizations::ConditionChangeReason;
use crate::organizations::api_catalog;
use crate::organizations::api_catalog::ApiOwnership;
use crate::organizations::memberships;
use crate::organizations::memberships::MembershipHolder;
use crate::organizations::roles;
use sinete_core::access_control::Authority;
use sinete_core::access_control::permission_catalog::BuiltInRole;
use sinete_core::access_control::role::Role;
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::access_control::subject::LifecycleCondition::{Enabled, Ended, Suspended};
use sinete_core::access_control::subject::{InactiveSubject, TokenSubject};
use sinete_core::client_id::ClientId;
use sinete_core::id::MembershipId;
use sinete_core::organization_kind::OrganizationKind;
use sinete_core::organizations::api_catalog::ApiDefinition;

both_engines!(
    authority_reflects_the_current_roles_of_a_member,
    role_grants_api_permissions_as_currently_offered,
    grant_confers_authority_only_to_its_client_and_membership,
    suspension_and_restoration_take_effect_at_the_next_read,
    agent_client_acts_for_itself_and_ends_with_its_owner,
    membership_that_is_unclaimed_has_no_authority
);

async fn found(scene: &Scene, membership: MembershipId, through: ActingClient<'_>) -> SubjectSnapshot {
    subject_state::load_subject(&scene.store, membership, through, NOW).await.unwrap().unwrap()
}

async fn covers(scene: &Scene, permission: &str) -> bool {
    let subject_state = found(scene, scene.world.membership, ActingClient::None).await.state;
    Authority::derive(&subject_state.require_active().unwrap()).covers(&permission.parse().unwrap())
}

async fn authority_reflects_the_current_roles_of_a_member(database: Database) {
    let scene = Scene::set(database).await;
    let (membership, organization) = (scene.world.membership, scene.world.organization);
    assert!(covers(&scene, "organization:read").await);
    assert!(!covers(&scene, "invoices:read").await);

    let clerk = Role::new("clerk", ["invoices:*".parse().unwrap()].into_iter().collect()).unwrap();
    let role = scene.id();
    scene
        .happens(api_catalog::create_api(scene.id(), TO_ALL, &invoices(&["read", "send"]), NOW).unwrap())
        .await;
    scene.happens([roles::create_role(role, organization, &clerk, "Keeps the books", NOW)]).await;
    scene.is_refused([roles::create_role(scene.id(), organization, &clerk, "", NOW)], "roles.create").await;
    scene.happens([memberships::add_role(membership, role, NOW)]).await;
    scene.is_refused([memberships::add_role(membership, role, NOW)], "memberships.give_role").await;
    assert!(covers(&scene, "invoices:send").await);
    let subject_state = found(&scene, membership, ActingClient::None).await.state;
    let names: Vec<_> = subject_state.roles.iter().map(Role::name).collect();
    assert_eq!((names, subject_state.organization), (vec!["clerk", "member"], organization));

    let stored = roles::list_roles(&scene.store, organization).await.unwrap();
    let [before, member] = &stored[..] else { panic!("{stored:?}") };
    assert_eq!((&before.role, before.is_built_in, member.is_built_in), (&clerk, false, true));
    let reader = Role::new("clerk", ["invoices:read".parse().unwrap()].into_iter().collect()).unwrap();
    scene.happens([roles::change_role(before, organization, &reader, "Reads the books", NOW)]).await;
    assert!(covers(&scene, "invoices:read").await && !covers(&scene, "invoices:send").await);
    scene.is_refused([roles::remove_role(before, organization, NOW)], "roles.remove").await;
    scene.is_refused([roles::remove_role(member, organization, NOW)], "roles.remove").await;
    let stored = roles::list_roles(&scene.store, organization).await.unwrap();
    scene.happens([roles::remove_role(&stored[0], organization, NOW)]).await;
    assert!(!covers(&scene, "invoices:read").await);
    // A role of another organization grants nothing here.
    let elsewhere = scene.id();
    let foreign = scene.id();
    let statements = [
        scene.world.create_organization(elsewhere).unwrap(),
        roles::create_built_in_role(foreign, elsewhere, BuiltInRole::Owner, NOW),
    ];
    scene.happens(statements).await;
    scene.is_refused([memberships::add_role(membership, foreign, NOW)], "memberships.give_role").await;
    scene.happens([memberships::remove_role(membership, scene.world.role, NOW)]).await;
    assert!(!covers(&scene, "organization:read").await);
}

/// An API of the instance, offered to all.
const TO_ALL: ApiOwnership = ApiOwnership { organization: None, is_offered_to_all: true };

/// An API with these actions on invoices.
fn invoices(actions: &[&str]) -> ApiDefinition {
    let permissions: Vec<_> = actions
        .iter()
        .map(|action| serde_json::json!({"permission": format!("invoices:{action}"), "english": "x"}))
        .collect();
    serde_json::from_value(serde_json::json!({
        "identifier": "https://api.example", "name": "Invoices", "permissions": permissions,
    }))
    .unwrap()
}

async fn role_grants_api_permissions_as_currently_offered(database: Database) {
    let scene = Scene::set(database).await;
    let (membership, organization) = (scene.world.membership, scene.world.organization);
    let permissions = ["invoices:read", "invoices:void", "files:*"].map(|it| it.parse().unwrap());
    let (clerk, role) = (Role::new("clerk", permissions.into_iter().collect()).unwrap(), scene.id());
    scene.happens([roles::create_role(role, organization, &clerk, "", NOW)]).await;
    scene.happens([memberships::add_role(membership, role, NOW)]).await;
    assert!(!covers(&scene, "invoices:read").await && !covers(&scene, "files:read").await);

    let to_some = ApiOwnership { is_offered_to_all: false, ..TO_ALL };
    let api = scene.id();
    scene.happens(api_catalog::create_api(api, to_some, &invoices(&["read", "void"]), NOW).unwrap()).await;
    assert!(!covers(&scene, "invoices:read").await);
    scene.happens([api_catalog::offer_api(api, organization)]).await;
    assert!(covers(&scene, "invoices:read").await && covers(&scene, "invoices:void").await);
    assert!(covers(&scene, "organization:read").await && !covers(&scene, "files:read").await);

    let stored = api_catalog::find_api(&scene.store, api).await.unwrap().unwrap();
    scene.happens(api_catalog::change_api(&stored, false, &invoices(&["read"])).unwrap()).await;
    assert!(covers(&scene, "invoices:read").await && !covers(&scene, "invoices:void").await);
    scene.happens([api_catalog::withdraw_api_offer(api, organization)]).await;
    assert!(!covers(&scene, "invoices:read").await);
    scene.happens([api_catalog::offer_api(api, organization)]).await;
    assert!(covers(&scene, "invoices:read").await);
    let stored = api_catalog::find_api(&scene.store, api).await.unwrap().unwrap();
    scene.happens([api_catalog::change_api_condition(&stored, Ended)]).await;
    assert!(!covers(&scene, "invoices:read").await && covers(&scene, "organization:read").await);
}

async fn grant_confers_authority_only_to_its_client_and_membership(database: Database) {
    let scene = Scene::set(database).await;
    let (world, grant) = (&scene.world, scene.grant(StoredGrantKind::Code).await);
    let snapshot = found(&scene, world.membership, ActingClient::Grant(&world.client, grant)).await;
    assert_eq!(snapshot.client_version, Some(1));
    assert_eq!(snapshot.organization_kind, OrganizationKind::Customer);
    let subject = TokenSubject::User { account: world.account, membership: world.membership };
    assert_eq!(snapshot.state.require_active().unwrap().subject(), &subject);

    let (client_id, colleague) = (ClientId::mint(NOW, &scene.entropy), scene.id());
    let (other, nobodys) = (scene.id(), scene.id());
    let statements = [
        accounts::create_account(other, None, &world.empty_document, NOW),
        world.create_membership(colleague, &MembershipHolder::User(other)),
        client(&scene, &client_id, None),
    ];
    scene.happens(statements).await;
    for (membership, client, grant) in [
        (world.membership, &client_id, grant),
        (colleague, &world.client, grant),
        (world.membership, &world.client, nobodys),
    ] {
        let subject_state = found(&scene, membership, ActingClient::Grant(client, grant)).await.state;
        assert_eq!(subject_state.require_active().unwrap_err(), InactiveSubject::Grant(Ended));
    }
    let unknown = ClientId::mint(NOW, &scene.entropy);
    let subject_state = found(&scene, world.membership, ActingClient::Client(&unknown)).await.state;
    assert_eq!(subject_state.require_active().unwrap_err(), InactiveSubject::Client(Ended));
    assert!(
        found(&scene, world.membership, ActingClient::Client(&client_id))
            .await
            .state
            .require_active()
            .is_ok()
    );
}

async fn suspension_and_restoration_take_effect_at_the_next_read(database: Database) {
    let scene = Scene::set(database).await;
    let (world, grant) = (&scene.world, scene.grant(StoredGrantKind::Code).await);
    let through = ActingClient::Grant(&world.client, grant);
    let because = ConditionChangeReason { actor: "system", reason: "unpaid" };
    let id = world.organization;
    scene.happens([organizations::change_organization_condition(id, 1, Suspended, because, NOW)]).await;
    let subject_state = found(&scene, world.membership, through).await.state;
    assert_eq!(subject_state.require_active().unwrap_err(), InactiveSubject::Organization(Suspended));
    let organization = organizations::find_organization(&scene.store, id, NOW).await.unwrap().unwrap();
    assert_eq!((organization.condition, organization.condition_reason.as_str()), (Suspended, "unpaid"));
    // While suspended, it accepts no change.
    let role = Role::new("clerk", std::iter::empty().collect()).unwrap();
    scene.is_refused([roles::create_role(scene.id(), id, &role, "", NOW)], "roles.create").await;
    scene
        .is_refused([organizations::advance_organization_version(id, 2, NOW)], "organizations.advance")
        .await;
    let newcomer = world.create_membership(scene.id(), &MembershipHolder::Unclaimed);
    scene.is_refused([newcomer], "memberships.create").await;
    // Restoring requires the current version.
    let stale = organizations::change_organization_condition(id, 1, Enabled, because, NOW);
    scene.is_refused([stale], "organizations.change_condition").await;
    scene.happens([organizations::change_organization_condition(id, 2, Enabled, because, NOW)]).await;
    assert!(found(&scene, world.membership, through).await.state.require_active().is_ok());

    scene.happens([accounts::change_account_condition(world.account, 1, Suspended, NOW)]).await;
    let subject_state = found(&scene, world.membership, through).await.state;
    assert_eq!(subject_state.require_active().unwrap_err(), InactiveSubject::Account(Suspended));
    scene.happens([accounts::change_account_condition(world.account, 2, Enabled, NOW)]).await;
    assert!(found(&scene, world.membership, through).await.state.require_active().is_ok());
    scene.happens([accounts::change_account_condition(world.account, 3, Ended, NOW)]).await;
    let restoration = accounts::change_account_condition(world.account, 4, Enabled, NOW);
    scene.is_refused([restoration], "accounts.change_condition").await;
}

fn client(scene: &Scene, id: &ClientId, owner: Option<MembershipId>) -> crate::GuardedStatement {
    clients::create_client(&NewClient {
        id,
        kind: sinete_core::client_id::ClientKind::Agent,
        origin: ClientOrigin::Organization(scene.world.organization),
        name: "Agent",
        purpose: "Sorts mail",
        owner,
        scope: &ScopeSet::default(),
        metadata: &scene.world.empty_document,
        created_at: NOW,
    })
}

async fn agent_client_acts_for_itself_and_ends_with_its_owner(database: Database) {
    let scene = Scene::set(database).await;
    let (agent, membership) = (ClientId::mint(NOW, &scene.entropy), scene.id());
    let holder = MembershipHolder::Machine(agent.clone());
    let statements = [
        client(&scene, &agent, Some(scene.world.membership)),
        scene.world.create_membership(membership, &holder),
        memberships::add_role(membership, scene.world.role, NOW),
    ];
    scene.happens(statements).await;
    let member =
        memberships::find_client_membership(&scene.store, scene.world.organization, &agent).await.unwrap();
    assert_eq!(member.map(|it| (it.id, it.holder)), Some((membership, holder)));
    for through in
        [ActingClient::None, ActingClient::Client(&agent), ActingClient::Client(&scene.world.client)]
    {
        let subject = found(&scene, membership, through).await.state.require_active().unwrap();
        assert_eq!(subject.subject(), &TokenSubject::Machine { client: agent.clone(), membership });
    }
    let client = clients::find_client(&scene.store, &agent).await.unwrap().unwrap();
    assert_eq!((client.owner, client.condition, client.version), (Some(scene.world.membership), Enabled, 1));

    scene.happens([accounts::change_account_condition(scene.world.account, 1, Suspended, NOW)]).await;
    for through in
        [ActingClient::None, ActingClient::Client(&agent), ActingClient::Client(&scene.world.client)]
    {
        let subject_state = found(&scene, membership, through).await.state;
        assert_eq!(subject_state.require_active().unwrap_err(), InactiveSubject::Account(Suspended));
    }
    scene.happens([accounts::change_account_condition(scene.world.account, 2, Enabled, NOW)]).await;
    assert!(found(&scene, membership, ActingClient::None).await.state.require_active().is_ok());
    scene.happens([clients::change_client_condition(&agent, 1, Ended, NOW)]).await;
    let subject_state = found(&scene, membership, ActingClient::None).await.state;
    assert_eq!(subject_state.require_active().unwrap_err(), InactiveSubject::Account(Ended));
}

async fn membership_that_is_unclaimed_has_no_authority(database: Database) {
    let scene = Scene::set(database).await;
    let unclaimed_membership = scene.id();
    scene.happens([scene.world.create_membership(unclaimed_membership, &MembershipHolder::Unclaimed)]).await;
    let snapshot = subject_state::load_subject(&scene.store, unclaimed_membership, ActingClient::None, NOW)
        .await
        .unwrap();
    assert!(snapshot.is_none());
    let subject_snapshot =
        subject_state::load_subject(&scene.store, scene.id(), ActingClient::None, NOW).await.unwrap();
    assert!(subject_snapshot.is_none());
    let elsewhere = scene.id();
    assert_eq!(memberships::find_membership(&scene.store, elsewhere, unclaimed_membership).await, Ok(None));
    assert!(
        memberships::find_membership(&scene.store, scene.world.organization, unclaimed_membership)
            .await
            .unwrap()
            .is_some()
    );
}

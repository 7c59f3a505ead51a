//! A change, its event and its audit log entry are atomic: all exist, or none.

use crate::both_engines;
use crate::clients::{application, service};
use crate::database::Database;
use crate::fixture::{World, api};
use sinete_core::id::{EventId, OrganizationId};
use sinete_core::time::Lifetime;
use sinete_engine::Engine;
use sinete_engine::access_control::admin_scope::AdminScope;
use sinete_engine::access_control::instance_admin::InstanceAdmin;
use sinete_engine::access_control::organization_access::OrganizationAccess;
use sinete_engine::oauth::clients;
use sinete_engine::organizations::{api_catalog, assignments, invitations};
use std::collections::BTreeMap;

both_engines!(
    management_changes_are_recorded_in_security_log_and_audit_log_under_one_id,
    management_changes_fail_when_the_audit_log_cannot_be_written
);

/// What was recorded before a change.
struct Known {
    events: BTreeMap<EventId, String>,
    rows: i64,
}

/// Everything that the changes need.
struct Scene {
    world: World,
    organization: OrganizationId,
    inside: OrganizationAccess,
    operating: InstanceAdmin,
    holder: sinete_core::id::MembershipId,
    member: sinete_core::id::RoleId,
}

impl Scene {
    async fn new(database: Database) -> Self {
        let world = World::new(database).await;
        let organization = world.organization("acme").await;
        let owner = world.person("acme", &["owner"]).await;
        let holder = world.person("operator", &["operator"]).await.membership;
        let member = world.role("acme", "member").await;
        let (inside, instance_admin) = (world.acting(&owner, "acme").await, world.system_operating().await);
        Self { world, organization, inside, operating: instance_admin, holder, member }
    }

    fn here(&self) -> AdminScope<'_> {
        AdminScope::Organization(&self.inside)
    }

    fn engine(&self) -> &Engine {
        &self.world.engine
    }

    fn api(&self, permission: &str) -> api_catalog::NewApi {
        api_catalog::NewApi { id: None, is_offered_to_all: false, definition: api(&[permission]) }
    }

    fn invitation(&self, address: &str) -> invitations::InvitationRequest {
        let address = address.parse().unwrap();
        let membership = invitations::InvitedMembership::New(vec![self.member]);
        invitations::InvitationRequest { address, membership, lifetime: None, language: None }
    }

    fn assignment(&self) -> assignments::AssignmentRequest {
        assignments::AssignmentRequest {
            task: assignments::OperatorAssignmentKind::Administer,
            holder: self.holder,
            organization: "acme".to_owned(),
            reason: "Ticket 1".to_owned(),
            ends_at: self.world.now().plus(Lifetime::from_hours(1)),
        }
    }

    /// Asserts that there is one new event of this kind, and one new audit log entry, of this organization.
    async fn recorded(&self, before: &mut Known, kind: &str, audit_log: OrganizationId) {
        let (events, rows) = (self.world.events().await, self.world.records().await.1);
        let mut new = events.iter().filter(|(id, _)| !before.events.contains_key(id));
        let (id, newest) = new.next().unwrap_or_else(|| panic!("no event was recorded: {kind}"));
        assert_eq!((newest.as_str(), new.next(), rows), (kind, None, before.rows + 1));
        assert!(
            self.world
                .list_audit_entries(audit_log)
                .await
                .iter()
                .any(|entry| entry.id == *id && entry.kind == kind)
        );
        *before = Known { events, rows };
    }
}

async fn management_changes_are_recorded_in_security_log_and_audit_log_under_one_id(database: Database) {
    let scene = Scene::new(database).await;
    let (engine, admin_scope, instance_admin) = (scene.engine(), scene.here(), &scene.operating);
    let (acme, operators) = (scene.organization, scene.world.id_of("operator").await);
    crate::apis::proves(&scene.world, "acme", &["invoices.example"]).await;
    let mut known_records = Known { events: scene.world.events().await, rows: scene.world.records().await.1 };

    let api_row = api_catalog::create(engine, admin_scope, &scene.api("invoices:read")).await.unwrap();
    scene.recorded(&mut known_records, "api.created", acme).await;
    let change = api_catalog::ApiChange { is_offered_to_all: None, definition: api(&["invoices:send"]) };
    let api = api_catalog::change(engine, admin_scope, api_row.id, api_row.version, &change).await.unwrap();
    scene.recorded(&mut known_records, "api.changed", acme).await;
    api_catalog::remove(engine, admin_scope, api.id, api.version).await.unwrap();
    scene.recorded(&mut known_records, "api.removed", acme).await;
    let wide =
        api_catalog::create(engine, AdminScope::Instance(instance_admin), &scene.api("files:read")).await;
    let wide = wide.unwrap();
    scene.recorded(&mut known_records, "api.created", operators).await;
    api_catalog::offer_to_organization(engine, instance_admin, wide.id, "acme").await.unwrap();
    scene.recorded(&mut known_records, "api.changed", acme).await;
    api_catalog::withdraw_offer(engine, instance_admin, wide.id, "acme").await.unwrap();
    scene.recorded(&mut known_records, "api.changed", acme).await;

    let request = clients::NewClientRequest { roles: vec![scene.member], ..service() };
    let client = clients::create(engine, admin_scope, &request).await.unwrap().overview.client;
    scene.recorded(&mut known_records, "client.created", acme).await;
    let change = clients::ClientUpdate {
        purpose: "Counts".to_owned(),
        owner: None,
        roles: None,
        expected_roles: Vec::new(),
        metadata: client.metadata.parse().unwrap(),
    };
    clients::change(engine, admin_scope, &client.id, client.version, &change).await.unwrap();
    scene.recorded(&mut known_records, "client.changed", acme).await;
    let secret = clients::list_secrets(engine, admin_scope, &client.id).await.unwrap().remove(0).id;
    clients::add_secret(engine, admin_scope, &client.id, None).await.unwrap();
    scene.recorded(&mut known_records, "client_secret.added", acme).await;
    clients::revoke_secret(engine, admin_scope, &client.id, &secret).await.unwrap();
    scene.recorded(&mut known_records, "client_secret.revoked", acme).await;
    clients::set_verified(engine, instance_admin, &client.id, true).await.unwrap();
    scene.recorded(&mut known_records, "client.verified", acme).await;
    clients::disable(engine, admin_scope, &client.id).await.unwrap();
    scene.recorded(&mut known_records, "client.disabled", acme).await;
    clients::enable(engine, admin_scope, &client.id).await.unwrap();
    scene.recorded(&mut known_records, "client.enabled", acme).await;
    clients::remove(engine, admin_scope, &client.id).await.unwrap();
    scene.recorded(&mut known_records, "client.removed", acme).await;
    let portal = clients::create(engine, AdminScope::Instance(instance_admin), &application()).await;
    let portal = portal.unwrap().overview.client.id;
    scene.recorded(&mut known_records, "client.created", operators).await;
    clients::set_verified(engine, instance_admin, &portal, true).await.unwrap();
    scene.recorded(&mut known_records, "client.verified", operators).await;

    let invited = invitations::invite(engine, &scene.inside, &scene.invitation("a@example.com")).await;
    scene.recorded(&mut known_records, "invitation.sent", acme).await;
    invitations::revoke(engine, &scene.inside, invited.unwrap().id).await.unwrap();
    scene.recorded(&mut known_records, "invitation.revoked", acme).await;
    let assignment = assignments::create(engine, instance_admin, &scene.assignment()).await.unwrap();
    scene.recorded(&mut known_records, "assignment.made", acme).await;
    assignments::end(engine, instance_admin, assignment.assignment.id).await.unwrap();
    scene.recorded(&mut known_records, "assignment.ended", acme).await;
}

/// The rows that could have been changed.
const ROWS: &str = "SELECT (SELECT count(*) FROM apis) + (SELECT count(*) FROM clients) \
    + (SELECT count(*) FROM client_secrets) + (SELECT count(*) FROM memberships) \
    + (SELECT count(*) FROM invitations) + (SELECT count(*) FROM outbox) \
    + (SELECT count(*) FROM assignments) + (SELECT count(*) FROM security_log) \
    + (SELECT count(*) FROM api_offers) + (SELECT count(*) FROM attempt_counters)";

async fn management_changes_fail_when_the_audit_log_cannot_be_written(database: Database) {
    let scene = Scene::new(database).await;
    let (engine, admin_scope, instance_admin) = (scene.engine(), scene.here(), &scene.operating);
    let wide =
        api_catalog::create(engine, AdminScope::Instance(instance_admin), &scene.api("files:read")).await;
    let wide = wide.unwrap();
    let client = clients::create(engine, admin_scope, &application()).await.unwrap().overview.client.id;
    crate::apis::proves(&scene.world, "acme", &["invoices.example"]).await;
    scene.world.database.run("ALTER TABLE audit RENAME TO away").await;
    let rows = scene.world.database.number(ROWS).await;
    assert!(api_catalog::create(engine, admin_scope, &scene.api("invoices:read")).await.is_err());
    assert!(api_catalog::offer_to_organization(engine, instance_admin, wide.id, "acme").await.is_err());
    assert!(clients::create(engine, admin_scope, &application()).await.is_err());
    assert!(clients::add_secret(engine, admin_scope, &client, None).await.is_err());
    assert!(clients::disable(engine, admin_scope, &client).await.is_err());
    let request = scene.invitation("a@example.com");
    assert!(invitations::invite(engine, &scene.inside, &request).await.is_err());
    assert!(assignments::create(engine, instance_admin, &scene.assignment()).await.is_err());
    assert_eq!(scene.world.database.number(ROWS).await, rows);
    scene.world.database.run("ALTER TABLE away RENAME TO audit").await;
    let overview = clients::show(engine, admin_scope, &client).await.unwrap();
    assert_eq!(overview.client.condition, sinete_core::access_control::subject::LifecycleCondition::Enabled);
    assert!(invitations::invite(engine, &scene.inside, &request).await.is_ok());
}

//! Clients and agents: who may add, change, disable and remove them, and what they may never request.

use crate::both_engines;
use crate::database::Database;
use crate::fixture::{World, api, faults, refused};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::client_id::ClientKind;
use sinete_core::events::security_event::RequestOrigin;
use sinete_core::oauth::client_metadata::ClientMetadata;
use sinete_core::refusal::RefusalCode::{
    InsufficientScope, InvalidToken, NotFound, OrganizationSuspended, PreconditionFailed,
};
use sinete_core::time::Lifetime;
use sinete_engine::access_control::admin_scope::AdminScope;
use sinete_engine::oauth::caller_authentication;
use sinete_engine::oauth::clients;
use sinete_engine::oauth::clients::{ClientUpdate, NewClientRequest};
use sinete_engine::organizations::{api_catalog, assignments, members, roles};
use sinete_store::organizations::memberships::MembershipHolder;

both_engines!(
    client_management_is_limited_to_the_own_organization,
    client_management_by_operators_covers_instance_clients,
    agent_client_has_an_owner_a_purpose_and_can_be_disabled,
    service_client_roles_are_limited_to_what_its_creator_may_grant,
    client_authentication_of_a_more_privileged_client_cannot_be_changed,
    built_in_permissions_are_granted_only_to_trusted_clients,
    client_management_of_a_suspended_organization_is_refused
);

/// Client metadata.
pub fn metadata(text: &str) -> ClientMetadata {
    let mut metadata: ClientMetadata = serde_json::from_str(text).unwrap();
    if metadata.client_name.is_empty() {
        metadata.client_name = "Client".to_owned();
    }
    metadata
}

/// An application with a redirect URI.
pub fn application() -> NewClientRequest {
    NewClientRequest {
        id: None,
        kind: ClientKind::Application,
        purpose: String::new(),
        owner: None,
        roles: Vec::new(),
        is_verified: false,
        secret: None,
        registration: None,
        metadata: metadata(r#"{"redirect_uris": ["https://app.example/cb"]}"#),
    }
}

/// A service that acts for itself.
pub fn service() -> NewClientRequest {
    NewClientRequest {
        kind: ClientKind::Service,
        metadata: metadata(r#"{"grant_types": ["client_credentials"]}"#),
        ..application()
    }
}

fn as_it_is(overview: &clients::ClientOverview) -> ClientUpdate {
    ClientUpdate {
        purpose: overview.client.purpose.clone(),
        owner: overview.client.owner,
        roles: None,
        expected_roles: overview.role_ids(),
        metadata: overview.client.metadata.parse().unwrap(),
    }
}

async fn client_management_is_limited_to_the_own_organization(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    world.organization("other").await;
    let engine = &world.engine;
    let admin = world.person("acme", &["admin"]).await;
    let (inside, user) = (world.acting(&admin, "acme").await, world.person("other", &["owner"]).await);
    let (admin_scope, elsewhere) = (AdminScope::Organization(&inside), world.acting(&user, "other").await);
    let elsewhere = AdminScope::Organization(&elsewhere);

    let client = clients::create(engine, admin_scope, &application()).await.unwrap();
    let (id, version) = (client.overview.client.id.clone(), client.overview.client.version);
    assert!(id.is_minted() && client.secret.is_some() && client.overview.member.is_none());
    assert_eq!(
        client.overview.client.scope.to_string(),
        "openid profile email address phone groups roles offline_access"
    );
    let client_rows = clients::list(engine, admin_scope, None, 50).await.unwrap();
    assert_eq!(client_rows, std::slice::from_ref(&client.overview.client));

    assert!(clients::list(engine, elsewhere, None, 50).await.unwrap().is_empty());
    assert_eq!(refused(clients::show(engine, elsewhere, &id).await), NotFound);
    let change = as_it_is(&client.overview);
    assert_eq!(refused(clients::change(engine, elsewhere, &id, version, &change).await), NotFound);
    for turned in [
        clients::disable(engine, elsewhere, &id).await,
        clients::enable(engine, elsewhere, &id).await,
        clients::remove(engine, elsewhere, &id).await,
    ] {
        assert_eq!(refused(turned), NotFound);
    }
    assert_eq!(refused(clients::add_secret(engine, elsewhere, &id, None).await), NotFound);
    assert_eq!(refused(clients::list_secrets(engine, elsewhere, &id).await), NotFound);

    // Each permission is checked separately.
    let reader = world.narrow_key("acme", &admin, "clients:read").await;
    let reader = world.acting(&reader, "acme").await;
    let reader = AdminScope::Organization(&reader);
    assert!(clients::show(engine, reader, &id).await.is_ok());
    assert_eq!(refused(clients::create(engine, reader, &application()).await), InsufficientScope);
    assert_eq!(refused(clients::change(engine, reader, &id, version, &change).await), InsufficientScope);
    assert_eq!(refused(clients::disable(engine, reader, &id).await), InsufficientScope);
    assert_eq!(refused(clients::add_secret(engine, reader, &id, None).await), InsufficientScope);

    let mut change = as_it_is(&client.overview);
    change.metadata.client_name = "Renamed".to_owned();
    let after = clients::change(engine, admin_scope, &id, version, &change).await.unwrap();
    assert_eq!((after.overview.client.name.as_str(), after.secret.is_none()), ("Renamed", true));
    assert_eq!(
        refused(clients::change(engine, admin_scope, &id, version, &change).await),
        PreconditionFailed
    );
    clients::remove(engine, admin_scope, &id).await.unwrap();
    assert_eq!(refused(clients::show(engine, admin_scope, &id).await), NotFound);

    // Only operators may choose an id, verify a client, or provide a secret.
    let choosy = NewClientRequest {
        id: Some("chosen".parse().unwrap()),
        is_verified: true,
        secret: Some(sinete_core::secret::Digest::from_bytes([1; 32])),
        ..application()
    };
    assert_eq!(faults(clients::create(engine, admin_scope, &choosy).await), ["/secret", "/id", "/verified"]);
    let wrong =
        NewClientRequest { metadata: metadata(r#"{"logo_uri": "http://x.example"}"#), ..application() };
    let places = faults(clients::create(engine, admin_scope, &wrong).await);
    assert_eq!(places, ["/metadata/redirect_uris", "/metadata/logo_uri"]);
}

async fn client_management_by_operators_covers_instance_clients(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let engine = &world.engine;
    let operator = world.person("operator", &["operator"]).await;
    let instance_admin = world.operating(&operator).await;
    let instance = AdminScope::Instance(&instance_admin);
    let request =
        NewClientRequest { id: Some("portal".parse().unwrap()), is_verified: true, ..application() };
    let client = clients::create(engine, instance, &request).await.unwrap();
    assert_eq!(client.overview.client.origin, clients::ClientOrigin::Operator);
    assert!(client.overview.client.verified_at.is_some());
    assert_eq!(client.overview.client.id.as_str(), "portal");
    // A client of the instance has no organization to act in.
    assert_eq!(faults(clients::create(engine, instance, &service()).await), ["/roles"]);

    let owner = world.person("acme", &["owner"]).await;
    let inside = world.acting(&owner, "acme").await;
    let id = &client.overview.client.id;
    assert_eq!(refused(clients::show(engine, AdminScope::Organization(&inside), id).await), NotFound);
    let instance_admin = world.operating(&owner).await;
    let admin_scope = AdminScope::Instance(&instance_admin);
    assert_eq!(refused(clients::list(engine, admin_scope, None, 50).await), InsufficientScope);
    assert_eq!(refused(clients::create(engine, admin_scope, &application()).await), InsufficientScope);
    assert_eq!(refused(clients::disable(engine, admin_scope, id).await), InsufficientScope);
    // An operator does not manage the clients of an organization.
    let result = clients::create(engine, AdminScope::Organization(&inside), &application()).await;
    let client_id = result.unwrap().overview.client.id;
    assert_eq!(refused(clients::disable(engine, instance, &client_id).await), NotFound);
    assert_eq!(clients::list(engine, instance, None, 50).await.unwrap().len(), 1);
}

async fn agent_client_has_an_owner_a_purpose_and_can_be_disabled(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let engine = &world.engine;
    let (owner, admin) = (world.person("acme", &["owner"]).await, world.person("acme", &["admin"]).await);
    let inside = world.acting(&owner, "acme").await;
    let admin_scope = AdminScope::Organization(&inside);
    let member = world.role("acme", "member").await;
    let agent = NewClientRequest { kind: ClientKind::Agent, roles: vec![member], ..service() };
    assert_eq!(faults(clients::create(engine, admin_scope, &agent).await), ["/purpose", "/owner"]);
    let agent =
        NewClientRequest { purpose: "Reads the mail".to_owned(), owner: Some(admin.membership), ..agent };
    let user = world.person("operator", &["owner"]).await;
    let foreign = NewClientRequest { owner: Some(user.membership), ..agent.clone() };
    assert_eq!(faults(clients::create(engine, admin_scope, &foreign).await), ["/owner"]);
    let service = NewClientRequest { kind: ClientKind::Service, ..agent.clone() };
    assert_eq!(faults(clients::create(engine, admin_scope, &service).await), ["/owner"]);
    // Agents have a permission of their own.
    let without = world.narrow_key("acme", &admin, "clients:create clients:manage organization:read").await;
    let without = world.acting(&without, "acme").await;
    let result = clients::create(engine, AdminScope::Organization(&without), &agent).await;
    assert_eq!(refused(result), InsufficientScope);

    let client = clients::create(engine, admin_scope, &agent).await.unwrap();
    let (id, machine) = (client.overview.client.id, client.overview.member.unwrap().membership);
    assert_eq!(machine.holder, MembershipHolder::Machine(id.clone()));
    let stopped = clients::disable(engine, AdminScope::Organization(&without), &id).await;
    assert_eq!(refused(stopped), InsufficientScope);
    let key = world.key_of("acme", machine.id).await;
    let counts =
        async || caller_authentication::authenticate_caller(engine, &key, RequestOrigin::default()).await;
    assert!(counts().await.is_ok());
    clients::disable(engine, admin_scope, &id).await.unwrap();
    assert_eq!(refused(counts().await), InvalidToken);
    clients::enable(engine, admin_scope, &id).await.unwrap();
    assert!(counts().await.is_ok());
    // Without an active owner it is inactive.
    members::disable(engine, &inside, admin.membership).await.unwrap();
    assert_eq!(refused(counts().await), InvalidToken);
    members::enable(engine, &inside, admin.membership).await.unwrap();
    assert!(counts().await.is_ok());
    clients::remove(engine, admin_scope, &id).await.unwrap();
    assert_eq!(refused(counts().await), InvalidToken);
    assert_eq!(refused(members::show(engine, &inside, machine.id).await), NotFound);
    assert_eq!(refused(clients::enable(engine, admin_scope, &id).await), NotFound);
}

async fn service_client_roles_are_limited_to_what_its_creator_may_grant(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    world.organization("other").await;
    let engine = &world.engine;
    let (owner, admin) = (world.person("acme", &["owner"]).await, world.person("acme", &["admin"]).await);
    let (by_owner, by_admin) = (world.acting(&owner, "acme").await, world.acting(&admin, "acme").await);
    let (by_owner, by_admin) = (AdminScope::Organization(&by_owner), AdminScope::Organization(&by_admin));
    assert_eq!(faults(clients::create(engine, by_owner, &service()).await), ["/roles"]);
    let with = |role| NewClientRequest { roles: vec![role], ..service() };
    let owners = with(world.role("acme", "owner").await);
    assert_eq!(refused(clients::create(engine, by_admin, &owners).await), InsufficientScope);
    let foreign = with(world.role("other", "member").await);
    refused(clients::create(engine, by_owner, &foreign).await);
    assert_eq!(world.database.number("SELECT count(*) FROM clients").await, 0);

    let result = clients::create(engine, by_admin, &with(world.role("acme", "member").await)).await;
    let client = result.unwrap();
    let names: Vec<_> =
        client.overview.member.iter().flat_map(|it| &it.roles).map(|it| it.role.name()).collect();
    assert_eq!(names, ["member"]);
    // Later role changes follow the same rule, in the same transaction as other changes.
    let raise =
        ClientUpdate { roles: Some(vec![world.role("acme", "owner").await]), ..as_it_is(&client.overview) };
    let (id, version) = (&client.overview.client.id, client.overview.client.version);
    assert_eq!(refused(clients::change(engine, by_admin, id, version, &raise).await), InsufficientScope);
    let raise =
        ClientUpdate { roles: Some(vec![world.role("acme", "admin").await]), ..as_it_is(&client.overview) };
    let after = clients::change(engine, by_admin, id, version, &raise).await.unwrap().overview;
    assert_eq!(after.member.as_ref().unwrap().roles[0].role.name(), "admin");
    // A change based on outdated roles is a conflict.
    let late = ClientUpdate { roles: Some(Vec::new()), ..as_it_is(&client.overview) };
    assert_eq!(refused(clients::change(engine, by_admin, id, version + 1, &late).await), PreconditionFailed);
    let none = ClientUpdate { roles: Some(Vec::new()), ..as_it_is(&after) };
    assert_eq!(faults(clients::change(engine, by_admin, id, version + 1, &none).await), ["/roles"]);
}

async fn client_authentication_of_a_more_privileged_client_cannot_be_changed(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let engine = &world.engine;
    let (owner, admin) = (world.person("acme", &["owner"]).await, world.person("acme", &["admin"]).await);
    let by_owner = world.acting(&owner, "acme").await;
    let new_api =
        api_catalog::NewApi { id: None, is_offered_to_all: false, definition: api(&["invoices:read"]) };
    crate::apis::proves(&world, "acme", &["invoices.example"]).await;
    api_catalog::create(engine, AdminScope::Organization(&by_owner), &new_api).await.unwrap();
    let (by_owner, by_admin) = (world.system_in("acme").await, world.acting(&admin, "acme").await);
    let clerk = roles::RoleDraft {
        name: "clerk".to_owned(),
        description: String::new(),
        permissions: ["invoices:read".parse().unwrap()].into_iter().collect(),
    };
    let clerk = roles::create(engine, &by_owner, &clerk).await.unwrap().id;
    let (by_owner, by_admin) = (AdminScope::Organization(&by_owner), AdminScope::Organization(&by_admin));
    let result =
        clients::create(engine, by_owner, &NewClientRequest { roles: vec![clerk], ..service() }).await;
    let overview = result.unwrap().overview;
    let (id, version) = (&overview.client.id, overview.client.version);
    let records = world.records().await;
    assert_eq!(refused(clients::add_secret(engine, by_admin, id, None).await), InsufficientScope);
    for proof in [
        r#"{"token_endpoint_auth_method": "private_key_jwt", "grant_types": ["client_credentials"],
            "jwks": {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AA"}]}}"#,
        r#"{"token_endpoint_auth_method": "client_secret_post", "grant_types": ["client_credentials"]}"#,
    ] {
        let change = ClientUpdate { metadata: metadata(proof), ..as_it_is(&overview) };
        assert_eq!(refused(clients::change(engine, by_admin, id, version, &change).await), InsufficientScope);
    }
    assert_eq!(world.records().await, records);
    // Renaming does not require the client's permissions, and an actor who holds them may do everything.
    let mut change = as_it_is(&overview);
    change.metadata.client_name = "Renamed".to_owned();
    let after = clients::change(engine, by_admin, id, version, &change).await.unwrap().overview;
    assert!(clients::add_secret(engine, by_owner, id, None).await.is_ok());
    let proof = r#"{"token_endpoint_auth_method": "private_key_jwt", "grant_types": ["client_credentials"],
        "jwks": {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AA"}]}}"#;
    let change = ClientUpdate { metadata: metadata(proof), ..as_it_is(&after) };
    clients::change(engine, by_owner, id, after.client.version, &change).await.unwrap();
    // A client with another authentication method has no secret, and gets one when it needs one again.
    assert!(clients::list_secrets(engine, by_owner, id).await.unwrap().is_empty());
    let current_overview = clients::show(engine, by_owner, id).await.unwrap();
    let change = ClientUpdate {
        metadata: metadata(r#"{"grant_types": ["client_credentials"]}"#),
        ..as_it_is(&current_overview)
    };
    let result = clients::change(engine, by_owner, id, current_overview.client.version, &change).await;
    assert!(result.unwrap().secret.is_some());
}

async fn built_in_permissions_are_granted_only_to_trusted_clients(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let engine = &world.engine;
    let owner = world.person("acme", &["owner"]).await;
    let operator = world.person("operator", &["operator"]).await;
    let (inside, instance_admin) = (world.acting(&owner, "acme").await, world.operating(&operator).await);
    let admin_scope = AdminScope::Organization(&inside);
    let build_metadata = |scope: &str| {
        metadata(&format!(r#"{{"redirect_uris": ["https://app.example/cb"], "scope": "{scope}"}}"#))
    };
    for scope in ["openid members:read", "instance:operate", "organizations:administer", "members:*"] {
        let request = NewClientRequest { metadata: build_metadata(scope), ..application() };
        assert_eq!(
            faults(clients::create(engine, admin_scope, &request).await),
            ["/metadata/scope"],
            "{scope}"
        );
    }
    let modest = NewClientRequest { metadata: build_metadata("openid invoices:read"), ..application() };
    let overview = clients::create(engine, admin_scope, &modest).await.unwrap().overview;
    let id = &overview.client.id;
    let unprivileged_admin = world.operating(&owner).await;
    assert_eq!(
        refused(clients::set_verified(engine, &unprivileged_admin, id, true).await),
        InsufficientScope
    );
    let verified = clients::set_verified(engine, &instance_admin, id, true).await.unwrap();
    assert_eq!(verified.verified_at, Some(instance_admin.now()));
    // The organization's audit log records the verification.
    let log_entry = world.list_audit_entries(inside.organization.id).await.pop().unwrap();
    assert_eq!(
        (log_entry.kind.as_str(), log_entry.subject_id.as_deref()),
        ("client.verified", Some(id.as_str()))
    );

    // Widening a verified client requires permission to verify it: an owner may not, an operator in their
    // organization may.
    let change =
        ClientUpdate { metadata: build_metadata("openid invoices:read members:read"), ..as_it_is(&overview) };
    let by_owner = clients::change(engine, admin_scope, id, verified.version, &change).await;
    assert_eq!(faults(by_owner), ["/metadata/scope"]);
    let assigned = assignments::AssignmentRequest {
        task: assignments::OperatorAssignmentKind::Administer,
        holder: operator.membership,
        organization: "acme".to_owned(),
        reason: "they asked for it".to_owned(),
        ends_at: world.now().plus(Lifetime::from_hours(8)),
    };
    let other = world.person("operator", &["operator"]).await;
    assignments::create(engine, &world.operating(&other).await, &assigned).await.unwrap();
    let assigned = world.acting(&operator, "acme").await;
    let admin_scope = AdminScope::Organization(&assigned);
    let changed = clients::change(engine, admin_scope, id, verified.version, &change).await.unwrap();
    assert_eq!(changed.overview.client.scope.to_string(), "openid invoices:read members:read");
    // Withdrawing the verification removes what only verified clients may have.
    let after = clients::set_verified(engine, &instance_admin, id, false).await.unwrap();
    assert_eq!((after.verified_at, after.scope.to_string()), (None, "openid invoices:read".to_owned()));
    let stored: ClientMetadata = after.metadata.parse().unwrap();
    assert_eq!(stored.scope.unwrap().to_string(), "openid invoices:read");
}

async fn client_management_of_a_suspended_organization_is_refused(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let engine = &world.engine;
    let owner = world.person("acme", &["owner"]).await;
    let before = world.acting(&owner, "acme").await;
    let result = clients::create(engine, AdminScope::Organization(&before), &application()).await;
    let overview = result.unwrap().overview;
    let (id, version) = (&overview.client.id, overview.client.version);
    world.put("acme", LifecycleCondition::Suspended).await;
    let after = world.acting(&owner, "acme").await;
    let records = world.records().await;
    for access in [&before, &after] {
        let admin_scope = AdminScope::Organization(access);
        assert_eq!(
            refused(clients::create(engine, admin_scope, &application()).await),
            OrganizationSuspended
        );
        let change = clients::change(engine, admin_scope, id, version, &as_it_is(&overview)).await;
        assert_eq!(refused(change), OrganizationSuspended);
        assert_eq!(refused(clients::disable(engine, admin_scope, id).await), OrganizationSuspended);
        assert_eq!(refused(clients::remove(engine, admin_scope, id).await), OrganizationSuspended);
        assert_eq!(refused(clients::add_secret(engine, admin_scope, id, None).await), OrganizationSuspended);
        assert!(clients::show(engine, admin_scope, id).await.is_ok());
    }
    assert_eq!(world.records().await, records);
}

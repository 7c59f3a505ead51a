//! Tenant isolation. Every operation of the OpenAPI document is tried with a key of one organization and ids of
//! another, in paths, bodies, cursors and filters: nothing is found, and nothing in the database has changed
//! afterwards.

use crate::both_engines;
use crate::harness::api_caller::{ApiCaller, ApiRequest};
use crate::harness::database_dump::DatabaseDump;
use crate::harness::grants::GrantRequest;
use crate::harness::organizations::{OWNER_SCOPE, TestOrganization};
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_store::oauth::clients::ClientOrigin;
use std::collections::BTreeMap;

/// An organization with one of everything, and the ids by the names of path parameters.
struct Furnished<'w> {
    owner: ApiCaller<'w>,
    ids: BTreeMap<&'static str, String>,
}

impl Furnished<'_> {
    fn tenant(&self) -> &TestOrganization {
        &self.owner.tenant
    }

    /// The path of an operation with these ids.
    fn path(&self, template: &str, organization: &str) -> String {
        let fill = |part: &str| match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            Some("organization") => organization.to_owned(),
            Some(name) => self
                .ids
                .get(name)
                .unwrap_or_else(|| panic!("the fixture has no {name} for {template}"))
                .clone(),
            None => part.to_owned(),
        };
        template.split('/').map(fill).collect::<Vec<_>>().join("/")
    }
}

async fn furnish<'w>(world: &'w World, slug: &str) -> Furnished<'w> {
    let tenant = world.create_organization(slug).await;
    let owner = world.create_owner(&tenant).await;
    let member = world.create_member(&tenant, &["member"]).await;
    let make =
        async |below: &str, body: Value| owner.post(&tenant.path(below), body).await.assert_status(201);
    let role =
        make("/roles", json!({"name": "clerk", "permissions": ["members:read"]})).await.text_member("id");
    let key = json!({"membership": owner.membership, "name": "k", "scope": "organization:read"});
    let api = |name: &str| {
        let permissions = json!([{"permission": format!("{slug}-{name}:read"), "english": "See it"}]);
        json!({"identifier": format!("https://api.{slug}.example/{name}"), "name": name, "permissions": permissions})
    };
    let metadata = json!({"client_name": "Portal", "redirect_uris": ["https://portal.example/callback"]});
    let client = json!({"kind": "application", "metadata": metadata});
    let invitation = |name: &str| json!({"email": format!("{name}@{slug}.example"), "roles": [role]});
    // Two of each, so that every list has a second page.
    make("/clients", client.clone()).await;
    owner.create_api(api("orders")).await.assert_status(201);
    make("/invitations", invitation("rui")).await;
    let client = make("/clients", client).await.text_member("id");
    let secret = make(&format!("/clients/{client}/secrets"), json!({})).await.text_member("id");
    let address = json!({"address": format!("https://{slug}.example/events")});
    make("/webhooks", address.clone()).await;
    let domain = make("/domains", json!({"domain": format!("{slug}.example")})).await.text_member("domain");
    let provider =
        json!({"name": "Acme", "issuer": "https://idp.example", "client_id": "x", "client_secret": "y"});
    let connection = make("/connections", provider).await.text_member("id");
    make("/setup-links", json!({})).await;
    let setup_link = make("/setup-links", json!({})).await.text_member("id");
    let webhook = make("/webhooks", address).await.body["webhook"]["id"].as_str().unwrap().to_owned();
    let app = world.create_confidential_client().await;
    let granted = world.create_grant(&tenant, member, &app.id, GrantRequest::for_scope("openid")).await;
    world.create_grant(&tenant, member, &app.id, GrantRequest::for_scope("openid")).await;
    let account = world.account_of_member(&tenant, member).await;
    let agent = world.create_ciba_client(ClientOrigin::Operator, json!({})).await;
    let hint = member.to_string();
    for _ in 0..2 {
        let (status, body) = agent.request_ciba(&[("login_hint", hint.as_str())]).await;
        assert_eq!(status, 200, "{body}");
    }
    let requests = owner.get(&tenant.path("/ciba-requests")).await.assert_status(200);
    let event = world.create_operator().await.get("/manage/events?limit=1").await.assert_status(200);
    let messages = world.create_operator().await.get("/manage/messages").await.assert_status(200);
    let ids = BTreeMap::from([
        ("member", member.to_string()),
        ("api_key", make("/api-keys", key).await.text_member("id")),
        ("api", owner.create_api(api("files")).await.assert_status(201).text_member("id")),
        ("client", client),
        ("secret", secret),
        ("invitation", make("/invitations", invitation("ana")).await.text_member("id")),
        ("role", role),
        ("webhook", webhook),
        ("domain", domain),
        ("connection", connection),
        ("setup_link", setup_link),
        ("grant", granted.grant.to_string()),
        ("request", requests.body["items"][0]["id"].as_str().unwrap().to_owned()),
        ("account", account.to_string()),
        ("session", "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071".to_owned()),
        ("event", event.body["items"][0]["id"].as_str().unwrap().to_owned()),
        // The invitation sent an e-mail, so there is a message.
        ("message", messages.body["items"][0]["id"].as_str().unwrap().to_owned()),
    ]);
    Furnished { owner, ids }
}

/// An operation of the OpenAPI document.
struct Operation {
    method: Method,
    template: String,
    described: Value,
}

fn operations(description: &Value) -> Vec<Operation> {
    let mut operations = Vec::new();
    for (template, methods) in description["paths"].as_object().unwrap() {
        for (method, described) in methods.as_object().unwrap() {
            if template.starts_with("/manage/") {
                let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes()).unwrap();
                operations.push(Operation {
                    method,
                    template: template.clone(),
                    described: described.clone(),
                });
            }
        }
    }
    operations
}

impl Operation {
    /// A request with the example of its schema and the first version.
    fn asked(&self, description: &Value) -> ApiRequest<'static> {
        let content = self.described["requestBody"]["content"].as_object();
        let schema = content.and_then(|content| content.values().next()?["schema"]["$ref"].as_str());
        let example = schema.map(|reference| {
            let schema = description.pointer(reference.strip_prefix('#').unwrap()).unwrap();
            schema["examples"][0].clone()
        });
        assert!(example != Some(Value::Null), "{} has no example", self.template);
        ApiRequest { body: example, if_match: Some(1), ..ApiRequest::default() }
    }

    fn names_an_organization(&self) -> bool {
        self.template.starts_with("/manage/organizations/{organization}")
    }

    fn names_more(&self) -> bool {
        self.names_an_organization() && self.template.matches('{').count() > 1
    }
}

fn assert_same(before: &DatabaseDump, after: &DatabaseDump) {
    for (table, rows) in before {
        assert_eq!(rows, &after[table], "{table} has changed");
    }
}

both_engines!(
    tenant_isolation_every_operation_on_another_organization_is_not_found,
    tenant_isolation_unknown_and_foreign_ids_are_indistinguishable,
    tenant_isolation_foreign_ids_in_a_body_are_unknown,
    tenant_isolation_foreign_cursors_and_filters_match_nothing,
    tenant_isolation_operator_routes_are_refused_to_tenants,
    tenant_isolation_key_of_a_suspended_organization_reaches_no_other
);

async fn tenant_isolation_every_operation_on_another_organization_is_not_found(world: &World) {
    let (ours, theirs) = (furnish(world, "ours").await, furnish(world, "theirs").await);
    let description = world.openapi().await;
    ours.owner.get(&ours.tenant().path("")).await.assert_status(200);
    let token = world.create_token_caller(ours.tenant(), ours.owner.membership, OWNER_SCOPE).await;
    token.get(&ours.tenant().path("")).await.assert_status(200);
    // Background tasks have nothing left to write.
    while sinete_engine::organizations::member_search::index_due_members(world.server.engine(), 100_000)
        .await
        .unwrap()
        .indexed
        > 0
    {}
    let before = world.dump_database().await;
    let mut tried = 0;
    for operation in operations(description).iter().filter(|it| it.names_an_organization()) {
        let request = operation.asked(description);
        let mut paths = vec![
            theirs.path(&operation.template, &theirs.tenant().id.to_string()),
            theirs.path(&operation.template, &theirs.tenant().slug),
        ];
        if operation.names_more() {
            paths.push(theirs.path(&operation.template, &ours.tenant().id.to_string()));
        }
        for path in paths {
            for credential in [&ours.owner, &token] {
                let reply = credential.send_request(operation.method.clone(), &path, request.clone()).await;
                reply.assert_problem(404, "not_found");
                tried += 1;
            }
        }
    }
    assert!(tried > 200, "{tried} were tried");
    assert_same(&before, &world.dump_database().await);
}

async fn tenant_isolation_unknown_and_foreign_ids_are_indistinguishable(world: &World) {
    let (ours, theirs) = (furnish(world, "ours").await, furnish(world, "theirs").await);
    let description = world.openapi().await;
    let nothing = Furnished {
        owner: ours.owner.clone(),
        ids: theirs
            .ids
            .keys()
            .map(|name| (*name, "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071".to_owned()))
            .collect(),
    };
    for operation in operations(description).iter().filter(|it| it.names_more()) {
        let ask = async |resources: &Furnished<'_>| {
            let path = resources.path(&operation.template, &ours.tenant().id.to_string());
            let reply =
                ours.owner.send_request(operation.method.clone(), &path, operation.asked(description)).await;
            let mut body = reply.body.clone();
            body["instance"] = Value::Null;
            (reply.status, body)
        };
        assert_eq!(ask(&theirs).await, ask(&nothing).await, "{} {}", operation.method, operation.template);
    }
}

async fn tenant_isolation_foreign_ids_in_a_body_are_unknown(world: &World) {
    let (ours, theirs) = (furnish(world, "ours").await, furnish(world, "theirs").await);
    let (owner, tenant) = (&ours.owner, ours.tenant());
    owner.get(&tenant.path("")).await.assert_status(200);
    let before = world.dump_database().await;
    let roles = json!({"roles": [theirs.ids["role"]]});
    owner
        .put(
            &ours.path("/manage/organizations/{organization}/members/{member}/roles", &tenant.slug),
            1,
            roles,
        )
        .await
        .assert_status(422);
    let key = json!({"membership": theirs.ids["member"], "name": "k", "scope": "organization:read"});
    owner.post(&tenant.path("/api-keys"), key).await.assert_problem(404, "not_found");
    let invitation = json!({"email": "x@example.com", "roles": [theirs.ids["role"]]});
    owner.post(&tenant.path("/invitations"), invitation).await.assert_problem(422, "unprocessable");
    let metadata = json!({"client_name": "Bot", "grant_types": ["client_credentials"]});
    let service = json!({"kind": "service", "roles": [theirs.ids["role"]], "metadata": metadata});
    owner.post(&tenant.path("/clients"), service).await.assert_problem(422, "unprocessable");
    let metadata = json!({"client_name": "Bot", "redirect_uris": ["https://bot.example/callback"]});
    let agent =
        json!({"kind": "agent", "purpose": "tidies", "owner": theirs.ids["member"], "metadata": metadata});
    let refused = owner.post(&tenant.path("/clients"), agent).await.assert_problem(422, "unprocessable");
    assert_eq!(refused.fault_pointers(), ["/owner"]);
    let role = json!({"name": "spy", "permissions": ["theirs-files:read"]});
    owner.post(&tenant.path("/roles"), role).await.assert_problem(422, "unprocessable");
    assert_same(&before, &world.dump_database().await);
}

async fn tenant_isolation_foreign_cursors_and_filters_match_nothing(world: &World) {
    let (ours, theirs) = (furnish(world, "ours").await, furnish(world, "theirs").await);
    let description = world.openapi().await;
    let mut tried = 0;
    for operation in operations(description).iter().filter(|it| it.names_an_organization()) {
        let parameters = operation.described["parameters"].as_array().unwrap();
        let is_paged = parameters.iter().any(|it| it["$ref"] == "#/components/parameters/after");
        if !is_paged {
            continue;
        }
        let of = |resources: &Furnished<'_>| {
            resources.path(&operation.template, &resources.tenant().id.to_string())
        };
        let page = theirs.owner.get(&format!("{}?limit=1", of(&theirs))).await.assert_status(200);
        let Some(next) = page.body["next"].as_str() else { continue };
        ours.owner.get(&format!("{}?after={next}", of(&ours))).await.assert_problem(400, "invalid_request");
        tried += 1;
    }
    assert!(tried >= 7, "{tried} lists were tried");
    let audit_log = theirs.owner.get(&theirs.tenant().path("/audit")).await.assert_status(200);
    let items = audit_log.body["items"].as_array().unwrap();
    let actor =
        items.iter().find(|it| it["kind"] == "role.created").unwrap()["actor"]["id"].as_str().unwrap();
    let ours_filtered =
        ours.owner.get(&ours.tenant().path(&format!("/audit?actor={actor}"))).await.assert_status(200);
    assert_eq!(ours_filtered.body["items"], json!([]));
}

async fn tenant_isolation_operator_routes_are_refused_to_tenants(world: &World) {
    let (ours, theirs) = (furnish(world, "ours").await, furnish(world, "theirs").await);
    let description = world.openapi().await;
    ours.owner.get(&ours.tenant().path("")).await.assert_status(200);
    let token = world.create_token_caller(ours.tenant(), ours.owner.membership, OWNER_SCOPE).await;
    let before = world.dump_database().await;
    let mut ids = theirs.ids.clone();
    ids.insert("assignment", "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071".to_owned());
    let theirs = Furnished { ids, ..theirs };
    let mut tried = 0;
    for operation in operations(description).iter().filter(|it| !it.names_an_organization()) {
        if operation.template == "/manage/permissions" {
            continue;
        }
        let path = theirs.path(&operation.template, &theirs.tenant().slug);
        for credential in [&ours.owner, &token] {
            let reply =
                credential.send_request(operation.method.clone(), &path, operation.asked(description)).await;
            reply.assert_problem(403, "insufficient_scope");
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried} were tried");
    assert_same(&before, &world.dump_database().await);
}

async fn tenant_isolation_key_of_a_suspended_organization_reaches_no_other(world: &World) {
    let (ours, theirs, operator) =
        (furnish(world, "ours").await, furnish(world, "theirs").await, world.create_operator().await);
    world.create_assignment(&operator, ours.tenant(), "abuse").await;
    operator.post(&ours.tenant().path("/suspend"), json!({"reason": "abuse"})).await.assert_status(200);
    ours.owner.get(&ours.tenant().path("")).await.assert_status(200);
    ours.owner.get(&theirs.tenant().path("")).await.assert_problem(404, "not_found");
    ours.owner
        .post("/manage/organizations", json!({"slug": "third"}))
        .await
        .assert_problem(403, "insufficient_scope");
}

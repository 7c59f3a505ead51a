//! APIs: their owners, their users, and unique names.

use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::organizations::OWNER_SCOPE;
use crate::harness::world::World;
use serde_json::{Value, json};

fn invoices(identifier: &str) -> Value {
    let read = json!({"permission": "invoices:read", "english": "See invoices", "portuguese": "Ver faturas"});
    let void = json!({"permission": "invoices:void", "english": "Void invoices", "irreversible": true});
    json!({"identifier": identifier, "name": "Invoices", "permissions": [read, void], "default_scope": "invoices:read"})
}

async fn names(api_caller: &ApiCaller<'_>) -> Vec<String> {
    let response = api_caller.get(&api_caller.tenant.path("/apis")).await.assert_status(200);
    response.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap().to_owned())
        .collect()
}

both_engines!(
    api_is_created_changed_and_removed_by_its_organization,
    api_faults_are_all_reported_with_their_location,
    api_resource_name_is_unique_wherever_it_is_visible,
    api_identifier_needs_its_verified_domain_or_an_operator,
    api_of_the_instance_is_usable_only_by_organizations_it_is_offered_to
);

async fn api_is_created_changed_and_removed_by_its_organization(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let response = owner.create_api(invoices("https://Invoices.Example/v1")).await.assert_status(201);
    let path = acme.path(&format!("/apis/{}", response.text_member("id")));
    assert_eq!(response.body["identifier"], "https://invoices.example/v1");
    assert_eq!((&response.body["belongs_to"], response.version()), (&json!("organization"), 1));
    let clerk = json!({"name": "clerk", "permissions": ["invoices:read"]});
    owner.post(&acme.path("/roles"), clerk.clone()).await.assert_problem(403, "insufficient_scope");
    let wide =
        world.create_api_key_caller(&acme, owner.membership, &format!("{OWNER_SCOPE} invoices:*")).await;
    wide.post(&acme.path("/roles"), clerk).await.assert_status(201);
    let changed = owner
        .patch(&path, 1, json!({"name": "Receipts", "token_lifetime_seconds": 300, "default_scope": null}))
        .await
        .assert_status(200);
    assert_eq!((&changed.body["name"], &changed.body["default_scope"]), (&json!("Receipts"), &json!("")));
    assert_eq!(changed.body["permissions"], response.body["permissions"]);
    owner.patch(&path, 1, json!({"name": "x"})).await.assert_problem(412, "precondition_failed");
    owner.delete(&path, Some(2)).await.assert_status(204);
    owner.get(&path).await.assert_problem(404, "not_found");
    let member = world.create_member(&acme, &["member"]).await;
    let member = world.create_api_key_caller(&acme, member, "organization:read").await;
    member.create_api(invoices("https://x.example")).await.assert_problem(403, "insufficient_scope");
}

async fn api_faults_are_all_reported_with_their_location(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let list_faults = async |body: Value| {
        owner.create_api(body).await.assert_problem(422, "unprocessable").fault_pointers()
    };
    let permissions =
        json!([{"permission": "Invoices:read", "english": "x"}, {"permission": "a:b", "english": "x"}]);
    let wrong = json!({"identifier": "no uri", "name": "x", "permissions": permissions, "default_scope": "*:*", "offered_to_all": true});
    assert_eq!(
        list_faults(wrong).await,
        ["/offered_to_all", "/identifier", "/default_scope", "/permissions/0/permission"]
    );
    let permissions = json!([{"permission": "members:read", "english": "x"}, {"permission": "a:*", "english": "x"}, {"permission": "a:b", "english": "\u{202e}"}]);
    let wrong = json!({"identifier": "https://x.example", "name": "x", "permissions": permissions, "default_scope": "c:d"});
    assert_eq!(
        list_faults(wrong).await,
        [
            "/permissions/0/permission",
            "/permissions/1/permission",
            "/permissions/2/english",
            "/default_scope"
        ]
    );
    assert_eq!(
        list_faults(json!({"identifier": "https://x.example", "name": "x", "permissions": [], "more": 1}))
            .await,
        ["/more", "/permissions"]
    );
}

async fn api_resource_name_is_unique_wherever_it_is_visible(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let (owner, theirs, operator) =
        (world.create_owner(&acme).await, world.create_owner(&other).await, world.create_operator().await);
    owner.create_api(invoices("https://one.example")).await.assert_status(201);
    owner.create_api(invoices("https://two.example")).await.assert_problem(422, "unprocessable");
    let orders = json!([{"permission": "orders:read", "english": "See orders"}]);
    let duplicate_api = json!({"identifier": "https://one.example", "name": "Orders", "permissions": orders});
    owner.create_api(duplicate_api).await.assert_problem(409, "conflict");
    theirs.create_api(invoices("https://three.example")).await.assert_status(201);
    let mut everywhere = invoices("https://four.example");
    everywhere["offered_to_all"] = json!(true);
    operator.post("/manage/apis", everywhere).await.assert_problem(422, "unprocessable");
    operator
        .post("/manage/apis", invoices("https://four.example"))
        .await
        .assert_problem(422, "unprocessable");
    let orders = json!({"identifier": "https://four.example", "name": "Orders", "permissions": orders});
    operator.post("/manage/apis", orders).await.assert_status(201);
}

async fn api_identifier_needs_its_verified_domain_or_an_operator(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let (owner, theirs, operator) =
        (world.create_owner(&acme).await, world.create_owner(&other).await, world.create_operator().await);
    world.verify_domain(&acme, "acme.example").await;
    world.verify_domain(&other, "partner.acme.example").await;
    let issuer = world.issuer();
    let add = async |api_caller: &ApiCaller<'_>, path: &str, identifier: &str| {
        api_caller.post(path, invoices(identifier)).await
    };
    let apis_path = acme.path("/apis");
    // The issuer, its host, a domain of another organization, or none that a domain can verify.
    let below = format!("{issuer}/api");
    for identifier in [
        issuer,
        below.as_str(),
        "https://other.example",
        "https://partner.acme.example",
        "https://x.partner.acme.example/v1",
        "https://notacme.example",
        "https://example",
        "urn:acme:invoices",
        "https://192.0.2.7",
        "https://acme.example.evil.example",
    ] {
        let refused = add(&owner, &apis_path, identifier).await.assert_problem(422, "unprocessable");
        assert_eq!(refused.fault_pointers(), ["/identifier"], "{identifier}");
    }
    for identifier in [issuer.to_owned(), format!("{issuer}/")] {
        let refused = add(&operator, "/manage/apis", &identifier).await.assert_problem(422, "unprocessable");
        assert_eq!(refused.fault_pointers(), ["/identifier"], "{identifier}");
    }
    // The own verified domain and its subdomains.
    for identifier in ["https://acme.example", "https://api.acme.example:8443/v1"] {
        let response = add(&owner, &apis_path, identifier).await.assert_status(201);
        let path = acme.path(&format!("/apis/{}", response.text_member("id")));
        owner.patch(&path, 1, json!({"identifier": below})).await.assert_problem(422, "unprocessable");
        owner.patch(&path, 1, json!({"identifier": "https://acme.example/moved"})).await.assert_status(200);
        owner.delete(&path, Some(2)).await.assert_status(204);
    }
    add(&theirs, &other.path("/apis"), "https://partner.acme.example").await.assert_status(201);
    // An operator may add any identifier.
    for identifier in [below.as_str(), "https://anywhere.example", "urn:acme:invoices"] {
        let mut api = invoices(identifier);
        api["permissions"] =
            json!([{"permission": format!("r{}:read", identifier.len()), "english": "See it"}]);
        api.as_object_mut().unwrap().remove("default_scope");
        operator.post("/manage/apis", api).await.assert_status(201);
    }
}

async fn api_of_the_instance_is_usable_only_by_organizations_it_is_offered_to(world: &World) {
    let (acme, other, operator) = (
        world.create_organization("acme").await,
        world.create_organization("other").await,
        world.create_operator().await,
    );
    let (owner, theirs) = (world.create_owner(&acme).await, world.create_owner(&other).await);
    let response =
        operator.post("/manage/apis", invoices("https://invoices.example")).await.assert_status(201);
    let id = response.text_member("id");
    assert!(names(&owner).await.is_empty());
    owner.get(&acme.path(&format!("/apis/{id}"))).await.assert_problem(404, "not_found");
    operator
        .send_request(reqwest::Method::PUT, &format!("/manage/apis/{id}/offers/acme"), Default::default())
        .await
        .assert_status(204);
    let offers = operator.get(&format!("/manage/apis/{id}/offers")).await.assert_status(200);
    assert_eq!(offers.body["items"], json!([{"organization": acme.id}]));
    assert_eq!(names(&owner).await, ["Invoices"]);
    assert!(names(&theirs).await.is_empty());
    let clerk = json!({"name": "clerk", "permissions": ["invoices:read"]});
    let wide =
        world.create_api_key_caller(&acme, owner.membership, &format!("{OWNER_SCOPE} invoices:*")).await;
    wide.post(&acme.path("/roles"), clerk.clone()).await.assert_status(201);
    theirs.post(&other.path("/roles"), clerk).await.assert_problem(422, "unprocessable");
    owner
        .patch(&acme.path(&format!("/apis/{id}")), 1, json!({"name": "Mine"}))
        .await
        .assert_problem(403, "insufficient_scope");
    operator.delete(&format!("/manage/apis/{id}/offers/acme"), None).await.assert_status(204);
    assert!(names(&owner).await.is_empty());
    operator
        .patch(&format!("/manage/apis/{id}"), 1, json!({"offered_to_all": true}))
        .await
        .assert_status(200);
    assert_eq!(
        (names(&owner).await, names(&theirs).await),
        (vec!["Invoices".to_owned()], vec!["Invoices".to_owned()])
    );
    owner.get("/manage/apis").await.assert_problem(403, "insufficient_scope");
}

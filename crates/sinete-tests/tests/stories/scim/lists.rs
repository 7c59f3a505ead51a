//! Lists: filtered, sorted and paged; schemas and resource types.

use crate::both_engines;
use crate::harness::scim_client::{GROUPS, USERS};
use crate::harness::world::World;
use serde_json::{Value, json};

fn search(body: Value) -> Value {
    let mut body = body;
    body["schemas"] = json!(["urn:ietf:params:scim:api:messages:2.0:SearchRequest"]);
    body
}

both_engines!(
    scim_list_is_paged_and_sorted,
    scim_filters_of_common_clients_match,
    scim_search_works_by_post_and_over_all_resource_types,
    scim_service_provider_config_needs_permission_to_provision
);

async fn scim_list_is_paged_and_sorted(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    for name in ["delia", "Caio", "bia", "Ana"] {
        // Ids of the same millisecond are not ordered.
        world.clock.advance(sinete_core::time::Lifetime::from_millis(1));
        directory.create_scim_user(name).await;
    }
    let names = async |query: &str| {
        let page = directory.get(&format!("{USERS}?{query}")).await.assert_status(200);
        let users = page.body["Resources"].as_array().unwrap().iter();
        let names: Vec<String> = users.map(|user| user["userName"].as_str().unwrap().to_owned()).collect();
        (page.body["totalResults"].as_u64().unwrap(), names)
    };
    let own_id = directory.membership.to_string();
    assert_eq!(names("startIndex=1&count=2").await, (5, vec![own_id.clone(), "delia".to_owned()]));
    assert_eq!(names("startIndex=3&count=2").await.1, ["Caio", "bia"]);
    assert_eq!(names("startIndex=5").await.1, ["Ana"]);
    assert_eq!(names("startIndex=6").await, (5, vec![]));
    assert_eq!(names("count=0").await, (5, vec![]));
    assert_eq!(names("startIndex=0&count=-1").await, (5, vec![]));
    assert_eq!(names("sortBy=userName&startIndex=2&count=3").await.1, ["Ana", "bia", "Caio"]);
    assert_eq!(names("sortBy=userName&sortOrder=descending&count=1").await.1, ["delia"]);
    directory.get(&format!("{USERS}?sortBy=password")).await.assert_scim_error(400, "invalidPath");
    directory.get(&format!("{USERS}?count=many")).await.assert_scim_error(400, "invalidValue");
}

async fn scim_filters_of_common_clients_match(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let ana = json!({"userName": "ana@acme.example", "externalId": "A1", "title": "Contadora",
        "emails": [{"value": "ana@acme.example", "type": "work", "primary": true}],
        "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {"department": "Livros"}});
    let ana = directory.post(USERS, ana).await.assert_status(201).text_member("id");
    let rui = directory
        .post(USERS, json!({"userName": "rui@acme.example", "active": false}))
        .await
        .assert_status(201);
    assert_eq!(rui.body["active"], false);
    let rui = rui.text_member("id");
    let find_users =
        async |filter: &str| directory.scim_filter(USERS, filter).await.assert_status(200).listed_ids();
    assert_eq!(find_users(r#"userName eq "ANA@acme.example""#).await, [ana.as_str()]);
    assert_eq!(find_users(r#"externalId eq "A1""#).await, [ana.as_str()]);
    assert!(find_users(r#"externalId eq "a1""#).await.is_empty());
    assert_eq!(find_users(&format!("id eq \"{rui}\"")).await, [rui.as_str()]);
    assert_eq!(find_users(r#"userName sw "r" and active eq "False""#).await, [rui.as_str()]);
    assert_eq!(find_users(r#"emails[type eq "work"].value eq "ana@acme.example""#).await, [ana.as_str()]);
    assert_eq!(
        find_users(r#"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department eq "livros""#)
            .await,
        [ana.as_str()]
    );
    assert_eq!(find_users(r#"not (title pr) and userName co "acme""#).await, [rui]);
    assert_eq!(find_users(r#"groups.display eq "owner""#).await, [directory.membership.to_string()]);
    assert_eq!(find_users(r#"meta.created gt "2000-01-01T00:00:00Z" and title pr"#).await, [ana.as_str()]);
    assert!(find_users(r#"userName eq "ana@acme.example" and active eq false"#).await.is_empty());
    // The `attributes` and `excludedAttributes` parameters.
    let response =
        directory.get(&format!("{USERS}/{ana}?attributes=userName,emails.type")).await.assert_status(200);
    assert_eq!(
        response.body,
        json!({"schemas": response.body["schemas"], "id": ana, "userName": "ana@acme.example", "emails": [{"type": "work"}]})
    );
    let response =
        directory.get(&format!("{USERS}?excludedAttributes=groups,meta&count=1")).await.assert_status(200);
    assert!(
        response.body["Resources"][0]["groups"].is_null() && response.body["Resources"][0]["meta"].is_null()
    );
    let groups = directory.get(&format!("{GROUPS}?excludedAttributes=members")).await.assert_status(200);
    assert!(!groups.text.contains("members") && groups.body["totalResults"] == 3, "{}", groups.text);
}

async fn scim_search_works_by_post_and_over_all_resource_types(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let ana = directory
        .post(USERS, json!({"userName": "ana", "displayName": "Choir"}))
        .await
        .assert_status(201)
        .text_member("id");
    let choir =
        directory.post(GROUPS, json!({"displayName": "choir"})).await.assert_status(201).text_member("id");
    let both = search(json!({"filter": "displayName eq \"CHOIR\"", "attributes": ["displayName"]}));
    let response = directory.post("/scim/v2/.search", both.clone()).await.assert_status(200);
    assert_eq!(
        (response.listed_ids(), &response.body["totalResults"]),
        (vec![ana.clone(), choir.clone()], &json!(2))
    );
    assert_eq!(
        directory.post(&format!("{USERS}/.search"), both.clone()).await.assert_status(200).listed_ids(),
        [ana.as_str()]
    );
    assert_eq!(
        directory.post(&format!("{GROUPS}/.search"), both).await.assert_status(200).listed_ids(),
        [choir.as_str()]
    );
    let rest = search(
        json!({"filter": "userName eq \"ana\" or displayName eq \"choir\"", "startIndex": 2, "count": 5}),
    );
    assert_eq!(directory.post("/scim/v2/.search", rest).await.assert_status(200).listed_ids(), [choir]);
    directory
        .post("/scim/v2/.search", search(json!({"filter": "nothing pr"})))
        .await
        .assert_scim_error(400, "invalidFilter");
    directory
        .post("/scim/v2/.search", json!({"schemas": ["urn:other"]}))
        .await
        .assert_scim_error(400, "invalidSyntax");
}

async fn scim_service_provider_config_needs_permission_to_provision(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let service = directory.get("/scim/v2/ServiceProviderConfig").await.assert_status(200);
    for part in ["patch", "bulk", "filter", "sort", "etag"] {
        assert_eq!(service.body[part]["supported"], true, "{part}");
    }
    assert_eq!(service.body["changePassword"]["supported"], false);
    let kinds = directory.get("/scim/v2/ResourceTypes").await.assert_status(200);
    assert_eq!(kinds.body["totalResults"], 2);
    let user = directory.get("/scim/v2/ResourceTypes/User").await.assert_status(200);
    assert_eq!(user.body, kinds.body["Resources"][0]);
    let schemas = directory.get("/scim/v2/Schemas").await.assert_status(200);
    for schema in schemas.body["Resources"].as_array().unwrap() {
        let location = schema["meta"]["location"].as_str().unwrap().strip_prefix(world.issuer()).unwrap();
        assert_eq!(&directory.get(location).await.assert_status(200).body, schema);
    }
    directory.get("/scim/v2/Schemas/urn:other").await.assert_scim_error(404, "");
    directory.get("/scim/v2/ServiceProviderConfig?filter=x").await.assert_scim_error(403, "");
    directory.get("/scim/v2/Nothing").await.assert_scim_error(404, "");
    let member = world.create_member(&acme, &["admin"]).await;
    world
        .create_api_key_caller(&acme, member, "members:read members:manage")
        .await
        .get(USERS)
        .await
        .assert_scim_error(403, "");
}

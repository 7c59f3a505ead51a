//! Limits of SCIM: request sizes, rates, nesting, and suspended organizations.

use crate::both_engines;
use crate::harness::api_caller::ApiRequest;
use crate::harness::scim_client::{GROUPS, USER, USERS};
use crate::harness::world::World;
use crate::stories::platform::api_conventions::join_all;
use reqwest::Method;
use serde_json::json;
use std::sync::{Arc, Mutex};

both_engines!(
    scim_filter_is_bounded_in_query_and_body,
    scim_body_is_bounded_and_needs_its_content_type,
    scim_in_a_suspended_organization_is_read_only,
    scim_bulk_counts_every_operation_in_the_rate_limit,
    scim_list_cost_depends_on_the_page_and_not_on_the_total,
    scim_rate_limit_is_per_credential
);

async fn scim_filter_is_bounded_in_query_and_body(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let deep = |levels: usize| format!("{}userName pr{}", "(".repeat(levels), ")".repeat(levels));
    let long = format!("userName eq \"{}\"", "x".repeat(10_000));
    for filter in [deep(1_000), deep(100_000), long, "not (".repeat(10_000), vec!["id pr"; 500].join(" or ")]
    {
        for path in ["/scim/v2/.search".to_owned(), format!("{USERS}/.search"), format!("{GROUPS}/.search")] {
            directory.post(&path, json!({"filter": filter})).await.assert_scim_error(400, "invalidFilter");
        }
    }
    directory.get(&format!("{USERS}?filter={}", deep(1_000))).await.assert_scim_error(400, "invalidFilter");
    let path = format!("{USERS}/{}", directory.create_scim_user("ana").await.text_member("id"));
    let nested = format!("emails[{}].value", deep(1_000).replace("userName", "type"));
    directory
        .scim_patch(&path, json!([{"op": "add", "path": nested, "value": "a@b.example"}]))
        .await
        .assert_scim_error(400, "invalidFilter");
    let element = json!({"op": "add", "path": "title", "value": "x"});
    directory.scim_patch(&path, vec![element; 1_001].into()).await.assert_scim_error(400, "invalidSyntax");
}

async fn scim_body_is_bounded_and_needs_its_content_type(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let large = |bytes: usize| json!({"userName": "ana", "unknown": "x".repeat(bytes)});
    directory.post(USERS, large(200 * 1024)).await.assert_status(201);
    directory.post(USERS, large(256 * 1024)).await.assert_scim_error(413, "");
    let send = async |kind: &str, body: &str| {
        let request = world.http.post(world.public_url(USERS)).bearer_auth(&directory.secret);
        request.header("content-type", kind).body(body.to_owned()).send().await.unwrap().status().as_u16()
    };
    assert_eq!(send("application/json; charset=utf-8", r#"{"userName": "bia"}"#).await, 201);
    assert_eq!(send("text/plain", r#"{"userName": "caio"}"#).await, 415);
    assert_eq!(send("application/scim+json", r#"{"userName": "caio""#).await, 400);
    assert_eq!(send("application/scim+json", r#"{"userName": "caio", "userName": "delia"}"#).await, 400);
}

async fn scim_in_a_suspended_organization_is_read_only(world: &World) {
    let (acme, operator) = (world.create_organization("acme").await, world.create_operator().await);
    let directory = world.create_scim_client(&acme).await;
    let ana = directory.create_scim_user("ana").await.text_member("id");
    world.create_assignment(&operator, &acme, "abuse").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "abuse"})).await.assert_status(200);
    let path = format!("{USERS}/{ana}");
    assert_eq!(directory.get(&path).await.assert_status(200).body["userName"], "ana");
    directory.get(USERS).await.assert_status(200);
    let before = world.dump_database().await;
    directory.post(USERS, json!({"userName": "bia"})).await.assert_scim_error(409, "");
    directory.scim_put(&path, json!({"userName": "bia"})).await.assert_scim_error(409, "");
    directory
        .scim_patch(&path, json!([{"op": "replace", "path": "active", "value": false}]))
        .await
        .assert_scim_error(409, "");
    directory.delete(&path, None).await.assert_scim_error(409, "");
    directory.post(GROUPS, json!({"displayName": "Choir"})).await.assert_scim_error(409, "");
    let bulk = json!({"Operations": [{"method": "DELETE", "path": format!("{USER}/{ana}")}]});
    directory.post("/scim/v2/Bulk", bulk).await.assert_scim_error(409, "");
    let after = world.dump_database().await;
    for table in ["memberships", "provisioned_users", "provisioned_groups", "roles", "audit"] {
        assert_eq!(before[table], after[table], "{table} has changed");
    }
    operator.post(&acme.path("/restore"), json!({"reason": "sorted out"})).await.assert_status(200);
    directory.delete(&path, None).await.assert_status(204);
}

async fn scim_bulk_counts_every_operation_in_the_rate_limit(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let unknown_user =
        json!({"method": "DELETE", "path": format!("{USER}/01936f5e-7c2a-7def-8a1b-2c3d4e5f6071")});
    let many = |count: usize| json!({"failOnErrors": 1, "Operations": vec![unknown_user.clone(); count]});
    directory.post("/scim/v2/Bulk", many(600)).await.assert_status(200);
    // An accepted bulk request is done completely, and the next request waits until the limit allows it.
    directory.post("/scim/v2/Bulk", many(599)).await.assert_status(200);
    let refused =
        directory.send_request(Method::GET, USERS, ApiRequest::default()).await.assert_scim_error(429, "");
    assert_eq!(refused.headers["retry-after"], "12");
    world.clock.advance(sinete_core::time::Lifetime::from_seconds(12));
    directory.get(USERS).await.assert_status(200);
    // Concurrent requests do not exceed the limit either.
    world.clock.advance(sinete_core::time::Lifetime::from_minutes(2));
    let tries = (0..8).map(|_| {
        directory.send_request(
            Method::POST,
            "/scim/v2/Bulk",
            ApiRequest { body: Some(many(600)), ..ApiRequest::default() },
        )
    });
    let replies = join_all(tries.collect()).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 200).count(), 2);
}

async fn scim_list_cost_depends_on_the_page_and_not_on_the_total(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let people: Vec<String> = {
        let operation = |number: usize| {
            json!({"method": "POST", "path": USER, "bulkId": format!("b{number}"),
            "data": {"userName": format!("user-{number}")}})
        };
        let bulk = json!({"Operations": (0..60).map(operation).collect::<Vec<_>>()});
        let created = directory.post("/scim/v2/Bulk", bulk).await.assert_status(200).body;
        created["Operations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["location"].as_str().unwrap().rsplit('/').next().unwrap().to_owned())
            .collect()
    };
    let members: Vec<_> = people.iter().map(|id| json!({"value": id})).collect();
    let choir = json!({"displayName": "Choir", "members": members});
    let id = directory.post(GROUPS, choir.clone()).await.assert_status(201).text_member("id");
    let queries: Arc<Mutex<Vec<&'static str>>> = Arc::default();
    let recorded_queries = Arc::clone(&queries);
    world
        .server
        .engine()
        .store()
        .set_query_observer(move |statement| recorded_queries.lock().unwrap().push(statement));
    let count_queries =
        |statement: &str| queries.lock().unwrap().iter().filter(|it| **it == statement).count();
    let clear_queries = || queries.lock().unwrap().clear();
    // One group is read for one result; all are read where the filter is about members.
    for (path, read) in [
        (format!("{GROUPS}?count=1"), 1),
        (format!("{GROUPS}?filter=displayName%20eq%20%22Choir%22"), 1),
        (format!("{GROUPS}?filter=displayName%20eq%20%22Nobody%22"), 0),
        (format!("{GROUPS}?excludedAttributes=members"), 0),
        (format!("{GROUPS}?filter=members.value%20eq%20%22{}%22", people[0]), 4),
    ] {
        clear_queries();
        directory.get(&path).await.assert_status(200);
        assert_eq!(count_queries("provisioned_groups.bearers"), read, "{path}");
    }
    for path in [USERS.to_owned(), format!("{USERS}?filter=groups.display%20eq%20%22Choir%22")] {
        clear_queries();
        let response = directory.get(&path).await.assert_status(200);
        assert!(response.body["totalResults"].as_u64().unwrap() >= 60, "{}", response.text);
        assert_eq!(count_queries("memberships.roles_of"), 0, "{path}");
        assert!((1..=2).contains(&count_queries("provisioned_users.carried")), "{path}");
    }
    // A member who is in the group already causes no write.
    clear_queries();
    directory.scim_put(&format!("{GROUPS}/{id}"), choir).await.assert_status(200);
    let query_names = queries.lock().unwrap().clone();
    assert!(!query_names.contains(&"memberships.roles_of") && query_names.len() < 40, "{query_names:?}");
}

async fn scim_rate_limit_is_per_credential(world: &World) {
    let acme = world.create_organization("acme").await;
    let (directory, other) = (world.create_scim_client(&acme).await, world.create_scim_client(&acme).await);
    let ask = async || {
        let request = world.http.get(world.public_url("/scim/v2/ServiceProviderConfig"));
        request.bearer_auth(&directory.secret).send().await.unwrap().status().as_u16()
    };
    for number in 0..1_000 {
        assert_eq!(ask().await, 200, "the request number {number}");
    }
    let refused =
        directory.send_request(Method::GET, USERS, ApiRequest::default()).await.assert_scim_error(429, "");
    assert_eq!(refused.headers["retry-after"], "1");
    other.get(USERS).await.assert_status(200);
    world.clock.advance(sinete_core::time::Lifetime::from_seconds(60));
    assert_eq!(ask().await, 200);
}

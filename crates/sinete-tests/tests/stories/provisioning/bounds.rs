//! What a directory cannot do: too much, too often, too deep, or in an organization that is suspended.

use crate::both_engines;
use crate::harness::api::ApiRequest;
use crate::harness::directory::{GROUPS, USER, USERS};
use crate::harness::world::World;
use crate::stories::manage::conventions::join_all;
use reqwest::Method;
use serde_json::json;
use std::sync::{Arc, Mutex};

both_engines!(
    a_filter_is_bounded_however_it_is_sent,
    a_body_is_bounded_and_of_its_own_type,
    a_suspended_organization_is_seen_and_accepts_nothing,
    many_requests_at_once_count_as_many,
    lists_and_groups_cost_what_is_told_and_not_what_there_is,
    one_credential_asks_so_often_and_no_more
);

async fn a_filter_is_bounded_however_it_is_sent(world: &World) {
    let acme = world.tenant("acme").await;
    let directory = world.directory(&acme).await;
    let deep = |levels: usize| format!("{}userName pr{}", "(".repeat(levels), ")".repeat(levels));
    let long = format!("userName eq \"{}\"", "x".repeat(10_000));
    for filter in [deep(1_000), deep(100_000), long, "not (".repeat(10_000), vec!["id pr"; 500].join(" or ")]
    {
        for path in ["/scim/v2/.search".to_owned(), format!("{USERS}/.search"), format!("{GROUPS}/.search")] {
            directory.post(&path, json!({"filter": filter})).await.turned_down(400, "invalidFilter");
        }
    }
    directory.get(&format!("{USERS}?filter={}", deep(1_000))).await.turned_down(400, "invalidFilter");
    let path = format!("{USERS}/{}", directory.provisions("ana").await.text_of("id"));
    let nested = format!("emails[{}].value", deep(1_000).replace("userName", "type"));
    directory
        .changes(&path, json!([{"op": "add", "path": nested, "value": "a@b.example"}]))
        .await
        .turned_down(400, "invalidFilter");
    let element = json!({"op": "add", "path": "title", "value": "x"});
    directory.changes(&path, vec![element; 1_001].into()).await.turned_down(400, "invalidSyntax");
}

async fn a_body_is_bounded_and_of_its_own_type(world: &World) {
    let acme = world.tenant("acme").await;
    let directory = world.directory(&acme).await;
    let large = |bytes: usize| json!({"userName": "ana", "unknown": "x".repeat(bytes)});
    directory.post(USERS, large(200 * 1024)).await.is(201);
    directory.post(USERS, large(256 * 1024)).await.turned_down(413, "");
    let send = async |kind: &str, body: &str| {
        let request = world.http.post(world.public(USERS)).bearer_auth(&directory.secret);
        request.header("content-type", kind).body(body.to_owned()).send().await.unwrap().status().as_u16()
    };
    assert_eq!(send("application/json; charset=utf-8", r#"{"userName": "bia"}"#).await, 201);
    assert_eq!(send("text/plain", r#"{"userName": "caio"}"#).await, 415);
    assert_eq!(send("application/scim+json", r#"{"userName": "caio""#).await, 400);
    assert_eq!(send("application/scim+json", r#"{"userName": "caio", "userName": "delia"}"#).await, 400);
}

async fn a_suspended_organization_is_seen_and_accepts_nothing(world: &World) {
    let (acme, operator) = (world.tenant("acme").await, world.operator().await);
    let directory = world.directory(&acme).await;
    let ana = directory.provisions("ana").await.text_of("id");
    world.assign(&operator, &acme, "abuse").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "abuse"})).await.is(200);
    let path = format!("{USERS}/{ana}");
    assert_eq!(directory.get(&path).await.is(200).body["userName"], "ana");
    directory.get(USERS).await.is(200);
    let before = world.dump().await;
    directory.post(USERS, json!({"userName": "bia"})).await.turned_down(409, "");
    directory.puts(&path, json!({"userName": "bia"})).await.turned_down(409, "");
    directory
        .changes(&path, json!([{"op": "replace", "path": "active", "value": false}]))
        .await
        .turned_down(409, "");
    directory.delete(&path, None).await.turned_down(409, "");
    directory.post(GROUPS, json!({"displayName": "Choir"})).await.turned_down(409, "");
    let bulk = json!({"Operations": [{"method": "DELETE", "path": format!("{USER}/{ana}")}]});
    directory.post("/scim/v2/Bulk", bulk).await.turned_down(409, "");
    let after = world.dump().await;
    for table in ["memberships", "provisioned_users", "provisioned_groups", "roles", "audit"] {
        assert_eq!(before[table], after[table], "{table} has changed");
    }
    operator.post(&acme.path("/restore"), json!({"reason": "sorted out"})).await.is(200);
    directory.delete(&path, None).await.is(204);
}

async fn many_requests_at_once_count_as_many(world: &World) {
    let acme = world.tenant("acme").await;
    let directory = world.directory(&acme).await;
    let nobody = json!({"method": "DELETE", "path": format!("{USER}/01936f5e-7c2a-7def-8a1b-2c3d4e5f6071")});
    let many = |count: usize| json!({"failOnErrors": 1, "Operations": vec![nobody.clone(); count]});
    directory.post("/scim/v2/Bulk", many(600)).await.is(200);
    // Nothing that was let through is cut short, and what comes next waits for all of it.
    directory.post("/scim/v2/Bulk", many(599)).await.is(200);
    let refused = directory.ask(Method::GET, USERS, ApiRequest::default()).await.turned_down(429, "");
    assert_eq!(refused.headers["retry-after"], "12");
    world.clock.pass(sinete_core::time::Lifetime::from_seconds(12));
    directory.get(USERS).await.is(200);
    // Nor do they slip through beside each other.
    world.clock.pass(sinete_core::time::Lifetime::from_minutes(2));
    let tries = (0..8).map(|_| {
        directory.ask(
            Method::POST,
            "/scim/v2/Bulk",
            ApiRequest { body: Some(many(600)), ..ApiRequest::default() },
        )
    });
    let replies = join_all(tries.collect()).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 200).count(), 2);
}

async fn lists_and_groups_cost_what_is_told_and_not_what_there_is(world: &World) {
    let acme = world.tenant("acme").await;
    let directory = world.directory(&acme).await;
    let people: Vec<String> = {
        let operation = |number: usize| {
            json!({"method": "POST", "path": USER, "bulkId": format!("b{number}"),
            "data": {"userName": format!("user-{number}")}})
        };
        let bulk = json!({"Operations": (0..60).map(operation).collect::<Vec<_>>()});
        let made = directory.post("/scim/v2/Bulk", bulk).await.is(200).body;
        made["Operations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["location"].as_str().unwrap().rsplit('/').next().unwrap().to_owned())
            .collect()
    };
    let members: Vec<_> = people.iter().map(|id| json!({"value": id})).collect();
    let choir = json!({"displayName": "Choir", "members": members});
    let id = directory.post(GROUPS, choir.clone()).await.is(201).text_of("id");
    let heard: Arc<Mutex<Vec<&'static str>>> = Arc::default();
    let kept = Arc::clone(&heard);
    world.server.engine().store().overheard_by(move |statement| kept.lock().unwrap().push(statement));
    let asked = |statement: &str| heard.lock().unwrap().iter().filter(|it| **it == statement).count();
    let anew = || heard.lock().unwrap().clear();
    // Of one group that is told, one is read; and of all, where who is in them decides.
    for (path, read) in [
        (format!("{GROUPS}?count=1"), 1),
        (format!("{GROUPS}?filter=displayName%20eq%20%22Choir%22"), 1),
        (format!("{GROUPS}?filter=displayName%20eq%20%22Nobody%22"), 0),
        (format!("{GROUPS}?excludedAttributes=members"), 0),
        (format!("{GROUPS}?filter=members.value%20eq%20%22{}%22", people[0]), 4),
    ] {
        anew();
        directory.get(&path).await.is(200);
        assert_eq!(asked("provisioned_groups.bearers"), read, "{path}");
    }
    for path in [USERS.to_owned(), format!("{USERS}?filter=groups.display%20eq%20%22Choir%22")] {
        anew();
        let listed = directory.get(&path).await.is(200);
        assert!(listed.body["totalResults"].as_u64().unwrap() >= 60, "{}", listed.text);
        assert_eq!(asked("memberships.roles_of"), 0, "{path}");
        assert!((1..=2).contains(&asked("provisioned_users.carried")), "{path}");
    }
    // Whoever is in a group already costs nothing when a directory says so again.
    anew();
    directory.puts(&format!("{GROUPS}/{id}"), choir).await.is(200);
    let work = heard.lock().unwrap().clone();
    assert!(!work.contains(&"memberships.roles_of") && work.len() < 40, "{work:?}");
}

async fn one_credential_asks_so_often_and_no_more(world: &World) {
    let acme = world.tenant("acme").await;
    let (directory, other) = (world.directory(&acme).await, world.directory(&acme).await);
    let ask = async || {
        let request = world.http.get(world.public("/scim/v2/ServiceProviderConfig"));
        request.bearer_auth(&directory.secret).send().await.unwrap().status().as_u16()
    };
    for number in 0..1_000 {
        assert_eq!(ask().await, 200, "the request number {number}");
    }
    let refused = directory.ask(Method::GET, USERS, ApiRequest::default()).await.turned_down(429, "");
    assert_eq!(refused.headers["retry-after"], "1");
    other.get(USERS).await.is(200);
    world.clock.pass(sinete_core::time::Lifetime::from_seconds(60));
    assert_eq!(ask().await, 200);
}

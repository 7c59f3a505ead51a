//! The audit log: filtered, paged and exported.

use crate::both_engines;
use crate::harness::api_caller::{ApiCaller, ApiRequest};
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;

async fn kinds(api_caller: &ApiCaller<'_>, query: &str) -> Vec<String> {
    let page = api_caller.get(&api_caller.tenant.path(&format!("/audit?{query}"))).await.assert_status(200);
    let items = page.body["items"].as_array().unwrap();
    items.iter().map(|it| it["kind"].as_str().unwrap().to_owned()).collect()
}

both_engines!(
    audit_log_is_filtered_by_time_actor_and_kind,
    audit_log_pages_have_no_gap_while_it_grows,
    audit_log_is_exported_as_jsonl_and_csv
);

async fn audit_log_is_filtered_by_time_actor_and_kind(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    world.clock.advance(Lifetime::from_seconds(10));
    let noon = world.server.engine().now();
    let response = owner.post(&acme.path("/roles"), json!({"name": "clerk"})).await.assert_status(201);
    world.clock.advance(Lifetime::from_seconds(10));
    owner.patch(&acme.path(""), 1, json!({"name": "Acme"})).await.assert_status(200);
    assert_eq!(kinds(&owner, "").await, ["organization.created", "role.created", "organization.changed"]);
    assert_eq!(kinds(&owner, &format!("since={noon}")).await, ["role.created", "organization.changed"]);
    assert_eq!(kinds(&owner, &format!("until={noon}")).await, ["organization.created"]);
    assert_eq!(kinds(&owner, "kind=role.created").await, ["role.created"]);
    let page = owner.get(&acme.path("/audit?kind=role.created")).await;
    let entry = &page.body["items"][0];
    assert_eq!(entry["subject"], json!({"kind": "role", "id": response.body["id"]}));
    let actor = entry["actor"]["id"].as_str().unwrap();
    assert_eq!(kinds(&owner, &format!("actor={actor}")).await, ["role.created", "organization.changed"]);
    assert!(kinds(&owner, "actor=nobody").await.is_empty());
    for query in [
        "since=yesterday",
        "until=2026-13-01T00:00:00Z",
        "kind=role.creatd",
        "actor=%00",
        "actr=x",
        "format=xml",
        "format=csv&limit=1",
    ] {
        owner.get(&acme.path(&format!("/audit?{query}"))).await.assert_problem(400, "invalid_request");
    }
    let member = world.create_member(&acme, &["member"]).await;
    let member = world.create_api_key_caller(&acme, member, "organization:read").await;
    member.get(&acme.path("/audit")).await.assert_problem(403, "insufficient_scope");
}

async fn audit_log_pages_have_no_gap_while_it_grows(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    for number in 0..5 {
        world.clock.advance(Lifetime::from_seconds(1));
        owner.post(&acme.path("/roles"), json!({"name": format!("r{number}")})).await.assert_status(201);
    }
    let (mut names, mut after): (Vec<Value>, String) = (Vec::new(), String::new());
    loop {
        let page = owner
            .get(&acme.path(&format!("/audit?kind=role.created&limit=2{after}")))
            .await
            .assert_status(200);
        names.extend(page.body["items"].as_array().unwrap().iter().map(|it| it["detail"]["name"].clone()));
        if names.len() == 2 {
            world.clock.advance(Lifetime::from_seconds(1));
            owner.post(&acme.path("/roles"), json!({"name": "late"})).await.assert_status(201);
        }
        let Some(next) = page.body["next"].as_str() else { break };
        after = format!("&after={next}");
    }
    assert_eq!(json!(names), json!(["r0", "r1", "r2", "r3", "r4", "late"]));
}

async fn audit_log_is_exported_as_jsonl_and_csv(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    for number in 0..3 {
        world.clock.advance(Lifetime::from_seconds(1));
        owner
            .post(&acme.path("/roles"), json!({"name": format!("r{number}"), "description": "=1+1"}))
            .await
            .assert_status(201);
    }
    let page = owner.get(&acme.path("/audit")).await.assert_status(200);
    let lines = owner.get(&acme.path("/audit?format=jsonl")).await.assert_status(200);
    assert_eq!(lines.headers["content-type"], "application/jsonl");
    let mut read: Vec<Value> = lines.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // A line is an item of the page, with names beside the ids.
    for line in &mut read {
        let line = line.as_object_mut().unwrap();
        assert!(line.remove("actor_name").is_some() && line.remove("subject_name").is_some(), "{line:?}");
    }
    assert_eq!(json!(read), page.body["items"]);
    let accept = vec![("accept", "text/csv".to_owned())];
    let table = owner
        .send_request(
            Method::GET,
            &acme.path("/audit"),
            ApiRequest { headers: accept, ..ApiRequest::default() },
        )
        .await
        .assert_status(200);
    assert!(table.headers["content-type"].to_str().unwrap().starts_with("text/csv"));
    assert!(table.headers["content-disposition"].to_str().unwrap().contains("audit.csv"));
    assert_eq!(table.text.split("\r\n").filter(|line| !line.is_empty()).count(), 5);
    assert!(table.text.starts_with("id,at,kind,"));
    let filtered =
        owner.get(&acme.path("/audit?format=jsonl&kind=organization.created")).await.assert_status(200);
    assert_eq!(filtered.text.lines().count(), 1);
}

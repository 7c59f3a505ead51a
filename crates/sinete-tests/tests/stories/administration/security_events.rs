//! The security log for operators: listed, or as an event stream.

use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;
use std::time::Duration;

/// Reads the stream up to and including this text.
async fn hear(stream: &mut reqwest::Response, expected_text: &str) -> String {
    let mut stream_text = String::new();
    while !stream_text.contains(expected_text) {
        let piece = tokio::time::timeout(Duration::from_secs(240), stream.chunk()).await.unwrap();
        stream_text.push_str(std::str::from_utf8(&piece.unwrap().unwrap()).unwrap());
    }
    stream_text
}

/// How many events in the organization's audit log say that operators read its events.
async fn looks_at_events(api_caller: &ApiCaller<'_>) -> usize {
    let path = api_caller.tenant.path("/audit?kind=organization.administered&limit=200");
    let page = api_caller.get(&path).await.assert_status(200);
    let items = page.body["items"].as_array().unwrap();
    assert!(items.iter().all(|it| it["detail"]["looked_at"] == "events"), "{}", page.text);
    items.len()
}

both_engines!(
    security_events_are_listed_from_a_time_or_for_one_organization,
    security_event_stream_resumes_after_the_last_event_and_ends_with_the_permission,
    security_log_reads_by_operators_are_recorded_once_for_each_organization,
    security_event_streams_are_limited_in_number
);

async fn security_events_are_listed_from_a_time_or_for_one_organization(world: &World) {
    let (operator, acme, other) = (
        world.create_operator().await,
        world.create_organization("acme").await,
        world.create_organization("other").await,
    );
    let owner = world.create_owner(&acme).await;
    world.clock.advance(Lifetime::from_minutes(1));
    let since = world.server.engine().now().to_string();
    let response = owner.post(&acme.path("/roles"), json!({"name": "clerk"})).await.assert_status(201);
    let later = operator.get(&format!("/manage/events?since={since}")).await.assert_status(200);
    let kinds: Vec<_> = later.body["items"].as_array().unwrap().iter().map(|it| it["kind"].clone()).collect();
    assert_eq!(kinds, ["role.created"]);
    assert_eq!(later.body["items"][0]["address"], "127.0.0.1");
    assert_eq!(later.body["items"][0]["subject"]["id"], response.body["id"]);
    let path = format!("/manage/events/{}", later.body["items"][0]["id"].as_str().unwrap());
    assert_eq!(operator.get(&path).await.assert_status(200).body, later.body["items"][0]);
    let theirs = operator.get(&format!("/manage/events?organization={}", other.id)).await.assert_status(200);
    let items = theirs.body["items"].as_array().unwrap();
    assert!(!items.is_empty() && items.iter().all(|it| it["organization"] == json!(other.id)));
    let created = operator.get("/manage/events?kind=role.created").await.assert_status(200);
    let items = created.body["items"].as_array().unwrap();
    assert!(!items.is_empty() && items.iter().all(|it| it["kind"] == "role.created"));
    operator.get("/manage/events?kind=role.unknown").await.assert_problem(400, "invalid_request");
}

async fn security_event_stream_resumes_after_the_last_event_and_ends_with_the_permission(world: &World) {
    let (operator, acme) = (world.create_operator().await, world.create_organization("acme").await);
    let owner = world.create_owner(&acme).await;
    let house = world.find_organization("operator").await;
    let membership = world.create_member(&house, &["operator"]).await;
    let listener = world.create_api_key_caller(&house, membership, "instance:read").await;
    let follow = async |last: Option<&str>| {
        let mut request =
            world.http.get(world.public_url("/manage/events/stream")).bearer_auth(&listener.secret);
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        request.send().await.unwrap()
    };
    let mut stream = follow(None).await;
    assert_eq!(
        (stream.status().as_u16(), &stream.headers()["content-type"]),
        (200, &"text/event-stream".parse().unwrap())
    );
    let first =
        owner.post(&acme.path("/roles"), json!({"name": "one"})).await.assert_status(201).text_member("id");
    let stream_text = hear(&mut stream, &first).await;
    assert!(stream_text.contains("event: role.created\ndata: {\"type\":\"role.created\""), "{stream_text}");
    let last = stream_text.split("id: ").last().unwrap().split('\n').next().unwrap().to_owned();
    drop(stream);
    let second =
        owner.post(&acme.path("/roles"), json!({"name": "two"})).await.assert_status(201).text_member("id");
    let mut stream = follow(Some(&last)).await;
    let stream_text = hear(&mut stream, &second).await;
    assert!(!stream_text.contains(&first), "no event is sent twice");
    for unknown in ["01936f5e-7c2a-7def-8a1b-2c3d4e5f6071", "x"] {
        assert_eq!(follow(Some(unknown)).await.status(), 400);
    }
    // The stream ends with the permission.
    let path = format!("/manage/organizations/operator/members/{membership}");
    operator.post(&format!("{path}/disable"), json!(null)).await.assert_status(200);
    let ended = async { while let Ok(Some(_)) = stream.chunk().await {} };
    tokio::time::timeout(Duration::from_secs(240), ended).await.unwrap();
    assert_eq!(follow(None).await.status(), 401);
}

async fn security_log_reads_by_operators_are_recorded_once_for_each_organization(world: &World) {
    let (operator, acme, other) = (
        world.create_operator().await,
        world.create_organization("acme").await,
        world.create_organization("other").await,
    );
    let (owner, api_caller) = (world.create_owner(&acme).await, world.create_owner(&other).await);
    world.clock.advance(Lifetime::from_minutes(1));
    let since = world.server.engine().now().to_string();
    for name in ["one", "two"] {
        owner.post(&acme.path("/roles"), json!({"name": name})).await.assert_status(201);
    }
    assert_eq!((looks_at_events(&owner).await, looks_at_events(&api_caller).await), (0, 0));
    // Each organization with events on the page gets one event for the page, and no other organization does.
    let page = operator.get(&format!("/manage/events?since={since}")).await.assert_status(200);
    assert_eq!(page.body["items"].as_array().unwrap().len(), 2);
    assert_eq!((looks_at_events(&owner).await, looks_at_events(&api_caller).await), (1, 0));
    operator.get("/manage/events?limit=200").await.assert_status(200);
    assert_eq!(looks_at_events(&owner).await, 2);
    // A page of such events only adds none, so that paging ends.
    world.clock.advance(Lifetime::from_minutes(1));
    let since = world.server.engine().now().to_string();
    operator.get(&format!("/manage/events?organization={}", acme.id)).await.assert_status(200);
    let before = looks_at_events(&owner).await;
    let page = operator.get(&format!("/manage/events?since={since}")).await.assert_status(200);
    assert_eq!(page.body["items"][0]["kind"], "organization.administered");
    assert_eq!(looks_at_events(&owner).await, before);
    // A stream is recorded once for each organization, with the first event of that organization.
    let begin = async || {
        world
            .http
            .get(world.public_url("/manage/events/stream"))
            .bearer_auth(&operator.secret)
            .send()
            .await
            .unwrap()
    };
    let mut stream = begin().await;
    assert_eq!(stream.status(), 200);
    for name in ["three", "four"] {
        let role_id = owner
            .post(&acme.path("/roles"), json!({"name": name}))
            .await
            .assert_status(201)
            .text_member("id");
        hear(&mut stream, &role_id).await;
        assert_eq!(looks_at_events(&owner).await, before + 1, "{name}");
    }
    assert_eq!(
        looks_at_events(&operator).await,
        0,
        "reading the events of the own organization is not recorded"
    );
}

async fn security_event_streams_are_limited_in_number(world: &World) {
    let operator = world.create_operator().await;
    let mut streams = Vec::new();
    let follow = async || {
        world
            .http
            .get(world.public_url("/manage/events/stream"))
            .bearer_auth(&operator.secret)
            .send()
            .await
            .unwrap()
    };
    for _ in 0..16 {
        let stream = follow().await;
        assert_eq!(stream.status(), 200);
        streams.push(stream);
    }
    let refused = follow().await;
    assert_eq!(refused.status(), 503);
    assert!(refused.headers().contains_key("retry-after"));
}

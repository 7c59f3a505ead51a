//! Conventions of every list and change: pages, cursors, versions, and unknown parameters.

use crate::both_engines;
use crate::harness::api_caller::ApiRequest;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;

both_engines!(
    pagination_returns_every_item_once_in_id_order,
    pagination_limit_out_of_bounds_is_refused,
    pagination_cursor_is_bound_to_its_list,
    if_match_must_name_exactly_one_version,
    if_match_raced_by_sixteen_changes_succeeds_once,
    unknown_members_and_parameters_are_refused
);

async fn pagination_returns_every_item_once_in_id_order(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    for _ in 0..6 {
        world.create_member(&acme, &["member"]).await;
    }
    let full_response = owner.get(&acme.path("/members")).await.assert_status(200);
    assert_eq!(full_response.body["next"], json!(null));
    let all_ids: Vec<_> =
        full_response.body["items"].as_array().unwrap().iter().map(|it| it["id"].clone()).collect();
    assert_eq!(all_ids.len(), 7);
    for limit in [1, 2, 3, 7, 200] {
        let (mut paged_ids, mut after) = (Vec::new(), String::new());
        loop {
            let page =
                owner.get(&acme.path(&format!("/members?limit={limit}{after}"))).await.assert_status(200);
            let items = page.body["items"].as_array().unwrap();
            assert!(items.len() <= limit);
            paged_ids.extend(items.iter().map(|it| it["id"].clone()));
            match page.body["next"].as_str() {
                Some(next) => after = format!("&after={next}"),
                None => break,
            }
        }
        assert_eq!(paged_ids, all_ids, "limit {limit}");
    }
    let mut sorted: Vec<_> = all_ids.iter().map(|id| id.as_str().unwrap().to_owned()).collect();
    sorted.sort();
    assert_eq!(json!(sorted), json!(all_ids));
}

async fn pagination_limit_out_of_bounds_is_refused(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    for limit in ["0", "-1", "201", "9223372036854775808", "1.5", "many", "%00", "+1x"] {
        owner
            .get(&acme.path(&format!("/members?limit={limit}")))
            .await
            .assert_problem(400, "invalid_request");
    }
    owner.get(&acme.path("/members?limit=1&limit=2")).await.assert_problem(400, "invalid_request");
    owner.get(&acme.path("/members?limit=200")).await.assert_status(200);
}

async fn pagination_cursor_is_bound_to_its_list(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let (owner, theirs) = (world.create_owner(&acme).await, world.create_owner(&other).await);
    world.create_member(&acme, &["member"]).await;
    world.create_member(&other, &["member"]).await;
    let next = owner.get(&acme.path("/members?limit=1")).await.assert_status(200).text_member("next");
    owner.get(&acme.path(&format!("/members?limit=2&after={next}"))).await.assert_status(200);
    owner.get(&format!("/manage/organizations/acme/members?after={next}")).await.assert_status(200);
    let foreign = theirs.get(&other.path("/members?limit=1")).await.assert_status(200).text_member("next");
    let mut tampered = next.clone().into_bytes();
    let middle = tampered.len() / 2;
    tampered[middle] = if tampered[middle] == b'A' { b'B' } else { b'A' };
    let tampered = String::from_utf8(tampered).unwrap();
    for after in [
        &foreign,
        &tampered,
        "x",
        "%00",
        "====",
        &next[1..],
        &next[..next.len() - 1],
        &format!("{next}AA"),
        &"A".repeat(600),
    ] {
        owner
            .get(&acme.path(&format!("/members?after={after}")))
            .await
            .assert_problem(400, "invalid_request");
    }
    owner.get(&acme.path(&format!("/api-keys?after={next}"))).await.assert_problem(400, "invalid_request");
    theirs.get(&other.path(&format!("/members?after={next}"))).await.assert_problem(400, "invalid_request");
    let filtered = owner.get(&acme.path("/audit?kind=organization.created&limit=1")).await.assert_status(200);
    assert_eq!(filtered.body["next"], json!(null));
    owner.post(&acme.path("/roles"), json!({"name": "clerk"})).await.assert_status(201);
    let next = owner.get(&acme.path("/audit?limit=1")).await.assert_status(200).text_member("next");
    owner.get(&acme.path(&format!("/audit?after={next}"))).await.assert_status(200);
    owner
        .get(&acme.path(&format!("/audit?kind=role.created&after={next}")))
        .await
        .assert_problem(400, "invalid_request");
}

async fn if_match_must_name_exactly_one_version(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let patch = async |tags: &[&str]| {
        let headers = tags.iter().map(|tag| ("if-match", (*tag).to_owned())).collect();
        let request = ApiRequest { body: Some(json!({"name": "Acme"})), headers, ..ApiRequest::default() };
        owner.send_request(Method::PATCH, &acme.path(""), request).await
    };
    patch(&[]).await.assert_problem(428, "precondition_required");
    for tag in ["*", "1", "\"1\", \"2\"", "\"1", ""] {
        patch(&[tag]).await.assert_problem(400, "invalid_request");
    }
    patch(&["\"1\"", "\"1\""]).await.assert_problem(400, "invalid_request");
    for tag in ["\"2\"", "W/\"1\"", "\"01\"", "\"x\"", "\"-1\"", "\"99999999999999999999\""] {
        patch(&[tag]).await.assert_problem(412, "precondition_failed");
    }
    assert_eq!(patch(&["\"1\""]).await.assert_status(200).version(), 2);
    patch(&["\"1\""]).await.assert_problem(412, "precondition_failed");
}

async fn if_match_raced_by_sixteen_changes_succeeds_once(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let path = acme.path("");
    let tries: Vec<_> =
        (0..16).map(|number| owner.patch(&path, 1, json!({"name": format!("n{number}")}))).collect();
    let mut statuses = Vec::new();
    for reply in join_all(tries).await {
        statuses.push(reply.status);
    }
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![200], vec![412; 15]].concat());
}

async fn unknown_members_and_parameters_are_refused(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    owner.get(&acme.path("/members?color=red")).await.assert_problem(400, "invalid_request");
    owner.get(&acme.path("?limit=1")).await.assert_problem(400, "invalid_request");
    for query in ["limit=", "after=", "limit", "limit=2&after="] {
        owner.get(&acme.path(&format!("/members?{query}"))).await.assert_problem(400, "invalid_request");
    }
    owner.get(&acme.path("/audit?kind=")).await.assert_problem(400, "invalid_request");
    owner.patch(&acme.path(""), 99, json!({"nam": "x"})).await.assert_problem(422, "unprocessable");
    let refused = owner
        .post(&acme.path("/roles"), json!({"name": "clerk", "nam": "x"}))
        .await
        .assert_problem(422, "unprocessable");
    assert_eq!(refused.fault_pointers(), ["/nam"]);
    let raw = async |kind: &str, body: &str| {
        let request_builder =
            world.http.post(world.public_url(&acme.path("/roles"))).bearer_auth(&owner.secret);
        request_builder
            .header("content-type", kind.to_owned())
            .body(body.to_owned())
            .send()
            .await
            .unwrap()
            .status()
            .as_u16()
    };
    assert_eq!(raw("application/json", "{").await, 400);
    assert_eq!(raw("application/json", r#"{"name":"a","name":"b"}"#).await, 400);
    assert_eq!(raw("application/json", &"[".repeat(1000)).await, 400);
    assert_eq!(raw("text/plain", r#"{"name":"a"}"#).await, 415);
    assert_eq!(raw("application/merge-patch+json", r#"{"name":"a"}"#).await, 415);
    assert_eq!(raw("application/json", &format!("\"{}\"", "a".repeat(70_000))).await, 413);
    assert_eq!(raw("application/json", r#"{"name":"a"}"#).await, 201);
}

/// Awaits all of them concurrently.
pub(crate) async fn join_all<T>(futures: Vec<impl Future<Output = T>>) -> Vec<T> {
    let mut pending: Vec<_> = futures.into_iter().map(Box::pin).collect();
    let mut outputs = Vec::new();
    std::future::poll_fn(move |context| {
        pending.retain_mut(|future| match future.as_mut().poll(context) {
            std::task::Poll::Ready(outcome) => {
                outputs.push(outcome);
                false
            }
            std::task::Poll::Pending => true,
        });
        if pending.is_empty() {
            std::task::Poll::Ready(std::mem::take(&mut outputs))
        } else {
            std::task::Poll::Pending
        }
    })
    .await
}

//! Assignments: made by another operator, visible to the organization, ended at once.

use crate::both_engines;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;

both_engines!(assignment_needs_a_second_operator, assignment_faults_are_all_reported_with_their_location);

async fn assignment_needs_a_second_operator(world: &World) {
    let acme = world.create_organization("acme").await;
    let (ana, rui) = (world.create_operator().await, world.create_operator().await);
    let ends_at = world.server.engine().now().plus(Lifetime::from_hours(4)).to_string();
    let build_assignment =
        |holder| json!({"organization": "acme", "holder": holder, "reason": "a look", "ends_at": ends_at});
    ana.post("/manage/assignments", build_assignment(ana.membership))
        .await
        .assert_problem(403, "insufficient_scope");
    ana.get(&acme.path("")).await.assert_problem(404, "not_found");
    let response = rui.post("/manage/assignments", build_assignment(ana.membership)).await.assert_status(201);
    ana.get(&acme.path("")).await.assert_status(200);
    rui.get(&acme.path("")).await.assert_problem(404, "not_found");

    let owner = world.create_owner(&acme).await;
    let owner_response = owner.get(&acme.path("/assignments")).await.assert_status(200);
    assert_eq!(
        (&owner_response.body["items"][0]["reason"], &owner_response.body["items"][0]["holder"]),
        (&json!("a look"), &json!(ana.membership))
    );
    owner
        .post("/manage/assignments", build_assignment(owner.membership))
        .await
        .assert_problem(403, "insufficient_scope");
    let operator_response = rui.get("/manage/assignments?organization=acme").await.assert_status(200);
    assert_eq!(operator_response.body["items"], owner_response.body["items"]);
    rui.get("/manage/assignments").await.assert_problem(400, "invalid_request");
    rui.get("/manage/assignments?organization=nowhere").await.assert_problem(404, "not_found");

    let path = format!("/manage/assignments/{}", response.text_member("id"));
    owner.get(&path).await.assert_problem(403, "insufficient_scope");
    rui.delete(&path, None).await.assert_status(204);
    ana.get(&acme.path("")).await.assert_problem(404, "not_found");
    assert!(rui.get(&path).await.assert_status(200).body["ended_at"].is_string());
}

async fn assignment_faults_are_all_reported_with_their_location(world: &World) {
    let acme = world.create_organization("acme").await;
    let (ana, owner) = (world.create_operator().await, world.create_owner(&acme).await);
    let list_faults = async |body: Value| {
        ana.post("/manage/assignments", body).await.assert_problem(422, "unprocessable").fault_pointers()
    };
    let late = world.server.engine().now().plus(Lifetime::from_days(31)).to_string();
    let soon = world.server.engine().now().plus(Lifetime::from_hours(1)).to_string();
    assert_eq!(
        list_faults(
            json!({"organization": "acme", "holder": "x", "reason": "y", "ends_at": "soon", "member": "z"})
        )
        .await,
        ["/holder", "/ends_at", "/member"]
    );
    assert_eq!(
        list_faults(
            json!({"organization": "acme", "holder": owner.membership, "reason": "\u{202e}", "ends_at": late})
        )
        .await,
        ["/reason", "/ends_at"]
    );
    assert_eq!(
        list_faults(
            json!({"organization": "acme", "holder": owner.membership, "reason": "y", "ends_at": soon})
        )
        .await,
        ["/holder"]
    );
    let missing =
        json!({"organization": "nowhere", "holder": owner.membership, "reason": "y", "ends_at": soon});
    ana.post("/manage/assignments", missing).await.assert_problem(404, "not_found");
}

//! Several evaluations in one request.

use crate::both_engines;
use crate::harness::drive_api::evaluation_request;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::limits::EVALUATIONS_MAX;

const EVALUATIONS: &str = "/access/v1/evaluations";

fn decisions(body: &Value) -> Vec<bool> {
    body["evaluations"].as_array().unwrap().iter().map(|it| it["decision"].as_bool().unwrap()).collect()
}

both_engines!(
    authzen_evaluations_share_defaults_and_are_answered_in_order,
    authzen_evaluations_without_items_is_a_single_evaluation_and_their_number_is_bounded
);

async fn authzen_evaluations_share_defaults_and_are_answered_in_order(world: &World) {
    let drive = world.create_drive_api().await;
    let ana = drive.create_member().await;
    drive
        .add_relationships(&[
            &format!("document:a editor member:{ana}"),
            &format!("document:c viewer member:{ana}"),
        ])
        .await;
    let mut request = evaluation_request(&format!("member:{ana}"), "write", "document:a");
    request["evaluations"] = json!([
        {}, {"resource": {"type": "document", "id": "b"}},
        {"resource": {"type": "document", "id": "c"}, "action": {"name": "read"}},
        {"subject": {"type": "member", "id": "nobody"}},
    ]);
    let ask = async |body: &Value| world.post_authzen(&drive.service, EVALUATIONS, body).await.is(200).body;
    let response = ask(&request).await;
    assert_eq!(decisions(&response), [true, false, true, false]);
    assert!(response.get("decision").is_none());
    for (semantic, expected) in [
        ("execute_all", vec![true, false, true, false]),
        ("deny_on_first_deny", vec![true, false]),
        ("permit_on_first_permit", vec![true]),
    ] {
        request["options"] = json!({"evaluations_semantic": semantic, "another": 1});
        assert_eq!(decisions(&ask(&request).await), expected, "{semantic}");
    }
    request["options"] = json!({"evaluations_semantic": "guess"});
    assert_eq!(world.post_authzen(&drive.service, EVALUATIONS, &request).await.status, 400);
    // An invalid evaluation does not prevent the decisions about the others.
    let broken = json!({
        "subject": {"type": "member", "id": ana}, "action": {"name": "read"},
        "evaluations": [{"resource": {"type": "document", "id": "a"}}, {}, {"resource": {"type": "document", "id": "c"}}],
    });
    let response = ask(&broken).await;
    assert_eq!(decisions(&response), [true, false, true]);
    assert_eq!(response["evaluations"][1]["context"]["error"]["status"], 400);
    let mut nameless = evaluation_request(&format!("member:{ana}"), "write", "document:a");
    nameless["evaluations"] =
        json!([{}, {"context": {"api": "https://drive.example/\u{0}"}}, {"context": {"api": "drive"}}, {}]);
    let response = ask(&nameless).await;
    assert_eq!(decisions(&response), [true, false, false, true]);
    assert_eq!(response["evaluations"][1]["context"]["error"]["status"], 400);
    assert_eq!(response["evaluations"][2]["context"]["error"]["status"], 400);
}

async fn authzen_evaluations_without_items_is_a_single_evaluation_and_their_number_is_bounded(world: &World) {
    let drive = world.create_drive_api().await;
    let ana = drive.create_member().await;
    drive.add_relationships(&[&format!("document:a editor member:{ana}")]).await;
    let mut request = evaluation_request(&format!("member:{ana}"), "write", "document:a");
    for evaluations in [None, Some(json!([]))] {
        if let Some(evaluations) = evaluations {
            request["evaluations"] = evaluations;
        }
        let response = world.post_authzen(&drive.service, EVALUATIONS, &request).await.is(200);
        assert_eq!(response.body, json!({"decision": true}));
    }
    request["evaluations"] = json!(vec![json!({}); EVALUATIONS_MAX]);
    assert_eq!(
        decisions(&world.post_authzen(&drive.service, EVALUATIONS, &request).await.is(200).body).len(),
        EVALUATIONS_MAX
    );
    request["evaluations"] = json!(vec![json!({}); EVALUATIONS_MAX + 1]);
    assert_eq!(world.post_authzen(&drive.service, EVALUATIONS, &request).await.status, 400);
    request["evaluations"] = json!("all");
    assert_eq!(world.post_authzen(&drive.service, EVALUATIONS, &request).await.status, 400);
    let client = world.create_confidential_client().await;
    assert_eq!(world.post_authzen(&client, EVALUATIONS, &request).await.status, 403);
}

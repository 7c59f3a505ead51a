//! Several questions in one request.

use crate::both_engines;
use crate::harness::drive::question;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::limits::EVALUATIONS_MAX;

const EVALUATIONS: &str = "/access/v1/evaluations";

fn decisions(body: &Value) -> Vec<bool> {
    body["evaluations"].as_array().unwrap().iter().map(|it| it["decision"].as_bool().unwrap()).collect()
}

both_engines!(
    several_questions_share_what_they_do_not_say_and_are_answered_in_their_order,
    a_question_alone_is_answered_alone_and_there_is_an_end_to_how_many
);

async fn several_questions_share_what_they_do_not_say_and_are_answered_in_their_order(world: &World) {
    let drive = world.drive().await;
    let ana = drive.member().await;
    drive
        .add(&[&format!("document:a editor member:{ana}"), &format!("document:c viewer member:{ana}")])
        .await;
    let mut asked = question(&format!("member:{ana}"), "write", "document:a");
    asked["evaluations"] = json!([
        {}, {"resource": {"type": "document", "id": "b"}},
        {"resource": {"type": "document", "id": "c"}, "action": {"name": "read"}},
        {"subject": {"type": "member", "id": "nobody"}},
    ]);
    let ask = async |body: &Value| world.asked(&drive.service, EVALUATIONS, body).await.is(200).body;
    let answered = ask(&asked).await;
    assert_eq!(decisions(&answered), [true, false, true, false]);
    assert!(answered.get("decision").is_none());
    for (semantic, expected) in [
        ("execute_all", vec![true, false, true, false]),
        ("deny_on_first_deny", vec![true, false]),
        ("permit_on_first_permit", vec![true]),
    ] {
        asked["options"] = json!({"evaluations_semantic": semantic, "another": 1});
        assert_eq!(decisions(&ask(&asked).await), expected, "{semantic}");
    }
    asked["options"] = json!({"evaluations_semantic": "guess"});
    assert_eq!(world.asked(&drive.service, EVALUATIONS, &asked).await.status, 400);
    // One that cannot be answered keeps nobody from the others' answers.
    let broken = json!({
        "subject": {"type": "member", "id": ana}, "action": {"name": "read"},
        "evaluations": [{"resource": {"type": "document", "id": "a"}}, {}, {"resource": {"type": "document", "id": "c"}}],
    });
    let answered = ask(&broken).await;
    assert_eq!(decisions(&answered), [true, false, true]);
    assert_eq!(answered["evaluations"][1]["context"]["error"]["status"], 400);
    let mut nameless = question(&format!("member:{ana}"), "write", "document:a");
    nameless["evaluations"] =
        json!([{}, {"context": {"api": "https://drive.example/\u{0}"}}, {"context": {"api": "drive"}}, {}]);
    let answered = ask(&nameless).await;
    assert_eq!(decisions(&answered), [true, false, false, true]);
    assert_eq!(answered["evaluations"][1]["context"]["error"]["status"], 400);
    assert_eq!(answered["evaluations"][2]["context"]["error"]["status"], 400);
}

async fn a_question_alone_is_answered_alone_and_there_is_an_end_to_how_many(world: &World) {
    let drive = world.drive().await;
    let ana = drive.member().await;
    drive.add(&[&format!("document:a editor member:{ana}")]).await;
    let mut asked = question(&format!("member:{ana}"), "write", "document:a");
    for evaluations in [None, Some(json!([]))] {
        if let Some(evaluations) = evaluations {
            asked["evaluations"] = evaluations;
        }
        let answered = world.asked(&drive.service, EVALUATIONS, &asked).await.is(200);
        assert_eq!(answered.body, json!({"decision": true}));
    }
    asked["evaluations"] = json!(vec![json!({}); EVALUATIONS_MAX]);
    assert_eq!(
        decisions(&world.asked(&drive.service, EVALUATIONS, &asked).await.is(200).body).len(),
        EVALUATIONS_MAX
    );
    asked["evaluations"] = json!(vec![json!({}); EVALUATIONS_MAX + 1]);
    assert_eq!(world.asked(&drive.service, EVALUATIONS, &asked).await.status, 400);
    asked["evaluations"] = json!("all");
    assert_eq!(world.asked(&drive.service, EVALUATIONS, &asked).await.status, 400);
    let stranger = world.app().await;
    assert_eq!(world.asked(&stranger, EVALUATIONS, &asked).await.status, 403);
}

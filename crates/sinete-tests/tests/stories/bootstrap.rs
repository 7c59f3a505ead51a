//! The link that makes the first operator: given while nobody runs the instance, and never afterwards. Until
//! somebody follows it nobody is there, and nothing but what people set up themselves lets them in.

use crate::both_engines;
use crate::harness::api::ApiRequest;
use crate::harness::person::PASSWORD;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_core::limits::BOOTSTRAP_LIFETIME;
use sinete_engine::bootstrap::{at_first_start, has_operator, invite_operator};
use sinete_engine::caller;
use sinete_engine::operating::InstanceAdmin;
use sinete_store::bootstrap_links;
use std::collections::BTreeSet;

both_engines!(
    a_link_for_the_first_operator_is_given_until_there_is_one,
    first_operator_links_end_as_soon_as_somebody_else_runs_the_instance,
    nobody_has_an_account_before_anybody_makes_one,
    no_kind_of_flow_takes_a_hint_or_the_answer_to_a_question
);

async fn a_link_for_the_first_operator_is_given_until_there_is_one(world: &World) {
    let engine = world.server.engine();
    assert!(!has_operator(engine).await.unwrap());
    let link = at_first_start(engine).await.unwrap().unwrap();
    assert_eq!(link.expires_at, engine.now().plus(BOOTSTRAP_LIFETIME));
    assert!(link.address.unwrap().ends_with(&format!("/accept-invitation?token={}", link.token)));
    let digest = sinete_core::secret::Secret::parse(&link.token).unwrap().digest();
    let kept = bootstrap_links::find(engine.store(), &digest).await.unwrap().unwrap();
    assert_eq!((kept.expires_at, kept.spent_at), (link.expires_at, None));
    // Somebody who owns the operators' organization and carries no operator's role does not run the instance.
    let house = world.tenant_of("operator").await;
    world.member(&house, &["owner"]).await;
    assert!(at_first_start(engine).await.unwrap().is_some());
    world.operator().await;
    assert!(has_operator(engine).await.unwrap());
    assert!(at_first_start(engine).await.unwrap().is_none());
}

async fn first_operator_links_end_as_soon_as_somebody_else_runs_the_instance(world: &World) {
    let engine = world.server.engine();
    let command_line = caller::at_the_command_line(engine).await.unwrap();
    let link = async || {
        invite_operator(engine, &InstanceAdmin::new(engine, &command_line)).await.unwrap().unwrap().token
    };
    let (printed, asked) = (link().await, link().await);
    let details = |email: &str| json!({"email": email, "password": PASSWORD});
    // One is on its way through its flow, the other is followed first.
    let mut late = world.flow(json!({"kind": "first_operator", "token": printed})).await;
    let mut first = world.flow(json!({"kind": "first_operator", "token": asked})).await;
    first.says("details", details("ana@example.com")).await.is(200);
    late.says("details", details("eve@example.com")).await.refused(404, "not_found");
    let begin = async |token: &str| {
        let body = json!({"kind": "first_operator", "token": token, "session": "token"});
        world.ask(Method::POST, "/flows", ApiRequest { body: Some(body), ..ApiRequest::default() }).await
    };
    begin(&printed).await.refused(404, "not_found");
    // So does one that was made before somebody was given the role in another way.
    let again = link().await;
    world.operator().await;
    begin(&again).await.refused(404, "not_found");
    // Whoever holds the command line makes another operator all the same.
    let mut next = world.flow(json!({"kind": "first_operator", "token": link().await})).await;
    next.says("details", details("bia@example.com")).await.is(200);
    world.sign_in("eve@example.com", PASSWORD).await.refused(422, "unprocessable");
}

async fn nobody_has_an_account_before_anybody_makes_one(world: &World) {
    let dump = world.dump().await;
    for table in ["accounts", "contacts", "credentials", "sessions", "api_keys"] {
        assert_eq!(dump[table], Vec::<String>::new(), "{table}");
    }
    for name in ["root", "admin", "administrator", "sa", "operator", "test"] {
        for password in ["", "admin", "password", "changeme", name] {
            assert_ne!(world.sign_in(&format!("{name}@example.com"), password).await.status, 200);
        }
    }
}

async fn no_kind_of_flow_takes_a_hint_or_the_answer_to_a_question(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let mut fields = BTreeSet::new();
    for kind in ["sign_in", "sign_up", "reset_password", "step_up"] {
        let walk = world.flow_as(json!({"kind": kind}), Some(&ana.session)).await;
        for action in walk.last.body["actions"].as_array().unwrap() {
            fields.extend(action["schema"]["properties"].as_object().unwrap().keys().cloned());
        }
    }
    fields.extend(world.description().await["components"]["schemas"].as_object().unwrap().iter().flat_map(
        |(name, schema)| {
            let is_own =
                ["Account", "Own", "Flow", "Profile", "Password"].iter().any(|part| name.contains(part));
            let properties = schema["properties"].as_object().filter(|_| is_own);
            properties.into_iter().flat_map(|it| it.keys().cloned()).collect::<Vec<_>>()
        },
    ));
    assert!(fields.contains("password") && fields.len() > 5, "{fields:?}");
    for word in ["hint", "question", "answer", "maiden", "reminder"] {
        assert!(!fields.iter().any(|field| field.contains(word)), "{word} in {fields:?}");
    }
}

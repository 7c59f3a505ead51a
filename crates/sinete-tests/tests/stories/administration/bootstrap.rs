//! The link that creates the first operator: available only while the instance has no operator. Until it is used, no
//! operator account exists.

use crate::both_engines;
use crate::harness::api_caller::ApiRequest;
use crate::harness::flow_client::PASSWORD;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_core::limits::BOOTSTRAP_LIFETIME;
use sinete_engine::access_control::instance_admin::InstanceAdmin;
use sinete_engine::administration::bootstrap::{create_development_link, has_operator, invite_operator};
use sinete_engine::organizations;
use sinete_store::administration::bootstrap;
use std::collections::BTreeSet;

both_engines!(
    bootstrap_link_is_issued_until_an_operator_exists,
    bootstrap_links_end_as_soon_as_another_operator_exists,
    bootstrap_link_leads_to_the_setup_checklist,
    new_instance_has_no_accounts,
    flows_offer_neither_password_hints_nor_security_questions
);

async fn bootstrap_link_is_issued_until_an_operator_exists(world: &World) {
    let engine = world.server.engine();
    assert!(!has_operator(engine).await.unwrap());
    let link = create_development_link(engine).await.unwrap().unwrap();
    assert_eq!(link.expires_at, engine.now().plus(BOOTSTRAP_LIFETIME));
    assert!(link.address.unwrap().ends_with(&format!("/accept-invitation?token={}", link.token)));
    let digest = sinete_core::secret::Secret::parse(&link.token).unwrap().digest();
    let bootstrap_link = bootstrap::find_bootstrap_link(engine.store(), &digest).await.unwrap().unwrap();
    assert_eq!((bootstrap_link.expires_at, bootstrap_link.spent_at), (link.expires_at, None));
    // An owner of the operators' organization without the operator role is not an operator.
    let house = world.find_organization("operator").await;
    world.create_member(&house, &["owner"]).await;
    assert!(create_development_link(engine).await.unwrap().is_some());
    world.create_operator().await;
    assert!(has_operator(engine).await.unwrap());
    assert!(create_development_link(engine).await.unwrap().is_none());
}

async fn bootstrap_links_end_as_soon_as_another_operator_exists(world: &World) {
    let engine = world.server.engine();
    let command_line = organizations::load_command_line_caller(engine).await.unwrap();
    let link =
        async || invite_operator(engine, &InstanceAdmin::new(engine, &command_line)).await.unwrap().token;
    let (printed, requested_link) = (link().await, link().await);
    let details = |email: &str| json!({"email": email, "password": PASSWORD});
    // Both links are opened; the second one is completed first.
    let mut late = world.start_flow(json!({"kind": "first_operator", "token": printed})).await;
    let mut first = world.start_flow(json!({"kind": "first_operator", "token": requested_link})).await;
    first.submit("details", details("ana@example.com")).await.assert_status(200);
    late.submit("details", details("eve@example.com")).await.assert_problem(404, "not_found");
    let begin = async |token: &str| {
        let body = json!({"kind": "first_operator", "token": token, "session": "token"});
        world
            .send_request(Method::POST, "/flows", ApiRequest { body: Some(body), ..ApiRequest::default() })
            .await
    };
    begin(&printed).await.assert_problem(404, "not_found");
    // A link that was created before an operator got the role in another way does not work either.
    let third_link = link().await;
    world.create_operator().await;
    begin(&third_link).await.assert_problem(404, "not_found");
    // The command line can create another operator at any time.
    let mut next = world.start_flow(json!({"kind": "first_operator", "token": link().await})).await;
    next.submit("details", details("bia@example.com")).await.assert_status(200);
    world.sign_in_with_password("eve@example.com", PASSWORD).await.assert_problem(422, "unprocessable");
}

async fn bootstrap_link_leads_to_the_setup_checklist(world: &World) {
    let link = create_development_link(world.server.engine()).await.unwrap().unwrap();
    let mut browser = world.create_page_browser("en");
    let page = browser.open_page(&format!("/accept-invitation?token={}", link.token)).await;
    let details = [("name", "Ana"), ("identifier", "ana@example.com"), ("password", PASSWORD)];
    let (_, offer) = browser.submit_form(&page, "id=\"sign-up-submit\"", &details).await;
    assert!(offer.contains("id=\"passkey-skip\" href=\"/instance\""), "{offer}");
    assert!(browser.open_page("/instance").await.contains("id=\"step-organization\">"));
    // Other users are led to their account, also if they write the parameter themselves.
    let bia = world.create_user("bia@example.com").await;
    let mut other = world.create_page_browser("en").with_session(&bia.session);
    assert_eq!(other.open_url("/instance").await.0, 404);
    assert!(other.open_page("/my-account").await.contains("id=\"sessions\""));
}

async fn new_instance_has_no_accounts(world: &World) {
    let dump = world.dump_database().await;
    for table in ["accounts", "contacts", "credentials", "sessions", "api_keys"] {
        assert_eq!(dump[table], Vec::<String>::new(), "{table}");
    }
    for name in ["root", "admin", "administrator", "sa", "operator", "test"] {
        for password in ["", "admin", "password", "changeme", name] {
            assert_ne!(
                world.sign_in_with_password(&format!("{name}@example.com"), password).await.status,
                200
            );
        }
    }
}

async fn flows_offer_neither_password_hints_nor_security_questions(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let mut fields = BTreeSet::new();
    for kind in ["sign_in", "sign_up", "reset_password", "step_up"] {
        let walk = world.start_flow_in_session(json!({"kind": kind}), Some(&ana.session)).await;
        for action in walk.last.body["actions"].as_array().unwrap() {
            fields.extend(action["schema"]["properties"].as_object().unwrap().keys().cloned());
        }
    }
    fields.extend(world.openapi().await["components"]["schemas"].as_object().unwrap().iter().flat_map(
        |(name, schema)| {
            let is_own =
                ["Account", "Own", "Flow", "Profile", "Password"].iter().any(|part| name.contains(part));
            let properties = schema["properties"].as_object().filter(|_| is_own);
            properties.into_iter().flat_map(|it| it.keys().cloned()).collect::<Vec<_>>()
        },
    ));
    assert!(fields.contains("password") && fields.len() > 5, "{fields:?}");
    // The address that an application suggests (OpenID Connect Core 3.1.2.1), not a hint about a password.
    fields.remove("login_hint");
    for word in ["hint", "question", "answer", "maiden", "reminder"] {
        assert!(!fields.iter().any(|field| field.contains(word)), "{word} in {fields:?}");
    }
}

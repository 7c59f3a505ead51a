//! Clients that are registered by what they are and whom they serve, and work at once for those users.

use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::flow_client::{FlowClient, PASSWORD, TestUser};
use crate::harness::oauth_application::{BrowserSession, CALLBACK, OAuthApplication};
use crate::harness::world::World;
use crate::stories::oauth::authorize::add_member;
use serde_json::{Value, json};

both_engines!(
    client_type_fills_omitted_metadata,
    client_that_serves_everyone_needs_neither_organization_selection_nor_consent,
    client_that_serves_everyone_does_not_offer_home_as_a_choice,
    client_that_serves_organizations_refuses_members_of_home_only,
    client_of_the_instance_asks_for_permissions_but_not_for_identity_scopes
);

/// Registers a client of the instance.
async fn register<'w>(operator: &ApiCaller<'w>, world: &'w World, metadata: Value) -> OAuthApplication<'w> {
    let mut full_metadata = json!({"client_name": "Shop", "redirect_uris": [CALLBACK]});
    full_metadata.as_object_mut().unwrap().extend(metadata.as_object().unwrap().clone());
    let client_body = json!({"type": "web", "metadata": full_metadata});
    let response = operator.post("/manage/clients", client_body).await.assert_status(201);
    OAuthApplication {
        world,
        id: response.text_member("id").parse().unwrap(),
        secret: Some(response.text_member("client_secret")),
        callback: CALLBACK.to_owned(),
    }
}

fn browser(user: &TestUser<'_>) -> BrowserSession {
    BrowserSession { account: user.account, token: user.session.clone() }
}

async fn client_type_fills_omitted_metadata(world: &World) {
    let operator = world.create_operator().await;
    for (name, kind, method) in [
        ("web", "application", "client_secret_basic"),
        ("spa", "application", "none"),
        ("native", "application", "none"),
    ] {
        let metadata = json!({"client_name": name, "redirect_uris": ["http://127.0.0.1/callback"]});
        let response = operator.post("/manage/clients", json!({"type": name, "metadata": metadata})).await;
        let response = response.assert_status(201);
        assert_eq!(
            (&response.body["kind"], &response.body["metadata"]["scope"]),
            (&json!(kind), &json!("openid profile email"))
        );
        assert_eq!(response.body["metadata"]["token_endpoint_auth_method"], method);
        assert_eq!(response.body["metadata"]["consent"], "ask_for_permissions");
        assert_eq!(response.body.get("client_secret").is_some(), method != "none");
    }
    // Values in the request are kept, and values that do not fit are refused.
    let metadata =
        json!({"client_name": "x", "redirect_uris": [CALLBACK], "consent": "ask", "scope": "openid"});
    let response = operator
        .post("/manage/clients", json!({"type": "web", "metadata": metadata}))
        .await
        .assert_status(201);
    assert_eq!(
        (&response.body["metadata"]["scope"], response.body["metadata"].get("consent")),
        (&json!("openid"), None)
    );
    for (wrong, expected_pointer) in [
        (json!({"metadata": metadata}), "/kind"),
        (json!({"type": "web", "kind": "service", "metadata": metadata}), "/kind"),
        (json!({"type": "toaster", "metadata": metadata}), "/type"),
    ] {
        let refused = operator.post("/manage/clients", wrong).await.assert_problem(422, "unprocessable");
        assert_eq!(refused.fault_pointers(), [expected_pointer]);
    }
}

async fn enters<'w>(app: &OAuthApplication<'w>) -> FlowClient<'w> {
    let response = app.authorize_as_json(None, &[]).await;
    assert_eq!(response.status, 401, "{}", response.text);
    let body: Value = serde_json::from_str(&response.text).unwrap();
    let text = |name: &str| body["flow"][name].as_str().unwrap().to_owned();
    app.world.continue_flow(&text("id"), &text("token")).await
}

async fn client_that_serves_everyone_needs_neither_organization_selection_nor_consent(world: &World) {
    let operator = world.create_operator().await;
    let app = register(&operator, world, json!({"serves": "everyone"})).await;
    let mut walk = enters(&app).await;
    walk.submit("sign_up", json!({})).await.assert_status(200);
    let details = json!({"email": "ana@example.com", "password": PASSWORD});
    walk.submit("details", details).await.assert_status(200);
    let code = world.emailed_code("ana@example.com").await;
    let response = walk.submit("code", json!({"code": code})).await.assert_status(200);
    assert_eq!(walk.stage(), "resume", "neither an organization nor consent is asked for");
    let authorization_response =
        world.resume_flow(&walk.id, Some(&response.text_member("session_token")), &[]).await;
    assert_eq!(app.redeem_code(&authorization_response.code()).await.0, 200);
}

async fn client_that_serves_everyone_does_not_offer_home_as_a_choice(world: &World) {
    let (operator, acme) = (world.create_operator().await, world.create_organization("acme").await);
    let ana = world.sign_up_user("ana@example.com").await;
    add_member(world, ana.account, &acme, "member").await;
    let everyone = register(&operator, world, json!({"serves": "everyone"})).await;
    everyone.obtain_code(&browser(&ana), &[]).await;
    everyone.obtain_code(&browser(&ana), &[("organization", Some("acme"))]).await;
    // A client of any organization asks which one.
    let any = register(&operator, world, json!({})).await;
    let response = any.authorize_as_json(Some(&browser(&ana)), &[]).await;
    assert_eq!(response.status, 401, "{}", response.text);
}

async fn client_that_serves_organizations_refuses_members_of_home_only(world: &World) {
    let (operator, acme) = (world.create_operator().await, world.create_organization("acme").await);
    let (ana, bia) =
        (world.sign_up_user("ana@example.com").await, world.sign_up_user("bia@example.com").await);
    add_member(world, ana.account, &acme, "member").await;
    let app = register(&operator, world, json!({"serves": "organizations"})).await;
    app.obtain_code(&browser(&ana), &[("prompt", Some("none"))]).await;
    app.authorize(Some(&browser(&bia)), &[]).await.assert_error_redirect("access_denied");
    app.authorize(Some(&browser(&ana)), &[("organization", Some("home"))])
        .await
        .assert_error_redirect("access_denied");
}

async fn client_of_the_instance_asks_for_permissions_but_not_for_identity_scopes(world: &World) {
    let operator = world.create_operator().await;
    let ana = world.sign_up_user("ana@example.com").await;
    let app = register(&operator, world, json!({"scope": "openid profile email offline_access"})).await;
    let quiet = |scope| [("scope", Some(scope)), ("prompt", Some("none"))];
    app.obtain_code(&browser(&ana), &quiet("openid profile email")).await;
    let refused = app.authorize(Some(&browser(&ana)), &quiet("openid offline_access")).await;
    refused.assert_error_redirect("consent_required");
}

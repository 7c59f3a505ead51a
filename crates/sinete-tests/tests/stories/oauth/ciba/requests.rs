//! CIBA requests, their responses, and which users a client may ask.

use super::{ANA, SCOPE, scene};
use crate::both_engines;
use crate::harness::ciba::CIBA_GRANT;
use crate::harness::token_endpoint::INVOICES;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_store::oauth::clients::ClientOrigin;

both_engines!(
    ciba_request_returns_auth_req_id_and_notifies_the_user,
    ciba_request_that_is_invalid_is_refused_without_notifying,
    ciba_request_for_an_unknown_user_returns_the_same_response_and_is_never_answered,
    ciba_request_accepts_login_hint_by_address_subject_and_id_token,
    ciba_request_of_an_untrusted_client_is_limited_to_known_users_and_low_risk_scopes,
    ciba_request_with_authorization_details_needs_no_binding_message,
    ciba_metadata_is_in_discovery
);

async fn ciba_request_returns_auth_req_id_and_notifies_the_user(world: &World) {
    let scene = scene(world).await;
    let (status, body) = scene
        .agent
        .request_ciba(&[("login_hint", " ANA@Example.com "), ("scope", "openid invoices:send")])
        .await;
    assert_eq!((status, &body["expires_in"], &body["interval"]), (200, &json!(300), &json!(5)), "{body}");
    assert!(
        body["auth_req_id"].as_str().unwrap().starts_with("sn_br_") && body.as_object().unwrap().len() == 3,
        "{body}"
    );
    let [pending_request] = &scene.ana.pending_ciba_requests().await[..] else {
        panic!("one request is pending")
    };
    assert_eq!(
        (&pending_request["application"], &pending_request["binding_message"]),
        (&json!("Ledger agent"), &json!("Pay 12.00 EUR to Moinho"))
    );
    assert_eq!(
        (&pending_request["scope"], &pending_request["from"]["address"]),
        (&json!("openid invoices:send"), &json!("127.0.0.1"))
    );
    // The e-mail links to the request, and contains only the client's name of what the client wrote.
    let email_text = world.newest_email_text(ANA).await;
    let link = format!("{}/approve?request={}", world.issuer(), pending_request["id"].as_str().unwrap());
    assert!(
        email_text.contains(&link) && email_text.contains("Ledger agent") && !email_text.contains("Moinho"),
        "{email_text}"
    );
    assert_eq!(world.count_events("approval.requested").await, 1);
    for (expiry, granted) in [("1", 30), ("600", 600), ("86400", 600)] {
        let (_, body) =
            scene.agent.request_ciba(&[("login_hint", "b@example.com"), ("requested_expiry", expiry)]).await;
        assert_eq!(body["expires_in"], json!(granted));
    }
}

async fn ciba_request_that_is_invalid_is_refused_without_notifying(world: &World) {
    let scene = scene(world).await;
    let ana = ("login_hint", ANA);
    for (form, error) in [
        (&[][..], "invalid_request"),
        (&[ana, ("id_token_hint", "eyJ")], "invalid_request"),
        (&[ana, ("login_hint_token", "eyJ")], "invalid_request"),
        (&[("login_hint", "ana")], "invalid_request"),
        (&[("id_token_hint", "eyJ.eyJ.x")], "invalid_request"),
        (&[ana, ("user_code", "1234")], "invalid_request"),
        (&[ana, ("requested_expiry", "0")], "invalid_request"),
        (&[ana, ("request_uri", "https://agent.example/request")], "invalid_request"),
        (&[ana, ("binding_message", "")], "invalid_binding_message"),
        (&[ana, ("binding_message", "<b>pay</b>")], "invalid_binding_message"),
        (&[ana, ("binding_message", "pay\u{202e}me")], "invalid_binding_message"),
        (&[ana, ("scope", "invoices:read")], "invalid_scope"),
        (&[ana, ("scope", "openid nonsense:x")], "invalid_scope"),
        (&[ana, ("scope", "openid files:read")], "invalid_scope"),
        (&[ana, ("resource", "https://nowhere.example")], "invalid_target"),
        (&[ana, ("authorization_details", "{}")], "invalid_authorization_details"),
        (&[ana, ("request", "eyJ.eyJ.x")], "invalid_request"),
    ] {
        let (status, body) = scene.agent.request_ciba(form).await;
        assert_eq!((status, body["error"].as_str()), (400, Some(error)), "{form:?} {body}");
        assert!(body["error_description"].as_str().unwrap().is_ascii());
    }
    assert_eq!(
        (scene.ana.pending_ciba_requests().await.len(), world.count_events("approval.requested").await),
        (0, 0)
    );
    // Only an authenticated client with the grant type.
    let form = [("client_id", scene.agent.id.as_str()), ("scope", "openid"), ana, ("binding_message", "x")];
    let unproven =
        world.http.post(world.public_url("/connect/backchannel")).form(&form).send().await.unwrap();
    assert_eq!(unproven.status(), 401);
    let other = world.create_application(ClientOrigin::Operator, json!({})).await;
    assert_eq!(other.request_ciba(&[ana]).await.1["error"], "unauthorized_client");
    let open =
        world.create_application(ClientOrigin::Operator, json!({"token_endpoint_auth_method": "none"})).await;
    let (status, body) = open.request_ciba(&[ana, ("client_id", open.id.as_str())]).await;
    assert_eq!((status, &body["error"]), (400, &json!("unauthorized_client")));
}

async fn ciba_request_for_an_unknown_user_returns_the_same_response_and_is_never_answered(world: &World) {
    let scene = scene(world).await;
    let user = world.create_user("stranger@example.com").await;
    let elsewhere = world.create_organization("elsewhere").await;
    crate::stories::oauth::authorize::add_member(world, user.account, &elsewhere, "member").await;
    let auth_application = world
        .create_ciba_client(ClientOrigin::Organization(scene.books.tenant.id), json!({"scope": SCOPE}))
        .await;
    let before = world.count_emails_to("stranger@example.com").await;
    let shapes = async |agent: &crate::harness::oauth_application::OAuthApplication<'_>,
                        params: &[(&str, &str)]| {
        let (status, body) = agent.request_ciba(params).await;
        let names: Vec<_> = body.as_object().unwrap().keys().cloned().collect();
        (status, names, body["expires_in"].clone(), body["auth_req_id"].as_str().unwrap().to_owned())
    };
    let unknown_id = "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071";
    let known_shape = shapes(&auth_application, &[("login_hint", ANA)]).await;
    for params in [
        &[("login_hint", "nobody@example.com")][..],
        &[("login_hint", unknown_id)],
        // A user outside the client's organization.
        &[("login_hint", "stranger@example.com")],
        // And a user in an organization they are not a member of.
        &[("login_hint", ANA), ("organization", "elsewhere")],
    ] {
        let body = shapes(&auth_application, params).await;
        assert_eq!((body.0, &body.1, &body.2), (known_shape.0, &known_shape.1, &known_shape.2), "{params:?}");
        auth_application.assert_ciba_poll_error(&body.3, "authorization_pending").await;
    }
    // A client that may not ask a user does not use up the user's limit.
    for _ in 0..2 {
        shapes(&auth_application, &[("login_hint", "stranger@example.com")]).await;
    }
    let anybody = world.create_ciba_client(ClientOrigin::Operator, json!({"scope": SCOPE})).await;
    for _ in 0..3 {
        assert_eq!(anybody.request_ciba(&[("login_hint", "stranger@example.com")]).await.0, 200);
    }
    assert_eq!(
        world.count_emails_to("stranger@example.com").await,
        before + 3,
        "only from clients that may ask the user"
    );
    assert_eq!(scene.ana.pending_ciba_requests().await.len(), 1);
    let theirs = world.sign_in_at_aal2(user.account).await;
    assert_eq!(theirs.pending_ciba_requests().await.len(), 3);
    let expired =
        shapes(&auth_application, &[("login_hint", "nobody@example.com"), ("requested_expiry", "30")]).await;
    auth_application.assert_ciba_poll_error(&expired.3, "expired_token").await;
}

async fn ciba_request_accepts_login_hint_by_address_subject_and_id_token(world: &World) {
    let scene = scene(world).await;
    let request = scene.agent.start_ciba(&scene.clerk.to_string(), &[]).await;
    scene.ana.approve_ciba_request().await;
    let tokens = scene.agent.redeem_ciba(&request).await;
    let hint = tokens["id_token"].as_str().unwrap();
    let (status, body) = scene.agent.request_ciba(&[("id_token_hint", hint)]).await;
    assert_eq!(status, 200, "{body}");
    scene.ana.approve_ciba_request().await;
    scene.agent.redeem_ciba(body["auth_req_id"].as_str().unwrap()).await;
    // An ID token of another client is not a valid hint, and neither is any other signed token.
    let other = world.create_ciba_client(ClientOrigin::Operator, json!({"scope": SCOPE})).await;
    for wrong in [hint, tokens["access_token"].as_str().unwrap()] {
        let (status, body) = other.request_ciba(&[("id_token_hint", wrong)]).await;
        assert_eq!((status, &body["error"]), (400, &json!("invalid_request")));
    }
}

async fn ciba_request_of_an_untrusted_client_is_limited_to_known_users_and_low_risk_scopes(world: &World) {
    let scene = scene(world).await;
    let grants = json!([CIBA_GRANT, "authorization_code"]);
    let auth_application = world
        .create_ciba_client(ClientOrigin::DynamicRegistration, json!({"grant_types": grants, "scope": SCOPE}))
        .await;
    for whom in [ANA.to_owned(), scene.clerk.to_string(), "nobody@example.com".to_owned()] {
        let (status, body) = auth_application.request_ciba(&[("login_hint", &whom)]).await;
        assert_eq!((status, &body["error"]), (400, &json!("unauthorized_client")), "{whom}");
    }
    let claims = json!({"iss": world.issuer(), "sub": scene.clerk, "aud": auth_application.id, "iat": 1, "exp": 4_000_000_000_i64});
    let hint = world.sign_jwt(sinete_crypto::platform::jwt::JwtType::Id, &claims);
    for scope in ["openid offline_access", "openid invoices:void"] {
        let (_, body) = auth_application
            .request_ciba(&[("id_token_hint", &hint), ("scope", scope), ("resource", INVOICES)])
            .await;
        assert_eq!(body["error"], "invalid_scope", "{scope}");
    }
    let (status, body) = auth_application.request_ciba(&[("id_token_hint", &hint)]).await;
    assert_eq!(status, 200, "{body}");
    scene.ana.approve_ciba_request().await;
    let tokens = auth_application.redeem_ciba(body["auth_req_id"].as_str().unwrap()).await;
    assert!(tokens.get("refresh_token").is_none(), "{tokens}");
}

async fn ciba_request_with_authorization_details_needs_no_binding_message(world: &World) {
    let scene = scene(world).await;
    let payments = json!({"identifier": "https://payments.example", "name": "Payments", "permissions": [{"permission": "payments:send", "english": "Send"}], "detail_types": {"payment": {"type": "object", "required": ["amount"], "properties": {"amount": {"type": "string"}}}}});
    scene.books.owner.create_api(payments).await.assert_status(201);
    let details = r#"[{"type":"payment","amount":"12.00"}]"#;
    let asks = [
        ("binding_message", ""),
        ("resource", "https://payments.example"),
        ("authorization_details", details),
    ];
    let request = scene.agent.start_ciba(ANA, &asks).await;
    let path = scene.ana.newest_ciba_request().await;
    let look = scene.ana.get(&path).await.assert_status(200);
    let expected_details: Value = serde_json::from_str(details).unwrap();
    assert_eq!((&look.body["next"], &look.body["consent"]["details"]), (&json!("answer"), &expected_details));
    scene.ana.approve_ciba_request().await;
    assert_eq!(scene.agent.redeem_ciba(&request).await["authorization_details"], expected_details);
}

async fn ciba_metadata_is_in_discovery(world: &World) {
    let document: Value = world
        .http
        .get(world.public_url("/.well-known/openid-configuration"))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(
        document["backchannel_authentication_endpoint"],
        format!("{}/connect/backchannel", world.issuer())
    );
    assert_eq!(document["backchannel_token_delivery_modes_supported"], json!(["poll", "ping"]));
    assert_eq!(document["backchannel_user_code_parameter_supported"], json!(false));
    assert!(document["grant_types_supported"].as_array().unwrap().contains(&json!(CIBA_GRANT)));
    assert!(
        !document["backchannel_authentication_request_signing_alg_values_supported"]
            .to_string()
            .contains("none")
    );
    // An agent registers itself; a delivery mode that is not supported is refused.
    let register = async |extra_metadata: Value| {
        let mut body = json!({"client_name": "Agent", "grant_types": [CIBA_GRANT], "response_types": []});
        body.as_object_mut().unwrap().extend(extra_metadata.as_object().unwrap().clone());
        let answer = world.http.post(world.public_url("/connect/register")).json(&body).send().await.unwrap();
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    let body = json!({"backchannel_token_delivery_mode": "ping", "backchannel_client_notification_endpoint": "https://agent.example/told"});
    let (status, created) = register(body.clone()).await;
    assert_eq!((status, &created["backchannel_token_delivery_mode"]), (201, &json!("ping")), "{created}");
    assert_eq!(
        created["backchannel_client_notification_endpoint"],
        body["backchannel_client_notification_endpoint"]
    );
    for wrong in [
        json!({"token_endpoint_auth_method": "none"}),
        json!({"backchannel_token_delivery_mode": "push"}),
        json!({"backchannel_token_delivery_mode": "ping"}),
        json!({"backchannel_token_delivery_mode": "ping", "backchannel_client_notification_endpoint": "http://agent.example/told"}),
        json!({"backchannel_user_code_parameter": true}),
        json!({"backchannel_authentication_request_signing_alg": "none"}),
    ] {
        let (status, refused) = register(wrong.clone()).await;
        assert_eq!((status, &refused["error"]), (400, &json!("invalid_client_metadata")), "{wrong}");
    }
}

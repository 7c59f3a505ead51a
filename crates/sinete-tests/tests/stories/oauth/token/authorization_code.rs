//! The authorization code grant.

use crate::both_engines;
use crate::harness::grants::GrantRequest;
use crate::harness::token_endpoint::{CALLBACK, FILES, INVOICES, VERIFIER};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;
use sinete_crypto::platform::jwt::JwtType;

both_engines!(
    authorization_code_is_redeemed_for_access_refresh_and_id_token,
    authorization_code_tokens_follow_the_client_registration,
    id_token_contains_exactly_the_claims_requested_by_name,
    authorization_code_reuse_revokes_the_grant_at_any_time,
    authorization_code_of_another_client_is_refused_and_stays_valid,
    authorization_code_with_a_wider_scope_is_refused_and_a_narrower_one_applies_to_this_token,
    authorization_code_with_wrong_verifier_redirect_uri_or_resource_stays_valid,
    authorization_code_expires_after_a_minute,
    authorization_code_that_is_unknown_is_refused_uniformly,
    authorization_code_is_refused_and_stays_valid_while_a_party_is_suspended
);

async fn authorization_code_is_redeemed_for_access_refresh_and_id_token(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    let (granted, code) = books.issue_code(&app, "openid email invoices:read invoices:send").await;
    let reply =
        app.redeem_code(&code, &[("redirect_uri", CALLBACK), ("resource", INVOICES)]).await.assert_granted();
    assert_eq!(reply.body["scope"], "openid email invoices:read invoices:send");
    assert!(reply.refresh_token().starts_with("sn_rt_"));
    let now = world.server.engine().now().seconds();
    let (issuer, sid) = (world.issuer(), granted.session.id.to_string());

    let access = world.token_claims(&reply.access_token(), JwtType::Access);
    assert!(access["jti"].as_str().unwrap().starts_with(&format!("{}.", granted.grant)));
    let expected = json!({
        "iss": issuer, "sub": granted.membership.to_string(), "aud": INVOICES, "client_id": app.id,
        "org": books.tenant.id.to_string(), "role": "clerk", "scope": reply.body["scope"], "iat": now,
        "exp": now + 600, "auth_time": now, "acr": "urn:sinete:aal:1", "sid": sid, "jti": access["jti"],
    });
    assert_eq!(access, expected);

    let id = world.token_claims(&reply.text_member("id_token"), JwtType::Id);
    let expected = json!({
        "iss": issuer, "sub": granted.membership.to_string(), "aud": app.id, "iat": now, "exp": now + 600,
        "auth_time": now, "acr": "urn:sinete:aal:1", "amr": ["pwd"], "nonce": "n-0S6_WzA2Mj", "sid": sid,
        "at_hash": id["at_hash"],
    });
    assert_eq!(id, expected);
    assert_eq!(id["at_hash"].as_str().unwrap().len(), 22);
    assert!(app.is_token_active(&reply.access_token()).await);
}

async fn authorization_code_tokens_follow_the_client_registration(world: &World) {
    let books = world.create_token_fixture().await;
    let plain = books
        .create_app_client(
            json!({"grant_types": ["authorization_code"], "id_token_signed_response_alg": "ES256"}),
        )
        .await;
    let (_, reply) = books.issue_tokens(&plain, "openid invoices:read").await;
    assert!(reply.body.get("refresh_token").is_none());
    world.token_claims(&reply.text_member("id_token"), JwtType::Id);
    let (_, reply) = books.issue_tokens(&plain, "invoices:read").await;
    assert!(reply.body.get("id_token").is_none());
    let other = books.create_service("clerk", "invoices:read").await;
    let (_, code) = books.issue_code(&plain, "invoices:read").await;
    other.redeem_code(&code, &[]).await.assert_oauth_error("unauthorized_client");
}

async fn id_token_contains_exactly_the_claims_requested_by_name(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({"scope": "openid profile invoices:*"})).await;
    let member = books.create_member("clerk").await;
    let claims = json!({"id_token": {"role": null, "org": {"essential": true}, "email": null, "sub": {"value": "x"}, "planet": null}, "userinfo": {"name": null}});
    let request = GrantRequest {
        audience: Some(INVOICES),
        claims,
        ..GrantRequest::for_scope("openid profile invoices:read")
    };
    let granted = world.create_grant(&books.tenant, member, &app.id.parse().unwrap(), request).await;
    let reply = app.redeem_code(&granted.code, &[]).await.assert_granted();
    let id = world.token_claims(&reply.text_member("id_token"), JwtType::Id);
    assert_eq!((&id["role"], &id["org"]), (&json!("clerk"), &json!(books.tenant.id)));
    assert_eq!(id["sub"], json!(member));
    for absent in ["email", "name", "planet", "scope"] {
        assert!(id.get(absent).is_none(), "{absent}");
    }
}

async fn authorization_code_reuse_revokes_the_grant_at_any_time(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    for later in
        [Lifetime::ZERO, Lifetime::from_seconds(1), Lifetime::from_minutes(1), Lifetime::from_days(1)]
    {
        let (_, code) = books.issue_code(&app, "openid offline_access invoices:read").await;
        let tokens = app.redeem_code(&code, &[]).await.assert_granted();
        let renewed = app.refresh_tokens(&tokens.refresh_token(), &[]).await.assert_granted();
        world.clock.advance(later);
        app.redeem_code(&code, &[]).await.assert_oauth_error("invalid_grant");
        app.refresh_tokens(&renewed.refresh_token(), &[]).await.assert_oauth_error("invalid_grant");
        for token in [&tokens, &renewed] {
            assert!(!app.is_token_active(&token.access_token()).await);
        }
    }
    assert!(world.count_events("code.replayed").await >= 4);
}

async fn authorization_code_of_another_client_is_refused_and_stays_valid(world: &World) {
    let books = world.create_token_fixture().await;
    let (app, other) = (books.create_app_client(json!({})).await, books.create_app_client(json!({})).await);
    let public = books.create_app_client(json!({"token_endpoint_auth_method": "none"})).await;
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    let refused = other.redeem_code(&code, &[]).await.assert_oauth_error("invalid_grant");
    assert_eq!(public.redeem_code(&code, &[]).await.assert_oauth_error("invalid_grant").text, refused.text);
    assert_eq!(world.count_events("code.misdirected").await, 2);
    let tokens = app.redeem_code(&code, &[]).await.assert_granted();
    other.redeem_code(&code, &[]).await.assert_oauth_error("invalid_grant");
    assert!(app.is_token_active(&tokens.access_token()).await);
    let (_, code) = books.issue_code(&public, "openid invoices:read").await;
    app.redeem_code(&code, &[]).await.assert_oauth_error("invalid_grant");
    public.redeem_code(&code, &[]).await.assert_granted();
}

async fn authorization_code_with_a_wider_scope_is_refused_and_a_narrower_one_applies_to_this_token(
    world: &World,
) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    let member = books.create_member("manager").await;
    let code = books.create_grant(member, &app, "openid invoices:read invoices:send").await.code;
    for scope in [
        "openid invoices:read invoices:send invoices:void",
        "invoices:*",
        "email",
        "offline_access",
        "files:read",
        "planets:read",
        "*:*",
    ] {
        app.redeem_code(&code, &[("scope", scope)]).await.assert_oauth_error("invalid_scope");
    }
    assert_eq!(world.count_events("code.redeemed").await, 0);
    let less = app.redeem_code(&code, &[("scope", "invoices:read")]).await.assert_granted();
    assert_eq!((&less.body["scope"], less.body.get("id_token")), (&json!("invoices:read"), None));
    assert_eq!(world.token_claims(&less.access_token(), JwtType::Access)["scope"], "invoices:read");
    let full_response = app.refresh_tokens(&less.refresh_token(), &[]).await.assert_granted();
    assert_eq!(full_response.body["scope"], "openid invoices:read invoices:send");
    // Repeating the granted scope changes nothing.
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    let same = app.redeem_code(&code, &[("scope", "invoices:read openid")]).await.assert_granted();
    assert_eq!(same.body["scope"], "openid invoices:read");
    world.token_claims(&same.text_member("id_token"), JwtType::Id);
}

async fn authorization_code_with_wrong_verifier_redirect_uri_or_resource_stays_valid(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    let with = |verifier: &'static str| [("grant_type", "authorization_code"), ("code_verifier", verifier)];
    let long: &'static str = Box::leak("x".repeat(129).into_boxed_str());
    for verifier in [
        "",
        "short",
        "DBJFTJEZ4CVP-MB92K27UHBUJU1P1R_WW1GFWFOEJXK",
        "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        long,
    ] {
        app.request_token(&[&with(verifier)[..], &[("code", &code)]].concat())
            .await
            .assert_oauth_error("invalid_grant");
    }
    app.request_token(&[("grant_type", "authorization_code"), ("code", &code)])
        .await
        .assert_oauth_error("invalid_grant");
    for uri in [
        "https://app.example/callback/",
        "https://app.example",
        "https://APP.example/callback",
        "https://evil.example",
    ] {
        app.redeem_code(&code, &[("redirect_uri", uri)]).await.assert_oauth_error("invalid_grant");
    }
    app.redeem_code(&code, &[("resource", FILES)]).await.assert_oauth_error("invalid_target");
    app.redeem_code(&code, &[("authorization_details", r#"[{"type":"payment"}]"#)])
        .await
        .assert_oauth_error("invalid_authorization_details");
    app.redeem_code(&code, &[]).await.assert_granted();
}

async fn authorization_code_expires_after_a_minute(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    let (_, early) = books.issue_code(&app, "openid").await;
    world.clock.advance(Lifetime::from_seconds(59));
    app.redeem_code(&early, &[]).await.assert_granted();
    let (_, late) = books.issue_code(&app, "openid").await;
    world.clock.advance(Lifetime::from_seconds(60));
    app.redeem_code(&late, &[]).await.assert_oauth_error("invalid_grant");
}

async fn authorization_code_that_is_unknown_is_refused_uniformly(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    let (granted, code) = books.issue_code(&app, "openid invoices:read").await;
    let refresh = books.create_grant(granted.membership, &app, "openid").await.issue_refresh_token().await;
    let mut code_variants = vec![
        code[..code.len() - 1].to_owned(),
        format!("{code}="),
        format!("{code}A"),
        code.to_uppercase(),
        code.replace('-', "+").replace('_', "/"),
        code.replace("sn_ac_", "sn_rt_"),
        code.replace("sn_ac_", ""),
        format!(" {code}"),
        refresh.clone(),
        refresh.replace("sn_rt_", "sn_ac_"),
        books.owner.secret.clone(),
        granted.issue_access_token().await,
        "x".to_owned(),
    ];
    code_variants.dedup();
    let expected = app.redeem_code("unknown", &[]).await.assert_oauth_error("invalid_grant").text;
    for text in code_variants.iter().filter(|text| **text != code) {
        assert_eq!(
            app.redeem_code(text, &[]).await.assert_oauth_error("invalid_grant").text,
            expected,
            "{text}"
        );
        app.refresh_tokens(&code, &[]).await.assert_oauth_error("invalid_grant");
    }
    app.redeem_code("\u{0}", &[]).await.assert_oauth_error("invalid_request");
    app.redeem_code(&code, &[]).await.assert_granted();
}

async fn authorization_code_is_refused_and_stays_valid_while_a_party_is_suspended(world: &World) {
    let (books, operator) = (world.create_token_fixture().await, world.create_operator().await);
    let app = books.create_app_client(json!({})).await;
    let (granted, code) = books.issue_code(&app, "openid invoices:read").await;
    let path = |below: &str| books.tenant.path(below);
    let client = path(&format!("/clients/{}", app.id));
    let member = path(&format!("/members/{}", granted.membership));
    for party_path in [&client, &member] {
        books.owner.post(&format!("{party_path}/disable"), Value::Null).await.assert_status(200);
        app.redeem_code(&code, &[]).await.assert_oauth_error("invalid_grant");
        books.owner.post(&format!("{party_path}/enable"), Value::Null).await.assert_status(200);
    }
    world.create_assignment(&operator, &books.tenant, "abuse").await;
    operator.post(&path("/suspend"), json!({"reason": "abuse"})).await.assert_status(200);
    app.redeem_code(&code, &[]).await.assert_oauth_error("invalid_grant");
    operator.post(&path("/restore"), json!({"reason": "settled"})).await.assert_status(200);
    books.change_settings(json!({"least_assurance": "aal2"})).await;
    app.redeem_code(&code, &[]).await.assert_oauth_error("invalid_grant");
    books.change_settings(json!({"least_assurance": "aal1"})).await;
    books.change_role("clerk", &["invoices:send"]).await;
    app.redeem_code(&code, &[]).await.assert_oauth_error("invalid_grant");
    books.change_role("clerk", &["invoices:read"]).await;
    app.request_token(&[("grant_type", "authorization_code"), ("code", &code), ("code_verifier", VERIFIER)])
        .await
        .assert_granted();
}

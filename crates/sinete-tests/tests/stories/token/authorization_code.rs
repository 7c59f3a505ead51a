//! Redeeming codes.

use crate::both_engines;
use crate::harness::grants::GrantRequest;
use crate::harness::token_endpoint::{CALLBACK, FILES, INVOICES, VERIFIER};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;
use sinete_crypto::jwt::JwtType;

both_engines!(
    a_code_is_redeemed_for_an_access_a_refresh_and_an_id_token,
    a_client_is_given_what_it_registered_for,
    what_was_asked_for_by_name_is_in_the_id_token_and_nothing_else_is,
    a_code_shown_twice_ends_everything_that_came_of_it_whenever_it_comes,
    a_code_in_the_wrong_hands_is_worth_nothing_and_is_not_spoilt,
    a_wider_scope_at_redemption_is_refused_and_a_narrower_one_counts_for_this_token,
    a_wrong_verifier_address_or_resource_does_not_burn_the_code,
    a_code_is_good_for_a_minute,
    what_is_no_code_of_ours_is_refused_alike,
    while_something_is_suspended_nothing_is_redeemed_and_nothing_is_lost
);

async fn a_code_is_redeemed_for_an_access_a_refresh_and_an_id_token(world: &World) {
    let books = world.books().await;
    let app = books.app(json!({})).await;
    let (granted, code) = books.code(&app, "openid email invoices:read invoices:send").await;
    let reply = app.redeem(&code, &[("redirect_uri", CALLBACK), ("resource", INVOICES)]).await.granted();
    assert_eq!(reply.body["scope"], "openid email invoices:read invoices:send");
    assert!(reply.refresh_token().starts_with("sn_rt_"));
    let now = world.server.engine().now().seconds();
    let (issuer, sid) = (world.issuer(), granted.session.id.to_string());

    let access = world.said(&reply.access_token(), JwtType::Access);
    assert!(access["jti"].as_str().unwrap().starts_with(&format!("{}.", granted.grant)));
    let expected = json!({
        "iss": issuer, "sub": granted.membership.to_string(), "aud": INVOICES, "client_id": app.id,
        "org": books.tenant.id.to_string(), "role": "clerk", "scope": reply.body["scope"], "iat": now,
        "exp": now + 600, "auth_time": now, "acr": "urn:sinete:aal:1", "sid": sid, "jti": access["jti"],
    });
    assert_eq!(access, expected);

    let id = world.said(&reply.text_of("id_token"), JwtType::Id);
    let expected = json!({
        "iss": issuer, "sub": granted.membership.to_string(), "aud": app.id, "iat": now, "exp": now + 600,
        "auth_time": now, "acr": "urn:sinete:aal:1", "amr": ["pwd"], "nonce": "n-0S6_WzA2Mj", "sid": sid,
        "at_hash": id["at_hash"],
    });
    assert_eq!(id, expected);
    assert_eq!(id["at_hash"].as_str().unwrap().len(), 22);
    assert!(app.finds_active(&reply.access_token()).await);
}

async fn a_client_is_given_what_it_registered_for(world: &World) {
    let books = world.books().await;
    let plain = books
        .app(json!({"grant_types": ["authorization_code"], "id_token_signed_response_alg": "ES256"}))
        .await;
    let (_, reply) = books.tokens(&plain, "openid invoices:read").await;
    assert!(reply.body.get("refresh_token").is_none());
    world.said(&reply.text_of("id_token"), JwtType::Id);
    let (_, reply) = books.tokens(&plain, "invoices:read").await;
    assert!(reply.body.get("id_token").is_none());
    let other = books.service("clerk", "invoices:read").await;
    let (_, code) = books.code(&plain, "invoices:read").await;
    other.redeem(&code, &[]).await.refused("unauthorized_client");
}

async fn what_was_asked_for_by_name_is_in_the_id_token_and_nothing_else_is(world: &World) {
    let books = world.books().await;
    let app = books.app(json!({"scope": "openid profile invoices:*"})).await;
    let person = books.person("clerk").await;
    let claims = json!({"id_token": {"role": null, "org": {"essential": true}, "email": null, "sub": {"value": "x"}, "planet": null}, "userinfo": {"name": null}});
    let wanted = GrantRequest {
        audience: Some(INVOICES),
        claims,
        ..GrantRequest::scope("openid profile invoices:read")
    };
    let granted = world.granted(&books.tenant, person, &app.id.parse().unwrap(), wanted).await;
    let reply = app.redeem(&granted.code, &[]).await.granted();
    let id = world.said(&reply.text_of("id_token"), JwtType::Id);
    assert_eq!((&id["role"], &id["org"]), (&json!("clerk"), &json!(books.tenant.id)));
    assert_eq!(id["sub"], json!(person));
    for absent in ["email", "name", "planet", "scope"] {
        assert!(id.get(absent).is_none(), "{absent}");
    }
}

async fn a_code_shown_twice_ends_everything_that_came_of_it_whenever_it_comes(world: &World) {
    let books = world.books().await;
    let app = books.app(json!({})).await;
    for later in
        [Lifetime::ZERO, Lifetime::from_seconds(1), Lifetime::from_minutes(1), Lifetime::from_days(1)]
    {
        let (_, code) = books.code(&app, "openid offline_access invoices:read").await;
        let tokens = app.redeem(&code, &[]).await.granted();
        let renewed = app.refresh(&tokens.refresh_token(), &[]).await.granted();
        world.clock.pass(later);
        app.redeem(&code, &[]).await.refused("invalid_grant");
        app.refresh(&renewed.refresh_token(), &[]).await.refused("invalid_grant");
        for token in [&tokens, &renewed] {
            assert!(!app.finds_active(&token.access_token()).await);
        }
    }
    assert!(world.logged("code.replayed").await >= 4);
}

async fn a_code_in_the_wrong_hands_is_worth_nothing_and_is_not_spoilt(world: &World) {
    let books = world.books().await;
    let (app, other) = (books.app(json!({})).await, books.app(json!({})).await);
    let public = books.app(json!({"token_endpoint_auth_method": "none"})).await;
    let (_, code) = books.code(&app, "openid invoices:read").await;
    let refused = other.redeem(&code, &[]).await.refused("invalid_grant");
    assert_eq!(public.redeem(&code, &[]).await.refused("invalid_grant").text, refused.text);
    assert_eq!(world.logged("code.misdirected").await, 2);
    let tokens = app.redeem(&code, &[]).await.granted();
    other.redeem(&code, &[]).await.refused("invalid_grant");
    assert!(app.finds_active(&tokens.access_token()).await);
    let (_, code) = books.code(&public, "openid invoices:read").await;
    app.redeem(&code, &[]).await.refused("invalid_grant");
    public.redeem(&code, &[]).await.granted();
}

async fn a_wider_scope_at_redemption_is_refused_and_a_narrower_one_counts_for_this_token(world: &World) {
    let books = world.books().await;
    let app = books.app(json!({})).await;
    let person = books.person("manager").await;
    let code = books.granted(person, &app, "openid invoices:read invoices:send").await.code;
    for scope in [
        "openid invoices:read invoices:send invoices:void",
        "invoices:*",
        "email",
        "offline_access",
        "files:read",
        "planets:read",
        "*:*",
    ] {
        app.redeem(&code, &[("scope", scope)]).await.refused("invalid_scope");
    }
    assert_eq!(world.logged("code.redeemed").await, 0);
    let less = app.redeem(&code, &[("scope", "invoices:read")]).await.granted();
    assert_eq!((&less.body["scope"], less.body.get("id_token")), (&json!("invoices:read"), None));
    assert_eq!(world.said(&less.access_token(), JwtType::Access)["scope"], "invoices:read");
    let whole = app.refresh(&less.refresh_token(), &[]).await.granted();
    assert_eq!(whole.body["scope"], "openid invoices:read invoices:send");
    // Naming what was agreed to changes nothing.
    let (_, code) = books.code(&app, "openid invoices:read").await;
    let same = app.redeem(&code, &[("scope", "invoices:read openid")]).await.granted();
    assert_eq!(same.body["scope"], "openid invoices:read");
    world.said(&same.text_of("id_token"), JwtType::Id);
}

async fn a_wrong_verifier_address_or_resource_does_not_burn_the_code(world: &World) {
    let books = world.books().await;
    let app = books.app(json!({})).await;
    let (_, code) = books.code(&app, "openid invoices:read").await;
    let with = |verifier: &'static str| [("grant_type", "authorization_code"), ("code_verifier", verifier)];
    let long: &'static str = Box::leak("x".repeat(129).into_boxed_str());
    for verifier in [
        "",
        "short",
        "DBJFTJEZ4CVP-MB92K27UHBUJU1P1R_WW1GFWFOEJXK",
        "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        long,
    ] {
        app.ask(&[&with(verifier)[..], &[("code", &code)]].concat()).await.refused("invalid_grant");
    }
    app.ask(&[("grant_type", "authorization_code"), ("code", &code)]).await.refused("invalid_grant");
    for uri in [
        "https://app.example/callback/",
        "https://app.example",
        "https://APP.example/callback",
        "https://evil.example",
    ] {
        app.redeem(&code, &[("redirect_uri", uri)]).await.refused("invalid_grant");
    }
    app.redeem(&code, &[("resource", FILES)]).await.refused("invalid_target");
    app.redeem(&code, &[("authorization_details", r#"[{"type":"payment"}]"#)])
        .await
        .refused("invalid_authorization_details");
    app.redeem(&code, &[]).await.granted();
}

async fn a_code_is_good_for_a_minute(world: &World) {
    let books = world.books().await;
    let app = books.app(json!({})).await;
    let (_, early) = books.code(&app, "openid").await;
    world.clock.pass(Lifetime::from_seconds(59));
    app.redeem(&early, &[]).await.granted();
    let (_, late) = books.code(&app, "openid").await;
    world.clock.pass(Lifetime::from_seconds(60));
    app.redeem(&late, &[]).await.refused("invalid_grant");
}

async fn what_is_no_code_of_ours_is_refused_alike(world: &World) {
    let books = world.books().await;
    let app = books.app(json!({})).await;
    let (granted, code) = books.code(&app, "openid invoices:read").await;
    let refresh = books.granted(granted.membership, &app, "openid").await.refresh_token().await;
    let mut texts = vec![
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
        granted.access_token().await,
        "x".to_owned(),
    ];
    texts.dedup();
    let expected = app.redeem("unknown", &[]).await.refused("invalid_grant").text;
    for text in texts.iter().filter(|text| **text != code) {
        assert_eq!(app.redeem(text, &[]).await.refused("invalid_grant").text, expected, "{text}");
        app.refresh(&code, &[]).await.refused("invalid_grant");
    }
    app.redeem("\u{0}", &[]).await.refused("invalid_request");
    app.redeem(&code, &[]).await.granted();
}

async fn while_something_is_suspended_nothing_is_redeemed_and_nothing_is_lost(world: &World) {
    let (books, operator) = (world.books().await, world.operator().await);
    let app = books.app(json!({})).await;
    let (granted, code) = books.code(&app, "openid invoices:read").await;
    let path = |below: &str| books.tenant.path(below);
    let client = path(&format!("/clients/{}", app.id));
    let member = path(&format!("/members/{}", granted.membership));
    for thing in [&client, &member] {
        books.owner.post(&format!("{thing}/disable"), Value::Null).await.is(200);
        app.redeem(&code, &[]).await.refused("invalid_grant");
        books.owner.post(&format!("{thing}/enable"), Value::Null).await.is(200);
    }
    world.assign(&operator, &books.tenant, "abuse").await;
    operator.post(&path("/suspend"), json!({"reason": "abuse"})).await.is(200);
    app.redeem(&code, &[]).await.refused("invalid_grant");
    operator.post(&path("/restore"), json!({"reason": "settled"})).await.is(200);
    books.change_settings(json!({"least_assurance": "aal2"})).await;
    app.redeem(&code, &[]).await.refused("invalid_grant");
    books.change_settings(json!({"least_assurance": "aal1"})).await;
    books.change_role("clerk", &["invoices:send"]).await;
    app.redeem(&code, &[]).await.refused("invalid_grant");
    books.change_role("clerk", &["invoices:read"]).await;
    app.ask(&[("grant_type", "authorization_code"), ("code", &code), ("code_verifier", VERIFIER)])
        .await
        .granted();
}

//! Renewing tokens.

use crate::both_engines;
use crate::harness::token_endpoint::{FILES, INVOICES};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::id::GrantId;
use sinete_core::secret::RefreshTokenSecret;
use sinete_core::time::Lifetime;
use sinete_crypto::jwt::JwtType;
use sinete_store::sessions;

both_engines!(
    a_refresh_token_is_exchanged_for_its_successor,
    a_token_that_nobody_was_given_ends_nothing,
    a_token_used_again_ends_its_grant_and_every_token_of_it,
    less_may_be_asked_for_and_more_is_refused_and_nothing_is_consumed,
    what_was_taken_away_is_not_renewed_and_the_rest_is,
    a_token_in_the_wrong_hands_is_worth_nothing_and_is_not_spoilt,
    without_offline_access_it_ends_with_the_session,
    it_dies_unused_after_a_week_and_used_after_a_month,
    while_something_is_suspended_nothing_is_renewed_and_nothing_is_lost
);

async fn a_refresh_token_is_exchanged_for_its_successor(world: &World) {
    let books = world.books().await;
    let app = books.app(json!({})).await;
    let (granted, first) = books.tokens(&app, "openid invoices:read invoices:send").await;
    world.clock.pass(Lifetime::from_minutes(5));
    let second = app.refresh(&first.refresh_token(), &[]).await.granted();
    assert_eq!(second.body["scope"], first.body["scope"]);
    assert_ne!(second.refresh_token(), first.refresh_token());
    let (before, after) = (
        world.said(&first.text_of("id_token"), JwtType::Id),
        world.said(&second.text_of("id_token"), JwtType::Id),
    );
    for kept in ["iss", "sub", "aud", "auth_time", "sid", "acr", "amr"] {
        assert_eq!(before[kept], after[kept], "{kept}");
    }
    assert_eq!(after["iat"].as_i64().unwrap(), before["iat"].as_i64().unwrap() + 300);
    assert!(after.get("nonce").is_none());
    let access = world.said(&second.access_token(), JwtType::Access);
    assert_eq!((&access["sub"], &access["aud"]), (&json!(granted.membership), &json!(INVOICES)));
    let third = app.refresh(&second.refresh_token(), &[]).await.granted();
    for tokens in [&first, &second, &third] {
        assert!(app.finds_active(&tokens.access_token()).await);
    }
}

async fn a_token_that_nobody_was_given_ends_nothing(world: &World) {
    let books = world.books().await;
    let app = books.app(json!({})).await;
    let (_, tokens) = books.tokens(&app, "openid invoices:read").await;
    let token = tokens.refresh_token();
    let (known, entropy) = (RefreshTokenSecret::parse(&token).unwrap(), world.server.engine().entropy());
    // One of a grant that exists, with another mark; one that comes after the newest; one of no grant at all.
    for unknown in [
        RefreshTokenSecret::first(known.grant(), entropy),
        known.successor(entropy),
        RefreshTokenSecret::first(GrantId::from_bytes([7; 16]), entropy),
    ] {
        app.refresh(&unknown.reveal(), &[]).await.refused("invalid_grant");
    }
    assert_eq!((world.logged("refresh_token.reused").await, world.logged("grant.revoked").await), (0, 0));
    app.refresh(&token, &[]).await.granted();
}

async fn a_token_used_again_ends_its_grant_and_every_token_of_it(world: &World) {
    let books = world.books().await;
    let app = books.app(json!({})).await;
    // The clock stands still: two rotations within one moment are two rotations.
    for (reused, later) in [(0, 0), (1, 0), (0, 86_400), (2, 60)] {
        let (_, tokens) = books.tokens(&app, "openid offline_access invoices:read").await;
        let mut line = vec![tokens];
        for _ in 0..3 {
            let newest = line.last().unwrap().refresh_token();
            line.push(app.refresh(&newest, &[]).await.granted());
        }
        world.clock.pass(Lifetime::from_seconds(later));
        app.refresh(&line[reused].refresh_token(), &[]).await.refused("invalid_grant");
        for tokens in &line {
            app.refresh(&tokens.refresh_token(), &[]).await.refused("invalid_grant");
            assert!(!app.finds_active(&tokens.access_token()).await);
        }
    }
    assert!(world.logged("refresh_token.reused").await >= 4);
}

async fn less_may_be_asked_for_and_more_is_refused_and_nothing_is_consumed(world: &World) {
    let books = world.books().await;
    let app = books.app(json!({})).await;
    let person = books.person("manager").await;
    let code = books.granted(person, &app, "openid invoices:read invoices:send").await.code;
    let tokens = app.redeem(&code, &[]).await.granted();
    let token = tokens.refresh_token();
    for scope in [
        "invoices:void",
        "invoices:*",
        "openid invoices:read files:read",
        "email",
        "offline_access",
        "planets:read",
        "*:*",
    ] {
        app.refresh(&token, &[("scope", scope)]).await.refused("invalid_scope");
    }
    for resource in [FILES, "https://unknown.example", "x", world.issuer()] {
        app.refresh(&token, &[("resource", resource)]).await.refused("invalid_target");
    }
    app.refresh(&token, &[("authorization_details", r#"[{"type":"payment"}]"#)])
        .await
        .refused("invalid_authorization_details");
    let less = app.refresh(&token, &[("scope", "invoices:read"), ("resource", INVOICES)]).await.granted();
    assert_eq!(less.body["scope"], "invoices:read");
    assert!(less.body.get("id_token").is_none());
    let whole = app.refresh(&less.refresh_token(), &[]).await.granted();
    assert_eq!(whole.body["scope"], "openid invoices:read invoices:send");
}

async fn what_was_taken_away_is_not_renewed_and_the_rest_is(world: &World) {
    let books = world.books().await;
    let app = books.app(json!({})).await;
    let (_, tokens) = books.tokens(&app, "openid invoices:read invoices:send").await;
    let token = tokens.refresh_token();
    books.change_role("clerk", &["invoices:read"]).await;
    app.refresh(&token, &[]).await.refused("invalid_grant");
    app.refresh(&token, &[("scope", "invoices:send")]).await.refused("invalid_scope");
    let rest = app.refresh(&token, &[("scope", "openid invoices:read")]).await.granted();
    books.change_role("clerk", &["invoices:read", "invoices:send"]).await;
    let whole = app.refresh(&rest.refresh_token(), &[]).await.granted();
    assert_eq!(whole.body["scope"], "openid invoices:read invoices:send");
}

async fn a_token_in_the_wrong_hands_is_worth_nothing_and_is_not_spoilt(world: &World) {
    let books = world.books().await;
    let (app, other) =
        (books.app(json!({})).await, books.app(json!({"token_endpoint_auth_method": "none"})).await);
    let (_, tokens) = books.tokens(&app, "openid invoices:read").await;
    let token = tokens.refresh_token();
    other.refresh(&token, &[]).await.refused("invalid_grant");
    let next = app.refresh(&token, &[]).await.granted();
    other.refresh(&token, &[]).await.refused("invalid_grant");
    app.refresh(&next.refresh_token(), &[]).await.granted();
    assert_eq!(world.logged("refresh_token.misdirected").await, 2);
    for text in [
        &token[..token.len() - 1],
        &token.to_lowercase(),
        &token.replace("sn_rt_", "sn_ac_"),
        &books.owner.secret,
        "x",
    ] {
        app.refresh(text, &[]).await.refused("invalid_grant");
    }
    app.ask(&[("grant_type", "refresh_token")]).await.refused("invalid_request");
}

async fn without_offline_access_it_ends_with_the_session(world: &World) {
    let books = world.books().await;
    let app = books.app(json!({})).await;
    let (bound, first) = books.tokens(&app, "openid invoices:read").await;
    let (free, second) = books.tokens(&app, "openid offline_access invoices:read").await;
    let now = world.server.engine().now();
    for granted in [&bound, &free] {
        world.happens([sessions::end(granted.session.account, granted.session.id, now)]).await;
    }
    app.refresh(&first.refresh_token(), &[]).await.refused("invalid_grant");
    assert!(!app.finds_active(&first.access_token()).await);
    app.refresh(&second.refresh_token(), &[]).await.granted();
}

async fn it_dies_unused_after_a_week_and_used_after_a_month(world: &World) {
    let books = world.books().await;
    let app = books.app(json!({})).await;
    let (_, idle) = books.tokens(&app, "openid offline_access invoices:read").await;
    let (_, mut used) = books.tokens(&app, "openid offline_access invoices:read").await;
    world.clock.pass(Lifetime::from_days(7));
    app.refresh(&idle.refresh_token(), &[]).await.refused("invalid_grant");
    app.refresh(&used.refresh_token(), &[]).await.refused("invalid_grant");
    (_, used) = books.tokens(&app, "openid offline_access invoices:read").await;
    // The grant of these stories lives for 30 days, and so does whatever hangs from it.
    for _ in 0..4 {
        world.clock.pass(Lifetime::from_days(6));
        used = app.refresh(&used.refresh_token(), &[]).await.granted();
    }
    world.clock.pass(Lifetime::from_days(6));
    app.refresh(&used.refresh_token(), &[]).await.refused("invalid_grant");
}

async fn while_something_is_suspended_nothing_is_renewed_and_nothing_is_lost(world: &World) {
    let (books, operator) = (world.books().await, world.operator().await);
    let app = books.app(json!({})).await;
    let (granted, tokens) = books.tokens(&app, "openid invoices:read").await;
    let token = tokens.refresh_token();
    let path = |below: &str| books.tenant.path(below);
    for thing in [path(&format!("/clients/{}", app.id)), path(&format!("/members/{}", granted.membership))] {
        books.owner.post(&format!("{thing}/disable"), Value::Null).await.is(200);
        app.refresh(&token, &[]).await.refused("invalid_grant");
        books.owner.post(&format!("{thing}/enable"), Value::Null).await.is(200);
    }
    world.assign(&operator, &books.tenant, "abuse").await;
    operator.post(&path("/suspend"), json!({"reason": "abuse"})).await.is(200);
    app.refresh(&token, &[]).await.refused("invalid_grant");
    operator.post(&path("/restore"), json!({"reason": "settled"})).await.is(200);
    app.refresh(&token, &[]).await.granted();
}

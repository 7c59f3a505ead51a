//! The refresh token grant.

use crate::both_engines;
use crate::harness::token_endpoint::{FILES, INVOICES};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::id::GrantId;
use sinete_core::secret::RefreshTokenSecret;
use sinete_core::time::Lifetime;
use sinete_crypto::platform::jwt::JwtType;
use sinete_store::sign_in::sessions;

both_engines!(
    refresh_token_is_rotated,
    refresh_token_that_was_never_issued_revokes_nothing,
    refresh_token_reuse_revokes_the_grant_and_all_its_tokens,
    refresh_token_scope_may_narrow_and_widening_is_refused_without_rotation,
    refresh_token_after_a_lost_permission_is_refused_unless_its_scope_is_narrowed,
    refresh_token_of_another_client_is_refused_and_stays_valid,
    refresh_token_without_offline_access_ends_with_the_session,
    refresh_token_expires_after_a_week_unused_or_a_month,
    refresh_token_is_refused_and_stays_valid_while_a_party_is_suspended
);

async fn refresh_token_is_rotated(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    let (granted, first) = books.issue_tokens(&app, "openid invoices:read invoices:send").await;
    world.clock.advance(Lifetime::from_minutes(5));
    let second = app.refresh_tokens(&first.refresh_token(), &[]).await.assert_granted();
    assert_eq!(second.body["scope"], first.body["scope"]);
    assert_ne!(second.refresh_token(), first.refresh_token());
    let (before, after) = (
        world.token_claims(&first.text_member("id_token"), JwtType::Id),
        world.token_claims(&second.text_member("id_token"), JwtType::Id),
    );
    for claim in ["iss", "sub", "aud", "auth_time", "sid", "acr", "amr"] {
        assert_eq!(before[claim], after[claim], "{claim}");
    }
    assert_eq!(after["iat"].as_i64().unwrap(), before["iat"].as_i64().unwrap() + 300);
    assert!(after.get("nonce").is_none());
    let access = world.token_claims(&second.access_token(), JwtType::Access);
    assert_eq!((&access["sub"], &access["aud"]), (&json!(granted.membership), &json!(INVOICES)));
    let third = app.refresh_tokens(&second.refresh_token(), &[]).await.assert_granted();
    for tokens in [&first, &second, &third] {
        assert!(app.is_token_active(&tokens.access_token()).await);
    }
}

async fn refresh_token_that_was_never_issued_revokes_nothing(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    let (_, tokens) = books.issue_tokens(&app, "openid invoices:read").await;
    let token = tokens.refresh_token();
    let (refresh_token, entropy) =
        (RefreshTokenSecret::parse(&token).unwrap(), world.server.engine().entropy());
    // A token of an existing grant with another secret, one after the newest, and one of no grant.
    for unknown in [
        RefreshTokenSecret::mint_first(refresh_token.grant(), entropy),
        refresh_token.mint_successor(entropy),
        RefreshTokenSecret::mint_first(GrantId::from_bytes([7; 16]), entropy),
    ] {
        app.refresh_tokens(&unknown.reveal(), &[]).await.assert_oauth_error("invalid_grant");
    }
    assert_eq!(
        (world.count_events("refresh_token.reused").await, world.count_events("grant.revoked").await),
        (0, 0)
    );
    app.refresh_tokens(&token, &[]).await.assert_granted();
}

async fn refresh_token_reuse_revokes_the_grant_and_all_its_tokens(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    // The clock is stopped: two rotations at the same time are two rotations.
    for (reused, later) in [(0, 0), (1, 0), (0, 86_400), (2, 60)] {
        let (_, tokens) = books.issue_tokens(&app, "openid offline_access invoices:read").await;
        let mut line = vec![tokens];
        for _ in 0..3 {
            let newest = line.last().unwrap().refresh_token();
            line.push(app.refresh_tokens(&newest, &[]).await.assert_granted());
        }
        world.clock.advance(Lifetime::from_seconds(later));
        app.refresh_tokens(&line[reused].refresh_token(), &[]).await.assert_oauth_error("invalid_grant");
        for tokens in &line {
            app.refresh_tokens(&tokens.refresh_token(), &[]).await.assert_oauth_error("invalid_grant");
            assert!(!app.is_token_active(&tokens.access_token()).await);
        }
    }
    assert!(world.count_events("refresh_token.reused").await >= 4);
}

async fn refresh_token_scope_may_narrow_and_widening_is_refused_without_rotation(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    let member = books.create_member("manager").await;
    let code = books.create_grant(member, &app, "openid invoices:read invoices:send").await.code;
    let tokens = app.redeem_code(&code, &[]).await.assert_granted();
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
        app.refresh_tokens(&token, &[("scope", scope)]).await.assert_oauth_error("invalid_scope");
    }
    for resource in [FILES, "https://unknown.example", "x", world.issuer()] {
        app.refresh_tokens(&token, &[("resource", resource)]).await.assert_oauth_error("invalid_target");
    }
    app.refresh_tokens(&token, &[("authorization_details", r#"[{"type":"payment"}]"#)])
        .await
        .assert_oauth_error("invalid_authorization_details");
    let less = app
        .refresh_tokens(&token, &[("scope", "invoices:read"), ("resource", INVOICES)])
        .await
        .assert_granted();
    assert_eq!(less.body["scope"], "invoices:read");
    assert!(less.body.get("id_token").is_none());
    let full_response = app.refresh_tokens(&less.refresh_token(), &[]).await.assert_granted();
    assert_eq!(full_response.body["scope"], "openid invoices:read invoices:send");
}

async fn refresh_token_after_a_lost_permission_is_refused_unless_its_scope_is_narrowed(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    let (_, tokens) = books.issue_tokens(&app, "openid invoices:read invoices:send").await;
    let token = tokens.refresh_token();
    books.change_role("clerk", &["invoices:read"]).await;
    app.refresh_tokens(&token, &[]).await.assert_oauth_error("invalid_grant");
    app.refresh_tokens(&token, &[("scope", "invoices:send")]).await.assert_oauth_error("invalid_scope");
    let rest = app.refresh_tokens(&token, &[("scope", "openid invoices:read")]).await.assert_granted();
    books.change_role("clerk", &["invoices:read", "invoices:send"]).await;
    let full_response = app.refresh_tokens(&rest.refresh_token(), &[]).await.assert_granted();
    assert_eq!(full_response.body["scope"], "openid invoices:read invoices:send");
}

async fn refresh_token_of_another_client_is_refused_and_stays_valid(world: &World) {
    let books = world.create_token_fixture().await;
    let (app, other) = (
        books.create_app_client(json!({})).await,
        books.create_app_client(json!({"token_endpoint_auth_method": "none"})).await,
    );
    let (_, tokens) = books.issue_tokens(&app, "openid invoices:read").await;
    let token = tokens.refresh_token();
    other.refresh_tokens(&token, &[]).await.assert_oauth_error("invalid_grant");
    let next = app.refresh_tokens(&token, &[]).await.assert_granted();
    other.refresh_tokens(&token, &[]).await.assert_oauth_error("invalid_grant");
    app.refresh_tokens(&next.refresh_token(), &[]).await.assert_granted();
    assert_eq!(world.count_events("refresh_token.misdirected").await, 2);
    for text in [
        &token[..token.len() - 1],
        &token.to_lowercase(),
        &token.replace("sn_rt_", "sn_ac_"),
        &books.owner.secret,
        "x",
    ] {
        app.refresh_tokens(text, &[]).await.assert_oauth_error("invalid_grant");
    }
    app.request_token(&[("grant_type", "refresh_token")]).await.assert_oauth_error("invalid_request");
}

async fn refresh_token_without_offline_access_ends_with_the_session(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    let (bound, first) = books.issue_tokens(&app, "openid invoices:read").await;
    let (free, second) = books.issue_tokens(&app, "openid offline_access invoices:read").await;
    let now = world.server.engine().now();
    for granted in [&bound, &free] {
        world
            .apply_statements([sessions::end_session(granted.session.account, granted.session.id, now)])
            .await;
    }
    app.refresh_tokens(&first.refresh_token(), &[]).await.assert_oauth_error("invalid_grant");
    assert!(!app.is_token_active(&first.access_token()).await);
    app.refresh_tokens(&second.refresh_token(), &[]).await.assert_granted();
}

async fn refresh_token_expires_after_a_week_unused_or_a_month(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    let (_, idle) = books.issue_tokens(&app, "openid offline_access invoices:read").await;
    let (_, mut used) = books.issue_tokens(&app, "openid offline_access invoices:read").await;
    world.clock.advance(Lifetime::from_days(7));
    app.refresh_tokens(&idle.refresh_token(), &[]).await.assert_oauth_error("invalid_grant");
    app.refresh_tokens(&used.refresh_token(), &[]).await.assert_oauth_error("invalid_grant");
    (_, used) = books.issue_tokens(&app, "openid offline_access invoices:read").await;
    // The grant of these stories lives for 30 days, and so do its tokens.
    for _ in 0..4 {
        world.clock.advance(Lifetime::from_days(6));
        used = app.refresh_tokens(&used.refresh_token(), &[]).await.assert_granted();
    }
    world.clock.advance(Lifetime::from_days(6));
    app.refresh_tokens(&used.refresh_token(), &[]).await.assert_oauth_error("invalid_grant");
}

async fn refresh_token_is_refused_and_stays_valid_while_a_party_is_suspended(world: &World) {
    let (books, operator) = (world.create_token_fixture().await, world.create_operator().await);
    let app = books.create_app_client(json!({})).await;
    let (granted, tokens) = books.issue_tokens(&app, "openid invoices:read").await;
    let token = tokens.refresh_token();
    let path = |below: &str| books.tenant.path(below);
    for party_path in
        [path(&format!("/clients/{}", app.id)), path(&format!("/members/{}", granted.membership))]
    {
        books.owner.post(&format!("{party_path}/disable"), Value::Null).await.assert_status(200);
        app.refresh_tokens(&token, &[]).await.assert_oauth_error("invalid_grant");
        books.owner.post(&format!("{party_path}/enable"), Value::Null).await.assert_status(200);
    }
    world.create_assignment(&operator, &books.tenant, "abuse").await;
    operator.post(&path("/suspend"), json!({"reason": "abuse"})).await.assert_status(200);
    app.refresh_tokens(&token, &[]).await.assert_oauth_error("invalid_grant");
    operator.post(&path("/restore"), json!({"reason": "settled"})).await.assert_status(200);
    app.refresh_tokens(&token, &[]).await.assert_granted();
}

//! A repeated client credentials request is answered from the cached decision, unless anything it depends on
//! has changed: by any actor, on any node, or by the passing of time.

use crate::both_engines;
use crate::database::Database;
use crate::fixture::{World, refusal_code};
use crate::hot_paths::{Robot, asked, bench};
use sinete_core::oauth::grants::TokenRequestParams;
use sinete_core::refusal::RefusalCode;
use sinete_core::time::Lifetime;
use sinete_engine::oauth::client_authentication::ClientCredential;
use sinete_engine::oauth::token;
use sinete_engine::{Engine, EventCause};
use std::collections::BTreeSet;

both_engines!(
    client_credentials_cache_never_outlives_a_change,
    client_credentials_cache_entry_ends_with_its_expiry,
    client_credentials_cache_entry_matches_only_the_same_request,
    client_credentials_tokens_have_their_own_jti_and_event,
    client_credentials_cache_is_refused_on_every_node_once_the_client_is_disabled
);

const SCOPE: &str = "invoices:read invoices:send";

/// Asserts that the service gets its token without reads.
async fn must_be_remembered(engine: &Engine, robot: &Robot, because: &str) {
    robot.token(engine, SCOPE).await.unwrap();
    let (second_result, cost) = asked(engine, robot.token(engine, SCOPE)).await;
    assert_eq!((second_result.is_ok(), cost), (true, (0, 1)), "{because}");
}

async fn client_credentials_cache_never_outlives_a_change(database: Database) {
    use RefusalCode::{InvalidClient, InvalidScope, UnauthorizedClient};
    let (bench, robot) = bench(database).await;
    let world = &bench.world;
    let owner = world.database.bytes(world.person("acme", &["member"]).await.membership.as_bytes());
    let (engine, other_node) = (&world.engine, &world.another_node().await);
    let id = &robot.id;
    world.database.run(&format!("UPDATE clients SET owner_id = {owner} WHERE id = '{id}'")).await;
    let of_robot = format!("(SELECT id FROM memberships WHERE client_id = '{id}')");
    let clerk = "(SELECT id FROM roles WHERE name = 'clerk')";
    let changes = [
        (
            "organizations SET condition = 'suspended'",
            "organizations SET condition = 'enabled'",
            UnauthorizedClient,
        ),
        ("organizations SET ends_at = 1", "organizations SET ends_at = NULL", UnauthorizedClient),
        (
            r#"organizations SET settings = '{"refused_grants": ["client_credentials"]}'"#,
            "organizations SET settings = '{}'",
            UnauthorizedClient,
        ),
        ("clients SET condition = 'suspended'", "clients SET condition = 'enabled'", UnauthorizedClient),
        (
            "memberships SET condition = 'suspended'",
            "memberships SET condition = 'enabled'",
            UnauthorizedClient,
        ),
        ("accounts SET condition = 'suspended'", "accounts SET condition = 'enabled'", UnauthorizedClient),
        ("client_secrets SET revoked_at = 1", "client_secrets SET revoked_at = NULL", InvalidClient),
        ("client_secrets SET expires_at = 1", "client_secrets SET expires_at = NULL", InvalidClient),
        ("roles SET removed_at = 1", "roles SET removed_at = NULL", InvalidScope),
        (
            "clients SET metadata = REPLACE(metadata, 'client_credentials', 'refresh_token'), version = version + 1",
            "clients SET metadata = REPLACE(metadata, 'refresh_token', 'client_credentials'), version = version + 1",
            UnauthorizedClient,
        ),
        ("apis SET condition = 'suspended'", "apis SET condition = 'enabled'", InvalidScope),
    ];
    let mut changes: Vec<_> =
        changes.map(|(end, remedy, code)| (format!("UPDATE {end}"), format!("UPDATE {remedy}"), code)).into();
    changes.push((
        format!("DELETE FROM membership_roles WHERE membership_id = {of_robot}"),
        format!("INSERT INTO membership_roles (membership_id, role_id) SELECT {of_robot}, {clerk}"),
        InvalidScope,
    ));
    // The owner and the service itself, each separately.
    for filter in [format!("id = {owner}"), format!("client_id = '{id}'")] {
        let put = |condition| format!("UPDATE memberships SET condition = '{condition}' WHERE {filter}");
        changes.push((put("suspended"), put("enabled"), UnauthorizedClient));
    }
    for (end, remedy, code) in changes {
        for node in [engine, other_node] {
            must_be_remembered(node, &robot, &end).await;
        }
        world.database.run(&end).await;
        for node in [engine, other_node] {
            assert_eq!(robot.token(node, SCOPE).await.err(), Some(code), "{end}");
        }
        world.database.run(&remedy).await;
        for node in [engine, other_node] {
            assert!(robot.token(node, SCOPE).await.is_ok(), "{remedy}");
        }
    }
    // Tokens from before a revocation have another epoch than those from after.
    must_be_remembered(engine, &robot, "at last").await;
    let before = robot.token(engine, SCOPE).await.unwrap().access_token;
    world.database.run("UPDATE clients SET epoch = epoch + 1").await;
    assert_eq!(robot.scope(engine, &before).await, None);
    let after = robot.token(engine, SCOPE).await.unwrap().access_token;
    assert_eq!(robot.scope(engine, &after).await.as_deref(), Some(SCOPE));
}

async fn client_credentials_cache_entry_ends_with_its_expiry(database: Database) {
    let (bench, robot) = bench(database).await;
    let World { engine, .. } = &bench.world;
    let ends = [
        ("client_secrets SET expires_at", RefusalCode::InvalidClient),
        ("organizations SET ends_at", RefusalCode::UnauthorizedClient),
    ];
    for (expiry_column, code) in ends {
        let end = bench.world.now().plus(Lifetime::from_minutes(5)).micros();
        bench.world.database.run(&format!("UPDATE {expiry_column} = {end}")).await;
        must_be_remembered(engine, &robot, expiry_column).await;
        bench.world.pass(Lifetime::from_seconds(299));
        let (second_result, cost) = asked(engine, robot.token(engine, SCOPE)).await;
        assert_eq!((second_result.is_ok(), cost), (true, (0, 1)), "{expiry_column}");
        bench.world.pass(Lifetime::from_seconds(1));
        assert_eq!(robot.token(engine, SCOPE).await.err(), Some(code), "{expiry_column}");
        bench.world.database.run(&format!("UPDATE {expiry_column} = NULL")).await;
    }
}

async fn client_credentials_cache_entry_matches_only_the_same_request(database: Database) {
    let (bench, robot) = bench(database).await;
    let (engine, other) = (&bench.world.engine, Robot::made(&bench.world).await);
    must_be_remembered(engine, &robot, "at first").await;
    let ask = async |auth_request, extra_params: &[(&'static str, &'static str)]| {
        let base_params = [("grant_type", "client_credentials"), ("scope", SCOPE)];
        let parameters = TokenRequestParams::new(base_params.iter().chain(extra_params).copied());
        let result = token::issue_token(engine, &auth_request, &parameters, &EventCause::system()).await;
        result.map(|_| ()).map_err(refusal_code)
    };
    assert_eq!(ask(robot.presented(), &[]).await, Ok(()));
    // The same secret in the body is the same proof. Another secret, none, and that of another client are not.
    let mut wrong = robot.presented();
    wrong.credential = ClientCredential::HeaderSecret(format!("{}x", robot.secret));
    assert_eq!(ask(wrong.clone(), &[]).await, Err(RefusalCode::InvalidClient));
    wrong.credential = ClientCredential::BodySecret(format!("{}x", robot.secret));
    assert_eq!(ask(wrong.clone(), &[]).await, Err(RefusalCode::InvalidClient));
    wrong.credential = ClientCredential::BodySecret(robot.secret.clone());
    assert_eq!(ask(wrong.clone(), &[]).await, Ok(()));
    wrong.credential = ClientCredential::None;
    assert_eq!(ask(wrong.clone(), &[]).await, Err(RefusalCode::InvalidClient));
    wrong = robot.presented();
    wrong.client = Some(other.id.to_string());
    assert_eq!(ask(wrong, &[]).await, Err(RefusalCode::InvalidClient));
    // A different request.
    let elsewhere = [("resource", "https://elsewhere.example")];
    assert_eq!(ask(robot.presented(), &elsewhere).await, Err(RefusalCode::InvalidTarget));
    let details = [("authorization_details", "[{\"type\":\"payment\"}]")];
    assert_eq!(ask(robot.presented(), &details).await, Err(RefusalCode::InvalidAuthorizationDetails));
    assert_eq!(robot.token(engine, "invoices:delete").await.err(), Some(RefusalCode::InvalidScope));
    // Unknown parameters do not create further cache entries.
    for _ in 0..2 {
        let cost = asked(engine, ask(robot.presented(), &[("x", "1")])).await;
        assert_eq!(cost, (Ok(()), (1, 1)));
    }
    let cost = asked(engine, ask(robot.presented(), &[])).await;
    assert_eq!(cost, (Ok(()), (0, 1)), "refused requests removed no entry");
}

async fn client_credentials_tokens_have_their_own_jti_and_event(database: Database) {
    let (bench, robot) = bench(database).await;
    let engine = &bench.world.engine;
    let before = bench.world.events().await.len();
    let mut tokens = BTreeSet::new();
    for _ in 0..10 {
        bench.world.pass(Lifetime::from_seconds(1));
        let issued = robot.token(engine, SCOPE).await.unwrap();
        assert_eq!(robot.scope(engine, &issued.access_token).await.as_deref(), Some(SCOPE));
        tokens.insert(issued.access_token);
    }
    let events = bench.world.events().await;
    assert_eq!((tokens.len(), events.len() - before), (10, 10));
    assert!(events.values().rev().take(10).all(|kind| kind == "token.issued"));
}

async fn client_credentials_cache_is_refused_on_every_node_once_the_client_is_disabled(database: Database) {
    let (bench, robot) = bench(database).await;
    let (world, robot) = (&bench.world, std::sync::Arc::new(robot));
    let nodes = [world.engine.clone(), world.another_node().await];
    let off = format!("UPDATE clients SET condition = 'suspended' WHERE id = '{}'", robot.id);
    let on = format!("UPDATE clients SET condition = 'enabled' WHERE id = '{}'", robot.id);
    let tokens = "SELECT COUNT(*) FROM security_log WHERE kind = 'token.issued'";
    for _ in 0..8 {
        for node in &nodes {
            must_be_remembered(node, &robot, "before").await;
        }
        let tasks: Vec<_> = (0..16)
            .map(|number| {
                let (node, robot) = (nodes[number % 2].clone(), robot.clone());
                tokio::spawn(async move {
                    let mut got = 0;
                    while robot.token(&node, SCOPE).await.is_ok() {
                        got += 1;
                    }
                    got
                })
            })
            .collect();
        tokio::task::yield_now().await;
        world.database.run(&off).await;
        for join_handle in tasks {
            let _: u32 = join_handle.await.unwrap();
        }
        let recorded = world.database.number(tokens).await;
        for node in &nodes {
            assert_eq!(robot.token(node, SCOPE).await.err(), Some(RefusalCode::UnauthorizedClient));
        }
        assert_eq!(world.database.number(tokens).await, recorded, "one was recorded after the end");
        world.database.run(&on).await;
    }
}

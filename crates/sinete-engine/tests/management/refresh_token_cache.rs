//! A refresh token that is used on the node that issued it needs no read: the rotating statement confirms
//! what was cached. After any change it is refused, exactly as on a node without a cache.

use crate::authorization_code_cache::{CHANGES, SCOPE, app, code, must_be_kept, redeem, says};
use crate::both_engines;
use crate::client_auth_cache::with_secret;
use crate::database::Database;
use crate::fixture::refusal_code;
use crate::hot_paths::{asked, bench};
use crate::token_oracle::fixture::{Bench, presented};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::limits::{AAL2_AGE_MAX, REFRESH_TOKEN_CACHE_LIFETIME, REFRESH_TOKEN_IDLE_MAX};
use sinete_core::oauth::grants::TokenRequestParams;
use sinete_core::refusal::RefusalCode;
use sinete_core::time::Lifetime;
use sinete_engine::administration::cleanup;
use sinete_engine::oauth::client_authentication::{ClientAuthRequest, ClientCredential};
use sinete_engine::oauth::token;
use sinete_engine::{Engine, EventCause};

both_engines!(
    refresh_token_cache_rotates_without_a_read_on_the_issuing_node,
    refresh_token_cache_never_outlives_a_change,
    refresh_token_rotation_reflects_a_newly_granted_role,
    refresh_token_cache_misuse_leaves_the_token_usable_and_is_recorded,
    refresh_token_cache_does_not_store_assurance,
    refresh_token_cache_entries_expire,
    refresh_token_cache_skips_self_registered_clients
);

/// Refreshes on this node.
async fn renew(
    engine: &Engine,
    client: &ClientAuthRequest,
    token: &str,
) -> Result<token::IssuedTokens, RefusalCode> {
    let param_pairs = [("grant_type", "refresh_token"), ("refresh_token", token)];
    let result =
        token::issue_token(engine, client, &TokenRequestParams::new(param_pairs), &EventCause::system())
            .await;
    result.map_err(refusal_code)
}

/// A refresh token issued by this node.
async fn handed_out(bench: &Bench, engine: &Engine, client: &ClientAuthRequest) -> String {
    let Ok(issued) = redeem(engine, client, &code(bench, engine).await).await else { panic!("not redeemed") };
    let (token, reads) = next(engine, client, &issued.refresh_token.unwrap().reveal()).await;
    assert_eq!(reads, 1, "a first refresh token is not cached");
    token
}

/// The next token, and the number of read statements.
async fn next(engine: &Engine, client: &ClientAuthRequest, token: &str) -> (String, u64) {
    let (renewed, (reads, _)) = asked(engine, renew(engine, client, token)).await;
    let Ok(token::IssuedTokens { refresh_token: Some(next), .. }) = renewed else { panic!("not renewed") };
    (next.reveal(), reads)
}

async fn refresh_token_cache_rotates_without_a_read_on_the_issuing_node(database: Database) {
    let (bench, _) = bench(database).await;
    let world = &bench.world;
    let (engine, other_node) = (&world.engine, &world.another_node().await);
    let in_turn = async |client: &ClientAuthRequest| {
        must_be_kept(&bench, engine, client, "here").await;
        must_be_kept(&bench, other_node, client, "there").await;
        let first = handed_out(&bench, engine, client).await;
        let mut token = first.clone();
        for (node, reads) in
            [(engine, 0), (engine, 0), (other_node, 1), (other_node, 0), (engine, 1), (engine, 0)]
        {
            let (following, read) = next(node, client, &token).await;
            assert_eq!(read, reads);
            token = following;
        }
        // Cached or read, the result is the same.
        let [cached_token, read] =
            [handed_out(&bench, engine, client).await, handed_out(&bench, engine, client).await];
        let (result, read) =
            (renew(engine, client, &cached_token).await, renew(other_node, client, &read).await);
        let (Ok(issued_tokens), Ok(read)) = (result, read) else { panic!("not renewed") };
        assert_eq!(says(&issued_tokens.access_token), says(&read.access_token));
        assert_eq!(says(&issued_tokens.id_token.unwrap()), says(&read.id_token.unwrap()));
        assert_eq!((issued_tokens.scope, issued_tokens.lifetime), (read.scope, read.lifetime));
        // Reusing a rotated token revokes the grant, on any node.
        assert_eq!(renew(engine, client, &first).await.err(), Some(RefusalCode::InvalidGrant));
        assert_eq!(renew(engine, client, &token).await.err(), Some(RefusalCode::InvalidGrant));
    };
    in_turn(&app()).await;
    in_turn(&with_secret(&bench, "app").await).await;
    let rows = "SELECT count(DISTINCT refresh_idle_expires_at) FROM grants WHERE refresh_generation > 0";
    assert_eq!(world.database.number(rows).await, 1);
}

async fn refresh_token_cache_never_outlives_a_change(database: Database) {
    let (bench, _) = bench(database).await;
    let world = &bench.world;
    let (engine, other_node, client) = (&world.engine, &world.another_node().await, app());
    for (end, remedy) in CHANGES {
        must_be_kept(&bench, engine, &client, end).await;
        must_be_kept(&bench, other_node, &client, end).await;
        let mut tokens = Vec::new();
        for _ in 0..3 {
            tokens.push(handed_out(&bench, engine, &client).await);
        }
        // Tokens issued from the cache are cached, and so are those issued after reading.
        let (renewed, reads) = next(engine, &client, &tokens[2]).await;
        assert_eq!(reads, 0, "{end}");
        let (read, reads) = next(other_node, &client, &handed_out(&bench, engine, &client).await).await;
        assert_eq!(reads, 1, "{end}");
        world.database.run(end).await;
        let renewals = "SELECT CAST(sum(refresh_generation) AS BIGINT) FROM grants";
        let before = world.database.number(renewals).await;
        let refused = renew(other_node, &client, &tokens[0]).await.err();
        assert!(refused.is_some(), "{end}");
        assert_eq!(renew(engine, &client, &tokens[1]).await.err(), refused, "{end}");
        assert_eq!(renew(engine, &client, &renewed).await.err(), refused, "{end}");
        assert_eq!(renew(other_node, &client, &read).await.err(), refused, "{end}");
        assert_eq!(world.database.number(renewals).await, before, "{end}");
        world.database.run(remedy).await;
    }
}

async fn refresh_token_rotation_reflects_a_newly_granted_role(database: Database) {
    let (bench, _) = bench(database).await;
    let (world, engine, client) = (&bench.world, &bench.world.engine, with_secret(&bench, "app").await);
    must_be_kept(&bench, engine, &client, "at first").await;
    let token = handed_out(&bench, engine, &client).await;
    let role = async |token: &str| {
        let Ok(renewed) = renew(engine, &client, token).await else { panic!("not renewed") };
        (says(&renewed.access_token)["role"].to_string(), renewed.refresh_token.unwrap().reveal())
    };
    let (before, token) = role(&token).await;
    let grant_sql = "INSERT INTO membership_roles (membership_id, role_id) SELECT m.id, r.id FROM memberships m, roles r \
        WHERE m.client_id IS NULL AND r.organization_id = m.organization_id AND r.name = 'member'";
    world.database.run(grant_sql).await;
    let (after, token) = role(&token).await;
    assert!(!before.contains("member") && after.contains("member"), "{before} {after}");
    // An invalid client secret cannot refresh either.
    for (end, remedy) in [("revoked_at = 1", "revoked_at = NULL"), ("expires_at = 1", "expires_at = NULL")] {
        let refresh_token = handed_out(&bench, engine, &client).await;
        world.database.run(&format!("UPDATE client_secrets SET {end}")).await;
        assert_eq!(
            renew(engine, &client, &refresh_token).await.err(),
            Some(RefusalCode::InvalidClient),
            "{end}"
        );
        world.database.run(&format!("UPDATE client_secrets SET {remedy}")).await;
        must_be_kept(&bench, engine, &client, remedy).await;
    }
    let end = world.now().plus(Lifetime::from_seconds(30)).micros();
    world.database.run(&format!("UPDATE client_secrets SET expires_at = {end}")).await;
    let (_, token) = role(&token).await;
    let (token, reads) = next(engine, &client, &token).await;
    assert_eq!(reads, 0);
    world.pass(Lifetime::from_seconds(30));
    assert_eq!(renew(engine, &client, &token).await.err(), Some(RefusalCode::InvalidClient));
}

async fn refresh_token_cache_misuse_leaves_the_token_usable_and_is_recorded(database: Database) {
    let (bench, _) = bench(database).await;
    let (world, engine, client) = (&bench.world, &bench.world.engine, app());
    let events = async |kind: &str| {
        world.database.number(&format!("SELECT count(*) FROM security_log WHERE kind = '{kind}'")).await
    };
    must_be_kept(&bench, engine, &client, "at first").await;
    let agent = presented("agent", ClientCredential::None);
    let token = handed_out(&bench, engine, &client).await;
    for expected_count in 1..=2 {
        assert_eq!(renew(engine, &agent, &token).await.err(), Some(RefusalCode::InvalidGrant));
        assert_eq!(events("refresh_token.misdirected").await, expected_count);
    }
    let (token, _) = next(engine, &client, &token).await;
    // A wider scope is refused as a whole, and the token stays valid.
    let wider = [("grant_type", "refresh_token"), ("refresh_token", &*token), ("scope", "invoices:send")];
    let result =
        token::issue_token(engine, &client, &TokenRequestParams::new(wider), &EventCause::system()).await;
    assert_eq!(result.err().map(refusal_code), Some(RefusalCode::InvalidScope));
    let (token, reads) = next(engine, &client, &token).await;
    assert_eq!(reads, 1, "the entry was removed by the first use");
    // A narrower scope may be requested, and the full one the next time.
    let narrow = async |token: &str, scope| {
        let param_pairs = [("grant_type", "refresh_token"), ("refresh_token", token), ("scope", scope)];
        let parameters = TokenRequestParams::new(param_pairs);
        let (result, (reads, _)) =
            asked(engine, token::issue_token(engine, &client, &parameters, &EventCause::system())).await;
        let Ok(issued) = result else { panic!("refused") };
        assert_eq!((issued.scope.to_string(), reads), (scope.to_owned(), 0));
        issued.refresh_token.unwrap().reveal()
    };
    let token = narrow(&token, "openid").await;
    let token = narrow(&token, SCOPE).await;
    // Of many concurrent requests one gets the next token, and then the grant is revoked.
    let (rotated, reused) = (events("refresh_token.rotated").await, events("refresh_token.reused").await);
    let tasks: Vec<_> = (0..16)
        .map(|_| {
            let (engine, client, token) = (engine.clone(), client.clone(), token.clone());
            tokio::spawn(async move { renew(&engine, &client, &token).await.ok() })
        })
        .collect();
    let mut got = Vec::new();
    for join_handle in tasks {
        got.extend(join_handle.await.unwrap());
    }
    assert_eq!((got.len(), events("refresh_token.rotated").await), (1, rotated + 1));
    assert_eq!(events("refresh_token.reused").await, reused + 15);
    let newest = got.remove(0).refresh_token.unwrap().reveal();
    assert_eq!(renew(engine, &client, &newest).await.err(), Some(RefusalCode::InvalidGrant));
}

async fn refresh_token_cache_does_not_store_assurance(database: Database) {
    let (bench, _) = bench(database).await;
    let (world, engine, client) = (&bench.world, &bench.world.engine, app());
    let passkey = AuthenticationEvidence::from_proof(AuthenticationProof::Passkey {
        user_verified: true,
        device_bound: true,
    });
    let at = world.now().minus(AAL2_AGE_MAX).plus(Lifetime::from_minutes(5));
    let (evidence, at) = (serde_json::to_string(&passkey.date_undated_proofs(at)).unwrap(), at.micros());
    world
        .database
        .run(&format!("UPDATE sessions SET evidence = '{evidence}', authenticated_at = {at}"))
        .await;
    must_be_kept(&bench, engine, &client, "while it counts").await;
    let mut token = handed_out(&bench, engine, &client).await;
    let mut outcomes = Vec::new();
    for passes in [0, 4, 2, 0] {
        world.pass(Lifetime::from_minutes(passes));
        let (renewed, (reads, _)) = asked(engine, renew(engine, &client, &token)).await;
        let Ok(renewed) = renewed else { panic!("not renewed") };
        outcomes.push((says(&renewed.access_token)["acr"].clone(), reads));
        token = renewed.refresh_token.unwrap().reveal();
    }
    let reads: Vec<_> = outcomes.iter().map(|(_, reads)| *reads).collect();
    assert_eq!(reads, [0, 0, 1, 1], "reduced assurance is read");
    assert_eq!(outcomes[0].0, outcomes[1].0);
    assert_ne!(outcomes[1].0, outcomes[2].0);
    assert_eq!(outcomes[2].0, outcomes[3].0);
}

async fn refresh_token_cache_entries_expire(database: Database) {
    let (bench, _) = bench(database).await;
    let (world, engine, client) = (&bench.world, &bench.world.engine, app());
    must_be_kept(&bench, engine, &client, "at first").await;
    // However often it is refreshed, it is read again in time, with and without cache cleanup.
    for sweeps in [false, true] {
        let mut token = handed_out(&bench, engine, &client).await;
        for (passes, read) in [(30, 0), (29, 0), (1, 1), (59, 0), (1, 1)] {
            world.pass(Lifetime::from_minutes(passes));
            if sweeps {
                cleanup::delete_expired(engine).await.unwrap();
            }
            let (following, reads) = next(engine, &client, &token).await;
            assert_eq!(reads, read);
            token = following;
        }
    }
    assert_eq!(REFRESH_TOKEN_CACHE_LIFETIME, Lifetime::from_minutes(60));
    let token = handed_out(&bench, engine, &client).await;
    // Being cached does not extend its lifetime.
    world.pass(REFRESH_TOKEN_IDLE_MAX);
    assert_eq!(renew(engine, &client, &token).await.err(), Some(RefusalCode::InvalidGrant));
}

async fn refresh_token_cache_skips_self_registered_clients(database: Database) {
    let (bench, _) = bench(database).await;
    let (world, engine, client) = (&bench.world, &bench.world.engine, app());
    let itself = "UPDATE clients SET is_self_registered = 1, verified_at = 1, organization_id = NULL, \
        version = version + 1 WHERE id = 'app'";
    world.database.run(itself).await;
    let mut token = handed_out(&bench, engine, &client).await;
    for _ in 0..3 {
        let (following, reads) = next(engine, &client, &token).await;
        assert_eq!(reads, 1);
        token = following;
    }
}

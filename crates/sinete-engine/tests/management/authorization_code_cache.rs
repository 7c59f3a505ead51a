//! A code that is redeemed on the node that issued it needs no read: the redeeming statement confirms what
//! was cached. After any change it is refused, exactly as on a node without a cache.

use crate::both_engines;
use crate::client_auth_cache::with_secret;
use crate::database::Database;
use crate::fixture::refusal_code;
use crate::hot_paths::{asked, bench};
use crate::token_oracle::fixture::{Bench, VERIFIER, claims, presented};
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::limits::{AAL2_AGE_MAX, AAL2_IDLE_MAX, AUTHORIZATION_CODE_LIFETIME, CACHED_CODE_BYTES_MAX};
use sinete_core::oauth::grants::TokenRequestParams;
use sinete_core::refusal::RefusalCode;
use sinete_core::time::Lifetime;
use sinete_engine::oauth::client_authentication::{ClientAuthRequest, ClientCredential};
use sinete_engine::oauth::token;
use sinete_engine::{Engine, EventCause};

both_engines!(
    authorization_code_cache_redeems_without_a_read_on_the_issuing_node,
    authorization_code_cache_never_outlives_a_change,
    authorization_code_cache_does_not_extend_client_authentication,
    authorization_code_cache_misuse_leaves_the_code_redeemable_and_is_recorded,
    authorization_code_cache_does_not_store_assurance,
    authorization_code_cache_skips_large_and_unversioned_entries
);

pub const SCOPE: &str = "openid invoices:read";

/// Redeems the code on this node.
pub async fn redeem(
    engine: &Engine,
    auth_request: &ClientAuthRequest,
    code: &str,
) -> Result<token::IssuedTokens, RefusalCode> {
    redeem_with(engine, auth_request, code, VERIFIER).await
}

async fn redeem_with(
    engine: &Engine,
    auth_request: &ClientAuthRequest,
    code: &str,
    verifier: &str,
) -> Result<token::IssuedTokens, RefusalCode> {
    let param_pairs = [("grant_type", "authorization_code"), ("code", code), ("code_verifier", verifier)];
    let result = token::issue_token(
        engine,
        auth_request,
        &TokenRequestParams::new(param_pairs),
        &EventCause::system(),
    )
    .await;
    result.map_err(refusal_code)
}

/// A code issued by this node.
pub async fn code(bench: &Bench, engine: &Engine) -> String {
    bench.authorize_saying(engine, &[("scope", SCOPE)]).await.unwrap()
}

/// The number of read statements for redeeming a new code on the node that issued it.
async fn reads(bench: &Bench, engine: &Engine, auth_request: &ClientAuthRequest) -> u64 {
    reads_saying(bench, engine, auth_request, &[("scope", SCOPE)]).await
}

/// The same with these request parameters.
async fn reads_saying(
    bench: &Bench,
    engine: &Engine,
    by: &ClientAuthRequest,
    extra_params: &[(&str, &str)],
) -> u64 {
    let code = bench.authorize_saying(engine, extra_params).await.unwrap();
    let (redeemed, (reads, _)) = asked(engine, redeem(engine, by, &code)).await;
    assert!(redeemed.is_ok(), "{extra_params:?}");
    reads
}

/// Asserts that codes are redeemed here without reads.
pub async fn must_be_kept(bench: &Bench, engine: &Engine, auth_request: &ClientAuthRequest, because: &str) {
    reads(bench, engine, auth_request).await;
    assert_eq!(reads(bench, engine, auth_request).await, 0, "{because}");
}

pub fn app() -> ClientAuthRequest {
    presented("app", ClientCredential::None)
}

/// The claims of a token, except those that differ between tokens.
pub fn says(token: &str) -> Value {
    let mut claims = claims(token);
    let claims = claims.as_object_mut().unwrap();
    claims.retain(|name, _| !["jti", "at_hash"].contains(&name.as_str()));
    json!(claims)
}

async fn authorization_code_cache_redeems_without_a_read_on_the_issuing_node(database: Database) {
    let (bench, _) = bench(database).await;
    let world = &bench.world;
    let (engine, other_node) = (&world.engine, &world.another_node().await);
    let once_each = async |client: &ClientAuthRequest| {
        assert_eq!(reads(&bench, engine, client).await, 1, "the client has not authenticated at this node");
        assert_eq!(reads(&bench, engine, client).await, 0);
        assert_eq!(reads(&bench, other_node, client).await, 1, "nor there");
        assert_eq!(reads(&bench, other_node, client).await, 0);
    };
    once_each(&app()).await;
    let client = with_secret(&bench, "app").await;
    once_each(&client).await;
    // Another node reads everything, with the same result.
    let extra_params =
        [("scope", SCOPE), ("nonce", "n"), ("claims", r#"{"id_token":{"auth_time":{"essential":true}}}"#)];
    let mut codes = Vec::new();
    for _ in 0..2 {
        codes.push(bench.authorize_saying(engine, &extra_params).await.unwrap());
    }
    let [one, other] = [&codes[0], &codes[1]];
    let events = async || world.database.number("SELECT count(*) FROM security_log").await;
    let before = events().await;
    let (result, cost) = asked(engine, redeem(engine, &client, one)).await;
    assert_eq!((cost, events().await), ((0, 2), before + 1));
    let (read, cost) = asked(other_node, redeem(other_node, &client, other)).await;
    assert_eq!((cost, events().await), ((1, 2), before + 2));
    let (issued_tokens, read) = (result.unwrap(), read.unwrap());
    assert_eq!(says(&issued_tokens.access_token), says(&read.access_token));
    assert_eq!(says(&issued_tokens.id_token.unwrap()), says(&read.id_token.unwrap()));
    assert_eq!((issued_tokens.scope, issued_tokens.lifetime), (read.scope, read.lifetime));
    assert_eq!(issued_tokens.refresh_token.is_some(), read.refresh_token.is_some());
    let same = "SELECT count(DISTINCT COALESCE(refresh_scope, '') || COALESCE(refresh_audience, '')) FROM grants \
        WHERE code_spent_at IS NOT NULL";
    assert_eq!(world.database.number(same).await, 1);
    // Presented again, everything issued for it is revoked.
    let refresh = issued_tokens.refresh_token.unwrap().reveal();
    assert_eq!(redeem(engine, &client, one).await.err(), Some(RefusalCode::InvalidGrant));
    let param_pairs = [("grant_type", "refresh_token"), ("refresh_token", refresh.as_str())];
    let renewed =
        token::issue_token(engine, &client, &TokenRequestParams::new(param_pairs), &EventCause::system())
            .await;
    assert_eq!(renewed.err().map(refusal_code), Some(RefusalCode::InvalidGrant));
}

/// Changes that prevent a redemption, and how to revert them.
pub const CHANGES: &[(&str, &str)] = &[
    ("UPDATE organizations SET condition = 'suspended'", "UPDATE organizations SET condition = 'enabled'"),
    ("UPDATE organizations SET ends_at = 1", "UPDATE organizations SET ends_at = NULL"),
    (
        r#"UPDATE organizations SET settings = '{"least_assurance": "aal2"}'"#,
        "UPDATE organizations SET settings = '{}'",
    ),
    (
        r#"UPDATE organizations SET settings = '{"allowed_credentials": ["passkey"]}'"#,
        "UPDATE organizations SET settings = '{}'",
    ),
    (
        r#"UPDATE organizations SET settings = '{"single_sign_on": "required"}'"#,
        "UPDATE organizations SET settings = '{}'",
    ),
    (UNVERIFIED, VERIFIED),
    ("UPDATE clients SET condition = 'suspended'", "UPDATE clients SET condition = 'enabled'"),
    ("UPDATE clients SET epoch = epoch + 1", "UPDATE clients SET epoch = epoch"),
    (
        "UPDATE clients SET scope = 'openid', version = version + 1",
        "UPDATE clients SET scope = 'openid invoices:read invoices:send', version = version + 1",
    ),
    (
        r#"UPDATE clients SET metadata = REPLACE(metadata, '"none"', '"client_secret_basic"'), version = version + 1"#,
        r#"UPDATE clients SET metadata = REPLACE(metadata, '"client_secret_basic"', '"none"'), version = version + 1"#,
    ),
    ("UPDATE memberships SET condition = 'suspended'", "UPDATE memberships SET condition = 'enabled'"),
    ("UPDATE accounts SET condition = 'suspended'", "UPDATE accounts SET condition = 'enabled'"),
    ("UPDATE sessions SET ended_at = 1", "UPDATE sessions SET ended_at = NULL"),
    ("UPDATE grants SET revoked_at = 1", "UPDATE grants SET revoked_at = NULL"),
    ("UPDATE roles SET removed_at = 1", "UPDATE roles SET removed_at = NULL"),
    (
        r#"UPDATE roles SET permissions = '["invoices:send"]' WHERE name = 'clerk'"#,
        r#"UPDATE roles SET permissions = '["invoices:read","invoices:send"]' WHERE name = 'clerk'"#,
    ),
    (TAKEN, GIVEN),
    ("UPDATE apis SET condition = 'suspended'", "UPDATE apis SET condition = 'enabled'"),
    (UNDEFINED, DEFINED),
];
/// The client is unverified, which the organization does not accept, and verified again.
const UNVERIFIED: &str = r#"UPDATE organizations SET settings = '{"unverified_clients": "refuse"}';
    UPDATE clients SET is_self_registered = 1, organization_id = NULL, version = version + 1 WHERE id = 'app'"#;
const VERIFIED: &str = "UPDATE organizations SET settings = '{}'; UPDATE clients SET is_self_registered = 0, \
    organization_id = (SELECT id FROM organizations WHERE slug = 'acme'), version = version + 1 WHERE id = 'app'";
/// A role is removed from one user, and assigned again.
const TAKEN: &str = "DELETE FROM membership_roles WHERE membership_id IN (SELECT id FROM memberships WHERE client_id IS NULL)";
const GIVEN: &str = "INSERT INTO membership_roles (membership_id, role_id) \
    SELECT (SELECT id FROM memberships WHERE client_id IS NULL), (SELECT id FROM roles WHERE name = 'clerk')";
/// An API removes a permission, and defines it again.
const UNDEFINED: &str = "DELETE FROM api_permissions WHERE action = 'read'";
const DEFINED: &str = "INSERT INTO api_permissions (api_id, resource, action, english, place) \
    SELECT id, 'invoices', 'read', 'Read', 900 FROM apis";

async fn authorization_code_cache_never_outlives_a_change(database: Database) {
    let (bench, _) = bench(database).await;
    let world = &bench.world;
    let (engine, other_node, client) = (&world.engine, &world.another_node().await, app());
    for (end, remedy) in CHANGES {
        must_be_kept(&bench, engine, &client, end).await;
        must_be_kept(&bench, other_node, &client, end).await;
        let mut codes = Vec::new();
        for _ in 0..3 {
            codes.push(code(&bench, engine).await);
        }
        world.database.run(end).await;
        let spent = async || world.database.number("SELECT count(code_spent_at) FROM grants").await;
        let before = spent().await;
        let refused = redeem(other_node, &client, &codes[0]).await.err();
        assert!(refused.is_some(), "{end}");
        // First with both code and client cached, then with only the code, after the client authenticated
        // again.
        assert_eq!(redeem(engine, &client, &codes[1]).await.err(), refused, "{end}");
        assert_eq!(redeem(engine, &client, &codes[2]).await.err(), refused, "{end}");
        assert_eq!(spent().await, before, "{end}");
        world.database.run(remedy).await;
    }
    must_be_kept(&bench, engine, &client, "at last").await;
    let issued_code = code(&bench, engine).await;
    world.database.run("UPDATE accounts SET epoch = epoch + 1").await;
    assert_eq!(redeem(engine, &client, &issued_code).await.err(), Some(RefusalCode::InvalidGrant));
}

async fn authorization_code_cache_does_not_extend_client_authentication(database: Database) {
    let (bench, _) = bench(database).await;
    let (world, engine, client) = (&bench.world, &bench.world.engine, with_secret(&bench, "app").await);
    for end in ["revoked_at", "expires_at"] {
        must_be_kept(&bench, engine, &client, end).await;
        let issued_code = code(&bench, engine).await;
        world.database.run(&format!("UPDATE client_secrets SET {end} = 1")).await;
        assert_eq!(
            redeem(engine, &client, &issued_code).await.err(),
            Some(RefusalCode::InvalidClient),
            "{end}"
        );
        world.database.run(&format!("UPDATE client_secrets SET {end} = NULL")).await;
    }
    // A secret that expires also affects codes.
    let end = world.now().plus(Lifetime::from_seconds(30)).micros();
    world.database.run(&format!("UPDATE client_secrets SET expires_at = {end}")).await;
    must_be_kept(&bench, engine, &client, "until it ends").await;
    let [in_time, too_late] = [code(&bench, engine).await, code(&bench, engine).await];
    world.pass(Lifetime::from_seconds(29));
    assert!(redeem(engine, &client, &in_time).await.is_ok());
    world.pass(Lifetime::from_seconds(1));
    assert_eq!(redeem(engine, &client, &too_late).await.err(), Some(RefusalCode::InvalidClient));
    // A missing or wrong secret is rejected, regardless of earlier authentications.
    world.database.run("UPDATE client_secrets SET expires_at = NULL").await;
    must_be_kept(&bench, engine, &client, "at last").await;
    let issued_code = code(&bench, engine).await;
    for wrong in [app(), presented("app", ClientCredential::HeaderSecret("another".to_owned()))] {
        assert_eq!(redeem(engine, &wrong, &issued_code).await.err(), Some(RefusalCode::InvalidClient));
    }
    let (redeemed, (reads, _)) = asked(engine, redeem(engine, &client, &issued_code)).await;
    assert_eq!((redeemed.is_ok(), reads), (true, 0), "they removed no entry");
}

async fn authorization_code_cache_misuse_leaves_the_code_redeemable_and_is_recorded(database: Database) {
    let (bench, _) = bench(database).await;
    let (world, engine, client) = (&bench.world, &bench.world.engine, app());
    let events = async |kind: &str| {
        world.database.number(&format!("SELECT count(*) FROM security_log WHERE kind = '{kind}'")).await
    };
    must_be_kept(&bench, engine, &client, "at first").await;
    // The wrong verifier, and another client.
    let issued_code = code(&bench, engine).await;
    let wrong = redeem_with(engine, &client, &issued_code, &VERIFIER.replace('d', "e")).await;
    assert_eq!(wrong.err(), Some(RefusalCode::InvalidGrant));
    assert!(redeem(engine, &client, &issued_code).await.is_ok(), "the right verifier is still accepted");
    let issued_code = code(&bench, engine).await;
    let agent = presented("agent", ClientCredential::None);
    assert!(redeem(engine, &agent, "not a code").await.is_err());
    assert_eq!(redeem(engine, &agent, &issued_code).await.err(), Some(RefusalCode::InvalidGrant));
    assert_eq!(events("code.misdirected").await, 1);
    assert!(
        redeem(engine, &client, &issued_code).await.is_ok(),
        "another client's request does not invalidate it"
    );
    // A code that is bound to a key is rejected without it.
    let key = [("scope", SCOPE), ("dpop_jkt", "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")];
    let bound = bench.authorize_saying(engine, &key).await.unwrap();
    assert_eq!(redeem(engine, &client, &bound).await.err(), Some(RefusalCode::InvalidGrant));
    // An expired code is rejected.
    let issued_code = code(&bench, engine).await;
    world.pass(AUTHORIZATION_CODE_LIFETIME);
    assert_eq!(redeem(engine, &client, &issued_code).await.err(), Some(RefusalCode::InvalidGrant));
    // Of many concurrent requests one succeeds, and afterwards none.
    must_be_kept(&bench, engine, &client, "at last").await;
    let issued_code = code(&bench, engine).await;
    let (replayed, redeemed) = (events("code.replayed").await, events("code.redeemed").await);
    let tasks: Vec<_> = (0..16)
        .map(|_| {
            let (engine, client, code) = (engine.clone(), client.clone(), issued_code.clone());
            tokio::spawn(async move { redeem(&engine, &client, &code).await.is_ok() })
        })
        .collect();
    let mut got = 0;
    for join_handle in tasks {
        got += usize::from(join_handle.await.unwrap());
    }
    assert_eq!((got, events("code.redeemed").await), (1, redeemed + 1));
    assert_eq!(events("code.replayed").await, replayed + 15);
}

async fn authorization_code_cache_does_not_store_assurance(database: Database) {
    let (bench, _) = bench(database).await;
    let (world, engine, client) = (&bench.world, &bench.world.engine, app());
    let elsewhere = &world.another_node().await;
    let passkey = AuthenticationEvidence::from_proof(AuthenticationProof::Passkey {
        user_verified: true,
        device_bound: true,
    });
    let may = "UPDATE clients SET scope = 'openid offline_access invoices:read', version = version + 1";
    world.database.run(may).await;
    // Assurance decays with the session or, if the grant outlives it, from the time of authentication.
    let lasting = format!("{SCOPE} offline_access");
    for (scope, age) in [(SCOPE, AAL2_AGE_MAX), (&lasting, AAL2_IDLE_MAX)] {
        let at = world.now().minus(age).plus(Lifetime::from_seconds(30));
        let (evidence, at) =
            (serde_json::to_string(&passkey.clone().date_undated_proofs(at)).unwrap(), at.micros());
        let update_sql = format!("UPDATE sessions SET evidence = '{evidence}', authenticated_at = {at}");
        world.database.run(&update_sql).await;
        must_be_kept(&bench, engine, &client, scope).await;
        let mut outcomes = Vec::new();
        let mut codes = Vec::new();
        for _ in 0..3 {
            codes.push(bench.authorize_saying(engine, &[("scope", scope)]).await.unwrap());
        }
        for (code, (node, passes)) in codes.iter().zip([(engine, 0), (engine, 40), (elsewhere, 0)]) {
            world.pass(Lifetime::from_seconds(passes));
            let (redeemed, (reads, _)) = asked(node, redeem(node, &client, code)).await;
            outcomes.push((says(&redeemed.unwrap().access_token)["acr"].clone(), reads));
        }
        assert_ne!(outcomes[0].0, outcomes[1].0, "{scope}");
        assert_eq!(outcomes[1].0, outcomes[2].0, "{scope}");
        assert_eq!([outcomes[0].1, outcomes[1].1], [0, 1], "reduced assurance is read: {scope}");
    }
}

async fn authorization_code_cache_skips_large_and_unversioned_entries(database: Database) {
    let (bench, _) = bench(database).await;
    let (world, engine, client) = (&bench.world, &bench.world.engine, app());
    must_be_kept(&bench, engine, &client, "at first").await;
    let many: Vec<_> = (0..101).map(|number| format!("many:p{number}")).collect();
    let defined: Vec<_> = (0..101)
        .map(|number| format!("SELECT id, 'many', 'p{number}', 'Do', {} FROM apis", 100 + number))
        .collect();
    let define = "INSERT INTO api_permissions (api_id, resource, action, english, place)";
    world.database.run(&format!("{define} {}", defined.join(" UNION ALL "))).await;
    let hold = async |extra_permissions: &[String]| {
        let all: Vec<_> =
            ["invoices:read".to_owned()].into_iter().chain(extra_permissions.iter().cloned()).collect();
        let text = serde_json::to_string(&all).unwrap();
        world.database.run(&format!("UPDATE roles SET permissions = '{text}' WHERE name = 'clerk'")).await;
    };
    hold(&many).await;
    for _ in 0..3 {
        assert_eq!(reads(&bench, engine, &client).await, 1, "so many permissions");
    }
    hold(&many[..50]).await;
    must_be_kept(&bench, engine, &client, "half as many").await;
    let long = format!(r#"{{"id_token":{{"{}":null}}}}"#, "x".repeat(CACHED_CODE_BYTES_MAX));
    for _ in 0..3 {
        let extra_params = [("scope", SCOPE), ("claims", long.as_str())];
        assert_eq!(reads_saying(&bench, engine, &client, &extra_params).await, 1, "so much is requested");
    }
    // The dependency version does not cover changes of such a client.
    let itself = "UPDATE clients SET is_self_registered = 1, verified_at = 1, organization_id = NULL, \
        version = version + 1 WHERE id = 'app'";
    world.database.run(itself).await;
    for _ in 0..3 {
        assert_eq!(reads(&bench, engine, &client).await, 1, "registered itself");
    }
}

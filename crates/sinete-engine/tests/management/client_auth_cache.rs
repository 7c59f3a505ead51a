//! A cached client authentication is confirmed together with the presented token, in one query or in the
//! transaction itself. After any change of the client, it gets no response.

use crate::both_engines;
use crate::database::Database;
use crate::fixture::refusal_code;
use crate::hot_paths::{Robot, asked, bench};
use crate::token_oracle::fixture::{Bench, presented};
use sinete_core::client_id::ClientId;
use sinete_core::oauth::grants::TokenRequestParams;
use sinete_core::refusal::RefusalCode;
use sinete_core::secret::{ClientSecret, Secret};
use sinete_core::time::Lifetime;
use sinete_engine::oauth::client_authentication;
use sinete_engine::oauth::client_authentication::{ClientAuthRequest, ClientCredential};
use sinete_engine::oauth::introspection::{IntrospectionResponse, introspect_for_unconfirmed_client};
use sinete_engine::oauth::token;
use sinete_engine::{Engine, EventCause};
use sinete_store::oauth::client_secrets;

both_engines!(
    introspection_uses_one_query_until_the_client_changes,
    token_exchange_saves_one_query_until_the_client_changes
);

const SCOPE: &str = "invoices:read invoices:send";
/// Changes that end a client's authentication, and how to revert them.
const CHANGES: [(&str, &str, RefusalCode); 4] = [
    ("client_secrets SET revoked_at = 1", "client_secrets SET revoked_at = NULL", RefusalCode::InvalidClient),
    ("client_secrets SET expires_at = 1", "client_secrets SET expires_at = NULL", RefusalCode::InvalidClient),
    (
        "clients SET condition = 'suspended'",
        "clients SET condition = 'enabled'",
        RefusalCode::UnauthorizedClient,
    ),
    (
        "memberships SET condition = 'suspended'",
        "memberships SET condition = 'enabled'",
        RefusalCode::UnauthorizedClient,
    ),
];

/// Whether the token is active; `None` if the client is not confirmed.
async fn supposing(engine: &Engine, robot: &Robot, token: &str) -> Option<bool> {
    let client = client_authentication::find_cached_client(engine, &robot.presented())?;
    let response = introspect_for_unconfirmed_client(engine, &client, token).await.unwrap()?;
    Some(!matches!(response, IntrospectionResponse::Inactive { .. }))
}

async fn introspection_uses_one_query_until_the_client_changes(database: Database) {
    let (bench, robot) = bench(database).await;
    let world = &bench.world;
    let owner = world.database.bytes(world.person("acme", &["member"]).await.membership.as_bytes());
    world.database.run(&format!("UPDATE clients SET owner_id = {owner} WHERE id = '{}'", robot.id)).await;
    let (engine, other_node) = (&world.engine, &world.another_node().await);
    let token = robot.token(engine, SCOPE).await.unwrap().access_token;
    assert_eq!(supposing(engine, &robot, &token).await, None, "it has not authenticated at this node");
    for (end, remedy, code) in CHANGES {
        for node in [engine, other_node] {
            robot.proven(node).await.unwrap();
            // Once without counting, so that clients are cached.
            supposing(node, &robot, &token).await;
            let one_question = (Some(true), (1, 0));
            assert_eq!(asked(node, supposing(node, &robot, &token)).await, one_question, "{end}");
        }
        world.database.run(&format!("UPDATE {end}")).await;
        for node in [engine, other_node] {
            assert_eq!(supposing(node, &robot, &token).await, None, "{end}");
            assert_eq!(robot.proven(node).await.unwrap_err(), code, "{end}");
            assert_eq!(supposing(node, &robot, &token).await, None, "{end}");
        }
        world.database.run(&format!("UPDATE {remedy}")).await;
    }
    // The token's state is always current, and an invalid token is not answered for a client that is not
    // confirmed.
    robot.proven(engine).await.unwrap();
    world
        .database
        .run(
            "INSERT INTO revoked_jtis (jti, revoked_at, expires_at) SELECT subject_id, 1, 9000000000000000 \
        FROM security_log WHERE kind = 'token.issued'",
        )
        .await;
    assert_eq!(supposing(engine, &robot, &token).await, Some(false));
    for nonsense in ["", "a.b.c", &token[1..]] {
        assert_eq!(supposing(engine, &robot, nonsense).await, None);
    }
    let end = world.now().plus(Lifetime::from_minutes(1)).micros();
    world.database.run(&format!("UPDATE client_secrets SET expires_at = {end}")).await;
    robot.proven(engine).await.unwrap();
    assert_eq!(supposing(engine, &robot, &token).await, Some(false));
    world.pass(Lifetime::from_minutes(1));
    assert_eq!(supposing(engine, &robot, &token).await, None);
}

/// A client of the bench with its secret.
pub async fn with_secret(bench: &Bench, client: &str) -> ClientAuthRequest {
    let (world, id): (_, ClientId) = (&bench.world, client.parse().unwrap());
    let secret = Secret::<ClientSecret>::mint(world.engine.entropy());
    world.happens([client_secrets::add_client_secret(&secret.digest(), &id, world.now(), None)]).await;
    let described = format!(
        "UPDATE clients SET version = version + 1, \
        metadata = REPLACE(metadata, '\"none\"', '\"client_secret_basic\"') WHERE id = '{client}'"
    );
    world.database.run(&described).await;
    presented(client, ClientCredential::HeaderSecret(secret.reveal()))
}

async fn token_exchange_saves_one_query_until_the_client_changes(database: Database) {
    let (bench, _) = bench(database).await;
    let (world, auth_request) = (&bench.world, with_secret(&bench, "agent").await);
    let consented_scope = ["openid", "invoices:read"].map(str::to_owned).into();
    let code = bench.code(&consented_scope).await;
    let issued = bench.redeem(&code).await.map_err(|_| ()).unwrap();
    let exchange = async |engine: &Engine, auth_request: &ClientAuthRequest| {
        let params = TokenRequestParams::new([
            ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
            ("subject_token", issued.access.as_str()),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"),
        ]);
        let result = token::issue_token(engine, auth_request, &params, &EventCause::system()).await;
        result.map(|_| ()).map_err(refusal_code)
    };
    let engine = &world.engine;
    assert_eq!(exchange(engine, &auth_request).await, Ok(()));
    assert_eq!(asked(engine, exchange(engine, &auth_request)).await, (Ok(()), (2, 2)));
    let mut wrong = auth_request.clone();
    wrong.credential = ClientCredential::HeaderSecret("another".to_owned());
    assert_eq!(exchange(engine, &wrong).await, Err(RefusalCode::InvalidClient));
    let only_agent = CHANGES.iter().filter(|(end, ..)| !end.starts_with("memberships"));
    for (end, remedy, _) in only_agent {
        let table = |change: &str| match change.starts_with("clients") {
            true => format!("UPDATE {change} WHERE id = 'agent'"),
            false => format!("UPDATE {change} WHERE client_id = 'agent'"),
        };
        let before = world.database.number("SELECT count(*) FROM delegations").await;
        world.database.run(&table(end)).await;
        assert!(exchange(engine, &auth_request).await.is_err(), "{end}");
        assert_eq!(world.database.number("SELECT count(*) FROM delegations").await, before, "{end}");
        world.database.run(&table(remedy)).await;
        assert_eq!(exchange(engine, &auth_request).await, Ok(()), "{remedy}");
        assert_eq!(asked(engine, exchange(engine, &auth_request)).await, (Ok(()), (2, 2)), "{remedy}");
    }
}

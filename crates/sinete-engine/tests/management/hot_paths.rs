//! The number of statements of the busiest requests, so that none grows unnoticed; and that caches never
//! outlive a change on another node.

use crate::both_engines;
use crate::clients::{metadata, service};
use crate::database::Database;
use crate::fixture::{World, api, refusal_code};
use crate::token_oracle::Set;
use crate::token_oracle::fixture::{Bench, Issued};
use serde_json::Value;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::client_id::ClientId;
use sinete_core::events::security_event::RequestOrigin;
use sinete_core::oauth::claims::IndividualClaims;
use sinete_core::oauth::grants::TokenRequestParams;
use sinete_core::refusal::RefusalCode;
use sinete_core::secret::Secret;
use sinete_core::time::Lifetime;
use sinete_engine::access_control::admin_scope::AdminScope;
use sinete_engine::oauth::client_authentication;
use sinete_engine::oauth::client_authentication::{AuthenticatedClient, ClientAuthRequest, ClientCredential};
use sinete_engine::oauth::userinfo::UserinfoResponse;
use sinete_engine::oauth::{clients, introspection, revocation, token, userinfo};
use sinete_engine::organizations::api_catalog;
use sinete_engine::{Engine, EventCause};
use sinete_store::oauth::consents;
use sinete_store::oauth::consents::ConsentRow;

both_engines!(
    hot_path_requests_use_a_fixed_number_of_statements,
    cached_authority_reflects_a_change_on_another_node_at_once,
    consent_revoked_during_authorization_prevents_the_code,
    verified_jwt_cache_entry_expires_with_its_token_and_matches_no_other
);

/// A service that acts for itself in `acme`.
pub struct Robot {
    pub id: ClientId,
    pub secret: String,
}

impl Robot {
    pub async fn made(world: &World) -> Self {
        let request = clients::NewClientRequest {
            roles: vec![world.role("acme", "clerk").await],
            metadata: metadata(
                r#"{"grant_types": ["client_credentials"], "scope": "invoices:read invoices:send"}"#,
            ),
            ..service()
        };
        let inside = world.system_in("acme").await;
        let result = clients::create(&world.engine, AdminScope::Organization(&inside), &request).await;
        let client = result.unwrap();
        Self { id: client.overview.client.id, secret: client.secret.unwrap().reveal() }
    }

    pub fn presented(&self) -> ClientAuthRequest {
        ClientAuthRequest {
            client: Some(self.id.to_string()),
            credential: ClientCredential::HeaderSecret(self.secret.clone()),
            endpoint: client_authentication::TOKEN_ENDPOINT,
            certificate: None,
            dpop: None,
        }
    }

    pub async fn token(&self, engine: &Engine, scope: &str) -> Result<token::IssuedTokens, RefusalCode> {
        self.token_because(engine, scope, &EventCause::system()).await
    }

    async fn token_because(
        &self,
        engine: &Engine,
        scope: &str,
        cause: &EventCause,
    ) -> Result<token::IssuedTokens, RefusalCode> {
        let params = TokenRequestParams::new([("grant_type", "client_credentials"), ("scope", scope)]);
        let result = token::issue_token(engine, &self.presented(), &params, cause).await;
        result.map_err(refusal_code)
    }

    pub async fn proven(&self, engine: &Engine) -> Result<AuthenticatedClient, RefusalCode> {
        let result =
            client_authentication::authenticate_client(engine, &self.presented(), &EventCause::system())
                .await;
        result.map_err(refusal_code)
    }

    /// The scope of a token by introspection; `None` if it is inactive.
    pub async fn scope(&self, engine: &Engine, token: &str) -> Option<String> {
        let client = self.proven(engine).await.unwrap();
        let response = introspection::introspect_token(engine, &client, token).await.unwrap();
        let body: Value = serde_json::to_value(response).unwrap();
        body["active"].as_bool().unwrap().then(|| body["scope"].as_str().unwrap().to_owned())
    }
}

fn set(names: &[&str]) -> Set {
    names.iter().map(|name| (*name).to_owned()).collect()
}

pub async fn bench(database: Database) -> (Bench, Robot) {
    let everything = set(&["openid", "invoices:read", "invoices:send"]);
    let role_permissions = set(&["invoices:read", "invoices:send"]);
    let bench = Bench::new(database, &[everything.clone(), everything], &role_permissions).await;
    let robot = Robot::made(&bench.world).await;
    (bench, robot)
}

/// The number of read and write statements of a future.
pub async fn asked<T>(engine: &Engine, future: impl Future<Output = T>) -> (T, (u64, u64)) {
    let before = engine.store().statistics();
    let output = future.await;
    let after = engine.store().statistics();
    (output, (after.reads - before.reads, after.steps - before.steps))
}

async fn hot_path_requests_use_a_fixed_number_of_statements(database: Database) {
    let (bench, robot) = bench(database).await;
    let engine = &bench.world.engine;
    let consented_scope = set(&["openid", "invoices:read"]);
    let redeem = async || bench.redeem(&bench.code(&consented_scope).await).await.map_err(|_| ()).unwrap();
    let refreshed = async |issued: &Issued| {
        bench.refresh(issued.refresh.as_deref().unwrap(), None).await.map_err(|_| ()).unwrap()
    };
    // Once without counting, so that clients are cached.
    let own_token = robot.token(engine, "invoices:read").await.unwrap().access_token;
    let issued = refreshed(&redeem().await).await;
    bench.exchange(&issued.access, true, None).await.map_err(|_| ()).unwrap();

    // No reads for a repeated request. One write: the event, if nothing has changed.
    let (own_again, cost) = asked(engine, robot.token(engine, "invoices:read")).await;
    assert_eq!((own_again.is_ok(), cost), (true, (0, 1)), "a service's own token, again");
    // The same with an origin, which is part of the event.
    let origin = RequestOrigin::new(None, Some("192.0.2.7".parse().unwrap()), Some("robot/1"));
    let from_somewhere = EventCause { origin, ..EventCause::system() };
    let (result, cost) = asked(engine, robot.token_because(engine, "invoices:read", &from_somewhere)).await;
    assert_eq!((result.is_ok(), cost), (true, (0, 1)), "a service's own token, from a known address");
    let count_query =
        "SELECT count(*) FROM security_log WHERE address = '192.0.2.7' AND user_agent = 'robot/1'";
    assert_eq!(bench.world.database.number(count_query).await, 1);
    // One read: client, secret and the machine's state. One write: the event.
    let (another, cost) = asked(engine, robot.token(engine, "invoices:send")).await;
    assert_eq!((another.is_ok(), cost), (true, (1, 1)), "a service's own token");
    // Reads: the client; the token's state.
    let (scope, cost) = asked(engine, robot.scope(engine, &own_token)).await;
    assert_eq!((scope.as_deref(), cost), (Some("invoices:read"), (2, 0)), "introspection");
    // No reads on the node that issued it: the transaction confirms what was cached. Writes: the grant with
    // its new token, the event. On another node there is one read, as `refresh_token_cache` shows.
    let (issued, cost) = asked(engine, refreshed(&issued)).await;
    assert_eq!(cost, (0, 2), "a refresh");
    // Reads: the token's state; the scopes granted to the client. Writes: the delegation, the event.
    let (exchanged, cost) = asked(engine, bench.exchange(&issued.access, true, None)).await;
    assert_eq!((exchanged.is_ok(), cost), (true, (2, 2)), "an exchange");
    // Reads: the token's state, its request, the account, the membership, the contacts.
    let (result, cost) = asked(engine, userinfo::load_userinfo(engine, &issued.access)).await;
    assert!(matches!(result.unwrap(), UserinfoResponse::Claims(_)));
    assert_eq!(cost, (5, 0), "userinfo");
    // Reads: the client with the session, the memberships, permissions and consents. Writes: the grant with
    // its code, the event.
    bench.authorize(engine).await.unwrap();
    let (code, cost) = asked(engine, bench.authorize(engine)).await;
    assert_eq!((code.is_ok(), cost), (true, (1, 2)), "an authorization with a session");
    // One read: the client with the code, its grant and the session. Writes: the grant with its code and
    // refresh token, the event.
    let code = bench.code(&consented_scope).await;
    let (redeemed, cost) = asked(engine, bench.redeem(&code)).await;
    assert_eq!((redeemed.is_ok(), cost), (true, (1, 2)), "a code");
    // No reads on the node that issued it: the transaction confirms what was cached.
    let code = bench.authorize(engine).await.unwrap();
    let (redeemed, cost) = asked(engine, bench.redeem(&code)).await;
    assert_eq!((redeemed.is_ok(), cost), (true, (0, 2)), "a code issued by this node");
}

/// Consent is read at the start. Changes since are detected when the code is recorded.
async fn consent_revoked_during_authorization_prevents_the_code(database: Database) {
    let (bench, _) = bench(database).await;
    let (world, engine) = (&bench.world, &bench.world.engine);
    let asks = "UPDATE clients SET metadata = replace(metadata, 'implied', 'ask'), version = version + 1 WHERE id = 'app'";
    world.database.run(asks).await;
    let client: ClientId = bench.app().parse().unwrap();
    let parties = bench.parties(&client);
    let give_consent = |seconds: u32| {
        let agreed_at = world.now().plus(Lifetime::from_seconds(seconds));
        let (scope, claims) = ("invoices:read".parse().unwrap(), IndividualClaims::default());
        consents::record_consent(
            parties,
            &ConsentRow { scope, claims, binding: None, consented_at: agreed_at },
        )
    };
    let taken_back = || consents::revoke_client_consents(parties.membership, &client, world.now());
    let is_asked = |outcome: Result<String, String>| outcome.unwrap_err().starts_with("Consent(");
    assert!(is_asked(bench.authorize(engine).await), "the user did not consent");
    world.happens([give_consent(0)]).await;
    assert!(bench.authorize(engine).await.is_ok());
    let grants = async || world.database.number("SELECT count(*) FROM grants WHERE revoked_at IS NULL").await;
    let before = grants().await;
    assert!(is_asked(bench.authorize_while(engine, async || world.happens([taken_back()]).await).await));
    assert_eq!(grants().await, before);
    // After consenting again, it is read again and valid.
    world.happens([give_consent(1)]).await;
    let repeat_consent = async || world.happens([taken_back(), give_consent(2)]).await;
    assert!(bench.authorize_while(engine, repeat_consent).await.is_ok());
    assert_eq!(grants().await, before + 1);
}

async fn cached_authority_reflects_a_change_on_another_node_at_once(database: Database) {
    let (bench, mut robot) = bench(database).await;
    let world = &bench.world;
    let (engine, other_node) = (&world.engine, &world.another_node().await);
    let both = "invoices:read invoices:send";
    let old = robot.token(other_node, both).await.unwrap();
    assert_eq!(robot.scope(other_node, &old.access_token).await.as_deref(), Some(both));

    // Client metadata.
    let describe = async |text: &str| {
        let inside = world.system_in("acme").await;
        let admin_scope = AdminScope::Organization(&inside);
        let overview = clients::show(engine, admin_scope, &robot.id).await.unwrap();
        let changed = clients::ClientUpdate {
            purpose: String::new(),
            owner: None,
            roles: None,
            expected_roles: Vec::new(),
            metadata: metadata(text),
        };
        let changed =
            clients::change(engine, admin_scope, &robot.id, overview.client.version, &changed).await;
        changed.unwrap();
    };
    describe(r#"{"grant_types": ["client_credentials"], "scope": "invoices:read"}"#).await;
    assert_eq!(robot.token(other_node, both).await.err(), Some(RefusalCode::InvalidScope));
    describe(r#"{"grant_types": ["client_credentials"], "scope": "invoices:read invoices:send"}"#).await;
    assert!(robot.token(other_node, both).await.is_ok());

    // The API's permissions, token lifetime and offers.
    let instance_admin = world.system_operating().await;
    let admin_scope = AdminScope::Instance(&instance_admin);
    let id = api_catalog::list(engine, admin_scope, None, 10).await.unwrap()[0].id;
    let define = async |permissions: &[&str], lifetime: Option<u32>, to_all: bool| {
        let before = api_catalog::show(engine, admin_scope, id).await.unwrap();
        let mut definition = api(permissions);
        definition.token_lifetime_seconds = lifetime;
        let changed = api_catalog::ApiChange { is_offered_to_all: Some(to_all), definition };
        api_catalog::change(engine, admin_scope, id, before.version, &changed).await.unwrap();
    };
    assert!(bench.authorize(other_node).await.is_ok());
    define(&["invoices:send"], None, true).await;
    assert_eq!(
        bench.authorize(other_node).await.unwrap_err(),
        "The scope contains invoices:read, which the resource does not define. Accepted: permissions that it defines."
    );
    define(&["invoices:read"], Some(60), true).await;
    assert!(bench.authorize(other_node).await.is_ok());
    assert_eq!(robot.token(other_node, both).await.err(), Some(RefusalCode::InvalidScope));
    assert_eq!(robot.scope(other_node, &old.access_token).await.as_deref(), Some("invoices:read"));
    assert_eq!(robot.token(other_node, "invoices:read").await.unwrap().lifetime, Lifetime::from_seconds(60));
    define(&["invoices:read", "invoices:send"], None, false).await;
    assert_eq!(robot.token(other_node, both).await.err(), Some(RefusalCode::InvalidScope));
    api_catalog::offer_to_organization(engine, &instance_admin, id, "acme").await.unwrap();
    assert_eq!(robot.token(other_node, both).await.unwrap().lifetime, old.lifetime);
    api_catalog::withdraw_offer(engine, &instance_admin, id, "acme").await.unwrap();
    assert_eq!(robot.token(other_node, both).await.err(), Some(RefusalCode::InvalidScope));
    define(&["invoices:read", "invoices:send"], None, true).await;
    assert_eq!(robot.scope(other_node, &old.access_token).await.as_deref(), Some(both));

    // Suspension.
    world.put("acme", LifecycleCondition::Suspended).await;
    assert_eq!(robot.token(other_node, both).await.err(), Some(RefusalCode::UnauthorizedClient));
    assert_eq!(robot.scope(other_node, &old.access_token).await, None);
    world.put("acme", LifecycleCondition::Enabled).await;
    assert_eq!(robot.scope(other_node, &old.access_token).await.as_deref(), Some(both));
    let client = robot.proven(engine).await.unwrap();
    revocation::revoke_token(engine, &client, &old.access_token, &EventCause::system()).await.unwrap();
    assert_eq!(robot.scope(other_node, &old.access_token).await, None);

    // The client's secret.
    let inside = world.system_in("acme").await;
    let admin_scope = AdminScope::Organization(&inside);
    let added = clients::add_secret(engine, admin_scope, &robot.id, Some(Lifetime::ZERO)).await.unwrap();
    assert_eq!(robot.token(other_node, both).await.err(), Some(RefusalCode::InvalidClient));
    robot.secret = Secret::reveal(added.secret);
    assert!(robot.token(other_node, both).await.is_ok());
}

async fn verified_jwt_cache_entry_expires_with_its_token_and_matches_no_other(database: Database) {
    let (bench, robot) = bench(database).await;
    let world = &bench.world;
    let (engine, other_node) = (&world.engine, &world.another_node().await);
    let issued = robot.token(engine, "invoices:read").await.unwrap();
    let introspect_scope = async |node: &Engine, token: &str| robot.scope(node, token).await;
    for node in [engine, other_node, engine, other_node] {
        assert_eq!(introspect_scope(node, &issued.access_token).await.as_deref(), Some("invoices:read"));
    }
    // Forged tokens were never verified: another signature, none, another payload.
    let (signed, signature) = issued.access_token.rsplit_once('.').unwrap();
    let other = robot.token(engine, "invoices:read").await.unwrap().access_token;
    let (other_signed, other_signature) = other.rsplit_once('.').unwrap();
    for (signed, signature) in [(signed, other_signature), (signed, ""), (other_signed, signature)] {
        assert_eq!(introspect_scope(engine, &format!("{signed}.{signature}")).await, None);
    }
    world.pass(issued.lifetime);
    assert_eq!(introspect_scope(engine, &issued.access_token).await, None);
}

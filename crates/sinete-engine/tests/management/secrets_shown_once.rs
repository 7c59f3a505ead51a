//! Secrets that are shown once are returned without a read after the commit, so that no failure loses them.
//! The returned data equals what a later read finds.

use crate::both_engines;
use crate::clients::{application, metadata, service};
use crate::database::Database;
use crate::fixture::World;
use serde_json::{Map, Value, json};
use sinete_core::events::security_event::RequestOrigin;
use sinete_engine::EventCause;
use sinete_engine::access_control::admin_scope::AdminScope;
use sinete_engine::events::webhooks;
use sinete_engine::oauth::clients;
use sinete_engine::oauth::clients::{ClientOverview, ClientUpdate, NewClientRequest};
use sinete_engine::oauth::dcr;
use sinete_engine::oauth::dcr::RegistrationCaller;
use sinete_engine::oauth::dcr::management;
use sinete_engine::organizations::api_keys;
use std::sync::{Arc, Mutex};

both_engines!(
    secret_of_a_new_resource_is_returned_without_a_read_after_the_commit,
    client_registration_is_returned_without_a_read_after_the_commit
);

/// The statements, in order.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<&'static str>>>);

impl Heard {
    fn of(world: &World) -> Self {
        let query_log = Self::default();
        let observer_log = query_log.clone();
        world.store().set_query_observer(move |statement| observer_log.0.lock().unwrap().push(statement));
        query_log
    }

    /// Whether the last statement was the end of a transaction: its event, or the audit log entry.
    fn ended_with_an_act(&self) -> bool {
        let last = *self.0.lock().unwrap().last().unwrap();
        ["audit.append", "security_log.append"].contains(&last)
    }
}

fn told(overview: &ClientOverview) -> (impl PartialEq + std::fmt::Debug + use<>, Value) {
    let member = overview.member.clone().map(|member| (member.membership, member.roles));
    ((overview.client.clone(), member), overview.client.metadata.parse().unwrap())
}

async fn assert_equals_stored(world: &World, admin_scope: AdminScope<'_>, told_of: &ClientOverview) {
    let looked = clients::show(&world.engine, admin_scope, &told_of.client.id).await.unwrap();
    assert_eq!(told(told_of), told(&looked));
}

fn document(value: Value) -> Map<String, Value> {
    serde_json::from_value(value).unwrap()
}

async fn secret_of_a_new_resource_is_returned_without_a_read_after_the_commit(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let owner = world.person("acme", &["owner"]).await;
    let (engine, query_log) = (&world.engine, Heard::of(&world));
    let (member, admin) = (world.role("acme", "member").await, world.role("acme", "admin").await);
    let (inside, instance_admin) = (world.acting(&owner, "acme").await, world.system_operating().await);
    let (admin_scope, instance) = (AdminScope::Organization(&inside), AdminScope::Instance(&instance_admin));

    // A machine with roles that gives up its secret and later needs one again, with other roles.
    let robot =
        clients::create(engine, admin_scope, &NewClientRequest { roles: vec![member], ..service() }).await;
    let robot = robot.unwrap();
    assert!(query_log.ended_with_an_act() && robot.secret.is_some());
    assert_equals_stored(&world, admin_scope, &robot.overview).await;
    assert!(!query_log.ended_with_an_act(), "a read is observed as one statement");
    let keyed = json!({"grant_types": ["client_credentials"], "token_endpoint_auth_method": "private_key_jwt",
        "jwks_uri": "https://robot.example/keys"});
    let mut overview = robot.overview;
    for (body, roles) in [(keyed, None), (json!({"grant_types": ["client_credentials"]}), Some(vec![admin]))]
    {
        let current_roles = overview.role_ids();
        let changed = ClientUpdate {
            purpose: String::new(),
            owner: None,
            roles: roles.clone(),
            expected_roles: current_roles,
            metadata: metadata(&body.to_string()),
        };
        let result =
            clients::change(engine, admin_scope, &overview.client.id, overview.client.version, &changed)
                .await;
        let client = result.unwrap();
        assert!(query_log.ended_with_an_act());
        assert_eq!(client.secret.is_some(), roles.is_some());
        assert_equals_stored(&world, admin_scope, &client.overview).await;
        overview = client.overview;
    }
    clients::add_secret(engine, admin_scope, &overview.client.id, None).await.unwrap();
    assert!(query_log.ended_with_an_act());

    // A client that is verified from the beginning.
    let portal =
        clients::create(engine, instance, &NewClientRequest { is_verified: true, ..application() }).await;
    let portal = portal.unwrap();
    assert!(query_log.ended_with_an_act() && portal.overview.client.verified_at.is_some());
    assert_equals_stored(&world, instance, &portal.overview).await;

    let draft = webhooks::WebhookDraft {
        address: "https://hooks.example/sinete".to_owned(),
        description: "Ours".to_owned(),
        kinds: vec!["client.created".to_owned()],
    };
    let hook =
        webhooks::create(engine, admin_scope, &draft, webhooks::WebhookBootstrap::default()).await.unwrap();
    assert!(query_log.ended_with_an_act());
    let load_webhook = async || webhooks::show(engine, admin_scope, hook.webhook.id).await.unwrap();
    assert_eq!(hook.webhook, load_webhook().await);
    let rotated = webhooks::rotate_secret(engine, admin_scope, hook.webhook.id, None).await.unwrap();
    assert!(query_log.ended_with_an_act());
    assert_eq!(rotated.webhook, load_webhook().await);

    let key = api_keys::ApiKeyRequest {
        membership: owner.membership,
        name: "Mine".to_owned(),
        scope: "members:read".parse().unwrap(),
        lifetime: None,
    };
    api_keys::issue(engine, &inside, &key).await.unwrap();
    assert!(query_log.ended_with_an_act());
}

async fn client_registration_is_returned_without_a_read_after_the_commit(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let owner = world.person("acme", &["owner"]).await;
    let (engine, query_log, inside) = (&world.engine, Heard::of(&world), world.acting(&owner, "acme").await);
    let body = json!({"client_name": "Reader", "redirect_uris": ["https://reader.example/back"],
        "token_endpoint_auth_method": "none"});
    for registrar in
        [RegistrationCaller::Client(&EventCause::system()), RegistrationCaller::Organization(&inside)]
    {
        let result = dcr::register_client(engine, registrar, &document(body.clone())).await;
        let client = result.unwrap();
        assert!(query_log.ended_with_an_act() && client.secret.is_none());
        let (id, token) = (client.client.id.clone(), client.token.reveal());
        let itself = management::authenticate_registration_token(
            engine,
            id.as_str(),
            &token,
            RequestOrigin::default(),
        )
        .await;
        let itself = itself.unwrap();
        assert_eq!(client.client, itself.client);

        let mut other = document(body.clone());
        other.insert("client_id".to_owned(), id.as_str().into());
        other.insert("token_endpoint_auth_method".to_owned(), "client_secret_basic".into());
        let changed = management::replace_registration(engine, itself, &other).await.unwrap();
        assert!(query_log.ended_with_an_act() && changed.secret.is_some());
        let token = changed.token.reveal();
        let itself = management::authenticate_registration_token(
            engine,
            id.as_str(),
            &token,
            RequestOrigin::default(),
        )
        .await;
        assert_eq!(changed.client, itself.unwrap().client);
    }
}

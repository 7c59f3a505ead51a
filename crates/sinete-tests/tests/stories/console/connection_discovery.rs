//! The discovery document of an OpenID Connect provider is read before a connection is created, on every path.

use super::connection_forms::CONNECT;
use super::console_path;
use crate::both_engines;
use crate::harness::api_caller::{ApiCaller, ApiResponse};
use crate::harness::oidc_provider::{CLIENT_ID, CLIENT_SECRET, OidcProviderBehavior};
use crate::harness::world::World;
use crate::stories::identity_providers::setup_links::{issue, opened};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::net::TcpListener;

const NOWHERE: &str = "http://127.0.0.1:1";
const PREPARE: &str = "id=\"prepare-connection\"";
const NOT_DISCOVERED: &str = "its discovery document does not confirm this issuer.";
/// Longer than an outbound request waits for a slot and for the response.
const DISCOVERY_TIME_MAX: Duration = Duration::from_secs(8);

both_engines!(
    connection_discovery_refuses_another_issuer_on_every_path,
    connection_discovery_of_an_unreachable_provider_is_required_in_forms_only,
    connection_discovery_by_the_api_refuses_what_the_document_excludes,
    connection_discovery_by_the_api_waits_a_bounded_time
);

fn wanted(issuer: &str) -> Value {
    json!({"name": "Acme", "issuer": issuer, "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET})
}

fn fields(issuer: &str) -> [(&str, &str); 8] {
    [
        ("action", "open_id"),
        ("name", "Acme"),
        ("issuer", issuer),
        ("client_id", CLIENT_ID),
        ("authentication", "client_secret"),
        ("client_secret", CLIENT_SECRET),
        ("scopes", "openid email"),
        ("domains", ""),
    ]
}

async fn create(owner: &ApiCaller<'_>, issuer: &str) -> ApiResponse {
    owner.post(&owner.tenant.path("/connections"), wanted(issuer)).await
}

async fn count_connections(owner: &ApiCaller<'_>) -> usize {
    let all = owner.get(&owner.tenant.path("/connections")).await.assert_status(200);
    all.body["items"].as_array().unwrap().len()
}

#[track_caller]
fn assert_not_discovered(refused: &ApiResponse, detail: &str) {
    let refused = refused.clone().assert_status(422);
    assert_eq!(refused.body["type"], "urn:sinete:problem:provider_not_discovered", "{}", refused.text);
    assert!(refused.body["detail"].as_str().unwrap().contains(detail), "{}", refused.text);
}

async fn connection_discovery_refuses_another_issuer_on_every_path(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let slash = format!("{}/", provider.issuer);
    let issuer_error = format!("names the issuer {}. Enter the issuer exactly so.", provider.issuer);
    // The API.
    assert_not_discovered(&create(&owner, &slash).await, &issuer_error);
    // The form without a guide: the error is beside the issuer, with what was found, and the secret is not kept.
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let form = ana.reader.open_page(&console_path(&acme, "/connections")).await;
    let (_, refused) = ana.reader.submit_form(&form, CONNECT, &fields(&slash)).await;
    assert!(refused.contains(NOT_DISCOVERED) && refused.contains(&issuer_error), "{refused}");
    assert!(refused.contains(&format!("value=\"{slash}\"")) && !refused.contains(CLIENT_SECRET), "{refused}");
    // The page of a set-up link.
    let (_, link) = issue(&owner, &acme).await;
    let (mut holder, _) = opened(world, &link).await;
    let page = holder.open_page("/setup-link?provider=oidc").await;
    let (status, refused) = holder.submit_form(&page, PREPARE, &fields(&slash)[..7]).await;
    assert_eq!(status, 422, "{refused}");
    assert!(refused.contains(NOT_DISCOVERED) && refused.contains(&issuer_error), "{refused}");
    assert!(!refused.contains(CLIENT_SECRET), "{refused}");
    assert_eq!(count_connections(&owner).await, 0);
    // The issuer that the document names is accepted on each of them.
    create(&owner, &provider.issuer).await.assert_status(201);
    let (_, created_page) = ana.reader.submit_form(&form, CONNECT, &fields(&provider.issuer)).await;
    assert!(created_page.contains("Identity provider connected,"), "{created_page}");
    let valid_fields = fields(&provider.issuer);
    let (status, prepared) = holder.submit_form(&page, PREPARE, &valid_fields[..7]).await;
    assert_eq!(status, 200, "{prepared}");
    assert_eq!(count_connections(&owner).await, 3);
}

async fn connection_discovery_of_an_unreachable_provider_is_required_in_forms_only(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let nothing = "Nothing could be read at http://127.0.0.1:1/";
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let form = ana.reader.open_page(&console_path(&acme, "/connections")).await;
    let (_, refused) = ana.reader.submit_form(&form, CONNECT, &fields(NOWHERE)).await;
    assert!(refused.contains(NOT_DISCOVERED) && refused.contains(nothing), "{refused}");
    let (_, link) = issue(&owner, &acme).await;
    let (mut holder, _) = opened(world, &link).await;
    let page = holder.open_page("/setup-link?provider=oidc").await;
    let (status, refused) = holder.submit_form(&page, PREPARE, &fields(NOWHERE)[..7]).await;
    assert!(status == 422 && refused.contains(nothing), "{refused}");
    assert_eq!(count_connections(&owner).await, 0);
    // A program prepares what will be reachable later.
    create(&owner, NOWHERE).await.assert_status(201);
    assert_eq!(count_connections(&owner).await, 1);
}

async fn connection_discovery_by_the_api_refuses_what_the_document_excludes(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let describe = |member: &'static str, value: Value| {
        provider.set_behavior(OidcProviderBehavior {
            description: vec![(member, value)],
            ..OidcProviderBehavior::default()
        });
    };
    describe("token_endpoint_auth_methods_supported", json!(["client_secret_basic"]));
    assert_not_discovered(&create(&owner, &provider.issuer).await, "client_secret_post");
    describe("jwks_uri", Value::Null);
    assert_not_discovered(&create(&owner, &provider.issuer).await, "jwks_uri is missing");
    assert_eq!(count_connections(&owner).await, 0);
    provider.set_behavior(OidcProviderBehavior::default());
    create(&owner, &provider.issuer).await.assert_status(201);
}

async fn connection_discovery_by_the_api_waits_a_bounded_time(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    // It accepts connections and never responds.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let issuer = format!("http://{}", silent.local_addr().unwrap());
    let created = tokio::time::timeout(DISCOVERY_TIME_MAX, create(&owner, &issuer)).await;
    created.expect("it took longer than one outbound request").assert_status(201);
}

//! Services and agents that obtain tokens with our JavaScript and Rust libraries and call an API.

use super::guards::Guards;
use super::javascript;
use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::token_endpoint::{INVOICES, TestClientAuth, TokenClient};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_client::{AccessRequirements, ClientAuthentication, RequestCredentials, VerifiedAccessToken};
use sinete_client::{TokenClient as LibraryTokenClient, TokenClientSettings, TokenRequest, TokenSubject};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::signing_keys::SigningKey;
use tokio::process::Command;

async fn with_nonces(on: TestEngine) -> World {
    World::start_with_config(on, &[("SINETE_DPOP__NONCE", "always")]).await
}

/// How a service obtains and uses a token.
struct Errand<'a> {
    client: &'a TokenClient<'a>,
    /// The key for `private_key_jwt` or DPoP, if there is one.
    key: Option<&'a SigningKey>,
    subject: TokenSubject<'a>,
    bound: bool,
}

impl Errand<'_> {
    /// The caller that the JavaScript API sees when the JavaScript service calls it.
    async fn in_javascript(&self, guards: &Guards, issuer: &str) -> Value {
        let mut node = Command::new("node");
        node.arg(javascript("examples/service.js"));
        node.args([issuer, INVOICES, "/whoami", "invoices:read", &guards.address]);
        node.env("CLIENT_ID", &self.client.id);
        match (self.key, &self.client.auth) {
            (Some(key), _) => {
                let algorithm = key.algorithm().as_str();
                node.env("CLIENT_KEY", key.to_pem().unwrap().as_str()).env("CLIENT_ALGORITHM", algorithm);
            }
            (None, TestClientAuth::Basic(secret)) => drop(node.env("CLIENT_SECRET", secret)),
            _ => panic!("a service proves itself"),
        }
        match self.subject {
            TokenSubject::Client => {}
            TokenSubject::AccessToken(token) => drop(node.env("SUBJECT_TOKEN", token)),
            TokenSubject::ApiKey(key) => drop(node.env("API_KEY", key)),
        }
        if self.bound {
            node.env("USE_DPOP", "1");
        }
        let ended = node.kill_on_drop(true).output().await.unwrap();
        let stdout = String::from_utf8_lossy(&ended.stdout);
        let answer = stdout.strip_prefix("200 ");
        serde_json::from_str(answer.unwrap_or_else(|| panic!("{stdout}{ended:?}"))).unwrap()
    }

    /// The token that the Rust middleware verifies for the Rust service.
    async fn in_rust(&self, guards: &Guards, issuer: &str) -> VerifiedAccessToken {
        let id = &self.client.id;
        let client = match (self.key, &self.client.auth) {
            (Some(key), _) => {
                let algorithm = key.algorithm().as_str().parse().unwrap();
                ClientAuthentication::private_key_jwt(id, &key.to_pem().unwrap(), algorithm, None).unwrap()
            }
            (None, TestClientAuth::Basic(secret)) => ClientAuthentication::client_secret_basic(id, secret),
            _ => panic!("a service proves itself"),
        };
        let settings =
            TokenClientSettings { use_dpop: self.bound, ..TokenClientSettings::new(issuer, client) };
        let tokens = LibraryTokenClient::new(settings).unwrap();
        let request =
            TokenRequest { subject: self.subject, scope: Some("invoices:read"), resource: Some(INVOICES) };
        let token = tokens.get_token(&request).await.unwrap();
        assert_eq!(tokens.get_token(&request).await.unwrap(), token);
        let address = format!("{}/invoices", guards.address);
        let headers = tokens.authorization_headers(&token, "GET", &address).unwrap();
        let find = |name| headers.iter().find(|(it, _)| *it == name).map(|(_, value)| value.into());
        let request_credentials = RequestCredentials {
            method: "GET",
            path: "/invoices",
            authorization: find("authorization"),
            dpop: find("dpop"),
            certificate_thumbprint: None,
        };
        assert_eq!(request_credentials.dpop.is_some(), self.bound);
        guards
            .rust
            .verify(
                &request_credentials,
                &AccessRequirements { scopes: &["invoices:read"], organization: None },
            )
            .await
            .unwrap()
    }

    /// Runs it in both languages and asserts this subject.
    async fn is_done_as(&self, world: &World, guards: &Guards, subject: &str) {
        let caller_identity = self.in_javascript(guards, world.issuer()).await;
        assert_eq!(caller_identity["subject"], subject);
        let identity = self.in_rust(guards, world.issuer()).await;
        assert_eq!(identity.subject, subject);
        let acts = self.subject != TokenSubject::Client;
        let actors: Vec<_> = identity.actors.iter().map(|actor| actor.subject.as_str()).collect();
        assert_eq!(actors, if acts { vec![self.client.id.as_str()] } else { vec![] });
        assert_eq!(caller_identity["actors"].as_array().unwrap().len(), actors.len());
    }
}

both_engines!(
    super::with_nonces,
    [
        client_library_services_authenticate_by_secret_or_key,
        client_library_agents_exchange_tokens_with_dpop_and_nonces
    ]
);

async fn client_library_services_authenticate_by_secret_or_key(world: &World) {
    let books = world.create_token_fixture().await;
    let guards = Guards::stand(world, None).await;
    let service = books.create_service("clerk", "invoices:read").await;
    let service_call = Errand { client: &service, key: None, subject: TokenSubject::Client, bound: false };
    service_call.is_done_as(world, &guards, &service.id).await;
    for algorithm in SigningAlgorithm::ALL {
        let key = SigningKey::generate(algorithm).unwrap();
        let metadata = json!({
            "client_name": "Robot", "grant_types": ["client_credentials"], "scope": "invoices:read",
            "token_endpoint_auth_method": "private_key_jwt", "jwks": {"keys": [key.public_jwk()]},
        });
        let service = books.create_machine_client("service", "clerk", metadata).await;
        let service_call =
            Errand { client: &service, key: Some(&key), subject: TokenSubject::Client, bound: false };
        service_call.is_done_as(world, &guards, &service.id).await;
    }
}

async fn client_library_agents_exchange_tokens_with_dpop_and_nonces(world: &World) {
    let books = world.create_token_fixture().await;
    let guards = Guards::stand(world, None).await;
    let agent = books.create_agent("invoices:read").await;
    let build_call = |subject| Errand { client: &agent, key: None, subject, bound: true };
    build_call(TokenSubject::Client).is_done_as(world, &guards, &agent.id).await;
    let (granted, tokens) =
        books.issue_tokens(&books.create_app_client(json!({})).await, "openid invoices:read").await;
    let (token, subject) = (tokens.access_token(), granted.membership.to_string());
    build_call(TokenSubject::AccessToken(&token)).is_done_as(world, &guards, &subject).await;
    let clerk = books.create_member("clerk").await;
    let key = world.create_api_key_caller(&books.tenant, clerk, "invoices:read").await;
    build_call(TokenSubject::ApiKey(&key.secret)).is_done_as(world, &guards, &clerk.to_string()).await;
}

//! Everything that the discovery document names is tried, and a value that no test tries fails.

mod clients;
mod users;

use crate::both_engines;
use crate::harness::oauth_application::BrowserSession;
use crate::harness::token_endpoint::TokenFixture;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_store::oauth::clients::ClientOrigin;
use std::panic::AssertUnwindSafe;
use std::task::Poll;

/// A signed-in member of an organization with APIs, and the discovery document.
pub struct DiscoveryCheck<'w> {
    pub world: &'w World,
    pub books: TokenFixture<'w>,
    pub browser: BrowserSession,
    pub document: Value,
}

impl DiscoveryCheck<'_> {
    async fn step(&self, member: &str, value: &Value) {
        match (member, value.as_str().unwrap_or_default()) {
            ("issuer", issuer) => assert_eq!(issuer, self.world.server.issuer.as_str()),
            ("jwks_uri", address) => self.stands_at(address).await,
            (endpoint, address) if endpoint.ends_with("_endpoint") => self.stands_at(address).await,
            ("scopes_supported", scope) => self.scope(scope).await,
            ("response_types_supported", kind) => self.asks(&[("response_type", Some(kind))]).await,
            ("response_modes_supported", mode) => self.mode(mode).await,
            ("code_challenge_methods_supported", method) => {
                self.asks(&[("code_challenge_method", Some(method))]).await
            }
            ("acr_values_supported", level) => self.level(level).await,
            ("ui_locales_supported", language) => self.language(language).await,
            ("prompt_values_supported", prompt) => self.prompt(prompt).await,
            ("claims_parameter_supported", _) => self.claims_by_name(value).await,
            ("request_parameter_supported", _) => self.request_objects(value).await,
            ("request_uri_parameter_supported", _) => assert_eq!(value, &json!(false)),
            ("authorization_response_iss_parameter_supported", _) => assert_eq!(value, &json!(true)),
            ("client_id_metadata_document_supported", _) => self.client_documents(value).await,
            ("require_pushed_authorization_requests", _) => self.pushed_and_not(value).await,
            ("grant_types_supported", grant) => self.grant(grant).await,
            ("subject_types_supported", kind) => {
                self.registers(json!({"subject_type": kind})).await;
                self.signs_in(json!({"subject_type": kind}), &[]).await;
            }
            ("claim_types_supported", kind) => assert_eq!(kind, "normal"),
            ("claims_supported", claim) => self.claim(claim).await,
            ("id_token_signing_alg_values_supported", algorithm) => self.id_token(algorithm).await,
            ("userinfo_signing_alg_values_supported", algorithm) => self.userinfo(algorithm).await,
            ("token_endpoint_auth_methods_supported", method) => self.redeems(method).await,
            ("token_endpoint_auth_signing_alg_values_supported", algorithm) => {
                self.asserts("/connect/token", algorithm).await
            }
            ("introspection_endpoint_auth_methods_supported", method) => {
                self.shows_itself("/connect/introspect", method).await
            }
            ("introspection_endpoint_auth_signing_alg_values_supported", algorithm) => {
                self.asserts("/connect/introspect", algorithm).await
            }
            ("revocation_endpoint_auth_methods_supported", method) => {
                self.shows_itself("/connect/revoke", method).await
            }
            ("revocation_endpoint_auth_signing_alg_values_supported", algorithm) => {
                self.asserts("/connect/revoke", algorithm).await
            }
            ("dpop_signing_alg_values_supported", algorithm) => self.proves_key(algorithm).await,
            ("request_object_signing_alg_values_supported", algorithm) => {
                self.signed_request(algorithm).await
            }
            ("backchannel_logout_supported" | "backchannel_logout_session_supported", _) => {
                assert_eq!(value, &json!(true));
                self.is_told_of_the_end().await;
            }
            ("backchannel_token_delivery_modes_supported", mode) => self.approval(mode).await,
            ("backchannel_authentication_request_signing_alg_values_supported", algorithm) => {
                self.signed_approval(algorithm).await
            }
            ("backchannel_user_code_parameter_supported", _) => {
                assert_eq!(value, &json!(false));
                let agent = self.world.create_ciba_client(ClientOrigin::Operator, json!({})).await;
                let coded = [("login_hint", "ana@example.com"), ("user_code", "1234")];
                assert_eq!(agent.request_ciba(&coded).await.1["error"], "invalid_request");
            }
            _ => panic!("{member} is advertised, and no test uses it"),
        }
    }

    /// Asserts that the document of a client is fetched.
    async fn client_documents(&self, value: &Value) {
        assert_eq!(value, &json!(true));
        let unreachable = [("client_id", Some("https://no-such-name.invalid/client"))];
        let app = self.world.create_application(ClientOrigin::Operator, json!({})).await;
        let page = app.authorize(Some(&self.browser), &unreachable).await;
        assert!(page.assert_page().text.contains("client metadata document"), "{}", page.text);
    }

    /// Asserts that a route exists at this URL.
    async fn stands_at(&self, address: &str) {
        let path = address.strip_prefix(self.world.server.issuer.as_str()).unwrap();
        let (got, posted) = (
            self.world.get(path).await.status(),
            self.world.http.post(self.world.public_url(path)).send().await,
        );
        let posted = posted.unwrap().status();
        assert!(got != 404 && posted != 404 && (got != 405 || posted != 405), "{address}: {got}, {posted}");
    }

    /// Registers a client with this metadata, which the response must repeat.
    async fn registers(&self, body: Value) {
        let mut document = json!({"redirect_uris": ["https://app.example/callback"]});
        document.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        let answer = self
            .world
            .http
            .post(self.world.public_url("/connect/register"))
            .json(&document)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 201);
        let response_body: Value = answer.json().await.unwrap();
        assert!(
            body.as_object().unwrap().iter().all(|(name, value)| response_body[name] == *value),
            "{response_body}"
        );
    }
}

/// Whether trying it fails.
async fn fails(trying: impl Future<Output = ()>) -> bool {
    let mut trying = std::pin::pin!(trying);
    std::future::poll_fn(move |context| {
        let polled = AssertUnwindSafe(|| trying.as_mut().poll(context));
        match std::panic::catch_unwind(polled) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(())) => Poll::Ready(false),
            Err(_) => Poll::Ready(true),
        }
    })
    .await
}

both_engines!(discovery_advertises_only_what_works);

async fn discovery_advertises_only_what_works(world: &World) {
    let books = world.create_token_fixture().await;
    sinete_engine::platform::signing_keys::ensure_keys(
        world.server.engine(),
        &sinete_core::platform::signing_keys::SigningAlgorithm::ALL,
        &sinete_engine::EventCause::system(),
    )
    .await
    .unwrap();
    let membership = world.create_member(&books.tenant, &["manager"]).await;
    let browser = world.create_member_browser(&books.tenant, membership).await;
    users::furnish(world, browser.account).await;
    let document: Value = world.get("/.well-known/openid-configuration").await.json().await.unwrap();
    let walk = DiscoveryCheck { world, books, browser, document };
    let mut tried = 0;
    for (member, value) in walk.document.as_object().unwrap() {
        let values = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
        for value in &values {
            walk.step(member, value).await;
            tried += 1;
        }
    }
    assert!(tried > 60, "{tried}");
    // A value that no test tries must fail, for every member of the document.
    let mut noticed = 0;
    for (member, value) in walk.document.as_object().unwrap().iter().filter(|(_, value)| value.is_array()) {
        assert!(fails(walk.step(member, &json!("made_up"))).await, "{member}: {value}");
        noticed += 1;
    }
    assert!(noticed > 15, "{noticed}");
    assert!(fails(walk.step("made_up_values_supported", &json!(["x"]))).await);
}

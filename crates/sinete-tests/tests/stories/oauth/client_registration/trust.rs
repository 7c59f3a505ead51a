//! Consent and trust end when a client changes its own registration in a way that makes it another client.

use super::{TestRegistration, minimal_metadata_with, send_request};
use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::oauth_application::{BrowserSession, CALLBACK, OAuthApplication};
use crate::harness::organizations::TestOrganization;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_core::id::MembershipId;
use sinete_core::oauth::claims::IndividualClaims;
use sinete_store::oauth::consents;
use sinete_store::oauth::consents::{ConsentParties, ConsentRow};

/// An organization's client that manages its own registration, and a user of it.
struct Scene<'w> {
    world: &'w World,
    owner: ApiCaller<'w>,
    member: MembershipId,
    browser: BrowserSession,
    client: TestRegistration,
    app: OAuthApplication<'w>,
}

/// Every change that makes it another client, relative to the registration of [`scene`].
fn changes() -> Vec<Value> {
    vec![
        json!({"redirect_uris": [CALLBACK, "https://evil.example/cb"]}),
        json!({"post_logout_redirect_uris": ["https://evil.example/bye"]}),
        json!({"backchannel_logout_uri": "https://evil.example/logout"}),
        json!({"token_endpoint_auth_method": "client_secret_post"}),
        json!({"jwks": {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}}),
        json!({"jwks_uri": "https://evil.example/jwks"}),
        json!({"grant_types": ["authorization_code", "refresh_token"]}),
        json!({"client_name": "Somebody else"}),
        json!({"default_max_age": null}),
        json!({"default_max_age": 7200}),
        json!({"default_acr_values": null}),
    ]
}

async fn scene(world: &World) -> Scene<'_> {
    let acme: TestOrganization = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let document = minimal_metadata_with(registered());
    let reply = send_request(world, Method::POST, "/connect/register", Some(&owner.secret), Some(&document))
        .await
        .assert_status(201);
    let client = TestRegistration::from_response(&reply);
    let member = world.create_member(&acme, &["member"]).await;
    let browser = world.create_member_browser(&acme, member).await;
    let app = OAuthApplication {
        world,
        id: client.id.parse().unwrap(),
        secret: None,
        callback: CALLBACK.to_owned(),
    };
    Scene { world, owner, member, browser, client, app }
}

fn registered() -> Value {
    json!({"redirect_uris": [CALLBACK], "scope": "openid", "default_max_age": 3600, "default_acr_values": ["aal1"]})
}

impl Scene<'_> {
    fn path(&self) -> String {
        self.owner.tenant.path(&format!("/clients/{}", self.client.id))
    }

    /// The administrator changes the metadata.
    async fn administrator_sets(&self, metadata: Value) {
        let version = self.owner.get(&self.path()).await.assert_status(200).version();
        self.owner.patch(&self.path(), version, json!({ "metadata": metadata })).await.assert_status(200);
    }

    /// The client changes its own metadata.
    async fn client_sets(&mut self, extra_metadata: &Value) {
        let mut document = self.client.document(registered());
        document.as_object_mut().unwrap().extend(extra_metadata.as_object().unwrap().clone());
        let answer = self.client.replace(self.world, &self.client.token, &document).await.assert_status(200);
        self.client.token = answer.text_member("registration_access_token");
    }

    /// Whether a request with `prompt=none` gets a code, or `consent_required`.
    async fn is_silently_granted(&self) -> bool {
        let response = self.app.authorize(Some(&self.browser), &[("prompt", Some("none"))]).await;
        let redirect_params = response.redirect_params();
        assert!(
            redirect_params.contains_key("code") || redirect_params["error"] == "consent_required",
            "{redirect_params:?}"
        );
        redirect_params.contains_key("code")
    }

    /// The user consents to `openid`, which is remembered.
    async fn person_agrees(&self) {
        let parties =
            ConsentParties { membership: self.member, client: &self.app.id, audience: self.world.issuer() };
        let agreed_at = self.world.server.engine().now();
        let (scope, claims) = ("openid".parse().unwrap(), IndividualClaims::default());
        let consent = ConsentRow { scope, claims, binding: None, consented_at: agreed_at };
        self.world.apply_statements([consents::record_consent(parties, &consent)]).await;
    }
}

both_engines!(
    registration_token_change_of_client_identity_ends_implied_consent,
    registration_token_change_of_other_metadata_keeps_implied_consent,
    registration_token_change_of_client_identity_ends_remembered_consents,
    registration_token_change_of_client_identity_ends_verification,
    administrator_change_of_client_identity_keeps_consents
);

async fn registration_token_change_of_client_identity_ends_implied_consent(world: &World) {
    let mut scene = scene(world).await;
    assert!(!scene.is_silently_granted().await);
    for change in changes() {
        scene.administrator_sets(json!({"consent": "implied"})).await;
        assert!(scene.is_silently_granted().await, "{change}");
        scene.client_sets(&change).await;
        assert!(!scene.is_silently_granted().await, "{change}");
        let response = scene.owner.get(&scene.path()).await.assert_status(200);
        assert_ne!(response.body["metadata"]["consent"], "implied", "{change}");
        // It does not return when the client is changed back.
        scene.client_sets(&json!({})).await;
        assert!(!scene.is_silently_granted().await, "{change}");
    }
}

async fn registration_token_change_of_other_metadata_keeps_implied_consent(world: &World) {
    let mut scene = scene(world).await;
    scene.administrator_sets(json!({"consent": "implied"})).await;
    for change in [
        json!({}),
        json!({"contacts": ["ops@app.example"]}),
        json!({"software_version": "2"}),
        json!({"default_max_age": 1800}),
    ] {
        scene.client_sets(&change).await;
        assert!(scene.is_silently_granted().await, "{change}");
    }
}

async fn registration_token_change_of_client_identity_ends_remembered_consents(world: &World) {
    let mut scene = scene(world).await;
    for change in changes() {
        scene.person_agrees().await;
        scene.client_sets(&json!({"contacts": ["ops@app.example"]})).await;
        assert!(scene.is_silently_granted().await, "{change}");
        scene.client_sets(&change).await;
        assert!(!scene.is_silently_granted().await, "{change}");
        scene.client_sets(&json!({})).await;
    }
}

async fn registration_token_change_of_client_identity_ends_verification(world: &World) {
    let mut scene = scene(world).await;
    let operator = world.create_operator().await;
    let path = format!("/manage/clients/{}", scene.client.id);
    for change in changes() {
        operator.post(&format!("{path}/verification"), Value::Null).await.assert_status(200);
        scene.client_sets(&json!({"contacts": ["ops@app.example"]})).await;
        assert!(operator.get(&path).await.body["verified_at"].is_string(), "{change}");
        scene.client_sets(&change).await;
        assert!(operator.get(&path).await.body["verified_at"].is_null(), "{change}");
        scene.client_sets(&json!({})).await;
    }
}

async fn administrator_change_of_client_identity_keeps_consents(world: &World) {
    let scene = scene(world).await;
    scene.person_agrees().await;
    for change in changes() {
        scene.administrator_sets(change.clone()).await;
        scene
            .administrator_sets(json!({"jwks": null, "jwks_uri": null, "token_endpoint_auth_method": "none"}))
            .await;
        assert!(scene.is_silently_granted().await, "{change}");
    }
    scene
        .administrator_sets(
            json!({"consent": "implied", "redirect_uris": [CALLBACK, "https://app.example/two"]}),
        )
        .await;
    assert!(scene.is_silently_granted().await);
}

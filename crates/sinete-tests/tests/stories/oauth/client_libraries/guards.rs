//! Our JavaScript and Rust middleware for APIs, with tokens of a real instance.

use super::javascript;
use crate::both_engines;
use crate::harness::dpop_client::DpopClient;
use crate::harness::token_endpoint::{INVOICES, TestClientAuth, TokenClient};
use crate::harness::world::World;
use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::json;
use sinete_client::{AccessRequirements, AccessTokenVerifier, AccessTokenVerifierSettings};
use sinete_client::{ClientAuthentication, RequestCredentials};
use sinete_core::oauth::dpop::compute_ath;
use std::net::TcpListener;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// The example API in JavaScript and the middleware in Rust, for the same API and URL.
pub(super) struct Guards {
    pub(super) address: String,
    pub(super) rust: AccessTokenVerifier,
    _javascript: Child,
}

/// An address that no server listens on.
fn free() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

impl Guards {
    /// Starts both; with a service, they introspect every token.
    pub(super) async fn stand(world: &World, service: Option<&TokenClient<'_>>) -> Self {
        // The libraries use the system clock, however long the story takes.
        world.clock.run();
        let (issuer, address) = (world.issuer().to_owned(), free());
        let mut node = Command::new("node");
        node.arg(javascript("examples/api.js")).args([&issuer, INVOICES, &address]);
        let mut settings = AccessTokenVerifierSettings::new(&issuer, INVOICES);
        settings.base_url = Some(address.clone());
        if let Some(TokenClient { id, auth: TestClientAuth::Basic(secret), .. }) = service {
            node.env("SERVICE_ID", id).env("SERVICE_SECRET", secret);
            settings.introspection = Some(ClientAuthentication::client_secret_basic(id, secret));
        }
        let mut api = node.stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true).spawn().unwrap();
        let first_line = BufReader::new(api.stdout.take().unwrap()).lines().next_line().await.unwrap();
        assert_eq!(first_line.as_deref(), Some(format!("The API listens at {address}").as_str()));
        Self { address, rust: AccessTokenVerifier::new(settings).unwrap(), _javascript: api }
    }

    /// The status and challenges of both for a request with these headers.
    async fn invoices(
        &self,
        world: &World,
        credentials: &[[(&'static str, String); 2]; 2],
    ) -> (u16, Vec<String>) {
        let [of_javascript, of_rust] = credentials.clone().map(|headers| {
            let headers = headers.into_iter().filter(|(_, value)| !value.is_empty());
            headers
                .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
                .collect::<HeaderMap>()
        });
        let request = world.http.get(format!("{}/invoices?page=1", self.address)).headers(of_javascript);
        let answer = request.send().await.unwrap();
        let text = |value: &HeaderValue| value.to_str().unwrap().to_owned();
        let challenges: Vec<_> = answer.headers().get_all("www-authenticate").iter().map(text).collect();
        let javascript = (answer.status().as_u16(), challenges);
        let needs = AccessRequirements { scopes: &["invoices:read"], organization: None };
        let rust = match self
            .rust
            .verify(&RequestCredentials::from_request("GET", "/invoices", &of_rust), &needs)
            .await
        {
            Ok(_) => (200, Vec::new()),
            Err(refused) => (refused.status, refused.challenges),
        };
        assert_eq!(javascript, rust);
        rust
    }

    async fn bearer(&self, world: &World, token: &str) -> (u16, Vec<String>) {
        let headers = [("authorization", format!("Bearer {token}")), ("dpop", String::new())];
        self.invoices(world, &[headers.clone(), headers]).await
    }

    /// The same with a DPoP proof for each of them.
    async fn bound(&self, world: &World, holder: &DpopClient<'_>, token: &str) -> (u16, Vec<String>) {
        let proof = || {
            let claims = json!({"htu": format!("{}/invoices", self.address), "ath": compute_ath(token)});
            holder.proof_with_claims("GET", "/invoices", &claims)
        };
        let headers = || [("authorization", format!("DPoP {token}")), ("dpop", proof())];
        self.invoices(world, &[headers(), headers()]).await
    }
}

fn error(challenges: &[String]) -> &str {
    challenges[0].split("error=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default()
}

both_engines!(
    client_library_guards_accept_only_tokens_for_their_api,
    client_library_guards_accept_dpop_bound_tokens_from_their_holder_only,
    client_library_guards_with_introspection_reject_revoked_tokens_at_once
);

async fn client_library_guards_accept_only_tokens_for_their_api(world: &World) {
    let books = world.create_token_fixture().await;
    let robot = books.create_service("manager", "invoices:read invoices:send files:read").await;
    let guards = Guards::stand(world, None).await;
    let token = async |scope: &str| {
        robot.request_client_credentials(&[("scope", scope)]).await.assert_granted().access_token()
    };
    assert_eq!(guards.bearer(world, &token("invoices:read").await).await.0, 200);
    let (status, challenges) = guards.bearer(world, &token("invoices:send").await).await;
    assert_eq!((status, error(&challenges)), (403, "insufficient_scope"));
    assert_eq!(
        challenges,
        [
            "Bearer error=\"insufficient_scope\", resource_metadata=\"https://invoices.example/.well-known/oauth-protected-resource\", scope=\"invoices:read\"",
        ]
    );
    let (status, challenges) = guards.bearer(world, &token("files:read").await).await;
    assert_eq!((status, error(&challenges), challenges.len()), (401, "invalid_token", 2));

    let (_, tokens) =
        books.issue_tokens(&books.create_app_client(json!({})).await, "openid invoices:read").await;
    assert_eq!(guards.bearer(world, &tokens.access_token()).await.0, 200);
    let id_token = tokens.body["id_token"].as_str().unwrap();
    assert_eq!(guards.bearer(world, id_token).await.0, 401);

    // An agent that acts for a user is accepted and named as the actor.
    let agent = books.create_agent("invoices:read").await;
    let exchanged =
        agent.exchange_token(&tokens.access_token(), &[("scope", "invoices:read")]).await.assert_granted();
    assert_eq!(guards.bearer(world, &exchanged.access_token()).await.0, 200);
    let authorization = format!("Bearer {}", exchanged.access_token());
    let request_builder =
        world.http.get(format!("{}/whoami", guards.address)).header("authorization", &authorization);
    let caller_identity: serde_json::Value = request_builder.send().await.unwrap().json().await.unwrap();
    assert_eq!(caller_identity["actors"], json!([{"subject": agent.id, "profile": "ai_agent"}]));
    let request_credentials =
        RequestCredentials { authorization: Some(authorization.into()), ..RequestCredentials::default() };
    let identity = guards.rust.verify(&request_credentials, &AccessRequirements::default()).await.unwrap();
    assert_eq!(caller_identity["subject"], identity.subject.as_str());
    let [actor] = &identity.actors[..] else { panic!("{identity:?}") };
    assert_eq!((actor.subject.as_str(), actor.profile.as_deref()), (agent.id.as_str(), Some("ai_agent")));
}

async fn client_library_guards_accept_dpop_bound_tokens_from_their_holder_only(world: &World) {
    let books = world.create_token_fixture().await;
    let robot = books.create_service("manager", "invoices:read").await;
    let (holder, thief) = (world.create_dpop_client(), world.create_dpop_client());
    let guards = Guards::stand(world, None).await;
    let form = [("grant_type", "client_credentials"), ("scope", "invoices:read")];
    let token = robot.request_token_with_dpop(&holder, &form).await.assert_bound_to(&holder).access_token();
    assert_eq!(guards.bound(world, &holder, &token).await.0, 200);
    let (status, challenges) = guards.bound(world, &thief, &token).await;
    assert_eq!((status, error(&challenges)), (401, "invalid_token"));
    assert_eq!(guards.bearer(world, &token).await.0, 401);
    let unbound =
        robot.request_client_credentials(&[("scope", "invoices:read")]).await.assert_granted().access_token();
    assert_eq!(guards.bound(world, &holder, &unbound).await.0, 401);
}

async fn client_library_guards_with_introspection_reject_revoked_tokens_at_once(world: &World) {
    let books = world.create_token_fixture().await;
    let robot = books.create_service("clerk", "invoices:read invoices:send").await;
    let api = books.create_service("manager", "invoices:read").await;
    let (offline, guards) = (Guards::stand(world, None).await, Guards::stand(world, Some(&api)).await);
    let token = robot
        .request_client_credentials(&[("scope", "invoices:read invoices:send")])
        .await
        .assert_granted()
        .access_token();
    assert_eq!((offline.bearer(world, &token).await.0, guards.bearer(world, &token).await.0), (200, 200));
    // A permission that the role lost no longer counts where the token is introspected.
    books.change_role("clerk", &["invoices:send"]).await;
    assert_eq!((offline.bearer(world, &token).await.0, guards.bearer(world, &token).await.0), (200, 403));
    books.change_role("clerk", &["invoices:read", "invoices:send"]).await;
    assert_eq!(guards.bearer(world, &token).await.0, 200);
    let switch = async |client: &TokenClient<'_>, how: &str| {
        let path = books.tenant.path(&format!("/clients/{}/{how}", client.id));
        books.owner.post(&path, json!(null)).await.assert_status(200);
    };
    switch(&robot, "disable").await;
    assert_eq!(offline.bearer(world, &token).await.0, 200);
    let (status, challenges) = guards.bearer(world, &token).await;
    assert_eq!((status, error(&challenges)), (401, "invalid_token"));
    switch(&robot, "enable").await;
    assert_eq!(guards.bearer(world, &token).await.0, 200);
    // If the service that introspects is disabled, no token can be verified and none is accepted.
    switch(&api, "disable").await;
    assert_eq!(guards.bearer(world, &token).await, (503, vec![]));
}

#[test]
fn client_library_for_javascript_passes_its_own_tests() {
    let tests = std::process::Command::new("node").arg("--test").arg(javascript("tests/")).output().unwrap();
    let stdout = String::from_utf8_lossy(&tests.stdout);
    assert!(tests.status.success(), "{stdout}");
    let passed: usize =
        stdout.lines().find_map(|line| line.strip_prefix("# pass ")).unwrap().parse().unwrap();
    assert!(passed > 10, "{stdout}");
}

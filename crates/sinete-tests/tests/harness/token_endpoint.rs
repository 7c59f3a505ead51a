//! Requests to the token endpoint.

use super::api_caller::ApiCaller;
use super::grants::{GrantRequest, TestClient, TestGrant};
use super::organizations::{OWNER_SCOPE, TestOrganization};
use super::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use sinete_core::id::MembershipId;
use sinete_core::limits::AUTHORIZATION_CODE_LIFETIME;
use sinete_core::oauth::pkce::S256Challenge;
use sinete_core::organizations::api_catalog::ApiIdentifier;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::secret::AuthorizationCodeSecret;
use sinete_core::time::Lifetime;
use sinete_crypto::platform::jwt;
use sinete_crypto::platform::jwt::{JwtExpectations, JwtType};
use sinete_crypto::platform::signing_keys::SigningKey;
use sinete_store::oauth::authorization_codes::NewAuthorizationCode;
use sinete_store::oauth::grants;
use sinete_store::oauth::grants::{GrantLifespan, NewGrant};
use sinete_store::{GuardedStatement, JsonDocument};

/// The identifier of the API that most stories use.
pub const INVOICES: &str = "https://invoices.example";
/// The identifier of a second API.
pub const FILES: &str = "https://files.example";

/// The redirect URI.
pub const CALLBACK: &str = "https://app.example/callback";
/// A PKCE code verifier (RFC 7636, appendix B).
pub const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// Signs a JWS with this header.
pub fn sign_jws(key: &SigningKey, header: &Value, claims: &Value) -> String {
    let text = format!(
        "{}.{}",
        URL_SAFE_NO_PAD.encode(header.to_string()),
        URL_SAFE_NO_PAD.encode(claims.to_string())
    );
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(key.sign(text.as_bytes()).unwrap()))
}

/// An organization with two APIs and two roles: a clerk reads and sends invoices; a manager has every permission on
/// invoices and reads files.
pub struct TokenFixture<'w> {
    pub world: &'w World,
    pub tenant: TestOrganization,
    pub owner: ApiCaller<'w>,
}

/// A client at the token endpoint.
#[derive(Clone)]
pub struct TokenClient<'w> {
    pub world: &'w World,
    pub id: String,
    pub auth: TestClientAuth,
}

/// How a client authenticates.
#[derive(Clone)]
pub enum TestClientAuth {
    /// A public client.
    None,
    /// `client_secret_basic`.
    Basic(String),
    /// `client_secret_post`.
    Post(String),
}

/// The response of the token endpoint.
#[derive(Clone, Debug)]
pub struct TokenEndpointResponse {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Value,
    /// The body as text.
    pub text: String,
}

impl World {
    pub async fn create_token_fixture(&self) -> TokenFixture<'_> {
        let tenant = self.create_organization("books").await;
        let owner = self.create_owner(&tenant).await;
        let permission =
            |name: &str| json!({"permission": name, "english": name, "irreversible": name.ends_with("void")});
        for (identifier, name, permissions) in [
            (INVOICES, "Invoices", vec!["invoices:read", "invoices:send", "invoices:void"]),
            (FILES, "Files", vec!["files:read"]),
        ] {
            let permissions: Vec<Value> = permissions.into_iter().map(permission).collect();
            let api = json!({"identifier": identifier, "name": name, "permissions": permissions});
            owner.create_api(api).await.assert_status(201);
        }
        let everything = format!("{OWNER_SCOPE} invoices:* files:*");
        let owner = self.create_api_key_caller(&tenant, owner.membership, &everything).await;
        for (name, permissions) in
            [("clerk", vec!["invoices:read", "invoices:send"]), ("manager", vec!["invoices:*", "files:read"])]
        {
            let role = json!({"name": name, "permissions": permissions});
            owner.post(&tenant.path("/roles"), role).await.assert_status(201);
        }
        TokenFixture { world: self, tenant, owner }
    }

    /// A code, whose verifier is [`VERIFIER`], and the statement that opens the grant with it.
    pub fn open_grant_with_code(
        &self,
        grant: &NewGrant<'_>,
        audience: &ApiIdentifier,
        claims: &Value,
    ) -> (String, GuardedStatement) {
        let code = AuthorizationCodeSecret::mint(grant.id, self.server.engine().entropy());
        let request = json!({"audience": audience, "nonce": "n-0S6_WzA2Mj", "claims": claims});
        let challenge: S256Challenge = CHALLENGE.parse().unwrap();
        let new = NewAuthorizationCode {
            digest: &code.digest().code,
            redirect_uri: CALLBACK,
            challenge: *challenge.as_bytes(),
            request: &JsonDocument::from_value(&request).unwrap(),
            expires_at: grant.created_at.plus(AUTHORIZATION_CODE_LIFETIME),
        };
        let opened = grants::open_grant_with_code(grant, &new, None);
        (code.reveal(), opened)
    }

    /// The claims of a token, after its signature and type are verified.
    pub fn token_claims(&self, token: &str, of_type: JwtType) -> Value {
        let engine = self.server.engine();
        let expected = JwtExpectations {
            typ: of_type,
            algorithms: &SigningAlgorithm::ALL,
            issuer: &engine.settings().issuer,
            audience: None,
            now: engine.now(),
            tolerance: Lifetime::ZERO,
        };
        let claims =
            jwt::verify_jwt(token, engine.key_ring().published_keys(engine.now()), &expected).unwrap();
        Value::Object(claims.members().clone())
    }
}

impl<'w> TokenFixture<'w> {
    /// A service or agent of the organization with this role and client metadata.
    pub async fn create_machine_client(&self, kind: &str, role: &str, metadata: Value) -> TokenClient<'w> {
        let response = self.owner.get(&self.tenant.path("/roles")).await.assert_status(200);
        let roles = response.body["items"].as_array().unwrap();
        let role = roles.iter().find(|it| it["name"] == role).unwrap()["id"].clone();
        let mut body = json!({"kind": kind, "roles": [role], "purpose": "Counts", "metadata": metadata});
        if kind == "agent" {
            body["owner"] = json!(self.owner.membership);
        }
        self.create_client(body).await
    }

    /// An application of the organization with this further client metadata.
    pub async fn create_app_client(&self, extra_metadata: Value) -> TokenClient<'w> {
        let mut metadata = json!({
            "client_name": "App", "redirect_uris": [CALLBACK],
            "scope": "openid profile email offline_access invoices:* files:read",
        });
        for (name, value) in extra_metadata.as_object().unwrap() {
            metadata[name] = value.clone();
        }
        self.create_client(json!({"kind": "application", "metadata": metadata})).await
    }

    pub async fn create_member(&self, role: &str) -> MembershipId {
        self.world.create_member(&self.tenant, &[role]).await
    }

    /// Creates a grant from a member to a client for [`INVOICES`].
    pub async fn create_grant(
        &self,
        membership: MembershipId,
        client: &TokenClient<'_>,
        scope: &str,
    ) -> TestGrant<'w> {
        let outlives = scope.contains("offline_access");
        let lifespan = if outlives { GrantLifespan::Expiry } else { GrantLifespan::Session };
        let request = GrantRequest { audience: Some(INVOICES), lifespan, ..GrantRequest::for_scope(scope) };
        self.world.create_grant(&self.tenant, membership, &client.id.parse().unwrap(), request).await
    }

    /// Issues a code for a clerk's grant to a client.
    pub async fn issue_code(&self, client: &TokenClient<'_>, scope: &str) -> (TestGrant<'w>, String) {
        let granted = self.create_grant(self.create_member("clerk").await, client, scope).await;
        let code = granted.code.clone();
        (granted, code)
    }

    /// Issues a code for a clerk's grant and redeems it.
    pub async fn issue_tokens(
        &self,
        client: &TokenClient<'_>,
        scope: &str,
    ) -> (TestGrant<'w>, TokenEndpointResponse) {
        let (granted, code) = self.issue_code(client, scope).await;
        (granted, client.redeem_code(&code, &[]).await.assert_granted())
    }

    /// Replaces the permissions of a role.
    pub async fn change_role(&self, name: &str, permissions: &[&str]) {
        let response = self.owner.get(&self.tenant.path("/roles")).await.assert_status(200);
        let role =
            response.body["items"].as_array().unwrap().iter().find(|it| it["name"] == name).unwrap().clone();
        let path = self.tenant.path(&format!("/roles/{}", role["id"].as_str().unwrap()));
        let change = json!({"permissions": permissions});
        self.owner.patch(&path, role["version"].as_i64().unwrap(), change).await.assert_status(200);
    }

    /// Changes the settings of the organization.
    pub async fn change_settings(&self, settings: Value) {
        let organization = self.owner.get(&self.tenant.path("")).await.assert_status(200);
        let change = json!({"settings": settings});
        self.owner.patch(&self.tenant.path(""), organization.version(), change).await.assert_status(200);
    }

    /// A client of the organization, as the management API creates it.
    pub async fn create_client(&self, body: Value) -> TokenClient<'w> {
        let response = self.owner.post(&self.tenant.path("/clients"), body.clone()).await.assert_status(201);
        let method = &body["metadata"]["token_endpoint_auth_method"];
        let proof = match response.body["client_secret"].as_str() {
            None => TestClientAuth::None,
            Some(secret) if method == "client_secret_post" => TestClientAuth::Post(secret.to_owned()),
            Some(secret) => TestClientAuth::Basic(secret.to_owned()),
        };
        TokenClient { world: self.world, id: response.text_member("id"), auth: proof }
    }

    /// An agent of the organization with this scope.
    pub async fn create_agent(&self, scope: &str) -> TokenClient<'w> {
        let grants = ["client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange"];
        let metadata = json!({"client_name": "Agent", "grant_types": grants, "scope": scope});
        self.create_machine_client("agent", "clerk", metadata).await
    }

    /// A service of the organization with this role and scope.
    pub async fn create_service(&self, role: &str, scope: &str) -> TokenClient<'w> {
        let grants = ["client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange"];
        let metadata = json!({"client_name": "Robot", "grant_types": grants, "scope": scope});
        self.create_machine_client("service", role, metadata).await
    }
}

impl TokenClient<'_> {
    /// Redeems a code with [`VERIFIER`].
    pub async fn redeem_code(&self, code: &str, parameters: &[(&str, &str)]) -> TokenEndpointResponse {
        let token_params =
            [("grant_type", "authorization_code"), ("code", code), ("code_verifier", VERIFIER)];
        self.request_token(&[&token_params, parameters].concat()).await
    }

    /// Whether introspection calls the token active.
    pub async fn is_token_active(&self, token: &str) -> bool {
        let TestClientAuth::Basic(secret) = &self.auth else { panic!("introspection needs a client secret") };
        let app = TestClient { id: self.id.parse().unwrap(), secret: Some(secret.clone()) };
        self.world.introspect(&app, token).await["active"].as_bool().unwrap()
    }

    /// Sends a token request with these parameters.
    pub async fn request_token(&self, parameters: &[(&str, &str)]) -> TokenEndpointResponse {
        let mut form = parameters.to_vec();
        let mut request = self.world.http.post(self.world.public_url("/connect/token"));
        match &self.auth {
            TestClientAuth::None => form.push(("client_id", &self.id)),
            TestClientAuth::Basic(secret) => request = request.basic_auth(&self.id, Some(secret)),
            TestClientAuth::Post(secret) => {
                form.extend([("client_id", self.id.as_str()), ("client_secret", secret)])
            }
        }
        TokenEndpointResponse::from_response(request.form(&form).send().await.unwrap()).await
    }

    /// Uses the client credentials grant.
    pub async fn request_client_credentials(&self, parameters: &[(&str, &str)]) -> TokenEndpointResponse {
        self.request_token(&[&[("grant_type", "client_credentials")], parameters].concat()).await
    }

    pub async fn exchange_token(&self, token: &str, parameters: &[(&str, &str)]) -> TokenEndpointResponse {
        let exchange = [
            ("grant_type", "token-exchange"),
            ("subject_token", token),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"),
        ];
        self.request_token(&[&exchange, parameters].concat()).await
    }

    pub async fn refresh_tokens(&self, token: &str, parameters: &[(&str, &str)]) -> TokenEndpointResponse {
        self.request_token(
            &[&[("grant_type", "refresh_token"), ("refresh_token", token)], parameters].concat(),
        )
        .await
    }
}

impl TokenEndpointResponse {
    pub async fn from_response(answer: reqwest::Response) -> Self {
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let text = answer.text().await.unwrap();
        let body = serde_json::from_str(&text).unwrap_or_default();
        Self { status, headers, body, text }
    }

    /// Asserts a token response that may not be cached and that scripts of every origin may read.
    #[track_caller]
    pub fn assert_granted(self) -> Self {
        assert_eq!(self.status, 200, "{}", self.text);
        assert_eq!(
            (&self.body["token_type"], self.body["expires_in"].as_i64().is_some()),
            (&json!("Bearer"), true)
        );
        self.assert_common_headers()
    }

    /// Asserts this error code with its status, and that the body has no members but the error and its description.
    #[track_caller]
    pub fn assert_oauth_error(self, error: &str) -> Self {
        let status = if error == "invalid_client" { 401 } else { 400 };
        assert_eq!((self.status, &self.body["error"]), (status, &json!(error)), "{}", self.text);
        let members: Vec<&String> = self.body.as_object().unwrap().keys().collect();
        assert_eq!(members, ["error", "error_description"], "{}", self.text);
        self.assert_common_headers()
    }

    #[track_caller]
    fn assert_common_headers(self) -> Self {
        assert_eq!(self.headers["cache-control"], "no-store");
        assert_eq!(self.headers["access-control-allow-origin"], "*");
        assert!(!self.headers.contains_key("access-control-allow-credentials"));
        self
    }

    #[track_caller]
    pub fn text_member(&self, member: &str) -> String {
        self.body[member].as_str().unwrap_or_else(|| panic!("no {member} in {}", self.text)).to_owned()
    }

    #[track_caller]
    pub fn access_token(&self) -> String {
        self.text_member("access_token")
    }

    #[track_caller]
    pub fn refresh_token(&self) -> String {
        self.text_member("refresh_token")
    }
}

//! An OAuth client and the browser of its user. The client uses standard requests only: authorization request, code,
//! token request.

use super::organizations::TestOrganization;
use super::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use sinete_core::access_control::scope::{IdentityScope, Scope, ScopeSet};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::client_id::{ClientId, ClientKind};
use sinete_core::id::{AccountId, MembershipId, SessionId};
use sinete_core::oauth::client_metadata::ClientMetadata;
use sinete_core::secret::{ClientSecret, Secret, SessionToken};
use sinete_core::time::Lifetime;
use sinete_store::oauth::client_secrets;
use sinete_store::oauth::clients;
use sinete_store::oauth::clients::{ClientOrigin, NewClient};
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::MembershipHolder;
use sinete_store::sign_in::sessions;
use sinete_store::sign_in::sessions::NewSession;
use sinete_store::{JsonDocument, accounts};
use std::collections::BTreeMap;

/// The PKCE code verifier (RFC 7636, appendix B).
pub const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

/// The redirect URI, unless a story sets another.
pub const CALLBACK: &str = "https://app.example/callback";

#[derive(Clone)]
pub struct OAuthApplication<'w> {
    pub world: &'w World,
    pub id: ClientId,
    /// The client secret, sent in the `Authorization` header.
    pub secret: Option<String>,
    /// The redirect URI.
    pub callback: String,
}

/// A browser with a signed-in user.
#[derive(Clone, Debug)]
pub struct BrowserSession {
    pub account: AccountId,
    /// The session token, which the browser sends as a cookie.
    pub token: String,
}

/// The response of the authorization endpoint.
#[derive(Clone, Debug)]
pub struct AuthorizationResponse {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
}

impl World {
    /// Creates an application of this origin with this client metadata. The defaults are those of a confidential web
    /// application.
    pub async fn create_application(&self, origin: ClientOrigin, metadata: Value) -> OAuthApplication<'_> {
        let engine = self.server.engine();
        let (now, entropy) = (engine.now(), engine.entropy());
        let mut full_metadata = json!({"client_name": "App", "redirect_uris": [CALLBACK]});
        full_metadata.as_object_mut().unwrap().extend(metadata.as_object().unwrap().clone());
        let full_metadata: ClientMetadata = serde_json::from_value(full_metadata).unwrap();
        assert!(full_metadata.validate().is_empty() && full_metadata.validate_redirect_uris().is_empty());
        let everything = || IdentityScope::ALL.into_iter().map(Scope::Identity).collect();
        let scope: ScopeSet = full_metadata.scope.clone().unwrap_or_else(everything);
        let (id, document) =
            (ClientId::mint(now, entropy), JsonDocument::from_value(&full_metadata).unwrap());
        let statement = clients::create_client(&NewClient {
            id: &id,
            kind: ClientKind::Application,
            origin,
            name: &full_metadata.client_name,
            purpose: "",
            owner: None,
            scope: &scope,
            metadata: &document,
            created_at: now,
        });
        let secret = full_metadata.token_endpoint_auth_method.needs_secret();
        let secret = secret.then(|| Secret::<ClientSecret>::mint(entropy));
        let guarded_statement =
            secret.as_ref().map(|secret| client_secrets::add_client_secret(&secret.digest(), &id, now, None));
        self.apply_statements([statement].into_iter().chain(guarded_statement)).await;
        let callback = full_metadata.redirect_uris[0].as_str().to_owned();
        OAuthApplication { world: self, id, secret: secret.map(Secret::reveal), callback }
    }

    /// A browser in which a member signed in with a password.
    pub async fn create_member_browser(
        &self,
        tenant: &TestOrganization,
        membership: MembershipId,
    ) -> BrowserSession {
        let store = self.server.engine().store();
        let membership_row =
            memberships::find_membership(store, tenant.id, membership).await.unwrap().unwrap();
        let MembershipHolder::User(account) = membership_row.holder else {
            panic!("only an account has a browser")
        };
        self.create_browser(account, &AuthenticationEvidence::from_proof(AuthenticationProof::Password)).await
    }

    /// A browser with this session.
    pub async fn browser_with_session(&self, session: &str) -> BrowserSession {
        BrowserSession { account: self.user_with_session(session).await.account, token: session.to_owned() }
    }

    /// A browser in which a user signed in with this authentication evidence.
    pub async fn create_browser(
        &self,
        account: AccountId,
        evidence: &AuthenticationEvidence,
    ) -> BrowserSession {
        let engine = self.server.engine();
        let (now, token) = (engine.now(), Secret::<SessionToken>::mint(engine.entropy()));
        let account_row = accounts::find_account(engine.store(), account).await.unwrap().unwrap();
        let started = sessions::start_session(&NewSession {
            id: SessionId::mint(now, engine.entropy()),
            digest: &token.digest(),
            account,
            account_epoch: account_row.epoch,
            evidence: &JsonDocument::from_value(evidence).unwrap(),
            device: None,
            description: &JsonDocument::from_value(&json!({"browser": "", "platform": ""})).unwrap(),
            created_at: now,
            idle_expires_at: now.plus(Lifetime::from_days(7)),
            expires_at: now.plus(Lifetime::from_days(30)),
        });
        self.apply_statements([started]).await;
        BrowserSession { account, token: token.reveal() }
    }
}

/// The S256 challenge of [`VERIFIER`].
pub fn pkce_challenge() -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER))
}

impl OAuthApplication<'_> {
    /// The parameters of an authorization request with changes: `Some` sets a parameter, `None` leaves it out.
    pub fn authorization_params(&self, changes: &[(&str, Option<&str>)]) -> Vec<(String, String)> {
        let mut parameters: BTreeMap<String, String> = [
            ("client_id", self.id.as_str()),
            ("redirect_uri", &self.callback),
            ("response_type", "code"),
            ("scope", "openid"),
            ("state", "a state"),
            ("code_challenge", &pkce_challenge()),
            ("code_challenge_method", "S256"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        for (name, value) in changes {
            parameters.remove(*name);
            parameters.extend(value.map(|value| ((*name).to_owned(), value.to_owned())));
        }
        parameters.into_iter().collect()
    }

    /// Opens the authorization endpoint in a browser.
    pub async fn authorize(
        &self,
        browser: Option<&BrowserSession>,
        changes: &[(&str, Option<&str>)],
    ) -> AuthorizationResponse {
        self.world.open_authorization_endpoint(browser, &self.authorization_params(changes)).await
    }

    /// Sends an authorization request that accepts JSON.
    pub async fn authorize_as_json(
        &self,
        browser: Option<&BrowserSession>,
        changes: &[(&str, Option<&str>)],
    ) -> AuthorizationResponse {
        let request = self.world.http.get(self.world.authorization_url(&self.authorization_params(changes)));
        AuthorizationResponse::send(
            request.header("accept", "application/json"),
            browser.map(|it| it.token.as_str()),
        )
        .await
    }

    /// Obtains a code where no consent page is shown.
    pub async fn obtain_code(&self, browser: &BrowserSession, changes: &[(&str, Option<&str>)]) -> String {
        self.authorize(Some(browser), changes).await.code()
    }

    /// Obtains a code after the user gives consent.
    pub async fn obtain_code_with_consent(
        &self,
        browser: &BrowserSession,
        changes: &[(&str, Option<&str>)],
    ) -> String {
        let response = self.authorize_as_json(Some(browser), changes).await;
        assert_eq!(response.status, 401, "{}", response.text);
        let body: Value = serde_json::from_str(&response.text).unwrap();
        let text = |name: &str| body["flow"][name].as_str().unwrap().to_owned();
        let mut walk = self.world.continue_flow(&text("id"), &text("token")).await;
        assert_eq!(walk.stage(), "consent", "{}", walk.last.text);
        walk.submit("consent", json!({"allow": true})).await.assert_status(200);
        self.world.resume_flow(&walk.id, Some(&browser.token), &[]).await.code()
    }

    /// Pushes an authorization request (RFC 9126).
    pub async fn push_request(&self, changes: &[(&str, Option<&str>)]) -> (u16, Value) {
        self.post_form("/connect/par", &self.authorization_params(changes)).await
    }

    pub async fn redeem_code(&self, code: &str) -> (u16, Value) {
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("code_verifier", VERIFIER),
            ("redirect_uri", &self.callback),
            ("client_id", self.id.as_str()),
        ];
        self.post_form("/connect/token", &form.map(|(name, value)| (name.to_owned(), value.to_owned()))).await
    }

    pub async fn refresh_tokens(&self, token: &str) -> (u16, Value) {
        let form =
            [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", self.id.as_str())];
        self.post_form("/connect/token", &form.map(|(name, value)| (name.to_owned(), value.to_owned()))).await
    }

    /// Posts a form with client authentication.
    pub async fn post_form(&self, path: &str, form: &[(String, String)]) -> (u16, Value) {
        let mut request = self.world.http.post(self.world.public_url(path)).form(form);
        if let Some(secret) = &self.secret {
            request = request.basic_auth(self.id.as_str(), Some(secret));
        }
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        assert_eq!(answer.headers()["cache-control"], "no-store", "{path}");
        (status, answer.json().await.unwrap_or_default())
    }
}

impl World {
    /// Opens the authorization endpoint with any parameters.
    pub async fn open_authorization_endpoint(
        &self,
        browser: Option<&BrowserSession>,
        parameters: &[(String, String)],
    ) -> AuthorizationResponse {
        let request = self.http.get(self.authorization_url(parameters)).header("accept", "text/html");
        AuthorizationResponse::send(request, browser.map(|browser| browser.token.as_str())).await
    }

    /// Returns from a flow to the authorization endpoint, with further query parameters if any are given.
    pub async fn resume_flow(
        &self,
        flow: &str,
        session: Option<&str>,
        extra_params: &[(&str, &str)],
    ) -> AuthorizationResponse {
        let mut parameters = vec![("flow".to_owned(), flow.to_owned())];
        parameters.extend(extra_params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        AuthorizationResponse::send(self.http.get(self.authorization_url(&parameters)), session).await
    }

    /// The URL of the authorization endpoint with these parameters.
    pub fn authorization_url(&self, parameters: &[(String, String)]) -> String {
        let mut address: url::Url = self.public_url("/connect/authorize").parse().unwrap();
        address.query_pairs_mut().extend_pairs(parameters);
        address.into()
    }

    /// Sends an authorization request as a form.
    pub async fn post_authorization_endpoint(
        &self,
        browser: Option<&BrowserSession>,
        parameters: &[(String, String)],
    ) -> AuthorizationResponse {
        let request = self.http.post(self.public_url("/connect/authorize")).form(parameters);
        let request = request.header("accept", "text/html");
        AuthorizationResponse::send(request, browser.map(|browser| browser.token.as_str())).await
    }
}

impl AuthorizationResponse {
    async fn send(request: reqwest::RequestBuilder, session: Option<&str>) -> Self {
        let request = match session {
            Some(session) => request.header("authorization", format!("Session {session}")),
            None => request,
        };
        let answer = request.send().await.unwrap();
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        assert!(!headers.contains_key("access-control-allow-origin"));
        Self { status, headers, text: answer.text().await.unwrap() }
    }

    /// The `Location` header.
    pub fn location(&self) -> Option<&str> {
        self.headers.get("location").map(|location| location.to_str().unwrap())
    }

    /// The parameters of the redirect to the client.
    #[track_caller]
    pub fn redirect_params(&self) -> BTreeMap<String, String> {
        assert_eq!(self.status, 303, "{}", self.text);
        let location: url::Url = self.location().unwrap().parse().unwrap();
        assert!(location.fragment().is_none());
        location.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
    }

    /// The code in the redirect, whose only other parameters are `iss` and `state`.
    #[track_caller]
    pub fn code(&self) -> String {
        let params = self.redirect_params();
        assert!(!params.contains_key("error"), "{params:?}");
        let names: Vec<_> = params.keys().map(String::as_str).collect();
        assert!(names == ["code", "iss", "state"] || names == ["code", "iss"], "{params:?}");
        params["code"].clone()
    }

    /// Asserts a redirect to the client with this error.
    #[track_caller]
    pub fn assert_error_redirect(&self, error: &str) -> &Self {
        let params = self.redirect_params();
        assert_eq!(params.get("error").map(String::as_str), Some(error), "{params:?}");
        let allowed_names = ["error", "error_description", "iss", "state"];
        assert!(params.keys().all(|name| allowed_names.contains(&name.as_str())), "{params:?}");
        assert!(params.contains_key("iss") && params["error_description"].is_ascii(), "{params:?}");
        self
    }

    /// Asserts that there is no redirect.
    #[track_caller]
    pub fn assert_no_redirect(&self) -> &Self {
        assert!(self.status >= 400 && self.location().is_none(), "{}", self.text);
        self
    }

    /// Asserts an HTML page without a redirect.
    #[track_caller]
    pub fn assert_page(&self) -> &Self {
        assert_eq!((self.status, self.location()), (400, None), "{}", self.text);
        assert!(self.text.contains("id=\"error-page\""), "{}", self.text);
        self
    }
}

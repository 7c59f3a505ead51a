//! Users who sign up and sign in through the flow API, and users who are written to the database because a story is
//! about something else.

use super::api_caller::{ApiRequest, ApiResponse};
use super::world::World;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::id::{AccountId, ContactId, CredentialId, SessionId};
use sinete_core::limits::{SESSION_AGE_MAX, SESSION_IDLE_MAX};
use sinete_core::secret::{Secret, SessionToken};
use sinete_engine::sign_in::sessions;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::{ContactKind, NewContact};
use sinete_store::sign_in::credentials;
use sinete_store::sign_in::credentials::{NewCredential, StoredCredentialKind};
use sinete_store::sign_in::sessions::NewSession;
use sinete_store::{JsonDocument, accounts};
use std::collections::BTreeMap;

/// The password of every user, unless a story sets another.
pub const PASSWORD: &str = "a kettle sings at dawn";

/// A user with an account and a session.
#[derive(Clone)]
pub struct TestUser<'w> {
    pub world: &'w World,
    /// The session token.
    pub session: String,
    pub account: AccountId,
}

/// A client of one flow.
#[derive(Clone)]
pub struct FlowClient<'w> {
    world: &'w World,
    pub id: String,
    /// The token of the flow, if the client is a program.
    pub token: Option<String>,
    /// The CSRF token, if the client is a browser.
    pub csrf: Option<String>,
    pub cookies: BTreeMap<String, String>,
    /// The last response that was not a refusal.
    pub last: ApiResponse,
}

impl World {
    /// The origin of the server's own pages.
    pub fn origin(&self) -> String {
        self.server.engine().settings().issuer.clone()
    }

    /// Signs a user up over the API with [`PASSWORD`].
    pub async fn sign_up_user(&self, email: &str) -> TestUser<'_> {
        let mut walk = self.start_flow(json!({"kind": "sign_up"})).await;
        walk.submit("details", json!({"email": email, "password": PASSWORD})).await.assert_status(200);
        let code = self.emailed_code(email).await;
        let response = walk.submit("code", json!({"code": code})).await.assert_status(200);
        assert_eq!(response.body["stage"], "signed_in");
        self.user_with_session(&response.text_member("session_token")).await
    }

    /// Writes a user with a verified e-mail address, [`PASSWORD`] and a session to the database.
    pub async fn create_user(&self, email: &str) -> TestUser<'_> {
        let engine = self.server.engine();
        let (now, entropy) = (engine.now(), engine.entropy());
        let (account, nothing) =
            (AccountId::mint(now, entropy), JsonDocument::from_value(&json!({})).unwrap());
        let address: EmailAddress = email.parse().unwrap();
        let (contact, lookup) = (ContactId::mint(now, entropy), address.lookup_key());
        let parameters = engine.settings().passwords.parameters;
        let hash = sinete_crypto::sign_in::credentials::password::hash_password(
            PASSWORD.as_bytes(),
            &[7; 16],
            &parameters,
            None,
        )
        .unwrap();
        let credential = NewCredential {
            id: CredentialId::mint(now, entropy),
            account,
            kind: StoredCredentialKind::Password,
            name: "",
            handle: None,
            material: hash.as_bytes(),
            counter: 0,
            created_at: now,
            confirmed_at: Some(now),
        };
        self.apply_statements([
            accounts::create_account(account, None, &nothing, now),
            contacts::add_contact(&NewContact {
                id: contact,
                account,
                kind: ContactKind::Email,
                address: email,
                lookup: &lookup,
                is_primary: true,
                created_at: now,
            }),
            contacts::verify_contact(account, contact, now),
            credentials::add_credential(&credential),
        ])
        .await;
        let session = self
            .create_session_token(account, &AuthenticationEvidence::from_proof(AuthenticationProof::Password))
            .await;
        TestUser { world: self, session, account }
    }

    /// Creates a session with this authentication evidence and returns its token.
    pub async fn create_session_token(
        &self,
        account: AccountId,
        evidence: &AuthenticationEvidence,
    ) -> String {
        let engine = self.server.engine();
        let (now, token) = (engine.now(), Secret::<SessionToken>::mint(engine.entropy()));
        let epoch = accounts::find_account(engine.store(), account).await.unwrap().unwrap().epoch;
        let (digest, nothing) = (token.digest(), JsonDocument::from_value(&json!({})).unwrap());
        self.apply_statements([sinete_store::sign_in::sessions::start_session(&NewSession {
            id: SessionId::mint(now, engine.entropy()),
            digest: &digest,
            account,
            account_epoch: epoch,
            evidence: &JsonDocument::from_value(evidence).unwrap(),
            device: None,
            description: &nothing,
            created_at: now,
            idle_expires_at: now.plus(SESSION_IDLE_MAX),
            expires_at: now.plus(SESSION_AGE_MAX),
        })])
        .await;
        token.reveal()
    }

    /// Adds an authenticator app to the account, so that sign-in asks for its code.
    pub async fn add_totp(&self, user: &TestUser<'_>) {
        let engine = self.server.engine();
        let now = engine.now();
        self.apply_statements([credentials::add_credential(&NewCredential {
            id: CredentialId::mint(now, engine.entropy()),
            account: user.account,
            kind: StoredCredentialKind::Totp,
            name: "telephone",
            handle: None,
            material: b"a seed that no digits are made of here",
            counter: 0,
            created_at: now,
            confirmed_at: Some(now),
        })])
        .await;
    }

    /// The user whose session this is.
    pub async fn user_with_session(&self, session: &str) -> TestUser<'_> {
        let active_session =
            sessions::find(self.server.engine(), session).await.unwrap().expect("an active session");
        let account = active_session.session.account;
        TestUser { world: self, session: session.to_owned(), account }
    }

    /// Starts a flow as a program.
    pub async fn start_flow(&self, body: Value) -> FlowClient<'_> {
        self.start_flow_in_session(body, None).await
    }

    /// Starts a flow as a program that is signed in.
    pub async fn start_flow_in_session(&self, mut body: Value, session: Option<&str>) -> FlowClient<'_> {
        body["session"] = "token".into();
        let headers = session.map(|token| ("authorization", format!("Session {token}")));
        let request =
            ApiRequest { body: Some(body), headers: headers.into_iter().collect(), ..ApiRequest::default() };
        let started = self.send_request(Method::POST, "/flows", request).await.assert_status(201);
        FlowClient::from_started(self, started)
    }

    /// Continues a flow that another request started.
    pub async fn continue_flow(&self, id: &str, token: &str) -> FlowClient<'_> {
        let headers = vec![("authorization", format!("Flow {token}"))];
        let request = ApiRequest { headers, ..ApiRequest::default() };
        let response =
            self.send_request(Method::GET, &format!("/flows/{id}"), request).await.assert_status(200);
        FlowClient { token: Some(token.to_owned()), ..FlowClient::from_started(self, response) }
    }

    /// Starts a flow in a browser with these cookies.
    pub async fn start_browser_flow(
        &self,
        mut body: Value,
        cookies: &BTreeMap<String, String>,
    ) -> FlowClient<'_> {
        body["session"] = "cookie".into();
        let headers = vec![("origin", self.origin()), ("cookie", cookie_header(cookies))];
        let request = ApiRequest { body: Some(body), headers, ..ApiRequest::default() };
        let started = self.send_request(Method::POST, "/flows", request).await.assert_status(201);
        let mut walk = FlowClient::from_started(self, started.clone());
        walk.cookies = cookies.clone();
        walk.update(&started);
        walk
    }

    /// The newest code in an e-mail to this address.
    pub async fn emailed_code(&self, email: &str) -> String {
        let address: EmailAddress = email.parse().unwrap();
        self.deliver_messages().await;
        let is_code = |word: &&str| word.len() == 8 && word.bytes().all(|b| b.is_ascii_digit());
        let all = self.mailbox.emails_to(&address.smtp_address());
        let mut codes = all.iter().filter_map(|mail| mail.text.split_whitespace().find(is_code));
        codes.next_back().unwrap_or_else(|| panic!("no code was mailed to {email}")).to_owned()
    }

    /// The text of the newest e-mail to this address.
    pub async fn newest_email_text(&self, email: &str) -> String {
        let address: EmailAddress = email.parse().unwrap();
        let received = self.newest_email_to(&address.smtp_address()).await;
        received.unwrap_or_else(|| panic!("nothing was mailed to {email}")).text
    }

    /// How many e-mails were sent to this address.
    pub async fn count_emails_to(&self, email: &str) -> usize {
        self.deliver_messages().await;
        self.mailbox.emails_to(email).len()
    }

    /// Signs in with a password over the API and returns the response, whatever it is.
    pub async fn sign_in_with_password(&self, email: &str, password: &str) -> ApiResponse {
        let mut walk = self.start_flow(json!({"kind": "sign_in"})).await;
        walk.submit("password", json!({"email": email, "password": password})).await
    }
}

impl TestUser<'_> {
    /// Whether the session is still active.
    pub async fn is_signed_in(&self) -> bool {
        sessions::find(self.world.server.engine(), &self.session).await.unwrap().is_some()
    }
}

impl<'w> FlowClient<'w> {
    fn from_started(world: &'w World, started: ApiResponse) -> Self {
        let text = |name: &str| started.body[name].as_str().map(str::to_owned);
        let (id, token, csrf) = (started.text_member("id"), text("flow_token"), text("csrf_token"));
        Self { world, id, token, csrf, cookies: BTreeMap::new(), last: started }
    }

    /// Submits an action and keeps the new state of the flow.
    pub async fn submit(&mut self, action: &str, body: Value) -> ApiResponse {
        let reply = self.try_submit(action, body).await;
        if reply.status < 300 {
            self.update(&reply);
        }
        reply
    }

    /// Submits an action without keeping the response.
    pub async fn try_submit(&self, action: &str, body: Value) -> ApiResponse {
        let request = ApiRequest { body: Some(body), headers: self.headers(), ..ApiRequest::default() };
        self.world.send_request(Method::POST, &format!("/flows/{}/{action}", self.id), request).await
    }

    /// Builds the request of an action, for requests that are sent concurrently.
    pub fn build_request(&self, action: &str, body: &Value) -> reqwest::RequestBuilder {
        let address = self.world.public_url(&format!("/flows/{}/{action}", self.id));
        let request = self.world.http.post(address).header("content-type", "application/json");
        let with =
            |request: reqwest::RequestBuilder, (name, value): (&str, String)| request.header(name, value);
        self.headers().into_iter().fold(request.body(body.to_string()), with)
    }

    /// Reads the state of the flow.
    pub async fn read_flow(&self) -> ApiResponse {
        let request = ApiRequest { headers: self.headers(), ..ApiRequest::default() };
        self.world.send_request(Method::GET, &format!("/flows/{}", self.id), request).await
    }

    /// The headers that authenticate a request of this flow.
    pub fn headers(&self) -> Vec<(&'static str, String)> {
        match &self.token {
            Some(token) => vec![("authorization", format!("Flow {token}"))],
            None => {
                let mut headers =
                    vec![("cookie", cookie_header(&self.cookies)), ("origin", self.world.origin())];
                headers.extend(self.csrf.clone().map(|csrf| ("x-csrf-token", csrf)));
                headers
            }
        }
    }

    fn update(&mut self, reply: &ApiResponse) {
        if let Some(token) = reply.body["flow_token"].as_str() {
            self.token = Some(token.to_owned());
        }
        if let Some(token) = reply.body["csrf_token"].as_str() {
            self.csrf = Some(token.to_owned());
        }
        for line in reply.headers.get_all("set-cookie") {
            let pair = line.to_str().unwrap().split(';').next().unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            if value.is_empty() {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        self.last = reply.clone();
    }

    /// The stage in the last response.
    pub fn stage(&self) -> &str {
        self.last.body["stage"].as_str().unwrap()
    }
}

fn cookie_header(cookies: &BTreeMap<String, String>) -> String {
    cookies.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
}

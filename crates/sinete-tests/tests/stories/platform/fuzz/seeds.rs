//! Valid requests of every kind.

use crate::harness::ciba::CIBA_GRANT;
use crate::harness::device_authorization::DEVICE_GRANT;
use crate::harness::oauth_application::{CALLBACK, VERIFIER, pkce_challenge};
use crate::harness::organizations::TestOrganization;
use crate::harness::scim_client::USER;
use crate::harness::token_endpoint::{INVOICES, TestClientAuth};
use crate::harness::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_store::oauth::clients::ClientOrigin;

#[derive(Clone)]
pub enum Body {
    Nothing,
    Form(Vec<(String, String)>),
    Json(Value),
}

/// A valid request.
#[derive(Clone)]
pub struct Seed {
    pub method: Method,
    pub path: String,
    pub query: Vec<(String, String)>,
    pub headers: Vec<(&'static str, String)>,
    pub body: Body,
    /// Whether its `Authorization` header authenticates a client and is not mutated.
    pub proves: bool,
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// Requests of clients, browsers, administrators and unauthenticated callers.
pub async fn seeds(world: &World) -> Vec<Seed> {
    let books = world.create_token_fixture().await;
    let member = world.create_member(&books.tenant, &["manager"]).await;
    let browser = world.create_member_browser(&books.tenant, member).await;
    let app =
        world.create_application(ClientOrigin::Operator, json!({"consent": "implied", "scope": SCOPE})).await;
    let code = app.obtain_code(&browser, &[("scope", Some(SCOPE))]).await;
    let (_, tokens) = app.redeem_code(&code).await;
    let tv = world.create_device_client(ClientOrigin::Operator, json!({"scope": SCOPE})).await;
    let reply = tv.start_device_authorization(&[("scope", "openid")]).await;
    let walk = world.start_device_flow(&browser.token).await;
    let text = |member: &str| tokens[member].as_str().unwrap().to_owned();
    let service = books.create_service("clerk", "invoices:read").await;
    let TestClientAuth::Basic(secret) = &service.auth else { panic!("a service has a secret") };
    let basic = |id: &str, secret: &str| format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")));
    let device = Device {
        as_tv: basic(tv.id.as_str(), tv.secret.as_ref().unwrap()),
        device_code: reply.device_code,
        user_code: reply.user_code,
        flow: walk.id.clone(),
        flow_token: walk.token.clone().unwrap(),
    };
    let credentials = Held {
        as_app: basic(app.id.as_str(), app.secret.as_ref().unwrap()),
        as_service: basic(&service.id, secret),
        code,
        access: text("access_token"),
        refresh: text("refresh_token"),
        request: request(app.id.as_str()),
    };
    let agent = world.create_ciba_client(ClientOrigin::Operator, json!({"scope": SCOPE})).await;
    let waited = agent.start_ciba("nobody@example.com", &[]).await;
    let as_agent = basic(agent.id.as_str(), agent.secret.as_ref().unwrap());
    let mut all = credentials.sent_by_clients();
    all.extend(credentials.sent_by_browsers(&browser.token));
    all.extend(device.sent());
    all.extend(sent_by_agents(&as_agent, &waited));
    all.push(registration(&bare()));
    all.push(Seed { path: "/.well-known/openid-configuration".to_owned(), ..bare() });
    all.extend(sent_by_managers(&books.owner.secret, &books.tenant));
    let directory = world.create_scim_client(&books.tenant).await;
    let user = directory.create_scim_user("ana@books.example").await.text_member("id");
    all.extend(sent_by_directories(&directory.secret, &user));
    all
}

const SCOPE: &str = "openid profile offline_access invoices:read invoices:send";

/// The credentials of the senders.
struct Held {
    as_app: String,
    as_service: String,
    code: String,
    access: String,
    refresh: String,
    request: Vec<(String, String)>,
}

/// CIBA requests and polls.
fn sent_by_agents(as_agent: &str, auth_req_id: &str) -> Vec<Seed> {
    let asks = [
        ("scope", "openid invoices:read"),
        ("resource", INVOICES),
        ("organization", "books"),
        ("login_hint", "nobody@example.com"),
        ("binding_message", "Pay 12.00"),
        ("requested_expiry", "60"),
        ("acr_values", "urn:sinete:aal:2"),
    ];
    let polls = [("grant_type", CIBA_GRANT), ("auth_req_id", auth_req_id)];
    vec![
        proven("/connect/backchannel", as_agent, pairs(&asks)),
        proven("/connect/token", as_agent, pairs(&polls)),
    ]
}

/// A device and the user who confirms it.
struct Device {
    as_tv: String,
    device_code: String,
    user_code: String,
    flow: String,
    flow_token: String,
}

impl Device {
    fn sent(&self) -> Vec<Seed> {
        let Self { as_tv, device_code, user_code, flow, flow_token } = self;
        let asks = [
            ("scope", "openid invoices:read"),
            ("resource", INVOICES),
            ("organization", "books"),
            ("ui_locales", "pt en"),
        ];
        let polls = [("grant_type", DEVICE_GRANT), ("device_code", device_code)];
        vec![
            proven("/connect/device", as_tv, pairs(&asks)),
            proven("/connect/token", as_tv, pairs(&polls)),
            Seed {
                method: Method::POST,
                path: format!("/flows/{flow}/user_code"),
                headers: vec![("authorization", format!("Flow {flow_token}"))],
                body: Body::Json(json!({"user_code": user_code})),
                ..bare()
            },
        ]
    }
}

fn request(client: &str) -> Vec<(String, String)> {
    pairs(&[
        ("client_id", client),
        ("redirect_uri", CALLBACK),
        ("response_type", "code"),
        ("scope", SCOPE),
        ("state", "s"),
        ("nonce", "n"),
        ("code_challenge", &pkce_challenge()),
        ("code_challenge_method", "S256"),
        ("resource", INVOICES),
        ("claims", r#"{"userinfo":{"name":null}}"#),
        ("max_age", "600"),
        ("prompt", "none"),
        ("acr_values", "urn:sinete:aal:1"),
        ("ui_locales", "pt en"),
    ])
}

fn bare() -> Seed {
    Seed {
        method: Method::GET,
        path: "/".to_owned(),
        query: Vec::new(),
        headers: Vec::new(),
        body: Body::Nothing,
        proves: false,
    }
}

fn proven(path: &str, proof: &str, form: Vec<(String, String)>) -> Seed {
    Seed {
        method: Method::POST,
        path: path.to_owned(),
        headers: vec![("authorization", proof.to_owned())],
        body: Body::Form(form),
        proves: true,
        ..bare()
    }
}

impl Held {
    fn sent_by_clients(&self) -> Vec<Seed> {
        let Self { as_app, as_service, code, access, refresh, request } = self;
        let machine =
            [("grant_type", "client_credentials"), ("scope", "invoices:read"), ("resource", INVOICES)];
        let exchange = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
            ("subject_token", access),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"),
            ("scope", "invoices:read"),
            ("resource", INVOICES),
        ];
        let redeem = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("code_verifier", VERIFIER),
            ("redirect_uri", CALLBACK),
        ];
        let rotate = [("grant_type", "refresh_token"), ("refresh_token", refresh), ("scope", "openid")];
        let given_up = [("token", "sn_rt_x"), ("token_type_hint", "refresh_token")];
        let looked_at = [("token", access.as_str()), ("token_type_hint", "access_token")];
        vec![
            proven("/connect/token", as_service, pairs(&machine)),
            proven("/connect/token", as_app, pairs(&exchange)),
            proven("/connect/token", as_app, pairs(&redeem)),
            proven("/connect/token", as_app, pairs(&rotate)),
            proven("/connect/introspect", as_app, pairs(&looked_at)),
            proven("/connect/introspect", as_service, pairs(&[("token", refresh)])),
            proven("/connect/revoke", as_service, pairs(&given_up)),
            proven("/connect/par", as_app, request.clone()),
        ]
    }

    fn sent_by_browsers(&self, session: &str) -> Vec<Seed> {
        let authorize = || Seed {
            path: "/connect/authorize".to_owned(),
            headers: vec![("authorization", format!("Session {session}"))],
            ..bare()
        };
        vec![
            Seed { query: self.request.clone(), ..authorize() },
            Seed { method: Method::POST, body: Body::Form(self.request.clone()), ..authorize() },
            Seed {
                path: "/connect/userinfo".to_owned(),
                headers: vec![("authorization", format!("Bearer {}", self.access))],
                ..bare()
            },
        ]
    }
}

fn sent_by_managers(secret: &str, tenant: &TestOrganization) -> Vec<Seed> {
    let managed = |below: &str| Seed {
        path: tenant.path(below),
        headers: vec![("authorization", format!("Bearer {secret}"))],
        ..bare()
    };
    let role = json!({"name": "reader", "permissions": ["invoices:read"]});
    vec![
        Seed { query: pairs(&[("limit", "5")]), ..managed("/clients") },
        Seed { method: Method::POST, body: Body::Json(role), ..managed("/roles") },
    ]
}

fn sent_by_directories(secret: &str, user: &str) -> Vec<Seed> {
    let provisioned = |below: &str| Seed {
        path: format!("/scim/v2{below}"),
        headers: vec![("authorization", format!("Bearer {secret}"))],
        ..bare()
    };
    let filter =
        r#"emails[type eq "work" and not (value co "@x")] or (meta.created gt "2026-11-15T00:00:00Z")"#;
    let patch = json!({"Operations": [
        {"op": "Add", "path": "emails[type eq \"work\"].value", "value": "ana@books.example"},
        {"op": "replace", "value": {"name.givenName": "Ana", "active": "True"}},
        {"op": "remove", "path": "title"},
    ]});
    let bulk = json!({"failOnErrors": 3, "Operations": [
        {"method": "POST", "path": "/Groups", "bulkId": "g", "data": {"displayName": "Choir", "members": [{"value": user}]}},
        {"method": "DELETE", "path": "/Groups/bulkId:g"},
    ]});
    vec![
        Seed {
            query: pairs(&[("filter", filter), ("sortBy", "name.familyName"), ("count", "5")]),
            ..provisioned(USER)
        },
        Seed { method: Method::PATCH, body: Body::Json(patch), ..provisioned(&format!("{USER}/{user}")) },
        Seed { method: Method::POST, body: Body::Json(bulk), ..provisioned("/Bulk") },
    ]
}

fn registration(bare: &Seed) -> Seed {
    let body = json!({
        "client_name": "Notes", "client_name#pt": "Notas", "redirect_uris": ["https://notes.example/cb", "http://127.0.0.1/cb"],
        "token_endpoint_auth_method": "private_key_jwt", "scope": "openid invoices:read",
        "jwks": {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]},
        "grant_types": ["authorization_code"], "response_types": ["code"], "contacts": ["a@b.example"],
        "default_max_age": 60, "default_acr_values": ["urn:sinete:aal:1"],
    });
    Seed {
        method: Method::POST,
        path: "/connect/register".to_owned(),
        body: Body::Json(body),
        ..bare.clone()
    }
}

//! Valid requests of every kind there is.

use crate::harness::application::{CALLBACK, VERIFIER, challenge};
use crate::harness::token_endpoint::{INVOICES, Proof};
use crate::harness::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_store::clients::Origin;

/// What a request carries.
#[derive(Clone)]
pub enum Body {
    Nothing,
    Form(Vec<(String, String)>),
    Json(Value),
}

/// A request that is right as it is.
#[derive(Clone)]
pub struct Seed {
    pub method: Method,
    pub path: String,
    pub query: Vec<(String, String)>,
    pub headers: Vec<(&'static str, String)>,
    pub body: Body,
    /// Whether a client proves who it is with it, in a header that is left alone.
    pub proves: bool,
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// Everything a client, a browser, a manager and a stranger send.
pub async fn seeds(world: &World) -> Vec<Seed> {
    let books = world.books().await;
    let member = world.member(&books.tenant, &["manager"]).await;
    let browser = world.browser_of(&books.tenant, member).await;
    let scope = "openid profile offline_access invoices:read invoices:send";
    let app = world.application(Origin::Operator, json!({"consent": "implied", "scope": scope})).await;
    let code = app.code(&browser, &[("scope", Some(scope))]).await;
    let (_, tokens) = app.redeem(&code).await;
    let access = tokens["access_token"].as_str().unwrap().to_owned();
    let refresh = tokens["refresh_token"].as_str().unwrap().to_owned();
    let service = books.service("clerk", "invoices:read").await;
    let Proof::Basic(secret) = &service.proof else { panic!("a service has a secret") };
    let basic = |id: &str, secret: &str| format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")));
    let as_app = basic(app.id.as_str(), app.secret.as_ref().unwrap());
    let as_service = basic(&service.id, secret);
    let request = pairs(&[
        ("client_id", app.id.as_str()),
        ("redirect_uri", CALLBACK),
        ("response_type", "code"),
        ("scope", scope),
        ("state", "s"),
        ("nonce", "n"),
        ("code_challenge", &challenge()),
        ("code_challenge_method", "S256"),
        ("resource", INVOICES),
        ("claims", r#"{"userinfo":{"name":null}}"#),
        ("max_age", "600"),
        ("prompt", "none"),
        ("acr_values", "urn:sinete:aal:1"),
        ("ui_locales", "pt en"),
    ]);
    let proven = |path: &str, proof: &str, form: Vec<(String, String)>| Seed {
        method: Method::POST,
        path: path.to_owned(),
        query: Vec::new(),
        headers: vec![("authorization", proof.to_owned())],
        body: Body::Form(form),
        proves: true,
    };
    let exchange = pairs(&[
        ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
        ("subject_token", &access),
        ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"),
        ("scope", "invoices:read"),
        ("resource", INVOICES),
    ]);
    let redeem = pairs(&[
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("code_verifier", VERIFIER),
        ("redirect_uri", CALLBACK),
    ]);
    let mut all = vec![
        proven(
            "/connect/token",
            &as_service,
            pairs(&[
                ("grant_type", "client_credentials"),
                ("scope", "invoices:read"),
                ("resource", INVOICES),
            ]),
        ),
        proven("/connect/token", &as_app, exchange),
        proven("/connect/token", &as_app, redeem),
        proven(
            "/connect/token",
            &as_app,
            pairs(&[("grant_type", "refresh_token"), ("refresh_token", &refresh), ("scope", "openid")]),
        ),
        proven(
            "/connect/introspect",
            &as_app,
            pairs(&[("token", &access), ("token_type_hint", "access_token")]),
        ),
        proven("/connect/introspect", &as_service, pairs(&[("token", &refresh)])),
        proven(
            "/connect/revoke",
            &as_service,
            pairs(&[("token", "sn_rt_x"), ("token_type_hint", "refresh_token")]),
        ),
        proven("/connect/par", &as_app, request.clone()),
    ];
    let bare = Seed {
        method: Method::GET,
        path: "/".to_owned(),
        query: Vec::new(),
        headers: Vec::new(),
        body: Body::Nothing,
        proves: false,
    };
    let session = ("authorization", format!("Session {}", browser.token));
    all.push(Seed {
        path: "/connect/authorize".to_owned(),
        query: request.clone(),
        headers: vec![session.clone()],
        ..bare.clone()
    });
    all.push(Seed {
        method: Method::POST,
        path: "/connect/authorize".to_owned(),
        body: Body::Form(request),
        headers: vec![session],
        ..bare.clone()
    });
    all.push(Seed {
        path: "/connect/userinfo".to_owned(),
        headers: vec![("authorization", format!("Bearer {access}"))],
        ..bare.clone()
    });
    all.push(registration(&bare));
    all.push(Seed { path: "/.well-known/openid-configuration".to_owned(), ..bare.clone() });
    let bearer = ("authorization", format!("Bearer {}", books.owner.secret));
    all.push(Seed {
        path: books.tenant.path("/clients"),
        query: pairs(&[("limit", "5")]),
        headers: vec![bearer.clone()],
        ..bare.clone()
    });
    let role = json!({"name": "reader", "permissions": ["invoices:read"]});
    all.push(Seed {
        method: Method::POST,
        path: books.tenant.path("/roles"),
        headers: vec![bearer],
        body: Body::Json(role),
        ..bare
    });
    all
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

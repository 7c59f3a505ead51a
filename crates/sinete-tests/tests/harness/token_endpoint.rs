//! Asking the token endpoint, as clients do.

use super::api::Somebody;
use super::tenants::{OWNERS_SCOPE, Tenant};
use super::world::World;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use sinete_core::signing::Algorithm;
use sinete_core::time::Lifetime;
use sinete_crypto::jwt::{self, Expected, TokenType};

/// The API of the stories.
pub const INVOICES: &str = "https://invoices.example";
/// Another one.
pub const FILES: &str = "https://files.example";

/// An organization with two APIs and roles at them: a clerk reads and sends invoices, a manager does whatever
/// can be done with invoices and reads files.
pub struct Books<'w> {
    /// Where.
    pub world: &'w World,
    /// The organization.
    pub tenant: Tenant,
    /// Somebody who owns it.
    pub owner: Somebody<'w>,
}

/// A client at the token endpoint.
#[derive(Clone)]
pub struct TokenClient<'w> {
    /// Where.
    pub world: &'w World,
    /// Its id.
    pub id: String,
    /// How it proves who it is.
    pub proof: Proof,
}

/// How a client proves who it is.
#[derive(Clone)]
pub enum Proof {
    /// Not at all.
    Nothing,
    /// With a secret in the header.
    Basic(String),
    /// With a secret in the body.
    Post(String),
}

/// What was answered.
#[derive(Clone, Debug)]
pub struct TokenReply {
    /// With what status.
    pub status: u16,
    /// With which headers.
    pub headers: HeaderMap,
    /// With what in it.
    pub body: Value,
    /// The same as text.
    pub text: String,
}

impl World {
    /// The organization of the stories about tokens.
    pub async fn books(&self) -> Books<'_> {
        let tenant = self.tenant("books").await;
        let owner = self.owner(&tenant).await;
        let permission =
            |name: &str| json!({"permission": name, "english": name, "irreversible": name.ends_with("void")});
        for (identifier, name, permissions) in [
            (INVOICES, "Invoices", vec!["invoices:read", "invoices:send", "invoices:void"]),
            (FILES, "Files", vec!["files:read"]),
        ] {
            let permissions: Vec<Value> = permissions.into_iter().map(permission).collect();
            let api = json!({"identifier": identifier, "name": name, "permissions": permissions});
            owner.post(&tenant.path("/apis"), api).await.is(201);
        }
        let everything = format!("{OWNERS_SCOPE} invoices:* files:*");
        let owner = self.key(&tenant, owner.membership, &everything).await;
        for (name, permissions) in
            [("clerk", vec!["invoices:read", "invoices:send"]), ("manager", vec!["invoices:*", "files:read"])]
        {
            let role = json!({"name": name, "permissions": permissions});
            owner.post(&tenant.path("/roles"), role).await.is(201);
        }
        Books { world: self, tenant, owner }
    }

    /// What a token of ours says, once its signature and type were found right.
    pub fn said(&self, token: &str, of_type: TokenType) -> Value {
        let engine = self.server.engine();
        let expected = Expected {
            of_type,
            algorithms: &Algorithm::ALL,
            issuer: &engine.settings().issuer,
            audience: None,
            now: engine.now(),
            tolerance: Lifetime::ZERO,
        };
        let claims = jwt::verify(token, engine.keys().published(engine.now()), &expected).unwrap();
        Value::Object(claims.members().clone())
    }
}

impl<'w> Books<'w> {
    /// A service or agent of the organization that carries this role and says this about itself.
    pub async fn machine(&self, kind: &str, role: &str, metadata: Value) -> TokenClient<'w> {
        let listed = self.owner.get(&self.tenant.path("/roles")).await.is(200);
        let roles = listed.body["items"].as_array().unwrap();
        let role = roles.iter().find(|it| it["name"] == role).unwrap()["id"].clone();
        let mut wanted = json!({"kind": kind, "roles": [role], "purpose": "Counts", "metadata": metadata});
        if kind == "agent" {
            wanted["owner"] = json!(self.owner.membership);
        }
        let made = self.owner.post(&self.tenant.path("/clients"), wanted).await.is(201);
        let proof = match (made.body["client_secret"].as_str(), &metadata["token_endpoint_auth_method"]) {
            (None, _) => Proof::Nothing,
            (Some(secret), method) if method == "client_secret_post" => Proof::Post(secret.to_owned()),
            (Some(secret), _) => Proof::Basic(secret.to_owned()),
        };
        TokenClient { world: self.world, id: made.text_of("id"), proof }
    }

    /// A service that may ask for this scope for itself.
    pub async fn service(&self, role: &str, scope: &str) -> TokenClient<'w> {
        let grants = ["client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange"];
        let metadata = json!({"client_name": "Robot", "grant_types": grants, "scope": scope});
        self.machine("service", role, metadata).await
    }
}

impl TokenClient<'_> {
    /// Asks with these parameters.
    pub async fn ask(&self, parameters: &[(&str, &str)]) -> TokenReply {
        let mut form = parameters.to_vec();
        let mut request = self.world.http.post(self.world.public("/connect/token"));
        match &self.proof {
            Proof::Nothing => form.push(("client_id", &self.id)),
            Proof::Basic(secret) => request = request.basic_auth(&self.id, Some(secret)),
            Proof::Post(secret) => form.extend([("client_id", self.id.as_str()), ("client_secret", secret)]),
        }
        TokenReply::of(request.form(&form).send().await.unwrap()).await
    }

    /// Asks for itself.
    pub async fn for_itself(&self, parameters: &[(&str, &str)]) -> TokenReply {
        self.ask(&[&[("grant_type", "client_credentials")], parameters].concat()).await
    }
}

impl TokenReply {
    /// What an answer said.
    pub async fn of(answer: reqwest::Response) -> Self {
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let text = answer.text().await.unwrap();
        let body = serde_json::from_str(&text).unwrap_or_default();
        Self { status, headers, body, text }
    }

    /// It must hold a token, that nobody keeps and every origin's script may read.
    #[track_caller]
    pub fn granted(self) -> Self {
        assert_eq!(self.status, 200, "{}", self.text);
        assert_eq!(
            (&self.body["token_type"], self.body["expires_in"].as_i64().is_some()),
            (&json!("Bearer"), true)
        );
        self.as_always()
    }

    /// It must be refused with this word, and nothing that was sent may come back.
    #[track_caller]
    pub fn refused(self, error: &str) -> Self {
        let status = if error == "invalid_client" { 401 } else { 400 };
        assert_eq!((self.status, &self.body["error"]), (status, &json!(error)), "{}", self.text);
        let members: Vec<&String> = self.body.as_object().unwrap().keys().collect();
        assert_eq!(members, ["error", "error_description"], "{}", self.text);
        self.as_always()
    }

    #[track_caller]
    fn as_always(self) -> Self {
        assert_eq!(self.headers["cache-control"], "no-store");
        assert_eq!(self.headers["access-control-allow-origin"], "*");
        assert!(!self.headers.contains_key("access-control-allow-credentials"));
        self
    }

    /// A text in it.
    #[track_caller]
    pub fn text_of(&self, member: &str) -> String {
        self.body[member].as_str().unwrap_or_else(|| panic!("no {member} in {}", self.text)).to_owned()
    }

    /// The access token in it.
    #[track_caller]
    pub fn access_token(&self) -> String {
        self.text_of("access_token")
    }
}

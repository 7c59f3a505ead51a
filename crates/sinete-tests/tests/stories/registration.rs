//! Clients that register themselves, and what they may do to their registration afterwards.

mod applying;
mod hygiene;
mod managing;
mod pace;
mod sectors;
mod trust;
mod wrong;

use crate::harness::world::World;
use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

/// What was answered.
pub struct ClientRegistrationReply {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Value,
    pub text: String,
}

impl ClientRegistrationReply {
    #[track_caller]
    pub fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text);
        self
    }

    #[track_caller]
    pub fn refused(self, status: u16, error: &str) -> Self {
        let answer = self.is(status);
        assert_eq!(answer.body["error"], error, "{}", answer.text);
        answer
    }

    #[track_caller]
    pub fn text_of(&self, member: &str) -> String {
        self.body[member].as_str().unwrap_or_else(|| panic!("no {member} in {}", self.text)).to_owned()
    }
}

/// The four fields that suffice.
pub fn four_fields() -> Value {
    json!({
        "client_name": "Notes",
        "redirect_uris": ["http://127.0.0.1/callback"],
        "token_endpoint_auth_method": "none",
        "scope": "openid invoices:read",
    })
}

/// The same with other members beside them.
pub fn four_fields_and(more: Value) -> Value {
    let mut document = four_fields();
    document.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    document
}

pub async fn asked(
    world: &World,
    method: Method,
    path: &str,
    bearer: Option<&str>,
    body: Option<&Value>,
) -> ClientRegistrationReply {
    let mut request = world.http.request(method, world.public(path));
    if let Some(bearer) = bearer {
        request = request.bearer_auth(bearer);
    }
    if let Some(body) = body {
        request = request.header("content-type", "application/json").body(body.to_string());
    }
    let answer = request.send().await.unwrap();
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    let text = answer.text().await.unwrap();
    ClientRegistrationReply { status, headers, body: serde_json::from_str(&text).unwrap_or_default(), text }
}

/// Registers a client without showing anything.
pub async fn register(world: &World, document: &Value) -> ClientRegistrationReply {
    asked(world, Method::POST, "/connect/register", None, Some(document)).await
}

/// A client with the token that manages its registration.
pub struct TestRegistration {
    pub id: String,
    pub token: String,
}

impl TestRegistration {
    pub fn of(answer: &ClientRegistrationReply) -> Self {
        Self { id: answer.text_of("client_id"), token: answer.text_of("registration_access_token") }
    }

    pub async fn new(world: &World) -> Self {
        Self::of(&register(world, &four_fields()).await.is(201))
    }

    pub async fn read(&self, world: &World, token: &str) -> ClientRegistrationReply {
        asked(world, Method::GET, &self.path(), Some(token), None).await
    }

    pub async fn replace(&self, world: &World, token: &str, document: &Value) -> ClientRegistrationReply {
        asked(world, Method::PUT, &self.path(), Some(token), Some(document)).await
    }

    pub async fn remove(&self, world: &World, token: &str) -> ClientRegistrationReply {
        asked(world, Method::DELETE, &self.path(), Some(token), None).await
    }

    /// The four fields and its own id, with these beside them.
    pub fn document(&self, more: Value) -> Value {
        let mut document = four_fields_and(more);
        document["client_id"] = self.id.as_str().into();
        document
    }

    fn path(&self) -> String {
        format!("/connect/register/{}", self.id)
    }
}

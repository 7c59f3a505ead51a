//! Dynamic client registration and the client configuration endpoint.

mod cleanup;
mod configuration;
mod invalid_requests;
mod rate_limit;
mod requests;
mod scope_ceiling;
mod sector_identifiers;
mod trust;

use crate::harness::world::World;
use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

/// The response of the registration endpoint.
pub struct ClientRegistrationReply {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Value,
    pub text: String,
}

impl ClientRegistrationReply {
    #[track_caller]
    pub fn assert_status(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text);
        self
    }

    #[track_caller]
    pub fn assert_oauth_error(self, status: u16, error: &str) -> Self {
        let answer = self.assert_status(status);
        assert_eq!(answer.body["error"], error, "{}", answer.text);
        answer
    }

    #[track_caller]
    pub fn text_member(&self, member: &str) -> String {
        self.body[member].as_str().unwrap_or_else(|| panic!("no {member} in {}", self.text)).to_owned()
    }
}

/// The four fields that are enough.
pub fn minimal_metadata() -> Value {
    json!({
        "client_name": "Notes",
        "redirect_uris": ["http://127.0.0.1/callback"],
        "token_endpoint_auth_method": "none",
        "scope": "openid invoices:read",
    })
}

/// The four fields and others.
pub fn minimal_metadata_with(extra_metadata: Value) -> Value {
    let mut document = minimal_metadata();
    document.as_object_mut().unwrap().extend(extra_metadata.as_object().unwrap().clone());
    document
}

pub async fn send_request(
    world: &World,
    method: Method,
    path: &str,
    bearer: Option<&str>,
    body: Option<&Value>,
) -> ClientRegistrationReply {
    let mut request = world.http.request(method, world.public_url(path));
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

/// Registers a client without authentication.
pub async fn register_client(world: &World, document: &Value) -> ClientRegistrationReply {
    send_request(world, Method::POST, "/connect/register", None, Some(document)).await
}

/// A client with its registration access token.
pub struct TestRegistration {
    pub id: String,
    pub token: String,
}

impl TestRegistration {
    pub fn from_response(answer: &ClientRegistrationReply) -> Self {
        Self { id: answer.text_member("client_id"), token: answer.text_member("registration_access_token") }
    }

    pub async fn new(world: &World) -> Self {
        Self::from_response(&register_client(world, &minimal_metadata()).await.assert_status(201))
    }

    pub async fn read(&self, world: &World, token: &str) -> ClientRegistrationReply {
        send_request(world, Method::GET, &self.path(), Some(token), None).await
    }

    pub async fn replace(&self, world: &World, token: &str, document: &Value) -> ClientRegistrationReply {
        send_request(world, Method::PUT, &self.path(), Some(token), Some(document)).await
    }

    pub async fn remove(&self, world: &World, token: &str) -> ClientRegistrationReply {
        send_request(world, Method::DELETE, &self.path(), Some(token), None).await
    }

    /// The four fields and the client id, with others.
    pub fn document(&self, extra_metadata: Value) -> Value {
        let mut document = minimal_metadata_with(extra_metadata);
        document["client_id"] = self.id.as_str().into();
        document
    }

    fn path(&self) -> String {
        format!("/connect/register/{}", self.id)
    }
}

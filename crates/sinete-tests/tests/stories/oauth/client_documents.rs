//! Client ID Metadata Documents: the client id is the URL of the client's metadata.

mod caching;
mod code_flow;
mod invalid_documents;
mod policy;

use crate::harness::oauth_application::{BrowserSession, OAuthApplication};
use crate::harness::organizations::TestOrganization;
use crate::harness::world::World;
use serde_json::{Value, json};

/// The URL of the document.
const CLIENT: &str = "https://notes.example/oauth/client.json";
/// The redirect URI in the document.
const NOTES_CALLBACK: &str = "https://notes.example/callback";

/// The document, with changes.
fn document(extra_members: Value) -> Value {
    let mut document =
        json!({"client_id": CLIENT, "client_name": "Notes", "redirect_uris": [NOTES_CALLBACK]});
    document.as_object_mut().unwrap().extend(extra_members.as_object().unwrap().clone());
    document
}

/// The client, as an application that sends requests.
fn application<'w>(world: &'w World, url: &str) -> OAuthApplication<'w> {
    OAuthApplication { world, id: url.parse().unwrap(), secret: None, callback: NOTES_CALLBACK.to_owned() }
}

/// An organization with a signed-in member.
async fn signed_in(world: &World) -> (TestOrganization, BrowserSession) {
    let acme = world.create_organization("acme").await;
    let ana = world.create_member(&acme, &["member"]).await;
    let browser = world.create_member_browser(&acme, ana).await;
    (acme, browser)
}

/// The path of the client in the management API.
fn client_path(suffix: &str) -> String {
    let id: String = url::form_urlencoded::byte_serialize(CLIENT.as_bytes()).collect();
    format!("/manage/clients/{id}{suffix}")
}

/// How many self-registered clients are stored.
async fn stored_clients(world: &World) -> usize {
    let operator = world.create_operator().await;
    let response = operator.get("/manage/clients?origin=self").await.assert_status(200);
    response.body["items"].as_array().unwrap().len()
}

//! The device authorization grant (RFC 8628).

mod confirmation;
mod pages;
mod polling;
mod requests;
mod user_code_attempts;

use crate::harness::oauth_application::{BrowserSession, OAuthApplication};
use crate::harness::token_endpoint::TokenFixture;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::id::MembershipId;
use sinete_store::oauth::clients::ClientOrigin;

/// An organization with APIs, a signed-in clerk, and an operator's client on a device.
struct Scene<'w> {
    books: TokenFixture<'w>,
    clerk: MembershipId,
    browser: BrowserSession,
    tv: OAuthApplication<'w>,
}

const SCOPE: &str = "openid offline_access invoices:read invoices:send";

async fn scene(world: &World) -> Scene<'_> {
    let books = world.create_token_fixture().await;
    let clerk = books.create_member("clerk").await;
    let browser = world.create_member_browser(&books.tenant, clerk).await;
    let tv = world.create_device_client(ClientOrigin::Operator, json!({"scope": SCOPE})).await;
    Scene { books, clerk, browser, tv }
}

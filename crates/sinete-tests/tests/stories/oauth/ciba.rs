//! OpenID CIBA: clients ask users for approval.

mod administrators;
mod approval;
mod enrollment;
mod pages;
mod ping;
mod polling;
mod rate_limits;
mod requests;
mod signed_requests;

use crate::harness::oauth_application::OAuthApplication;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::token_endpoint::TokenFixture;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::id::MembershipId;
use sinete_store::oauth::clients::ClientOrigin;

const ANA: &str = "ana@example.com";
const SCOPE: &str = "openid offline_access invoices:read invoices:send invoices:void";

/// An organization with APIs, a member with two factors, and an operator's agent.
struct Scene<'w> {
    books: TokenFixture<'w>,
    clerk: MembershipId,
    ana: SignedInUser<'w>,
    agent: OAuthApplication<'w>,
}

async fn scene(world: &World) -> Scene<'_> {
    let books = world.create_token_fixture().await;
    let user = world.create_user(ANA).await;
    let clerk =
        crate::stories::oauth::authorize::add_member(world, user.account, &books.tenant, "clerk").await;
    let ana = world.sign_in_at_aal2(user.account).await;
    let agent = world.create_ciba_client(ClientOrigin::Operator, json!({"scope": SCOPE})).await;
    Scene { books, clerk, ana, agent }
}

//! Authorization requests.

mod claims_by_name;
mod code_flow;
mod consent;
mod enrollment;
mod flows;
mod granted_permissions;
mod id_token_claims;
mod organization_selection;
mod prompt_none;
mod pushed_requests;
mod redirect_uris;
mod request_objects;
mod responses;
mod role_claims;
mod scopes;
mod sign_up;
mod step_up;
mod walkthrough;

use crate::harness::flow_client::FlowClient;
use crate::harness::oauth_application::{BrowserSession, OAuthApplication};
use crate::harness::organizations::TestOrganization;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::id::{AccountId, MembershipId};
use sinete_store::JsonDocument;
use sinete_store::oauth::clients::ClientOrigin;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::{MembershipHolder, NewMembership};
use sinete_store::organizations::roles;

/// An operator's application without consent, and a signed-in member of one organization.
struct AuthorizeFixture<'w> {
    app: OAuthApplication<'w>,
    browser: BrowserSession,
    acme: TestOrganization,
}

async fn create_fixture(world: &World) -> AuthorizeFixture<'_> {
    let acme = world.create_organization("acme").await;
    let ana = world.create_member(&acme, &["member"]).await;
    let browser = world.create_member_browser(&acme, ana).await;
    let app = create_trusted_application(world, json!({})).await;
    AuthorizeFixture { app, browser, acme }
}

/// An operator's application without consent.
async fn create_trusted_application(world: &World, extra_metadata: Value) -> OAuthApplication<'_> {
    let mut metadata = json!({"consent": "implied"});
    metadata.as_object_mut().unwrap().extend(extra_metadata.as_object().unwrap().clone());
    world.create_application(ClientOrigin::Operator, metadata).await
}

/// Makes an account a member of an organization with one role.
pub(crate) async fn add_member(
    world: &World,
    account: AccountId,
    tenant: &TestOrganization,
    role: &str,
) -> MembershipId {
    let engine = world.server.engine();
    let (now, id) = (engine.now(), MembershipId::mint(engine.now(), engine.entropy()));
    let all = roles::list_roles(engine.store(), tenant.id).await.unwrap();
    let role = all.iter().find(|it| it.role.name() == role).unwrap().id;
    let membership = NewMembership {
        id,
        organization: tenant.id,
        holder: &MembershipHolder::User(account),
        profile: &JsonDocument::from_value(&json!({})).unwrap(),
        external_id: None,
        created_at: now,
    };
    world
        .apply_statements([memberships::create_membership(&membership), memberships::add_role(id, role, now)])
        .await;
    id
}

/// Sends an authorization request as a signed-in user and starts the flow it leads to.
pub async fn start_authorization_flow<'w>(
    app: &OAuthApplication<'w>,
    browser: &BrowserSession,
) -> FlowClient<'w> {
    flows::enters(app, Some(browser), &[]).await
}

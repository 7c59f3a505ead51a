//! Asking for somebody's authorization.

mod addresses;
mod afterwards;
mod answers;
mod consent;
mod flows;
mod named_claims;
mod organizations;
mod pushed;
mod scopes;
mod signed;
mod silently;
mod step_up;
mod walkthrough;
mod whole;

use crate::harness::application::{Application, Browser};
use crate::harness::person::Walk;
use crate::harness::tenants::Tenant;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::id::{AccountId, MembershipId};
use sinete_store::clients::Origin;
use sinete_store::memberships::{self, Holder, NewMembership};
use sinete_store::{Document, roles};

/// An operator's application whose people are not asked, and somebody of one organization who is signed in.
struct Scene<'w> {
    app: Application<'w>,
    browser: Browser,
    acme: Tenant,
}

async fn scene(world: &World) -> Scene<'_> {
    let acme = world.tenant("acme").await;
    let ana = world.member(&acme, &["member"]).await;
    let browser = world.browser_of(&acme, ana).await;
    let app = trusted(world, json!({})).await;
    Scene { app, browser, acme }
}

/// An operator's application whose people are not asked.
async fn trusted(world: &World, more: Value) -> Application<'_> {
    let mut metadata = json!({"consent": "implied"});
    metadata.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    world.application(Origin::Operator, metadata).await
}

/// Makes a person a member of an organization, with one role.
pub(crate) async fn joins(world: &World, account: AccountId, tenant: &Tenant, role: &str) -> MembershipId {
    let engine = world.server.engine();
    let (now, id) = (engine.now(), MembershipId::mint(engine.now(), engine.entropy()));
    let all = roles::of_organization(engine.store(), tenant.id).await.unwrap();
    let role = all.iter().find(|it| it.role.name() == role).unwrap().id;
    let membership = NewMembership {
        id,
        organization: tenant.id,
        holder: &Holder::Person(account),
        profile: &Document::of(&json!({})).unwrap(),
        external_id: None,
        created_at: now,
    };
    world.happens([memberships::create(&membership), memberships::give_role(id, role, now)]).await;
    id
}

/// Asks as somebody who is signed in, and walks into the flow that this leads to.
pub async fn enters<'w>(app: &Application<'w>, browser: &Browser) -> Walk<'w> {
    flows::enters(app, Some(browser), &[]).await
}

//! Asking for somebody's authorization.

mod addresses;
mod answers;
mod organizations;
mod pushed;
mod scopes;
mod signed;
mod silently;
mod whole;

use crate::harness::application::{Application, Browser};
use crate::harness::tenants::Tenant;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_store::clients::Origin;

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

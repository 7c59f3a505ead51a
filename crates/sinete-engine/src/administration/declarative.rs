//! The instance as a document, and a document as changes to the instance. Everything goes through the same use
//! cases as anybody's changes, so each is judged, guarded and recorded like them.

mod apply;
mod current_state;
mod identity_providers;
mod webhooks;

pub use apply::apply_change;
pub use current_state::{export_instance, load_current};
pub use webhooks::{DeclaredSecrets, find_faults};

use crate::{Engine, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::administration::declarative::plan::DeclarativeChange;
use sinete_core::organizations::OrganizationSlug;
use sinete_store::organizations;
use std::collections::BTreeSet;

/// The organizations the changes concern that accept none, because they are suspended or have ended.
pub async fn find_unchangeable_organizations(
    engine: &Engine,
    changes: &[DeclarativeChange],
) -> Result<BTreeSet<OrganizationSlug>, Failure> {
    let mut closed = BTreeSet::new();
    for slug in changes.iter().flat_map(affected_organizations) {
        let found = organizations::find_organization_by_slug(engine.store(), slug, engine.now()).await?;
        if found.is_some_and(|it| it.condition != LifecycleCondition::Enabled) {
            closed.insert(slug.clone());
        }
    }
    Ok(closed)
}

/// The organizations in which something changes.
fn affected_organizations(change: &DeclarativeChange) -> Vec<&OrganizationSlug> {
    match change {
        DeclarativeChange::CreateOrganization(slug, _)
        | DeclarativeChange::UpdateOrganization(slug, ..)
        | DeclarativeChange::CreateRole(slug, ..)
        | DeclarativeChange::UpdateRole(slug, ..)
        | DeclarativeChange::RemoveRole(slug, _)
        | DeclarativeChange::SignOn(slug, _) => vec![slug],
        DeclarativeChange::CreateApi(_, api) | DeclarativeChange::UpdateApi(_, api, _) => {
            api.organization.iter().collect()
        }
        DeclarativeChange::CreateClient(_, client) | DeclarativeChange::UpdateClient(_, client, _) => {
            client.organization.iter().collect()
        }
        DeclarativeChange::CreateWebhook(owner, ..)
        | DeclarativeChange::UpdateWebhook(owner, ..)
        | DeclarativeChange::RemoveWebhook(owner, _) => owner.iter().collect(),
        // What goes is found by name only; a suspended organization refuses it when it comes to that.
        DeclarativeChange::RemoveClient(_) | DeclarativeChange::RemoveApi(_) => Vec::new(),
    }
}

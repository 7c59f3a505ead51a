//! Declarative configuration: the instance as a document, and a document as changes. Every change uses the
//! same functions as the management API, so it is checked, guarded and recorded in the same way.

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

/// Finds the affected organizations that accept no changes, because they are suspended or deleted.
pub async fn find_unchangeable_organizations(
    engine: &Engine,
    changes: &[DeclarativeChange],
) -> Result<BTreeSet<OrganizationSlug>, Failure> {
    let mut closed = BTreeSet::new();
    for slug in changes.iter().flat_map(affected_organizations) {
        let organization =
            organizations::find_organization_by_slug(engine.store(), slug, engine.now()).await?;
        if organization.is_some_and(|it| it.condition != LifecycleCondition::Enabled) {
            closed.insert(slug.clone());
        }
    }
    Ok(closed)
}

/// The organizations that a change affects.
fn affected_organizations(change: &DeclarativeChange) -> Vec<&OrganizationSlug> {
    match change {
        DeclarativeChange::CreateOrganization(slug, _)
        | DeclarativeChange::UpdateOrganization(slug, ..)
        | DeclarativeChange::CreateRole(slug, ..)
        | DeclarativeChange::UpdateRole(slug, ..)
        | DeclarativeChange::RemoveRole(slug, _)
        | DeclarativeChange::SingleSignOn(slug, _) => vec![slug],
        DeclarativeChange::CreateApi(_, api) | DeclarativeChange::UpdateApi(_, api, _) => {
            api.organization.iter().collect()
        }
        DeclarativeChange::CreateClient(_, client) | DeclarativeChange::UpdateClient(_, client, _) => {
            client.organization.iter().collect()
        }
        DeclarativeChange::CreateWebhook(owner, ..)
        | DeclarativeChange::UpdateWebhook(owner, ..)
        | DeclarativeChange::RemoveWebhook(owner, _) => owner.iter().collect(),
        // Removals name no organization here; a suspended organization rejects them when they are applied.
        DeclarativeChange::RemoveClient(_) | DeclarativeChange::RemoveApi(_) => Vec::new(),
    }
}

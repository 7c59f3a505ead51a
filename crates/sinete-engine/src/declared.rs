//! The instance as a document, and a document as changes to the instance. Everything goes through the same use
//! cases as anybody's changes, so each is judged, guarded and recorded like them.

mod carry_out;
mod current;
mod sign_on;
mod webhooks;

pub use carry_out::carry_out;
pub use current::{current, exported};
pub use webhooks::{FoundSecrets, misfits};

use crate::{Engine, Failed};
use sinete_core::declared::plan::Change;
use sinete_core::people::Condition;
use sinete_core::people::organization::Slug;
use sinete_store::organizations;
use std::collections::BTreeSet;

/// The organizations the changes concern that accept none, because they are suspended or have ended.
pub async fn closed(engine: &Engine, changes: &[Change]) -> Result<BTreeSet<Slug>, Failed> {
    let mut closed = BTreeSet::new();
    for slug in changes.iter().flat_map(concerned) {
        let found = organizations::find_by_slug(engine.store(), slug, engine.now()).await?;
        if found.is_some_and(|it| it.condition != Condition::Enabled) {
            closed.insert(slug.clone());
        }
    }
    Ok(closed)
}

/// The organizations in which something changes.
fn concerned(change: &Change) -> Vec<&Slug> {
    match change {
        Change::CreateOrganization(slug, _)
        | Change::UpdateOrganization(slug, ..)
        | Change::CreateRole(slug, ..)
        | Change::UpdateRole(slug, ..)
        | Change::RemoveRole(slug, _)
        | Change::SignOn(slug, _) => vec![slug],
        Change::CreateApi(_, api) | Change::UpdateApi(_, api, _) => api.organization.iter().collect(),
        Change::CreateClient(_, client) | Change::UpdateClient(_, client, _) => {
            client.organization.iter().collect()
        }
        Change::CreateWebhook(owner, ..)
        | Change::UpdateWebhook(owner, ..)
        | Change::RemoveWebhook(owner, _) => owner.iter().collect(),
        // What goes is found by name only; a suspended organization refuses it when it comes to that.
        Change::RemoveClient(_) | Change::RemoveApi(_) => Vec::new(),
    }
}

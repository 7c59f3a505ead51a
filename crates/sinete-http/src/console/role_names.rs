//! Roles that a form names, where there are too many for a checkbox each.

use super::PageContext;
use crate::console::page::ConsolePage;
use sinete_engine::UseCaseResult;
use sinete_engine::organizations::members;
use sinete_engine::organizations::members::AssignableRole;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerError;

/// The field with the names, separated by commas.
const ROLE_NAMES_FIELD: &str = "role_names";

/// A form whose named roles are ticked.
pub(super) struct NamedRoles {
    /// The form, as if each role had been ticked.
    pub(super) form: FormParams,
    /// Whether the user may assign a role of every name.
    pub(super) are_known: bool,
}

/// Ticks the roles that a form names, so that what reads the form knows only ticked roles. A name counts as it is stored
/// and as the page shows it.
pub(super) async fn tick_named_roles(
    work: &PageContext<'_>,
    form: &FormParams,
) -> Result<NamedRoles, HandlerError> {
    let has_roles = matches!(
        work.return_to.page,
        ConsolePage::Member(_)
            | ConsolePage::Invitations
            | ConsolePage::Applications
            | ConsolePage::Application(_)
    );
    let Some(names) = form.get(ROLE_NAMES_FIELD).filter(|_| has_roles) else {
        return Ok(NamedRoles { form: form.clone(), are_known: true });
    };
    let offered = members::list_assignable_roles(work.engine(), work.access.organization_access()).await;
    let offered = offered.unless_refused()?.unwrap_or_default();
    let others = form.iter().filter(|(name, _)| *name != ROLE_NAMES_FIELD);
    let mut pairs: Vec<(String, String)> =
        others.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let mut are_known = true;
    for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let role = offered.iter().find(|it| it.is_assignable && is_called(work, it, name));
        let field = role.map(|it| format!("role.{}", it.role.id));
        are_known &= field.is_some();
        let field = field.filter(|field| !pairs.iter().any(|(known, _)| known == field));
        pairs.extend(field.map(|field| (field, "on".to_owned())));
    }
    Ok(NamedRoles { form: FormParams::from_pairs(pairs), are_known })
}

fn is_called(work: &PageContext<'_>, offered: &AssignableRole, name: &str) -> bool {
    let (stored, wanted) = (offered.role.role.name(), name.to_lowercase());
    let shown = work.words().role_names.join([stored]);
    stored.to_lowercase() == wanted || shown.to_lowercase() == wanted
}

//! The overview page of an organization.

use super::PageContext;
use super::organization_steps::load_setup_steps;
use super::usage_blocks::load_overview_blocks;
use sinete_core::access_control::permission_catalog::{PERMISSION_CATALOG, PermissionReach};
use sinete_engine::organizations::roles::RoleRow;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::overview::OverviewView;
use sinete_screens::language::UiLanguage;
use sinete_server::reply::HandlerResult;

pub(super) async fn show_overview(context: &PageContext<'_>) -> HandlerResult {
    let language = context.reader.language;
    let permissions = PERMISSION_CATALOG.iter().filter(|it| {
        it.reach == PermissionReach::Organization && context.access.has_permission(it.permission)
    });
    let may: Vec<&str> =
        permissions.map(|it| language.describe_permission(it.permission).unwrap_or(it.english)).collect();
    let organization = &context.access.organization_access().organization;
    let usage = load_overview_blocks(context).await?;
    let steps = load_setup_steps(context).await?;
    let roles = role_names(&context.access.roles, language);
    let page = OverviewView {
        layout: context.layout(ConsoleSection::Overview),
        id: &organization.id.to_string(),
        roles: &roles,
        steps: steps.as_ref(),
        figures: usage.as_ref().map(|(figures, _)| figures),
        chart: usage.as_ref().map(|(_, chart)| chart),
        permissions: &may,
    };
    Ok(context.page_response(page.render(&context.frame())))
}

/// The names of roles, for display.
pub(super) fn role_names(roles: &[RoleRow], language: UiLanguage) -> String {
    language.phrases().role_names.join(roles.iter().map(|role| role.role.name()))
}

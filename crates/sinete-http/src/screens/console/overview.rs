//! What an organization is, and what the person may do in it.

use super::PageContext;
use axum::response::Response;
use sinete_core::authority::catalogue::{CATALOGUE, PermissionReach};
use sinete_engine::roles::RoleRow;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::overview::OverviewView;
use sinete_screens::language::UiLanguage;

pub(super) fn show(work: &PageContext<'_>) -> Response {
    let language = work.reader.language;
    let held = CATALOGUE
        .iter()
        .filter(|it| it.reach == PermissionReach::Organization && work.at.holds(it.permission));
    let may: Vec<&str> = held
        .map(|it| match language {
            UiLanguage::English => it.english,
            UiLanguage::Portuguese => it.portuguese,
        })
        .collect();
    let organization = &work.at.acting().organization;
    let own = roles(&work.at.roles, language);
    let page = OverviewView {
        desk: work.desk(ConsoleSection::Overview),
        id: &organization.id.to_string(),
        roles: &own,
        may: &may,
    };
    work.answer(page.page(&work.frame()))
}

/// Roles, as they are read.
pub(super) fn roles(carried: &[RoleRow], language: UiLanguage) -> String {
    language.words().roles.read(carried.iter().map(|role| role.role.name()))
}

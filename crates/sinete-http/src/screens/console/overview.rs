//! What an organization is, and what the person may do in it.

use super::Work;
use axum::response::Response;
use sinete_core::authority::catalogue::{CATALOGUE, Reach};
use sinete_engine::roles::StoredRole;
use sinete_screens::console::Section;
use sinete_screens::console::overview::Overview;
use sinete_screens::language::Language;

pub(super) fn show(work: &Work<'_>) -> Response {
    let language = work.reader.language;
    let held = CATALOGUE.iter().filter(|it| it.reach == Reach::Organization && work.at.holds(it.permission));
    let may: Vec<&str> = held
        .map(|it| match language {
            Language::English => it.english,
            Language::Portuguese => it.portuguese,
        })
        .collect();
    let organization = &work.at.acting().organization;
    let own = roles(&work.at.roles, language);
    let page = Overview {
        desk: work.desk(Section::Overview),
        id: &organization.id.to_string(),
        roles: &own,
        may: &may,
    };
    work.answer(page.page(&work.frame()))
}

/// Roles, as they are read.
pub(super) fn roles(carried: &[StoredRole], language: Language) -> String {
    language.words().roles.read(carried.iter().map(|role| role.role.name()))
}

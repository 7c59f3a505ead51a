//! The pages of the instance, for members of the operators' organization.

mod apis;
mod applications;
mod assignments;
mod health;
mod health_checks;
mod messages;
pub(super) mod organizations;
mod overview;
mod security_log;
mod settings;
mod signing_keys;
mod usage;
mod user_access;
mod users;
mod webhooks;

pub(super) use apis::{FIELDS, api_blocks, api_columns, api_row};

use super::operations::OperationPage;
use sinete_screens::console::block_page::CellTone;
use sinete_screens::locales::LocalePhrases;

/// The pages, by section.
pub(super) const PAGES: &[&[OperationPage]] = &[
    overview::PAGES,
    organizations::PAGES,
    users::PAGES,
    applications::PAGES,
    apis::PAGES,
    signing_keys::PAGES,
    messages::PAGES,
    webhooks::PAGES,
    security_log::PAGES,
    usage::PAGES,
    assignments::PAGES,
    settings::PAGES,
    health::PAGES,
    health_checks::PAGES,
];

/// The conditions of organizations, accounts and clients.
const fn condition_labels(phrases: &LocalePhrases) -> [(&str, &str, CellTone); 5] {
    [
        ("enabled", phrases.instance.enabled, CellTone::Good),
        ("suspended", phrases.instance.suspended, CellTone::Warn),
        ("disabled", phrases.instance.disabled, CellTone::Warn),
        ("ended", phrases.instance.ended, CellTone::Plain),
        ("deleted", phrases.instance.ended, CellTone::Plain),
    ]
}

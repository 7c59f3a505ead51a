//! Pages of an organization that show and call operations.

mod apis;
mod approvals;
mod grants;
mod member_profile;
mod scim;
mod settings;
mod setup_links;
mod usage;

use super::operations::OperationPage;

/// The pages, by section.
pub(super) const PAGES: &[&[OperationPage]] = &[
    member_profile::PAGES,
    apis::PAGES,
    grants::PAGES,
    approvals::PAGES,
    scim::PAGES,
    settings::PAGES,
    setup_links::PAGES,
    usage::PAGES,
];

//! The rows about the trail.

use super::super::managed;
use super::lists;
use crate::manage::audit;
use crate::route::Needs::InOrganization;
use crate::route::Verb::Get;
use crate::route::{Operation, Outcome, Route, Tag};

pub(super) const ROUTES: &[Route] = &[Route {
    description: "Shows who did what in an organization and to it, in pages or whole as a file.",
    ..managed(
        Get,
        "/manage/organizations/{organization}/audit",
        InOrganization("audit:read"),
        Operation {
            query: audit::QUERY,
            outcome: Outcome::ShownOrExported(&audit::AUDIT_ENTRY, audit::EXPORTS),
            ..lists("listAuditEntries", Tag::Audit, &audit::AUDIT_ENTRY)
        },
        |state, call| Box::pin(audit::list(state, call)),
    )
}];

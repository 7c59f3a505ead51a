//! The rows about the trail.

use super::super::managed;
use super::lists;
use crate::manage::audit;
use crate::route::RequiredPermission::InOrganization;
use crate::route::RouteMethod::Get;
use crate::route::{ApiOperation, OperationOutcome, OperationTag, RouteEntry};

pub(super) const ROUTES: &[RouteEntry] = &[RouteEntry {
    description: "Shows who did what in an organization and to it, in pages or whole as a file.",
    ..managed(
        Get,
        "/manage/organizations/{organization}/audit",
        InOrganization("audit:read"),
        ApiOperation {
            query: audit::QUERY,
            outcome: OperationOutcome::ShownOrExported(&audit::AUDIT_ENTRY, audit::EXPORTS),
            ..lists("listAuditEntries", OperationTag::Audit, &audit::AUDIT_ENTRY)
        },
        |state, call| Box::pin(audit::list(state, call)),
    )
}];

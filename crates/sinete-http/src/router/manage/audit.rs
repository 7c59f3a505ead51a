//! The rows about the trail.

use super::super::management_route;
use super::list_operation;
use crate::manage::audit;
use crate::route::RequiredPermission::InOrganization;
use crate::route::RouteMethod::Get;
use crate::route::{ApiOperation, OperationOutcome, OperationTag, RouteEntry};

pub(super) const ROUTES: &[RouteEntry] = &[RouteEntry {
    description: "Shows who did what in an organization and to it, in pages or whole as a file.",
    ..management_route(
        Get,
        "/manage/organizations/{organization}/audit",
        InOrganization("audit:read"),
        ApiOperation {
            query: audit::QUERY,
            outcome: OperationOutcome::ResourceOrExport(&audit::AUDIT_ENTRY, audit::EXPORTS),
            ..list_operation("listAuditEntries", OperationTag::Audit, &audit::AUDIT_ENTRY)
        },
        |state, call| Box::pin(audit::list_audit_log(state, call)),
    )
}];

//! The routes of the audit log.

use crate::events::audit_log::handlers;
use crate::management_api::operations::list_operation;
use crate::management_api::operations::management_route;
use crate::state::RouteEntry;
use sinete_core::access_control::built_in_permissions::READ_AUDIT;
use sinete_server::route::RequiredPermission::InOrganization;
use sinete_server::route::RouteMethod::Get;
use sinete_server::route::{ApiOperation, OperationOutcome, OperationTag};

pub(crate) const ROUTES: &[RouteEntry] = &[RouteEntry {
    description: "Lists the entries of an organization's audit log, or exports them as a file.",
    ..management_route(
        Get,
        "/manage/organizations/{organization}/audit",
        InOrganization(READ_AUDIT),
        ApiOperation {
            query: handlers::QUERY,
            outcome: OperationOutcome::ResourceOrExport(&handlers::AUDIT_ENTRY, handlers::EXPORTS),
            ..list_operation("listAuditEntries", OperationTag::Audit, &handlers::AUDIT_ENTRY)
        },
        |state, request| Box::pin(handlers::list_audit_log(state, request)),
    )
}];

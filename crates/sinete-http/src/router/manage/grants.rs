//! The rows about what members let applications do.

use super::super::management_route;
use super::{command_operation, list_operation, show_operation};
use crate::manage::grants;
use crate::route::RequiredPermission::InOrganization;
use crate::route::RouteMethod::{Delete, Get};
use crate::route::{ApiOperation, OperationTag, RouteEntry};

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists what the members of an organization let applications do.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/grants",
            InOrganization("members:read"),
            ApiOperation {
                query: grants::QUERY,
                ..list_operation("listGrants", OperationTag::Grants, &grants::GRANT)
            },
            |state, call| Box::pin(grants::list_member_grants(state, call)),
        )
    },
    RouteEntry {
        description: "Shows what a member let an application do.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/grants/{grant}",
            InOrganization("members:read"),
            show_operation("getGrant", OperationTag::Grants, &grants::GRANT),
            |state, call| Box::pin(grants::show_member_grant(state, call)),
        )
    },
    RouteEntry {
        description: "Takes back what a member let an application do: every token under it ends at once.",
        ..management_route(
            Delete,
            "/manage/organizations/{organization}/grants/{grant}",
            InOrganization("members:manage"),
            command_operation("revokeGrant", OperationTag::Grants),
            |state, call| Box::pin(grants::revoke_member_grant(state, call)),
        )
    },
];

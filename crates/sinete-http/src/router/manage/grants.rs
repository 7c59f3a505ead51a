//! The rows about what members let applications do.

use super::super::managed;
use super::{does, lists, shows};
use crate::manage::grants;
use crate::route::RequiredPermission::InOrganization;
use crate::route::RouteMethod::{Delete, Get};
use crate::route::{ApiOperation, OperationTag, RouteEntry};

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists what the members of an organization let applications do.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/grants",
            InOrganization("members:read"),
            ApiOperation {
                query: grants::QUERY,
                ..lists("listGrants", OperationTag::Grants, &grants::GRANT)
            },
            |state, call| Box::pin(grants::list(state, call)),
        )
    },
    RouteEntry {
        description: "Shows what a member let an application do.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/grants/{grant}",
            InOrganization("members:read"),
            shows("getGrant", OperationTag::Grants, &grants::GRANT),
            |state, call| Box::pin(grants::show(state, call)),
        )
    },
    RouteEntry {
        description: "Takes back what a member let an application do: every token under it ends at once.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/grants/{grant}",
            InOrganization("members:manage"),
            does("revokeGrant", OperationTag::Grants),
            |state, call| Box::pin(grants::revoke(state, call)),
        )
    },
];

//! The rows about what members let applications do.

use super::super::managed;
use super::{does, lists, shows};
use crate::manage::grants;
use crate::route::Needs::InOrganization;
use crate::route::Verb::{Delete, Get};
use crate::route::{Operation, Route, Tag};

pub(super) const ROUTES: &[Route] = &[
    Route {
        description: "Lists what the members of an organization let applications do.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/grants",
            InOrganization("members:read"),
            Operation { query: grants::QUERY, ..lists("listGrants", Tag::Grants, &grants::GRANT) },
            |state, call| Box::pin(grants::list(state, call)),
        )
    },
    Route {
        description: "Shows what a member let an application do.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/grants/{grant}",
            InOrganization("members:read"),
            shows("getGrant", Tag::Grants, &grants::GRANT),
            |state, call| Box::pin(grants::show(state, call)),
        )
    },
    Route {
        description: "Takes back what a member let an application do: every token under it ends at once.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/grants/{grant}",
            InOrganization("members:manage"),
            does("revokeGrant", Tag::Grants),
            |state, call| Box::pin(grants::revoke(state, call)),
        )
    },
];

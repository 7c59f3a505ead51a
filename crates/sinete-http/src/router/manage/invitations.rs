//! The rows about invitations.

use super::super::managed;
use super::{does, lists, makes, shows};
use crate::manage::invitations;
use crate::route::ApiConvention::{Changes, Repeatable};
use crate::route::RequiredPermission::InOrganization;
use crate::route::RouteMethod::{Delete, Get, Post};
use crate::route::{ApiOperation, OperationTag, RateLimitKind, RouteEntry, RouteRateLimits};
use sinete_core::refusal::RefusalCode;

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the invitations of an organization, whatever has become of them.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/invitations",
            InOrganization("members:read"),
            lists("listInvitations", OperationTag::Invitations, &invitations::INVITATION),
            |state, call| Box::pin(invitations::list(state, call)),
        )
    },
    RouteEntry {
        rate_limits: RouteRateLimits::Limited {
            by: &[RateLimitKind::InvitationsByOrganization],
            log_rows: 2,
        },
        description: "Invites somebody by mail into a place among the members that waits for them.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/invitations",
            InOrganization("members:manage"),
            ApiOperation {
                follows: &[Repeatable, Changes],
                refuses: &[RefusalCode::TooManyRequests],
                ..makes(
                    "invite",
                    OperationTag::Invitations,
                    &invitations::NEW_INVITATION,
                    &invitations::INVITATION,
                )
            },
            |state, call| Box::pin(invitations::invite(state, call)),
        )
    },
    RouteEntry {
        description: "Shows an invitation.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/invitations/{invitation}",
            InOrganization("members:read"),
            shows("getInvitation", OperationTag::Invitations, &invitations::INVITATION),
            |state, call| Box::pin(invitations::show(state, call)),
        )
    },
    RouteEntry {
        description: "Takes an invitation back, and with it the place that waited.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/invitations/{invitation}",
            InOrganization("members:manage"),
            ApiOperation { follows: &[Changes], ..does("revokeInvitation", OperationTag::Invitations) },
            |state, call| Box::pin(invitations::revoke(state, call)),
        )
    },
];

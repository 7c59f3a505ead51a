//! The routes of invitations.

use crate::management_api::operations::management_route;
use crate::management_api::operations::{
    command_operation, create_operation, list_operation, show_operation,
};
use crate::organizations::invitations::handlers;
use crate::state::RouteEntry;
use sinete_core::access_control::built_in_permissions::{MANAGE_MEMBERS, READ_MEMBERS};
use sinete_core::refusal::RefusalCode;
use sinete_server::route::ApiConvention::{IdempotencyKey, Mutation};
use sinete_server::route::RequiredPermission::InOrganization;
use sinete_server::route::RouteMethod::{Delete, Get, Post};
use sinete_server::route::{ApiOperation, OperationTag, RateLimitKind, RouteRateLimits};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the invitations of an organization in every state.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/invitations",
            InOrganization(READ_MEMBERS),
            list_operation("listInvitations", OperationTag::Invitations, &handlers::INVITATION),
            |state, request| Box::pin(handlers::list_invitations(state, request)),
        )
    },
    RouteEntry {
        rate_limits: RouteRateLimits::Limited {
            kinds: &[RateLimitKind::InvitationsByOrganization],
            log_rows: 2,
        },
        description: "Invites a user by e-mail to become a member.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/invitations",
            InOrganization(MANAGE_MEMBERS),
            ApiOperation {
                conventions: &[IdempotencyKey, Mutation],
                extra_refusals: &[RefusalCode::TooManyRequests],
                ..create_operation(
                    "invite",
                    OperationTag::Invitations,
                    &handlers::NEW_INVITATION,
                    &handlers::INVITATION,
                )
            },
            |state, request| Box::pin(handlers::create_invitation(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves an invitation.",
        ..management_route(
            Get,
            "/manage/organizations/{organization}/invitations/{invitation}",
            InOrganization(READ_MEMBERS),
            show_operation("getInvitation", OperationTag::Invitations, &handlers::INVITATION),
            |state, request| Box::pin(handlers::show_invitation(state, request)),
        )
    },
    RouteEntry {
        rate_limits: RouteRateLimits::Limited {
            kinds: &[RateLimitKind::InvitationsByOrganization],
            log_rows: 2,
        },
        description: "Sends an invitation again, with a new link that replaces the old one.",
        ..management_route(
            Post,
            "/manage/organizations/{organization}/invitations/{invitation}/resend",
            InOrganization(MANAGE_MEMBERS),
            ApiOperation {
                conventions: &[Mutation],
                extra_refusals: &[RefusalCode::TooManyRequests],
                ..show_operation("resendInvitation", OperationTag::Invitations, &handlers::INVITATION)
            },
            |state, request| Box::pin(handlers::resend_invitation(state, request)),
        )
    },
    RouteEntry {
        description: "Revokes an invitation.",
        ..management_route(
            Delete,
            "/manage/organizations/{organization}/invitations/{invitation}",
            InOrganization(MANAGE_MEMBERS),
            ApiOperation {
                conventions: &[Mutation],
                ..command_operation("revokeInvitation", OperationTag::Invitations)
            },
            |state, request| Box::pin(handlers::revoke_invitation(state, request)),
        )
    },
];

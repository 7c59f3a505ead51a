//! The rows about invitations.

use super::super::managed;
use super::{does, lists, makes, shows};
use crate::manage::invitations;
use crate::route::Convention::{Changes, Repeatable};
use crate::route::Needs::InOrganization;
use crate::route::Verb::{Delete, Get, Post};
use crate::route::{Operation, RateLimit, RateLimits, Route, Tag};
use sinete_core::refusal::RefusalCode;

pub(super) const ROUTES: &[Route] = &[
    Route {
        description: "Lists the invitations of an organization, whatever has become of them.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/invitations",
            InOrganization("members:read"),
            lists("listInvitations", Tag::Invitations, &invitations::INVITATION),
            |state, call| Box::pin(invitations::list(state, call)),
        )
    },
    Route {
        rate_limits: RateLimits::Limited { by: &[RateLimit::InvitationsByOrganization], log_rows: 2 },
        description: "Invites somebody by mail into a place among the members that waits for them.",
        ..managed(
            Post,
            "/manage/organizations/{organization}/invitations",
            InOrganization("members:manage"),
            Operation {
                follows: &[Repeatable, Changes],
                refuses: &[RefusalCode::TooManyRequests],
                ..makes("invite", Tag::Invitations, &invitations::NEW_INVITATION, &invitations::INVITATION)
            },
            |state, call| Box::pin(invitations::invite(state, call)),
        )
    },
    Route {
        description: "Shows an invitation.",
        ..managed(
            Get,
            "/manage/organizations/{organization}/invitations/{invitation}",
            InOrganization("members:read"),
            shows("getInvitation", Tag::Invitations, &invitations::INVITATION),
            |state, call| Box::pin(invitations::show(state, call)),
        )
    },
    Route {
        description: "Takes an invitation back, and with it the place that waited.",
        ..managed(
            Delete,
            "/manage/organizations/{organization}/invitations/{invitation}",
            InOrganization("members:manage"),
            Operation { follows: &[Changes], ..does("revokeInvitation", Tag::Invitations) },
            |state, call| Box::pin(invitations::revoke(state, call)),
        )
    },
];

//! The rows of the person's own API.

use super::manage::{does, lists, makes, shows};
use crate::account::{
    access, applications, approvals, contacts, credentials, events, export, identities, memberships,
    password, profile, sessions,
};
use crate::route::ApiConvention::{Fresh, Guarded, Tagged};
use crate::route::RouteMethod::{Delete, Get, Patch, Post};
use crate::route::{
    ApiOperation, CallerKind, CorsPolicy, ErrorFormat, HandlerFn, OperationTag, RateLimitKind,
    RequestBodyKind, RouteAvailability, RouteEntry, RouteHandler, RouteListener, RouteMethod,
    RouteRateLimits, RouteWeight,
};
use sinete_core::refusal::RefusalCode::{
    Conflict, Forbidden, InsufficientAuthentication, NotFound, OrganizationSuspended, TooManyRequests,
};

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Shows the account of whoever is signed in, and what the session is worth.",
        ..own(
            Get,
            "/account",
            ApiOperation {
                follows: &[Tagged],
                ..shows("getAccount", OperationTag::Account, &profile::ACCOUNT)
            },
            |state, call| Box::pin(profile::show(state, call)),
        )
    },
    RouteEntry {
        description: "Changes what the person says about themselves, and the language they read.",
        ..own(
            Patch,
            "/account",
            ApiOperation {
                request: Some(&profile::ACCOUNT_PATCH),
                follows: &[Tagged, Guarded],
                ..shows("updateAccount", OperationTag::Account, &profile::ACCOUNT)
            },
            |state, call| Box::pin(profile::change(state, call)),
        )
    },
    RouteEntry {
        description: "Deletes the account for good: everything personal goes and everything ends at once.",
        ..own(
            Delete,
            "/account",
            ApiOperation {
                follows: &[Fresh],
                refuses: &[Conflict],
                ..does("deleteAccount", OperationTag::Account)
            },
            |state, call| Box::pin(profile::delete(state, call)),
        )
    },
    RouteEntry {
        rate_limits: CHANGES,
        description: "Takes out everything that is kept about the person.",
        ..own(
            Get,
            "/account/export",
            ApiOperation {
                follows: &[Fresh],
                ..shows("exportAccount", OperationTag::Account, &export::EXPORT)
            },
            |state, call| Box::pin(export::take_out(state, call)),
        )
    },
    RouteEntry {
        description: "Lists the person's e-mail addresses and telephone numbers.",
        ..own(
            Get,
            "/account/contacts",
            lists("listContacts", OperationTag::Account, &contacts::CONTACT),
            |state, call| Box::pin(contacts::list(state, call)),
        )
    },
    RouteEntry {
        description: "Adds an e-mail address or a telephone number, which is then to be proven by a flow.",
        ..own(
            Post,
            "/account/contacts",
            ApiOperation {
                follows: &[Fresh],
                refuses: &[Conflict],
                ..makes("addContact", OperationTag::Account, &contacts::NEW_CONTACT, &contacts::CONTACT)
            },
            |state, call| Box::pin(contacts::add(state, call)),
        )
    },
    RouteEntry {
        description: "Makes a proven address or number the one of its kind to write to.",
        ..own(
            Post,
            "/account/contacts/{contact}/primary",
            ApiOperation {
                follows: &[Fresh],
                refuses: &[Conflict],
                ..shows("makeContactPrimary", OperationTag::Account, &contacts::CONTACT)
            },
            |state, call| Box::pin(contacts::make_primary(state, call)),
        )
    },
    RouteEntry {
        description: "Removes an address or number that is not the one to write to.",
        ..own(
            Delete,
            "/account/contacts/{contact}",
            ApiOperation {
                follows: &[Fresh],
                refuses: &[Conflict],
                ..does("removeContact", OperationTag::Account)
            },
            |state, call| Box::pin(contacts::remove(state, call)),
        )
    },
    RouteEntry {
        description: "Lists what the person signs in with.",
        ..own(
            Get,
            "/account/credentials",
            lists("listCredentials", OperationTag::Account, &credentials::CREDENTIAL),
            |state, call| Box::pin(credentials::list(state, call)),
        )
    },
    RouteEntry {
        description: "Gives a credential another name.",
        ..own(
            Patch,
            "/account/credentials/{credential}",
            ApiOperation {
                request: Some(&credentials::CREDENTIAL_NAME),
                refuses: &[sinete_core::refusal::RefusalCode::PreconditionFailed],
                ..shows("renameCredential", OperationTag::Account, &credentials::CREDENTIAL)
            },
            |state, call| Box::pin(credentials::rename(state, call)),
        )
    },
    RouteEntry {
        description: "Removes a credential, unless it is the last thing to sign in with. Other sessions end.",
        ..own(
            Delete,
            "/account/credentials/{credential}",
            ApiOperation {
                follows: &[Fresh],
                refuses: &[Conflict],
                ..does("removeCredential", OperationTag::Account)
            },
            |state, call| Box::pin(credentials::remove(state, call)),
        )
    },
    RouteEntry {
        description: "Chooses a password, or another one. Other sessions end, and this one has a new token.",
        ..own(
            Post,
            "/account/password",
            ApiOperation {
                request: Some(&password::NEW_PASSWORD),
                follows: &[Fresh],
                refuses: &[Conflict, TooManyRequests],
                ..shows("choosePassword", OperationTag::Account, &password::RENEWED)
            },
            |state, call| Box::pin(password::choose(state, call)),
        )
    },
    RouteEntry {
        description: "Lists where the person is signed in.",
        ..own(
            Get,
            "/account/sessions",
            lists("listSessions", OperationTag::Account, &sessions::SESSION),
            |state, call| Box::pin(sessions::list(state, call)),
        )
    },
    RouteEntry {
        description: "Ends one session, the one in which it is asked included.",
        ..own(
            Delete,
            "/account/sessions/{session}",
            does("endSession", OperationTag::Account),
            |state, call| Box::pin(sessions::end(state, call)),
        )
    },
    RouteEntry {
        description: "Lists what acts for the person whether or not they are signed in: applications with offline_access, and API keys.",
        ..own(
            Get,
            "/account/access",
            lists("listAccess", OperationTag::Account, &access::ACCESS),
            |state, call| Box::pin(access::list(state, call)),
        )
    },
    RouteEntry {
        description: "Signs the person out everywhere but here, and ends what acts for them but for what is kept.",
        ..own(
            Post,
            "/account/sign-out-everywhere",
            ApiOperation {
                request: Some(&access::SIGN_OUT),
                ..does("signOutEverywhere", OperationTag::Account)
            },
            |state, call| Box::pin(access::sign_out_everywhere(state, call)),
        )
    },
    RouteEntry {
        description: "Ends every session but the one in which it is asked, and everything that acts for the person without one.",
        ..own(
            Post,
            "/account/sessions/end-others",
            does("endOtherSessions", OperationTag::Account),
            |state, call| Box::pin(sessions::end_others(state, call)),
        )
    },
    RouteEntry {
        description: "Lists what the person let applications do, in each of their organizations.",
        ..own(
            Get,
            "/account/applications",
            lists("listApplications", OperationTag::Account, &applications::APPLICATION),
            |state, call| Box::pin(applications::list(state, call)),
        )
    },
    RouteEntry {
        description: "Takes back everything an application was let do for one membership.",
        ..own(
            Delete,
            "/account/memberships/{membership}/applications/{client}",
            does("removeApplication", OperationTag::Account),
            |state, call| Box::pin(applications::remove(state, call)),
        )
    },
    RouteEntry {
        description: "Lists what applications ask the person to approve.",
        ..own(
            Get,
            "/account/requests",
            lists("listApprovalRequests", OperationTag::Account, &approvals::REQUEST),
            |state, call| Box::pin(approvals::list(state, call)),
        )
    },
    RouteEntry {
        description: "Shows one request, with the question as far as it can be asked in this session.",
        ..own(
            Get,
            "/account/requests/{request}",
            ApiOperation {
                query: approvals::QUERY,
                refuses: &[NotFound],
                ..shows("getApprovalRequest", OperationTag::Account, &approvals::LOOK)
            },
            |state, call| Box::pin(approvals::look(state, call)),
        )
    },
    RouteEntry {
        description: "Approves a request for exactly what it asks, in a session of the higher level.",
        ..own(
            Post,
            "/account/requests/{request}/approve",
            ApiOperation {
                request: Some(&approvals::APPROVE),
                refuses: &[NotFound, Forbidden, InsufficientAuthentication],
                ..does("approveRequest", OperationTag::Account)
            },
            |state, call| Box::pin(approvals::approve(state, call)),
        )
    },
    RouteEntry {
        description: "Denies a request.",
        ..own(
            Post,
            "/account/requests/{request}/deny",
            ApiOperation { refuses: &[NotFound], ..does("denyRequest", OperationTag::Account) },
            |state, call| Box::pin(approvals::deny(state, call)),
        )
    },
    RouteEntry {
        description: "Lists the organizations the person belongs to.",
        ..own(
            Get,
            "/account/memberships",
            lists("listOwnMemberships", OperationTag::Account, &memberships::MEMBERSHIP),
            |state, call| Box::pin(memberships::list(state, call)),
        )
    },
    RouteEntry {
        description: "Leaves an organization for good, unless the person is its last owner.",
        ..own(
            Delete,
            "/account/memberships/{membership}",
            ApiOperation {
                follows: &[Fresh],
                refuses: &[Conflict, OrganizationSuspended, NotFound],
                ..does("leaveOrganization", OperationTag::Account)
            },
            |state, call| Box::pin(memberships::leave(state, call)),
        )
    },
    RouteEntry {
        description: "Lists what the person did and what was done to them.",
        ..own(
            Get,
            "/account/events",
            lists("listOwnEvents", OperationTag::Account, &events::EVENT),
            |state, call| Box::pin(events::list(state, call)),
        )
    },
    RouteEntry {
        description: "Lists the providers of organizations that know whose account this is.",
        ..own(
            Get,
            "/account/identities",
            lists("listIdentities", OperationTag::Account, &identities::IDENTITY),
            |state, call| Box::pin(identities::list(state, call)),
        )
    },
    RouteEntry {
        description: "Lists the providers of the person's organizations that could be linked to the account.",
        ..own(
            Get,
            "/account/providers",
            lists("listLinkableProviders", OperationTag::Account, &identities::LINKABLE),
            |state, call| Box::pin(identities::linkable(state, call)),
        )
    },
    RouteEntry {
        description: "Unlinks a provider from the account, if one can still sign in without it.",
        ..own(
            Delete,
            "/account/identities/{identity}",
            ApiOperation {
                follows: &[Fresh],
                refuses: &[NotFound, Conflict],
                ..does("unlinkIdentity", OperationTag::Account)
            },
            |state, call| Box::pin(identities::unlink(state, call)),
        )
    },
];

/// As many sessions as an account has at once.
pub(super) const SESSIONS_ENDED: u32 = 50;
const _: () = assert!(SESSIONS_ENDED as usize == sinete_core::limits::SESSIONS_OF_ACCOUNT_MAX);

/// What a person changes about themselves leaves an event, and another for each session that ends with it.
const CHANGES: RouteRateLimits =
    RouteRateLimits::Limited { by: &[RateLimitKind::WritesByAccount], log_rows: SESSIONS_ENDED + 2 };

/// A row of the person's own API; what it takes follows from how it is asked. The description is the row's own.
const fn own(
    verb: RouteMethod,
    path: &'static str,
    operation: ApiOperation,
    handler: HandlerFn,
) -> RouteEntry {
    RouteEntry {
        verb,
        path,
        listener: RouteListener::Public,
        served: RouteAvailability::Always,
        caller: CallerKind::Session,
        takes: match (verb, operation.request) {
            (_, None) => RequestBodyKind::Nothing,
            (RouteMethod::Patch, Some(_)) => RequestBodyKind::MergePatch,
            (RouteMethod::Get | RouteMethod::Post | RouteMethod::Put | RouteMethod::Delete, Some(_)) => {
                RequestBodyKind::Json
            }
        },
        refuses: ErrorFormat::Problem,
        origins: CorsPolicy::Listed,
        weight: RouteWeight::Full,
        rate_limits: match verb {
            RouteMethod::Get => RouteRateLimits::ReadOnly,
            RouteMethod::Post | RouteMethod::Put | RouteMethod::Patch | RouteMethod::Delete => CHANGES,
        },
        description: "",
        operation: Some(operation),
        answers: RouteHandler::Works(handler),
    }
}

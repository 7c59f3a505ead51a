//! The rows of the person's own API.

use super::manage::{does, lists, makes, shows};
use crate::account::{
    access, applications, approvals, contacts, credentials, events, export, identities, memberships,
    password, profile, sessions,
};
use crate::route::Convention::{Fresh, Guarded, Tagged};
use crate::route::Verb::{Delete, Get, Patch, Post};
use crate::route::{
    Answers, Caller, Handler, Listener, Operation, Origins, RateLimit, RateLimits, RefusalShape, Route,
    Served, Tag, Takes, Verb, Weight,
};
use sinete_core::refusal::RefusalCode::{
    Conflict, Forbidden, InsufficientAuthentication, NotFound, OrganizationSuspended, TooManyRequests,
};

pub(super) const ROUTES: &[Route] = &[
    Route {
        description: "Shows the account of whoever is signed in, and what the session is worth.",
        ..own(
            Get,
            "/account",
            Operation { follows: &[Tagged], ..shows("getAccount", Tag::Account, &profile::ACCOUNT) },
            |state, call| Box::pin(profile::show(state, call)),
        )
    },
    Route {
        description: "Changes what the person says about themselves, and the language they read.",
        ..own(
            Patch,
            "/account",
            Operation {
                request: Some(&profile::ACCOUNT_PATCH),
                follows: &[Tagged, Guarded],
                ..shows("updateAccount", Tag::Account, &profile::ACCOUNT)
            },
            |state, call| Box::pin(profile::change(state, call)),
        )
    },
    Route {
        description: "Deletes the account for good: everything personal goes and everything ends at once.",
        ..own(
            Delete,
            "/account",
            Operation { follows: &[Fresh], refuses: &[Conflict], ..does("deleteAccount", Tag::Account) },
            |state, call| Box::pin(profile::delete(state, call)),
        )
    },
    Route {
        rate_limits: CHANGES,
        description: "Takes out everything that is kept about the person.",
        ..own(
            Get,
            "/account/export",
            Operation { follows: &[Fresh], ..shows("exportAccount", Tag::Account, &export::EXPORT) },
            |state, call| Box::pin(export::take_out(state, call)),
        )
    },
    Route {
        description: "Lists the person's e-mail addresses and telephone numbers.",
        ..own(
            Get,
            "/account/contacts",
            lists("listContacts", Tag::Account, &contacts::CONTACT),
            |state, call| Box::pin(contacts::list(state, call)),
        )
    },
    Route {
        description: "Adds an e-mail address or a telephone number, which is then to be proven by a flow.",
        ..own(
            Post,
            "/account/contacts",
            Operation {
                follows: &[Fresh],
                refuses: &[Conflict],
                ..makes("addContact", Tag::Account, &contacts::NEW_CONTACT, &contacts::CONTACT)
            },
            |state, call| Box::pin(contacts::add(state, call)),
        )
    },
    Route {
        description: "Makes a proven address or number the one of its kind to write to.",
        ..own(
            Post,
            "/account/contacts/{contact}/primary",
            Operation {
                follows: &[Fresh],
                refuses: &[Conflict],
                ..shows("makeContactPrimary", Tag::Account, &contacts::CONTACT)
            },
            |state, call| Box::pin(contacts::make_primary(state, call)),
        )
    },
    Route {
        description: "Removes an address or number that is not the one to write to.",
        ..own(
            Delete,
            "/account/contacts/{contact}",
            Operation { follows: &[Fresh], refuses: &[Conflict], ..does("removeContact", Tag::Account) },
            |state, call| Box::pin(contacts::remove(state, call)),
        )
    },
    Route {
        description: "Lists what the person signs in with.",
        ..own(
            Get,
            "/account/credentials",
            lists("listCredentials", Tag::Account, &credentials::CREDENTIAL),
            |state, call| Box::pin(credentials::list(state, call)),
        )
    },
    Route {
        description: "Gives a credential another name.",
        ..own(
            Patch,
            "/account/credentials/{credential}",
            Operation {
                request: Some(&credentials::CREDENTIAL_NAME),
                refuses: &[sinete_core::refusal::RefusalCode::PreconditionFailed],
                ..shows("renameCredential", Tag::Account, &credentials::CREDENTIAL)
            },
            |state, call| Box::pin(credentials::rename(state, call)),
        )
    },
    Route {
        description: "Removes a credential, unless it is the last thing to sign in with. Other sessions end.",
        ..own(
            Delete,
            "/account/credentials/{credential}",
            Operation { follows: &[Fresh], refuses: &[Conflict], ..does("removeCredential", Tag::Account) },
            |state, call| Box::pin(credentials::remove(state, call)),
        )
    },
    Route {
        description: "Chooses a password, or another one. Other sessions end, and this one has a new token.",
        ..own(
            Post,
            "/account/password",
            Operation {
                request: Some(&password::NEW_PASSWORD),
                follows: &[Fresh],
                refuses: &[Conflict, TooManyRequests],
                ..shows("choosePassword", Tag::Account, &password::RENEWED)
            },
            |state, call| Box::pin(password::choose(state, call)),
        )
    },
    Route {
        description: "Lists where the person is signed in.",
        ..own(
            Get,
            "/account/sessions",
            lists("listSessions", Tag::Account, &sessions::SESSION),
            |state, call| Box::pin(sessions::list(state, call)),
        )
    },
    Route {
        description: "Ends one session, the one in which it is asked included.",
        ..own(Delete, "/account/sessions/{session}", does("endSession", Tag::Account), |state, call| {
            Box::pin(sessions::end(state, call))
        })
    },
    Route {
        description: "Lists what acts for the person whether or not they are signed in: applications with offline_access, and API keys.",
        ..own(Get, "/account/access", lists("listAccess", Tag::Account, &access::ACCESS), |state, call| {
            Box::pin(access::list(state, call))
        })
    },
    Route {
        description: "Signs the person out everywhere but here, and ends what acts for them but for what is kept.",
        ..own(
            Post,
            "/account/sign-out-everywhere",
            Operation { request: Some(&access::SIGN_OUT), ..does("signOutEverywhere", Tag::Account) },
            |state, call| Box::pin(access::sign_out_everywhere(state, call)),
        )
    },
    Route {
        description: "Ends every session but the one in which it is asked, and everything that acts for the person without one.",
        ..own(Post, "/account/sessions/end-others", does("endOtherSessions", Tag::Account), |state, call| {
            Box::pin(sessions::end_others(state, call))
        })
    },
    Route {
        description: "Lists what the person let applications do, in each of their organizations.",
        ..own(
            Get,
            "/account/applications",
            lists("listApplications", Tag::Account, &applications::APPLICATION),
            |state, call| Box::pin(applications::list(state, call)),
        )
    },
    Route {
        description: "Takes back everything an application was let do for one membership.",
        ..own(
            Delete,
            "/account/memberships/{membership}/applications/{client}",
            does("removeApplication", Tag::Account),
            |state, call| Box::pin(applications::remove(state, call)),
        )
    },
    Route {
        description: "Lists what applications ask the person to approve.",
        ..own(
            Get,
            "/account/requests",
            lists("listApprovalRequests", Tag::Account, &approvals::REQUEST),
            |state, call| Box::pin(approvals::list(state, call)),
        )
    },
    Route {
        description: "Shows one request, with the question as far as it can be asked in this session.",
        ..own(
            Get,
            "/account/requests/{request}",
            Operation {
                query: approvals::QUERY,
                refuses: &[NotFound],
                ..shows("getApprovalRequest", Tag::Account, &approvals::LOOK)
            },
            |state, call| Box::pin(approvals::look(state, call)),
        )
    },
    Route {
        description: "Approves a request for exactly what it asks, in a session of the higher level.",
        ..own(
            Post,
            "/account/requests/{request}/approve",
            Operation {
                request: Some(&approvals::APPROVE),
                refuses: &[NotFound, Forbidden, InsufficientAuthentication],
                ..does("approveRequest", Tag::Account)
            },
            |state, call| Box::pin(approvals::approve(state, call)),
        )
    },
    Route {
        description: "Denies a request.",
        ..own(
            Post,
            "/account/requests/{request}/deny",
            Operation { refuses: &[NotFound], ..does("denyRequest", Tag::Account) },
            |state, call| Box::pin(approvals::deny(state, call)),
        )
    },
    Route {
        description: "Lists the organizations the person belongs to.",
        ..own(
            Get,
            "/account/memberships",
            lists("listOwnMemberships", Tag::Account, &memberships::MEMBERSHIP),
            |state, call| Box::pin(memberships::list(state, call)),
        )
    },
    Route {
        description: "Leaves an organization for good, unless the person is its last owner.",
        ..own(
            Delete,
            "/account/memberships/{membership}",
            Operation {
                follows: &[Fresh],
                refuses: &[Conflict, OrganizationSuspended, NotFound],
                ..does("leaveOrganization", Tag::Account)
            },
            |state, call| Box::pin(memberships::leave(state, call)),
        )
    },
    Route {
        description: "Lists what the person did and what was done to them.",
        ..own(Get, "/account/events", lists("listOwnEvents", Tag::Account, &events::EVENT), |state, call| {
            Box::pin(events::list(state, call))
        })
    },
    Route {
        description: "Lists the providers of organizations that know whose account this is.",
        ..own(
            Get,
            "/account/identities",
            lists("listIdentities", Tag::Account, &identities::IDENTITY),
            |state, call| Box::pin(identities::list(state, call)),
        )
    },
    Route {
        description: "Lists the providers of the person's organizations that could be linked to the account.",
        ..own(
            Get,
            "/account/providers",
            lists("listLinkableProviders", Tag::Account, &identities::LINKABLE),
            |state, call| Box::pin(identities::linkable(state, call)),
        )
    },
    Route {
        description: "Unlinks a provider from the account, if one can still sign in without it.",
        ..own(
            Delete,
            "/account/identities/{identity}",
            Operation {
                follows: &[Fresh],
                refuses: &[NotFound, Conflict],
                ..does("unlinkIdentity", Tag::Account)
            },
            |state, call| Box::pin(identities::unlink(state, call)),
        )
    },
];

/// As many sessions as an account has at once.
pub(super) const SESSIONS_ENDED: u32 = 50;
const _: () = assert!(SESSIONS_ENDED as usize == sinete_core::limits::SESSIONS_OF_ACCOUNT_MAX);

/// What a person changes about themselves leaves an event, and another for each session that ends with it.
const CHANGES: RateLimits =
    RateLimits::Limited { by: &[RateLimit::WritesByAccount], log_rows: SESSIONS_ENDED + 2 };

/// A row of the person's own API; what it takes follows from how it is asked. The description is the row's own.
const fn own(verb: Verb, path: &'static str, operation: Operation, handler: Handler) -> Route {
    Route {
        verb,
        path,
        listener: Listener::Public,
        served: Served::Always,
        caller: Caller::Session,
        takes: match (verb, operation.request) {
            (_, None) => Takes::Nothing,
            (Verb::Patch, Some(_)) => Takes::MergePatch,
            (Verb::Get | Verb::Post | Verb::Put | Verb::Delete, Some(_)) => Takes::Json,
        },
        refuses: RefusalShape::Problem,
        origins: Origins::Listed,
        weight: Weight::Full,
        rate_limits: match verb {
            Verb::Get => RateLimits::ReadOnly,
            Verb::Post | Verb::Put | Verb::Patch | Verb::Delete => CHANGES,
        },
        description: "",
        operation: Some(operation),
        answers: Answers::Works(handler),
    }
}

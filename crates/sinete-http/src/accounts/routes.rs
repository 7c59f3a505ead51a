//! The routes of the account API.

use crate::accounts::applications::handlers as applications;
use crate::accounts::ciba_requests::handlers as approvals;
use crate::accounts::contacts::handlers as contacts;
use crate::accounts::credentials::handlers as credentials;
use crate::accounts::events::handlers as events;
use crate::accounts::export::handlers as export;
use crate::accounts::long_lived_access::handlers;
use crate::accounts::memberships::handlers as memberships;
use crate::accounts::password::handlers as password;
use crate::accounts::profile::handlers as profile;
use crate::accounts::sessions::handlers as sessions;
use crate::management_api::operations::{
    command_operation, create_operation, list_operation, show_operation,
};
use crate::state::{HandlerFn, RouteEntry};
use sinete_core::refusal::RefusalCode::{
    Conflict, Forbidden, InsufficientAuthentication, NotFound, OrganizationSuspended, TooManyRequests,
};
use sinete_server::application::RouteHandler;
use sinete_server::route::ApiConvention::{Etag, FreshAuthentication, IfMatch};
use sinete_server::route::RouteMethod::{Delete, Get, Patch, Post};
use sinete_server::route::{
    ApiOperation, CallerKind, CorsPolicy, ErrorFormat, OperationTag, RateLimitKind, RequestBodyKind,
    RouteAvailability, RouteListener, RouteMethod, RouteRateLimits, RouteWeight,
};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Retrieves the account and the assurance level of the session.",
        ..account_route(
            Get,
            "/account",
            ApiOperation {
                conventions: &[Etag],
                ..show_operation("getAccount", OperationTag::Account, &profile::ACCOUNT)
            },
            |state, request| Box::pin(profile::show_own_account(state, request)),
        )
    },
    RouteEntry {
        description: "Updates the profile and the language of the account.",
        ..account_route(
            Patch,
            "/account",
            ApiOperation {
                request: Some(&profile::ACCOUNT_PATCH),
                conventions: &[Etag, IfMatch],
                ..show_operation("updateAccount", OperationTag::Account, &profile::ACCOUNT)
            },
            |state, request| Box::pin(profile::update_account(state, request)),
        )
    },
    RouteEntry {
        description: "Deletes the account permanently, with all personal data, sessions and grants.",
        ..account_route(
            Delete,
            "/account",
            ApiOperation {
                conventions: &[FreshAuthentication],
                extra_refusals: &[Conflict],
                ..command_operation("deleteAccount", OperationTag::Account)
            },
            |state, request| Box::pin(profile::delete_account(state, request)),
        )
    },
    RouteEntry {
        rate_limits: ACCOUNT_CHANGE_LIMITS,
        description: "Exports everything that is stored about the user.",
        ..account_route(
            Get,
            "/account/export",
            ApiOperation {
                conventions: &[FreshAuthentication],
                ..show_operation("exportAccount", OperationTag::Account, &export::EXPORT)
            },
            |state, request| Box::pin(export::export_account(state, request)),
        )
    },
    RouteEntry {
        description: "Lists the user's e-mail addresses and telephone numbers.",
        ..account_route(
            Get,
            "/account/contacts",
            list_operation("listContacts", OperationTag::Account, &contacts::CONTACT),
            |state, request| Box::pin(contacts::list_contacts(state, request)),
        )
    },
    RouteEntry {
        description: "Adds an e-mail address or a telephone number, to be verified with a flow.",
        ..account_route(
            Post,
            "/account/contacts",
            ApiOperation {
                conventions: &[FreshAuthentication],
                extra_refusals: &[Conflict],
                ..create_operation(
                    "addContact",
                    OperationTag::Account,
                    &contacts::NEW_CONTACT,
                    &contacts::CONTACT,
                )
            },
            |state, request| Box::pin(contacts::add_contact(state, request)),
        )
    },
    RouteEntry {
        description: "Makes a verified e-mail address or telephone number the primary one.",
        ..account_route(
            Post,
            "/account/contacts/{contact}/primary",
            ApiOperation {
                conventions: &[FreshAuthentication],
                extra_refusals: &[Conflict],
                ..show_operation("makeContactPrimary", OperationTag::Account, &contacts::CONTACT)
            },
            |state, request| Box::pin(contacts::make_contact_primary(state, request)),
        )
    },
    RouteEntry {
        description: "Deletes an e-mail address or telephone number that is not the primary one.",
        ..account_route(
            Delete,
            "/account/contacts/{contact}",
            ApiOperation {
                conventions: &[FreshAuthentication],
                extra_refusals: &[Conflict],
                ..command_operation("removeContact", OperationTag::Account)
            },
            |state, request| Box::pin(contacts::remove_contact(state, request)),
        )
    },
    RouteEntry {
        description: "Lists the user's credentials.",
        ..account_route(
            Get,
            "/account/credentials",
            list_operation("listCredentials", OperationTag::Account, &credentials::CREDENTIAL),
            |state, request| Box::pin(credentials::list_credentials(state, request)),
        )
    },
    RouteEntry {
        description: "Renames a credential.",
        ..account_route(
            Patch,
            "/account/credentials/{credential}",
            ApiOperation {
                request: Some(&credentials::CREDENTIAL_NAME),
                extra_refusals: &[sinete_core::refusal::RefusalCode::PreconditionFailed],
                ..show_operation("renameCredential", OperationTag::Account, &credentials::CREDENTIAL)
            },
            |state, request| Box::pin(credentials::rename_credential(state, request)),
        )
    },
    RouteEntry {
        description: "Deletes a credential, unless it is the last sign-in method, and ends the other sessions.",
        ..account_route(
            Delete,
            "/account/credentials/{credential}",
            ApiOperation {
                conventions: &[FreshAuthentication],
                extra_refusals: &[Conflict],
                ..command_operation("removeCredential", OperationTag::Account)
            },
            |state, request| Box::pin(credentials::remove_credential(state, request)),
        )
    },
    RouteEntry {
        description: "Sets the password, ends the other sessions, and renews the token of this session.",
        ..account_route(
            Post,
            "/account/password",
            ApiOperation {
                request: Some(&password::NEW_PASSWORD),
                conventions: &[FreshAuthentication],
                extra_refusals: &[Conflict, TooManyRequests],
                ..show_operation("choosePassword", OperationTag::Account, &password::RENEWED_SESSION)
            },
            |state, request| Box::pin(password::change_password(state, request)),
        )
    },
    RouteEntry {
        description: "Lists the user's sessions.",
        ..account_route(
            Get,
            "/account/sessions",
            list_operation("listSessions", OperationTag::Account, &sessions::SESSION),
            |state, request| Box::pin(sessions::list_sessions(state, request)),
        )
    },
    RouteEntry {
        description: "Ends one session, which may be the current one.",
        ..account_route(
            Delete,
            "/account/sessions/{session}",
            command_operation("endSession", OperationTag::Account),
            |state, request| Box::pin(sessions::end_session(state, request)),
        )
    },
    RouteEntry {
        description: "Lists the applications with offline_access and the API keys, which have access without a session.",
        ..account_route(
            Get,
            "/account/access",
            list_operation("listAccess", OperationTag::Account, &handlers::ACCESS),
            |state, request| Box::pin(handlers::list_long_lived_access(state, request)),
        )
    },
    RouteEntry {
        description: "Ends every other session, and revokes grants with offline_access and API keys, except those in `keep`.",
        ..account_route(
            Post,
            "/account/sign-out-everywhere",
            ApiOperation {
                request: Some(&handlers::SIGN_OUT),
                ..command_operation("signOutEverywhere", OperationTag::Account)
            },
            |state, request| Box::pin(handlers::sign_out_everywhere(state, request)),
        )
    },
    RouteEntry {
        description: "Ends every other session, and revokes grants with offline_access and API keys.",
        ..account_route(
            Post,
            "/account/sessions/end-others",
            command_operation("endOtherSessions", OperationTag::Account),
            |state, request| Box::pin(sessions::end_other_sessions(state, request)),
        )
    },
    RouteEntry {
        description: "Lists the authorized applications, for each membership.",
        ..account_route(
            Get,
            "/account/applications",
            list_operation("listApplications", OperationTag::Account, &applications::APPLICATION),
            |state, request| Box::pin(applications::list_applications(state, request)),
        )
    },
    RouteEntry {
        description: "Revokes the access of an application for one membership.",
        ..account_route(
            Delete,
            "/account/memberships/{membership}/applications/{client}",
            command_operation("removeApplication", OperationTag::Account),
            |state, request| Box::pin(applications::revoke_application(state, request)),
        )
    },
    RouteEntry {
        description: "Lists pending CIBA requests.",
        ..account_route(
            Get,
            "/account/requests",
            list_operation("listApprovalRequests", OperationTag::Account, &approvals::REQUEST),
            |state, request| Box::pin(approvals::list_pending_requests(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves a CIBA request with its consent prompt, or with what is required first.",
        ..account_route(
            Get,
            "/account/requests/{request}",
            ApiOperation {
                query: approvals::QUERY,
                extra_refusals: &[NotFound],
                ..show_operation("getApprovalRequest", OperationTag::Account, &approvals::REQUEST_DETAIL)
            },
            |state, request| Box::pin(approvals::show_request(state, request)),
        )
    },
    RouteEntry {
        description: "Approves a CIBA request. Requires a session with aal2.",
        ..account_route(
            Post,
            "/account/requests/{request}/approve",
            ApiOperation {
                request: Some(&approvals::APPROVE),
                extra_refusals: &[NotFound, Forbidden, InsufficientAuthentication],
                ..command_operation("approveRequest", OperationTag::Account)
            },
            |state, request| Box::pin(approvals::approve_request(state, request)),
        )
    },
    RouteEntry {
        description: "Denies a CIBA request.",
        ..account_route(
            Post,
            "/account/requests/{request}/deny",
            ApiOperation {
                extra_refusals: &[NotFound],
                ..command_operation("denyRequest", OperationTag::Account)
            },
            |state, request| Box::pin(approvals::deny_request(state, request)),
        )
    },
    RouteEntry {
        description: "Lists the user's memberships.",
        ..account_route(
            Get,
            "/account/memberships",
            list_operation("listOwnMemberships", OperationTag::Account, &memberships::MEMBERSHIP),
            |state, request| Box::pin(memberships::list_memberships(state, request)),
        )
    },
    RouteEntry {
        description: "Leaves an organization permanently, unless the user is its last owner.",
        ..account_route(
            Delete,
            "/account/memberships/{membership}",
            ApiOperation {
                conventions: &[FreshAuthentication],
                extra_refusals: &[Conflict, OrganizationSuspended, NotFound],
                ..command_operation("leaveOrganization", OperationTag::Account)
            },
            |state, request| Box::pin(memberships::leave_organization(state, request)),
        )
    },
    RouteEntry {
        description: "Lists the user's security events.",
        ..account_route(
            Get,
            "/account/events",
            list_operation("listOwnEvents", OperationTag::Account, &events::EVENT),
            |state, request| Box::pin(events::list_account_events(state, request)),
        )
    },
];

/// The maximum number of sessions of an account.
pub(crate) const SESSIONS_PER_ACCOUNT_MAX: u32 = 50;
const _: () = assert!(SESSIONS_PER_ACCOUNT_MAX as usize == sinete_core::limits::ACCOUNT_SESSIONS_MAX);

/// A change of the account writes one event, and another for each session that ends with it.
const ACCOUNT_CHANGE_LIMITS: RouteRateLimits = RouteRateLimits::Limited {
    kinds: &[RateLimitKind::WritesByAccount],
    log_rows: SESSIONS_PER_ACCOUNT_MAX + 2,
};

/// A route of the account API; its requirements follow from the method. The description is its own.
pub(crate) const fn account_route(
    method: RouteMethod,
    path: &'static str,
    operation: ApiOperation,
    handler: HandlerFn,
) -> RouteEntry {
    RouteEntry {
        method,
        path,
        listener: RouteListener::Public,
        availability: RouteAvailability::Always,
        caller: CallerKind::Session,
        request_body: match (method, operation.request) {
            (_, None) => RequestBodyKind::Nothing,
            (RouteMethod::Patch, Some(_)) => RequestBodyKind::MergePatch,
            (RouteMethod::Get | RouteMethod::Post | RouteMethod::Put | RouteMethod::Delete, Some(_)) => {
                RequestBodyKind::Json
            }
        },
        error_format: ErrorFormat::Problem,
        cors: CorsPolicy::Listed,
        weight: RouteWeight::Full,
        rate_limits: match method {
            RouteMethod::Get => RouteRateLimits::ReadOnly,
            RouteMethod::Post | RouteMethod::Put | RouteMethod::Patch | RouteMethod::Delete => {
                ACCOUNT_CHANGE_LIMITS
            }
        },
        description: "",
        operation: Some(operation),
        handler: RouteHandler::Handler(handler),
    }
}

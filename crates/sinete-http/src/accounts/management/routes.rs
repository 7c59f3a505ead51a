//! The routes of account management.

use crate::accounts::long_lived_access::handlers::ACCESS;
use crate::accounts::management::{account_access, handlers};
use crate::management_api::operations::management_route;
use crate::management_api::operations::{command_operation, list_operation, show_operation};
use crate::state::RouteEntry;
use sinete_core::access_control::built_in_permissions::MANAGE_ACCOUNTS;
use sinete_core::refusal::RefusalCode;
use sinete_server::route::ApiConvention::Etag;
use sinete_server::route::RequiredPermission::OverInstance;
use sinete_server::route::RouteMethod::{Delete, Get, Post};
use sinete_server::route::{ApiOperation, OperationTag};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists or searches the accounts of the instance, or finds the one that verified an address.",
        ..management_route(
            Get,
            "/manage/accounts",
            OverInstance(MANAGE_ACCOUNTS),
            ApiOperation {
                query: handlers::QUERY,
                ..list_operation("listAccounts", OperationTag::Accounts, &handlers::ACCOUNT_SUMMARY)
            },
            |state, request| Box::pin(handlers::list_accounts(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves an account with its contacts, memberships and sign-in methods, without secrets.",
        ..management_route(
            Get,
            "/manage/accounts/{account}",
            OverInstance(MANAGE_ACCOUNTS),
            ApiOperation {
                conventions: &[Etag],
                ..show_operation("getManagedAccount", OperationTag::Accounts, &handlers::MANAGED_ACCOUNT)
            },
            |state, request| Box::pin(handlers::show_user(state, request)),
        )
    },
    RouteEntry {
        description: "Disables an account: it cannot sign in, and its grants are refused. Operators cannot disable themselves.",
        ..management_route(
            Post,
            "/manage/accounts/{account}/disable",
            OverInstance(MANAGE_ACCOUNTS),
            ApiOperation {
                conventions: &[Etag],
                extra_refusals: &[RefusalCode::Conflict, RefusalCode::PreconditionFailed],
                ..show_operation("disableAccount", OperationTag::Accounts, &handlers::ACCOUNT_SUMMARY)
            },
            |state, request| Box::pin(handlers::disable_account(state, request)),
        )
    },
    RouteEntry {
        description: "Enables a disabled account.",
        ..management_route(
            Post,
            "/manage/accounts/{account}/enable",
            OverInstance(MANAGE_ACCOUNTS),
            ApiOperation {
                conventions: &[Etag],
                extra_refusals: &[RefusalCode::Conflict, RefusalCode::PreconditionFailed],
                ..show_operation("enableAccount", OperationTag::Accounts, &handlers::ACCOUNT_SUMMARY)
            },
            |state, request| Box::pin(handlers::enable_account(state, request)),
        )
    },
    RouteEntry {
        description: "Ends every session of an account.",
        ..management_route(
            Delete,
            "/manage/accounts/{account}/sessions",
            OverInstance(MANAGE_ACCOUNTS),
            command_operation("endAccountSessions", OperationTag::Accounts),
            |state, request| Box::pin(handlers::end_account_sessions(state, request)),
        )
    },
    RouteEntry {
        description: "Lists the sessions of an account.",
        ..management_route(
            Get,
            "/manage/accounts/{account}/sessions",
            OverInstance(MANAGE_ACCOUNTS),
            list_operation("listAccountSessions", OperationTag::Accounts, &account_access::ACCOUNT_SESSION),
            |state, request| Box::pin(account_access::list_sessions(state, request)),
        )
    },
    RouteEntry {
        description: "Ends one session of an account.",
        ..management_route(
            Delete,
            "/manage/accounts/{account}/sessions/{session}",
            OverInstance(MANAGE_ACCOUNTS),
            command_operation("endAccountSession", OperationTag::Accounts),
            |state, request| Box::pin(account_access::end_session(state, request)),
        )
    },
    RouteEntry {
        description: "Lists the applications and API keys that act for an account without a session.",
        ..management_route(
            Get,
            "/manage/accounts/{account}/access",
            OverInstance(MANAGE_ACCOUNTS),
            list_operation("listAccountAccess", OperationTag::Accounts, &ACCESS),
            |state, request| Box::pin(account_access::list_access(state, request)),
        )
    },
    RouteEntry {
        description: "Lists the browsers and devices that an account has signed in on.",
        ..management_route(
            Get,
            "/manage/accounts/{account}/devices",
            OverInstance(MANAGE_ACCOUNTS),
            list_operation("listAccountDevices", OperationTag::Accounts, &account_access::KNOWN_DEVICE),
            |state, request| Box::pin(account_access::list_devices(state, request)),
        )
    },
    RouteEntry {
        description: "Ends every session of the instance, including the caller's.",
        ..management_route(
            Post,
            "/manage/sessions/end-all",
            OverInstance(MANAGE_ACCOUNTS),
            command_operation("endAllSessions", OperationTag::Accounts),
            |state, request| Box::pin(handlers::end_all_sessions(state, request)),
        )
    },
    RouteEntry {
        description: "Sends the user a message to set a new password.",
        ..management_route(
            Post,
            "/manage/accounts/{account}/reset",
            OverInstance(MANAGE_ACCOUNTS),
            ApiOperation {
                extra_refusals: &[RefusalCode::Conflict],
                ..command_operation("startAccountReset", OperationTag::Accounts)
            },
            |state, request| Box::pin(handlers::start_password_reset(state, request)),
        )
    },
];

//! The routes of account management.

use crate::accounts::management::handlers;
use crate::management_api::operations::management_route;
use crate::management_api::operations::{command_operation, list_operation, show_operation};
use crate::route::ApiConvention::Etag;
use crate::route::RequiredPermission::OverInstance;
use crate::route::RouteMethod::{Delete, Get, Post};
use crate::route::{ApiOperation, OperationTag, RouteEntry};
use sinete_core::refusal::RefusalCode;

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the accounts of the instance, or finds the one that proved an address.",
        ..management_route(
            Get,
            "/manage/accounts",
            OverInstance("accounts:manage"),
            ApiOperation {
                query: handlers::QUERY,
                ..list_operation("listAccounts", OperationTag::Accounts, &handlers::ACCOUNT_SUMMARY)
            },
            |state, call| Box::pin(handlers::list_accounts(state, call)),
        )
    },
    RouteEntry {
        description: "Shows a person: addresses, memberships, what they sign in with, never a secret.",
        ..management_route(
            Get,
            "/manage/accounts/{account}",
            OverInstance("accounts:manage"),
            ApiOperation {
                conventions: &[Etag],
                ..show_operation("getManagedAccount", OperationTag::Accounts, &handlers::MANAGED_ACCOUNT)
            },
            |state, call| Box::pin(handlers::show_account(state, call)),
        )
    },
    RouteEntry {
        description: "Switches an account off: nobody signs in with it and nothing it granted counts; never one's own.",
        ..management_route(
            Post,
            "/manage/accounts/{account}/disable",
            OverInstance("accounts:manage"),
            ApiOperation {
                conventions: &[Etag],
                extra_refusals: &[RefusalCode::Conflict, RefusalCode::PreconditionFailed],
                ..show_operation("disableAccount", OperationTag::Accounts, &handlers::ACCOUNT_SUMMARY)
            },
            |state, call| Box::pin(handlers::disable_account(state, call)),
        )
    },
    RouteEntry {
        description: "Switches an account on again: everything counts that counted before.",
        ..management_route(
            Post,
            "/manage/accounts/{account}/enable",
            OverInstance("accounts:manage"),
            ApiOperation {
                conventions: &[Etag],
                extra_refusals: &[RefusalCode::Conflict, RefusalCode::PreconditionFailed],
                ..show_operation("enableAccount", OperationTag::Accounts, &handlers::ACCOUNT_SUMMARY)
            },
            |state, call| Box::pin(handlers::enable_account(state, call)),
        )
    },
    RouteEntry {
        description: "Signs a person out everywhere.",
        ..management_route(
            Delete,
            "/manage/accounts/{account}/sessions",
            OverInstance("accounts:manage"),
            command_operation("endAccountSessions", OperationTag::Accounts),
            |state, call| Box::pin(handlers::end_account_sessions(state, call)),
        )
    },
    RouteEntry {
        description: "Signs everybody out everywhere, whoever asks for it included.",
        ..management_route(
            Post,
            "/manage/sessions/end-all",
            OverInstance("accounts:manage"),
            command_operation("endAllSessions", OperationTag::Accounts),
            |state, call| Box::pin(handlers::end_all_sessions(state, call)),
        )
    },
    RouteEntry {
        description: "Writes to a person that they should set a new password, which nobody but them chooses.",
        ..management_route(
            Post,
            "/manage/accounts/{account}/reset",
            OverInstance("accounts:manage"),
            ApiOperation {
                extra_refusals: &[RefusalCode::Conflict],
                ..command_operation("startAccountReset", OperationTag::Accounts)
            },
            |state, call| Box::pin(handlers::start_password_reset(state, call)),
        )
    },
];

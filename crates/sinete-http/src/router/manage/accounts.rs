//! The rows about people, for those who run the instance.

use super::super::managed;
use super::{does, lists, shows};
use crate::manage::accounts;
use crate::route::ApiConvention::Tagged;
use crate::route::RequiredPermission::OverInstance;
use crate::route::RouteMethod::{Delete, Get, Post};
use crate::route::{ApiOperation, OperationTag, RouteEntry};
use sinete_core::refusal::RefusalCode;

pub(super) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists the accounts of the instance, or finds the one that proved an address.",
        ..managed(
            Get,
            "/manage/accounts",
            OverInstance("accounts:manage"),
            ApiOperation {
                query: accounts::QUERY,
                ..lists("listAccounts", OperationTag::Accounts, &accounts::ACCOUNT_SUMMARY)
            },
            |state, call| Box::pin(accounts::list(state, call)),
        )
    },
    RouteEntry {
        description: "Shows a person: addresses, memberships, what they sign in with, never a secret.",
        ..managed(
            Get,
            "/manage/accounts/{account}",
            OverInstance("accounts:manage"),
            ApiOperation {
                follows: &[Tagged],
                ..shows("getManagedAccount", OperationTag::Accounts, &accounts::MANAGED_ACCOUNT)
            },
            |state, call| Box::pin(accounts::show(state, call)),
        )
    },
    RouteEntry {
        description: "Switches an account off: nobody signs in with it and nothing it granted counts; never one's own.",
        ..managed(
            Post,
            "/manage/accounts/{account}/disable",
            OverInstance("accounts:manage"),
            ApiOperation {
                follows: &[Tagged],
                refuses: &[RefusalCode::Conflict, RefusalCode::PreconditionFailed],
                ..shows("disableAccount", OperationTag::Accounts, &accounts::ACCOUNT_SUMMARY)
            },
            |state, call| Box::pin(accounts::disable(state, call)),
        )
    },
    RouteEntry {
        description: "Switches an account on again: everything counts that counted before.",
        ..managed(
            Post,
            "/manage/accounts/{account}/enable",
            OverInstance("accounts:manage"),
            ApiOperation {
                follows: &[Tagged],
                refuses: &[RefusalCode::Conflict, RefusalCode::PreconditionFailed],
                ..shows("enableAccount", OperationTag::Accounts, &accounts::ACCOUNT_SUMMARY)
            },
            |state, call| Box::pin(accounts::enable(state, call)),
        )
    },
    RouteEntry {
        description: "Signs a person out everywhere.",
        ..managed(
            Delete,
            "/manage/accounts/{account}/sessions",
            OverInstance("accounts:manage"),
            does("endAccountSessions", OperationTag::Accounts),
            |state, call| Box::pin(accounts::end_sessions(state, call)),
        )
    },
    RouteEntry {
        description: "Signs everybody out everywhere, whoever asks for it included.",
        ..managed(
            Post,
            "/manage/sessions/end-all",
            OverInstance("accounts:manage"),
            does("endAllSessions", OperationTag::Accounts),
            |state, call| Box::pin(accounts::end_everybodys_sessions(state, call)),
        )
    },
    RouteEntry {
        description: "Writes to a person that they should set a new password, which nobody but them chooses.",
        ..managed(
            Post,
            "/manage/accounts/{account}/reset",
            OverInstance("accounts:manage"),
            ApiOperation {
                refuses: &[RefusalCode::Conflict],
                ..does("startAccountReset", OperationTag::Accounts)
            },
            |state, call| Box::pin(accounts::start_reset(state, call)),
        )
    },
];

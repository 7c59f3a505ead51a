//! The rows about people, for those who run the instance.

use super::super::managed;
use super::{does, lists, shows};
use crate::manage::accounts;
use crate::route::Convention::Tagged;
use crate::route::Needs::OverInstance;
use crate::route::Verb::{Delete, Get, Post};
use crate::route::{Operation, Route, Tag};
use sinete_core::refusal::RefusalCode;

pub(super) const ROUTES: &[Route] = &[
    Route {
        description: "Lists the accounts of the instance, or finds the one that proved an address.",
        ..managed(
            Get,
            "/manage/accounts",
            OverInstance("accounts:manage"),
            Operation {
                query: accounts::QUERY,
                ..lists("listAccounts", Tag::Accounts, &accounts::ACCOUNT_SUMMARY)
            },
            |state, call| Box::pin(accounts::list(state, call)),
        )
    },
    Route {
        description: "Shows a person: addresses, memberships, what they sign in with, never a secret.",
        ..managed(
            Get,
            "/manage/accounts/{account}",
            OverInstance("accounts:manage"),
            Operation {
                follows: &[Tagged],
                ..shows("getManagedAccount", Tag::Accounts, &accounts::MANAGED_ACCOUNT)
            },
            |state, call| Box::pin(accounts::show(state, call)),
        )
    },
    Route {
        description: "Switches an account off: nobody signs in with it and nothing it granted counts; never one's own.",
        ..managed(
            Post,
            "/manage/accounts/{account}/disable",
            OverInstance("accounts:manage"),
            Operation {
                follows: &[Tagged],
                refuses: &[RefusalCode::Conflict, RefusalCode::PreconditionFailed],
                ..shows("disableAccount", Tag::Accounts, &accounts::ACCOUNT_SUMMARY)
            },
            |state, call| Box::pin(accounts::disable(state, call)),
        )
    },
    Route {
        description: "Switches an account on again: everything counts that counted before.",
        ..managed(
            Post,
            "/manage/accounts/{account}/enable",
            OverInstance("accounts:manage"),
            Operation {
                follows: &[Tagged],
                refuses: &[RefusalCode::Conflict, RefusalCode::PreconditionFailed],
                ..shows("enableAccount", Tag::Accounts, &accounts::ACCOUNT_SUMMARY)
            },
            |state, call| Box::pin(accounts::enable(state, call)),
        )
    },
    Route {
        description: "Signs a person out everywhere.",
        ..managed(
            Delete,
            "/manage/accounts/{account}/sessions",
            OverInstance("accounts:manage"),
            does("endAccountSessions", Tag::Accounts),
            |state, call| Box::pin(accounts::end_sessions(state, call)),
        )
    },
    Route {
        description: "Signs everybody out everywhere, whoever asks for it included.",
        ..managed(
            Post,
            "/manage/sessions/end-all",
            OverInstance("accounts:manage"),
            does("endAllSessions", Tag::Accounts),
            |state, call| Box::pin(accounts::end_everybodys_sessions(state, call)),
        )
    },
    Route {
        description: "Writes to a person that they should set a new password, which nobody but them chooses.",
        ..managed(
            Post,
            "/manage/accounts/{account}/reset",
            OverInstance("accounts:manage"),
            Operation { refuses: &[RefusalCode::Conflict], ..does("startAccountReset", Tag::Accounts) },
            |state, call| Box::pin(accounts::start_reset(state, call)),
        )
    },
];

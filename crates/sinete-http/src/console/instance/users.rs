//! The users of the instance.

use super::condition_labels;
use super::user_access::{END_SESSION, access_blocks};
use crate::console::operations::form::{PageForm, build_form};
use crate::console::operations::list::{OperationList, load_table, search_field};
use crate::console::operations::values::{cell_at, code_at, is_true, items_at, state_at, text_at, time_at};
use crate::console::operations::{OperationPage, PageContent};
use crate::console::page_context::PageContext;
use serde_json::Value;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{
    BlockCell, BlockLink, CellTone, FactsBlock, PageBlock, TableBlock, TableRow,
};
use sinete_server::reply::HandlerError;

pub(super) const PAGES: &[OperationPage] = &[
    OperationPage {
        path: "/instance/users",
        section: ConsoleSection::Users,
        reads: &["listAccounts"],
        forms: &[END_ALL],
        show: |context, _| Box::pin(list_users(context)),
    },
    OperationPage {
        path: "/instance/users/{account}",
        section: ConsoleSection::Users,
        reads: &["getManagedAccount", "listAccountSessions", "listAccountAccess", "listAccountDevices"],
        forms: &[DISABLE, ENABLE, SIGN_OUT, RESET, END_SESSION],
        show: |context, id| Box::pin(show_user(context, id)),
    },
];

const END_ALL: PageForm = PageForm {
    action: "end_all",
    operation: "endAllSessions",
    title: |w| w.instance.end_all,
    introduction: |w| w.instance.end_all_lead,
    button: |w| w.instance.end_all_now,
    is_danger: true,
    is_collapsed: true,
    ..PageForm::BUTTON
};

const DISABLE: PageForm = PageForm {
    action: "disable",
    operation: "disableAccount",
    requires_fresh_authentication: false,
    title: |w| w.instance.user_disable,
    introduction: |w| w.instance.user_disable_lead,
    button: |w| w.instance.user_disable_now,
    is_danger: true,
    is_collapsed: true,
    ..PageForm::BUTTON
};

const ENABLE: PageForm = PageForm {
    action: "enable",
    operation: "enableAccount",
    title: |w| w.instance.user_enable,
    introduction: |w| w.instance.user_enable_lead,
    button: |w| w.instance.user_enable_now,
    ..PageForm::BUTTON
};

const SIGN_OUT: PageForm = PageForm {
    action: "sign_out",
    operation: "endAccountSessions",
    requires_fresh_authentication: false,
    title: |w| w.instance.user_sign_out,
    introduction: |w| w.instance.user_sign_out_lead,
    button: |w| w.instance.user_sign_out_now,
    ..PageForm::BUTTON
};

const RESET: PageForm = PageForm {
    action: "reset",
    operation: "startAccountReset",
    title: |w| w.instance.user_reset,
    introduction: |w| w.instance.user_reset_lead,
    button: |w| w.instance.user_reset_now,
    ..PageForm::BUTTON
};

async fn list_users(context: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let list = OperationList {
        id: "users",
        call: context.operation("listAccounts"),
        title: phrases.instance.users_all,
        introduction: "",
        empty: phrases.instance.users_none,
        columns: vec![
            phrases.instance.name,
            phrases.console.email,
            phrases.console.condition,
            phrases.instance.created_at,
            phrases.blocks.id,
        ],
        filters: vec![search_field(context, "search", phrases.instance.users_search_hint)],
    };
    let table = load_table(context, list, |it| {
        let name = [text_at(it, "/name"), text_at(it, "/email"), text_at(it, "/id")];
        let name = name.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
        TableRow {
            cells: vec![
                BlockCell::link(name, format!("/instance/users/{}", text_at(it, "/id"))),
                cell_at(it, "/email"),
                state_at(it, "/condition", &condition_labels(phrases)),
                time_at(it, "/created_at"),
                code_at(it, "/id"),
            ],
            button: None,
        }
    });
    let blocks = [Some(PageBlock::Table(table.await?)), build_form(context, &END_ALL, None)];
    Ok(PageContent {
        title: phrases.instance.users.to_owned(),
        introduction: phrases.instance.users_lead.to_owned(),
        blocks: blocks.into_iter().flatten().collect(),
    })
}

async fn show_user(context: &PageContext<'_>, id: &str) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let account = context.send(context.operation("getManagedAccount").path("account", id)).await?.body;
    let methods: Vec<&str> = items_at(&account, "/signs_in_with")
        .iter()
        .filter_map(Value::as_str)
        .map(|method| match method {
            "passkey" => phrases.instance.method_passkey,
            "password" => phrases.instance.method_password,
            "totp" => phrases.instance.method_totp,
            "recovery_codes" => phrases.instance.method_recovery_codes,
            "email" => phrases.instance.method_email,
            "single_sign_on" => phrases.instance.method_single_sign_on,
            other => other,
        })
        .collect();
    let facts = FactsBlock {
        id: "user".to_owned(),
        title: phrases.console.overview.to_owned(),
        facts: vec![
            (phrases.blocks.id.to_owned(), code_at(&account, "/id")),
            (phrases.instance.name.to_owned(), cell_at(&account, "/name")),
            (
                phrases.console.condition.to_owned(),
                state_at(&account, "/condition", &condition_labels(phrases)),
            ),
            (phrases.instance.created_at.to_owned(), time_at(&account, "/created_at")),
            (phrases.instance.language.to_owned(), cell_at(&account, "/language")),
            (phrases.instance.signs_in_with.to_owned(), BlockCell::text(methods.join(", "))),
            (phrases.instance.sessions.to_owned(), cell_at(&account, "/sessions")),
        ],
        links: events_link(context, id).into_iter().collect(),
    };
    let mut blocks = vec![
        PageBlock::Facts(facts),
        PageBlock::Table(contacts_table(context, &account)),
        PageBlock::Table(memberships_table(context, &account)),
    ];
    blocks.extend(access_blocks(context, id).await?);
    let is_enabled = text_at(&account, "/condition") == "enabled";
    let forms: &[&PageForm] = if is_enabled { &[&SIGN_OUT, &RESET, &DISABLE] } else { &[&ENABLE] };
    let is_gone = text_at(&account, "/condition") == "deleted";
    let forms = forms.iter().filter(|_| !is_gone);
    blocks.extend(forms.filter_map(|form| build_form(context, form, Some(&account))));
    let name = [text_at(&account, "/name"), text_at(&account, "/contacts/0/address"), id.to_owned()];
    let title = name.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
    Ok(PageContent { title, introduction: String::new(), blocks })
}

/// The link to the events of a user, if the operator may read them.
fn events_link(context: &PageContext<'_>, id: &str) -> Option<BlockLink> {
    let text = context.phrases().instance.their_events.to_owned();
    context.can_call("listEvents").then(|| BlockLink { text, path: format!("/instance/events?account={id}") })
}

fn contacts_table(context: &PageContext<'_>, account: &Value) -> TableBlock {
    let phrases = context.phrases();
    let row = |it: &Value| {
        let state = match is_true(it, "/is_verified") {
            true => BlockCell::tag(phrases.instance.verified, CellTone::Good),
            false => BlockCell::tag(phrases.instance.unverified, CellTone::Plain),
        };
        let primary = match is_true(it, "/is_primary") {
            true => BlockCell::tag(phrases.instance.primary, CellTone::Plain),
            false => BlockCell::default(),
        };
        TableRow { cells: vec![cell_at(it, "/address"), state.append(primary)], button: None }
    };
    TableBlock {
        id: "addresses".to_owned(),
        title: phrases.instance.addresses.to_owned(),
        columns: vec![phrases.instance.address.to_owned(), phrases.console.state.to_owned()],
        rows: items_at(account, "/contacts").iter().map(row).collect(),
        empty: phrases.instance.addresses_none.to_owned(),
        ..TableBlock::default()
    }
}

fn memberships_table(context: &PageContext<'_>, account: &Value) -> TableBlock {
    let phrases = context.phrases();
    let can_open = context.can_call("listOrganizations");
    let row = |it: &Value| TableRow {
        cells: vec![
            match can_open {
                true => BlockCell::link(
                    text_at(it, "/organization_name"),
                    format!("/instance/organizations/{}", text_at(it, "/organization")),
                ),
                false => cell_at(it, "/organization_name"),
            },
            state_at(it, "/condition", &condition_labels(phrases)),
            code_at(it, "/id"),
        ],
        button: None,
    };
    TableBlock {
        id: "memberships".to_owned(),
        title: phrases.instance.memberships.to_owned(),
        columns: [phrases.instance.organization, phrases.console.condition, phrases.blocks.id]
            .map(str::to_owned)
            .to_vec(),
        rows: items_at(account, "/memberships").iter().map(row).collect(),
        empty: phrases.instance.memberships_none.to_owned(),
        ..TableBlock::default()
    }
}

//! The requests of applications for the approval of members (CIBA). An administrator denies one for the organization; only
//! the member approves.

use crate::console::operations::form::PageForm;
use crate::console::operations::list::{OperationList, load_table, text_filter};
use crate::console::operations::values::{items_at, state_at, text_at, time_at};
use crate::console::operations::{OperationPage, PageContent};
use crate::console::page_context::PageContext;
use serde_json::Value;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{
    BlockCell, CellTone, PageBlock, RowButton, RowConfirmation, TableBlock, TableRow,
};
use sinete_screens::locales::LocalePhrases;
use sinete_server::reply::HandlerError;

pub(super) const PAGES: &[OperationPage] = &[OperationPage {
    path: "/console/{organization}/approvals",
    section: ConsoleSection::Approvals,
    reads: &["listCibaRequests"],
    forms: &[DENY],
    show: |context, _| Box::pin(list_requests(context)),
}];

const DENY: PageForm = PageForm {
    action: "deny_request",
    operation: "denyCibaRequest",
    requires_fresh_authentication: false,
    ..PageForm::BUTTON
};

/// The rows of a page: each has a form of its own.
const PAGE_ROWS: &str = "20";

async fn list_requests(context: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let list = OperationList {
        id: "approvals",
        call: context.operation("listCibaRequests").query("limit", PAGE_ROWS),
        title: phrases.ciba_requests.all,
        introduction: "",
        empty: phrases.ciba_requests.none,
        columns: vec![
            phrases.settings.grant_client,
            phrases.settings.grant_member,
            phrases.ciba_requests.message,
            phrases.console.state,
            phrases.instance.created_at,
            phrases.instance.expires_at,
        ],
        filters: vec![text_filter(
            "member",
            phrases.settings.grant_member,
            phrases.settings.grant_member_hint,
        )],
    };
    let members = format!("{}/members", context.return_to.organization_path());
    let may_deny = context.can_call(DENY.operation);
    let table = load_table(context, list, |it| TableRow {
        cells: vec![
            BlockCell::text(text_at(it, "/client_name")),
            member_cell(&members, it),
            purpose_cell(it),
            state_cell(phrases, it),
            time_at(it, "/created_at"),
            time_at(it, "/expires_at"),
        ],
        button: (may_deny && text_at(it, "/state") == "pending").then(|| RowButton {
            action: DENY.action.to_owned(),
            item: text_at(it, "/id"),
            text: phrases.ciba_requests.deny.to_owned(),
            row_name: text_at(it, "/client_name"),
        }),
    });
    let confirmation = RowConfirmation {
        consequence: phrases.ciba_requests.deny_lead.to_owned(),
        button: phrases.ciba_requests.deny_now.to_owned(),
    };
    let table = TableBlock { confirmation: Some(confirmation), ..table.await? };
    Ok(PageContent {
        title: phrases.ciba_requests.title.to_owned(),
        introduction: phrases.ciba_requests.lead.to_owned(),
        blocks: vec![PageBlock::Table(table)],
    })
}

/// The member who is asked, with a link to their page.
fn member_cell(members: &str, request: &Value) -> BlockCell {
    match text_at(request, "/membership") {
        id if id.is_empty() => BlockCell::default(),
        id => BlockCell::link(id.chars().take(8).collect::<String>(), format!("{members}/{id}")),
    }
}

/// What is requested, as far as the user may see it: the message, the types of the authorization details, and the scope.
fn purpose_cell(request: &Value) -> BlockCell {
    let message = text_at(request, "/binding_message");
    let details = items_at(request, "/authorization_details").iter();
    let details = details.map(|detail| BlockCell::keyword(text_at(detail, "/type")));
    let scope = text_at(request, "/scope");
    let message = Some(message).filter(|text| !text.is_empty()).map(BlockCell::text);
    let scope = Some(scope).filter(|text| !text.is_empty()).map(BlockCell::text);
    message.into_iter().chain(details).chain(scope).fold(BlockCell::default(), BlockCell::append)
}

fn state_cell(phrases: &LocalePhrases, request: &Value) -> BlockCell {
    let states = [
        ("pending", phrases.ciba_requests.pending, CellTone::Warn),
        ("approved", phrases.ciba_requests.approved, CellTone::Good),
        ("denied", phrases.ciba_requests.denied, CellTone::Plain),
        ("expired", phrases.ciba_requests.expired, CellTone::Plain),
    ];
    state_at(request, "/state", &states)
}

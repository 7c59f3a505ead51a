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
    show: |work, _| Box::pin(list_requests(work)),
}];

const DENY: PageForm =
    PageForm { action: "deny_request", operation: "denyCibaRequest", needs_fresh: false, ..PageForm::BUTTON };

/// The rows of a page: each has a form of its own.
const PAGE_ROWS: &str = "20";

async fn list_requests(work: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let words = work.words();
    let list = OperationList {
        id: "approvals",
        call: work.operation("listCibaRequests").query("limit", PAGE_ROWS),
        title: words.ciba_requests.all,
        lead: "",
        empty: words.ciba_requests.none,
        columns: vec![
            words.settings.grant_client,
            words.settings.grant_member,
            words.ciba_requests.message,
            words.console.state,
            words.instance.created_at,
            words.instance.expires_at,
        ],
        filters: vec![text_filter("member", words.settings.grant_member, words.settings.grant_member_hint)],
    };
    let members = format!("{}/members", work.return_to.organization_path());
    let may_deny = work.may_call(DENY.operation);
    let table = load_table(work, list, |it| TableRow {
        cells: vec![
            BlockCell::text(text_at(it, "/client_name")),
            member_cell(&members, it),
            purpose_cell(it),
            state_cell(words, it),
            time_at(it, "/created_at"),
            time_at(it, "/expires_at"),
        ],
        button: (may_deny && text_at(it, "/state") == "pending").then(|| RowButton {
            action: DENY.action.to_owned(),
            item: text_at(it, "/id"),
            text: words.ciba_requests.deny.to_owned(),
            about: text_at(it, "/client_name"),
        }),
    });
    let confirmation = RowConfirmation {
        consequence: words.ciba_requests.deny_lead.to_owned(),
        button: words.ciba_requests.deny_now.to_owned(),
    };
    let table = TableBlock { confirmation: Some(confirmation), ..table.await? };
    Ok(PageContent {
        title: words.ciba_requests.title.to_owned(),
        lead: words.ciba_requests.lead.to_owned(),
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
    message.into_iter().chain(details).chain(scope).fold(BlockCell::default(), BlockCell::and)
}

fn state_cell(words: &LocalePhrases, request: &Value) -> BlockCell {
    let states = [
        ("pending", words.ciba_requests.pending, CellTone::Warn),
        ("approved", words.ciba_requests.approved, CellTone::Good),
        ("denied", words.ciba_requests.denied, CellTone::Plain),
        ("expired", words.ciba_requests.expired, CellTone::Plain),
    ];
    state_at(request, "/state", &states)
}

//! The access that members granted to applications.

use crate::console::operations::form::PageForm;
use crate::console::operations::list::{OperationList, load_table, text_filter};
use crate::console::operations::values::{cell_at, code_at, is_present, text_at, time_at};
use crate::console::operations::{OperationPage, PageContent};
use crate::console::page_context::PageContext;
use serde_json::Value;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{BlockCell, CellTone, PageBlock, RowButton, TableRow};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::reply::HandlerError;

pub(super) const PAGES: &[OperationPage] = &[OperationPage {
    path: "/console/{organization}/grants",
    section: ConsoleSection::Grants,
    reads: &["listGrants"],
    forms: &[REVOKE],
    show: |work, _| Box::pin(list_grants(work)),
}];

const REVOKE: PageForm = PageForm {
    action: "revoke_grant",
    operation: "revokeGrant",
    needs_fresh: false,
    notice: ConsoleNotice::Deleted,
    ..PageForm::BUTTON
};

async fn list_grants(work: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let words = work.words();
    let list = OperationList {
        id: "grants",
        call: work.operation("listGrants"),
        title: words.settings.grants_all,
        lead: "",
        empty: words.settings.grants_none,
        columns: vec![
            words.settings.grant_client,
            words.settings.grant_member,
            words.settings.grant_scope,
            words.instance.created_at,
            words.instance.expires_at,
        ],
        filters: vec![text_filter("member", words.settings.grant_member, words.settings.grant_member_hint)],
    };
    let members = format!("{}/members", work.return_to.organization_path());
    let can_revoke = work.may_call(REVOKE.operation);
    let table = load_table(work, list, |it| {
        let is_revoked = is_present(it, "/revoked_at");
        let state = match is_revoked {
            true => BlockCell::tag(words.settings.grant_revoked, CellTone::Plain),
            false => BlockCell::default(),
        };
        let member = text_at(it, "/membership");
        TableRow {
            cells: vec![
                code_at(it, "/client").and(state),
                BlockCell::link(member.chars().take(8).collect::<String>(), format!("{members}/{member}")),
                BlockCell::text(scopes(it)),
                time_at(it, "/created_at"),
                time_at(it, "/expires_at"),
            ],
            button: (can_revoke && !is_revoked).then(|| RowButton {
                action: REVOKE.action.to_owned(),
                item: text_at(it, "/id"),
                text: words.applications.revoke.to_owned(),
                about: text_at(it, "/client"),
            }),
        }
    });
    Ok(PageContent {
        title: words.settings.grants.to_owned(),
        lead: words.settings.grants_lead.to_owned(),
        blocks: vec![PageBlock::Table(table.await?)],
    })
}

/// The scopes for all resources.
fn scopes(grant: &Value) -> String {
    let scopes = grant.pointer("/scopes").and_then(Value::as_object).into_iter().flatten();
    scopes.map(|(_, scope)| text_at(scope, "")).collect::<Vec<_>>().join(" ")
}

/// The assignments of operators, as the organization sees them.
pub(super) async fn load_assignments(work: &PageContext<'_>) -> Result<Option<PageBlock>, HandlerError> {
    if !work.may_call("listAssignments") {
        return Ok(None);
    }
    let words = work.words();
    let list = OperationList {
        id: "assignments",
        call: work.operation("listAssignments"),
        title: words.settings.operators,
        lead: words.settings.operators_lead,
        empty: words.settings.operators_none,
        columns: vec![
            words.instance.reason,
            words.instance.allows,
            words.instance.assign_until,
            words.instance.ended_at,
        ],
        filters: Vec::new(),
    };
    let row = |it: &Value| TableRow {
        cells: vec![
            cell_at(it, "/reason"),
            cell_at(it, "/allows"),
            time_at(it, "/ends_at"),
            time_at(it, "/ended_at"),
        ],
        button: None,
    };
    Ok(Some(PageBlock::Table(load_table(work, list, row).await?)))
}

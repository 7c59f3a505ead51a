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
    show: |context, _| Box::pin(list_grants(context)),
}];

const REVOKE: PageForm = PageForm {
    action: "revoke_grant",
    operation: "revokeGrant",
    requires_fresh_authentication: false,
    notice: ConsoleNotice::Deleted,
    ..PageForm::BUTTON
};

async fn list_grants(context: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let list = OperationList {
        id: "grants",
        call: context.operation("listGrants"),
        title: phrases.settings.grants_all,
        introduction: "",
        empty: phrases.settings.grants_none,
        columns: vec![
            phrases.settings.grant_client,
            phrases.settings.grant_member,
            phrases.settings.grant_scope,
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
    let can_revoke = context.can_call(REVOKE.operation);
    let table = load_table(context, list, |it| {
        let is_revoked = is_present(it, "/revoked_at");
        let state = match is_revoked {
            true => BlockCell::tag(phrases.settings.grant_revoked, CellTone::Plain),
            false => BlockCell::default(),
        };
        let member = text_at(it, "/membership");
        TableRow {
            cells: vec![
                code_at(it, "/client").append(state),
                BlockCell::link(member.chars().take(8).collect::<String>(), format!("{members}/{member}")),
                BlockCell::text(format_scopes(it)),
                time_at(it, "/created_at"),
                time_at(it, "/expires_at"),
            ],
            button: (can_revoke && !is_revoked).then(|| RowButton {
                action: REVOKE.action.to_owned(),
                item: text_at(it, "/id"),
                text: phrases.applications.revoke.to_owned(),
                row_name: text_at(it, "/client"),
            }),
        }
    });
    Ok(PageContent {
        title: phrases.settings.grants.to_owned(),
        introduction: phrases.settings.grants_lead.to_owned(),
        blocks: vec![PageBlock::Table(table.await?)],
    })
}

/// The scopes for all resources.
fn format_scopes(grant: &Value) -> String {
    let scopes = grant.pointer("/scopes").and_then(Value::as_object).into_iter().flatten();
    scopes.map(|(_, scope)| text_at(scope, "")).collect::<Vec<_>>().join(" ")
}

/// The assignments of operators, as the organization sees them.
pub(super) async fn load_assignments(context: &PageContext<'_>) -> Result<Option<PageBlock>, HandlerError> {
    if !context.can_call("listAssignments") {
        return Ok(None);
    }
    let phrases = context.phrases();
    let list = OperationList {
        id: "assignments",
        call: context.operation("listAssignments"),
        title: phrases.settings.operators,
        introduction: phrases.settings.operators_lead,
        empty: phrases.settings.operators_none,
        columns: vec![
            phrases.instance.reason,
            phrases.instance.allows,
            phrases.instance.assign_until,
            phrases.instance.ended_at,
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
    Ok(Some(PageBlock::Table(load_table(context, list, row).await?)))
}

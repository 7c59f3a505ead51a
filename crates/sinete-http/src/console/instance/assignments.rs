//! Assignments: which operator may act inside an organization, why and until when.

use crate::console::operations::form::{FieldKind, FormField, PageForm, build_form};
use crate::console::operations::list::{OperationList, load_table, search_field};
use crate::console::operations::values::{cell_at, is_present, text_at, time_at};
use crate::console::operations::{OperationPage, PageContent};
use crate::console::page_context::PageContext;
use serde_json::Value;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{PageBlock, RowButton, TableBlock, TableRow};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::reply::HandlerError;

pub(super) const PAGES: &[OperationPage] = &[OperationPage {
    path: "/instance/assignments",
    section: ConsoleSection::Assignments,
    reads: &["listInstanceAssignments"],
    forms: &[ASSIGN, END],
    show: |context, _| Box::pin(list_assignments(context)),
}];

const ASSIGN: PageForm = PageForm {
    action: "assign",
    operation: "makeAssignment",
    title: |w| w.instance.assign,
    introduction: |w| w.instance.assign_lead,
    button: |w| w.instance.assign_now,
    fields: &[
        FormField {
            pointer: "/organization",
            label: |w| w.instance.organization,
            hint: |w| w.instance.assign_organization_hint,
            is_required: true,
            ..FormField::TEXT
        },
        FormField {
            pointer: "/holder",
            label: |w| w.instance.assign_holder,
            hint: |w| w.instance.assign_holder_hint,
            is_required: true,
            ..FormField::TEXT
        },
        FormField {
            pointer: "/member",
            label: |w| w.instance.assign_member,
            hint: |w| w.instance.assign_member_hint,
            ..FormField::TEXT
        },
        FormField {
            pointer: "/reason",
            label: |w| w.instance.reason,
            hint: |w| w.instance.reason_hint,
            is_required: true,
            ..FormField::TEXT
        },
        FormField {
            pointer: "/ends_at",
            label: |w| w.instance.assign_until,
            hint: |w| w.instance.assign_until_hint,
            kind: FieldKind::Day,
            is_required: true,
            ..FormField::TEXT
        },
    ],
    notice: ConsoleNotice::Created,
    is_collapsed: true,
    ..PageForm::BUTTON
};

const END: PageForm = PageForm {
    action: "end",
    operation: "endAssignment",
    requires_fresh_authentication: false,
    notice: ConsoleNotice::Deleted,
    ..PageForm::BUTTON
};

async fn list_assignments(context: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let organization_query = context.query.get("organization").unwrap_or_default().trim();
    let mut filter = search_field(context, "organization", phrases.instance.assign_organization_hint);
    phrases.instance.organization.clone_into(&mut filter.label);
    let table = match organization_query.is_empty() {
        // The list is by organization.
        true => TableBlock {
            id: "assignments".to_owned(),
            title: phrases.instance.assignments_of.to_owned(),
            empty: phrases.instance.assignments_choose.to_owned(),
            filters: vec![filter],
            ..TableBlock::default()
        },
        false => {
            let list = OperationList {
                filters: vec![filter],
                ..assignment_list(context, context.operation("listInstanceAssignments"))
            };
            load_table(context, list, |it| assignment_row(context, it, true)).await?
        }
    };
    let blocks = [Some(PageBlock::Table(table)), build_form(context, &ASSIGN, None)];
    Ok(PageContent {
        title: phrases.instance.assignments.to_owned(),
        introduction: phrases.instance.assignments_lead.to_owned(),
        blocks: blocks.into_iter().flatten().collect(),
    })
}

/// The assignments to an organization, on its page.
pub(super) async fn load_assignments(
    context: &PageContext<'_>,
    slug: &str,
    is_assigned: bool,
) -> Result<TableBlock, HandlerError> {
    let phrases = context.phrases();
    let operation_call = context.operation("listInstanceAssignments").query("organization", slug);
    let mut list = assignment_list(context, operation_call);
    list.introduction = if is_assigned { phrases.instance.assigned } else { phrases.instance.not_assigned };
    let table = load_table(context, list, |it| assignment_row(context, it, false)).await?;
    Ok(TableBlock { downloads: Vec::new(), first: None, next: None, ..table })
}

fn assignment_list<'a>(
    context: &PageContext<'_>,
    operation_call: crate::management_api::in_process::OperationCall,
) -> OperationList<'a> {
    let phrases = context.phrases();
    OperationList {
        id: "assignments",
        call: operation_call,
        title: phrases.instance.assignments_of,
        introduction: "",
        empty: phrases.instance.assignments_none,
        columns: vec![
            phrases.instance.assign_holder,
            phrases.instance.allows,
            phrases.instance.reason,
            phrases.instance.assign_until,
            phrases.instance.ended_at,
        ],
        filters: Vec::new(),
    }
}

fn assignment_row(context: &PageContext<'_>, it: &Value, with_button: bool) -> TableRow {
    let phrases = context.phrases();
    let can_end = with_button && !is_present(it, "/ended_at") && context.can_call(END.operation);
    TableRow {
        cells: vec![
            cell_at(it, "/holder"),
            cell_at(it, "/allows"),
            cell_at(it, "/reason"),
            time_at(it, "/ends_at"),
            time_at(it, "/ended_at"),
        ],
        button: can_end.then(|| RowButton {
            action: END.action.to_owned(),
            item: text_at(it, "/id"),
            text: phrases.instance.assignment_end.to_owned(),
            row_name: text_at(it, "/reason"),
        }),
    }
}

//! The profile that an organization has of a member.

use crate::console::operations::form::{FieldKind, FormField, PageForm, build_form};
use crate::console::operations::values::{cell_at, code_at, text_at, time_at};
use crate::console::operations::{OperationPage, PageContent};
use crate::console::page_context::PageContext;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{BlockLink, FactsBlock, PageBlock};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::reply::HandlerError;

pub(super) const PAGES: &[OperationPage] = &[OperationPage {
    path: "/console/{organization}/members/{member}/profile",
    section: ConsoleSection::Members,
    reads: &["getMember"],
    forms: &[CHANGE],
    show: |context, id| Box::pin(show_profile(context, id)),
}];

const CHANGE: PageForm = PageForm {
    action: "change",
    operation: "updateMember",
    requires_fresh_authentication: false,
    title: |w| w.settings.profile,
    introduction: |w| w.settings.profile_lead,
    button: |w| w.settings.save,
    fields: &[
        FormField { pointer: "/profile/name", label: |w| w.instance.name, ..FormField::TEXT },
        FormField { pointer: "/profile/given_name", label: |w| w.settings.given_name, ..FormField::TEXT },
        FormField { pointer: "/profile/family_name", label: |w| w.settings.family_name, ..FormField::TEXT },
        FormField {
            pointer: "/profile/email",
            label: |w| w.console.work_email,
            kind: FieldKind::Email,
            ..FormField::TEXT
        },
        FormField { pointer: "/profile/title", label: |w| w.console.job, ..FormField::TEXT },
        FormField { pointer: "/profile/department", label: |w| w.console.department, ..FormField::TEXT },
        FormField {
            pointer: "/profile/employee_number",
            label: |w| w.settings.employee_number,
            ..FormField::TEXT
        },
    ],
    notice: ConsoleNotice::Saved,
    ..PageForm::BUTTON
};

async fn show_profile(context: &PageContext<'_>, id: &str) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let member = context.send(context.operation("getMember").path("member", id)).await?.body;
    let facts = FactsBlock {
        id: "member".to_owned(),
        title: phrases.console.overview.to_owned(),
        facts: vec![
            (phrases.blocks.id.to_owned(), code_at(&member, "/id")),
            (phrases.console.external.to_owned(), code_at(&member, "/external_id")),
            (phrases.console.kind.to_owned(), cell_at(&member, "/kind")),
            (phrases.console.since.to_owned(), time_at(&member, "/created_at")),
        ],
        links: vec![BlockLink {
            text: phrases.settings.to_member.to_owned(),
            path: format!("{}/members/{id}", context.return_to.organization_path()),
        }],
    };
    let blocks = [Some(PageBlock::Facts(facts)), build_form(context, &CHANGE, Some(&member))];
    let name = [text_at(&member, "/profile/name"), phrases.settings.profile.to_owned()];
    Ok(PageContent {
        title: name.into_iter().find(|name| !name.is_empty()).unwrap_or_default(),
        introduction: String::new(),
        blocks: blocks.into_iter().flatten().collect(),
    })
}

//! Set-up links: an owner issues one for another party, sees what was prepared with it, and confirms or revokes it.

use crate::console::operations::form::{FieldKind, FormField, NextPage, PageForm, build_form};
use crate::console::operations::list::{OperationList, load_table};
use crate::console::operations::values::{cell_at, code_at, is_present, is_true, state_at, text_at, time_at};
use crate::console::operations::{OperationPage, PageContent};
use crate::console::page_context::PageContext;
use serde_json::Value;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{
    BlockCell, BlockLink, CellTone, FactsBlock, PageBlock, RowButton, TableRow,
};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_screens::locales::LocalePhrases;
use sinete_server::reply::HandlerError;

pub(super) const PAGES: &[OperationPage] = &[
    OperationPage {
        path: "/console/{organization}/setup-links",
        section: ConsoleSection::Connections,
        reads: &["listSetupLinks"],
        forms: &[ISSUE, REVOKE],
        show: |context, _| Box::pin(list_links(context)),
    },
    OperationPage {
        path: "/console/{organization}/setup-links/{setup_link}",
        section: ConsoleSection::Connections,
        reads: &["getSetupLink"],
        forms: &[CONFIRM],
        show: |context, id| Box::pin(show_link(context, id)),
    },
];

const ISSUE: PageForm = PageForm {
    action: "issue",
    operation: "issueSetupLink",
    title: |w| w.setup_link.issue,
    introduction: |w| w.setup_link.issue_lead,
    button: |w| w.setup_link.issue_now,
    fields: &[FormField {
        pointer: "/expires_at",
        label: |w| w.instance.expires_at,
        hint: |w| w.setup_link.expires_hint,
        kind: FieldKind::Day,
        ..FormField::TEXT
    }],
    notice: ConsoleNotice::Created,
    next: NextPage::Secret("", &[("/url", |w| w.setup_link.url)]),
    ..PageForm::BUTTON
};

const REVOKE: PageForm = PageForm {
    action: "revoke",
    operation: "revokeSetupLink",
    requires_fresh_authentication: false,
    notice: ConsoleNotice::Deleted,
    ..PageForm::BUTTON
};

const CONFIRM: PageForm = PageForm {
    action: "confirm",
    operation: "confirmSetupLink",
    title: |w| w.setup_link.confirm,
    introduction: |w| w.setup_link.confirm_lead,
    button: |w| w.setup_link.confirm_now,
    notice: ConsoleNotice::Done,
    ..PageForm::BUTTON
};

fn link_state(phrases: &LocalePhrases, link: &Value) -> BlockCell {
    let w = &phrases.setup_link;
    state_at(
        link,
        "/state",
        &[
            ("issued", w.issued, CellTone::Plain),
            ("opened", w.opened, CellTone::Good),
            ("expired", w.expired, CellTone::Warn),
            ("revoked", w.revoked, CellTone::Plain),
            ("confirmed", w.confirmed, CellTone::Good),
        ],
    )
}

/// What was prepared, in a few words.
fn prepared_text(phrases: &LocalePhrases, link: &Value) -> String {
    let w = &phrases.setup_link;
    let parts = [
        (is_present(link, "/connection"), w.sso),
        (is_true(link, "/scim"), w.scim),
        (is_present(link, "/domain"), w.domain),
    ];
    parts.into_iter().filter(|(is, _)| *is).map(|(_, name)| name).collect::<Vec<_>>().join(", ")
}

fn is_open(link: &Value) -> bool {
    matches!(text_at(link, "/state").as_str(), "issued" | "opened")
}

async fn list_links(context: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let w = &phrases.setup_link;
    let list = OperationList {
        id: "setup-links",
        call: context.operation("listSetupLinks"),
        title: w.links,
        introduction: "",
        empty: w.none,
        columns: vec![w.link, w.state, w.prepared, phrases.instance.created_at, phrases.instance.expires_at],
        filters: Vec::new(),
    };
    let may_change = context.access.organization_access().is_owner;
    let table = load_table(context, list, |it| {
        let id = text_at(it, "/id");
        TableRow {
            cells: vec![
                BlockCell::link(id.rsplit('-').next().unwrap_or_default(), format!("{}/{id}", context.path)),
                link_state(phrases, it),
                BlockCell::text(prepared_text(phrases, it)),
                time_at(it, "/created_at"),
                time_at(it, "/expires_at"),
            ],
            button: (may_change && is_open(it)).then(|| RowButton {
                action: REVOKE.action.to_owned(),
                item: id.clone(),
                text: phrases.applications.revoke.to_owned(),
                row_name: id.clone(),
            }),
        }
    })
    .await?;
    let issue = build_form(context, &ISSUE, None).filter(|_| may_change);
    Ok(PageContent {
        title: w.links.to_owned(),
        introduction: w.links_lead.to_owned(),
        blocks: issue.into_iter().chain([PageBlock::Table(table)]).collect(),
    })
}

async fn show_link(context: &PageContext<'_>, id: &str) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let w = &phrases.setup_link;
    let link = context.send(context.operation("getSetupLink").path("setup_link", id)).await?.body;
    let area = context.return_to.organization_path();
    let connection = text_at(&link, "/connection/id");
    let is_prepared = !prepared_text(phrases, &link).is_empty();
    let yes_no = |is: bool| match is {
        true => BlockCell::tag(w.prepared, CellTone::Good),
        false => BlockCell::text(w.nothing),
    };
    let sso = match connection.is_empty() {
        true => yes_no(false),
        false => {
            BlockCell::link(text_at(&link, "/connection/name"), format!("{area}/connections/{connection}"))
                .append(code_at(&link, "/connection/issuer"))
        }
    };
    let domain = match is_present(&link, "/domain") {
        true => cell_at(&link, "/domain"),
        false => yes_no(false),
    };
    let facts = FactsBlock {
        id: "setup-link".to_owned(),
        title: w.prepared_by_holder.to_owned(),
        facts: vec![
            (w.state.to_owned(), link_state(phrases, &link)),
            (w.sso.to_owned(), sso),
            (w.scim.to_owned(), yes_no(is_true(&link, "/scim"))),
            (w.domain.to_owned(), domain),
            (w.opened_at.to_owned(), time_at(&link, "/opened_at")),
            (phrases.instance.expires_at.to_owned(), time_at(&link, "/expires_at")),
        ],
        links: vec![BlockLink { text: w.all.to_owned(), path: format!("{area}/setup-links") }],
    };
    let may_confirm = context.access.organization_access().is_owner && is_open(&link) && is_prepared;
    let confirm = build_form(context, &CONFIRM, Some(&link)).filter(|_| may_confirm);
    Ok(PageContent {
        title: w.link.to_owned(),
        introduction: w.link_lead.to_owned(),
        blocks: [Some(PageBlock::Facts(facts)), confirm].into_iter().flatten().collect(),
    })
}

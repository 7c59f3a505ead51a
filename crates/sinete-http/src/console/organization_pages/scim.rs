//! Provisioning by SCIM: where a directory connects to, and what the organization decides about its requests.

use crate::console::operations::form::{FieldKind, FormField, PageForm, build_form};
use crate::console::operations::values::{cell_at, is_present, items_at, text_at, time_at};
use crate::console::operations::{OperationPage, PageContent};
use crate::console::page_context::PageContext;
use serde_json::Value;
use sinete_core::access_control::built_in_permissions::PROVISION_SCIM;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{
    BlockCell, BlockLink, FactsBlock, PageBlock, TableBlock, TableRow,
};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::reply::HandlerError;

pub(super) const PAGES: &[OperationPage] = &[OperationPage {
    path: "/console/{organization}/scim",
    section: ConsoleSection::Scim,
    reads: &["getOrganization", "listApiKeys"],
    forms: &[CHANGE],
    show: |work, _| Box::pin(show_scim(work)),
}];

const CHANGE: PageForm = PageForm {
    action: "change",
    operation: "updateOrganization",
    title: |w| w.settings.scim_requests,
    button: |w| w.settings.save,
    fields: &[
        FormField {
            pointer: "/settings/scim/unknown_attributes",
            label: |w| w.settings.unknown_attributes,
            hint: |w| w.settings.unknown_attributes_hint,
            kind: FieldKind::Choice(&[
                ("log", |w| w.settings.unknown_log),
                ("ignore", |w| w.settings.unknown_ignore),
                ("refuse", |w| w.settings.unknown_refuse),
            ]),
            ..FormField::TEXT
        },
        FormField {
            pointer: "/settings/scim/extension_schemas",
            label: |w| w.settings.extension_schemas,
            hint: |w| w.settings.extension_schemas_hint,
            kind: FieldKind::Lines,
            ..FormField::TEXT
        },
    ],
    notice: ConsoleNotice::Saved,
    ..PageForm::BUTTON
};

async fn show_scim(work: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let words = work.words();
    let organization = work.send(work.operation("getOrganization")).await?.body;
    let area = work.return_to.organization_path();
    let endpoint = format!("{}/scim/v2", work.state.base_address().issuer().trim_end_matches('/'));
    let links = [
        ("listApiKeys", words.settings.scim_make_token, format!("{area}/keys")),
        ("listMembers", words.settings.scim_members, format!("{area}/members")),
        ("listAuditEntries", words.settings.scim_log, format!("{area}/trail?kind=scim.attributes_ignored")),
    ];
    let links = links.into_iter().filter(|(operation, ..)| work.may_call(operation));
    let facts = FactsBlock {
        id: "scim".to_owned(),
        title: words.settings.scim_connect.to_owned(),
        facts: vec![
            (words.settings.scim_endpoint.to_owned(), BlockCell::code(endpoint)),
            (words.settings.scim_token.to_owned(), BlockCell::text(words.settings.scim_token_text)),
        ],
        links: links.map(|(_, text, path)| BlockLink { text: text.to_owned(), path }).collect(),
    };
    let tokens = load_tokens(work).await?;
    let blocks = [Some(PageBlock::Facts(facts)), tokens, build_form(work, &CHANGE, Some(&organization))];
    Ok(PageContent {
        title: words.settings.scim.to_owned(),
        lead: words.settings.scim_lead.to_owned(),
        blocks: blocks.into_iter().flatten().collect(),
    })
}

/// The API keys that a directory can use, with the last request of each.
async fn load_tokens(work: &PageContext<'_>) -> Result<Option<PageBlock>, HandlerError> {
    if !work.may_call("listApiKeys") {
        return Ok(None);
    }
    let words = work.words();
    let keys = work.send(work.operation("listApiKeys").query("limit", "200")).await?.body;
    let is_usable = |key: &&Value| {
        let scope = text_at(key, "/scope");
        !is_present(key, "/revoked_at") && scope.split(' ').any(|it| it == PROVISION_SCIM)
    };
    let row = |key: &Value| TableRow {
        cells: vec![cell_at(key, "/name"), time_at(key, "/used_at"), time_at(key, "/expires_at")],
        button: None,
    };
    Ok(Some(PageBlock::Table(TableBlock {
        id: "tokens".to_owned(),
        title: words.settings.scim_tokens.to_owned(),
        lead: words.settings.scim_tokens_lead.to_owned(),
        columns: vec![
            words.settings.scim_token.to_owned(),
            words.settings.scim_last_request.to_owned(),
            words.instance.expires_at.to_owned(),
        ],
        rows: items_at(&keys, "/items").iter().filter(is_usable).map(row).collect(),
        empty: words.settings.scim_no_tokens.to_owned(),
        ..TableBlock::default()
    })))
}

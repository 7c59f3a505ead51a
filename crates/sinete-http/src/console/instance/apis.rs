//! The APIs of the instance: permissions, offers to organizations, protected resource metadata.

use crate::console::operations::form::{FieldKind, FormField, NextPage, PageForm, build_form};
use crate::console::operations::list::{OperationList, load_table};
use crate::console::operations::values::{cell_at, code_at, is_true, items_at, text_at};
use crate::console::operations::{OperationPage, PageContent, Phrase};
use crate::console::page_context::PageContext;
use serde_json::Value;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{
    BlockCell, BlockLink, CellTone, FactsBlock, PageBlock, RowButton, TableBlock, TableRow,
};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::reply::HandlerError;

pub(super) const PAGES: &[OperationPage] = &[
    OperationPage {
        path: "/instance/apis",
        section: ConsoleSection::InstanceApis,
        reads: &["listInstanceApis"],
        forms: &[CREATE],
        show: |work, _| Box::pin(list_apis(work)),
    },
    OperationPage {
        path: "/instance/apis/{api}",
        section: ConsoleSection::InstanceApis,
        reads: &["getInstanceApi", "getInstanceProtectedResource", "listApiOffers"],
        forms: &[CHANGE, OFFER, WITHDRAW_OFFER, DELETE],
        show: |work, id| Box::pin(show_api(work, id)),
    },
];

const UNVERIFIED: &[(&str, Phrase)] = &[
    ("allow", |w| w.instance.unverified_allow),
    ("irreversible_refused", |w| w.instance.unverified_irreversible),
    ("refuse", |w| w.instance.unverified_refuse),
];
const ALGORITHMS: &[(&str, Phrase)] = &[
    ("", |w| w.instance.algorithm_usual),
    ("ES256", |_| "ES256"),
    ("EdDSA", |_| "EdDSA"),
    ("PS256", |_| "PS256"),
    ("RS256", |_| "RS256"),
];

/// The fields of an API, of the instance or an organization.
pub(in crate::console) const FIELDS: &[FormField] = &[
    FormField { pointer: "/name", label: |w| w.instance.name, is_required: true, ..FormField::TEXT },
    FormField {
        pointer: "/identifier",
        label: |w| w.instance.api_identifier,
        hint: |w| w.instance.api_identifier_hint,
        is_required: true,
        ..FormField::TEXT
    },
    FormField {
        pointer: "/permissions",
        label: |w| w.instance.permissions,
        hint: |w| w.instance.permissions_hint,
        kind: FieldKind::Json,
        initial: "[{\"permission\": \"documents:read\", \"english\": \"Read documents\", \"portuguese\": \"Ler documentos\"}]",
        is_required: true,
    },
    FormField {
        pointer: "/default_scope",
        label: |w| w.instance.default_scope,
        hint: |w| w.instance.default_scope_hint,
        ..FormField::TEXT
    },
    FormField {
        pointer: "/token_lifetime_seconds",
        label: |w| w.instance.token_lifetime,
        hint: |w| w.instance.token_lifetime_hint,
        kind: FieldKind::Number,
        ..FormField::TEXT
    },
    FormField {
        pointer: "/algorithm",
        label: |w| w.instance.algorithm,
        kind: FieldKind::Choice(ALGORITHMS),
        ..FormField::TEXT
    },
    FormField {
        pointer: "/unverified_clients",
        label: |w| w.instance.unverified_clients,
        kind: FieldKind::Choice(UNVERIFIED),
        ..FormField::TEXT
    },
    FormField {
        pointer: "/detail_types",
        label: |w| w.instance.detail_types,
        hint: |w| w.instance.detail_types_hint,
        kind: FieldKind::Json,
        ..FormField::TEXT
    },
    FormField {
        pointer: "/object_types",
        label: |w| w.instance.object_types,
        hint: |w| w.instance.object_types_hint,
        kind: FieldKind::Json,
        ..FormField::TEXT
    },
];

const CREATE: PageForm = PageForm {
    action: "create",
    operation: "createInstanceApi",
    title: |w| w.instance.api_create,
    button: |w| w.instance.api_create_now,
    fields: FIELDS,
    notice: ConsoleNotice::Created,
    next: NextPage::Created("/id"),
    is_collapsed: true,
    ..PageForm::BUTTON
};

const CHANGE: PageForm = PageForm {
    action: "change",
    operation: "updateInstanceApi",
    title: |w| w.applications.settings,
    button: |w| w.applications.save,
    fields: FIELDS,
    notice: ConsoleNotice::Saved,
    is_collapsed: true,
    ..PageForm::BUTTON
};

const OFFER: PageForm = PageForm {
    action: "offer",
    operation: "offerApi",
    title: |w| w.instance.offer,
    lead: |w| w.instance.offer_lead,
    button: |w| w.instance.offer_now,
    fields: &[FormField {
        pointer: "/organization",
        label: |w| w.instance.organization,
        hint: |w| w.instance.assign_organization_hint,
        kind: FieldKind::Path,
        is_required: true,
        ..FormField::TEXT
    }],
    ..PageForm::BUTTON
};

const WITHDRAW_OFFER: PageForm = PageForm {
    action: "withdraw_offer",
    operation: "withdrawApiOffer",
    needs_fresh: false,
    notice: ConsoleNotice::Deleted,
    ..PageForm::BUTTON
};

const DELETE: PageForm = PageForm {
    action: "delete",
    operation: "removeInstanceApi",
    needs_fresh: false,
    title: |w| w.instance.api_delete,
    lead: |w| w.instance.api_delete_lead,
    button: |w| w.applications.delete_now,
    notice: ConsoleNotice::Deleted,
    next: NextPage::List,
    is_danger: true,
    is_collapsed: true,
    ..PageForm::BUTTON
};

async fn list_apis(work: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let words = work.words();
    let list = OperationList {
        id: "apis",
        call: work.operation("listInstanceApis"),
        title: words.instance.apis_all,
        lead: "",
        empty: words.instance.apis_none,
        columns: api_columns(work),
        filters: Vec::new(),
    };
    let table = load_table(work, list, |it| api_row(work, it, "/instance/apis"));
    let blocks = [Some(PageBlock::Table(table.await?)), build_form(work, &CREATE, None)];
    Ok(PageContent {
        title: words.instance.apis.to_owned(),
        lead: words.instance.apis_lead.to_owned(),
        blocks: blocks.into_iter().flatten().collect(),
    })
}

/// The columns of a list of APIs.
pub(in crate::console) fn api_columns(work: &PageContext<'_>) -> Vec<&'static str> {
    let words = work.words();
    vec![
        words.instance.name,
        words.instance.api_identifier,
        words.instance.belongs_to,
        words.instance.permissions,
    ]
}

/// An API in a list.
pub(in crate::console) fn api_row(work: &PageContext<'_>, it: &Value, list: &str) -> TableRow {
    let words = work.words();
    let belongs = match text_at(it, "/belongs_to").as_str() {
        "instance" => words.instance.title,
        _ => words.instance.organization,
    };
    TableRow {
        cells: vec![
            BlockCell::link(text_at(it, "/name"), format!("{list}/{}", text_at(it, "/id"))),
            code_at(it, "/identifier"),
            BlockCell::text(belongs),
            BlockCell::text(items_at(it, "/permissions").len().to_string()),
        ],
        button: None,
    }
}

/// The facts and permissions of an API, with its protected resource metadata.
pub(in crate::console) fn api_blocks(
    work: &PageContext<'_>,
    api: &Value,
    resource: &Value,
) -> Vec<PageBlock> {
    let words = work.words();
    let facts = FactsBlock {
        id: "api".to_owned(),
        title: words.console.overview.to_owned(),
        facts: vec![
            (words.blocks.id.to_owned(), code_at(api, "/id")),
            (words.instance.api_identifier.to_owned(), code_at(api, "/identifier")),
            (words.instance.algorithm.to_owned(), cell_at(api, "/algorithm")),
            (words.instance.token_lifetime.to_owned(), cell_at(api, "/token_lifetime_seconds")),
            (words.instance.resource_metadata.to_owned(), code_at(resource, "/address")),
            (words.instance.challenge.to_owned(), code_at(resource, "/challenge")),
        ],
        links: Vec::new(),
    };
    let row = |it: &Value| {
        let warning = match is_true(it, "/irreversible") {
            true => BlockCell::tag(words.instance.irreversible, CellTone::Warn),
            false => BlockCell::default(),
        };
        let text =
            match work.reader.language.tag().starts_with("pt") && !text_at(it, "/portuguese").is_empty() {
                true => cell_at(it, "/portuguese"),
                false => cell_at(it, "/english"),
            };
        TableRow { cells: vec![code_at(it, "/permission"), text.and(warning)], button: None }
    };
    let permissions = TableBlock {
        id: "permissions".to_owned(),
        title: words.instance.permissions.to_owned(),
        columns: [words.instance.permission, words.instance.meaning].map(str::to_owned).to_vec(),
        rows: items_at(api, "/permissions").iter().map(row).collect(),
        ..TableBlock::default()
    };
    vec![PageBlock::Facts(facts), PageBlock::Table(permissions)]
}

async fn show_api(work: &PageContext<'_>, id: &str) -> Result<PageContent, HandlerError> {
    let words = work.words();
    let api = work.send(work.operation("getInstanceApi").path("api", id)).await?.body;
    let resource = work.send(work.operation("getInstanceProtectedResource").path("api", id)).await?.body;
    let mut blocks = api_blocks(work, &api, &resource);
    if text_at(&api, "/belongs_to") == "instance" {
        if let Some(PageBlock::Facts(facts)) = blocks.first_mut() {
            let path = format!("/instance/apis/{id}/relationships");
            facts.links.push(BlockLink { text: words.relationships.open.to_owned(), path });
        }
        blocks.extend(build_form(work, &CHANGE, Some(&api)));
        let offers = work.send(work.operation("listApiOffers").path("api", id)).await?.body;
        let can_withdraw = work.may_call(WITHDRAW_OFFER.operation);
        let row = |it: &Value| TableRow {
            cells: vec![BlockCell::link(
                text_at(it, "/organization"),
                format!("/instance/organizations/{}", text_at(it, "/organization")),
            )],
            button: can_withdraw.then(|| RowButton {
                action: WITHDRAW_OFFER.action.to_owned(),
                item: text_at(it, "/organization"),
                text: words.instance.offer_withdraw.to_owned(),
                about: text_at(it, "/organization"),
            }),
        };
        blocks.push(PageBlock::Table(TableBlock {
            id: "offers".to_owned(),
            title: words.instance.offers.to_owned(),
            columns: vec![words.instance.organization.to_owned()],
            rows: items_at(&offers, "/items").iter().map(row).collect(),
            empty: words.instance.offers_none.to_owned(),
            ..TableBlock::default()
        }));
        blocks.extend([&OFFER, &DELETE].into_iter().filter_map(|form| build_form(work, form, Some(&api))));
    }
    Ok(PageContent { title: text_at(&api, "/name"), lead: String::new(), blocks })
}

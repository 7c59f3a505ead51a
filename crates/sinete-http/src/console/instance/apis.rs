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
        show: |context, _| Box::pin(list_apis(context)),
    },
    OperationPage {
        path: "/instance/apis/{api}",
        section: ConsoleSection::InstanceApis,
        reads: &["getInstanceApi", "getInstanceProtectedResource", "listApiOffers"],
        forms: &[CHANGE, OFFER, WITHDRAW_OFFER, DELETE],
        show: |context, id| Box::pin(show_api(context, id)),
    },
];

const UNVERIFIED_CLIENT_POLICIES: &[(&str, Phrase)] = &[
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
        kind: FieldKind::Choice(UNVERIFIED_CLIENT_POLICIES),
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
    introduction: |w| w.instance.offer_lead,
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
    requires_fresh_authentication: false,
    notice: ConsoleNotice::Deleted,
    ..PageForm::BUTTON
};

const DELETE: PageForm = PageForm {
    action: "delete",
    operation: "removeInstanceApi",
    requires_fresh_authentication: false,
    title: |w| w.instance.api_delete,
    introduction: |w| w.instance.api_delete_lead,
    button: |w| w.applications.delete_now,
    notice: ConsoleNotice::Deleted,
    next: NextPage::List,
    is_danger: true,
    is_collapsed: true,
    ..PageForm::BUTTON
};

async fn list_apis(context: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let list = OperationList {
        id: "apis",
        call: context.operation("listInstanceApis"),
        title: phrases.instance.apis_all,
        introduction: "",
        empty: phrases.instance.apis_none,
        columns: api_columns(context),
        filters: Vec::new(),
    };
    let table = load_table(context, list, |it| api_row(context, it, "/instance/apis"));
    let blocks = [Some(PageBlock::Table(table.await?)), build_form(context, &CREATE, None)];
    Ok(PageContent {
        title: phrases.instance.apis.to_owned(),
        introduction: phrases.instance.apis_lead.to_owned(),
        blocks: blocks.into_iter().flatten().collect(),
    })
}

/// The columns of a list of APIs.
pub(in crate::console) fn api_columns(context: &PageContext<'_>) -> Vec<&'static str> {
    let phrases = context.phrases();
    vec![
        phrases.instance.name,
        phrases.instance.api_identifier,
        phrases.instance.belongs_to,
        phrases.instance.permissions,
    ]
}

/// An API in a list.
pub(in crate::console) fn api_row(context: &PageContext<'_>, it: &Value, list: &str) -> TableRow {
    let phrases = context.phrases();
    let belongs = match text_at(it, "/belongs_to").as_str() {
        "instance" => phrases.instance.title,
        _ => phrases.instance.organization,
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
    context: &PageContext<'_>,
    api: &Value,
    resource: &Value,
) -> Vec<PageBlock> {
    let phrases = context.phrases();
    let facts = FactsBlock {
        id: "api".to_owned(),
        title: phrases.console.overview.to_owned(),
        facts: vec![
            (phrases.blocks.id.to_owned(), code_at(api, "/id")),
            (phrases.instance.api_identifier.to_owned(), code_at(api, "/identifier")),
            (phrases.instance.algorithm.to_owned(), cell_at(api, "/algorithm")),
            (phrases.instance.token_lifetime.to_owned(), cell_at(api, "/token_lifetime_seconds")),
            (phrases.instance.resource_metadata.to_owned(), code_at(resource, "/address")),
            (phrases.instance.challenge.to_owned(), code_at(resource, "/challenge")),
        ],
        links: Vec::new(),
    };
    let row = |it: &Value| {
        let warning = match is_true(it, "/irreversible") {
            true => BlockCell::tag(phrases.instance.irreversible, CellTone::Warn),
            false => BlockCell::default(),
        };
        let text =
            match context.reader.language.tag().starts_with("pt") && !text_at(it, "/portuguese").is_empty() {
                true => cell_at(it, "/portuguese"),
                false => cell_at(it, "/english"),
            };
        TableRow { cells: vec![code_at(it, "/permission"), text.append(warning)], button: None }
    };
    let permissions = TableBlock {
        id: "permissions".to_owned(),
        title: phrases.instance.permissions.to_owned(),
        columns: [phrases.instance.permission, phrases.instance.meaning].map(str::to_owned).to_vec(),
        rows: items_at(api, "/permissions").iter().map(row).collect(),
        ..TableBlock::default()
    };
    vec![PageBlock::Facts(facts), PageBlock::Table(permissions)]
}

async fn show_api(context: &PageContext<'_>, id: &str) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let api = context.send(context.operation("getInstanceApi").path("api", id)).await?.body;
    let resource =
        context.send(context.operation("getInstanceProtectedResource").path("api", id)).await?.body;
    let mut blocks = api_blocks(context, &api, &resource);
    if text_at(&api, "/belongs_to") == "instance" {
        if let Some(PageBlock::Facts(facts)) = blocks.first_mut() {
            let path = format!("/instance/apis/{id}/relationships");
            facts.links.push(BlockLink { text: phrases.relationships.open.to_owned(), path });
        }
        blocks.extend(build_form(context, &CHANGE, Some(&api)));
        let offers = context.send(context.operation("listApiOffers").path("api", id)).await?.body;
        let can_withdraw = context.can_call(WITHDRAW_OFFER.operation);
        let row = |it: &Value| TableRow {
            cells: vec![BlockCell::link(
                text_at(it, "/organization"),
                format!("/instance/organizations/{}", text_at(it, "/organization")),
            )],
            button: can_withdraw.then(|| RowButton {
                action: WITHDRAW_OFFER.action.to_owned(),
                item: text_at(it, "/organization"),
                text: phrases.instance.offer_withdraw.to_owned(),
                row_name: text_at(it, "/organization"),
            }),
        };
        blocks.push(PageBlock::Table(TableBlock {
            id: "offers".to_owned(),
            title: phrases.instance.offers.to_owned(),
            columns: vec![phrases.instance.organization.to_owned()],
            rows: items_at(&offers, "/items").iter().map(row).collect(),
            empty: phrases.instance.offers_none.to_owned(),
            ..TableBlock::default()
        }));
        blocks.extend([&OFFER, &DELETE].into_iter().filter_map(|form| build_form(context, form, Some(&api))));
    }
    Ok(PageContent { title: text_at(&api, "/name"), introduction: String::new(), blocks })
}

//! Provisioning by SCIM: where a directory connects to, its tokens, how its requests went, and what the organization
//! decides about them.

use crate::console::operations::form::{FieldKind, FixedValue, FormField, NextPage, PageForm, build_form};
use crate::console::operations::values::{cell_at, is_present, items_at, text_at, time_at};
use crate::console::operations::{OperationPage, PageContent};
use crate::console::page_context::PageContext;
use serde_json::Value;
use sinete_core::access_control::built_in_permissions::PROVISION_SCIM;
use sinete_engine::UseCaseResult as _;
use sinete_engine::scim::request_log;
use sinete_engine::scim::request_log::{ProvisioningOverview, ScimRequestRow};
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{
    BlockCell, BlockLink, CellTone, FactsBlock, PageBlock, RowButton, TableBlock, TableRow,
};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_screens::display_time::DisplayTime;
use sinete_server::extract::time_parameter::TimeParameter;
use sinete_server::reply::HandlerError;

/// The failed requests on one page.
const FAILURES_DISPLAYED: usize = 25;

pub(super) const PAGES: &[OperationPage] = &[OperationPage {
    path: "/console/{organization}/scim",
    section: ConsoleSection::Scim,
    reads: &["getOrganization", "listApiKeys"],
    forms: &[CHANGE, NEW_TOKEN, REVOKE_TOKEN],
    show: |context, _| Box::pin(show_scim(context)),
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

const NEW_TOKEN: PageForm = PageForm {
    action: "make_token",
    operation: "issueApiKey",
    title: |w| w.settings.scim_new_token,
    introduction: |w| w.settings.scim_new_token_lead,
    button: |w| w.settings.scim_new_token,
    fields: &[
        FormField {
            pointer: "/name",
            label: |w| w.api_keys.name,
            hint: |w| w.api_keys.name_hint,
            is_required: true,
            ..FormField::TEXT
        },
        FormField {
            pointer: "/lifetime_seconds",
            label: |w| w.settings.scim_days,
            hint: |w| w.settings.scim_days_hint,
            kind: FieldKind::Days,
            is_required: true,
            initial: "365",
        },
    ],
    fixed_values: &[("/scope", FixedValue::Text(PROVISION_SCIM)), ("/membership", FixedValue::OwnMembership)],
    notice: ConsoleNotice::KeyShown,
    next: NextPage::Secret("", &[("/secret", |w| w.settings.scim_token)]),
    is_collapsed: true,
    ..PageForm::BUTTON
};

const REVOKE_TOKEN: PageForm = PageForm {
    action: "revoke_token",
    operation: "revokeApiKey",
    requires_fresh_authentication: false,
    notice: ConsoleNotice::KeyRevoked,
    ..PageForm::BUTTON
};

async fn show_scim(context: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let organization = context.send(context.operation("getOrganization")).await?.body;
    let keys = load_keys(context).await?;
    let overview = request_log::load_overview(context.engine(), context.access.organization_access());
    let overview = overview.await.unless_refused()?;
    let overview = overview.iter().flat_map(|overview| {
        let facts = PageBlock::Facts(state_facts(context, overview, keys.as_deref()));
        [facts, PageBlock::Table(failures_table(context, overview))]
    });
    let tokens = keys.as_ref().map(|keys| PageBlock::Table(tokens_table(context, keys)));
    let makes_tokens = context.access.can_change(PROVISION_SCIM);
    let new_token = makes_tokens.then(|| build_form(context, &NEW_TOKEN, None)).flatten();
    let blocks = [Some(PageBlock::Facts(connect_facts(context))), tokens, new_token];
    let change = build_form(context, &CHANGE, Some(&organization));
    Ok(PageContent {
        title: phrases.settings.scim.to_owned(),
        introduction: phrases.settings.scim_lead.to_owned(),
        blocks: blocks.into_iter().flatten().chain(overview).chain(change).collect(),
    })
}

/// Where a directory connects to.
fn connect_facts(context: &PageContext<'_>) -> FactsBlock {
    let phrases = context.phrases();
    let area = context.return_to.organization_path();
    let endpoint = format!("{}/scim/v2", context.state.base_address().issuer().trim_end_matches('/'));
    let links = [
        ("listApiKeys", phrases.settings.scim_make_token, format!("{area}/keys")),
        ("listMembers", phrases.settings.scim_members, format!("{area}/members")),
        (
            "listAuditEntries",
            phrases.settings.scim_log,
            format!("{area}/audit-log?kind=scim.attributes_ignored"),
        ),
    ];
    let links = links.into_iter().filter(|(operation, ..)| context.can_call(operation));
    FactsBlock {
        id: "scim".to_owned(),
        title: phrases.settings.scim_connect.to_owned(),
        facts: vec![
            (phrases.settings.scim_endpoint.to_owned(), BlockCell::code(endpoint)),
            (phrases.settings.scim_token.to_owned(), BlockCell::text(phrases.settings.scim_token_text)),
        ],
        links: links.map(|(_, text, path)| BlockLink { text: text.to_owned(), path }).collect(),
    }
}

/// The API keys that a directory can use or could use until lately, if the user may see them.
async fn load_keys(context: &PageContext<'_>) -> Result<Option<Vec<Value>>, HandlerError> {
    if !context.can_call("listApiKeys") {
        return Ok(None);
    }
    let keys = context.send(context.operation("listApiKeys").query("limit", "200")).await?.body;
    let provisions = |key: &&Value| text_at(key, "/scope").split(' ').any(|it| it == PROVISION_SCIM);
    Ok(Some(items_at(&keys, "/items").iter().filter(provisions).cloned().collect()))
}

/// The tokens of the directory, with the last request of each.
fn tokens_table(context: &PageContext<'_>, keys: &[Value]) -> TableBlock {
    let phrases = context.phrases();
    let now = context.engine().now();
    let can_revoke = context.can_call(REVOKE_TOKEN.operation);
    let row = |key: &Value| {
        let expires_at = text_at(key, "/expires_at").parse::<TimeParameter>();
        let state = match expires_at.is_ok_and(|TimeParameter(at)| at <= now) {
            true => BlockCell::tag(phrases.settings.scim_expired, CellTone::Warn),
            false => BlockCell::default(),
        };
        TableRow {
            cells: vec![
                cell_at(key, "/name").append(state),
                time_at(key, "/used_at"),
                time_at(key, "/expires_at"),
            ],
            button: can_revoke.then(|| RowButton {
                action: REVOKE_TOKEN.action.to_owned(),
                item: text_at(key, "/id"),
                text: phrases.api_keys.revoke.to_owned(),
                row_name: text_at(key, "/name"),
            }),
        }
    };
    TableBlock {
        id: "tokens".to_owned(),
        title: phrases.settings.scim_tokens.to_owned(),
        introduction: phrases.settings.scim_tokens_lead.to_owned(),
        columns: vec![
            phrases.settings.scim_token.to_owned(),
            phrases.settings.scim_last_request.to_owned(),
            phrases.instance.expires_at.to_owned(),
        ],
        rows: keys.iter().filter(|key| !is_present(key, "/revoked_at")).map(row).collect(),
        empty: phrases.settings.scim_no_tokens.to_owned(),
        ..TableBlock::default()
    }
}

/// How many users and groups are provisioned, and the last request that did not fail.
fn state_facts(
    context: &PageContext<'_>,
    overview: &ProvisioningOverview,
    keys: Option<&[Value]>,
) -> FactsBlock {
    let phrases = context.phrases();
    let users = match overview.has_more_users {
        true => phrases.settings.scim_users_more(overview.users),
        false => overview.users.to_string(),
    };
    let last = match &overview.last_success {
        None => BlockCell::text(phrases.settings.scim_never),
        Some(request) => {
            let request_line = format!("{} {}", request.method, request.path);
            BlockCell::time(Some(DisplayTime(request.at.seconds()))).append(BlockCell::keyword(request_line))
        }
    };
    let sender = overview.last_success.as_ref().map(|request| sender_cell(context, &request.actor, keys));
    let mut facts = vec![(phrases.settings.scim_last_success.to_owned(), last)];
    facts.extend(sender.map(|sender| (phrases.settings.scim_sent_by.to_owned(), sender)));
    facts.push((phrases.settings.scim_users.to_owned(), BlockCell::text(users)));
    facts.push((phrases.settings.scim_groups.to_owned(), BlockCell::text(overview.groups.to_string())));
    FactsBlock {
        id: "state".to_owned(),
        title: phrases.settings.scim_state.to_owned(),
        facts,
        links: Vec::new(),
    }
}

/// Who sent a request: an API key by its name, a member by a link, a client by its id.
fn sender_cell(context: &PageContext<'_>, actor: &str, keys: Option<&[Value]>) -> BlockCell {
    let (kind, id) = actor.split_once(' ').unwrap_or(("", actor));
    match kind {
        "api_key" => {
            let key = keys.and_then(|keys| keys.iter().find(|key| text_at(key, "/id") == id));
            key.map_or_else(|| BlockCell::code(id), |key| cell_at(key, "/name"))
        }
        "membership" => {
            let path = format!("{}/members/{id}", context.return_to.organization_path());
            BlockCell::link(id.chars().take(8).collect::<String>(), path)
        }
        _ => BlockCell::code(id),
    }
}

/// The last requests that failed, page by page.
fn failures_table(context: &PageContext<'_>, overview: &ProvisioningOverview) -> TableBlock {
    let phrases = context.phrases();
    let page = context.query.get("page").and_then(|page| page.parse::<usize>().ok()).unwrap_or(1).max(1);
    let skipped = FAILURES_DISPLAYED.saturating_mul(page - 1);
    let row = |request: &ScimRequestRow| TableRow {
        cells: vec![
            BlockCell::time(Some(DisplayTime(request.at.seconds()))),
            BlockCell::keyword(format!("{} {}", request.method, request.path)),
            BlockCell::text(request.status.to_string())
                .append(request.scim_type.as_ref().map(BlockCell::keyword).unwrap_or_default()),
            BlockCell::english_text(request.detail.as_str()),
            BlockCell::text(request.target.as_deref().unwrap_or_default()),
        ],
        button: None,
    };
    TableBlock {
        id: "failures".to_owned(),
        title: phrases.settings.scim_failures.to_owned(),
        introduction: phrases.settings.scim_failures_lead.to_owned(),
        columns: vec![
            phrases.audit_log.when.to_owned(),
            phrases.settings.scim_request.to_owned(),
            phrases.instance.status.to_owned(),
            phrases.settings.scim_error.to_owned(),
            phrases.settings.scim_external_id.to_owned(),
        ],
        rows: overview.failures.iter().skip(skipped).take(FAILURES_DISPLAYED).map(row).collect(),
        empty: phrases.settings.scim_failures_none.to_owned(),
        first: (page > 1).then(|| context.path.clone()),
        next: (overview.failures.len() > skipped.saturating_add(FAILURES_DISPLAYED))
            .then(|| format!("{}?page={}", context.path, page + 1)),
        ..TableBlock::default()
    }
}

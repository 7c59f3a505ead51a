//! The health of the instance: its nodes, its database, and the limits that refused requests.

use crate::console::operations::values::{cell_at, code_at, items_at, state_at, text_at, time_at};
use crate::console::operations::{OperationPage, PageContent};
use crate::console::page_context::PageContext;
use serde_json::Value;
use sinete_core::refusal::limit_kind::LimitKind;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{BlockCell, CellTone, FactsBlock, PageBlock, TableBlock, TableRow};
use sinete_screens::locales::HealthPhrases;
use sinete_server::reply::HandlerError;

pub(super) const PAGES: &[OperationPage] = &[OperationPage {
    path: "/instance/health",
    section: ConsoleSection::Health,
    reads: &["getInstanceHealth"],
    forms: &[],
    show: |context, _| Box::pin(show_health(context)),
}];

async fn show_health(context: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let phrases = &context.phrases().health;
    let health = context.send(context.operation("getInstanceHealth")).await?.body;
    Ok(PageContent {
        title: phrases.title.to_owned(),
        introduction: phrases.lead.to_owned(),
        blocks: vec![
            PageBlock::Facts(summary_block(phrases, &health)),
            PageBlock::Table(node_table(context, &health)),
            PageBlock::Table(limit_table(phrases, &health)),
        ],
    })
}

fn summary_block(phrases: &HealthPhrases, health: &Value) -> FactsBlock {
    let database =
        format!("{} {}", text_at(health, "/database/engine"), text_at(health, "/database/version"));
    let micros = health.pointer("/database/latency_us").and_then(Value::as_u64).unwrap_or_default();
    let milliseconds = format!("{}.{}", micros / 1_000, micros % 1_000 / 100);
    FactsBlock {
        id: "summary".to_owned(),
        title: phrases.summary.to_owned(),
        facts: vec![
            (phrases.version.to_owned(), cell_at(health, "/version")),
            (phrases.database.to_owned(), BlockCell::text(database)),
            (phrases.schema.to_owned(), cell_at(health, "/database/schema_version")),
            (phrases.size.to_owned(), cell_at(health, "/database/size_bytes")),
            (phrases.latency.to_owned(), BlockCell::text(phrases.milliseconds(milliseconds))),
        ],
        links: Vec::new(),
    }
}

fn node_table(context: &PageContext<'_>, health: &Value) -> TableBlock {
    let phrases = &context.phrases().health;
    let states = [
        ("serving", phrases.serving, CellTone::Good),
        ("stopped", phrases.stopped, CellTone::Plain),
        ("gone", phrases.gone, CellTone::Warn),
    ];
    let row = |it: &Value| TableRow {
        cells: vec![
            code_at(it, "/id"),
            state_at(it, "/state", &states),
            cell_at(it, "/version"),
            cell_at(it, "/schema_version"),
            time_at(it, "/started_at"),
            time_at(it, "/seen_at"),
        ],
        button: None,
    };
    let columns = [
        phrases.node,
        context.phrases().console.state,
        phrases.node_version,
        phrases.schema,
        phrases.started,
        phrases.seen,
    ];
    TableBlock {
        id: "nodes".to_owned(),
        title: phrases.nodes.to_owned(),
        introduction: phrases.nodes_lead.to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: items_at(health, "/nodes").iter().map(row).collect(),
        empty: phrases.nodes_none.to_owned(),
        ..TableBlock::default()
    }
}

fn limit_table(phrases: &HealthPhrases, health: &Value) -> TableBlock {
    let row = |it: &Value| {
        let name = text_at(it, "/limit");
        let limit = match LimitKind::parse(&name) {
            Some(limit) => BlockCell::text(limit_label(phrases, limit)),
            None => BlockCell::keyword(name),
        };
        TableRow { cells: vec![limit, cell_at(it, "/last_hour"), cell_at(it, "/last_day")], button: None }
    };
    TableBlock {
        id: "limits".to_owned(),
        title: phrases.limits.to_owned(),
        introduction: phrases.limits_lead.to_owned(),
        columns: [phrases.limit, phrases.last_hour, phrases.last_day].map(str::to_owned).to_vec(),
        rows: items_at(health, "/limits").iter().map(row).collect(),
        empty: phrases.limits_none.to_owned(),
        ..TableBlock::default()
    }
}

/// The name of a limit.
const fn limit_label(phrases: &HealthPhrases, limit: LimitKind) -> &'static str {
    match limit {
        LimitKind::FlowsByAddress => phrases.limit_flows_by_address,
        LimitKind::FlowsByAccount => phrases.limit_flows_by_account,
        LimitKind::StoredRequestsByAddress => phrases.limit_stored_requests_by_address,
        LimitKind::WritesByAccount => phrases.limit_writes_by_account,
        LimitKind::FailedProofsByAddress => phrases.limit_failed_proofs_by_address,
        LimitKind::FailedCredentialsByAddress => phrases.limit_failed_credentials_by_address,
        LimitKind::FailedAttempts => phrases.limit_failed_attempts,
        LimitKind::MessagesByAddress => phrases.limit_messages_by_address,
        LimitKind::MessagesByRecipient => phrases.limit_messages_by_recipient,
        LimitKind::InvitationsByOrganization => phrases.limit_invitations_by_organization,
        LimitKind::InvitationsByRecipient => phrases.limit_invitations_by_recipient,
        LimitKind::Registrations => phrases.limit_registrations,
        LimitKind::RegistrationChangesByClient => phrases.limit_registration_changes_by_client,
        LimitKind::ClientDocuments => phrases.limit_client_documents,
        LimitKind::TokensByGrant => phrases.limit_tokens_by_grant,
        LimitKind::ApprovalRequests => phrases.limit_approval_requests,
        LimitKind::ScimByCredential => phrases.limit_scim_by_credential,
        LimitKind::PasswordHashing => phrases.limit_password_hashing,
        LimitKind::EventStreams => phrases.limit_event_streams,
        LimitKind::Connections => phrases.limit_connections,
        LimitKind::Requests => phrases.limit_requests,
        LimitKind::ResponseTime => phrases.limit_response_time,
        LimitKind::DatabaseQueue => phrases.limit_database_queue,
    }
}

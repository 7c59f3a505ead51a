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
    show: |work, _| Box::pin(show_health(work)),
}];

async fn show_health(work: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let words = &work.words().health;
    let health = work.send(work.operation("getInstanceHealth")).await?.body;
    Ok(PageContent {
        title: words.title.to_owned(),
        lead: words.lead.to_owned(),
        blocks: vec![
            PageBlock::Facts(summary(words, &health)),
            PageBlock::Table(node_table(work, &health)),
            PageBlock::Table(limit_table(words, &health)),
        ],
    })
}

fn summary(words: &HealthPhrases, health: &Value) -> FactsBlock {
    let database =
        format!("{} {}", text_at(health, "/database/engine"), text_at(health, "/database/version"));
    let micros = health.pointer("/database/latency_us").and_then(Value::as_u64).unwrap_or_default();
    let milliseconds = format!("{}.{}", micros / 1_000, micros % 1_000 / 100);
    FactsBlock {
        id: "summary".to_owned(),
        title: words.summary.to_owned(),
        facts: vec![
            (words.version.to_owned(), cell_at(health, "/version")),
            (words.database.to_owned(), BlockCell::text(database)),
            (words.schema.to_owned(), cell_at(health, "/database/schema_version")),
            (words.size.to_owned(), cell_at(health, "/database/size_bytes")),
            (words.latency.to_owned(), BlockCell::text(words.milliseconds(milliseconds))),
        ],
        links: Vec::new(),
    }
}

fn node_table(work: &PageContext<'_>, health: &Value) -> TableBlock {
    let words = &work.words().health;
    let states = [
        ("serving", words.serving, CellTone::Good),
        ("stopped", words.stopped, CellTone::Plain),
        ("gone", words.gone, CellTone::Warn),
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
    let columns =
        [words.node, work.words().console.state, words.node_version, words.schema, words.started, words.seen];
    TableBlock {
        id: "nodes".to_owned(),
        title: words.nodes.to_owned(),
        lead: words.nodes_lead.to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: items_at(health, "/nodes").iter().map(row).collect(),
        empty: words.nodes_none.to_owned(),
        ..TableBlock::default()
    }
}

fn limit_table(words: &HealthPhrases, health: &Value) -> TableBlock {
    let row = |it: &Value| {
        let name = text_at(it, "/limit");
        let limit = match LimitKind::parse(&name) {
            Some(limit) => BlockCell::text(limit_label(words, limit)),
            None => BlockCell::keyword(name),
        };
        TableRow { cells: vec![limit, cell_at(it, "/last_hour"), cell_at(it, "/last_day")], button: None }
    };
    TableBlock {
        id: "limits".to_owned(),
        title: words.limits.to_owned(),
        lead: words.limits_lead.to_owned(),
        columns: [words.limit, words.last_hour, words.last_day].map(str::to_owned).to_vec(),
        rows: items_at(health, "/limits").iter().map(row).collect(),
        empty: words.limits_none.to_owned(),
        ..TableBlock::default()
    }
}

/// The name of a limit.
const fn limit_label(words: &HealthPhrases, limit: LimitKind) -> &'static str {
    match limit {
        LimitKind::FlowsByAddress => words.limit_flows_by_address,
        LimitKind::FlowsByAccount => words.limit_flows_by_account,
        LimitKind::StoredRequestsByAddress => words.limit_stored_requests_by_address,
        LimitKind::WritesByAccount => words.limit_writes_by_account,
        LimitKind::FailedProofsByAddress => words.limit_failed_proofs_by_address,
        LimitKind::FailedCredentialsByAddress => words.limit_failed_credentials_by_address,
        LimitKind::FailedAttempts => words.limit_failed_attempts,
        LimitKind::MessagesByAddress => words.limit_messages_by_address,
        LimitKind::MessagesByRecipient => words.limit_messages_by_recipient,
        LimitKind::InvitationsByOrganization => words.limit_invitations_by_organization,
        LimitKind::InvitationsByRecipient => words.limit_invitations_by_recipient,
        LimitKind::Registrations => words.limit_registrations,
        LimitKind::RegistrationChangesByClient => words.limit_registration_changes_by_client,
        LimitKind::ClientDocuments => words.limit_client_documents,
        LimitKind::TokensByGrant => words.limit_tokens_by_grant,
        LimitKind::ApprovalRequests => words.limit_approval_requests,
        LimitKind::ScimByCredential => words.limit_scim_by_credential,
        LimitKind::PasswordHashing => words.limit_password_hashing,
        LimitKind::EventStreams => words.limit_event_streams,
        LimitKind::Connections => words.limit_connections,
        LimitKind::Requests => words.limit_requests,
        LimitKind::ResponseTime => words.limit_response_time,
        LimitKind::DatabaseQueue => words.limit_database_queue,
    }
}

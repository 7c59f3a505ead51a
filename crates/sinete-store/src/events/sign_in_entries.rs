//! Sign-ins to the applications of an organization, as entries of its audit log. They are read from the security log, which
//! has an event for each. A second row in the audit log would grow it with every sign-in.

use crate::events::audit_log::{AuditLogEntry, AuditLogOrder, AuditLogQuery, range_parameters};
use crate::events::security_log::without_token_kinds;
use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use sinete_core::id::{EventId, OrganizationId};

/// Lists sign-ins. Their subject is the client.
pub(super) async fn list_sign_ins(
    store: &Store,
    query: &AuditLogQuery<'_>,
) -> Result<Vec<AuditLogEntry>, StoreFailure> {
    let (mut parameters, is_oldest) = (range_parameters(query), query.order == AuditLogOrder::OldestFirst);
    let statement = match (query.address, query.subject, query.actor) {
        (Some(address), subject, actor) => {
            parameters.extend([address.into(), actor.into(), subject.into()]);
            if is_oldest { &PAGE_OF_ADDRESS } else { &LATEST_OF_ADDRESS }
        }
        (None, Some(subject), actor) => {
            parameters.extend([subject.into(), actor.into()]);
            if is_oldest { &PAGE_AT_CLIENT } else { &LATEST_AT_CLIENT }
        }
        (None, None, Some(actor)) => {
            parameters.push(actor.into());
            if is_oldest { &PAGE_OF_ACTOR } else { &LATEST_OF_ACTOR }
        }
        (None, None, None) => {
            if is_oldest {
                &PAGE
            } else {
                &LATEST
            }
        }
    };
    store.read_list(statement, &parameters).await?.iter().map(read_sign_in).collect()
}

/// Finds one sign-in of an organization.
pub(super) async fn find_sign_in(
    store: &Store,
    organization: OrganizationId,
    id: EventId,
) -> Result<Option<AuditLogEntry>, StoreFailure> {
    store.read_first(&FIND, &[organization.into(), id.into()]).await?.as_ref().map(read_sign_in).transpose()
}

fn read_sign_in(row: &SqlRow) -> Result<AuditLogEntry, StoreFailure> {
    let client = row.optional_text("client_id")?;
    let mut detail: serde_json::Map<String, serde_json::Value> =
        JsonDocument::from_row(row, "detail")?.parse()?;
    if let Some(grant) = row.optional_text("subject_id")? {
        detail.insert("grant".to_owned(), grant.into());
    }
    Ok(AuditLogEntry {
        id: row.id("id")?,
        at: row.timestamp("at")?,
        kind: row.text("kind")?.to_owned(),
        actor_kind: row.text("actor_kind")?.to_owned(),
        actor_id: row.optional_text("actor_id")?.map(str::to_owned),
        subject_kind: client.map(|_| "client".to_owned()),
        subject_id: client.map(str::to_owned),
        reason: String::new(),
        detail: JsonDocument::from_value(&detail)?,
        address: row.optional_text("address")?.map(str::to_owned),
        user_agent: row.optional_text("user_agent")?.map(str::to_owned),
    })
}

/// The indexes cover only this kind of event.
macro_rules! columns {
    () => {
        "SELECT id, at, kind, actor_kind, actor_id, subject_id, client_id, detail, address, user_agent FROM security_log \
         WHERE organization_id = ?1 AND kind = 'grant.given' AND "
    };
}

macro_rules! sign_ins {
    ($more:expr, $order:literal) => {
        concat!(
            columns!(),
            "id > ?2 AND id < ?3 AND at >= ?4 AND at < ?5",
            $more,
            " ORDER BY id",
            $order,
            " LIMIT ?6"
        )
    };
}

/// Those that have this value in a column.
macro_rules! sign_ins_of {
    ($column:literal, $more:expr, $order:literal) => {
        concat!(columns!(), page_of_value!($column, $more, $order))
    };
}

macro_rules! of_any_actor {
    () => {
        " AND (CAST(?8 AS TEXT) IS NULL OR actor_id = ?8)"
    };
}

macro_rules! of_address {
    () => {
        concat!(
            " AND address = ?7 AND (CAST(?8 AS TEXT) IS NULL OR actor_id = ?8) \
             AND (CAST(?9 AS TEXT) IS NULL OR client_id = ?9)",
            without_token_kinds!("kind")
        )
    };
}

static PAGE: SqlStatement = SqlStatement::new("sign_ins.page", sign_ins!("", ""));
static PAGE_OF_ACTOR: SqlStatement =
    SqlStatement::new("sign_ins.page_of_actor", sign_ins_of!("actor_id", "", ""));
static PAGE_AT_CLIENT: SqlStatement =
    SqlStatement::new("sign_ins.page_at_client", sign_ins_of!("client_id", of_any_actor!(), ""));
static PAGE_OF_ADDRESS: SqlStatement =
    SqlStatement::new("sign_ins.page_of_address", sign_ins!(of_address!(), ""));
static LATEST: SqlStatement = SqlStatement::new("sign_ins.latest", sign_ins!("", " DESC"));
static LATEST_OF_ACTOR: SqlStatement =
    SqlStatement::new("sign_ins.latest_of_actor", sign_ins_of!("actor_id", "", " DESC"));
static LATEST_AT_CLIENT: SqlStatement =
    SqlStatement::new("sign_ins.latest_at_client", sign_ins_of!("client_id", of_any_actor!(), " DESC"));
static LATEST_OF_ADDRESS: SqlStatement =
    SqlStatement::new("sign_ins.latest_of_address", sign_ins!(of_address!(), " DESC"));
static FIND: SqlStatement = SqlStatement::new("sign_ins.find", concat!(columns!(), "id = ?2"));

pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &PAGE,
    &PAGE_OF_ACTOR,
    &PAGE_AT_CLIENT,
    &PAGE_OF_ADDRESS,
    &LATEST,
    &LATEST_OF_ACTOR,
    &LATEST_AT_CLIENT,
    &LATEST_OF_ADDRESS,
    &FIND,
];

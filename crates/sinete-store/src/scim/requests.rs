//! The last successful SCIM request of an organization and its last failed ones. They inform administrators; nothing
//! depends on them (docs/contribute/decisions/0318-scim-failed-requests-kept-per-organization.md).

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::{GuardedStatement, WriteBatch};
use sinete_core::id::{OrganizationId, ScimRequestId};
use sinete_core::limits::SCIM_FAILURES_RETAINED_MAX;
use sinete_core::time::Timestamp;

/// A SCIM request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScimRequestRow {
    /// Its id.
    pub id: ScimRequestId,
    /// When it was answered.
    pub at: Timestamp,
    /// Who sent it, by kind and id.
    pub actor: String,
    /// The HTTP method.
    pub method: String,
    /// The path below the base URL of SCIM, without a query.
    pub path: String,
    /// The HTTP status.
    pub status: u16,
    /// The `scimType` of the error, if it has one.
    pub scim_type: Option<String>,
    /// The `detail` of the error; empty for a successful request.
    pub detail: String,
    /// The `externalId` that the directory sent.
    pub target: Option<String>,
}

/// The lowest status of a failed request.
const FAILED_STATUS_MIN: u32 = 400;

/// Writes requests of an organization: the failed ones, of which the last [`SCIM_FAILURES_RETAINED_MAX`] stay,
/// and a successful one, which replaces the one before.
pub fn record_scim_requests(
    organization: OrganizationId,
    success: Option<&ScimRequestRow>,
    failures: &[ScimRequestRow],
) -> WriteBatch {
    let batch = failures
        .iter()
        .fold(WriteBatch::new(), |batch, row| batch.with_statement(insert_request(organization, row)));
    let batch = match failures {
        [] => batch,
        [_, ..] => batch.with_statement(GuardedStatement::any_number(
            &TRIM,
            [organization.into(), SCIM_FAILURES_RETAINED_MAX.into(), FAILED_STATUS_MIN.into()],
        )),
    };
    match success {
        None => batch,
        Some(row) => batch.with_statement(insert_request(organization, row)).with_statement(
            GuardedStatement::any_number(
                &REPLACE,
                [organization.into(), row.id.into(), FAILED_STATUS_MIN.into()],
            ),
        ),
    }
}

fn insert_request(organization: OrganizationId, row: &ScimRequestRow) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &ADD,
        [
            row.id.into(),
            organization.into(),
            row.at.into(),
            row.actor.as_str().into(),
            row.method.as_str().into(),
            row.path.as_str().into(),
            u32::from(row.status).into(),
            row.scim_type.as_deref().into(),
            row.detail.as_str().into(),
            row.target.as_deref().into(),
        ],
    )
}

/// Lists the failed requests of an organization, the latest first.
pub async fn list_failed_scim_requests(
    store: &Store,
    organization: OrganizationId,
) -> Result<Vec<ScimRequestRow>, StoreFailure> {
    let parameters = [organization.into(), SCIM_FAILURES_RETAINED_MAX.into(), FAILED_STATUS_MIN.into()];
    store.read_list(&FAILURES, &parameters).await?.iter().map(read).collect()
}

/// The last successful request of an organization.
pub async fn find_last_successful_scim_request(
    store: &Store,
    organization: OrganizationId,
) -> Result<Option<ScimRequestRow>, StoreFailure> {
    store
        .read_first(&SUCCESS, &[organization.into(), FAILED_STATUS_MIN.into()])
        .await?
        .as_ref()
        .map(read)
        .transpose()
}

fn read(row: &SqlRow) -> Result<ScimRequestRow, StoreFailure> {
    let text = |text: &str| text.to_owned();
    Ok(ScimRequestRow {
        id: row.id("id")?,
        at: row.timestamp("at")?,
        actor: text(row.text("actor")?),
        method: text(row.text("method")?),
        path: text(row.text("path")?),
        status: u16::try_from(row.integer("status")?)
            .map_err(|_| row.damaged_column("status", "an HTTP status"))?,
        scim_type: row.optional_text("scim_type")?.map(text),
        detail: text(row.text("detail")?),
        target: row.optional_text("target")?.map(text),
    })
}

/// The columns that a request is read from.
macro_rules! columns {
    () => {
        "SELECT id, at, actor, method, path, status, scim_type, detail, target FROM scim_requests WHERE "
    };
}

static ADD: SqlStatement = SqlStatement::new(
    "scim_requests.add",
    "INSERT INTO scim_requests (id, organization_id, at, actor, method, path, status, scim_type, detail, target) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
);
static TRIM: SqlStatement = SqlStatement::new(
    "scim_requests.trim",
    "DELETE FROM scim_requests WHERE organization_id = ?1 AND status >= ?3 AND id NOT IN (SELECT x.id \
     FROM scim_requests x WHERE x.organization_id = ?1 AND x.status >= ?3 ORDER BY x.id DESC LIMIT ?2)",
);
static REPLACE: SqlStatement = SqlStatement::new(
    "scim_requests.replace",
    "DELETE FROM scim_requests WHERE organization_id = ?1 AND id <> ?2 AND status < ?3",
);
static FAILURES: SqlStatement = SqlStatement::new(
    "scim_requests.failures",
    concat!(columns!(), "organization_id = ?1 AND status >= ?3 ORDER BY id DESC LIMIT ?2"),
);
static SUCCESS: SqlStatement = SqlStatement::new(
    "scim_requests.success",
    concat!(columns!(), "organization_id = ?1 AND status < ?2 ORDER BY id DESC LIMIT 1"),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&ADD, &TRIM, &REPLACE, &FAILURES, &SUCCESS];

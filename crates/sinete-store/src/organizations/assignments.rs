//! Assignments: time-limited rights of operators to act inside an organization, or to impersonate a user
//! there. No role confers them.

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;
use sinete_core::id::{AccountId, AssignmentId, MembershipId, OrganizationId};
use sinete_core::time::Timestamp;

/// What an assignment allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatorAssignmentRight {
    /// Administering the organization.
    Administering,
    /// Impersonating this user in the organization.
    Impersonating(AccountId),
}

/// An assignment to create.
#[derive(Debug)]
pub struct NewOperatorAssignment<'a> {
    /// Its id.
    pub id: AssignmentId,
    /// What it allows.
    pub allows: OperatorAssignmentRight,
    /// The holder: a membership of the operators' organization.
    pub holder: MembershipId,
    /// The organization it applies to.
    pub organization: OrganizationId,
    /// The reason given.
    pub reason: &'a str,
    /// Who created it, by kind and id.
    pub made_by: &'a str,
    /// When it is created.
    pub created_at: Timestamp,
    /// When it ends.
    pub ends_at: Timestamp,
}

/// An active assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveAssignment {
    /// Its id.
    pub id: AssignmentId,
    /// What it allows.
    pub allows: OperatorAssignmentRight,
    /// The reason given.
    pub reason: String,
    /// When it ends.
    pub ends_at: Timestamp,
}

/// Creates an assignment.
pub fn create_assignment(assignment: &NewOperatorAssignment<'_>) -> GuardedStatement {
    let (kind, account) = match assignment.allows {
        OperatorAssignmentRight::Administering => ("administer", None),
        OperatorAssignmentRight::Impersonating(account) => ("impersonate", Some(account)),
    };
    GuardedStatement::exactly_one(
        &CREATE,
        [
            assignment.id.into(),
            kind.into(),
            assignment.holder.into(),
            assignment.organization.into(),
            account.into(),
            assignment.reason.into(),
            assignment.made_by.into(),
            assignment.created_at.into(),
            assignment.ends_at.into(),
        ],
    )
}

/// Lists the holder's active assignments in the organization.
pub async fn list_holder_assignments(
    store: &Store,
    holder: MembershipId,
    organization: OrganizationId,
    now: Timestamp,
) -> Result<Vec<ActiveAssignment>, StoreFailure> {
    let rows = store.read_all(&LIST_BY_HOLDER, &[holder.into(), organization.into(), now.into()]).await?;
    rows.iter().map(read).collect()
}

/// Locks the assignment until the transaction ends, if it is active.
pub fn lock_assignment_row(id: AssignmentId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&LOCK, [id.into(), now.into()])
}

/// Ends an assignment early. Idempotent.
pub fn end_assignment(id: AssignmentId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(&END, [id.into(), now.into()])
}

/// An assignment in any state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssignmentRow {
    /// The assignment.
    pub assignment: ActiveAssignment,
    /// The membership that holds it.
    pub holder: MembershipId,
    /// The organization it applies to.
    pub organization: OrganizationId,
    /// Who created it, by kind and id.
    pub made_by: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was ended early, if it was.
    pub ended_at: Option<Timestamp>,
}

/// Lists a page of the assignments for an organization, oldest first.
pub async fn list_assignments(
    store: &Store,
    organization: OrganizationId,
    after: Option<AssignmentId>,
    limit: u32,
) -> Result<Vec<AssignmentRow>, StoreFailure> {
    // Empty bytes sort before every id.
    let after = after.map_or_else(SqlValue::empty_bytes, SqlValue::from);
    store
        .read_list(&PAGE, &[organization.into(), after, limit.into()])
        .await?
        .iter()
        .map(read_assignment_row)
        .collect()
}

/// Finds the assignment of this id, in any state.
pub async fn find_assignment(store: &Store, id: AssignmentId) -> Result<Option<AssignmentRow>, StoreFailure> {
    store.read_first(&FIND, &[id.into()]).await?.as_ref().map(read_assignment_row).transpose()
}

fn read_assignment_row(row: &SqlRow) -> Result<AssignmentRow, StoreFailure> {
    Ok(AssignmentRow {
        assignment: read(row)?,
        holder: row.id("holder_id")?,
        organization: row.id("organization_id")?,
        made_by: row.text("made_by")?.to_owned(),
        created_at: row.timestamp("created_at")?,
        ended_at: row.optional_timestamp("ended_at")?,
    })
}

fn read(row: &SqlRow) -> Result<ActiveAssignment, StoreFailure> {
    let allows = match (row.text("kind")?, row.optional_id("account_id")?) {
        ("administer", None) => OperatorAssignmentRight::Administering,
        ("impersonate", Some(account)) => OperatorAssignmentRight::Impersonating(account),
        _ => return Err(row.damaged_column("kind", "what an assignment allows")),
    };
    Ok(ActiveAssignment {
        id: row.id("id")?,
        allows,
        reason: row.text("reason")?.to_owned(),
        ends_at: row.timestamp("ends_at")?,
    })
}

static CREATE: SqlStatement = SqlStatement::new(
    "assignments.make",
    "INSERT INTO assignments (id, kind, holder_id, organization_id, account_id, reason, made_by, created_at, \
     ends_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
);
static LIST_BY_HOLDER: SqlStatement = SqlStatement::new(
    "assignments.of_holder",
    "SELECT id, kind, account_id, reason, ends_at FROM assignments \
     WHERE holder_id = ?1 AND organization_id = ?2 AND ended_at IS NULL AND ends_at > ?3 ORDER BY id",
);
static PAGE: SqlStatement = SqlStatement::new(
    "assignments.page",
    "SELECT id, kind, account_id, reason, ends_at, holder_id, organization_id, made_by, created_at, ended_at \
     FROM assignments WHERE organization_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
);
static FIND: SqlStatement = SqlStatement::new(
    "assignments.find",
    "SELECT id, kind, account_id, reason, ends_at, holder_id, organization_id, made_by, created_at, ended_at \
     FROM assignments WHERE id = ?1",
);
// A no-op update takes the row lock.
static LOCK: SqlStatement = SqlStatement::new(
    "assignments.hold",
    "UPDATE assignments SET ends_at = ends_at WHERE id = ?1 AND ended_at IS NULL AND ends_at > ?2",
);
static END: SqlStatement = SqlStatement::new(
    "assignments.end",
    "UPDATE assignments SET ended_at = ?2 WHERE id = ?1 AND ended_at IS NULL",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&CREATE, &LIST_BY_HOLDER, &LOCK, &END, &PAGE, &FIND];

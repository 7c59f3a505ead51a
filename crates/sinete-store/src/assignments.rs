//! Time-bound rights to act inside an organization as a stranger, or as somebody else. No role confers them.

use crate::act::Step;
use crate::failed::Failed;
use crate::row::Row;
use crate::statement::Statement;
use crate::store::Store;
use sinete_core::id::{AccountId, AssignmentId, MembershipId, OrganizationId};
use sinete_core::time::Timestamp;

/// What an assignment allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allows {
    /// Acting inside the organization.
    Administering,
    /// Acting as this person in the organization.
    Impersonating(AccountId),
}

/// An assignment to make.
#[derive(Debug)]
pub struct NewAssignment<'a> {
    /// Its id.
    pub id: AssignmentId,
    /// What it allows.
    pub allows: Allows,
    /// To whom: a membership of the operators' organization.
    pub holder: MembershipId,
    /// Where.
    pub organization: OrganizationId,
    /// Why.
    pub reason: &'a str,
    /// Who made it, by kind and id.
    pub made_by: &'a str,
    /// When it is made.
    pub created_at: Timestamp,
    /// When it ends.
    pub ends_at: Timestamp,
}

/// An assignment that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Its id.
    pub id: AssignmentId,
    /// What it allows.
    pub allows: Allows,
    /// Why.
    pub reason: String,
    /// When it ends.
    pub ends_at: Timestamp,
}

/// Makes an assignment.
pub fn make(assignment: &NewAssignment<'_>) -> Step {
    let (kind, account) = match assignment.allows {
        Allows::Administering => ("administer", None),
        Allows::Impersonating(account) => ("impersonate", Some(account)),
    };
    Step::one(
        &MAKE,
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

/// What the holder may do in the organization now, by assignment.
pub async fn of_holder(
    store: &Store,
    holder: MembershipId,
    organization: OrganizationId,
    now: Timestamp,
) -> Result<Vec<Assignment>, Failed> {
    let rows = store.all(&OF_HOLDER, &[holder.into(), organization.into(), now.into()]).await?;
    rows.iter().map(read).collect()
}

/// Ends an assignment before its time. Doing it again changes nothing.
pub fn end(id: AssignmentId, now: Timestamp) -> Step {
    Step::any(&END, [id.into(), now.into()])
}

fn read(row: &Row) -> Result<Assignment, Failed> {
    let allows = match (row.text(1)?, row.optional_id(2)?) {
        ("administer", None) => Allows::Administering,
        ("impersonate", Some(account)) => Allows::Impersonating(account),
        _ => return Err(row.damaged(1, "what an assignment allows")),
    };
    Ok(Assignment { id: row.id(0)?, allows, reason: row.text(3)?.to_owned(), ends_at: row.timestamp(4)? })
}

static MAKE: Statement = Statement::new(
    "assignments.make",
    "INSERT INTO assignments (id, kind, holder_id, organization_id, account_id, reason, made_by, created_at, \
     ends_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
);
static OF_HOLDER: Statement = Statement::new(
    "assignments.of_holder",
    "SELECT id, kind, account_id, reason, ends_at FROM assignments \
     WHERE holder_id = ?1 AND organization_id = ?2 AND ended_at IS NULL AND ends_at > ?3 ORDER BY id",
);
static END: Statement = Statement::new(
    "assignments.end",
    "UPDATE assignments SET ended_at = ?2 WHERE id = ?1 AND ended_at IS NULL",
);

pub(crate) static STATEMENTS: &[&Statement] = &[&MAKE, &OF_HOLDER, &END];

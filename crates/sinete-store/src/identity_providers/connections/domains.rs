//! Assignment of an organization's domains to its connections.

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;
use sinete_core::id::{ConnectionId, OrganizationId};
use sinete_core::limits::DOMAINS_MAX;
use sinete_core::organizations::domains::OrganizationDomain;

/// The domains assigned to a connection, by name.
pub async fn list_connection_domains(
    store: &Store,
    id: ConnectionId,
) -> Result<Vec<OrganizationDomain>, StoreFailure> {
    let name =
        |row: &SqlRow| row.text("domain")?.parse().map_err(|_| row.damaged_column("domain", "a domain"));
    store.read_all(&DOMAINS, &[id.into()]).await?.iter().map(name).collect()
}

/// A domain assigned to a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoutedDomain {
    /// Its name.
    pub name: OrganizationDomain,
    /// Whether it is verified, so that its users are sent to the provider.
    pub is_verified: bool,
}

/// The domains assigned to a connection of this organization, by name, with their verification.
pub async fn list_routed_domains(
    store: &Store,
    organization: OrganizationId,
    id: ConnectionId,
) -> Result<Vec<RoutedDomain>, StoreFailure> {
    let read = |row: &SqlRow| {
        let name = row.text("domain")?.parse().map_err(|_| row.damaged_column("domain", "a domain"))?;
        Ok(RoutedDomain { name, is_verified: row.flag("is_verified")? })
    };
    store.read_all(&LIST_ROUTED, &[organization.into(), id.into()]).await?.iter().map(read).collect()
}

/// The domains of an organization, by name, with the connection each is assigned to.
pub async fn list_domain_assignments(
    store: &Store,
    organization: OrganizationId,
) -> Result<Vec<(OrganizationDomain, Option<ConnectionId>)>, StoreFailure> {
    let read = |row: &SqlRow| {
        let name = row.text("domain")?.parse().map_err(|_| row.damaged_column("domain", "a domain"))?;
        Ok((name, row.optional_id("connection_id")?))
    };
    store
        .read_all(&LIST_ASSIGNMENTS, &[organization.into(), DOMAINS_MAX.into()])
        .await?
        .iter()
        .map(read)
        .collect()
}

/// Removes the assignment of a domain to this connection, if it still exists.
pub fn release_domain(
    organization: OrganizationId,
    domain: &OrganizationDomain,
    id: ConnectionId,
) -> GuardedStatement {
    GuardedStatement::any_number(&RELEASE, [organization.into(), domain.as_str().into(), id.into()])
}

/// Assigns a domain of the organization to this connection, if its assignment has not changed since it was
/// read.
pub fn reassign_domain(
    organization: OrganizationId,
    domain: &OrganizationDomain,
    id: ConnectionId,
    from: Option<ConnectionId>,
) -> GuardedStatement {
    let from = from.map_or(SqlValue::Null, SqlValue::from);
    GuardedStatement::exactly_one(&REASSIGN, [organization.into(), domain.as_str().into(), id.into(), from])
}

/// Removes all domain assignments of the connection.
pub fn release_connection_domains(id: ConnectionId) -> GuardedStatement {
    GuardedStatement::any_number(&RELEASE_DOMAINS, [id.into()])
}

/// Assigns a domain of the organization to this connection.
pub fn assign_domain(
    organization: OrganizationId,
    domain: &OrganizationDomain,
    id: ConnectionId,
) -> GuardedStatement {
    GuardedStatement::exactly_one(&ASSIGN, [organization.into(), domain.as_str().into(), id.into()])
}

/// Whether the batch was rejected because the organization lacks a domain that [`assign_domain`] was given.
pub fn is_missing_domain_conflict(conflict: &crate::write_batch::GuardConflict) -> bool {
    conflict.statement() == ASSIGN.name()
}

/// Whether the batch was rejected because a domain that [`reassign_domain`] was given is assigned elsewhere meanwhile.
pub fn is_moved_domain_conflict(conflict: &crate::write_batch::GuardConflict) -> bool {
    conflict.statement() == REASSIGN.name()
}

static DOMAINS: SqlStatement = SqlStatement::new(
    "connections.domains",
    "SELECT domain FROM domains WHERE connection_id = ?1 ORDER BY domain",
);
static LIST_ROUTED: SqlStatement = SqlStatement::new(
    "connections.routed",
    "SELECT domain, CASE WHEN verified_at IS NULL THEN 0 ELSE 1 END AS is_verified FROM domains \
     WHERE organization_id = ?1 AND connection_id = ?2 ORDER BY domain",
);
static LIST_ASSIGNMENTS: SqlStatement = SqlStatement::new(
    "connections.led",
    "SELECT domain, connection_id FROM domains WHERE organization_id = ?1 ORDER BY domain LIMIT ?2",
);
static RELEASE: SqlStatement = SqlStatement::new(
    "connections.release",
    "UPDATE domains SET connection_id = NULL WHERE organization_id = ?1 AND domain = ?2 AND connection_id = ?3",
);
static REASSIGN: SqlStatement = SqlStatement::new(
    "connections.take",
    "UPDATE domains SET connection_id = ?3 \
     WHERE organization_id = ?1 AND domain = ?2 AND connection_id IS NOT DISTINCT FROM ?4",
);
static RELEASE_DOMAINS: SqlStatement = SqlStatement::new(
    "connections.release_domains",
    "UPDATE domains SET connection_id = NULL WHERE connection_id = ?1",
);
static ASSIGN: SqlStatement = SqlStatement::new(
    "connections.lead",
    "UPDATE domains SET connection_id = ?3 WHERE organization_id = ?1 AND domain = ?2",
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&DOMAINS, &LIST_ROUTED, &LIST_ASSIGNMENTS, &RELEASE, &REASSIGN, &RELEASE_DOMAINS, &ASSIGN];

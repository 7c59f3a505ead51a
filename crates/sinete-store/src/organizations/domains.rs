//! Domains of organizations, with the DNS record that verifies them. A domain is verified for one
//! organization at a time.

use crate::active_conditions::organization_counts;
use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::id::OrganizationId;
use sinete_core::limits::DOMAINS_MAX;
use sinete_core::organizations::domains::{OrganizationDomain, VerifiedDomain};
use sinete_core::time::Timestamp;

/// A domain that an organization has added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainRow {
    /// The organization.
    pub organization: OrganizationId,
    /// The domain name.
    pub name: OrganizationDomain,
    /// The text of the DNS record that verifies it.
    pub proof: String,
    /// When it was added.
    pub created_at: Timestamp,
    /// Since when it is verified, if it is.
    pub verified_at: Option<Timestamp>,
    /// When the DNS record was last looked up.
    pub checked_at: Option<Timestamp>,
    /// When the DNS record was last found.
    pub confirmed_at: Option<Timestamp>,
    /// Since when the DNS record is missing, if it is.
    pub missing_since: Option<Timestamp>,
    /// Row version.
    pub version: i64,
}

/// Adds a domain with its DNS record text, if the limit is not reached and it does not exist yet.
pub fn add_domain(
    organization: OrganizationId,
    name: &OrganizationDomain,
    proof: &str,
    now: Timestamp,
) -> GuardedStatement {
    let parameters =
        [organization.into(), name.as_str().into(), proof.into(), now.into(), DOMAINS_MAX.into()];
    GuardedStatement::exactly_one(&ADD, parameters)
}

/// Counts the organization's domains.
pub async fn count_domains(store: &Store, organization: OrganizationId) -> Result<u32, StoreFailure> {
    let row = store.read_first(&COUNT, &[organization.into()]).await?;
    let count = row.map_or(Ok(0), |row| row.integer("total"))?;
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Finds a domain of this organization by name.
pub async fn find_domain(
    store: &Store,
    organization: OrganizationId,
    name: &OrganizationDomain,
) -> Result<Option<DomainRow>, StoreFailure> {
    let sql = store.read_first(&FIND, &[organization.into(), name.as_str().into()]).await?;
    sql.as_ref().map(read).transpose()
}

/// Lists a page of the organization's domains, by name.
pub async fn list_domains(
    store: &Store,
    organization: OrganizationId,
    after: Option<&OrganizationDomain>,
    limit: u32,
) -> Result<Vec<DomainRow>, StoreFailure> {
    let after = after.map_or("", OrganizationDomain::as_str);
    store
        .read_list(&PAGE, &[organization.into(), after.into(), limit.into()])
        .await?
        .iter()
        .map(read)
        .collect()
}

/// The active organization that verified the domain.
pub async fn find_domain_owner(
    store: &Store,
    name: &str,
    now: Timestamp,
) -> Result<Option<OrganizationId>, StoreFailure> {
    store
        .read_first(&FIND_OWNER, &[name.into(), now.into()])
        .await?
        .map(|row| row.id("d.organization_id"))
        .transpose()
}

/// Verified domains of all organizations whose record was last looked up before a moment, longest waiting
/// first.
pub async fn list_domains_to_check(
    store: &Store,
    before: Timestamp,
    limit: u32,
) -> Result<Vec<DomainRow>, StoreFailure> {
    store.read_list(&LIST_TO_CHECK, &[before.into(), limit.into()]).await?.iter().map(read).collect()
}

/// Marks the domain as verified, if no other organization has verified it.
pub fn mark_domain_verified(domain: &DomainRow, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&VERIFY, domain.guarded_parameters([now.into()]))
}

/// Records a lookup after which the domain stays verified.
pub fn record_domain_check(
    domain: &DomainRow,
    verified_domain: VerifiedDomain,
    now: Timestamp,
) -> GuardedStatement {
    let sql_values = [now.into(), verified_domain.confirmed_at.into(), verified_domain.missing_since.into()];
    GuardedStatement::exactly_one(&RECORD_CHECK, domain.guarded_parameters(sql_values))
}

/// Marks the domain as no longer verified.
pub fn mark_domain_lost(domain: &DomainRow, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&MARK_LOST, domain.guarded_parameters([now.into()]))
}

/// Removes the domain from the organization.
pub fn remove_domain(domain: &DomainRow) -> GuardedStatement {
    GuardedStatement::exactly_one(&REMOVE, domain.guarded_parameters([]))
}

impl DomainRow {
    /// Parameters that identify the row at the version it was read, followed by the new values.
    fn guarded_parameters<const N: usize>(
        &self,
        sql_values: [crate::value::SqlValue; N],
    ) -> Vec<crate::value::SqlValue> {
        let which = [self.organization.into(), self.name.as_str().into(), self.version.into()];
        which.into_iter().chain(sql_values).collect()
    }

    /// The verification state, if the domain is verified.
    pub fn verified_domain(&self) -> Option<VerifiedDomain> {
        let verified_at = self.verified_at?;
        let confirmed_at = self.confirmed_at.unwrap_or(verified_at);
        Some(VerifiedDomain { confirmed_at, missing_since: self.missing_since })
    }
}

fn read(row: &SqlRow) -> Result<DomainRow, StoreFailure> {
    Ok(DomainRow {
        organization: row.id("organization_id")?,
        name: row.text("domain")?.parse().map_err(|_| row.damaged_column("domain", "a domain"))?,
        proof: row.text("proof")?.to_owned(),
        created_at: row.timestamp("created_at")?,
        verified_at: row.optional_timestamp("verified_at")?,
        checked_at: row.optional_timestamp("checked_at")?,
        confirmed_at: row.optional_timestamp("confirmed_at")?,
        missing_since: row.optional_timestamp("missing_since")?,
        version: row.integer("version")?,
    })
}

/// The columns that a domain is read from.
macro_rules! columns {
    () => {
        "SELECT organization_id, domain, proof, created_at, verified_at, checked_at, confirmed_at, missing_since, \
         version FROM domains WHERE "
    };
}

static ADD: SqlStatement = SqlStatement::new(
    "domains.add",
    "INSERT INTO domains (organization_id, domain, proof, created_at) SELECT ?1, ?2, ?3, ?4 \
     WHERE (SELECT COUNT(*) FROM domains WHERE organization_id = ?1) < ?5 \
     ON CONFLICT (organization_id, domain) DO NOTHING",
);
static COUNT: SqlStatement =
    SqlStatement::new("domains.count", "SELECT COUNT(*) AS total FROM domains WHERE organization_id = ?1");
static FIND: SqlStatement =
    SqlStatement::new("domains.find", concat!(columns!(), "organization_id = ?1 AND domain = ?2"));
static PAGE: SqlStatement = SqlStatement::new(
    "domains.page",
    concat!(columns!(), "organization_id = ?1 AND domain > ?2 ORDER BY domain LIMIT ?3"),
);
static FIND_OWNER: SqlStatement = SqlStatement::new(
    "domains.owner",
    concat!(
        "SELECT d.organization_id FROM domains d JOIN organizations o ON o.id = d.organization_id \
         WHERE d.domain = ?1 AND d.verified_at IS NOT NULL AND ",
        organization_counts!("o", "?2")
    ),
);
static LIST_TO_CHECK: SqlStatement = SqlStatement::new(
    "domains.waiting",
    concat!(columns!(), "verified_at IS NOT NULL AND checked_at < ?1 ORDER BY checked_at LIMIT ?2"),
);
// Concurrent verifications of one domain conflict at the unique index, which lets one through.
static VERIFY: SqlStatement = SqlStatement::new(
    "domains.verify",
    "UPDATE domains SET verified_at = ?4, checked_at = ?4, confirmed_at = ?4, missing_since = NULL, \
     version = version + 1 WHERE organization_id = ?1 AND domain = ?2 AND version = ?3 AND verified_at IS NULL",
);
static RECORD_CHECK: SqlStatement = SqlStatement::new(
    "domains.keep",
    "UPDATE domains SET checked_at = ?4, confirmed_at = ?5, missing_since = ?6, version = version + 1 \
     WHERE organization_id = ?1 AND domain = ?2 AND version = ?3 AND verified_at IS NOT NULL",
);
static MARK_LOST: SqlStatement = SqlStatement::new(
    "domains.lose",
    "UPDATE domains SET verified_at = NULL, checked_at = ?4, missing_since = NULL, confirmed_at = NULL, \
     version = version + 1 WHERE organization_id = ?1 AND domain = ?2 AND version = ?3 AND verified_at IS NOT NULL",
);
static REMOVE: SqlStatement = SqlStatement::new(
    "domains.remove",
    "DELETE FROM domains WHERE organization_id = ?1 AND domain = ?2 AND version = ?3",
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&ADD, &COUNT, &FIND, &PAGE, &FIND_OWNER, &LIST_TO_CHECK, &VERIFY, &RECORD_CHECK, &MARK_LOST, &REMOVE];

//! The CIBA requests of an organization, for its administrators: those that can be answered only there, and those that were
//! approved there. They are denied as by their user, with [`deny_deferred_grant`](crate::oauth::deferred_grants).

use super::CibaRequestRow;
use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use sinete_core::id::{ApprovalRequestId, MembershipId, OrganizationId};
use sinete_core::time::Timestamp;

/// A CIBA request of an organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrganizationCibaRequestRow {
    /// The request. Its parameters are deleted when it is decided.
    pub request: CibaRequestRow,
    /// The membership of the requested user, unless it has ended.
    pub membership: Option<MembershipId>,
    /// The name of the client.
    pub client_name: String,
    /// When it was approved or denied.
    pub decided_at: Option<Timestamp>,
}

/// Which requests of an organization are listed.
#[derive(Clone, Copy, Debug)]
pub struct CibaRequestFilter {
    /// The organization.
    pub organization: OrganizationId,
    /// Only those that expire after this time.
    pub expires_after: Timestamp,
    /// Only those for this member.
    pub member: Option<MembershipId>,
}

/// Lists a page of the requests of an organization, newest first, in any state.
pub async fn list_organization_ciba_requests(
    store: &Store,
    filter: &CibaRequestFilter,
    after: Option<ApprovalRequestId>,
    limit: u32,
) -> Result<Vec<OrganizationCibaRequestRow>, StoreFailure> {
    // No id is greater than this one.
    let before = after.unwrap_or_else(|| ApprovalRequestId::from_bytes([u8::MAX; 16]));
    let (organization, expires_after) = (filter.organization.into(), filter.expires_after.into());
    let rows = match filter.member {
        None => store.read_list(&PAGE, &[organization, expires_after, before.into(), limit.into()]).await?,
        Some(member) => {
            let parameters = [organization, expires_after, before.into(), limit.into(), member.into()];
            store.read_list(&PAGE_OF_MEMBER, &parameters).await?
        }
    };
    rows.iter().map(read).collect()
}

/// Finds a request of an organization, in any state.
pub async fn find_organization_ciba_request(
    store: &Store,
    filter: &CibaRequestFilter,
    id: ApprovalRequestId,
) -> Result<Option<OrganizationCibaRequestRow>, StoreFailure> {
    let parameters = [filter.organization.into(), filter.expires_after.into(), id.into()];
    store.read_first(&FIND, &parameters).await?.as_ref().map(read).transpose()
}

fn read(row: &SqlRow) -> Result<OrganizationCibaRequestRow, StoreFailure> {
    Ok(OrganizationCibaRequestRow {
        request: super::read(row)?,
        membership: row.optional_id("membership")?,
        client_name: row.text("client_name")?.to_owned(),
        decided_at: row.optional_timestamp("decided_at")?,
    })
}

/// Selects requests of an organization that satisfy a further condition.
macro_rules! requests {
    ($more:literal) => {
        concat!(
            "SELECT q.id, q.account_id, q.digest, q.client_id, q.request, q.poll_interval, q.polled_at, q.created_at, \
             q.expires_at, q.grant_id, q.approved_at, q.denied_at, q.spent_at, m.id AS membership, \
             c.name AS client_name, COALESCE(q.approved_at, q.denied_at) AS decided_at \
             FROM approval_requests q JOIN clients c ON c.id = q.client_id \
             LEFT JOIN memberships m ON m.account_id = q.account_id AND m.organization_id = q.organization_id \
             AND m.condition <> 'ended' \
             WHERE q.organization_id = ?1 AND q.account_id IS NOT NULL AND q.expires_at > ?2 AND ",
            $more
        )
    };
}

static PAGE: SqlStatement = SqlStatement::new(
    "approval_requests.page_of_organization",
    requests!("q.id < ?3 ORDER BY q.id DESC LIMIT ?4"),
);
static PAGE_OF_MEMBER: SqlStatement = SqlStatement::new(
    "approval_requests.page_of_member",
    requests!("q.id < ?3 AND m.id = ?5 ORDER BY q.id DESC LIMIT ?4"),
);
static FIND: SqlStatement =
    SqlStatement::new("approval_requests.find_in_organization", requests!("q.id = ?3"));

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&PAGE, &PAGE_OF_MEMBER, &FIND];

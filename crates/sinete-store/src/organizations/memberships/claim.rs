//! Unclaimed memberships: found by external id and claimed once, either through an invitation to that
//! membership or through a connection that an owner confirmed. There is no other way.

use crate::active_conditions::organization_is_enabled;
use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::id::{AccountId, MembershipId, OrganizationId};
use sinete_core::identity_providers::identity_resolution::ClaimableMembership;
use sinete_core::organizations::invitations::InvitableMembership;
use sinete_core::time::Timestamp;

/// A membership found by its external id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProvisionedMembership {
    /// Enabled and unclaimed.
    Claimable(MembershipId),
    /// Suspended or already claimed.
    Unavailable,
}

/// Finds the membership provisioned with this external id, if it has not ended.
pub async fn find_provisioned_membership(
    store: &Store,
    organization: OrganizationId,
    external_id: &str,
) -> Result<Option<ProvisionedMembership>, StoreFailure> {
    let row = store.read_first(&FIND_PROVISIONED, &[organization.into(), external_id.into()]).await?;
    let read = |row: SqlRow| {
        Ok(if row.flag("is_free")? {
            ProvisionedMembership::Claimable(row.id("id")?)
        } else {
            ProvisionedMembership::Unavailable
        })
    };
    row.map(read).transpose()
}

/// Assigns an unclaimed membership to its user, if it is still unclaimed and unchanged since it was checked,
/// and its organization is enabled.
pub fn claim_membership(
    membership: InvitableMembership,
    account: AccountId,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &CLAIM,
        [membership.id().into(), account.into(), now.into(), membership.version().into()],
    )
}

/// Likewise for a user asserted by an identity provider, if the connection is still enabled and confirmed by
/// an owner.
pub fn claim_membership_through_connection(
    claimable_membership: ClaimableMembership,
    account: AccountId,
    now: Timestamp,
) -> GuardedStatement {
    let ClaimableMembership { membership, connection } = claimable_membership;
    GuardedStatement::exactly_one(
        &CLAIM_THROUGH_CONNECTION,
        [membership.into(), account.into(), now.into(), connection.into()],
    )
}

static FIND_PROVISIONED: SqlStatement = SqlStatement::new(
    "memberships.waiting",
    "SELECT id, CASE WHEN condition = 'enabled' AND account_id IS NULL AND client_id IS NULL THEN 1 ELSE 0 END AS is_free \
     FROM memberships WHERE organization_id = ?1 AND external_id = ?2 AND condition <> 'ended'",
);
static CLAIM: SqlStatement = SqlStatement::single_use(
    "memberships.claim",
    concat!(
        "UPDATE memberships SET account_id = ?2, claimed_at = ?3, changed_at = ?3, version = version + 1 \
         WHERE id = ?1 AND version = ?4 AND account_id IS NULL AND client_id IS NULL AND condition = 'enabled' AND ",
        organization_is_enabled!("memberships.organization_id", "?3")
    ),
);
static CLAIM_THROUGH_CONNECTION: SqlStatement = SqlStatement::single_use(
    "memberships.claim_through",
    concat!(
        "UPDATE memberships SET account_id = ?2, claimed_at = ?3, changed_at = ?3, version = version + 1 \
         WHERE id = ?1 AND account_id IS NULL AND client_id IS NULL AND condition = 'enabled' \
         AND EXISTS (SELECT 1 FROM connections c WHERE c.id = ?4 \
         AND c.organization_id = memberships.organization_id AND c.removed_at IS NULL AND c.is_enabled = 1 \
         AND c.is_confirmed = 1) AND ",
        organization_is_enabled!("memberships.organization_id", "?3")
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&FIND_PROVISIONED, &CLAIM, &CLAIM_THROUGH_CONNECTION];

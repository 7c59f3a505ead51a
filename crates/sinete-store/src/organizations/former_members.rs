//! Identifiers of members that an organization removed or suspended, so that an identity provider or
//! directory cannot bring them back as new members. An entry applies while its membership or the holder's
//! account is inactive. A provider's subject identifier applies permanently: a member who unlinks it is still
//! a member and would become a second one.

use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::id::{AccountId, MembershipId, OrganizationId};
use sinete_core::organizations::former_members::FormerMemberKey;
use sinete_core::secret::Digest;

/// Records an identifier of a membership.
pub fn insert_former_member_identifier(
    organization: OrganizationId,
    trace: &Digest<FormerMemberKey>,
    membership: MembershipId,
) -> GuardedStatement {
    GuardedStatement::any_number(&RECORD, [organization.into(), trace.into(), membership.into()])
}

/// Records an identifier of every membership that an account has or had there.
pub fn record_former_account(
    organization: OrganizationId,
    trace: &Digest<FormerMemberKey>,
    account: AccountId,
) -> GuardedStatement {
    GuardedStatement::any_number(&RECORD_ACCOUNT, [organization.into(), trace.into(), account.into()])
}

/// Whether this identity was recorded for any membership, or one of the other identifiers for a membership
/// that is suspended or ended, or whose holder is.
pub async fn is_former_member(
    store: &Store,
    organization: OrganizationId,
    identity: &Digest<FormerMemberKey>,
    [first, second]: [Option<&Digest<FormerMemberKey>>; 2],
) -> Result<bool, StoreFailure> {
    let parameters = [organization.into(), identity.into(), first.into(), second.into()];
    Ok(store.read_first(&IS_FORMER_MEMBER, &parameters).await?.is_some())
}

static RECORD: SqlStatement = SqlStatement::new(
    "former_members.note",
    "INSERT INTO former_members (organization_id, digest, membership_id) VALUES (?1, ?2, ?3) \
     ON CONFLICT (organization_id, digest, membership_id) DO NOTHING",
);
static RECORD_ACCOUNT: SqlStatement = SqlStatement::new(
    "former_members.note_of_account",
    "INSERT INTO former_members (organization_id, digest, membership_id) \
     SELECT m.organization_id, ?2, m.id FROM memberships m WHERE m.organization_id = ?1 AND m.account_id = ?3 \
     ON CONFLICT (organization_id, digest, membership_id) DO NOTHING",
);
static IS_FORMER_MEMBER: SqlStatement = SqlStatement::new(
    "former_members.any",
    "SELECT m.id FROM former_members f JOIN memberships m ON m.id = f.membership_id \
     LEFT JOIN accounts a ON a.id = m.account_id \
     WHERE f.organization_id = ?1 AND f.digest IN (?2, ?3, ?4) \
     AND (f.digest = ?2 OR m.condition <> 'enabled' OR a.condition <> 'enabled') LIMIT 1",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&RECORD, &RECORD_ACCOUNT, &IS_FORMER_MEMBER];

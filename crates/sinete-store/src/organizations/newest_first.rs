//! Lists of an organization with the newest first: memberships, invitations and API keys. Ids begin with the
//! time at which they were generated, so that the index by organization and id serves both orders.

use super::api_keys::{ApiKeyRow, read_api_key_row};
use super::invitations::{InvitationRow, read_invitation_row};
use super::memberships::{MembershipRow, read_membership_row};
use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use sinete_core::id::{ApiKeyId, Id, InvitationId, MembershipId, OrganizationId};

/// Lists a page of an organization's memberships that have not ended, newest first; those before `before` if given.
pub async fn list_newest_memberships(
    store: &Store,
    organization: OrganizationId,
    before: Option<MembershipId>,
    limit: u32,
) -> Result<Vec<MembershipRow>, StoreFailure> {
    let values = [organization.into(), upper_bound(before), limit.into()];
    store.read_list(&MEMBERSHIPS, &values).await?.iter().map(read_membership_row).collect()
}

/// Lists a page of the organization's invitations, newest first; those before `before` if given.
pub async fn list_newest_invitations(
    store: &Store,
    organization: OrganizationId,
    before: Option<InvitationId>,
    limit: u32,
) -> Result<Vec<InvitationRow>, StoreFailure> {
    let values = [organization.into(), upper_bound(before), limit.into()];
    store.read_list(&INVITATIONS, &values).await?.iter().map(read_invitation_row).collect()
}

/// Lists a page of the organization's API keys in any state, newest first; those before `before` if given.
pub async fn list_newest_api_keys(
    store: &Store,
    organization: OrganizationId,
    before: Option<ApiKeyId>,
    limit: u32,
) -> Result<Vec<ApiKeyRow>, StoreFailure> {
    let values = [organization.into(), upper_bound(before), limit.into()];
    store.read_list(&API_KEYS, &values).await?.iter().map(read_api_key_row).collect()
}

/// The id that a page ends before. Seventeen bytes of 0xff sort after every id.
fn upper_bound<K>(before: Option<Id<K>>) -> SqlValue {
    before.map_or_else(|| SqlValue::from([u8::MAX; 17]), SqlValue::from)
}

static MEMBERSHIPS: SqlStatement = SqlStatement::new(
    "memberships.newest_page",
    "SELECT id, organization_id, account_id, client_id, condition, profile, external_id, created_at, version \
     FROM memberships WHERE organization_id = ?1 AND condition <> 'ended' AND id < ?2 ORDER BY id DESC LIMIT ?3",
);
static INVITATIONS: SqlStatement = SqlStatement::new(
    "invitations.newest_page",
    "SELECT id, organization_id, membership_id, lookup, expires_at, accepted_at, revoked_at, offered_roles \
     FROM invitations WHERE organization_id = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3",
);
static API_KEYS: SqlStatement = SqlStatement::new(
    "api_keys.newest_page",
    "SELECT id, membership_id, name, scope, created_at, expires_at, used_at, revoked_at FROM api_keys \
     WHERE organization_id = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&MEMBERSHIPS, &INVITATIONS, &API_KEYS];

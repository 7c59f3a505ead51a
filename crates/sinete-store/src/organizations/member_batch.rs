//! Batched reads for a page of members: one statement for all of them instead of one each.

use crate::active_conditions::filter_only;
use crate::failure::StoreFailure;
use crate::id_batch::{any_in_batch, batch_parameters};
use crate::organizations::memberships::{MembershipRow, columns, read_membership_row};
use crate::statement::SqlStatement;
use crate::store::Store;
use sinete_core::id::{ApiKeyId, MembershipId, OrganizationId, RoleId};

/// Those of the members that belong to the organization and have not ended.
pub async fn find_members(
    store: &Store,
    organization: OrganizationId,
    members: &[MembershipId],
) -> Result<Vec<MembershipRow>, StoreFailure> {
    let mut memberships = Vec::new();
    for parameters in batch_parameters(organization, members) {
        for row in store.read_list(&FIND, &parameters).await? {
            memberships.push(read_membership_row(&row)?);
        }
    }
    Ok(memberships)
}

/// Those of the members that belong or belonged to the organization.
pub async fn find_current_or_former_members(
    store: &Store,
    organization: OrganizationId,
    members: &[MembershipId],
) -> Result<Vec<MembershipId>, StoreFailure> {
    let mut member_ids = Vec::new();
    for parameters in batch_parameters(organization, members) {
        for row in store.read_list(&FIND_CURRENT_OR_FORMER, &parameters).await? {
            member_ids.push(row.id("id")?);
        }
    }
    Ok(member_ids)
}

/// Those of the API keys that belong or belonged to members of the organization.
pub async fn find_organization_api_keys(
    store: &Store,
    organization: OrganizationId,
    keys: &[ApiKeyId],
) -> Result<Vec<ApiKeyId>, StoreFailure> {
    let mut key_ids = Vec::new();
    for parameters in batch_parameters(organization, keys) {
        for row in store.read_list(&FIND_API_KEYS, &parameters).await? {
            key_ids.push(row.id("k.id")?);
        }
    }
    Ok(key_ids)
}

/// The roles of each member in the organization.
pub async fn list_member_roles(
    store: &Store,
    organization: OrganizationId,
    members: &[MembershipId],
) -> Result<Vec<(MembershipId, RoleId)>, StoreFailure> {
    let mut member_roles = Vec::new();
    for parameters in batch_parameters(organization, members) {
        for row in store.read_list(&ROLES, &parameters).await? {
            member_roles.push((row.id("x.membership_id")?, row.id("x.role_id")?));
        }
    }
    Ok(member_roles)
}

/// The known addresses that each member was invited at, the latest last.
pub async fn list_invited_addresses(
    store: &Store,
    organization: OrganizationId,
    members: &[MembershipId],
) -> Result<Vec<(MembershipId, String)>, StoreFailure> {
    let mut addresses = Vec::new();
    for parameters in batch_parameters(organization, members) {
        for row in store.read_list(&LIST_INVITED_EMAILS, &parameters).await? {
            addresses.push((row.id("i.membership_id")?, row.text("i.lookup")?.to_owned()));
        }
    }
    Ok(addresses)
}

static FIND: SqlStatement = SqlStatement::new(
    "several_members.find",
    concat!(
        columns!(),
        "id IN ",
        any_in_batch!(),
        " AND ",
        filter_only!("organization_id = ?1"),
        " AND condition <> 'ended' ORDER BY id"
    ),
);
static FIND_CURRENT_OR_FORMER: SqlStatement = SqlStatement::new(
    "several_members.ever",
    concat!(
        "SELECT id FROM memberships WHERE id IN ",
        any_in_batch!(),
        " AND ",
        filter_only!("organization_id = ?1"),
        " ORDER BY id"
    ),
);
static FIND_API_KEYS: SqlStatement = SqlStatement::new(
    "several_members.own_keys",
    concat!(
        "SELECT k.id FROM api_keys k JOIN memberships m ON m.id = k.membership_id WHERE k.id IN ",
        any_in_batch!(),
        " AND ",
        filter_only!("m.organization_id = ?1"),
        " ORDER BY k.id"
    ),
);
static ROLES: SqlStatement = SqlStatement::new(
    "several_members.roles",
    concat!(
        "SELECT x.membership_id, x.role_id FROM membership_roles x JOIN roles r ON r.id = x.role_id \
         WHERE x.membership_id IN ",
        any_in_batch!(),
        " AND ",
        filter_only!("r.organization_id = ?1"),
        " AND r.removed_at IS NULL ORDER BY x.membership_id, x.role_id"
    ),
);
static LIST_INVITED_EMAILS: SqlStatement = SqlStatement::new(
    "several_members.addresses",
    concat!(
        "SELECT i.membership_id, i.lookup FROM invitations i JOIN memberships m ON m.id = i.membership_id \
         WHERE i.membership_id IN ",
        any_in_batch!(),
        " AND ",
        filter_only!("i.organization_id = ?1"),
        " AND i.lookup <> '' AND i.revoked_at IS NULL \
         AND (i.accepted_at IS NOT NULL OR m.account_id IS NULL) ORDER BY i.id"
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&FIND, &FIND_CURRENT_OR_FORMER, &FIND_API_KEYS, &ROLES, &LIST_INVITED_EMAILS];

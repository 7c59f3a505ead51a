//! Invitations to an organization: single-use, for one e-mail address, claiming one membership.

use crate::active_conditions::organization_is_enabled;
use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::organizations::memberships;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;
use sinete_core::id::{AccountId, InvitationId, MembershipId, OrganizationId, RoleId};
use sinete_core::organizations::invitations::InvitableMembership;
use sinete_core::secret::{Digest, InvitationToken};
use sinete_core::time::Timestamp;

/// An invitation to send.
#[derive(Debug)]
pub struct NewInvitation<'a> {
    /// Its id.
    pub id: InvitationId,
    /// Digest of the token in the link.
    pub digest: &'a Digest<InvitationToken>,
    /// The inviting organization.
    pub organization: OrganizationId,
    /// The membership it claims.
    pub membership: MembershipId,
    /// The ids of the offered roles: all that the membership carries now.
    pub roles: &'a JsonDocument,
    /// The lookup form of the invited address.
    pub lookup: &'a str,
    /// When it is sent.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// An invitation as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvitationRow {
    /// Its id.
    pub id: InvitationId,
    /// The inviting organization.
    pub organization: OrganizationId,
    /// The membership it claims.
    pub membership: MembershipId,
    /// The offered roles.
    pub roles: Vec<RoleId>,
    /// The lookup form of the invited address.
    pub lookup: String,
    /// When it expires.
    pub expires_at: Timestamp,
    /// When it was accepted, if it was.
    pub accepted_at: Option<Timestamp>,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
}

/// Creates an invitation to an enabled organization, for an unclaimed membership of it.
pub fn create_invitation(invitation: &NewInvitation<'_>) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &CREATE,
        [
            invitation.id.into(),
            invitation.digest.into(),
            invitation.organization.into(),
            invitation.membership.into(),
            invitation.lookup.into(),
            invitation.created_at.into(),
            invitation.expires_at.into(),
            invitation.roles.into(),
        ],
    )
}

/// Finds the invitation with this digest, in any state.
pub async fn find_invitation_by_token(
    store: &Store,
    digest: &Digest<InvitationToken>,
) -> Result<Option<InvitationRow>, StoreFailure> {
    store.read_first(&FIND, &[digest.into()]).await?.as_ref().map(read_invitation_row).transpose()
}

pub(super) fn read_invitation_row(row: &SqlRow) -> Result<InvitationRow, StoreFailure> {
    Ok(InvitationRow {
        id: row.id("id")?,
        organization: row.id("organization_id")?,
        membership: row.id("membership_id")?,
        lookup: row.text("lookup")?.to_owned(),
        expires_at: row.timestamp("expires_at")?,
        accepted_at: row.optional_timestamp("accepted_at")?,
        revoked_at: row.optional_timestamp("revoked_at")?,
        roles: JsonDocument::from_row(row, "offered_roles")?.parse()?,
    })
}

/// Accepts the invitation for an account, if it is unused, unexpired and not revoked, its organization is
/// enabled, and its membership is unclaimed and unchanged since it was checked.
pub fn accept_invitation(
    id: InvitationId,
    membership: InvitableMembership,
    account: AccountId,
    now: Timestamp,
) -> [GuardedStatement; 2] {
    let claimed = memberships::claim_membership(membership, account, now);
    let accepted = GuardedStatement::exactly_one(&ACCEPT, [id.into(), membership.id().into(), now.into()]);
    [accepted, claimed]
}

/// Revokes the invitation, if it was not accepted.
pub fn revoke_invitation(organization: OrganizationId, id: InvitationId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&REVOKE, [id.into(), organization.into(), now.into()])
}

/// Erases the addresses of the invitations that the account accepted.
pub fn erase_invitation_addresses(account: AccountId) -> GuardedStatement {
    GuardedStatement::any_number(&ERASE_ADDRESSES, [account.into()])
}

/// Lists a page of the organization's invitations, oldest first.
pub async fn list_invitations(
    store: &Store,
    organization: OrganizationId,
    after: Option<InvitationId>,
    limit: u32,
) -> Result<Vec<InvitationRow>, StoreFailure> {
    // Empty bytes sort before every id.
    let after = after.map_or_else(SqlValue::empty_bytes, SqlValue::from);
    store
        .read_list(&PAGE, &[organization.into(), after, limit.into()])
        .await?
        .iter()
        .map(read_invitation_row)
        .collect()
}

/// Whether an invitation to the organization is pending for this address.
pub async fn has_pending_invitation(
    store: &Store,
    organization: OrganizationId,
    lookup: &str,
    now: Timestamp,
) -> Result<bool, StoreFailure> {
    let row = store.read_first(&HAS_PENDING, &[organization.into(), lookup.into(), now.into()]).await?;
    Ok(row.is_some())
}

/// Finds the invitation of this id in this organization.
pub async fn find_invitation(
    store: &Store,
    organization: OrganizationId,
    id: InvitationId,
) -> Result<Option<InvitationRow>, StoreFailure> {
    store
        .read_first(&FIND_BY_ID, &[organization.into(), id.into()])
        .await?
        .as_ref()
        .map(read_invitation_row)
        .transpose()
}

static PAGE: SqlStatement = SqlStatement::new(
    "invitations.page",
    "SELECT id, organization_id, membership_id, lookup, expires_at, accepted_at, revoked_at, \
     offered_roles FROM invitations \
     WHERE organization_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
);
static HAS_PENDING: SqlStatement = SqlStatement::new(
    "invitations.waits_for",
    "SELECT 1 FROM invitations WHERE organization_id = ?1 AND lookup = ?2 AND expires_at > ?3 \
     AND accepted_at IS NULL AND revoked_at IS NULL",
);
static FIND_BY_ID: SqlStatement = SqlStatement::new(
    "invitations.show",
    "SELECT id, organization_id, membership_id, lookup, expires_at, accepted_at, revoked_at, \
     offered_roles FROM invitations \
     WHERE organization_id = ?1 AND id = ?2",
);
static CREATE: SqlStatement = SqlStatement::new(
    "invitations.create",
    concat!(
        "INSERT INTO invitations (id, digest, organization_id, membership_id, lookup, created_at, expires_at, \
         offered_roles) SELECT ?1, ?2, m.organization_id, m.id, ?5, ?6, ?7, ?8 FROM memberships m \
         WHERE m.id = ?4 AND m.organization_id = ?3 AND m.account_id IS NULL AND m.client_id IS NULL \
         AND m.condition <> 'ended' AND ",
        organization_is_enabled!("m.organization_id", "?6")
    ),
);
static FIND: SqlStatement = SqlStatement::new(
    "invitations.find",
    "SELECT id, organization_id, membership_id, lookup, expires_at, accepted_at, revoked_at, \
     offered_roles FROM invitations \
     WHERE digest = ?1",
);
static ACCEPT: SqlStatement = SqlStatement::single_use(
    "invitations.accept",
    concat!(
        "UPDATE invitations SET accepted_at = ?3 \
         WHERE id = ?1 AND membership_id = ?2 AND accepted_at IS NULL AND revoked_at IS NULL \
         AND expires_at > ?3 AND ",
        organization_is_enabled!("invitations.organization_id", "?3")
    ),
);
static REVOKE: SqlStatement = SqlStatement::new(
    "invitations.revoke",
    "UPDATE invitations SET revoked_at = ?3 \
     WHERE id = ?1 AND organization_id = ?2 AND accepted_at IS NULL AND revoked_at IS NULL",
);
static ERASE_ADDRESSES: SqlStatement = SqlStatement::new(
    "invitations.forget_addresses",
    "UPDATE invitations SET lookup = '' WHERE membership_id IN (SELECT id FROM memberships WHERE account_id = ?1)",
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&CREATE, &FIND, &ACCEPT, &REVOKE, &ERASE_ADDRESSES, &PAGE, &HAS_PENDING, &FIND_BY_ID];

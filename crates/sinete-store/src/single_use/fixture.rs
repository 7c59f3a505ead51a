//! The rows that single-use items depend on.

use crate::accounts;
use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::oauth::clients;
use crate::oauth::clients::NewClient;
use crate::oauth::grants;
use crate::oauth::grants::{GrantLifespan, NewGrant, StoredGrantKind};
use crate::organizations;
use crate::organizations::NewOrganization;
use crate::organizations::memberships;
use crate::organizations::memberships::{MembershipHolder, NewMembership};
use crate::organizations::roles;
use crate::sign_in::sessions;
use crate::sign_in::sessions::NewSession;
use crate::write_batch::GuardedStatement;
use sinete_core::access_control::permission_catalog::BuiltInRole;
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::client_id::ClientId;
use sinete_core::entropy::Entropy;
use sinete_core::id::{AccountId, GrantId, Id, MembershipId, OrganizationId, RoleId, SessionId};
use sinete_core::organization_kind::OrganizationKind;
use sinete_core::organizations::invitations::{
    InvitableMembership, UnclaimedMembership, check_offered_roles,
};
use sinete_core::secret::{Digest, Secret, SessionToken};
use sinete_core::time::{Lifetime, Timestamp};

/// A signed-in user who is a member of one organization, and a client.
#[derive(Clone, Debug)]
pub struct SingleUseFixture {
    /// The current time.
    pub now: Timestamp,
    /// The expiry of everything that expires.
    pub expires_at: Timestamp,
    /// The user's account.
    pub account: AccountId,
    /// The user's organization.
    pub organization: OrganizationId,
    /// The user's membership.
    pub membership: MembershipId,
    /// The user's role.
    pub role: RoleId,
    /// The user's session.
    pub session: SessionId,
    /// Digest of the session token.
    pub session_digest: Digest<SessionToken>,
    /// The client that requests access.
    pub client: ClientId,
    /// An empty document.
    pub empty_document: JsonDocument,
}

impl SingleUseFixture {
    /// A fixture that is deterministic in the entropy it is given.
    pub fn new(now: Timestamp, entropy: &dyn Entropy) -> Result<Self, StoreFailure> {
        Ok(Self {
            now,
            expires_at: now.plus(Lifetime::from_hours(1)),
            account: Id::mint(now, entropy),
            organization: Id::mint(now, entropy),
            membership: Id::mint(now, entropy),
            role: Id::mint(now, entropy),
            session: Id::mint(now, entropy),
            session_digest: Secret::mint(entropy).digest(),
            client: ClientId::mint(now, entropy),
            empty_document: JsonDocument::from_value(&serde_json::Map::new())?,
        })
    }

    /// The statements that create it.
    pub fn setup_statements(&self) -> Result<Vec<GuardedStatement>, StoreFailure> {
        Ok(vec![
            accounts::create_account(self.account, None, &self.empty_document, self.now),
            self.create_organization(self.organization)?,
            roles::create_built_in_role(self.role, self.organization, BuiltInRole::Member, self.now),
            self.create_membership(self.membership, &MembershipHolder::User(self.account)),
            memberships::add_role(self.membership, self.role, self.now),
            clients::create_client(&NewClient {
                id: &self.client,
                kind: sinete_core::client_id::ClientKind::Application,
                origin: clients::ClientOrigin::Operator,
                name: "Application",
                purpose: "",
                owner: None,
                scope: &ScopeSet::default(),
                metadata: &self.empty_document,
                created_at: self.now,
            }),
            self.start_session(self.session, &self.session_digest),
        ])
    }

    /// The statement that creates an organization.
    pub fn create_organization(&self, id: OrganizationId) -> Result<GuardedStatement, StoreFailure> {
        let slug = format!("org-{id}").parse();
        let slug = slug.map_err(|invalid_slug| {
            StoreFailure::Other(format!("{id} gives no valid slug: {invalid_slug}"))
        })?;
        Ok(organizations::create_organization(&NewOrganization {
            id,
            kind: OrganizationKind::Customer,
            slug: &slug,
            name: "Organization",
            settings: &self.empty_document,
            created_at: self.now,
        }))
    }

    /// The statement that creates a membership of the organization.
    pub fn create_membership(&self, id: MembershipId, holder: &MembershipHolder) -> GuardedStatement {
        memberships::create_membership(&NewMembership {
            id,
            organization: self.organization,
            holder,
            profile: &self.empty_document,
            external_id: None,
            created_at: self.now,
        })
    }

    /// An offered membership that has not changed and has no roles.
    pub fn offered_membership(id: MembershipId) -> Result<InvitableMembership, StoreFailure> {
        let unclaimed = UnclaimedMembership { id, version: 1, roles: &[] };
        check_offered_roles(&[], &unclaimed)
            .ok_or_else(|| StoreFailure::Other("an empty set of roles was rejected".to_owned()))
    }

    /// The statement that starts another session of the user.
    pub fn start_session(&self, id: SessionId, digest: &Digest<SessionToken>) -> GuardedStatement {
        sessions::start_session(&NewSession {
            id,
            digest,
            account: self.account,
            account_epoch: 0,
            evidence: &self.empty_document,
            device: None,
            description: &self.empty_document,
            created_at: self.now,
            idle_expires_at: self.expires_at,
            expires_at: self.expires_at,
        })
    }

    /// The statement that opens a grant of the user to the client, within the session.
    pub fn open_grant(&self, id: GrantId, kind: StoredGrantKind) -> GuardedStatement {
        grants::open_grant(&self.new_grant(id, kind))
    }

    /// The grant that [`open_grant`](Self::open_grant) opens.
    pub fn new_grant(&self, id: GrantId, kind: StoredGrantKind) -> NewGrant<'_> {
        NewGrant {
            id,
            kind,
            membership: self.membership,
            account_epoch: 0,
            client: &self.client,
            session: self.session,
            lifespan: GrantLifespan::Session,
            scopes: &self.empty_document,
            details: &self.empty_document,
            authentication: &self.empty_document,
            created_at: self.now,
            expires_at: self.expires_at,
        }
    }
}

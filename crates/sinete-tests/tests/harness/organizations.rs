//! Organizations, their members and API keys. Members and the first keys are written to the database; everything else
//! goes through the API.

use super::api_caller::ApiCaller;
use super::world::World;
use serde_json::json;
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::id::{AccountId, ApiKeyId, AssignmentId, MembershipId, OrganizationId};
use sinete_core::oauth::organization_policy::{
    PolicyApproval, PolicyRequest, TokenDerivation, TokenSource, check_token_policy,
};
use sinete_core::organizations::OrganizationSlug;
use sinete_core::organizations::domains::OrganizationDomain;
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_core::secret::{ApiKey, Secret};
use sinete_core::time::Lifetime;
use sinete_engine::Engine;
use sinete_store::organizations::api_keys;
use sinete_store::organizations::api_keys::NewApiKey;
use sinete_store::organizations::assignments;
use sinete_store::organizations::assignments::{NewOperatorAssignment, OperatorAssignmentRight};
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::{MembershipHolder, NewMembership};
use sinete_store::organizations::{domains, roles};
use sinete_store::{GuardedStatement, JsonDocument, WriteBatch, accounts, organizations};

/// Every permission that an owner has in an organization.
pub const OWNER_SCOPE: &str = "organization:read organization:update organization:delete members:read \
    members:manage roles:read roles:manage clients:read clients:create clients:manage agents:manage apis:read \
    apis:manage apis:relate api_keys:manage audit:read webhooks:manage sso:manage domains:manage scim:provision";

/// Every permission that an operator has, including those that need an assignment.
pub const OPERATOR_SCOPE: &str = "instance:read instance:operate instance:relate accounts:manage clients:verify keys:rotate \
    organizations:create organizations:administer";

#[derive(Clone, Debug)]
pub struct TestOrganization {
    pub id: OrganizationId,
    pub slug: String,
}

impl TestOrganization {
    /// A management API path of the organization.
    pub fn path(&self, below: &str) -> String {
        format!("/manage/organizations/{}{below}", self.id)
    }

    /// The policy approval of an organization without settings: tokens may be issued.
    pub fn policy_approval(&self) -> PolicyApproval {
        let (organization, source, step) = (self.id, TokenSource::Session, TokenDerivation::Direct);
        let request = PolicyRequest { organization, source, derivation: step, client: None, user: None };
        check_token_policy(&OrganizationSettings::default(), &request).unwrap()
    }
}

impl World {
    fn engine(&self) -> &Engine {
        self.server.engine()
    }

    /// Commits these statements.
    pub async fn apply_statements(&self, steps: impl IntoIterator<Item = GuardedStatement>) {
        self.engine()
            .store()
            .commit(WriteBatch::new().with_statements(steps))
            .await
            .unwrap()
            .into_result()
            .unwrap();
    }

    /// The organization with this slug.
    pub async fn find_organization(&self, slug: &str) -> TestOrganization {
        let name: OrganizationSlug = slug.parse().unwrap();
        let engine = self.engine();
        let organization = organizations::find_organization_by_slug(engine.store(), &name, engine.now())
            .await
            .unwrap()
            .unwrap();
        TestOrganization { id: organization.id, slug: slug.to_owned() }
    }

    /// An operator with an API key for every permission.
    pub async fn create_operator(&self) -> ApiCaller<'_> {
        let house = self.find_organization("operator").await;
        let membership = self.create_member(&house, &["owner", "operator"]).await;
        self.create_api_key_caller(&house, membership, &format!("{OWNER_SCOPE} {OPERATOR_SCOPE}")).await
    }

    /// Creates an organization as an operator.
    pub async fn create_organization(&self, slug: &str) -> TestOrganization {
        let operator = self.create_operator().await;
        let response = operator.post("/manage/organizations", json!({"slug": slug})).await.assert_status(201);
        TestOrganization { id: response.body["id"].as_str().unwrap().parse().unwrap(), slug: slug.to_owned() }
    }

    /// Creates a member with these roles.
    pub async fn create_member(&self, tenant: &TestOrganization, role_names: &[&str]) -> MembershipId {
        let (engine, nothing) = (self.engine(), JsonDocument::from_value(&json!({})).unwrap());
        let (now, entropy) = (engine.now(), engine.entropy());
        let (account, id) = (AccountId::mint(now, entropy), MembershipId::mint(now, entropy));
        let all = roles::list_roles(engine.store(), tenant.id).await.unwrap();
        let role = |name: &&str| all.iter().find(|role| role.role.name() == *name).unwrap().id;
        let holder = MembershipHolder::User(account);
        let membership = NewMembership {
            id,
            organization: tenant.id,
            holder: &holder,
            profile: &nothing,
            external_id: None,
            created_at: now,
        };
        let statements = role_names.iter().map(role).map(|role| memberships::add_role(id, role, now));
        let guarded_statements = [
            accounts::create_account(account, None, &nothing, now),
            memberships::create_membership(&membership),
        ];
        self.apply_statements(guarded_statements.into_iter().chain(statements.collect::<Vec<_>>())).await;
        id
    }

    /// Makes an existing account a member.
    pub async fn add_member(&self, tenant: &TestOrganization, account: AccountId) {
        let (engine, nothing) = (self.engine(), JsonDocument::from_value(&json!({})).unwrap());
        let (now, id) = (engine.now(), MembershipId::mint(engine.now(), engine.entropy()));
        let all = roles::list_roles(engine.store(), tenant.id).await.unwrap();
        let member = all.iter().find(|role| role.role.name() == "member").unwrap().id;
        let membership = NewMembership {
            id,
            organization: tenant.id,
            holder: &MembershipHolder::User(account),
            profile: &nothing,
            external_id: None,
            created_at: now,
        };
        self.apply_statements([
            memberships::create_membership(&membership),
            memberships::add_role(id, member, now),
        ])
        .await;
    }

    /// Verifies a domain for the organization, unless some organization already has it.
    pub async fn verify_domain(&self, tenant: &TestOrganization, domain: &str) {
        let engine = self.engine();
        let (now, name): (_, OrganizationDomain) = (engine.now(), domain.parse().unwrap());
        if domains::find_domain_owner(engine.store(), name.as_str(), now).await.unwrap().is_some() {
            return;
        }
        self.apply_statements([domains::add_domain(tenant.id, &name, "proof", now)]).await;
        let added = domains::find_domain(engine.store(), tenant.id, &name).await.unwrap().unwrap();
        self.apply_statements([domains::mark_domain_verified(&added, now)]).await;
    }

    /// Creates an API key of a member with this scope.
    pub async fn create_api_key_caller(
        &self,
        tenant: &TestOrganization,
        membership: MembershipId,
        scope: &str,
    ) -> ApiCaller<'_> {
        let engine = self.engine();
        let (now, entropy) = (engine.now(), engine.entropy());
        let secret = Secret::<ApiKey>::mint(entropy);
        let (digest, scope) = (secret.digest(), scope.parse::<ScopeSet>().unwrap());
        let key = NewApiKey {
            id: ApiKeyId::mint(now, entropy),
            digest: &digest,
            membership,
            name: "a story's",
            scope: &scope,
            created_at: now,
            expires_at: now.plus(Lifetime::from_days(90)),
        };
        self.apply_statements([api_keys::issue_api_key(&key)]).await;
        ApiCaller { world: self, tenant: tenant.clone(), membership, secret: secret.reveal() }
    }

    /// An owner of the organization with an API key for every permission.
    pub async fn create_owner(&self, tenant: &TestOrganization) -> ApiCaller<'_> {
        let membership = self.create_member(tenant, &["owner"]).await;
        self.create_api_key_caller(tenant, membership, OWNER_SCOPE).await
    }

    /// Assigns an operator to the organization for one hour.
    pub async fn create_assignment(&self, operator: &ApiCaller<'_>, tenant: &TestOrganization, reason: &str) {
        let engine = self.engine();
        let now = engine.now();
        let assignment = NewOperatorAssignment {
            id: AssignmentId::mint(now, engine.entropy()),
            allows: OperatorAssignmentRight::Administering,
            holder: operator.membership,
            organization: tenant.id,
            reason,
            made_by: "system",
            created_at: now,
            ends_at: now.plus(Lifetime::from_hours(1)),
        };
        self.apply_statements([assignments::create_assignment(&assignment)]).await;
    }
}

//! The access token (RFC 9068): signed claims, never stored as a row, valid in exactly one organization.

use super::actor::ActorClaim;
use super::confirmation::ConfirmationClaim;
use super::jti::Jti;
use crate::access_control::Authority;
use crate::access_control::role::Role;
use crate::access_control::scope::{Scope, ScopeSet};
use crate::access_control::subject::{ActiveSubject, TokenSubject};
use crate::assurance::AssuranceLevel;
use crate::client_id::ClientId;
use crate::id::{OrganizationId, SessionId};
use crate::oauth::client_metadata::RoleClaim;
use crate::oauth::organization_policy::PolicyApproval;
use crate::organizations::api_catalog::ApiIdentifier;
use crate::time::{Lifetime, Timestamp};
use compact_str::{CompactString, ToCompactString};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The claims of an access token.
///
/// They are built from an [`Authority`] and its [`ActiveSubject`], so the organization is the authority's:
/// ```
/// # use sinete_core::{oauth::access_token::{AccessTokenClaims, AccessTokenIssuance}, access_control::{Authority, subject::ActiveSubject}};
/// fn claims(alive: &ActiveSubject, held: &Authority, issue: AccessTokenIssuance<'_>) -> AccessTokenClaims { AccessTokenClaims::new(alive, held, issue) }
/// ```
/// ```compile_fail,E0308
/// # use sinete_core::{oauth::access_token::{AccessTokenClaims, AccessTokenIssuance}, access_control::{permission::PermissionSet, subject::ActiveSubject}};
/// fn claims(alive: &ActiveSubject, held: &PermissionSet, issue: AccessTokenIssuance<'_>) -> AccessTokenClaims { AccessTokenClaims::new(alive, held, issue) }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AccessTokenClaims {
    iss: CompactString,
    sub: CompactString,
    aud: ApiIdentifier,
    exp: i64,
    iat: i64,
    jti: Jti,
    client_id: ClientId,
    scope: ScopeSet,
    org: OrganizationId,
    role: CompactString,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<CompactString>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    roles: Option<Vec<CompactString>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    auth_time: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    acr: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sid: Option<SessionId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cnf: Option<ConfirmationClaim>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    act: Option<ActorClaim>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    authorization_details: Vec<Map<String, Value>>,
}

/// Input for issuing an access token, apart from its subject.
#[derive(Debug)]
pub struct AccessTokenIssuance<'a> {
    /// Our issuer identifier (`iss`).
    pub issuer: &'a str,
    /// The API the token is for (`aud`).
    pub audience: &'a ApiIdentifier,
    /// The client it is issued to (`client_id`).
    pub client: &'a ClientId,
    /// The identity scopes granted in addition to the permissions.
    pub scopes: &'a ScopeSet,
    /// The arrays of role names to include.
    pub role_claims: Vec<RoleClaim>,
    /// The token's id.
    pub jti: Jti,
    /// The time of issue.
    pub now: Timestamp,
    /// How long the token is valid.
    pub lifetime: Lifetime,
    /// How and when the user authenticated; `None` for a machine.
    pub authentication: Option<AuthenticationContext>,
    /// The actor chain (`act`), if a client or operator acts for the subject.
    pub actor: Option<ActorClaim>,
    /// The key or certificate the token is bound to (`cnf`); `None` for a bearer token.
    pub confirmation: Option<ConfirmationClaim>,
    /// The granted authorization details (RFC 9396).
    pub details: Vec<Map<String, Value>>,
    /// Proof that the organization's policy was checked and allows the token.
    pub policy: PolicyApproval,
}

/// How and when a user authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuthenticationContext {
    /// The time of authentication.
    pub at: Timestamp,
    /// The assurance level at the time of issue.
    pub assurance: AssuranceLevel,
    /// The session in which the user authenticated, while it is active.
    pub session: Option<SessionId>,
}

impl AccessTokenClaims {
    /// Builds the claims of a token that carries exactly this authority.
    pub fn new(subject: &ActiveSubject, authority: &Authority, issue: AccessTokenIssuance<'_>) -> Self {
        let authentication = issue.authentication;
        let role_names = |claim| issue.role_claims.contains(&claim).then(|| list_role_names(subject));
        Self {
            iss: issue.issuer.into(),
            sub: match authority.subject() {
                TokenSubject::User { membership, .. } => membership.to_compact_string(),
                TokenSubject::Machine { client, .. } => client.as_str().into(),
            },
            aud: issue.audience.clone(),
            exp: issue.now.plus(issue.lifetime).seconds(),
            iat: issue.now.seconds(),
            jti: issue.jti,
            client_id: issue.client.clone(),
            scope: scope(issue.scopes, authority),
            org: authority.organization(),
            role: format_role_claim(subject).into(),
            groups: role_names(RoleClaim::Groups),
            roles: role_names(RoleClaim::Roles),
            auth_time: authentication.map(|it| it.at.seconds()),
            acr: authentication.map(|it| it.assurance.acr().to_owned()),
            sid: authentication.and_then(|it| it.session),
            cnf: issue.confirmation,
            act: issue.actor,
            authorization_details: issue.details,
        }
    }

    /// Copies the claims into a new token with the same lifetime, issued at `now`.
    #[must_use]
    pub fn reissue(&self, jti: Jti, now: Timestamp) -> Self {
        Self { jti, iat: now.seconds(), exp: now.seconds() + (self.exp - self.iat), ..self.clone() }
    }

    /// Returns the claims with the scope and roles that the subject holds now, or `None` if nothing is left.
    pub fn narrow_to_authority(&self, subject: &ActiveSubject, authority: &Authority) -> Option<Self> {
        let scope = scope(&self.scope, authority);
        let is_spent = scope.is_empty() && !self.scope.is_empty();
        let current = |names: &Option<_>| names.as_ref().map(|_| list_role_names(subject));
        (!is_spent).then(|| Self {
            scope,
            role: format_role_claim(subject).into(),
            groups: current(&self.groups),
            roles: current(&self.roles),
            ..self.clone()
        })
    }

    /// The token's id (`jti`).
    pub const fn jti(&self) -> &Jti {
        &self.jti
    }

    /// The subject: the membership id of a user, or the machine's own id.
    pub fn subject(&self) -> &str {
        &self.sub
    }

    /// The time of issue.
    pub const fn issued_at(&self) -> Timestamp {
        Timestamp::from_seconds(self.iat)
    }

    /// When the user authenticated; `None` for a machine.
    pub fn authenticated_at(&self) -> Option<Timestamp> {
        self.auth_time.map(Timestamp::from_seconds)
    }

    /// The assurance level at issue; `None` for a machine.
    pub fn assurance(&self) -> Option<AssuranceLevel> {
        self.acr.as_deref().and_then(AssuranceLevel::from_acr)
    }

    /// The session it was issued in, if any.
    pub const fn session(&self) -> Option<SessionId> {
        self.sid
    }

    /// The organization the token is valid in.
    pub const fn organization(&self) -> OrganizationId {
        self.org
    }

    /// The scope as it was granted, which may be more than the subject holds now.
    pub const fn combine_scope(&self) -> &ScopeSet {
        &self.scope
    }

    /// The API it is for.
    pub const fn audience(&self) -> &ApiIdentifier {
        &self.aud
    }

    /// The client it was issued to.
    pub const fn client(&self) -> &ClientId {
        &self.client_id
    }

    /// When it expires.
    pub const fn expires_at(&self) -> Timestamp {
        Timestamp::from_seconds(self.exp)
    }

    /// The granted authorization details (RFC 9396).
    pub fn details(&self) -> &[Map<String, Value>] {
        &self.authorization_details
    }

    /// The key or certificate the token is bound to; `None` for a bearer token.
    pub const fn confirmation(&self) -> Option<&ConfirmationClaim> {
        self.cnf.as_ref()
    }

    /// The actor chain, if a client or operator acts for the subject.
    pub const fn actor(&self) -> Option<&ActorClaim> {
        self.act.as_ref()
    }
}

/// Combines the identity scopes in `scopes` with the permissions of `authority`.
fn scope(scopes: &ScopeSet, authority: &Authority) -> ScopeSet {
    let identity = scopes.iter().filter(|scope| matches!(scope, Scope::Identity(_))).cloned();
    let permissions = authority.permissions().iter().cloned().map(Scope::Permission);
    identity.chain(permissions).collect()
}

/// Formats the names of the subject's roles, in order. They are informative and grant nothing.
pub fn format_role_claim(subject: &ActiveSubject) -> String {
    sort_role_names(subject).join(" ")
}

/// Lists the names of the subject's roles, in the same order, for the arrays `groups` and `roles`.
pub fn list_role_names(subject: &ActiveSubject) -> Vec<CompactString> {
    sort_role_names(subject).into_iter().map(CompactString::from).collect()
}

fn sort_role_names(subject: &ActiveSubject) -> Vec<&str> {
    let mut roles: Vec<_> = subject.roles().iter().map(Role::name).collect();
    roles.sort_unstable();
    roles.dedup();
    roles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access_control::subject::{LifecycleCondition, SubjectState};
    use crate::entropy::DangerouslySeededEntropy;
    use crate::id::{AccountId, GrantId, MembershipId};
    use crate::oauth::jti::TokenRevocationRoot;
    use crate::oauth::organization_policy::tests::approval;

    fn alive() -> ActiveSubject {
        let role = |name, permission: &str| {
            Role::new(name, [permission.parse().unwrap()].into_iter().collect()).unwrap()
        };
        let subject_state = SubjectState {
            subject: TokenSubject::User {
                account: AccountId::from_bytes([1; 16]),
                membership: MembershipId::from_bytes([2; 16]),
            },
            organization: OrganizationId::from_bytes([3; 16]),
            account: LifecycleCondition::Enabled,
            membership: LifecycleCondition::Enabled,
            organization_condition: LifecycleCondition::Enabled,
            client: LifecycleCondition::Enabled,
            grant: LifecycleCondition::Enabled,
            roles: vec![role("clerk", "invoices:*"), role("auditor", "files:read")],
        };
        subject_state.require_active().unwrap()
    }

    #[test]
    fn access_token_claims_are_those_of_the_narrowed_authority() {
        let subject = alive();
        let scopes: ScopeSet = "openid invoices:read".parse().unwrap();
        let authority = Authority::derive(&subject).narrow(&scopes.permissions()).unwrap();
        let (audience, client) = ("https://api.example".parse().unwrap(), "notes".parse().unwrap());
        let issue = AccessTokenIssuance {
            issuer: "https://id.example",
            audience: &audience,
            client: &client,
            scopes: &scopes,
            role_claims: Vec::new(),
            jti: Jti::mint(
                TokenRevocationRoot::Grant(GrantId::from_bytes([4; 16])),
                None,
                &DangerouslySeededEntropy::new(1),
            ),
            now: Timestamp::from_seconds(1_000),
            lifetime: Lifetime::from_minutes(10),
            authentication: Some(AuthenticationContext {
                at: Timestamp::from_seconds(900),
                assurance: AssuranceLevel::Two,
                session: None,
            }),
            actor: None,
            confirmation: None,
            details: Vec::new(),
            policy: approval(),
        };
        let claims = AccessTokenClaims::new(&subject, &authority, issue);
        let json = serde_json::to_value(&claims).unwrap();
        let names: Vec<_> = json.as_object().unwrap().keys().map(String::as_str).collect();
        let expected = [
            "acr",
            "aud",
            "auth_time",
            "client_id",
            "exp",
            "iat",
            "iss",
            "jti",
            "org",
            "role",
            "scope",
            "sub",
        ];
        assert_eq!(names, expected);
        assert_eq!(json["scope"], "openid invoices:read");
        assert_eq!(json["role"], "auditor clerk");
        assert_eq!(json["sub"], "02020202-0202-0202-0202-020202020202");
        assert_eq!((json["iat"].as_i64(), json["exp"].as_i64()), (Some(1_000), Some(1_600)));
        assert_eq!(json["acr"], "urn:sinete:aal:2");
        assert!(!json.to_string().contains("01010101"), "the account's id never leaves");
        assert_eq!(serde_json::from_value::<AccessTokenClaims>(json).unwrap(), claims);
        let later = Timestamp::from_seconds(5_000);
        let jti = Jti::mint(
            TokenRevocationRoot::Grant(GrantId::from_bytes([4; 16])),
            None,
            &DangerouslySeededEntropy::new(2),
        );
        let reissued_claims = claims.reissue(jti.clone(), later);
        assert_eq!(
            (reissued_claims.jti(), reissued_claims.issued_at(), reissued_claims.expires_at().seconds()),
            (&jti, later, 5_600)
        );
        let as_before = reissued_claims.reissue(claims.jti().clone(), claims.issued_at());
        assert_eq!(as_before, claims, "nothing else differs");
    }

    #[test]
    fn access_token_is_active_for_permissions_held_now_and_inactive_without_any() {
        let (subject, client) = (alive(), "notes".parse().unwrap());
        let audience = "https://api.example".parse().unwrap();
        let scopes: ScopeSet = "invoices:read files:read".parse().unwrap();
        let all = Authority::derive(&subject).narrow(&scopes.permissions()).unwrap();
        let issue = AccessTokenIssuance {
            issuer: "https://id.example",
            audience: &audience,
            client: &client,
            scopes: &scopes,
            role_claims: vec![RoleClaim::Groups],
            jti: Jti::mint(
                TokenRevocationRoot::Machine { epoch: 0 },
                None,
                &DangerouslySeededEntropy::new(1),
            ),
            now: Timestamp::from_seconds(1_000),
            lifetime: Lifetime::from_minutes(10),
            authentication: None,
            actor: None,
            confirmation: None,
            details: Vec::new(),
            policy: approval(),
        };
        let claims = AccessTokenClaims::new(&subject, &all, issue);
        let json = serde_json::to_value(&claims).unwrap();
        assert_eq!((&json["groups"], json.get("roles")), (&serde_json::json!(["auditor", "clerk"]), None));
        assert_eq!(claims.narrow_to_authority(&subject, &all), Some(claims.clone()));
        let some = all.narrow_to_ceiling(&["files:read".parse().unwrap()].into_iter().collect());
        assert_eq!(
            claims.narrow_to_authority(&subject, &some).unwrap().combine_scope().to_string(),
            "files:read"
        );
        let none = all.narrow_to_ceiling(&std::iter::empty().collect());
        assert_eq!(claims.narrow_to_authority(&subject, &none), None);
    }
}

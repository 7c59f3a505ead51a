//! Userinfo: the claims released by consented scopes, and individually requested claims (OpenID Connect Core
//! §5).

use super::claims::{CLAIMS, ClaimDefinition, IndividualClaims, requests_claim};
use crate::access_control::scope::ScopeSet;
use crate::accounts::standard_claims::StandardClaims;
use crate::id::OrganizationId;
use crate::oauth::authorize::stored_grant_params::RequestedClaims;
use crate::oauth::client_metadata::{ClientMetadata, RoleClaim};
use crate::oauth::scope_ceiling::ScopeCeiling;
use crate::organizations::member_profile::MemberProfile;
use compact_str::CompactString;
use serde_json::{Map, Value, json};

/// All claims available about a user in one organization.
#[derive(Clone, Debug)]
pub struct UserInfoSource {
    /// The user's own profile.
    pub claims: StandardClaims,
    /// The organization's profile of the member, used where the user's own has no value.
    pub member: MemberProfile,
    /// The user's chosen language, if any.
    pub language: Option<String>,
    /// The e-mail address.
    pub email: Option<ContactClaim>,
    /// The phone number.
    pub phone: Option<ContactClaim>,
    /// The organization.
    pub organization: OrganizationId,
    /// The names of the user's roles in it, in order.
    pub roles: Vec<CompactString>,
}

/// A contact address and its verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContactClaim {
    /// The e-mail address or phone number.
    pub address: String,
    /// Whether the user verified it.
    pub is_verified: bool,
}

/// What the user consented to release.
#[derive(Clone, Copy, Debug)]
pub struct ClaimConsent<'a> {
    /// The consented scopes.
    pub scopes: &'a ScopeSet,
    /// The individually consented claims.
    pub claims: &'a IndividualClaims,
}

/// Selects the claims requested individually for this place, `userinfo` or `id_token`, that the client may
/// request and the user consented to.
pub fn select_requested_claims(
    claims: &Map<String, Value>,
    section: &str,
    ceiling: &ScopeCeiling<'_>,
    claim_consent: ClaimConsent<'_>,
) -> Vec<&'static str> {
    let is_agreed = |claim: &ClaimDefinition| {
        claim.is_released_by(claim_consent.scopes) || claim_consent.claims.contains(claim.name)
    };
    CLAIMS
        .iter()
        .filter(|claim| {
            requests_claim(claims, section, claim)
                && ceiling.covers_claims_of(claim.scope)
                && is_agreed(claim)
        })
        .map(|claim| claim.name)
        .collect()
}

/// Selects the claims of an ID token: those requested individually for it, the arrays of role names, and, if
/// the client's metadata says so, those that the granted scopes release. The other claims released without a scope stay out unless requested.
pub fn select_id_token_claims(
    metadata: &ClientMetadata,
    requested: &RequestedClaims,
    ceiling: &ScopeCeiling<'_>,
    scopes: &ScopeSet,
) -> Vec<&'static str> {
    let claim_consent = ClaimConsent { scopes, claims: &requested.agreed_claims };
    let mut names = select_requested_claims(&requested.claims, "id_token", ceiling, claim_consent);
    let is_scoped = |claim: &&ClaimDefinition| claim.scope.is_some_and(|scope| scopes.contains(scope));
    if metadata.include_claims_in_id_token {
        names.extend(CLAIMS.iter().filter(is_scoped).map(|claim| claim.name));
    }
    names.extend(metadata.released_role_claims(scopes).map(RoleClaim::as_str));
    names
}

/// The names of the claims that these scopes release, including those always released.
pub fn select_released_claims(scopes: &ScopeSet) -> Vec<&'static str> {
    CLAIMS.iter().filter(|claim| claim.is_released_by(scopes)).map(|claim| claim.name).collect()
}

impl UserInfoSource {
    /// What is known from the subject's state alone.
    pub fn from_roles(organization: OrganizationId, roles: Vec<CompactString>) -> Self {
        let (claims, member) = (StandardClaims::default(), MemberProfile::default());
        Self { claims, member, language: None, email: None, phone: None, organization, roles }
    }

    /// Whether [`UserInfoSource::from_roles`] suffices for these claims.
    pub fn suffices_for(names: &[&str]) -> bool {
        names.iter().all(|name| matches!(*name, "org" | "role" | "groups" | "roles"))
    }

    /// Builds the named claims that have a value.
    pub fn build_claims(&self, names: &[&str]) -> Map<String, Value> {
        let mut all = match serde_json::to_value(&self.claims) {
            Ok(Value::Object(claims)) => claims,
            _ => Map::new(),
        };
        for (name, profile_text) in [
            ("name", &self.member.name),
            ("given_name", &self.member.given_name),
            ("family_name", &self.member.family_name),
        ] {
            if let Some(profile_text) = profile_text {
                all.entry(name).or_insert_with(|| json!(profile_text));
            }
        }
        if let (None, Some(Value::String(given_name)), Some(Value::String(family))) =
            (all.get("name"), all.get("given_name"), all.get("family_name"))
        {
            let name = format!("{given_name} {family}");
            all.insert("name".to_owned(), json!(name));
        }
        if let Some(language) = &self.language {
            all.entry("locale").or_insert_with(|| json!(language));
        }
        for (reachable, name, verified) in
            [(&self.email, "email", "email_verified"), (&self.phone, "phone_number", "phone_number_verified")]
        {
            if let Some(reachable) = reachable {
                all.insert(name.to_owned(), json!(reachable.address));
                all.insert(verified.to_owned(), json!(reachable.is_verified));
            }
        }
        all.insert("org".to_owned(), json!(self.organization));
        all.insert("role".to_owned(), json!(self.roles.join(" ")));
        for claim in RoleClaim::ALL {
            all.insert(claim.as_str().to_owned(), json!(self.roles));
        }
        all.retain(|name, _| names.contains(&name.as_str()));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ana() -> UserInfoSource {
        let claims = json!({
            "given_name": "Ana", "nickname": "Aninha", "birthdate": "1990-02-28", "zoneinfo": "America/Sao_Paulo",
            "address": {"country": "BR"}, "updated_at": 7,
        });
        UserInfoSource {
            claims: serde_json::from_value(claims).unwrap(),
            member: serde_json::from_str(r#"{"name":"Ana Souza","given_name":"A.","title":"Contadora"}"#)
                .unwrap(),
            language: Some("pt-BR".to_owned()),
            email: Some(ContactClaim { address: "ana@example.com".to_owned(), is_verified: true }),
            phone: Some(ContactClaim { address: "+5511999990000".to_owned(), is_verified: false }),
            organization: OrganizationId::from_bytes([3; 16]),
            roles: vec!["auditor".into(), "clerk".into()],
        }
    }

    fn told(scopes: &str) -> Vec<String> {
        let claims = ana().build_claims(&select_released_claims(&scopes.parse().unwrap()));
        claims.keys().cloned().collect()
    }

    #[test]
    fn userinfo_scope_releases_its_own_claims_only() {
        assert_eq!(told("openid"), ["org", "role"]);
        assert_eq!(told("openid groups"), ["groups", "org", "role"]);
        assert_eq!(told("openid roles"), ["org", "role", "roles"]);
        let lists = ana().build_claims(&["role", "groups", "roles"]);
        let names = json!(["auditor", "clerk"]);
        assert_eq!(Value::Object(lists), json!({"role": "auditor clerk", "groups": names, "roles": names}));
        assert_eq!(told("openid email"), ["email", "email_verified", "org", "role"]);
        assert_eq!(told("phone"), ["org", "phone_number", "phone_number_verified", "role"]);
        assert_eq!(told("address invoices:read"), ["address", "org", "role"]);
        let profile = told("profile");
        for name in ["name", "given_name", "nickname", "birthdate", "zoneinfo", "locale", "updated_at"] {
            assert!(profile.iter().any(|it| it == name), "{name}");
        }
        for name in ["email", "address", "phone_number", "title", "family_name"] {
            assert!(!profile.iter().any(|it| it == name), "{name}");
        }
    }

    #[test]
    fn userinfo_prefers_the_users_profile_over_the_organizations() {
        let claims = ana().build_claims(&["name", "given_name", "locale"]);
        assert_eq!(
            Value::Object(claims),
            json!({"name": "Ana Souza", "given_name": "Ana", "locale": "pt-BR"})
        );
    }

    #[test]
    fn userinfo_name_is_composed_of_given_and_family_name_if_missing() {
        let compose_name = |profile: Value, member: &str| {
            let claims = serde_json::from_value(profile).unwrap();
            let member = serde_json::from_str(member).unwrap();
            UserInfoSource { claims, member, ..ana() }.build_claims(&["name"]).get("name").cloned()
        };
        let family = r#"{"family_name":"Souza"}"#;
        assert_eq!(compose_name(json!({"given_name": "Ana"}), family), Some(json!("Ana Souza")));
        assert_eq!(
            compose_name(json!({"given_name": "Ana", "name": "Ana S."}), family),
            Some(json!("Ana S."))
        );
        assert_eq!(
            compose_name(json!({"given_name": "Ana"}), r#"{"name":"A. Souza"}"#),
            Some(json!("A. Souza"))
        );
        assert_eq!(compose_name(json!({"given_name": "Ana"}), "{}"), None);
        assert_eq!(compose_name(json!({}), family), None);
    }

    #[test]
    fn id_token_contains_scope_claims_only_by_the_clients_setting() {
        let selected = |include: bool, scopes: &str| {
            let metadata = ClientMetadata { include_claims_in_id_token: include, ..Default::default() };
            let ceiling = "openid email phone".parse().unwrap();
            let requested = RequestedClaims {
                claims: json!({"id_token": {"org": null}}).as_object().unwrap().clone(),
                agreed_claims: IndividualClaims::default(),
            };
            select_id_token_claims(
                &metadata,
                &requested,
                &ScopeCeiling::exactly(&ceiling),
                &scopes.parse().unwrap(),
            )
        };
        assert_eq!(selected(true, "openid email"), ["org", "email", "email_verified"]);
        assert_eq!(selected(true, "openid"), ["org"]);
        assert_eq!(selected(false, "openid email"), ["org"]);
        assert_eq!(selected(false, "openid email groups roles"), ["org", "groups", "roles"]);
    }

    #[test]
    fn userinfo_claims_requested_by_name_are_released_with_consent() {
        let claims = json!({
            "userinfo": {"email": null, "name": {"essential": true}, "org": null, "unheard_of": null, "sub": null},
            "id_token": {"phone_number": null},
        });
        let claims = claims.as_object().unwrap();
        let everything = "openid profile email phone address";
        let select_claims = |destination: &str, ceiling: &str, scopes: &str, consented_names: &[&str]| {
            let (scopes, individual_claims) =
                (scopes.parse().unwrap(), IndividualClaims::from_names(consented_names.iter().copied()));
            let claim_consent = ClaimConsent { scopes: &scopes, claims: &individual_claims };
            let ceiling = ceiling.parse().unwrap();
            select_requested_claims(claims, destination, &ScopeCeiling::exactly(&ceiling), claim_consent)
        };
        assert_eq!(
            select_claims("userinfo", everything, "openid", &["name", "email"]),
            ["name", "email", "org"]
        );
        assert_eq!(select_claims("userinfo", everything, "openid email", &[]), ["email", "org"]);
        assert_eq!(select_claims("userinfo", everything, "openid", &["phone_number"]), ["org"]);
        assert_eq!(select_claims("id_token", everything, "openid", &["phone_number"]), ["phone_number"]);
        assert!(select_claims("id_token", everything, "openid profile", &["email"]).is_empty());
        assert_eq!(select_claims("userinfo", "openid", "openid email", &["name"]), ["org"]);
        assert!(select_claims("elsewhere", everything, everything, &[]).is_empty());
    }
}

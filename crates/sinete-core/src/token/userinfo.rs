//! What a client is told about a person: the claims that the scopes they agreed to release, and those that were
//! asked for by name (OpenID Connect Core §5).

use crate::authority::scope::{IdentityScope, Scopes};
use crate::id::OrganizationId;
use crate::people::claims::StandardClaims;
use crate::people::profile::MemberProfile;
use serde_json::{Map, Value, json};

/// Every claim about a person, with the scope that releases it. One without a scope is always told.
pub const CLAIMS: &[(&str, Option<IdentityScope>)] = &[
    ("name", Some(IdentityScope::Profile)),
    ("family_name", Some(IdentityScope::Profile)),
    ("given_name", Some(IdentityScope::Profile)),
    ("middle_name", Some(IdentityScope::Profile)),
    ("nickname", Some(IdentityScope::Profile)),
    ("preferred_username", Some(IdentityScope::Profile)),
    ("profile", Some(IdentityScope::Profile)),
    ("picture", Some(IdentityScope::Profile)),
    ("website", Some(IdentityScope::Profile)),
    ("gender", Some(IdentityScope::Profile)),
    ("birthdate", Some(IdentityScope::Profile)),
    ("zoneinfo", Some(IdentityScope::Profile)),
    ("locale", Some(IdentityScope::Profile)),
    ("updated_at", Some(IdentityScope::Profile)),
    ("email", Some(IdentityScope::Email)),
    ("email_verified", Some(IdentityScope::Email)),
    ("address", Some(IdentityScope::Address)),
    ("phone_number", Some(IdentityScope::Phone)),
    ("phone_number_verified", Some(IdentityScope::Phone)),
    ("org", None),
    ("role", None),
];

/// Everything that could be told about a person in one organization.
#[derive(Clone, Debug)]
pub struct Person {
    /// What they say about themselves.
    pub claims: StandardClaims,
    /// What their organization knows of them. It fills in for what they did not say.
    pub member: MemberProfile,
    /// The language they read, where they chose one.
    pub language: Option<String>,
    /// The e-mail address to write to.
    pub email: Option<Reachable>,
    /// The telephone to call.
    pub phone: Option<Reachable>,
    /// The organization.
    pub organization: OrganizationId,
    /// The roles they carry there.
    pub role: String,
}

/// Where somebody can be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reachable {
    /// The address or number.
    pub address: String,
    /// Whether they proved that it is theirs.
    pub is_verified: bool,
}

/// The names of the claims that were asked for one by one, from the part of the `claims` parameter that is for
/// this place: `userinfo` or `id_token`. A client is told only what it may ask for at all.
pub fn asked_for(claims: &Map<String, Value>, place: &str, ceiling: &Scopes) -> Vec<&'static str> {
    let Some(asked) = claims.get(place).and_then(Value::as_object) else { return Vec::new() };
    let may_ask = |scope: &Option<IdentityScope>| scope.is_none_or(|scope| ceiling.has(scope));
    CLAIMS.iter().filter(|(name, scope)| asked.contains_key(*name) && may_ask(scope)).map(|it| it.0).collect()
}

/// The names of the claims that these scopes release, with those that are always told.
pub fn released_by(scopes: &Scopes) -> Vec<&'static str> {
    CLAIMS.iter().filter(|(_, scope)| scope.is_none_or(|scope| scopes.has(scope))).map(|it| it.0).collect()
}

impl Person {
    /// The claims of these names, as far as there is something to tell.
    pub fn tell(&self, names: &[&str]) -> Map<String, Value> {
        let mut all = match serde_json::to_value(&self.claims) {
            Ok(Value::Object(said)) => said,
            _ => Map::new(),
        };
        for (name, known) in [
            ("name", &self.member.name),
            ("given_name", &self.member.given_name),
            ("family_name", &self.member.family_name),
        ] {
            if let Some(known) = known {
                all.entry(name).or_insert_with(|| json!(known));
            }
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
        all.insert("role".to_owned(), json!(self.role));
        all.retain(|name, _| names.contains(&name.as_str()));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ana() -> Person {
        let claims = json!({
            "given_name": "Ana", "nickname": "Aninha", "birthdate": "1990-02-28", "zoneinfo": "America/Sao_Paulo",
            "address": {"country": "BR"}, "updated_at": 7,
        });
        Person {
            claims: serde_json::from_value(claims).unwrap(),
            member: serde_json::from_str(r#"{"name":"Ana Souza","given_name":"A.","title":"Contadora"}"#)
                .unwrap(),
            language: Some("pt-BR".to_owned()),
            email: Some(Reachable { address: "ana@example.com".to_owned(), is_verified: true }),
            phone: Some(Reachable { address: "+5511999990000".to_owned(), is_verified: false }),
            organization: OrganizationId::from_bytes([3; 16]),
            role: "clerk".to_owned(),
        }
    }

    fn told(scopes: &str) -> Vec<String> {
        let told = ana().tell(&released_by(&scopes.parse().unwrap()));
        told.keys().cloned().collect()
    }

    #[test]
    fn a_scope_releases_its_own_claims_and_no_others() {
        assert_eq!(told("openid"), ["org", "role"]);
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
    fn what_a_person_says_comes_before_what_their_organization_knows() {
        let told = ana().tell(&["name", "given_name", "locale"]);
        assert_eq!(Value::Object(told), json!({"name": "Ana Souza", "given_name": "Ana", "locale": "pt-BR"}));
    }

    #[test]
    fn a_claim_can_be_asked_for_by_name_where_its_scope_could_be() {
        let claims = json!({
            "userinfo": {"email": null, "name": {"essential": true}, "org": null, "unheard_of": null, "sub": null},
            "id_token": {"phone_number": null},
        });
        let claims = claims.as_object().unwrap();
        let everything: Scopes = "openid profile email phone address".parse().unwrap();
        assert_eq!(asked_for(claims, "userinfo", &everything), ["name", "email", "org"]);
        assert_eq!(asked_for(claims, "id_token", &everything), ["phone_number"]);
        assert_eq!(asked_for(claims, "userinfo", &"openid".parse().unwrap()), ["org"]);
        assert!(asked_for(&Map::new(), "userinfo", &everything).is_empty());
        let wrong = json!({"userinfo": ["email"]});
        assert!(asked_for(wrong.as_object().unwrap(), "userinfo", &everything).is_empty());
    }

    #[test]
    fn every_standard_claim_has_a_scope_that_releases_it() {
        for scope in
            [IdentityScope::Profile, IdentityScope::Email, IdentityScope::Address, IdentityScope::Phone]
        {
            assert!(CLAIMS.iter().any(|(_, of)| *of == Some(scope)), "{scope:?}");
        }
        let mut names: Vec<_> = CLAIMS.iter().map(|it| it.0).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CLAIMS.len());
    }
}

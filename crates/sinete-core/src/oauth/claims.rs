//! The claims about a user: the scope that releases each, its description, and individually requested claims
//! (OpenID Connect Core §5.5).

use crate::access_control::scope::{IdentityScope, ScopeSet};
use crate::oauth::scope_ceiling::ScopeCeiling;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fmt;

/// A claim about a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimDefinition {
    /// The claim's name.
    pub name: &'static str,
    /// The scope that releases it; `None` if it is released with any scope.
    pub scope: Option<IdentityScope>,
    /// The consent text in English.
    pub english: &'static str,
    /// The consent text in Portuguese.
    pub portuguese: &'static str,
}

const fn scoped_claim(
    scope: IdentityScope,
    name: &'static str,
    english: &'static str,
    portuguese: &'static str,
) -> ClaimDefinition {
    ClaimDefinition { name, scope: Some(scope), english, portuguese }
}

const fn unscoped_claim(
    name: &'static str,
    english: &'static str,
    portuguese: &'static str,
) -> ClaimDefinition {
    ClaimDefinition { name, scope: None, english, portuguese }
}

use IdentityScope::{Address, Email, Groups, Phone, Profile, Roles};

/// All claims about a user.
#[rustfmt::skip]
pub const CLAIMS: &[ClaimDefinition] = &[
    scoped_claim(Profile, "name", "See your full name", "Ver seu nome completo"),
    scoped_claim(Profile, "family_name", "See your family name", "Ver seu sobrenome"),
    scoped_claim(Profile, "given_name", "See your given name", "Ver seu primeiro nome"),
    scoped_claim(Profile, "middle_name", "See your middle name", "Ver seu nome do meio"),
    scoped_claim(Profile, "nickname", "See your nickname", "Ver seu apelido"),
    scoped_claim(Profile, "preferred_username", "See your preferred user name", "Ver o nome de usuário que você prefere"),
    scoped_claim(Profile, "profile", "See the address of your profile page", "Ver o endereço da sua página de perfil"),
    scoped_claim(Profile, "picture", "See your picture", "Ver sua foto"),
    scoped_claim(Profile, "website", "See the address of your website", "Ver o endereço do seu site"),
    scoped_claim(Profile, "gender", "See your gender", "Ver seu gênero"),
    scoped_claim(Profile, "birthdate", "See your date of birth", "Ver sua data de nascimento"),
    scoped_claim(Profile, "zoneinfo", "See your time zone", "Ver seu fuso horário"),
    scoped_claim(Profile, "locale", "See which language you read", "Ver qual idioma você lê"),
    scoped_claim(Profile, "updated_at", "See when your profile last changed", "Ver quando seu perfil mudou pela última vez"),
    scoped_claim(Email, "email", "See your e-mail address", "Ver seu endereço de e-mail"),
    scoped_claim(Email, "email_verified", "See whether your e-mail address is verified", "Ver se o seu endereço de e-mail foi verificado"),
    scoped_claim(Address, "address", "See your postal address", "Ver seu endereço postal"),
    scoped_claim(Phone, "phone_number", "See your telephone number", "Ver seu número de telefone"),
    scoped_claim(Phone, "phone_number_verified", "See whether your telephone number is verified", "Ver se o seu número de telefone foi verificado"),
    scoped_claim(Groups, "groups", "See the list of your groups in that organization", "Ver a lista dos seus grupos nessa organização"),
    scoped_claim(Roles, "roles", "See the list of your roles in that organization", "Ver a lista dos seus papéis nessa organização"),
    unscoped_claim("org", "See in which organization you act", "Ver em qual organização você age"),
    unscoped_claim("role", "See your roles in that organization", "Ver suas funções nessa organização"),
];

impl ClaimDefinition {
    /// Whether these scopes release the claim.
    pub fn is_released_by(&self, scopes: &ScopeSet) -> bool {
        self.scope.is_none_or(|scope| scopes.contains(scope))
    }
}

/// Claims that no granted scope releases but that the user consented to by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndividualClaims(BTreeSet<&'static str>);

impl IndividualClaims {
    /// Selects the claims that the request names, for either place, and that its scopes do not release.
    /// Limited to claims that the client's registered scopes could release, and empty without `openid`.
    pub fn from_request(claims: &Map<String, Value>, scopes: &ScopeSet, ceiling: &ScopeCeiling<'_>) -> Self {
        if !scopes.contains(IdentityScope::OpenId) {
            return Self::default();
        }
        let is_requested = |claim: &&ClaimDefinition| {
            CLAIMS_PARAMETER_MEMBERS.iter().any(|section| requests_claim(claims, section, claim))
        };
        let beyond =
            |claim: &&ClaimDefinition| ceiling.covers_claims_of(claim.scope) && !claim.is_released_by(scopes);
        Self(CLAIMS.iter().filter(is_requested).filter(beyond).map(|claim| claim.name).collect())
    }

    /// Selects claims by name. Names of claims that no longer exist are ignored.
    pub fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let find = |name: &str| CLAIMS.iter().find(|claim| claim.name == name).map(|claim| claim.name);
        Self(names.into_iter().filter_map(find).collect())
    }

    /// Iterates over the claims in the order of [`CLAIMS`].
    pub fn iter(&self) -> impl Iterator<Item = &'static ClaimDefinition> {
        CLAIMS.iter().filter(|claim| self.contains(claim.name))
    }

    /// Whether the set contains this claim.
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The claims of this set that are not in `others`.
    pub fn difference(&self, others: &Self) -> Self {
        Self(self.0.difference(&others.0).copied().collect())
    }

    /// The claims of both sets.
    pub fn union(&self, others: &Self) -> Self {
        Self(self.0.union(&others.0).copied().collect())
    }
}

/// The members of the `claims` parameter: where a claim is to be returned.
pub const CLAIMS_PARAMETER_MEMBERS: [&str; 2] = ["userinfo", "id_token"];

/// Whether the `claims` parameter requests the claim for this place.
pub(super) fn requests_claim(claims: &Map<String, Value>, section: &str, claim: &ClaimDefinition) -> bool {
    claims
        .get(section)
        .and_then(Value::as_object)
        .is_some_and(|requested_claims| requested_claims.contains_key(claim.name))
}

impl fmt::Display for IndividualClaims {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().copied().collect();
        out.write_str(&names.join(" "))
    }
}

impl Serialize for IndividualClaims {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for IndividualClaims {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(Self::from_names(text.split(' ')))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asked(claims: Value, scopes: &str, ceiling: &str) -> String {
        let claims = claims.as_object().unwrap();
        let (scopes, ceiling) = (scopes.parse().unwrap(), ceiling.parse().unwrap());
        IndividualClaims::from_request(claims, &scopes, &ScopeCeiling::exactly(&ceiling)).to_string()
    }

    #[test]
    fn claims_need_consent_by_name_only_without_a_releasing_scope() {
        let claims = json!({
            "userinfo": {"email": null, "name": {"essential": true}, "org": null, "unheard_of": null, "sub": null},
            "id_token": {"phone_number": null, "role": null},
        });
        let all = "openid profile email phone address";
        assert_eq!(asked(claims.clone(), "openid", all), "email name phone_number");
        assert_eq!(asked(claims.clone(), "openid email", all), "name phone_number");
        assert_eq!(asked(claims.clone(), all, all), "");
        assert_eq!(asked(claims.clone(), "openid", "openid email"), "email");
        assert_eq!(asked(claims, "invoices:read", all), "", "a request without openid gets no claims");
        assert_eq!(asked(json!({"userinfo": ["email"]}), "openid", all), "");
    }

    #[test]
    fn named_claims_round_trip_and_ignore_unknown_names() {
        let some = IndividualClaims::from_names(["email", "birthdate"]);
        let text = serde_json::to_string(&some).unwrap();
        assert_eq!(text, r#""birthdate email""#);
        assert_eq!(serde_json::from_str::<IndividualClaims>(&text).unwrap(), some);
        assert_eq!(
            serde_json::from_str::<IndividualClaims>(r#""shoe_size email""#).unwrap().to_string(),
            "email"
        );
        assert!(serde_json::from_str::<IndividualClaims>(r#""""#).unwrap().is_empty());
        assert_eq!(some.difference(&IndividualClaims::from_names(["email"])).to_string(), "birthdate");
        assert_eq!(some.union(&IndividualClaims::from_names(["name"])).to_string(), "birthdate email name");
    }

    #[test]
    fn claims_have_unique_names_and_text_in_every_language() {
        for (number, claim) in CLAIMS.iter().enumerate() {
            assert!(!claim.english.is_empty() && claim.english != claim.portuguese, "{}", claim.name);
            for other in &CLAIMS[..number] {
                assert!(other.name != claim.name && other.english != claim.english, "{}", claim.name);
                assert_ne!(other.portuguese, claim.portuguese, "{}", claim.name);
            }
        }
    }

    #[test]
    fn identity_scopes_release_at_least_one_claim() {
        for scope in [Profile, Email, Address, Phone] {
            assert!(CLAIMS.iter().any(|claim| claim.scope == Some(scope)), "{scope:?}");
        }
    }
}

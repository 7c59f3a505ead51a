//! What an authorization leaves behind, in the form in which it is stored: with the grant, what was agreed to
//! and how the person had proven who they are; with the code, what the token request is held against.

use crate::access_control::scope::ScopeSet;
use crate::assurance::{AssuranceLevel, AuthenticationEvidence};
use crate::id::SessionId;
use crate::oauth::claims::IndividualClaims;
use crate::oauth::confirmation::JwkThumbprint;
use crate::organizations::api_catalog::ApiIdentifier;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The scopes of a grant, by the audience they were agreed for. They are what was asked, never what is held:
/// authority is derived anew whenever a token is issued, and narrowed to these.
///
/// Identity scopes stand beside the permissions of the audience they were asked with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GrantedScopes(BTreeMap<ApiIdentifier, ScopeSet>);

/// How and when the person had proven who they are when a grant was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredAuthentication")]
pub struct GrantAuthentication {
    /// When they last did, at the level it counted for.
    pub at: Timestamp,
    /// What they proved.
    pub evidence: AuthenticationEvidence,
    /// What it counted for when the grant was given.
    pub assurance: AssuranceLevel,
    /// The session it happened in.
    pub session: SessionId,
}

/// The same as it is stored: programs before this one did not say when each proof was given.
#[derive(Deserialize)]
struct StoredAuthentication {
    at: Timestamp,
    evidence: AuthenticationEvidence,
    assurance: AssuranceLevel,
    session: SessionId,
}

impl From<StoredAuthentication> for GrantAuthentication {
    fn from(StoredAuthentication { at, evidence, assurance, session }: StoredAuthentication) -> Self {
        Self { at, evidence: evidence.date_undated_proofs(at), assurance, session }
    }
}

/// What a code is held against beside its client, its redirect address and its challenge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredGrantParams {
    /// Whom the tokens are for.
    pub audience: ApiIdentifier,
    /// What the ID token must repeat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nonce: Option<String>,
    /// Whether the request said how old the sign-in may be, so that the ID token must say how old it is.
    #[serde(default)]
    pub max_age_given: bool,
    /// The claims asked for one by one (OpenID Connect Core §5.5).
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub claims: Map<String, Value>,
    /// Those of them that were agreed to although no scope releases them. Nothing else is told by its name.
    #[serde(default, skip_serializing_if = "IndividualClaims::is_empty")]
    pub agreed_claims: IndividualClaims,
    /// The key that the code is bound to (RFC 9449 §10).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<JwkThumbprint>,
}

impl GrantedScopes {
    /// What was agreed for one audience.
    pub fn for_single_audience(audience: ApiIdentifier, scopes: ScopeSet) -> Self {
        Self([(audience, scopes)].into())
    }

    /// What was agreed for this audience, if anything was.
    pub fn scopes_for_audience(&self, audience: &ApiIdentifier) -> Option<&ScopeSet> {
        self.0.get(audience)
    }

    /// Every audience with what was agreed for it.
    pub fn iter(&self) -> impl Iterator<Item = (&ApiIdentifier, &ScopeSet)> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assurance::AuthenticationProof;

    #[test]
    fn agreed_scopes_are_stored_per_audience_and_round_trip() {
        let (api, other) = ("https://api.example".parse().unwrap(), "https://other.example".parse().unwrap());
        let agreed = GrantedScopes::for_single_audience(api, "openid invoices:read".parse().unwrap());
        let text = serde_json::to_string(&agreed).unwrap();
        assert_eq!(text, r#"{"https://api.example":"openid invoices:read"}"#);
        let again: GrantedScopes = serde_json::from_str(&text).unwrap();
        assert_eq!(again, agreed);
        assert!(again.scopes_for_audience(&"https://api.example".parse().unwrap()).is_some());
        assert!(again.scopes_for_audience(&other).is_none());
    }

    #[test]
    fn authentication_context_round_trips() {
        let authenticated = GrantAuthentication {
            at: Timestamp::from_seconds(7),
            evidence: AuthenticationEvidence::from_proof(AuthenticationProof::Password)
                .with_proof(AuthenticationProof::Totp)
                .date_undated_proofs(Timestamp::from_seconds(7)),
            assurance: AssuranceLevel::Two,
            session: SessionId::from_bytes([3; 16]),
        };
        let text = serde_json::to_string(&authenticated).unwrap();
        let undated =
            text.replace("[\"password\",7000000]", "\"password\"").replace("[\"totp\",7000000]", "\"totp\"");
        assert!(undated.contains(r#"["password","totp"]"#), "{undated}");
        assert_eq!(serde_json::from_str::<GrantAuthentication>(&undated).unwrap(), authenticated);
        assert_eq!(serde_json::from_str::<GrantAuthentication>(&text).unwrap(), authenticated);
        let request: StoredGrantParams =
            serde_json::from_str(r#"{"audience":"https://api.example"}"#).unwrap();
        assert!(request.nonce.is_none() && !request.max_age_given && request.claims.is_empty());
        assert!(request.agreed_claims.is_empty());
    }
}

//! What an authorization stores: with the grant, the consented scopes and the user's authentication; with the
//! code, the parameters that the token request is checked against.

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

/// The scopes of a grant by audience. They record what was consented to, not what the user holds: authority
/// is derived again for each token and narrowed to these.
///
/// Identity scopes are stored with the audience they were requested for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GrantedScopes(BTreeMap<ApiIdentifier, ScopeSet>);

/// How and when the user had authenticated when the grant was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredAuthentication")]
pub struct GrantAuthentication {
    /// When the user last authenticated at `assurance`.
    pub at: Timestamp,
    /// The authentication methods used.
    pub evidence: AuthenticationEvidence,
    /// The assurance level when the grant was given.
    pub assurance: AssuranceLevel,
    /// The session of the authentication.
    pub session: SessionId,
}

/// The stored form. Earlier versions did not record the time of each authentication method.
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

/// What a code is checked against, in addition to its client, redirect URI and PKCE challenge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredGrantParams {
    /// The audience of the tokens.
    pub audience: ApiIdentifier,
    /// The value to return in the ID token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nonce: Option<String>,
    /// Whether the request had `max_age`, so that the ID token must contain `auth_time`.
    #[serde(default)]
    pub max_age_given: bool,
    /// The individually requested claims (OpenID Connect Core §5.5).
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub claims: Map<String, Value>,
    /// The individually requested claims that the user consented to. No other claim is released by name.
    #[serde(default, skip_serializing_if = "IndividualClaims::is_empty")]
    pub agreed_claims: IndividualClaims,
    /// The key the code is bound to (RFC 9449 §10).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<JwkThumbprint>,
}

/// The individually requested claims of a grant, read from the same stored document as [`StoredGrantParams`].
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct RequestedClaims {
    /// The `claims` parameter.
    pub claims: Map<String, Value>,
    /// The claims that the user consented to by name.
    pub agreed_claims: IndividualClaims,
}

impl From<&StoredGrantParams> for RequestedClaims {
    fn from(stored: &StoredGrantParams) -> Self {
        Self { claims: stored.claims.clone(), agreed_claims: stored.agreed_claims.clone() }
    }
}

impl GrantedScopes {
    /// The scopes for a single audience.
    pub fn for_single_audience(audience: ApiIdentifier, scopes: ScopeSet) -> Self {
        Self([(audience, scopes)].into())
    }

    /// The scopes for this audience, if any.
    pub fn scopes_for_audience(&self, audience: &ApiIdentifier) -> Option<&ScopeSet> {
        self.0.get(audience)
    }

    /// Iterates over the audiences and their scopes.
    pub fn iter(&self) -> impl Iterator<Item = (&ApiIdentifier, &ScopeSet)> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assurance::AuthenticationProof;

    #[test]
    fn consented_scopes_are_stored_per_audience_and_round_trip() {
        let (api, other) = ("https://api.example".parse().unwrap(), "https://other.example".parse().unwrap());
        let granted_scopes = GrantedScopes::for_single_audience(api, "openid invoices:read".parse().unwrap());
        let text = serde_json::to_string(&granted_scopes).unwrap();
        assert_eq!(text, r#"{"https://api.example":"openid invoices:read"}"#);
        let parsed_scopes: GrantedScopes = serde_json::from_str(&text).unwrap();
        assert_eq!(parsed_scopes, granted_scopes);
        assert!(parsed_scopes.scopes_for_audience(&"https://api.example".parse().unwrap()).is_some());
        assert!(parsed_scopes.scopes_for_audience(&other).is_none());
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

//! The ID token (OpenID Connect Core §2): who signed in, how and when. It has no organization, role or
//! permission claims unless the client requests them by name.

use crate::assurance::{AssuranceLevel, AuthenticationEvidence};
use crate::client_id::ClientId;
use crate::id::{MembershipId, SessionId};
use crate::limits::ID_TOKEN_LIFETIME;
use crate::platform::signing_keys::SigningAlgorithm;
use crate::time::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256, Sha512};

/// The claims of an ID token.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IdTokenClaims {
    iss: String,
    sub: MembershipId,
    aud: ClientId,
    exp: i64,
    iat: i64,
    auth_time: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    nonce: Option<String>,
    acr: &'static str,
    amr: Vec<&'static str>,
    sid: SessionId,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_hash: Option<String>,
    #[serde(flatten)]
    released: Map<String, Value>,
}

/// Input for issuing an ID token.
#[derive(Clone, Debug)]
pub struct IdTokenIssuance<'a> {
    /// Our issuer identifier.
    pub issuer: &'a str,
    /// The user's membership id (`sub`).
    pub subject: MembershipId,
    /// The client it is for (`aud`).
    pub client: &'a ClientId,
    /// The time of issue.
    pub now: Timestamp,
    /// When the user last authenticated.
    pub authenticated_at: Timestamp,
    /// The authentication methods used.
    pub evidence: &'a AuthenticationEvidence,
    /// The current assurance level.
    pub assurance: AssuranceLevel,
    /// The session of the authentication.
    pub session: SessionId,
    /// The `nonce` of the request.
    pub nonce: Option<String>,
    /// The access token issued with it, for `at_hash`.
    pub access_token: Option<&'a str>,
    /// The signing algorithm, which determines the hash of `at_hash`.
    pub algorithm: SigningAlgorithm,
    /// The individually requested claims to include.
    pub released: Map<String, Value>,
}

impl IdTokenClaims {
    /// Builds the claims. Requested claims never override protocol claims.
    pub fn new(issue: IdTokenIssuance<'_>) -> Self {
        let mut released = issue.released;
        released.retain(|name, _| !PROTOCOL_CLAIMS.contains(&name.as_str()));
        Self {
            iss: issue.issuer.to_owned(),
            sub: issue.subject,
            aud: issue.client.clone(),
            exp: issue.now.plus(ID_TOKEN_LIFETIME).seconds(),
            iat: issue.now.seconds(),
            auth_time: issue.authenticated_at.seconds(),
            nonce: issue.nonce,
            acr: issue.assurance.acr(),
            amr: issue.evidence.amr_values().into_iter().collect(),
            sid: issue.session,
            at_hash: issue.access_token.map(|token| compute_half_hash(token, issue.algorithm)),
            released,
        }
    }
}

/// The protocol claims, which only we set.
const PROTOCOL_CLAIMS: [&str; 14] = [
    "iss",
    "sub",
    "aud",
    "exp",
    "iat",
    "nbf",
    "jti",
    "auth_time",
    "nonce",
    "acr",
    "amr",
    "azp",
    "sid",
    "at_hash",
];

/// The left half of the hash that matches the signature algorithm (OpenID Connect Core §3.1.3.6). Ed25519
/// uses SHA-512.
pub fn compute_half_hash(text: &str, algorithm: SigningAlgorithm) -> String {
    match algorithm {
        SigningAlgorithm::Rs256 | SigningAlgorithm::Ps256 | SigningAlgorithm::Es256 => {
            URL_SAFE_NO_PAD.encode(&Sha256::digest(text)[..16])
        }
        SigningAlgorithm::EdDsa => URL_SAFE_NO_PAD.encode(&Sha512::digest(text)[..32]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assurance::AuthenticationProof;
    use serde_json::json;

    fn claims(released: Value) -> Value {
        let (evidence, client) = (
            AuthenticationEvidence::from_proof(AuthenticationProof::Password)
                .with_proof(AuthenticationProof::Totp),
            "notes".parse().unwrap(),
        );
        let issue = IdTokenIssuance {
            issuer: "https://id.example",
            subject: MembershipId::from_bytes([2; 16]),
            client: &client,
            now: Timestamp::from_seconds(1_000),
            authenticated_at: Timestamp::from_seconds(900),
            evidence: &evidence,
            assurance: AssuranceLevel::Two,
            session: SessionId::from_bytes([5; 16]),
            nonce: Some("n-0S6_WzA2Mj".to_owned()),
            access_token: Some("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"),
            algorithm: SigningAlgorithm::Rs256,
            released: released.as_object().unwrap().clone(),
        };
        serde_json::to_value(IdTokenClaims::new(issue)).unwrap()
    }

    #[test]
    fn id_token_contains_subject_auth_time_and_amr_but_no_permissions() {
        let claims = claims(json!({}));
        let expected = json!({
            "iss": "https://id.example", "sub": "02020202-0202-0202-0202-020202020202", "aud": "notes",
            "exp": 1_600, "iat": 1_000, "auth_time": 900, "nonce": "n-0S6_WzA2Mj", "acr": "urn:sinete:aal:2",
            "amr": ["mfa", "otp", "pwd"], "sid": "05050505-0505-0505-0505-050505050505",
            // The example of OpenID Connect Core, appendix A.3.
            "at_hash": "77QmUPtjPfzWtF2AnpK9RQ",
        });
        assert_eq!(claims, expected);
    }

    #[test]
    fn id_token_requested_claims_never_override_protocol_claims() {
        let released = claims(json!({"email": "a@b.example", "sub": "somebody", "aud": "other", "exp": 9}));
        assert_eq!(released["email"], "a@b.example");
        assert_eq!((&released["aud"], &released["exp"]), (&json!("notes"), &json!(1_600)));
        assert_eq!(released["sub"], "02020202-0202-0202-0202-020202020202");
    }
}

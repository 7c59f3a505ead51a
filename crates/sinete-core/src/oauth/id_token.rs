//! The ID token (OpenID Connect Core §2): who signed in, how and when, for the client that asked. It carries
//! neither organization nor role nor permission; whoever wants those asks for them by name.

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

/// What is known when an ID token is issued.
#[derive(Clone, Debug)]
pub struct IdTokenIssuance<'a> {
    /// Our own address.
    pub issuer: &'a str,
    /// The person, as their organization knows them.
    pub subject: MembershipId,
    /// The client it is for.
    pub client: &'a ClientId,
    /// When.
    pub now: Timestamp,
    /// When the person last proved who they are.
    pub authenticated_at: Timestamp,
    /// What they proved.
    pub evidence: &'a AuthenticationEvidence,
    /// What that counts for now.
    pub assurance: AssuranceLevel,
    /// The session it happened in.
    pub session: SessionId,
    /// What the request said the token must repeat.
    pub nonce: Option<String>,
    /// The access token it is issued with.
    pub access_token: Option<&'a str>,
    /// How it will be signed, which decides how the access token is hashed.
    pub algorithm: SigningAlgorithm,
    /// The claims about the person that were asked for by name.
    pub released: Map<String, Value>,
}

impl IdTokenClaims {
    /// The claims of a token for one client. What was asked for by name never stands in for what is ours to say.
    pub fn new(issue: IdTokenIssuance<'_>) -> Self {
        let mut released = issue.released;
        released.retain(|name, _| !OURS.contains(&name.as_str()));
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

/// The claims that only we make.
const OURS: [&str; 14] = [
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

/// The left half of the hash that goes with the signature (OpenID Connect Core §3.1.3.6). Ed25519 signs by way
/// of SHA-512.
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
    fn id_token_says_who_signed_in_when_and_how_and_no_permissions() {
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

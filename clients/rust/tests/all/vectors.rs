//! The access token vectors that every client library passes.

use crate::mock_issuer::MockIssuer;
use serde::Deserialize;
use serde_json::{Value, json};
use sinete_client::{
    AccessRequirements, AccessTokenVerifier, AccessTokenVerifierSettings, HttpClient, RequestCredentials,
    RequestRejectedError, SigningAlgorithm, VerifiedAccessToken,
};
use std::sync::Arc;
use std::time::Duration;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vectors {
    pub now: i64,
    pub issuer: String,
    pub audience: String,
    pub keys: Value,
    /// The keys after a rotation.
    #[serde(rename = "rotatedKeys")]
    pub rotated_keys: Value,
    #[serde(rename = "longLivedTokens")]
    pub long_lived_tokens: LongLivedTokens,
    cases: Vec<VectorCase>,
}

/// Tokens with a lifetime of one day.
#[derive(Deserialize)]
pub struct LongLivedTokens {
    pub current: String,
    pub next: String,
}

#[derive(Deserialize)]
struct VectorCase {
    name: String,
    settings: VectorSettings,
    requests: Vec<VectorRequest>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct VectorSettings {
    algorithms: Option<Vec<String>>,
    clock_leeway: Option<u64>,
    base_url: Option<String>,
    audience: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VectorRequest {
    credentials: VectorCredentials,
    requirements: VectorRequirements,
    verified: Option<Value>,
    rejected: Option<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct VectorCredentials {
    method: String,
    path: String,
    authorization: Option<String>,
    dpop: Option<String>,
    certificate_thumbprint: Option<String>,
}

impl VectorCredentials {
    pub fn as_request(&self) -> RequestCredentials<'_> {
        RequestCredentials {
            method: &self.method,
            path: &self.path,
            authorization: self.authorization.as_deref().map(Into::into),
            dpop: self.dpop.as_deref().map(Into::into),
            certificate_thumbprint: self.certificate_thumbprint.as_deref(),
        }
    }
}

impl Vectors {
    pub fn read() -> Self {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../vectors/access_tokens.json");
        serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
    }

    /// The credentials of the first request of a case.
    pub fn first_credentials(&self, name: &str) -> &VectorCredentials {
        &self.cases.iter().find(|case| case.name == name).unwrap().requests[0].credentials
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VectorRequirements {
    #[serde(default)]
    scopes: Vec<String>,
    organization: Option<String>,
}

fn outcome(result: Result<VerifiedAccessToken, RequestRejectedError>) -> Value {
    match result {
        Ok(it) => {
            let actor = |actor: &sinete_client::TokenActor| match &actor.profile {
                Some(profile) => json!({"subject": actor.subject, "profile": profile}),
                None => json!({"subject": actor.subject}),
            };
            let actors: Vec<_> = it.actors.iter().map(actor).collect();
            json!({"verified": {
                "subject": it.subject, "organization": it.organization, "clientId": it.client_id, "scopes": it.scopes,
                "roles": it.roles, "actors": actors, "acr": it.acr, "expiresAt": it.expires_at,
            }})
        }
        Err(it) => {
            json!({"rejected": {"status": it.status, "error": it.error, "challenges": it.challenges}})
        }
    }
}

/// The verifier of a case, whose requests reach the mock issuer.
fn verifier(vectors: &Vectors, settings: &VectorSettings, http_client: &HttpClient) -> AccessTokenVerifier {
    let audience = settings.audience.as_ref().unwrap_or(&vectors.audience);
    let mut set = AccessTokenVerifierSettings::new(&vectors.issuer, audience);
    let now = vectors.now;
    set.http_client = Some(http_client.clone());
    set.clock = Arc::new(move || now);
    set.base_url.clone_from(&settings.base_url);
    if let Some(names) = &settings.algorithms {
        set.algorithms = names.iter().map(|name| name.parse::<SigningAlgorithm>().unwrap()).collect();
    }
    if let Some(seconds) = settings.clock_leeway {
        set.clock_leeway = Duration::from_secs(seconds);
    }
    AccessTokenVerifier::new(set).unwrap()
}

#[tokio::test]
async fn access_token_verifier_passes_every_vector() {
    let vectors = Vectors::read();
    let http_client = MockIssuer::start(&vectors.issuer, &vectors.keys).await.http_client();
    let mut wrong = Vec::new();
    for case in &vectors.cases {
        let verifier = verifier(&vectors, &case.settings, &http_client);
        for request in &case.requests {
            let scopes: Vec<_> = request.requirements.scopes.iter().map(String::as_str).collect();
            let requirements = AccessRequirements {
                scopes: &scopes,
                organization: request.requirements.organization.as_deref(),
            };
            let actual = outcome(verifier.verify(&request.credentials.as_request(), &requirements).await);
            let expected = match (&request.verified, &request.rejected) {
                (Some(verified), None) => json!({"verified": verified}),
                (None, Some(rejected)) => json!({"rejected": rejected}),
                _ => panic!("{}: one outcome", case.name),
            };
            if actual != expected {
                wrong.push(format!("{}: {actual} in place of {expected}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(vectors.cases.len() > 150, "{} cases", vectors.cases.len());
}

//! A client that sends a DPoP proof with every request (RFC 9449).

use super::token_endpoint::{TestClientAuth, TokenClient, TokenEndpointResponse, VERIFIER, sign_jws};
use super::world::World;
use reqwest::{Method, RequestBuilder};
use serde_json::{Map, Value, json};
use sinete_core::oauth::dpop::compute_ath;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::jwt::JwtType;
use sinete_crypto::platform::signing_keys::SigningKey;
use std::sync::atomic::{AtomicU64, Ordering};

/// A client with a DPoP key.
pub struct DpopClient<'w> {
    pub world: &'w World,
    pub key: SigningKey,
    proof_count: AtomicU64,
}

/// The response of a protected resource.
#[derive(Debug)]
pub struct DpopResponse {
    pub status: u16,
    /// The `WWW-Authenticate` challenges.
    pub challenges: Vec<String>,
    /// The nonce that the next proof must contain.
    pub nonce: Option<String>,
}

impl DpopResponse {
    /// Asserts a 401 with this error in a DPoP challenge.
    #[track_caller]
    pub fn assert_dpop_challenge(&self, error: &str) -> &Self {
        let is_told = |it: &String| it.starts_with("DPoP ") && it.contains(&format!("error=\"{error}\""));
        assert!(self.status == 401 && self.challenges.iter().any(is_told), "{self:?}");
        self
    }
}

impl World {
    /// A client with a new ES256 key.
    pub fn create_dpop_client(&self) -> DpopClient<'_> {
        self.create_dpop_client_with(SigningAlgorithm::Es256)
    }

    /// A client with a new key of this algorithm.
    pub fn create_dpop_client_with(&self, algorithm: SigningAlgorithm) -> DpopClient<'_> {
        let key = SigningKey::generate(algorithm).unwrap();
        DpopClient { world: self, key, proof_count: AtomicU64::new(0) }
    }

    /// The `cnf` claim of a token.
    pub fn token_confirmation(&self, token: &str) -> Value {
        self.token_claims(token, JwtType::Access)["cnf"].clone()
    }
}

impl DpopClient<'_> {
    /// The `jkt` thumbprint of the key.
    pub fn thumbprint(&self) -> String {
        self.key.public_key().thumbprint()
    }

    /// The header of a valid proof.
    pub fn proof_header(&self) -> Value {
        let mut jwk = self.key.public_jwk();
        jwk.as_object_mut().unwrap().retain(|name, _| !["alg", "kid", "use"].contains(&name.as_str()));
        json!({"typ": "dpop+jwt", "alg": self.key.algorithm().as_str(), "jwk": jwk})
    }

    /// The claims of a valid proof for this method and path, with a new `jti` each time.
    pub fn proof_claims(&self, method: &str, path: &str) -> Value {
        let id = format!("{}-{}", self.thumbprint(), self.proof_count.fetch_add(1, Ordering::Relaxed));
        let now = self.world.server.engine().now().seconds();
        json!({"htm": method, "htu": format!("{}{path}", self.world.issuer()), "iat": now, "jti": id})
    }

    /// A valid proof for this method and path.
    pub fn proof(&self, method: &str, path: &str) -> String {
        self.proof_with_claims(method, path, &json!({}))
    }

    /// A proof with further claims; null removes one.
    pub fn proof_with_claims(&self, method: &str, path: &str, extra_claims: &Value) -> String {
        sign_jws(
            &self.key,
            &self.proof_header(),
            &merge_members(self.proof_claims(method, path), extra_claims),
        )
    }

    /// A proof for the token endpoint with changed header members and claims; null removes one.
    pub fn custom_proof(&self, header: &Value, claims: &Value) -> String {
        let body = merge_members(self.proof_claims("POST", "/connect/token"), claims);
        sign_jws(&self.key, &merge_members(self.proof_header(), header), &body)
    }

    /// Calls a path with an access token and a valid proof.
    pub async fn call_with_token(&self, path: &str, token: &str) -> DpopResponse {
        self.call_with_token_and_claims(path, token, &json!({})).await
    }

    /// Calls a path with an access token and a proof that has further claims.
    pub async fn call_with_token_and_claims(
        &self,
        path: &str,
        token: &str,
        extra_claims: &Value,
    ) -> DpopResponse {
        let claims = merge_members(json!({"ath": compute_ath(token)}), extra_claims);
        let plain = path.split('?').next().unwrap();
        self.world.call_with_dpop(path, token, &[self.proof_with_claims("GET", plain, &claims)]).await
    }
}

/// Replaces members of an object; null removes one.
fn merge_members(value: Value, by: &Value) -> Value {
    let mut members: Map<String, Value> = value.as_object().unwrap().clone();
    members.extend(by.as_object().unwrap().clone());
    members.retain(|_, value| !value.is_null());
    Value::Object(members)
}

impl World {
    /// Calls a path with a DPoP-bound access token and these proofs.
    pub async fn call_with_dpop(&self, path: &str, token: &str, proofs: &[String]) -> DpopResponse {
        let request = self.http.get(self.public_url(path)).header("authorization", format!("DPoP {token}"));
        Self::read_dpop_response(with_proofs(request, proofs)).await
    }

    /// Calls a path with the token under the `Bearer` scheme and these proofs.
    pub async fn call_with_bearer(&self, path: &str, token: &str, proofs: &[String]) -> DpopResponse {
        Self::read_dpop_response(with_proofs(self.http.get(self.public_url(path)).bearer_auth(token), proofs))
            .await
    }

    async fn read_dpop_response(request: RequestBuilder) -> DpopResponse {
        let answer = request.send().await.unwrap();
        let text = |value: &reqwest::header::HeaderValue| value.to_str().unwrap().to_owned();
        DpopResponse {
            status: answer.status().as_u16(),
            challenges: answer.headers().get_all("www-authenticate").iter().map(text).collect(),
            nonce: answer.headers().get("dpop-nonce").map(text),
        }
    }
}

fn with_proofs(request: RequestBuilder, proofs: &[String]) -> RequestBuilder {
    proofs.iter().fold(request, |request, proof| request.header("dpop", proof))
}

impl TokenClient<'_> {
    /// Sends a token request with these parameters and proofs.
    pub async fn request_token_with_proofs(
        &self,
        proofs: &[String],
        parameters: &[(&str, &str)],
    ) -> TokenEndpointResponse {
        let mut form = parameters.to_vec();
        let mut request = with_proofs(self.world.http.post(self.world.public_url("/connect/token")), proofs);
        match &self.auth {
            TestClientAuth::None => form.push(("client_id", &self.id)),
            TestClientAuth::Basic(secret) => request = request.basic_auth(&self.id, Some(secret)),
            TestClientAuth::Post(secret) => {
                form.extend([("client_id", self.id.as_str()), ("client_secret", secret)])
            }
        }
        TokenEndpointResponse::from_response(request.form(&form).send().await.unwrap()).await
    }

    /// Sends a token request with a valid proof of this client.
    pub async fn request_token_with_dpop(
        &self,
        holder: &DpopClient<'_>,
        parameters: &[(&str, &str)],
    ) -> TokenEndpointResponse {
        self.request_token_with_proofs(&[holder.proof("POST", "/connect/token")], parameters).await
    }

    /// Redeems a code with a proof of this client.
    pub async fn redeem_code_with_dpop(&self, holder: &DpopClient<'_>, code: &str) -> TokenEndpointResponse {
        let token_params =
            [("grant_type", "authorization_code"), ("code", code), ("code_verifier", VERIFIER)];
        self.request_token_with_dpop(holder, &token_params).await
    }

    /// Uses a refresh token with a proof of this client.
    pub async fn refresh_with_dpop(&self, holder: &DpopClient<'_>, token: &str) -> TokenEndpointResponse {
        self.request_token_with_dpop(holder, &[("grant_type", "refresh_token"), ("refresh_token", token)])
            .await
    }

    /// Exchanges a token with a proof of this client.
    pub async fn exchange_with_dpop(&self, holder: &DpopClient<'_>, token: &str) -> TokenEndpointResponse {
        let exchange = [
            ("grant_type", "token-exchange"),
            ("subject_token", token),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"),
            ("scope", "invoices:read"),
        ];
        self.request_token_with_dpop(holder, &exchange).await
    }
}

impl TokenEndpointResponse {
    /// Asserts that the response has an access token bound to this client's key.
    #[track_caller]
    pub fn assert_bound_to(self, holder: &DpopClient<'_>) -> Self {
        assert_eq!((self.status, &self.body["token_type"]), (200, &json!("DPoP")), "{}", self.text);
        assert_eq!(holder.world.token_confirmation(&self.access_token())["jkt"], holder.thumbprint());
        self
    }

    /// The nonce that the next proof must contain.
    pub fn dpop_nonce(&self) -> Option<&str> {
        self.headers.get("dpop-nonce").map(|nonce| nonce.to_str().unwrap())
    }
}

/// Builds any other request with a proof.
pub fn request_with_proof(world: &World, method: Method, path: &str, proof: &str) -> RequestBuilder {
    world.http.request(method, world.public_url(path)).header("dpop", proof)
}

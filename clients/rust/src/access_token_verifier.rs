//! Verifies access tokens of a Sinete issuer (RFC 9068): signature, type, issuer, audience, time and sender constraint, then
//! the organization and the permissions that the request requires.

mod request_credentials;
mod settings;

pub use request_credentials::{AccessRequirements, RequestCredentials};
pub use settings::{AccessTokenVerifierSettings, ConfigurationError};

use crate::client_authentication::ClientAuthentication;
use crate::dpop::{DpopRejection, DpopRequestContext, VerifiedProof, normalize_htu, verify_proof};
use crate::encoding::{Members, get_optional_time, get_text, get_time};
use crate::issuer_client::{IssuerClient, IssuerResponse};
use crate::jwks_cache::JwksCache;
use crate::request_rejected::{
    AuthScheme, ChallengeContext, INSUFFICIENT_SCOPE, INVALID_DPOP_PROOF, INVALID_TOKEN, RequestRejectedError,
};
use crate::signatures::SignedJwt;
use crate::verified_access_token::VerifiedAccessToken;
use serde_json::Value;
use settings::ValidatedSettings;
use std::sync::Arc;

const TOKEN_BYTES_MAX: usize = 16_384;

/// Verifies the access tokens of one API (OAuth resource server). Create one and share it.
pub struct AccessTokenVerifier {
    issuer: Arc<IssuerClient>,
    jwks: JwksCache,
    settings: ValidatedSettings,
}

/// What a token is bound to.
#[derive(Default)]
struct TokenBinding<'a> {
    key: Option<&'a str>,
    certificate: Option<&'a str>,
}

impl AccessTokenVerifier {
    /// Creates a verifier. It sends no request yet.
    pub fn new(settings: AccessTokenVerifierSettings) -> Result<Self, ConfigurationError> {
        let (issuer, settings) = settings.validate()?;
        Ok(Self { issuer: Arc::new(issuer), jwks: JwksCache::default(), settings })
    }

    /// Returns the verified token if the request may proceed.
    pub async fn verify(
        &self,
        credentials: &RequestCredentials<'_>,
        requirements: &AccessRequirements<'_>,
    ) -> Result<VerifiedAccessToken, RequestRejectedError> {
        let credential = credentials.parse_authorization();
        let scheme = credential.map(|(scheme, _)| scheme);
        let metadata = self.settings.resource_metadata.as_deref();
        let challenge = ChallengeContext { scheme, scopes: requirements.scopes, metadata };
        let Some((scheme, token)) = credential else {
            return Err(challenge.reject(None, "the request has no access token"));
        };
        let invalid = |reason: &'static str| challenge.reject(INVALID_TOKEN, reason);
        let claims = self.verify_token(token, &challenge).await?;
        let verified = VerifiedAccessToken::from_claims(claims)
            .ok_or_else(|| invalid("a claim is missing or malformed"))?;
        let proof = self.verify_binding(credentials, (scheme, token), &verified.claims, &challenge)?;
        let verified = match &self.settings.introspection {
            None => verified,
            Some(client) => {
                let introspected = self.introspect(client, token, verified.claims).await?;
                introspected.ok_or_else(|| invalid("the token is not active"))?
            }
        };
        if requirements.organization.is_some_and(|needed| verified.organization != needed) {
            return Err(challenge.reject(INSUFFICIENT_SCOPE, "the token is for another organization"));
        }
        if !requirements.scopes.iter().all(|scope| verified.has_permission(scope)) {
            return Err(challenge.reject(INSUFFICIENT_SCOPE, "the token lacks a required permission"));
        }
        if let Some(proof) = proof {
            self.record_proof(&proof, &challenge).await?;
        }
        Ok(verified)
    }

    /// Verifies signature, type, issuer, audience and time; returns the claims.
    async fn verify_token(
        &self,
        token: &str,
        challenge: &ChallengeContext<'_>,
    ) -> Result<Members, RequestRejectedError> {
        let invalid = |reason: &'static str| challenge.reject(INVALID_TOKEN, reason);
        let jwt = SignedJwt::parse(token, TOKEN_BYTES_MAX);
        let jwt = jwt.ok_or_else(|| invalid("not a signed JWT"))?;
        if jwt.has_forbidden_header(None) || get_text(&jwt.header, "typ") != Some("at+jwt") {
            return Err(invalid("not an access token (typ)"));
        }
        let algorithm = get_text(&jwt.header, "alg").and_then(|name| name.parse().ok());
        let algorithm = algorithm.filter(|it| self.settings.algorithms.contains(it));
        let algorithm = algorithm.ok_or_else(|| invalid("the signature algorithm is not accepted"))?;
        let kid = get_text(&jwt.header, "kid").ok_or_else(|| invalid("the token has no kid"))?;
        let key = self.jwks.find(&self.issuer, kid).await.map_err(RequestRejectedError::unavailable)?;
        let key = key.ok_or_else(|| invalid("the kid is unknown"))?;
        if key.algorithm != algorithm {
            return Err(invalid("alg is not the algorithm of the key"));
        }
        if !key.verify(jwt.signed, &jwt.signature) {
            return Err(invalid("the signature is wrong"));
        }
        if get_text(&jwt.claims, "iss") != Some(&self.issuer.issuer) {
            return Err(invalid("the token is from another issuer"));
        }
        if get_text(&jwt.claims, "aud") != Some(&self.settings.audience) {
            return Err(invalid("the token is for another audience"));
        }
        self.check_times(&jwt.claims).map_err(invalid)?;
        Ok(jwt.claims)
    }

    /// Checks `exp`, `iat` and `nbf`. Expiry has no leeway.
    fn check_times(&self, claims: &Members) -> Result<(), &'static str> {
        let times = (get_time(claims, "exp"), get_time(claims, "iat"), get_optional_time(claims, "nbf"));
        let (Some(ends), Some(issued), Ok(begins)) = times else {
            return Err("a time is missing or malformed");
        };
        let now = self.issuer.now();
        let latest = now.saturating_add(self.settings.clock_leeway);
        if ends <= now {
            return Err("the token has expired");
        }
        if issued > latest || begins.is_some_and(|begins| begins > latest) {
            return Err("the token is not valid yet");
        }
        Ok(())
    }

    /// Checks that the sender holds the key or certificate of the token; returns what the replay cache must record.
    fn verify_binding(
        &self,
        credentials: &RequestCredentials<'_>,
        (scheme, token): (AuthScheme, &str),
        claims: &Members,
        challenge: &ChallengeContext<'_>,
    ) -> Result<Option<VerifiedProof>, RequestRejectedError> {
        let invalid = |reason: &'static str| challenge.reject(INVALID_TOKEN, reason);
        let invalid_proof = |reason: &'static str| challenge.reject(INVALID_DPOP_PROOF, reason);
        let binding = TokenBinding::from_claims(claims)
            .ok_or_else(|| invalid("the token has an unknown confirmation method (cnf)"))?;
        if (scheme == AuthScheme::Dpop) != binding.key.is_some() {
            return Err(invalid("the authentication scheme does not match the sender constraint"));
        }
        if binding.certificate.is_some() && binding.certificate != credentials.certificate_thumbprint {
            return Err(invalid("the client certificate of the token was not presented"));
        }
        let Some(key) = binding.key else { return Ok(None) };
        let proof = credentials.dpop.as_deref().filter(|proof| !proof.is_empty());
        let proof = proof.ok_or_else(|| invalid_proof("the DPoP header is missing"))?;
        let path = Some(credentials.path).filter(|path| path.starts_with('/'));
        let url = path.and_then(|path| normalize_htu(&format!("{}{path}", self.settings.base_url)));
        let url = url.ok_or_else(|| invalid_proof("the request has no URL"))?;
        let now = self.issuer.now();
        let context = DpopRequestContext { method: credentials.method, url: &url, token, key, now };
        verify_proof(proof, &context).map(Some).map_err(|rejection| match rejection {
            DpopRejection::InvalidProof(reason) => invalid_proof(reason),
            DpopRejection::KeyMismatch => invalid("the proof is signed with another key"),
        })
    }

    /// Comes last, so that only an accepted request consumes its proof.
    async fn record_proof(
        &self,
        proof: &VerifiedProof,
        challenge: &ChallengeContext<'_>,
    ) -> Result<(), RequestRejectedError> {
        let used = self.settings.replay_cache.record_first_use(&proof.id, proof.until, proof.now, &proof.key);
        match used.await {
            Ok(true) => Ok(()),
            Ok(false) => Err(challenge.reject(INVALID_DPOP_PROOF, "the proof was used before")),
            Err(reason) => Err(RequestRejectedError::unavailable(reason)),
        }
    }

    /// Asks the issuer whether the token is active now (RFC 7662).
    async fn introspect(
        &self,
        client: &ClientAuthentication,
        token: &str,
        mut claims: Members,
    ) -> Result<Option<VerifiedAccessToken>, RequestRejectedError> {
        let address = self
            .issuer
            .endpoint("introspection_endpoint")
            .await
            .map_err(RequestRejectedError::unavailable)?;
        let credentials = client
            .authenticate(&self.issuer.issuer, self.issuer.now())
            .map_err(RequestRejectedError::unavailable)?;
        let mut form = vec![("token", token), ("token_type_hint", "access_token")];
        form.extend(credentials.form.iter().map(|(name, value)| (*name, value.as_str())));
        let mut request = self.issuer.http().post(address).form(&form);
        if let Some(authorization) = credentials.authorization {
            request = request.header("authorization", authorization);
        }
        let response = match self.issuer.send(request).await.map_err(RequestRejectedError::unavailable)? {
            IssuerResponse { status: 200, json: Some(response), .. } => response,
            IssuerResponse { status, .. } => {
                return Err(RequestRejectedError::unavailable(format!(
                    "the introspection endpoint answered {status}"
                )));
            }
        };
        let is_same =
            ["iss", "sub", "aud", "org"].iter().all(|name| response.get(*name) == claims.get(*name));
        if response.get("active") != Some(&Value::Bool(true)) || !is_same {
            return Ok(None);
        }
        for name in ["scope", "role"] {
            claims.insert(name.to_owned(), response.get(name).cloned().unwrap_or_else(|| "".into()));
        }
        Ok(VerifiedAccessToken::from_claims(claims))
    }
}

impl<'a> TokenBinding<'a> {
    /// What the token is bound to; `None` where `cnf` contains a method that cannot be checked here.
    fn from_claims(claims: &'a Members) -> Option<Self> {
        let Some(cnf) = claims.get("cnf") else { return Some(Self::default()) };
        let mut binding = Self::default();
        for (name, value) in cnf.as_object().filter(|cnf| !cnf.is_empty())? {
            let value = value.as_str().filter(|value| !value.is_empty());
            match name.as_str() {
                "jkt" => binding.key = Some(value?),
                "x5t#S256" => binding.certificate = Some(value?),
                _ => return None,
            }
        }
        Some(binding)
    }
}

//! The response to a rejected request: status and `WWW-Authenticate`.

use crate::signatures::SigningAlgorithm;

/// A request is rejected. Answer with `status` and `headers()`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct RequestRejectedError {
    /// 401, 403, or 503 where the token could not be verified now.
    pub status: u16,
    /// `invalid_token`, `invalid_dpop_proof` or `insufficient_scope`; `None` where the request has no token.
    pub error: Option<&'static str>,
    /// The values of `WWW-Authenticate`.
    pub challenges: Vec<String>,
    /// In how many seconds to retry, for `Retry-After`.
    pub retry_after: Option<u64>,
    /// For your log. Do not send it to the client.
    pub reason: String,
}

impl RequestRejectedError {
    /// The response headers: there may be two challenges.
    pub fn headers(&self) -> Vec<(&'static str, String)> {
        let challenges = self.challenges.iter().map(|challenge| ("www-authenticate", challenge.clone()));
        challenges.chain(self.retry_after.map(|seconds| ("retry-after", seconds.to_string()))).collect()
    }

    /// The token could not be verified now: the client keeps it and retries.
    pub(crate) fn unavailable(reason: impl ToString) -> Self {
        let reason = reason.to_string();
        Self { status: 503, error: None, challenges: Vec::new(), retry_after: Some(5), reason }
    }
}

/// The authentication scheme of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthScheme {
    Bearer,
    Dpop,
}

/// The token is not valid.
pub const INVALID_TOKEN: Option<&str> = Some("invalid_token");
/// The DPoP proof is not valid.
pub const INVALID_DPOP_PROOF: Option<&str> = Some("invalid_dpop_proof");
/// The token is valid and lacks a permission.
pub const INSUFFICIENT_SCOPE: Option<&str> = Some("insufficient_scope");

/// What every challenge for this request contains.
pub struct ChallengeContext<'a> {
    pub scheme: Option<AuthScheme>,
    pub scopes: &'a [&'a str],
    pub metadata: Option<&'a str>,
}

impl ChallengeContext<'_> {
    /// Makes the error with its challenges (RFC 6750 §3, RFC 9449 §7.1, RFC 9728 §5.1).
    pub fn reject(&self, error: Option<&'static str>, reason: &str) -> RequestRejectedError {
        let scope = (!self.scopes.is_empty()).then(|| self.scopes.join(" "));
        let parameters =
            [("error", error), ("resource_metadata", self.metadata), ("scope", scope.as_deref())];
        let parameters =
            parameters.iter().filter_map(|(name, value)| value.map(|value| format!("{name}=\"{value}\"")));
        let parameters: Vec<_> = parameters.collect();
        let algorithms =
            format!("algs=\"{}\"", SigningAlgorithm::ALL.map(SigningAlgorithm::as_str).join(" "));
        let bearer = format!("Bearer {}", parameters.join(", ")).trim_end().to_owned();
        let challenges = match self.scheme {
            Some(AuthScheme::Dpop) => {
                vec![format!(
                    "DPoP {}",
                    parameters.into_iter().chain([algorithms]).collect::<Vec<_>>().join(", ")
                )]
            }
            _ if error.is_none() || error == INVALID_TOKEN => vec![bearer, format!("DPoP {algorithms}")],
            _ => vec![bearer],
        };
        let status = if error == INSUFFICIENT_SCOPE { 403 } else { 401 };
        RequestRejectedError { status, error, challenges, retry_after: None, reason: reason.to_owned() }
    }
}

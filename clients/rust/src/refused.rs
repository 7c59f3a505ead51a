//! How an API turns a request away: with the exact status and headers that tell a client how to come back.

use crate::signatures::Algorithm;

/// A request is turned away.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Refused {
    /// 401, 403, or 503 where nothing can be judged now.
    pub status: u16,
    /// `invalid_token`, `invalid_dpop_proof` or `insufficient_scope`; nothing where no token was shown.
    pub error: Option<&'static str>,
    /// The values of `WWW-Authenticate`.
    pub challenges: Vec<String>,
    /// In how many seconds it makes sense to ask again, for `Retry-After`.
    pub retry_after: Option<u64>,
    /// For your log, never for the answer.
    pub reason: String,
}

impl Refused {
    /// The headers of the answer, as pairs: there may be two challenges.
    pub fn headers(&self) -> Vec<(&'static str, String)> {
        let challenges = self.challenges.iter().map(|challenge| ("www-authenticate", challenge.clone()));
        challenges.chain(self.retry_after.map(|seconds| ("retry-after", seconds.to_string()))).collect()
    }

    /// What cannot be judged now is no fault of the client's: it keeps its token and comes back.
    pub(crate) fn unavailable(reason: impl ToString) -> Self {
        let reason = reason.to_string();
        Self { status: 503, error: None, challenges: Vec::new(), retry_after: Some(5), reason }
    }
}

/// What a request shows its token as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    Bearer,
    Dpop,
}

/// The token does not count.
pub const INVALID_TOKEN: Option<&str> = Some("invalid_token");
/// The proof beside it does not count.
pub const INVALID_PROOF: Option<&str> = Some("invalid_dpop_proof");
/// The token counts, and not for this.
pub const INSUFFICIENT: Option<&str> = Some("insufficient_scope");

/// What the challenges of an API say, whatever was wrong.
pub struct Challenger<'a> {
    pub scheme: Option<Scheme>,
    pub scopes: &'a [&'a str],
    pub metadata: Option<&'a str>,
}

impl Challenger<'_> {
    /// A refusal with its challenges (RFC 6750 §3, RFC 9449 §7.1, RFC 9728 §5.1).
    pub fn refuse(&self, error: Option<&'static str>, reason: &str) -> Refused {
        let needed = (!self.scopes.is_empty()).then(|| self.scopes.join(" "));
        let said = [("error", error), ("resource_metadata", self.metadata), ("scope", needed.as_deref())];
        let said = said.iter().filter_map(|(name, value)| value.map(|value| format!("{name}=\"{value}\"")));
        let said: Vec<_> = said.collect();
        let algorithms = format!("algs=\"{}\"", Algorithm::ALL.map(Algorithm::as_str).join(" "));
        let bearer = format!("Bearer {}", said.join(", ")).trim_end().to_owned();
        let challenges = match self.scheme {
            Some(Scheme::Dpop) => {
                vec![format!("DPoP {}", said.into_iter().chain([algorithms]).collect::<Vec<_>>().join(", "))]
            }
            _ if error.is_none() || error == INVALID_TOKEN => vec![bearer, format!("DPoP {algorithms}")],
            _ => vec![bearer],
        };
        let status = if error == INSUFFICIENT { 403 } else { 401 };
        Refused { status, error, challenges, retry_after: None, reason: reason.to_owned() }
    }
}

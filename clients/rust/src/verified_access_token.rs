//! The claims of a verified access token.

use crate::encoding::{Members, get_text, get_time};
use serde_json::Value;

const ACTORS_MAX: usize = 5;

/// The claims of a verified access token.
#[derive(Clone, Debug, PartialEq)]
pub struct VerifiedAccessToken {
    /// The subject (`sub`).
    pub subject: String,
    /// The one organization that the token is for.
    pub organization: String,
    /// The client that it was issued to.
    pub client_id: String,
    /// The granted permissions.
    pub scopes: Vec<String>,
    /// Role names, for display: they grant nothing. Check permissions instead.
    pub roles: Vec<String>,
    /// The actors, the current one first.
    pub actors: Vec<TokenActor>,
    /// The id of the token (`jti`).
    pub token_id: String,
    /// The authentication context class of the user, if the subject is one.
    pub acr: Option<String>,
    /// When it expires, in seconds since 1970.
    pub expires_at: i64,
    /// All claims.
    pub claims: serde_json::Map<String, Value>,
}

/// An actor that acts for the subject (`act`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenActor {
    /// Its subject.
    pub subject: String,
    /// `ai_agent`, `service` or `operator`.
    pub profile: Option<String>,
}

impl VerifiedAccessToken {
    /// Whether the scope contains this permission, or every action of its resource (`invoices:*`).
    pub fn has_permission(&self, permission: &str) -> bool {
        let all = permission.split_once(':').map(|(resource, _)| format!("{resource}:*"));
        self.scopes.iter().any(|scope| scope == permission || Some(scope) == all.as_ref())
    }

    /// Returns `None` where a claim that every access token has is missing.
    pub(crate) fn from_claims(claims: Members) -> Option<Self> {
        let text = |name: &str| get_text(&claims, name).map(str::to_owned);
        let words = |name: &str| {
            let text = claims.get(name).and_then(Value::as_str)?;
            Some(text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect())
        };
        Some(Self {
            subject: text("sub")?,
            organization: text("org")?,
            client_id: text("client_id")?,
            scopes: words("scope")?,
            roles: words("role")?,
            actors: read_actors(claims.get("act"))?,
            token_id: text("jti")?,
            acr: text("acr"),
            expires_at: get_time(&claims, "exp")?,
            claims,
        })
    }
}

/// Reads the chain of actors, the current one first (RFC 8693 §4.1).
fn read_actors(act: Option<&Value>) -> Option<Vec<TokenActor>> {
    let (mut actors, mut next) = (Vec::new(), act);
    while let Some(actor) = next {
        let actor = actor.as_object().filter(|_| actors.len() < ACTORS_MAX)?;
        let profile = get_text(actor, "sub_profile").map(str::to_owned);
        actors.push(TokenActor { subject: get_text(actor, "sub")?.to_owned(), profile });
        next = actor.get("act");
    }
    Some(actors)
}

//! Who a token speaks for, where, and for what.

use crate::encoding::{Members, text_in, time_in};
use serde_json::Value;

const ACTORS_MAX: usize = 5;

/// Who a token speaks for, where, and for what.
#[derive(Clone, Debug, PartialEq)]
pub struct Identity {
    /// Who it speaks for.
    pub subject: String,
    /// The one organization it speaks in.
    pub organization: String,
    /// The client that it was issued to.
    pub client: String,
    /// What it allows.
    pub scopes: Vec<String>,
    /// The names of roles, which describe and never confer: check scopes.
    pub roles: Vec<String>,
    /// Who acts for the subject, the one who holds the token first.
    pub actors: Vec<Actor>,
    /// The id of the token.
    pub id: String,
    /// How the person proved who they are, where there is one.
    pub assurance: Option<String>,
    /// Until when it counts, in seconds since 1970.
    pub expires_at: i64,
    /// Everything that the token says.
    pub claims: serde_json::Map<String, Value>,
}

/// Somebody who acts for the subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// Who.
    pub subject: String,
    /// `ai_agent`, `service` or `operator`, where it is one.
    pub profile: Option<String>,
}

impl Identity {
    /// Whether the token allows this: it names the permission, or all actions of its resource.
    pub fn allows(&self, permission: &str) -> bool {
        let all = permission.split_once(':').map(|(resource, _)| format!("{resource}:*"));
        self.scopes.iter().any(|scope| scope == permission || Some(scope) == all.as_ref())
    }

    /// What the claims say, or nothing where one that every token has is missing.
    pub(crate) fn of(claims: Members) -> Option<Self> {
        let text = |name: &str| text_in(&claims, name).map(str::to_owned);
        let words = |name: &str| {
            let text = claims.get(name).and_then(Value::as_str)?;
            Some(text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect())
        };
        Some(Self {
            subject: text("sub")?,
            organization: text("org")?,
            client: text("client_id")?,
            scopes: words("scope")?,
            roles: words("role")?,
            actors: actors(claims.get("act"))?,
            id: text("jti")?,
            assurance: text("acr"),
            expires_at: time_in(&claims, "exp")?,
            claims,
        })
    }
}

/// Who acts for the subject, the one who holds the token first (RFC 8693 §4.1).
fn actors(act: Option<&Value>) -> Option<Vec<Actor>> {
    let (mut actors, mut next) = (Vec::new(), act);
    while let Some(actor) = next {
        let actor = actor.as_object().filter(|_| actors.len() < ACTORS_MAX)?;
        let profile = text_in(actor, "sub_profile").map(str::to_owned);
        actors.push(Actor { subject: text_in(actor, "sub")?.to_owned(), profile });
        next = actor.get("act");
    }
    Some(actors)
}

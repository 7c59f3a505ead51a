//! Services that ask for the same token again, every few minutes or many times a second. What was decided is kept and
//! counts again only if nothing that it was decided on has changed, which the database says as it records the token. What
//! is kept can therefore say yes and nothing else: a refusal is never kept, and nobody is refused by it.

use super::client_credentials::{self, Decided};
use super::{Asking, token_exchange};
use crate::client_authentication::{Presented, Proof, Supposed, suppose};
use crate::issue::Issued;
use crate::kept::{Fingerprint, Kept};
use crate::{Cause, Engine, Failed};
use sinete_core::authorize::place::Named;
use sinete_core::grant::{Grant, Parameters, TokenRequest};
use sinete_core::limits::{DECISIONS_KEPT_MAX, KEPT_TOKEN_BYTES_MAX};

/// What was decided, by all that was said when it was asked for.
pub(crate) type Decisions = Kept<Decided, DECISIONS_KEPT_MAX>;

/// A request for a token as it came.
pub(super) struct Asked<'a> {
    /// Who asks, and what it shows.
    pub(super) presented: &'a Presented,
    /// What stands for the request, if it can be known again.
    pub(super) said: Option<Fingerprint>,
}

/// All that a service says when it asks for itself. Whoever says more is looked at each time, and so is not kept under as
/// many names as there are words.
const SAID: [&str; 5] = ["grant_type", "scope", "resource", "client_id", "client_secret"];

/// Stands for a request of a service for itself, if a secret is all that it shows.
pub(super) fn said(presented: &Presented, parameters: &Parameters<'_>) -> Option<Fingerprint> {
    let is_own = parameters.get("grant_type") == Some("client_credentials")
        && matches!(presented.proof, Proof::HeaderSecret(_) | Proof::BodySecret(_));
    if !is_own || !parameters.iter().all(|(name, _)| SAID.contains(&name)) {
        return None;
    }
    presented.fingerprint(parameters.iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]))
}

impl Asked<'_> {
    /// Keeps what was decided, unless it is large because of what somebody put in it.
    pub(super) fn remember(&self, engine: &Engine, issued: Issued, decided: Decided) -> Issued {
        if let Some(said) = self.said.filter(|_| issued.access_token.len() <= KEPT_TOKEN_BYTES_MAX) {
            engine.shared.decisions.keep(said, decided);
        }
        issued
    }
}

/// The token that a service asked for before in the same words, if all that was decided on then is still so.
pub(super) async fn own(engine: &Engine, asked: &Asked<'_>, cause: &Cause) -> Result<Option<Issued>, Failed> {
    let Some(said) = asked.said else { return Ok(None) };
    let Some(decided) = engine.shared.decisions.find(said) else { return Ok(None) };
    let now = engine.now();
    if engine.shared.newest_facts.may_be(decided.facts(), now) {
        if let Some(issued) = client_credentials::repeat(engine, &decided, cause, now).await? {
            return Ok(Some(issued));
        }
        engine.shared.newest_facts.is_beyond(decided.facts());
    }
    engine.shared.decisions.forget(said);
    Ok(None)
}

/// The client behind a request, if it proved itself before in the same words and may ask for this.
pub(super) fn supposed(engine: &Engine, asked: &Asked<'_>, request: &TokenRequest) -> Option<Supposed> {
    let supposed = suppose(engine, asked.presented)?;
    let client = &supposed.client;
    let may = client.known.metadata.grants().contains(&request.grant.kind());
    (may && client.must_be_bindable().is_ok()).then_some(supposed)
}

/// An exchange by a client that proved itself before and is who it says if nothing has changed, which the act confirms.
pub(super) async fn exchanged(
    engine: &Engine,
    asked: &Asked<'_>,
    request: &TokenRequest,
    cause: &Cause,
) -> Result<Option<Issued>, Failed> {
    let Grant::TokenExchange(exchange) = &request.grant else { return Ok(None) };
    let Some(supposed) = self::supposed(engine, asked, request) else { return Ok(None) };
    let client = &supposed.client;
    let (now, organization) = (engine.now(), Named::None);
    let asking = Asking { client, request, cause: client.cause(cause), now, organization };
    token_exchange::exchange_at(engine, &asking, exchange, supposed.facts).await
}

//! The request itself, once it is known where its answer goes.

use super::addressed::{Addressed, ReplyTo, ResponseMode};
use super::pkce::S256Challenge;
use super::response::{AuthorizationError, Redirected, Wrong};
use super::unvalidated::Unvalidated;
use crate::api::ApiIdentifier;
use crate::authority::details::Details;
use crate::authority::scope::Scopes;
use crate::client::ClientId;
use crate::limits::{HINT_BYTES_MAX, STATE_BYTES_MAX};
use crate::people::SignedIn;
use crate::time::Lifetime;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// A request that is whole and well-formed. What it asks for may still be refused.
///
/// The challenge is not optional: a request without one does not become a value of this type.
#[derive(Clone, Debug, PartialEq)]
pub struct AuthorizationRequest {
    /// Who asks.
    pub client: ClientId,
    /// Where the answer goes.
    pub reply_to: ReplyTo,
    /// What the code will have to be redeemed with.
    pub challenge: S256Challenge,
    /// What is asked for; left out, the API's or the client's own default.
    pub scope: Option<Scopes>,
    /// The API it is asked for.
    pub resource: Option<ApiIdentifier>,
    /// The organization to act in, by id or slug, not yet looked up.
    pub organization: Option<String>,
    /// What the ID token must repeat.
    pub nonce: Option<String>,
    /// What the person must or must not be asked.
    pub prompt: Prompt,
    /// How long ago the person may have signed in.
    pub max_age: Option<Lifetime>,
    /// An ID token that says whom the client expects.
    pub id_token_hint: Option<String>,
    /// Whom the client expects, in words.
    pub login_hint: Option<String>,
    /// The assurance the client would like, best first.
    pub acr_values: Vec<String>,
    /// The languages the person reads, best first.
    pub ui_locales: Vec<String>,
    /// Claims asked for one by one (OpenID Connect Core §5.5).
    pub claims: Map<String, Value>,
    /// Fine-grained requests (RFC 9396), not yet held against the API's schemas.
    pub details: Details,
}

/// What the person must or must not be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prompt {
    /// Whatever is needed.
    AsNeeded,
    /// Nothing at all.
    Silent,
    /// At least these.
    AtLeast(BTreeSet<Ask>),
}

/// Something a person can be asked even though it is not needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ask {
    /// To sign in again.
    SignIn,
    /// To agree again.
    Consent,
    /// To choose an account or organization again.
    Choice,
}

impl Prompt {
    /// Whether the person must be asked this even though it is not needed.
    pub fn asks(&self, ask: Ask) -> bool {
        match self {
            Self::AsNeeded | Self::Silent => false,
            Self::AtLeast(asks) => asks.contains(&ask),
        }
    }
}

impl Addressed {
    /// The whole request, or the error its client is sent.
    ///
    /// A request that forbids asking the person and finds nobody signed in is told so before anything else
    /// it lacks: no code is issued either way, and that is the answer such a client waits for.
    pub fn check(self, signed_in: SignedIn) -> Result<AuthorizationRequest, Redirected> {
        match whole(&self, signed_in) {
            Ok(request) => Ok(request),
            Err((error, description)) => Err(Redirected { reply_to: self.reply_to, error, description }),
        }
    }
}

fn whole(asked: &Addressed, signed_in: SignedIn) -> Result<AuthorizationRequest, Wrong> {
    let parameters = &asked.parameters;
    if !parameters.repeated().is_empty() {
        return Err((AuthorizationError::InvalidRequest, "a parameter is repeated"));
    }
    check_response(parameters)?;
    let prompt = prompt(parameters)?;
    if prompt == Prompt::Silent && signed_in == SignedIn::No {
        return Err((AuthorizationError::LoginRequired, "nobody is signed in"));
    }
    Ok(AuthorizationRequest {
        client: asked.client.clone(),
        reply_to: asked.reply_to.clone(),
        challenge: challenge(parameters)?,
        scope: scope(parameters)?,
        resource: resource(parameters)?,
        organization: bounded(parameters, "organization", HINT_BYTES_MAX)?,
        nonce: bounded(parameters, "nonce", STATE_BYTES_MAX)?,
        prompt,
        max_age: max_age(parameters)?,
        id_token_hint: parameters.get("id_token_hint").map(str::to_owned),
        login_hint: parameters
            .get("login_hint")
            .filter(|hint| hint.len() <= HINT_BYTES_MAX)
            .map(str::to_owned),
        acr_values: words(parameters, "acr_values"),
        ui_locales: words(parameters, "ui_locales"),
        claims: claims(parameters)?,
        details: details(parameters)?,
    })
}

fn check_response(parameters: &Unvalidated) -> Result<(), Wrong> {
    if parameters.get("state").is_some_and(|state| state.len() > STATE_BYTES_MAX) {
        return Err((AuthorizationError::InvalidRequest, "state is too long"));
    }
    let modes = ResponseMode::ALL.map(ResponseMode::as_str);
    if parameters.get("response_mode").is_some_and(|mode| !modes.contains(&mode)) {
        return Err((AuthorizationError::InvalidRequest, "response_mode is query or form_post"));
    }
    match parameters.get("response_type") {
        Some("code") => Ok(()),
        Some(_) => Err((AuthorizationError::UnsupportedResponseType, "the only response_type is code")),
        None => Err((AuthorizationError::InvalidRequest, "response_type is missing")),
    }
}

fn challenge(parameters: &Unvalidated) -> Result<S256Challenge, Wrong> {
    let invalid = AuthorizationError::InvalidRequest;
    let challenge = parameters.get("code_challenge").ok_or((invalid, "code_challenge is required"))?;
    // RFC 7636 §4.3 reads a missing method as plain, and plain does not exist here.
    if parameters.get("code_challenge_method") != Some("S256") {
        return Err((invalid, "code_challenge_method must be S256"));
    }
    challenge.parse().map_err(|_| (invalid, "code_challenge is not an S256 challenge"))
}

fn scope(parameters: &Unvalidated) -> Result<Option<Scopes>, Wrong> {
    let wrong = |_| (AuthorizationError::InvalidScope, "scope holds something unknown or too much");
    parameters.get("scope").map(str::parse).transpose().map_err(wrong)
}

fn resource(parameters: &Unvalidated) -> Result<Option<ApiIdentifier>, Wrong> {
    let wrong = |_| (AuthorizationError::InvalidTarget, "resource is not a resource known here");
    parameters.get("resource").map(str::parse).transpose().map_err(wrong)
}

fn prompt(parameters: &Unvalidated) -> Result<Prompt, Wrong> {
    let words = words(parameters, "prompt");
    if words == ["none"] {
        return Ok(Prompt::Silent);
    }
    let mut asks = BTreeSet::new();
    for word in &words {
        match word.as_str() {
            "login" => asks.insert(Ask::SignIn),
            "consent" => asks.insert(Ask::Consent),
            "select_account" => asks.insert(Ask::Choice),
            // OpenID Connect Core §3.1.2.1: none beside another value is an error.
            "none" => return Err((AuthorizationError::InvalidRequest, "prompt none stands alone")),
            _ => return Err((AuthorizationError::InvalidRequest, "prompt holds something unknown")),
        };
    }
    Ok(if asks.is_empty() { Prompt::AsNeeded } else { Prompt::AtLeast(asks) })
}

fn max_age(parameters: &Unvalidated) -> Result<Option<Lifetime>, Wrong> {
    let wrong = |_| (AuthorizationError::InvalidRequest, "max_age is a number of seconds");
    let seconds = parameters.get("max_age").map(str::parse::<u32>).transpose().map_err(wrong)?;
    Ok(seconds.map(Lifetime::from_seconds))
}

fn claims(parameters: &Unvalidated) -> Result<Map<String, Value>, Wrong> {
    let Some(text) = parameters.get("claims") else { return Ok(Map::new()) };
    serde_json::from_str(text)
        .map_err(|_| (AuthorizationError::InvalidRequest, "claims is not a JSON object"))
}

fn details(parameters: &Unvalidated) -> Result<Details, Wrong> {
    let text = "authorization_details is not a list of typed objects";
    let wrong = |_| (AuthorizationError::InvalidAuthorizationDetails, text);
    parameters.get("authorization_details").map_or_else(|| Ok(Details::default()), str::parse).map_err(wrong)
}

fn bounded(parameters: &Unvalidated, name: &'static str, bytes_max: usize) -> Result<Option<String>, Wrong> {
    match parameters.get(name) {
        Some(text) if text.len() > bytes_max => {
            Err((AuthorizationError::InvalidRequest, "a parameter is too long"))
        }
        text => Ok(text.map(str::to_owned)),
    }
}

/// Space-separated words of a parameter that is a wish; more than we would read are dropped.
fn words(parameters: &Unvalidated, name: &str) -> Vec<String> {
    const WORDS_MAX: usize = 16;
    let text = parameters.get(name).unwrap_or_default();
    text.split(' ').filter(|word| !word.is_empty()).take(WORDS_MAX).map(str::to_owned).collect()
}

#[cfg(test)]
pub(super) mod tests;

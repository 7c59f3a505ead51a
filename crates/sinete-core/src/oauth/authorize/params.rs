//! What a request asks for, whoever brings it: a browser that is sent on afterwards, or a device that waits for an answer.

use super::raw_params::RawAuthorizationParams;
use super::response::{AuthorizationErrorCode, AuthorizationRefusal};
use crate::access_control::scope::ScopeSet;
use crate::limits::{HINT_BYTES_MAX, STATE_BYTES_MAX};
use crate::oauth::authorization_details::AuthorizationDetails;
use crate::oauth::confirmation::JwkThumbprint;
use crate::organizations::api_catalog::ApiIdentifier;
use crate::time::Lifetime;
use crate::unique_json;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// What is asked for, whole and well-formed. It may still be refused.
#[derive(Clone, Debug, PartialEq)]
pub struct AuthorizationParams {
    /// What is asked for; left out, the API's or the client's own default.
    pub scope: Option<ScopeSet>,
    /// The API it is asked for.
    pub resource: Option<ApiIdentifier>,
    /// The organization to act in, by id or slug, not yet looked up.
    pub organization: Option<String>,
    /// What the ID token must repeat.
    pub nonce: Option<String>,
    /// What the person must or must not be asked.
    pub prompt: PromptParameter,
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
    /// The key that the code is bound to (RFC 9449 §10).
    pub key: Option<JwkThumbprint>,
    /// Fine-grained requests (RFC 9396), not yet held against the API's schemas.
    pub details: AuthorizationDetails,
}

/// What the person must or must not be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptParameter {
    /// Whatever is needed.
    AsNeeded,
    /// Nothing at all.
    Silent,
    /// At least these.
    AtLeast(BTreeSet<PromptValue>),
}

/// Something a person can be asked even though it is not needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PromptValue {
    /// To sign in again.
    SignIn,
    /// To agree again.
    Consent,
    /// To choose an account or organization again.
    Choice,
}

impl PromptParameter {
    /// Whether the person must be asked this even though it is not needed.
    pub fn requires(&self, ask: PromptValue) -> bool {
        match self {
            Self::AsNeeded | Self::Silent => false,
            Self::AtLeast(asks) => asks.contains(&ask),
        }
    }
}

impl AuthorizationParams {
    /// What these parameters ask for, with what the person must or must not be asked.
    pub(in crate::oauth) fn parse(
        parameters: &RawAuthorizationParams,
        prompt: PromptParameter,
    ) -> Result<Self, AuthorizationRefusal> {
        Ok(Self {
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
            key: key(parameters)?,
            details: details(parameters)?,
        })
    }

    /// What a device asks for (RFC 8628 §3.1). Nobody is at the device who could be asked there, so that whoever answers
    /// for it elsewhere is always asked, and is never whom the device says.
    pub fn parse_device_request(parameters: &RawAuthorizationParams) -> Result<Self, AuthorizationRefusal> {
        if !parameters.repeated_names().is_empty() {
            return Err((AuthorizationErrorCode::InvalidRequest, "a parameter is repeated"));
        }
        parameters.check_size()?;
        Ok(Self {
            scope: scope(parameters)?,
            resource: resource(parameters)?,
            organization: bounded(parameters, "organization", HINT_BYTES_MAX)?,
            nonce: None,
            prompt: PromptParameter::AtLeast([PromptValue::Consent].into()),
            max_age: None,
            id_token_hint: None,
            login_hint: None,
            acr_values: Vec::new(),
            ui_locales: words(parameters, "ui_locales"),
            claims: Map::new(),
            key: None,
            details: details(parameters)?,
        })
    }

    /// What a client asks somebody's approval for (OpenID CIBA §7.1). They are asked every time, and whom the client
    /// means was settled when it asked.
    pub fn parse_ciba_request(parameters: &RawAuthorizationParams) -> Result<Self, AuthorizationRefusal> {
        let wish = Self::parse_device_request(parameters)?;
        Ok(Self { acr_values: words(parameters, "acr_values"), ..wish })
    }
}

fn scope(parameters: &RawAuthorizationParams) -> Result<Option<ScopeSet>, AuthorizationRefusal> {
    let wrong = |_| (AuthorizationErrorCode::InvalidScope, "scope holds something unknown or too much");
    parameters.get("scope").map(str::parse).transpose().map_err(wrong)
}

fn resource(parameters: &RawAuthorizationParams) -> Result<Option<ApiIdentifier>, AuthorizationRefusal> {
    let wrong = |_| (AuthorizationErrorCode::InvalidTarget, "resource is not a resource known here");
    parameters.get("resource").map(str::parse).transpose().map_err(wrong)
}

pub(in crate::oauth) fn parse_prompt(
    parameters: &RawAuthorizationParams,
) -> Result<PromptParameter, AuthorizationRefusal> {
    let words = words(parameters, "prompt");
    if words == ["none"] {
        return Ok(PromptParameter::Silent);
    }
    let mut asks = BTreeSet::new();
    for word in &words {
        match word.as_str() {
            "login" => asks.insert(PromptValue::SignIn),
            "consent" => asks.insert(PromptValue::Consent),
            "select_account" => asks.insert(PromptValue::Choice),
            // OpenID Connect Core §3.1.2.1: none beside another value is an error.
            "none" => return Err((AuthorizationErrorCode::InvalidRequest, "prompt none stands alone")),
            _ => return Err((AuthorizationErrorCode::InvalidRequest, "prompt holds something unknown")),
        };
    }
    Ok(if asks.is_empty() { PromptParameter::AsNeeded } else { PromptParameter::AtLeast(asks) })
}

fn max_age(parameters: &RawAuthorizationParams) -> Result<Option<Lifetime>, AuthorizationRefusal> {
    let wrong = |_| (AuthorizationErrorCode::InvalidRequest, "max_age is a number of seconds");
    let seconds = parameters.get("max_age").map(str::parse::<u32>).transpose().map_err(wrong)?;
    Ok(seconds.map(Lifetime::from_seconds))
}

fn claims(parameters: &RawAuthorizationParams) -> Result<Map<String, Value>, AuthorizationRefusal> {
    let Some(text) = parameters.get("claims") else { return Ok(Map::new()) };
    unique_json::parse_object(text.as_bytes())
        .ok_or((AuthorizationErrorCode::InvalidRequest, "claims is not a JSON object with each member once"))
}

fn key(parameters: &RawAuthorizationParams) -> Result<Option<JwkThumbprint>, AuthorizationRefusal> {
    let wrong = |_| (AuthorizationErrorCode::InvalidRequest, "dpop_jkt is not the thumbprint of a key");
    parameters.get("dpop_jkt").map(str::parse).transpose().map_err(wrong)
}

fn details(parameters: &RawAuthorizationParams) -> Result<AuthorizationDetails, AuthorizationRefusal> {
    let text = "authorization_details is not a list of typed objects";
    let wrong = |_| (AuthorizationErrorCode::InvalidAuthorizationDetails, text);
    parameters
        .get("authorization_details")
        .map_or_else(|| Ok(AuthorizationDetails::default()), str::parse)
        .map_err(wrong)
}

fn bounded(
    parameters: &RawAuthorizationParams,
    name: &'static str,
    bytes_max: usize,
) -> Result<Option<String>, AuthorizationRefusal> {
    match parameters.get(name) {
        Some(text) if text.len() > bytes_max => {
            Err((AuthorizationErrorCode::InvalidRequest, "a parameter is too long"))
        }
        text => Ok(text.map(str::to_owned)),
    }
}

/// Space-separated words of a parameter that is a wish; more than we would read are dropped.
fn words(parameters: &RawAuthorizationParams, name: &str) -> Vec<String> {
    const WORDS_MAX: usize = 16;
    let text = parameters.get(name).unwrap_or_default();
    text.split(' ').filter(|word| !word.is_empty()).take(WORDS_MAX).map(str::to_owned).collect()
}

//! The authorization parameters shared by all channels: browser redirect, device authorization and CIBA.

use super::raw_params::RawAuthorizationParams;
use super::response::{AuthorizationErrorCode, AuthorizationRefusal};
use crate::access_control::scope::ScopeSet;
use crate::limits::{HINT_BYTES_MAX, STATE_BYTES_MAX};
use crate::oauth::authorization_details::AuthorizationDetails;
use crate::oauth::confirmation::JwkThumbprint;
use crate::oauth::grants::deferred::DeferredGrantKind;
use crate::oauth::scope_ceiling::describe_invalid_scope;
use crate::organizations::api_catalog::ApiIdentifier;
use crate::time::Lifetime;
use crate::unique_json;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Complete, well-formed parameters. The request may still be rejected.
#[derive(Clone, Debug, PartialEq)]
pub struct AuthorizationParams {
    /// The requested scope; `None` means the default of the API or client.
    pub scope: Option<ScopeSet>,
    /// The requested API (RFC 8707).
    pub resource: Option<ApiIdentifier>,
    /// The requested organization by id or slug, not yet looked up.
    pub organization: Option<String>,
    /// The value to return in the ID token.
    pub nonce: Option<String>,
    /// The `prompt` parameter.
    pub prompt: PromptParameter,
    /// The maximum age of the user's authentication.
    pub max_age: Option<Lifetime>,
    /// An ID token that identifies the expected user.
    pub id_token_hint: Option<String>,
    /// A hint about the expected user, as text.
    pub login_hint: Option<String>,
    /// The requested assurance levels, in order of preference.
    pub acr_values: Vec<String>,
    /// The user's preferred languages, in order.
    pub ui_locales: Vec<String>,
    /// Individually requested claims (OpenID Connect Core §5.5).
    pub claims: Map<String, Value>,
    /// The key the authorization code is bound to (RFC 9449 §10).
    pub key: Option<JwkThumbprint>,
    /// Authorization details (RFC 9396), not yet validated against the API's schemas.
    pub details: AuthorizationDetails,
}

/// The `prompt` parameter (OpenID Connect Core §3.1.2.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptParameter {
    /// Absent: interact only as needed.
    AsNeeded,
    /// `none`: no interaction.
    Silent,
    /// At least these interactions.
    AtLeast(BTreeSet<PromptValue>),
}

/// An interaction that a client can require.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PromptValue {
    /// `login`: authenticate again.
    Login,
    /// `consent`: ask for consent again.
    Consent,
    /// `select_account`: choose an account or organization again.
    SelectAccount,
    /// `create`: show how to create an account (OpenID Initiating User Registration 1.0).
    Create,
}

impl PromptParameter {
    /// Whether `prompt` requires this interaction even if it is not needed.
    pub fn requires(&self, ask: PromptValue) -> bool {
        match self {
            Self::AsNeeded | Self::Silent => false,
            Self::AtLeast(asks) => asks.contains(&ask),
        }
    }
}

impl AuthorizationParams {
    /// Parses the parameters; the caller supplies the parsed `prompt`.
    pub(in crate::oauth) fn parse(
        parameters: &RawAuthorizationParams,
        prompt: PromptParameter,
    ) -> Result<Self, AuthorizationRefusal> {
        Ok(Self {
            scope: parse_scope(parameters)?,
            resource: parse_resource(parameters)?,
            organization: bounded_parameter(parameters, "organization", HINT_BYTES_MAX)?,
            nonce: bounded_parameter(parameters, "nonce", STATE_BYTES_MAX)?,
            prompt,
            max_age: parse_max_age(parameters)?,
            id_token_hint: parameters.get("id_token_hint").map(str::to_owned),
            login_hint: parameters
                .get("login_hint")
                .filter(|hint| hint.len() <= HINT_BYTES_MAX)
                .map(str::to_owned),
            acr_values: split_values(parameters, "acr_values"),
            ui_locales: split_values(parameters, "ui_locales"),
            claims: parse_claims(parameters)?,
            key: parse_dpop_jkt(parameters)?,
            details: parse_details(parameters)?,
        })
    }

    /// Parses the request of a deferred grant (RFC 8628 §3.1, OpenID CIBA §7.1). The user is always prompted,
    /// because they approve on another device. A device cannot say who the user is; the user hint of a CIBA
    /// request is resolved separately.
    pub fn parse_deferred_request(
        kind: DeferredGrantKind,
        parameters: &RawAuthorizationParams,
    ) -> Result<Self, AuthorizationRefusal> {
        if !parameters.repeated_names().is_empty() {
            return Err((
                AuthorizationErrorCode::InvalidRequest,
                "A parameter is repeated. Send each parameter \
                once."
                    .into(),
            ));
        }
        parameters.check_size()?;
        Ok(Self {
            scope: parse_scope(parameters)?,
            resource: parse_resource(parameters)?,
            organization: bounded_parameter(parameters, "organization", HINT_BYTES_MAX)?,
            nonce: None,
            prompt: PromptParameter::AtLeast([PromptValue::Consent].into()),
            max_age: None,
            id_token_hint: None,
            login_hint: None,
            acr_values: match kind {
                DeferredGrantKind::DeviceAuthorization => Vec::new(),
                DeferredGrantKind::Ciba => split_values(parameters, "acr_values"),
            },
            ui_locales: split_values(parameters, "ui_locales"),
            claims: Map::new(),
            key: None,
            details: parse_details(parameters)?,
        })
    }
}

fn parse_scope(parameters: &RawAuthorizationParams) -> Result<Option<ScopeSet>, AuthorizationRefusal> {
    let Some(text) = parameters.get("scope") else { return Ok(None) };
    let wrong = |_| (AuthorizationErrorCode::InvalidScope, describe_invalid_scope(text).into());
    text.parse().map(Some).map_err(wrong)
}

fn parse_resource(
    parameters: &RawAuthorizationParams,
) -> Result<Option<ApiIdentifier>, AuthorizationRefusal> {
    let wrong = |_| {
        (
            AuthorizationErrorCode::InvalidTarget,
            "The resource is not the identifier of an API. \
        Send an absolute URI of a registered API."
                .into(),
        )
    };
    parameters.get("resource").map(str::parse).transpose().map_err(wrong)
}

pub(in crate::oauth) fn parse_prompt(
    parameters: &RawAuthorizationParams,
) -> Result<PromptParameter, AuthorizationRefusal> {
    let words = split_values(parameters, "prompt");
    if words == ["none"] {
        return Ok(PromptParameter::Silent);
    }
    let mut asks = BTreeSet::new();
    for word in &words {
        match word.as_str() {
            "login" => asks.insert(PromptValue::Login),
            "consent" => asks.insert(PromptValue::Consent),
            "select_account" => asks.insert(PromptValue::SelectAccount),
            "create" => asks.insert(PromptValue::Create),
            // OpenID Connect Core §3.1.2.1: `none` with another value is an error.
            "none" => {
                return Err((
                    AuthorizationErrorCode::InvalidRequest,
                    "The prompt none cannot be combined with \
                    others. Send it alone."
                        .into(),
                ));
            }
            _ => {
                return Err((
                    AuthorizationErrorCode::InvalidRequest,
                    "The prompt has an unknown value. Send login, consent, select_account, create or none."
                        .into(),
                ));
            }
        };
    }
    Ok(if asks.is_empty() { PromptParameter::AsNeeded } else { PromptParameter::AtLeast(asks) })
}

fn parse_max_age(parameters: &RawAuthorizationParams) -> Result<Option<Lifetime>, AuthorizationRefusal> {
    let wrong = |_| {
        (
            AuthorizationErrorCode::InvalidRequest,
            "The parameter max_age is not valid. Send a \
        number of seconds."
                .into(),
        )
    };
    let seconds = parameters.get("max_age").map(str::parse::<u32>).transpose().map_err(wrong)?;
    Ok(seconds.map(Lifetime::from_seconds))
}

fn parse_claims(parameters: &RawAuthorizationParams) -> Result<Map<String, Value>, AuthorizationRefusal> {
    let Some(text) = parameters.get("claims") else { return Ok(Map::new()) };
    unique_json::parse_object(text.as_bytes()).ok_or((
        AuthorizationErrorCode::InvalidRequest,
        "The parameter claims is not valid. Send a JSON object that has each member once.".into(),
    ))
}

fn parse_dpop_jkt(
    parameters: &RawAuthorizationParams,
) -> Result<Option<JwkThumbprint>, AuthorizationRefusal> {
    let wrong = |_| {
        (
            AuthorizationErrorCode::InvalidRequest,
            "The parameter dpop_jkt is not valid. Send the SHA-256 \
            thumbprint of the key in base64url (RFC 9449 section 10)."
                .into(),
        )
    };
    parameters.get("dpop_jkt").map(str::parse).transpose().map_err(wrong)
}

fn parse_details(parameters: &RawAuthorizationParams) -> Result<AuthorizationDetails, AuthorizationRefusal> {
    let text = "The parameter authorization_details is not valid. Send a JSON array of objects, each with a \
                type.";
    let wrong = |_| (AuthorizationErrorCode::InvalidAuthorizationDetails, text.into());
    parameters
        .get("authorization_details")
        .map_or_else(|| Ok(AuthorizationDetails::default()), str::parse)
        .map_err(wrong)
}

fn bounded_parameter(
    parameters: &RawAuthorizationParams,
    name: &'static str,
    bytes_max: usize,
) -> Result<Option<String>, AuthorizationRefusal> {
    match parameters.get(name) {
        Some(text) if text.len() > bytes_max => Err((
            AuthorizationErrorCode::InvalidRequest,
            "A parameter is too long. Shorten it, or use pushed \
                authorization requests."
                .into(),
        )),
        text => Ok(text.map(str::to_owned)),
    }
}

/// Splits a space-separated parameter that is only a hint; values beyond the limit are dropped.
fn split_values(parameters: &RawAuthorizationParams, name: &str) -> Vec<String> {
    const VALUES_MAX: usize = 16;
    let text = parameters.get(name).unwrap_or_default();
    text.split(' ').filter(|word| !word.is_empty()).take(VALUES_MAX).map(str::to_owned).collect()
}

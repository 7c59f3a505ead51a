//! A request whose client and redirect URI are verified: from here on, errors may be redirected.

use super::raw_params::RawAuthorizationParams;
use crate::client_id::ClientId;
use crate::limits::STATE_BYTES_MAX;
use crate::oauth::redirect_uri::{MatchedRedirectUri, RedirectUri};

/// The client data needed to verify a redirect URI.
#[derive(Clone, Copy, Debug)]
pub struct RegisteredRedirectUris<'a> {
    /// The client's id.
    pub id: &'a ClientId,
    /// The registered redirect URIs.
    pub redirect_uris: &'a [RedirectUri],
}

/// A request that may be answered at its redirect URI.
#[derive(Clone, Debug)]
pub struct RedirectableRequest {
    pub(in crate::oauth) client: ClientId,
    pub(in crate::oauth) reply_to: AuthorizationResponseTarget,
    pub(in crate::oauth) parameters: RawAuthorizationParams,
}

/// Where and how the authorization response is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorizationResponseTarget {
    /// The verified redirect URI.
    pub callback: MatchedRedirectUri,
    /// The response mode.
    pub mode: ResponseMode,
    /// The client's `state`, returned unchanged.
    pub state: Option<String>,
}

/// The supported response modes; `fragment` is not supported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResponseMode {
    /// Parameters in the query of a redirect.
    #[default]
    Query,
    /// A form that the browser posts.
    FormPost,
}

impl ResponseMode {
    /// All response modes.
    pub const ALL: [Self; 2] = [Self::Query, Self::FormPost];

    /// The value of `response_mode`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::FormPost => "form_post",
        }
    }
}

impl RedirectableRequest {
    pub(in crate::oauth) fn new(
        client: ClientId,
        callback: MatchedRedirectUri,
        parameters: RawAuthorizationParams,
    ) -> Self {
        // An unsupported mode is rejected later; that error is sent in the query.
        let requested_mode = parameters.get("response_mode");
        let mode = ResponseMode::ALL
            .into_iter()
            .find(|mode| Some(mode.as_str()) == requested_mode)
            .unwrap_or_default();
        let state = parameters.get("state").filter(|state| state.len() <= STATE_BYTES_MAX).map(str::to_owned);
        Self { client, reply_to: AuthorizationResponseTarget { callback, mode, state }, parameters }
    }

    /// Where and how the response is sent.
    pub const fn response_target(&self) -> &AuthorizationResponseTarget {
        &self.reply_to
    }

    /// The requesting client.
    pub const fn client(&self) -> &ClientId {
        &self.client
    }
}

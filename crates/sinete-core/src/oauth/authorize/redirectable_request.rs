//! A request whose client and callback are proven: from here on, errors may be sent there.

use super::raw_params::RawAuthorizationParams;
use crate::client_id::ClientId;
use crate::limits::STATE_BYTES_MAX;
use crate::oauth::redirect_uri::{MatchedRedirectUri, RedirectUri};

/// What addressing a request needs to know of its client.
#[derive(Clone, Copy, Debug)]
pub struct RegisteredRedirectUris<'a> {
    /// Its id.
    pub id: &'a ClientId,
    /// The addresses it registered.
    pub redirect_uris: &'a [RedirectUri],
}

/// A request that may be answered at its callback.
#[derive(Clone, Debug)]
pub struct RedirectableRequest {
    pub(in crate::oauth) client: ClientId,
    pub(in crate::oauth) reply_to: AuthorizationResponseTarget,
    pub(in crate::oauth) parameters: RawAuthorizationParams,
}

/// Where an answer goes and in which form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorizationResponseTarget {
    /// The proven address.
    pub callback: MatchedRedirectUri,
    /// How the answer travels.
    pub mode: ResponseMode,
    /// What the client wants back unchanged.
    pub state: Option<String>,
}

/// How an answer travels. There is no fragment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResponseMode {
    /// In the query of a redirect.
    #[default]
    Query,
    /// In a form that the browser posts.
    FormPost,
}

impl ResponseMode {
    /// Every mode there is.
    pub const ALL: [Self; 2] = [Self::Query, Self::FormPost];

    /// The mode, as it is written.
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
        // A mode we do not have is refused later; that refusal travels in the query, like every other.
        let named = parameters.get("response_mode");
        let mode =
            ResponseMode::ALL.into_iter().find(|mode| Some(mode.as_str()) == named).unwrap_or_default();
        let state = parameters.get("state").filter(|state| state.len() <= STATE_BYTES_MAX).map(str::to_owned);
        Self { client, reply_to: AuthorizationResponseTarget { callback, mode, state }, parameters }
    }

    /// Where the answer goes.
    pub const fn response_target(&self) -> &AuthorizationResponseTarget {
        &self.reply_to
    }

    /// Who asks.
    pub const fn client(&self) -> &ClientId {
        &self.client
    }
}

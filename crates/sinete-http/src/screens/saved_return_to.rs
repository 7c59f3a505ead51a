//! The page to return to after sign-in, in a cookie.

use crate::screens::form_cookie::{FormCookie, FormCookieScope};
use axum::http::header::HeaderMap;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use sinete_core::limits::FLOW_LIFETIME;
use sinete_server::security_headers::IssuerScheme;

/// The page to return to after sign-in.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedReturnTo {
    to: String,
}

/// Valid as long as a sign-in may take.
const RETURN_TO_COOKIE: FormCookie =
    FormCookie { name: "bound", seconds: FLOW_LIFETIME.seconds(), scope: FormCookieScope::SameSiteStrict };

impl SavedReturnTo {
    pub(crate) fn new(path: &str) -> Self {
        Self { to: path.to_owned() }
    }

    /// Reads the path from the cookie, unverified: the caller must check that it is one of our pages.
    pub(crate) fn from_cookie(headers: &HeaderMap, scheme: IssuerScheme) -> Option<String> {
        RETURN_TO_COOKIE.read_cookie::<Self>(headers, scheme).map(|saved| saved.to)
    }

    pub(crate) fn set_cookie(&self, response: &mut Response, scheme: IssuerScheme) {
        RETURN_TO_COOKIE.set_cookie(response, scheme, self);
    }

    /// Removes the cookie.
    pub(crate) fn clear_cookie(response: &mut Response, scheme: IssuerScheme) {
        RETURN_TO_COOKIE.clear_cookie(response, scheme);
    }
}

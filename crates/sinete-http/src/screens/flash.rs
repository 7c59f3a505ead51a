//! The flash cookie of flow forms: the error and the input, so that the user need not enter it again. It is
//! read once, by this browser, and never contains a secret. Because a form is followed by a redirect, its
//! page can be reloaded without submitting it again.

use crate::screens::form_cookie::{FormCookie, FormCookieScope};
use crate::screens::pending_form::MY_ACCOUNT_PATH;
use axum::http::header::HeaderMap;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use sinete_screens::form_error::FormError;
use sinete_server::security_headers::IssuerScheme;

/// It is valid for two minutes.
const FLASH_COOKIE: FormCookie =
    FormCookie { name: "said", seconds: 120, scope: FormCookieScope::SameSiteStrict };

/// The flash data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FlowFlash {
    /// The flow.
    #[serde(default)]
    pub(crate) flow: String,
    #[serde(default)]
    pub(crate) trouble: Option<FlowNotice>,
    /// The address, as entered.
    #[serde(default)]
    pub(crate) identifier: String,
    /// The name, as entered.
    #[serde(default)]
    pub(crate) name: String,
}

/// The error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FlowNotice {
    WrongProof,
    WrongCode,
    WrongUserCode,
    Missing,
    BadEmail,
    BadPhone,
    TakenByYou,
    PasswordShort(u32),
    PasswordLong(u32),
    PasswordRefused,
    TooMany(u64),
    OutOfTurn,
    Passkey,
    NotPossible,
    SignInAgain,
    Busy,
    NoProvider,
    Provider,
}

impl From<FlowNotice> for FormError {
    fn from(notice: FlowNotice) -> Self {
        match notice {
            FlowNotice::WrongProof => Self::WrongCredentials,
            FlowNotice::WrongCode => Self::WrongCode,
            FlowNotice::WrongUserCode => Self::WrongUserCode,
            FlowNotice::Missing => Self::Missing,
            FlowNotice::BadEmail => Self::BadEmail,
            FlowNotice::BadPhone => Self::BadPhone,
            FlowNotice::TakenByYou => Self::ContactAlreadyAdded,
            FlowNotice::PasswordShort(least) => Self::PasswordShort(least),
            FlowNotice::PasswordLong(limit) => Self::PasswordLong(limit),
            FlowNotice::PasswordRefused => Self::PasswordRefused,
            FlowNotice::TooMany(seconds) => Self::TooMany(seconds),
            FlowNotice::OutOfTurn => Self::ActionNotAvailable,
            FlowNotice::Passkey => Self::Passkey,
            FlowNotice::NotPossible => Self::NotPossible,
            FlowNotice::SignInAgain => Self::SignInAgain,
            FlowNotice::Busy => Self::Busy,
            FlowNotice::NoProvider => Self::NoProvider,
            FlowNotice::Provider => Self::Provider,
        }
    }
}

impl FlowFlash {
    /// The flash message of the account page after a successful change.
    pub(crate) fn account_saved() -> Self {
        Self { flow: MY_ACCOUNT_PATH.to_owned(), ..Self::default() }
    }

    /// Reads the flash data for this flow. Unreadable data is ignored.
    pub(crate) fn from_cookie(headers: &HeaderMap, scheme: IssuerScheme, flow: &str) -> Option<Self> {
        let flash: Self = FLASH_COOKIE.read_cookie(headers, scheme)?;
        (flash.flow == flow).then_some(flash)
    }

    /// Sets the cookie.
    pub(crate) fn set_cookie(&self, response: &mut Response, scheme: IssuerScheme) {
        FLASH_COOKIE.set_cookie(response, scheme, self);
    }

    /// Removes the cookie.
    pub(crate) fn clear_cookie(response: &mut Response, scheme: IssuerScheme) {
        FLASH_COOKIE.clear_cookie(response, scheme);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::http::HeaderValue;
    use axum::http::header::{COOKIE, SET_COOKIE};

    fn carried(flash: &FlowFlash) -> HeaderMap {
        let mut response = Response::new(Body::empty());
        flash.set_cookie(&mut response, IssuerScheme::Https);
        let line = response.headers()[SET_COOKIE].to_str().unwrap().to_owned();
        assert!(line.contains("HttpOnly; SameSite=Strict; Secure"));
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, HeaderValue::from_str(line.split(';').next().unwrap()).unwrap());
        headers
    }

    #[test]
    fn flash_cookie_is_read_only_by_the_page_it_is_for() {
        let flash = FlowFlash {
            flow: "1".to_owned(),
            trouble: Some(FlowNotice::PasswordShort(15)),
            identifier: "ána@example.org".to_owned(),
            ..FlowFlash::default()
        };
        let headers = carried(&flash);
        assert_eq!(FlowFlash::from_cookie(&headers, IssuerScheme::Https, "1"), Some(flash));
        assert_eq!(FlowFlash::from_cookie(&headers, IssuerScheme::Https, "2"), None);
        assert_eq!(FlowFlash::from_cookie(&headers, IssuerScheme::Http, "1"), None);
    }

    #[test]
    fn flash_cookie_that_is_malformed_is_ignored() {
        for value in ["x", "", "e30x", "eyJmbG93IjoxfQ"] {
            let mut headers = HeaderMap::new();
            headers.insert(COOKIE, HeaderValue::from_str(&format!("__Host-said={value}")).unwrap());
            assert_eq!(FlowFlash::from_cookie(&headers, IssuerScheme::Https, "1"), None, "{value}");
        }
    }
}

//! What is kept in the browser between a form and what follows it: read by our own pages alone, for a short while, and
//! never a secret.

use crate::security_headers::Scheme;
use axum::http::header::{COOKIE, HeaderMap, HeaderValue, SET_COOKIE};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A longer one was not written by us.
const BYTES_MAX: usize = 2048;

/// A cookie that something is kept in.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    /// Its name, without what browsers hold it to.
    pub(super) name: &'static str,
    /// How long it waits.
    pub(super) seconds: i64,
}

impl Kept {
    /// What is kept there. Whatever cannot be read was left by nobody.
    pub(super) fn read<T: DeserializeOwned>(self, headers: &HeaderMap, scheme: Scheme) -> Option<T> {
        let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
        let name = self.named(scheme);
        let (_, value) = pairs.map(|(it, value)| (it.trim(), value.trim())).find(|(it, _)| *it == name)?;
        let bytes = URL_SAFE_NO_PAD.decode(value).ok().filter(|bytes| bytes.len() <= BYTES_MAX)?;
        serde_json::from_slice(&bytes).ok()
    }

    /// The answer, with this kept. What is too long is not.
    pub(super) fn leave(self, response: &mut Response, scheme: Scheme, what: &impl Serialize) {
        let Ok(bytes) = serde_json::to_vec(what) else { return };
        if bytes.len() <= BYTES_MAX {
            self.write(response, scheme, &URL_SAFE_NO_PAD.encode(bytes), self.seconds);
        }
    }

    /// The answer, with nothing kept any more.
    pub(super) fn clear(self, response: &mut Response, scheme: Scheme) {
        self.write(response, scheme, "", 0);
    }

    fn named(self, scheme: Scheme) -> String {
        match scheme {
            Scheme::Https => format!("__Host-{}", self.name),
            Scheme::Http => self.name.to_owned(),
        }
    }

    fn write(self, response: &mut Response, scheme: Scheme, value: &str, seconds: i64) {
        let secure = match scheme {
            Scheme::Https => "; Secure",
            Scheme::Http => "",
        };
        let name = self.named(scheme);
        let line = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
        if let Ok(line) = HeaderValue::try_from(line) {
            response.headers_mut().append(SET_COOKIE, line);
        }
    }
}

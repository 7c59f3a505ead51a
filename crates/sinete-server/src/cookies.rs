//! Our cookies: session, flow and known device.
//!
//! Each is bound to this host by its name prefix, `HttpOnly`, and not sent with other sites' forms. Browsers
//! accept the prefix only over TLS, so plain HTTP, which is for development, uses names that no
//! other application on `localhost` has.

use crate::security_headers::IssuerScheme;
use axum::http::header::{COOKIE, HeaderMap, HeaderValue, SET_COOKIE};
use axum::response::Response;
use sinete_core::limits::{DEVICE_COOKIE_LIFETIME, FLOW_LIFETIME, SESSION_IDLE_MAX};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::time::Lifetime;

/// A cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CookieName {
    /// The session token.
    Session,
    /// The flow token.
    Flow,
    /// The known-device cookie. It grants nothing.
    Device,
}

impl CookieName {
    /// The name.
    pub const fn name(self, scheme: IssuerScheme) -> &'static str {
        match (self, scheme) {
            (Self::Session, IssuerScheme::Https) => "__Host-session",
            (Self::Session, IssuerScheme::Http) => "sinete_session",
            (Self::Flow, IssuerScheme::Https) => "__Host-flow",
            (Self::Flow, IssuerScheme::Http) => "sinete_flow",
            (Self::Device, IssuerScheme::Https) => "__Host-device",
            (Self::Device, IssuerScheme::Http) => "sinete_device",
        }
    }

    /// The lifetime.
    const fn lifetime(self) -> Lifetime {
        match self {
            Self::Session => SESSION_IDLE_MAX,
            Self::Flow => FLOW_LIFETIME,
            Self::Device => DEVICE_COOKIE_LIFETIME,
        }
    }

    /// The value in a request. If it occurs twice, one was not set by us, so the request is refused.
    pub fn find(self, headers: &HeaderMap, scheme: IssuerScheme) -> Result<Option<&str>, Refusal> {
        let name = self.name(scheme);
        let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
        let mut values = pairs.filter(|(key, _)| key.trim() == name).map(|(_, value)| value.trim());
        match (values.next(), values.next()) {
            (value, None) => Ok(value.filter(|value| !value.is_empty())),
            (_, Some(_)) => Err(Refusal::because(RequestRefusal::CookieRepeated, name)),
        }
    }

    /// Sets the cookie.
    pub fn set(self, response: &mut Response, scheme: IssuerScheme, value: &str) {
        self.write(response, scheme, value, self.lifetime().seconds());
    }

    /// Removes the cookie.
    pub fn clear(self, response: &mut Response, scheme: IssuerScheme) {
        self.write(response, scheme, "", 0);
    }

    fn write(self, response: &mut Response, scheme: IssuerScheme, value: &str, seconds: i64) {
        let name = self.name(scheme);
        let secure = match scheme {
            IssuerScheme::Https => "; Secure",
            IssuerScheme::Http => "",
        };
        let line = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
        // Names and values consist of our own characters, so this cannot fail.
        if let Ok(line) = HeaderValue::try_from(line) {
            response.headers_mut().append(SET_COOKIE, line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use sinete_core::refusal::RefusalCode;

    fn sent(lines: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(COOKIE, HeaderValue::from_str(line).unwrap());
        }
        headers
    }

    #[test]
    fn cookie_attributes_are_exact() {
        let set = |cookie: CookieName, scheme| {
            let mut response = Response::new(Body::empty());
            cookie.set(&mut response, scheme, "v");
            response.headers()[SET_COOKIE].to_str().unwrap().to_owned()
        };
        assert_eq!(
            set(CookieName::Session, IssuerScheme::Https),
            "__Host-session=v; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure"
        );
        assert_eq!(
            set(CookieName::Flow, IssuerScheme::Https),
            "__Host-flow=v; Path=/; Max-Age=1800; HttpOnly; SameSite=Lax; Secure"
        );
        assert_eq!(
            set(CookieName::Device, IssuerScheme::Http),
            "sinete_device=v; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax"
        );
        let mut response = Response::new(Body::empty());
        CookieName::Flow.clear(&mut response, IssuerScheme::Https);
        let cleared = "__Host-flow=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure";
        assert_eq!(response.headers()[SET_COOKIE], cleared);
    }

    #[test]
    fn cookie_is_found_by_its_whole_name() {
        let find = |lines: &[&str]| {
            let result =
                CookieName::Session.find(&sent(lines), IssuerScheme::Https).map(|it| it.map(str::to_owned));
            result.map_err(|refusal| refusal.code())
        };
        for lines in
            [&["__Host-session=x"][..], &["a=b; __Host-session=x ; c=d"], &["a=b", "__Host-session=x"]]
        {
            assert_eq!(find(lines), Ok(Some("x".to_owned())), "{lines:?}");
        }
        for lines in
            [&[][..], &["session=x"], &["__host-session=x"], &["x__Host-session=x"], &["__Host-session="]]
        {
            assert_eq!(find(lines), Ok(None), "{lines:?}");
        }
        for lines in [&["__Host-session=x; __Host-session=y"][..], &["__Host-session=x", "__Host-session=x"]]
        {
            assert_eq!(find(lines), Err(RefusalCode::InvalidRequest), "{lines:?}");
        }
    }
}

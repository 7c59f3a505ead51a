//! Flow tokens of one browser. A second flow in another tab replaces the flow cookie, so each flow shown on a
//! screen also has a cookie of its own with the same attributes, and both tabs continue to work.

use axum::http::header::{COOKIE, HeaderMap, HeaderValue, SET_COOKIE};
use axum::response::Response;
use sinete_core::limits::FLOW_LIFETIME;
use sinete_core::refusal::Refusal;
use sinete_server::cookies::CookieName;
use sinete_server::security_headers::IssuerScheme;

/// Maximum remembered flows.
const REMEMBERED_FLOWS_MAX: usize = 8;

/// The token of a flow in this browser, and whether it has its own cookie.
pub(crate) struct HeldFlowToken<'a> {
    pub(crate) token: &'a str,
    is_remembered: bool,
}

/// The token for the flow with this id. The engine checks whether it is that flow's.
pub(crate) fn find_flow_token<'a>(
    headers: &'a HeaderMap,
    scheme: IssuerScheme,
    id: &str,
) -> Result<Option<HeldFlowToken<'a>>, Refusal> {
    let name = flow_cookie_name(scheme, id);
    let mut values = flow_cookies(headers).filter(|(key, _)| *key == name).map(|(_, value)| value);
    if let (Some(token), None) = (values.next(), values.next()) {
        return Ok(Some(HeldFlowToken { token, is_remembered: true }));
    }
    let current = CookieName::Flow.find(headers, scheme)?;
    Ok(current.map(|token| HeldFlowToken { token, is_remembered: false }))
}

/// Stores the token in the flow's own cookie, unless it is there.
pub(crate) fn store_flow_token(
    response: &mut Response,
    headers: &HeaderMap,
    scheme: IssuerScheme,
    id: &str,
    token: &HeldFlowToken<'_>,
) {
    let prefix = format!("{}-", CookieName::Flow.name(scheme));
    let remembered = flow_cookies(headers).filter(|(key, _)| key.starts_with(&prefix)).count();
    if !token.is_remembered && remembered < REMEMBERED_FLOWS_MAX {
        write_flow_cookie(response, scheme, id, token.token, FLOW_LIFETIME.seconds());
    }
}

/// Replaces the token of the flow.
pub(crate) fn replace_flow_token(response: &mut Response, scheme: IssuerScheme, id: &str, token: &str) {
    write_flow_cookie(response, scheme, id, token, FLOW_LIFETIME.seconds());
}

/// Removes the cookie of the flow.
pub(crate) fn clear_flow_token(response: &mut Response, scheme: IssuerScheme, id: &str) {
    write_flow_cookie(response, scheme, id, "", 0);
}

fn flow_cookies(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.trim(), value.trim())).filter(|(_, value)| !value.is_empty())
}

/// The name of the flow's cookie: with the end of its id, which is random.
fn flow_cookie_name(scheme: IssuerScheme, id: &str) -> String {
    let end: String = id.chars().rev().filter(char::is_ascii_hexdigit).take(12).collect();
    format!("{}-{end}", CookieName::Flow.name(scheme))
}

fn write_flow_cookie(response: &mut Response, scheme: IssuerScheme, id: &str, token: &str, seconds: i64) {
    let secure = match scheme {
        IssuerScheme::Https => "; Secure",
        IssuerScheme::Http => "",
    };
    let name = flow_cookie_name(scheme, id);
    let line = format!("{name}={token}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    // Our own tokens are valid header values.
    if let Ok(line) = HeaderValue::try_from(line) {
        response.headers_mut().append(SET_COOKIE, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    const ONE: &str = "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071";
    const OTHER: &str = "01936f5e-7c2a-7def-8a1b-2c3d4e5f6072";

    fn sent(cookies: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, HeaderValue::from_str(cookies).unwrap());
        headers
    }

    #[test]
    fn flow_cookie_of_each_tab_is_found_and_the_newest_is_the_fallback() {
        let cookie_name = flow_cookie_name(IssuerScheme::Https, ONE);
        let headers = sent(&format!("__Host-flow=newest; {cookie_name}=first"));
        let token = |id: &str| {
            find_flow_token(&headers, IssuerScheme::Https, id).unwrap().map(|token| token.token.to_owned())
        };
        assert_eq!(token(ONE), Some("first".to_owned()));
        assert_eq!(token(OTHER), Some("newest".to_owned()));
        assert!(find_flow_token(&sent("a=b"), IssuerScheme::Https, ONE).unwrap().is_none());
    }

    #[test]
    fn flow_cookies_are_unique_and_limited_in_number() {
        let cookies = |headers: &HeaderMap| {
            let mut response = Response::new(Body::empty());
            let token = find_flow_token(headers, IssuerScheme::Https, ONE).unwrap().unwrap();
            store_flow_token(&mut response, headers, IssuerScheme::Https, ONE, &token);
            response.headers().get(SET_COOKIE).map(|line| line.to_str().unwrap().to_owned())
        };
        let set = cookies(&sent("__Host-flow=t")).unwrap();
        assert!(set.starts_with("__Host-flow-") && set.ends_with("HttpOnly; SameSite=Lax; Secure"), "{set}");
        assert_eq!(cookies(&sent(&format!("{}=t", flow_cookie_name(IssuerScheme::Https, ONE)))), None);
        let many: Vec<_> = (0..REMEMBERED_FLOWS_MAX).map(|tab| format!("__Host-flow-{tab}=t")).collect();
        assert_eq!(cookies(&sent(&format!("__Host-flow=t; {}", many.join("; ")))), None);
    }
}

//! The FAPI interaction id (FAPI 1.0 Part 1, §6.2.1), which is returned to the client. If a userinfo client
//! sends none, our request id is used.

use axum::http::header::{HeaderMap, HeaderName, HeaderValue};

/// The header, in both directions.
pub const X_FAPI_INTERACTION_ID: HeaderName = HeaderName::from_static("x-fapi-interaction-id");

/// The interaction id, if it is a UUID. Other values are not returned, so that arbitrary text cannot be
/// reflected in a response.
pub(crate) fn find_interaction_id(headers: &HeaderMap) -> Option<HeaderValue> {
    headers.get(X_FAPI_INTERACTION_ID).filter(|value| is_uuid(value.as_bytes())).cloned()
}

fn is_uuid(text: &[u8]) -> bool {
    let is_hyphen = |index: usize| matches!(index, 8 | 13 | 18 | 23);
    let fits = |(index, byte): (usize, &u8)| match is_hyphen(index) {
        true => *byte == b'-',
        false => byte.is_ascii_hexdigit(),
    };
    text.len() == 36 && text.iter().enumerate().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x_fapi_interaction_id_is_echoed_only_if_a_uuid() {
        let find_id = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(X_FAPI_INTERACTION_ID, HeaderValue::from_str(text).unwrap());
            find_interaction_id(&headers).map(|value| value.to_str().unwrap().to_owned())
        };
        let id = "c770aef3-6784-41f7-8e0e-ff5f97bddb3a";
        assert_eq!(find_id(id).as_deref(), Some(id));
        for other in [
            "",
            "1",
            "c770aef3-6784-41f7-8e0e-ff5f97bddb3",
            "c770aef3-6784-41f7-8e0e-ff5f97bddb3ag",
            "g770aef3-6784-41f7-8e0e-ff5f97bddb3a",
            "c770aef3x6784-41f7-8e0e-ff5f97bddb3a",
        ] {
            assert_eq!(find_id(other), None, "{other}");
        }
        assert_eq!(find_interaction_id(&HeaderMap::new()), None);
    }
}

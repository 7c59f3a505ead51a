//! Tokens that count only for whoever holds a key (RFC 8705 §3): stolen alone, they are worth nothing.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

/// The key a token is bound to (RFC 8705 §3.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirmation {
    /// The SHA-256 of the client's certificate, in base64url.
    #[serde(rename = "x5t#S256")]
    pub certificate: String,
}

/// Whoever shows the token did not show that they hold its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotHeld {
    /// No certificate was shown.
    #[error("the token is bound to a certificate, and none was shown")]
    NothingShown,
    /// Another certificate was shown.
    #[error("the token is bound to another certificate")]
    AnotherShown,
}

/// Who passes a token on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassedOnBy {
    /// Whoever holds it: the client it was issued to, or anybody who came by it.
    Holder,
    /// The API it is for, which was shown it and cannot hold the key, and is known by a certificate of its own.
    Audience,
}

impl Confirmation {
    /// The binding to a certificate of this digest.
    pub fn of_certificate(digest: &[u8; 32]) -> Self {
        Self { certificate: URL_SAFE_NO_PAD.encode(digest) }
    }
}

/// Whether whoever showed this may use something with that binding.
pub fn must_hold(bound: Option<&Confirmation>, shown: Option<&Confirmation>) -> Result<(), NotHeld> {
    match (bound, shown) {
        (None, _) => Ok(()),
        (Some(_), None) => Err(NotHeld::NothingShown),
        (Some(bound), Some(shown)) if bound == shown => Ok(()),
        (Some(_), Some(_)) => Err(NotHeld::AnotherShown),
    }
}

/// Whether whoever showed this may exchange a token with that binding. What comes of it is bound in turn, to what was
/// shown: a binding is never dropped on the way.
pub fn may_pass_on(
    bound: Option<&Confirmation>,
    shown: Option<&Confirmation>,
    by: PassedOnBy,
) -> Result<(), NotHeld> {
    match (by, shown) {
        (PassedOnBy::Audience, Some(_)) => Ok(()),
        (PassedOnBy::Holder | PassedOnBy::Audience, _) => must_hold(bound, shown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_bound_counts_for_its_key_alone_and_what_is_not_for_anybody() {
        let (one, other) = (Confirmation::of_certificate(&[1; 32]), Confirmation::of_certificate(&[2; 32]));
        assert_eq!(must_hold(Some(&one), Some(&one.clone())), Ok(()));
        assert_eq!(must_hold(Some(&one), Some(&other)), Err(NotHeld::AnotherShown));
        assert_eq!(must_hold(Some(&one), None), Err(NotHeld::NothingShown));
        assert_eq!((must_hold(None, None), must_hold(None, Some(&one))), (Ok(()), Ok(())));
    }

    #[test]
    fn an_api_passes_a_bound_token_on_with_a_key_of_its_own_and_never_without() {
        let (one, other) = (Confirmation::of_certificate(&[1; 32]), Confirmation::of_certificate(&[2; 32]));
        assert_eq!(may_pass_on(Some(&one), Some(&other), PassedOnBy::Audience), Ok(()));
        assert_eq!(may_pass_on(Some(&one), None, PassedOnBy::Audience), Err(NotHeld::NothingShown));
        assert_eq!(may_pass_on(Some(&one), Some(&other), PassedOnBy::Holder), Err(NotHeld::AnotherShown));
        assert_eq!(may_pass_on(Some(&one), Some(&one), PassedOnBy::Holder), Ok(()));
        assert_eq!(may_pass_on(None, None, PassedOnBy::Audience), Ok(()));
    }

    #[test]
    fn it_is_written_as_the_standard_says() {
        let written = serde_json::to_string(&Confirmation::of_certificate(&[0; 32])).unwrap();
        assert_eq!(written, r#"{"x5t#S256":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#);
    }
}

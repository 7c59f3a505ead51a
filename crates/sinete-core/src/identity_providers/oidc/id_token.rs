//! Validation of an ID token whose signature was verified (OpenID Connect Core §3.1.3.7), and its claims
//! about the user.

use crate::accounts::email_address::EmailAddress;
use crate::identity_providers::connections::IdentityProviderIssuer;
use crate::limits::{CLOCK_TOLERANCE, EXTERNAL_SUBJECT_BYTES_MAX, ID_TOKEN_AGE_MAX};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The expected values of an ID token.
#[derive(Clone, Copy, Debug)]
pub struct IdTokenExpectations<'a> {
    /// The expected `iss`.
    pub issuer: &'a IdentityProviderIssuer,
    /// Our `client_id`, which must be in `aud`.
    pub client_id: &'a str,
    /// The expected `nonce`.
    pub nonce: &'a str,
    /// The hash of the access token that `at_hash` must equal if it is present.
    pub at_hash: Option<&'a str>,
    /// The claim that identifies a provisioned membership.
    pub external_id_claim: Option<&'a str>,
    /// The time of validation.
    pub now: Timestamp,
}

/// The claims of an identity provider about a user.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdentityProviderClaims {
    /// The stable subject identifier (`sub`).
    pub subject: String,
    /// The value that identifies a provisioned membership.
    pub external_id: Option<String>,
    /// The e-mail address, only if the provider says that it is verified.
    pub verified_email: Option<EmailAddress>,
    /// The full name.
    pub name: Option<String>,
    /// The given name.
    pub given_name: Option<String>,
    /// The family name.
    pub family_name: Option<String>,
    /// The authentication context class (`acr`).
    pub acr: Option<String>,
    /// The authentication methods (`amr`).
    pub amr: Vec<String>,
    /// When the user authenticated (`auth_time`).
    pub auth_time: Option<Timestamp>,
}

impl std::fmt::Debug for IdentityProviderClaims {
    /// Omits all personal data.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Reported(…)")
    }
}

/// Why an ID token is rejected. The reason is only for our log and for the administrator of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdTokenRejection {
    /// `iss` is another provider.
    #[error("the ID token is from another issuer")]
    Issuer,
    /// `aud` does not include our `client_id`.
    #[error("the ID token is for another client")]
    Audience,
    /// `azp` is another client.
    #[error("the ID token was issued to another party")]
    AuthorizedParty,
    /// `exp` is in the past or missing.
    #[error("the ID token has expired or has no exp")]
    Expired,
    /// `iat` is too far from the current time.
    #[error("the ID token was not issued recently")]
    IssuedAt,
    /// `nonce` differs.
    #[error("the ID token does not contain the nonce of the request")]
    Nonce,
    /// `at_hash` does not match the access token.
    #[error("the ID token does not match the access token (at_hash)")]
    AccessTokenHash,
    /// `sub` is missing or invalid.
    #[error("the ID token has no valid sub")]
    Subject,
}

/// Validates the ID token and returns its claims about the user.
pub fn verify_id_token(
    claims: &Map<String, Value>,
    expected: &IdTokenExpectations<'_>,
) -> Result<IdentityProviderClaims, IdTokenRejection> {
    let text = |name: &str| claims.get(name).and_then(Value::as_str);
    let moment = |name: &str| claims.get(name).and_then(parse_seconds).map(Timestamp::from_seconds);
    if text("iss") != Some(expected.issuer.as_str()) {
        return Err(IdTokenRejection::Issuer);
    }
    check_audience(claims, expected.client_id)?;
    let now = expected.now;
    if moment("exp").is_none_or(|end| end.plus(CLOCK_TOLERANCE) <= now) {
        return Err(IdTokenRejection::Expired);
    }
    let is_of_now = |at: Timestamp| now.since(at) <= ID_TOKEN_AGE_MAX && at <= now.plus(CLOCK_TOLERANCE);
    if !moment("iat").is_some_and(is_of_now) {
        return Err(IdTokenRejection::IssuedAt);
    }
    if text("nonce") != Some(expected.nonce) {
        return Err(IdTokenRejection::Nonce);
    }
    if claims.contains_key("at_hash") && (text("at_hash") != expected.at_hash || expected.at_hash.is_none()) {
        return Err(IdTokenRejection::AccessTokenHash);
    }
    let is_name = |text: &&str| (1..=EXTERNAL_SUBJECT_BYTES_MAX).contains(&text.len());
    let subject = text("sub").filter(is_name).ok_or(IdTokenRejection::Subject)?.to_owned();
    let amr = claims.get("amr").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    Ok(IdentityProviderClaims {
        subject,
        external_id: expected
            .external_id_claim
            .filter(|name| *name != "email" || is_verified(claims))
            .and_then(text)
            .filter(is_name)
            .map(str::to_owned),
        verified_email: text("email").filter(|_| is_verified(claims)).and_then(|it| it.parse().ok()),
        name: text("name").map(str::to_owned),
        given_name: text("given_name").map(str::to_owned),
        family_name: text("family_name").map(str::to_owned),
        acr: text("acr").map(str::to_owned),
        amr: amr.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        auth_time: moment("auth_time"),
    })
}

/// Our `client_id` must be in `aud`; if there are other audiences, `azp` must be our `client_id`.
fn check_audience(claims: &Map<String, Value>, client_id: &str) -> Result<(), IdTokenRejection> {
    let is_us = |one: &Value| one.as_str() == Some(client_id);
    let is_for_others = match claims.get("aud") {
        Some(one @ Value::String(_)) if is_us(one) => false,
        Some(Value::Array(audiences)) if audiences.iter().any(is_us) => audiences.len() > 1,
        _ => return Err(IdTokenRejection::Audience),
    };
    match claims.get("azp") {
        Some(party) if is_us(party) => Ok(()),
        None if !is_for_others => Ok(()),
        Some(_) | None => Err(IdTokenRejection::AuthorizedParty),
    }
}

/// Whether the provider says that the e-mail address is verified: in the standard claim, or in Microsoft
/// Entra's claim for an address verified by the domain owner.
fn is_verified(claims: &Map<String, Value>) -> bool {
    let is_true = |value: &Value| match value {
        Value::Bool(flag) => *flag,
        Value::String(text) => text == "true" || text == "1",
        Value::Number(number) => number.as_i64() == Some(1),
        _ => false,
    };
    match claims.get("email_verified") {
        Some(value) => matches!(value, Value::Bool(true)) || value.as_str() == Some("true"),
        None => claims.get("xms_edov").is_some_and(is_true),
    }
}

/// Parses a time in seconds, which some providers send with a fraction.
fn parse_seconds(value: &Value) -> Option<i64> {
    let integer = value.as_i64();
    let fraction = value.as_f64().filter(|it| it.is_finite() && it.abs() < 1e12);
    #[expect(clippy::cast_possible_truncation, reason = "it is cut to whole seconds and small enough")]
    integer.filter(|it| it.unsigned_abs() < 1_000_000_000_000).or_else(|| fraction.map(|it| it as i64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity_providers::connections::InsecureProviderPolicy;
    use serde_json::json;

    const NOW: i64 = 1_794_700_000;

    fn checked(changes: Value) -> Result<IdentityProviderClaims, IdTokenRejection> {
        let mut claims = json!({
            "iss": "https://idp.example", "aud": "us", "sub": "7", "nonce": "n", "iat": NOW - 5, "exp": NOW + 300,
            "email": "Ana@acme.example", "email_verified": true, "name": "Ana", "oid": "abc", "amr": ["pwd", 1],
        });
        for (name, value) in changes.as_object().unwrap() {
            match value {
                Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
                value => claims[name] = value.clone(),
            }
        }
        let issuer =
            IdentityProviderIssuer::parse("https://idp.example", InsecureProviderPolicy::Refused).unwrap();
        let expected = IdTokenExpectations {
            issuer: &issuer,
            client_id: "us",
            nonce: "n",
            at_hash: Some("h"),
            external_id_claim: Some("oid"),
            now: Timestamp::from_seconds(NOW),
        };
        verify_id_token(claims.as_object().unwrap(), &expected)
    }

    #[test]
    fn upstream_id_token_that_is_valid_yields_the_identity() {
        let reported = checked(json!({})).unwrap();
        assert_eq!((reported.subject.as_str(), reported.external_id.as_deref()), ("7", Some("abc")));
        assert_eq!(reported.verified_email.unwrap().lookup_key(), "ana@acme.example");
        assert_eq!(reported.amr, ["pwd"]);
        for changes in [
            json!({"aud": ["us"]}),
            json!({"aud": ["us", "them"], "azp": "us"}),
            json!({"azp": "us"}),
            json!({"at_hash": "h"}),
            json!({"exp": NOW as f64 + 0.5}),
        ] {
            assert!(checked(changes.clone()).is_ok(), "{changes}");
        }
    }

    #[test]
    fn upstream_id_token_with_any_invalid_claim_is_rejected() {
        for (changes, rejection) in [
            (json!({"iss": "https://evil.example"}), IdTokenRejection::Issuer),
            (json!({"iss": null}), IdTokenRejection::Issuer),
            (json!({"aud": "them"}), IdTokenRejection::Audience),
            (json!({"aud": []}), IdTokenRejection::Audience),
            (json!({"aud": null}), IdTokenRejection::Audience),
            (json!({"aud": ["us", "them"]}), IdTokenRejection::AuthorizedParty),
            (json!({"aud": ["us", "them"], "azp": "them"}), IdTokenRejection::AuthorizedParty),
            (json!({"azp": "them"}), IdTokenRejection::AuthorizedParty),
            (json!({"azp": 1}), IdTokenRejection::AuthorizedParty),
            (json!({"exp": NOW - 10}), IdTokenRejection::Expired),
            (json!({"exp": null}), IdTokenRejection::Expired),
            (json!({"exp": "soon"}), IdTokenRejection::Expired),
            (json!({"iat": null}), IdTokenRejection::IssuedAt),
            (json!({"iat": NOW + 60}), IdTokenRejection::IssuedAt),
            (json!({"iat": NOW - 3600}), IdTokenRejection::IssuedAt),
            (json!({"nonce": null}), IdTokenRejection::Nonce),
            (json!({"nonce": "m"}), IdTokenRejection::Nonce),
            (json!({"at_hash": "x"}), IdTokenRejection::AccessTokenHash),
            (json!({"at_hash": 1}), IdTokenRejection::AccessTokenHash),
            (json!({"sub": null}), IdTokenRejection::Subject),
            (json!({"sub": ""}), IdTokenRejection::Subject),
            (json!({"sub": "x".repeat(256)}), IdTokenRejection::Subject),
        ] {
            assert_eq!(checked(changes.clone()), Err(rejection), "{changes}");
        }
    }

    #[test]
    fn upstream_email_is_used_only_with_email_verified() {
        let verified = |changes| checked(changes).unwrap().verified_email.is_some();
        assert!(verified(json!({"email_verified": "true"})));
        assert!(verified(json!({"email_verified": null, "xms_edov": "1"})));
        assert!(verified(json!({"email_verified": null, "xms_edov": true})));
        for changes in [
            json!({"email_verified": null}),
            json!({"email_verified": false}),
            json!({"email_verified": false, "xms_edov": true}),
            json!({"email_verified": "no"}),
            json!({"email_verified": 1}),
            json!({"email_verified": null, "xms_edov": "0"}),
            json!({"email": "not an address"}),
            json!({"email": ["ana@acme.example"]}),
        ] {
            assert!(!verified(changes.clone()), "{changes}");
        }
    }
}

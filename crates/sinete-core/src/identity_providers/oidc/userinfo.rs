//! Claims of the userinfo endpoint (OpenID Connect Core §5.3), for providers whose ID tokens lack them.
//!
//! They only add claims that the ID token lacks. Which user signed in, how and for which client is decided by
//! the ID token
//! (docs/contribute/decisions/0327-identity-providers-userinfo-when-the-id-token-lacks-claims.md).

use serde_json::{Map, Value};

/// The claims that belong together: an address is used only with the claims of the same response about it.
const EMAIL_CLAIMS: [&str; 3] = ["email", "email_verified", "xms_edov"];

/// The names of the user.
const NAME_CLAIMS: [&str; 3] = ["name", "given_name", "family_name"];

/// Claims that only the signed ID token can make.
const ID_TOKEN_CLAIMS: [&str; 12] =
    ["iss", "sub", "aud", "azp", "exp", "iat", "nbf", "nonce", "at_hash", "acr", "amr", "auth_time"];

/// The response is about another user, or about none (§5.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("its userinfo response is about another user than the ID token")]
pub struct UserinfoSubjectMismatch;

/// Whether the ID token lacks a claim that decides about the user: the e-mail address, or the external id.
pub fn lacks_user_claims(id_token: &Map<String, Value>, external_id_claim: Option<&str>) -> bool {
    !id_token.contains_key("email") || external_id_claim.is_some_and(|name| !id_token.contains_key(name))
}

/// The claims of the ID token, and those of the userinfo response that it lacks.
pub fn merge_userinfo(
    id_token: &Map<String, Value>,
    userinfo: &Map<String, Value>,
    external_id_claim: Option<&str>,
) -> Result<Map<String, Value>, UserinfoSubjectMismatch> {
    let subject = |claims: &Map<String, Value>| claims.get("sub").and_then(Value::as_str).map(str::to_owned);
    if subject(userinfo).is_none() || subject(userinfo) != subject(id_token) {
        return Err(UserinfoSubjectMismatch);
    }
    let mut merged = id_token.clone();
    if !id_token.contains_key("email") {
        for name in EMAIL_CLAIMS {
            merged.remove(name);
            merged.extend(userinfo.get(name).map(|value| (name.to_owned(), value.clone())));
        }
    }
    let is_own = |name: &&str| !ID_TOKEN_CLAIMS.contains(name) && !EMAIL_CLAIMS.contains(name);
    for name in NAME_CLAIMS.into_iter().chain(external_id_claim.filter(is_own)) {
        if let (None, Some(value)) = (id_token.get(name), userinfo.get(name)) {
            merged.insert(name.to_owned(), value.clone());
        }
    }
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn merge(id_token: Value, userinfo: Value) -> Result<Value, UserinfoSubjectMismatch> {
        let (id_token, userinfo) = (id_token.as_object().unwrap(), userinfo.as_object().unwrap());
        merge_userinfo(id_token, userinfo, Some("oid")).map(Value::Object)
    }

    #[test]
    fn upstream_userinfo_is_needed_without_an_address_or_the_external_id() {
        let lacks = |claims: Value, external| lacks_user_claims(claims.as_object().unwrap(), external);
        assert!(lacks(json!({"sub": "7"}), None));
        assert!(lacks(json!({"email": "a@b.example"}), Some("oid")));
        assert!(!lacks(json!({"email": "a@b.example"}), None));
        assert!(!lacks(json!({"email": "a@b.example", "oid": "x"}), Some("oid")));
    }

    #[test]
    fn upstream_userinfo_adds_what_the_id_token_lacks() {
        let userinfo =
            json!({"sub": "7", "email": "a@b.example", "email_verified": true, "name": "Ana", "oid": "x"});
        assert_eq!(merge(json!({"sub": "7"}), userinfo.clone()).unwrap(), userinfo);
        // The claims of the ID token take precedence, and its address is not verified by a claim about
        // another one.
        let id_token_claims = json!({"sub": "7", "email": "z@b.example", "name": "Zoe", "oid": "y"});
        assert_eq!(merge(id_token_claims.clone(), userinfo).unwrap(), id_token_claims);
    }

    #[test]
    fn upstream_userinfo_does_not_replace_claims_of_the_id_token() {
        let hostile = json!({"sub": "7", "iss": "x", "aud": "x", "acr": "high", "amr": ["mfa"], "auth_time": 1,
            "exp": 1, "groups": ["owners"]});
        assert_eq!(merge(json!({"sub": "7"}), hostile).unwrap(), json!({"sub": "7"}));
        // A verification without an address verifies nothing later.
        let id_token_claims = json!({"sub": "7", "email_verified": true});
        let userinfo = json!({"sub": "7", "email": "a@b.example"});
        assert_eq!(merge(id_token_claims, userinfo.clone()).unwrap(), userinfo);
    }

    #[test]
    fn upstream_userinfo_of_another_subject_is_rejected() {
        for userinfo in
            [json!({"sub": "8", "email": "a@b.example"}), json!({"email": "a@b.example"}), json!({"sub": 7})]
        {
            assert_eq!(merge(json!({"sub": "7"}), userinfo), Err(UserinfoSubjectMismatch));
        }
    }
}

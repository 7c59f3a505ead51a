//! How sure we must be of who somebody is before a request is granted.

use super::response::{AuthorizationErrorCode, AuthorizationRefusal};
use crate::assurance::AssuranceLevel;
use serde_json::{Map, Value};

/// The level a request needs: what the organization asks for at least, and what the client says is essential.
/// What a client would merely like (`acr_values`, or a claim that is not essential) forces nobody.
pub fn resolve_required_level(
    least: AssuranceLevel,
    claims: &Map<String, Value>,
) -> Result<AssuranceLevel, AuthorizationRefusal> {
    let acr = claims.get("id_token").and_then(|claims| claims.get("acr"));
    let Some(acr) = acr.filter(|acr| acr.get("essential") == Some(&Value::Bool(true))) else {
        return Ok(least);
    };
    let several = acr.get("values").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let named: Vec<&str> = acr.get("value").into_iter().chain(several).filter_map(Value::as_str).collect();
    if named.is_empty() {
        return Ok(least);
    }
    let known = |name: &&str| AssuranceLevel::ALL.into_iter().find(|level| level.acr() == *name);
    // OpenID Connect Core §5.5.1.1: where none of them can be met, the sign-in has failed.
    let lowest = named.iter().filter_map(known).min();
    let lowest = lowest
        .ok_or((AuthorizationErrorCode::AccessDenied, "the assurance asked for does not exist here"))?;
    Ok(lowest.max(least))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asked(acr: Value) -> Result<AssuranceLevel, AuthorizationRefusal> {
        resolve_required_level(AssuranceLevel::One, json!({"id_token": {"acr": acr}}).as_object().unwrap())
    }

    #[test]
    fn acr_is_required_only_when_essential() {
        let two = AssuranceLevel::Two.acr();
        assert_eq!(asked(json!({"essential": true, "value": two})), Ok(AssuranceLevel::Two));
        assert_eq!(asked(json!({"essential": true, "values": ["urn:other", two]})), Ok(AssuranceLevel::Two));
        for wish in [
            json!(null),
            json!({"value": two}),
            json!({"essential": false, "values": [two]}),
            json!({"essential": true}),
        ] {
            assert_eq!(asked(wish), Ok(AssuranceLevel::One));
        }
        assert_eq!(
            asked(json!({"essential": true, "values": [two, AssuranceLevel::One.acr()]})),
            Ok(AssuranceLevel::One)
        );
        assert_eq!(resolve_required_level(AssuranceLevel::Two, &Map::new()), Ok(AssuranceLevel::Two));
    }

    #[test]
    fn essential_acr_that_cannot_be_met_is_access_denied() {
        let refused = asked(json!({"essential": true, "value": "urn:mace:incommon:iap:gold"}));
        assert_eq!(refused.unwrap_err().0, AuthorizationErrorCode::AccessDenied);
    }
}

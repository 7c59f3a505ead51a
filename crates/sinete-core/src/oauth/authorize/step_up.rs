//! The assurance level that a request requires.

use super::response::{AuthorizationErrorCode, AuthorizationRefusal};
use crate::assurance::AssuranceLevel;
use serde_json::{Map, Value};

/// Returns the required level: the higher of the organization's minimum and the client's essential `acr`
/// claim. `acr_values` and non-essential claims are preferences and require nothing.
pub fn resolve_required_level(
    least: AssuranceLevel,
    claims: &Map<String, Value>,
) -> Result<AssuranceLevel, AuthorizationRefusal> {
    let acr = claims.get("id_token").and_then(|claims| claims.get("acr"));
    let Some(acr) = acr.filter(|acr| acr.get("essential") == Some(&Value::Bool(true))) else {
        return Ok(least);
    };
    let values = acr.get("values").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let requested_acrs: Vec<&str> =
        acr.get("value").into_iter().chain(values).filter_map(Value::as_str).collect();
    if requested_acrs.is_empty() {
        return Ok(least);
    }
    let find_level = |name: &&str| AssuranceLevel::ALL.into_iter().find(|level| level.acr() == *name);
    // OpenID Connect Core §5.5.1.1: if none of the essential values can be met, authentication fails.
    let lowest = requested_acrs.iter().filter_map(find_level).min();
    let lowest = lowest.ok_or((
        AuthorizationErrorCode::AccessDenied,
        "The acr_values contain no authentication context of this instance. Send one that \
         acr_values_supported lists."
            .into(),
    ))?;
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
        for acr_claim in [
            json!(null),
            json!({"value": two}),
            json!({"essential": false, "values": [two]}),
            json!({"essential": true}),
        ] {
            assert_eq!(asked(acr_claim), Ok(AssuranceLevel::One));
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

//! The AuthZEN policy decision point metadata (AuthZEN Authorization API 1.0 §9).

use serde_json::{Map, Value, json};

/// Builds the metadata of the decision point at this issuer with these endpoint paths.
pub fn build_pdp_metadata(issuer: &str, endpoints: &[(&str, &str)]) -> Map<String, Value> {
    let mut members = Map::new();
    members.insert("policy_decision_point".to_owned(), json!(issuer));
    for (name, path) in endpoints {
        members.insert((*name).to_owned(), json!(format!("{}{path}", issuer.trim_end_matches('/'))));
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authzen_metadata_names_its_issuer_and_endpoints() {
        for issuer in ["https://id.example/tenant", "https://id.example/tenant/"] {
            let document =
                build_pdp_metadata(issuer, &[("access_evaluation_endpoint", "/access/v1/evaluation")]);
            let evaluation_endpoint = "https://id.example/tenant/access/v1/evaluation";
            let expected =
                json!({"policy_decision_point": issuer, "access_evaluation_endpoint": evaluation_endpoint});
            assert_eq!(Value::Object(document), expected);
        }
    }
}

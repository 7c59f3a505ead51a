//! SCIM error responses (RFC 7644 §3.12).

use super::ERROR_SCHEMA;
use crate::refusal::{Refusal, RefusalCode};
use serde_json::{Value, json};

/// The maximum number of reported validation errors.
const REPORTED_ERRORS_MAX: usize = 8;

/// The HTTP status in SCIM. Semantic errors are 400, because SCIM defines no 422.
pub const fn scim_status(code: RefusalCode) -> u16 {
    match code {
        RefusalCode::Unprocessable => 400,
        other => other.status(),
    }
}

/// The `scimType`, if one is defined.
pub const fn scim_type(code: RefusalCode) -> Option<&'static str> {
    match code {
        RefusalCode::InvalidFilter
        | RefusalCode::TooMany
        | RefusalCode::Uniqueness
        | RefusalCode::Mutability
        | RefusalCode::InvalidSyntax
        | RefusalCode::InvalidPath
        | RefusalCode::NoTarget
        | RefusalCode::InvalidValue => Some(code.name()),
        RefusalCode::InvalidRequest => Some(RefusalCode::InvalidSyntax.name()),
        RefusalCode::Unprocessable => Some(RefusalCode::InvalidValue.name()),
        _ => None,
    }
}

/// Builds the error body.
pub fn build_error_body(refusal: &Refusal) -> Value {
    let errors = refusal.validation_errors().iter().take(REPORTED_ERRORS_MAX);
    let messages: Vec<String> = errors
        .map(|fault| match fault.pointer.trim_start_matches('/') {
            "" => fault.text.to_string(),
            pointer => format!("{pointer}: {}", fault.text),
        })
        .collect();
    let detail = if messages.is_empty() { refusal.public_text().into_owned() } else { messages.join("; ") };
    let mut body = json!({
        "schemas": [ERROR_SCHEMA], "status": scim_status(refusal.code()).to_string(), "detail": detail,
    });
    if let Some(word) = scim_type(refusal.code()) {
        body["scimType"] = word.into();
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::request::RequestRefusal;
    use crate::refusal::scim::ScimRefusal;
    use crate::scim::refuse_attribute;

    /// The `scimType` values of RFC 7644 §3.12, table 9.
    const WORDS: [&str; 10] = [
        "invalidFilter",
        "tooMany",
        "uniqueness",
        "mutability",
        "invalidSyntax",
        "invalidPath",
        "noTarget",
        "invalidValue",
        "invalidVers",
        "sensitive",
    ];

    #[test]
    fn scim_error_names_its_attribute_and_uses_a_standard_scim_type() {
        for &code in RefusalCode::ALL {
            assert!(scim_type(code).is_none_or(|word| WORDS.contains(&word)), "{code:?}");
        }
        let refusal =
            refuse_attribute(ScimRefusal::ValueInvalid("must be a boolean: true or false"), "active");
        let expected = json!({
            "schemas": [ERROR_SCHEMA], "status": "400", "scimType": "invalidValue",
            "detail": "active: must be a boolean: true or false"});
        assert_eq!(build_error_body(&refusal), expected);
        let refusal = Refusal::because(RequestRefusal::NotFound, "private");
        let expected = json!({"schemas": [ERROR_SCHEMA], "status": "404", "detail": refusal.public_text()});
        assert_eq!(build_error_body(&refusal), expected);
    }
}

//! The schemas of credentials that are set up.

use sinete_server::schema::NamedSchema;

pub(crate) const NEW_PASSKEY: NamedSchema = NamedSchema::from_json(
    "FlowNewPasskey",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["credential"],
        "description": "The result of `navigator.credentials.create` as JSON, and a name for the passkey.",
        "properties": {
            "credential": {"type": "object"},
            "name": {"type": "string", "minLength": 1, "maxLength": 100}
        }
    }"#,
);

pub(crate) const TOTP_CONFIRMATION: NamedSchema = NamedSchema::from_json(
    "FlowFirstDigits",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["code"],
        "description": "The code that the authenticator app displays, and a name for the app.",
        "properties": {
            "code": {"type": "string", "minLength": 1, "maxLength": 64},
            "name": {"type": "string", "minLength": 1, "maxLength": 100}
        }
    }"#,
);

pub(crate) const CHOOSE_FACTOR: NamedSchema = NamedSchema::from_json(
    "FlowChooseFactor",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["credential"],
        "description": "The second factor to set up, among those in `may_enroll`.",
        "properties": {"credential": {"type": "string", "enum": ["passkey", "totp"]}}
    }"#,
);

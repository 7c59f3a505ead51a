//! `/healthz` and `/readyz`.

pub(crate) mod handlers;

use sinete_server::schema::NamedSchema;

/// The schemas of these routes.
pub(crate) const SCHEMAS: &[&NamedSchema] = &[&STATUS_SCHEMA, &JWKS_SCHEMA];

pub(crate) const STATUS_SCHEMA: NamedSchema = NamedSchema::from_json(
    "Status",
    r#"{"type":"object","required":["status"],"additionalProperties":false,"properties":{"status":{"type":"string"}},"examples":[{"status":"ok"}]}"#,
);
pub(crate) const JWKS_SCHEMA: NamedSchema = NamedSchema::from_json(
    "Keys",
    r#"{"type":"object","required":["keys"],"properties":{"keys":{"type":"array","items":{"type":"object"}}}}"#,
);

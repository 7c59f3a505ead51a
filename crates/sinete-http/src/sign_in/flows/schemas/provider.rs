//! The schemas of sign-in at an identity provider.

use sinete_server::schema::NamedSchema;

/// The schema for starting a sign-in at a provider.
pub(crate) const SINGLE_SIGN_ON: NamedSchema = NamedSchema::from_json(
    "FlowSingleSignOn",
    r#"{
        "type": "object", "additionalProperties": false,
        "description": "The identity provider of an organization: by an e-mail address whose domain is routed to it, or by its connection. Send neither if the user of the flow is known.",
        "properties": {
            "email": {"type": "string", "minLength": 1, "maxLength": 254},
            "connection": {"type": "string", "format": "uuid", "maxLength": 64},
            "return_to": {
                "type": "string", "minLength": 1, "maxLength": 2048,
                "description": "For a flow with tokens: the URL on its own machine at which the program receives the response of the provider."
            }
        },
        "examples": [{"email": "ana@acme.example"}]
    }"#,
);

/// The schema of a provider's response.
pub(crate) const PROVIDER_RESPONSE: NamedSchema = NamedSchema::from_json(
    "FlowProviderAnswer",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["state"],
        "description": "The response of the identity provider, unchanged.",
        "properties": {
            "state": {"type": "string", "minLength": 1, "maxLength": 200},
            "code": {"type": "string", "minLength": 1, "maxLength": 4096},
            "iss": {"type": "string", "minLength": 1, "maxLength": 512},
            "error": {"type": "string", "minLength": 1, "maxLength": 200}
        },
        "examples": [{"state": "AZNvXnwqfe-KGyw9Tl9gcQ", "code": "SplxlOBeZQQYbYS6WxSbIA", "iss": "https://login.acme.example"}]
    }"#,
);

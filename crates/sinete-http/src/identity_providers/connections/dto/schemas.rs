//! The schemas of connections.

use sinete_server::schema::NamedSchema;

pub(crate) const SCHEMAS: &[&NamedSchema] =
    &[&NEW_CONNECTION, &CONNECTION_PATCH, &CONNECTION, &CONNECTION_TRIAL];

/// The schema for creating a connection.
pub(crate) const NEW_CONNECTION: NamedSchema = NamedSchema::from_json(
    "CreateConnectionRequest",
    r##"{
        "type": "object", "additionalProperties": false, "required": ["name"],
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 200, "description": "What people read on the button."},
            "issuer": {"type": "string", "minLength": 1, "maxLength": 512, "description": "Who the provider is, exactly as it writes it; for SAML its entity ID. It cannot be changed later."},
            "client_id": {"type": "string", "minLength": 1, "maxLength": 256, "description": "The name by which the provider knows this service."},
            "authentication": {"type": "string", "enum": ["client_secret", "private_key"], "default": "client_secret", "description": "How this service proves to the provider who it is: with its secret, or with a signature that its published keys verify."},
            "client_secret": {"type": "string", "minLength": 1, "maxLength": 1024, "description": "What the provider gave. It is never shown again."},
            "scopes": {"type": "array", "minItems": 1, "maxItems": 20, "items": {"type": "string", "minLength": 1, "maxLength": 256}, "default": ["openid", "email", "profile"]},
            "two_factors": {
                "type": "object", "additionalProperties": false,
                "description": "What the provider says that is taken for two factors. Everything else is one.",
                "properties": {
                    "acr": {"type": "array", "maxItems": 20, "items": {"type": "string", "minLength": 1, "maxLength": 256}},
                    "amr": {"type": "array", "maxItems": 20, "items": {"type": "string", "minLength": 1, "maxLength": 256}}
                }
            },
            "external_id_claim": {"type": ["string", "null"], "minLength": 1, "maxLength": 256, "default": null, "description": "The claim that equals the external id of a membership that was provisioned, at the one provider that names the people of the organization's directory; null at any other."},
            "saml": {
                "type": "object", "additionalProperties": false,
                "description": "What is chosen about a provider that speaks SAML 2.0. Where it is there, the provider does.",
                "properties": {
                    "sso_url": {"type": "string", "maxLength": 1024, "description": "Where people are sent to sign in, by HTTP-Redirect."},
                    "certificates": {"type": "array", "maxItems": 5, "items": {"type": "string", "minLength": 1, "maxLength": 8192}, "description": "The certificates whose keys verify what the provider signs, in PEM."},
                    "subject": {"type": "string", "minLength": 1, "maxLength": 256, "default": "NameID", "description": "What somebody is known by: NameID, where it is a persistent one, or the name of an attribute that stays theirs."},
                    "email": {"type": ["string", "null"], "minLength": 1, "maxLength": 256, "description": "The attribute that holds the address, which people must not be able to change there, or NameID. Without one nobody joins on the fly."},
                    "full_name": {"type": ["string", "null"], "minLength": 1, "maxLength": 256},
                    "given_name": {"type": ["string", "null"], "minLength": 1, "maxLength": 256},
                    "family_name": {"type": ["string", "null"], "minLength": 1, "maxLength": 256},
                    "contexts": {"type": "array", "maxItems": 20, "items": {"type": "string", "minLength": 1, "maxLength": 256}, "description": "Authentication contexts that are asked for; any, where there are none."}
                }
            },
            "metadata": {"type": "string", "minLength": 1, "maxLength": 49152, "description": "What a provider that speaks SAML says about itself, as XML: who it is, where people are sent, and what it signs with are taken from there."},
            "domains": {"type": "array", "maxItems": 50, "uniqueItems": true, "items": {"type": "string", "minLength": 1, "maxLength": 253}, "description": "The domains of the organization whose addresses lead to this provider, once they are proven."},
            "enabled": {"type": "boolean", "default": false, "description": "Whether people are sent there."}
        },
        "examples": [{"name": "Acme", "issuer": "https://login.acme.example", "client_id": "sinete", "client_secret": "as the provider shows it", "domains": ["acme.example"], "enabled": true}]
    }"##,
);

/// The schema for changing a connection.
pub(crate) const CONNECTION_PATCH: NamedSchema = NamedSchema::from_json(
    "ConnectionPatch",
    r##"{
        "type": "object", "additionalProperties": false,
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 200},
            "client_id": {"type": "string", "minLength": 1, "maxLength": 256},
            "authentication": {"type": "string", "enum": ["client_secret", "private_key"]},
            "client_secret": {"type": "string", "minLength": 1, "maxLength": 1024, "description": "Left out, the one there is stays."},
            "scopes": {"type": "array", "minItems": 1, "maxItems": 20, "items": {"type": "string", "minLength": 1, "maxLength": 256}},
            "two_factors": {
                "type": "object", "additionalProperties": false,
                "properties": {
                    "acr": {"type": ["array", "null"], "maxItems": 20, "items": {"type": "string", "minLength": 1, "maxLength": 256}},
                    "amr": {"type": ["array", "null"], "maxItems": 20, "items": {"type": "string", "minLength": 1, "maxLength": 256}}
                }
            },
            "external_id_claim": {"type": ["string", "null"], "minLength": 1, "maxLength": 256},
            "saml": {
                "type": "object", "additionalProperties": false,
                "description": "What is chosen about a provider that speaks SAML 2.0. Where it is there, the provider does.",
                "properties": {
                    "sso_url": {"type": "string", "maxLength": 1024, "description": "Where people are sent to sign in, by HTTP-Redirect."},
                    "certificates": {"type": "array", "maxItems": 5, "items": {"type": "string", "minLength": 1, "maxLength": 8192}, "description": "The certificates whose keys verify what the provider signs, in PEM."},
                    "subject": {"type": "string", "minLength": 1, "maxLength": 256, "default": "NameID", "description": "What somebody is known by: NameID, where it is a persistent one, or the name of an attribute that stays theirs."},
                    "email": {"type": ["string", "null"], "minLength": 1, "maxLength": 256, "description": "The attribute that holds the address, which people must not be able to change there, or NameID. Without one nobody joins on the fly."},
                    "full_name": {"type": ["string", "null"], "minLength": 1, "maxLength": 256},
                    "given_name": {"type": ["string", "null"], "minLength": 1, "maxLength": 256},
                    "family_name": {"type": ["string", "null"], "minLength": 1, "maxLength": 256},
                    "contexts": {"type": "array", "maxItems": 20, "items": {"type": "string", "minLength": 1, "maxLength": 256}, "description": "Authentication contexts that are asked for; any, where there are none."}
                }
            },
            "metadata": {"type": "string", "minLength": 1, "maxLength": 49152, "description": "What a provider that speaks SAML says about itself, as XML: who it is, where people are sent, and what it signs with are taken from there."},
            "domains": {"type": "array", "maxItems": 50, "uniqueItems": true, "items": {"type": "string", "minLength": 1, "maxLength": 253}},
            "enabled": {"type": "boolean"}
        },
        "examples": [{"enabled": false}]
    }"##,
);

/// The schema of the resource.
pub(crate) const CONNECTION: NamedSchema = NamedSchema::from_json(
    "Connection",
    r##"{
        "type": "object", "additionalProperties": false,
        "required": ["id", "kind", "issuer", "name", "two_factors", "external_id_claim", "domains", "enabled", "has_secret", "confirmed", "callback", "created_at", "version"],
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "kind": {"type": "string", "enum": ["oidc", "saml"]},
            "issuer": {"type": "string"},
            "name": {"type": "string"},
            "client_id": {"type": "string"},
            "authentication": {"type": "string", "enum": ["client_secret", "private_key"]},
            "scopes": {"type": "array", "items": {"type": "string"}},
            "two_factors": {
                "type": "object", "additionalProperties": false,
                "properties": {
                    "acr": {"type": "array", "items": {"type": "string"}},
                    "amr": {"type": "array", "items": {"type": "string"}}
                }
            },
            "external_id_claim": {"type": ["string", "null"]},
            "saml": {
                "type": "object", "additionalProperties": false,
                "properties": {
                    "sso_url": {"type": "string", "maxLength": 1024, "description": "Where people are sent to sign in, by HTTP-Redirect."},
                    "certificates": {"type": "array", "maxItems": 5, "items": {"type": "string", "minLength": 1, "maxLength": 8192}, "description": "The certificates whose keys verify what the provider signs, in PEM."},
                    "subject": {"type": "string", "minLength": 1, "maxLength": 256, "description": "What somebody is known by: NameID, where it is a persistent one, or the name of an attribute that stays theirs."},
                    "email": {"type": "string", "minLength": 1, "maxLength": 256, "description": "The attribute that holds the address, which people must not be able to change there, or NameID. Without one nobody joins on the fly."},
                    "full_name": {"type": "string", "minLength": 1, "maxLength": 256},
                    "given_name": {"type": "string", "minLength": 1, "maxLength": 256},
                    "family_name": {"type": "string", "minLength": 1, "maxLength": 256},
                    "contexts": {"type": "array", "maxItems": 20, "items": {"type": "string", "minLength": 1, "maxLength": 256}, "description": "Authentication contexts that are asked for; any, where there are none."}
                }
            },
            "entity_id": {"type": "string", "description": "The name of this service at a provider that speaks SAML, and the address of what it says about itself."},
            "certificates": {
                "type": "array", "description": "The certificates of a provider that speaks SAML.",
                "items": {
                    "type": "object", "additionalProperties": false, "required": ["sha256", "ends_at"],
                    "properties": {"sha256": {"type": "string"}, "ends_at": {"type": "string", "format": "date-time"}}
                }
            },
            "domains": {"type": "array", "items": {"type": "string"}},
            "enabled": {"type": "boolean"},
            "has_secret": {"type": "boolean"},
            "confirmed": {"type": "boolean", "description": "Whether an owner set the connection up, or has saved it since. Only then are provisioned memberships claimed through it, and can it be switched on with `sso:manage` alone."},
            "callback": {"type": "string", "description": "The address to register at the provider, to which it sends people back."},
            "created_at": {"type": "string", "format": "date-time"},
            "version": {"type": "integer", "minimum": 1}
        }
    }"##,
);

/// The schema of a test result.
pub(crate) const CONNECTION_TRIAL: NamedSchema = NamedSchema::from_json(
    "ConnectionTrial",
    r##"{
        "type": "object", "additionalProperties": false, "required": ["works", "checks"],
        "properties": {
            "works": {"type": "boolean"},
            "checks": {
                "type": "array",
                "items": {
                    "type": "object", "additionalProperties": false, "required": ["check", "wrong"],
                    "properties": {
                        "check": {"type": "string", "enum": ["description", "keys", "credentials", "certificates"]},
                        "wrong": {"type": ["string", "null"], "description": "What is wrong with it, in plain words."}
                    }
                }
            }
        }
    }"##,
);

//! The schemas of connections.

use sinete_server::schema::NamedSchema;

pub(crate) const SCHEMAS: &[&NamedSchema] =
    &[&NEW_CONNECTION, &CONNECTION_PATCH, &CONNECTION, &CONNECTION_TEST_RESULT];

/// The schema for creating a connection.
pub(crate) const NEW_CONNECTION: NamedSchema = NamedSchema::from_json(
    "CreateConnectionRequest",
    r##"{
        "type": "object", "additionalProperties": false, "required": ["name"],
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 200, "description": "The name on the sign-in button."},
            "issuer": {"type": "string", "minLength": 1, "maxLength": 512, "description": "The issuer, exactly as the provider writes it; for SAML, its entity ID. It cannot be changed later."},
            "client_id": {"type": "string", "minLength": 1, "maxLength": 256, "description": "The client id of this service at the provider."},
            "authentication": {"type": "string", "enum": ["client_secret", "private_key"], "default": "client_secret", "description": "The client authentication at the provider: with the client secret, or with a signature of this service's published keys (`private_key_jwt`)."},
            "client_secret": {"type": "string", "minLength": 1, "maxLength": 1024, "description": "The client secret that the provider issued. It is never returned."},
            "scopes": {"type": "array", "minItems": 1, "maxItems": 20, "items": {"type": "string", "minLength": 1, "maxLength": 256}, "default": ["openid", "email", "profile"]},
            "two_factors": {
                "type": "object", "additionalProperties": false,
                "description": "The `acr` and `amr` values of the provider that count as two factors. Every other sign-in counts as one.",
                "properties": {
                    "acr": {"type": "array", "maxItems": 20, "items": {"type": "string", "minLength": 1, "maxLength": 256}},
                    "amr": {"type": "array", "maxItems": 20, "items": {"type": "string", "minLength": 1, "maxLength": 256}}
                }
            },
            "external_id_claim": {"type": ["string", "null"], "minLength": 1, "maxLength": 256, "default": null, "description": "The claim whose value equals the external id of provisioned memberships. Only one connection of an organization can have it: that to the identity provider of its directory."},
            "saml": {
                "type": "object", "additionalProperties": false,
                "description": "The settings of a SAML 2.0 provider. If present, the connection uses SAML.",
                "properties": {
                    "sso_url": {"type": "string", "maxLength": 1024, "description": "The single sign-on URL, for the HTTP-Redirect binding."},
                    "certificates": {"type": "array", "maxItems": 5, "items": {"type": "string", "minLength": 1, "maxLength": 8192}, "description": "The signing certificates of the provider, in PEM."},
                    "subject": {"type": "string", "minLength": 1, "maxLength": 256, "default": "NameID", "description": "What identifies a user: `NameID`, if it is persistent, or the name of an attribute that never changes for a user."},
                    "email": {"type": ["string", "null"], "minLength": 1, "maxLength": 256, "description": "The attribute with the e-mail address, or `NameID`. Users must not be able to change it at the provider. Without it, there is no just-in-time provisioning."},
                    "full_name": {"type": ["string", "null"], "minLength": 1, "maxLength": 256},
                    "given_name": {"type": ["string", "null"], "minLength": 1, "maxLength": 256},
                    "family_name": {"type": ["string", "null"], "minLength": 1, "maxLength": 256},
                    "contexts": {"type": "array", "maxItems": 20, "items": {"type": "string", "minLength": 1, "maxLength": 256}, "description": "The requested authentication contexts; any, if empty."}
                }
            },
            "metadata": {"type": "string", "minLength": 1, "maxLength": 49152, "description": "The metadata of a SAML provider, as XML. The entity ID, the single sign-on URL and the signing certificates are read from it."},
            "domains": {"type": "array", "maxItems": 50, "uniqueItems": true, "items": {"type": "string", "minLength": 1, "maxLength": 253}, "description": "The domains of the organization whose users are sent to this provider, once the domains are verified."},
            "enabled": {"type": "boolean", "default": false, "description": "Whether users can sign in with it."}
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
            "client_secret": {"type": "string", "minLength": 1, "maxLength": 1024, "description": "If omitted, the stored secret is kept."},
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
                "description": "The settings of a SAML 2.0 provider. If present, the connection uses SAML.",
                "properties": {
                    "sso_url": {"type": "string", "maxLength": 1024, "description": "The single sign-on URL, for the HTTP-Redirect binding."},
                    "certificates": {"type": "array", "maxItems": 5, "items": {"type": "string", "minLength": 1, "maxLength": 8192}, "description": "The signing certificates of the provider, in PEM."},
                    "subject": {"type": "string", "minLength": 1, "maxLength": 256, "default": "NameID", "description": "What identifies a user: `NameID`, if it is persistent, or the name of an attribute that never changes for a user."},
                    "email": {"type": ["string", "null"], "minLength": 1, "maxLength": 256, "description": "The attribute with the e-mail address, or `NameID`. Users must not be able to change it at the provider. Without it, there is no just-in-time provisioning."},
                    "full_name": {"type": ["string", "null"], "minLength": 1, "maxLength": 256},
                    "given_name": {"type": ["string", "null"], "minLength": 1, "maxLength": 256},
                    "family_name": {"type": ["string", "null"], "minLength": 1, "maxLength": 256},
                    "contexts": {"type": "array", "maxItems": 20, "items": {"type": "string", "minLength": 1, "maxLength": 256}, "description": "The requested authentication contexts; any, if empty."}
                }
            },
            "metadata": {"type": "string", "minLength": 1, "maxLength": 49152, "description": "The metadata of a SAML provider, as XML. The entity ID, the single sign-on URL and the signing certificates are read from it."},
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
                    "sso_url": {"type": "string", "maxLength": 1024, "description": "The single sign-on URL, for the HTTP-Redirect binding."},
                    "certificates": {"type": "array", "maxItems": 5, "items": {"type": "string", "minLength": 1, "maxLength": 8192}, "description": "The signing certificates of the provider, in PEM."},
                    "subject": {"type": "string", "minLength": 1, "maxLength": 256, "description": "What identifies a user: `NameID`, if it is persistent, or the name of an attribute that never changes for a user."},
                    "email": {"type": "string", "minLength": 1, "maxLength": 256, "description": "The attribute with the e-mail address, or `NameID`. Users must not be able to change it at the provider. Without it, there is no just-in-time provisioning."},
                    "full_name": {"type": "string", "minLength": 1, "maxLength": 256},
                    "given_name": {"type": "string", "minLength": 1, "maxLength": 256},
                    "family_name": {"type": "string", "minLength": 1, "maxLength": 256},
                    "contexts": {"type": "array", "maxItems": 20, "items": {"type": "string", "minLength": 1, "maxLength": 256}, "description": "The requested authentication contexts; any, if empty."}
                }
            },
            "entity_id": {"type": "string", "description": "The entity ID of this service at a SAML provider, which is also the URL of its metadata."},
            "certificates": {
                "type": "array", "description": "The signing certificates of a SAML provider.",
                "items": {
                    "type": "object", "additionalProperties": false, "required": ["sha256", "ends_at"],
                    "properties": {"sha256": {"type": "string"}, "ends_at": {"type": "string", "format": "date-time"}}
                }
            },
            "domains": {"type": "array", "items": {"type": "string"}},
            "enabled": {"type": "boolean"},
            "has_secret": {"type": "boolean"},
            "confirmed": {"type": "boolean", "description": "Whether an owner created the connection or has saved it since. Only then are provisioned memberships claimed through it, and can it be enabled with `sso:manage` alone."},
            "callback": {"type": "string", "description": "The redirect URI or ACS URL to register at the provider."},
            "created_at": {"type": "string", "format": "date-time"},
            "version": {"type": "integer", "minimum": 1}
        }
    }"##,
);

/// The schema of a test result.
pub(crate) const CONNECTION_TEST_RESULT: NamedSchema = NamedSchema::from_json(
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
                        "wrong": {"type": ["string", "null"], "description": "What is wrong, in English; null if the check passed."}
                    }
                }
            }
        }
    }"##,
);

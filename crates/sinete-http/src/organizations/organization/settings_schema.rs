//! The schemas of an organization's settings.

use sinete_server::schema::NamedSchema;

/// The schema of the settings.
pub(super) const SETTINGS: NamedSchema = NamedSchema::from_json(
    "OrganizationSettings",
    r##"{
        "type": "object", "additionalProperties": false,
        "description": "What the organization decides for itself. What is left out has its default.",
        "properties": {
            "least_assurance": {
                "type": "string", "enum": ["aal1", "aal2"], "default": "aal1",
                "description": "The least assurance a token of this organization is issued at."
            },
            "least_assurance_from": {
                "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
                "description": "The date from which least_assurance applies, from midnight UTC on; left out, at once. Until then aal1 suffices."
            },
            "single_sign_on": {
                "type": "string", "enum": ["optional", "required"],
                "description": "Whether its members must have signed in at a provider of its own."
            },
            "allowed_credentials": {
                "type": "array", "maxItems": 8, "uniqueItems": true,
                "description": "The credentials its members may sign in with; left out, every kind.",
                "items": {
                    "type": "string",
                    "enum": ["passkey", "magic_link", "email_code", "sms_code", "totp", "recovery_code", "password", "single_sign_on"]
                }
            },
            "refused_grants": {
                "type": "array", "maxItems": 5, "uniqueItems": true,
                "description": "The ways of getting a token that are switched off.",
                "items": {
                    "type": "string",
                    "enum": ["client_credentials", "token_exchange", "device_code", "backchannel", "api_key"]
                }
            },
            "unverified_clients": {
                "type": "string", "enum": ["allow", "refuse"], "default": "allow",
                "description": "Whether clients that nobody vouches for may ask its members for access."
            },
            "client_documents": {
                "type": "object", "additionalProperties": false,
                "description": "Which clients with a metadata document may ask its members for access.",
                "properties": {
                    "policy": {
                        "type": "string", "enum": ["on", "allow_list", "off"], "default": "on",
                        "description": "From every host, from the listed hosts only, or not at all."
                    },
                    "hosts": {
                        "type": "array", "maxItems": 100, "uniqueItems": true,
                        "description": "The hosts of the policy allow_list.",
                        "items": {"type": "string", "minLength": 1, "maxLength": 253}
                    }
                }
            },
            "registration": {
                "type": "object", "additionalProperties": false,
                "properties": {
                    "scope_ceiling": {
                        "type": "string", "enum": ["registered", "consent"],
                        "description": "Whether the scope that a self-registered client named limits its requests. Left out, as the instance says; consent has no effect where the instance says registered."
                    }
                }
            },
            "delegation": {
                "type": "object", "additionalProperties": false,
                "properties": {
                    "own_agents": {
                        "type": "boolean", "default": true,
                        "description": "Whether its own agents may act for its members through token exchange."
                    }
                }
            },
            "language": {
                "type": "string", "enum": ["en", "pt", "pt-PT", "es", "pt-BR"], "default": "en",
                "description": "The language in which people are written to whose own is not known."
            },
            "branding": {
                "type": "object", "additionalProperties": false, "description": "How the hosted screens look.",
                "properties": {
                    "name": {"type": "string", "minLength": 1, "maxLength": 100},
                    "accent": {
                        "type": "string", "pattern": "^#[0-9a-fA-F]{6}$",
                        "description": "A colour on which white text can be read, such as #1a5fb4."
                    },
                    "background": {
                        "type": "string", "pattern": "^#[0-9a-fA-F]{6}$",
                        "description": "A light colour behind everything, such as #eef2ff. The dark scheme keeps its own."
                    }
                }
            },
            "scim": {
                "type": "object", "additionalProperties": false,
                "description": "What the organization decides about the SCIM requests of its directories.",
                "properties": {
                    "unknown_attributes": {
                        "type": "string", "enum": ["log", "ignore", "refuse"], "default": "log",
                        "description": "What a PATCH does with an attribute that is not stored: ignore it and list it in an event, ignore it, or refuse the request."
                    },
                    "extension_schemas": {
                        "type": "array", "maxItems": 8, "uniqueItems": true,
                        "description": "URNs of extension schemas of users whose attributes are stored as sent.",
                        "items": {"type": "string", "maxLength": 200, "pattern": "^[uU][rR][nN]:"}
                    }
                }
            }
        }
    }"##,
);

/// The same for a patch, in which null restores a default.
pub(super) const SETTINGS_PATCH: NamedSchema = NamedSchema::from_json(
    "OrganizationSettingsPatch",
    r##"{
        "type": "object", "additionalProperties": false,
        "description": "What is named changes, what is null goes back to its default, the rest stays.",
        "properties": {
            "least_assurance": {"enum": ["aal1", "aal2", null]},
            "least_assurance_from": {"type": ["string", "null"], "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
            "single_sign_on": {"enum": ["optional", "required", null]},
            "allowed_credentials": {
                "type": ["array", "null"], "maxItems": 8, "uniqueItems": true,
                "items": {
                    "type": "string",
                    "enum": ["passkey", "magic_link", "email_code", "sms_code", "totp", "recovery_code", "password", "single_sign_on"]
                }
            },
            "refused_grants": {
                "type": ["array", "null"], "maxItems": 5, "uniqueItems": true,
                "items": {
                    "type": "string",
                    "enum": ["client_credentials", "token_exchange", "device_code", "backchannel", "api_key"]
                }
            },
            "unverified_clients": {"enum": ["allow", "refuse", null]},
            "client_documents": {
                "type": ["object", "null"], "additionalProperties": false,
                "properties": {
                    "policy": {"enum": ["on", "allow_list", "off", null]},
                    "hosts": {
                        "type": ["array", "null"], "maxItems": 100, "uniqueItems": true,
                        "items": {"type": "string", "minLength": 1, "maxLength": 253}
                    }
                }
            },
            "registration": {
                "type": ["object", "null"], "additionalProperties": false,
                "properties": {"scope_ceiling": {"enum": ["registered", "consent", null]}}
            },
            "delegation": {
                "type": ["object", "null"], "additionalProperties": false,
                "properties": {"own_agents": {"type": ["boolean", "null"]}}
            },
            "language": {"enum": ["en", "pt", "pt-PT", "es", "pt-BR", null]},
            "branding": {
                "type": ["object", "null"], "additionalProperties": false,
                "properties": {
                    "name": {"type": ["string", "null"], "minLength": 1, "maxLength": 100},
                    "accent": {"type": ["string", "null"], "pattern": "^#[0-9a-fA-F]{6}$"},
                    "background": {"type": ["string", "null"], "pattern": "^#[0-9a-fA-F]{6}$"}
                }
            },
            "scim": {
                "type": ["object", "null"], "additionalProperties": false,
                "properties": {
                    "unknown_attributes": {"enum": ["log", "ignore", "refuse", null]},
                    "extension_schemas": {
                        "type": ["array", "null"], "maxItems": 8, "uniqueItems": true,
                        "items": {"type": "string", "maxLength": 200, "pattern": "^[uU][rR][nN]:"}
                    }
                }
            }
        }
    }"##,
);

//! The schemas of flows.

mod enrollment;
mod provider;

pub(crate) use enrollment::{CHOOSE_FACTOR, NEW_PASSKEY, TOTP_CONFIRMATION};
pub(crate) use provider::{PROVIDER_RESPONSE, SINGLE_SIGN_ON};

use sinete_server::schema::NamedSchema;

/// All schemas of this module.
pub(crate) const SCHEMAS: &[&NamedSchema] = &[
    &START,
    &FLOW,
    &FLOW_INPUT,
    &LINK,
    &FOLLOWED_LINK,
    &EMAIL_AND_PASSWORD,
    &PASSWORD_ONLY,
    &EMAIL,
    &PHONE,
    &CODE,
    &EMPTY_INPUT,
    &DETAILS,
    &INVITED_ACCOUNT_DETAILS,
    &NEW_PASSWORD,
    &USER_CODE,
    &CHOOSE_ORGANIZATION,
    &CONSENT,
    &PASSKEY,
    &CHOOSE_FACTOR,
    &NEW_PASSKEY,
    &TOTP_CONFIRMATION,
    &SINGLE_SIGN_ON,
    &PROVIDER_RESPONSE,
];

/// The schema for starting a flow.
pub(crate) const START: NamedSchema = NamedSchema::from_json(
    "CreateFlowRequest",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["kind"],
        "description": "A flow to start.",
        "properties": {
            "kind": {
                "type": "string",
                "enum": ["sign_in", "sign_up", "step_up", "verify_email", "change_email", "verify_phone", "reset_password", "enroll", "link_identity", "accept_invitation", "first_operator", "confirm_device", "approve_request"]
            },
            "credential": {
                "type": "string", "enum": ["passkey", "totp", "recovery_codes"],
                "description": "For `enroll`: the kind of credential."
            },
            "session": {
                "type": "string", "enum": ["cookie", "token"],
                "description": "Whether the tokens are set as cookies or returned in the body. If omitted, a request without `Origin`, `Sec-Fetch-Site` and cookies gets tokens, and any other gets cookies."
            },
            "assurance": {
                "type": "string", "enum": ["aal1", "aal2"],
                "description": "For `step_up`: the required assurance level. If omitted, the highest that the account can reach."
            },
            "email": {
                "type": "string", "maxLength": 254,
                "description": "For `verify_email`: the address; if omitted, the unverified one. For `change_email`: the new address."
            },
            "phone": {
                "type": "string", "maxLength": 40,
                "description": "For `verify_phone`: the number; if omitted, the unverified one."
            },
            "connection": {
                "type": "string", "maxLength": 64,
                "description": "For `link_identity`: the id of the connection to the identity provider."
            },
            "return_to": {
                "type": "string", "maxLength": 2048,
                "description": "For `link_identity` with tokens: the URL on its own machine at which the program receives the response of the provider."
            },
            "token": {
                "type": "string", "maxLength": 200,
                "description": "For `accept_invitation` and `first_operator`: the token of the link."
            },
            "request": {
                "type": "string", "maxLength": 64,
                "description": "For `approve_request`: the id of the request, from the message or from `/account/requests`."
            },
            "user_code": {
                "type": "string", "maxLength": 64,
                "description": "For `confirm_device`: the user code from the URL. It is displayed for comparison, and has an effect only when the user submits it."
            }
        },
        "examples": [{"kind": "sign_in", "session": "token"}]
    }"#,
);

/// The schema of a flow.
pub(crate) const FLOW: NamedSchema = NamedSchema::from_json(
    "Flow",
    r##"{
        "type": "object", "additionalProperties": false,
        "required": ["id", "kind", "stage", "expires_at", "actions"],
        "description": "The state of a flow, with its available actions.",
        "properties": {
            "id": {"type": "string", "format": "uuid"}, "kind": {"type": "string"},
            "stage": {"type": "string", "description": "The current stage."},
            "expires_at": {"type": "string", "format": "date-time"},
            "actions": {
                "type": "array", "description": "The available actions; empty when the flow has ended.",
                "items": {
                    "type": "object", "additionalProperties": false, "required": ["name", "href", "schema"],
                    "properties": {
                        "name": {"type": "string"},
                        "href": {"type": "string", "format": "uri", "description": "The URL that the action is posted to."},
                        "schema": {"type": "object", "description": "The JSON Schema of its fields."},
                        "restricted": {
                            "type": "boolean",
                            "description": "Present and true for a restricted authenticator (NIST SP 800-63B): telephone numbers can be hijacked."
                        },
                        "options": {
                            "type": "object",
                            "description": "The options that a page passes to `navigator.credentials` for a passkey."
                        }
                    }
                }
            },
            "providers": {
                "type": "array", "description": "The identity providers of the organization in the request, if it is known.",
                "items": {
                    "type": "object", "additionalProperties": false, "required": ["connection", "name"],
                    "properties": {
                        "connection": {"type": "string", "format": "uuid"},
                        "name": {"type": "string"}
                    }
                }
            },
            "login_hint": {"type": "string", "description": "The `login_hint` of the authorization request, while the user is not known. It is not verified."},
            "next_message_at": {"type": "string", "format": "date-time", "description": "When another message may be requested. Present after one was requested, whether or not the account exists."},
            "go_to": {
                "type": "string", "format": "uri",
                "description": "The URL at the identity provider to which the browser must be sent."
            },
            "totp": {
                "type": "object", "additionalProperties": false, "required": ["secret", "uri", "qr_svg"],
                "description": "The enrollment data of an authenticator app, returned only during its enrollment.",
                "properties": {
                    "secret": {"type": "string"}, "uri": {"type": "string"}, "qr_svg": {"type": "string"}
                }
            },
            "recovery_codes": {
                "type": "array", "description": "The recovery codes, returned only once.", "items": {"type": "string"}
            },
            "may_enroll": {
                "type": "array", "items": {"type": "string"},
                "description": "The credentials that can be enrolled next with a flow of the kind `enroll`. At the stage `choose_factor`, one of them is required."
            },
            "access": {"type": "array", "items": {"$ref": "#/components/schemas/LongLivedAccess"}},
            "organizations": {
                "type": "array", "description": "The organizations to choose from.",
                "items": {
                    "type": "object", "additionalProperties": false, "required": ["id", "slug", "name"],
                    "properties": {
                        "id": {"type": "string", "format": "uuid"},
                        "slug": {"type": "string"},
                        "name": {"type": "string"}
                    }
                }
            },
            "user_code": {"type": "string", "description": "The user code from the URL, to be compared with the one on the device."},
            "consent": {"type": "object", "description": "The consent prompt, to be displayed to the user."},
            "refused": {
                "type": "object", "additionalProperties": false, "required": ["error", "error_description"],
                "description": "Why the signed-in user cannot approve the device authorization.",
                "properties": {"error": {"type": "string"}, "error_description": {"type": "string"}}
            },
            "continue_to": {"type": "string", "format": "uri", "description": "The URL at which the authorization request continues."},
            "flow_token": {"type": "string", "description": "The new flow token, to be sent as `Authorization: Flow`."},
            "csrf_token": {"type": "string", "description": "The CSRF token, to be sent as `X-CSRF-Token` with each action."},
            "session_token": {"type": "string", "description": "The session token, returned only once."}
        },
        "examples": [{
            "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6075", "kind": "sign_in", "stage": "sign_in",
            "expires_at": "2026-11-15T12:30:00Z", "actions": []
        }]
    }"##,
);

/// The schema of an input: the fields of one action.
pub(crate) const FLOW_INPUT: NamedSchema = NamedSchema::from_json(
    "FlowAnswer",
    r##"{
        "description": "The fields of the action. The flow contains the schema of each available action.",
        "anyOf": [
            {"$ref": "#/components/schemas/FlowPasswordOfAddress"},
            {"$ref": "#/components/schemas/FlowPassword"},
            {"$ref": "#/components/schemas/FlowEmail"},
            {"$ref": "#/components/schemas/FlowPhone"},
            {"$ref": "#/components/schemas/FlowCode"},
            {"$ref": "#/components/schemas/FlowNothing"},
            {"$ref": "#/components/schemas/FlowDetails"},
            {"$ref": "#/components/schemas/FlowDetailsOfInvited"},
            {"$ref": "#/components/schemas/FlowNewPassword"},
            {"$ref": "#/components/schemas/FlowUserCode"},
            {"$ref": "#/components/schemas/FlowChooseOrganization"},
            {"$ref": "#/components/schemas/FlowChooseFactor"},
            {"$ref": "#/components/schemas/FlowConsentDecision"},
            {"$ref": "#/components/schemas/FlowPasskey"},
            {"$ref": "#/components/schemas/FlowNewPasskey"},
            {"$ref": "#/components/schemas/FlowFirstDigits"},
            {"$ref": "#/components/schemas/FlowSingleSignOn"},
            {"$ref": "#/components/schemas/FlowProviderAnswer"}
        ],
        "examples": [{"email": "ana@example.com", "password": "correct horse battery staple"}]
    }"##,
);

/// The schema of a link's purpose.
pub(crate) const LINK: NamedSchema = NamedSchema::from_json(
    "FlowLink",
    r#"{
        "type": "object", "additionalProperties": false,
        "required": ["flow", "kind", "email", "expires_at", "works_anywhere"],
        "description": "The purpose of a link from a message.",
        "properties": {
            "flow": {"type": "string", "format": "uuid", "description": "The flow that it continues."},
            "kind": {"type": "string", "description": "The kind of that flow."},
            "email": {"type": "string", "description": "The address it was sent to."},
            "expires_at": {"type": "string", "format": "date-time"},
            "works_anywhere": {
                "type": "boolean",
                "description": "Whether it can be used without the flow token. If not, it works only where the flow was started."
            }
        },
        "examples": [{
            "flow": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6075", "kind": "sign_in", "email": "ana@example.com",
            "expires_at": "2026-11-15T12:10:00Z", "works_anywhere": true
        }]
    }"#,
);

/// The schema for following a link.
pub(crate) const FOLLOWED_LINK: NamedSchema = NamedSchema::from_json(
    "FollowedLink",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["token"],
        "description": "The link from a message, to be used.",
        "properties": {
            "token": {"type": "string", "minLength": 1, "maxLength": 200},
            "session": {
                "type": "string", "enum": ["cookie", "token"],
                "description": "Whether the tokens are set as cookies or returned in the body. If omitted, a request without `Origin`, `Sec-Fetch-Site` and cookies gets tokens, and any other gets cookies."
            }
        },
        "examples": [{"token": "sn_ml_example", "session": "token"}]
    }"#,
);

pub(crate) const EMAIL_AND_PASSWORD: NamedSchema = NamedSchema::from_json(
    "FlowPasswordOfAddress",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["email", "password"],
        "description": "An e-mail address and the password of its account.",
        "properties": {
            "email": {"type": "string", "minLength": 1, "maxLength": 254},
            "password": {"type": "string", "minLength": 1, "maxLength": 4096}
        }
    }"#,
);

pub(crate) const PASSWORD_ONLY: NamedSchema = NamedSchema::from_json(
    "FlowPassword",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["password"],
        "description": "The password of the flow's account.",
        "properties": {"password": {"type": "string", "minLength": 1, "maxLength": 4096}}
    }"#,
);

pub(crate) const EMAIL: NamedSchema = NamedSchema::from_json(
    "FlowEmail",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["email"],
        "description": "The e-mail address that a code is sent to.",
        "properties": {"email": {"type": "string", "minLength": 1, "maxLength": 254}}
    }"#,
);

pub(crate) const PHONE: NamedSchema = NamedSchema::from_json(
    "FlowPhone",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["phone"],
        "description": "The telephone number that a code is sent to.",
        "properties": {"phone": {"type": "string", "minLength": 1, "maxLength": 40}}
    }"#,
);

pub(crate) const CODE: NamedSchema = NamedSchema::from_json(
    "FlowCode",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["code"],
        "description": "The code that was sent.",
        "properties": {"code": {"type": "string", "minLength": 1, "maxLength": 64}}
    }"#,
);

pub(crate) const EMPTY_INPUT: NamedSchema = NamedSchema::from_json(
    "FlowNothing",
    r#"{"type": "object", "additionalProperties": false, "description": "An action without fields.", "properties": {}}"#,
);

pub(crate) const DETAILS: NamedSchema = NamedSchema::from_json(
    "FlowDetails",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["email"],
        "description": "The details of a new account, with a passkey, a password, both or neither.",
        "properties": {
            "passkey": {"type": "object"},
            "email": {"type": "string", "minLength": 1, "maxLength": 254},
            "password": {"type": "string", "minLength": 1, "maxLength": 4096},
            "name": {"type": "string", "minLength": 1, "maxLength": 200}
        }
    }"#,
);

pub(crate) const INVITED_ACCOUNT_DETAILS: NamedSchema = NamedSchema::from_json(
    "FlowDetailsOfInvited",
    r#"{
        "type": "object", "additionalProperties": false,
        "description": "The details of a new account for the invited address.",
        "properties": {
            "passkey": {"type": "object"},
            "password": {"type": "string", "minLength": 1, "maxLength": 4096},
            "name": {"type": "string", "minLength": 1, "maxLength": 200}
        }
    }"#,
);

pub(crate) const NEW_PASSWORD: NamedSchema = NamedSchema::from_json(
    "FlowNewPassword",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["password"],
        "description": "A new password, and the ids in `access` to keep. All other access in that list is revoked.",
        "properties": {
            "password": {"type": "string", "minLength": 1, "maxLength": 4096},
            "keep": {"type": "array", "maxItems": 100, "items": {"type": "string", "minLength": 1, "maxLength": 300}}
        }
    }"#,
);

pub(crate) const USER_CODE: NamedSchema = NamedSchema::from_json(
    "FlowUserCode",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["user_code"],
        "description": "The user code that the device displays, in upper or lower case, with or without spaces and hyphens.",
        "properties": {"user_code": {"type": "string", "minLength": 1, "maxLength": 64}}
    }"#,
);

pub(crate) const CHOOSE_ORGANIZATION: NamedSchema = NamedSchema::from_json(
    "FlowChooseOrganization",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["organization"],
        "description": "The organization to act in, one of those in `organizations`.",
        "properties": {"organization": {"type": "string", "format": "uuid"}}
    }"#,
);

pub(crate) const CONSENT: NamedSchema = NamedSchema::from_json(
    "FlowConsentDecision",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["allow"],
        "description": "Whether the user allows the request as a whole.",
        "properties": {"allow": {"type": "boolean"}}
    }"#,
);

pub(crate) const PASSKEY: NamedSchema = NamedSchema::from_json(
    "FlowPasskey",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["credential"],
        "description": "The result of `navigator.credentials.get`, as JSON.",
        "properties": {"credential": {"type": "object"}}
    }"#,
);

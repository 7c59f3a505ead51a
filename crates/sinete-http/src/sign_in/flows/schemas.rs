//! The schemas of flows.

mod enrollment;
mod provider;

pub(crate) use enrollment::{CHOOSE_FACTOR, FIRST_DIGITS, NEW_PASSKEY};
pub(crate) use provider::{PROVIDER_ANSWER, SINGLE_SIGN_ON};

use sinete_server::schema::NamedSchema;

/// All schemas of this module.
pub(crate) const SCHEMAS: &[&NamedSchema] = &[
    &START,
    &FLOW,
    &ANSWER,
    &LINK,
    &FOLLOWED,
    &PASSWORD_OF_ADDRESS,
    &PASSWORD_OF_PERSON,
    &EMAIL,
    &PHONE,
    &CODE,
    &NOTHING,
    &DETAILS,
    &DETAILS_OF_INVITED,
    &NEW_PASSWORD,
    &USER_CODE,
    &CHOOSE_ORGANIZATION,
    &CONSENT,
    &PASSKEY,
    &CHOOSE_FACTOR,
    &NEW_PASSKEY,
    &FIRST_DIGITS,
    &SINGLE_SIGN_ON,
    &PROVIDER_ANSWER,
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
                "description": "For `enroll`: what is set up."
            },
            "session": {
                "type": "string", "enum": ["cookie", "token"],
                "description": "Whether the tokens are kept in cookies or returned. Left out, a request without `Origin`, `Sec-Fetch-Site` and cookies gets tokens, any other gets cookies."
            },
            "assurance": {
                "type": "string", "enum": ["aal1", "aal2"],
                "description": "For `step_up`: the level that is needed. Left out, as much as can be proven."
            },
            "email": {
                "type": "string", "maxLength": 254,
                "description": "For `verify_email`: which address; left out, the one that is not confirmed. For `change_email`: the new one."
            },
            "phone": {
                "type": "string", "maxLength": 40,
                "description": "For `verify_phone`: which number. Left out, the one that is not confirmed."
            },
            "connection": {
                "type": "string", "maxLength": 64,
                "description": "For `link_identity`: the connection of an organization to its provider."
            },
            "return_to": {
                "type": "string", "maxLength": 2048,
                "description": "For `link_identity` with tokens: where the program waits for what the provider answers, on its own machine."
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
                "description": "For `confirm_device`: the code that an address brought along. It is shown to be compared, and counts once it is said."
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
        "description": "Where a flow stands, and what can be said there.",
        "properties": {
            "id": {"type": "string", "format": "uuid"}, "kind": {"type": "string"},
            "stage": {"type": "string", "description": "Where it stands."},
            "expires_at": {"type": "string", "format": "date-time"},
            "actions": {
                "type": "array", "description": "What can be said now; nothing where it is over.",
                "items": {
                    "type": "object", "additionalProperties": false, "required": ["name", "href", "schema"],
                    "properties": {
                        "name": {"type": "string"},
                        "href": {"type": "string", "format": "uri", "description": "Where it is posted to."},
                        "schema": {"type": "object", "description": "The JSON Schema of its fields."},
                        "restricted": {
                            "type": "boolean",
                            "description": "Told, and true, of what proves less than it seems: telephone numbers can be taken over."
                        },
                        "options": {
                            "type": "object",
                            "description": "What a page hands to `navigator.credentials` to answer with a passkey."
                        }
                    }
                }
            },
            "providers": {
                "type": "array", "description": "The providers of the organization that this is about, where that is known.",
                "items": {
                    "type": "object", "additionalProperties": false, "required": ["connection", "name"],
                    "properties": {
                        "connection": {"type": "string", "format": "uuid"},
                        "name": {"type": "string"}
                    }
                }
            },
            "login_hint": {"type": "string", "description": "The login_hint of the authorization request, while the user is not known. It proves nothing."},
            "next_message_at": {"type": "string", "format": "date-time", "description": "When another message may be sent, where one was asked for, whether or not there is such an account."},
            "go_to": {
                "type": "string", "format": "uri",
                "description": "Where a browser goes to sign in at the provider."
            },
            "totp": {
                "type": "object", "additionalProperties": false, "required": ["secret", "uri", "qr_svg"],
                "description": "What an authenticator application is set up with, shown only while it is.",
                "properties": {
                    "secret": {"type": "string"}, "uri": {"type": "string"}, "qr_svg": {"type": "string"}
                }
            },
            "recovery_codes": {
                "type": "array", "description": "The codes, shown this once.", "items": {"type": "string"}
            },
            "may_enroll": {
                "type": "array", "items": {"type": "string"},
                "description": "What may be set up next with a flow of the kind `enroll`, or not; at the stage `choose_factor` what has to be, one of them."
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
            "user_code": {"type": "string", "description": "The code that an address brought along, to be compared with the one that the device shows."},
            "consent": {"type": "object", "description": "What is asked, to be shown to the person."},
            "refused": {
                "type": "object", "additionalProperties": false, "required": ["error", "error_description"],
                "description": "Why whoever is signed in cannot allow what a device asks for.",
                "properties": {"error": {"type": "string"}, "error_description": {"type": "string"}}
            },
            "continue_to": {"type": "string", "format": "uri", "description": "Where the authorization request goes on."},
            "flow_token": {"type": "string", "description": "What the flow answers to from now on, as `Authorization: Flow`."},
            "csrf_token": {"type": "string", "description": "What a page sends in `X-CSRF-Token` with each answer."},
            "session_token": {"type": "string", "description": "The token of the session, shown this once."}
        },
        "examples": [{
            "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6075", "kind": "sign_in", "stage": "sign_in",
            "expires_at": "2026-11-15T12:30:00Z", "actions": []
        }]
    }"##,
);

/// The schema of an input: the fields of one action.
pub(crate) const ANSWER: NamedSchema = NamedSchema::from_json(
    "FlowAnswer",
    r##"{
        "description": "The fields of the action: which of these it is, the flow says beside the action.",
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
        "description": "What the link of a message is for.",
        "properties": {
            "flow": {"type": "string", "format": "uuid", "description": "The flow it goes on with."},
            "kind": {"type": "string", "description": "The kind of that flow."},
            "email": {"type": "string", "description": "The address it was sent to."},
            "expires_at": {"type": "string", "format": "date-time"},
            "works_anywhere": {
                "type": "boolean",
                "description": "Whether it works for somebody who does not hold the flow's token. If not, it is followed where the flow was begun."
            }
        },
        "examples": [{
            "flow": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6075", "kind": "sign_in", "email": "ana@example.com",
            "expires_at": "2026-11-15T12:10:00Z", "works_anywhere": true
        }]
    }"#,
);

/// The schema for following a link.
pub(crate) const FOLLOWED: NamedSchema = NamedSchema::from_json(
    "FollowedLink",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["token"],
        "description": "The link of a message, to be spent.",
        "properties": {
            "token": {"type": "string", "minLength": 1, "maxLength": 200},
            "session": {
                "type": "string", "enum": ["cookie", "token"],
                "description": "Whether the tokens are kept in cookies or returned. Left out, a request without `Origin`, `Sec-Fetch-Site` and cookies gets tokens, any other gets cookies."
            }
        },
        "examples": [{"token": "sn_ml_example", "session": "token"}]
    }"#,
);

pub(crate) const PASSWORD_OF_ADDRESS: NamedSchema = NamedSchema::from_json(
    "FlowPasswordOfAddress",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["email", "password"],
        "description": "An address and its password.",
        "properties": {
            "email": {"type": "string", "minLength": 1, "maxLength": 254},
            "password": {"type": "string", "minLength": 1, "maxLength": 4096}
        }
    }"#,
);

pub(crate) const PASSWORD_OF_PERSON: NamedSchema = NamedSchema::from_json(
    "FlowPassword",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["password"],
        "description": "The password of whomever the flow is about.",
        "properties": {"password": {"type": "string", "minLength": 1, "maxLength": 4096}}
    }"#,
);

pub(crate) const EMAIL: NamedSchema = NamedSchema::from_json(
    "FlowEmail",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["email"],
        "description": "An address that a code is sent to.",
        "properties": {"email": {"type": "string", "minLength": 1, "maxLength": 254}}
    }"#,
);

pub(crate) const PHONE: NamedSchema = NamedSchema::from_json(
    "FlowPhone",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["phone"],
        "description": "A telephone number that digits are sent to.",
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

pub(crate) const NOTHING: NamedSchema = NamedSchema::from_json(
    "FlowNothing",
    r#"{"type": "object", "additionalProperties": false, "description": "It takes no fields.", "properties": {}}"#,
);

pub(crate) const DETAILS: NamedSchema = NamedSchema::from_json(
    "FlowDetails",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["email"],
        "description": "What a new account will be, with a passkey, a password, both or neither.",
        "properties": {
            "passkey": {"type": "object"},
            "email": {"type": "string", "minLength": 1, "maxLength": 254},
            "password": {"type": "string", "minLength": 1, "maxLength": 4096},
            "name": {"type": "string", "minLength": 1, "maxLength": 200}
        }
    }"#,
);

pub(crate) const DETAILS_OF_INVITED: NamedSchema = NamedSchema::from_json(
    "FlowDetailsOfInvited",
    r#"{
        "type": "object", "additionalProperties": false,
        "description": "What a new account will be, for the address that was invited.",
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
        "description": "A new password, and the ids of what in `access` is kept: everything else there ends.",
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
        "description": "The code that a device shows, in either case, with spaces and hyphens or without.",
        "properties": {"user_code": {"type": "string", "minLength": 1, "maxLength": 64}}
    }"#,
);

pub(crate) const CHOOSE_ORGANIZATION: NamedSchema = NamedSchema::from_json(
    "FlowChooseOrganization",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["organization"],
        "description": "The organization to speak for, among those that are shown.",
        "properties": {"organization": {"type": "string", "format": "uuid"}}
    }"#,
);

pub(crate) const CONSENT: NamedSchema = NamedSchema::from_json(
    "FlowConsentDecision",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["allow"],
        "description": "Whether what is asked is allowed, as a whole.",
        "properties": {"allow": {"type": "boolean"}}
    }"#,
);

pub(crate) const PASSKEY: NamedSchema = NamedSchema::from_json(
    "FlowPasskey",
    r#"{
        "type": "object", "additionalProperties": false, "required": ["credential"],
        "description": "What `navigator.credentials.get` answered, in JSON.",
        "properties": {"credential": {"type": "object"}}
    }"#,
);

//! Connections to providers, as they are asked for and shown.

use crate::manage::page::Viewed;
use crate::reply::Declined;
use crate::reply::json::At;
use crate::schema::Schema;
use serde::{Deserialize, Serialize};
use sinete_core::id::ConnectionId;
use sinete_core::provider::connection::{Authentication, Chosen, TwoFactors, usual_scopes};
use sinete_engine::Engine;
use sinete_engine::connections::{Shown, Wanted};
use sinete_engine::single_sign_on::callback;
use sinete_engine::single_sign_on::trial::Finding;

/// A connection to make.
#[derive(Deserialize)]
pub(super) struct NewConnection {
    issuer: String,
    #[serde(flatten)]
    text: ConnectionText,
}

impl NewConnection {
    pub(super) fn wanted(self) -> (String, Wanted) {
        (self.issuer, self.text.wanted())
    }
}

/// What can be chosen about a connection.
#[derive(Serialize, Deserialize)]
pub(super) struct ConnectionText {
    name: String,
    client_id: String,
    #[serde(default)]
    authentication: Authentication,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client_secret: Option<String>,
    #[serde(default = "usual_scopes")]
    scopes: Vec<String>,
    #[serde(default)]
    two_factors: TwoFactors,
    #[serde(default)]
    external_id_claim: Option<String>,
    #[serde(default)]
    domains: Vec<String>,
    #[serde(default)]
    enabled: bool,
}

impl ConnectionText {
    pub(super) fn of(shown: &Shown) -> Self {
        let chosen = shown.connection.chosen.clone();
        Self {
            name: chosen.name,
            client_id: chosen.client_id,
            authentication: chosen.authentication,
            client_secret: None,
            scopes: chosen.scopes,
            two_factors: chosen.two_factors,
            external_id_claim: chosen.external_id_claim,
            domains: shown.domains.iter().map(ToString::to_string).collect(),
            enabled: shown.connection.is_enabled,
        }
    }

    pub(super) fn wanted(self) -> Wanted {
        Wanted {
            chosen: Chosen {
                name: self.name,
                client_id: self.client_id,
                authentication: self.authentication,
                scopes: self.scopes,
                two_factors: self.two_factors,
                external_id_claim: self.external_id_claim,
            },
            secret: self.client_secret,
            domains: self.domains,
            is_enabled: self.enabled,
        }
    }
}

/// A connection, as it is shown.
#[derive(Serialize)]
pub(super) struct ConnectionView {
    id: ConnectionId,
    issuer: String,
    #[serde(flatten)]
    text: ConnectionText,
    has_secret: bool,
    callback: String,
    created_at: At,
    version: i64,
}

impl ConnectionView {
    pub(super) fn of(engine: &Engine, shown: &Shown) -> Self {
        Self {
            id: shown.connection.id,
            issuer: shown.connection.issuer.to_string(),
            text: ConnectionText::of(shown),
            has_secret: shown.connection.has_secret,
            callback: callback(engine, shown.connection.id),
            created_at: At(shown.connection.created_at),
            version: shown.connection.version,
        }
    }
}

impl Viewed for ConnectionView {
    fn place(&self) -> String {
        self.id.to_string()
    }

    fn view(&self) -> Result<impl Serialize, Declined> {
        Ok(self)
    }
}

/// What came of trying a connection.
#[derive(Serialize)]
pub(super) struct TrialView<'a> {
    works: bool,
    checks: Vec<CheckView<'a>>,
}

#[derive(Serialize)]
struct CheckView<'a> {
    check: &'static str,
    wrong: Option<&'a str>,
}

impl<'a> TrialView<'a> {
    pub(super) fn of(findings: &'a [Finding]) -> Self {
        let view = |it: &'a Finding| CheckView { check: it.check.name(), wrong: it.wrong.as_deref() };
        Self {
            works: findings.iter().all(|it| it.wrong.is_none()),
            checks: findings.iter().map(view).collect(),
        }
    }
}

pub(super) const SCHEMAS: &[&Schema] = &[&NEW_CONNECTION, &CONNECTION_PATCH, &CONNECTION, &CONNECTION_TRIAL];

/// What is asked for.
pub(crate) const NEW_CONNECTION: Schema = Schema {
    name: "NewConnection",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["name", "issuer", "client_id"],
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 200, "description": "What people read on the button."},
            "issuer": {"type": "string", "minLength": 1, "maxLength": 512, "description": "Who the provider is, exactly as it writes it. It cannot be changed later."},
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
            "domains": {"type": "array", "maxItems": 50, "uniqueItems": true, "items": {"type": "string", "minLength": 1, "maxLength": 253}, "description": "The domains of the organization whose addresses lead to this provider, once they are proven."},
            "enabled": {"type": "boolean", "default": false, "description": "Whether people are sent there."}
        },
        "examples": [{"name": "Acme", "issuer": "https://login.acme.example", "client_id": "sinete", "client_secret": "as the provider shows it", "domains": ["acme.example"], "enabled": true}]
    }"##,
};

/// What can be changed.
pub(crate) const CONNECTION_PATCH: Schema = Schema {
    name: "ConnectionPatch",
    json: r##"{
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
            "domains": {"type": "array", "maxItems": 50, "uniqueItems": true, "items": {"type": "string", "minLength": 1, "maxLength": 253}},
            "enabled": {"type": "boolean"}
        },
        "examples": [{"enabled": false}]
    }"##,
};

/// What is shown.
pub(crate) const CONNECTION: Schema = Schema {
    name: "Connection",
    json: r##"{
        "type": "object", "additionalProperties": false,
        "required": ["id", "issuer", "name", "client_id", "authentication", "scopes", "two_factors", "external_id_claim", "domains", "enabled", "has_secret", "callback", "created_at", "version"],
        "properties": {
            "id": {"type": "string", "format": "uuid"},
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
            "domains": {"type": "array", "items": {"type": "string"}},
            "enabled": {"type": "boolean"},
            "has_secret": {"type": "boolean"},
            "callback": {"type": "string", "description": "The address to register at the provider, to which it sends people back."},
            "created_at": {"type": "string", "format": "date-time"},
            "version": {"type": "integer", "minimum": 1}
        }
    }"##,
};

/// What came of trying it.
pub(crate) const CONNECTION_TRIAL: Schema = Schema {
    name: "ConnectionTrial",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["works", "checks"],
        "properties": {
            "works": {"type": "boolean"},
            "checks": {
                "type": "array",
                "items": {
                    "type": "object", "additionalProperties": false, "required": ["check", "wrong"],
                    "properties": {
                        "check": {"type": "string", "enum": ["description", "keys", "credentials"]},
                        "wrong": {"type": ["string", "null"], "description": "What is wrong with it, in plain words."}
                    }
                }
            }
        }
    }"##,
};

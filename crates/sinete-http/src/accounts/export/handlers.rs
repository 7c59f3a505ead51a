//! The handler of the account export.

use crate::accounts::account_request::begin_account_request;
use crate::accounts::profile::handlers::OwnAccountProfile;
use crate::accounts::sessions::handlers::OwnSession;
use crate::management_api::pagination::ResourceView;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, HeaderValue};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sinete_core::id::SessionId;
use sinete_core::sign_in::sessions::device::DeviceDescription;
use sinete_engine::Failure;
use sinete_engine::accounts::export;
use sinete_engine::accounts::export::{
    AccountExport, EmailChangeRow, KnownDeviceRow, LinkedIdentityRow, PictureRow,
};
use sinete_server::reply::json::{json_response, serialize_json};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::NamedSchema;

pub(crate) async fn export_account(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    let everything = export::export_account(management_request.engine(), &management_request.caller).await?;
    export_response(everything, management_request.caller.signed_in.session.id)
}

/// The response with the exported data, as a file.
pub(crate) fn export_response(everything: AccountExport, current: SessionId) -> HandlerResult {
    let sessions: Vec<OwnSession> = everything
        .sessions
        .into_iter()
        .map(|overview| OwnSession { is_current: overview.id == current, session: overview })
        .collect();
    let document = json!({
        "account": view_to_json(&OwnAccountProfile::from_account(&everything.account)?)?,
        "picture": everything.picture.as_ref().map(picture_json),
        "contacts": views_to_json(&everything.contacts)?,
        "credentials": views_to_json(&everything.credentials)?,
        "former_addresses": everything.former_addresses.iter().map(former_address_json).collect::<Vec<_>>(),
        "devices": everything.devices.iter().map(device_json).collect::<Result<Vec<_>, _>>()?,
        "identities": everything.identities.iter().map(identity_json).collect::<Vec<_>>(),
        "sessions": views_to_json(&sessions)?,
        "memberships": views_to_json(&everything.memberships)?,
        "applications": views_to_json(&everything.applications)?,
        "events": views_to_json(&everything.events)?,
    });
    let mut response = json_response(StatusCode::OK, serialize_json(&document)?);
    let name = HeaderValue::from_static("attachment; filename=\"account.json\"");
    response.headers_mut().insert(CONTENT_DISPOSITION, name);
    Ok(response)
}

fn picture_json(picture: &PictureRow) -> Value {
    json!({
        "media_type": picture.format.media_type(),
        "data": STANDARD.encode(&picture.bytes),
        "changed_at": picture.changed_at.to_string(),
    })
}

fn former_address_json(change: &EmailChangeRow) -> Value {
    json!({"address": change.former, "changed_at": change.created_at.to_string()})
}

fn device_json(device: &KnownDeviceRow) -> Result<Value, HandlerError> {
    let described: DeviceDescription = device.description.parse().map_err(Failure::from)?;
    Ok(json!({
        "device": described.device,
        "address": described.address,
        "place": described.location,
        "first_seen_at": device.first_seen_at.to_string(),
        "last_seen_at": device.last_seen_at.to_string(),
    }))
}

fn identity_json(linked: &LinkedIdentityRow) -> Value {
    json!({"provider": linked.provider, "subject": linked.subject, "linked_at": linked.created_at.to_string()})
}

fn views_to_json<T: ResourceView>(resources: &[T]) -> Result<Value, HandlerError> {
    let views = resources.iter().map(|resource| view_to_json(&resource.to_view()?));
    views.collect::<Result<Vec<_>, _>>().map(Value::Array)
}

fn view_to_json(view: &impl serde::Serialize) -> Result<Value, HandlerError> {
    serde_json::to_value(view).map_err(|_| Failure::Interrupted.into())
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&EXPORT];

/// The schema of the resource.
pub(crate) const EXPORT: NamedSchema = NamedSchema::from_json(
    "AccountExport",
    r##"{
        "type": "object", "additionalProperties": false,
        "required": ["account", "picture", "contacts", "former_addresses", "credentials", "devices", "identities", "sessions", "memberships", "applications", "events"],
        "properties": {
            "account": {
                "type": "object", "additionalProperties": false,
                "required": ["id", "language", "profile", "created_at", "version"],
                "properties": {
                    "id": {"type": "string", "format": "uuid"},
                    "language": {"type": ["string", "null"]},
                    "profile": {"$ref": "#/components/schemas/AccountProfile"},
                    "created_at": {"type": "string", "format": "date-time"},
                    "version": {"type": "integer"}
                }
            },
            "picture": {
                "type": ["object", "null"], "additionalProperties": false, "required": ["media_type", "data", "changed_at"],
                "properties": {
                    "media_type": {"type": "string"},
                    "data": {"type": "string", "description": "The image in base64."},
                    "changed_at": {"type": "string", "format": "date-time"}
                }
            },
            "contacts": {"type": "array", "items": {"$ref": "#/components/schemas/Contact"}},
            "former_addresses": {
                "type": "array",
                "items": {
                    "type": "object", "additionalProperties": false, "required": ["address", "changed_at"],
                    "properties": {"address": {"type": "string"}, "changed_at": {"type": "string", "format": "date-time"}}
                }
            },
            "devices": {
                "type": "array",
                "items": {
                    "type": "object", "additionalProperties": false,
                    "required": ["device", "address", "place", "first_seen_at", "last_seen_at"],
                    "properties": {
                        "device": {"type": "string"},
                        "address": {"type": ["string", "null"]},
                        "place": {"type": ["string", "null"]},
                        "first_seen_at": {"type": "string", "format": "date-time"},
                        "last_seen_at": {"type": "string", "format": "date-time"}
                    }
                }
            },
            "identities": {
                "type": "array",
                "items": {
                    "type": "object", "additionalProperties": false, "required": ["provider", "subject", "linked_at"],
                    "properties": {
                        "provider": {"type": "string"},
                        "subject": {"type": "string"},
                        "linked_at": {"type": "string", "format": "date-time"}
                    }
                }
            },
            "credentials": {"type": "array", "items": {"$ref": "#/components/schemas/Credential"}},
            "sessions": {"type": "array", "items": {"$ref": "#/components/schemas/Session"}},
            "memberships": {"type": "array", "items": {"$ref": "#/components/schemas/OwnMembership"}},
            "applications": {"type": "array", "items": {"$ref": "#/components/schemas/GrantedApplication"}},
            "events": {"type": "array", "items": {"$ref": "#/components/schemas/OwnEvent"}}
        }
    }"##,
);

//! The instance settings relevant to operators. They contain no secrets and are changed only by the
//! configuration.

use crate::management_api::request::ManagementRequest;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use sinete_core::id::InstanceId;
use sinete_engine::InstanceMode;
use sinete_engine::sign_in::flows::{InteractionTarget, SignUpPolicy};
use sinete_server::reply::HandlerResult;
use sinete_server::reply::json::{json_response, serialize_json};
use sinete_server::schema::NamedSchema;

pub(crate) async fn show_instance_settings(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let serves_screens = state.serves_screens();
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let (engine, settings) = (management_request.engine(), management_request.engine().settings());
    let view = InstanceSettingsView {
        instance: engine.instance_id(),
        version: env!("CARGO_PKG_VERSION"),
        issuer: &settings.issuer,
        mode: match settings.mode {
            InstanceMode::Development => "development",
            InstanceMode::Production => "production",
        },
        screens: serves_screens,
        sign_up: match settings.flows.sign_up {
            SignUpPolicy::Open => "open",
            SignUpPolicy::InvitationOnly => "invited",
        },
        interaction_url: match &settings.flows.interaction {
            InteractionTarget::External(address) => Some(address),
            InteractionTarget::Hosted | InteractionTarget::Headless => None,
        },
        passkeys_for: &engine.relying_party().id,
    };
    Ok(json_response(StatusCode::OK, serialize_json(&view)?))
}

/// The settings, as returned.
#[derive(Serialize, JsonSchema)]
struct InstanceSettingsView<'a> {
    instance: InstanceId,
    /// The version of the node that responds.
    version: &'static str,
    #[schemars(extend("format" = "uri"))]
    issuer: &'a str,
    #[schemars(extend("enum" = ["development", "production"]))]
    mode: &'static str,
    /// Whether the hosted screens are served.
    screens: bool,
    #[schemars(extend("enum" = ["open", "invited"]))]
    sign_up: &'static str,
    /// The URL of a custom sign-in interface, if one is configured.
    interaction_url: Option<&'a String>,
    /// The domain that passkeys are bound to.
    passkeys_for: &'a str,
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&INSTANCE_SETTINGS];

/// The schema of the resource.
pub(crate) const INSTANCE_SETTINGS: NamedSchema =
    NamedSchema::response::<InstanceSettingsView<'_>>("InstanceSettings");

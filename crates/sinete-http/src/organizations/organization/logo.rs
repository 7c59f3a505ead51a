//! Management of an organization's logo. The image itself is served with the screens.

use crate::management_api::request::ManagementRequest;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinete_core::organizations::branding::logo::OrganizationLogo;
use sinete_core::refusal::Refusal;
use sinete_core::validation::ValidationErrors;
use sinete_engine::organizations::branding::logo;
use sinete_engine::organizations::branding::logo::LogoDescription;
use sinete_server::reply::json::{
    JsonTimestamp, json_response, no_content_response, serialize_json, with_etag,
};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::NamedSchema;

pub(crate) async fn show_logo(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let logo_description = logo::describe(management_request.engine(), &access).await?;
    logo_response(&logo_description, access.organization.version)
}

pub(crate) async fn set_logo(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let expected_version = management_request.if_match_version()?;
    let logo = management_request.parse_body::<NewLogoInput>()?.into_logo()?;
    let logo_description =
        logo::set_logo(management_request.engine(), &access, expected_version, &logo).await?;
    // Setting the logo increments the organization's version once.
    logo_response(&logo_description, expected_version.saturating_add(1))
}

pub(crate) async fn delete_logo(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let expected_version = management_request.if_match_version()?;
    logo::remove(management_request.engine(), &access, expected_version).await?;
    Ok(no_content_response())
}

fn logo_response(logo: &LogoDescription, version: i64) -> Result<Response, HandlerError> {
    let view = LogoView {
        media_type: logo.kind.media_type(),
        bytes: logo.bytes,
        changed_at: JsonTimestamp(logo.changed_at),
    };
    Ok(with_etag(json_response(StatusCode::OK, serialize_json(&view)?), version))
}

/// A logo, as returned.
#[derive(Serialize, JsonSchema)]
struct LogoView {
    #[schemars(extend("enum" = ["image/png", "image/jpeg", "image/webp", "image/svg+xml"]))]
    media_type: &'static str,
    /// The size in bytes.
    #[schemars(range(min = 1))]
    bytes: i64,
    changed_at: JsonTimestamp,
}

/// A logo to set.
#[derive(Deserialize, JsonSchema)]
struct NewLogoInput {
    /// A PNG, JPEG, WebP or SVG image of at most 40,960 bytes, in base64 (RFC 4648 section 4). An SVG must
    /// not contain scripts or load other files.
    #[schemars(length(min = 1))]
    data: String,
}

impl NewLogoInput {
    fn into_logo(self) -> Result<OrganizationLogo, HandlerError> {
        let unfit = |reason: String| {
            let mut errors = ValidationErrors::default();
            errors.add("/data", reason);
            HandlerError::from(Refusal::from_validation_errors(errors))
        };
        let bytes = STANDARD.decode(self.data).map_err(|_| unfit("must be base64".to_owned()))?;
        OrganizationLogo::new(bytes).map_err(|invalid_logo| unfit(invalid_logo.to_string()))
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&LOGO, &NEW_LOGO];

/// The schema of the resource.
pub(crate) const LOGO: NamedSchema = NamedSchema::response::<LogoView>("Logo");

/// The schema for setting a logo.
pub(crate) const NEW_LOGO: NamedSchema =
    NamedSchema::request::<NewLogoInput>("SetLogoRequest").with_example(r#"{"data": "iVBORw0KGgo="}"#);

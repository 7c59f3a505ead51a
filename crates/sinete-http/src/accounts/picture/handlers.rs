//! Handlers of the account's picture. Changing it returns the account, whose profile contains the URL.

use crate::accounts::account_request::begin_account_request;
use crate::accounts::profile::handlers::account_response;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::HeaderValue;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::Deserialize;
use sinete_core::accounts::picture::ProfilePicture;
use sinete_core::id::PictureId;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::validation::ValidationErrors;
use sinete_engine::accounts::picture;
use sinete_server::reply::document::StaticDocument;
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::NamedSchema;
use sinete_server::security_headers::CROSS_ORIGIN_RESOURCE_POLICY;

/// A picture never changes at its URL, but it can be removed.
const PICTURE_CACHE_CONTROL: &str = "public, max-age=3600";

pub(crate) async fn set_picture(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    let expected_version = management_request.if_match_version()?;
    let profile_picture = management_request.parse_body::<SetPictureInput>()?.into_picture()?;
    let account = picture::set_picture(
        management_request.engine(),
        &management_request.caller,
        expected_version,
        &profile_picture,
    )
    .await?;
    account_response(&management_request, &account)
}

pub(crate) async fn delete_picture(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    let expected_version = management_request.if_match_version()?;
    account_response(
        &management_request,
        &picture::remove_picture(management_request.engine(), &management_request.caller, expected_version)
            .await?,
    )
}

/// Serves a picture to every client that knows its URL. Pages of other origins may embed it.
pub(crate) async fn serve_picture(state: HttpState, mut request: RoutedRequest) -> HandlerResult {
    let parameters = request.path_parameters().await?;
    let id: Option<PictureId> = parameters.first().and_then(|(_, id)| id.parse().ok());
    let id = id.ok_or_else(picture_not_found)?;
    let picture = picture::find_picture(state.engine(), id).await?.ok_or_else(picture_not_found)?;
    let number = picture.changed_at.micros().unsigned_abs();
    let mut response = StaticDocument::with_version_number(
        picture.bytes,
        number,
        picture.format.media_type(),
        PICTURE_CACHE_CONTROL,
    )
    .to_response(request.headers());
    let anywhere = HeaderValue::from_static("cross-origin");
    response.headers_mut().insert(CROSS_ORIGIN_RESOURCE_POLICY, anywhere);
    Ok(response)
}

fn picture_not_found() -> Refusal {
    Refusal::because(RequestRefusal::NotFound, "no picture")
}

/// A picture to set.
#[derive(Deserialize, JsonSchema)]
struct SetPictureInput {
    /// A PNG, JPEG or WebP image of at most 40,960 bytes and 1,024 pixels wide and high, in base64 (RFC 4648 section 4).
    #[schemars(length(min = 1))]
    data: String,
}

impl SetPictureInput {
    fn into_picture(self) -> Result<ProfilePicture, HandlerError> {
        let unfit = |reason: String| {
            let mut errors = ValidationErrors::default();
            errors.add("/data", reason);
            HandlerError::from(Refusal::from_validation_errors(errors))
        };
        let bytes = STANDARD.decode(self.data).map_err(|_| unfit("must be base64".to_owned()))?;
        ProfilePicture::new(bytes).map_err(|invalid_picture| unfit(invalid_picture.to_string()))
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&SET_PICTURE];

/// The schema for setting a picture.
pub(crate) const SET_PICTURE: NamedSchema =
    NamedSchema::request::<SetPictureInput>("SetPictureRequest").with_example(r#"{"data": "iVBORw0KGgo="}"#);

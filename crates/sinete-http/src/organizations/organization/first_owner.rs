//! The first owner of an organization that no user has joined: shown to operators, and invited by them.

use super::dto::FirstOwnerInput;
use crate::management_api::request::ManagementRequest;
use crate::state::{HttpState, RoutedRequest};
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use sinete_core::refusal::Refusal;
use sinete_core::time::Timestamp;
use sinete_core::validation::ValidationErrors;
use sinete_engine::organizations::first_owner;
use sinete_engine::organizations::first_owner::{FirstOwnerPermission, FirstOwnerState};
use sinete_server::reply::json::{JsonTimestamp, json_response, serialize_json};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::NamedSchema;

pub(crate) async fn show_first_owner(state: HttpState, routed_request: RoutedRequest) -> HandlerResult {
    let request = ManagementRequest::authenticate(state, routed_request).await?;
    let (engine, instance_admin) = (request.engine(), request.instance_admin());
    let name = request.path_param("organization");
    let organization = first_owner::find(engine, &instance_admin, FirstOwnerPermission::Show, name).await?;
    first_owner_response(&first_owner::show(engine, &organization).await?, instance_admin.now())
}

pub(crate) async fn invite_first_owner(state: HttpState, routed_request: RoutedRequest) -> HandlerResult {
    let request = ManagementRequest::authenticate(state, routed_request).await?;
    let (engine, instance_admin) = (request.engine(), request.instance_admin());
    let name = request.path_param("organization");
    let organization = first_owner::find(engine, &instance_admin, FirstOwnerPermission::Invite, name).await?;
    let mut errors = ValidationErrors::default();
    let Some(owner) = request.parse_body::<FirstOwnerInput>()?.parse_owner("/email", &mut errors) else {
        return Err(Refusal::from_validation_errors(errors).into());
    };
    let invited = first_owner::invite(engine, &instance_admin, &organization, &owner).await?;
    first_owner_response(&invited, instance_admin.now())
}

/// Whether an organization has its first owner.
#[derive(Serialize, JsonSchema)]
struct FirstOwnerView<'a> {
    /// `missing`: none was invited. `joined`: a user has joined, and the organization decides itself.
    #[schemars(extend("enum" = ["missing", "invited", "expired", "joined"]))]
    state: &'static str,
    /// The address that the invitation was sent to, in the normalized form that is used for comparison.
    email: Option<&'a str>,
    /// When the invitation expires or expired.
    expires_at: Option<JsonTimestamp>,
}

fn first_owner_response(
    state: &FirstOwnerState,
    now: Timestamp,
) -> Result<axum::response::Response, HandlerError> {
    let (name, invitation) = match state {
        FirstOwnerState::Missing => ("missing", None),
        FirstOwnerState::Joined => ("joined", None),
        FirstOwnerState::Invited(invitation) if invitation.expires_at <= now => ("expired", Some(invitation)),
        FirstOwnerState::Invited(invitation) => ("invited", Some(invitation)),
    };
    let view = FirstOwnerView {
        state: name,
        email: invitation.map(|it| it.lookup.as_str()),
        expires_at: invitation.map(|it| JsonTimestamp(it.expires_at)),
    };
    Ok(json_response(StatusCode::OK, serialize_json(&view)?))
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&FIRST_OWNER, &INVITE_FIRST_OWNER];

/// The schema of the state.
pub(crate) const FIRST_OWNER: NamedSchema = NamedSchema::response::<FirstOwnerView<'_>>("FirstOwner")
    .with_example(
        r#"{"state": "invited", "email": "ana@example.org", "expires_at": "2026-11-19T12:00:00Z"}"#,
    );

/// The schema of an invitation.
pub(crate) const INVITE_FIRST_OWNER: NamedSchema =
    NamedSchema::request::<FirstOwnerInput>("InviteFirstOwnerRequest")
        .with_example(r#"{"email": "ana@example.org"}"#);

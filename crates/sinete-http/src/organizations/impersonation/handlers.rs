//! The handler of impersonation.

use crate::management_api::request::ManagementRequest;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinete_core::limits::{API_IDENTIFIER_BYTES_MAX, IMPERSONATION_LIFETIME, SCOPE_BYTES_MAX};
use sinete_core::refusal::Refusal;
use sinete_core::validation::ValidationErrors;
use sinete_engine::oauth::impersonation;
use sinete_engine::oauth::impersonation::ImpersonationRequest;
use sinete_server::reply::json::{json_response, serialize_json};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::NamedSchema;

pub(crate) async fn start_impersonation(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let (id, impersonation_request) = (
        management_request.path_id("assignment")?,
        management_request.parse_body::<ImpersonationInput>()?.to_impersonation_request()?,
    );
    let issued = impersonation::start_impersonation(
        management_request.engine(),
        &management_request.instance_admin(),
        id,
        &impersonation_request,
    )
    .await?;
    let view = ImpersonationTokenView {
        access_token: issued.access_token,
        token_type: "Bearer",
        expires_in: issued.lifetime.seconds(),
        scope: issued.scope.to_string(),
    };
    Ok(json_response(StatusCode::OK, serialize_json(&view)?))
}

/// The request.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ImpersonationInput {
    /// The client that the token is issued to. It must serve the organization.
    #[schemars(length(min = 1, max = 100))]
    client: String,
    /// The API that the token is for; by default the one that defines the permissions.
    #[schemars(length(min = 1, max = API_IDENTIFIER_BYTES_MAX), extend("format" = "uri"))]
    resource: Option<String>,
    /// The requested scope. It must not contain administrative permissions.
    #[schemars(length(min = 1, max = SCOPE_BYTES_MAX))]
    scope: String,
}

impl ImpersonationInput {
    fn to_impersonation_request(&self) -> Result<ImpersonationRequest, HandlerError> {
        let mut errors = ValidationErrors::default();
        let client = errors.parse_text("/client", &self.client);
        let resource = self.resource.as_ref().map(|text| errors.parse_text("/resource", text));
        let scope = errors.parse_text("/scope", &self.scope);
        match (client, resource, scope) {
            (Some(client), resource @ (None | Some(Some(_))), Some(scope)) => {
                Ok(ImpersonationRequest { client, resource: resource.flatten(), scope })
            }
            _ => Err(Refusal::from_validation_errors(errors).into()),
        }
    }
}

/// The token response.
#[derive(Serialize, JsonSchema)]
struct ImpersonationTokenView {
    /// An access token for the member, with the operator in `act`. It ends with the assignment.
    access_token: String,
    #[schemars(extend("enum" = ["Bearer"]))]
    token_type: &'static str,
    #[schemars(range(min = 0, max = IMPERSONATION_LIFETIME.seconds()))]
    expires_in: i64,
    scope: String,
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&IMPERSONATION, &IMPERSONATION_TOKEN];

/// The schema of the request.
pub(crate) const IMPERSONATION: NamedSchema = NamedSchema::request::<ImpersonationInput>("Impersonation")
    .with_example(r#"{"client": "portal", "resource": "https://api.example.com", "scope": "invoices:read"}"#);

/// The schema of the response.
pub(crate) const IMPERSONATION_TOKEN: NamedSchema =
    NamedSchema::response::<ImpersonationTokenView>("ImpersonationToken");

//! Handlers of pending CIBA requests.

use crate::accounts::account_request::{begin_account_request, paginate_list};
use crate::management_api::pagination::ResourceView;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sinete_core::client_id::ClientId;
use sinete_core::id::{ApprovalRequestId, OrganizationId};
use sinete_engine::oauth::authorize::{ConsentDevice, ConsentPrompt, OrganizationOption};
use sinete_engine::oauth::ciba::pending_approvals;
use sinete_engine::oauth::ciba::pending_approvals::{
    ApprovalAvailability, CibaApprovalDetails, PendingApproval,
};
use sinete_server::reply::json::{JsonTimestamp, json_response, no_content_response, serialize_json};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::route::QueryParameter;
use sinete_server::schema::NamedSchema;

pub(crate) async fn list_pending_requests(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    let all = pending_approvals::list(management_request.engine(), &management_request.caller).await?;
    paginate_list(&management_request, all)
}

pub(crate) async fn show_request(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    let (id, organization) =
        (management_request.path_id("request")?, management_request.parse_query_param("organization")?);
    let look =
        pending_approvals::show(management_request.engine(), &management_request.caller, id, organization)
            .await?;
    Ok(json_response(StatusCode::OK, serialize_json(&ApprovalDetailView::from_detail(&look))?))
}

pub(crate) async fn approve_request(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    let ApprovalInput { organization } = management_request.parse_body()?;
    pending_approvals::approve(
        management_request.engine(),
        &management_request.caller,
        management_request.path_id("request")?,
        organization,
    )
    .await?;
    Ok(no_content_response())
}

pub(crate) async fn deny_request(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    pending_approvals::deny(
        management_request.engine(),
        &management_request.caller,
        management_request.path_id("request")?,
    )
    .await?;
    Ok(no_content_response())
}

/// The body of an approval.
#[derive(Deserialize, JsonSchema)]
struct ApprovalInput {
    /// The organization to act in, if there are several.
    #[serde(default)]
    organization: Option<OrganizationId>,
}

/// A request, as returned.
#[derive(Serialize, JsonSchema)]
struct ApprovalRequestView<'a> {
    id: ApprovalRequestId,
    #[schemars(with = "String")]
    client_id: &'a ClientId,
    /// The registered name of the client.
    application: &'a str,
    /// The binding message of the client. The user compares it with the one that the client displays.
    binding_message: Option<&'a str>,
    /// The requested scope.
    scope: Option<&'a str>,
    /// The requested API, if the client named one.
    resource: Option<&'a str>,
    from: &'a ConsentDevice,
    created_at: JsonTimestamp,
    expires_at: JsonTimestamp,
}

/// A request with its consent prompt, if available.
#[derive(Serialize, JsonSchema)]
struct ApprovalDetailView<'a> {
    #[serde(flatten)]
    request: ApprovalRequestView<'a>,
    /// What comes next: `answer` the request, `choose_organization`, `step_up`, or `deny`, because it cannot
    /// be approved.
    #[schemars(extend("enum" = ["answer", "choose_organization", "step_up", "deny"]))]
    next: &'static str,
    /// The consent prompt, as in a flow.
    #[schemars(with = "Option<Map<String, Value>>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    consent: Option<&'a ConsentPrompt>,
    /// The organizations to choose from.
    #[schemars(with = "Option<Vec<Map<String, Value>>>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    organizations: Option<&'a [OrganizationOption]>,
    /// Why the request cannot be approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'a str>,
}

impl<'a> ApprovalRequestView<'a> {
    fn from_request(pending_approval: &'a PendingApproval) -> Self {
        Self {
            id: pending_approval.request.id,
            client_id: &pending_approval.request.deferred.client,
            application: &pending_approval.application,
            binding_message: pending_approval.binding_message.as_deref(),
            scope: pending_approval.scope.as_deref(),
            resource: pending_approval.resource.as_deref(),
            from: &pending_approval.device,
            created_at: JsonTimestamp(pending_approval.request.deferred.created_at),
            expires_at: JsonTimestamp(pending_approval.request.deferred.expires_at),
        }
    }
}

impl<'a> ApprovalDetailView<'a> {
    fn from_detail(look: &'a CibaApprovalDetails) -> Self {
        let request = ApprovalRequestView::from_request(&look.request);
        let empty = Self { request, next: "answer", consent: None, organizations: None, because: None };
        match &look.availability {
            ApprovalAvailability::Now(question) => Self { consent: Some(question), ..empty },
            ApprovalAvailability::AfterOrganizationChoice(choices) => {
                Self { next: "choose_organization", organizations: Some(choices), ..empty }
            }
            ApprovalAvailability::AfterStepUp => Self { next: "step_up", ..empty },
            ApprovalAvailability::Never(reason) => Self { next: "deny", because: Some(reason), ..empty },
        }
    }
}

impl ResourceView for PendingApproval {
    fn cursor(&self) -> String {
        self.request.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        Ok(ApprovalRequestView::from_request(self))
    }
}

/// The query of the details.
pub(crate) const QUERY: &[QueryParameter] = &[QueryParameter {
    name: "organization",
    description: "The organization to act in, if there are several.",
    is_required: false,
    schema: || json!({"type": "string", "format": "uuid"}),
}];

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&REQUEST, &REQUEST_DETAIL, &REQUEST_ORIGIN, &APPROVE];

/// The schema of a pending request.
pub(crate) const REQUEST: NamedSchema = NamedSchema::response::<ApprovalRequestView<'_>>("ApprovalRequest");

/// The schema of its details.
pub(crate) const REQUEST_DETAIL: NamedSchema =
    NamedSchema::response::<ApprovalDetailView<'_>>("ApprovalRequestInFull");

/// The schema of the request's origin.
pub(crate) const REQUEST_ORIGIN: NamedSchema = NamedSchema::response::<ConsentDevice>("AskedFrom")
    .with_description(
        "The device that sent the request, by its user agent and IP address. It is not verified.",
    );

/// The schema of an approval.
pub(crate) const APPROVE: NamedSchema =
    NamedSchema::request::<ApprovalInput>("Approval").with_example(r#"{}"#);

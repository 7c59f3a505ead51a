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

pub(crate) async fn list_pending_requests(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = begin_account_request(state, call).await?;
    let all = pending_approvals::list(errand.engine(), &errand.caller).await?;
    paginate_list(&errand, all)
}

pub(crate) async fn show_request(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = begin_account_request(state, call).await?;
    let (id, organization) = (errand.path_id("request")?, errand.parse_query_param("organization")?);
    let look = pending_approvals::show(errand.engine(), &errand.caller, id, organization).await?;
    Ok(json_response(StatusCode::OK, serialize_json(&ApprovalDetailView::from_detail(&look))?))
}

pub(crate) async fn approve_request(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = begin_account_request(state, call).await?;
    let ApprovalInput { organization } = errand.parse_body()?;
    pending_approvals::approve(errand.engine(), &errand.caller, errand.path_id("request")?, organization)
        .await?;
    Ok(no_content_response())
}

pub(crate) async fn deny_request(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = begin_account_request(state, call).await?;
    pending_approvals::deny(errand.engine(), &errand.caller, errand.path_id("request")?).await?;
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
    fn from_request(waiting: &'a PendingApproval) -> Self {
        Self {
            id: waiting.request.id,
            client_id: &waiting.request.deferred.client,
            application: &waiting.application,
            binding_message: waiting.binding_message.as_deref(),
            scope: waiting.scope.as_deref(),
            resource: waiting.resource.as_deref(),
            from: &waiting.device,
            created_at: JsonTimestamp(waiting.request.deferred.created_at),
            expires_at: JsonTimestamp(waiting.request.deferred.expires_at),
        }
    }
}

impl<'a> ApprovalDetailView<'a> {
    fn from_detail(look: &'a CibaApprovalDetails) -> Self {
        let request = ApprovalRequestView::from_request(&look.request);
        let empty = Self { request, next: "answer", consent: None, organizations: None, because: None };
        match &look.answer {
            ApprovalAvailability::Now(question) => Self { consent: Some(question), ..empty },
            ApprovalAvailability::AfterOrganizationChoice(choices) => {
                Self { next: "choose_organization", organizations: Some(choices), ..empty }
            }
            ApprovalAvailability::AfterStepUp => Self { next: "step_up", ..empty },
            ApprovalAvailability::Never(why) => Self { next: "deny", because: Some(why), ..empty },
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

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&REQUEST, &LOOK, &ASKED_FROM, &APPROVE];

/// The schema of a pending request.
pub(crate) const REQUEST: NamedSchema = NamedSchema::response::<ApprovalRequestView<'_>>("ApprovalRequest");

/// The schema of its details.
pub(crate) const LOOK: NamedSchema = NamedSchema::response::<ApprovalDetailView<'_>>("ApprovalRequestInFull");

/// The schema of the request's origin.
pub(crate) const ASKED_FROM: NamedSchema = NamedSchema::response::<ConsentDevice>("AskedFrom")
    .with_description(
        "The device that sent the request, by its user agent and IP address. It is not verified.",
    );

/// The schema of an approval.
pub(crate) const APPROVE: NamedSchema =
    NamedSchema::request::<ApprovalInput>("Approval").with_example(r#"{}"#);

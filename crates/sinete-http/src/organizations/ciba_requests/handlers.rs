//! Handlers of an organization's CIBA requests.

use crate::management_api::pagination::ResourceView;
use crate::management_api::request::ManagementRequest;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use sinete_core::client_id::ClientId;
use sinete_core::id::{ApprovalRequestId, GrantId, MembershipId};
use sinete_engine::oauth::ciba::organization_requests;
use sinete_engine::oauth::ciba::organization_requests::OrganizationCibaRequest;
use sinete_server::reply::json::{JsonTimestamp, no_content_response};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::route::QueryParameter;
use sinete_server::schema::NamedSchema;

pub(crate) async fn list_organization_requests(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let page = management_request.page_request(Some(access.organization.id))?;
    let (member, after, limit) =
        (management_request.parse_query_param("member")?, page.after()?, page.fetch_limit());
    let read =
        organization_requests::list(management_request.engine(), &access, member, after, limit).await?;
    page.to_response(management_request.engine(), read)
}

pub(crate) async fn deny_organization_request(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    organization_requests::deny(management_request.engine(), &access, management_request.path_id("request")?)
        .await?;
    Ok(no_content_response())
}

/// A CIBA request, as administrators see it.
#[derive(Serialize, JsonSchema)]
struct CibaRequestView<'a> {
    id: ApprovalRequestId,
    /// Whether it is pending, was approved or denied, or expired without an answer.
    #[schemars(extend("enum" = ["pending", "approved", "denied", "expired"]))]
    state: &'static str,
    /// The client that made it.
    #[schemars(with = "String")]
    client: &'a ClientId,
    client_name: &'a str,
    /// The member whose approval is requested, unless the membership has ended.
    membership: Option<MembershipId>,
    /// The requested scope. Null after the decision, when what was requested is deleted.
    scope: Option<&'a str>,
    /// The requested API, if the client named one.
    resource: Option<&'a str>,
    /// The binding message of the client. Null after the decision, and without the permission
    /// `members:manage`.
    binding_message: Option<&'a str>,
    /// The requested authorization details (RFC 9396). Null after the decision, and without the permission
    /// `members:manage`.
    #[schemars(with = "Option<Vec<Map<String, Value>>>")]
    authorization_details: Option<&'a [Map<String, Value>]>,
    /// The grant, if it was approved.
    grant: Option<GrantId>,
    created_at: JsonTimestamp,
    expires_at: JsonTimestamp,
    /// When it was approved or denied.
    decided_at: Option<JsonTimestamp>,
}

impl ResourceView for OrganizationCibaRequest {
    fn cursor(&self) -> String {
        self.row.request.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        let (deferred, requested) = (&self.row.request.deferred, self.requested.as_ref());
        let purpose = requested.and_then(|requested| requested.purpose.as_ref());
        Ok(CibaRequestView {
            id: self.row.request.id,
            state: self.state.name(),
            client: &deferred.client,
            client_name: &self.row.client_name,
            membership: self.row.membership,
            scope: requested.and_then(|requested| requested.scope.as_deref()),
            resource: requested.and_then(|requested| requested.resource.as_deref()),
            binding_message: purpose.and_then(|purpose| purpose.binding_message.as_deref()),
            authorization_details: purpose.map(|purpose| purpose.authorization_details.as_slice()),
            grant: self.grant(),
            created_at: JsonTimestamp(deferred.created_at),
            expires_at: JsonTimestamp(deferred.expires_at),
            decided_at: self.row.decided_at.map(JsonTimestamp),
        })
    }
}

/// The query of the list.
pub(crate) const QUERY: &[QueryParameter] = &[QueryParameter {
    name: "member",
    description: "Only requests to this member.",
    is_required: false,
    schema: || json!({"type": "string", "format": "uuid"}),
}];

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&REQUEST];

/// The schema of the resource.
pub(crate) const REQUEST: NamedSchema = NamedSchema::response::<CibaRequestView<'_>>("CibaRequest");

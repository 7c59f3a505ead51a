//! Handlers of assignments: created and ended by operators, visible to the organization.

use crate::management_api::idempotent_create::CreatedResource;
use crate::management_api::pagination::ResourceView;
use crate::management_api::request::ManagementRequest;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sinete_core::id::{AssignmentId, MembershipId, OrganizationId};
use sinete_core::limits::DISPLAY_TEXT_CHARACTERS_MAX;
use sinete_core::refusal::Refusal;
use sinete_core::validation::ValidationErrors;
use sinete_engine::access_control::instance_admin::InstanceAdmin;
use sinete_engine::organizations::assignments;
use sinete_engine::organizations::assignments::{
    AssignmentRequest, AssignmentRow, OperatorAssignmentKind, OperatorAssignmentRight,
};
use sinete_server::extract::time_parameter::TimeParameter;
use sinete_server::reply::json::{JsonTimestamp, json_response, no_content_response, serialize_json};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::route::QueryParameter;
use sinete_server::schema::NamedSchema;

pub(crate) async fn create_assignment(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let assignment_request =
        management_request.parse_body::<NewAssignmentInput>()?.into_assignment_request()?;
    management_request
        .create_once(
            async |claim| {
                let instance_admin = InstanceAdmin::new(
                    management_request.engine(),
                    &management_request.caller.with_claim(claim),
                );
                assignments::create(management_request.engine(), &instance_admin, &assignment_request).await
            },
            |assignment: AssignmentRow| {
                CreatedResource::new(
                    &assignment.to_view()?,
                    management_request.child_location(assignment.assignment.id),
                )
            },
        )
        .await
}

pub(crate) async fn list_organization_assignments(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let organization = management_request.query_param("organization").unwrap_or_default();
    let page = management_request.page_request(None)?;
    let (instance_admin, after) = (management_request.instance_admin(), page.after()?);
    let read = assignments::list_for_operator(
        management_request.engine(),
        &instance_admin,
        organization,
        after,
        page.fetch_limit(),
    );
    page.to_response(management_request.engine(), read.await?)
}

pub(crate) async fn list_assignments(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let page = management_request.page_request(Some(access.organization.id))?;
    let read =
        assignments::list(management_request.engine(), &access, page.after()?, page.fetch_limit()).await?;
    page.to_response(management_request.engine(), read)
}

pub(crate) async fn show_assignment(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let id = management_request.path_id("assignment")?;
    let assignment =
        assignments::show(management_request.engine(), &management_request.instance_admin(), id).await?;
    Ok(json_response(StatusCode::OK, serialize_json(&assignment.to_view()?)?))
}

pub(crate) async fn end_assignment(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    assignments::end(
        management_request.engine(),
        &management_request.instance_admin(),
        management_request.path_id("assignment")?,
    )
    .await?;
    Ok(no_content_response())
}

/// An assignment, as returned. It does not contain the account.
#[derive(Serialize, JsonSchema)]
struct AssignmentView<'a> {
    id: AssignmentId,
    #[schemars(extend("enum" = ["administer", "impersonate"]))]
    allows: &'static str,
    /// The operator, by membership of the operators' organization.
    holder: MembershipId,
    organization: OrganizationId,
    reason: &'a str,
    /// Who created it, by kind and id.
    made_by: &'a str,
    created_at: JsonTimestamp,
    ends_at: JsonTimestamp,
    /// When it was ended early.
    ended_at: Option<JsonTimestamp>,
}

impl ResourceView for AssignmentRow {
    fn cursor(&self) -> String {
        self.assignment.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        Ok(AssignmentView {
            id: self.assignment.id,
            allows: match self.assignment.allows {
                OperatorAssignmentRight::Administering => "administer",
                OperatorAssignmentRight::Impersonating(_) => "impersonate",
            },
            holder: self.holder,
            organization: self.organization,
            reason: &self.assignment.reason,
            made_by: &self.made_by,
            created_at: JsonTimestamp(self.created_at),
            ends_at: JsonTimestamp(self.assignment.ends_at),
            ended_at: self.ended_at.map(JsonTimestamp),
        })
    }
}

/// An assignment to create.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewAssignmentInput {
    /// The id or the slug of the organization.
    #[schemars(length(min = 2, max = 63))]
    organization: String,
    /// The operator, by membership of the operators' organization. Callers cannot assign themselves.
    #[schemars(with = "MembershipId")]
    holder: String,
    /// The membership to impersonate. If omitted, the operator may act inside the organization.
    #[schemars(with = "Option<MembershipId>")]
    member: Option<String>,
    /// The reason, which the organization sees in its audit log.
    #[schemars(length(min = 1, max = DISPLAY_TEXT_CHARACTERS_MAX))]
    reason: String,
    /// When the assignment ends, at most 30 days from now.
    #[schemars(extend("format" = "date-time"))]
    ends_at: String,
}

impl NewAssignmentInput {
    fn into_assignment_request(self) -> Result<AssignmentRequest, HandlerError> {
        let mut errors = ValidationErrors::default();
        let holder = errors.parse_text("/holder", &self.holder);
        let ends_at = errors.parse_text::<TimeParameter>("/ends_at", &self.ends_at);
        let member = self.member.map(|member| errors.parse_text("/member", &member));
        let task = match member {
            None => Some(OperatorAssignmentKind::Administer),
            Some(member) => member.map(OperatorAssignmentKind::Impersonate),
        };
        match (task, holder, ends_at) {
            (Some(task), Some(holder), Some(TimeParameter(ends_at))) => {
                let (organization, reason) = (self.organization, self.reason);
                Ok(AssignmentRequest { task, holder, organization, reason, ends_at })
            }
            _ => Err(Refusal::from_validation_errors(errors).into()),
        }
    }
}

/// The query of the list for operators.
pub(crate) const QUERY: &[QueryParameter] = &[QueryParameter {
    name: "organization",
    description: "The id or the slug of the organization whose assignments are listed.",
    is_required: true,
    schema: || json!({"type": "string", "minLength": 2, "maxLength": 63}),
}];

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&ASSIGNMENT, &NEW_ASSIGNMENT];

/// The schema of the resource.
pub(crate) const ASSIGNMENT: NamedSchema = NamedSchema::response::<AssignmentView<'_>>("Assignment")
    .with_example(
        r#"{
        "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6079", "allows": "administer",
        "holder": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6073",
        "organization": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071", "reason": "Support request of 12 November",
        "made_by": "api_key 01936f5e-7c2a-7def-8a1b-2c3d4e5f6074",
        "created_at": "2026-11-15T02:52:03.000042Z", "ends_at": "2026-11-15T06:52:03.000042Z",
        "ended_at": null
    }"#,
    );

/// The schema for creating an assignment.
pub(crate) const NEW_ASSIGNMENT: NamedSchema =
    NamedSchema::request::<NewAssignmentInput>("CreateAssignmentRequest").with_example(
        r#"{
        "organization": "padaria-sao-joao", "holder": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6073",
        "reason": "Support request of 12 November", "ends_at": "2026-11-15T06:52:03Z"
    }"#,
    );

//! Assignments: operators acting inside an organization, made and ended by those who run the instance, seen
//! by the organization.

use super::errand::ManagementRequest;
use super::made::CreatedResource;
use super::page::ResourceView;
use crate::call::RoutedRequest;
use crate::extract::moment::TimeParameter;
use crate::reply::json::{JsonTimestamp, answer, nothing, written};
use crate::reply::{HandlerError, HandlerResult};
use crate::route::QueryParameter;
use crate::schema::NamedSchema;
use crate::state::HttpState;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sinete_core::fault::ValidationErrors;
use sinete_core::id::{AssignmentId, MembershipId, OrganizationId};
use sinete_core::refusal::Refusal;
use sinete_engine::assignments::{self, AssignmentRequest, AssignmentRight, AssignmentRow, AssignmentTask};
use sinete_engine::operating::InstanceAdmin;

pub(crate) async fn make(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let wanted = errand.body::<NewAssignmentInput>()?.wanted()?;
    errand
        .make(
            async |claim| {
                let operating = InstanceAdmin::new(errand.engine(), &errand.caller.claiming(claim));
                assignments::make(errand.engine(), &operating, &wanted).await
            },
            |made: AssignmentRow| CreatedResource::new(&made.view()?, errand.below(made.assignment.id)),
        )
        .await
}

pub(crate) async fn list_of(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let organization = errand.asked("organization").unwrap_or_default();
    let page = errand.page(None)?;
    let (operating, after) = (errand.operating(), page.after()?);
    let read = assignments::list_of(errand.engine(), &operating, organization, after, page.to_read());
    page.answer(errand.engine(), read.await??)
}

pub(crate) async fn list(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    let page = errand.page(Some(acting.organization.id))?;
    let read = assignments::list(errand.engine(), &acting, page.after()?, page.to_read()).await??;
    page.answer(errand.engine(), read)
}

pub(crate) async fn show(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let id = errand.id("assignment")?;
    let shown = assignments::show(errand.engine(), &errand.operating(), id).await??;
    Ok(answer(StatusCode::OK, written(&shown.view()?)?))
}

pub(crate) async fn end(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    assignments::end(errand.engine(), &errand.operating(), errand.id("assignment")?).await??;
    Ok(nothing())
}

/// An assignment, as it is shown. As whose account somebody acts is nobody's business here.
#[derive(Serialize)]
struct AssignmentView<'a> {
    id: AssignmentId,
    allows: &'static str,
    holder: MembershipId,
    organization: OrganizationId,
    reason: &'a str,
    made_by: &'a str,
    created_at: JsonTimestamp,
    ends_at: JsonTimestamp,
    ended_at: Option<JsonTimestamp>,
}

impl ResourceView for AssignmentRow {
    fn place(&self) -> String {
        self.assignment.id.to_string()
    }

    fn view(&self) -> Result<impl Serialize, HandlerError> {
        Ok(AssignmentView {
            id: self.assignment.id,
            allows: match self.assignment.allows {
                AssignmentRight::Administering => "administer",
                AssignmentRight::Impersonating(_) => "impersonate",
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

/// An assignment, as it is asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewAssignmentInput {
    organization: String,
    holder: String,
    member: Option<String>,
    reason: String,
    ends_at: String,
}

impl NewAssignmentInput {
    fn wanted(self) -> Result<AssignmentRequest, HandlerError> {
        let mut faults = ValidationErrors::default();
        let holder = faults.read("/holder", &self.holder);
        let ends_at = faults.read::<TimeParameter>("/ends_at", &self.ends_at);
        let member = self.member.map(|member| faults.read("/member", &member));
        let task = match member {
            None => Some(AssignmentTask::Administer),
            Some(member) => member.map(AssignmentTask::Impersonate),
        };
        match (task, holder, ends_at) {
            (Some(task), Some(holder), Some(TimeParameter(ends_at))) => {
                let (organization, reason) = (self.organization, self.reason);
                Ok(AssignmentRequest { task, holder, organization, reason, ends_at })
            }
            _ => Err(Refusal::unfit(faults).into()),
        }
    }
}

/// What the list for those who run the instance is asked by.
pub(crate) const QUERY: &[QueryParameter] = &[QueryParameter {
    name: "organization",
    description: "The id or the slug of the organization whose assignments are listed.",
    is_required: true,
    schema: || json!({"type": "string", "minLength": 2, "maxLength": 63}),
}];

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&ASSIGNMENT, &NEW_ASSIGNMENT];

/// What is shown.
pub(crate) const ASSIGNMENT: NamedSchema = NamedSchema {
    name: "Assignment",
    json: r##"{
        "type": "object", "additionalProperties": false,
        "required": ["id", "allows", "holder", "organization", "reason", "made_by", "created_at", "ends_at", "ended_at"],
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "allows": {"type": "string", "enum": ["administer", "impersonate"]},
            "holder": {"type": "string", "format": "uuid", "description": "The operator, by their membership."},
            "organization": {"type": "string", "format": "uuid"},
            "reason": {"type": "string"},
            "made_by": {"type": "string", "description": "Who made it, by kind and id."},
            "created_at": {"type": "string", "format": "date-time"},
            "ends_at": {"type": "string", "format": "date-time"},
            "ended_at": {"type": ["string", "null"], "format": "date-time", "description": "When it was ended before its time."}
        },
        "examples": [{
            "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6079", "allows": "administer",
            "holder": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6073", "organization": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071",
            "reason": "Support request of 12 November", "made_by": "api_key 01936f5e-7c2a-7def-8a1b-2c3d4e5f6074",
            "created_at": "2026-11-15T02:52:03.000042Z", "ends_at": "2026-11-15T06:52:03.000042Z", "ended_at": null
        }]
    }"##,
};

/// What is sent to make one.
pub(crate) const NEW_ASSIGNMENT: NamedSchema = NamedSchema {
    name: "NewAssignment",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["organization", "holder", "reason", "ends_at"],
        "properties": {
            "organization": {"type": "string", "minLength": 2, "maxLength": 63, "description": "The id or the slug of the organization."},
            "holder": {"type": "string", "format": "uuid", "description": "The operator, by their membership; never oneself."},
            "member": {"type": "string", "format": "uuid", "description": "Whom the operator may act as; left out, they may act inside the organization."},
            "reason": {"type": "string", "minLength": 1, "maxLength": 200, "description": "Why, in words that the organization reads in its trail."},
            "ends_at": {"type": "string", "format": "date-time", "description": "Within 30 days."}
        },
        "examples": [{
            "organization": "padaria-sao-joao", "holder": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6073",
            "reason": "Support request of 12 November", "ends_at": "2026-11-15T06:52:03Z"
        }]
    }"##,
};

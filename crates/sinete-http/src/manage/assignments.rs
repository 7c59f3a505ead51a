//! Assignments: operators acting inside an organization, made and ended by those who run the instance, seen
//! by the organization.

use super::errand::Errand;
use super::made::Made;
use super::page::Viewed;
use crate::call::Call;
use crate::extract::moment::Moment;
use crate::reply::json::{At, answer, nothing, written};
use crate::reply::{Answer, Declined};
use crate::route::Parameter;
use crate::schema::Schema;
use crate::state::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sinete_core::fault::Faults;
use sinete_core::id::{AssignmentId, MembershipId, OrganizationId};
use sinete_core::refusal::Refusal;
use sinete_engine::assignments::{self, Allows, Shown, Task, Wanted};
use sinete_engine::operating::Operating;

pub(crate) async fn make(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let wanted = errand.body::<NewAssignment>()?.wanted()?;
    errand
        .make(
            async |claim| {
                let operating = Operating::new(errand.engine(), &errand.caller.claiming(claim));
                assignments::make(errand.engine(), &operating, &wanted).await
            },
            |made: Shown| Made::new(&made.view()?, errand.below(made.assignment.id)),
        )
        .await
}

pub(crate) async fn list_of(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let organization = errand.asked("organization").unwrap_or_default();
    let page = errand.page(None)?;
    let (operating, after) = (errand.operating(), page.after()?);
    let read = assignments::list_of(errand.engine(), &operating, organization, after, page.to_read());
    page.answer(errand.engine(), read.await??)
}

pub(crate) async fn list(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let acting = errand.within().await?;
    let page = errand.page(Some(acting.organization.id))?;
    let read = assignments::list(errand.engine(), &acting, page.after()?, page.to_read()).await??;
    page.answer(errand.engine(), read)
}

pub(crate) async fn show(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let id = errand.id("assignment")?;
    let shown = assignments::show(errand.engine(), &errand.operating(), id).await??;
    Ok(answer(StatusCode::OK, written(&shown.view()?)?))
}

pub(crate) async fn end(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
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
    created_at: At,
    ends_at: At,
    ended_at: Option<At>,
}

impl Viewed for Shown {
    fn place(&self) -> String {
        self.assignment.id.to_string()
    }

    fn view(&self) -> Result<impl Serialize, Declined> {
        Ok(AssignmentView {
            id: self.assignment.id,
            allows: match self.assignment.allows {
                Allows::Administering => "administer",
                Allows::Impersonating(_) => "impersonate",
            },
            holder: self.holder,
            organization: self.organization,
            reason: &self.assignment.reason,
            made_by: &self.made_by,
            created_at: At(self.created_at),
            ends_at: At(self.assignment.ends_at),
            ended_at: self.ended_at.map(At),
        })
    }
}

/// An assignment, as it is asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewAssignment {
    organization: String,
    holder: String,
    member: Option<String>,
    reason: String,
    ends_at: String,
}

impl NewAssignment {
    fn wanted(self) -> Result<Wanted, Declined> {
        let mut faults = Faults::default();
        let holder = faults.read("/holder", &self.holder);
        let ends_at = faults.read::<Moment>("/ends_at", &self.ends_at);
        let member = self.member.map(|member| faults.read("/member", &member));
        let task = match member {
            None => Some(Task::Administer),
            Some(member) => member.map(Task::Impersonate),
        };
        match (task, holder, ends_at) {
            (Some(task), Some(holder), Some(Moment(ends_at))) => {
                let (organization, reason) = (self.organization, self.reason);
                Ok(Wanted { task, holder, organization, reason, ends_at })
            }
            _ => Err(Refusal::unfit(faults).into()),
        }
    }
}

/// What the list for those who run the instance is asked by.
pub(crate) const QUERY: &[Parameter] = &[Parameter {
    name: "organization",
    description: "The id or the slug of the organization whose assignments are listed.",
    is_required: true,
    schema: || json!({"type": "string", "minLength": 2, "maxLength": 63}),
}];

pub(crate) const SCHEMAS: &[&Schema] = &[&ASSIGNMENT, &NEW_ASSIGNMENT];

/// What is shown.
pub(crate) const ASSIGNMENT: Schema = Schema {
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
pub(crate) const NEW_ASSIGNMENT: Schema = Schema {
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

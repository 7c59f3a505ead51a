//! Invitations into an organization.

use super::errand::ManagementRequest;
use super::made::CreatedResource;
use super::page::ResourceView;
use crate::call::RoutedRequest;
use crate::reply::json::{JsonTimestamp, answer, nothing, written};
use crate::reply::{HandlerError, HandlerResult};
use crate::schema::NamedSchema;
use crate::state::HttpState;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use sinete_core::fault::ValidationErrors;
use sinete_core::id::{InvitationId, MembershipId};
use sinete_core::people::language::Language;
use sinete_core::refusal::Refusal;
use sinete_core::time::Lifetime;
use sinete_engine::invitations::{self, InvitationRequest, InvitationRow, InvitedMembership};

pub(crate) async fn list(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    let page = errand.page(Some(acting.organization.id))?;
    let read = invitations::list(errand.engine(), &acting, page.after()?, page.to_read()).await??;
    page.answer(errand.engine(), read)
}

pub(crate) async fn invite(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    let wanted = errand.body::<NewInvitationInput>()?.wanted()?;
    errand.paced().inviting(acting.organization.id)?;
    errand
        .make(
            async |claim| invitations::invite(errand.engine(), &acting.claiming(claim), &wanted).await,
            |made: InvitationRow| CreatedResource::new(&made.view()?, errand.below(made.id)),
        )
        .await
}

pub(crate) async fn show(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    let invitation = invitations::show(errand.engine(), &acting, errand.id("invitation")?).await??;
    Ok(answer(StatusCode::OK, written(&invitation.view()?)?))
}

pub(crate) async fn revoke(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let acting = errand.within().await?;
    invitations::revoke(errand.engine(), &acting, errand.id("invitation")?).await??;
    Ok(nothing())
}

/// An invitation, as it is shown. The link stands in the mail and nowhere else.
#[derive(Serialize)]
struct InvitationView<'a> {
    id: InvitationId,
    email: &'a str,
    membership: MembershipId,
    expires_at: JsonTimestamp,
    accepted_at: Option<JsonTimestamp>,
    revoked_at: Option<JsonTimestamp>,
}

impl ResourceView for InvitationRow {
    fn place(&self) -> String {
        self.id.to_string()
    }

    fn view(&self) -> Result<impl Serialize, HandlerError> {
        Ok(InvitationView {
            id: self.id,
            email: &self.lookup,
            membership: self.membership,
            expires_at: JsonTimestamp(self.expires_at),
            accepted_at: self.accepted_at.map(JsonTimestamp),
            revoked_at: self.revoked_at.map(JsonTimestamp),
        })
    }
}

/// An invitation, as it is asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewInvitationInput {
    email: String,
    roles: Option<Vec<String>>,
    member: Option<String>,
    lifetime_seconds: Option<u32>,
    language: Option<Language>,
}

impl NewInvitationInput {
    fn wanted(self) -> Result<InvitationRequest, HandlerError> {
        let mut faults = ValidationErrors::default();
        let address = faults.read("/email", &self.email);
        let place = match (&self.roles, &self.member) {
            (Some(roles), None) => {
                let read = |(place, text): (usize, &String)| faults.read(format!("/roles/{place}"), text);
                Some(InvitedMembership::New(roles.iter().enumerate().filter_map(read).collect()))
            }
            (None, Some(member)) => faults.read("/member", member).map(InvitedMembership::Waiting),
            (Some(_), Some(_)) | (None, None) => {
                faults.add("/roles", "either roles for a new place, or a member whose place waits");
                None
            }
        };
        let lifetime = self.lifetime_seconds.map(Lifetime::from_seconds);
        match (address, place) {
            (Some(address), Some(place)) if faults.is_empty() => {
                Ok(InvitationRequest { address, place, lifetime, language: self.language })
            }
            _ => Err(Refusal::unfit(faults).into()),
        }
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&INVITATION, &NEW_INVITATION];

/// What is shown.
pub(crate) const INVITATION: NamedSchema = NamedSchema {
    name: "Invitation",
    json: r##"{
        "type": "object", "additionalProperties": false,
        "required": ["id", "email", "membership", "expires_at", "accepted_at", "revoked_at"],
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "email": {"type": "string", "description": "The address it was sent to, in the spelling addresses are compared in."},
            "membership": {"type": "string", "format": "uuid", "description": "The place among the members that waits for whoever accepts it."},
            "expires_at": {"type": "string", "format": "date-time"},
            "accepted_at": {"type": ["string", "null"], "format": "date-time"},
            "revoked_at": {"type": ["string", "null"], "format": "date-time"}
        },
        "examples": [{
            "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6078", "email": "ana@example.com",
            "membership": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6073", "expires_at": "2026-11-16T02:52:03.000042Z",
            "accepted_at": null, "revoked_at": null
        }]
    }"##,
};

/// What is sent to invite somebody.
pub(crate) const NEW_INVITATION: NamedSchema = NamedSchema {
    name: "NewInvitation",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["email"],
        "description": "Either `roles` for a new place among the members, or a `member` whose place waits.",
        "properties": {
            "email": {"type": "string", "minLength": 3, "maxLength": 254, "format": "email", "description": "The one address it is sent to and works for."},
            "roles": {
                "type": "array", "minItems": 1, "maxItems": 50, "uniqueItems": true,
                "description": "The ids of the roles they will carry. Nobody gives a role whose contents they do not hold.",
                "items": {"type": "string", "format": "uuid"}
            },
            "member": {"type": "string", "format": "uuid", "description": "A member that a directory made and nobody has claimed: it becomes theirs, with the roles it carries."},
            "lifetime_seconds": {"type": "integer", "minimum": 1, "maximum": 604800, "default": 86400},
            "language": {"type": "string", "enum": ["en", "pt"], "description": "Left out, the organization's."}
        },
        "examples": [{"email": "ana@example.com", "roles": ["01936f5e-7c2a-7def-8a1b-2c3d4e5f6072"], "language": "pt"}]
    }"##,
};

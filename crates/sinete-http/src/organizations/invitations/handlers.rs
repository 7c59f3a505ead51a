//! Handlers of invitations.

use crate::management_api::idempotent_create::CreatedResource;
use crate::management_api::pagination::ResourceView;
use crate::management_api::request::ManagementRequest;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::accounts::language::Language;
use sinete_core::id::{InvitationId, MembershipId, RoleId};
use sinete_core::limits::INVITATION_LIFETIME_MAX;
use sinete_core::refusal::Refusal;
use sinete_core::time::Lifetime;
use sinete_core::validation::ValidationErrors;
use sinete_engine::organizations::invitations;
use sinete_engine::organizations::invitations::{InvitationRequest, InvitationRow, InvitedMembership};
use sinete_server::reply::json::{JsonTimestamp, json_response, no_content_response, serialize_json};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::NamedSchema;

pub(crate) async fn list_invitations(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let page = management_request.page_request(Some(access.organization.id))?;
    let read =
        invitations::list(management_request.engine(), &access, page.after()?, page.fetch_limit()).await?;
    page.to_response(management_request.engine(), read)
}

pub(crate) async fn create_invitation(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let invitation_request =
        management_request.parse_body::<NewInvitationInput>()?.into_invitation_request()?;
    management_request.rate_limit().check_invitation(access.organization.id)?;
    management_request
        .create_once(
            async |claim| {
                invitations::invite(
                    management_request.engine(),
                    &access.with_claim(claim),
                    &invitation_request,
                )
                .await
            },
            |invitation: InvitationRow| {
                CreatedResource::new(&invitation.to_view()?, management_request.child_location(invitation.id))
            },
        )
        .await
}

pub(crate) async fn show_invitation(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let invitation =
        invitations::show(management_request.engine(), &access, management_request.path_id("invitation")?)
            .await?;
    Ok(json_response(StatusCode::OK, serialize_json(&invitation.to_view()?)?))
}

pub(crate) async fn resend_invitation(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    management_request.rate_limit().check_invitation(access.organization.id)?;
    let invitation =
        invitations::resend(management_request.engine(), &access, management_request.path_id("invitation")?)
            .await?;
    Ok(json_response(StatusCode::OK, serialize_json(&invitation.to_view()?)?))
}

pub(crate) async fn revoke_invitation(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    invitations::revoke(management_request.engine(), &access, management_request.path_id("invitation")?)
        .await?;
    Ok(no_content_response())
}

/// An invitation, as returned. The link is only in the e-mail.
#[derive(Serialize, JsonSchema)]
struct InvitationView<'a> {
    id: InvitationId,
    /// The recipient's address, in the normalized form that is used for comparison.
    email: &'a str,
    /// The membership that the recipient takes over by accepting.
    membership: MembershipId,
    expires_at: JsonTimestamp,
    accepted_at: Option<JsonTimestamp>,
    revoked_at: Option<JsonTimestamp>,
}

impl ResourceView for InvitationRow {
    fn cursor(&self) -> String {
        self.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
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

/// An invitation to send.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewInvitationInput {
    /// The recipient. The invitation can be accepted only with this address.
    #[schemars(with = "EmailAddress")]
    email: String,
    /// The ids of the new member's roles. The caller must hold all of their permissions.
    #[schemars(with = "Option<Vec<RoleId>>", length(min = 1, max = 50), extend("uniqueItems" = true))]
    roles: Option<Vec<String>>,
    /// A provisioned membership that is not claimed yet. The recipient takes it over with its roles.
    #[schemars(with = "Option<MembershipId>")]
    member: Option<String>,
    #[schemars(range(min = 1, max = INVITATION_LIFETIME_MAX.seconds()), extend("default" = 86400))]
    lifetime_seconds: Option<u32>,
    /// The language of the message; by default the organization's.
    #[schemars(with = "Option<String>", extend("enum" = ["en", "pt", "pt-PT", "es", "pt-BR"]))]
    language: Option<Language>,
}

impl NewInvitationInput {
    fn into_invitation_request(self) -> Result<InvitationRequest, HandlerError> {
        let mut errors = ValidationErrors::default();
        let address = errors.parse_text("/email", &self.email);
        let membership = match (&self.roles, &self.member) {
            (Some(roles), None) => {
                let read =
                    |(index, text): (usize, &String)| errors.parse_text(format!("/roles/{index}"), text);
                Some(InvitedMembership::New(roles.iter().enumerate().filter_map(read).collect()))
            }
            (None, Some(member)) => errors.parse_text("/member", member).map(InvitedMembership::Existing),
            (Some(_), Some(_)) | (None, None) => {
                errors.add("/roles", "send either roles for a new member, or the id of a pending member");
                None
            }
        };
        let lifetime = self.lifetime_seconds.map(Lifetime::from_seconds);
        match (address, membership) {
            (Some(address), Some(membership)) if errors.is_empty() => {
                Ok(InvitationRequest { address, membership, lifetime, language: self.language })
            }
            _ => Err(Refusal::from_validation_errors(errors).into()),
        }
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&INVITATION, &NEW_INVITATION];

/// The schema of the resource.
pub(crate) const INVITATION: NamedSchema = NamedSchema::response::<InvitationView<'_>>("Invitation")
    .with_example(
        r#"{
        "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6078", "email": "ana@example.com",
        "membership": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6073", "expires_at": "2026-11-16T02:52:03.000042Z",
        "accepted_at": null, "revoked_at": null
    }"#,
    );

/// The schema for sending an invitation.
pub(crate) const NEW_INVITATION: NamedSchema =
    NamedSchema::request::<NewInvitationInput>("CreateInvitationRequest")
        .with_description(
            "Either `roles`, for a new membership, or `member`, for a membership that is not claimed yet.",
        )
        .with_example(
            r#"{
        "email": "ana@example.com", "roles": ["01936f5e-7c2a-7def-8a1b-2c3d4e5f6072"], "language": "pt"
    }"#,
        );

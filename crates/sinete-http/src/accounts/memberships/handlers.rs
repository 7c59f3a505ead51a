//! Handlers of the account's memberships.

use crate::accounts::account_request::{begin_account_request, paginate_list};
use crate::management_api::pagination::ResourceView;
use crate::organizations::organization::handlers::condition_name;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use sinete_core::id::{MembershipId, OrganizationId};
use sinete_core::organizations::member_profile::MemberProfile;
use sinete_engine::Failure;
use sinete_engine::accounts::memberships;
use sinete_engine::accounts::memberships::OwnMembership;
use sinete_server::reply::json::{JsonTimestamp, no_content_response};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::NamedSchema;

pub(crate) async fn list_memberships(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    let all = memberships::list(management_request.engine(), &management_request.caller).await?;
    paginate_list(&management_request, all)
}

pub(crate) async fn leave_organization(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    memberships::leave(
        management_request.engine(),
        &management_request.caller,
        management_request.path_id("membership")?,
    )
    .await?;
    Ok(no_content_response())
}

/// A membership, as returned to the user.
#[derive(Serialize, JsonSchema)]
struct OwnMembershipView<'a> {
    /// The id of the membership, which is `sub` in the user's tokens for this organization.
    id: MembershipId,
    organization: OwnOrganizationView<'a>,
    #[schemars(extend("enum" = ["enabled", "suspended", "ended"]))]
    condition: &'static str,
    roles: Vec<&'a str>,
    #[schemars(with = "MemberProfile")]
    profile: Map<String, Value>,
    created_at: JsonTimestamp,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct OwnOrganizationView<'a> {
    id: OrganizationId,
    slug: String,
    name: &'a str,
    #[schemars(extend("enum" = ["enabled", "suspended", "ended"]))]
    condition: &'static str,
}

impl ResourceView for OwnMembership {
    fn cursor(&self) -> String {
        self.member.membership.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        let (membership, organization) = (&self.member.membership, &self.organization);
        Ok(OwnMembershipView {
            id: membership.id,
            organization: OwnOrganizationView {
                id: organization.id,
                slug: organization.slug.to_string(),
                name: &organization.name,
                condition: condition_name(organization.condition),
            },
            condition: condition_name(membership.condition),
            roles: self.member.roles.iter().map(|role| role.role.name()).collect(),
            profile: membership.profile.parse().map_err(Failure::from)?,
            created_at: JsonTimestamp(membership.created_at),
        })
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&MEMBERSHIP];

/// The schema of the resource.
pub(crate) const MEMBERSHIP: NamedSchema = NamedSchema::response::<OwnMembershipView<'_>>("OwnMembership");

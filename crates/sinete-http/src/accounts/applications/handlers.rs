//! Handlers of authorized applications.

use crate::accounts::account_request::{begin_account_request, paginate_list};
use crate::management_api::pagination::ResourceView;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use sinete_core::client_id::ClientId;
use sinete_core::id::{GrantId, MembershipId, OrganizationId};
use sinete_engine::Failure;
use sinete_engine::oauth::authorized_applications;
use sinete_engine::oauth::authorized_applications::{ApplicationGrants, ApplicationPermission};
use sinete_server::reply::json::{JsonTimestamp, no_content_response};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::NamedSchema;
use std::collections::BTreeMap;

pub(crate) async fn list_applications(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    let all = authorized_applications::list(management_request.engine(), &management_request.caller).await?;
    paginate_list(&management_request, all)
}

pub(crate) async fn revoke_application(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    let (membership, client) = (
        management_request.path_id("membership")?,
        management_request.parse_path_param::<ClientId>("client")?,
    );
    authorized_applications::revoke_application(
        management_request.engine(),
        &management_request.caller,
        membership,
        &client,
    )
    .await?;
    Ok(no_content_response())
}

/// An application, as returned.
#[derive(Serialize, JsonSchema)]
struct AuthorizedApplicationView<'a> {
    #[schemars(with = "String")]
    client_id: &'a ClientId,
    /// Whether it is an application, a service or an agent.
    #[schemars(extend("enum" = ["application", "service", "agent"]))]
    kind: &'static str,
    /// The registered name of the client.
    name: &'a str,
    /// The texts of the client in other languages, such as `client_name#pt-BR`.
    localized: &'a BTreeMap<String, String>,
    /// Whether the client is verified by an operator.
    is_verified: bool,
    /// The membership that the client acts for.
    membership: MembershipId,
    organization: OrganizationId,
    /// The permissions and claims that the user consented to or that a grant contains, with the texts of the
    /// consent page. A text is empty if it is no longer known.
    allowed: Vec<ApplicationPermissionView<'a>>,
    agreements: Vec<ConsentView<'a>>,
    /// The active grants.
    grants: Vec<ApplicationGrantView>,
    /// The active tokens from token exchange with which it acts for the user, one entry for each API and
    /// scope.
    delegations: Vec<ApplicationDelegationView<'a>>,
    /// When it last got tokens to act for the user, if that is known.
    last_used_at: Option<JsonTimestamp>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct ApplicationPermissionView<'a> {
    audience: &'a str,
    /// The scope, or the name of a claim that was requested individually.
    name: &'a str,
    english: &'a str,
    portuguese: &'a str,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct ConsentView<'a> {
    audience: &'a str,
    scope: String,
    /// The claims that were requested individually.
    claims: String,
    agreed_at: JsonTimestamp,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct ApplicationGrantView {
    id: GrantId,
    scopes: Value,
    created_at: JsonTimestamp,
    expires_at: JsonTimestamp,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct ApplicationDelegationView<'a> {
    audience: &'a str,
    scope: String,
    created_at: JsonTimestamp,
    expires_at: JsonTimestamp,
}

impl ResourceView for ApplicationGrants {
    fn cursor(&self) -> String {
        format!("{} {}", self.application.client, self.application.membership)
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        let application = &self.application;
        let agreements = self.consents.iter().map(|agreement| ConsentView {
            audience: &agreement.audience,
            scope: agreement.scope.to_string(),
            claims: agreement.claims.to_string(),
            agreed_at: JsonTimestamp(agreement.consented_at),
        });
        let delegations = self.delegations.iter().map(|application_delegation| ApplicationDelegationView {
            audience: &application_delegation.audience,
            scope: application_delegation.scope.to_string(),
            created_at: JsonTimestamp(application_delegation.created_at),
            expires_at: JsonTimestamp(application_delegation.expires_at),
        });
        let mut grants = Vec::new();
        for grant in &self.active_grants {
            grants.push(ApplicationGrantView {
                id: grant.grant,
                scopes: grant.scopes.parse().map_err(Failure::from)?,
                created_at: JsonTimestamp(grant.created_at),
                expires_at: JsonTimestamp(grant.expires_at),
            });
        }
        Ok(AuthorizedApplicationView {
            client_id: &application.client,
            kind: application.kind.as_str(),
            name: &application.name,
            localized: &self.localized,
            is_verified: application.verified_at.is_some(),
            membership: application.membership,
            organization: application.organization,
            allowed: self.permissions.iter().map(application_permissions).collect(),
            agreements: agreements.collect(),
            grants,
            delegations: delegations.collect(),
            last_used_at: self.last_used_at().map(JsonTimestamp),
        })
    }
}

fn application_permissions(allowed: &ApplicationPermission) -> ApplicationPermissionView<'_> {
    let ApplicationPermission { audience, name, description: meaning } = allowed;
    ApplicationPermissionView { audience, name, english: &meaning.english, portuguese: &meaning.portuguese }
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&APPLICATION];

/// The schema of the resource.
pub(crate) const APPLICATION: NamedSchema =
    NamedSchema::response::<AuthorizedApplicationView<'_>>("GrantedApplication");

//! Handlers of members' grants.

use crate::management_api::pagination::ResourceView;
use crate::management_api::request::ManagementRequest;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use sinete_core::client_id::ClientId;
use sinete_core::id::{GrantId, MembershipId};
use sinete_core::oauth::authorize::stored_grant_params::GrantedScopes;
use sinete_engine::organizations::member_grants;
use sinete_engine::organizations::member_grants::{GrantRow, StoredGrantKind};
use sinete_server::reply::json::{JsonTimestamp, json_response, no_content_response, serialize_json};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::route::QueryParameter;
use sinete_server::schema::NamedSchema;
use std::collections::BTreeMap;

pub(crate) async fn list_member_grants(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let page = management_request.page_request(Some(access.organization.id))?;
    let (member, after, limit) =
        (management_request.parse_query_param("member")?, page.after()?, page.fetch_limit());
    let read = member_grants::list(management_request.engine(), &access, member, after, limit).await?;
    page.to_response(management_request.engine(), read)
}

pub(crate) async fn show_member_grant(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let grant =
        member_grants::show(management_request.engine(), &access, management_request.path_id("grant")?)
            .await?;
    Ok(json_response(StatusCode::OK, serialize_json(&grant.to_view()?)?))
}

pub(crate) async fn revoke_member_grant(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    member_grants::revoke(management_request.engine(), &access, management_request.path_id("grant")?).await?;
    Ok(no_content_response())
}

/// A grant, as returned.
#[derive(Serialize, JsonSchema)]
struct MemberGrantView<'a> {
    id: GrantId,
    /// How it was granted: by an authorization code, a device authorization or CIBA.
    #[schemars(extend("enum" = ["code", "device", "backchannel"]))]
    kind: &'static str,
    /// The membership that granted it.
    membership: MembershipId,
    /// The client that it was granted to.
    #[schemars(with = "String")]
    client: &'a ClientId,
    /// The granted scopes by API. Whether the member still holds the permissions is checked at each use.
    scopes: BTreeMap<String, String>,
    ends_with_session: bool,
    created_at: JsonTimestamp,
    expires_at: JsonTimestamp,
    revoked_at: Option<JsonTimestamp>,
}

impl ResourceView for GrantRow {
    fn cursor(&self) -> String {
        self.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        let granted_scopes: GrantedScopes = self.scopes.parse().map_err(sinete_engine::Failure::from)?;
        let scopes =
            granted_scopes.iter().map(|(audience, scopes)| (audience.to_string(), scopes.to_string()));
        Ok(MemberGrantView {
            id: self.id,
            kind: match self.kind {
                StoredGrantKind::Code => "code",
                StoredGrantKind::Device => "device",
                StoredGrantKind::Backchannel => "backchannel",
            },
            membership: self.membership,
            client: &self.client,
            scopes: scopes.collect(),
            ends_with_session: self.session.is_some(),
            created_at: JsonTimestamp(self.created_at),
            expires_at: JsonTimestamp(self.expires_at),
            revoked_at: self.revoked_at.map(JsonTimestamp),
        })
    }
}

/// The query of the list.
pub(crate) const QUERY: &[QueryParameter] = &[QueryParameter {
    name: "member",
    description: "Only grants of this member.",
    is_required: false,
    schema: || json!({"type": "string", "format": "uuid"}),
}];

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&GRANT];

/// The schema of the resource.
pub(crate) const GRANT: NamedSchema = NamedSchema::response::<MemberGrantView<'_>>("Grant");

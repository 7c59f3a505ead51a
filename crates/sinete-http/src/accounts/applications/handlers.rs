//! Handlers of authorized applications.

use crate::accounts::account_request::{begin_account_request, paginate_list};
use crate::management_api::pagination::ResourceView;
use crate::state::HttpState;
use crate::state::RoutedRequest;
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

pub(crate) async fn list_applications(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = begin_account_request(state, call).await?;
    let all = authorized_applications::list(errand.engine(), &errand.caller).await?;
    paginate_list(&errand, all)
}

pub(crate) async fn revoke_application(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = begin_account_request(state, call).await?;
    let (membership, client) =
        (errand.path_id("membership")?, errand.parse_path_param::<ClientId>("client")?);
    authorized_applications::revoke_application(errand.engine(), &errand.caller, membership, &client).await?;
    Ok(no_content_response())
}

/// An application, as shown.
#[derive(Serialize)]
struct AuthorizedApplicationView<'a> {
    client_id: &'a ClientId,
    name: &'a str,
    localized: &'a BTreeMap<String, String>,
    is_verified: bool,
    membership: MembershipId,
    organization: OrganizationId,
    allowed: Vec<ApplicationPermissionView<'a>>,
    agreements: Vec<ConsentView<'a>>,
    grants: Vec<ApplicationGrantView>,
}

#[derive(Serialize)]
struct ApplicationPermissionView<'a> {
    audience: &'a str,
    name: &'a str,
    english: &'a str,
    portuguese: &'a str,
}

#[derive(Serialize)]
struct ConsentView<'a> {
    audience: &'a str,
    scope: String,
    claims: String,
    agreed_at: JsonTimestamp,
}

#[derive(Serialize)]
struct ApplicationGrantView {
    id: GrantId,
    scopes: Value,
    created_at: JsonTimestamp,
    expires_at: JsonTimestamp,
}

impl ResourceView for ApplicationGrants {
    fn cursor(&self) -> String {
        format!("{} {}", self.application.client, self.application.membership)
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        let application = &self.application;
        let agreements = self.agreements.iter().map(|agreement| ConsentView {
            audience: &agreement.audience,
            scope: agreement.scope.to_string(),
            claims: agreement.claims.to_string(),
            agreed_at: JsonTimestamp(agreement.agreed_at),
        });
        let mut grants = Vec::new();
        for held in &self.active_grants {
            grants.push(ApplicationGrantView {
                id: held.grant,
                scopes: held.scopes.parse().map_err(Failure::from)?,
                created_at: JsonTimestamp(held.created_at),
                expires_at: JsonTimestamp(held.expires_at),
            });
        }
        Ok(AuthorizedApplicationView {
            client_id: &application.client,
            name: &application.name,
            localized: &self.localized,
            is_verified: application.verified_at.is_some(),
            membership: application.membership,
            organization: application.organization,
            allowed: self.allowed.iter().map(application_permissions).collect(),
            agreements: agreements.collect(),
            grants,
        })
    }
}

fn application_permissions(allowed: &ApplicationPermission) -> ApplicationPermissionView<'_> {
    let ApplicationPermission { audience, name, description: meaning } = allowed;
    ApplicationPermissionView { audience, name, english: &meaning.english, portuguese: &meaning.portuguese }
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&APPLICATION];

/// The schema of the resource.
pub(crate) const APPLICATION: NamedSchema = NamedSchema {
    name: "GrantedApplication",
    json: r##"{
        "type": "object", "additionalProperties": false,
        "required": ["client_id", "name", "localized", "is_verified", "membership", "organization", "allowed", "agreements", "grants"],
        "properties": {
            "client_id": {"type": "string"},
            "name": {"type": "string", "description": "What it calls itself."},
            "localized": {
                "type": "object", "additionalProperties": {"type": "string"},
                "description": "What it says of itself in other languages, as in `client_name#pt-BR`."
            },
            "is_verified": {"type": "boolean", "description": "Whether an operator vouches for it."},
            "membership": {"type": "string", "format": "uuid", "description": "For which membership it acts."},
            "organization": {"type": "string", "format": "uuid"},
            "allowed": {
                "type": "array",
                "description": "What it may do and know, by agreement or because it holds a grant, as people are asked. The words are empty where nobody knows them any more.",
                "items": {
                    "type": "object", "additionalProperties": false,
                    "required": ["audience", "name", "english", "portuguese"],
                    "properties": {
                        "audience": {"type": "string"},
                        "name": {"type": "string", "description": "The scope, or the claim that was agreed to by its name."},
                        "english": {"type": "string"}, "portuguese": {"type": "string"}
                    }
                }
            },
            "agreements": {
                "type": "array",
                "items": {
                    "type": "object", "additionalProperties": false,
                    "required": ["audience", "scope", "claims", "agreed_at"],
                    "properties": {
                        "audience": {"type": "string"}, "scope": {"type": "string"},
                        "claims": {"type": "string", "description": "The claims that were agreed to by their names."},
                        "agreed_at": {"type": "string", "format": "date-time"}
                    }
                }
            },
            "grants": {
                "type": "array", "description": "What it holds now.",
                "items": {
                    "type": "object", "additionalProperties": false,
                    "required": ["id", "scopes", "created_at", "expires_at"],
                    "properties": {
                        "id": {"type": "string", "format": "uuid"}, "scopes": {},
                        "created_at": {"type": "string", "format": "date-time"},
                        "expires_at": {"type": "string", "format": "date-time"}
                    }
                }
            }
        }
    }"##,
};

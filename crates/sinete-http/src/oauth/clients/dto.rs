//! Clients, as requested and returned.

mod schemas;

pub(crate) use schemas::{CLIENT, CLIENT_PATCH, NEW_CLIENT, SCHEMAS, SETTLED_CLIENT};

use crate::management_api::pagination::ResourceView;
use crate::organizations::organization::handlers::condition_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::client_id::{ClientId, ClientKind};
use sinete_core::id::{MembershipId, RoleId};
use sinete_core::limits::DISPLAY_TEXT_CHARACTERS_MAX;
use sinete_core::oauth::client_metadata::ClientMetadata;
use sinete_core::oauth::client_metadata::template::ClientTemplate;
use sinete_core::oauth::redirect_uri::parse_submitted_uri;
use sinete_core::refusal::Refusal;
use sinete_core::validation::ValidationErrors;
use sinete_engine::Failure;
use sinete_engine::oauth::clients::{
    ClientOrigin, ClientOverview, ClientRow, ClientUpdate, NewClientRequest, SavedClient,
};
use sinete_engine::organizations::members::MemberWithRoles;
use sinete_server::reply::HandlerError;
use sinete_server::reply::json::JsonTimestamp;

/// A client, as returned.
#[derive(Serialize, JsonSchema)]
struct ClientView<'a> {
    /// The `client_id`.
    #[schemars(with = "String")]
    id: &'a ClientId,
    #[schemars(with = "String", extend("enum" = ["application", "service", "agent"]))]
    kind: ClientKind,
    /// Who registered the client: an operator, an organization, or the client itself.
    #[schemars(extend("enum" = ["operator", "organization", "self"]))]
    origin: &'static str,
    purpose: &'a str,
    /// The member who is responsible for an agent.
    owner: Option<MembershipId>,
    #[schemars(extend("enum" = ["enabled", "suspended", "ended"]))]
    condition: &'static str,
    /// When an operator verified the client.
    verified_at: Option<JsonTimestamp>,
    /// The membership of the client, if it acts for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    membership: Option<MembershipId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    roles: Option<Vec<ClientRoleView<'a>>>,
    #[schemars(with = "ClientMetadata")]
    metadata: Map<String, Value>,
    created_at: JsonTimestamp,
    /// The version, which is also the `ETag`.
    version: i64,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CarriedRole")]
struct ClientRoleView<'a> {
    id: RoleId,
    name: &'a str,
}

impl<'a> ClientView<'a> {
    fn from_client(client: &'a ClientRow, member: Option<&'a MemberWithRoles>) -> Result<Self, HandlerError> {
        let to_role_views = |member: &'a MemberWithRoles| {
            member.roles.iter().map(|it| ClientRoleView { id: it.id, name: it.role.name() }).collect()
        };
        Ok(Self {
            id: &client.id,
            kind: client.kind,
            origin: match client.origin {
                ClientOrigin::Operator => "operator",
                ClientOrigin::Organization(_) => "organization",
                ClientOrigin::DynamicRegistration => "self",
            },
            purpose: &client.purpose,
            owner: client.owner,
            condition: condition_name(client.condition),
            verified_at: client.verified_at.map(JsonTimestamp),
            membership: member.map(|member| member.membership.id),
            roles: member.map(to_role_views),
            metadata: client.metadata.parse().map_err(Failure::from)?,
            created_at: JsonTimestamp(client.created_at),
            version: client.version,
        })
    }
}

impl ResourceView for ClientRow {
    fn cursor(&self) -> String {
        self.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        ClientView::from_client(self, None)
    }
}

impl ResourceView for ClientOverview {
    fn cursor(&self) -> String {
        self.client.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        ClientView::from_client(&self.client, self.member.as_ref())
    }
}

/// A client after a change, with a new secret, which is returned once.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SavedClientView {
    #[serde(flatten)]
    #[schemars(with = "ClientView<'static>")]
    client: Value,
    /// The new secret, if one was created. It is returned only once.
    #[serde(skip_serializing_if = "Option::is_none")]
    client_secret: Option<String>,
}

impl SavedClientView {
    pub(crate) fn from_saved(saved_client: SavedClient) -> Result<Self, HandlerError> {
        let client =
            serde_json::to_value(saved_client.overview.to_view()?).map_err(|_| Failure::Interrupted)?;
        Ok(Self { client, client_secret: saved_client.secret.map(sinete_core::secret::Secret::reveal) })
    }
}

/// A client to add.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewClientInput {
    /// The `client_id`, which only operators can choose and which must not look like a UUID. If omitted, one
    /// is generated.
    #[schemars(length(min = 1, max = 100), regex(pattern = r"^[A-Za-z0-9._-]+$"))]
    id: Option<String>,
    /// The type of the client. It determines the kind and the defaults of omitted metadata.
    #[schemars(with = "Option<String>", extend("enum" = ["web", "spa", "native", "service", "agent"]))]
    #[serde(rename = "type")]
    template: Option<ClientTemplate>,
    /// Required without `type`.
    #[schemars(with = "Option<String>", extend("enum" = ["application", "service", "agent"]))]
    kind: Option<ClientKind>,
    /// The purpose. Required for an agent.
    #[schemars(length(max = DISPLAY_TEXT_CHARACTERS_MAX))]
    #[serde(default)]
    purpose: String,
    /// The member who is responsible for an agent.
    #[schemars(with = "Option<MembershipId>")]
    owner: Option<String>,
    /// The ids of the client's roles in its organization, if it acts for itself.
    #[schemars(with = "Vec<RoleId>", length(max = 50), extend("uniqueItems" = true))]
    #[serde(default)]
    roles: Vec<String>,
    /// Whether the client is verified by an operator.
    #[schemars(extend("default" = false))]
    #[serde(default)]
    verified: bool,
    #[schemars(with = "ClientMetadata")]
    metadata: Map<String, Value>,
}

impl NewClientInput {
    pub(crate) fn into_client_request(self) -> Result<NewClientRequest, HandlerError> {
        let mut errors = ValidationErrors::default();
        let id = self.id.and_then(|id| {
            ClientId::from_chosen_name(&id)
                .map_err(|invalid_client_id| errors.add("/id", invalid_client_id.to_string()))
                .ok()
        });
        let owner = self.owner.and_then(|owner| errors.parse_text("/owner", &owner));
        let roles = parse_roles(&self.roles, &mut errors);
        let kind = match (self.template.map(ClientTemplate::kind), self.kind) {
            (Some(of_type), Some(kind)) if of_type != kind => {
                errors.add("/kind", "this type belongs to another kind of client");
                None
            }
            (of_type, kind) => of_type.or(kind),
        };
        if self.template.is_none() && self.kind.is_none() {
            errors.add("/kind", "is required");
        }
        let mut metadata = self.metadata;
        if let Some(template) = self.template {
            template.fill_metadata(&mut metadata);
        }
        let metadata = parse_metadata(metadata, &mut errors);
        match (metadata, kind) {
            (Some(metadata), Some(kind)) if errors.is_empty() => Ok(NewClientRequest {
                id,
                kind,
                purpose: self.purpose,
                owner,
                roles,
                is_verified: self.verified,
                secret: None,
                registration: None,
                metadata,
            }),
            _ => Err(Refusal::from_validation_errors(errors).into()),
        }
    }
}

/// The editable properties of a client.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClientPatch {
    #[schemars(length(max = DISPLAY_TEXT_CHARACTERS_MAX))]
    #[serde(default)]
    purpose: String,
    #[schemars(with = "Option<MembershipId>")]
    owner: Option<String>,
    #[schemars(with = "Vec<RoleId>", length(max = 50), extend("uniqueItems" = true))]
    #[serde(default)]
    roles: Vec<String>,
    #[schemars(with = "ClientMetadata")]
    metadata: Map<String, Value>,
}

impl ClientPatch {
    pub(crate) fn from_client(overview: &ClientOverview) -> Result<Self, HandlerError> {
        Ok(Self {
            purpose: overview.client.purpose.clone(),
            owner: overview.client.owner.map(|owner| owner.to_string()),
            roles: overview.role_ids().iter().map(ToString::to_string).collect(),
            metadata: overview.client.metadata.parse().map_err(Failure::from)?,
        })
    }

    /// The resulting change. Unchanged roles are not assigned again, which would require holding their
    /// permissions.
    pub(crate) fn into_client_changes(self, before: &ClientOverview) -> Result<ClientUpdate, HandlerError> {
        let mut errors = ValidationErrors::default();
        let owner = self.owner.and_then(|owner| errors.parse_text("/owner", &owner));
        let roles = parse_roles(&self.roles, &mut errors);
        let metadata = parse_metadata(self.metadata, &mut errors);
        let roles = (roles != before.role_ids()).then_some(roles);
        match metadata {
            Some(metadata) if errors.is_empty() => Ok(ClientUpdate {
                purpose: self.purpose,
                owner,
                roles,
                expected_roles: before.role_ids(),
                metadata,
            }),
            _ => Err(Refusal::from_validation_errors(errors).into()),
        }
    }
}

fn parse_roles(role_ids: &[String], errors: &mut ValidationErrors) -> Vec<RoleId> {
    let read = |(index, text): (usize, &String)| errors.parse_text(format!("/roles/{index}"), text);
    role_ids.iter().enumerate().filter_map(read).collect()
}

/// Parses the metadata after it was validated against the schema: only URLs and scopes are left to check.
fn parse_metadata(metadata: Map<String, Value>, errors: &mut ValidationErrors) -> Option<ClientMetadata> {
    for member in ["redirect_uris", "post_logout_redirect_uris"] {
        let addresses = metadata.get(member).and_then(Value::as_array);
        for (index, address) in addresses.into_iter().flatten().enumerate() {
            let address = address.as_str().unwrap_or_default();
            parse_submitted_uri(errors, format!("/metadata/{member}/{index}"), address);
        }
    }
    if let Some(scope) = metadata.get("scope").and_then(Value::as_str) {
        errors.parse_text::<ScopeSet>("/metadata/scope", scope);
    }
    match ClientMetadata::deserialize(Value::Object(metadata)) {
        Ok(metadata) => Some(metadata),
        Err(_) => {
            if errors.is_empty() {
                errors.add(
                    "/metadata",
                    "is not valid client metadata; compare it with the schema in /openapi.json",
                );
            }
            None
        }
    }
}

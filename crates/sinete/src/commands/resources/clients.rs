//! `sinete client`: clients of the instance or of an organization.

use super::output::ResourceOutput;
use super::{ResourceSession, no_such_role};
use crate::cli::resources::{ClientAddArgs, ClientCommand, ClientType};
use crate::exit::CommandError;
use serde_json::{Value, json};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::client_id::ClientKind;
use sinete_core::id::RoleId;
use sinete_core::oauth::client_metadata::ClientMetadata;
use sinete_core::organizations::OrganizationSlug;
use sinete_engine::access_control::admin_scope::AdminScope;
use sinete_engine::access_control::instance_admin::InstanceAdmin;
use sinete_engine::access_control::organization_access::OrganizationAccess;
use sinete_engine::oauth::clients;
use sinete_engine::oauth::clients::{ClientOverview, ClientRequest, ClientRow};
use sinete_engine::organizations::roles;

/// The scopes of an application that names none.
const IDENTITY_SCOPES: &str = "openid profile email";

/// Who owns the clients that a command is about.
enum ClientOwner {
    Instance(Box<InstanceAdmin>),
    Organization(Box<OrganizationAccess>),
}

impl ClientOwner {
    fn scope(&self) -> AdminScope<'_> {
        match self {
            Self::Instance(operating) => AdminScope::Instance(operating),
            Self::Organization(inside) => AdminScope::Organization(inside),
        }
    }
}

impl ResourceSession<'_> {
    pub(super) async fn run_client(&self, asked: &ClientCommand) -> Result<ResourceOutput, CommandError> {
        match asked {
            ClientCommand::List { organization } => {
                let owner = self.client_owner(organization.as_ref()).await?;
                let listed = clients::list(self.engine, owner.scope(), None, self.limit).await?;
                let rows = listed.iter().map(describe_client).collect::<Result<_, _>>()?;
                Ok(ResourceOutput::List { columns: &["id", "kind", "name", "condition"], rows })
            }
            ClientCommand::Show { id, organization } => {
                let owner = self.client_owner(organization.as_ref()).await?;
                let shown = clients::show(self.engine, owner.scope(), id).await?;
                Ok(ResourceOutput::Item(describe_overview(&shown)?))
            }
            ClientCommand::Add(wanted) => self.add_client(wanted).await,
            ClientCommand::Remove { id, organization } => {
                let owner = self.client_owner(organization.as_ref()).await?;
                let removed = clients::remove(self.engine, owner.scope(), id).await?;
                Ok(ResourceOutput::Item(describe_overview(&removed)?))
            }
        }
    }

    async fn client_owner(
        &self,
        organization: Option<&OrganizationSlug>,
    ) -> Result<ClientOwner, CommandError> {
        Ok(match organization {
            None => ClientOwner::Instance(Box::new(InstanceAdmin::new(self.engine, &self.caller))),
            Some(slug) => ClientOwner::Organization(Box::new(self.open_organization(slug).await?)),
        })
    }

    async fn add_client(&self, wanted: &ClientAddArgs) -> Result<ResourceOutput, CommandError> {
        let owner = self.client_owner(wanted.organization.as_ref()).await?;
        let request = ClientRequest {
            id: Some(wanted.id.clone()),
            kind: match wanted.client_type {
                ClientType::Web | ClientType::Spa | ClientType::Native => ClientKind::Application,
                ClientType::Service => ClientKind::Service,
            },
            purpose: String::new(),
            owner: None,
            roles: self.find_roles(&owner, &wanted.role).await?,
            is_verified: false,
            secret: None,
            registration: None,
            metadata: build_metadata(wanted)?,
        };
        let saved = clients::create(self.engine, owner.scope(), &request).await?;
        let mut described = describe_overview(&saved.overview)?;
        described["client_secret"] = saved.secret.map(|secret| secret.reveal().to_string()).into();
        let issuer = &self.engine.settings().issuer;
        described["discovery"] = format!("{issuer}/.well-known/openid-configuration").into();
        Ok(ResourceOutput::Item(described))
    }

    async fn find_roles(&self, owner: &ClientOwner, names: &[String]) -> Result<Vec<RoleId>, CommandError> {
        let ClientOwner::Organization(inside) = owner else { return Ok(Vec::new()) };
        let known = roles::list(self.engine, inside, None, u32::MAX).await?;
        let find = |name: &String| {
            let role = known.iter().find(|role| role.role.name() == name);
            role.map(|role| role.id).ok_or_else(|| no_such_role(&inside.organization.slug, name))
        };
        names.iter().map(find).collect()
    }
}

/// The metadata of RFC 7591 that follows from what the client is.
fn build_metadata(wanted: &ClientAddArgs) -> Result<ClientMetadata, CommandError> {
    let scope = wanted.scope.as_ref().map(ToString::to_string);
    let mut metadata = json!({
        "client_name": wanted.name.clone().unwrap_or_else(|| wanted.id.to_string()),
        "redirect_uris": wanted.redirect_uri,
    });
    match wanted.client_type {
        ClientType::Web => metadata["token_endpoint_auth_method"] = "client_secret_basic".into(),
        ClientType::Spa => metadata["token_endpoint_auth_method"] = "none".into(),
        ClientType::Native => {
            metadata["token_endpoint_auth_method"] = "none".into();
            metadata["application_type"] = "native".into();
        }
        ClientType::Service => {
            metadata["token_endpoint_auth_method"] = "client_secret_basic".into();
            metadata["grant_types"] = json!(["client_credentials"]);
        }
    }
    match (scope, wanted.client_type) {
        (Some(scope), _) => metadata["scope"] = scope.into(),
        (None, ClientType::Service) => {}
        (None, ClientType::Web | ClientType::Spa | ClientType::Native) => {
            metadata["scope"] = IDENTITY_SCOPES.into();
        }
    }
    serde_json::from_value(metadata).map_err(CommandError::invalid_usage)
}

fn describe_client(row: &ClientRow) -> Result<Value, CommandError> {
    let condition = match row.condition {
        LifecycleCondition::Enabled => "enabled",
        LifecycleCondition::Suspended => "disabled",
        LifecycleCondition::Ended => "removed",
    };
    Ok(json!({
        "id": row.id.to_string(),
        "kind": row.kind.as_str(),
        "name": row.name,
        "condition": condition,
        "verified": row.verified_at.is_some(),
        "created_at": row.created_at.to_string(),
        "metadata": row.metadata.parse::<Value>()?,
    }))
}

fn describe_overview(shown: &ClientOverview) -> Result<Value, CommandError> {
    let mut described = describe_client(&shown.client)?;
    if let Some(member) = &shown.member {
        described["membership"] = member.membership.id.to_string().into();
        described["roles"] = member.roles.iter().map(|role| role.role.name()).collect();
    }
    Ok(described)
}

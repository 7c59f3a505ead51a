//! `sinete client`: clients of the instance or of an organization.

use super::output::ResourceOutput;
use super::{ResourceSession, no_such_role};
use crate::cli::resources::{ClientAddArgs, ClientCommand, ClientType, ClientUsers};
use crate::exit::CommandError;
use serde_json::{Map, Value, json};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::id::RoleId;
use sinete_core::oauth::client_metadata::template::ClientTemplate;
use sinete_core::oauth::client_metadata::{ClientMetadata, ServedUsers};
use sinete_core::organizations::OrganizationSlug;
use sinete_engine::access_control::admin_scope::AdminScope;
use sinete_engine::access_control::instance_admin::InstanceAdmin;
use sinete_engine::access_control::organization_access::OrganizationAccess;
use sinete_engine::oauth::clients;
use sinete_engine::oauth::clients::{ClientOverview, ClientRow, NewClientRequest};
use sinete_engine::organizations::roles;

/// Who owns the clients that a command is about.
enum ClientOwner {
    Instance(Box<InstanceAdmin>),
    Organization(Box<OrganizationAccess>),
}

impl ClientOwner {
    fn scope(&self) -> AdminScope<'_> {
        match self {
            Self::Instance(instance_admin) => AdminScope::Instance(instance_admin),
            Self::Organization(inside) => AdminScope::Organization(inside),
        }
    }
}

impl ResourceSession<'_> {
    pub(super) async fn run_client(
        &self,
        client_command: &ClientCommand,
    ) -> Result<ResourceOutput, CommandError> {
        match client_command {
            ClientCommand::List { organization } => {
                let owner = self.client_owner(organization.as_ref()).await?;
                let clients = clients::list(self.engine, owner.scope(), None, self.limit).await?;
                let rows = clients.iter().map(describe_client).collect::<Result<_, _>>()?;
                Ok(ResourceOutput::List { columns: &["id", "kind", "name", "condition"], rows })
            }
            ClientCommand::Show { id, organization } => {
                let owner = self.client_owner(organization.as_ref()).await?;
                let overview = clients::show(self.engine, owner.scope(), id).await?;
                Ok(ResourceOutput::Item(describe_overview(&overview)?))
            }
            ClientCommand::Add(args) => self.add_client(args).await,
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

    async fn add_client(&self, args: &ClientAddArgs) -> Result<ResourceOutput, CommandError> {
        let owner = self.client_owner(args.organization.as_ref()).await?;
        let request = NewClientRequest {
            id: Some(args.id.clone()),
            kind: client_template(args.client_type).kind(),
            purpose: String::new(),
            owner: None,
            roles: self.find_roles(&owner, &args.role).await?,
            is_verified: false,
            secret: None,
            registration: None,
            metadata: build_metadata(args)?,
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
        let roles = roles::list(self.engine, inside, None, u32::MAX).await?;
        let find = |name: &String| {
            let role = roles.iter().find(|role| role.role.name() == name);
            role.map(|role| role.id).ok_or_else(|| no_such_role(&inside.organization.slug, name))
        };
        names.iter().map(find).collect()
    }
}

/// The metadata of RFC 7591 that follows from what the client is and whom it serves.
fn build_metadata(args: &ClientAddArgs) -> Result<ClientMetadata, CommandError> {
    let name = args.name.clone().unwrap_or_else(|| args.id.to_string());
    let mut metadata = Map::from_iter([
        ("client_name".to_owned(), json!(name)),
        ("redirect_uris".to_owned(), json!(args.redirect_uri)),
    ]);
    if let Some(scope) = &args.scope {
        metadata.insert("scope".to_owned(), json!(scope.to_string()));
    }
    let serves = match args.serves {
        None => ServedUsers::Any,
        Some(ClientUsers::Everyone) => ServedUsers::Everyone,
        Some(ClientUsers::Organizations) => ServedUsers::Organizations,
    };
    client_template(args.client_type).fill_metadata(&mut metadata);
    let metadata: ClientMetadata =
        serde_json::from_value(Value::Object(metadata)).map_err(CommandError::invalid_usage)?;
    Ok(ClientMetadata { serves, ..metadata })
}

const fn client_template(client_type: ClientType) -> ClientTemplate {
    match client_type {
        ClientType::Web => ClientTemplate::Web,
        ClientType::Spa => ClientTemplate::Spa,
        ClientType::Native => ClientTemplate::Native,
        ClientType::Service => ClientTemplate::Service,
    }
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

fn describe_overview(overview: &ClientOverview) -> Result<Value, CommandError> {
    let mut described = describe_client(&overview.client)?;
    if let Some(member) = &overview.member {
        described["membership"] = member.membership.id.to_string().into();
        described["roles"] = member.roles.iter().map(|role| role.role.name()).collect();
    }
    Ok(described)
}

//! `sinete org`, `user`, `client`, `role` and `key`: daily work with the authority of the command line.

mod clients;
mod output;
mod users;

use crate::cli::resources::{KeyCommand, OrgCommand, OutputArgs, ResourceCommand, RoleCommand};
use crate::commands::{build_runtime, open_engine};
use crate::config::Config;
use crate::config::environment::Environment;
use crate::exit::{CommandError, CommandExit};
use crate::startup::engine::DatabaseIntent;
use crate::terminal::Terminal;
use output::ResourceOutput;
use serde_json::{Value, json};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::organizations::OrganizationSlug;
use sinete_core::organizations::settings::{OrganizationName, OrganizationSettings};
use sinete_engine::access_control::caller::AuthenticatedCaller;
use sinete_engine::access_control::organization_access;
use sinete_engine::access_control::organization_access::OrganizationAccess;
use sinete_engine::organizations::api_keys::ApiKeyRow;
use sinete_engine::organizations::roles::RoleDraft;
use sinete_engine::organizations::{OrganizationRequest, api_keys, roles};
use sinete_engine::{Engine, UseCaseResult as _, organizations};
use sinete_store::organizations::OrganizationRow;
use sinete_store::organizations::roles::RoleRow;
use std::path::Path;

/// Runs the command, beside a running server if there is one.
pub fn run(
    resource_command: &ResourceCommand,
    file: Option<&Path>,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let config = Config::load(file, environment)?.config;
    let output = match resource_command {
        ResourceCommand::Org { output, .. }
        | ResourceCommand::User { output, .. }
        | ResourceCommand::Client { output, .. }
        | ResourceCommand::Role { output, .. }
        | ResourceCommand::Key { output, .. } => *output,
    };
    build_runtime()?.block_on(async {
        let engine = open_engine(&config, DatabaseIntent::Use).await?;
        let result = run_command(resource_command, &engine, output).await;
        engine.store().close().await;
        let resource_output = result?;
        let note = resource_output.note();
        terminal.print(&resource_output.render(output.json)?)?;
        if let Some(note) = note {
            terminal.print_error(&note);
        }
        Ok(CommandExit::Done)
    })
}

async fn run_command(
    resource_command: &ResourceCommand,
    engine: &Engine,
    output: OutputArgs,
) -> Result<ResourceOutput, CommandError> {
    let caller = organizations::load_command_line_caller(engine).await?;
    let session = ResourceSession { engine, caller, limit: output.limit };
    match resource_command {
        ResourceCommand::Org { command, .. } => session.run_org(command).await,
        ResourceCommand::User { command, .. } => session.run_user(command).await,
        ResourceCommand::Client { command, .. } => session.run_client(command).await,
        ResourceCommand::Role { command, .. } => session.run_role(command).await,
        ResourceCommand::Key { command, .. } => session.run_key(command).await,
    }
}

/// The engine and the authority of a command.
struct ResourceSession<'a> {
    engine: &'a Engine,
    caller: AuthenticatedCaller,
    limit: u32,
}

impl ResourceSession<'_> {
    async fn open_organization(&self, slug: &OrganizationSlug) -> Result<OrganizationAccess, CommandError> {
        let result =
            organization_access::authorize_in_organization(self.engine, &self.caller, slug.as_str()).await;
        let no_such = || CommandError::invalid_usage(format!("the organization {slug} does not exist"));
        result.unless_refused()?.ok_or_else(no_such)
    }

    async fn run_org(&self, org_command: &OrgCommand) -> Result<ResourceOutput, CommandError> {
        match org_command {
            OrgCommand::List => {
                let organizations =
                    organizations::list(self.engine, &self.caller, None, None, self.limit).await?;
                let rows = organizations.iter().map(describe_organization).collect();
                Ok(ResourceOutput::List { columns: &["slug", "name", "condition", "id"], rows })
            }
            OrgCommand::Show { slug } => {
                let inside = self.open_organization(slug).await?;
                let organization = organizations::show(self.engine, &inside).await?;
                let mut described = describe_organization(&organization);
                described["settings"] = organization.settings.parse()?;
                Ok(ResourceOutput::Item(described))
            }
            OrgCommand::Add { slug, name } => {
                let name = name.clone().unwrap_or_else(|| slug.to_string());
                let name = OrganizationName::try_from(name).map_err(|organization_name| {
                    CommandError::invalid_usage(format!("--name: {organization_name}"))
                })?;
                let settings = OrganizationSettings::default();
                let request = OrganizationRequest { id: None, slug: slug.clone(), name, settings };
                let organization = organizations::create(self.engine, &self.caller, &request).await?;
                Ok(ResourceOutput::Item(describe_organization(&organization)))
            }
        }
    }

    async fn run_role(&self, role_command: &RoleCommand) -> Result<ResourceOutput, CommandError> {
        match role_command {
            RoleCommand::List { organization } => {
                let inside = self.open_organization(organization).await?;
                let roles = roles::list(self.engine, &inside, None, self.limit).await?;
                let rows = roles.iter().map(describe_role).collect();
                Ok(ResourceOutput::List { columns: &["name", "built_in", "permissions"], rows })
            }
            RoleCommand::Show { name, organization } => {
                let inside = self.open_organization(organization).await?;
                let roles = roles::list(self.engine, &inside, None, u32::MAX).await?;
                let role_row = roles.iter().find(|role| role.role.name() == name);
                let role = role_row.ok_or_else(|| no_such_role(organization, name))?;
                Ok(ResourceOutput::Item(describe_role(role)))
            }
            RoleCommand::Add { name, organization, permission, description } => {
                let inside = self.open_organization(organization).await?;
                let permissions = permission.iter().cloned().collect();
                let draft = RoleDraft { name: name.clone(), description: description.clone(), permissions };
                let role = roles::create(self.engine, &inside, &draft).await?;
                Ok(ResourceOutput::Item(describe_role(&role)))
            }
        }
    }

    async fn run_key(&self, key_command: &KeyCommand) -> Result<ResourceOutput, CommandError> {
        match key_command {
            KeyCommand::List { organization } => {
                let inside = self.open_organization(organization).await?;
                let keys = api_keys::list(self.engine, &inside, None, self.limit).await?;
                let rows = keys.iter().map(describe_key).collect();
                Ok(ResourceOutput::List {
                    columns: &["id", "name", "scope", "expires_at", "revoked_at"],
                    rows,
                })
            }
            KeyCommand::Show { id, organization } => {
                let inside = self.open_organization(organization).await?;
                let key = api_keys::show(self.engine, &inside, *id).await?;
                Ok(ResourceOutput::Item(describe_key(&key)))
            }
            KeyCommand::Revoke { id, organization } => {
                let inside = self.open_organization(organization).await?;
                api_keys::revoke(self.engine, &inside, *id).await?;
                let key = api_keys::show(self.engine, &inside, *id).await?;
                Ok(ResourceOutput::Item(describe_key(&key)))
            }
        }
    }
}

fn no_such_role(organization: &OrganizationSlug, name: &str) -> CommandError {
    CommandError::invalid_usage(format!("{organization} has no role {name}"))
}

fn describe_organization(row: &OrganizationRow) -> Value {
    let condition = match row.condition {
        LifecycleCondition::Enabled => "enabled",
        LifecycleCondition::Suspended => "suspended",
        LifecycleCondition::Ended => "ended",
    };
    json!({"id": row.id.to_string(), "slug": row.slug.as_str(), "name": row.name, "condition": condition})
}

fn describe_role(row: &RoleRow) -> Value {
    let permissions: Vec<_> = row.role.permissions().iter().map(ToString::to_string).collect();
    json!({
        "id": row.id.to_string(),
        "name": row.role.name(),
        "description": row.description,
        "built_in": row.is_built_in,
        "permissions": permissions,
    })
}

fn describe_key(row: &ApiKeyRow) -> Value {
    json!({
        "id": row.id.to_string(),
        "name": row.name,
        "membership": row.membership.to_string(),
        "scope": row.scope.to_string(),
        "created_at": row.created_at.to_string(),
        "expires_at": row.expires_at.to_string(),
        "used_at": row.used_at.map(|at| at.to_string()),
        "revoked_at": row.revoked_at.map(|at| at.to_string()),
    })
}

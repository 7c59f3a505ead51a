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
    asked: &ResourceCommand,
    file: Option<&Path>,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let config = Config::load(file, environment)?.config;
    let output = match asked {
        ResourceCommand::Org { output, .. }
        | ResourceCommand::User { output, .. }
        | ResourceCommand::Client { output, .. }
        | ResourceCommand::Role { output, .. }
        | ResourceCommand::Key { output, .. } => *output,
    };
    build_runtime()?.block_on(async {
        let engine = open_engine(&config, DatabaseIntent::Use).await?;
        let done = run_command(asked, &engine, output).await;
        engine.store().close().await;
        let done = done?;
        let note = done.note();
        terminal.print(&done.render(output.json)?)?;
        if let Some(note) = note {
            terminal.print_error(&note);
        }
        Ok(CommandExit::Done)
    })
}

async fn run_command(
    asked: &ResourceCommand,
    engine: &Engine,
    output: OutputArgs,
) -> Result<ResourceOutput, CommandError> {
    let caller = organizations::load_command_line_caller(engine).await?;
    let session = ResourceSession { engine, caller, limit: output.limit };
    match asked {
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
        let found =
            organization_access::authorize_in_organization(self.engine, &self.caller, slug.as_str()).await;
        let no_such = || CommandError::invalid_usage(format!("the organization {slug} does not exist"));
        found.unless_refused()?.ok_or_else(no_such)
    }

    async fn run_org(&self, asked: &OrgCommand) -> Result<ResourceOutput, CommandError> {
        match asked {
            OrgCommand::List => {
                let listed = organizations::list(self.engine, &self.caller, None, None, self.limit).await?;
                let rows = listed.iter().map(describe_organization).collect();
                Ok(ResourceOutput::List { columns: &["slug", "name", "condition", "id"], rows })
            }
            OrgCommand::Show { slug } => {
                let inside = self.open_organization(slug).await?;
                let shown = organizations::show(self.engine, &inside).await?;
                let mut described = describe_organization(&shown);
                described["settings"] = shown.settings.parse()?;
                Ok(ResourceOutput::Item(described))
            }
            OrgCommand::Add { slug, name } => {
                let name = name.clone().unwrap_or_else(|| slug.to_string());
                let name = OrganizationName::try_from(name)
                    .map_err(|why| CommandError::invalid_usage(format!("--name: {why}")))?;
                let settings = OrganizationSettings::default();
                let wanted = OrganizationRequest { id: None, slug: slug.clone(), name, settings };
                let made = organizations::create(self.engine, &self.caller, &wanted).await?;
                Ok(ResourceOutput::Item(describe_organization(&made)))
            }
        }
    }

    async fn run_role(&self, asked: &RoleCommand) -> Result<ResourceOutput, CommandError> {
        match asked {
            RoleCommand::List { organization } => {
                let inside = self.open_organization(organization).await?;
                let listed = roles::list(self.engine, &inside, None, self.limit).await?;
                let rows = listed.iter().map(describe_role).collect();
                Ok(ResourceOutput::List { columns: &["name", "built_in", "permissions"], rows })
            }
            RoleCommand::Show { name, organization } => {
                let inside = self.open_organization(organization).await?;
                let listed = roles::list(self.engine, &inside, None, u32::MAX).await?;
                let found = listed.iter().find(|role| role.role.name() == name);
                let found = found.ok_or_else(|| no_such_role(organization, name))?;
                Ok(ResourceOutput::Item(describe_role(found)))
            }
            RoleCommand::Add { name, organization, permission, description } => {
                let inside = self.open_organization(organization).await?;
                let permissions = permission.iter().cloned().collect();
                let wanted = RoleDraft { name: name.clone(), description: description.clone(), permissions };
                let made = roles::create(self.engine, &inside, &wanted).await?;
                Ok(ResourceOutput::Item(describe_role(&made)))
            }
        }
    }

    async fn run_key(&self, asked: &KeyCommand) -> Result<ResourceOutput, CommandError> {
        match asked {
            KeyCommand::List { organization } => {
                let inside = self.open_organization(organization).await?;
                let listed = api_keys::list(self.engine, &inside, None, self.limit).await?;
                let rows = listed.iter().map(describe_key).collect();
                Ok(ResourceOutput::List {
                    columns: &["id", "name", "scope", "expires_at", "revoked_at"],
                    rows,
                })
            }
            KeyCommand::Show { id, organization } => {
                let inside = self.open_organization(organization).await?;
                let shown = api_keys::show(self.engine, &inside, *id).await?;
                Ok(ResourceOutput::Item(describe_key(&shown)))
            }
            KeyCommand::Revoke { id, organization } => {
                let inside = self.open_organization(organization).await?;
                api_keys::revoke(self.engine, &inside, *id).await?;
                let shown = api_keys::show(self.engine, &inside, *id).await?;
                Ok(ResourceOutput::Item(describe_key(&shown)))
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

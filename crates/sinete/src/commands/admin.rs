//! `sinete admin`: actions that require access to the command line.

use crate::cli::admin::{AdminCommand, ApiKeyArgs, AssignArgs, InviteArgs, MemberArgs};
use crate::commands::{build_runtime, first_operator, open_engine};
use crate::config::Config;
use crate::config::environment::Environment;
use crate::exit::{CommandError, CommandExit};
use crate::os::OsEntropy;
use crate::startup::engine::DatabaseIntent;
use crate::terminal::Terminal;
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::id::{AssignmentId, MembershipId};
use sinete_core::organizations::OrganizationSlug;
use sinete_core::secret::{ClientSecret, Secret};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_crypto::events::webhooks::WebhookSecret;
use sinete_engine::access_control::admin_scope::AdminScope;
use sinete_engine::access_control::caller::AuthenticatedCaller;
use sinete_engine::access_control::instance_admin::InstanceAdmin;
use sinete_engine::access_control::organization_access;
use sinete_engine::access_control::organization_access::OrganizationAccess;
use sinete_engine::administration::bootstrap;
use sinete_engine::oauth::clients;
use sinete_engine::organizations::assignments;
use sinete_engine::organizations::assignments::OperatorAssignmentKind;
use sinete_engine::organizations::{api_keys, invitations, roles};
use sinete_engine::{Engine, UseCaseResult, organizations};
use sinete_store::WriteBatch;
use sinete_store::administration::restore::invalidate_restored_state;
use std::path::Path;

/// Maximum roles that are loaded from an organization.
const ROLES_MAX: u32 = 10_000;

/// Runs the command.
pub fn run(
    admin_command: &AdminCommand,
    file: Option<&Path>,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let secret = match admin_command {
        AdminCommand::ClientSecret => Some(Secret::<ClientSecret>::mint(&OsEntropy).reveal()),
        AdminCommand::WebhookSecret => Some(WebhookSecret::mint(&OsEntropy).reveal()),
        _ => None,
    };
    if let Some(secret) = secret {
        return terminal.print(&format!("{secret}\n")).map(|()| CommandExit::Done);
    }
    let config = Config::load(file, environment)?.config;
    let admin_output = build_runtime()?.block_on(async {
        let engine = open_engine(&config, DatabaseIntent::Use).await?;
        let result = run_subcommand(admin_command, &engine).await;
        engine.store().close().await;
        result
    })?;
    terminal.print(&admin_output.text)?;
    if let Some(note) = admin_output.note {
        terminal.print_error(&note);
    }
    Ok(CommandExit::Done)
}

/// What a command prints: a text on standard output, and for users a note on standard error.
struct AdminOutput {
    text: String,
    note: Option<String>,
}

impl From<String> for AdminOutput {
    fn from(text: String) -> Self {
        Self { text, note: None }
    }
}

async fn run_subcommand(admin_command: &AdminCommand, engine: &Engine) -> Result<AdminOutput, CommandError> {
    let caller = organizations::load_command_line_caller(engine).await?;
    let text = match admin_command {
        AdminCommand::ClientSecret | AdminCommand::WebhookSecret => Ok(String::new()),
        AdminCommand::Restored { taken_at } => mark_restored(engine, *taken_at).await,
        AdminCommand::ApiKey(args) => return issue_api_key(engine, &caller, args).await,
        AdminCommand::Assign(args) => create_assignment(engine, &caller, args).await,
        AdminCommand::Unassign { id } => end_assignment(engine, &caller, *id).await,
        AdminCommand::Invite(InviteArgs { email: None, .. }) => invite_operator(engine, &caller).await,
        AdminCommand::Invite(args @ InviteArgs { email: Some(address), .. }) => {
            invite_member(engine, &caller, args, address).await
        }
    };
    text.map(AdminOutput::from)
}

/// Revokes everything that may have changed since the backup.
async fn mark_restored(engine: &Engine, taken_at: Option<Timestamp>) -> Result<String, CommandError> {
    let now = engine.now();
    let event =
        SecurityEvent::new(EventKind::BackupRestored, SecurityEventActor::System, now, engine.entropy());
    let event = match taken_at {
        Some(taken_at) => event.with_detail("taken_at", taken_at.to_string()),
        None => event,
    };
    let batch = WriteBatch::new().with_statements(invalidate_restored_state(now)).with_event(&event);
    // The statements have no guards that could conflict.
    engine.store().commit(batch).await?.into_result().map_err(CommandError::failed)?;
    Ok("Every session has ended and every grant is revoked: all users sign in again.\n".to_owned())
}

async fn issue_api_key(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    args: &ApiKeyArgs,
) -> Result<AdminOutput, CommandError> {
    let inside = authorize_in_organization(engine, caller, &args.organization).await?;
    let membership = find_membership(engine, &inside, &args.holder).await?;
    let request = api_keys::ApiKeyRequest {
        membership,
        name: args.name.clone(),
        scope: args.scope.clone(),
        lifetime: args.days.map(|days| Lifetime::from_days(days.into())),
    };
    let issued = api_keys::issue(engine, &inside, &request).await?;
    // The key alone is on standard output, so that a script can take it.
    let note = format!("the key is shown once and expires at {}", issued.expires_at);
    Ok(AdminOutput { text: format!("{}\n", issued.secret.reveal()), note: Some(note) })
}

async fn create_assignment(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    args: &AssignArgs,
) -> Result<String, CommandError> {
    let operators = organizations::OPERATORS.parse::<OrganizationSlug>().map_err(CommandError::failed)?;
    let house = authorize_in_organization(engine, caller, &operators).await?;
    let holder = find_membership(engine, &house, &args.holder).await?;
    let instance_admin = InstanceAdmin::new(engine, caller);
    let ends_at = args.until.unwrap_or_else(|| instance_admin.now().plus(Lifetime::from_hours(args.hours)));
    let request = assignments::AssignmentRequest {
        task: args
            .impersonate
            .map_or(OperatorAssignmentKind::Administer, OperatorAssignmentKind::Impersonate),
        holder,
        organization: args.organization.to_string(),
        reason: args.reason.clone(),
        ends_at,
    };
    let assignment = assignments::create(engine, &instance_admin, &request).await?;
    Ok(format!("{}\n", assignment.assignment.id))
}

async fn end_assignment(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    id: AssignmentId,
) -> Result<String, CommandError> {
    let instance_admin = InstanceAdmin::new(engine, caller);
    assignments::end(engine, &instance_admin, id).await?;
    Ok(format!("{id} has ended.\n"))
}

async fn invite_operator(engine: &Engine, caller: &AuthenticatedCaller) -> Result<String, CommandError> {
    let instance_admin = InstanceAdmin::new(engine, caller);
    let link = bootstrap::invite_operator(engine, &instance_admin).await?;
    Ok(format!("{}\n", first_operator::render_instructions(&link, &engine.settings().issuer)))
}

async fn invite_member(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    args: &InviteArgs,
    address: &EmailAddress,
) -> Result<String, CommandError> {
    let Some(slug) = &args.organization else {
        return Err(CommandError::invalid_usage("--organization is missing"));
    };
    let inside = authorize_in_organization(engine, caller, slug).await?;
    let roles = roles::list(engine, &inside, None, ROLES_MAX).await?;
    let mut role_ids = Vec::new();
    for name in &args.role {
        let role = roles.iter().find(|role| role.role.name() == name);
        role_ids
            .push(role.ok_or_else(|| CommandError::invalid_usage(format!("{slug} has no role {name}")))?.id);
    }
    let request = invitations::InvitationRequest {
        address: address.clone(),
        membership: invitations::InvitedMembership::New(role_ids),
        lifetime: args.hours.map(Lifetime::from_hours),
        language: None,
    };
    let invitation = invitations::invite(engine, &inside, &request).await?;
    Ok(format!("An invitation to {address} is queued; it is valid until {}.\n", invitation.expires_at))
}

async fn authorize_in_organization(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    slug: &OrganizationSlug,
) -> Result<OrganizationAccess, CommandError> {
    let result = organization_access::authorize_in_organization(engine, caller, slug.as_str()).await;
    let no_such = || CommandError::invalid_usage(format!("the organization {slug} does not exist"));
    result.unless_refused()?.ok_or_else(no_such)
}

/// Finds the membership by its id or by its client.
async fn find_membership(
    engine: &Engine,
    inside: &OrganizationAccess,
    holder: &MemberArgs,
) -> Result<MembershipId, CommandError> {
    match (holder.member, &holder.client) {
        (Some(member), _) => Ok(member),
        (None, Some(client)) => {
            let result = clients::show(engine, AdminScope::Organization(inside), client).await;
            let member = result.unless_refused()?.and_then(|overview| overview.member);
            let slug = &inside.organization.slug;
            member
                .map(|member| member.membership.id)
                .ok_or_else(|| CommandError::invalid_usage(format!("{client} has no role in {slug}")))
        }
        (None, None) => Err(CommandError::invalid_usage("name the member: --member or --client")),
    }
}

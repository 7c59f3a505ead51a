//! `sinete admin`: what only whoever holds the command line can do.

use crate::boot::open::Intent;
use crate::cli::admin::{Admin, ApiKey, Assign, Holder, Invite};
use crate::commands::{beside, first_operator, refusal, runtime};
use crate::config::Config;
use crate::config::environment::Environment;
use crate::exit::{Exit, Stop};
use crate::os::OsEntropy;
use crate::terminal::Terminal;
use sinete_core::id::{AssignmentId, MembershipId};
use sinete_core::people::address::EmailAddress;
use sinete_core::people::organization::Slug;
use sinete_core::refusal::Refusal;
use sinete_core::secret::{ClientSecret, Secret};
use sinete_core::security::event::{Actor, Event, EventKind};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_crypto::webhook::WebhookSecret;
use sinete_engine::acting::{self, Acting};
use sinete_engine::assignments::{self, Task};
use sinete_engine::caller::{self, Caller};
use sinete_engine::managing::Managing;
use sinete_engine::operating::Operating;
use sinete_engine::{Engine, api_keys, bootstrap, clients, invitations, organizations, roles};
use sinete_store::Act;
use sinete_store::restored::end_what_may_have_moved_on;
use std::path::Path;

/// Most roles an organization is asked for at once.
const ROLES_MAX: u32 = 10_000;

/// Does what was asked.
pub fn run(
    asked: &Admin,
    file: Option<&Path>,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<Exit, Stop> {
    let secret = match asked {
        Admin::ClientSecret => Some(Secret::<ClientSecret>::mint(&OsEntropy).reveal()),
        Admin::WebhookSecret => Some(WebhookSecret::mint(&OsEntropy).reveal()),
        _ => None,
    };
    if let Some(secret) = secret {
        return terminal.print(&format!("{secret}\n")).map(|()| Exit::Done);
    }
    let config = Config::load(file, environment)?.config;
    let said = runtime()?.block_on(async {
        let engine = beside(&config, Intent::Use).await?;
        let said = act(asked, &engine).await;
        engine.store().close().await;
        said
    })?;
    terminal.print(&said).map(|()| Exit::Done)
}

async fn act(asked: &Admin, engine: &Engine) -> Result<String, Stop> {
    let caller = caller::at_the_command_line(engine).await?;
    match asked {
        Admin::ClientSecret | Admin::WebhookSecret => Ok(String::new()),
        Admin::Restored { taken_at } => restored(engine, *taken_at).await,
        Admin::ApiKey(asked) => api_key(engine, &caller, asked).await,
        Admin::Assign(asked) => assign(engine, &caller, asked).await,
        Admin::Unassign { id } => unassign(engine, &caller, *id).await,
        Admin::Invite(Invite { email: None, .. }) => invite_operator(engine, &caller).await,
        Admin::Invite(asked @ Invite { email: Some(address), .. }) => {
            invite(engine, &caller, asked, address).await
        }
    }
}

/// Ends what may have moved on since the copy was taken.
async fn restored(engine: &Engine, taken_at: Option<Timestamp>) -> Result<String, Stop> {
    let now = engine.now();
    let event = Event::new(EventKind::BackupRestored, Actor::System, now, engine.entropy());
    let event = match taken_at {
        Some(taken_at) => event.with("taken_at", taken_at.to_string()),
        None => event,
    };
    let act = Act::new().with_all(end_what_may_have_moved_on(now)).record(&event);
    // Every step takes whatever is there: nothing in this act can conflict.
    engine.store().commit(act).await?.map_err(Stop::failed)?;
    Ok("Every session has ended and every grant is revoked: everybody signs in again.\n".to_owned())
}

async fn api_key(engine: &Engine, caller: &Caller, asked: &ApiKey) -> Result<String, Stop> {
    let inside = step_into(engine, caller, &asked.organization).await?;
    let membership = member(engine, &inside, &asked.holder).await?;
    let wanted = api_keys::Wanted {
        membership,
        name: asked.name.clone(),
        scope: asked.scope.clone(),
        lifetime: asked.days.map(|days| Lifetime::from_days(days.into())),
    };
    let issued = allowed(api_keys::issue(engine, &inside, &wanted).await?)?;
    Ok(format!("{}\n", issued.secret.reveal()))
}

async fn assign(engine: &Engine, caller: &Caller, asked: &Assign) -> Result<String, Stop> {
    let operators = organizations::OPERATORS.parse::<Slug>().map_err(Stop::failed)?;
    let house = step_into(engine, caller, &operators).await?;
    let holder = member(engine, &house, &asked.holder).await?;
    let operating = Operating::new(engine, caller);
    let ends_at = asked.until.unwrap_or_else(|| operating.now().plus(Lifetime::from_hours(asked.hours)));
    let wanted = assignments::Wanted {
        task: asked.impersonate.map_or(Task::Administer, Task::Impersonate),
        holder,
        organization: asked.organization.to_string(),
        reason: asked.reason.clone(),
        ends_at,
    };
    let made = allowed(assignments::make(engine, &operating, &wanted).await?)?;
    Ok(format!("{}\n", made.assignment.id))
}

async fn unassign(engine: &Engine, caller: &Caller, id: AssignmentId) -> Result<String, Stop> {
    let operating = Operating::new(engine, caller);
    allowed(assignments::end(engine, &operating, id).await?)?;
    Ok(format!("{id} has ended.\n"))
}

async fn invite_operator(engine: &Engine, caller: &Caller) -> Result<String, Stop> {
    let operating = Operating::new(engine, caller);
    let link = allowed(bootstrap::invite_operator(engine, &operating).await?)?;
    Ok(format!("{}\n", first_operator::step(&link, &engine.settings().issuer)))
}

async fn invite(
    engine: &Engine,
    caller: &Caller,
    asked: &Invite,
    address: &EmailAddress,
) -> Result<String, Stop> {
    let Some(slug) = &asked.organization else { return Err(Stop::wrong("--organization is missing")) };
    let inside = step_into(engine, caller, slug).await?;
    let known = allowed(roles::list(engine, &inside, None, ROLES_MAX).await?)?;
    let mut chosen = Vec::new();
    for name in &asked.role {
        let role = known.iter().find(|role| role.role.name() == name);
        chosen.push(role.ok_or_else(|| Stop::wrong(format!("{slug} has no role {name}")))?.id);
    }
    let wanted = invitations::Wanted {
        address: address.clone(),
        place: invitations::Place::New(chosen),
        lifetime: asked.hours.map(Lifetime::from_hours),
        language: None,
    };
    let invitation = allowed(invitations::invite(engine, &inside, &wanted).await?)?;
    Ok(format!("An invitation to {address} waits to be sent; it works until {}.\n", invitation.expires_at))
}

async fn step_into(engine: &Engine, caller: &Caller, slug: &Slug) -> Result<Acting, Stop> {
    let found = acting::step_into(engine, caller, slug.as_str()).await?;
    found.map_err(|_| Stop::wrong(format!("there is no organization {slug}")))
}

/// The membership that was named, directly or by its client.
async fn member(engine: &Engine, inside: &Acting, holder: &Holder) -> Result<MembershipId, Stop> {
    match (holder.member, &holder.client) {
        (Some(member), _) => Ok(member),
        (None, Some(client)) => {
            let shown = clients::show(engine, Managing::Organization(inside), client).await?;
            let member = shown.ok().and_then(|shown| shown.member);
            let slug = &inside.organization.slug;
            member
                .map(|member| member.membership.id)
                .ok_or_else(|| Stop::wrong(format!("{client} carries no role in {slug}")))
        }
        (None, None) => Err(Stop::wrong("say whose: --member or --client")),
    }
}

fn allowed<T>(done: Result<T, Refusal>) -> Result<T, Stop> {
    done.map_err(|refused| refusal(&refused))
}

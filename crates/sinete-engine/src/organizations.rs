//! Organizations: creation, changes, suspension, and deletion after a waiting time.

pub mod api_catalog;
pub mod api_keys;
pub mod assignments;
pub mod branding;
pub mod domains;
pub mod first_owner;
pub(crate) mod former_members;
pub mod invitations;
pub mod member_access;
pub mod member_grants;
pub mod member_search;
pub mod members;
pub mod newest_first;
pub(crate) mod role_assignment;
pub mod roles;

pub use first_owner::FirstOwner;

use crate::access_control::caller;
use crate::access_control::caller::AuthenticatedCaller;
use crate::access_control::organization_access::{
    OrganizationAccess, no_such_organization, with_audit_log_event,
};
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use sinete_core::access_control::built_in_permissions::{
    CREATE_ORGANIZATIONS, DELETE_ORGANIZATION, READ_INSTANCE, READ_ORGANIZATION, UPDATE_ORGANIZATION,
};
use sinete_core::access_control::permission_catalog::BuiltInRole;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::events::security_event::{EventKind, SecurityEvent};
use sinete_core::id::{OrganizationId, RoleId};
use sinete_core::limits::ORGANIZATION_DELETION_WAIT;
use sinete_core::organization_kind::OrganizationKind;
use sinete_core::organizations::OrganizationSlug;
use sinete_core::organizations::settings::{OrganizationName, OrganizationSettings};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::organizations::OrganizationRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::time::Timestamp;
pub use sinete_store::organizations::OrganizationRow;
use sinete_store::organizations::roles as store_roles;
use sinete_store::organizations::{ConditionChangeReason, NewOrganization};
use sinete_store::{BatchOutcome, GuardedStatement, JsonDocument, WriteBatch, organizations};

/// The slug of the operators' organization.
pub const OPERATORS: &str = OrganizationKind::OPERATORS;
/// The slug of the home organization, for accounts without an invitation.
pub const HOME: &str = OrganizationKind::HOME;

/// An organization to create.
#[derive(Clone, Debug)]
pub struct OrganizationRequest {
    /// The id, if chosen.
    pub id: Option<OrganizationId>,
    /// The slug.
    pub slug: OrganizationSlug,
    /// The display name.
    pub name: OrganizationName,
    /// The settings.
    pub settings: OrganizationSettings,
}

/// A change of an organization.
#[derive(Clone, Debug, Default)]
pub struct OrganizationChange {
    /// The new name.
    pub name: Option<OrganizationName>,
    /// The new settings.
    pub settings: Option<OrganizationSettings>,
}

/// Finds a built-in organization by its slug, if it exists yet.
pub(crate) async fn find_built_in_organization(
    engine: &Engine,
    slug: &str,
) -> Result<Option<OrganizationRow>, Failure> {
    let Ok(slug) = slug.parse() else { return Ok(None) };
    Ok(organizations::find_organization_by_slug(engine.store(), &slug, engine.now()).await?)
}

/// Creates an organization with its built-in roles. Only operators may.
pub async fn create(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    request: &OrganizationRequest,
) -> Result<OrganizationRow, Error> {
    create_with_owner(engine, caller, request, None).await
}

/// The same, and invites its first owner in the same transaction: an operator without an assignment cannot act inside
/// it afterwards.
pub async fn create_with_owner(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    request: &OrganizationRequest,
    owner: Option<&FirstOwner>,
) -> Result<OrganizationRow, Error> {
    caller.require_instance_permission(CREATE_ORGANIZATIONS)?;
    let now = engine.now();
    let id = request.id.unwrap_or_else(|| OrganizationId::mint(now, engine.entropy()));
    let event = engine.event(EventKind::OrganizationCreated, &caller.cause, now).with_organization(id);
    let (batch, roles) = prepare_creation(engine, id, OrganizationKind::Customer, request, now)?;
    let mut batch = match &caller.claim {
        Some(claim) => batch.with_statement(claim.claim_statement(&id.to_string(), now)),
        None => batch,
    };
    if let (Some(owner), Some(role)) = (owner, roles.owner) {
        let language = owner.language.unwrap_or(request.settings.language);
        let prepared = invitations::prepare_first_owner(
            engine,
            id,
            request.name.as_str(),
            &owner.address,
            language,
            role,
            now,
        )
        .await?;
        let invited = engine
            .event(EventKind::InvitationSent, &caller.cause, now)
            .with_organization(id)
            .with_subject("invitation", prepared.invitation)
            .with_detail("membership", prepared.membership.to_string())
            .with_detail("roles", vec![BuiltInRole::Owner.name().to_owned()]);
        batch = with_audit_log_event(batch.with_statements(prepared.statements), &invited, id, "")?;
    }
    match engine.store().commit(with_audit_log_event(batch, &event, id, "")?).await? {
        BatchOutcome::Committed(_) => Ok(load_organization(engine, id).await?),
        BatchOutcome::Conflict(_) => Err(slug_taken().into()),
    }
}

/// The built-in roles of a new organization.
pub(crate) struct CreatedRoles {
    /// The role of owners.
    owner: Option<RoleId>,
}

/// The statements that create an organization of any kind.
pub(crate) fn prepare_creation(
    engine: &Engine,
    id: OrganizationId,
    kind: OrganizationKind,
    request: &OrganizationRequest,
    now: Timestamp,
) -> Result<(WriteBatch, CreatedRoles), Failure> {
    let settings = JsonDocument::from_value(&request.settings)?;
    let organization = NewOrganization {
        id,
        kind,
        slug: &request.slug,
        name: request.name.as_str(),
        settings: &settings,
        created_at: now,
    };
    let roles: Vec<(RoleId, BuiltInRole)> = BuiltInRole::for_organization_kind(kind)
        .iter()
        .map(|role| (RoleId::mint(now, engine.entropy()), *role))
        .collect();
    let owner = roles.iter().find(|(_, role)| role.name() == BuiltInRole::Owner.name()).map(|(id, _)| *id);
    let steps =
        roles.iter().map(|(role_id, role)| store_roles::create_built_in_role(*role_id, id, *role, now));
    let batch = WriteBatch::new()
        .with_statement(organizations::create_organization(&organization))
        .with_statements(steps);
    Ok((batch, CreatedRoles { owner }))
}

/// Lists all organizations, for operators, or those whose name or slug begins with this text or whose id it is.
pub async fn list(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    search: Option<&str>,
    after: Option<OrganizationId>,
    limit: u32,
) -> Result<Vec<OrganizationRow>, Error> {
    caller.require_instance_permission(READ_INSTANCE)?;
    let (store, now) = (engine.store(), engine.now());
    Ok(match search.map(str::trim).filter(|search| !search.is_empty()) {
        Some(search) => organizations::search_organizations(store, search, after, limit, now).await?,
        None => organizations::list_organizations(store, after, limit, now).await?,
    })
}

/// Shows the organization.
pub async fn show(engine: &Engine, access: &OrganizationAccess) -> Result<OrganizationRow, Error> {
    access.require_read_permission(READ_ORGANIZATION)?;
    access.record_read_by_non_member(engine, "organization").await?;
    Ok(access.organization.clone())
}

/// Changes name or settings, if the version matches.
pub async fn change(
    engine: &Engine,
    access: &OrganizationAccess,
    expected_version: i64,
    changed: &OrganizationChange,
) -> Result<OrganizationRow, Error> {
    access
        .require_change_permission(UPDATE_ORGANIZATION)
        .and_then(|()| check_version(access, expected_version))?;
    let organization = &access.organization;
    let name = changed.name.as_ref().map_or(organization.name.as_str(), OrganizationName::as_str);
    let settings = changed.settings.as_ref().map(JsonDocument::from_value).transpose()?;
    let settings = settings.as_ref().unwrap_or(&organization.settings);
    let step =
        organizations::change_organization(organization.id, expected_version, name, settings, access.now());
    let mut event = access.event(engine, EventKind::OrganizationChanged);
    for (name, is_changed) in [("name", changed.name.is_some()), ("settings", changed.settings.is_some())] {
        event = event.with_detail(name, is_changed);
    }
    commit_change(engine, access, step, event).await
}

/// Suspends the organization: it grants no access from now on, and no data is lost.
pub async fn suspend(
    engine: &Engine,
    access: &OrganizationAccess,
    reason: &str,
) -> Result<OrganizationRow, Error> {
    change_condition(engine, access, LifecycleCondition::Suspended, reason).await
}

/// Restores a suspended organization with all its access.
pub async fn restore(
    engine: &Engine,
    access: &OrganizationAccess,
    reason: &str,
) -> Result<OrganizationRow, Error> {
    change_condition(engine, access, LifecycleCondition::Enabled, reason).await
}

async fn change_condition(
    engine: &Engine,
    access: &OrganizationAccess,
    condition: LifecycleCondition,
    reason: &str,
) -> Result<OrganizationRow, Error> {
    // Only operators may: an organization that suspended itself could never be restored.
    if access.assignment_reason.is_none() {
        return Err(no_such_organization().into());
    }
    let organization = &access.organization;
    if organization.kind != OrganizationKind::Customer {
        return Err(built_in_organization().into());
    }
    if organization.condition == condition {
        access.record_read_by_non_member(engine, "organization").await?;
        return Ok(organization.clone());
    }
    let by = access.cause.actor.id().unwrap_or_default();
    let because = ConditionChangeReason { actor: &by, reason };
    let step = organizations::change_organization_condition(
        organization.id,
        organization.version,
        condition,
        because,
        access.now(),
    );
    let kind = match condition {
        LifecycleCondition::Enabled => EventKind::OrganizationRestored,
        LifecycleCondition::Suspended | LifecycleCondition::Ended => EventKind::OrganizationSuspended,
    };
    let event = access.event(engine, kind).with_detail("reason", reason);
    commit_change(engine, access, step, event).await
}

/// Requests the deletion of the organization. It takes effect after a waiting time, until which it can be
/// withdrawn.
pub async fn request_deletion(
    engine: &Engine,
    access: &OrganizationAccess,
) -> Result<OrganizationRow, Error> {
    let ends_at = access.now().plus(ORGANIZATION_DELETION_WAIT);
    schedule_deletion(engine, access, Some(ends_at), EventKind::OrganizationDeletionAsked).await
}

/// Withdraws a requested deletion.
pub async fn withdraw_deletion(
    engine: &Engine,
    access: &OrganizationAccess,
) -> Result<OrganizationRow, Error> {
    schedule_deletion(engine, access, None, EventKind::OrganizationDeletionWithdrawn).await
}

async fn schedule_deletion(
    engine: &Engine,
    access: &OrganizationAccess,
    ends_at: Option<Timestamp>,
    kind: EventKind,
) -> Result<OrganizationRow, Error> {
    access.require_change_permission(DELETE_ORGANIZATION)?;
    let organization = &access.organization;
    if organization.kind != OrganizationKind::Customer {
        return Err(built_in_organization().into());
    }
    // A second request does not postpone the deletion.
    if organization.ends_at.is_some() == ends_at.is_some() {
        access.record_read_by_non_member(engine, "organization").await?;
        return Ok(organization.clone());
    }
    let step = organizations::schedule_organization_deletion(
        organization.id,
        organization.version,
        ends_at,
        access.now(),
    );
    let event = access.event(engine, kind);
    commit_change(engine, access, step, event).await
}

async fn commit_change(
    engine: &Engine,
    access: &OrganizationAccess,
    step: GuardedStatement,
    event: SecurityEvent,
) -> Result<OrganizationRow, Error> {
    let batch = access.record(WriteBatch::new().with_statement(step), &event)?;
    match engine.store().commit(batch).await? {
        BatchOutcome::Committed(_) => Ok(load_organization(engine, access.organization.id).await?),
        BatchOutcome::Conflict(_) => Err(precondition_failed().into()),
    }
}

async fn load_organization(engine: &Engine, id: OrganizationId) -> Result<OrganizationRow, Failure> {
    organizations::find_organization(engine.store(), id, engine.now()).await?.ok_or(Failure::Contended)
}

/// Creates the two built-in organizations, unless they exist.
pub async fn ensure_built_in_organizations(engine: &Engine) -> Result<(), Failure> {
    for (kind, slug, name) in built_in_organizations()? {
        ensure_organization(engine, kind, slug, name).await?;
    }
    Ok(())
}

/// The caller at the command line, in the organization of the operators.
pub async fn load_command_line_caller(engine: &Engine) -> Result<AuthenticatedCaller, Failure> {
    ensure_built_in_organizations(engine).await?;
    let slug = OPERATORS.parse().map_err(|_| Failure::Contended)?;
    let organization =
        sinete_store::organizations::find_organization_by_slug(engine.store(), &slug, engine.now()).await?;
    caller::build_command_line_caller(engine, &organization.ok_or(Failure::Contended)?).await
}

/// The two built-in organizations with their initial names.
pub(crate) fn built_in_organizations()
-> Result<[(OrganizationKind, OrganizationSlug, OrganizationName); 2], Failure> {
    // The constants are valid; if they were not, the first start would fail.
    let one = |kind, slug: &str, name: &str| {
        let (slug, name) = (slug.parse::<OrganizationSlug>(), OrganizationName::try_from(name.to_owned()));
        slug.ok().zip(name.ok()).map(|(slug, name)| (kind, slug, name)).ok_or(Failure::Contended)
    };
    Ok([one(OrganizationKind::Operator, OPERATORS, "Operators")?, one(OrganizationKind::Home, HOME, "Home")?])
}

async fn ensure_organization(
    engine: &Engine,
    kind: OrganizationKind,
    slug: OrganizationSlug,
    name: OrganizationName,
) -> Result<(), Failure> {
    let request = OrganizationRequest { id: None, slug, name, settings: OrganizationSettings::default() };
    for _ in 0..ATTEMPTS_MAX {
        let now = engine.now();
        if organizations::find_organization_by_slug(engine.store(), &request.slug, now).await?.is_some() {
            return Ok(());
        }
        let id = OrganizationId::mint(now, engine.entropy());
        let event = engine
            .event(EventKind::OrganizationCreated, &crate::EventCause::system(), now)
            .with_organization(id);
        let batch = prepare_creation(engine, id, kind, &request, now)?.0.with_event(&event);
        // A conflict means that another node has just created it.
        if engine.store().commit(batch).await?.is_committed() {
            return Ok(());
        }
    }
    Err(Failure::Contended)
}

/// Checks that the version matches.
fn check_version(access: &OrganizationAccess, expected_version: i64) -> Result<(), Refusal> {
    if access.organization.version == expected_version { Ok(()) } else { Err(precondition_failed()) }
}

pub(crate) fn precondition_failed() -> Refusal {
    Refusal::because(RequestRefusal::VersionChanged, "the version has changed")
}

fn slug_taken() -> Refusal {
    Refusal::because(OrganizationRefusal::OrganizationIdTaken, "unique")
}

fn built_in_organization() -> Refusal {
    Refusal::because(OrganizationRefusal::BuiltInOrganization, "an essential organization")
}

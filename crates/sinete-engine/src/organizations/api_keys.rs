//! API keys: shown once, limited in scope, bound to a membership, and revoked with immediate effect.

use crate::access_control::organization_access::OrganizationAccess;
use crate::{Engine, Error, Failure};
use sinete_core::access_control::built_in_permissions::MANAGE_API_KEYS;
use sinete_core::access_control::built_in_permissions::{ADMINISTER_ORGANIZATIONS, IMPERSONATE_ACCOUNTS};
use sinete_core::access_control::permission::Permission;
use sinete_core::access_control::scope::{Scope, ScopeSet};
use sinete_core::access_control::subject::{ActiveSubject, TokenSubject};
use sinete_core::events::security_event::{EventKind, SecurityEventActor};
use sinete_core::id::{ApiKeyId, MembershipId, OrganizationId};
use sinete_core::limits::{API_KEY_LIFETIME, API_KEY_LIFETIME_MAX};
use sinete_core::organization_kind::OrganizationKind;
use sinete_core::organizations::memberships::is_owner;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::organizations::OrganizationRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::secret::{ApiKey, Secret};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_core::validation::ValidationErrors;
use sinete_store::oauth::subject_state;
use sinete_store::oauth::subject_state::ActingClient;
pub use sinete_store::organizations::api_keys::ApiKeyRow;
use sinete_store::organizations::api_keys::NewApiKey;
use sinete_store::organizations::{api_keys, memberships};
use sinete_store::{BatchOutcome, WriteBatch};

/// An API key to issue.
#[derive(Clone, Debug)]
pub struct ApiKeyRequest {
    /// The holder's membership.
    pub membership: MembershipId,
    /// The name.
    pub name: String,
    /// The maximum scope.
    pub scope: ScopeSet,
    /// The lifetime; `None` for the default.
    pub lifetime: Option<Lifetime>,
}

/// An issued API key with its secret, which is shown once.
pub struct IssuedApiKey {
    /// Its id.
    pub id: ApiKeyId,
    /// The key itself.
    pub secret: Secret<ApiKey>,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// Issues an API key, if both its holder and the caller hold its whole scope. A user's key can be issued only
/// by that user: anyone else with the key could impersonate them, here and through token exchange.
pub async fn issue(
    engine: &Engine,
    access: &OrganizationAccess,
    request: &ApiKeyRequest,
) -> Result<IssuedApiKey, Error> {
    let lifetime = request.lifetime.unwrap_or(API_KEY_LIFETIME);
    access.require_change_permission(MANAGE_API_KEYS).and_then(|()| check_request(request, lifetime))?;
    let organization = access.organization.id;
    if memberships::find_membership(engine.store(), organization, request.membership).await?.is_none() {
        return Err(no_such_membership().into());
    }
    let now = access.now();
    let snapshot =
        subject_state::load_subject(engine.store(), request.membership, ActingClient::None, now).await?;
    let Some(snapshot) = snapshot else { return Err(no_such_membership().into()) };
    let Ok(subject) = snapshot.state.require_active() else { return Err(no_such_membership().into()) };
    check_key_holder(access, &subject, request.membership)?;
    let authority = sinete_core::access_control::Authority::derive(&subject);
    for permission in request.scope.permissions().iter() {
        // A permission that only an assignment grants can be in a key of an operator and works during an
        // assignment. Operators can request it only for themselves.
        let assigned = is_assignment_only(permission)
            && access.organization.kind == OrganizationKind::Operator
            && (access.is_own_membership(request.membership)
                || access.cause.actor == SecurityEventActor::System);
        let is_held = authority.covers(permission) && access.authority.covers(permission);
        if !assigned && !is_held {
            return Err(permission_not_granted(permission).into());
        }
    }
    let (id, secret) = (ApiKeyId::mint(now, engine.entropy()), Secret::<ApiKey>::mint(engine.entropy()));
    let (digest, expires_at) = (secret.digest(), now.plus(lifetime));
    let key = NewApiKey {
        id,
        digest: &digest,
        membership: request.membership,
        name: &request.name,
        scope: &request.scope,
        created_at: now,
        expires_at,
    };
    let event = access
        .event(engine, EventKind::ApiKeyIssued)
        .with_subject("api_key", id)
        .with_detail("membership", request.membership.to_string())
        .with_detail("scope", request.scope.to_string());
    let batch = access.record(WriteBatch::new().with_statement(api_keys::issue_api_key(&key)), &event)?;
    match engine.store().commit(batch).await? {
        BatchOutcome::Committed(_) => Ok(IssuedApiKey { id, secret, expires_at }),
        BatchOutcome::Conflict(_) => Err(no_such_membership().into()),
    }
}

/// Lists the keys of the organization, newest last, without secrets.
pub async fn list(
    engine: &Engine,
    access: &OrganizationAccess,
    after: Option<ApiKeyId>,
    limit: u32,
) -> Result<Vec<ApiKeyRow>, Error> {
    access.require_read_permission(MANAGE_API_KEYS)?;
    access.record_read_by_non_member(engine, "api_keys").await?;
    Ok(api_keys::list_api_keys(engine.store(), access.organization.id, after, limit).await?)
}

/// Shows a key in any state, without its secret.
pub async fn show(engine: &Engine, access: &OrganizationAccess, id: ApiKeyId) -> Result<ApiKeyRow, Error> {
    access.require_read_permission(MANAGE_API_KEYS)?;
    access.record_read_by_non_member(engine, "api_keys").await?;
    Ok(api_keys::find_api_key(engine.store(), access.organization.id, id).await?.ok_or_else(no_such_key)?)
}

/// Revokes a key with immediate effect, also while the organization is suspended.
pub async fn revoke(engine: &Engine, access: &OrganizationAccess, id: ApiKeyId) -> Result<(), Error> {
    access.require_read_permission(MANAGE_API_KEYS)?;
    let organization: OrganizationId = access.organization.id;
    let Some(key) = api_keys::find_api_key(engine.store(), organization, id).await? else {
        return Err(no_such_key().into());
    };
    if key.revoked_at.is_some() {
        access.record_read_by_non_member(engine, "api_keys").await?;
        return Ok(());
    }
    let event = access.event(engine, EventKind::ApiKeyRevoked).with_subject("api_key", id);
    let batch = access.record(
        WriteBatch::new().with_statement(api_keys::revoke_api_key(organization, id, access.now())),
        &event,
    )?;
    match engine.store().commit(batch).await? {
        BatchOutcome::Committed(_) => Ok(()),
        BatchOutcome::Conflict(_) => Err(Failure::Contended.into()),
    }
}

/// Checks whether the caller may issue a key for this holder: users for themselves, the command line for
/// anyone, and key managers for machines, unless the machine is an owner and the caller is not.
fn check_key_holder(
    access: &OrganizationAccess,
    holder: &ActiveSubject,
    membership: MembershipId,
) -> Result<(), Refusal> {
    if access.is_own_membership(membership) || access.cause.actor == SecurityEventActor::System {
        return Ok(());
    }
    let reason = match holder.subject() {
        TokenSubject::User { .. } => OrganizationRefusal::ApiKeyOfAnotherPerson,
        TokenSubject::Machine { .. } if is_owner(holder.roles()) && !access.is_owner => {
            OrganizationRefusal::ApiKeyOfOwnerService
        }
        TokenSubject::Machine { .. } => return Ok(()),
    };
    Err(Refusal::because(reason, "the key would act for another user"))
}

fn check_request(request: &ApiKeyRequest, lifetime: Lifetime) -> Result<(), Refusal> {
    let refuse = |pointer: &str, text: &'static str| {
        let mut errors = ValidationErrors::default();
        errors.add(pointer, text);
        Err(Refusal::because(OrganizationRefusal::ApiKeyInvalid(text), pointer)
            .with_validation_errors(errors))
    };
    let mut errors = ValidationErrors::default();
    errors.check_display_text("/name", &request.name);
    let only_permissions = request.scope.iter().all(|scope| matches!(scope, Scope::Permission(_)));
    if !errors.is_empty() {
        refuse(
            "/name",
            "The name of an API key is empty, too long, or contains control or direction characters. Send 1 to 200 \
             visible characters.",
        )
    } else if request.scope.is_empty() || !only_permissions {
        refuse(
            "/scope",
            "The scope of an API key is empty or contains something else than permissions. Send one or more \
             permissions.",
        )
    } else if lifetime == Lifetime::ZERO || lifetime > API_KEY_LIFETIME_MAX {
        refuse("/lifetime_seconds", "An API key can be valid for at most 365 days. Send a shorter time.")
    } else {
        Ok(())
    }
}

/// Whether only an assignment grants the permission.
fn is_assignment_only(permission: &Permission) -> bool {
    let text = permission.to_string();
    text == ADMINISTER_ORGANIZATIONS || text == IMPERSONATE_ACCOUNTS
}

fn permission_not_granted(permission: &Permission) -> Refusal {
    let reason = format!("{permission} is not held by the key's holder or by the caller");
    Refusal::because(OrganizationRefusal::ApiKeyWiderThanHolder, reason)
}

fn no_such_key() -> Refusal {
    Refusal::because(RequestRefusal::NotFound, "no such key")
}

fn no_such_membership() -> Refusal {
    Refusal::because(RequestRefusal::NotFound, "no such membership, or it is not active")
}

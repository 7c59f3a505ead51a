//! Validation of clients, and whether the caller may make them so.

use super::{ClientUpdate, NewClientRequest};
use crate::access_control::admin_scope::AdminScope;
use crate::organizations::members::MemberWithRoles;
use crate::organizations::role_assignment;
use crate::{Engine, Error, Failure};
use sinete_core::access_control::built_in_permissions::VERIFY_CLIENTS;
use sinete_core::access_control::permission_catalog::is_built_in_resource;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::client_id::ClientKind;
use sinete_core::id::MembershipId;
use sinete_core::oauth::authorize::consent::ClientConsentMode;
use sinete_core::oauth::client_metadata::{ClientMetadata, GrantType};
use sinete_core::oauth::client_trust::ClientEditor;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::validation::ValidationErrors;
use sinete_store::oauth::clients::ClientRow;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::MembershipHolder;

/// A client as it would be.
pub(super) struct ClientDraft<'a> {
    kind: ClientKind,
    purpose: &'a str,
    owner: Option<MembershipId>,
    /// Whether the owner changes; an existing owner is not checked again.
    has_new_owner: bool,
    has_roles: bool,
    is_verified: bool,
    metadata: &'a ClientMetadata,
}

impl<'a> ClientDraft<'a> {
    pub(super) fn from_new(request: &'a NewClientRequest) -> Self {
        Self {
            kind: request.kind,
            purpose: &request.purpose,
            owner: request.owner,
            has_new_owner: request.owner.is_some(),
            has_roles: !request.roles.is_empty(),
            is_verified: request.is_verified,
            metadata: &request.metadata,
        }
    }

    /// A client as it would be after a change, which may end its verification.
    pub(super) fn from_change(
        client: &ClientRow,
        member: Option<&MemberWithRoles>,
        changed: &'a ClientUpdate,
        lapses: bool,
    ) -> Self {
        let has_roles = changed.roles.as_ref().map_or(member.is_some(), |roles| !roles.is_empty());
        Self {
            kind: client.kind,
            purpose: &changed.purpose,
            owner: changed.owner,
            has_new_owner: changed.owner != client.owner,
            has_roles,
            is_verified: client.verified_at.is_some() && !lapses,
            metadata: &changed.metadata,
        }
    }
}

/// Validates the client.
pub(super) async fn check_draft(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    draft: &ClientDraft<'_>,
) -> Result<(), Error> {
    may_imply_consent(admin_scope, draft.metadata)?;
    let mut errors = find_faults(admin_scope, draft);
    errors.add_nested(
        "/metadata",
        &draft.metadata.find_unavailable_mtls_features(engine.settings().accepted_certificates()),
    );
    if let Some(owner) = draft.owner
        && draft.has_new_owner
        && !is_active_owner(engine, admin_scope, owner).await?
    {
        errors.add(
            "/owner",
            "the owner of an agent must be a user who is an enabled member of this organization",
        );
    }
    if errors.is_empty() { Ok(()) } else { Err(Refusal::from_validation_errors(errors).into()) }
}

fn find_faults(admin_scope: AdminScope<'_>, draft: &ClientDraft<'_>) -> ValidationErrors {
    let mut errors = ValidationErrors::default();
    errors.add_nested("/metadata", &draft.metadata.validate_redirect_uris());
    errors.add_nested("/metadata", &draft.metadata.validate());
    if !draft.purpose.is_empty() || draft.kind == ClientKind::Agent {
        errors.check_display_text("/purpose", draft.purpose);
    }
    match (draft.kind, draft.owner) {
        // A declared agent may have no owner yet, because there may be no members.
        (ClientKind::Agent, None) if !admin_scope.is_command_line() => {
            errors.add("/owner", "an agent needs an owner")
        }
        (ClientKind::Application | ClientKind::Service, Some(_)) => {
            errors.add("/owner", "only an agent can have an owner; remove this member")
        }
        (ClientKind::Agent, _) | (ClientKind::Application | ClientKind::Service, None) => {}
    }
    let acts_for_itself = draft.metadata.effective_grant_types().contains(&GrantType::ClientCredentials);
    match admin_scope {
        AdminScope::Instance(_) if acts_for_itself || draft.has_roles => errors
            .add("/roles", "a client with the grant type client_credentials must belong to an organization"),
        AdminScope::Organization(_) if acts_for_itself && !draft.has_roles => {
            errors.add("/roles", "a client with the grant type client_credentials needs at least one role")
        }
        AdminScope::Instance(_) | AdminScope::Organization(_) => {}
    }
    let permissions = draft.metadata.allowed_scopes().permissions();
    if !draft.is_verified && permissions.iter().any(|permission| is_built_in_resource(permission.resource()))
    {
        let text = "only a client that an operator has verified may have management permissions in its scope";
        errors.add("/metadata/scope", text);
    }
    errors
}

/// Whether the membership is an active user of the organization.
async fn is_active_owner(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    owner: MembershipId,
) -> Result<bool, Failure> {
    let membership =
        memberships::find_membership(engine.store(), admin_scope.audit_organization(), owner).await?;
    Ok(membership.is_some_and(|it| {
        it.condition == LifecycleCondition::Enabled && matches!(it.holder, MembershipHolder::User(_))
    }))
}

/// Checks whether the caller may set implied consent.
///
/// Such a client receives all permissions that its users hold within its allowed scopes, without asking. An
/// administrator who controls its redirect URIs could obtain them, so they must hold all of these permissions
/// themselves: authority only narrows. An operator who may verify clients needs none of them.
fn may_imply_consent(admin_scope: AdminScope<'_>, metadata: &ClientMetadata) -> Result<(), Refusal> {
    if metadata.consent != ClientConsentMode::Implied || client_editor(admin_scope) == ClientEditor::Verifier
    {
        return Ok(());
    }
    let permissions = metadata.allowed_scopes().permissions();
    match permissions.iter().find(|permission| !admin_scope.authority().covers(permission)) {
        None => Ok(()),
        Some(permission) => {
            let reason = format!("implied consent for {permission}, which the caller does not hold");
            Err(Refusal::because(OAuthRefusal::ImpliedConsentTooWide, reason))
        }
    }
}

/// Checks whether the caller may choose the id and secret of a client, and verify it.
pub(super) fn check_chosen_credentials(
    admin_scope: AdminScope<'_>,
    request: &NewClientRequest,
) -> Result<(), Refusal> {
    let mut errors = ValidationErrors::default();
    if request.secret.is_some() && !admin_scope.is_command_line() {
        errors.add("/secret", "cannot be chosen; the server creates the secret and shows it once");
    }
    match admin_scope {
        AdminScope::Organization(_) if !admin_scope.is_command_line() => {
            if request.id.is_some() {
                errors.add("/id", "only an operator can choose the client_id; remove this member");
            }
            if request.is_verified {
                errors.add("/verified", "only an operator can verify a client; remove this member");
            }
        }
        AdminScope::Instance(instance_admin) if request.is_verified => {
            instance_admin.require_permission(VERIFY_CLIENTS)?
        }
        AdminScope::Organization(_) | AdminScope::Instance(_) => {}
    }
    if errors.is_empty() { Ok(()) } else { Err(Refusal::from_validation_errors(errors)) }
}

/// The caller as the editor of a client. One who could verify it again does not end its verification.
pub(super) fn client_editor(admin_scope: AdminScope<'_>) -> ClientEditor {
    let can_verify = match admin_scope {
        AdminScope::Instance(instance_admin) => instance_admin.require_permission(VERIFY_CLIENTS).is_ok(),
        AdminScope::Organization(access) => admin_scope.is_command_line() || access.may_verify_clients,
    };
    if can_verify { ClientEditor::Verifier } else { ClientEditor::Administrator }
}

/// Requires that the caller holds all permissions of the client, because new credentials allow acting as it.
pub(super) async fn check_takeover(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    member: Option<&MemberWithRoles>,
) -> Result<(), Error> {
    let (AdminScope::Organization(access), Some(member)) = (admin_scope, member) else { return Ok(()) };
    let member_roles: Vec<_> = member.roles.iter().collect();
    let roles = role_assignment::effective_roles(engine, access, &member_roles).await?;
    let mut permissions = roles.iter().flat_map(|role| role.permissions().iter());
    match permissions.find(|permission| !access.authority.covers(permission)) {
        None => Ok(()),
        Some(permission) => {
            let reason = format!("the client holds {permission}, which the caller does not hold");
            Err(Refusal::because(OAuthRefusal::ClientWiderThanCaller, reason).into())
        }
    }
}

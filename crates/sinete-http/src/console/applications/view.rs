//! An application for display, and the values of its form.

use super::super::PageContext;
use super::super::members::{RoleSelection, member_address, member_name};
use crate::console::applications::changes::{self, ApplicationChanges, TEXT_FIELDS};
use crate::console::flash_form::FlashForm;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::client_id::ClientKind;
use sinete_core::id::{MembershipId, RoleId};
use sinete_core::oauth::client_metadata::{ClientMetadata, GrantType};
use sinete_engine::oauth::authorize::RefusedRequest;
use sinete_engine::oauth::clients::{ClientOverview, ClientRow};
use sinete_engine::organizations::members;
use sinete_engine::organizations::members::AssignableRole;
use sinete_engine::{Failure, UseCaseResult};
use sinete_screens::console::applications::{
    ApplicationFields, ApplicationItem, ApplicationKind, CLAIMS_IN_ID_TOKEN, GRANT_TYPES,
};
use sinete_screens::console::refused_requests::RefusedRequestItem;
use sinete_screens::console::role_choices::RoleChoice;
use sinete_screens::display_time::DisplayTime;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerError;

/// An application, for display.
pub(super) struct ApplicationText {
    id: String,
    name: String,
    purpose: String,
    kind: ApplicationKind,
    is_disabled: bool,
    is_verified: bool,
    pub(super) metadata: ClientMetadata,
}

impl ApplicationText {
    pub(super) fn from_client(client: &ClientRow) -> Result<Self, HandlerError> {
        Ok(Self {
            id: client.id.to_string(),
            name: client.name.clone(),
            purpose: client.purpose.clone(),
            kind: match client.kind {
                ClientKind::Application => ApplicationKind::Application,
                ClientKind::Service => ApplicationKind::Service,
                ClientKind::Agent => ApplicationKind::Agent,
            },
            is_disabled: client.condition != LifecycleCondition::Enabled,
            is_verified: client.verified_at.is_some(),
            metadata: client.metadata.parse().map_err(Failure::from)?,
        })
    }

    pub(super) fn to_item(&self) -> ApplicationItem<'_> {
        let Self { id, name, purpose, kind, is_disabled: off, is_verified: vouched, .. } = self;
        ApplicationItem { id, name, purpose, kind: *kind, is_disabled: *off, is_verified: *vouched }
    }
}

/// The owner of an agent, by id and name, if the user may know.
pub(super) async fn agent_owner(
    context: &PageContext<'_>,
    owner: Option<MembershipId>,
) -> Result<Option<(String, String)>, HandlerError> {
    let Some(owner) = owner else { return Ok(None) };
    let member_rows =
        members::list_existing(context.engine(), context.access.organization_access(), &[owner])
            .await
            .unless_refused()?
            .unwrap_or_default();
    let name = member_rows.first().map(|(membership, address)| {
        let name = member_name(membership)?;
        match name.is_empty() {
            true => member_address(membership, address.clone()),
            false => Ok::<_, HandlerError>(name),
        }
    });
    Ok(Some((owner.to_string(), name.transpose()?.unwrap_or_default())))
}

/// The values of a form.
#[derive(Clone)]
pub(super) struct ApplicationForm {
    name: String,
    purpose: String,
    redirect_uris: String,
    auth_method: String,
    jwks_uri: String,
    grant_types: Vec<&'static str>,
    scope: String,
    /// Whether the scope is not set, which is more than an empty scope.
    is_unlimited: bool,
    claims: String,
    role_claims: String,
    roles: Vec<RoleSelection>,
}

impl ApplicationForm {
    /// The form of a new application, with rejected input.
    pub(super) async fn new(context: &PageContext<'_>) -> Result<Self, HandlerError> {
        let roles: Vec<AssignableRole> =
            offered_roles(context).await?.into_iter().filter(|it| it.is_assignable).collect();
        let default_grants = ["code", "refresh"];
        let is_selected = |it: &AssignableRole| {
            RoleSelection::is_ticked_in_form(context, "register", it.role.id).unwrap_or(false)
        };
        let flash = context.flash.as_ref().filter(|flash| flash.has_input_of("register"));
        let is_held = |name: &str| {
            let submitted_value =
                flash.and_then(|flash| flash.was_ticked("register", &format!("grant.{name}")));
            submitted_value.unwrap_or_else(|| default_grants.contains(&name))
        };
        let mut filled = Self {
            name: String::new(),
            purpose: String::new(),
            redirect_uris: String::new(),
            auth_method: "client_secret_basic".to_owned(),
            jwks_uri: String::new(),
            grant_types: GRANT_TYPES.iter().map(|grant| grant.name).filter(|name| is_held(name)).collect(),
            scope: "openid profile email".to_owned(),
            is_unlimited: false,
            claims: String::new(),
            role_claims: String::new(),
            roles: roles.iter().map(|it| RoleSelection::new(context, it, is_selected(it), true)).collect(),
        };
        for name in TEXT_FIELDS {
            if let Some(value) = flash.and_then(|flash| flash.typed_field(name)) {
                filled.set_text(name, value);
            }
        }
        Ok(filled)
    }

    /// The form of an existing application.
    pub(super) async fn from_client(
        context: &PageContext<'_>,
        overview: &ClientOverview,
        metadata: &ClientMetadata,
    ) -> Result<Self, HandlerError> {
        let choice = |it: &AssignableRole| {
            let is_assigned =
                overview.member.iter().any(|member| member.roles.iter().any(|role| role.id == it.role.id));
            RoleSelection::new(context, it, is_assigned, is_assigned || it.is_assignable)
        };
        let grant_types = metadata.effective_grant_types();
        let wire: Vec<&str> = grant_types.iter().copied().map(GrantType::as_str).collect();
        let addresses: Vec<&str> = metadata.redirect_uris.iter().map(|it| it.as_str()).collect();
        Ok(Self {
            name: overview.client.name.clone(),
            purpose: overview.client.purpose.clone(),
            redirect_uris: addresses.join("\n"),
            auth_method: metadata.token_endpoint_auth_method.as_str().to_owned(),
            jwks_uri: metadata.jwks_uri.clone().unwrap_or_default(),
            grant_types: GRANT_TYPES
                .iter()
                .filter(|it| wire.contains(&it.grant_type))
                .map(|it| it.name)
                .collect(),
            scope: metadata.allowed_scopes().to_string(),
            is_unlimited: metadata.scope.is_none(),
            claims: if metadata.include_claims_in_id_token { CLAIMS_IN_ID_TOKEN } else { "" }.to_owned(),
            role_claims: metadata.role_claims.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(" "),
            roles: offered_roles(context).await?.iter().map(choice).collect(),
        })
    }

    /// The same with the user's unsaved changes. Unchanged fields have the current values.
    pub(super) fn with_submitted_changes(&self, context: &PageContext<'_>) -> Self {
        let mut filled = self.clone();
        let input = context
            .flash
            .as_ref()
            .filter(|flash| flash.has_input_of("change"))
            .and_then(FlashForm::failed_input);
        let Some(touched) =
            input.and_then(|fields| ApplicationChanges::from_form(&FormParams::from_pairs(fields.to_vec())))
        else {
            return filled;
        };
        for (name, text) in touched.changed_texts() {
            filled.set_text(name, text);
        }
        let is_ticked =
            |name: &str| touched.changed_grant(name).unwrap_or_else(|| self.grant_types.contains(&name));
        filled.grant_types =
            GRANT_TYPES.iter().map(|grant| grant.name).filter(|name| is_ticked(name)).collect();
        for choice in &mut filled.roles {
            choice.apply_submitted_tick(|role| touched.changed_role(role));
        }
        filled
    }

    fn set_text(&mut self, name: &str, text: &str) {
        let field = match name {
            "name" => &mut self.name,
            "purpose" => &mut self.purpose,
            "redirects" => &mut self.redirect_uris,
            "proof" => &mut self.auth_method,
            "keys" => &mut self.jwks_uri,
            "scope" => &mut self.scope,
            "claims" => &mut self.claims,
            "role_claims" => &mut self.role_claims,
            _ => return,
        };
        text.clone_into(field);
    }

    /// The displayed values, which the form submits.
    pub(super) fn original_values(&self) -> String {
        let Self {
            name,
            purpose,
            redirect_uris: redirects,
            auth_method: proof,
            jwks_uri: keys,
            scope,
            claims,
            role_claims,
            grant_types: grants,
            roles,
            ..
        } = self;
        let role_ids: Vec<RoleId> = roles.iter().filter_map(RoleSelection::chosen_role).collect();
        let values = [name, purpose, redirects, proof, keys, scope, claims, role_claims];
        changes::encode_original_values(values.map(String::as_str), grants, &role_ids)
    }

    pub(super) fn role_choices(&self) -> Vec<RoleChoice<'_>> {
        self.roles.iter().map(RoleSelection::to_choice).collect()
    }

    pub(super) fn to_fields<'a>(&'a self, roles: &'a [RoleChoice<'a>]) -> ApplicationFields<'a> {
        let Self {
            name,
            purpose,
            redirect_uris: redirects,
            auth_method: proof,
            jwks_uri: keys,
            scope,
            grant_types: grants,
            is_unlimited,
            claims,
            role_claims,
            ..
        } = self;
        ApplicationFields {
            name,
            purpose,
            redirect_uris: redirects,
            auth_method: proof,
            jwks_uri: keys,
            scope,
            is_unlimited: *is_unlimited,
            claims,
            role_claims,
            grant_types: grants,
            roles,
        }
    }
}

/// The roles, if the user may see them.
async fn offered_roles(context: &PageContext<'_>) -> Result<Vec<AssignableRole>, HandlerError> {
    Ok(members::list_assignable_roles(context.engine(), context.access.organization_access())
        .await
        .unless_refused()?
        .unwrap_or_default())
}

/// A refused authorization request on the page.
pub(super) fn to_refused_item(request: &RefusedRequest) -> RefusedRequestItem<'_> {
    RefusedRequestItem {
        at: DisplayTime(request.at.seconds()),
        reason: &request.reason,
        description: &request.description,
        value: request.value.as_deref().unwrap_or_default(),
        reference: &request.reference,
        count: request.count,
    }
}

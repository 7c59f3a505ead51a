//! Roles on the console: list, create, change, delete. Built-in roles are shown with their permissions.

use super::{
    ActionError, ActionOutcome, CompletedAction, FlashVisibility, Outcome, PageContext, parse_page_id,
};
use crate::console::list_order::{OrderChoice, TIME_OR_NAME_ORDERS};
use crate::console::page_context::FormClaim;
use crate::console::pagination::ConsolePaging;
use crate::console::role_holders;
use crate::console::submitted_form::{SubmittedForm, encode_original_values};
use crate::organizations::roles::handlers::RoleInput;
use sinete_core::access_control::built_in_permissions::MANAGE_ROLES;
use sinete_core::access_control::permission_catalog::BuiltInRole;
use sinete_core::id::RoleId;
use sinete_core::refusal::Refusal;
use sinete_engine::Error;
use sinete_engine::organizations::roles;
use sinete_engine::organizations::roles::{GrantablePermission, RoleRow};
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::notices::ConsoleNotice;
use sinete_screens::console::roles::{
    NewRoleForm, RoleDetailView, RoleFields, RoleItem, RoleListView, RolePermission,
};
use sinete_server::extract::params::FormParams;
use sinete_server::reply::{HandlerError, HandlerResult};

/// The field prefix of permissions.
const PERMISSION_FIELD_PREFIX: &str = "permission.";

/// Lists the roles, with a form if the user may create one.
pub(super) async fn list_roles(context: &PageContext<'_>) -> HandlerResult {
    let (engine, access) = (context.engine(), context.access.organization_access());
    let order = OrderChoice::from_query(context, TIME_OR_NAME_ORDERS, &[]);
    let paging = ConsolePaging::from_filtered_query(context, &order.query)?;
    let after = if order.is_sorted_in_memory() { None } else { paging.after()? };
    let mut read = roles::list(engine, access, after, order.read_limit(&paging)).await?;
    let cut = order.cut_page(&paging, &mut read)?;
    let page_texts: Vec<DisplayedRole> =
        read.iter().map(|role| DisplayedRole::from_role(context, role)).collect();
    let lines: Vec<RoleItem<'_>> = page_texts.iter().map(DisplayedRole::to_item).collect();
    let permission_choices = PermissionChoices::load(context, None).await?;
    let permissions = permission_choices.to_items();
    let field_value = |name: &str| {
        context.flash.as_ref().filter(|it| it.has_input_of("make")).and_then(|it| it.typed_field(name))
    };
    let once = context.new_form_token();
    let make = NewRoleForm {
        idempotency_key: &once,
        open: context.flash.as_ref().is_some_and(|flash| flash.is_form_open("make")),
        fields: RoleFields {
            name: field_value("name").unwrap_or_default(),
            description: field_value("description").unwrap_or_default(),
            permissions: &permissions,
            hides_some: permission_choices.hides_some,
        },
    };
    let may_make = context.access.can_change(MANAGE_ROLES);
    let page = RoleListView {
        layout: context.form_layout(ConsoleSection::Roles, FlashVisibility::from_form_presence(may_make)),
        roles: &lines,
        pages: order.to_cut_view(&paging, &cut, lines.len()),
        create_form: may_make.then_some(make),
    };
    Ok(context.page_response(page.render(&context.frame())))
}

/// Shows a role.
pub(super) async fn show_role(context: &PageContext<'_>, id: &str) -> HandlerResult {
    let role =
        roles::show(context.engine(), context.access.organization_access(), parse_page_id(id)?).await?;
    let (page_text, permission_choices) =
        (DisplayedRole::from_role(context, &role), PermissionChoices::load(context, Some(&role)).await?);
    let permissions = permission_choices.to_items();
    let holders = role_holders::load_holders(context, role.id).await?;
    // The user's unsaved changes are shown again; other fields have the current values.
    let retyped = SubmittedForm::from_flash(context.flash.as_ref(), "change");
    let field_value = |name: &str| retyped.as_ref().and_then(|it| it.changed_text(name));
    let text_values = [("name", role.role.name()), ("description", &role.description)];
    let role_permissions = role.role.permissions().iter();
    let may_change = context.access.can_change(MANAGE_ROLES) && !role.is_built_in;
    let page = RoleDetailView {
        layout: context.form_layout(ConsoleSection::Roles, FlashVisibility::from_form_presence(may_change)),
        role: page_text.to_item(),
        is_owner_role: role.is_built_in && role.role.name() == BuiltInRole::Owner.name(),
        version: context
            .flash
            .as_ref()
            .map_or(role.version, |flash| flash.form_version("change", role.version)),
        fields: RoleFields {
            name: field_value("name").unwrap_or(role.role.name()),
            description: field_value("description").unwrap_or(&role.description),
            permissions: &permissions,
            hides_some: permission_choices.hides_some,
        },
        original_values: &encode_original_values(
            text_values,
            role_permissions.map(|it| format!("{PERMISSION_FIELD_PREFIX}{it}")),
        ),
        may_change,
        holders: holders.as_ref(),
    };
    Ok(context.page_response(page.render(&context.frame())))
}

/// Creates a role.
pub(super) async fn create_role(context: &PageContext<'_>, form: &FormParams) -> Outcome {
    let engine = context.engine();
    if form.get("action") != Some("make") {
        return Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible));
    }
    let draft = match role_input(form).into_role_request() {
        Ok(draft) => draft,
        Err(error) => return unreadable_input(error),
    };
    let access = context.access.require_fresh_access(engine).await?;
    let claim = match context.claim_form_token(form).await? {
        FormClaim::New(claim) => claim,
        FormClaim::Repeated(outcome) => return Ok(outcome),
    };
    match roles::create(engine, &access.with_claim(Some(claim.clone())), &draft).await {
        Ok(role) => Ok(ActionOutcome::Redirect(CompletedAction {
            notice: ConsoleNotice::RoleMade,
            return_path: format!("{}/{}", context.path, role.id),
        })),
        Err(Error::Refused(refusal)) => match context.find_earlier_result(&claim).await? {
            Some(outcome) => Ok(outcome),
            None => Err(role_error(refusal)),
        },
        Err(Error::Failed(failure)) => Err(failure.into()),
    }
}

/// Changes or deletes a role, if its version is the displayed one.
pub(super) async fn submit_role_form(context: &PageContext<'_>, id: &str, form: &FormParams) -> Outcome {
    let (engine, id) = (context.engine(), parse_page_id::<RoleId>(id)?);
    let expected_version = form.get("version").and_then(|text| text.parse().ok()).unwrap_or_default();
    match form.get("action") {
        Some("change") => {
            let access = context.access.require_fresh_access(engine).await?;
            let draft = match role_input(form).into_role_request() {
                Ok(draft) => draft,
                Err(error) => return unreadable_input(error),
            };
            let result = roles::change(engine, access, id, expected_version, &draft).await;
            let result = result.map(|_| {
                ActionOutcome::Redirect(CompletedAction {
                    notice: ConsoleNotice::RoleChanged,
                    return_path: context.path.clone(),
                })
            });
            result.map_err(|error| ActionError::from_engine(error, role_error))
        }
        Some("remove") => {
            let result =
                roles::remove(engine, context.access.organization_access(), id, expected_version).await;
            let to = format!("{}{}", context.return_to.organization_path(), ConsoleSection::Roles.path());
            let result = result.map(|()| {
                ActionOutcome::Redirect(CompletedAction {
                    notice: ConsoleNotice::RoleDeleted,
                    return_path: to,
                })
            });
            result.map_err(|error| ActionError::from_engine(error, role_error))
        }
        Some(_) | None => Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible)),
    }
}

/// Parses a role.
fn role_input(form: &FormParams) -> RoleInput {
    let permission_names = form.iter().filter_map(|(name, _)| name.strip_prefix(PERMISSION_FIELD_PREFIX));
    RoleInput {
        name: form.get("name").unwrap_or_default().trim().to_owned(),
        description: form.get("description").unwrap_or_default().trim().to_owned(),
        permissions: permission_names.map(str::to_owned).collect(),
    }
}

fn unreadable_input(error: HandlerError) -> Outcome {
    match error {
        HandlerError::Refused(refusal) => Err(role_error(refusal)),
        failed => Err(failed.into()),
    }
}

/// Converts a refusal to the notice of the invalid field.
fn role_error(refusal: Refusal) -> ActionError {
    ActionError::from_fields(refusal, |pointer| match pointer.trim_start_matches('/').split('/').next() {
        Some("name") => ConsoleNotice::BadRoleName,
        Some("description") => ConsoleNotice::BadDescription,
        _ => ConsoleNotice::BadPermissions,
    })
}

/// A role, for display.
struct DisplayedRole {
    id: String,
    name: String,
    description: String,
    built_in: bool,
    permissions: usize,
}

impl DisplayedRole {
    fn from_role(context: &PageContext<'_>, role: &RoleRow) -> Self {
        let name = role.role.name();
        Self {
            id: role.id.to_string(),
            name: if role.is_built_in {
                context.reader.language.phrases().role_names.join([name])
            } else {
                name.to_owned()
            },
            description: role.description.clone(),
            built_in: role.is_built_in,
            permissions: role.role.permissions().len(),
        }
    }

    fn to_item(&self) -> RoleItem<'_> {
        let Self { id, name, description, built_in, permissions } = self;
        RoleItem { id, name, description, built_in: *built_in, permissions: *permissions }
    }
}

/// The available permissions, each with whether the role has it.
struct PermissionChoices {
    lines: Vec<(String, String, bool, bool)>,
    hides_some: bool,
}

impl PermissionChoices {
    async fn load(context: &PageContext<'_>, role: Option<&RoleRow>) -> Result<Self, HandlerError> {
        let all =
            roles::list_grantable_permissions(context.engine(), context.access.organization_access()).await?;
        let form = if role.is_some() { "change" } else { "make" };
        let confers = |text: &str| {
            role.is_some_and(|it| it.role.permissions().iter().any(|permission| permission.as_str() == text))
        };
        // After a conflict, permissions removed by another user must not come back by submitting again.
        let retyped = SubmittedForm::from_flash(context.flash.as_ref(), form);
        let line = |permission: String, description: String, is_held: bool| {
            let is_assigned = confers(&permission);
            let submitted_tick = retyped
                .as_ref()
                .and_then(|it| it.changed_tick(&format!("{PERMISSION_FIELD_PREFIX}{permission}")));
            let free = is_held || is_assigned;
            (permission, description, submitted_tick.filter(|_| free).unwrap_or(is_assigned), free)
        };
        let mut lines: Vec<_> = all
            .permissions
            .into_iter()
            .map(|it| {
                let GrantablePermission { permission, english, portuguese, is_held_by_caller: is_held } = it;
                let language = context.reader.language;
                let stored = if language.uses_portuguese_descriptions() { portuguese } else { english };
                let description =
                    language.describe_permission(permission.as_str()).map_or(stored, str::to_owned);
                line(permission.to_string(), description, is_held)
            })
            .collect();
        // Permissions that are not listed, such as wildcards, are kept and can be removed.
        for permission in role.iter().flat_map(|it| it.role.permissions().iter()) {
            if !lines.iter().any(|(name, ..)| name == permission.as_str()) {
                lines.push(line(permission.to_string(), String::new(), false));
            }
        }
        Ok(Self { lines, hides_some: all.is_partial })
    }

    fn to_items(&self) -> Vec<RolePermission<'_>> {
        self.lines
            .iter()
            .map(|(permission, description, chosen, free)| RolePermission {
                permission,
                description,
                is_selected: *chosen,
                is_editable: *free,
            })
            .collect()
    }
}

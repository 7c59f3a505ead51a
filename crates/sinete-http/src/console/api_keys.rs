//! API keys on the console: list, create for oneself or a service, revoke.

use super::members::member_name;
use super::{ActionError, ActionOutcome, CompletedAction, FlashVisibility, Outcome, PageContext};
use crate::console::expiry;
use crate::console::list_order::{ListOrder, OrderChoice, TIME_ORDERS};
use crate::console::pagination::ConsolePaging;
use axum::response::Response;
use sinete_core::access_control::built_in_permissions::MANAGE_API_KEYS;
use sinete_core::access_control::permission::Permission;
use sinete_core::access_control::permission_catalog;
use sinete_core::access_control::scope::{InvalidScope, ScopeSet};
use sinete_core::limits::{API_KEY_LIFETIME, API_KEY_LIFETIME_MAX};
use sinete_core::time::Timestamp;
use sinete_engine::organizations::api_keys;
use sinete_engine::organizations::api_keys::{ApiKeyRequest, ApiKeyRow, IssuedApiKey};
use sinete_engine::organizations::members;
use sinete_engine::organizations::members::MembershipHolder;
use sinete_engine::organizations::newest_first;
use sinete_engine::{Error, UseCaseResult};
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::api_keys::{
    ApiKeyItem, ApiKeyListView, ApiKeyScope, ApiKeyState, NewApiKeyForm, NewApiKeyView,
};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_screens::display_time::DisplayTime;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::{HandlerError, HandlerResult};

/// The default lifetime in days.
const DEFAULT_LIFETIME_DAYS: u32 = 90;

/// Lists the keys, with a form if the user may create one.
pub(super) async fn show_api_keys(context: &PageContext<'_>) -> HandlerResult {
    let (engine, access) = (context.engine(), context.access.organization_access());
    let order = OrderChoice::from_query(context, TIME_ORDERS, &[]);
    let paging = ConsolePaging::from_filtered_query(context, &order.query)?;
    let (after, limit) = (paging.after()?, paging.fetch_limit());
    let mut read = match order.current == ListOrder::NewestFirst {
        true => newest_first::list_api_keys(engine, access, after, limit).await?,
        false => api_keys::list(engine, access, after, limit).await?,
    };
    let next = paging.split_page(&mut read, |key| key.id.to_string());
    let key_texts: Vec<KeyText> = read.iter().map(|key| KeyText::from_api_key(context, key)).collect();
    let keys: Vec<ApiKeyItem<'_>> =
        key_texts.iter().zip(&read).map(|(key_text, key)| key_text.to_item(key, access.now())).collect();
    let scopes = grantable_scopes(context);
    let scopes: Vec<ApiKeyScope<'_>> = scopes.iter().map(KeyScopeText::to_item).collect();
    let field_value = |name: &str| context.flash.as_ref().and_then(|flash| flash.typed_field(name));
    let once = context.new_form_token();
    let holder = load_holder(context, field_value("membership").or_else(|| context.query.get("for"))).await?;
    let make = NewApiKeyForm {
        idempotency_key: &once,
        holder: holder.as_ref().map(|(id, name)| (id.as_str(), name.as_str())),
        name: field_value("name").unwrap_or_default(),
        scopes: &scopes,
        days: field_value("days").and_then(|text| text.parse().ok()).unwrap_or(DEFAULT_LIFETIME_DAYS),
    };
    let may_make = context.access.can_change(MANAGE_API_KEYS);
    let page = ApiKeyListView {
        layout: context.form_layout(ConsoleSection::ApiKeys, FlashVisibility::from_form_presence(may_make)),
        api_keys: &keys,
        pages: order.to_view(&paging, next.as_deref(), keys.len()),
        create_form: may_make.then_some(make),
    };
    Ok(context.page_response(page.render(&context.frame())))
}

/// The service that a key is requested for, by id and name.
async fn load_holder(
    context: &PageContext<'_>,
    id: Option<&str>,
) -> Result<Option<(String, String)>, HandlerError> {
    let Some(id) = id.and_then(|id| id.parse().ok()) else { return Ok(None) };
    if context.access.is_own_membership(id) {
        return Ok(None);
    }
    let result = members::show(context.engine(), context.access.organization_access(), id).await;
    let Some(member) = result.unless_refused()? else { return Ok(None) };
    let name = member_name(&member.membership)?;
    let is_service = matches!(member.membership.holder, MembershipHolder::Machine(_));
    Ok(is_service.then(|| (id.to_string(), name)))
}

/// Creates or revokes a key.
pub(super) async fn submit_api_key_form(context: &PageContext<'_>, form: &FormParams) -> Outcome {
    let (engine, to) = (context.engine(), context.path.clone());
    if let Some(id) = form.get("revoke") {
        let Ok(id) = id.parse() else { return Err(ActionError::ConsoleNotice(ConsoleNotice::Gone)) };
        let result = api_keys::revoke(engine, context.access.organization_access(), id).await;
        let result = result.map(|()| {
            ActionOutcome::Redirect(CompletedAction { notice: ConsoleNotice::KeyRevoked, return_path: to })
        });
        return Ok(result?);
    }
    if form.get("action") != Some("make") {
        return Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible));
    }
    let request = parse_new_api_key(context, form).map_err(ActionError::ConsoleNotice)?;
    let access = context.access.require_fresh_access(engine).await?;
    // A form that is submitted again creates no second key, and does not show the first one again.
    let claim = context
        .access
        .idempotency_claim(form.get("once").unwrap_or_default(), &context.path)
        .map_err(ActionError::Refused)?;
    let already =
        ActionOutcome::Redirect(CompletedAction { notice: ConsoleNotice::KeyShown, return_path: to });
    if context.find_earlier_result(&claim).await?.is_some() {
        return Ok(already);
    }
    match api_keys::issue(engine, &access.with_claim(Some(claim.clone())), &request).await {
        Ok(issued) => Ok(ActionOutcome::Response(new_api_key_page(context, &request, issued))),
        // A concurrent duplicate may have been first.
        Err(Error::Refused(_)) if context.find_earlier_result(&claim).await?.is_some() => Ok(already),
        Err(error) => Err(ActionError::from_engine(error, |refusal| {
            ActionError::from_fields(refusal, notice_for_pointer)
        })),
    }
}

/// The notice for an error at this pointer.
fn notice_for_pointer(pointer: &str) -> ConsoleNotice {
    match pointer {
        "/lifetime_seconds" => ConsoleNotice::BadKeyDays,
        "/scope" => ConsoleNotice::NoScope,
        _ => ConsoleNotice::NoName,
    }
}

/// Shows the key in the response itself, the only place where it appears.
fn new_api_key_page(context: &PageContext<'_>, request: &ApiKeyRequest, issued: IssuedApiKey) -> Response {
    let secret = issued.secret.reveal();
    let until = DisplayTime(issued.expires_at.seconds());
    let page = NewApiKeyView {
        layout: context.layout(ConsoleSection::ApiKeys),
        name: &request.name,
        secret: &secret,
        expires_at: until,
    };
    context.page_response(page.render(&context.reader.frame("")))
}

/// Parses the form; the key is the user's own, unless it is for a service.
fn parse_new_api_key(context: &PageContext<'_>, form: &FormParams) -> Result<ApiKeyRequest, ConsoleNotice> {
    let name =
        form.get("name").map(str::trim).filter(|name| !name.is_empty()).ok_or(ConsoleNotice::NoName)?;
    let scope_names: Vec<&str> = form.iter().filter_map(|(name, _)| name.strip_prefix("scope.")).collect();
    let scope: ScopeSet = match scope_names.join(" ").parse() {
        Ok(scope) => scope,
        Err(InvalidScope::TooMany) => return Err(ConsoleNotice::TooMuch),
        Err(InvalidScope::Unknown) => return Err(ConsoleNotice::NoScope),
    };
    let lifetime = expiry::parse_lifetime(form, API_KEY_LIFETIME, API_KEY_LIFETIME_MAX)
        .ok_or(ConsoleNotice::BadKeyDays)?;
    let holder = form.get("membership").map(str::parse).transpose().map_err(|_| ConsoleNotice::Gone)?;
    Ok(ApiKeyRequest {
        membership: holder.unwrap_or(context.access.membership),
        name: name.to_owned(),
        scope: Some(scope).filter(|scope| !scope.is_empty()).ok_or(ConsoleNotice::NoScope)?,
        lifetime: Some(lifetime),
    })
}

/// A permission for a key, for display.
struct KeyScopeText {
    permission: String,
    description: &'static str,
    is_selected: bool,
}

impl KeyScopeText {
    fn to_item(&self) -> ApiKeyScope<'_> {
        ApiKeyScope {
            permission: &self.permission,
            description: self.description,
            is_selected: self.is_selected,
        }
    }
}

/// The permissions that a key of the user can have: those they hold.
fn grantable_scopes(context: &PageContext<'_>) -> Vec<KeyScopeText> {
    let to_key_scope = |permission: &Permission| {
        let name = format!("scope.{permission}");
        let description = permission_catalog::find_permission(permission).map_or("", |it| {
            context.reader.language.describe_permission(it.permission).unwrap_or(it.english)
        });
        KeyScopeText {
            permission: permission.to_string(),
            description,
            is_selected: context
                .flash
                .as_ref()
                .and_then(|flash| flash.was_ticked("make", &name))
                .unwrap_or(false),
        }
    };
    context.access.organization_access().authority.permissions().iter().map(to_key_scope).collect()
}

/// A key, for display.
struct KeyText {
    id: String,
    holder: Option<String>,
    scope: String,
}

impl KeyText {
    fn from_api_key(context: &PageContext<'_>, key: &ApiKeyRow) -> Self {
        Self {
            id: key.id.to_string(),
            holder: (!context.access.is_own_membership(key.membership)).then(|| key.membership.to_string()),
            scope: key.scope.to_string(),
        }
    }

    fn to_item<'a>(&'a self, key: &'a ApiKeyRow, now: Timestamp) -> ApiKeyItem<'a> {
        let (fate, at) = match key.revoked_at {
            Some(at) => (ApiKeyState::Revoked, at),
            None if key.expires_at <= now => (ApiKeyState::Expired, key.expires_at),
            None => (ApiKeyState::Active, key.expires_at),
        };
        ApiKeyItem {
            id: &self.id,
            name: &key.name,
            holder: self.holder.as_deref(),
            scope: &self.scope,
            state: fate,
            at: DisplayTime(at.seconds()),
            used: key.used_at.map(|used| DisplayTime(used.seconds())),
        }
    }
}

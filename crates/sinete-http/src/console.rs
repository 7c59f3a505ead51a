//! The console: pages to manage organizations. They call the functions of the management API as the user's
//! membership, and have no rules of their own.

mod action;
mod api_keys;
mod applications;
mod audit_log;
mod audit_log_export;
mod blocked_page;
mod branding;
mod client_settings;
mod connections;
mod coverage;
mod domains;
mod emails;
mod expiry;
mod flash_form;
mod instance;
mod invitation_list;
mod invitations;
mod list_files;
mod list_order;
mod member_access;
mod members;
mod operations;
mod organization_choice;
mod organization_pages;
mod organization_steps;
mod overview;
mod page;
mod page_context;
mod page_forms;
mod pagination;
mod refusal_text;
mod refused_requests;
mod relationships;
mod role_holders;
mod roles;
#[cfg(feature = "screens")]
pub(crate) mod routes;
mod search;
pub(crate) mod setup_link_pages;
mod submitted_form;
mod usage_blocks;
mod webhooks;

use crate::accounts::account_pages;
use crate::console::action::{ActionError, ActionOutcome, CompletedAction, Outcome};
use crate::console::blocked_page::show_blocked_page;
pub use crate::console::coverage::console_operations;
use crate::console::flash_form::FlashForm;
use crate::console::operations::OperationPage;
pub(crate) use crate::console::organization_choice::show_organization_choice;
pub(crate) use crate::console::page::is_console_page;
use crate::console::page::{ConsolePage, ReturnTo, parse_page_id};
use crate::console::page_context::{FlashVisibility, PageContext};
use crate::console::page_forms::submit_page_form;
use crate::console::refusal_text::{RefusalText, refusal_text};
use crate::screens::form_cookie::RETYPE_FIELD;
use crate::screens::pending_form::{FORM_LOST_FIELD, PendingForm};
use crate::screens::saved_return_to::SavedReturnTo;
use crate::screens::{PageRenderContext, see_other};
use crate::sign_in::flow_pages;
use crate::sign_in::flow_pages::step_up::{self, ProofRedirect};
use crate::sign_in::flows::handlers as api;
use crate::state::HttpState;
use crate::state::{ResumedForm, RoutedRequest};
use axum::http::StatusCode;
use axum::response::Response;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::accounts::profile;
use sinete_engine::administration::console;
use sinete_engine::administration::console::ConsoleAccessResult;
use sinete_engine::sign_in::account_holder;
use sinete_engine::sign_in::account_holder::AccountHolder;
use sinete_engine::sign_in::flows::FlowActor;
use sinete_screens::console::notices::ConsoleNotice;
use sinete_screens::notice::OutcomeNotice;
use sinete_server::extract::params::{FormParams, FormParamsError};
use sinete_server::extract::same_origin;
use sinete_server::reply::{HandlerError, HandlerResult};

/// Shows a page of an organization.
pub(crate) async fn show_page(state: HttpState, mut request: RoutedRequest) -> HandlerResult {
    let return_to = ReturnTo::from_request(&mut request).await?;
    let query = request.query_params()?;
    let Some(account_holder) = account_pages::authenticate_browser_session(&state, &request).await? else {
        return Ok(redirect_to_sign_in(&state, &query, &return_to.path()));
    };
    match enter_page(&state, account_holder, &return_to).await? {
        ConsoleAccessResult::Blocked(console_requirement) => {
            show_blocked_page(&state, &request, &query, &return_to, &console_requirement).await
        }
        ConsoleAccessResult::Open(at) => {
            let context = PageContext::load(&state, &request, &query, *at, return_to).await?;
            let file = list_files::find_list_file(&context.return_to.page);
            if let Some(file) = file.filter(|_| query.get("format") == Some("csv")) {
                return list_files::export_list(&context, file).await;
            }
            let mut response = match &context.return_to.page {
                ConsolePage::Overview => overview::show_overview(&context).await?,
                ConsolePage::Members => members::list_members(&context).await?,
                ConsolePage::Member(id) => members::show_member(&context, id).await?,
                ConsolePage::Invitations => invitations::show_invitations(&context).await?,
                ConsolePage::Roles => roles::list_roles(&context).await?,
                ConsolePage::Role(id) => roles::show_role(&context, id).await?,
                ConsolePage::Applications => applications::list_applications(&context).await?,
                ConsolePage::Application(id) => applications::show_application(&context, id).await?,
                ConsolePage::ApplicationTest(id) => {
                    applications::test_sign_in::show_test_result(&context, id).await?
                }
                ConsolePage::ApiKeys => api_keys::show_api_keys(&context).await?,
                ConsolePage::Domains => domains::list_domains(&context).await?,
                ConsolePage::Connections => connections::list_connections(&context).await?,
                ConsolePage::Connection(id) => connections::show_connection(&context, id).await?,
                ConsolePage::ConnectionTest(id) => {
                    connections::sign_in_test::show_test_result(&context, id).await?
                }
                ConsolePage::ConnectionWizard(provider) => {
                    connections::wizard::show_wizard(&context, provider).await?
                }
                ConsolePage::Webhooks => webhooks::list_webhooks(&context).await?,
                ConsolePage::Webhook(id) => webhooks::show_webhook(&context, id).await?,
                ConsolePage::AuditLog => audit_log::list_audit_log(&context).await?,
                ConsolePage::Event(id) => audit_log::show_audit_log_entry(&context, id).await?,
                ConsolePage::Operation(page, id) => {
                    operations::show_operation_page(&context, page, id).await?
                }
                ConsolePage::Email(message) => emails::preview_email(&context, message).await?,
                ConsolePage::EmailStyle(message) => {
                    branding::organization_message_style(&context, message).await?
                }
                ConsolePage::InstanceEmailStyle => branding::message_style(&context)?,
            };
            if context.flash.is_some() {
                FlashForm::clear_cookie(&mut response, state.scheme());
            }
            Ok(response)
        }
    }
}

/// Handles a form of such a page.
pub(crate) async fn submit_form(state: HttpState, mut request: RoutedRequest) -> HandlerResult {
    let return_to = ReturnTo::from_request(&mut request).await?;
    let (query, form) = (request.query_params()?, request.form_params());
    // Allowed origins may use the flow API with cookies, but never the console.
    let origin = state.base_address().origin();
    let is_ours = same_origin::check_same_origin_headers(request.headers(), origin, &[]).is_ok();
    let Some(account_holder) = account_pages::authenticate_browser_session(&state, &request).await? else {
        let path = return_to.path();
        let mut response = redirect_to_sign_in(&state, &query, &path);
        // What was typed on our own page is there again after the sign-in.
        if let (true, Ok(form)) = (is_ours, &form) {
            let input = FlashForm::failure(&path, ConsoleNotice::SessionEnded, form);
            input.set_cookie_for_sign_in(&mut response, state.scheme());
        }
        return Ok(response);
    };
    let form = match form {
        Err(FormParamsError::TooMany) if is_ours => {
            return Ok(redirect_back_with_notice(
                &state,
                &query,
                &return_to.path(),
                ConsoleNotice::TooMuch,
                &FormParams::default(),
            ));
        }
        form => form?,
    };
    if !is_ours || !account_holder.is_csrf_token_valid(state.engine(), form.get("csrf").unwrap_or_default()) {
        return Ok(flow_pages::notice_page(
            &state,
            &request,
            &query,
            StatusCode::FORBIDDEN,
            OutcomeNotice::FormRefused,
        ));
    }
    state.rate_limit(&request).check_account_write(account_holder.account())?;
    let actor = api::flow_actor_in_session(&state, &request, &account_holder.signed_in)?;
    let action =
        ConsoleAction { state: &state, request: &request, query: &query, actor, is_step_up_done: false };
    run_action(action, account_holder, return_to, &form).await
}

/// Redirects back to a page whose form was too large, with a notice. The request is not authenticated, and
/// nothing is done.
pub(crate) async fn reject_oversized_form(
    state: &HttpState,
    mut request: RoutedRequest,
    refusal: Refusal,
) -> Result<Response, Refusal> {
    let is_ours =
        same_origin::check_same_origin_headers(request.headers(), state.base_address().origin(), &[]).is_ok();
    let (return_to, query) = (ReturnTo::from_request(&mut request).await?, request.query_params().ok());
    match query.filter(|_| is_ours) {
        Some(query) => {
            request.context().record_refusal(&refusal);
            Ok(redirect_back_with_notice(
                state,
                &query,
                &return_to.path(),
                ConsoleNotice::TooMuch,
                &FormParams::default(),
            ))
        }
        None => Err(refusal),
    }
}

/// Performs a suspended action, in the session that the step-up renewed.
pub(crate) async fn resume_action(page: &str, resumed: ResumedForm<'_>) -> HandlerResult {
    let ResumedForm { state, request, query, form, session } = resumed;
    let account_holder =
        account_holder::authenticate_session(state.engine(), session, request.origin()).await?;
    let actor = api::flow_actor_in_session(state, request, &account_holder.signed_in)?;
    let return_to = ReturnTo::parse(page)?;
    run_action(
        ConsoleAction { state, request, query, actor, is_step_up_done: true },
        account_holder,
        return_to,
        form,
    )
    .await
}

/// A form of the console.
struct ConsoleAction<'a> {
    state: &'a HttpState,
    request: &'a RoutedRequest,
    query: &'a FormParams,
    actor: FlowActor,
    /// Whether a step-up was just completed, so that no further one is started.
    is_step_up_done: bool,
}

async fn run_action(
    action: ConsoleAction<'_>,
    account_holder: AccountHolder,
    return_to: ReturnTo,
    form: &FormParams,
) -> HandlerResult {
    let ConsoleAction { state, request, query, .. } = &action;
    let at = match enter_page(state, account_holder, &return_to).await? {
        ConsoleAccessResult::Open(at) => at,
        ConsoleAccessResult::Blocked(console_requirement)
            if console_requirement.requirement == console::ConsoleSignInRequirement::StepUp
                && !action.is_step_up_done =>
        {
            return start_step_up(&action, &return_to, form).await;
        }
        // The page shows the requirement.
        ConsoleAccessResult::Blocked(_) => {
            return Ok(see_other(state, &flow_pages::with_language(&return_to.path(), query)));
        }
    };
    let path = return_to.path();
    let context = PageContext::load(state, request, query, *at, return_to).await?;
    // Inputs that are not stored during a step-up, such as secrets, must be entered again.
    if action.is_step_up_done && form.get(RETYPE_FIELD).is_some() {
        return Ok(
            context.redirect_with_flash(&path, FlashForm::failure(&path, ConsoleNotice::TypeAgain, form))
        );
    }
    let named_roles = page_context::tick_named_roles(&context, form).await?;
    let form = &named_roles.form;
    if !named_roles.are_assignable {
        return Ok(
            context.redirect_with_flash(&path, FlashForm::failure(&path, ConsoleNotice::RoleGone, form))
        );
    }
    let Some(outcome) = submit_page_form(&context, form).await else {
        return Ok(see_other(state, &flow_pages::with_language(&path, query)));
    };
    match outcome {
        Ok(ActionOutcome::Redirect(CompletedAction { notice, return_path: to })) => {
            Ok(context.redirect_with_flash(&to, FlashForm::success(&to, notice)))
        }
        Ok(ActionOutcome::Response(response)) => Ok(response),
        Err(ActionError::Refused(refusal))
            if refusal.code() == RefusalCode::InsufficientAuthentication && !action.is_step_up_done =>
        {
            start_step_up(&action, &context.return_to, form).await
        }
        Err(ActionError::Fields { invalid_fields: wrong, detail }) => {
            let flash = FlashForm::failure(&path, ConsoleNotice::FieldsInvalid, form);
            Ok(context.redirect_with_flash(&path, flash.with_refusal(&wrong, &detail)))
        }
        Err(ActionError::Refused(refusal)) => Ok(redirect_refused(&context, &refusal, form)),
        Err(ActionError::ConsoleNotice(notice)) => {
            Ok(context.redirect_with_flash(&path, FlashForm::failure(&path, notice, form)))
        }
        Err(ActionError::Handler(error)) => Err(error),
    }
}

/// Redirects after a refusal, with its notice. If the resource itself is gone, so is its page: deleting it twice leads
/// to the list. A revoked secret is only a part of a resource that still exists.
fn redirect_refused(context: &PageContext<'_>, refusal: &Refusal, form: &FormParams) -> Response {
    context.request.context().record_refusal(refusal);
    let path = &context.path;
    let RefusalText { notice, has_sentence } = refusal_text(refusal.reason());
    let detail = if has_sentence { refusal.public_text() } else { "".into() };
    let is_whole = notice == ConsoleNotice::Gone && form.get("revoke").is_none();
    match context.return_to.parent_path().filter(|_| is_whole) {
        Some(list) => context.redirect_with_flash(&list, FlashForm::success(&list, notice)),
        None => context
            .redirect_with_flash(path, FlashForm::failure(path, notice, form).with_refusal(&[], &detail)),
    }
}

/// Enters the organization of a page, or the instance.
async fn enter_page(
    state: &HttpState,
    account_holder: AccountHolder,
    return_to: &ReturnTo,
) -> Result<ConsoleAccessResult, HandlerError> {
    Ok(match return_to.is_of_instance() {
        true => console::enter_instance(state.engine(), account_holder).await?,
        false => console::enter_organization(state.engine(), account_holder, &return_to.organization).await?,
    })
}

/// All pages of operations.
fn operation_pages() -> impl Iterator<Item = &'static OperationPage> {
    let searches = [search::INSTANCE_PAGES, search::ORGANIZATION_PAGES];
    let areas = [instance::PAGES, organization_pages::PAGES].into_iter().flatten().copied();
    let branding = [branding::ORGANIZATION_PAGES, branding::INSTANCE_PAGES];
    let clients = [client_settings::ORGANIZATION_PAGES, client_settings::INSTANCE_PAGES];
    areas.chain(searches).chain(branding).chain(clients).chain([relationships::PAGES]).flatten()
}

/// Shows a form after recent authentication: inputs that cannot be stored are entered after the step-up
/// (docs/contribute/decisions/0199-step-up-before-the-form.md).
async fn check_fresh_authentication(context: &PageContext<'_>, form: &FormParams) -> Outcome {
    let (path, form_name) = (&context.path, form.get("form").unwrap_or_default());
    context.access.require_fresh_access(context.engine()).await?;
    let flash = if form.get(FORM_LOST_FIELD).is_some() {
        FlashForm::after_step_up_without_input(path, form_name)
    } else {
        FlashForm::after_step_up(path, form_name)
    };
    Ok(ActionOutcome::Response(context.redirect_with_flash(path, flash)))
}

/// Starts a step-up; the action is suspended until it is complete.
async fn start_step_up(action: &ConsoleAction<'_>, return_to: &ReturnTo, form: &FormParams) -> HandlerResult {
    let ConsoleAction { state, query, actor, .. } = action;
    let path = return_to.path();
    let pending_form = PendingForm { form: form.clone(), console: Some(path.clone()) };
    let notice =
        match step_up::start_step_up(action.state, action.request, query, actor, &pending_form).await? {
            ProofRedirect::Redirect(response) => return Ok(response),
            ProofRedirect::SignInAgain => ConsoleNotice::SignInAgain,
            ProofRedirect::Refused(_) => ConsoleNotice::NotPossible,
        };
    Ok(redirect_back_with_notice(state, query, &path, notice, form))
}

/// Redirects back to the page with the error.
fn redirect_back_with_notice(
    state: &HttpState,
    query: &FormParams,
    path: &str,
    notice: ConsoleNotice,
    form: &FormParams,
) -> Response {
    let mut response = see_other(state, &flow_pages::with_language(path, query));
    FlashForm::failure(path, notice, form).set_cookie(&mut response, state.scheme());
    response
}

/// Redirects to sign-in, and back here afterwards.
fn redirect_to_sign_in(state: &HttpState, query: &FormParams, path: &str) -> Response {
    let mut response = see_other(state, &flow_pages::with_language("/sign-in", query));
    SavedReturnTo::new(path).set_cookie(&mut response, state.scheme());
    response
}

/// The reader of a page, in the language of the URL or else their own.
async fn console_reader<'a>(
    state: &'a HttpState,
    request: &RoutedRequest,
    query: &FormParams,
    account_holder: &AccountHolder,
) -> Result<PageRenderContext<'a>, HandlerError> {
    let account_language = profile::show(state.engine(), account_holder).await?.language;
    Ok(PageRenderContext::new(state, request, [query.get("ui_locales"), account_language.as_deref()]))
}

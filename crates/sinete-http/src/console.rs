//! The console: pages to manage organizations. They call the functions of the management API as the user's
//! membership, and have no rules of their own.

mod action;
mod api_keys;
mod applications;
mod audit_log;
mod audit_log_export;
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
use sinete_engine::administration::console::{ConsoleAccessResult, UnmetConsoleRequirement};
use sinete_engine::sign_in::account_holder;
use sinete_engine::sign_in::account_holder::AccountHolder;
use sinete_engine::sign_in::flows::FlowActor;
use sinete_screens::console::blocked;
use sinete_screens::console::notices::ConsoleNotice;
use sinete_screens::form::PageForm;
use sinete_screens::notice::OutcomeNotice;
use sinete_server::extract::params::{FormParams, FormParamsError};
use sinete_server::extract::same_origin;
use sinete_server::reply::{HandlerError, HandlerResult};

/// Shows a page of an organization.
pub(crate) async fn show_page(state: HttpState, mut call: RoutedRequest) -> HandlerResult {
    let place = ReturnTo::from_request(&mut call).await?;
    let query = call.query_params()?;
    let Some(oneself) = account_pages::authenticate_browser_session(&state, &call).await? else {
        return Ok(redirect_to_sign_in(&state, &query, &place.path()));
    };
    match enter_page(&state, oneself, &place).await? {
        ConsoleAccessResult::Blocked(why) => blocked_page(&state, &call, &query, &place, &why).await,
        ConsoleAccessResult::Open(at) => {
            let work = PageContext::load(&state, &call, &query, *at, place).await?;
            let file = list_files::find_list_file(&work.return_to.page);
            if let Some(file) = file.filter(|_| query.get("format") == Some("csv")) {
                return list_files::export_list(&work, file).await;
            }
            let mut response = match &work.return_to.page {
                ConsolePage::Overview => overview::show_overview(&work).await?,
                ConsolePage::Members => members::list_members(&work).await?,
                ConsolePage::Member(id) => members::show_member(&work, id).await?,
                ConsolePage::Invitations => invitations::show_invitations(&work).await?,
                ConsolePage::Roles => roles::list_roles(&work).await?,
                ConsolePage::Role(id) => roles::show_role(&work, id).await?,
                ConsolePage::Applications => applications::list_applications(&work).await?,
                ConsolePage::Application(id) => applications::show_application(&work, id).await?,
                ConsolePage::ApplicationTest(id) => {
                    applications::test_sign_in::show_test_result(&work, id).await?
                }
                ConsolePage::Keys => api_keys::show_api_keys(&work).await?,
                ConsolePage::Domains => domains::list_domains(&work).await?,
                ConsolePage::Connections => connections::list_connections(&work).await?,
                ConsolePage::Connection(id) => connections::show_connection(&work, id).await?,
                ConsolePage::ConnectionTest(id) => {
                    connections::sign_in_test::show_test_result(&work, id).await?
                }
                ConsolePage::ConnectionWizard(provider) => {
                    connections::wizard::show_wizard(&work, provider).await?
                }
                ConsolePage::Webhooks => webhooks::list_webhooks(&work).await?,
                ConsolePage::Webhook(id) => webhooks::show_webhook(&work, id).await?,
                ConsolePage::Trail => audit_log::list_audit_log(&work).await?,
                ConsolePage::Event(id) => audit_log::show_audit_log_entry(&work, id).await?,
                ConsolePage::Operation(page, id) => operations::show_operation_page(&work, page, id).await?,
                ConsolePage::Email(message) => emails::preview_email(&work, message).await?,
                ConsolePage::EmailStyle(message) => {
                    branding::organization_message_style(&work, message).await?
                }
                ConsolePage::InstanceEmailStyle => branding::message_style(&work)?,
            };
            if work.flash.is_some() {
                FlashForm::clear_cookie(&mut response, state.scheme());
            }
            Ok(response)
        }
    }
}

/// Handles a form of such a page.
pub(crate) async fn submit_form(state: HttpState, mut call: RoutedRequest) -> HandlerResult {
    let place = ReturnTo::from_request(&mut call).await?;
    let (query, form) = (call.query_params()?, call.form_params());
    // Allowed origins may use the flow API with cookies, but never the console.
    let origin = state.base_address().origin();
    let is_ours = same_origin::check_same_origin_headers(call.headers(), origin, &[]).is_ok();
    let Some(oneself) = account_pages::authenticate_browser_session(&state, &call).await? else {
        let path = place.path();
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
                &place.path(),
                ConsoleNotice::TooMuch,
                &FormParams::default(),
            ));
        }
        form => form?,
    };
    if !is_ours || !oneself.is_csrf_token_valid(state.engine(), form.get("csrf").unwrap_or_default()) {
        return Ok(flow_pages::notice_page(
            &state,
            &call,
            &query,
            StatusCode::FORBIDDEN,
            OutcomeNotice::FormRefused,
        ));
    }
    state.rate_limit(&call).check_account_write(oneself.account())?;
    let walker = api::flow_actor_in_session(&state, &call, &oneself.signed_in)?;
    let errand =
        ConsoleAction { state: &state, call: &call, query: &query, actor: walker, is_step_up_done: false };
    run_action(errand, oneself, place, &form).await
}

/// Redirects back to a page whose form was too large, with a notice. The request is not authenticated, and
/// nothing is done.
pub(crate) async fn reject_oversized_form(
    state: &HttpState,
    mut call: RoutedRequest,
    refusal: Refusal,
) -> Result<Response, Refusal> {
    let is_ours =
        same_origin::check_same_origin_headers(call.headers(), state.base_address().origin(), &[]).is_ok();
    let (place, query) = (ReturnTo::from_request(&mut call).await?, call.query_params().ok());
    match query.filter(|_| is_ours) {
        Some(query) => {
            call.context().record_refusal(&refusal);
            Ok(redirect_back_with_notice(
                state,
                &query,
                &place.path(),
                ConsoleNotice::TooMuch,
                &FormParams::default(),
            ))
        }
        None => Err(refusal),
    }
}

/// Performs a suspended action, in the session that the step-up renewed.
pub(crate) async fn resume_action(page: &str, resumed: ResumedForm<'_>) -> HandlerResult {
    let ResumedForm { state, call, query, form, session } = resumed;
    let oneself = account_holder::authenticate_session(state.engine(), session, call.origin()).await?;
    let actor = api::flow_actor_in_session(state, call, &oneself.signed_in)?;
    let place = ReturnTo::parse(page)?;
    run_action(ConsoleAction { state, call, query, actor, is_step_up_done: true }, oneself, place, form).await
}

/// A form of the console.
struct ConsoleAction<'a> {
    state: &'a HttpState,
    call: &'a RoutedRequest,
    query: &'a FormParams,
    actor: FlowActor,
    /// Whether a step-up was just completed, so that no further one is started.
    is_step_up_done: bool,
}

async fn run_action(
    errand: ConsoleAction<'_>,
    oneself: AccountHolder,
    place: ReturnTo,
    form: &FormParams,
) -> HandlerResult {
    let ConsoleAction { state, call, query, .. } = &errand;
    let at = match enter_page(state, oneself, &place).await? {
        ConsoleAccessResult::Open(at) => at,
        ConsoleAccessResult::Blocked(why)
            if why.requirement == console::ConsoleRequirement::StepUp && !errand.is_step_up_done =>
        {
            return start_step_up(&errand, &place, form).await;
        }
        // The page shows the requirement.
        ConsoleAccessResult::Blocked(_) => {
            return Ok(see_other(state, &flow_pages::with_language(&place.path(), query)));
        }
    };
    let path = place.path();
    let work = PageContext::load(state, call, query, *at, place).await?;
    // Inputs that are not stored during a step-up, such as secrets, must be entered again.
    if errand.is_step_up_done && form.get(RETYPE_FIELD).is_some() {
        return Ok(work.redirect_with_flash(&path, FlashForm::failure(&path, ConsoleNotice::TypeAgain, form)));
    }
    let named = page_context::tick_named_roles(&work, form).await?;
    let form = &named.form;
    if !named.are_known {
        return Ok(work.redirect_with_flash(&path, FlashForm::failure(&path, ConsoleNotice::RoleGone, form)));
    }
    let Some(outcome) = submit_page_form(&work, form).await else {
        return Ok(see_other(state, &flow_pages::with_language(&path, query)));
    };
    match outcome {
        Ok(ActionOutcome::Redirect(CompletedAction { notice: said, return_path: to })) => {
            Ok(work.redirect_with_flash(&to, FlashForm::success(&to, said)))
        }
        Ok(ActionOutcome::Response(response)) => Ok(response),
        Err(ActionError::Refused(refusal))
            if refusal.code() == RefusalCode::InsufficientAuthentication && !errand.is_step_up_done =>
        {
            start_step_up(&errand, &work.return_to, form).await
        }
        Err(ActionError::Fields { wrong, detail }) => {
            let flash = FlashForm::failure(&path, ConsoleNotice::FieldsInvalid, form);
            Ok(work.redirect_with_flash(&path, flash.with_refusal(&wrong, &detail)))
        }
        Err(ActionError::Refused(refusal)) => Ok(redirect_refused(&work, &refusal, form)),
        Err(ActionError::ConsoleNotice(said)) => {
            Ok(work.redirect_with_flash(&path, FlashForm::failure(&path, said, form)))
        }
        Err(ActionError::Handler(error)) => Err(error),
    }
}

/// Redirects after a refusal, with its notice. If the resource itself is gone, so is its page: deleting it twice leads
/// to the list. A revoked secret is only a part of a resource that still exists.
fn redirect_refused(work: &PageContext<'_>, refusal: &Refusal, form: &FormParams) -> Response {
    work.call.context().record_refusal(refusal);
    let path = &work.path;
    let RefusalText { notice: said, has_sentence } = refusal_text(refusal.reason());
    let detail = if has_sentence { refusal.public_text() } else { "".into() };
    let is_whole = said == ConsoleNotice::Gone && form.get("revoke").is_none();
    match work.return_to.parent_path().filter(|_| is_whole) {
        Some(list) => work.redirect_with_flash(&list, FlashForm::success(&list, said)),
        None => {
            work.redirect_with_flash(path, FlashForm::failure(path, said, form).with_refusal(&[], &detail))
        }
    }
}

/// Enters the organization of a page, or the instance.
async fn enter_page(
    state: &HttpState,
    oneself: AccountHolder,
    place: &ReturnTo,
) -> Result<ConsoleAccessResult, HandlerError> {
    Ok(match place.is_of_instance() {
        true => console::enter_instance(state.engine(), oneself).await?,
        false => console::enter_organization(state.engine(), oneself, &place.organization).await?,
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
async fn check_fresh_authentication(work: &PageContext<'_>, form: &FormParams) -> Outcome {
    let (path, shown) = (&work.path, form.get("form").unwrap_or_default());
    work.access.require_fresh_access(work.engine()).await?;
    let flash = if form.get(FORM_LOST_FIELD).is_some() {
        FlashForm::after_step_up_without_input(path, shown)
    } else {
        FlashForm::after_step_up(path, shown)
    };
    Ok(ActionOutcome::Response(work.redirect_with_flash(path, flash)))
}

/// Starts a step-up; the action is suspended until it is complete.
async fn start_step_up(errand: &ConsoleAction<'_>, place: &ReturnTo, form: &FormParams) -> HandlerResult {
    let ConsoleAction { state, query, actor: walker, .. } = errand;
    let path = place.path();
    let asked = PendingForm { form: form.clone(), console: Some(path.clone()) };
    let said = match step_up::start_step_up(errand.state, errand.call, query, walker, &asked).await? {
        ProofRedirect::Redirect(response) => return Ok(response),
        ProofRedirect::SignInAgain => ConsoleNotice::SignInAgain,
        ProofRedirect::Refused(_) => ConsoleNotice::NotPossible,
    };
    Ok(redirect_back_with_notice(state, query, &path, said, form))
}

/// Redirects back to the page with the error.
fn redirect_back_with_notice(
    state: &HttpState,
    query: &FormParams,
    path: &str,
    said: ConsoleNotice,
    form: &FormParams,
) -> Response {
    let mut response = see_other(state, &flow_pages::with_language(path, query));
    FlashForm::failure(path, said, form).set_cookie(&mut response, state.scheme());
    response
}

/// The page that shows what the organization requires first.
async fn blocked_page(
    state: &HttpState,
    call: &RoutedRequest,
    query: &FormParams,
    place: &ReturnTo,
    why: &UnmetConsoleRequirement,
) -> HandlerResult {
    let reader = console_reader(state, call, query, &why.holder).await?;
    let csrf = why.holder.csrf_token(state.engine());
    let takes = match why.requirement {
        console::ConsoleRequirement::StepUp => blocked::ConsoleAccessRequirement::StepUp,
        console::ConsoleRequirement::Enrollment => blocked::ConsoleAccessRequirement::Enrollment,
        console::ConsoleRequirement::OtherSignInMethod => {
            blocked::ConsoleAccessRequirement::OtherSignInMethod
        }
    };
    let action = flow_pages::with_language(&place.organization_path(), query);
    let form = PageForm { action: &action, csrf: &csrf };
    let page = blocked::ConsoleBlockedView { form, organization: &why.organization, takes };
    Ok(reader.script_page_response(StatusCode::OK, page.render(&reader.frame(&place.path()))))
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
    call: &RoutedRequest,
    query: &FormParams,
    oneself: &AccountHolder,
) -> Result<PageRenderContext<'a>, HandlerError> {
    let own = profile::show(state.engine(), oneself).await?.language;
    Ok(PageRenderContext::new(state, call, [query.get("ui_locales"), own.as_deref()]))
}

//! Flows on the hosted screens: GET shows the current stage, POST submits an input with the same function as
//! the API and redirects to the next page. Pages can therefore be reloaded, revisited and opened in two tabs
//! without submitting a form twice.

mod consent;
mod ended_flow;
mod form_fields;
pub(crate) mod magic_link;
mod offers;
mod pages;
mod passkey_offer;
mod paths;
mod resume_form;
#[cfg(feature = "screens")]
pub(crate) mod routes;
mod sign_in_methods;
pub(crate) mod start;
pub(crate) mod step_up;

pub(crate) use crate::sign_in::flow_pages::form_fields::flow_error_notice;

use crate::flow_csrf;
use crate::screens::flash::{FlowFlash, FlowNotice};
use crate::screens::{PageRenderContext, flow_cookies};
use crate::sign_in::flow_pages::ended_flow::{
    flow_finished_page, flow_unavailable_response, resume_or_show_finished,
};
pub(crate) use crate::sign_in::flow_pages::paths::with_language;
use crate::sign_in::flow_pages::paths::{
    finished_page_path, flow_page_path, flow_page_url, following_flow_url, with_sign_in_method,
};
use crate::sign_in::flow_pages::resume_form::{
    redirect_not_done, resume_suspended_form, suspended_form, suspended_page,
};
use crate::sign_in::flows::handlers as api;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use axum::response::Response;
use pages::FlowPageData;
use passkey_offer::start_passkey_offer;
use sinete_core::accounts::language::Language;
use sinete_core::secret::Secret;
use sinete_core::sign_in::flows::purpose::FlowKind;
use sinete_core::sign_in::flows::stage::{FlowOutcome, FlowStage};
use sinete_core::sign_in::flows::{AuthenticationFlow, FlowTokenTransport};
use sinete_core::time::Lifetime;
use sinete_engine::Error;
use sinete_engine::sign_in::flows;
use sinete_engine::sign_in::flows::{FlowActor, FlowRef, FlowSnapshot, SignUpPolicy};
use sinete_screens::form::PageForm;
use sinete_screens::notice::OutcomeNotice;
use sinete_screens::sign_in::recovery_codes::RecoveryCodesView;
use sinete_screens::sign_in_method::SignInMethod;
use sinete_server::cookies::CookieName;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::{HandlerResult, page};

/// Shows the current stage of the flow in the URL.
pub(crate) async fn show_flow(
    state: &HttpState,
    request: &RoutedRequest,
    query: &FormParams,
    id: &str,
) -> HandlerResult {
    let (scheme, headers) = (state.scheme(), request.headers());
    let Some(token) = flow_cookies::find_flow_token(headers, scheme, id)? else {
        return resume_or_show_finished(state, request, query).await;
    };
    let ticket = FlowRef { id, token: token.token, token_transport: FlowTokenTransport::Cookie };
    let flow = match flows::show(state.engine(), &ticket).await {
        Ok(snapshot) => snapshot.flow,
        Err(Error::Refused(refusal)) if refusal.code().status() != 503 => {
            return resume_or_show_finished(state, request, query).await;
        }
        Err(error) => return Err(error.into()),
    };
    let around = flows::load_flow_context(state.engine(), &flow).await?;
    let locale_lists = [query.get("ui_locales"), around.languages.as_deref(), around.language.as_deref()];
    let reader = PageRenderContext::new(state, request, locale_lists)
        .with_organization_branding(around.branding.as_ref());
    if flow_page_path(&flow) != request.route().path {
        return Ok(crate::screens::see_other(state, &with_language(&flow_page_url(&flow), query)));
    }
    let flash = FlowFlash::from_cookie(headers, scheme, id);
    let mut flow_flash = flash.clone().unwrap_or_default();
    if query.get("trouble") == Some("provider") {
        // There is no flash cookie after returning from another site.
        flow_flash.trouble = Some(FlowNotice::Provider);
    }
    let sign_in_method = query.get("way").and_then(SignInMethod::from_name);
    let (page_path, csrf) = (flow_page_url(&flow), flow_csrf::csrf_token(token.token));
    let settings = state.engine().settings();
    let offers = flows::load_offers(state.engine(), &flow).await?;
    let next_message = offers.next_message_at.map(|at| at.since(state.backend().now()));
    let offers = offers.into();
    let page_data = FlowPageData {
        flow: &flow,
        context: &around,
        flash: &flow_flash,
        offers: &offers,
        method: sign_in_method,
        resend_after: next_message.unwrap_or(Lifetime::ZERO),
        all_methods_url: &with_language(&page_path, query),
        phone_method_url: &with_language(
            &with_sign_in_method(&page_path, Some(SignInMethod::SmsCode)),
            query,
        ),
        form: PageForm { action: &with_language(&page_path, query), csrf: &csrf },
        password_min: u32::try_from(settings.passwords.characters_min).unwrap_or(u32::MAX),
        finished_page: finished_page_path(state, query, &flow),
        is_sign_up_open: settings.flows.sign_up == SignUpPolicy::Open,
    };
    let mut response = reader.script_page_response(
        StatusCode::OK,
        page_data.stage_page(&reader.frame(&with_sign_in_method(&page_path, sign_in_method))),
    );
    flow_cookies::store_flow_token(&mut response, headers, scheme, id, &token);
    if flash.is_some() {
        FlowFlash::clear_cookie(&mut response, scheme);
    }
    if matches!(flow.stage(), FlowStage::Resume) {
        // The authorization request continues with the flow cookie, which another tab may have replaced.
        CookieName::Flow.set(&mut response, scheme, token.token);
    }
    Ok(response)
}

/// Submits an input.
pub(crate) async fn submit_flow_form(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let (query, form) = (request.query_params()?, request.form_params()?);
    let id = query.get("flow").unwrap_or_default();
    let (scheme, headers) = (state.scheme(), request.headers());
    let Some(token) = flow_cookies::find_flow_token(headers, scheme, id)? else {
        return Ok(flow_finished_page(&state, &request, &query));
    };
    let is_ours = state.server().check_same_origin(request.headers()).is_ok();
    if !is_ours || !flow_csrf::is_csrf_token(token.token, form.get("csrf").unwrap_or_default()) {
        return Ok(notice_page(&state, &request, &query, StatusCode::FORBIDDEN, OutcomeNotice::FormRefused));
    }
    let ticket = FlowRef { id, token: token.token, token_transport: FlowTokenTransport::Cookie };
    let opened = match flows::open_flow(state.engine(), &ticket).await {
        Ok(opened) => opened,
        Err(Error::Refused(refusal)) => return flow_unavailable_response(&state, &request, &query, refusal),
        Err(Error::Failed(failed)) => return Err(failed.into()),
    };
    let actor = with_requested_language(
        api::flow_actor(&state, &request, FlowTokenTransport::Cookie).await?,
        &query,
        opened.flow(),
    );
    let flow = opened.flow().clone();
    let (action, form_input) = form_fields::parse_form_action(&flow, &form);
    let paced = state.rate_limit(&request);
    let outcome = match paced.check_flow_action(&action).and_then(|()| {
        crate::sign_in::flows::handlers::parse_action(state.schemas(), &flow, &action, &form_input)
    }) {
        Ok(input) => flows::submit_to_open_flow(state.engine(), &ticket, opened, &input, &actor).await,
        Err(refusal) => Err(refusal.into()),
    };
    match outcome {
        Ok(mut snapshot) => {
            match (
                snapshot.issued_secrets.recovery_codes.take(),
                suspended_form(&request, scheme, &ticket, &snapshot),
            ) {
                (Some(codes), _) => Ok(recovery_codes_page(&state, &request, &query, &codes, snapshot)),
                (None, Some(pending_form)) => {
                    resume_suspended_form(&state, &request, &query, &pending_form, snapshot).await
                }
                (None, None) => next_page_or_passkey_offer(&state, &request, &query, &actor, snapshot).await,
            }
        }
        Err(error) => {
            let refusal = paced.count_failed_proof(error.into_refusal()?);
            let least = state.engine().settings().passwords.characters_min;
            let Some(notice) = form_fields::flow_error_notice(&refusal, &action, &form, least) else {
                return flow_unavailable_response(&state, &request, &query, refusal);
            };
            request.context().record_refusal(&refusal);
            let sign_in_method =
                SignInMethod::from_name(&action).filter(|sign_in_method| sign_in_method.needs_selection());
            Ok(redirect_back_with_error(
                &state,
                &query,
                &with_sign_in_method(&flow_page_url(&flow), sign_in_method),
                id,
                notice,
                &form,
            ))
        }
    }
}

/// Sets the actor's language to that of the user or the application.
fn with_requested_language(mut actor: FlowActor, query: &FormParams, flow: &AuthenticationFlow) -> FlowActor {
    let of_request =
        flow.purpose().pending_authorization().and_then(|pending| pending.find_parameter("ui_locales"));
    let language =
        [query.get("ui_locales"), of_request].into_iter().flatten().find_map(Language::from_locale_list);
    actor.language = language.unwrap_or(actor.language);
    actor
}

/// The page after returning from an identity provider.
pub(crate) async fn continue_from_provider(
    state: &HttpState,
    request: &RoutedRequest,
    actor: &FlowActor,
    snapshot: FlowSnapshot,
) -> HandlerResult {
    let query = FormParams::default();
    let id = snapshot.flow.id().to_string();
    let token = flow_cookies::find_flow_token(request.headers(), state.scheme(), &id)?;
    let ticket = token.map(|token| token.token.to_owned()).unwrap_or_default();
    let ticket = FlowRef { id: &id, token: &ticket, token_transport: FlowTokenTransport::Cookie };
    match suspended_form(request, state.scheme(), &ticket, &snapshot) {
        Some(pending_form) => resume_suspended_form(state, request, &query, &pending_form, snapshot).await,
        None => match suspended_page(state, request, &snapshot) {
            Some(page) => Ok(redirect_not_done(state, &page, snapshot)),
            None => next_page_or_passkey_offer(state, request, &query, actor, snapshot).await,
        },
    }
}

/// Redirects to the next page, or offers a passkey.
async fn next_page_or_passkey_offer(
    state: &HttpState,
    request: &RoutedRequest,
    query: &FormParams,
    actor: &FlowActor,
    mut snapshot: FlowSnapshot,
) -> HandlerResult {
    Ok(match start_passkey_offer(state, request, actor, &mut snapshot).await? {
        Some(offer) => redirect_to_following_flow(state, query, snapshot, offer),
        None => redirect_after_action(state, query, snapshot),
    })
}

/// Shows the recovery codes in the response itself, the only place where they appear. Reloading it shows that
/// the flow has ended.
fn recovery_codes_page(
    state: &HttpState,
    request: &RoutedRequest,
    query: &FormParams,
    codes: &[String],
    snapshot: FlowSnapshot,
) -> Response {
    let reader = PageRenderContext::new(state, request, [query.get("ui_locales")]);
    let codes: Vec<&str> = codes.iter().map(String::as_str).collect();
    // Codes that were made with a new authenticator lead on to its first use, where a request demands it.
    let next = with_language(&flow_page_url(&snapshot.flow), query);
    let finished = finished_page_path(state, query, &snapshot.flow);
    let continue_url = if snapshot.flow.is_finished() { finished } else { next.as_str() };
    let page = RecoveryCodesView { continue_url, codes: &codes }.render(&reader.frame(""));
    let mut response = reader.script_page_response(StatusCode::OK, page);
    set_issued_cookies(&mut response, state, snapshot);
    response
}

/// Redirects to a flow that follows another, with the cookies of both.
fn redirect_to_following_flow(
    state: &HttpState,
    query: &FormParams,
    ended: FlowSnapshot,
    follows: FlowSnapshot,
) -> Response {
    let address = following_flow_url(&ended.flow, &follows.flow);
    let mut response = crate::screens::see_other(state, &with_language(&address, query));
    set_issued_cookies(&mut response, state, ended);
    set_issued_cookies(&mut response, state, follows);
    response
}

/// Redirects after an input, with the issued cookies.
pub(crate) fn redirect_after_action(
    state: &HttpState,
    query: &FormParams,
    snapshot: FlowSnapshot,
) -> Response {
    let flow = &snapshot.flow;
    let location = match flow.stage() {
        FlowStage::Finished(FlowOutcome::SignedIn | FlowOutcome::Enrolled) => {
            finished_page_path(state, query, flow).to_owned()
        }
        FlowStage::Finished(
            FlowOutcome::PhoneVerified | FlowOutcome::EmailChanged | FlowOutcome::IdentityLinked,
        ) => "/my-account".to_owned(),
        FlowStage::Finished(FlowOutcome::PasswordSet) => "/reset-password?done=yes".to_owned(),
        FlowStage::Finished(FlowOutcome::EmailVerified) => "/verify-email?done=yes".to_owned(),
        FlowStage::Finished(FlowOutcome::DeviceAllowed) => "/device?done=allowed".to_owned(),
        FlowStage::Finished(FlowOutcome::DeviceDenied) => "/device?done=denied".to_owned(),
        FlowStage::Finished(FlowOutcome::RequestApproved) => "/approve?done=approved".to_owned(),
        FlowStage::Finished(FlowOutcome::RequestDenied) => "/approve?done=denied".to_owned(),
        FlowStage::Refused { .. } if flow.kind() == FlowKind::ApproveRequest => {
            "/approve?done=refused".to_owned()
        }
        FlowStage::Refused { .. } => "/device?done=refused".to_owned(),
        _ => flow_page_url(flow),
    };
    let mut response = crate::screens::see_other(state, &with_language(&location, query));
    let is_saved = matches!(
        flow.stage(),
        FlowStage::Finished(
            FlowOutcome::PhoneVerified | FlowOutcome::EmailChanged | FlowOutcome::IdentityLinked
        )
    );
    if is_saved {
        FlowFlash::account_saved().set_cookie(&mut response, state.scheme());
    }
    set_issued_cookies(&mut response, state, snapshot);
    response
}

/// Sets the issued cookies.
fn set_issued_cookies(response: &mut Response, state: &HttpState, snapshot: FlowSnapshot) {
    let (scheme, FlowSnapshot { flow, issued_secrets: handed, .. }) = (state.scheme(), snapshot);
    let id = flow.id().to_string();
    if let Some(token) = handed.flow.map(Secret::reveal) {
        CookieName::Flow.set(response, scheme, &token);
        flow_cookies::replace_flow_token(response, scheme, &id, &token);
    }
    if let Some(token) = handed.session {
        CookieName::Session.set(response, scheme, &token.reveal());
    }
    if let Some(token) = handed.device {
        CookieName::Device.set(response, scheme, &token.reveal());
    }
    if flow.is_finished() {
        CookieName::Flow.clear(response, scheme);
        flow_cookies::clear_flow_token(response, scheme, &id);
    }
}

/// Redirects back to the page with the error and the input.
fn redirect_back_with_error(
    state: &HttpState,
    query: &FormParams,
    page: &str,
    id: &str,
    notice: FlowNotice,
    form: &FormParams,
) -> Response {
    let mut response = crate::screens::see_other(state, &with_language(page, query));
    let field_value = |name: &str| form.get(name).unwrap_or_default().chars().take(254).collect::<String>();
    let flash = FlowFlash {
        flow: id.to_owned(),
        trouble: Some(notice),
        identifier: field_value("identifier"),
        name: field_value("name"),
    };
    flash.set_cookie(&mut response, state.scheme());
    response
}

/// A page that shows an outcome.
pub(crate) fn notice_page(
    state: &HttpState,
    request: &RoutedRequest,
    query: &FormParams,
    status: StatusCode,
    notice: OutcomeNotice,
) -> Response {
    let reader = PageRenderContext::new(state, request, [query.get("ui_locales")]);
    page::html_response(status, notice.render(&reader.plain_frame("")))
}

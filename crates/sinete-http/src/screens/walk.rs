//! Walking through a flow on the screens: a GET shows where it stands, a POST says something in it by the same
//! function the API calls, and the answer to a POST is always a redirect to the page that follows. So pages can be
//! loaded again, gone back to and kept in two tabs, and no form is sent twice.

mod addresses;
mod consent;
mod fields;
pub(crate) mod link;
mod methods;
mod offered;
mod pages;
mod proven;

pub(super) use fields::told;

pub(super) use self::addresses::with_language;
use self::addresses::{by_way, path_of, place};
use super::flash::{FlowFlash, FlowNotice};
use super::{PageReader, my_account, tickets};
use crate::call::RoutedRequest;
use crate::cookies::CookieName;
use crate::extract::pairs::FormParams;
use crate::extract::same_origin;
use crate::extract::session::presented;
use crate::flows as api;
use crate::reply::{HandlerError, HandlerResult, page};
use crate::state::HttpState;
use axum::http::StatusCode;
use axum::response::Response;
use pages::FlowPageData;
use proven::{go_on, left_behind, not_done, waiting};
use sinete_core::flow::credential::enrolling::EnrollableFactor;
use sinete_core::flow::purpose::FlowKind;
use sinete_core::flow::stage::{FlowOutcome, FlowStage};
use sinete_core::flow::{AuthenticationFlow, FlowTokenTransport};
use sinete_core::people::language::Language;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::Secret;
use sinete_core::time::Lifetime;
use sinete_engine::flows::{self, FlowActor, FlowRef, FlowRequest, FlowSnapshot, SignUpPolicy};
use sinete_engine::sessions;
use sinete_screens::form::PageForm;
use sinete_screens::notice::OutcomeNotice;
use sinete_screens::recovery_codes::RecoveryCodesView;
use sinete_screens::way::SignInMethod;

/// Shows where the flow stands that the address names.
pub(super) async fn show(
    state: &HttpState,
    call: &RoutedRequest,
    query: &FormParams,
    id: &str,
) -> HandlerResult {
    let (scheme, headers) = (state.scheme(), call.headers());
    let Some(held) = tickets::held(headers, scheme, id)? else { return gone(state, call, query).await };
    let ticket = FlowRef { id, token: held.token, carrier: FlowTokenTransport::Cookie };
    let flow = match flows::show(state.engine(), &ticket).await? {
        Ok(standing) => standing.flow,
        Err(refusal) if refusal.code().status() == 503 => return Err(refusal.into()),
        Err(_) => return gone(state, call, query).await,
    };
    let around = flows::around(state.engine(), &flow).await?;
    let wanted = [query.get("ui_locales"), around.languages.as_deref(), around.language.as_deref()];
    let reader = PageReader::new(state, call, wanted).about(around.look.as_ref());
    if path_of(&flow) != call.route().path {
        return Ok(super::see(state, &with_language(&place(&flow), query)));
    }
    let flash = FlowFlash::of(headers, scheme, id);
    let mut said = flash.clone().unwrap_or_default();
    if query.get("trouble") == Some("provider") {
        // Whoever comes from elsewhere brings nothing that was left behind here.
        said.trouble = Some(FlowNotice::Provider);
    }
    let way = query.get("way").and_then(SignInMethod::of_name);
    let (here, csrf) = (place(&flow), api::csrf_token(held.token));
    let settings = state.engine().settings();
    let offers = flows::offers(state.engine(), &flow).await?;
    let next_message = offers.next_message_at.map(|at| at.since(state.house().now()));
    let offers = offers.into();
    let shown = FlowPageData {
        flow: &flow,
        around: &around,
        flash: &said,
        offers: &offers,
        way,
        resend_after: next_message.unwrap_or(Lifetime::ZERO),
        other_ways: &with_language(&here, query),
        by_phone: &with_language(&by_way(&here, Some(SignInMethod::SmsCode)), query),
        form: PageForm { action: &with_language(&here, query), csrf: &csrf },
        password_min: u32::try_from(settings.passwords.characters_min).unwrap_or(u32::MAX),
        is_open: settings.flows.sign_up == SignUpPolicy::Open,
    };
    let mut response = reader.answer(StatusCode::OK, shown.page(&reader.frame(&by_way(&here, way))));
    tickets::remember(&mut response, headers, scheme, (id, &held));
    if flash.is_some() {
        FlowFlash::clear(&mut response, scheme);
    }
    if matches!(flow.stage(), FlowStage::Resume) {
        // The request goes on with the flow cookie, which another tab may have replaced.
        CookieName::Flow.set(&mut response, scheme, held.token);
    }
    Ok(response)
}

/// Says something in a flow.
pub(crate) async fn post(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let (query, form) = (call.query()?, call.form()?);
    let id = query.get("flow").unwrap_or_default();
    let (scheme, headers) = (state.scheme(), call.headers());
    let Some(held) = tickets::held(headers, scheme, id)? else { return Ok(over(&state, &call, &query)) };
    let is_ours = same_origin::check(&state, &call).is_ok();
    if !is_ours || !api::is_csrf_token(held.token, form.get("csrf").unwrap_or_default()) {
        return Ok(notice(&state, &call, &query, StatusCode::FORBIDDEN, OutcomeNotice::FormRefused));
    }
    let ticket = FlowRef { id, token: held.token, carrier: FlowTokenTransport::Cookie };
    let flow = match flows::show(state.engine(), &ticket).await? {
        Ok(standing) => standing.flow,
        Err(refusal) => return elsewhere(&state, &call, &query, refusal),
    };
    let walker = speaking(api::walker(&state, &call, FlowTokenTransport::Cookie).await?, &query, &flow);
    let (action, sent) = fields::asked(&flow, &form);
    let paced = state.paced(&call);
    let outcome = match paced.saying(&action).and_then(|()| api::actions::said(&flow, &action, &sent)) {
        Ok(said) => flows::act(state.engine(), &ticket, &said, &walker).await?,
        Err(refusal) => Err(refusal),
    };
    match outcome.map_err(|refusal| paced.unproven(refusal)) {
        Ok(mut standing) => {
            match (standing.handed.recovery_codes.take(), waiting(&call, scheme, &ticket, &standing)) {
                (Some(codes), _) => Ok(shown_once(&state, &call, &query, &codes, standing)),
                (None, Some(asked)) => go_on(&state, &call, &query, &asked, standing).await,
                (None, None) => proceed((&state, &call), &query, &walker, standing).await,
            }
        }
        Err(refusal) => {
            let least = state.engine().settings().passwords.characters_min;
            let Some(told) = fields::told(&refusal, &action, &form, least) else {
                return elsewhere(&state, &call, &query, refusal);
            };
            call.visit().note(&refusal);
            let way = SignInMethod::of_name(&action).filter(|way| way.is_one_of_several());
            Ok(again(&state, &query, &by_way(&place(&flow), way), (id, told), &form))
        }
    }
}

/// Whoever walks, reading the language that they or their application asked for.
fn speaking(mut walker: FlowActor, query: &FormParams, flow: &AuthenticationFlow) -> FlowActor {
    let of_request = flow.purpose().asked().and_then(|asked| asked.parameter("ui_locales"));
    let asked = [query.get("ui_locales"), of_request].into_iter().flatten().find_map(Language::first_spoken);
    walker.language = asked.unwrap_or(walker.language);
    walker
}

/// The page after somebody came back from a provider.
pub(super) async fn returned(
    state: &HttpState,
    call: &RoutedRequest,
    walker: &FlowActor,
    standing: FlowSnapshot,
) -> HandlerResult {
    let query = FormParams::default();
    let id = standing.flow.id().to_string();
    let held = tickets::held(call.headers(), state.scheme(), &id)?;
    let ticket = held.map(|held| held.token.to_owned()).unwrap_or_default();
    let ticket = FlowRef { id: &id, token: &ticket, carrier: FlowTokenTransport::Cookie };
    match waiting(call, state.scheme(), &ticket, &standing) {
        Some(asked) => go_on(state, call, &query, &asked, standing).await,
        None => match left_behind(state, call, &standing) {
            Some(page) => Ok(not_done(state, &page, standing)),
            None => proceed((state, call), &query, walker, standing).await,
        },
    }
}

/// The page that follows, or else the offer of a passkey.
async fn proceed(
    (state, call): (&HttpState, &RoutedRequest),
    query: &FormParams,
    walker: &FlowActor,
    mut standing: FlowSnapshot,
) -> HandlerResult {
    Ok(match offered_passkey(state, call, walker, &mut standing).await? {
        Some(offer) => both(state, query, standing, offer),
        None => onward(state, query, standing),
    })
}

/// Recovery codes, on the answer itself: they are nowhere else any more. Loading it again finds the flow over.
fn shown_once(
    state: &HttpState,
    call: &RoutedRequest,
    query: &FormParams,
    codes: &[String],
    standing: FlowSnapshot,
) -> Response {
    let reader = PageReader::new(state, call, [query.get("ui_locales")]);
    let codes: Vec<&str> = codes.iter().map(String::as_str).collect();
    let page = RecoveryCodesView { done: "/my-account", codes: &codes }.page(&reader.frame(""));
    let mut response = reader.answer(StatusCode::OK, page);
    hand_over(&mut response, state, standing);
    response
}

/// A flow that sets up a passkey, for somebody who has just come in another way and has none.
async fn offered_passkey(
    state: &HttpState,
    call: &RoutedRequest,
    walker: &FlowActor,
    standing: &mut FlowSnapshot,
) -> Result<Option<FlowSnapshot>, HandlerError> {
    let engine = state.engine();
    if !flows::offers(engine, &standing.flow).await?.may_enroll.contains(&EnrollableFactor::Passkey) {
        return Ok(None);
    }
    let Some(token) = standing.handed.session.take().map(Secret::reveal) else { return Ok(None) };
    let session = sessions::find(engine, &token).await?;
    standing.handed.session = Secret::parse(&token).ok();
    let walker = FlowActor { session, ..walker.clone() };
    let wanted = FlowRequest::Enroll { factor: EnrollableFactor::Passkey };
    if state.paced(call).starting_as(&walker, wanted.kind()).is_err() {
        return Ok(None);
    }
    Ok(flows::start(engine, &wanted, FlowTokenTransport::Cookie, &walker).await?.ok())
}

/// The page of a flow that follows on another, with what both handed over.
fn both(state: &HttpState, query: &FormParams, ended: FlowSnapshot, follows: FlowSnapshot) -> Response {
    let mut response = super::see(state, &with_language(&place(&follows.flow), query));
    hand_over(&mut response, state, ended);
    hand_over(&mut response, state, follows);
    response
}

/// The page after something was said, with what was handed over.
pub(super) fn onward(state: &HttpState, query: &FormParams, standing: FlowSnapshot) -> Response {
    let flow = &standing.flow;
    let location = match flow.stage() {
        FlowStage::Finished(
            FlowOutcome::SignedIn
            | FlowOutcome::Enrolled
            | FlowOutcome::PhoneVerified
            | FlowOutcome::EmailChanged
            | FlowOutcome::IdentityLinked,
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
        _ => place(flow),
    };
    let mut response = super::see(state, &with_language(&location, query));
    let is_saved = matches!(
        flow.stage(),
        FlowStage::Finished(
            FlowOutcome::PhoneVerified | FlowOutcome::EmailChanged | FlowOutcome::IdentityLinked
        )
    );
    if is_saved {
        my_account::saved().leave(&mut response, state.scheme());
    }
    hand_over(&mut response, state, standing);
    response
}

/// The answer, with what whoever walks is handed.
fn hand_over(response: &mut Response, state: &HttpState, standing: FlowSnapshot) {
    let (scheme, FlowSnapshot { flow, handed, .. }) = (state.scheme(), standing);
    let id = flow.id().to_string();
    if let Some(token) = handed.flow.map(Secret::reveal) {
        CookieName::Flow.set(response, scheme, &token);
        tickets::replace(response, scheme, &id, &token);
    }
    if let Some(token) = handed.session {
        CookieName::Session.set(response, scheme, &token.reveal());
    }
    if let Some(token) = handed.device {
        CookieName::Device.set(response, scheme, &token.reveal());
    }
    if flow.is_finished() {
        CookieName::Flow.clear(response, scheme);
        tickets::forget(response, scheme, &id);
    }
}

/// The same page once more, with what was wrong and what was typed.
fn again(
    state: &HttpState,
    query: &FormParams,
    page: &str,
    (id, told): (&str, FlowNotice),
    form: &FormParams,
) -> Response {
    let mut response = super::see(state, &with_language(page, query));
    let typed = |name: &str| form.get(name).unwrap_or_default().chars().take(254).collect::<String>();
    let flash = FlowFlash {
        flow: id.to_owned(),
        trouble: Some(told),
        identifier: typed("identifier"),
        name: typed("name"),
    };
    flash.leave(&mut response, state.scheme());
    response
}

/// A flow that cannot be walked on: it is over, or it is another browser's.
fn elsewhere(state: &HttpState, call: &RoutedRequest, query: &FormParams, refusal: Refusal) -> HandlerResult {
    match refusal.code() {
        RefusalCode::NotFound | RefusalCode::Gone | RefusalCode::Conflict => {
            call.visit().note(&refusal);
            Ok(over(state, call, query))
        }
        RefusalCode::Forbidden => {
            call.visit().note(&refusal);
            Ok(notice(state, call, query, StatusCode::FORBIDDEN, OutcomeNotice::FormRefused))
        }
        _ => Err(HandlerError::Refused(refusal)),
    }
}

/// Somebody came back to a flow that is over. Whoever is signed in by now wants to go on from there.
async fn gone(state: &HttpState, call: &RoutedRequest, query: &FormParams) -> HandlerResult {
    if let Some(token) = presented(state, call)?
        && sessions::find(state.engine(), &token).await?.is_some()
    {
        return Ok(super::see(state, &with_language("/my-account", query)));
    }
    Ok(over(state, call, query))
}

fn over(state: &HttpState, call: &RoutedRequest, query: &FormParams) -> Response {
    notice(state, call, query, StatusCode::GONE, OutcomeNotice::FlowOver)
}

/// A page that says how something ended.
pub(super) fn notice(
    state: &HttpState,
    call: &RoutedRequest,
    query: &FormParams,
    status: StatusCode,
    notice: OutcomeNotice,
) -> Response {
    let reader = PageReader::new(state, call, [query.get("ui_locales")]);
    page::answer(status, notice.page(&reader.plain_frame("")))
}

//! The console: pages on which people manage their organizations. Each of them acts through the functions of the
//! management API, as the person's own membership, and knows no rule of its own.

mod applications;
mod choosing;
mod connections;
mod domains;
mod invitations;
mod keys;
mod lasting;
mod left;
mod making;
mod members;
mod overview;
mod paging;
mod place;
mod roles;
mod shown;
mod trail;
mod webhooks;
mod work;

use super::kept::AGAIN;
use super::proving::{self, ProofRedirect};
use super::waiting::{LOST, PROVE, PendingForm};
use super::{PageReader, my_account, see, walk};
use crate::call::RoutedRequest;
use crate::extract::pairs::{FormParams, FormParamsError};
use crate::extract::same_origin;
use crate::flows as api;
use crate::reply::{HandlerError, HandlerResult};
use crate::state::HttpState;
use axum::http::StatusCode;
use axum::response::Response;
pub(crate) use choosing::choose;
use left::FlashForm;
use place::{ConsolePage, ReturnTo, named};
pub(super) use place::{SavedReturnTo, is_page};
use sinete_core::flow::FlowTokenTransport;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::account::{self, AccountHolder, profile};
use sinete_engine::console::{self, ConsoleBlock, ConsoleEntry};
use sinete_engine::flows::FlowActor;
use sinete_screens::console::said::ConsoleNotice;
use sinete_screens::console::stopped;
use sinete_screens::form::PageForm;
use sinete_screens::notice::OutcomeNotice;
use work::{FlashVisibility, PageContext};

/// Shows a page of an organization.
pub(crate) async fn get(state: HttpState, mut call: RoutedRequest) -> HandlerResult {
    let place = ReturnTo::of(&mut call).await?;
    let query = call.query()?;
    let Some(oneself) = my_account::signed_in(&state, &call).await? else {
        return Ok(to_sign_in(&state, &query, &place.path()));
    };
    match console::enter(state.engine(), oneself, &place.organization).await?? {
        ConsoleEntry::Stopped(why) => stopped(&state, &call, &query, &place, &why).await,
        ConsoleEntry::AtWork(at) => {
            let work = PageContext::begin(&state, &call, &query, *at, place).await?;
            let mut response = match &work.place.page {
                ConsolePage::Overview => overview::show(&work),
                ConsolePage::Members => members::list(&work).await?,
                ConsolePage::Member(id) => members::show(&work, id).await?,
                ConsolePage::Invitations => invitations::show(&work).await?,
                ConsolePage::Roles => roles::list(&work).await?,
                ConsolePage::Role(id) => roles::show(&work, id).await?,
                ConsolePage::Applications => applications::list(&work).await?,
                ConsolePage::Application(id) => applications::show(&work, id).await?,
                ConsolePage::Keys => keys::show(&work).await?,
                ConsolePage::Domains => domains::list(&work).await?,
                ConsolePage::Connections => connections::list(&work).await?,
                ConsolePage::Connection(id) => connections::show(&work, id).await?,
                ConsolePage::Webhooks => webhooks::list(&work).await?,
                ConsolePage::Webhook(id) => webhooks::show(&work, id).await?,
                ConsolePage::Trail => trail::list(&work).await?,
                ConsolePage::Event(id) => trail::show(&work, id).await?,
            };
            if work.left.is_some() {
                FlashForm::clear(&mut response, state.scheme());
            }
            Ok(response)
        }
    }
}

/// Does what a form of such a page asks for.
pub(crate) async fn post(state: HttpState, mut call: RoutedRequest) -> HandlerResult {
    let place = ReturnTo::of(&mut call).await?;
    let (query, form) = (call.query()?, call.form());
    let Some(oneself) = my_account::signed_in(&state, &call).await? else {
        return Ok(to_sign_in(&state, &query, &place.path()));
    };
    // Other origins may walk through flows by cookie, where that is configured. None of them manages anything.
    let origin = state.base_address().origin();
    let is_ours = same_origin::check_headers(call.headers(), origin, &[]).is_ok();
    let form = match form {
        Err(FormParamsError::TooMany) if is_ours => {
            return Ok(back(&state, &query, &place.path(), ConsoleNotice::TooMuch, &FormParams::default()));
        }
        form => form?,
    };
    if !is_ours || !oneself.recognises(state.engine(), form.get("csrf").unwrap_or_default()) {
        return Ok(walk::notice(&state, &call, &query, StatusCode::FORBIDDEN, OutcomeNotice::FormRefused));
    }
    state.paced(&call).writing_by(oneself.account())?;
    let walker = api::walker(&state, &call, FlowTokenTransport::Cookie).await?;
    let errand = ConsoleAction { state: &state, call: &call, query: &query, walker, proven: false };
    carry_out(errand, oneself, place, &form).await
}

/// Leads back to a page whose form was too long to be read, and says so there. Nothing is known of who sent it, and
/// nothing is done.
pub(crate) async fn too_long(
    state: &HttpState,
    mut call: RoutedRequest,
    refusal: Refusal,
) -> Result<Response, Refusal> {
    let is_ours = same_origin::check_headers(call.headers(), state.base_address().origin(), &[]).is_ok();
    let (place, query) = (ReturnTo::of(&mut call).await?, call.query().ok());
    match query.filter(|_| is_ours) {
        Some(query) => {
            call.visit().note(&refusal);
            Ok(back(state, &query, &place.path(), ConsoleNotice::TooMuch, &FormParams::default()))
        }
        None => Err(refusal),
    }
}

/// Does what waited for a proof, in the session that the proof renewed.
pub(super) async fn resume(
    state: &HttpState,
    call: &RoutedRequest,
    query: &FormParams,
    (page, form): (&str, &FormParams),
    session: &str,
) -> HandlerResult {
    let oneself = account::identify(state.engine(), session, call.origin()).await??;
    let walker = api::walker(state, call, FlowTokenTransport::Cookie).await?;
    let walker = FlowActor { session: Some(oneself.signed_in.clone()), ..walker };
    let place = ReturnTo::parse(page)?;
    carry_out(ConsoleAction { state, call, query, walker, proven: true }, oneself, place, form).await
}

/// Whoever sends a form.
struct ConsoleAction<'a> {
    state: &'a HttpState,
    call: &'a RoutedRequest,
    query: &'a FormParams,
    walker: FlowActor,
    /// Whether they have just proven who they are. Nobody is led from one proof to the next.
    proven: bool,
}

async fn carry_out(
    errand: ConsoleAction<'_>,
    oneself: AccountHolder,
    place: ReturnTo,
    form: &FormParams,
) -> HandlerResult {
    let ConsoleAction { state, call, query, .. } = &errand;
    let at = match console::enter(state.engine(), oneself, &place.organization).await?? {
        ConsoleEntry::AtWork(at) => at,
        ConsoleEntry::Stopped(why) if why.takes == console::ConsoleRequirement::Proof && !errand.proven => {
            return prove_first(&errand, &place, form).await;
        }
        // The page says what it takes.
        ConsoleEntry::Stopped(_) => return Ok(see(state, &walk::with_language(&place.path(), query))),
    };
    let path = place.path();
    let work = PageContext::begin(state, call, query, *at, place).await?;
    // What a form held that does not wait, such as a secret, is typed again.
    if errand.proven && form.get(AGAIN).is_some() {
        return Ok(work.leads(&path, FlashForm::trouble(&path, ConsoleNotice::TypeAgain, form)));
    }
    let outcome = match &work.place.page {
        // There was something to prove, and it is proven.
        ConsolePage::Overview | ConsolePage::Members | ConsolePage::Trail | ConsolePage::Event(_) => {
            return Ok(see(state, &walk::with_language(&path, query)));
        }
        _ if form.get("action") == Some(PROVE) => prove(&work, form).await?,
        ConsolePage::Member(id) => members::change(&work, id, form).await?,
        ConsolePage::Invitations => invitations::change(&work, form).await?,
        ConsolePage::Roles => roles::make(&work, form).await?,
        ConsolePage::Role(id) => roles::change(&work, id, form).await?,
        ConsolePage::Applications => applications::register(&work, form).await?,
        ConsolePage::Application(id) => applications::change(&work, id, form).await?,
        ConsolePage::Keys => keys::change(&work, form).await?,
        ConsolePage::Domains => domains::change(&work, form).await?,
        ConsolePage::Connections => connections::connect(&work, form).await?,
        ConsolePage::Connection(id) => connections::change(&work, id, form).await?,
        ConsolePage::Webhooks => webhooks::add(&work, form).await?,
        ConsolePage::Webhook(id) => webhooks::change(&work, id, form).await?,
    };
    match outcome {
        Ok(ActionOutcome::Done(CompletedAction { said, to })) => {
            Ok(work.leads(&to, FlashForm::done(&to, said)))
        }
        Ok(ActionOutcome::Shown(response)) => Ok(response),
        Err(ActionError::Refused(refusal, _))
            if refusal.code() == RefusalCode::InsufficientAuthentication && !errand.proven =>
        {
            prove_first(&errand, &work.place, form).await
        }
        Err(ActionError::Refused(refusal, conflict)) => {
            call.visit().note(&refusal);
            let said = work.told(&refusal, conflict);
            // Where the thing itself is gone, its page is too: whoever deletes it twice finds the list of the others.
            // A secret that was revoked is a part of one that is still there.
            let is_whole = said == ConsoleNotice::Gone && form.get("revoke").is_none();
            Ok(match work.place.above().filter(|_| is_whole) {
                Some(list) => work.leads(&list, FlashForm::done(&list, said)),
                None => work.leads(&path, FlashForm::trouble(&path, said, form)),
            })
        }
        Err(ActionError::ConsoleNotice(said)) => Ok(work.leads(&path, FlashForm::trouble(&path, said, form))),
    }
}

/// Shows a form to whoever has proven lately who they are: what cannot wait for a proof is typed after it
/// (docs/decisions/0199-step-up-before-the-form.md).
async fn prove(work: &PageContext<'_>, form: &FormParams) -> Outcome {
    let (path, shown) = (&work.here, form.get("form").unwrap_or_default());
    Ok(match work.at.conferring(work.engine()).await? {
        Ok(_) if form.get(LOST).is_some() => {
            Ok(ActionOutcome::Shown(work.leads(path, FlashForm::lost(path, shown))))
        }
        Ok(_) => Ok(ActionOutcome::Shown(work.leads(path, FlashForm::proven(path, shown)))),
        Err(refusal) => Err(ActionError::Refused(refusal, ConsoleNotice::NotPossible)),
    })
}

/// Leads to a fresh proof; what was asked for waits until it is given.
async fn prove_first(errand: &ConsoleAction<'_>, place: &ReturnTo, form: &FormParams) -> HandlerResult {
    let ConsoleAction { state, query, walker, .. } = errand;
    let path = place.path();
    let asked = PendingForm { form: form.clone(), console: Some(path.clone()) };
    let said = match proving::begin((errand.state, errand.call), query, walker, &asked).await? {
        ProofRedirect::Leads(response) => return Ok(response),
        ProofRedirect::SignInAgain => ConsoleNotice::SignInAgain,
        ProofRedirect::Refused(_) => ConsoleNotice::NotPossible,
    };
    Ok(back(state, query, &path, said, form))
}

/// The page once more, with what was wrong.
fn back(
    state: &HttpState,
    query: &FormParams,
    path: &str,
    said: ConsoleNotice,
    form: &FormParams,
) -> Response {
    let mut response = see(state, &walk::with_language(path, query));
    FlashForm::trouble(path, said, form).leave(&mut response, state.scheme());
    response
}

/// Something that was done, and where it leads.
struct CompletedAction {
    said: ConsoleNotice,
    to: String,
}

/// What came of a form.
enum ActionOutcome {
    /// It was done, and the page that follows says so.
    Done(CompletedAction),
    /// Something was made that is shown this once, on the answer itself.
    Shown(Response),
}

/// Why something was not done.
enum ActionError {
    /// What was typed cannot be.
    ConsoleNotice(ConsoleNotice),
    /// It was refused; and what it means where the refusal is a conflict.
    Refused(Refusal, ConsoleNotice),
}

impl ActionError {
    /// A form about roles was refused. Where it was the roles, either none was chosen or one of them is gone.
    fn of_roles(refusal: Refusal, conflict: ConsoleNotice, form: &FormParams) -> Self {
        match refusal.code() {
            RefusalCode::Unprocessable if !members::chosen(form).is_empty() => {
                Self::ConsoleNotice(ConsoleNotice::RoleGone)
            }
            _ => Self::Refused(refusal, conflict),
        }
    }
}

type Outcome = Result<Result<ActionOutcome, ActionError>, HandlerError>;

/// Says what the organization asks for before somebody can work in it.
async fn stopped(
    state: &HttpState,
    call: &RoutedRequest,
    query: &FormParams,
    place: &ReturnTo,
    why: &ConsoleBlock,
) -> HandlerResult {
    let reader = reader(state, call, query, &why.oneself).await?;
    let csrf = why.oneself.csrf_token(state.engine());
    let takes = match why.takes {
        console::ConsoleRequirement::Proof => stopped::ConsoleAccessRequirement::Proof,
        console::ConsoleRequirement::SettingUp => stopped::ConsoleAccessRequirement::SettingUp,
        console::ConsoleRequirement::OtherWay => stopped::ConsoleAccessRequirement::OtherWay,
    };
    let action = walk::with_language(&place.front(), query);
    let form = PageForm { action: &action, csrf: &csrf };
    let page = stopped::ConsoleBlockedView { form, organization: &why.organization, takes };
    Ok(reader.answer(StatusCode::OK, page.page(&reader.frame(&place.path()))))
}

/// The page for signing in, and back here from it.
fn to_sign_in(state: &HttpState, query: &FormParams, path: &str) -> Response {
    let mut response = see(state, &walk::with_language("/sign-in", query));
    SavedReturnTo::to(path).leave(&mut response, state.scheme());
    response
}

/// Somebody who reads the console, in the language of the address or else their own.
async fn reader<'a>(
    state: &'a HttpState,
    call: &RoutedRequest,
    query: &FormParams,
    oneself: &AccountHolder,
) -> Result<PageReader<'a>, HandlerError> {
    let own = profile::show(state.engine(), oneself).await?.language;
    Ok(PageReader::new(state, call, [query.get("ui_locales"), own.as_deref()]))
}

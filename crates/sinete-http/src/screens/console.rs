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
use super::proving::{self, Proving};
use super::waiting::{Asked, LOST, PROVE};
use super::{Reader, my_account, see, walk};
use crate::call::Call;
use crate::extract::pairs::{BadPairs, Pairs};
use crate::extract::same_origin;
use crate::flows as api;
use crate::reply::{Answer, Declined};
use crate::state::State;
use axum::http::StatusCode;
use axum::response::Response;
pub(crate) use choosing::choose;
use left::Left;
pub(super) use place::{Bound, is_page};
use place::{Page, Place, named};
use sinete_core::flow::Carrier;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::account::{self, Oneself, profile};
use sinete_engine::console::{self, Entered, Stopped};
use sinete_engine::flows::Walker;
use sinete_screens::console::said::Said;
use sinete_screens::console::stopped;
use sinete_screens::form::Form;
use sinete_screens::notice::Notice;
use work::{Finds, Work};

/// Shows a page of an organization.
pub(crate) async fn get(state: State, mut call: Call) -> Answer {
    let place = Place::of(&mut call).await?;
    let query = call.query()?;
    let Some(oneself) = my_account::signed_in(&state, &call).await? else {
        return Ok(to_sign_in(&state, &query, &place.path()));
    };
    match console::enter(state.engine(), oneself, &place.organization).await?? {
        Entered::Stopped(why) => stopped(&state, &call, &query, &place, &why).await,
        Entered::AtWork(at) => {
            let work = Work::begin(&state, &call, &query, *at, place).await?;
            let mut response = match &work.place.page {
                Page::Overview => overview::show(&work),
                Page::Members => members::list(&work).await?,
                Page::Member(id) => members::show(&work, id).await?,
                Page::Invitations => invitations::show(&work).await?,
                Page::Roles => roles::list(&work).await?,
                Page::Role(id) => roles::show(&work, id).await?,
                Page::Applications => applications::list(&work).await?,
                Page::Application(id) => applications::show(&work, id).await?,
                Page::Keys => keys::show(&work).await?,
                Page::Domains => domains::list(&work).await?,
                Page::Connections => connections::list(&work).await?,
                Page::Connection(id) => connections::show(&work, id).await?,
                Page::Webhooks => webhooks::list(&work).await?,
                Page::Webhook(id) => webhooks::show(&work, id).await?,
                Page::Trail => trail::list(&work).await?,
                Page::Event(id) => trail::show(&work, id).await?,
            };
            if work.left.is_some() {
                Left::clear(&mut response, state.scheme());
            }
            Ok(response)
        }
    }
}

/// Does what a form of such a page asks for.
pub(crate) async fn post(state: State, mut call: Call) -> Answer {
    let place = Place::of(&mut call).await?;
    let (query, form) = (call.query()?, call.form());
    let Some(oneself) = my_account::signed_in(&state, &call).await? else {
        return Ok(to_sign_in(&state, &query, &place.path()));
    };
    // Other origins may walk through flows by cookie, where that is configured. None of them manages anything.
    let origin = state.base_address().origin();
    let is_ours = same_origin::check_headers(call.headers(), origin, &[]).is_ok();
    let form = match form {
        Err(BadPairs::TooMany) if is_ours => {
            return Ok(back(&state, &query, &place.path(), Said::TooMuch, &Pairs::default()));
        }
        form => form?,
    };
    if !is_ours || !oneself.recognises(state.engine(), form.get("csrf").unwrap_or_default()) {
        return Ok(walk::notice(&state, &call, &query, StatusCode::FORBIDDEN, Notice::FormRefused));
    }
    state.paced(&call).writing_by(oneself.account())?;
    let walker = api::walker(&state, &call, Carrier::Cookie).await?;
    let errand = Errand { state: &state, call: &call, query: &query, walker, proven: false };
    carry_out(errand, oneself, place, &form).await
}

/// Leads back to a page whose form was too long to be read, and says so there. Nothing is known of who sent it, and
/// nothing is done.
pub(crate) async fn too_long(state: &State, mut call: Call, refusal: Refusal) -> Result<Response, Refusal> {
    let is_ours = same_origin::check_headers(call.headers(), state.base_address().origin(), &[]).is_ok();
    let (place, query) = (Place::of(&mut call).await?, call.query().ok());
    match query.filter(|_| is_ours) {
        Some(query) => {
            call.visit().note(&refusal);
            Ok(back(state, &query, &place.path(), Said::TooMuch, &Pairs::default()))
        }
        None => Err(refusal),
    }
}

/// Does what waited for a proof, in the session that the proof renewed.
pub(super) async fn resume(
    state: &State,
    call: &Call,
    query: &Pairs,
    (page, form): (&str, &Pairs),
    session: &str,
) -> Answer {
    let oneself = account::identify(state.engine(), session, call.origin()).await??;
    let walker = api::walker(state, call, Carrier::Cookie).await?;
    let walker = Walker { session: Some(oneself.signed_in.clone()), ..walker };
    let place = Place::parse(page)?;
    carry_out(Errand { state, call, query, walker, proven: true }, oneself, place, form).await
}

/// Whoever sends a form.
struct Errand<'a> {
    state: &'a State,
    call: &'a Call,
    query: &'a Pairs,
    walker: Walker,
    /// Whether they have just proven who they are. Nobody is led from one proof to the next.
    proven: bool,
}

async fn carry_out(errand: Errand<'_>, oneself: Oneself, place: Place, form: &Pairs) -> Answer {
    let Errand { state, call, query, .. } = &errand;
    let at = match console::enter(state.engine(), oneself, &place.organization).await?? {
        Entered::AtWork(at) => at,
        Entered::Stopped(why) if why.takes == console::Takes::Proof && !errand.proven => {
            return prove_first(&errand, &place, form).await;
        }
        // The page says what it takes.
        Entered::Stopped(_) => return Ok(see(state, &walk::with_language(&place.path(), query))),
    };
    let path = place.path();
    let work = Work::begin(state, call, query, *at, place).await?;
    // What a form held that does not wait, such as a secret, is typed again.
    if errand.proven && form.get(AGAIN).is_some() {
        return Ok(work.leads(&path, Left::trouble(&path, Said::TypeAgain, form)));
    }
    let outcome = match &work.place.page {
        // There was something to prove, and it is proven.
        Page::Overview | Page::Members | Page::Trail | Page::Event(_) => {
            return Ok(see(state, &walk::with_language(&path, query)));
        }
        _ if form.get("action") == Some(PROVE) => prove(&work, form).await?,
        Page::Member(id) => members::change(&work, id, form).await?,
        Page::Invitations => invitations::change(&work, form).await?,
        Page::Roles => roles::make(&work, form).await?,
        Page::Role(id) => roles::change(&work, id, form).await?,
        Page::Applications => applications::register(&work, form).await?,
        Page::Application(id) => applications::change(&work, id, form).await?,
        Page::Keys => keys::change(&work, form).await?,
        Page::Domains => domains::change(&work, form).await?,
        Page::Connections => connections::connect(&work, form).await?,
        Page::Connection(id) => connections::change(&work, id, form).await?,
        Page::Webhooks => webhooks::add(&work, form).await?,
        Page::Webhook(id) => webhooks::change(&work, id, form).await?,
    };
    match outcome {
        Ok(Made::Done(Done { said, to })) => Ok(work.leads(&to, Left::done(&to, said))),
        Ok(Made::Shown(response)) => Ok(response),
        Err(Trouble::Refused(refusal, _))
            if refusal.code() == RefusalCode::InsufficientAuthentication && !errand.proven =>
        {
            prove_first(&errand, &work.place, form).await
        }
        Err(Trouble::Refused(refusal, conflict)) => {
            call.visit().note(&refusal);
            let said = work.told(&refusal, conflict);
            // Where the thing itself is gone, its page is too: whoever deletes it twice finds the list of the others.
            // A secret that was revoked is a part of one that is still there.
            let is_whole = said == Said::Gone && form.get("revoke").is_none();
            Ok(match work.place.above().filter(|_| is_whole) {
                Some(list) => work.leads(&list, Left::done(&list, said)),
                None => work.leads(&path, Left::trouble(&path, said, form)),
            })
        }
        Err(Trouble::Said(said)) => Ok(work.leads(&path, Left::trouble(&path, said, form))),
    }
}

/// Shows a form to whoever has proven lately who they are: what cannot wait for a proof is typed after it
/// (docs/decisions/0199-a-proof-before-the-form.md).
async fn prove(work: &Work<'_>, form: &Pairs) -> Outcome {
    let (path, shown) = (&work.here, form.get("form").unwrap_or_default());
    Ok(match work.at.conferring(work.engine()).await? {
        Ok(_) if form.get(LOST).is_some() => Ok(Made::Shown(work.leads(path, Left::lost(path, shown)))),
        Ok(_) => Ok(Made::Shown(work.leads(path, Left::proven(path, shown)))),
        Err(refusal) => Err(Trouble::Refused(refusal, Said::NotPossible)),
    })
}

/// Leads to a fresh proof; what was asked for waits until it is given.
async fn prove_first(errand: &Errand<'_>, place: &Place, form: &Pairs) -> Answer {
    let Errand { state, query, walker, .. } = errand;
    let path = place.path();
    let asked = Asked { form: form.clone(), console: Some(path.clone()) };
    let said = match proving::begin((errand.state, errand.call), query, walker, &asked).await? {
        Proving::Leads(response) => return Ok(response),
        Proving::SignInAgain => Said::SignInAgain,
        Proving::Refused(_) => Said::NotPossible,
    };
    Ok(back(state, query, &path, said, form))
}

/// The page once more, with what was wrong.
fn back(state: &State, query: &Pairs, path: &str, said: Said, form: &Pairs) -> Response {
    let mut response = see(state, &walk::with_language(path, query));
    Left::trouble(path, said, form).leave(&mut response, state.scheme());
    response
}

/// Something that was done, and where it leads.
struct Done {
    said: Said,
    to: String,
}

/// What came of a form.
enum Made {
    /// It was done, and the page that follows says so.
    Done(Done),
    /// Something was made that is shown this once, on the answer itself.
    Shown(Response),
}

/// Why something was not done.
enum Trouble {
    /// What was typed cannot be.
    Said(Said),
    /// It was refused; and what it means where the refusal is a conflict.
    Refused(Refusal, Said),
}

impl Trouble {
    /// A form about roles was refused. Where it was the roles, either none was chosen or one of them is gone.
    fn of_roles(refusal: Refusal, conflict: Said, form: &Pairs) -> Self {
        match refusal.code() {
            RefusalCode::Unprocessable if !members::chosen(form).is_empty() => Self::Said(Said::RoleGone),
            _ => Self::Refused(refusal, conflict),
        }
    }
}

type Outcome = Result<Result<Made, Trouble>, Declined>;

/// Says what the organization asks for before somebody can work in it.
async fn stopped(state: &State, call: &Call, query: &Pairs, place: &Place, why: &Stopped) -> Answer {
    let reader = reader(state, call, query, &why.oneself).await?;
    let csrf = why.oneself.csrf_token(state.engine());
    let takes = match why.takes {
        console::Takes::Proof => stopped::Takes::Proof,
        console::Takes::SettingUp => stopped::Takes::SettingUp,
        console::Takes::OtherWay => stopped::Takes::OtherWay,
    };
    let action = walk::with_language(&place.front(), query);
    let form = Form { action: &action, csrf: &csrf };
    let page = stopped::Stopped { form, organization: &why.organization, takes };
    Ok(reader.answer(StatusCode::OK, page.page(&reader.frame(&place.path()))))
}

/// The page for signing in, and back here from it.
fn to_sign_in(state: &State, query: &Pairs, path: &str) -> Response {
    let mut response = see(state, &walk::with_language("/sign-in", query));
    Bound::to(path).leave(&mut response, state.scheme());
    response
}

/// Somebody who reads the console, in the language of the address or else their own.
async fn reader<'a>(
    state: &'a State,
    call: &Call,
    query: &Pairs,
    oneself: &Oneself,
) -> Result<Reader<'a>, Declined> {
    let own = profile::show(state.engine(), oneself).await?.language;
    Ok(Reader::new(state, call, [query.get("ui_locales"), own.as_deref()]))
}

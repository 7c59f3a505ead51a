//! What the forms of the person's own page ask for. Whatever is refused because it needs a fresh proof leads to
//! giving one, and back.

use super::{PATH, signed_in};
use crate::call::Call;
use crate::cookies::Cookie;
use crate::extract::pairs::Pairs;
use crate::extract::same_origin;
use crate::flows as api;
use crate::reply::{Answer, Declined};
use crate::screens::flash::{Flash, Told};
use crate::screens::{see, walk};
use crate::state::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Map, Value};
use sinete_core::flow::Carrier;
use sinete_core::flow::credential::enrolling::Factor;
use sinete_core::people::claims::StandardClaims;
use sinete_core::people::language::Language;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::account::profile::{self, Changed};
use sinete_engine::account::{Oneself, applications, credentials};
use sinete_engine::flows::{self, Wanted};
use sinete_engine::{Failed, sessions};
use sinete_screens::notice::Notice;

/// Does what a form asks for.
pub(crate) async fn post(state: State, call: Call) -> Answer {
    let (query, form) = (call.query()?, call.form()?);
    let Some(oneself) = signed_in(&state, &call).await? else {
        return Ok(see(&state, &walk::with_language("/sign-in", &query)));
    };
    let is_ours = same_origin::check(&state, &call).is_ok();
    if !is_ours || !oneself.recognises(state.engine(), form.get("csrf").unwrap_or_default()) {
        return Ok(walk::notice(&state, &call, &query, StatusCode::FORBIDDEN, Notice::FormRefused));
    }
    match Change::of(&form) {
        Some(Change::SignOut) => {
            let (account, id) = (oneself.account(), oneself.signed_in.session.id);
            sessions::end(state.engine(), account, id, &oneself.cause).await??;
            let mut response = see(&state, &walk::with_language("/signed-out", &query));
            Cookie::Session.clear(&mut response, state.scheme());
            Ok(response)
        }
        Some(Change::SetPassword) => Ok(see(&state, &walk::with_language("/reset-password", &query))),
        Some(Change::Enrol(factor)) => walked(&state, &call, &query, Wanted::Enroll { factor }).await,
        Some(Change::VerifyEmail(email)) => {
            let wanted = Wanted::VerifyEmail { email: Some(email.to_owned()) };
            walked(&state, &call, &query, wanted).await
        }
        Some(change) => match change.make(&state, &oneself).await? {
            Ok(()) => Ok(done(&state, &query, None)),
            Err(refusal) if refusal.code() == RefusalCode::InsufficientAuthentication => {
                walked(&state, &call, &query, Wanted::StepUp { needs: None }).await
            }
            Err(refusal) => Ok(refused(&state, &call, &query, &refusal)),
        },
        None => Ok(done(&state, &query, Some(Told::NotPossible))),
    }
}

/// Something a form asks for.
enum Change<'a> {
    SignOut,
    SetPassword,
    VerifyEmail(&'a str),
    Enrol(Factor),
    Profile { name: &'a str, locale: Option<Language> },
    EndSession(&'a str),
    EndOtherSessions,
    RemoveCredential(&'a str),
    RemoveApplication(&'a str),
}

impl<'a> Change<'a> {
    fn of(form: &'a Pairs) -> Option<Self> {
        let one_of = |name: &str| form.get(name);
        match one_of("action") {
            Some("sign_out") => return Some(Self::SignOut),
            Some("set_password") => return Some(Self::SetPassword),
            Some("add_passkey") => return Some(Self::Enrol(Factor::Passkey)),
            Some("add_totp") => return Some(Self::Enrol(Factor::Totp)),
            Some("new_recovery_codes") => return Some(Self::Enrol(Factor::RecoveryCodes)),
            Some("end_other_sessions") => return Some(Self::EndOtherSessions),
            Some("save_profile") => {
                let locale = one_of("locale").and_then(Language::first_spoken);
                return Some(Self::Profile { name: one_of("name").unwrap_or_default(), locale });
            }
            Some(_) | None => {}
        }
        one_of("end_session")
            .map(Self::EndSession)
            .or_else(|| one_of("remove_credential").map(Self::RemoveCredential))
            .or_else(|| one_of("remove_application").map(Self::RemoveApplication))
            .or_else(|| one_of("verify_email").map(Self::VerifyEmail))
    }

    async fn make(self, state: &State, oneself: &Oneself) -> Result<Result<(), Refusal>, Declined> {
        let engine = state.engine();
        Ok(match self {
            Self::SignOut | Self::SetPassword | Self::VerifyEmail(_) | Self::Enrol(_) => Ok(()),
            Self::Profile { name, locale } => change_profile(state, oneself, name, locale).await?,
            Self::EndSession(id) => match id.parse() {
                Ok(id) => sessions::end(engine, oneself.account(), id, &oneself.cause).await?,
                Err(_) => Err(nothing()),
            },
            Self::EndOtherSessions => {
                let kept = oneself.signed_in.session.id;
                sessions::end_others(engine, oneself.account(), kept, &oneself.cause).await?;
                Ok(())
            }
            Self::RemoveCredential(id) => match id.parse() {
                Ok(id) => credentials::remove(engine, oneself, id).await?,
                Err(_) => Err(nothing()),
            },
            Self::RemoveApplication(named) => {
                let named = named
                    .split_once(':')
                    .and_then(|(membership, client)| Some((membership.parse().ok()?, client.parse().ok()?)));
                match named {
                    Some((membership, client)) => {
                        applications::remove(engine, oneself, membership, &client).await?
                    }
                    None => Err(nothing()),
                }
            }
        })
    }
}

async fn change_profile(
    state: &State,
    oneself: &Oneself,
    name: &str,
    locale: Option<Language>,
) -> Result<Result<(), Refusal>, Declined> {
    let engine = state.engine();
    let before = profile::show(engine, oneself).await?;
    let mut said: Map<String, Value> = before.profile.read().map_err(Failed::from)?;
    said.remove("updated_at");
    match name.trim() {
        "" => said.remove("name"),
        name => said.insert("name".to_owned(), Value::from(name)),
    };
    let Ok(claims) = serde_json::from_value::<StandardClaims>(Value::Object(said)) else {
        let public = "this is no name";
        return Ok(Err(Refusal::new(RefusalCode::Unprocessable, public, "a name that cannot be one")));
    };
    let changed = Changed { claims, language: locale };
    Ok(profile::change(engine, oneself, before.version, &changed).await?.map(|_| ()))
}

/// Starts a flow in this session and leads to it.
async fn walked(state: &State, call: &Call, query: &Pairs, wanted: Wanted) -> Answer {
    let walker = api::walker(state, call, Carrier::Cookie).await?;
    let mut started = flows::start(state.engine(), &wanted, Carrier::Cookie, &walker).await?;
    if started.as_ref().is_err_and(|refusal| refusal.code() == RefusalCode::InsufficientAuthentication) {
        let again = Wanted::StepUp { needs: None };
        started = flows::start(state.engine(), &again, Carrier::Cookie, &walker).await?;
    }
    match started {
        Ok(standing) => Ok(walk::onward(state, query, standing)),
        Err(refusal) => Ok(refused(state, call, query, &refusal)),
    }
}

fn refused(state: &State, call: &Call, query: &Pairs, refusal: &Refusal) -> Response {
    call.visit().note(refusal);
    let told = match refusal.code() {
        RefusalCode::TooManyRequests => {
            let wait = refusal.wait().map_or(60, |wait| wait.seconds());
            Told::TooMany(u64::try_from(wait).unwrap_or(60))
        }
        RefusalCode::TemporarilyUnavailable => Told::Busy,
        _ => Told::NotPossible,
    };
    done(state, query, Some(told))
}

/// The page once more, with how it went.
fn done(state: &State, query: &Pairs, trouble: Option<Told>) -> Response {
    let mut response = see(state, &walk::with_language(PATH, query));
    let flash = Flash { flow: PATH.to_owned(), trouble, ..Flash::default() };
    flash.leave(&mut response, state.scheme());
    response
}

fn nothing() -> Refusal {
    Refusal::new(RefusalCode::NotFound, "there is no such thing here", "an id that is none")
}

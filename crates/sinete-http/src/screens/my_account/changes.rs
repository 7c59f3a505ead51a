//! What the forms of the person's own page ask for. Whatever is refused because it needs a fresh proof leads to giving
//! one, and is done by the form that completes it.

use super::{CHANGE_PASSWORD, PATH, signed_in};
use crate::call::Call;
use crate::cookies::Cookie;
use crate::extract::pairs::Pairs;
use crate::extract::same_origin;
use crate::flows as api;
use crate::not_me;
use crate::reply::{Answer, Declined};
use crate::screens::flash::{Flash, Told};
use crate::screens::proving::{self, Proving};
use crate::screens::waiting::Asked;
use crate::screens::{see, walk};
use crate::state::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Map, Value};
use sinete_core::flow::Carrier;
use sinete_core::flow::credential::enrolling::Factor;
use sinete_core::people::claims::StandardClaims;
use sinete_core::people::language::Language;
use sinete_core::people::phone::PhoneNumber;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::account::password::{self, Chosen};
use sinete_engine::account::profile::{self, Changed};
use sinete_engine::account::{self, Oneself, applications, approvals, contacts, credentials, identities};
use sinete_engine::flows::{self, Walker, Wanted};
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
    state.paced(&call).writing_by(oneself.account())?;
    let walker = api::walker(&state, &call, Carrier::Cookie).await?;
    Errand { state: &state, call: &call, query: &query, oneself, walker }.run(&form).await
}

/// Does what waited for a proof, in the session that the proof renewed.
pub(in crate::screens) async fn resume(
    state: &State,
    call: &Call,
    query: &Pairs,
    asked: &Pairs,
    session: &str,
) -> Answer {
    let oneself = account::identify(state.engine(), session, call.origin()).await??;
    let walker = api::walker(state, call, Carrier::Cookie).await?;
    let walker = Walker { session: Some(oneself.signed_in.clone()), ..walker };
    Errand { state, call, query, oneself, walker }.run(asked).await
}

/// Somebody who asks for something on their own page.
struct Errand<'a> {
    state: &'a State,
    call: &'a Call,
    query: &'a Pairs,
    oneself: Oneself,
    walker: Walker,
}

impl Errand<'_> {
    async fn run(&self, form: &Pairs) -> Answer {
        match Change::of(form) {
            Some(Change::SignOut) => self.sign_out().await,
            Some(Change::SetPassword) => match self.oneself.must_be_fresh(self.state.engine()).await? {
                Ok(()) => Ok(see(self.state, &walk::with_language(CHANGE_PASSWORD, self.query))),
                Err(_) => self.prove_first(form).await,
            },
            Some(Change::ChoosePassword) => self.choose(form).await,
            Some(Change::Walk(wanted)) => self.walk(form, &wanted).await,
            Some(Change::AddPhone(number)) => self.add_phone(form, number).await,
            Some(Change::Make(change)) => match change.make(self.state, &self.oneself).await? {
                Ok(()) => Ok(self.done(None, "")),
                Err(refusal) => self.refused(form, &refusal).await,
            },
            None => Ok(self.done(Some(Told::NotPossible), "")),
        }
    }

    async fn sign_out(&self) -> Answer {
        let (account, id) = (self.oneself.account(), self.oneself.signed_in.session.id);
        sessions::end(self.state.engine(), account, id, &self.oneself.cause).await??;
        let mut response = see(self.state, &walk::with_language("/signed-out", self.query));
        Cookie::Session.clear(&mut response, self.state.scheme());
        Ok(response)
    }

    /// Starts a flow in this session and leads to it.
    async fn walk(&self, form: &Pairs, wanted: &Wanted) -> Answer {
        if let Err(refusal) = self.state.paced(self.call).starting_as(&self.walker, wanted.kind()) {
            return self.refused(form, &refusal).await;
        }
        match flows::start(self.state.engine(), wanted, Carrier::Cookie, &self.walker).await? {
            Ok(standing) => Ok(walk::onward(self.state, self.query, standing)),
            Err(refusal) => self.refused(form, &refusal).await,
        }
    }

    /// A number is added first and proven then.
    async fn add_phone(&self, form: &Pairs, number: &str) -> Answer {
        let Ok(phone) = number.parse::<PhoneNumber>() else {
            return Ok(self.done(Some(Told::BadPhone), number));
        };
        let meant = phone.as_str().to_owned();
        match contacts::add(self.state.engine(), &self.oneself, &contacts::Wanted::Phone(phone)).await? {
            Ok(_) => self.walk(form, &Wanted::VerifyPhone { phone: Some(meant) }).await,
            Err(refusal) => self.refused(form, &refusal).await,
        }
    }

    async fn choose(&self, form: &Pairs) -> Answer {
        let (state, engine) = (self.state, self.state.engine());
        let text = |name: &str| form.get(name).map(str::to_owned);
        let chosen =
            Chosen { current: text("current_password"), password: text("password").unwrap_or_default() };
        match password::choose(engine, &self.oneself, &chosen, &self.walker).await? {
            Ok(begun) => {
                let mut response = self.done(None, "");
                Cookie::Session.set(&mut response, state.scheme(), &begun.token.reveal());
                Ok(response)
            }
            Err(refusal) if refusal.code() == RefusalCode::InsufficientAuthentication => {
                self.prove_first(&Pairs::of(vec![("action".to_owned(), "set_password".to_owned())])).await
            }
            Err(refusal) => {
                self.call.visit().note(&refusal);
                let least = engine.settings().passwords.characters_min;
                let told = walk::told(&refusal, "choose_password", form, least).or(Some(Told::NotPossible));
                let mut response = see(state, &walk::with_language(CHANGE_PASSWORD, self.query));
                let flash = Flash { flow: CHANGE_PASSWORD.to_owned(), trouble: told, ..Flash::default() };
                flash.leave(&mut response, state.scheme());
                Ok(response)
            }
        }
    }

    /// Leads to a fresh proof; what was asked for waits until it is given.
    async fn prove_first(&self, form: &Pairs) -> Answer {
        let asked = Asked { form: form.clone(), console: None };
        Ok(match proving::begin((self.state, self.call), self.query, &self.walker, &asked).await? {
            Proving::Leads(response) => response,
            Proving::SignInAgain => self.done(Some(Told::SignInAgain), ""),
            Proving::Refused(refusal) => self.told(&refusal, ""),
        })
    }

    async fn refused(&self, form: &Pairs, refusal: &Refusal) -> Answer {
        if refusal.code() == RefusalCode::InsufficientAuthentication {
            return self.prove_first(form).await;
        }
        Ok(self.told(refusal, form.get("email").or_else(|| form.get("phone")).unwrap_or_default()))
    }

    fn told(&self, refusal: &Refusal, typed: &str) -> Response {
        self.call.visit().note(refusal);
        let told = match refusal.code() {
            RefusalCode::TooManyRequests => {
                let wait = refusal.wait().map_or(60, |wait| wait.seconds_to_wait());
                Told::TooMany(u64::try_from(wait).unwrap_or(60))
            }
            RefusalCode::TemporarilyUnavailable => Told::Busy,
            RefusalCode::Unprocessable if refusal.faults().iter().any(|fault| fault.pointer == "/email") => {
                Told::BadEmail
            }
            RefusalCode::Conflict if !typed.is_empty() => Told::TakenByYou,
            _ => Told::NotPossible,
        };
        self.done(Some(told), typed)
    }

    /// The page once more, with how it went.
    fn done(&self, trouble: Option<Told>, typed: &str) -> Response {
        let mut response = see(self.state, &walk::with_language(PATH, self.query));
        let identifier = typed.chars().take(254).collect();
        let flash = Flash { flow: PATH.to_owned(), trouble, identifier, ..Flash::default() };
        flash.leave(&mut response, self.state.scheme());
        response
    }
}

/// Something a form asks for.
enum Change<'a> {
    SignOut,
    SetPassword,
    ChoosePassword,
    AddPhone(&'a str),
    /// A flow leads there.
    Walk(Wanted),
    /// It is done at once.
    Make(AtOnce<'a>),
}

/// What is done at once.
enum AtOnce<'a> {
    Profile {
        name: &'a str,
        locale: Option<Language>,
    },
    EndSession(&'a str),
    EndOtherSessions(Vec<String>),
    RemoveCredential(&'a str),
    RemoveApplication(&'a str),
    MakePrimary(&'a str),
    RemoveContact(&'a str),
    Unlink(&'a str),
    /// Nobody needs to prove much to say no.
    DenyRequest(&'a str),
}

impl<'a> Change<'a> {
    fn of(form: &'a Pairs) -> Option<Self> {
        let one_of = |name: &str| form.get(name);
        let enrol = |factor| Some(Self::Walk(Wanted::Enroll { factor }));
        match one_of("action") {
            Some("sign_out") => return Some(Self::SignOut),
            Some("set_password") => return Some(Self::SetPassword),
            Some("choose_password") => return Some(Self::ChoosePassword),
            Some("add_passkey") => return enrol(Factor::Passkey),
            Some("add_totp") => return enrol(Factor::Totp),
            Some("new_recovery_codes") => return enrol(Factor::RecoveryCodes),
            Some("change_email") => {
                let email = one_of("email").unwrap_or_default().to_owned();
                return Some(Self::Walk(Wanted::ChangeEmail { email }));
            }
            Some("add_phone") => return Some(Self::AddPhone(one_of("phone").unwrap_or_default())),
            Some("end_other_sessions") => {
                return Some(Self::Make(AtOnce::EndOtherSessions(not_me::kept(form))));
            }
            Some("save_profile") => {
                let locale = one_of("locale").and_then(Language::first_spoken);
                let name = one_of("name").unwrap_or_default();
                return Some(Self::Make(AtOnce::Profile { name, locale }));
            }
            Some(_) | None => {}
        }
        let verify_email = |email: &str| Wanted::VerifyEmail { email: Some(email.to_owned()) };
        let verify_phone = |phone: &str| Wanted::VerifyPhone { phone: Some(phone.to_owned()) };
        let flow = one_of("verify_email").map(verify_email);
        let flow = flow.or_else(|| one_of("verify_phone").map(verify_phone));
        let link =
            |connection: &str| Wanted::LinkIdentity { connection: connection.to_owned(), return_to: None };
        let flow = flow.or_else(|| one_of("link_identity").map(link));
        flow.map(Self::Walk).or_else(|| AtOnce::of(form).map(Self::Make))
    }
}

impl<'a> AtOnce<'a> {
    fn of(form: &'a Pairs) -> Option<Self> {
        let end = form.get("end_session").map(Self::EndSession);
        end.or_else(|| form.get("remove_credential").map(Self::RemoveCredential))
            .or_else(|| form.get("remove_application").map(Self::RemoveApplication))
            .or_else(|| form.get("make_primary").map(Self::MakePrimary))
            .or_else(|| form.get("remove_contact").map(Self::RemoveContact))
            .or_else(|| form.get("unlink_identity").map(Self::Unlink))
            .or_else(|| form.get("deny_request").map(Self::DenyRequest))
    }

    async fn make(self, state: &State, oneself: &Oneself) -> Result<Result<(), Refusal>, Declined> {
        let engine = state.engine();
        Ok(match self {
            Self::Profile { name, locale } => change_profile(state, oneself, name, locale).await?,
            Self::EndSession(id) => match id.parse() {
                Ok(id) => sessions::end(engine, oneself.account(), id, &oneself.cause).await?,
                Err(_) => Err(nothing()),
            },
            Self::EndOtherSessions(keep) => {
                let kept = oneself.signed_in.session.id;
                sessions::sign_out_elsewhere(engine, oneself.account(), kept, &keep, &oneself.cause).await?;
                Ok(())
            }
            Self::RemoveCredential(id) => match id.parse() {
                Ok(id) => credentials::remove(engine, oneself, id).await?,
                Err(_) => Err(nothing()),
            },
            Self::MakePrimary(id) => match id.parse() {
                Ok(id) => contacts::make_primary(engine, oneself, id).await?.map(drop),
                Err(_) => Err(nothing()),
            },
            Self::RemoveContact(id) => match id.parse() {
                Ok(id) => contacts::remove(engine, oneself, id).await?,
                Err(_) => Err(nothing()),
            },
            Self::Unlink(id) => identities::unlink(engine, oneself, id).await?,
            Self::DenyRequest(id) => match id.parse() {
                Ok(id) => approvals::deny(engine, oneself, id).await?,
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

fn nothing() -> Refusal {
    Refusal::new(RefusalCode::NotFound, "there is no such thing here", "an id that is none")
}

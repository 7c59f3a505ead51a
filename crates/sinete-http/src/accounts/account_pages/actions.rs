//! The forms of the account page. An action that needs recent authentication is suspended for a step-up, and
//! performed by the form that completes it.

mod account_data;

use super::{CHANGE_PASSWORD_PATH, MY_ACCOUNT_PATH, authenticate_browser_session};
use crate::screens::flash::{FlowFlash, FlowNotice};
use crate::screens::pending_form::PendingForm;
use crate::screens::see_other;
use crate::sign_in::flow_pages;
use crate::sign_in::flow_pages::step_up::{self, ProofRedirect};
use crate::sign_in::flows::handlers as api;
use crate::sign_in::report_sign_in::handlers;
use crate::state::HttpState;
use crate::state::{ResumedForm, RoutedRequest};
use axum::http::StatusCode;
use axum::response::Response;
use sinete_core::accounts::language::Language;
use sinete_core::accounts::phone_number::PhoneNumber;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::sign_in::credentials::enrollment::EnrollableFactor;
use sinete_core::sign_in::flows::FlowTokenTransport;
use sinete_engine::accounts::{contacts, linked_identities};
use sinete_engine::oauth::authorized_applications;
use sinete_engine::oauth::ciba::pending_approvals;
use sinete_engine::sign_in::account_holder::AccountHolder;
use sinete_engine::sign_in::credentials::password_change;
use sinete_engine::sign_in::credentials::password_change::PasswordChange;
use sinete_engine::sign_in::flows;
use sinete_engine::sign_in::flows::{FlowActor, FlowRequest};
use sinete_engine::sign_in::sessions;
use sinete_engine::sign_in::{account_holder, credentials};
use sinete_engine::{Error, UseCaseResult};
use sinete_screens::notice::OutcomeNotice;
use sinete_server::cookies::CookieName;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerResult;

/// Handles a form.
pub(crate) async fn submit_form(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let (query, form) = (request.query_params()?, request.form_params()?);
    let Some(account_holder) = authenticate_browser_session(&state, &request).await? else {
        return Ok(see_other(&state, &flow_pages::with_language("/sign-in", &query)));
    };
    let is_ours = state.server().check_same_origin(request.headers()).is_ok();
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
    AccountAction { state: &state, request: &request, query: &query, account: account_holder, actor: actor }
        .run(&form)
        .await
}

/// Performs a suspended action, in the session that the step-up renewed.
pub(crate) async fn resume_action(resumed: ResumedForm<'_>) -> HandlerResult {
    let ResumedForm { state, request, query, form, session } = resumed;
    let account_holder =
        account_holder::authenticate_session(state.engine(), session, request.origin()).await?;
    let actor = api::flow_actor_in_session(state, request, &account_holder.signed_in)?;
    AccountAction { state, request, query, account: account_holder, actor }.run(form).await
}

/// A form of the account page.
struct AccountAction<'a> {
    state: &'a HttpState,
    request: &'a RoutedRequest,
    query: &'a FormParams,
    account: AccountHolder,
    actor: FlowActor,
}

impl AccountAction<'_> {
    async fn run(&self, form: &FormParams) -> HandlerResult {
        match AccountChange::from_form(form) {
            Some(AccountChange::SignOut) => self.sign_out().await,
            Some(AccountChange::SetPassword) => {
                let fresh = self.account.require_fresh_authentication(self.state.engine()).await;
                match fresh.unless_refused()? {
                    Some(()) => Ok(see_other(
                        self.state,
                        &flow_pages::with_language(CHANGE_PASSWORD_PATH, self.query),
                    )),
                    None => self.start_step_up(form).await,
                }
            }
            Some(AccountChange::ChoosePassword) => self.change_password(form).await,
            Some(AccountChange::StartFlow(request)) => self.start_flow(form, &request).await,
            Some(AccountChange::Export) => self.export_account(form).await,
            Some(AccountChange::Delete) => self.delete_account(form).await,
            Some(AccountChange::AddPhone(number)) => self.add_phone(form, number).await,
            Some(AccountChange::Immediate(change)) => match change.apply(self.state, &self.account).await {
                Ok(()) => Ok(self.redirect_with_flash(None, "")),
                Err(Error::Refused(refusal)) => self.handle_refusal(form, &refusal).await,
                Err(Error::Failed(failure)) => Err(failure.into()),
            },
            None => Ok(self.redirect_with_flash(Some(FlowNotice::NotPossible), "")),
        }
    }

    async fn sign_out(&self) -> HandlerResult {
        let (account, id) = (self.account.account(), self.account.signed_in.session.id);
        sessions::end(self.state.engine(), account, id, &self.account.cause).await?;
        let mut response = see_other(self.state, &flow_pages::with_language("/signed-out", self.query));
        CookieName::Session.clear(&mut response, self.state.scheme());
        Ok(response)
    }

    /// Starts a flow in this session and redirects to it.
    async fn start_flow(&self, form: &FormParams, request: &FlowRequest) -> HandlerResult {
        if let Err(refusal) =
            self.state.rate_limit(self.request).check_flow_start(&self.actor, request.kind())
        {
            return self.handle_refusal(form, &refusal).await;
        }
        match flows::start_flow(self.state.engine(), request, FlowTokenTransport::Cookie, &self.actor).await {
            Ok(snapshot) => Ok(flow_pages::redirect_after_action(self.state, self.query, snapshot)),
            Err(Error::Refused(refusal)) => self.handle_refusal(form, &refusal).await,
            Err(Error::Failed(failure)) => Err(failure.into()),
        }
    }

    /// Adds a phone number, which is then verified by a flow.
    async fn add_phone(&self, form: &FormParams, number: &str) -> HandlerResult {
        let Ok(phone) = number.parse::<PhoneNumber>() else {
            return Ok(self.redirect_with_flash(Some(FlowNotice::BadPhone), number));
        };
        let phone_number = phone.as_str().to_owned();
        let request = contacts::ContactRequest::Phone(phone);
        match contacts::add(self.state.engine(), &self.account, &request).await {
            Ok(_) => self.start_flow(form, &FlowRequest::VerifyPhone { phone: Some(phone_number) }).await,
            Err(Error::Refused(refusal)) => self.handle_refusal(form, &refusal).await,
            Err(Error::Failed(failed)) => Err(failed.into()),
        }
    }

    async fn change_password(&self, form: &FormParams) -> HandlerResult {
        let (state, engine) = (self.state, self.state.engine());
        let text = |name: &str| form.get(name).map(str::to_owned);
        let change = PasswordChange {
            current_password: text("current_password"),
            password: text("password").unwrap_or_default(),
        };
        match password_change::change_password(engine, &self.account, &change, &self.actor).await {
            Ok(session) => {
                let mut response = self.redirect_with_flash(None, "");
                CookieName::Session.set(&mut response, state.scheme(), &session.token.reveal());
                Ok(response)
            }
            Err(Error::Refused(refusal)) if refusal.code() == RefusalCode::InsufficientAuthentication => {
                self.start_step_up(&FormParams::from_pairs(vec![(
                    "action".to_owned(),
                    "set_password".to_owned(),
                )]))
                .await
            }
            Err(Error::Refused(refusal)) => {
                self.request.context().record_refusal(&refusal);
                let least = engine.settings().passwords.characters_min;
                let notice = flow_pages::flow_error_notice(&refusal, "choose_password", form, least)
                    .or(Some(FlowNotice::NotPossible));
                let mut response =
                    see_other(state, &flow_pages::with_language(CHANGE_PASSWORD_PATH, self.query));
                let flash = FlowFlash {
                    flow: CHANGE_PASSWORD_PATH.to_owned(),
                    trouble: notice,
                    ..FlowFlash::default()
                };
                flash.set_cookie(&mut response, state.scheme());
                Ok(response)
            }
            Err(Error::Failed(failure)) => Err(failure.into()),
        }
    }

    /// Starts a step-up; the action is suspended until it is complete.
    async fn start_step_up(&self, form: &FormParams) -> HandlerResult {
        let pending_form = PendingForm { form: form.clone(), console: None };
        Ok(
            match step_up::start_step_up(self.state, self.request, self.query, &self.actor, &pending_form)
                .await?
            {
                ProofRedirect::Redirect(response) => response,
                ProofRedirect::SignInAgain => self.redirect_with_flash(Some(FlowNotice::SignInAgain), ""),
                ProofRedirect::Refused(refusal) => self.refusal_response(&refusal, ""),
            },
        )
    }

    async fn handle_refusal(&self, form: &FormParams, refusal: &Refusal) -> HandlerResult {
        if refusal.code() == RefusalCode::InsufficientAuthentication {
            return self.start_step_up(form).await;
        }
        Ok(self
            .refusal_response(refusal, form.get("email").or_else(|| form.get("phone")).unwrap_or_default()))
    }

    fn refusal_response(&self, refusal: &Refusal, input: &str) -> Response {
        self.request.context().record_refusal(refusal);
        let notice = match refusal.code() {
            RefusalCode::TooManyRequests => {
                let wait = refusal.retry_after().map_or(60, |wait| wait.seconds_to_wait());
                FlowNotice::TooMany(u64::try_from(wait).unwrap_or(60))
            }
            RefusalCode::TemporarilyUnavailable => FlowNotice::Busy,
            RefusalCode::Unprocessable
                if refusal.validation_errors().iter().any(|fault| fault.pointer == "/email") =>
            {
                FlowNotice::BadEmail
            }
            RefusalCode::Conflict if !input.is_empty() => FlowNotice::TakenByYou,
            _ => FlowNotice::NotPossible,
        };
        self.redirect_with_flash(Some(notice), input)
    }

    /// Redirects back to the page with the result.
    fn redirect_with_flash(&self, notice: Option<FlowNotice>, input: &str) -> Response {
        let mut response = see_other(self.state, &flow_pages::with_language(MY_ACCOUNT_PATH, self.query));
        let identifier = input.chars().take(254).collect();
        let flash = FlowFlash {
            flow: MY_ACCOUNT_PATH.to_owned(),
            trouble: notice,
            identifier,
            ..FlowFlash::default()
        };
        flash.set_cookie(&mut response, self.state.scheme());
        response
    }
}

/// The action of a form.
enum AccountChange<'a> {
    SignOut,
    SetPassword,
    ChoosePassword,
    Export,
    Delete,
    AddPhone(&'a str),
    /// Starts a flow.
    StartFlow(FlowRequest),
    /// Performed at once.
    Immediate(ImmediateChange<'a>),
}

/// An action that is performed at once.
enum ImmediateChange<'a> {
    Profile {
        name: &'a str,
        locale: Option<Language>,
    },
    SetPicture(&'a str),
    RemovePicture,
    EndSession(&'a str),
    EndOtherSessions(Vec<String>),
    RemoveCredential(&'a str),
    RenameCredential {
        id: &'a str,
        name: &'a str,
    },
    RemoveApplication(&'a str),
    MakePrimary(&'a str),
    RemoveContact(&'a str),
    Unlink(&'a str),
    /// Denying requires no recent authentication.
    DenyRequest(&'a str),
}

impl<'a> AccountChange<'a> {
    fn from_form(form: &'a FormParams) -> Option<Self> {
        let one_of = |name: &str| form.get(name);
        let enrol = |factor| Some(Self::StartFlow(FlowRequest::Enroll { factor }));
        match one_of("action") {
            Some("sign_out") => return Some(Self::SignOut),
            Some("set_password") => return Some(Self::SetPassword),
            Some("choose_password") => return Some(Self::ChoosePassword),
            Some("export") => return Some(Self::Export),
            Some("delete_account") => return Some(Self::Delete),
            Some("add_passkey") => return enrol(EnrollableFactor::Passkey),
            Some("add_totp") => return enrol(EnrollableFactor::Totp),
            Some("new_recovery_codes") => return enrol(EnrollableFactor::RecoveryCodes),
            Some("change_email") => {
                let email = one_of("email").unwrap_or_default().to_owned();
                return Some(Self::StartFlow(FlowRequest::ChangeEmail { email }));
            }
            Some("add_phone") => return Some(Self::AddPhone(one_of("phone").unwrap_or_default())),
            Some("end_other_sessions") => {
                return Some(Self::Immediate(ImmediateChange::EndOtherSessions(
                    handlers::retained_access_ids(form),
                )));
            }
            Some("save_profile") => {
                let locale = one_of("locale").and_then(Language::from_locale_list);
                let name = one_of("name").unwrap_or_default();
                return Some(Self::Immediate(ImmediateChange::Profile { name, locale }));
            }
            Some("set_picture") => {
                let data = one_of("picture").unwrap_or_default();
                return Some(Self::Immediate(ImmediateChange::SetPicture(data)));
            }
            Some("remove_picture") => return Some(Self::Immediate(ImmediateChange::RemovePicture)),
            Some(_) | None => {}
        }
        let verify_email = |email: &str| FlowRequest::VerifyEmail { email: Some(email.to_owned()) };
        let verify_phone = |phone: &str| FlowRequest::VerifyPhone { phone: Some(phone.to_owned()) };
        let flow = one_of("verify_email").map(verify_email);
        let flow = flow.or_else(|| one_of("verify_phone").map(verify_phone));
        let link = |connection: &str| FlowRequest::LinkIdentity {
            connection: connection.to_owned(),
            return_to: None,
        };
        let flow = flow.or_else(|| one_of("link_identity").map(link));
        flow.map(Self::StartFlow).or_else(|| ImmediateChange::from_form(form).map(Self::Immediate))
    }
}

impl<'a> ImmediateChange<'a> {
    fn from_form(form: &'a FormParams) -> Option<Self> {
        let end = form.get("end_session").map(Self::EndSession);
        let name = form.get("credential_name").unwrap_or_default();
        end.or_else(|| form.get("remove_credential").map(Self::RemoveCredential))
            .or_else(|| form.get("rename_credential").map(|id| Self::RenameCredential { id, name }))
            .or_else(|| form.get("remove_application").map(Self::RemoveApplication))
            .or_else(|| form.get("make_primary").map(Self::MakePrimary))
            .or_else(|| form.get("remove_contact").map(Self::RemoveContact))
            .or_else(|| form.get("unlink_identity").map(Self::Unlink))
            .or_else(|| form.get("deny_request").map(Self::DenyRequest))
    }

    async fn apply(self, state: &HttpState, account_holder: &AccountHolder) -> Result<(), Error> {
        let engine = state.engine();
        match self {
            Self::Profile { name, locale } => {
                account_data::change_profile(state, account_holder, name, locale).await
            }
            Self::SetPicture(data) => account_data::set_picture(state, account_holder, data).await,
            Self::RemovePicture => account_data::remove_picture(state, account_holder).await,
            Self::EndSession(id) => match id.parse() {
                Ok(id) => sessions::end(engine, account_holder.account(), id, &account_holder.cause).await,
                Err(_) => Err(not_found().into()),
            },
            Self::EndOtherSessions(keep) => {
                let current_session = account_holder.signed_in.session.id;
                sessions::sign_out_elsewhere(
                    engine,
                    account_holder.account(),
                    current_session,
                    &keep,
                    &account_holder.cause,
                )
                .await?;
                Ok(())
            }
            Self::RemoveCredential(id) => match id.parse() {
                Ok(id) => credentials::remove(engine, account_holder, id).await,
                Err(_) => Err(not_found().into()),
            },
            Self::RenameCredential { id, name } => match id.parse() {
                Ok(id) => credentials::rename(engine, account_holder, id, name).await.map(drop),
                Err(_) => Err(not_found().into()),
            },
            Self::MakePrimary(id) => match id.parse() {
                Ok(id) => contacts::make_primary(engine, account_holder, id).await.map(drop),
                Err(_) => Err(not_found().into()),
            },
            Self::RemoveContact(id) => match id.parse() {
                Ok(id) => contacts::remove(engine, account_holder, id).await,
                Err(_) => Err(not_found().into()),
            },
            Self::Unlink(id) => linked_identities::unlink(engine, account_holder, id).await,
            Self::DenyRequest(id) => match id.parse() {
                Ok(id) => pending_approvals::deny(engine, account_holder, id).await,
                Err(_) => Err(not_found().into()),
            },
            Self::RemoveApplication(membership_and_client) => {
                let ids = membership_and_client
                    .split_once(':')
                    .and_then(|(membership, client)| Some((membership.parse().ok()?, client.parse().ok()?)));
                match ids {
                    Some((membership, client)) => {
                        authorized_applications::revoke_application(
                            engine,
                            account_holder,
                            membership,
                            &client,
                        )
                        .await
                    }
                    None => Err(not_found().into()),
                }
            }
        }
    }
}

fn not_found() -> Refusal {
    Refusal::because(RequestRefusal::NotFound, "the id is not valid")
}

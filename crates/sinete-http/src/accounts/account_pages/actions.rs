//! The forms of the account page. An action that needs recent authentication is suspended for a step-up, and
//! performed by the form that completes it.

mod account_change;
mod account_data;

use super::{CHANGE_PASSWORD_PATH, MY_ACCOUNT_PATH, authenticate_browser_session};
use crate::screens::flash::{FlowFlash, FlowNotice};
use crate::screens::pending_form::PendingForm;
use crate::screens::see_other;
use crate::sign_in::flow_pages;
use crate::sign_in::flow_pages::step_up::{self, ProofRedirect};
use crate::sign_in::flows::handlers as api;
use crate::state::HttpState;
use crate::state::{ResumedForm, RoutedRequest};
use account_change::AccountChange;
use axum::http::StatusCode;
use axum::response::Response;
use sinete_core::accounts::phone_number::PhoneNumber;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::sign_in::flows::FlowTokenTransport;
use sinete_engine::accounts::contacts;
use sinete_engine::sign_in::account_holder;
use sinete_engine::sign_in::account_holder::AccountHolder;
use sinete_engine::sign_in::credentials::password_change;
use sinete_engine::sign_in::credentials::password_change::PasswordChange;
use sinete_engine::sign_in::flows;
use sinete_engine::sign_in::flows::{FlowActor, FlowRequest};
use sinete_engine::sign_in::sessions;
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
    AccountAction { state: &state, request: &request, query: &query, account: account_holder, actor }
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

//! The authorization endpoint, by GET and POST.

use crate::oauth::authorize::{refusals, response};
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::response::Response;
use sinete_core::client_id::ClientId;
use sinete_core::events::security_event::SecurityEventActor;
use sinete_core::oauth::authorize::raw_params::{RawAuthorizationParams, UnredirectableError};
use sinete_engine::oauth::authorize;
use sinete_engine::oauth::authorize::{
    AuthorizationAttempt, AuthorizationOutcome, AuthorizationStep, AuthorizeContext, AuthorizingUser,
    InteractionAnswers, PendingAuthorization, ReceivedRequest, ResumedRequest,
};
use sinete_engine::oauth::client_documents::{
    DocumentUse, refuse_invalid_document_url, update_document_client,
};
use sinete_engine::sign_in::sessions::ActiveSession;
use sinete_engine::{Error, EventCause};
use sinete_server::extract::navigation;
use sinete_server::extract::params::{FormParam, FormParamsError};
use sinete_server::extract::session::{PresentedToken, SessionTokenKind, find_token};
use sinete_server::reply::{HandlerError, HandlerResult};

/// A request in the query, or one that returns from its flow.
pub(crate) async fn get_authorization(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let pairs = request.query_params_with_repeats()?;
    if let Some(refused) = refuse_client_document(&state, &request, &pairs).await? {
        return Ok(refused);
    }
    let visitor = AuthorizeRequest::load(&state, &request, &pairs).await?;
    match (first_param(&pairs, "client_id"), first_param(&pairs, "flow")) {
        (None, Some(flow)) => visitor.resume(flow).await,
        (Some(_), _) | (None, None) => visitor.authorize(pairs).await,
    }
}

/// A request in a form. Query parameters are included, so that duplicates are detected.
pub(crate) async fn post_authorization(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let pairs = query_and_form_params(&request)?;
    if let Some(refused) = refuse_client_document(&state, &request, &pairs).await? {
        return Ok(refused);
    }
    AuthorizeRequest::load(&state, &request, &pairs).await?.authorize(pairs).await
}

/// Reads the metadata document of a client whose id is a URL. One that cannot be used is shown to the user only.
async fn refuse_client_document(
    state: &HttpState,
    request: &RoutedRequest,
    pairs: &[FormParam],
) -> Result<Option<Response>, HandlerError> {
    let Some(text) = first_param(pairs, "client_id") else { return Ok(None) };
    let cause = EventCause { actor: SecurityEventActor::Anonymous, origin: request.origin() };
    let updated = match text.parse::<ClientId>() {
        Ok(client) => {
            update_document_client(state.engine(), &client, DocumentUse::Authorization, &cause).await
        }
        Err(_) => refuse_invalid_document_url(state.engine(), text).map_err(Error::from),
    };
    match updated {
        Ok(()) => Ok(None),
        Err(Error::Refused(refusal)) => {
            Ok(Some(response::invalid_request_response(state, request, &refusal)))
        }
        Err(failed) => Err(failed.into()),
    }
}

/// The first value of a parameter.
fn first_param<'a>(pairs: &'a [FormParam], name: &str) -> Option<&'a str> {
    pairs.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
}

fn query_and_form_params(request: &RoutedRequest) -> Result<Vec<FormParam>, FormParamsError> {
    let mut pairs = request.query_params_with_repeats()?;
    pairs.extend(request.form_params_with_repeats()?);
    Ok(pairs)
}

/// A request to the authorization endpoint.
pub(crate) struct AuthorizeRequest<'a> {
    pub(crate) state: &'a HttpState,
    pub(crate) request: &'a RoutedRequest,
    pub(crate) session_token: Option<PresentedToken<'a>>,
    pub(crate) signed_in: Option<ActiveSession>,
    /// The facts read with the session.
    pub(crate) context: Option<AuthorizeContext>,
}

impl<'a> AuthorizeRequest<'a> {
    async fn load(
        state: &'a HttpState,
        request: &'a RoutedRequest,
        pairs: &[FormParam],
    ) -> Result<Self, HandlerError> {
        let token = find_token(SessionTokenKind::Session, request.headers(), state.scheme())?;
        let session = token.as_ref().map(|token| token.token);
        // An embedded request starts no flow, so that it does not use up the user's rate limit.
        let is_opened = navigation::is_top_level_navigation(request.headers());
        if session.is_none() && is_opened {
            state.rate_limit(request).check_flow_start_by_address()?;
        }
        let visiting =
            authorize::load_context(state.engine(), session, first_param(pairs, "client_id")).await?;
        let AuthorizingUser { signed_in, context } = visiting;
        match &signed_in {
            Some(signed_in) => state.rate_limit(request).check_account_write(signed_in.session.account)?,
            None if session.is_some() && is_opened => {
                state.rate_limit(request).check_flow_start_by_address()?
            }
            None => {}
        }
        Ok(Self { state, request, session_token: token, signed_in, context })
    }

    /// The actor and origin for events.
    fn cause(&self) -> EventCause {
        let account = self.signed_in.as_ref().map(|it| it.session.account);
        EventCause {
            actor: account.map_or(SecurityEventActor::Anonymous, SecurityEventActor::Account),
            origin: self.request.origin(),
        }
    }

    async fn authorize(&self, pairs: Vec<FormParam>) -> HandlerResult {
        let param = |name: &str| first_param(&pairs, name).map(str::to_owned);
        let (client, organization) = (param("client_id"), param("organization"));
        let redirect_uri = param("redirect_uri");
        // A signed request may have required fetching keys, so earlier facts may be outdated.
        let context = self.context.as_ref().filter(|_| param("request").is_none());
        let parameters = RawAuthorizationParams::new(pairs);
        match authorize::receive_request(self.state.engine(), parameters, self.context.as_ref()).await? {
            ReceivedRequest::Valid(pending) => self.complete_authorization(pending, context).await,
            ReceivedRequest::Refused(refused) => {
                if let Some(Ok(client)) = client.as_deref().map(str::parse) {
                    refusals::record_refusal(self.state, self.request, &client, &refused);
                }
                response::error_response(self.state, self.request, &refused)
            }
            ReceivedRequest::ShowError(error) => {
                let (client, organization) = (client.as_deref(), organization.as_deref());
                self.render_local_error(error, redirect_uri.as_deref(), client, organization).await
            }
        }
    }

    /// Shows an error to the user only, with the branding of the client's or the request's organization.
    async fn render_local_error(
        &self,
        error: UnredirectableError,
        redirect_uri: Option<&str>,
        client: Option<&str>,
        organization: Option<&str>,
    ) -> HandlerResult {
        refusals::record_local_error(self.state, self.request, error, client, redirect_uri).await?;
        let look = authorize::find_request_branding(self.state.engine(), client, organization).await?;
        response::local_error_response(self.state, self.request, error, redirect_uri, look.as_ref())
    }

    /// Issues the code, if nothing is missing.
    async fn complete_authorization(
        &self,
        pending: PendingAuthorization,
        context: Option<&AuthorizeContext>,
    ) -> HandlerResult {
        let (engine, answers) = (self.state.engine(), InteractionAnswers::default());
        let completed = match &self.signed_in {
            Some(signed_in) => {
                let passage =
                    AuthorizationAttempt { request: &pending, signed_in, answers: &answers, context };
                authorize::complete_authorization(engine, passage, &|_| Vec::new(), &self.cause()).await?
            }
            None => {
                let next = authorize::next_step(engine, &pending, None, &answers).await?;
                AuthorizationOutcome::StepRequired(Box::new(next))
            }
        };
        self.authorization_response(completed, pending).await
    }

    /// Resumes a request after its flow.
    async fn resume(&self, flow: &str) -> HandlerResult {
        let signed_in = self.signed_in.as_ref();
        match authorize::resume_request(self.state.engine(), flow, signed_in, &self.cause()).await? {
            ResumedRequest::Completed(completed, pending) => {
                self.authorization_response(completed, *pending).await
            }
            ResumedRequest::StepRequired(flow, client) => self.redirect_to_flow(flow, &client).await,
            ResumedRequest::Restart(pending) => Box::pin(self.start_flow(*pending)).await,
        }
    }

    async fn authorization_response(
        &self,
        completed: AuthorizationOutcome,
        pending: PendingAuthorization,
    ) -> HandlerResult {
        let next = match completed {
            AuthorizationOutcome::Issued(issued) => {
                return response::code_response(self.state, self.request, &issued);
            }
            AuthorizationOutcome::StepRequired(next) => *next,
        };
        match next {
            AuthorizationStep::Refuse(refused) => {
                refusals::record_refusal(self.state, self.request, &pending.client, &refused);
                response::error_response(self.state, self.request, &refused)
            }
            AuthorizationStep::ShowError(error) => {
                let (client, organization) =
                    (Some(pending.client.as_str()), pending.find_parameter("organization"));
                let redirect_uri = pending.find_parameter("redirect_uri");
                self.render_local_error(error, redirect_uri, client, organization).await
            }
            AuthorizationStep::SignIn(_)
            | AuthorizationStep::StepUp(_)
            | AuthorizationStep::Enroll(_)
            | AuthorizationStep::ChooseOrganization(_)
            | AuthorizationStep::Consent(_) => {
                // Boxed, because most users are signed in and consented, and need no flow.
                Box::pin(self.start_flow(pending)).await
            }
            // Reached only if the facts changed since the authorization was evaluated.
            AuthorizationStep::Grant(_) | AuthorizationStep::Deny(_) => {
                Err(sinete_engine::Failure::Contended.into())
            }
        }
    }
}

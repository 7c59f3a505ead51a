//! The authorization endpoint, by GET and by POST. What comes of a request is for the engine to say.

mod ask;

use crate::call::RoutedRequest;
use crate::extract::navigation;
use crate::extract::pairs::{FormParam, FormParamsError};
use crate::extract::session::{PresentedToken, SessionTokenKind, of_headers};
use crate::reply::{HandlerError, HandlerResult, authorization};
use crate::state::HttpState;
use sinete_core::authorize::unvalidated::{RawAuthorizationParams, UnredirectableError};
use sinete_core::security::event::SecurityEventActor;
use sinete_engine::EventCause;
use sinete_engine::authorize::{
    self, AuthorizationAttempt, AuthorizationOutcome, AuthorizationStep, AuthorizeContext, AuthorizingUser,
    InteractionAnswers, PendingAuthorization, ReceivedRequest, ResumedRequest,
};
use sinete_engine::looks;
use sinete_engine::sessions::ActiveSession;

/// A request in the address, or one that comes back from its flow.
pub(crate) async fn get(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let pairs = call.query_with_repeated()?;
    let visitor = AuthorizeRequest::of(&state, &call, &pairs).await?;
    match (named(&pairs, "client_id"), named(&pairs, "flow")) {
        (None, Some(flow)) => visitor.resume(flow).await,
        (Some(_), _) | (None, None) => visitor.ask(pairs).await,
    }
}

/// A request in a form. What stands in the address counts as well, so that nothing can be said twice.
pub(crate) async fn post(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let pairs = in_both(&call)?;
    AuthorizeRequest::of(&state, &call, &pairs).await?.ask(pairs).await
}

/// What was said first under this name.
fn named<'a>(pairs: &'a [FormParam], name: &str) -> Option<&'a str> {
    pairs.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
}

fn in_both(call: &RoutedRequest) -> Result<Vec<FormParam>, FormParamsError> {
    let mut pairs = call.query_with_repeated()?;
    pairs.extend(call.form_with_repeated()?);
    Ok(pairs)
}

/// Whoever is at the endpoint.
struct AuthorizeRequest<'a> {
    state: &'a HttpState,
    call: &'a RoutedRequest,
    presented: Option<PresentedToken<'a>>,
    signed_in: Option<ActiveSession>,
    /// What was read with who is signed in.
    seen: Option<AuthorizeContext>,
}

impl<'a> AuthorizeRequest<'a> {
    async fn of(
        state: &'a HttpState,
        call: &'a RoutedRequest,
        pairs: &[FormParam],
    ) -> Result<Self, HandlerError> {
        let presented = of_headers(SessionTokenKind::Session, call.headers(), state.scheme())?;
        let session = presented.as_ref().map(|presented| presented.token);
        // What another page embeds starts no flow, so that it uses up nobody's.
        let is_opened = navigation::is_opened(call.headers());
        if session.is_none() && is_opened {
            state.paced(call).starting()?;
        }
        let visiting = authorize::arrive(state.engine(), session, named(pairs, "client_id")).await?;
        let AuthorizingUser { signed_in, seen } = visiting;
        match &signed_in {
            Some(signed_in) => state.paced(call).writing_by(signed_in.session.account)?,
            None if session.is_some() && is_opened => state.paced(call).starting()?,
            None => {}
        }
        Ok(Self { state, call, presented, signed_in, seen })
    }

    /// Who causes what follows.
    fn cause(&self) -> EventCause {
        let account = self.signed_in.as_ref().map(|it| it.session.account);
        EventCause {
            actor: account.map_or(SecurityEventActor::Anonymous, SecurityEventActor::Account),
            origin: self.call.origin(),
        }
    }

    async fn ask(&self, pairs: Vec<FormParam>) -> HandlerResult {
        let named = |name: &str| named(&pairs, name).map(str::to_owned);
        let (client, organization) = (named("client_id"), named("organization"));
        // Whoever signs their requests may have let us wait for their keys: what was seen before that is old.
        let seen = self.seen.as_ref().filter(|_| named("request").is_none());
        let parameters = RawAuthorizationParams::new(pairs);
        match authorize::receive(self.state.engine(), parameters, self.seen.as_ref()).await? {
            ReceivedRequest::Proven(asked) => self.settle(asked, seen).await,
            ReceivedRequest::Refused(refused) => authorization::refused(self.state, self.call, &refused),
            ReceivedRequest::Show(why) => self.show(why, client.as_deref(), organization.as_deref()).await,
        }
    }

    /// What is wrong, for the person alone.
    async fn show(
        &self,
        why: UnredirectableError,
        client: Option<&str>,
        organization: Option<&str>,
    ) -> HandlerResult {
        let look = looks::of_request(self.state.engine(), client, organization).await?;
        authorization::shown(self.state, self.call, why, look.as_ref())
    }

    /// The code, where nothing is missing.
    async fn settle(&self, asked: PendingAuthorization, seen: Option<&AuthorizeContext>) -> HandlerResult {
        let (engine, answers) = (self.state.engine(), InteractionAnswers::default());
        let completed = match &self.signed_in {
            Some(signed_in) => {
                let passage = AuthorizationAttempt { asked: &asked, signed_in, answers: &answers, seen };
                authorize::complete(engine, passage, &|_| Vec::new(), &self.cause()).await?
            }
            None => {
                let next = authorize::next(engine, &asked, None, &answers).await?;
                AuthorizationOutcome::Otherwise(Box::new(next))
            }
        };
        self.tell(completed, asked).await
    }

    /// A request that comes back from its flow.
    async fn resume(&self, flow: &str) -> HandlerResult {
        let signed_in = self.signed_in.as_ref();
        match authorize::resume(self.state.engine(), flow, signed_in, &self.cause()).await?? {
            ResumedRequest::Over(completed, asked) => self.tell(completed, *asked).await,
            ResumedRequest::Waiting(flow, client) => self.lead_to(flow, &client).await,
            ResumedRequest::Again(asked) => Box::pin(self.start_flow(*asked)).await,
        }
    }

    async fn tell(&self, completed: AuthorizationOutcome, asked: PendingAuthorization) -> HandlerResult {
        let next = match completed {
            AuthorizationOutcome::Issued(issued) => {
                return authorization::granted(self.state, self.call, &issued);
            }
            AuthorizationOutcome::Otherwise(next) => *next,
        };
        match next {
            AuthorizationStep::Refuse(refused) => authorization::refused(self.state, self.call, &refused),
            AuthorizationStep::Show(why) => {
                self.show(why, Some(asked.client.as_str()), asked.parameter("organization")).await
            }
            AuthorizationStep::SignIn(_)
            | AuthorizationStep::StepUp(_)
            | AuthorizationStep::ChooseOrganization(_)
            | AuthorizationStep::Consent(_) => {
                // Most who come are signed in and agreed before: they need not carry what begins a flow.
                Box::pin(self.start_flow(asked)).await
            }
            // Granting is what completing does: only facts that changed since lead here.
            AuthorizationStep::Grant(_) | AuthorizationStep::Deny(_) => {
                Err(sinete_engine::Failure::Contended.into())
            }
        }
    }
}

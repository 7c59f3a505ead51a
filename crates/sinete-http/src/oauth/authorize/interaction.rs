//! Starts the flow of an authorization request: a browser is redirected to it, a program receives its id.

use crate::oauth::authorize::handlers::AuthorizeRequest;
use crate::oauth::authorize::response as authorization;
use axum::http::header::ACCEPT;
use sinete_core::client_id::ClientId;
use sinete_core::id::FlowId;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::secret::Secret;
use sinete_core::sign_in::flows::FlowTokenTransport;
use sinete_engine::oauth::authorize::{PendingAuthorization, find_client_interaction};
use sinete_engine::sign_in::flows;
use sinete_engine::sign_in::flows::{FlowRequest, InteractionTarget};
use sinete_server::cookies::CookieName;
use sinete_server::extract::accept::preferred_media_type;
use sinete_server::extract::navigation;
use sinete_server::extract::session::TokenTransport;
use sinete_server::reply::{HandlerResult, problem};

impl AuthorizeRequest<'_> {
    /// Starts a flow that stores the request and collects what is missing.
    pub(crate) async fn start_flow(&self, pending: PendingAuthorization) -> HandlerResult {
        let (state, request) = (self.state, self.request);
        navigation::require_top_level_navigation(request.headers())?;
        if let Some(signed_in) = &self.signed_in {
            state.rate_limit(request).check_flow_start_by_account(signed_in.session.account)?;
        }
        let interaction = find_client_interaction(state.engine(), &pending.client).await?;
        let carrier = self.flow_carrier(&interaction);
        let actor = crate::sign_in::flows::handlers::flow_actor(state, request, carrier).await?;
        let flow_request = FlowRequest::Authorize(Box::new(pending));
        let snapshot = flows::start_flow(state.engine(), &flow_request, carrier, &actor).await?;
        let (id, token) =
            (snapshot.flow.id(), snapshot.issued_secrets.flow.map(Secret::reveal).unwrap_or_default());
        match (carrier, interaction.flow_url(state.engine(), id)) {
            (FlowTokenTransport::Cookie, Some(address)) => {
                let mut response = authorization::redirect_response(&address);
                CookieName::Flow.set(&mut response, state.scheme(), &token);
                Ok(response)
            }
            (FlowTokenTransport::Cookie | FlowTokenTransport::Token, _) => {
                let problem_flow = problem::ProblemFlow {
                    id: id.to_string(),
                    href: format!("{}/flows/{id}", state.base_address().issuer()),
                    token: Some(token),
                };
                Ok(self.flow_required_response(problem_flow))
            }
        }
    }

    /// Redirects back to a flow that waits for input.
    pub(crate) async fn redirect_to_flow(&self, flow: FlowId, client: &ClientId) -> HandlerResult {
        let engine = self.state.engine();
        let interaction = find_client_interaction(engine, client).await?;
        match (self.flow_carrier(&interaction), interaction.flow_url(engine, flow)) {
            (FlowTokenTransport::Cookie, Some(address)) => Ok(authorization::redirect_response(&address)),
            (FlowTokenTransport::Cookie | FlowTokenTransport::Token, _) => {
                let href = format!("{}/flows/{flow}", self.state.base_address().issuer());
                Ok(self.flow_required_response(problem::ProblemFlow {
                    id: flow.to_string(),
                    href,
                    token: None,
                }))
            }
        }
    }

    /// How the flow token is sent: to programs (session in the header, JSON, or no interface) in the body, to
    /// browsers in a cookie.
    fn flow_carrier(&self, interaction: &InteractionTarget) -> FlowTokenTransport {
        let by_header =
            self.session_token.as_ref().is_some_and(|token| token.transport == TokenTransport::Header);
        let accept = self.request.header(&ACCEPT).unwrap_or_default();
        let wants_json =
            preferred_media_type(accept, &["text/html", "application/json"]) == "application/json";
        let has_address = interaction.has_screens();
        if by_header || wants_json || !has_address {
            FlowTokenTransport::Token
        } else {
            FlowTokenTransport::Cookie
        }
    }

    fn flow_required_response(&self, flow: problem::ProblemFlow) -> axum::response::Response {
        let refusal = Refusal::because(OAuthRefusal::AuthorizationNeedsUser, "a flow was started");
        self.request.context().record_refusal(&refusal);
        problem::problem_response_with_flow(&refusal, self.request.context().id(), Some(flow))
    }
}

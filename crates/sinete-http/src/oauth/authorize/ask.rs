//! Where somebody has to be asked first: their browser is led to a flow, and a program is told which one it is.

use super::AuthorizeRequest;
use crate::cookies::CookieName;
use crate::extract::accept::preferred;
use crate::extract::navigation;
use crate::extract::session::TokenTransport;
use crate::reply::{HandlerResult, authorization, problem};
use axum::http::header::ACCEPT;
use sinete_core::client::ClientId;
use sinete_core::flow::FlowTokenTransport;
use sinete_core::id::FlowId;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::Secret;
use sinete_engine::authorize::{PendingAuthorization, interaction_of};
use sinete_engine::flows::{self, FlowRequest, InteractionTarget};

impl AuthorizeRequest<'_> {
    /// Starts a flow that keeps the request and leads through whatever is missing.
    pub(super) async fn start_flow(&self, asked: PendingAuthorization) -> HandlerResult {
        let (state, call) = (self.state, self.call);
        navigation::must_be_opened(call.headers())?;
        if let Some(signed_in) = &self.signed_in {
            state.paced(call).starting_by(signed_in.session.account)?;
        }
        let interaction = interaction_of(state.engine(), &asked.client).await?;
        let carrier = self.carrier(&interaction);
        let walker = crate::flows::walker(state, call, carrier).await?;
        let wanted = FlowRequest::Authorize(Box::new(asked));
        let standing = flows::start(state.engine(), &wanted, carrier, &walker).await??;
        let (id, token) = (standing.flow.id(), standing.handed.flow.map(Secret::reveal).unwrap_or_default());
        match (carrier, interaction.address_of(state.engine(), id)) {
            (FlowTokenTransport::Cookie, Some(address)) => {
                let mut response = authorization::redirect(&address);
                CookieName::Flow.set(&mut response, state.scheme(), &token);
                Ok(response)
            }
            (FlowTokenTransport::Cookie | FlowTokenTransport::Token, _) => {
                let named = problem::ProblemFlow {
                    id: id.to_string(),
                    href: format!("{}/flows/{id}", state.base_address().issuer()),
                    token: Some(token),
                };
                Ok(self.named(named))
            }
        }
    }

    /// Back to a flow that waits for an answer.
    pub(super) async fn lead_to(&self, flow: FlowId, client: &ClientId) -> HandlerResult {
        let engine = self.state.engine();
        let interaction = interaction_of(engine, client).await?;
        match (self.carrier(&interaction), interaction.address_of(engine, flow)) {
            (FlowTokenTransport::Cookie, Some(address)) => Ok(authorization::redirect(&address)),
            (FlowTokenTransport::Cookie | FlowTokenTransport::Token, _) => {
                let href = format!("{}/flows/{flow}", self.state.base_address().issuer());
                Ok(self.named(problem::ProblemFlow { id: flow.to_string(), href, token: None }))
            }
        }
    }

    /// Whoever shows a session in the header, asks for JSON, or could be led nowhere holds the flow by its token.
    fn carrier(&self, interaction: &InteractionTarget) -> FlowTokenTransport {
        let by_header =
            self.presented.as_ref().is_some_and(|presented| presented.by == TokenTransport::Header);
        let accept = self.call.header(&ACCEPT).unwrap_or_default();
        let wants_json = preferred(accept, &["text/html", "application/json"]) == "application/json";
        let has_address = interaction.leads_somewhere();
        if by_header || wants_json || !has_address {
            FlowTokenTransport::Token
        } else {
            FlowTokenTransport::Cookie
        }
    }

    fn named(&self, flow: problem::ProblemFlow) -> axum::response::Response {
        let public = "somebody has to be asked first: walk through the flow";
        let refusal = Refusal::new(RefusalCode::Unauthenticated, public, "a flow was started");
        self.call.visit().note(&refusal);
        problem::naming(&refusal, self.call.visit().id(), Some(flow))
    }
}

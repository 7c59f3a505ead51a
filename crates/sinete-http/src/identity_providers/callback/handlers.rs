//! Handlers of identity provider responses. A browser with the flow in its cookies continues here; for a
//! program, the response is redirected to where it waits, and only the program can submit it in its flow.

use crate::oauth::authorize::response::redirect_response;
use crate::sign_in::flows::handlers::{flow_actor, flow_response};
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::response::Response;
use sinete_core::id::{ConnectionId, FlowId};
use sinete_core::identity_providers::oidc::authorization_request::append_query;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::refusal::sign_in::SignInRefusal;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::sign_in::flows::FlowTokenTransport;
use sinete_engine::identity_providers::connections::ConnectionRow;
use sinete_engine::identity_providers::saml;
use sinete_engine::sign_in::flows;
use sinete_engine::sign_in::flows::connection_test;
use sinete_engine::sign_in::flows::connection_test::find_tested_connection;
use sinete_engine::sign_in::flows::{
    CallbackRecipient, FlowActor, FlowInput, FlowRef, FlowSnapshot, ProviderCallback, SamlCallback,
};
use sinete_engine::{Error, UseCaseResult};
use sinete_server::cookies::CookieName;
use sinete_server::extract::session::{PresentedToken, TokenTransport};
use sinete_server::reply::{HandlerError, HandlerResult};

/// The connection in the path.
async fn connection_id(request: &mut RoutedRequest) -> Result<ConnectionId, HandlerError> {
    let parameter = request.path_parameters().await?.into_iter().find(|(name, _)| name == "connection");
    parameter
        .and_then(|(_, id)| id.parse::<ConnectionId>().ok())
        .ok_or_else(|| Refusal::because(RequestRefusal::PathNotFound, "not the id of a connection").into())
}

/// Our service provider metadata for a SAML connection.
pub(crate) async fn saml_metadata(state: HttpState, mut request: RoutedRequest) -> HandlerResult {
    let connection = connection_id(&mut request).await?;
    let mut response = Response::new(saml::sp_metadata(state.engine(), connection).await?.into());
    let kind = HeaderValue::from_static("application/samlmetadata+xml");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    Ok(response)
}

/// The assertion consumer service. The form is a cross-site post without cookies, so no user is signed in
/// here: the browser is redirected to a URL where it sends its cookies.
pub(crate) async fn saml_acs(state: HttpState, mut request: RoutedRequest) -> HandlerResult {
    let connection = connection_id(&mut request).await?;
    let form = request.form_params()?;
    let field = |name: &str| form.get(name).unwrap_or_default().to_owned();
    let saml_callback = SamlCallback { state: field("RelayState"), response: field("SAMLResponse") };
    let actor = flow_actor(&state, &request, FlowTokenTransport::Cookie).await?;
    let paced = state.rate_limit(&request);
    paced.check_flow_action("provider_answer")?;
    if let Some(tested) = find_tested_connection(state.engine(), connection, &saml_callback.state).await? {
        let parameters =
            connection_test::receive_test_response(state.engine(), &tested, &saml_callback).await?;
        return test_result_redirect(&state, &tested, parameters);
    }
    let Some(onward) =
        flows::receive_saml_response(state.engine(), connection, &saml_callback, &actor).await?
    else {
        return Err(flow_not_in_this_browser().into());
    };
    // A rejected response is counted here; the error is shown on the next page.
    onward.refused.map(|refusal| paced.count_failed_proof(refusal));
    Ok(redirect_response(&onward.address))
}

pub(crate) async fn oidc_callback(state: HttpState, mut request: RoutedRequest) -> HandlerResult {
    let connection = connection_id(&mut request).await?;
    let query = request.query_params()?;
    let parameter = |name: &str| query.get(name).map(str::to_owned);
    let returned = ProviderCallback {
        state: parameter("state").unwrap_or_default(),
        code: parameter("code"),
        iss: parameter("iss"),
        error: parameter("error"),
        callback_connection: Some(connection),
    };
    if let Some(tested) = find_tested_connection(state.engine(), connection, &returned.state).await? {
        let names = ["state", "code", "iss", "error", "error_description"];
        let pairs = names.into_iter().filter_map(|name| Some((name, parameter(name)?)));
        return test_result_redirect(&state, &tested, Some(pairs.collect()));
    }
    let Some((id, recipient)) =
        flows::find_callback_recipient(state.engine(), connection, &returned.state).await?
    else {
        return Err(flow_not_in_this_browser().into());
    };
    if let CallbackRecipient::Program(return_url) = recipient {
        return Ok(redirect_to_program(&return_url, id, &returned));
    }
    let (id, paced) = (id.to_string(), state.rate_limit(&request));
    let Some(token) = flow_token_from_cookie(&state, &request, &id)? else {
        return Err(flow_not_in_this_browser().into());
    };
    let ticket = FlowRef { id: &id, token: &token, token_transport: FlowTokenTransport::Cookie };
    let actor = flow_actor(&state, &request, FlowTokenTransport::Cookie).await?;
    paced.check_flow_action("provider_answer")?;
    match flows::submit_input(state.engine(), &ticket, &FlowInput::ProviderResponse(returned), &actor).await {
        Ok(snapshot) => continue_flow(&state, &request, &actor, &token, snapshot).await,
        Err(Error::Refused(refusal)) => {
            restart_flow_with_error(&state, &request, &ticket, &actor, paced.count_failed_proof(refusal))
                .await
        }
        Err(Error::Failed(failure)) => Err(failure.into()),
    }
}

/// Redirects to the console's page with the result of a test sign-in. Only there the administrator is known.
fn test_result_redirect(
    state: &HttpState,
    tested: &ConnectionRow,
    parameters: Option<Vec<(&'static str, String)>>,
) -> HandlerResult {
    let parameters = parameters.ok_or_else(flow_not_in_this_browser)?;
    let pairs: Vec<(&str, &str)> = parameters.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let address = connection_test::test_result_url(state.engine(), tested, &pairs);
    Ok(redirect_response(&address.ok_or_else(flow_not_in_this_browser)?))
}

/// The token of the flow in this browser.
fn flow_token_from_cookie(
    state: &HttpState,
    request: &RoutedRequest,
    id: &str,
) -> Result<Option<String>, Refusal> {
    #[cfg(feature = "screens")]
    let token = crate::screens::flow_token_from_cookie(request.headers(), state.scheme(), id)?;
    #[cfg(not(feature = "screens"))]
    let token = {
        let _ = id;
        CookieName::Flow.find(request.headers(), state.scheme())?.map(str::to_owned)
    };
    Ok(token)
}

/// Redirects to where a program waits, with the unchanged response.
fn redirect_to_program(return_url: &str, id: FlowId, returned: &ProviderCallback) -> Response {
    let id = id.to_string();
    let mut pairs = vec![("flow", id.as_str()), ("state", returned.state.as_str())];
    let optional_params = [("code", &returned.code), ("iss", &returned.iss), ("error", &returned.error)];
    pairs.extend(optional_params.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?))));
    redirect_response(&append_query(return_url, &pairs).unwrap_or_else(|| return_url.to_owned()))
}

/// Continues the flow on its page.
async fn continue_flow(
    state: &HttpState,
    request: &RoutedRequest,
    actor: &FlowActor,
    token: &str,
    snapshot: FlowSnapshot,
) -> HandlerResult {
    let interaction = &state.engine().settings().flows.interaction;
    #[cfg(feature = "screens")]
    if *interaction == flows::InteractionTarget::Hosted {
        return crate::sign_in::flow_pages::continue_from_provider(state, request, actor, snapshot).await;
    }
    let _ = (request, actor);
    let address = interaction.flow_url(state.engine(), snapshot.flow.id());
    let presented_token = PresentedToken { token, transport: TokenTransport::Cookie };
    let mut response = flow_response(state, StatusCode::OK, snapshot, Some(&presented_token)).await?;
    if let Some(address) = address {
        // Issued tokens are set as cookies; everything else is shown on the page.
        let cookies =
            response.headers().get_all(axum::http::header::SET_COOKIE).iter().cloned().collect::<Vec<_>>();
        response = redirect_response(&address);
        for line in cookies {
            response.headers_mut().append(axum::http::header::SET_COOKIE, line);
        }
    }
    Ok(response)
}

/// Returns the flow to the stage before the provider, with the error.
async fn restart_flow_with_error(
    state: &HttpState,
    request: &RoutedRequest,
    ticket: &FlowRef<'_>,
    actor: &FlowActor,
    refusal: Refusal,
) -> HandlerResult {
    let is_told = matches!(refusal.code(), RefusalCode::Unprocessable | RefusalCode::Conflict);
    if !is_told {
        return Err(HandlerError::Refused(refusal));
    }
    request.context().record_refusal(&refusal);
    // A flow that began at the provider cannot go back, and one that has ended shows that itself.
    let restarted = flows::submit_input(state.engine(), ticket, &FlowInput::Restart, actor).await;
    let id = match (restarted.unless_refused()?, ticket.id.parse::<FlowId>()) {
        (Some(_), Ok(id)) => id,
        _ => return Err(HandlerError::Refused(refusal)),
    };
    match state.engine().settings().flows.interaction.flow_url(state.engine(), id) {
        Some(address) => {
            let error_url = append_query(&address, &[("trouble", "provider")]).unwrap_or(address);
            let mut response = redirect_response(&error_url);
            CookieName::Flow.set(&mut response, state.scheme(), ticket.token);
            Ok(response)
        }
        None => Err(HandlerError::Refused(refusal)),
    }
}

fn flow_not_in_this_browser() -> Refusal {
    Refusal::because(
        SignInRefusal::FlowOfAnotherBrowser,
        "there is no such flow, or this browser does not have its token",
    )
}

//! Where people come in without a flow: a flow is started for them, and they are sent to where it stands. Opening a
//! page spends nothing and sends nothing, whoever made a browser open it.

use super::walk;
use crate::call::RoutedRequest;
use crate::cookies::CookieName;
use crate::extract::navigation;
use crate::extract::pairs::FormParams;
use crate::extract::session::presented;
use crate::flows as api;
use crate::reply::HandlerResult;
use crate::state::HttpState;
use axum::http::StatusCode;
use sinete_core::flow::FlowTokenTransport;
use sinete_core::refusal::RefusalCode;
use sinete_core::secret::{BootstrapToken, Secret};
use sinete_engine::flows::{self, FlowRequest};
use sinete_engine::sessions;
use sinete_screens::notice::OutcomeNotice;

/// Signing in.
pub(crate) async fn sign_in(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let query = call.query()?;
    if let Some(id) = query.get("flow") {
        return walk::show(&state, &call, &query, id).await;
    }
    if let Some(token) = presented(&state, &call)?
        && sessions::find(state.engine(), &token).await?.is_some()
    {
        return Ok(super::see(&state, &walk::with_language("/my-account", &query)));
    }
    begin(&state, &call, &query, FlowRequest::SignIn).await
}

/// Making an account.
pub(crate) async fn sign_up(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let query = call.query()?;
    match query.get("flow") {
        Some(id) => walk::show(&state, &call, &query, id).await,
        None => begin(&state, &call, &query, FlowRequest::SignUp).await,
    }
}

/// Choosing a new password without the old one.
pub(crate) async fn reset_password(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let query = call.query()?;
    match (query.get("flow"), query.get("done")) {
        (Some(id), _) => walk::show(&state, &call, &query, id).await,
        (None, Some(_)) => {
            Ok(walk::notice(&state, &call, &query, StatusCode::OK, OutcomeNotice::PasswordChanged))
        }
        (None, None) => begin(&state, &call, &query, FlowRequest::ResetPassword).await,
    }
}

/// Confirming an address. It begins on the person's own page, because it begins with a message.
pub(crate) async fn verify_email(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let query = call.query()?;
    match (query.get("flow"), query.get("done")) {
        (Some(id), _) => walk::show(&state, &call, &query, id).await,
        (None, Some(_)) => {
            Ok(walk::notice(&state, &call, &query, StatusCode::OK, OutcomeNotice::EmailVerified))
        }
        (None, None) => Ok(super::see(&state, &walk::with_language("/my-account", &query))),
    }
}

/// Setting up something to sign in with. It begins on the person's own page.
pub(crate) async fn set_up(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let query = call.query()?;
    match query.get("flow") {
        Some(id) => walk::show(&state, &call, &query, id).await,
        None => Ok(super::see(&state, &walk::with_language("/my-account", &query))),
    }
}

/// Allowing or denying what an application asks. Only an authorization request leads here.
pub(crate) async fn consent(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let query = call.query()?;
    match query.get("flow") {
        Some(id) => walk::show(&state, &call, &query, id).await,
        None => Ok(walk::notice(&state, &call, &query, StatusCode::OK, OutcomeNotice::FlowOver)),
    }
}

/// Answering for a device. A code in the address is shown to be compared, and sent by nobody but the person.
pub(crate) async fn device(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let query = call.query()?;
    let told = |notice| Ok(walk::notice(&state, &call, &query, StatusCode::OK, notice));
    match (query.get("flow"), query.get("done")) {
        (Some(id), _) => walk::show(&state, &call, &query, id).await,
        (None, Some("allowed")) => told(OutcomeNotice::DeviceAllowed),
        (None, Some("denied")) => told(OutcomeNotice::DeviceDenied),
        (None, Some(_)) => told(OutcomeNotice::DeviceRefused),
        (None, None) => {
            let user_code = query.get("user_code").map(str::to_owned);
            begin(&state, &call, &query, FlowRequest::ConfirmDevice { user_code }).await
        }
    }
}

/// Answering an application that asks for one's approval. Opening it approves nothing.
pub(crate) async fn approve(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let query = call.query()?;
    let told = |notice| Ok(walk::notice(&state, &call, &query, StatusCode::OK, notice));
    match (query.get("flow"), query.get("done"), query.get("request")) {
        (Some(id), _, _) => walk::show(&state, &call, &query, id).await,
        (None, Some("approved"), _) => told(OutcomeNotice::RequestApproved),
        (None, Some("denied"), _) => told(OutcomeNotice::RequestDenied),
        (None, Some(_), _) => told(OutcomeNotice::RequestRefused),
        (None, None, Some(request)) => {
            let wanted = FlowRequest::ApproveRequest { request: request.to_owned() };
            begin(&state, &call, &query, wanted).await
        }
        (None, None, None) => told(OutcomeNotice::RequestOver),
    }
}

/// Accepting an invitation, or becoming the first operator: the link's token says which.
pub(crate) async fn accept_invitation(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let query = call.query()?;
    match (query.get("flow"), query.get("token")) {
        (Some(id), _) => walk::show(&state, &call, &query, id).await,
        (None, Some(token)) => {
            let token = token.to_owned();
            let wanted = match Secret::<BootstrapToken>::parse(&token) {
                Ok(_) => FlowRequest::FirstOperator { token },
                Err(_) => FlowRequest::AcceptInvitation { token },
            };
            begin(&state, &call, &query, wanted).await
        }
        (None, None) => Ok(walk::notice(&state, &call, &query, StatusCode::OK, OutcomeNotice::LinkSpent)),
    }
}

/// Starts a flow and leads to it.
async fn begin(
    state: &HttpState,
    call: &RoutedRequest,
    query: &FormParams,
    wanted: FlowRequest,
) -> HandlerResult {
    let walker = api::walker(state, call, FlowTokenTransport::Cookie).await?;
    navigation::must_be_opened(call.headers())?;
    state.paced(call).starting_as(&walker, wanted.kind())?;
    let refusal = match flows::start(state.engine(), &wanted, FlowTokenTransport::Cookie, &walker).await? {
        Ok(standing) => return Ok(walk::onward(state, query, standing)),
        Err(refusal) => refusal,
    };
    call.visit().note(&refusal);
    match (&wanted, refusal.code()) {
        (FlowRequest::SignUp, RefusalCode::Forbidden) => {
            Ok(walk::notice(state, call, query, StatusCode::OK, OutcomeNotice::InvitedOnly))
        }
        (FlowRequest::ApproveRequest { .. }, RefusalCode::NotFound) => {
            Ok(walk::notice(state, call, query, StatusCode::GONE, OutcomeNotice::RequestOver))
        }
        (FlowRequest::AcceptInvitation { .. } | FlowRequest::FirstOperator { .. }, _) => {
            let mut response = walk::notice(state, call, query, StatusCode::GONE, OutcomeNotice::LinkSpent);
            CookieName::Flow.clear(&mut response, state.scheme());
            Ok(response)
        }
        _ => Err(refusal.into()),
    }
}

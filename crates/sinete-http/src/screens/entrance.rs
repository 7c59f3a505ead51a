//! Where people come in without a flow: a flow is started for them, and they are sent to where it stands. Opening a
//! page spends nothing and sends nothing, whoever made a browser open it.

use super::walk;
use crate::call::Call;
use crate::cookies::Cookie;
use crate::extract::navigation;
use crate::extract::pairs::Pairs;
use crate::extract::session::presented;
use crate::flows as api;
use crate::reply::Answer;
use crate::state::State;
use axum::http::StatusCode;
use sinete_core::flow::Carrier;
use sinete_core::refusal::RefusalCode;
use sinete_core::secret::{BootstrapToken, Secret};
use sinete_engine::flows::{self, Wanted};
use sinete_engine::sessions;
use sinete_screens::notice::Notice;

/// Signing in.
pub(crate) async fn sign_in(state: State, call: Call) -> Answer {
    let query = call.query()?;
    if let Some(id) = query.get("flow") {
        return walk::show(&state, &call, &query, id).await;
    }
    if let Some(token) = presented(&state, &call)?
        && sessions::find(state.engine(), &token).await?.is_some()
    {
        return Ok(super::see(&state, &walk::with_language("/my-account", &query)));
    }
    begin(&state, &call, &query, Wanted::SignIn).await
}

/// Making an account.
pub(crate) async fn sign_up(state: State, call: Call) -> Answer {
    let query = call.query()?;
    match query.get("flow") {
        Some(id) => walk::show(&state, &call, &query, id).await,
        None => begin(&state, &call, &query, Wanted::SignUp).await,
    }
}

/// Choosing a new password without the old one.
pub(crate) async fn reset_password(state: State, call: Call) -> Answer {
    let query = call.query()?;
    match (query.get("flow"), query.get("done")) {
        (Some(id), _) => walk::show(&state, &call, &query, id).await,
        (None, Some(_)) => Ok(walk::notice(&state, &call, &query, StatusCode::OK, Notice::PasswordChanged)),
        (None, None) => begin(&state, &call, &query, Wanted::ResetPassword).await,
    }
}

/// Confirming an address. It begins on the person's own page, because it begins with a message.
pub(crate) async fn verify_email(state: State, call: Call) -> Answer {
    let query = call.query()?;
    match (query.get("flow"), query.get("done")) {
        (Some(id), _) => walk::show(&state, &call, &query, id).await,
        (None, Some(_)) => Ok(walk::notice(&state, &call, &query, StatusCode::OK, Notice::EmailVerified)),
        (None, None) => Ok(super::see(&state, &walk::with_language("/my-account", &query))),
    }
}

/// Setting up something to sign in with. It begins on the person's own page.
pub(crate) async fn set_up(state: State, call: Call) -> Answer {
    let query = call.query()?;
    match query.get("flow") {
        Some(id) => walk::show(&state, &call, &query, id).await,
        None => Ok(super::see(&state, &walk::with_language("/my-account", &query))),
    }
}

/// Allowing or denying what an application asks. Only an authorization request leads here.
pub(crate) async fn consent(state: State, call: Call) -> Answer {
    let query = call.query()?;
    match query.get("flow") {
        Some(id) => walk::show(&state, &call, &query, id).await,
        None => Ok(walk::notice(&state, &call, &query, StatusCode::OK, Notice::FlowOver)),
    }
}

/// Answering for a device. A code in the address is shown to be compared, and sent by nobody but the person.
pub(crate) async fn device(state: State, call: Call) -> Answer {
    let query = call.query()?;
    let told = |notice| Ok(walk::notice(&state, &call, &query, StatusCode::OK, notice));
    match (query.get("flow"), query.get("done")) {
        (Some(id), _) => walk::show(&state, &call, &query, id).await,
        (None, Some("allowed")) => told(Notice::DeviceAllowed),
        (None, Some("denied")) => told(Notice::DeviceDenied),
        (None, Some(_)) => told(Notice::DeviceRefused),
        (None, None) => {
            let user_code = query.get("user_code").map(str::to_owned);
            begin(&state, &call, &query, Wanted::ConfirmDevice { user_code }).await
        }
    }
}

/// Answering an application that asks for one's approval. Opening it approves nothing.
pub(crate) async fn approve(state: State, call: Call) -> Answer {
    let query = call.query()?;
    let told = |notice| Ok(walk::notice(&state, &call, &query, StatusCode::OK, notice));
    match (query.get("flow"), query.get("done"), query.get("request")) {
        (Some(id), _, _) => walk::show(&state, &call, &query, id).await,
        (None, Some("approved"), _) => told(Notice::RequestApproved),
        (None, Some("denied"), _) => told(Notice::RequestDenied),
        (None, Some(_), _) => told(Notice::RequestRefused),
        (None, None, Some(request)) => {
            let wanted = Wanted::ApproveRequest { request: request.to_owned() };
            begin(&state, &call, &query, wanted).await
        }
        (None, None, None) => told(Notice::RequestOver),
    }
}

/// Accepting an invitation, or becoming the first operator: the link's token says which.
pub(crate) async fn accept_invitation(state: State, call: Call) -> Answer {
    let query = call.query()?;
    match (query.get("flow"), query.get("token")) {
        (Some(id), _) => walk::show(&state, &call, &query, id).await,
        (None, Some(token)) => {
            let token = token.to_owned();
            let wanted = match Secret::<BootstrapToken>::parse(&token) {
                Ok(_) => Wanted::FirstOperator { token },
                Err(_) => Wanted::AcceptInvitation { token },
            };
            begin(&state, &call, &query, wanted).await
        }
        (None, None) => Ok(walk::notice(&state, &call, &query, StatusCode::OK, Notice::LinkSpent)),
    }
}

/// Starts a flow and leads to it.
async fn begin(state: &State, call: &Call, query: &Pairs, wanted: Wanted) -> Answer {
    let walker = api::walker(state, call, Carrier::Cookie).await?;
    navigation::must_be_opened(call.headers())?;
    state.paced(call).starting_as(&walker, wanted.kind())?;
    let refusal = match flows::start(state.engine(), &wanted, Carrier::Cookie, &walker).await? {
        Ok(standing) => return Ok(walk::onward(state, query, standing)),
        Err(refusal) => refusal,
    };
    call.visit().note(&refusal);
    match (&wanted, refusal.code()) {
        (Wanted::SignUp, RefusalCode::Forbidden) => {
            Ok(walk::notice(state, call, query, StatusCode::OK, Notice::InvitedOnly))
        }
        (Wanted::ApproveRequest { .. }, RefusalCode::NotFound) => {
            Ok(walk::notice(state, call, query, StatusCode::GONE, Notice::RequestOver))
        }
        (Wanted::AcceptInvitation { .. } | Wanted::FirstOperator { .. }, _) => {
            let mut response = walk::notice(state, call, query, StatusCode::GONE, Notice::LinkSpent);
            Cookie::Flow.clear(&mut response, state.scheme());
            Ok(response)
        }
        _ => Err(refusal.into()),
    }
}

//! The token endpoint.

use crate::call::Call;
use crate::extract::client_proof;
use crate::reply::{Answer, json};
use crate::state::State;
use axum::http::StatusCode;
use serde::Serialize;
use serde_json::{Map, Value};
use sinete_core::grant::Parameters;
use sinete_core::grant::token_exchange::ACCESS_TOKEN_TYPE;
use sinete_core::security::event::Actor;
use sinete_engine::Cause;
use sinete_engine::client_authentication::Presented;
use sinete_engine::token::{self, Issued};

/// A token, as RFC 6749 §5.1, RFC 8693 §2.2.1, RFC 9396 §7 and RFC 9449 §5 write it.
#[derive(Serialize)]
struct View {
    access_token: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    issued_token_type: Option<&'static str>,
    token_type: &'static str,
    expires_in: i64,
    scope: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh_token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id_token: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    authorization_details: Vec<Map<String, Value>>,
}

impl View {
    /// The answer; whatever is issued beside a proof that counts is bound to the key of that proof (RFC 9449 §5).
    fn of(issued: Issued, presented: &Presented) -> Self {
        Self {
            access_token: issued.access_token,
            issued_token_type: issued.is_exchanged.then_some(ACCESS_TOKEN_TYPE),
            token_type: if presented.key.is_some() { "DPoP" } else { "Bearer" },
            expires_in: issued.lifetime.seconds(),
            scope: issued.scope.to_string(),
            refresh_token: issued.refresh_token.map(sinete_core::secret::FamilyToken::reveal),
            id_token: issued.id_token,
            authorization_details: issued.details,
        }
    }
}

/// Answers a grant with a token.
pub(crate) async fn post(state: State, call: Call) -> Answer {
    let form = call.form()?;
    let presented = client_proof::presented(&call, &form)?;
    let cause = Cause { actor: Actor::Anonymous, origin: call.origin() };
    let issued = token::answer(state.engine(), &presented, &Parameters::of(form.iter()), &cause).await??;
    Ok(json::answer(StatusCode::OK, json::written(&View::of(issued, &presented))?))
}

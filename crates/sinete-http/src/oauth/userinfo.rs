//! Userinfo over HTTP (OpenID Connect Core §5.3).

use crate::call::RoutedRequest;
use crate::extract::bearer;
use crate::interaction_id::X_FAPI_INTERACTION_ID;
use crate::reply::HandlerResult;
use crate::reply::json::{answer, written};
use crate::state::HttpState;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::response::Response;
use sinete_engine::credential::PresentedCredential;
use sinete_engine::userinfo::{self, UserinfoResponse};

/// Tells who the person behind the token in the header is.
pub(crate) async fn get(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let shown = bearer::extract(call.headers(), &call.query()?)?;
    Ok(called(&call, tell(&state, call.credential(shown)).await?))
}

/// The same, where the token may stand in the form.
pub(crate) async fn post(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let form = call.form()?;
    let shown = bearer::of_form(call.headers(), &form)?;
    Ok(called(&call, tell(&state, call.credential(shown)).await?))
}

/// The answer of an API, which says what the call is called also where its client did not (FAPI 1.0 Part 1, §6.2.1).
fn called(call: &RoutedRequest, mut response: Response) -> Response {
    response.headers_mut().insert(X_FAPI_INTERACTION_ID, call.visit().id_header());
    response
}

async fn tell(state: &HttpState, shown: PresentedCredential<'_>) -> HandlerResult {
    match userinfo::tell(state.engine(), shown).await?? {
        UserinfoResponse::Plain(claims) => Ok(answer(StatusCode::OK, written(&claims)?)),
        UserinfoResponse::Signed(token) => {
            let mut response = Response::new(Body::from(token));
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/jwt"));
            Ok(response)
        }
    }
}

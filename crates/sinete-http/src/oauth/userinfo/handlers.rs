//! Userinfo (OpenID Connect Core §5.3).

use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::response::Response;
use sinete_engine::oauth::presented_credential::PresentedCredential;
use sinete_engine::oauth::userinfo;
use sinete_engine::oauth::userinfo::UserinfoResponse;
use sinete_server::extract::bearer;
use sinete_server::fapi_interaction_id::X_FAPI_INTERACTION_ID;
use sinete_server::reply::HandlerResult;
use sinete_server::reply::json::{json_response, serialize_json};

/// Returns the userinfo for the token in the header.
pub(crate) async fn get_userinfo(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let bearer_credential = bearer::extract_credential(request.headers(), &request.query_params()?)?;
    Ok(with_interaction_id(
        &request,
        userinfo_response(&state, request.bearer_credential(bearer_credential)).await?,
    ))
}

/// The same with the token in the header or the form.
pub(crate) async fn post_userinfo(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let form = request.form_params()?;
    let bearer_credential = bearer::extract_from_form_or_header(request.headers(), &form)?;
    Ok(with_interaction_id(
        &request,
        userinfo_response(&state, request.bearer_credential(bearer_credential)).await?,
    ))
}

/// Adds the interaction id, even if the client sent none (FAPI 1.0 Part 1, §6.2.1).
fn with_interaction_id(request: &RoutedRequest, mut response: Response) -> Response {
    response.headers_mut().insert(X_FAPI_INTERACTION_ID, request.context().id_header());
    response
}

async fn userinfo_response(state: &HttpState, credential: PresentedCredential<'_>) -> HandlerResult {
    match userinfo::load_userinfo(state.engine(), credential).await? {
        UserinfoResponse::Claims(claims) => Ok(json_response(StatusCode::OK, serialize_json(&claims)?)),
        UserinfoResponse::SignedJwt(token) => {
            let mut response = Response::new(Body::from(token));
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/jwt"));
            Ok(response)
        }
    }
}

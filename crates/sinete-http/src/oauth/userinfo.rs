//! Userinfo over HTTP (OpenID Connect Core §5.3).

use crate::call::Call;
use crate::extract::bearer;
use crate::reply::Answer;
use crate::reply::json::{answer, written};
use crate::state::State;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::response::Response;
use sinete_engine::certificates::Bearer;
use sinete_engine::userinfo::{self, Told};

/// Tells who the person behind the token in the header is.
pub(crate) async fn get(state: State, call: Call) -> Answer {
    let token = bearer::extract(call.headers(), &call.query()?)?;
    tell(&state, call.bearer(token)).await
}

/// The same, where the token may stand in the form.
pub(crate) async fn post(state: State, call: Call) -> Answer {
    let token = bearer::of_form(call.headers(), &call.form()?)?;
    tell(&state, call.bearer(&token)).await
}

async fn tell(state: &State, token: Bearer<'_>) -> Answer {
    match userinfo::tell(state.engine(), token).await?? {
        Told::Plain(claims) => Ok(answer(StatusCode::OK, written(&claims)?)),
        Told::Signed(token) => {
            let mut response = Response::new(Body::from(token));
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/jwt"));
            Ok(response)
        }
    }
}

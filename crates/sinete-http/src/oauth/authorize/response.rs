//! Answers of the authorization endpoint: to a proven address, by redirect or by a form that posts itself, and
//! otherwise to the person alone.

use crate::call::RoutedRequest;
use crate::pages::{self, AuthorizationFault};
use crate::reply::{HandlerResult, page, problem};
use crate::state::HttpState;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_SECURITY_POLICY, HeaderValue, LOCATION};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sinete_core::accounts::language::Language;
use sinete_core::entropy::draw_bytes;
use sinete_core::oauth::authorize::raw_params::UnredirectableError;
use sinete_core::oauth::authorize::redirectable_request::{AuthorizationResponseTarget, ResponseMode};
use sinete_core::oauth::authorize::response::AuthorizationErrorDelivery;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::oauth::authorize::{IssuedCode, RefusedAuthorization};
use sinete_engine::organizations::branding::OrganizationBranding;

/// Parameters of an answer.
type ResponseParams<'a> = Vec<(&'static str, &'a str)>;

/// A code, on its way to the client.
pub(crate) fn code_response(state: &HttpState, call: &RoutedRequest, issued: &IssuedCode) -> HandlerResult {
    let issuer = &state.engine().settings().issuer;
    deliver_response(
        state,
        call,
        &issued.reply_to,
        &issued.reply_to.build_code_response(&issued.code, issuer),
    )
}

/// An error, on its way to the client or shown to the person first.
pub(crate) fn error_response(
    state: &HttpState,
    call: &RoutedRequest,
    refused: &RefusedAuthorization,
) -> HandlerResult {
    let (told, issuer) = (&refused.response, &state.engine().settings().issuer);
    let parameters = told.reply_to.build_error_response(told.error, told.description, issuer);
    match refused.delivery {
        AuthorizationErrorDelivery::Straight => deliver_response(state, call, &told.reply_to, &parameters),
        AuthorizationErrorDelivery::PersonFirst => {
            let (host, onward) =
                (told.reply_to.callback.host(), told.reply_to.build_redirect_url(&parameters));
            let refusal = Refusal::new(RefusalCode::InvalidRequest, told.description, told.error.as_str());
            Ok(local_page_or_problem(
                state,
                call,
                &refusal,
                AuthorizationFault::Leaving(host, &onward),
                told.error.as_str(),
            ))
        }
    }
}

/// What is wrong, for the person alone: nobody proved that the address in the request is the client's. The page looks
/// like the organization that the request is about, if it is about one.
pub(crate) fn local_error_response(
    state: &HttpState,
    call: &RoutedRequest,
    why: UnredirectableError,
    look: Option<&OrganizationBranding>,
) -> HandlerResult {
    let (code, text) = match why {
        UnredirectableError::ClientMissing => (RefusalCode::InvalidRequest, "the request names no client"),
        UnredirectableError::ClientUnknown => {
            (RefusalCode::InvalidRequest, "this application is not registered here, or not any more")
        }
        UnredirectableError::RedirectMissing => {
            (RefusalCode::InvalidRequest, "the request does not say where the answer should go")
        }
        UnredirectableError::RedirectUnknown => {
            (RefusalCode::InvalidRequest, "the address for the answer is not one this application registered")
        }
        UnredirectableError::Repeated => {
            (RefusalCode::InvalidRequest, "the request names its client, its address or itself twice")
        }
        UnredirectableError::RequestUnknown => (
            RefusalCode::InvalidRequestUri,
            "the request this refers to does not exist, was used before, or is too old",
        ),
        UnredirectableError::RequestUnsigned => {
            (RefusalCode::InvalidRequestObject, "the signed request does not count")
        }
    };
    let wrong = match why {
        UnredirectableError::ClientUnknown => AuthorizationFault::UnknownApplication,
        UnredirectableError::ClientMissing
        | UnredirectableError::RedirectMissing
        | UnredirectableError::RedirectUnknown
        | UnredirectableError::Repeated
        | UnredirectableError::RequestUnknown
        | UnredirectableError::RequestUnsigned => AuthorizationFault::Request(look),
    };
    Ok(local_page_or_problem(state, call, &Refusal::new(code, text, text), wrong, code.name()))
}

/// The answer to a proven address.
fn deliver_response(
    state: &HttpState,
    call: &RoutedRequest,
    reply_to: &AuthorizationResponseTarget,
    parameters: &ResponseParams<'_>,
) -> HandlerResult {
    match reply_to.mode {
        ResponseMode::Query => Ok(redirect_response(&reply_to.build_redirect_url(parameters))),
        ResponseMode::FormPost => Ok(form_post_page(state, call, reply_to, parameters)),
    }
}

/// A redirect that is followed with GET, whatever was sent before (RFC 9700 §4.12).
pub(crate) fn redirect_response(location: &str) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    // A location is made of a registered address and of encoded parameters, which any header may hold.
    if let Ok(location) = HeaderValue::try_from(location) {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}

/// A page whose form posts itself (OAuth 2.0 Form Post Response Mode); without scripts a button does it.
fn form_post_page(
    state: &HttpState,
    call: &RoutedRequest,
    reply_to: &AuthorizationResponseTarget,
    parameters: &ResponseParams<'_>,
) -> Response {
    let nonce = URL_SAFE_NO_PAD.encode(draw_bytes::<16>(state.backend().entropy()));
    let (tag, continuing) = match call.context().language() {
        Language::English => ("en", "Continue"),
        Language::Portuguese => ("pt-BR", "Continuar"),
    };
    let field = |(name, value): &(&str, &str)| {
        format!("<input type=\"hidden\" name=\"{name}\" value=\"{}\">\n", escape_html(value))
    };
    let fields: String = parameters.iter().map(field).collect();
    let action = escape_html(reply_to.callback.as_str());
    // Whole in itself: it is sent with the screens switched off too.
    let text = format!(
        "<!doctype html>\n<html lang=\"{tag}\">\n<head>\n<meta charset=\"utf-8\">\n<title>{continuing}</title>\n\
         </head>\n<body>\n<form id=\"answer\" method=\"post\" action=\"{action}\">\n{fields}\
         <button id=\"answer-submit\">{continuing}</button>\n</form>\n\
         <script nonce=\"{nonce}\">document.getElementById('answer').submit()</script>\n</body>\n</html>\n",
    );
    let mut response = page::html_response(StatusCode::OK, text);
    // No form-action: browsers hold the redirects that follow a form against it, and where a client sends
    // people after it got its answer is its own business.
    let policy =
        format!("default-src 'none'; script-src 'nonce-{nonce}'; base-uri 'none'; frame-ancestors 'none'");
    if let Ok(policy) = HeaderValue::try_from(policy) {
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// A request that leads nowhere, told to the person alone.
pub(crate) fn invalid_request_response(
    state: &HttpState,
    call: &RoutedRequest,
    refusal: &Refusal,
) -> Response {
    local_page_or_problem(state, call, refusal, AuthorizationFault::Request(None), refusal.code().name())
}

/// What is wrong, as a page for those who read pages and as a problem for programs.
fn local_page_or_problem(
    state: &HttpState,
    call: &RoutedRequest,
    refusal: &Refusal,
    wrong: AuthorizationFault<'_>,
    told: &str,
) -> Response {
    call.context().record_refusal(refusal);
    let page = pages::render_authorization_error(state, call, refusal, wrong, told);
    page.unwrap_or_else(|| problem::problem_response(refusal, call.context().id()))
}

/// Text that is nothing but text where a page shows it.
fn escape_html(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            plain => safe.push(plain),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn form_post_response_escapes_client_input() {
        let hostile = "\"><script>alert('1')</script>&";
        assert_eq!(escape_html(hostile), "&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;");
    }
}

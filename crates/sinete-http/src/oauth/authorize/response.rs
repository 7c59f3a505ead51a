//! Responses of the authorization endpoint: to a valid redirect URI by redirect or form post, otherwise only
//! to the user.

use crate::pages::{self, AuthorizationFault};
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_SECURITY_POLICY, HeaderValue, LOCATION};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sinete_core::entropy::draw_bytes;
use sinete_core::oauth::authorize::raw_params::UnredirectableError;
use sinete_core::oauth::authorize::redirectable_request::{AuthorizationResponseTarget, ResponseMode};
use sinete_core::oauth::authorize::response::AuthorizationErrorDelivery;
use sinete_core::oauth::redirect_uri::shorten_uri;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::refusal::{Refusal, RefusalReason};
use sinete_engine::oauth::authorize::{IssuedCode, RefusedAuthorization};
use sinete_engine::organizations::branding::OrganizationBranding;
use sinete_server::reply::{HandlerResult, page, problem};

/// Parameters of a response.
type ResponseParams<'a> = Vec<(&'static str, &'a str)>;

/// The reason of every error that the client receives by a redirect. The error code is in the detail.
const INVALID_REQUEST: OAuthRefusal =
    OAuthRefusal::AuthorizationRequestInvalid("the authorization request is not valid");

/// The response with a code.
pub(crate) fn code_response(
    state: &HttpState,
    request: &RoutedRequest,
    issued: &IssuedCode,
) -> HandlerResult {
    let issuer = &state.engine().settings().issuer;
    deliver_response(
        state,
        request,
        &issued.reply_to,
        &issued.reply_to.build_code_response(&issued.code, issuer),
    )
}

/// The error response to the client, or shown to the user first.
pub(crate) fn error_response(
    state: &HttpState,
    request: &RoutedRequest,
    refused: &RefusedAuthorization,
) -> HandlerResult {
    let (error, issuer) = (&refused.response, &state.engine().settings().issuer);
    let parameters = error.reply_to.build_error_response(error.error, &error.description, issuer);
    let detail = format!("{}: {}", error.error.as_str(), error.description);
    match refused.delivery {
        AuthorizationErrorDelivery::Immediate => {
            if error.error.is_invalid_request() {
                request.context().record_refusal(&Refusal::because(INVALID_REQUEST, detail));
            }
            deliver_response(state, request, &error.reply_to, &parameters)
        }
        AuthorizationErrorDelivery::AfterInterstitial => {
            let (host, onward) =
                (error.reply_to.callback.host(), error.reply_to.build_redirect_url(&parameters));
            let refusal =
                Refusal::because(INVALID_REQUEST, detail).with_public_text(error.description.clone());
            Ok(local_page_or_problem(
                state,
                request,
                &refusal,
                AuthorizationFault::UntrustedRedirect(host, &onward),
                error.error.as_str(),
            ))
        }
    }
}

/// The reason of an error that is shown to the user only.
pub(crate) const fn local_refusal(error: UnredirectableError) -> OAuthRefusal {
    match error {
        UnredirectableError::ClientMissing => OAuthRefusal::ClientIdMissing,
        UnredirectableError::ClientUnknown => OAuthRefusal::ClientIdUnknown,
        UnredirectableError::RedirectMissing => OAuthRefusal::RedirectUriMissing,
        UnredirectableError::RedirectUnknown => OAuthRefusal::RedirectUriNotRegistered,
        UnredirectableError::Repeated => OAuthRefusal::ParameterRepeated,
        UnredirectableError::RequestUnknown => OAuthRefusal::RequestUriUnknown,
        UnredirectableError::RequestObjectInvalid => OAuthRefusal::RequestObjectInvalid,
    }
}

/// The error shown to the user only, because the redirect URI is not validated. The page has the branding of
/// the request's organization, if there is one.
pub(crate) fn local_error_response(
    state: &HttpState,
    request: &RoutedRequest,
    error: UnredirectableError,
    redirect_uri: Option<&str>,
    look: Option<&OrganizationBranding>,
) -> HandlerResult {
    let short_uri = shorten_uri(redirect_uri.unwrap_or_default());
    let reason = RefusalReason::from(local_refusal(error));
    let fault = match error {
        UnredirectableError::ClientUnknown => AuthorizationFault::UnknownApplication,
        UnredirectableError::RedirectUnknown if !short_uri.is_empty() => {
            AuthorizationFault::UnregisteredRedirect(&short_uri, look)
        }
        UnredirectableError::ClientMissing
        | UnredirectableError::RedirectMissing
        | UnredirectableError::RedirectUnknown
        | UnredirectableError::Repeated
        | UnredirectableError::RequestUnknown
        | UnredirectableError::RequestObjectInvalid => AuthorizationFault::Request(look),
    };
    let detail = match error {
        UnredirectableError::RedirectUnknown => format!("{}: {short_uri}", reason.name()),
        _ => reason.name().to_owned(),
    };
    let refusal = Refusal::because(reason, detail);
    Ok(local_page_or_problem(state, request, &refusal, fault, refusal.code().name()))
}

/// Sends the response to a valid redirect URI.
fn deliver_response(
    state: &HttpState,
    request: &RoutedRequest,
    reply_to: &AuthorizationResponseTarget,
    parameters: &ResponseParams<'_>,
) -> HandlerResult {
    match reply_to.mode {
        ResponseMode::Query => Ok(redirect_response(&reply_to.build_redirect_url(parameters))),
        ResponseMode::FormPost => Ok(form_post_page(state, request, reply_to, parameters)),
    }
}

/// A redirect that is followed with GET, whatever the method was (RFC 9700 §4.12).
pub(crate) fn redirect_response(location: &str) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    // A registered URI with encoded parameters is a valid header value.
    if let Ok(location) = HeaderValue::try_from(location) {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}

/// A page with a self-submitting form (OAuth 2.0 Form Post Response Mode), with a button if scripts are
/// disabled.
fn form_post_page(
    state: &HttpState,
    request: &RoutedRequest,
    reply_to: &AuthorizationResponseTarget,
    parameters: &ResponseParams<'_>,
) -> Response {
    let nonce = URL_SAFE_NO_PAD.encode(draw_bytes::<16>(state.backend().entropy()));
    let language = request.context().language();
    let (tag, continuing) = (language.tag(), language.phrases().frame.go_on);
    let field = |(name, value): &(&str, &str)| {
        format!("<input type=\"hidden\" name=\"{name}\" value=\"{}\">\n", escape_html(value))
    };
    let fields: String = parameters.iter().map(field).collect();
    let action = escape_html(reply_to.callback.as_str());
    // Self-contained: it is sent without the hosted screens too.
    let text = format!(
        "<!doctype html>\n<html lang=\"{tag}\">\n<head>\n<meta charset=\"utf-8\">\n<title>{continuing}</title>\n\
         </head>\n<body>\n<form id=\"answer\" method=\"post\" action=\"{action}\">\n{fields}\
         <button id=\"answer-submit\">{continuing}</button>\n</form>\n\
         <script nonce=\"{nonce}\">document.getElementById('answer').submit()</script>\n</body>\n</html>\n",
    );
    let mut response = page::html_response(StatusCode::OK, text);
    // No `form-action`: browsers apply it to the redirects after the form, which the client chooses.
    let policy =
        format!("default-src 'none'; script-src 'nonce-{nonce}'; base-uri 'none'; frame-ancestors 'none'");
    if let Ok(policy) = HeaderValue::try_from(policy) {
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// The error page for an invalid request.
pub(crate) fn invalid_request_response(
    state: &HttpState,
    request: &RoutedRequest,
    refusal: &Refusal,
) -> Response {
    local_page_or_problem(state, request, refusal, AuthorizationFault::Request(None), refusal.code().name())
}

/// The error as a page, or as a problem document for programs.
fn local_page_or_problem(
    state: &HttpState,
    request: &RoutedRequest,
    refusal: &Refusal,
    fault: AuthorizationFault<'_>,
    error_code: &str,
) -> Response {
    request.context().record_refusal(refusal);
    let page = pages::render_authorization_error(state, request, refusal, fault, error_code);
    page.unwrap_or_else(|| problem::problem_response(refusal, request.context().id()))
}

/// Escapes text for HTML.
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

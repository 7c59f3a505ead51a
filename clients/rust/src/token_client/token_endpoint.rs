//! Requests to the token endpoint, which pause while it is unavailable.

use super::{FormFields, TokenRequestError, TokenResponse};
use crate::client_authentication::{ClientAuthentication, DpopKey, DpopProofRequest};
use crate::encoding::{Members, get_text};
use crate::issuer_client::{IssuerClient, IssuerRequestError, IssuerResponse, is_within};
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};

/// The pause where the server sends no `Retry-After`.
const RETRY_SECONDS: i64 = 5;
const RETRY_SECONDS_MAX: i64 = 3600;

/// The token endpoint, for one client.
pub struct TokenEndpoint {
    pub issuer: Arc<IssuerClient>,
    client: ClientAuthentication,
    pub dpop_key: Option<DpopKey>,
    pause: Mutex<Option<RetryPause>>,
}

/// While the issuer is unavailable, or asked for a pause, no request is sent.
#[derive(Clone, Copy)]
struct RetryPause {
    from: i64,
    seconds: i64,
}

impl TokenEndpoint {
    pub fn new(issuer: IssuerClient, client: ClientAuthentication, dpop_key: Option<DpopKey>) -> Self {
        Self { issuer: Arc::new(issuer), client, dpop_key, pause: Mutex::default() }
    }

    pub fn update_dpop_nonce(&self, url: &str, headers: &HeaderMap) -> bool {
        self.dpop_key.as_ref().is_some_and(|key| key.update_nonce(url, headers))
    }

    pub async fn request_token(&self, form: FormFields) -> Result<TokenResponse, TokenRequestError> {
        let (pause, now) = (*self.pause.lock().unwrap_or_else(PoisonError::into_inner), self.issuer.now());
        if let Some(RetryPause { from, seconds }) = pause.filter(|it| is_within(it.seconds, it.from, now)) {
            return Err(TokenRequestError::unavailable(from.saturating_add(seconds).saturating_sub(now)));
        }
        let away = |_: IssuerRequestError| self.pause_requests(RETRY_SECONDS, false);
        let url = self.issuer.endpoint("token_endpoint").await.map_err(away)?;
        // A refresh token that was sent may have been used, whatever happened to the response.
        let is_refreshing = form.contains(&("grant_type", "refresh_token".to_owned()));
        let lost = |_: IssuerRequestError| self.pause_requests(RETRY_SECONDS, is_refreshing);
        let response = self.send_request(&url, &form).await.map_err(lost)?;
        let needs_nonce = response.status == 400
            && response.json.as_ref().and_then(|json| get_text(json, "error")) == Some("use_dpop_nonce");
        let response = match self.update_dpop_nonce(&url, &response.headers) && needs_nonce {
            true => self.send_request(&url, &form).await.map_err(lost)?,
            false => response,
        };
        self.parse_response(response, is_refreshing)
    }

    /// Sends no request for this many seconds, and returns the error for this one.
    fn pause_requests(&self, seconds: i64, refresh_token_may_be_used: bool) -> TokenRequestError {
        let pause = RetryPause { from: self.issuer.now(), seconds };
        *self.pause.lock().unwrap_or_else(PoisonError::into_inner) = Some(pause);
        if refresh_token_may_be_used {
            TokenRequestError::refresh_outcome_unknown()
        } else {
            TokenRequestError::unavailable(seconds)
        }
    }

    async fn send_request(&self, url: &str, form: &FormFields) -> Result<IssuerResponse, IssuerRequestError> {
        let now = self.issuer.now();
        let broken = |_| IssuerRequestError("signing failed".to_owned());
        let authentication = self.client.authenticate(&self.issuer.issuer, now).map_err(broken)?;
        let form: FormFields = form.iter().cloned().chain(authentication.form).collect();
        let mut request = self.issuer.http().post(url).header("accept", "application/json").form(&form);
        if let Some(authorization) = authentication.authorization {
            request = request.header("authorization", authorization);
        }
        if let Some(dpop_key) = &self.dpop_key {
            let proof = DpopProofRequest { method: "POST", url, token: None, now };
            request = request.header("dpop", dpop_key.create_proof(&proof).map_err(broken)?);
        }
        self.issuer.send(request).await
    }

    fn parse_response(
        &self,
        response: IssuerResponse,
        is_refreshing: bool,
    ) -> Result<TokenResponse, TokenRequestError> {
        let IssuerResponse { status, headers, json } = response;
        let json = json.unwrap_or_default();
        let text = |name: &str| get_text(&json, name).map(str::to_owned);
        match (status, text("error")) {
            (200, _) => parse_token(&json, self.dpop_key.is_some(), self.issuer.now()).ok_or_else(|| {
                let description = "the response is not the requested token".to_owned();
                TokenRequestError::from_response(status, "server_error", Some(description))
            }),
            (_, Some(error)) if status != 429 && status < 500 => {
                Err(TokenRequestError::from_response(status, &error, text("error_description")))
            }
            // Without an OAuth error code, the response is from a proxy, or the issuer failed.
            _ => {
                let refresh_token_may_be_used = is_refreshing && status >= 500 && status != 503;
                let refused = self.pause_requests(read_retry_after(&headers), refresh_token_may_be_used);
                Err(TokenRequestError { status: Some(status), ..refused })
            }
        }
    }
}

fn parse_token(json: &Members, is_dpop_bound: bool, now: i64) -> Option<TokenResponse> {
    let is_of_type = get_text(json, "token_type") == Some(if is_dpop_bound { "DPoP" } else { "Bearer" });
    let seconds = json.get("expires_in").and_then(Value::as_i64).filter(|it| *it >= 0 && is_of_type)?;
    let text = |name: &str| get_text(json, name).map(str::to_owned);
    Some(TokenResponse {
        access_token: text("access_token")?,
        is_dpop_bound,
        expires_at: now.checked_add(seconds)?,
        scope: text("scope"),
        refresh_token: text("refresh_token"),
    })
}

fn read_retry_after(headers: &HeaderMap) -> i64 {
    let text = headers.get("retry-after").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_number = (1..=9).contains(&text.len()) && text.bytes().all(|digit| digit.is_ascii_digit());
    let seconds = text.parse().ok().filter(|_| is_number).unwrap_or(RETRY_SECONDS);
    seconds.min(RETRY_SECONDS_MAX)
}

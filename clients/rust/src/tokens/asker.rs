//! Asking the token endpoint, and leaving it alone for a while where it does not answer.

use super::{Form, Token, TokenRefused};
use crate::client::{Client, Holder, ProvenRequest};
use crate::encoding::{Members, text_in};
use crate::service::{Answered, Service, Unanswered, is_within};
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};

/// How long nobody is asked who did not say for how long.
const PAUSE_SECONDS: i64 = 5;
const PAUSE_SECONDS_MAX: i64 = 3600;

/// Asks for one client.
pub struct Asker {
    pub service: Arc<Service>,
    client: Client,
    pub holder: Option<Holder>,
    pause: Mutex<Option<Pause>>,
}

/// The instance said that it shall not be asked, or did not answer, and for how many seconds that counts.
#[derive(Clone, Copy)]
struct Pause {
    from: i64,
    seconds: i64,
}

impl Asker {
    pub fn new(service: Service, client: Client, holder: Option<Holder>) -> Self {
        Self { service: Arc::new(service), client, holder, pause: Mutex::default() }
    }

    pub fn learn(&self, address: &str, headers: &HeaderMap) -> bool {
        self.holder.as_ref().is_some_and(|holder| holder.learn(address, headers))
    }

    pub async fn ask(&self, form: Form) -> Result<Token, TokenRefused> {
        let (pause, now) = (*self.pause.lock().unwrap_or_else(PoisonError::into_inner), self.service.now());
        if let Some(Pause { from, seconds }) = pause.filter(|it| is_within(it.seconds, it.from, now)) {
            return Err(TokenRefused::away(from.saturating_add(seconds).saturating_sub(now)));
        }
        let away = |_: Unanswered| self.away(PAUSE_SECONDS, false);
        let address = self.service.endpoint("token_endpoint").await.map_err(away)?;
        // A refresh token that was sent may be spent, whatever became of the answer.
        let is_refreshing = form.contains(&("grant_type", "refresh_token".to_owned()));
        let lost = |_: Unanswered| self.away(PAUSE_SECONDS, is_refreshing);
        let answer = self.asked(&address, &form).await.map_err(lost)?;
        let wants_nonce = answer.status == 400
            && answer.json.as_ref().and_then(|json| text_in(json, "error")) == Some("use_dpop_nonce");
        let answer = match self.learn(&address, &answer.headers) && wants_nonce {
            true => self.asked(&address, &form).await.map_err(lost)?,
            false => answer,
        };
        self.read(answer, is_refreshing)
    }

    /// The instance cannot be asked for so many seconds, by anybody here.
    fn away(&self, seconds: i64, may_be_spent: bool) -> TokenRefused {
        let pause = Pause { from: self.service.now(), seconds };
        *self.pause.lock().unwrap_or_else(PoisonError::into_inner) = Some(pause);
        if may_be_spent { TokenRefused::uncertain() } else { TokenRefused::away(seconds) }
    }

    async fn asked(&self, address: &str, form: &Form) -> Result<Answered, Unanswered> {
        let now = self.service.now();
        let broken = |_| Unanswered("the key does not sign".to_owned());
        let shown = self.client.shown(&self.service.issuer, now).map_err(broken)?;
        let form: Form = form.iter().cloned().chain(shown.form).collect();
        let mut request = self.service.web().post(address).header("accept", "application/json").form(&form);
        if let Some(authorization) = shown.authorization {
            request = request.header("authorization", authorization);
        }
        if let Some(holder) = &self.holder {
            let proven = ProvenRequest { method: "POST", address, token: None, now };
            request = request.header("dpop", holder.proof(&proven).map_err(broken)?);
        }
        self.service.ask(request).await
    }

    fn read(&self, answer: Answered, is_refreshing: bool) -> Result<Token, TokenRefused> {
        let Answered { status, headers, json } = answer;
        let json = json.unwrap_or_default();
        let text = |name: &str| text_in(&json, name).map(str::to_owned);
        match (status, text("error")) {
            (200, _) => token_in(&json, self.holder.is_some(), self.service.now()).ok_or_else(|| {
                let description = "the answer is not the token that was asked for".to_owned();
                TokenRefused::of(status, "server_error", Some(description))
            }),
            (_, Some(error)) if status != 429 && status < 500 => {
                Err(TokenRefused::of(status, &error, text("error_description")))
            }
            // Without a word of OAuth it was something in between that answered, or an instance that is not whole.
            _ => {
                let may_be_spent = is_refreshing && status >= 500 && status != 503;
                let refused = self.away(pause_in(&headers), may_be_spent);
                Err(TokenRefused { status: Some(status), ..refused })
            }
        }
    }
}

fn token_in(json: &Members, is_bound: bool, now: i64) -> Option<Token> {
    let is_of_type = text_in(json, "token_type") == Some(if is_bound { "DPoP" } else { "Bearer" });
    let seconds = json.get("expires_in").and_then(Value::as_i64).filter(|it| *it >= 0 && is_of_type)?;
    let text = |name: &str| text_in(json, name).map(str::to_owned);
    Some(Token {
        access_token: text("access_token")?,
        is_bound,
        expires_at: now.checked_add(seconds)?,
        scope: text("scope"),
        refresh_token: text("refresh_token"),
    })
}

fn pause_in(headers: &HeaderMap) -> i64 {
    let text = headers.get("retry-after").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_number = (1..=9).contains(&text.len()) && text.bytes().all(|digit| digit.is_ascii_digit());
    let seconds = text.parse().ok().filter(|_| is_number).unwrap_or(PAUSE_SECONDS);
    seconds.min(PAUSE_SECONDS_MAX)
}

//! Getting tokens: for a service itself, for somebody it acts for, and for whoever holds an API key.

mod kept;
mod wanted;

pub use wanted::{Subject, Token, TokenRefused, Wanted};

use crate::client::{Client, Holder, ProvenRequest};
use crate::encoding::{Members, text_in};
use crate::guard::Misconfigured;
use crate::service::{Answered, Clock, Service, Unanswered, is_issuer, system_clock};
use kept::Kept;
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// How long nobody is asked who did not say for how long.
const PAUSE_SECONDS: i64 = 5;
const PAUSE_SECONDS_MAX: i64 = 3600;

/// Who gets tokens where. Everything but the first two has a usual value: [`TokenSettings::new`].
#[derive(Clone)]
pub struct TokenSettings {
    /// The address of the instance: https, or http on this machine, without a slash at the end.
    pub issuer: String,
    /// Who asks.
    pub client: Client,
    /// Binds every token to a key that is made here and never leaves (DPoP). Not done unless said.
    pub bound: bool,
    /// A client for HTTP of your own, where the usual one does not do. It should follow no redirects.
    pub web: Option<reqwest::Client>,
    /// The time in seconds since 1970. That of this machine unless said.
    pub clock: Clock,
}

impl TokenSettings {
    /// The usual settings for this client of that instance.
    pub fn new(issuer: &str, client: Client) -> Self {
        let issuer = issuer.to_owned();
        Self { issuer, client, bound: false, web: None, clock: Arc::new(system_clock) }
    }
}

/// Gets tokens for one client, and keeps them until shortly before they end. It is made once and shared.
pub struct Tokens {
    service: Service,
    client: Client,
    holder: Option<Holder>,
    kept: Kept,
    /// When the instance may be asked again that told us to wait.
    askable_at: AtomicI64,
}

type Form = Vec<(&'static str, String)>;

impl Tokens {
    /// Nothing is asked of the instance yet.
    pub fn new(settings: TokenSettings) -> Result<Self, Misconfigured> {
        if !is_issuer(&settings.issuer) {
            return Err(Misconfigured::Issuer(settings.issuer));
        }
        let holder = settings.bound.then(Holder::new).transpose().map_err(|_| Misconfigured::Key)?;
        let service = Service::new(&settings.issuer, settings.web, settings.clock)?;
        let askable_at = AtomicI64::new(i64::MIN);
        Ok(Self { service, client: settings.client, holder, kept: Kept::default(), askable_at })
    }

    /// A token: the client's own, or exchanged for what somebody else holds. The same one is given until shortly before its
    /// end, and one request is under way however many wait for it.
    pub async fn get(&self, wanted: &Wanted<'_>) -> Result<Token, TokenRefused> {
        let form = wanted.form();
        let now = || self.service.now();
        self.kept.get(&form, &now, || self.ask(form.clone())).await
    }

    /// Renews with a refresh token. Store the new one before you use anything of the answer: the old one is spent.
    pub async fn refresh(&self, refresh_token: &str, scope: Option<&str>) -> Result<Token, TokenRefused> {
        let mut form =
            vec![("grant_type", "refresh_token".to_owned()), ("refresh_token", refresh_token.to_owned())];
        form.extend(scope.map(|scope| ("scope", scope.to_owned())));
        self.ask(form).await
    }

    /// Forgets a token that an API does not take any more.
    pub fn forget(&self, wanted: &Wanted<'_>) {
        self.kept.forget(&wanted.form());
    }

    /// The headers that show a token to an API, for one request. None where the token is bound to a key that is not held
    /// here, or the address is none.
    pub fn headers(&self, token: &Token, method: &str, address: &str) -> Option<Vec<(&'static str, String)>> {
        let text = token.access_token.as_str();
        if !token.is_bound {
            return Some(vec![("authorization", format!("Bearer {text}"))]);
        }
        let request = ProvenRequest { method, address, token: Some(text), now: self.service.now() };
        let proof = self.holder.as_ref()?.proof(&request).ok()?;
        Some(vec![("authorization", format!("DPoP {text}")), ("dpop", proof)])
    }

    /// Remembers the nonce of an API's answer, and says whether there was one.
    pub fn learn(&self, address: &str, headers: &HeaderMap) -> bool {
        self.holder.as_ref().is_some_and(|holder| holder.learn(address, headers))
    }

    async fn ask(&self, form: Form) -> Result<Token, TokenRefused> {
        let waits = self.askable_at.load(Ordering::SeqCst).saturating_sub(self.service.now());
        if waits > 0 {
            return Err(TokenRefused::away(waits));
        }
        let unanswered = |_: Unanswered| TokenRefused::away(PAUSE_SECONDS);
        let address = self.service.endpoint("token_endpoint").await.map_err(unanswered)?;
        let answer = self.asked(&address, &form).await.map_err(unanswered)?;
        let wants_nonce = answer.status == 400
            && answer.json.as_ref().and_then(|json| text_in(json, "error")) == Some("use_dpop_nonce");
        let answer = match self.learn(&address, &answer.headers) && wants_nonce {
            true => self.asked(&address, &form).await.map_err(unanswered)?,
            false => answer,
        };
        self.read(answer)
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

    fn read(&self, answer: Answered) -> Result<Token, TokenRefused> {
        let Answered { status, headers, json } = answer;
        if status == 429 || status >= 500 {
            let seconds = pause_in(&headers);
            self.askable_at.store(self.service.now().saturating_add(seconds), Ordering::SeqCst);
            return Err(TokenRefused { status: Some(status), ..TokenRefused::away(seconds) });
        }
        let json = json.unwrap_or_default();
        let text = |name: &str| text_in(&json, name).map(str::to_owned);
        if status != 200 {
            let error = text("error").unwrap_or_else(|| "server_error".to_owned());
            return Err(TokenRefused::of(status, &error, text("error_description")));
        }
        token_in(&json, self.holder.is_some(), self.service.now()).ok_or_else(|| {
            let description = "the answer is not the token that was asked for".to_owned();
            TokenRefused::of(status, "server_error", Some(description))
        })
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

//! Getting tokens: for a service itself, for somebody it acts for, and for whoever holds an API key.

mod asker;
mod kept;
mod wanted;

pub use wanted::{Subject, Token, TokenRefused, Wanted};

use crate::client::{Client, Holder, ProvenRequest};
use crate::flight::Flight;
use crate::guard::Misconfigured;
use crate::service::{Clock, Service, Web, is_issuer, system_clock};
use asker::Asker;
use kept::Kept;
use reqwest::header::HeaderMap;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Who gets tokens where. Everything but the first two has a usual value: [`TokenSettings::new`].
#[derive(Clone)]
pub struct TokenSettings {
    /// The address of the instance: https, or http on this machine, without a slash at the end.
    pub issuer: String,
    /// Who asks.
    pub client: Client,
    /// Binds every token to a key that is made here and never leaves (DPoP). Not done unless said.
    pub bound: bool,
    /// A client for HTTP of your own, where the usual one does not do.
    pub web: Option<Web>,
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
    asker: Arc<Asker>,
    kept: Kept,
    /// What is being renewed, by its refresh token.
    refreshing: Arc<Mutex<HashMap<String, Arc<Refreshing>>>>,
}

type Refreshing = Flight<Result<Token, TokenRefused>>;

type Form = Vec<(&'static str, String)>;

impl Tokens {
    /// Nothing is asked of the instance yet.
    pub fn new(settings: TokenSettings) -> Result<Self, Misconfigured> {
        if !is_issuer(&settings.issuer) {
            return Err(Misconfigured::Issuer(settings.issuer));
        }
        let holder = settings.bound.then(Holder::new).transpose().map_err(|_| Misconfigured::Key)?;
        let service = Service::new(&settings.issuer, settings.web, settings.clock)?;
        let asker = Arc::new(Asker::new(service, settings.client, holder));
        Ok(Self { asker, kept: Kept::default(), refreshing: Arc::default() })
    }

    /// A token: the client's own, or exchanged for what somebody else holds. The same one is given until shortly before its
    /// end, and one request is under way however many wait for it.
    pub async fn get(&self, wanted: &Wanted<'_>) -> Result<Token, TokenRefused> {
        let form = wanted.form();
        let now = || self.asker.service.now();
        self.kept.get(&form, &now, || self.asker.ask(form.clone())).await
    }

    /// Renews with a refresh token. Store the new one before you use anything of the answer: the old one is spent. Whoever
    /// asks with the same one meanwhile is given what comes of this, since a second use would end the grant.
    pub async fn refresh(&self, refresh_token: &str, scope: Option<&str>) -> Result<Token, TokenRefused> {
        let mut form =
            vec![("grant_type", "refresh_token".to_owned()), ("refresh_token", refresh_token.to_owned())];
        form.extend(scope.map(|scope| ("scope", scope.to_owned())));
        let (asker, all, name) =
            (Arc::clone(&self.asker), Arc::clone(&self.refreshing), refresh_token.to_owned());
        let begin = move || {
            Some(async move {
                let outcome = asker.ask(form).await;
                all.lock().unwrap_or_else(PoisonError::into_inner).remove(&name);
                outcome
            })
        };
        let refreshing = self.refreshing(refresh_token);
        refreshing.join(begin).await.unwrap_or_else(|| Err(TokenRefused::uncertain()))
    }

    fn refreshing(&self, refresh_token: &str) -> Arc<Refreshing> {
        let mut all = self.refreshing.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(all.entry(refresh_token.to_owned()).or_default())
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
        let request = ProvenRequest { method, address, token: Some(text), now: self.asker.service.now() };
        let proof = self.asker.holder.as_ref()?.proof(&request).ok()?;
        Some(vec![("authorization", format!("DPoP {text}")), ("dpop", proof)])
    }

    /// Remembers the nonce of an API's answer, and says whether there was one.
    pub fn learn(&self, address: &str, headers: &HeaderMap) -> bool {
        self.asker.learn(address, headers)
    }
}

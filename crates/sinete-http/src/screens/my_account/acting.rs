//! Applications that act for the person, in the words of whoever reads.

use sinete_core::client::ClientId;
use sinete_core::client::metadata::localized::in_language;
use sinete_core::security::chain::LoggedEvent;
use sinete_engine::account::SecurityLogEntry;
use sinete_engine::account::applications::{self, ApplicationGrants, ApplicationName, ApplicationPermission};
use sinete_engine::{Engine, Failure};
use sinete_screens::language::UiLanguage;
use sinete_screens::moment::DisplayTime;
use sinete_screens::my_account::AuthorizedApplicationItem;
use std::collections::BTreeMap;

/// What happened between the person and an application, which is then named.
const WITH_APPLICATIONS: [&str; 7] = [
    "consent.given",
    "consent.denied",
    "device.allowed",
    "device.denied",
    "approval.given",
    "approval.denied",
    "application.removed",
];

/// What an application calls itself in a language.
fn name<'a>(name: &'a str, localized: &'a BTreeMap<String, String>, language: UiLanguage) -> &'a str {
    let texts = localized.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    in_language(texts, "client_name", language.tag()).unwrap_or(name)
}

/// An application, in words.
pub(super) struct DelegateText {
    id: String,
    name: String,
    organization: String,
    may: Vec<String>,
    since: DisplayTime,
}

impl DelegateText {
    /// The application as somebody reads it.
    pub(super) fn of(granted: &ApplicationGrants, organization: String, language: UiLanguage) -> Self {
        let mut may = Vec::new();
        for allowed in &granted.allowed {
            let words = words(allowed, language).to_owned();
            // The same is often agreed to at more than one API.
            if !may.contains(&words) {
                may.push(words);
            }
        }
        let agreed = granted.agreements.iter().map(|agreement| agreement.agreed_at.seconds());
        let since = agreed.chain(granted.held.iter().map(|held| held.created_at.seconds())).min();
        Self {
            id: format!("{}:{}", granted.application.membership, granted.application.client),
            name: name(&granted.application.name, &granted.localized, language).to_owned(),
            organization,
            may,
            since: DisplayTime(since.unwrap_or_default()),
        }
    }

    /// What it may do.
    pub(super) fn may(&self) -> Vec<&str> {
        self.may.iter().map(String::as_str).collect()
    }

    pub(super) fn view<'a>(&'a self, may: &'a [&'a str]) -> AuthorizedApplicationItem<'a> {
        let Self { id, name, organization, since, .. } = self;
        AuthorizedApplicationItem { id, name, organization, may, since: *since }
    }
}

/// What something that is allowed means; its name, where nobody knows that any more.
fn words(allowed: &ApplicationPermission, language: UiLanguage) -> &str {
    let words = match language {
        UiLanguage::English => &allowed.meaning.english,
        UiLanguage::Portuguese => &allowed.meaning.portuguese,
    };
    if words.is_empty() { &allowed.name } else { words }
}

/// What the applications call themselves that had a part in something.
pub(super) struct ApplicationNames(BTreeMap<String, ApplicationName>);

impl ApplicationNames {
    /// The names in what happened.
    pub(super) async fn read(engine: &Engine, events: &[SecurityLogEntry]) -> Result<Self, Failure> {
        let mut names = BTreeMap::new();
        for client in events.iter().filter_map(|entry| client(&entry.event)) {
            let Ok(id) = client.parse::<ClientId>() else { continue };
            if names.contains_key(client) {
                continue;
            }
            if let Some(called) = applications::called(engine, &id).await? {
                names.insert(client.to_owned(), called);
            }
        }
        Ok(Self(names))
    }

    /// The name of the application that had a part in this.
    pub(super) fn of(&self, event: &LoggedEvent, language: UiLanguage) -> Option<&str> {
        let called = self.0.get(client(event)?)?;
        Some(name(&called.name, &called.localized, language))
    }
}

/// The application that had a part in this.
fn client(event: &LoggedEvent) -> Option<&str> {
    event.client.as_deref().filter(|_| WITH_APPLICATIONS.contains(&event.kind.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_engine::authorize::ScopeDescription;

    #[test]
    fn what_nobody_can_put_into_words_any_more_is_shown_by_its_name() {
        let mut allowed = ApplicationPermission {
            audience: "https://gone.example".to_owned(),
            name: "invoices:read".to_owned(),
            meaning: ScopeDescription::default(),
        };
        assert_eq!(words(&allowed, UiLanguage::Portuguese), "invoices:read");
        allowed.meaning.portuguese = "Ler faturas".to_owned();
        assert_eq!(words(&allowed, UiLanguage::Portuguese), "Ler faturas");
        assert_eq!(words(&allowed, UiLanguage::English), "invoices:read");
    }
}

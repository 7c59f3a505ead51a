//! Authorized applications, for display on the account page.

use sinete_core::client_id::ClientId;
use sinete_core::events::log_chain::LoggedEvent;
use sinete_core::oauth::client_metadata::localized::select_localized_text;
use sinete_engine::oauth::authorized_applications;
use sinete_engine::oauth::authorized_applications::{
    ApplicationGrants, ApplicationName, ApplicationPermission,
};
use sinete_engine::sign_in::account_holder::SecurityLogEntry;
use sinete_engine::{Engine, Failure};
use sinete_screens::accounts::my_account::AuthorizedApplicationItem;
use sinete_screens::display_time::DisplayTime;
use sinete_screens::language::UiLanguage;
use std::collections::BTreeMap;

/// The event kinds that name an application.
const APPLICATION_EVENT_KINDS: [&str; 7] = [
    "consent.given",
    "consent.denied",
    "device.allowed",
    "device.denied",
    "approval.given",
    "approval.denied",
    "application.removed",
];

/// The application's name in a language.
fn application_name<'a>(
    name: &'a str,
    localized: &'a BTreeMap<String, String>,
    language: UiLanguage,
) -> &'a str {
    let localized_names = localized.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    select_localized_text(localized_names, "client_name", language.tag()).unwrap_or(name)
}

/// An application, for display.
pub(super) struct AuthorizedApplicationText {
    id: String,
    name: String,
    organization: String,
    permissions: Vec<String>,
    since: DisplayTime,
    used: Option<DisplayTime>,
    is_agent: bool,
}

impl AuthorizedApplicationText {
    /// Creates it from the application's grants.
    pub(super) fn from_grant(
        granted: &ApplicationGrants,
        organization: String,
        language: UiLanguage,
    ) -> Self {
        let mut may = Vec::new();
        for allowed in &granted.permissions {
            let words = permission_text(allowed, language).to_owned();
            // The same permission may be granted at several APIs.
            if !may.contains(&words) {
                may.push(words);
            }
        }
        let agreement_times = granted.consents.iter().map(|agreement| agreement.consented_at.seconds());
        let grant_times = granted.active_grants.iter().map(|grant| grant.created_at.seconds());
        let exchanged = granted
            .delegations
            .iter()
            .map(|application_delegation| application_delegation.created_at.seconds());
        let since = agreement_times.chain(grant_times).chain(exchanged).min();
        Self {
            id: format!("{}:{}", granted.application.membership, granted.application.client),
            name: application_name(&granted.application.name, &granted.localized, language).to_owned(),
            organization,
            permissions: may,
            since: DisplayTime(since.unwrap_or_default()),
            used: granted.last_used_at().map(|at| DisplayTime(at.seconds())),
            is_agent: granted.is_agent(),
        }
    }

    /// Whether it is an agent.
    pub(super) const fn is_agent(&self) -> bool {
        self.is_agent
    }

    /// The permissions.
    pub(super) fn permission_texts(&self) -> Vec<&str> {
        self.permissions.iter().map(String::as_str).collect()
    }

    pub(super) fn to_item<'a>(&'a self, may: &'a [&'a str]) -> AuthorizedApplicationItem<'a> {
        let Self { id, name, organization, since, used, .. } = self;
        AuthorizedApplicationItem { id, name, organization, permissions: may, since: *since, used: *used }
    }
}

/// Applications with the texts of their permissions, for display.
pub(super) fn application_list<'a>(
    all: &[(&'a AuthorizedApplicationText, &'a Vec<&'a str>)],
) -> Vec<AuthorizedApplicationItem<'a>> {
    all.iter().map(|(application_text, may)| application_text.to_item(may)).collect()
}

/// The description of a permission; its name if it is no longer defined.
fn permission_text(allowed: &ApplicationPermission, language: UiLanguage) -> &str {
    let words = language.choose_description(&allowed.description.english, &allowed.description.portuguese);
    if words.is_empty() { &allowed.name } else { words }
}

/// The names of applications in events.
pub(super) struct ApplicationNames(BTreeMap<String, ApplicationName>);

impl ApplicationNames {
    /// Loads the names of all applications in the events.
    pub(super) async fn load(engine: &Engine, events: &[SecurityLogEntry]) -> Result<Self, Failure> {
        let mut names = BTreeMap::new();
        for client in events.iter().filter_map(|entry| event_client(&entry.event)) {
            let Ok(id) = client.parse::<ClientId>() else { continue };
            if names.contains_key(client) {
                continue;
            }
            if let Some(called) = authorized_applications::find_application_name(engine, &id).await? {
                names.insert(client.to_owned(), called);
            }
        }
        Ok(Self(names))
    }

    /// The name of the application in an event.
    pub(super) fn application_name_in_event(
        &self,
        event: &LoggedEvent,
        language: UiLanguage,
    ) -> Option<&str> {
        let called = self.0.get(event_client(event)?)?;
        Some(application_name(&called.name, &called.localized, language))
    }
}

/// The client of an event.
fn event_client(event: &LoggedEvent) -> Option<&str> {
    event.client.as_deref().filter(|_| APPLICATION_EVENT_KINDS.contains(&event.kind.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_engine::oauth::authorize::ScopeDescription;

    #[test]
    fn permission_without_a_description_is_displayed_by_name() {
        let mut allowed = ApplicationPermission {
            audience: "https://gone.example".to_owned(),
            name: "invoices:read".to_owned(),
            description: ScopeDescription::default(),
        };
        assert_eq!(permission_text(&allowed, UiLanguage::Portuguese), "invoices:read");
        allowed.description.portuguese = "Ler faturas".to_owned();
        assert_eq!(permission_text(&allowed, UiLanguage::Portuguese), "Ler faturas");
        assert_eq!(permission_text(&allowed, UiLanguage::English), "invoices:read");
    }
}

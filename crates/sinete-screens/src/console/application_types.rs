//! The types of applications, as the registration form offers them.

use super::applications::ApplicationFields;
use crate::locales::LocalePhrases;

/// What an application is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApplicationTypeChoice {
    /// A web application on a server.
    Web,
    /// A single-page application.
    Spa,
    /// An application on a phone or a computer.
    Native,
    /// A service.
    Service,
    /// An AI agent.
    Agent,
    /// The user chooses every setting.
    Custom,
}

impl ApplicationTypeChoice {
    /// The name in the form; the same as in the management API, except `custom`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Web => "web",
            Self::Spa => "spa",
            Self::Native => "native",
            Self::Service => "service",
            Self::Agent => "agent",
            Self::Custom => "custom",
        }
    }

    pub(crate) const fn text(&self, phrases: &LocalePhrases) -> &'static str {
        match self {
            Self::Web => phrases.applications.type_web,
            Self::Spa => phrases.applications.type_spa,
            Self::Native => phrases.applications.type_native,
            Self::Service => phrases.applications.service,
            Self::Agent => phrases.applications.agent,
            Self::Custom => phrases.applications.type_custom,
        }
    }

    pub(crate) const fn description(&self, phrases: &LocalePhrases) -> &'static str {
        match self {
            Self::Web => phrases.applications.type_web_about,
            Self::Spa => phrases.applications.type_spa_about,
            Self::Native => phrases.applications.type_native_about,
            Self::Service => phrases.applications.service_about,
            Self::Agent => phrases.applications.agent_about,
            Self::Custom => phrases.applications.type_custom_about,
        }
    }
}

impl ApplicationFields<'_> {
    /// Whether redirect URIs mean something to it: it has some, or users return to it with a code.
    pub(crate) fn uses_redirects(&self) -> bool {
        self.grant_types.contains(&"code") || !self.redirect_uris.is_empty()
    }

    /// Whether it gets ID tokens: users sign in to it.
    pub(crate) fn receives_id_tokens(&self) -> bool {
        ["code", "device", "approval"].iter().any(|grant| self.grant_types.contains(grant))
    }
}

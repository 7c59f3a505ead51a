//! The applications, services and agents of an organization, registering one, and one of them.

use super::member::RoleChoice;
use super::notices::{ConsoleField, ConsoleNotice};
use super::{ConsoleLayout, ConsoleSection, ListPaging};
use crate::display_time::DisplayTime;
use crate::locales::{LocalePhrases, with_value};
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct ApplicationListView<'a> {
    /// What stands around it.
    pub desk: ConsoleLayout<'a>,
    /// The applications on this page.
    pub applications: &'a [ApplicationItem<'a>],
    /// Where the list goes on.
    pub pages: ListPaging<'a>,
    /// What one is registered with, where the person may.
    pub register: Option<RegisterApplicationForm<'a>>,
}

/// An application.
#[derive(Clone, Copy, Debug)]
pub struct ApplicationItem<'a> {
    /// Its id.
    pub id: &'a str,
    /// What people read.
    pub name: &'a str,
    /// What it is for.
    pub purpose: &'a str,
    /// What it is.
    pub kind: ApplicationKind,
    /// Whether it is switched off.
    pub off: bool,
    /// Whether an operator vouches for it.
    pub vouched: bool,
}

/// What an application is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApplicationKind {
    /// Something people use.
    Application,
    /// A machine of its own.
    Service,
    /// A machine that acts with judgement.
    Agent,
}

/// An application that is being registered.
#[derive(Clone, Copy, Debug)]
pub struct RegisterApplicationForm<'a> {
    /// What makes sure that a form which is sent twice registers one.
    pub once: &'a str,
    /// Whether the form stands open.
    pub open: bool,
    /// The kinds that the person may register.
    pub kinds: &'a [ApplicationKind],
    /// Which of them is chosen.
    pub kind: ApplicationKind,
    /// What it is to be.
    pub fields: ApplicationFields<'a>,
}

/// What can be typed about an application.
#[derive(Clone, Copy, Debug)]
pub struct ApplicationFields<'a> {
    /// What people read.
    pub name: &'a str,
    /// What it is for.
    pub purpose: &'a str,
    /// Where people are sent back to, one to a line.
    pub redirects: &'a str,
    /// How it proves itself, as metadata writes it.
    pub proof: &'a str,
    /// Where its keys are published.
    pub keys: &'a str,
    /// How it gets tokens, by the names that the form has for it.
    pub grants: &'a [&'a str],
    /// The most it may ask for.
    pub scope: &'a str,
    /// Whether nothing was said of that, so that it is everything about a person.
    pub is_unlimited: bool,
    /// The roles there are, where the person may see them.
    pub roles: &'a [RoleChoice<'a>],
}

/// How an application gets tokens: what the form calls it, what metadata calls it, and what people read.
#[derive(Clone, Copy, Debug)]
pub struct GrantTypeChoice {
    /// What the form calls it.
    pub name: &'static str,
    /// What metadata calls it.
    pub wire: &'static str,
    text: fn(&LocalePhrases) -> &'static str,
}

/// Every way of getting tokens.
pub const GRANT_TYPES: [GrantTypeChoice; 6] = [
    GrantTypeChoice { name: "code", wire: "authorization_code", text: |words| words.applications.code },
    GrantTypeChoice { name: "refresh", wire: "refresh_token", text: |words| words.applications.refresh },
    GrantTypeChoice { name: "own", wire: "client_credentials", text: |words| words.applications.own },
    GrantTypeChoice {
        name: "exchange",
        wire: "urn:ietf:params:oauth:grant-type:token-exchange",
        text: |words| words.applications.exchange,
    },
    GrantTypeChoice {
        name: "device",
        wire: "urn:ietf:params:oauth:grant-type:device_code",
        text: |words| words.applications.device,
    },
    GrantTypeChoice {
        name: "approval",
        wire: "urn:openid:params:grant-type:ciba",
        text: |words| words.applications.approval,
    },
];

/// The ways of proving oneself that are chosen from, as metadata writes them.
pub const AUTH_METHODS: [&str; 4] = ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"];

/// One application.
#[derive(Clone, Copy, Debug)]
pub struct ApplicationDetailView<'a> {
    /// What stands around it.
    pub desk: ConsoleLayout<'a>,
    /// The application.
    pub application: ApplicationItem<'a>,
    /// Its roles in the organization; empty, where it has none.
    pub roles: &'a str,
    /// Who answers for it, by id and name; an agent's.
    pub owner: Option<(&'a str, &'a str)>,
    /// Since when it is there.
    pub since: DisplayTime,
    /// The version that was read, which a change names.
    pub version: i64,
    /// How it is set.
    pub stands: ApplicationFields<'a>,
    /// What stands in the form: how it is set, with what the person changed where that was not done.
    pub fields: ApplicationFields<'a>,
    /// What the form carries of how it is set, so that it is seen what the person changed.
    pub shown: &'a str,
    /// Its secrets that work now; none, where it needs none.
    pub secrets: Option<&'a [ClientSecretItem<'a>]>,
    /// Whether the person may change it.
    pub may_change: bool,
    /// What makes sure that a form which is sent twice makes one secret.
    pub once: &'a str,
}

/// A secret, without itself.
#[derive(Clone, Copy, Debug)]
pub struct ClientSecretItem<'a> {
    /// The name it goes by.
    pub id: &'a str,
    /// Since when.
    pub since: DisplayTime,
    /// Until when, if it is on its way out.
    pub until: Option<DisplayTime>,
}

/// A secret that was just made, with what is never shown again.
#[derive(Clone, Copy, Debug)]
pub struct NewClientSecretView<'a> {
    /// What stands around it.
    pub desk: ConsoleLayout<'a>,
    /// The application's id.
    pub id: &'a str,
    /// What it is called.
    pub name: &'a str,
    /// The secret itself.
    pub secret: &'a str,
}

#[derive(Template)]
#[template(path = "console/applications.html")]
struct ApplicationListPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    desk: &'a ConsoleLayout<'a>,
    view: &'a ApplicationListView<'a>,
}

#[derive(Template)]
#[template(path = "console/application.html")]
struct ApplicationDetailPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'a str,
    desk: &'a ConsoleLayout<'a>,
    view: &'a ApplicationDetailView<'a>,
}

#[derive(Template)]
#[template(path = "console/shown_secret.html")]
struct NewClientSecretPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    desk: &'a ConsoleLayout<'a>,
    view: &'a NewClientSecretView<'a>,
}

impl ApplicationListView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        render_template(&ApplicationListPage {
            frame,
            words,
            title: words.applications.title,
            desk: &self.desk,
            view: self,
        })
    }
}

impl ApplicationDetailView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        render_template(&ApplicationDetailPage {
            frame,
            words,
            title: self.application.name,
            desk: &self.desk,
            view: self,
        })
    }
}

impl NewClientSecretView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        render_template(&NewClientSecretPage {
            frame,
            words,
            title: words.applications.shown,
            desk: &self.desk,
            view: self,
        })
    }
}

impl ApplicationDetailView<'_> {
    /// Whether the page says how the application is set beside what the form holds: somebody may look and no more, or
    /// somebody else was faster.
    pub(crate) fn shows_current_settings(&self) -> bool {
        !self.may_change || self.desk.said == Some(ConsoleNotice::Changed)
    }
}

impl ConsoleLayout<'_> {
    /// The page of an application.
    pub(crate) fn application_url(&self, frame: &PageFrame<'_>, id: &str) -> String {
        self.section_url(frame, &format!("{}/{id}", ConsoleSection::Applications.path()))
    }
}

impl ApplicationKind {
    /// What the form calls it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Application => "application",
            Self::Service => "service",
            Self::Agent => "agent",
        }
    }

    pub(crate) const fn text(&self, words: &LocalePhrases) -> &'static str {
        match self {
            Self::Application => words.applications.application,
            Self::Service => words.applications.service,
            Self::Agent => words.applications.agent,
        }
    }

    pub(crate) const fn description(&self, words: &LocalePhrases) -> &'static str {
        match self {
            Self::Application => words.applications.application_about,
            Self::Service => words.applications.service_about,
            Self::Agent => words.applications.agent_about,
        }
    }
}

impl RegisterApplicationForm<'_> {
    pub(crate) fn is_chosen(&self, kind: &ApplicationKind) -> bool {
        self.kind == *kind
    }
}

impl GrantTypeChoice {
    pub(crate) fn text(&self, words: &LocalePhrases) -> &'static str {
        (self.text)(words)
    }
}

impl ApplicationFields<'_> {
    pub(crate) fn has_grant(&self, grant: &GrantTypeChoice) -> bool {
        self.grants.contains(&grant.name)
    }

    pub(crate) fn has_auth_method(&self, proof: &str) -> bool {
        self.proof == proof
    }

    /// Whether it proves itself in a way that is not among those that are chosen from.
    pub(crate) fn has_other_auth_method(&self) -> bool {
        !AUTH_METHODS.contains(&self.proof)
    }
}

/// A way of proving oneself, in words.
pub(crate) fn auth_method_text(proof: &str, words: &LocalePhrases) -> &'static str {
    match proof {
        "none" => words.applications.by_nothing,
        "client_secret_basic" => words.applications.by_basic,
        "client_secret_post" => words.applications.by_post,
        "private_key_jwt" => words.applications.by_keys,
        _ => words.applications.by_other,
    }
}

impl ClientSecretItem<'_> {
    pub(crate) fn lifetime_text(&self, frame: &PageFrame<'_>) -> String {
        let words = &frame.words().applications;
        let until = self.until.map(|until| with_value(words.secret_until, until.time(frame.language)));
        let since = with_value(words.secret_since, self.since.day(frame.language));
        format!("{since} · {}", until.as_deref().unwrap_or(words.secret_stays))
    }

    pub(crate) fn can_revoke(&self) -> bool {
        self.until.is_some()
    }
}

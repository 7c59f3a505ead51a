//! The providers that an organization is connected to, connecting one more, and one of them with what to register there.

use super::notices::ConsoleField;
use super::{ConsoleLayout, ConsoleSection, FormGate, ListPaging};
use crate::display_time::DisplayTime;
use crate::locales::{LocalePhrases, with_value};
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionListView<'a> {
    /// What stands around it.
    pub desk: ConsoleLayout<'a>,
    /// The connections on this page.
    pub connections: &'a [ConnectionItem<'a>],
    /// Where the list goes on.
    pub pages: ListPaging<'a>,
    /// What one more is made of, where the person may make it.
    pub connect: Option<NewConnectionForm<'a>>,
}

/// A connection.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionItem<'a> {
    /// What its page is found under.
    pub id: &'a str,
    /// What people read.
    pub name: &'a str,
    /// Who the provider is.
    pub issuer: &'a str,
    /// What it speaks.
    pub speaks: ProviderProtocol,
    /// Whether nobody is sent there.
    pub off: bool,
}

/// What a provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderProtocol {
    /// OpenID Connect.
    OpenId,
    /// SAML 2.0.
    Saml,
}

/// A connection that is being made.
#[derive(Clone, Copy, Debug)]
pub struct NewConnectionForm<'a> {
    /// What makes sure that a form which is sent twice makes one.
    pub once: &'a str,
    /// The form for one that speaks OpenID Connect.
    pub open_id: ConnectionFields<'a>,
    /// The form for one that speaks SAML.
    pub saml: ConnectionFields<'a>,
}

/// What can be typed about a connection.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionFields<'a> {
    /// What its fields are called on the page, before their own names.
    pub form: &'a str,
    /// How the form stands.
    pub stands: FormGate,
    /// Whether it was this form that was sent last, and not done.
    pub sent: bool,
    /// Whether something was typed that is not kept and has to be typed again: the secret, or what the provider says about
    /// itself.
    pub again: bool,
    /// What the provider speaks.
    pub speaks: ProviderProtocol,
    /// Whether it is there already: then who it is stays.
    pub exists: bool,
    /// Whether the person may say what stands behind its word.
    pub decides: bool,
    /// Whether there is a secret.
    pub has_secret: bool,
    /// What people read.
    pub name: &'a str,
    /// Who the provider is.
    pub issuer: &'a str,
    /// By what it knows us.
    pub client_id: &'a str,
    /// How we prove ourselves there.
    pub authentication: &'a str,
    /// What is asked for there.
    pub scopes: &'a str,
    /// What somebody is known by.
    pub subject: &'a str,
    /// The attribute with their address.
    pub email: &'a str,
    /// The attribute with their name.
    pub full_name: &'a str,
    /// The domains that lead there, one to a line.
    pub domains: &'a str,
}

/// One connection.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionDetailView<'a> {
    /// What stands around it.
    pub desk: ConsoleLayout<'a>,
    /// The connection.
    pub connection: ConnectionItem<'a>,
    /// What is set about it.
    pub set: ConnectionSettingsView<'a>,
    /// The domains that lead there.
    pub domains: &'a [&'a str],
    /// The version that was read, which a change names.
    pub version: i64,
    /// What stands in the fields of its form.
    pub fields: ConnectionFields<'a>,
    /// What the page showed, as the form carries it.
    pub shown: &'a str,
    /// Whether something is set that is not shown.
    pub has_more: bool,
    /// Where people come back to.
    pub callback: &'a str,
    /// Since when it is there.
    pub since: DisplayTime,
    /// Whether the person may change it.
    pub may_change: bool,
    /// What was found wrong when it was tried, as the service says it; empty where nothing was.
    pub wrong: &'a str,
}

/// What is set about a connection.
#[derive(Clone, Copy, Debug)]
pub enum ConnectionSettingsView<'a> {
    /// About one that speaks OpenID Connect.
    OpenId {
        /// By what it knows us.
        client_id: &'a str,
        /// Where the keys are by which it knows our signature; empty, where we show a secret.
        keys: &'a str,
        /// What is asked for there.
        scopes: &'a str,
    },
    /// About one that speaks SAML.
    Saml {
        /// Our name there.
        entity_id: &'a str,
        /// Where people are sent.
        sso_url: &'a str,
        /// Its certificates, by their fingerprints, and when each ends.
        certificates: &'a [(&'a str, DisplayTime)],
        /// What somebody is known by.
        subject: &'a str,
        /// The attribute with their address; empty, where there is none.
        email: &'a str,
        /// The attribute with their name; empty, where there is none.
        full_name: &'a str,
    },
}

#[derive(Template)]
#[template(path = "console/connections.html")]
struct ConnectionListPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    desk: &'a ConsoleLayout<'a>,
    view: &'a ConnectionListView<'a>,
}

#[derive(Template)]
#[template(path = "console/connection.html")]
struct ConnectionDetailPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'a str,
    desk: &'a ConsoleLayout<'a>,
    view: &'a ConnectionDetailView<'a>,
}

impl ConnectionListView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        render_template(&ConnectionListPage {
            frame,
            words,
            title: words.connections.title,
            desk: &self.desk,
            view: self,
        })
    }
}

impl ConnectionDetailView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        render_template(&ConnectionDetailPage {
            frame,
            words,
            title: self.connection.name,
            desk: &self.desk,
            view: self,
        })
    }

    /// When a certificate ends.
    pub(crate) fn certificate_expiry_text(&self, frame: &PageFrame<'_>, at: &DisplayTime) -> String {
        with_value(frame.words().connections.ends_on, frame.day_text(at))
    }
}

impl NewConnectionForm<'_> {
    /// Whether nothing is typed here yet, because the proof comes first.
    pub(crate) fn needs_step_up(&self) -> bool {
        self.open_id.stands.needs_step_up() && self.saml.stands.needs_step_up()
    }
}

impl ConnectionFields<'_> {
    pub(crate) fn is_saml(&self) -> bool {
        self.speaks == ProviderProtocol::Saml
    }

    pub(crate) fn uses_private_key(&self) -> bool {
        self.authentication == "private_key"
    }

    /// What was not right about a field of this form.
    pub(crate) fn field_error(
        &self,
        desk: &ConsoleLayout<'_>,
        frame: &PageFrame<'_>,
        field: ConsoleField,
    ) -> Option<&'static str> {
        desk.field_error(frame, field).filter(|_| self.sent)
    }

    /// The same about the field whose content is never kept, or else that it has to be typed again; and what that is
    /// called on the page, where something else can be wrong too.
    pub(crate) fn secret_field_error(
        &self,
        desk: &ConsoleLayout<'_>,
        frame: &PageFrame<'_>,
    ) -> Option<(&'static str, String)> {
        let words = &frame.words().connections;
        let (field, again) = match self.speaks {
            ProviderProtocol::OpenId => (ConsoleField::Secret, words.secret_again),
            ProviderProtocol::Saml => (ConsoleField::Metadata, words.metadata_again),
        };
        let wrong = self.field_error(desk, frame, field).map(|wrong| (wrong, "trouble".to_owned()));
        wrong.or_else(|| self.again.then(|| (again, format!("{}-again", self.form))))
    }
}

impl ProviderProtocol {
    pub(crate) const fn text(self, words: &LocalePhrases) -> &'static str {
        match self {
            Self::OpenId => words.connections.open_id,
            Self::Saml => words.connections.saml,
        }
    }
}

impl ConsoleLayout<'_> {
    /// The page of a connection.
    pub(crate) fn connection_url(&self, frame: &PageFrame<'_>, id: &str) -> String {
        self.section_url(frame, &format!("{}/{id}", ConsoleSection::Connections.path()))
    }
}

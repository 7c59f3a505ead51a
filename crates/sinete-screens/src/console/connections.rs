//! The providers that an organization is connected to, and one of them with what to register there.

use super::{Desk, Pages, Section};
use crate::moment::Moment;
use crate::page::{Frame, render};
use crate::words::{Words, with};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct Connections<'a> {
    /// What stands around it.
    pub desk: Desk<'a>,
    /// The connections on this page.
    pub connections: &'a [Connection<'a>],
    /// Where the list goes on.
    pub pages: Pages<'a>,
}

/// A connection.
#[derive(Clone, Copy, Debug)]
pub struct Connection<'a> {
    /// What its page is found under.
    pub id: &'a str,
    /// What people read.
    pub name: &'a str,
    /// Who the provider is.
    pub issuer: &'a str,
    /// What it speaks.
    pub speaks: Speaks,
    /// Whether nobody is sent there.
    pub off: bool,
}

/// What a provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaks {
    /// OpenID Connect.
    OpenId,
    /// SAML 2.0.
    Saml,
}

/// One connection.
#[derive(Clone, Copy, Debug)]
pub struct OneConnection<'a> {
    /// What stands around it.
    pub desk: Desk<'a>,
    /// The connection.
    pub connection: Connection<'a>,
    /// What is set about it.
    pub set: Set<'a>,
    /// The domains that lead there.
    pub domains: &'a [&'a str],
    /// Whether something is set that is not shown.
    pub has_more: bool,
    /// Where people come back to.
    pub callback: &'a str,
    /// Since when it is there.
    pub since: Moment,
    /// Whether the person may change it.
    pub may_change: bool,
    /// What was found wrong when it was tried, as the service says it; empty where nothing was.
    pub wrong: &'a str,
}

/// What is set about a connection.
#[derive(Clone, Copy, Debug)]
pub enum Set<'a> {
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
        certificates: &'a [(&'a str, Moment)],
        /// What somebody is known by.
        subject: &'a str,
        /// The attribute with their address; empty, where there is none.
        email: &'a str,
    },
}

#[derive(Template)]
#[template(path = "console/connections.html")]
struct Page<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: &'static str,
    desk: &'a Desk<'a>,
    view: &'a Connections<'a>,
}

#[derive(Template)]
#[template(path = "console/connection.html")]
struct OnePage<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: &'a str,
    desk: &'a Desk<'a>,
    view: &'a OneConnection<'a>,
}

impl Connections<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = frame.words();
        render(&Page { frame, words, title: words.connections.title, desk: &self.desk, view: self })
    }
}

impl OneConnection<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = frame.words();
        render(&OnePage { frame, words, title: self.connection.name, desk: &self.desk, view: self })
    }

    /// When a certificate ends.
    pub(crate) fn ends(&self, frame: &Frame<'_>, at: &Moment) -> String {
        with(frame.words().connections.ends_on, frame.day(at))
    }
}

impl Speaks {
    pub(crate) const fn text(self, words: &Words) -> &'static str {
        match self {
            Self::OpenId => words.connections.open_id,
            Self::Saml => words.connections.saml,
        }
    }
}

impl Desk<'_> {
    /// The page of a connection.
    pub(crate) fn connection(&self, frame: &Frame<'_>, id: &str) -> String {
        self.link(frame, &format!("{}/{id}", Section::Connections.path()))
    }
}

//! The console: people who run an organization do here what the management API does by request. Every page stands on
//! the same desk: whose organization it is, where one can go, and what came of the last form.

pub mod applications;
pub mod choose;
pub mod connections;
pub mod domains;
pub mod invitations;
pub mod keys;
pub mod member;
pub mod members;
pub mod overview;
pub mod roles;
pub mod said;
pub mod stopped;
pub mod trail;
pub mod webhooks;

use crate::assets::CONSOLE_STYLE;
use crate::language::UiLanguage;
use crate::page::PageFrame;
use crate::words::LocalePhrases;
use said::{ConsoleField, ConsoleNotice};

/// What stands around the work on every page of an organization.
#[derive(Clone, Copy, Debug)]
pub struct ConsoleLayout<'a> {
    /// The organization's name.
    pub organization: &'a str,
    /// What its pages are found under.
    pub slug: &'a str,
    /// Whether it is suspended: then there is nothing to change.
    pub suspended: bool,
    /// The parts that the person may see.
    pub sections: &'a [ConsoleSection],
    /// The part that this page belongs to.
    pub section: ConsoleSection,
    /// The language that was asked for in the address: every link keeps it.
    pub asked: Option<UiLanguage>,
    /// The page's own path below the base address, where its forms go.
    pub here: &'a str,
    /// What shows that a form came from a page of this session.
    pub csrf: &'a str,
    /// What came of the last form.
    pub said: Option<ConsoleNotice>,
    /// Whether what was typed into it could not be kept.
    pub is_lost: bool,
}

/// A part of the console.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsoleSection {
    /// What the organization is.
    Overview,
    /// Who belongs to it.
    Members,
    /// Who was asked to.
    Invitations,
    /// What one may do in it.
    Roles,
    /// What gets tokens there.
    Applications,
    /// What programs show.
    Keys,
    /// What is its own in the DNS.
    Domains,
    /// Where its members sign in.
    Connections,
    /// What is told of what happens in it.
    Webhooks,
    /// What happened in it.
    Trail,
}

impl ConsoleSection {
    /// Every part, in the order they are shown.
    pub const ALL: [Self; 10] = [
        Self::Overview,
        Self::Members,
        Self::Invitations,
        Self::Roles,
        Self::Applications,
        Self::Keys,
        Self::Domains,
        Self::Connections,
        Self::Webhooks,
        Self::Trail,
    ];

    /// Its path below the organization's.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Overview => "",
            Self::Members => "/members",
            Self::Invitations => "/invitations",
            Self::Roles => "/roles",
            Self::Applications => "/applications",
            Self::Keys => "/keys",
            Self::Domains => "/domains",
            Self::Connections => "/connections",
            Self::Webhooks => "/webhooks",
            Self::Trail => "/trail",
        }
    }

    pub(crate) const fn name(&self, words: &LocalePhrases) -> &'static str {
        match self {
            Self::Overview => words.console.overview,
            Self::Members => words.console.members,
            Self::Invitations => words.console.invitations,
            Self::Roles => words.console.roles,
            Self::Applications => words.applications.title,
            Self::Keys => words.keys.title,
            Self::Domains => words.domains.title,
            Self::Connections => words.connections.title,
            Self::Webhooks => words.webhooks.title,
            Self::Trail => words.trail.title,
        }
    }
}

impl ConsoleLayout<'_> {
    /// An address below the organization's, in the language that was asked for.
    pub(crate) fn link(&self, frame: &PageFrame<'_>, below: &str) -> String {
        self.kept(format!("{}/console/{}{below}", frame.base_path, self.slug))
    }

    /// The page of the list that follows.
    pub(crate) fn after(&self, frame: &PageFrame<'_>, pages: &ListPaging<'_>, next: &str) -> String {
        let glue = if pages.asked.is_empty() { "" } else { "&" };
        self.link(frame, &format!("{}?{}{glue}after={next}", self.section.path(), pages.asked))
    }

    /// Its first page.
    pub(crate) fn first(&self, frame: &PageFrame<'_>, pages: &ListPaging<'_>) -> String {
        let glue = if pages.asked.is_empty() { "" } else { "?" };
        self.link(frame, &format!("{}{glue}{}", self.section.path(), pages.asked))
    }

    /// The same of a list that stands on a page of its own thing.
    pub(crate) fn further(&self, frame: &PageFrame<'_>, next: &str) -> String {
        self.kept(format!("{}{}?after={next}", frame.base_path, self.here))
    }

    /// The page of a member.
    pub(crate) fn member(&self, frame: &PageFrame<'_>, id: &str) -> String {
        self.link(frame, &format!("{}/{id}", ConsoleSection::Members.path()))
    }

    /// The page's own address, where its forms go.
    pub(crate) fn action(&self, frame: &PageFrame<'_>) -> String {
        self.kept(format!("{}{}", frame.base_path, self.here))
    }

    /// The page on which an organization is chosen.
    pub(crate) fn choosing(&self, frame: &PageFrame<'_>) -> String {
        self.kept(format!("{}/console", frame.base_path))
    }

    /// The person's own page.
    pub(crate) fn own_page(&self, frame: &PageFrame<'_>) -> String {
        self.kept(format!("{}/my-account", frame.base_path))
    }

    fn kept(&self, address: String) -> String {
        with_language(address, self.asked)
    }

    pub(crate) fn is_here(&self, section: &ConsoleSection) -> bool {
        self.section == *section
    }

    /// What was not right about a field.
    pub(crate) fn trouble_with(&self, frame: &PageFrame<'_>, field: ConsoleField) -> Option<&'static str> {
        self.said.filter(|said| said.field() == Some(field)).map(|said| said.text(frame.language))
    }

    /// What was not right, where it is about no field.
    pub(crate) fn trouble(&self, frame: &PageFrame<'_>) -> Option<&'static str> {
        let said = self.said.filter(|said| said.field().is_none());
        said.filter(ConsoleNotice::is_trouble).map(|said| match said {
            ConsoleNotice::Changed if self.is_lost => frame.words().console.changed_only,
            said => said.text(frame.language),
        })
    }

    /// That what was typed could not be kept.
    pub(crate) fn lost(&self, frame: &PageFrame<'_>) -> Option<&'static str> {
        self.is_lost.then(|| frame.words().console.lost)
    }

    /// What was done.
    pub(crate) fn done(&self, frame: &PageFrame<'_>) -> Option<&'static str> {
        self.said.filter(|said| !said.is_trouble()).map(|said| said.text(frame.language))
    }
}

/// An address that keeps the language that was asked for.
pub(crate) fn with_language(address: String, asked: Option<UiLanguage>) -> String {
    match asked {
        Some(language) => {
            let glue = if address.contains('?') { '&' } else { '?' };
            format!("{address}{glue}ui_locales={}", language.tag())
        }
        None => address,
    }
}

/// The query that asks for these, without those that are empty.
pub fn asking<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut query = String::new();
    for (name, value) in pairs.into_iter().filter(|(_, value)| !value.is_empty()) {
        query.push_str(if query.is_empty() { "" } else { "&" });
        query.push_str(name);
        query.push('=');
        for byte in value.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                    query.push(byte.into())
                }
                _ => query.push_str(&format!("%{byte:02X}")),
            }
        }
    }
    query
}

impl PageFrame<'_> {
    pub(crate) const fn console_style_path(&self) -> &'static str {
        CONSOLE_STYLE.path
    }
}

/// How a form stands that takes a fresh proof of who fills it in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormGate {
    /// Behind the proof, which is given first.
    Behind,
    /// There, until somebody wants it.
    Closed,
    /// Open: somebody is at it.
    Open,
}

impl FormGate {
    pub(crate) fn is_behind(&self) -> bool {
        *self == Self::Behind
    }

    pub(crate) fn is_open(&self) -> bool {
        *self == Self::Open
    }
}

/// Where a list goes on.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListPaging<'a> {
    /// What the next page is asked for with, if there is one.
    pub next: Option<&'a str>,
    /// Whether this page is not the first.
    pub later: bool,
    /// What every page of the list is asked for with: a query, or nothing.
    pub asked: &'a str,
}

#[cfg(test)]
mod tests {
    use super::asking;

    #[test]
    fn what_is_asked_for_stands_in_an_address_and_ends_nothing_there() {
        let asked = asking([("kind", ""), ("actor", "a b&c=d?é"), ("to", "2026-11-16")]);
        assert_eq!(asked, "actor=a%20b%26c%3Dd%3F%C3%A9&to=2026-11-16");
        assert_eq!(asking([]), "");
    }
}

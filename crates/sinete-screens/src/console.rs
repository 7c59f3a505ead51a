//! The console: people who run an organization do here what the management API does by request. Every page stands on
//! the same desk: whose organization it is, where one can go, and what came of the last form.

pub mod api_keys;
pub mod applications;
pub mod audit_log;
pub mod blocked;
pub mod connections;
pub mod domains;
pub mod invitations;
pub mod member;
pub mod members;
pub mod notices;
pub mod organization_choice;
pub mod overview;
pub mod roles;
pub mod webhooks;

use crate::assets::CONSOLE_STYLE;
use crate::language::UiLanguage;
use crate::locales::LocalePhrases;
use crate::page::PageFrame;
use notices::{ConsoleField, ConsoleNotice};

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
    ApiKeys,
    /// What is its own in the DNS.
    Domains,
    /// Where its members sign in.
    Connections,
    /// What is told of what happens in it.
    Webhooks,
    /// What happened in it.
    AuditLog,
}

impl ConsoleSection {
    /// Every part, in the order they are shown.
    pub const ALL: [Self; 10] = [
        Self::Overview,
        Self::Members,
        Self::Invitations,
        Self::Roles,
        Self::Applications,
        Self::ApiKeys,
        Self::Domains,
        Self::Connections,
        Self::Webhooks,
        Self::AuditLog,
    ];

    /// Its path below the organization's.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Overview => "",
            Self::Members => "/members",
            Self::Invitations => "/invitations",
            Self::Roles => "/roles",
            Self::Applications => "/applications",
            Self::ApiKeys => "/keys",
            Self::Domains => "/domains",
            Self::Connections => "/connections",
            Self::Webhooks => "/webhooks",
            Self::AuditLog => "/trail",
        }
    }

    pub(crate) const fn name(&self, words: &LocalePhrases) -> &'static str {
        match self {
            Self::Overview => words.console.overview,
            Self::Members => words.console.members,
            Self::Invitations => words.console.invitations,
            Self::Roles => words.console.roles,
            Self::Applications => words.applications.title,
            Self::ApiKeys => words.keys.title,
            Self::Domains => words.domains.title,
            Self::Connections => words.connections.title,
            Self::Webhooks => words.webhooks.title,
            Self::AuditLog => words.trail.title,
        }
    }
}

impl ConsoleLayout<'_> {
    /// An address below the organization's, in the language that was asked for.
    pub(crate) fn section_url(&self, frame: &PageFrame<'_>, below: &str) -> String {
        self.with_requested_language(format!("{}/console/{}{below}", frame.base_path, self.slug))
    }

    /// The page of the list that follows.
    pub(crate) fn next_page_url(&self, frame: &PageFrame<'_>, pages: &ListPaging<'_>, next: &str) -> String {
        let glue = if pages.asked.is_empty() { "" } else { "&" };
        self.section_url(frame, &format!("{}?{}{glue}after={next}", self.section.path(), pages.asked))
    }

    /// Its first page.
    pub(crate) fn first_page_url(&self, frame: &PageFrame<'_>, pages: &ListPaging<'_>) -> String {
        let glue = if pages.asked.is_empty() { "" } else { "?" };
        self.section_url(frame, &format!("{}{glue}{}", self.section.path(), pages.asked))
    }

    /// The same of a list that stands on a page of its own thing.
    pub(crate) fn next_page_of_current_url(&self, frame: &PageFrame<'_>, next: &str) -> String {
        self.with_requested_language(format!("{}{}?after={next}", frame.base_path, self.here))
    }

    /// The page of a member.
    pub(crate) fn member_url(&self, frame: &PageFrame<'_>, id: &str) -> String {
        self.section_url(frame, &format!("{}/{id}", ConsoleSection::Members.path()))
    }

    /// The page's own address, where its forms go.
    pub(crate) fn form_action(&self, frame: &PageFrame<'_>) -> String {
        self.with_requested_language(format!("{}{}", frame.base_path, self.here))
    }

    /// The page on which an organization is chosen.
    pub(crate) fn organization_choice_url(&self, frame: &PageFrame<'_>) -> String {
        self.with_requested_language(format!("{}/console", frame.base_path))
    }

    /// The person's own page.
    pub(crate) fn my_account_url(&self, frame: &PageFrame<'_>) -> String {
        self.with_requested_language(format!("{}/my-account", frame.base_path))
    }

    fn with_requested_language(&self, address: String) -> String {
        with_language(address, self.asked)
    }

    pub(crate) fn is_current_section(&self, section: &ConsoleSection) -> bool {
        self.section == *section
    }

    /// What was not right about a field.
    pub(crate) fn field_error(&self, frame: &PageFrame<'_>, field: ConsoleField) -> Option<&'static str> {
        self.said.filter(|said| said.field() == Some(field)).map(|said| said.text(frame.language))
    }

    /// What was not right, where it is about no field.
    pub(crate) fn form_error(&self, frame: &PageFrame<'_>) -> Option<&'static str> {
        let said = self.said.filter(|said| said.field().is_none());
        said.filter(ConsoleNotice::is_error).map(|said| match said {
            ConsoleNotice::Changed if self.is_lost => frame.words().console.changed_only,
            said => said.text(frame.language),
        })
    }

    /// That what was typed could not be kept.
    pub(crate) fn lost_input_notice(&self, frame: &PageFrame<'_>) -> Option<&'static str> {
        self.is_lost.then(|| frame.words().console.lost)
    }

    /// What was done.
    pub(crate) fn success_notice(&self, frame: &PageFrame<'_>) -> Option<&'static str> {
        self.said.filter(|said| !said.is_error()).map(|said| said.text(frame.language))
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
pub fn build_query<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
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
    NeedsStepUp,
    /// There, until somebody wants it.
    Closed,
    /// Open: somebody is at it.
    Open,
}

impl FormGate {
    pub(crate) fn needs_step_up(&self) -> bool {
        *self == Self::NeedsStepUp
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
    use super::build_query;

    #[test]
    fn console_filter_query_is_percent_encoded() {
        let asked = build_query([("kind", ""), ("actor", "a b&c=d?é"), ("to", "2026-11-16")]);
        assert_eq!(asked, "actor=a%20b%26c%3Dd%3F%C3%A9&to=2026-11-16");
        assert_eq!(build_query([]), "");
    }
}

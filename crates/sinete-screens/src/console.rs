//! The console, in which administrators of an organization do what the management API offers. All pages share
//! a layout with the organization, the navigation and the result of the last form.

pub mod api_keys;
pub mod application_test;
pub mod application_types;
pub mod applications;
pub mod audit_log;
pub mod block_csv;
pub mod block_form;
pub mod block_page;
pub mod blocked;
mod breadcrumbs;
pub mod chart;
pub mod client_secrets;
pub mod connection_wizard;
pub mod connections;
pub mod domains;
pub mod figures;
pub mod invitations;
pub mod list_links;
pub mod member;
pub mod members;
pub mod notices;
pub mod organization_choice;
pub mod overview;
pub mod page_samples;
pub mod page_sizes;
pub mod quickstarts;
pub mod refused_requests;
pub mod role_choices;
pub mod roles;
mod section;
pub mod webhooks;

pub use section::ConsoleSection;

use crate::assets::CONSOLE_STYLE;
use crate::language::UiLanguage;
use crate::page::PageFrame;
use list_links::OrderLink;
use notices::{ConsoleField, ConsoleNotice};
use page_sizes::PageSizes;

/// The layout of every page of an organization.
#[derive(Clone, Copy, Debug)]
pub struct ConsoleLayout<'a> {
    /// The organization's name.
    pub organization: &'a str,
    /// The organization's slug, as in URLs.
    pub slug: &'a str,
    /// Whether it is suspended, so that nothing can be changed.
    pub suspended: bool,
    /// The sections that the user may see.
    pub sections: &'a [ConsoleSection],
    /// The section of this page.
    pub section: ConsoleSection,
    /// The language selected in the URL, which every link keeps.
    pub url_language: Option<UiLanguage>,
    /// The page's path below the base URL, which its forms post to.
    pub current_path: &'a str,
    /// The CSRF token.
    pub csrf: &'a str,
    /// The result of the last form.
    pub notice: Option<ConsoleNotice>,
    /// Whether the input of the last form could not be preserved.
    pub is_input_lost: bool,
    /// The sentence of the API about a refused form, in English; empty for none.
    pub detail: &'a str,
    /// Whether the user may also administer the instance.
    pub is_operator: bool,
}

impl ConsoleLayout<'_> {
    /// A URL below the organization's, in the selected language.
    pub(crate) fn section_url(&self, frame: &PageFrame<'_>, below: &str) -> String {
        let area = match self.section.is_of_instance() {
            true => format!("{}/instance", frame.base_path),
            false => format!("{}/console/{}", frame.base_path, self.slug),
        };
        self.with_requested_language(format!("{area}{below}"))
    }

    /// The URL of the next page of a list.
    pub(crate) fn next_page_url(&self, frame: &PageFrame<'_>, pages: &ListPaging<'_>, next: &str) -> String {
        let query = pages.query();
        let glue = if query.is_empty() { "" } else { "&" };
        self.section_url(frame, &format!("{}?{query}{glue}after={next}", self.section.path()))
    }

    /// The URL of the first page of a list.
    pub(crate) fn first_page_url(&self, frame: &PageFrame<'_>, pages: &ListPaging<'_>) -> String {
        let query = pages.query();
        let glue = if query.is_empty() { "" } else { "?" };
        self.section_url(frame, &format!("{}{glue}{query}", self.section.path()))
    }

    /// The URL of the first page of a list with another page size.
    pub(crate) fn page_size_url(&self, frame: &PageFrame<'_>, pages: &ListPaging<'_>, size: &u32) -> String {
        self.first_page_url(frame, &ListPaging { size: Some(*size), ..*pages })
    }

    /// The URL of the whole list as a file.
    pub(crate) fn list_file_url(
        &self,
        frame: &PageFrame<'_>,
        pages: &ListPaging<'_>,
        format: &str,
    ) -> String {
        let glue = if pages.query.is_empty() { "" } else { "&" };
        let path = self.section.path();
        self.section_url(frame, &format!("{path}?{}{glue}format={format}", pages.query))
    }

    /// The URL of the next page of a list on a detail page.
    pub(crate) fn next_page_of_current_url(&self, frame: &PageFrame<'_>, next: &str) -> String {
        self.with_requested_language(format!("{}{}?after={next}", frame.base_path, self.current_path))
    }

    /// The URL of a member's page.
    pub(crate) fn member_url(&self, frame: &PageFrame<'_>, id: &str) -> String {
        self.section_url(frame, &format!("{}/{id}", ConsoleSection::Members.path()))
    }

    /// The URL of a member's profile.
    pub(crate) fn member_profile_url(&self, frame: &PageFrame<'_>, id: &str) -> String {
        self.section_url(frame, &format!("{}/{id}/profile", ConsoleSection::Members.path()))
    }

    /// The URL of all settings of an application.
    pub(crate) fn application_settings_url(&self, frame: &PageFrame<'_>, id: &str) -> String {
        self.section_url(frame, &format!("{}/{id}/settings", ConsoleSection::Applications.path()))
    }

    /// The URL of the page itself, which its forms post to.
    pub(crate) fn form_action(&self, frame: &PageFrame<'_>) -> String {
        self.with_requested_language(format!("{}{}", frame.base_path, self.current_path))
    }

    /// The URL of the organization chooser.
    pub(crate) fn organization_choice_url(&self, frame: &PageFrame<'_>) -> String {
        self.with_requested_language(format!("{}/console", frame.base_path))
    }

    /// The URL of the instance's pages.
    pub(crate) fn instance_url(&self, frame: &PageFrame<'_>) -> String {
        self.with_requested_language(format!("{}/instance", frame.base_path))
    }

    /// The URL of the account page.
    pub(crate) fn my_account_url(&self, frame: &PageFrame<'_>) -> String {
        self.with_requested_language(format!("{}/my-account", frame.base_path))
    }

    /// The logout endpoint, which asks first.
    pub(crate) fn sign_out_url(&self, frame: &PageFrame<'_>) -> String {
        self.with_requested_language(format!("{}/connect/logout", frame.base_path))
    }

    fn with_requested_language(&self, address: String) -> String {
        with_language(address, self.url_language)
    }

    pub(crate) fn is_current_section(&self, section: &ConsoleSection) -> bool {
        self.section == *section
    }

    /// The error of a field.
    pub(crate) fn field_error(&self, frame: &PageFrame<'_>, field: ConsoleField) -> Option<&'static str> {
        self.notice.filter(|notice| notice.field() == Some(field)).map(|notice| notice.text(frame.language))
    }

    /// The form error that concerns no field.
    pub(crate) fn form_error(&self, frame: &PageFrame<'_>) -> Option<&'static str> {
        let notice = self.notice.filter(|notice| notice.field().is_none());
        notice.filter(ConsoleNotice::is_error).map(|notice| match notice {
            ConsoleNotice::Changed if self.is_input_lost => frame.phrases().console.changed_only,
            notice => notice.text(frame.language),
        })
    }

    /// The notice that the input could not be preserved.
    pub(crate) fn lost_input_notice(&self, frame: &PageFrame<'_>) -> Option<&'static str> {
        self.is_input_lost.then(|| frame.phrases().console.lost)
    }

    /// The success notice.
    pub(crate) fn success_notice(&self, frame: &PageFrame<'_>) -> Option<&'static str> {
        self.notice.filter(|notice| !notice.is_error()).map(|notice| notice.text(frame.language))
    }
}

/// Adds the selected language to a URL.
pub(crate) fn with_language(address: String, requested_language: Option<UiLanguage>) -> String {
    match requested_language {
        Some(language) => {
            let glue = if address.contains('?') { '&' } else { '?' };
            format!("{address}{glue}ui_locales={}", language.tag())
        }
        None => address,
    }
}

/// Builds a query from the non-empty pairs.
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

/// The state of a form that requires a step-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepUpFormState {
    /// Hidden until the step-up.
    NeedsStepUp,
    /// Available but collapsed.
    Closed,
    /// Open.
    Open,
}

impl StepUpFormState {
    pub(crate) fn needs_step_up(&self) -> bool {
        *self == Self::NeedsStepUp
    }

    pub(crate) fn is_open(&self) -> bool {
        *self == Self::Open
    }
}

/// The pagination of a list.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListPaging<'a> {
    /// The cursor of the next page, if there is one.
    pub next: Option<&'a str>,
    /// Whether this page is not the first.
    pub is_not_first: bool,
    /// The query that all pages of the list share, or empty.
    pub query: &'a str,
    /// The number of rows, if the reader may choose it.
    pub size: Option<u32>,
    /// The numbers that the reader may choose from.
    pub sizes: PageSizes,
    /// The orders that the reader can choose.
    pub orders: &'a [OrderLink],
    /// Whether the list is too long for the chosen order.
    pub is_too_long_to_sort: bool,
}

impl ListPaging<'_> {
    /// The query of the list, with the chosen page size.
    fn query(&self) -> String {
        match self.size.filter(|size| !self.sizes.is_default(*size)) {
            Some(size) if self.query.is_empty() => format!("size={size}"),
            Some(size) => format!("{}&size={size}", self.query),
            None => self.query.to_owned(),
        }
    }

    /// Whether the reader can choose a page size, which makes a difference only if there are rows on other pages.
    pub(crate) const fn has_sizes(&self) -> bool {
        match self.size {
            Some(size) => self.is_not_first || self.next.is_some() || !self.sizes.is_default(size),
            None => false,
        }
    }

    /// The page sizes.
    pub(crate) const fn sizes(&self) -> &'static [u32] {
        self.sizes.choices()
    }

    pub(crate) fn is_current_size(&self, size: &u32) -> bool {
        self.size == Some(*size)
    }
}

#[cfg(test)]
mod tests {
    use super::build_query;

    #[test]
    fn console_filter_query_is_percent_encoded() {
        let query_string = build_query([("kind", ""), ("actor", "a b&c=d?é"), ("to", "2026-11-16")]);
        assert_eq!(query_string, "actor=a%20b%26c%3Dd%3F%C3%A9&to=2026-11-16");
        assert_eq!(build_query([]), "");
    }
}

//! The pages of a set-up link, for a holder without an account: they prepare single sign-on, SCIM and a domain
//! of an organization.

use crate::console::ConsoleLayout;
use crate::console::connection_wizard::WizardProvider;
use crate::console::connections::ConnectionFields;
use crate::console::notices::ConsoleField;
use crate::display_time::DisplayTime;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The page of a link that was not opened yet, or that cannot be used.
#[derive(Clone, Copy, Debug)]
pub struct SetupStartView<'a> {
    /// The path that the form posts to.
    pub form_path: &'a str,
    /// The link; `None` if it cannot be used.
    pub link: Option<UnopenedLink<'a>>,
}

/// A link that can be opened.
#[derive(Clone, Copy, Debug)]
pub struct UnopenedLink<'a> {
    /// The name of the organization.
    pub organization: &'a str,
    /// The token.
    pub token: &'a str,
}

/// The page of an open link.
#[derive(Clone, Copy, Debug)]
pub struct SetupLinkView<'a> {
    /// The layout, for the forms.
    pub layout: ConsoleLayout<'a>,
    /// When the link expires.
    pub expires_at: DisplayTime,
    /// The chosen provider.
    pub provider: Option<WizardProvider>,
    /// Our redirect URI or assertion consumer service URL.
    pub callback: &'a str,
    /// Our entity ID, which is also our metadata URL.
    pub entity_id: &'a str,
    /// The fields of the connection.
    pub fields: ConnectionFields<'a>,
    /// The prepared connection: its name and issuer.
    pub connection: Option<(&'a str, &'a str)>,
    /// The SCIM endpoint.
    pub scim_endpoint: &'a str,
    /// Whether a SCIM token was prepared.
    pub has_scim: bool,
    /// The SCIM token that was prepared now; empty if none was.
    pub scim_token: &'a str,
    /// The prepared domain with its TXT record: domain, name and value.
    pub domain: Option<(&'a str, &'a str, &'a str)>,
    /// The domain that was typed and refused.
    pub typed_domain: &'a str,
}

#[derive(Template)]
#[template(path = "setup_start.html")]
struct SetupStartPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    view: &'a SetupStartView<'a>,
}

#[derive(Template)]
#[template(path = "setup_link.html")]
struct SetupLinkPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    layout: &'a ConsoleLayout<'a>,
    view: &'a SetupLinkView<'a>,
}

impl SetupStartView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&SetupStartPage { frame, phrases, title: phrases.setup_link.title, view: self })
    }
}

impl SetupLinkView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&SetupLinkPage {
            frame,
            phrases,
            title: phrases.setup_link.title,
            layout: &self.layout,
            view: self,
        })
    }

    pub(crate) fn is_saml(&self) -> bool {
        self.provider == Some(WizardProvider::Saml)
    }

    /// The URL of the page with this provider.
    pub(crate) fn provider_url(&self, frame: &PageFrame<'_>, provider: &WizardProvider) -> String {
        let action = self.layout.form_action(frame);
        let glue = if action.contains('?') { '&' } else { '?' };
        format!("{action}{glue}provider={}", provider.slug())
    }
}

//! The guide to connect an identity provider: what to copy to the provider, what to copy from it, and what comes next.

use super::connections::ConnectionFields;
use super::notices::ConsoleField;
use super::{ConsoleLayout, ConsoleSection};
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionWizardView<'a> {
    /// The console layout.
    pub layout: ConsoleLayout<'a>,
    /// The provider.
    pub provider: WizardProvider,
    /// The id that the connection gets.
    pub connection_id: &'a str,
    /// Our redirect URI or assertion consumer service URL.
    pub callback: &'a str,
    /// Our entity ID, which is also our metadata URL.
    pub entity_id: &'a str,
    /// The idempotency key of the form.
    pub idempotency_key: &'a str,
    /// The fields.
    pub fields: ConnectionFields<'a>,
}

/// A provider with a guide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WizardProvider {
    /// Okta.
    Okta,
    /// Microsoft Entra ID.
    EntraId,
    /// Google Workspace.
    GoogleWorkspace,
    /// Another OpenID Connect provider.
    OpenIdConnect,
    /// A SAML 2.0 provider.
    Saml,
}

#[derive(Template)]
#[template(path = "console/connection_wizard.html")]
struct ConnectionWizardPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'a str,
    layout: &'a ConsoleLayout<'a>,
    view: &'a ConnectionWizardView<'a>,
}

impl ConnectionWizardView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        let title = phrases.sso_wizard.connect(self.provider.name(phrases));
        render_template(&ConnectionWizardPage {
            frame,
            phrases,
            title: &title,
            layout: &self.layout,
            view: self,
        })
    }

    pub(crate) fn is_saml(&self) -> bool {
        self.provider == WizardProvider::Saml
    }
}

impl WizardProvider {
    /// All providers, in the order of the list.
    pub const ALL: [Self; 5] =
        [Self::Okta, Self::EntraId, Self::GoogleWorkspace, Self::OpenIdConnect, Self::Saml];

    /// The name of the provider.
    pub const fn name(self, phrases: &LocalePhrases) -> &'static str {
        match self {
            Self::Okta => "Okta",
            Self::EntraId => "Microsoft Entra ID",
            Self::GoogleWorkspace => "Google Workspace",
            Self::OpenIdConnect => phrases.connections.open_id,
            Self::Saml => phrases.connections.saml,
        }
    }

    /// The name in the URL.
    pub(crate) const fn slug(self) -> &'static str {
        match self {
            Self::Okta => "okta",
            Self::EntraId => "entra-id",
            Self::GoogleWorkspace => "google-workspace",
            Self::OpenIdConnect => "oidc",
            Self::Saml => "saml",
        }
    }

    /// What to do at the provider, in order.
    pub(crate) const fn steps(self, phrases: &'static LocalePhrases) -> [&'static str; 4] {
        let w = &phrases.sso_wizard;
        match self {
            Self::Okta => [w.okta_create, w.okta_redirect, w.okta_assign, w.okta_copy],
            Self::EntraId => [w.entra_create, w.entra_redirect, w.entra_secret, w.entra_claims],
            Self::GoogleWorkspace => [w.google_consent, w.google_create, w.google_redirect, w.google_copy],
            Self::OpenIdConnect => [w.oidc_create, w.oidc_redirect, w.oidc_claims, w.oidc_copy],
            Self::Saml => [w.saml_create, w.saml_values, w.saml_attributes, w.saml_copy],
        }
    }
}

impl ConnectionFields<'_> {
    /// Whether the issuer is entered: Google has one for all customers.
    pub(crate) fn has_issuer_field(&self) -> bool {
        !self.exists && self.guide != Some(WizardProvider::GoogleWorkspace)
    }

    /// Whether the fields that a guide fills in by itself are shown.
    pub(crate) const fn has_details(&self) -> bool {
        matches!(self.guide, None | Some(WizardProvider::OpenIdConnect | WizardProvider::Saml))
    }

    /// The label of the issuer field.
    pub(crate) const fn issuer_label(&self, phrases: &LocalePhrases) -> &'static str {
        match self.guide {
            Some(WizardProvider::Okta) => phrases.sso_wizard.okta_domain,
            Some(WizardProvider::EntraId) => phrases.sso_wizard.entra_tenant,
            _ => phrases.connections.issuer,
        }
    }

    /// The hint of the issuer field.
    pub(crate) const fn issuer_hint(&self, phrases: &LocalePhrases) -> &'static str {
        match self.guide {
            Some(WizardProvider::Okta) => phrases.sso_wizard.okta_domain_hint,
            Some(WizardProvider::EntraId) => phrases.sso_wizard.entra_tenant_hint,
            _ => phrases.connections.issuer_hint,
        }
    }

    /// The type of the issuer field.
    pub(crate) const fn issuer_type(&self) -> &'static str {
        match self.guide {
            Some(WizardProvider::Okta | WizardProvider::EntraId) => "text",
            _ => "url",
        }
    }
}

impl ConsoleLayout<'_> {
    /// The URL of the guide to a provider.
    pub(crate) fn wizard_url(&self, frame: &PageFrame<'_>, provider: &WizardProvider) -> String {
        self.section_url(frame, &format!("{}/new/{}", ConsoleSection::Connections.path(), provider.slug()))
    }
}

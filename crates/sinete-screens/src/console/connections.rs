//! The identity provider connections of an organization: list, creation, and details with the values to
//! register at the provider.

use super::connection_wizard::WizardProvider;
use super::notices::ConsoleField;
use super::{ConsoleLayout, ConsoleSection, ListPaging, StepUpFormState};
use crate::display_time::DisplayTime;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionListView<'a> {
    /// The console layout.
    pub layout: ConsoleLayout<'a>,
    /// The connections on this page.
    pub connections: &'a [ConnectionItem<'a>],
    /// The pagination of the list.
    pub pages: ListPaging<'a>,
    /// The forms to create a connection, if the user may.
    pub new_connection: Option<NewConnectionForm<'a>>,
}

/// A connection.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionItem<'a> {
    /// The id in the URL of its page.
    pub id: &'a str,
    /// The display name.
    pub name: &'a str,
    /// The issuer.
    pub issuer: &'a str,
    /// The protocol.
    pub protocol: ProviderProtocol,
    /// Whether it is disabled.
    pub is_disabled: bool,
}

/// The protocol of an identity provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderProtocol {
    /// OpenID Connect.
    OpenId,
    /// SAML 2.0.
    Saml,
}

/// The forms to create a connection.
#[derive(Clone, Copy, Debug)]
pub struct NewConnectionForm<'a> {
    /// The idempotency key of the form.
    pub idempotency_key: &'a str,
    /// The OpenID Connect form.
    pub oidc: ConnectionFields<'a>,
    /// The SAML form.
    pub saml: ConnectionFields<'a>,
}

/// The editable fields of a connection.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionFields<'a> {
    /// The prefix of the field ids on the page.
    pub form: &'a str,
    /// The state of the form.
    pub form_state: StepUpFormState,
    /// Whether this form was submitted last and rejected.
    pub was_submitted: bool,
    /// Whether an input that is never preserved must be entered again: the secret or the metadata.
    pub needs_retyping: bool,
    /// The protocol.
    pub protocol: ProviderProtocol,
    /// The provider whose guide the fields are in.
    pub guide: Option<WizardProvider>,
    /// Whether the holder of a set-up link fills them in, who cannot choose domains.
    pub is_for_setup_link: bool,
    /// Whether the connection exists, so that the issuer is fixed.
    pub exists: bool,
    /// Whether the user may change the trust settings.
    pub can_change_trust: bool,
    /// Whether there is a client secret.
    pub has_secret: bool,
    /// The display name.
    pub name: &'a str,
    /// The issuer.
    pub issuer: &'a str,
    /// The URL that the metadata is fetched from.
    pub metadata_url: &'a str,
    /// Our `client_id` at the provider.
    pub client_id: &'a str,
    /// Our client authentication method.
    pub authentication: &'a str,
    /// The requested scopes.
    pub scopes: &'a str,
    /// The attribute that identifies users.
    pub subject: &'a str,
    /// The attribute with the e-mail address.
    pub email: &'a str,
    /// The attribute with the name.
    pub full_name: &'a str,
    /// The routed domains, one per line.
    pub domains: &'a str,
}

/// The details of a connection.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionDetailView<'a> {
    /// The console layout.
    pub layout: ConsoleLayout<'a>,
    /// The connection.
    pub connection: ConnectionItem<'a>,
    /// The stored settings.
    pub set: ConnectionSettingsView<'a>,
    /// The routed domains.
    pub domains: &'a [ConnectionDomainItem<'a>],
    /// The version that was read, which a change submits.
    pub version: i64,
    /// The values of the form fields.
    pub fields: ConnectionFields<'a>,
    /// The displayed values, which the form submits to detect what the user changed.
    pub original_values: &'a str,
    /// Whether there are settings that are not shown.
    pub has_unlisted_settings: bool,
    /// Our redirect URI or assertion consumer service URL.
    pub callback: &'a str,
    /// When it was created.
    pub since: DisplayTime,
    /// Whether the user may change it.
    pub may_change: bool,
    /// The error of the last test; empty if there was none.
    pub test_error: &'a str,
}

/// A domain of a connection.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionDomainItem<'a> {
    /// The name in Unicode.
    pub name: &'a str,
    /// Whether it is verified.
    pub verified: bool,
}

/// The settings of a connection.
#[derive(Clone, Copy, Debug)]
pub enum ConnectionSettingsView<'a> {
    /// Of an OpenID Connect connection.
    OpenId {
        /// Our `client_id` at the provider.
        client_id: &'a str,
        /// Our JWKS URL; empty if we authenticate with a secret.
        jwks_url: &'a str,
        /// The requested scopes.
        scopes: &'a str,
    },
    /// Of a SAML connection.
    Saml {
        /// Our entity ID.
        entity_id: &'a str,
        /// The single sign-on URL.
        sso_url: &'a str,
        /// The certificates.
        certificates: &'a [CertificateItem<'a>],
        /// The attribute that identifies users.
        subject: &'a str,
        /// The attribute with the e-mail address; empty if not set.
        email: &'a str,
        /// The attribute with the name; empty if not set.
        full_name: &'a str,
    },
}

/// A signing certificate of a provider.
#[derive(Clone, Copy, Debug)]
pub struct CertificateItem<'a> {
    /// Its SHA-256.
    pub fingerprint: &'a str,
    /// When it ends.
    pub expires_at: DisplayTime,
    /// Whether it has ended or ends soon.
    pub expiry: CertificateExpiry,
}

/// Whether a certificate has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateExpiry {
    /// Not soon.
    Later,
    /// Within weeks.
    Soon,
    /// It has ended.
    Expired,
}

#[derive(Template)]
#[template(path = "console/connections.html")]
struct ConnectionListPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    layout: &'a ConsoleLayout<'a>,
    view: &'a ConnectionListView<'a>,
}

#[derive(Template)]
#[template(path = "console/connection.html")]
struct ConnectionDetailPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'a str,
    layout: &'a ConsoleLayout<'a>,
    view: &'a ConnectionDetailView<'a>,
}

impl ConnectionListView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&ConnectionListPage {
            frame,
            phrases,
            title: phrases.connections.title,
            layout: &self.layout,
            view: self,
        })
    }
}

impl ConnectionDetailView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&ConnectionDetailPage {
            frame,
            phrases,
            title: self.connection.name,
            layout: &self.layout,
            view: self,
        })
    }

    /// Whether the connection uses SAML.
    pub(crate) const fn is_saml(&self) -> bool {
        matches!(self.set, ConnectionSettingsView::Saml { .. })
    }

    /// The text for a certificate's expiry.
    pub(crate) fn certificate_expiry_text(&self, frame: &PageFrame<'_>, at: &DisplayTime) -> String {
        frame.phrases().connections.ends_on(frame.day_text(at))
    }
}

impl NewConnectionForm<'_> {
    /// Whether the form is hidden until the step-up.
    pub(crate) fn needs_step_up(&self) -> bool {
        self.oidc.form_state.needs_step_up() && self.saml.form_state.needs_step_up()
    }
}

impl ConnectionFields<'_> {
    pub(crate) fn is_saml(&self) -> bool {
        self.protocol == ProviderProtocol::Saml
    }

    pub(crate) fn uses_private_key(&self) -> bool {
        self.authentication == "private_key"
    }

    /// The error of a field of this form.
    pub(crate) fn field_error(
        &self,
        layout: &ConsoleLayout<'_>,
        frame: &PageFrame<'_>,
        field: ConsoleField,
    ) -> Option<&'static str> {
        layout.field_error(frame, field).filter(|_| self.was_submitted)
    }

    /// The error of the field whose input is never preserved, or the notice that it must be entered again;
    /// with its label, if other fields may have errors too.
    pub(crate) fn secret_field_error(
        &self,
        layout: &ConsoleLayout<'_>,
        frame: &PageFrame<'_>,
    ) -> Option<(&'static str, String)> {
        let phrases = &frame.phrases().connections;
        let (field, retype_text) = match self.protocol {
            ProviderProtocol::OpenId => (ConsoleField::Secret, phrases.secret_again),
            ProviderProtocol::Saml => (ConsoleField::Metadata, phrases.metadata_again),
        };
        let wrong = self.field_error(layout, frame, field).map(|wrong| (wrong, "trouble".to_owned()));
        wrong.or_else(|| self.needs_retyping.then(|| (retype_text, format!("{}-again", self.form))))
    }
}

impl ProviderProtocol {
    pub(crate) const fn text(self, phrases: &LocalePhrases) -> &'static str {
        match self {
            Self::OpenId => phrases.connections.open_id,
            Self::Saml => phrases.connections.saml,
        }
    }
}

impl ConnectionDetailView<'_> {
    /// Whether a domain is not verified, so that its users are not sent to the provider.
    pub(crate) fn has_unverified_domain(&self) -> bool {
        self.domains.iter().any(|domain| !domain.verified)
    }
}

impl ConsoleLayout<'_> {
    /// The URL of a connection's page.
    pub(crate) fn connection_url(&self, frame: &PageFrame<'_>, id: &str) -> String {
        self.section_url(frame, &format!("{}/{id}", ConsoleSection::Connections.path()))
    }
}

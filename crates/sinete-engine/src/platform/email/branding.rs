//! Who a message is from: the name, logo and colors of the instance or of an organization, and the operator's
//! templates.

use super::templates::EmailTemplates;

/// The e-mail settings of the instance.
#[derive(Clone, Debug, Default)]
pub struct EmailBrandingAndTemplates {
    /// The instance's branding.
    pub branding: EmailBranding,
    /// The operator's templates.
    pub templates: EmailTemplates,
}

/// The branding of messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmailBranding {
    /// The name that users know.
    pub name: String,
    /// The URL of the logo, if there is one in a format that mail programs display.
    pub logo: Option<String>,
    /// The color of the button, as `#rrggbb`; white text on it is readable.
    pub accent: String,
    /// The color behind the message, as `#rrggbb`; dark text on it is readable.
    pub background: String,
}

/// The organization that a message is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmailOrganization {
    /// Its slug, which names its folder of templates.
    pub slug: String,
    /// Its branding.
    pub branding: EmailBranding,
}

/// Who a message is from.
#[derive(Clone, Copy, Debug)]
pub struct EmailOrigin<'a> {
    /// The issuer, which every link begins with.
    pub issuer: &'a str,
    /// The settings of the instance.
    pub settings: &'a EmailBrandingAndTemplates,
    /// The organization, if the message is about one.
    pub organization: Option<&'a EmailOrganization>,
}

impl Default for EmailBranding {
    fn default() -> Self {
        Self {
            name: "Sinete".to_owned(),
            logo: None,
            accent: "#7a1f2b".to_owned(),
            background: "#f6f3ec".to_owned(),
        }
    }
}

impl<'a> EmailOrigin<'a> {
    /// The same, about an organization.
    #[must_use]
    pub const fn for_organization(self, organization: Option<&'a EmailOrganization>) -> Self {
        Self { organization, ..self }
    }

    /// The branding to show.
    pub(super) fn branding(self) -> &'a EmailBranding {
        self.organization.map_or(&self.settings.branding, |it| &it.branding)
    }

    /// The issuer without its scheme, which mail programs do not make a link of by themselves.
    pub(super) fn host(self) -> &'a str {
        self.issuer.split("://").nth(1).unwrap_or(self.issuer)
    }
}

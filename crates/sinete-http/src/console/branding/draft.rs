//! What was entered into the form of branding, and what is wrong with it.

use super::StoredBranding;
use crate::console::page_context::PageContext;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sinete_core::accounts::language::Language;
use sinete_core::organizations::branding::logo::{InvalidLogo, OrganizationLogo};
use sinete_core::organizations::branding::{AccentColor, BackgroundColor, BrandingSettings, InvalidColor};
use sinete_core::organizations::settings::OrganizationName;
use sinete_screens::language::UiLanguage;
use sinete_screens::locales::LocalePhrases;
use sinete_screens::sample_pages::SamplePage;
use sinete_server::extract::params::FormParams;

/// What was entered.
pub(super) struct BrandingDraft {
    pub(super) name: String,
    pub(super) accent: String,
    pub(super) background: String,
    /// A new logo in base64url; empty for none.
    pub(super) logo: String,
    pub(super) removes_logo: bool,
    pub(super) page: SamplePage,
    pub(super) language: UiLanguage,
    /// Whether it is what is stored.
    pub(super) is_stored: bool,
}

/// What can be used of it, and the problems by field.
#[derive(Default)]
pub(super) struct CheckedBranding {
    pub(super) settings: BrandingSettings,
    pub(super) logo: Option<OrganizationLogo>,
    pub(super) name_problem: Option<BrandingProblem>,
    pub(super) accent_problem: Option<BrandingProblem>,
    pub(super) background_problem: Option<BrandingProblem>,
    pub(super) logo_problem: Option<BrandingProblem>,
}

/// A problem of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BrandingProblem {
    Name,
    Color(InvalidColor),
    Logo(InvalidLogo),
}

impl BrandingProblem {
    pub(super) const fn text(self, phrases: &LocalePhrases) -> &'static str {
        match self {
            Self::Name => phrases.branding.name_invalid,
            Self::Color(InvalidColor::Malformed) => phrases.branding.color_invalid,
            Self::Color(InvalidColor::TooLight) => phrases.branding.accent_light,
            Self::Color(InvalidColor::TooDark) => phrases.branding.background_dark,
            Self::Logo(InvalidLogo::TooLarge) => phrases.branding.logo_too_large,
            Self::Logo(InvalidLogo::NotAnImage) => phrases.branding.logo_invalid,
            Self::Logo(InvalidLogo::ActiveContent) => phrases.branding.logo_active,
        }
    }
}

impl BrandingDraft {
    /// What is stored.
    pub(super) fn from_stored(context: &PageContext<'_>, stored: &StoredBranding) -> Self {
        Self {
            name: stored.field("name"),
            accent: stored.field("accent"),
            background: stored.field("background"),
            logo: String::new(),
            removes_logo: false,
            page: SamplePage::SignIn,
            language: context.reader.language,
            is_stored: true,
        }
    }

    /// Reads a form.
    pub(super) fn from_form(context: &PageContext<'_>, form: &FormParams) -> Self {
        let text = |name: &str| form.get(name).unwrap_or_default().trim().to_owned();
        Self {
            name: text("name"),
            accent: text("accent"),
            background: text("background"),
            logo: text("logo"),
            removes_logo: form.get("remove_logo").is_some(),
            page: SamplePage::from_name(&text("page")).unwrap_or(SamplePage::SignIn),
            language: Language::from_locale_list(&text("language")).unwrap_or(context.reader.language),
            is_stored: false,
        }
    }

    /// Checks all fields. What is invalid is left out, so that the rest can be shown.
    pub(super) fn check(&self) -> CheckedBranding {
        let mut checked = CheckedBranding::default();
        if !self.name.is_empty() {
            match OrganizationName::try_from(self.name.clone()) {
                Ok(name) => checked.settings.name = Some(name),
                Err(_) => checked.name_problem = Some(BrandingProblem::Name),
            }
        }
        if !self.accent.is_empty() {
            match AccentColor::try_from(self.accent.clone()) {
                Ok(accent) => checked.settings.accent = Some(accent),
                Err(invalid_color) => checked.accent_problem = Some(BrandingProblem::Color(invalid_color)),
            }
        }
        if !self.background.is_empty() {
            match BackgroundColor::try_from(self.background.clone()) {
                Ok(background) => checked.settings.background = Some(background),
                Err(invalid_color) => {
                    checked.background_problem = Some(BrandingProblem::Color(invalid_color))
                }
            }
        }
        if !self.logo.is_empty() {
            let bytes = URL_SAFE_NO_PAD.decode(&self.logo).map_err(|_| InvalidLogo::NotAnImage);
            match bytes.and_then(OrganizationLogo::new) {
                Ok(logo) => checked.logo = Some(logo),
                Err(invalid_logo) => checked.logo_problem = Some(BrandingProblem::Logo(invalid_logo)),
            }
        }
        checked
    }
}

impl CheckedBranding {
    pub(super) const fn has_problem(&self) -> bool {
        self.name_problem.is_some()
            || self.accent_problem.is_some()
            || self.background_problem.is_some()
            || self.logo_problem.is_some()
    }
}

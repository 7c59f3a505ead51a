//! The consent page. The user grants everything or nothing: there are no checkboxes.

use crate::display_time::DisplayTime;
use crate::form::PageForm;
use crate::form_error::FormError;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct ConsentView<'a> {
    /// The form's action and CSRF token.
    pub form: PageForm<'a>,
    /// The application's name, as registered.
    pub application: &'a str,
    /// Whether it is an AI agent.
    pub agent: bool,
    /// Who verified it.
    pub trust: TrustLabel<'a>,
    /// The display name of the signed-in user.
    pub account_label: &'a str,
    /// The organization that the consent is for.
    pub organization: &'a str,
    /// Where the response goes: the host, or the scheme of a native application; empty for device
    /// authorization and CIBA.
    pub redirect_host: &'a str,
    /// Whether it goes to a program on this device.
    pub loopback: bool,
    /// The device, for device authorization.
    pub device: Option<ConsentDevice<'a>>,
    /// The CIBA request, if it is one.
    pub approval: Option<ConsentApproval<'a>>,
    /// The requested permissions.
    pub permissions: &'a [ConsentPermission<'a>],
    /// The requested claims.
    pub claims: &'a [ConsentPermission<'a>],
    /// The authorization details.
    pub details: &'a [ConsentDetail<'a>],
    /// The application's privacy policy URL.
    pub policy: Option<&'a str>,
    /// The application's terms of service URL.
    pub terms: Option<&'a str>,
    /// The form error.
    pub error: Option<FormError>,
}

/// The requesting device, as it described itself.
#[derive(Clone, Copy, Debug)]
pub struct ConsentDevice<'a> {
    /// Program and operating system; empty if unknown.
    pub name: &'a str,
    /// The location, IP address, or both.
    pub from: &'a str,
    /// When it was requested.
    pub requested_at: DisplayTime,
}

/// A CIBA request.
#[derive(Clone, Copy, Debug)]
pub struct ConsentApproval<'a> {
    /// The binding message; empty if the authorization details describe the request.
    pub message: &'a str,
    /// The location, IP address, or both.
    pub from: &'a str,
    /// When it was requested.
    pub requested_at: DisplayTime,
}

/// Who verified an application.
#[derive(Clone, Copy, Debug)]
pub enum TrustLabel<'a> {
    /// The operators.
    Operator,
    /// The organization of this name, which owns it.
    Organization(&'a str),
    /// Not verified.
    Unverified,
}

/// A requested permission or claim.
#[derive(Clone, Copy, Debug)]
pub struct ConsentPermission<'a> {
    /// The display text.
    pub text: &'a str,
    /// Whether it is new compared with an earlier consent.
    pub new: bool,
    /// Whether the action is irreversible.
    pub irreversible: bool,
}

/// One of the authorization details.
#[derive(Clone, Copy, Debug)]
pub struct ConsentDetail<'a> {
    /// The display name of its type.
    pub name: &'a str,
    /// Its content, by name.
    pub facts: &'a [(&'a str, &'a str)],
}

#[derive(Template)]
#[template(path = "consent.html")]
struct ConsentPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: String,
    any_new: bool,
    view: &'a ConsentView<'a>,
    error: Option<String>,
}

impl ConsentView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        let error_text = self.error.map(|error| error.text(frame.language));
        let any_new = self.permissions.iter().chain(self.claims).any(|permission| permission.new);
        let title = match (self.device, self.approval) {
            (Some(_), _) => phrases.device.title(self.application),
            (None, Some(_)) => phrases.ciba.title(self.application),
            (None, None) => phrases.consent.title(self.application),
        };
        render_template(&ConsentPage { frame, phrases, title, any_new, view: self, error: error_text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::branding::PageBranding;
    use crate::language::UiLanguage;

    fn view() -> ConsentView<'static> {
        ConsentView {
            form: PageForm { action: "/consent?flow=1", csrf: "token" },
            application: "<img src=x>",
            agent: false,
            trust: TrustLabel::Unverified,
            account_label: "ana@example.org",
            organization: "Acme",
            redirect_host: "app.example.org",
            loopback: false,
            device: None,
            approval: None,
            permissions: &[ConsentPermission { text: "<b>read</b>", new: true, irreversible: true }],
            claims: &[],
            details: &[],
            policy: None,
            terms: None,
            error: None,
        }
    }

    #[test]
    fn consent_page_offers_both_answers_and_escapes_application_text() {
        let brand = PageBranding::default();
        for language in UiLanguage::ALL {
            let phrases = language.phrases();
            let page = view().render(&PageFrame::without_script(language, "", &brand));
            assert!(page.contains("id=\"consent-allow\"") && page.contains("id=\"consent-deny\""));
            assert!(!page.contains("<img src=x") && !page.contains("<b>"));
            assert!(page.contains(phrases.consent.unverified) && page.contains("app.example.org"));
            assert!(page.contains(phrases.consent.new_detail) && page.contains(phrases.consent.irreversible));
        }
    }

    #[test]
    fn consent_page_for_a_device_asks_for_confirmation_and_displays_its_origin() {
        let brand = PageBranding::default();
        let device =
            ConsentDevice { name: "<i>TV</i>", from: "Recife (203.0.113.7)", requested_at: DisplayTime(0) };
        for language in UiLanguage::ALL {
            let phrases = language.phrases();
            let page = ConsentView { device: Some(device), redirect_host: "", ..view() }
                .render(&PageFrame::without_script(language, "", &brand));
            assert!(page.contains(phrases.device.started) && page.contains(phrases.device.started_detail));
            assert!(page.contains("203.0.113.7") && !page.contains("<i>TV"));
            assert!(!page.contains(phrases.consent.leads_to) && page.contains("id=\"consent-deny\""));
            assert!(
                !view()
                    .render(&PageFrame::without_script(language, "", &brand))
                    .contains(phrases.device.started)
            );
        }
    }

    #[test]
    fn consent_page_for_ciba_displays_the_binding_message_and_advice_for_unexpected_requests() {
        let brand = PageBranding::default();
        let consent_approval = ConsentApproval {
            message: "Pay <i>R$ 12</i>",
            from: "Recife (203.0.113.7)",
            requested_at: DisplayTime(0),
        };
        for language in UiLanguage::ALL {
            let phrases = language.phrases();
            let page = ConsentView { approval: Some(consent_approval), redirect_host: "", ..view() }
                .render(&PageFrame::without_script(language, "", &brand));
            assert!(page.contains(phrases.ciba.compare) && page.contains(phrases.ciba.message));
            assert!(page.contains(phrases.ciba.ends_hint) && !page.contains(phrases.consent.revoke_hint));
            assert!(page.contains("203.0.113.7") && page.contains("R$ 12") && !page.contains("<i>R$"));
            assert!(page.contains(phrases.ciba.approve) && page.contains("id=\"consent-deny\""));
            assert!(!page.contains(phrases.consent.leads_to) && !page.contains(phrases.device.started));
            assert!(
                !view()
                    .render(&PageFrame::without_script(language, "", &brand))
                    .contains(phrases.ciba.compare)
            );
        }
    }

    #[test]
    fn consent_page_marks_no_known_scope_as_new_and_own_applications_have_no_warning() {
        let brand = PageBranding::default();
        let permissions = [ConsentPermission { text: "read", new: false, irreversible: false }];
        let page =
            ConsentView { permissions: &permissions, trust: TrustLabel::Organization("Acme"), ..view() }
                .render(&PageFrame::without_script(UiLanguage::English, "", &brand));
        let phrases = UiLanguage::English.phrases();
        assert!(!page.contains(phrases.consent.new_detail) && !page.contains(phrases.consent.unverified));
        assert!(page.contains("Belongs to Acme"));
    }
}

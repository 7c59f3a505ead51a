//! A person decides what an application may do for them. All of it or nothing: there are no boxes to tick.

use crate::display_time::DisplayTime;
use crate::form::PageForm;
use crate::form_error::FormError;
use crate::locales::{LocalePhrases, with_value};
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct ConsentView<'a> {
    /// Where the form goes.
    pub form: PageForm<'a>,
    /// The application's name, as it gave it.
    pub application: &'a str,
    /// Whether it is a program that acts by itself.
    pub agent: bool,
    /// Who vouches for it.
    pub vouched: TrustLabel<'a>,
    /// Who is deciding, as they know themselves.
    pub person: &'a str,
    /// The organization it is about.
    pub organization: &'a str,
    /// Where the answer goes: the host, or the scheme of a program; nowhere, where a device waits for it.
    pub leads_to: &'a str,
    /// Whether that is a program on this device.
    pub loopback: bool,
    /// The device that waits for the answer, where one does.
    pub device: Option<ConsentDevice<'a>>,
    /// The application that waits for an approval, where one does.
    pub approval: Option<ConsentApproval<'a>>,
    /// What it could do.
    pub permissions: &'a [ConsentPermission<'a>],
    /// What it would know.
    pub claims: &'a [ConsentPermission<'a>],
    /// What was asked in detail.
    pub details: &'a [ConsentDetail<'a>],
    /// Where its makers say what they do with it.
    pub policy: Option<&'a str>,
    /// Where its makers say on what terms.
    pub terms: Option<&'a str>,
    /// What was not right.
    pub trouble: Option<FormError>,
}

/// A device that asks, as it told of itself.
#[derive(Clone, Copy, Debug)]
pub struct ConsentDevice<'a> {
    /// The program and the system; empty, where neither is known.
    pub name: &'a str,
    /// From where: a place, an address, or both.
    pub from: &'a str,
    /// When.
    pub asked: DisplayTime,
}

/// An application that asks for an approval.
#[derive(Clone, Copy, Debug)]
pub struct ConsentApproval<'a> {
    /// What it says the request is about; empty, where it says it in detail.
    pub message: &'a str,
    /// From where: a place, an address, or both.
    pub from: &'a str,
    /// When.
    pub asked: DisplayTime,
}

/// Who vouches for an application.
#[derive(Clone, Copy, Debug)]
pub enum TrustLabel<'a> {
    /// Whoever runs the service.
    Operator,
    /// The organization of this name, whose own it is.
    Organization(&'a str),
    /// Nobody.
    Untrusted,
}

/// Something the application could do or would know.
#[derive(Clone, Copy, Debug)]
pub struct ConsentPermission<'a> {
    /// What it is, in plain words.
    pub text: &'a str,
    /// Whether it was not agreed to before, although something was.
    pub new: bool,
    /// Whether what it allows cannot be undone.
    pub irreversible: bool,
}

/// One of the details that were asked for.
#[derive(Clone, Copy, Debug)]
pub struct ConsentDetail<'a> {
    /// What kind it is, in plain words.
    pub name: &'a str,
    /// What it says.
    pub facts: &'a [(&'a str, &'a str)],
}

#[derive(Template)]
#[template(path = "consent.html")]
struct ConsentPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: String,
    any_new: bool,
    view: &'a ConsentView<'a>,
    trouble: Option<String>,
}

impl ConsentView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        let trouble = self.trouble.map(|trouble| trouble.text(frame.language));
        let any_new = self.permissions.iter().chain(self.claims).any(|permission| permission.new);
        let question = match (self.device, self.approval) {
            (Some(_), _) => words.device.title,
            (None, Some(_)) => words.approval.title,
            (None, None) => words.consent.title,
        };
        let title = with_value(question, self.application);
        render_template(&ConsentPage { frame, words, title, any_new, view: self, trouble })
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
            vouched: TrustLabel::Untrusted,
            person: "ana@example.org",
            organization: "Acme",
            leads_to: "app.example.org",
            loopback: false,
            device: None,
            approval: None,
            permissions: &[ConsentPermission { text: "<b>read</b>", new: true, irreversible: true }],
            claims: &[],
            details: &[],
            policy: None,
            terms: None,
            trouble: None,
        }
    }

    #[test]
    fn consent_page_offers_both_answers_and_escapes_application_text() {
        let brand = PageBranding::default();
        for language in UiLanguage::ALL {
            let words = language.words();
            let page = view().render(&PageFrame::without_script(language, "", &brand));
            assert!(page.contains("id=\"consent-allow\"") && page.contains("id=\"consent-deny\""));
            assert!(!page.contains("<img src=x") && !page.contains("<b>"));
            assert!(page.contains(words.consent.unverified) && page.contains("app.example.org"));
            assert!(page.contains(words.consent.new_detail) && page.contains(words.consent.irreversible));
        }
    }

    #[test]
    fn consent_page_for_a_device_asks_who_started_it_and_shows_its_origin() {
        let brand = PageBranding::default();
        let device = ConsentDevice { name: "<i>TV</i>", from: "Recife (203.0.113.7)", asked: DisplayTime(0) };
        for language in UiLanguage::ALL {
            let words = language.words();
            let page = ConsentView { device: Some(device), leads_to: "", ..view() }
                .render(&PageFrame::without_script(language, "", &brand));
            assert!(page.contains(words.device.started) && page.contains(words.device.started_detail));
            assert!(page.contains("203.0.113.7") && !page.contains("<i>TV"));
            assert!(!page.contains(words.consent.leads_to) && page.contains("id=\"consent-deny\""));
            assert!(
                !view()
                    .render(&PageFrame::without_script(language, "", &brand))
                    .contains(words.device.started)
            );
        }
    }

    #[test]
    fn consent_page_for_ciba_shows_the_message_and_what_to_do_if_unexpected() {
        let brand = PageBranding::default();
        let asking = ConsentApproval {
            message: "Pay <i>R$ 12</i>",
            from: "Recife (203.0.113.7)",
            asked: DisplayTime(0),
        };
        for language in UiLanguage::ALL {
            let words = language.words();
            let page = ConsentView { approval: Some(asking), leads_to: "", ..view() }
                .render(&PageFrame::without_script(language, "", &brand));
            assert!(page.contains(words.approval.compare) && page.contains(words.approval.message));
            assert!(page.contains(words.approval.ends_hint) && !page.contains(words.consent.revoke_hint));
            assert!(page.contains("203.0.113.7") && page.contains("R$ 12") && !page.contains("<i>R$"));
            assert!(page.contains(words.approval.approve) && page.contains("id=\"consent-deny\""));
            assert!(!page.contains(words.consent.leads_to) && !page.contains(words.device.started));
            assert!(
                !view()
                    .render(&PageFrame::without_script(language, "", &brand))
                    .contains(words.approval.compare)
            );
        }
    }

    #[test]
    fn consent_page_marks_no_known_scope_as_new_and_own_applications_have_no_warning() {
        let brand = PageBranding::default();
        let known = [ConsentPermission { text: "read", new: false, irreversible: false }];
        let page = ConsentView { permissions: &known, vouched: TrustLabel::Organization("Acme"), ..view() }
            .render(&PageFrame::without_script(UiLanguage::English, "", &brand));
        let words = UiLanguage::English.words();
        assert!(!page.contains(words.consent.new_detail) && !page.contains(words.consent.unverified));
        assert!(page.contains("Belongs to Acme"));
    }
}

//! The page that asks for an e-mail address, for a password reset or verification.

use crate::form::PageForm;
use crate::form_error::FormError;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct AddressRequestView<'a> {
    /// The form's action and CSRF token.
    pub form: PageForm<'a>,
    /// The reason.
    pub reason: AddressRequestReason,
    /// The action that sends a message.
    pub action: &'a str,
    /// The address, as entered before.
    pub identifier: &'a str,
    /// The URL of the cancel link.
    pub back: &'a str,
    /// The form error.
    pub trouble: Option<FormError>,
}

/// Why an address is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressRequestReason {
    /// Password reset.
    ForgottenPassword,
    /// Verification.
    Confirm,
}

#[derive(Template)]
#[template(path = "reset_password.html")]
struct AddressRequestPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    lead: &'static str,
    view: &'a AddressRequestView<'a>,
    trouble: Option<String>,
}

impl AddressRequestView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        let (title, lead) = match self.reason {
            AddressRequestReason::ForgottenPassword => {
                (words.credentials.reset_title, words.credentials.reset_lead)
            }
            AddressRequestReason::Confirm => (words.sign_up.verify_title, words.sign_up.verify_ask),
        };
        let trouble = self.trouble.map(|trouble| trouble.text(frame.language));
        render_template(&AddressRequestPage { frame, words, title, lead, view: self, trouble })
    }
}

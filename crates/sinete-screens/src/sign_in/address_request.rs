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
    pub cancel_url: &'a str,
    /// The form error.
    pub error: Option<FormError>,
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
    phrases: &'static LocalePhrases,
    title: &'static str,
    introduction: &'static str,
    view: &'a AddressRequestView<'a>,
    error: Option<String>,
}

impl AddressRequestView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        let (title, introduction) = match self.reason {
            AddressRequestReason::ForgottenPassword => {
                (phrases.credentials.reset_title, phrases.credentials.reset_lead)
            }
            AddressRequestReason::Confirm => (phrases.sign_up.verify_title, phrases.sign_up.verify_ask),
        };
        let error_text = self.error.map(|error| error.text(frame.language));
        render_template(&AddressRequestPage {
            frame,
            phrases,
            title,
            introduction,
            view: self,
            error: error_text,
        })
    }
}

//! Sign-in by phone number: a code is sent if the number is verified by an account. The page does not reveal
//! whether it is.

use crate::form::PageForm;
use crate::form_error::FormError;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct PhoneSignInView<'a> {
    /// The form's action and CSRF token.
    pub form: PageForm<'a>,
    /// The action that sends the code.
    pub action: &'a str,
    /// The number, as entered before.
    pub number: &'a str,
    /// The URL of the other methods.
    pub cancel_url: &'a str,
    /// The form error.
    pub error: Option<FormError>,
}

#[derive(Template)]
#[template(path = "sign_in_by_phone.html")]
struct PhoneSignInPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    view: &'a PhoneSignInView<'a>,
    error: Option<String>,
}

impl PhoneSignInView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        let error_text = self.error.map(|error| error.text(frame.language));
        render_template(&PhoneSignInPage {
            frame,
            phrases,
            title: phrases.sign_in.phone_title,
            view: self,
            error: error_text,
        })
    }
}

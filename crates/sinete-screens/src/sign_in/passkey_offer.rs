//! The page to create a passkey, offered after another sign-in method or requested by the user.

use crate::form::{PageForm, PasskeyCeremony};
use crate::form_error::FormError;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct PasskeyOfferView<'a> {
    /// The form's action and CSRF token.
    pub form: PageForm<'a>,
    /// The action that the form requests.
    pub action: &'a str,
    /// The options to create a passkey.
    pub ceremony: PasskeyCeremony<'a>,
    /// Whether the user can name it.
    pub can_name_passkey: bool,
    /// The URL to continue without one.
    pub skip: Option<&'a str>,
    /// The action that returns to the choice of a factor, if there is one.
    pub restart: Option<&'a str>,
    /// The form error.
    pub error: Option<FormError>,
}

#[derive(Template)]
#[template(path = "offer_passkey.html")]
struct PasskeyOfferPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    view: &'a PasskeyOfferView<'a>,
    error: Option<String>,
}

impl PasskeyOfferView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        let credentials_phrases = &phrases.credentials;
        let title = if self.can_name_passkey {
            credentials_phrases.passkey_add_title
        } else {
            credentials_phrases.passkey_title
        };
        let error_text = self.error.map(|error| error.text(frame.language));
        render_template(&PasskeyOfferPage { frame, phrases, title, view: self, error: error_text })
    }
}

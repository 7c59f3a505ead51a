//! The second factor page.

use crate::form::{PageForm, PasskeyCeremony};
use crate::form_error::FormError;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use crate::sign_in_method::SignInMethod;
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct SecondFactorView<'a> {
    /// The form's action and CSRF token.
    pub form: PageForm<'a>,
    /// The requested factor.
    pub method: SecondFactorMethod<'a>,
    /// The alternative methods.
    pub other_methods: &'a [SignInMethod],
    /// The form error.
    pub error: Option<FormError>,
}

/// The requested factor.
#[derive(Clone, Copy, Debug)]
pub enum SecondFactorMethod<'a> {
    /// A passkey.
    Passkey(PasskeyCeremony<'a>),
    /// A code from an authenticator app.
    Totp,
    /// A recovery code.
    RecoveryCode,
    /// The offer to send a code by SMS.
    Sms,
    /// The offer to use the organization's identity provider.
    Provider,
}

#[derive(Template)]
#[template(path = "second_factor.html")]
struct SecondFactorPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    view: &'a SecondFactorView<'a>,
    error: Option<String>,
}

impl SecondFactorView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        let error_text = self.error.map(|error| error.text(frame.language));
        render_template(&SecondFactorPage {
            frame,
            phrases,
            title: phrases.sign_in.second_title,
            view: self,
            error: error_text,
        })
    }
}

//! The second proof that it is really this person.

use crate::form::{PageForm, PasskeyCeremony};
use crate::form_error::FormError;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use crate::sign_in_method::SignInMethod;
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct SecondFactorView<'a> {
    /// Where the form goes.
    pub form: PageForm<'a>,
    /// What is asked for.
    pub way: SecondFactorMethod<'a>,
    /// What else would do.
    pub others: &'a [SignInMethod],
    /// What was not right.
    pub trouble: Option<FormError>,
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub enum SecondFactorMethod<'a> {
    /// A passkey.
    Passkey(PasskeyCeremony<'a>),
    /// A code from an authenticator app.
    Totp,
    /// A recovery code.
    RecoveryCode,
    /// Whether to send a text message.
    Sms,
    /// Whether to go to the organization's provider.
    Provider,
}

#[derive(Template)]
#[template(path = "second_factor.html")]
struct SecondFactorPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    view: &'a SecondFactorView<'a>,
    trouble: Option<String>,
}

impl SecondFactorView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        let trouble = self.trouble.map(|trouble| trouble.text(frame.language));
        render_template(&SecondFactorPage {
            frame,
            words,
            title: words.sign_in.second_title,
            view: self,
            trouble,
        })
    }
}

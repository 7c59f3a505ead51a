//! One question, one button. What a mail leads to happens when the button is pressed, never by opening the
//! page: programs that read mail open every link.

use crate::form::PageForm;
use crate::form_error::FormError;
use crate::lasting_access::AccessChoice;
use crate::locales::{LocalePhrases, with_value};
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct ConfirmationView<'a> {
    /// Where the form goes.
    pub form: PageForm<'a>,
    /// What is asked.
    pub question: ConfirmationQuestion<'a>,
    /// The action that a yes asks for.
    pub action: &'a str,
    /// What the form carries along.
    pub hidden: &'a [(&'a str, &'a str)],
    /// Where a no leads.
    pub back: Option<&'a str>,
    /// What was not right.
    pub trouble: Option<FormError>,
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub enum ConfirmationQuestion<'a> {
    /// Whether to sign in here, with the link sent to this address.
    SignIn(Option<&'a str>),
    /// Whether this address is one's own.
    VerifyEmail(Option<&'a str>),
    /// Whether to choose a new password.
    ResetPassword,
    /// Whether to make new recovery codes.
    RecoveryCodes,
    /// Whether to sign out.
    SignOut,
    /// Whether it was somebody else who signed in, with what acts for the person and ends unless it is kept.
    ReportSignIn(&'a [AccessChoice<'a>]),
    /// Whether to bring an old address back.
    UndoEmail,
}

#[derive(Template)]
#[template(path = "confirm.html")]
struct ConfirmationPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: String,
    lead: String,
    button: &'static str,
    warns: bool,
    view: &'a ConfirmationView<'a>,
    trouble: Option<String>,
}

impl ConfirmationView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        let (sign_in, sign_up) = (&words.sign_in, &words.sign_up);
        let (title, lead, button) = match self.question {
            ConfirmationQuestion::SignIn(address) => (
                sign_in.landing_title.to_owned(),
                match address {
                    Some(address) => with_value(sign_in.landing_lead, address),
                    None => sign_in.landing_plain.to_owned(),
                },
                sign_in.landing_button,
            ),
            ConfirmationQuestion::VerifyEmail(address) => (
                match address {
                    Some(address) => with_value(sign_up.verify_landing, address),
                    None => sign_up.verify_landing_plain.to_owned(),
                },
                sign_up.verify_landing_detail.to_owned(),
                sign_up.verify_button,
            ),
            ConfirmationQuestion::ResetPassword => (
                words.credentials.reset_landing.to_owned(),
                sign_in.landing_plain.to_owned(),
                words.credentials.reset_landing_button,
            ),
            ConfirmationQuestion::ReportSignIn(_) => (
                words.messages.not_me.to_owned(),
                words.messages.not_me_detail.to_owned(),
                words.messages.not_me_button,
            ),
            ConfirmationQuestion::UndoEmail => (
                words.messages.undo_email.to_owned(),
                words.messages.undo_email_detail.to_owned(),
                words.messages.undo_email_button,
            ),
            ConfirmationQuestion::RecoveryCodes => (
                words.credentials.recovery_make.to_owned(),
                words.credentials.recovery_make_detail.to_owned(),
                words.credentials.recovery_make_button,
            ),
            ConfirmationQuestion::SignOut => (
                words.messages.confirm_sign_out.to_owned(),
                words.messages.confirm_sign_out_detail.to_owned(),
                words.frame.sign_out,
            ),
        };
        let warns = matches!(
            self.question,
            ConfirmationQuestion::SignIn(_)
                | ConfirmationQuestion::VerifyEmail(_)
                | ConfirmationQuestion::ResetPassword
        );
        let trouble = self.trouble.map(|trouble| trouble.text(frame.language));
        render_template(&ConfirmationPage { frame, words, title, lead, button, warns, view: self, trouble })
    }
}

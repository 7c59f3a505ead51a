//! A confirmation page with one button. A link in an e-mail takes effect when the button is pressed, never
//! when the page is opened, because mail scanners open every link.

use crate::form::PageForm;
use crate::form_error::FormError;
use crate::locales::LocalePhrases;
use crate::long_lived_access::LongLivedAccessItem;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct ConfirmationView<'a> {
    /// The form's action and CSRF token.
    pub form: PageForm<'a>,
    /// The question.
    pub question: ConfirmationQuestion<'a>,
    /// The action of the confirm button.
    pub action: &'a str,
    /// Hidden form fields.
    pub hidden: &'a [(&'a str, &'a str)],
    /// Where the cancel link leads.
    pub cancel_url: Option<&'a str>,
    /// The form error.
    pub error: Option<FormError>,
}

/// The question of a confirmation page.
#[derive(Clone, Copy, Debug)]
pub enum ConfirmationQuestion<'a> {
    /// Sign in with the link sent to this address.
    SignIn(Option<&'a str>),
    /// Verify this e-mail address.
    VerifyEmail(Option<&'a str>),
    /// Choose a new password.
    ResetPassword,
    /// Generate new recovery codes.
    RecoveryCodes,
    /// Sign out.
    SignOut,
    /// Report a sign-in as not one's own, with the access that is revoked unless kept.
    ReportSignIn(&'a [LongLivedAccessItem<'a>]),
    /// Restore a replaced e-mail address.
    UndoEmail,
}

#[derive(Template)]
#[template(path = "confirm.html")]
struct ConfirmationPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: String,
    introduction: String,
    button: &'static str,
    is_warning: bool,
    view: &'a ConfirmationView<'a>,
    error: Option<String>,
}

impl ConfirmationView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        let (sign_in, sign_up) = (&phrases.sign_in, &phrases.sign_up);
        let (title, introduction, button) = match self.question {
            ConfirmationQuestion::SignIn(address) => (
                sign_in.landing_title.to_owned(),
                match address {
                    Some(address) => sign_in.landing_lead(address),
                    None => sign_in.landing_plain.to_owned(),
                },
                sign_in.landing_button,
            ),
            ConfirmationQuestion::VerifyEmail(address) => (
                match address {
                    Some(address) => sign_up.verify_landing(address),
                    None => sign_up.verify_landing_plain.to_owned(),
                },
                sign_up.verify_landing_detail.to_owned(),
                sign_up.verify_button,
            ),
            ConfirmationQuestion::ResetPassword => (
                phrases.credentials.reset_landing.to_owned(),
                sign_in.landing_plain.to_owned(),
                phrases.credentials.reset_landing_button,
            ),
            ConfirmationQuestion::ReportSignIn(_) => (
                phrases.messages.not_me.to_owned(),
                phrases.messages.not_me_detail.to_owned(),
                phrases.messages.not_me_button,
            ),
            ConfirmationQuestion::UndoEmail => (
                phrases.messages.undo_email.to_owned(),
                phrases.messages.undo_email_detail.to_owned(),
                phrases.messages.undo_email_button,
            ),
            ConfirmationQuestion::RecoveryCodes => (
                phrases.credentials.recovery_make.to_owned(),
                phrases.credentials.recovery_make_detail.to_owned(),
                phrases.credentials.recovery_make_button,
            ),
            ConfirmationQuestion::SignOut => (
                phrases.messages.confirm_sign_out.to_owned(),
                phrases.messages.confirm_sign_out_detail.to_owned(),
                phrases.frame.sign_out,
            ),
        };
        let warns = matches!(
            self.question,
            ConfirmationQuestion::SignIn(_)
                | ConfirmationQuestion::VerifyEmail(_)
                | ConfirmationQuestion::ResetPassword
        );
        let error_text = self.error.map(|error| error.text(frame.language));
        render_template(&ConfirmationPage {
            frame,
            phrases,
            title,
            introduction,
            button,
            is_warning: warns,
            view: self,
            error: error_text,
        })
    }
}

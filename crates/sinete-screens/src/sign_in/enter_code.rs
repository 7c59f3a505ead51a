//! A code was sent: it is entered here.

use crate::form::PageForm;
use crate::form_error::FormError;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct EnterCodeView<'a> {
    /// Where the form goes.
    pub form: PageForm<'a>,
    /// What the code is for.
    pub purpose: CodePurpose,
    /// The action that the code is given to.
    pub action: &'a str,
    /// Where it was sent, as it may be shown.
    pub sent_to: &'a str,
    /// The action that sends another.
    pub resend: &'a str,
    /// How many seconds to wait before that.
    pub resend_after: u64,
    /// The action that goes back to choosing a way, where there is one.
    pub restart: Option<&'a str>,
    /// What was not right.
    pub trouble: Option<FormError>,
}

/// What a code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodePurpose {
    /// Signing in, by e-mail: whether there is such an account is not said.
    SignIn,
    /// Signing in, by text message: whether there is such an account is not said.
    SignInByPhone,
    /// Signing in a second time, by text message.
    SecondFactor,
    /// Showing that an address is one's own.
    VerifyEmail,
    /// Showing that a telephone number is one's own.
    VerifyPhone,
    /// Resetting a password: whether there is such an account is not said.
    ResetPassword,
}

impl CodePurpose {
    /// Whether it was sent to a telephone.
    const fn is_sms(self) -> bool {
        matches!(self, Self::SignInByPhone | Self::SecondFactor | Self::VerifyPhone)
    }
}

#[derive(Template)]
#[template(path = "enter_code.html")]
struct EnterCodePage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    lead: &'static str,
    missing: &'static str,
    view: &'a EnterCodeView<'a>,
    trouble: Option<String>,
}

impl EnterCodeView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        let (title, lead) = match self.purpose {
            CodePurpose::SignIn => (words.sign_in.code_title, words.sign_in.code_by_email),
            CodePurpose::SignInByPhone => (words.sign_in.code_title, words.sign_in.code_to_phone),
            CodePurpose::SecondFactor => (words.sign_in.code_title, words.sign_in.code_by_sms),
            CodePurpose::VerifyEmail => (words.sign_up.verify_title, words.sign_up.verify_lead),
            CodePurpose::VerifyPhone => (words.sign_up.verify_number_title, words.sign_up.verify_number_lead),
            CodePurpose::ResetPassword => (words.sign_in.code_title, words.credentials.reset_sent_detail),
        };
        let missing =
            if self.purpose.is_sms() { words.sign_in.wait_for_text } else { words.sign_in.open_mail };
        let trouble = self.trouble.map(|trouble| trouble.text(frame.language));
        render_template(&EnterCodePage { frame, words, title, lead, missing, view: self, trouble })
    }
}

//! A code was sent: it is entered here.

use crate::form::Form;
use crate::page::{Frame, render};
use crate::trouble::Trouble;
use crate::words::Words;
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct EnterCode<'a> {
    /// Where the form goes.
    pub form: Form<'a>,
    /// What the code is for.
    pub purpose: Purpose,
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
    pub trouble: Option<Trouble>,
}

/// What a code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
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
    Reset,
}

impl Purpose {
    /// Whether it was sent to a telephone.
    const fn is_texted(self) -> bool {
        matches!(self, Self::SignInByPhone | Self::SecondFactor | Self::VerifyPhone)
    }
}

#[derive(Template)]
#[template(path = "enter_code.html")]
struct Page<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: &'static str,
    lead: &'static str,
    missing: &'static str,
    view: &'a EnterCode<'a>,
    trouble: Option<String>,
}

impl EnterCode<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = frame.words();
        let (title, lead) = match self.purpose {
            Purpose::SignIn => (words.sign_in.code_title, words.sign_in.code_by_email),
            Purpose::SignInByPhone => (words.sign_in.code_title, words.sign_in.code_to_phone),
            Purpose::SecondFactor => (words.sign_in.code_title, words.sign_in.code_by_sms),
            Purpose::VerifyEmail => (words.sign_up.verify_title, words.sign_up.verify_lead),
            Purpose::VerifyPhone => (words.sign_up.verify_number_title, words.sign_up.verify_number_lead),
            Purpose::Reset => (words.sign_in.code_title, words.credentials.reset_sent_detail),
        };
        let missing =
            if self.purpose.is_texted() { words.sign_in.wait_for_text } else { words.sign_in.open_mail };
        let trouble = self.trouble.map(|trouble| trouble.text(frame.language));
        render(&Page { frame, words, title, lead, missing, view: self, trouble })
    }
}

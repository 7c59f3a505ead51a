//! The page to enter a code that was sent.

use crate::form::PageForm;
use crate::form_error::FormError;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct EnterCodeView<'a> {
    /// The form's action and CSRF token.
    pub form: PageForm<'a>,
    /// The purpose of the code.
    pub purpose: CodePurpose,
    /// The action that receives the code.
    pub action: &'a str,
    /// Where it was sent, masked.
    pub sent_to: &'a str,
    /// The action that sends another code.
    pub resend: &'a str,
    /// The number of seconds before another code can be sent.
    pub resend_after: u64,
    /// The action that returns to the choice of a method, if there is one.
    pub restart: Option<&'a str>,
    /// The form error.
    pub error: Option<FormError>,
}

/// The purpose of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodePurpose {
    /// Sign-in by e-mail, without revealing whether the account exists.
    SignIn,
    /// Sign-in by SMS, without revealing whether the account exists.
    SignInByPhone,
    /// Second factor by SMS.
    SecondFactor,
    /// E-mail verification.
    VerifyEmail,
    /// Phone number verification.
    VerifyPhone,
    /// Password reset, without revealing whether the account exists.
    ResetPassword,
}

impl CodePurpose {
    /// Whether it was sent by SMS.
    const fn is_sms(self) -> bool {
        matches!(self, Self::SignInByPhone | Self::SecondFactor | Self::VerifyPhone)
    }
}

#[derive(Template)]
#[template(path = "enter_code.html")]
struct EnterCodePage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    introduction: [&'static str; 2],
    missing_hint: &'static str,
    view: &'a EnterCodeView<'a>,
    error: Option<String>,
}

impl EnterCodeView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        let (title, introduction) = match self.purpose {
            CodePurpose::SignIn => (phrases.sign_in.code_title, phrases.sign_in.code_by_email_around()),
            CodePurpose::SignInByPhone => {
                (phrases.sign_in.code_title, phrases.sign_in.code_to_phone_around())
            }
            CodePurpose::SecondFactor => (phrases.sign_in.code_title, phrases.sign_in.code_by_sms_around()),
            CodePurpose::VerifyEmail => (phrases.sign_up.verify_title, phrases.sign_up.verify_lead_around()),
            CodePurpose::VerifyPhone => {
                (phrases.sign_up.verify_number_title, phrases.sign_up.verify_number_lead_around())
            }
            CodePurpose::ResetPassword => {
                (phrases.sign_in.code_title, phrases.credentials.reset_sent_detail_around())
            }
        };
        let missing =
            if self.purpose.is_sms() { phrases.sign_in.wait_for_text } else { phrases.sign_in.open_mail };
        let error_text = self.error.map(|error| error.text(frame.language));
        render_template(&EnterCodePage {
            frame,
            phrases,
            title,
            introduction,
            missing_hint: missing,
            view: self,
            error: error_text,
        })
    }
}

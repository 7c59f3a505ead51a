//! The page to set up an authenticator app: the QR code, the secret as text, and the first code.

use crate::form::PageForm;
use crate::form_error::FormError;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct TotpEnrolmentView<'a> {
    /// The form's action and CSRF token.
    pub form: PageForm<'a>,
    /// The action that receives the first code.
    pub action: &'a str,
    /// The QR code, as SVG.
    pub picture: &'a str,
    /// The secret, as text.
    pub secret: &'a str,
    /// The `otpauth` URI, which opens an app on this device.
    pub uri: &'a str,
    /// The URL of the cancel link.
    pub cancel_url: Option<&'a str>,
    /// The action that returns to the choice of a factor, if there is one.
    pub restart: Option<&'a str>,
    /// The form error.
    pub error: Option<FormError>,
}

#[derive(Template)]
#[template(path = "enrol_totp.html")]
struct TotpEnrolmentPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    secret: String,
    view: &'a TotpEnrolmentView<'a>,
    error: Option<String>,
}

impl TotpEnrolmentView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        let error_text = self.error.map(|error| error.text(frame.language));
        let secret = group_in_fours(self.secret);
        render_template(&TotpEnrolmentPage {
            frame,
            phrases,
            title: phrases.credentials.totp_title,
            secret,
            view: self,
            error: error_text,
        })
    }
}

/// Formats a secret in groups of four characters.
fn group_in_fours(secret: &str) -> String {
    let characters: Vec<char> = secret.chars().filter(|character| !character.is_whitespace()).collect();
    characters.chunks(4).map(|four| four.iter().collect::<String>()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totp_secret_is_grouped_in_fours() {
        assert_eq!(group_in_fours("JBSWY3DPEHPK3PXP"), "JBSW Y3DP EHPK 3PXP");
        assert_eq!(group_in_fours("JBS WY"), "JBSW Y");
    }
}

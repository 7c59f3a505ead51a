//! Pages that say how something ended.

use crate::page::{Frame, render};
use crate::words::with;
use askama::Template;

/// How something ended.
#[derive(Clone, Copy, Debug)]
pub enum Notice<'a> {
    /// The person is signed out.
    SignedOut,
    /// This address is shown to be the person's own.
    EmailVerified(&'a str),
    /// The password is another one.
    PasswordChanged,
    /// A link that was used before, or is too old.
    LinkSpent,
    /// A page that was open too long, or was finished elsewhere.
    FlowOver,
    /// A form that did not come from the page this browser was shown.
    FormRefused,
}

#[derive(Template)]
#[template(path = "notice.html")]
struct Page<'a> {
    frame: &'a Frame<'a>,
    title: &'static str,
    detail: String,
    calm: bool,
    button: Option<(&'static str, &'static str)>,
}

impl Notice<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = &frame.words().messages;
        let sign_in = ("/sign-in", words.sign_in_again);
        let start_again = ("/sign-in", words.start_again);
        let (title, detail, calm, button) = match self {
            Self::SignedOut => (words.signed_out, words.signed_out_detail.to_owned(), true, Some(sign_in)),
            Self::EmailVerified(address) => {
                (words.email_verified, with(words.email_verified_detail, address), true, None)
            }
            Self::PasswordChanged => {
                (words.password_changed, words.password_changed_detail.to_owned(), true, Some(sign_in))
            }
            Self::LinkSpent => {
                (words.link_spent, words.link_spent_detail.to_owned(), false, Some(start_again))
            }
            Self::FlowOver => (words.flow_over, words.flow_over_detail.to_owned(), false, Some(start_again)),
            Self::FormRefused => (words.refused, words.refused_detail.to_owned(), false, Some(start_again)),
        };
        render(&Page { frame, title, detail, calm, button })
    }
}

//! A link was sent, if there is somebody to send it to.

use crate::form::Form;
use crate::page::{Frame, render};
use crate::trouble::Trouble;
use crate::words::Words;
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct LinkSent<'a> {
    /// Where the form goes.
    pub form: Form<'a>,
    /// What the link is for.
    pub purpose: Purpose,
    /// Where it was sent, as it was typed.
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

/// What a link is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Signing in.
    SignIn,
    /// Choosing a new password.
    Reset,
}

#[derive(Template)]
#[template(path = "link_sent.html")]
struct Page<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: &'static str,
    lead: &'static str,
    view: &'a LinkSent<'a>,
    trouble: Option<String>,
}

impl LinkSent<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = frame.words();
        let (title, lead) = match self.purpose {
            Purpose::SignIn => (words.sign_in.link_sent, words.sign_in.link_sent_detail),
            Purpose::Reset => (words.credentials.reset_sent, words.credentials.reset_sent_detail),
        };
        let trouble = self.trouble.map(|trouble| trouble.text(frame.language));
        render(&Page { frame, words, title, lead, view: self, trouble })
    }
}

//! A passkey is offered to somebody who came in another way, or asked for it.

use crate::form::{Ceremony, Form};
use crate::page::{Frame, render};
use crate::trouble::Trouble;
use crate::words::Words;
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct OfferPasskey<'a> {
    /// Where the form goes.
    pub form: Form<'a>,
    /// The action that takes it.
    pub action: &'a str,
    /// What the browser is told to make a passkey with.
    pub ceremony: Ceremony<'a>,
    /// Whether the person gives it a name.
    pub names: bool,
    /// Where to go on without one.
    pub skip: Option<&'a str>,
    /// What was not right.
    pub trouble: Option<Trouble>,
}

#[derive(Template)]
#[template(path = "offer_passkey.html")]
struct Page<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: &'static str,
    view: &'a OfferPasskey<'a>,
    trouble: Option<String>,
}

impl OfferPasskey<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = frame.words();
        let own = &words.credentials;
        let title = if self.names { own.passkey_add_title } else { own.passkey_title };
        let trouble = self.trouble.map(|trouble| trouble.text(frame.language));
        render(&Page { frame, words, title, view: self, trouble })
    }
}

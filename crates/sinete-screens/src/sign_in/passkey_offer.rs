//! A passkey is offered to somebody who came in another way, or asked for it.

use crate::form::{PageForm, PasskeyCeremony};
use crate::form_error::FormError;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct PasskeyOfferView<'a> {
    /// Where the form goes.
    pub form: PageForm<'a>,
    /// The action that takes it.
    pub action: &'a str,
    /// What the browser is told to make a passkey with.
    pub ceremony: PasskeyCeremony<'a>,
    /// Whether the person gives it a name.
    pub names: bool,
    /// Where to go on without one.
    pub skip: Option<&'a str>,
    /// What was not right.
    pub trouble: Option<FormError>,
}

#[derive(Template)]
#[template(path = "offer_passkey.html")]
struct PasskeyOfferPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    view: &'a PasskeyOfferView<'a>,
    trouble: Option<String>,
}

impl PasskeyOfferView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        let own = &words.credentials;
        let title = if self.names { own.passkey_add_title } else { own.passkey_title };
        let trouble = self.trouble.map(|trouble| trouble.text(frame.language));
        render_template(&PasskeyOfferPage { frame, words, title, view: self, trouble })
    }
}

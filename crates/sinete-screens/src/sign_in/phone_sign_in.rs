//! Signing in with a telephone number: digits are sent to it, if it is one that somebody has confirmed. Whether it is
//! shows in nothing.

use crate::form::PageForm;
use crate::form_error::FormError;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct PhoneSignInView<'a> {
    /// Where the form goes.
    pub form: PageForm<'a>,
    /// The action that sends the digits.
    pub action: &'a str,
    /// The number, as it was typed before.
    pub number: &'a str,
    /// Where the other ways are.
    pub back: &'a str,
    /// What was not right.
    pub trouble: Option<FormError>,
}

#[derive(Template)]
#[template(path = "sign_in_by_phone.html")]
struct PhoneSignInPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    view: &'a PhoneSignInView<'a>,
    trouble: Option<String>,
}

impl PhoneSignInView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        let trouble = self.trouble.map(|trouble| trouble.text(frame.language));
        render_template(&PhoneSignInPage {
            frame,
            words,
            title: words.sign_in.phone_title,
            view: self,
            trouble,
        })
    }
}

//! An address is asked for: of somebody who forgot a password, or who wants to confirm the address itself.

use crate::form::PageForm;
use crate::form_error::FormError;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct AddressRequestView<'a> {
    /// Where the form goes.
    pub form: PageForm<'a>,
    /// Why it is asked.
    pub reason: AddressRequestReason,
    /// The action that something is sent by.
    pub action: &'a str,
    /// The address, as it was typed before.
    pub identifier: &'a str,
    /// Where to go instead.
    pub back: &'a str,
    /// What was not right.
    pub trouble: Option<FormError>,
}

/// Why an address is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressRequestReason {
    /// The password was forgotten.
    ForgottenPassword,
    /// It is to be confirmed.
    Confirm,
}

#[derive(Template)]
#[template(path = "reset_password.html")]
struct AddressRequestPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    lead: &'static str,
    view: &'a AddressRequestView<'a>,
    trouble: Option<String>,
}

impl AddressRequestView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        let (title, lead) = match self.reason {
            AddressRequestReason::ForgottenPassword => {
                (words.credentials.reset_title, words.credentials.reset_lead)
            }
            AddressRequestReason::Confirm => (words.sign_up.verify_title, words.sign_up.verify_ask),
        };
        let trouble = self.trouble.map(|trouble| trouble.text(frame.language));
        render_template(&AddressRequestPage { frame, words, title, lead, view: self, trouble })
    }
}

//! A new password is chosen.

use crate::form::PageForm;
use crate::form_error::FormError;
use crate::lasting_access::AccessChoice;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct SetPasswordView<'a> {
    /// Where the form goes.
    pub form: PageForm<'a>,
    /// The action that takes it.
    pub action: &'a str,
    /// Whose it is, for the password manager.
    pub person: &'a str,
    /// Whether there was one before.
    pub occasion: SetPasswordReason,
    /// The least number of characters.
    pub password_min: u32,
    /// Whether the one there is has to be shown.
    pub asks_current: bool,
    /// What acts for the person and ends with it, unless it is kept.
    pub access: &'a [AccessChoice<'a>],
    /// Where whoever changes their mind goes.
    pub back: Option<&'a str>,
    /// What was not right.
    pub trouble: Option<FormError>,
}

/// Whether there was a password before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetPasswordReason {
    /// It replaces another, and whoever else is signed in is signed out.
    Replace,
    /// It is the first.
    First,
}

#[derive(Template)]
#[template(path = "set_password.html")]
struct SetPasswordPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    lead: &'static str,
    view: &'a SetPasswordView<'a>,
    trouble: Option<String>,
}

impl SetPasswordView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        let (title, lead) = match self.occasion {
            SetPasswordReason::Replace => (words.credentials.set_title, words.credentials.set_lead),
            SetPasswordReason::First => (words.credentials.set_first_title, words.credentials.set_first_lead),
        };
        let trouble = self.trouble.map(|trouble| trouble.text(frame.language));
        render_template(&SetPasswordPage { frame, words, title, lead, view: self, trouble })
    }
}

impl SetPasswordPage<'_> {
    /// Whether the new password is what was not right.
    fn is_new_password_rejected(&self) -> bool {
        self.view.trouble.is_some() && !self.is_current_password_wrong()
    }

    /// Whether the one there is did not match.
    fn is_current_password_wrong(&self) -> bool {
        self.view.asks_current && self.view.trouble == Some(FormError::WrongCredentials)
    }

    /// Whether the cursor is where the new one is typed.
    fn focuses_new_password(&self) -> bool {
        !self.view.asks_current || self.is_new_password_rejected()
    }
}

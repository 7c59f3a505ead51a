//! The page to set a password.

use crate::form::PageForm;
use crate::form_error::FormError;
use crate::locales::LocalePhrases;
use crate::long_lived_access::LongLivedAccessItem;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct SetPasswordView<'a> {
    /// The form's action and CSRF token.
    pub form: PageForm<'a>,
    /// The action that the form requests.
    pub action: &'a str,
    /// The account's identifier, for password managers.
    pub account_label: &'a str,
    /// Whether it replaces another.
    pub reason: SetPasswordReason,
    /// The minimum number of characters.
    pub password_min: u32,
    /// Whether the current password is required.
    pub requires_current_password: bool,
    /// The access that is revoked with it, unless kept.
    pub access: &'a [LongLivedAccessItem<'a>],
    /// The URL of the cancel link.
    pub cancel_url: Option<&'a str>,
    /// The form error.
    pub error: Option<FormError>,
}

/// Whether there was a password before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetPasswordReason {
    /// It replaces another, and all other sessions end.
    Replace,
    /// It is the first.
    First,
}

#[derive(Template)]
#[template(path = "set_password.html")]
struct SetPasswordPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    introduction: &'static str,
    view: &'a SetPasswordView<'a>,
    error: Option<String>,
}

impl SetPasswordView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        let (title, introduction) = match self.reason {
            SetPasswordReason::Replace => (phrases.credentials.set_title, phrases.credentials.set_lead),
            SetPasswordReason::First => {
                (phrases.credentials.set_first_title, phrases.credentials.set_first_lead)
            }
        };
        let error_text = self.error.map(|error| error.text(frame.language));
        render_template(&SetPasswordPage {
            frame,
            phrases,
            title,
            introduction,
            view: self,
            error: error_text,
        })
    }
}

impl SetPasswordPage<'_> {
    /// Whether the new password was rejected.
    fn is_new_password_rejected(&self) -> bool {
        self.view.error.is_some() && !self.is_current_password_wrong()
    }

    /// Whether the current password was wrong.
    fn is_current_password_wrong(&self) -> bool {
        self.view.requires_current_password && self.view.error == Some(FormError::WrongCredentials)
    }

    /// Whether the new password field has the focus.
    fn focuses_new_password(&self) -> bool {
        !self.view.requires_current_password || self.is_new_password_rejected()
    }
}

//! What a form on the console leaves behind for the page that follows: what came of it, and what was typed where it
//! was not done. It is read once, by this browser alone, and never holds a secret.

use crate::extract::pairs::FormParams;
use crate::screens::form_cookie::{FormCookie, FormCookieScope, RETYPE_FIELD, storable_fields};
use crate::security_headers::IssuerScheme;
use axum::http::header::HeaderMap;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use sinete_screens::console::notices::ConsoleNotice;

/// It waits two minutes for the page.
const FLASH_COOKIE: FormCookie =
    FormCookie { name: "came_of_it", seconds: 120, scope: FormCookieScope::SameSiteStrict };

/// What belongs to the page that was left, and is made anew.
const OMITTED_FIELDS: [&str; 3] = ["csrf", "action", "once"];

/// What is left behind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FlashForm {
    /// The page it is for.
    page: String,
    said: String,
    /// The form that it came of.
    #[serde(default)]
    form: String,
    /// Whether what was typed was too much to be kept.
    #[serde(default)]
    is_lost: bool,
    #[serde(with = "crate::screens::form_cookie")]
    typed: Vec<(String, String)>,
}

impl FlashForm {
    /// Something was done.
    pub(super) fn success(page: &str, said: ConsoleNotice) -> Self {
        Self { page: page.to_owned(), said: said.name().to_owned(), ..Self::default() }
    }

    /// Something was not done, and this was typed.
    pub(super) fn failure(page: &str, said: ConsoleNotice, form: &FormParams) -> Self {
        // All of it is kept or nothing is: half an address would be another address.
        let typed = storable_fields(form, &OMITTED_FIELDS);
        Self { typed, form: form.get("action").unwrap_or_default().to_owned(), ..Self::success(page, said) }
    }

    /// It was proven who asks, for a form that is filled in now.
    pub(super) fn after_step_up(page: &str, form: &str) -> Self {
        Self { form: form.to_owned(), ..Self::success(page, ConsoleNotice::Proven) }
    }

    /// The same, where that form was sent before and was too long to wait.
    pub(super) fn after_step_up_without_input(page: &str, form: &str) -> Self {
        Self { form: form.to_owned(), is_lost: true, ..Self::success(page, ConsoleNotice::NotKept) }
    }

    /// What was left behind for this page.
    pub(super) fn from_cookie(headers: &HeaderMap, scheme: IssuerScheme, page: &str) -> Option<Self> {
        FLASH_COOKIE
            .read_cookie(headers, scheme)
            .filter(|left: &Self| left.page == page && left.notice().is_some())
    }

    pub(super) fn notice(&self) -> Option<ConsoleNotice> {
        ConsoleNotice::from_name(&self.said)
    }

    /// Whether something was typed that could not be kept.
    pub(super) const fn is_input_lost(&self) -> bool {
        self.is_lost
    }

    /// What was typed, where it was not done.
    pub(super) fn failed_input(&self) -> Option<&[(String, String)]> {
        let is_there = !self.is_lost && self.notice().is_some_and(|said| said.is_error());
        Some(&self.typed[..]).filter(|_| is_there)
    }

    /// Whether a box of a form was ticked, where it was that form that was not done. Of a box that was not in the form
    /// that was sent nothing is known.
    pub(super) fn was_ticked(&self, form: &str, name: &str) -> Option<bool> {
        let typed = self.failed_input().filter(|_| self.form == form)?;
        Some(typed.iter().any(|(known, _)| known == name))
    }

    /// Whether somebody is at this form: it was not done, or it was proven who fills it in.
    pub(super) fn is_form_open(&self, form: &str) -> bool {
        self.form == form
    }

    /// Whether something was typed into this field of a form that was not done, and has to be typed again.
    pub(super) fn needs_retyping(&self, form: &str, name: &str) -> bool {
        let typed = self.failed_input().filter(|_| self.form == form).unwrap_or_default();
        typed.iter().any(|(known, field)| known == RETYPE_FIELD && field == name)
    }

    /// Whether it was this form that was not done.
    pub(super) fn has_input_of(&self, form: &str) -> bool {
        self.failed_input().is_some() && self.form == form
    }

    /// The version that a form is of, where this one stands now. A form that comes back as it was typed is still of the
    /// version that it was sent with, so that what others did meanwhile is noticed; where it was noticed, the page
    /// shows how things stand.
    pub(super) fn form_version(&self, form: &str, current: i64) -> i64 {
        let is_kept = self.has_input_of(form) && self.notice() != Some(ConsoleNotice::Changed);
        let sent = self.typed_field("version").filter(|_| is_kept);
        sent.and_then(|version| version.parse().ok()).unwrap_or(current)
    }

    /// What was typed into a field.
    pub(super) fn typed_field(&self, name: &str) -> Option<&str> {
        self.failed_input()?.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The answer, with this left behind. What was typed is, where there is room for it; what came of it always is.
    pub(super) fn set_cookie(&self, response: &mut Response, scheme: IssuerScheme) {
        if !FLASH_COOKIE.set_cookie(response, scheme, self) {
            let Self { page, said, form, .. } = self.clone();
            FLASH_COOKIE.set_cookie(
                response,
                scheme,
                &Self { page, said, form, is_lost: true, ..Self::default() },
            );
        }
    }

    pub(super) fn clear_cookie(response: &mut Response, scheme: IssuerScheme) {
        FLASH_COOKIE.clear_cookie(response, scheme);
    }
}

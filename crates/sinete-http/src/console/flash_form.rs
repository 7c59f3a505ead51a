//! The flash cookie of console forms: the result, and the rejected input. It is read once, by this browser,
//! and never contains a secret.

use crate::screens::form_cookie::{FormCookie, FormCookieScope, RETYPE_FIELD, storable_fields};
use axum::http::header::HeaderMap;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use sinete_core::limits::FLOW_LIFETIME;
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::extract::params::FormParams;
use sinete_server::security_headers::IssuerScheme;

/// It is valid for two minutes.
const FLASH_COOKIE: FormCookie =
    FormCookie { name: "came_of_it", seconds: 120, scope: FormCookieScope::SameSiteStrict };

/// Input that waits for a sign-in is valid as long as that may take.
const INPUT_COOKIE: FormCookie = FormCookie { seconds: FLOW_LIFETIME.seconds(), ..FLASH_COOKIE };

/// Fields that belong to the previous page and are generated again.
const OMITTED_FIELDS: [&str; 3] = ["csrf", "action", "once"];

/// The flash data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FlashForm {
    /// The page it is for.
    page: String,
    #[serde(rename = "said")]
    notice: String,
    /// The submitted form.
    #[serde(default)]
    form: String,
    /// Whether the input was too large to be stored.
    #[serde(default)]
    is_lost: bool,
    /// The names of the invalid fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    wrong: Vec<String>,
    /// The sentence of the API about a refusal.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    detail: String,
    #[serde(with = "crate::screens::form_cookie")]
    #[serde(rename = "typed")]
    fields: Vec<(String, String)>,
}

impl FlashForm {
    /// A success.
    pub(super) fn success(page: &str, notice: ConsoleNotice) -> Self {
        Self { page: page.to_owned(), notice: notice.name().to_owned(), ..Self::default() }
    }

    /// A failure with its input.
    pub(super) fn failure(page: &str, notice: ConsoleNotice, form: &FormParams) -> Self {
        // The input is stored completely or not at all: half a URL would be another URL.
        let fields = storable_fields(form, &OMITTED_FIELDS);
        Self {
            fields,
            form: form.get("action").unwrap_or_default().to_owned(),
            ..Self::success(page, notice)
        }
    }

    /// The same with the invalid fields and the sentence of the API.
    pub(super) fn with_refusal(mut self, wrong: &[&str], detail: &str) -> Self {
        self.wrong = wrong.iter().map(|&name| name.to_owned()).collect();
        detail.clone_into(&mut self.detail);
        self
    }

    /// The sentence of the API about a refusal; empty if there is none.
    pub(super) fn detail(&self) -> &str {
        &self.detail
    }

    /// Whether this field of the rejected form is invalid.
    pub(super) fn is_field_wrong(&self, form: &str, name: &str) -> bool {
        self.form == form && self.wrong.iter().any(|wrong| wrong == name)
    }

    /// A completed step-up, for a form that is filled in now.
    pub(super) fn after_step_up(page: &str, form: &str) -> Self {
        Self { form: form.to_owned(), ..Self::success(page, ConsoleNotice::Proven) }
    }

    /// The same after a form that was too large to be stored.
    pub(super) fn after_step_up_without_input(page: &str, form: &str) -> Self {
        Self { form: form.to_owned(), is_lost: true, ..Self::success(page, ConsoleNotice::NotKept) }
    }

    /// Reads the flash data for this page.
    pub(super) fn from_cookie(headers: &HeaderMap, scheme: IssuerScheme, page: &str) -> Option<Self> {
        FLASH_COOKIE
            .read_cookie(headers, scheme)
            .filter(|flash: &Self| flash.page == page && flash.notice().is_some())
    }

    pub(super) fn notice(&self) -> Option<ConsoleNotice> {
        ConsoleNotice::from_name(&self.notice)
    }

    /// Whether the input could not be stored.
    pub(super) const fn is_input_lost(&self) -> bool {
        self.is_lost
    }

    /// The rejected input, if any.
    pub(super) fn failed_input(&self) -> Option<&[(String, String)]> {
        let is_there = !self.is_lost && self.notice().is_some_and(|notice| notice.is_error());
        Some(&self.fields[..]).filter(|_| is_there)
    }

    /// Whether a checkbox of the rejected form was ticked; `None` for other forms.
    pub(super) fn was_ticked(&self, form: &str, name: &str) -> Option<bool> {
        let fields = self.failed_input().filter(|_| self.form == form)?;
        Some(fields.iter().any(|(key, _)| key == name))
    }

    /// Whether this form is open: it was rejected, or a step-up for it was completed.
    pub(super) fn is_form_open(&self, form: &str) -> bool {
        self.form == form
    }

    /// Whether this field of the rejected form must be entered again.
    pub(super) fn needs_retyping(&self, form: &str, name: &str) -> bool {
        let fields = self.failed_input().filter(|_| self.form == form).unwrap_or_default();
        fields.iter().any(|(key, field)| key == RETYPE_FIELD && field == name)
    }

    /// Whether this form was rejected.
    pub(super) fn has_input_of(&self, form: &str) -> bool {
        self.failed_input().is_some() && self.form == form
    }

    /// The version that a form submits. A rejected form keeps the version it was submitted with, so that
    /// concurrent changes are detected; after a conflict, it is the current one.
    pub(super) fn form_version(&self, form: &str, current: i64) -> i64 {
        let is_kept = self.has_input_of(form) && self.notice() != Some(ConsoleNotice::Changed);
        let submitted_version = self.typed_field("version").filter(|_| is_kept);
        submitted_version.and_then(|version| version.parse().ok()).unwrap_or(current)
    }

    /// The input of a field.
    pub(super) fn typed_field(&self, name: &str) -> Option<&str> {
        self.failed_input()?.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Sets the cookie. The input is included if it fits; the result always is.
    pub(super) fn set_cookie(&self, response: &mut Response, scheme: IssuerScheme) {
        self.store_in(FLASH_COOKIE, response, scheme);
    }

    /// The same until the user has signed in again.
    pub(super) fn set_cookie_for_sign_in(&self, response: &mut Response, scheme: IssuerScheme) {
        self.store_in(INPUT_COOKIE, response, scheme);
    }

    fn store_in(&self, cookie: FormCookie, response: &mut Response, scheme: IssuerScheme) {
        if !cookie.set_cookie(response, scheme, self) {
            let Self { page, notice: notice_name, form, wrong, .. } = self.clone();
            let without = Self { page, notice: notice_name, form, wrong, is_lost: true, ..Self::default() };
            cookie.set_cookie(response, scheme, &without);
        }
    }

    pub(super) fn clear_cookie(response: &mut Response, scheme: IssuerScheme) {
        FLASH_COOKIE.clear_cookie(response, scheme);
    }
}

//! Submitted forms with the displayed values, so that only changed fields are saved: other fields keep
//! concurrent changes (docs/contribute/decisions/0157-console-forms-change-only-edited-fields.md).

use crate::console::flash_form::FlashForm;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sinete_core::secret::Digest;
use sinete_server::extract::params::FormParams;

/// The field with the displayed values.
const ORIGINAL_VALUES_FIELD: &str = "shown";

/// The length of a field's fingerprint: enough to detect a change.
const FINGERPRINT_BYTES: usize = 6;

/// The same in characters.
const FINGERPRINT_CHARACTERS: usize = 8;

/// The value of a ticked checkbox.
const TICKED_VALUE: &str = "on";

/// The digest type of fingerprints.
enum FieldDigestDomain {}

/// Encodes the displayed values: texts by field name, and the ticked checkboxes.
pub(super) fn encode_original_values<'a>(
    field_values: impl IntoIterator<Item = (&'a str, &'a str)>,
    ticked_names: impl IntoIterator<Item = String>,
) -> String {
    let boxes = ticked_names.into_iter().map(|name| fingerprint_text(&name, TICKED_VALUE));
    field_values.into_iter().map(|(name, text)| fingerprint_text(name, text)).chain(boxes).collect()
}

/// A submitted form with the displayed values.
pub(super) struct SubmittedForm {
    form: FormParams,
    fingerprints: Vec<String>,
}

impl SubmittedForm {
    /// The rejected input of this form, if any.
    pub(super) fn from_flash(flash: Option<&FlashForm>, form: &str) -> Option<Self> {
        Some(Self::from_form(FormParams::from_pairs(
            flash.filter(|flash| flash.has_input_of(form))?.failed_input()?.to_vec(),
        )))
    }

    /// Reads a form.
    pub(super) fn from_form(form: FormParams) -> Self {
        let marks =
            form.get(ORIGINAL_VALUES_FIELD).unwrap_or_default().as_bytes().chunks(FINGERPRINT_CHARACTERS);
        let fingerprints = marks.map(|mark| String::from_utf8_lossy(mark).into_owned()).collect();
        Self { form, fingerprints }
    }

    /// The fingerprints of the displayed values; `None` if their number differs.
    pub(super) fn original_fingerprints(&self, many: usize) -> Option<&[String]> {
        Some(&self.fingerprints[..]).filter(|marks| marks.len() == many)
    }

    /// The input of a text field, if it was changed.
    pub(super) fn changed_text(&self, name: &str) -> Option<&str> {
        let (_, value) = self.form.iter().find(|(key, _)| *key == name)?;
        Some(value).filter(|value| !self.was_original(name, value))
    }

    /// Whether a checkbox is ticked, if that was changed.
    pub(super) fn changed_tick(&self, name: &str) -> Option<bool> {
        let is_ticked = self.form.iter().any(|(key, _)| key == name);
        (is_ticked != self.was_original(name, TICKED_VALUE)).then_some(is_ticked)
    }

    /// Whether a checkbox was ticked when it was displayed.
    pub(super) fn was_ticked(&self, name: &str) -> bool {
        self.was_original(name, TICKED_VALUE)
    }

    /// Whether this is the displayed value of a field.
    pub(super) fn was_original(&self, name: &str, text: &str) -> bool {
        self.fingerprints.contains(&fingerprint_text(name, text))
    }
}

/// The fingerprint of a text, with normalized line ends and without trailing white space.
fn fingerprint_text(name: &str, text: &str) -> String {
    let text = text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let digest = Digest::<FieldDigestDomain>::from_parts(&[name.as_bytes(), text.trim().as_bytes()]);
    URL_SAFE_NO_PAD.encode(&digest.as_bytes()[..FINGERPRINT_BYTES])
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_screens::console::notices::ConsoleNotice;

    fn sent(fields: &[(&str, &str)]) -> SubmittedForm {
        let original_values =
            encode_original_values([("name", "Acme"), ("lines", "a\nb")], ["box.one".to_owned()]);
        let hidden_fields = [("action", "change"), ("shown", original_values.as_str())];
        let fields = fields.iter().chain(&hidden_fields);
        let form = fields.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let flash_form = FlashForm::failure("/here", ConsoleNotice::Changed, &FormParams::from_pairs(form));
        assert!(
            SubmittedForm::from_flash(Some(&flash_form), "other").is_none()
                && SubmittedForm::from_flash(None, "change").is_none()
        );
        SubmittedForm::from_flash(Some(&flash_form), "change").unwrap()
    }

    #[test]
    fn console_form_field_unchanged_from_the_page_is_not_an_edit() {
        let same = sent(&[("name", "Acme "), ("lines", "a\r\n b\r\n"), ("box.one", "on")]);
        assert_eq!(
            [same.changed_text("name"), same.changed_text("lines"), same.changed_text("more")],
            [None; 3]
        );
        assert_eq!([same.changed_tick("box.one"), same.changed_tick("box.two")], [None; 2]);
    }

    #[test]
    fn console_form_edits_are_detected_field_by_field() {
        let other = sent(&[("name", "Acme & Co"), ("lines", ""), ("box.two", "on")]);
        assert_eq!([other.changed_text("name"), other.changed_text("lines")], [Some("Acme & Co"), Some("")]);
        assert_eq!([other.changed_tick("box.one"), other.changed_tick("box.two")], [Some(false), Some(true)]);
    }
}

//! What a page showed, as its form carries it, so that only what somebody changed in it is theirs: where others were
//! faster, the rest stays as it is now (docs/decisions/0157-console-forms-change-only-edited-fields.md).

use super::left::FlashForm;
use crate::extract::pairs::FormParams;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sinete_core::secret::Digest;

/// The field that carries it.
const CARRIED: &str = "shown";

/// What is carried of a field: enough to see whether something else was typed into it.
const MARK_BYTES: usize = 6;

/// The same in characters.
const MARK_CHARACTERS: usize = 8;

/// What a ticked box is sent with.
const TICKED: &str = "on";

/// What a field is marked by.
enum FieldDigestDomain {}

/// What a page showed: texts by the names of their fields, and the names of the boxes that were ticked.
pub(super) fn carried<'a>(
    texts: impl IntoIterator<Item = (&'a str, &'a str)>,
    ticked: impl IntoIterator<Item = String>,
) -> String {
    let boxes = ticked.into_iter().map(|name| mark(&name, TICKED));
    texts.into_iter().map(|(name, text)| mark(name, text)).chain(boxes).collect()
}

/// What somebody typed into a form, beside what its page showed.
pub(super) struct SubmittedForm {
    form: FormParams,
    marks: Vec<String>,
}

impl SubmittedForm {
    /// What is left of this form, where it was not done.
    pub(super) fn of(left: Option<&FlashForm>, form: &str) -> Option<Self> {
        Some(Self::sent(FormParams::of(left.filter(|left| left.is_of(form))?.typed()?.to_vec())))
    }

    /// What is sent with a form.
    pub(super) fn sent(form: FormParams) -> Self {
        let marks = form.get(CARRIED).unwrap_or_default().as_bytes().chunks(MARK_CHARACTERS);
        let marks = marks.map(|mark| String::from_utf8_lossy(mark).into_owned()).collect();
        Self { form, marks }
    }

    /// What the page carried of what it showed, piece by piece; nothing, if it is not of so many pieces.
    pub(super) fn marks(&self, many: usize) -> Option<&[String]> {
        Some(&self.marks[..]).filter(|marks| marks.len() == many)
    }

    /// What was typed into a field, where that is not what was shown.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let (_, typed) = self.form.iter().find(|(known, _)| *known == name)?;
        Some(typed).filter(|typed| !self.showed(name, typed))
    }

    /// Whether a box was ticked, where it was not shown so.
    pub(super) fn ticked(&self, name: &str) -> Option<bool> {
        let is_ticked = self.form.iter().any(|(known, _)| known == name);
        (is_ticked != self.showed(name, TICKED)).then_some(is_ticked)
    }

    /// Whether this is what the page showed in a field.
    pub(super) fn showed(&self, name: &str, text: &str) -> bool {
        self.marks.contains(&mark(name, text))
    }
}

/// Browsers end lines their own way, and nobody sees a blank at the end.
fn mark(name: &str, text: &str) -> String {
    let text = text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let digest = Digest::<FieldDigestDomain>::of_parts(&[name.as_bytes(), text.trim().as_bytes()]);
    URL_SAFE_NO_PAD.encode(&digest.as_bytes()[..MARK_BYTES])
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_screens::console::said::ConsoleNotice;

    fn sent(fields: &[(&str, &str)]) -> SubmittedForm {
        let shown = carried([("name", "Acme"), ("lines", "a\nb")], ["box.one".to_owned()]);
        let own = [("action", "change"), ("shown", shown.as_str())];
        let fields = fields.iter().chain(&own);
        let form = fields.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let left = FlashForm::trouble("/here", ConsoleNotice::Changed, &FormParams::of(form));
        assert!(
            SubmittedForm::of(Some(&left), "other").is_none() && SubmittedForm::of(None, "change").is_none()
        );
        SubmittedForm::of(Some(&left), "change").unwrap()
    }

    #[test]
    fn what_is_sent_as_it_was_shown_is_nobodys() {
        let same = sent(&[("name", "Acme "), ("lines", "a\r\n b\r\n"), ("box.one", "on")]);
        assert_eq!([same.text("name"), same.text("lines"), same.text("more")], [None; 3]);
        assert_eq!([same.ticked("box.one"), same.ticked("box.two")], [None; 2]);
    }

    #[test]
    fn what_was_changed_is_known_piece_by_piece() {
        let other = sent(&[("name", "Acme & Co"), ("lines", ""), ("box.two", "on")]);
        assert_eq!([other.text("name"), other.text("lines")], [Some("Acme & Co"), Some("")]);
        assert_eq!([other.ticked("box.one"), other.ticked("box.two")], [Some(false), Some(true)]);
    }
}

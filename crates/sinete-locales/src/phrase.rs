//! Phrases with arguments.

use std::fmt::Display;

/// A part of a phrase.
#[derive(Debug)]
pub(crate) enum PhrasePart {
    /// Text.
    Text(&'static str),
    /// The argument at this place.
    Argument(usize),
    /// The first variant whose key fits the argument at this place, or the default.
    Select {
        argument: usize,
        variants: &'static [(PluralKey, &'static [PhrasePart])],
        default: &'static [PhrasePart],
    },
}

/// What a number is compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PluralKey {
    /// This number.
    Exactly(u64),
    /// The plural category *one* of the language.
    One(PluralRule),
}

/// Which numbers are in the plural category *one* (Unicode CLDR, cardinals).
#[derive(Clone, Copy, Debug)]
pub(crate) enum PluralRule {
    /// 1.
    OnlyOne,
    /// 0 and 1.
    ZeroAndOne,
}

impl PluralKey {
    const fn matches_number(self, number: u64) -> bool {
        match self {
            Self::Exactly(exact) => number == exact,
            Self::One(PluralRule::OnlyOne) => number == 1,
            Self::One(PluralRule::ZeroAndOne) => number <= 1,
        }
    }
}

/// The value of an argument.
pub(crate) enum PhraseValue<'a> {
    Text(&'a dyn Display),
    Number(u64),
}

/// A number that a phrase depends on.
pub trait PluralCount {
    /// The number.
    fn to_count(&self) -> u64;
}

impl PluralCount for u64 {
    fn to_count(&self) -> u64 {
        *self
    }
}

impl PluralCount for i64 {
    fn to_count(&self) -> u64 {
        self.unsigned_abs()
    }
}

impl PluralCount for usize {
    fn to_count(&self) -> u64 {
        u64::try_from(*self).unwrap_or(u64::MAX)
    }
}

impl PluralCount for u32 {
    fn to_count(&self) -> u64 {
        u64::from(*self)
    }
}

impl PluralCount for u8 {
    fn to_count(&self) -> u64 {
        u64::from(*self)
    }
}

impl<T: PluralCount + ?Sized> PluralCount for &T {
    fn to_count(&self) -> u64 {
        (**self).to_count()
    }
}

/// Fills in the arguments.
pub(crate) fn render_phrase(parts: &[PhrasePart], values: &[PhraseValue<'_>]) -> String {
    let mut text = String::new();
    write_parts(&mut text, parts, values);
    text
}

fn write_parts(text: &mut String, parts: &[PhrasePart], values: &[PhraseValue<'_>]) {
    use std::fmt::Write as _;
    for part in parts {
        match part {
            PhrasePart::Text(piece) => text.push_str(piece),
            PhrasePart::Argument(index) => {
                let _ = match values.get(*index) {
                    Some(PhraseValue::Text(value)) => write!(text, "{value}"),
                    Some(PhraseValue::Number(number)) => write!(text, "{number}"),
                    None => Ok(()),
                };
            }
            PhrasePart::Select { argument, variants, default } => {
                let fitting = match values.get(*argument) {
                    Some(PhraseValue::Number(number)) => {
                        variants.iter().find(|(key, _)| key.matches_number(*number))
                    }
                    _ => None,
                };
                write_parts(text, fitting.map_or(*default, |(_, inner)| inner), values);
            }
        }
    }
}

/// The text before and after the argument of a phrase that has one.
pub(crate) const fn split_phrase(parts: &'static [PhrasePart]) -> [&'static str; 2] {
    match parts {
        [PhrasePart::Text(before), _, PhrasePart::Text(after)] => [before, after],
        [PhrasePart::Text(before), PhrasePart::Argument(_)] => [before, ""],
        [PhrasePart::Argument(_), PhrasePart::Text(after)] => ["", after],
        _ => ["", ""],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    #[test]
    fn phrase_selects_by_exact_number_then_by_plural_category() {
        let format_remaining =
            |language: Language, count: u64| language.phrases().account.recovery_left(count);
        assert_eq!(format_remaining(Language::English, 1), "1 left.");
        assert_eq!(format_remaining(Language::English, 7), "7 left.");
        assert!(format_remaining(Language::English, 0).starts_with("None left."));
        assert_eq!(format_remaining(Language::Portuguese, 1), "Resta 1.");
        assert_eq!(format_remaining(Language::Spanish, 2), "Quedan 2.");
        assert!(
            PluralKey::One(PluralRule::ZeroAndOne).matches_number(0)
                && !PluralKey::One(PluralRule::OnlyOne).matches_number(0)
        );
    }

    #[test]
    fn phrase_arguments_are_filled_in_once() {
        let text = Language::English.phrases().sign_in.to_continue("{ $application }");
        assert_eq!(text, "to continue to { $application }");
        assert_eq!(Language::English.phrases().sign_in.to_continue_around(), ["to continue to ", ""]);
    }
}

//! Member search by word prefix: the index terms and the query.
//!
//! Both are folded to lower case without diacritics, so that `jose` finds José. Search must never be used to
//! identify a member (docs/contribute/decisions/0205-member-search-by-word-prefix.md).

use crate::accounts::email_address::EmailAddress;
use crate::limits::{
    MEMBER_INDEX_TERM_BYTES_MAX, MEMBER_INDEX_TERMS_MAX, MEMBER_SEARCH_CHARACTERS_MAX,
    MEMBER_SEARCH_WORDS_MAX,
};
use crate::validation::is_misleading_character;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::str::FromStr;
use unicode_normalization::UnicodeNormalization as _;

/// A query of one to eight words, each a prefix of an index term of the member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberSearch {
    text: Box<str>,
    words: Vec<Box<str>>,
}

/// Why a query is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidMemberSearch {
    /// It has too many words.
    #[error("the search must have at most {MEMBER_SEARCH_WORDS_MAX} words")]
    TooManyWords,
    /// It has no words, is too long, or contains misleading characters.
    #[error(
        "the search must have at least one word and at most {MEMBER_SEARCH_CHARACTERS_MAX} characters, and \
         no control or direction characters"
    )]
    Text,
}

impl MemberSearch {
    /// The query as entered, for exact matches with an id or a directory's external id.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The folded words, longest first, because it is the most selective.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(AsRef::as_ref)
    }
}

impl FromStr for MemberSearch {
    type Err = InvalidMemberSearch;

    fn from_str(text: &str) -> Result<Self, InvalidMemberSearch> {
        let trimmed = text.trim();
        if trimmed.chars().count() > MEMBER_SEARCH_CHARACTERS_MAX
            || trimmed.chars().any(is_misleading_character)
        {
            return Err(InvalidMemberSearch::Text);
        }
        let mut words: Vec<Box<str>> =
            trimmed.split_whitespace().map(fold_search_word).filter(|it| !it.is_empty()).collect();
        words.sort_by_key(|word| Reverse(word.len()));
        if words.is_empty() {
            return Err(InvalidMemberSearch::Text);
        }
        if words.len() > MEMBER_SEARCH_WORDS_MAX {
            return Err(InvalidMemberSearch::TooManyWords);
        }
        Ok(Self { text: trimmed.into(), words })
    }
}

/// Folds a query word. A complete e-mail address is converted to its lookup form, whatever script its domain
/// uses.
fn fold_search_word(word: &str) -> Box<str> {
    let address = word.parse::<EmailAddress>().ok().filter(|_| !word.is_ascii());
    fold_word(address.map(|it| it.lookup_key()).as_deref().unwrap_or(word))
}

/// The index terms of a member, up to the maximum number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberSearchTerms(BTreeSet<Box<str>>);

impl MemberSearchTerms {
    /// Adds every word of a name, and the parts of hyphenated words: *Anne-Marie* is also found by *Marie*.
    pub fn add_name(&mut self, name: &str) {
        for word in name.split_whitespace() {
            self.add_term(word);
            for part in word.split(|character: char| !character.is_alphanumeric()) {
                self.add_term(part);
            }
        }
    }

    /// Adds an e-mail address in its lookup form and as written.
    pub fn add_address(&mut self, address: &EmailAddress) {
        self.add_term(&address.lookup_key());
        self.add_term(address.as_str());
    }

    /// Adds a text as a single term.
    pub fn add_term(&mut self, word: &str) {
        let word = fold_word(word);
        if !word.is_empty() && self.0.len() < MEMBER_INDEX_TERMS_MAX {
            self.0.insert(word);
        }
    }

    /// Iterates over the distinct folded terms.
    pub fn terms(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(AsRef::as_ref)
    }

    /// Whether the term is indexed.
    pub fn contains(&self, word: &str) -> bool {
        self.0.contains(word)
    }
}

/// Folds a word: NFKD, without combining diacritical marks, in lower case, truncated to the maximum length.
fn fold_word(word: &str) -> Box<str> {
    let mut folded = String::with_capacity(word.len());
    let characters = word.nfkd().filter(|character| !('\u{300}'..='\u{36f}').contains(character));
    for character in characters
        .flat_map(char::to_lowercase)
        .filter(|character| !('\u{300}'..='\u{36f}').contains(character))
    {
        // Final sigma is the same letter.
        let character = if character == 'ς' { 'σ' } else { character };
        if folded.len() + character.len_utf8() > MEMBER_INDEX_TERM_BYTES_MAX {
            break;
        }
        if !character.is_whitespace() {
            folded.push(character);
        }
    }
    folded.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_normalization::char::canonical_combining_class;

    fn finds(query: &str, found_by: &MemberSearchTerms) -> bool {
        let search: MemberSearch = query.parse().unwrap();
        search.words().all(|query_word| found_by.terms().any(|word| word.starts_with(query_word)))
    }

    fn named(name: &str) -> MemberSearchTerms {
        let mut found_by = MemberSearchTerms::default();
        found_by.add_name(name);
        found_by
    }

    #[test]
    fn member_search_matches_the_beginning_of_every_word() {
        let jose = named("José Ângelo D'Ávila-Sousa");
        for query in
            ["jose", "JOSÉ", "josé", "jos", "ang", "d'av", "avila", "sousa", "sousa jose", "D'Ávila-S"]
        {
            assert!(finds(query, &jose), "{query}");
        }
        for query in ["ose", "gelo", "jose x", "josé ângelo maria", "vila", "%", "_", "j%", "*", "jose*"] {
            assert!(!finds(query, &jose), "{query}");
        }
    }

    #[test]
    fn member_search_folds_case_in_every_script() {
        for (name, query) in [
            ("Νίκος", "ΝΙΚΟΣ"),
            ("Νίκος", "νικοσ"),
            ("ЙОСИФ", "иосиф"),
            ("İpek", "ipek"),
            ("Ａｎａ", "ana"),
            ("김철수", "김철"),
            ("e\u{301}va", "éva"),
        ] {
            assert!(finds(query, &named(name)), "{name} by {query}");
        }
        // Language-specific transliterations are not folded.
        for (name, query) in
            [("Straße", "strasse"), ("Øystein", "oystein"), ("Ływa", "lywa"), ("Иван", "ivan")]
        {
            assert!(!finds(query, &named(name)), "{name} by {query}");
        }
    }

    #[test]
    fn member_search_matches_email_addresses_by_prefix_in_either_spelling() {
        let mut ana = MemberSearchTerms::default();
        ana.add_address(&"Ana.Souza@São-João.com.br".parse().unwrap());
        for query in [
            "ana.souza",
            "ANA.SOUZA@",
            "ana.souza@São-João.com.br",
            "ana.souza@sao-jo",
            "ana.souza@xn--so-joo",
        ] {
            assert!(finds(query, &ana), "{query} in {ana:?}");
        }
        for query in ["souza", "sao-joao.com.br", "@", "ana_souza"] {
            assert!(!finds(query, &ana), "{query} in {ana:?}");
        }
    }

    #[test]
    fn member_search_query_empty_long_or_misleading_is_refused() {
        let long = "x".repeat(MEMBER_SEARCH_CHARACTERS_MAX + 1);
        let many = "a ".repeat(MEMBER_SEARCH_WORDS_MAX + 1);
        for text in ["", "  ", "\u{301}", "a\u{0}b", "a\u{202e}b", &long] {
            assert_eq!(text.parse::<MemberSearch>(), Err(InvalidMemberSearch::Text), "{text:?}");
        }
        assert_eq!(many.parse::<MemberSearch>(), Err(InvalidMemberSearch::TooManyWords));
        let longest_query = format!("{} ", &long[1..]);
        assert!(longest_query.parse::<MemberSearch>().is_ok());
    }

    #[test]
    fn member_search_words_are_limited_per_member() {
        let name: Vec<String> =
            (0..MEMBER_INDEX_TERMS_MAX * 2).map(|number| format!("n{number:03}")).collect();
        assert_eq!(named(&name.join(" ")).terms().count(), MEMBER_INDEX_TERMS_MAX);
    }

    proptest! {
        #[test]
        fn member_search_finds_every_name_by_its_prefix(
            name in "[\\PC&&[^\u{300}-\u{36f}]]{1,60}", length in 1_usize..40
        ) {
            prop_assume!(!name.chars().any(is_misleading_character));
            let word = name.split_whitespace().next().unwrap_or_default();
            let beginning: String = word.chars().take(length).collect();
            prop_assume!(beginning.parse::<MemberSearch>().is_ok());
            // NFKD reorders the marks of a letter, so a prefix that ends between them is not a prefix of the
            // result.
            let behind = word.chars().nth(length).and_then(|letter| letter.nfkd().next());
            prop_assume!(behind.is_none_or(|letter| canonical_combining_class(letter) == 0));
            let found_by = named(&name);
            prop_assert!(finds(&beginning, &found_by), "{beginning:?} in {found_by:?}");
            prop_assert!(found_by.terms().all(|word| word.len() <= MEMBER_INDEX_TERM_BYTES_MAX && !word.is_empty()));
        }
    }
}

//! Writes the Rust source of the languages and their phrases.

use crate::LanguageRow;
use crate::messages::{Messages, Phrase, PhrasePiece, arguments, numbers};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Everything known about one phrase in all languages.
struct PhraseRow<'a> {
    name: &'a str,
    /// The arguments, in the order of the generated method, with whether each is a number.
    arguments: Vec<(String, bool)>,
    /// The texts, in the order of the languages.
    texts: Vec<&'a [PhrasePiece]>,
}

/// Writes everything.
pub fn generate_source(languages: &[LanguageRow], files: &[Messages]) -> String {
    let mut source = String::new();
    write_languages(&mut source, languages);
    let Some(first) = files.first() else { return source };
    let mut groups: BTreeMap<&str, Vec<PhraseRow<'_>>> = BTreeMap::new();
    for (key, phrase) in &first.phrases {
        let pieces = files.iter().filter_map(|file| file.phrases.get(key)).map(|it| it.pieces.as_slice());
        groups.entry(&phrase.group).or_default().push(phrase_row(phrase, pieces.collect()));
    }
    let mut struct_text =
        "/// The phrases of one language, by group.\n#[derive(Debug)]\npub struct LocalePhrases {\n"
            .to_owned();
    let mut values = vec![String::new(); files.len()];
    for (group, description) in &first.groups {
        let Some(rows) = groups.get(group.as_str()) else { continue };
        let (field, name) = (field_name(group), format!("{}Phrases", type_name(group)));
        let _ = writeln!(struct_text, "    /// {description}\n    pub {field}: {name},");
        write_group(&mut source, &name, description, rows);
        for (index, value) in values.iter_mut().enumerate() {
            let _ = writeln!(value, "    {field}: {name} {{\n{}    }},", group_value(rows, index, languages));
        }
    }
    source.push_str(&struct_text);
    source.push_str("}\n");
    for (row, value) in languages.iter().zip(values) {
        let name = row.variant.to_uppercase();
        let _ = writeln!(source, "static {name}: LocalePhrases = LocalePhrases {{\n{value}}};");
    }
    source
}

fn write_languages(source: &mut String, languages: &[LanguageRow]) {
    source.push_str(
        "/// A language that every phrase exists in.\n#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, \
         Hash, serde::Serialize, serde::Deserialize)]\npub enum Language {\n",
    );
    for (index, row) in languages.iter().enumerate() {
        let LanguageRow { variant, tag, stored, .. } = row;
        let default = if index == 0 { "    #[default]\n" } else { "" };
        let alias = if tag == stored { String::new() } else { format!(", alias = {tag:?}") };
        let _ = writeln!(
            source,
            "    /// `{tag}`.\n{default}    #[serde(rename = {stored:?}{alias})]\n    {variant},"
        );
    }
    let list: Vec<_> = languages.iter().map(|row| format!("Self::{}", row.variant)).collect();
    let _ = write!(
        source,
        "}}\nimpl Language {{\n    /// All languages, in the order they are offered.\n    pub const ALL: [Self; {}] = [{}];\n",
        list.len(),
        list.join(", ")
    );
    let arms = |value: &dyn Fn(&LanguageRow) -> String| {
        languages.iter().map(|row| format!("Self::{} => {}, ", row.variant, value(row))).collect::<String>()
    };
    let text = "&'static str";
    for (description, name, returned, arms) in [
        ("The BCP 47 tag.", "tag", text, arms(&|row| format!("{:?}", row.tag))),
        (
            "How the language is stored and written in the APIs.",
            "stored_value",
            text,
            arms(&|row| format!("{:?}", row.stored)),
        ),
        (
            "The phrases.",
            "phrases",
            "&'static LocalePhrases",
            arms(&|row| format!("&{}", row.variant.to_uppercase())),
        ),
    ] {
        let _ = writeln!(
            source,
            "    /// {description}\n    pub const fn {name}(self) -> {returned} {{ match self {{ {arms} }} }}"
        );
    }
    source.push_str("}\n");
}

fn phrase_row<'a>(phrase: &'a Phrase, pieces: Vec<&'a [PhrasePiece]>) -> PhraseRow<'a> {
    let is_number = |name: &String| pieces.iter().any(|text| numbers(text).contains(name));
    let arguments =
        arguments(&phrase.pieces).into_iter().map(|name| (name.clone(), is_number(&name))).collect();
    PhraseRow { name: &phrase.name, arguments, texts: pieces }
}

fn write_group(source: &mut String, name: &str, description: &str, rows: &[PhraseRow<'_>]) {
    let mut methods = String::new();
    let _ = writeln!(source, "/// {description}\n#[derive(Debug)]\npub struct {name} {{");
    let mut previous = "";
    for row in rows {
        if let Some((message, _)) = row.name.split_once('.') {
            if message != previous {
                let _ = writeln!(
                    source,
                    "    /// The message `{message}`.\n    pub {}: MailTemplate,",
                    field_name(message)
                );
                previous = message;
            }
            continue;
        }
        let field = field_name(row.name);
        let english = row.texts.first().map_or_else(String::new, |text| plain_text(text));
        if row.arguments.is_empty() {
            let _ = writeln!(source, "    #[doc = {english:?}]\n    pub {field}: &'static str,");
            continue;
        }
        let _ = writeln!(source, "    {field}: &'static [PhrasePart],");
        let parameters: String = row
            .arguments
            .iter()
            .map(|(name, is_number)| {
                format!(
                    ", {}: impl {}",
                    field_name(name),
                    if *is_number { "PluralCount" } else { "std::fmt::Display" }
                )
            })
            .collect();
        let values: String = row
            .arguments
            .iter()
            .map(|(name, is_number)| {
                let name = field_name(name);
                if *is_number {
                    format!("PhraseValue::Number({name}.to_count()), ")
                } else {
                    format!("PhraseValue::Text(&{name}), ")
                }
            })
            .collect();
        let _ = writeln!(
            methods,
            "    #[doc = {english:?}]\n    pub fn {field}(&self{parameters}) -> String {{ render_phrase(self.{field}, &[{values}]) }}"
        );
        if row.arguments.len() == 1 {
            let _ = writeln!(
                methods,
                "    /// The text before and after the argument, for a page that marks it up.\n    pub const fn {field}_around(&self) -> [&'static str; 2] {{ split_phrase(self.{field}) }}"
            );
        }
    }
    if rows.iter().all(|row| row.arguments.is_empty() && !row.name.contains('.')) {
        write_lookup(&mut methods, rows);
    }
    let _ = writeln!(source, "}}\nimpl {name} {{\n{methods}}}");
}

/// A phrase by its name in the file, for groups that are a list.
fn write_lookup(methods: &mut String, rows: &[PhraseRow<'_>]) {
    let names: String = rows.iter().map(|row| format!("{:?}, ", row.name)).collect();
    let arms: String =
        rows.iter().map(|row| format!("{:?} => self.{}, ", row.name, field_name(row.name))).collect();
    let _ = writeln!(
        methods,
        "    /// The names of the phrases in the file.\n    pub const NAMES: &[&str] = &[{names}];\n    \
         /// Finds a phrase by its name in the file.\n    pub fn find(&self, name: &str) -> \
         Option<&'static str> {{ Some(match name {{ {arms} _ => return None }}) }}"
    );
}

/// The fields of a group in the language at this place.
fn group_value(rows: &[PhraseRow<'_>], index: usize, languages: &[LanguageRow]) -> String {
    let rule = languages.get(index).map_or("", |row| row.plural);
    let (mut value, mut templates) = (String::new(), BTreeMap::<&str, String>::new());
    for row in rows {
        let Some(text) = row.texts.get(index) else { continue };
        match row.name.split_once('.') {
            Some((message, part)) => {
                let parts = text.iter().map(|piece| match piece {
                    PhrasePiece::Argument(name) => format!("MailPart::Argument({name:?}), "),
                    other => format!("MailPart::Text({:?}), ", plain_text(std::slice::from_ref(other))),
                });
                let line = format!("{}: MailText(&[{}]), ", field_name(part), parts.collect::<String>());
                templates.entry(message).or_default().push_str(&line);
            }
            None if row.arguments.is_empty() => {
                let _ = writeln!(value, "        {}: {:?},", field_name(row.name), plain_text(text));
            }
            None => {
                let _ = writeln!(value, "        {}: &[{}],", field_name(row.name), parts(text, row, rule));
            }
        }
    }
    for (message, fields) in templates {
        let _ = writeln!(value, "        {}: MailTemplate {{ {fields} }},", field_name(message));
    }
    value
}

fn parts(pieces: &[PhrasePiece], row: &PhraseRow<'_>, rule: &str) -> String {
    let argument_index =
        |name: &String| row.arguments.iter().position(|(key, _)| key == name).unwrap_or_default();
    let part_sources = pieces.iter().map(|piece| match piece {
        PhrasePiece::Text(text) => format!("PhrasePart::Text({text:?}), "),
        PhrasePiece::Argument(name) => format!("PhrasePart::Argument({}), ", argument_index(name)),
        PhrasePiece::Select { argument, variants, default } => {
            let variants: String = variants
                .iter()
                .map(|(key, inner)| {
                    let key = if key == "one" {
                        format!("PluralKey::One(PluralRule::{rule})")
                    } else {
                        format!("PluralKey::Exactly({key})")
                    };
                    format!("({key}, &[{}]), ", parts(inner, row, rule))
                })
                .collect();
            let default = parts(default, row, rule);
            format!(
                "PhrasePart::Select {{ argument: {}, variants: &[{variants}], default: &[{default}] }}, ",
                argument_index(argument)
            )
        }
    });
    part_sources.collect()
}

/// The text with arguments in braces, for documentation and for phrases without arguments.
fn plain_text(pieces: &[PhrasePiece]) -> String {
    let text = pieces.iter().map(|piece| match piece {
        PhrasePiece::Text(text) => text.clone(),
        PhrasePiece::Argument(name) => format!("{{{name}}}"),
        PhrasePiece::Select { default, .. } => plain_text(default),
    });
    text.collect()
}

fn field_name(name: &str) -> String {
    name.replace('-', "_")
}

fn type_name(name: &str) -> String {
    let word = |word: &str| {
        word.chars().take(1).flat_map(char::to_uppercase).chain(word.chars().skip(1)).collect::<String>()
    };
    name.split('-').map(word).collect()
}

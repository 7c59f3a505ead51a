//! Reads a message file: the part of Project Fluent that phrases need. Text, arguments, and selection by the
//! plural category or the exact value of an argument. Terms, functions and references are rejected.

use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement, VariantKey};
use std::collections::{BTreeMap, BTreeSet};

/// A piece of a phrase.
#[derive(Clone)]
pub enum PhrasePiece {
    /// Text.
    Text(String),
    /// An argument.
    Argument(String),
    /// A selection by an argument: the keys with their pieces, and the default.
    Select { argument: String, variants: Vec<(String, Vec<PhrasePiece>)>, default: Vec<PhrasePiece> },
}

/// A phrase and where it is from. The parts of an e-mail are one phrase each, `mail-sign-in.subject`.
#[derive(Clone)]
pub struct Phrase {
    /// The group, such as `sign-in`.
    pub group: String,
    /// The name without the group, such as `title` or `sign-in.subject`.
    pub name: String,
    /// The pieces.
    pub pieces: Vec<PhrasePiece>,
}

/// The phrases of one file by key.
pub struct Messages {
    path: String,
    /// The groups in order, each with its description.
    pub groups: Vec<(String, String)>,
    /// The phrases.
    pub phrases: BTreeMap<String, Phrase>,
}

impl Messages {
    /// Parses a file. What is wrong with it is added to `problems`.
    pub fn parse(path: &str, text: &str, problems: &mut Vec<String>) -> Self {
        let mut read = Self { path: path.to_owned(), groups: Vec::new(), phrases: BTreeMap::new() };
        let resource = fluent_syntax::parser::parse(text).unwrap_or_else(|(resource, errors)| {
            for error in errors {
                let line = text.get(..error.pos.start).map_or(0, |before| before.lines().count());
                problems.push(format!("{path}, near line {line}: {error}"));
            }
            resource
        });
        for entry in resource.body {
            match entry {
                Entry::GroupComment(comment) => {
                    let comment_text = comment.content.join(" ");
                    let (group, description) = comment_text.split_once(": ").unwrap_or((&comment_text, ""));
                    read.groups.push((group.to_owned(), description.to_owned()));
                }
                Entry::Message(message) => {
                    let key = message.id.name;
                    if let Some(value) = &message.value {
                        read.add(key, key.to_owned(), value, problems);
                    }
                    for attribute in &message.attributes {
                        read.add(key, format!("{key}.{}", attribute.id.name), &attribute.value, problems);
                    }
                }
                Entry::Term(term) => {
                    problems.push(format!("{path}: -{} is a term, which is not supported", term.id.name))
                }
                Entry::Comment(_) | Entry::ResourceComment(_) | Entry::Junk { .. } => {}
            }
        }
        read
    }

    fn add(&mut self, message: &str, key: String, pattern: &Pattern<&str>, problems: &mut Vec<String>) {
        let group = self.groups.last().map_or("", |(group, _)| group).to_owned();
        let Some(name) = key.strip_prefix(&format!("{group}-")).map(str::to_owned) else {
            problems
                .push(format!("{}: {message} does not begin with the name of its group, {group}", self.path));
            return;
        };
        let mut pieces = Vec::new();
        if let Err(problem) = read_pattern(pattern, &mut pieces) {
            problems.push(format!("{}: {key} has {problem}", self.path));
        }
        if self.phrases.insert(key.clone(), Phrase { group, name, pieces }).is_some() {
            problems.push(format!("{}: {key} is there twice", self.path));
        }
    }

    /// Takes every phrase that is not here from another language.
    pub fn add_missing_from(&mut self, base: &Self) {
        for (key, phrase) in &base.phrases {
            self.phrases.entry(key.clone()).or_insert_with(|| phrase.clone());
        }
    }

    /// Complains about what another language lacks, has in addition, or has with other arguments.
    pub fn compare(&self, other: &Self, problems: &mut Vec<String>) {
        for (key, phrase) in &self.phrases {
            let Some(translated) = other.phrases.get(key) else {
                problems.push(format!("{} lacks {key}", other.path));
                continue;
            };
            let to_set = |pieces: &[PhrasePiece]| arguments(pieces).into_iter().collect::<BTreeSet<_>>();
            let (ours, theirs) = (to_set(&phrase.pieces), to_set(&translated.pieces));
            for (missing, path) in
                [(ours.difference(&theirs), &other.path), (theirs.difference(&ours), &self.path)]
            {
                for argument in missing {
                    problems.push(format!("{path}: {key} lacks the argument ${argument}"));
                }
            }
        }
        for key in other.phrases.keys().filter(|key| !self.phrases.contains_key(*key)) {
            problems.push(format!("{} has {key}, which {} does not have", other.path, self.path));
        }
    }
}

/// The names of the arguments, in the order in which the text first mentions them.
pub fn arguments(pieces: &[PhrasePiece]) -> Vec<String> {
    let mut names = Vec::new();
    for piece in pieces {
        let mentioned = match piece {
            PhrasePiece::Text(_) => Vec::new(),
            PhrasePiece::Argument(name) => vec![name.clone()],
            PhrasePiece::Select { argument, variants, default } => {
                let inner = variants.iter().flat_map(|(_, inner)| arguments(inner));
                std::iter::once(argument.clone()).chain(inner).chain(arguments(default)).collect()
            }
        };
        for name in mentioned {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// The arguments that are numbers, because something is selected by them.
pub fn numbers(pieces: &[PhrasePiece]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for piece in pieces {
        if let PhrasePiece::Select { argument, variants, default } = piece {
            names.insert(argument.clone());
            names.extend(variants.iter().flat_map(|(_, inner)| numbers(inner)));
            names.extend(numbers(default));
        }
    }
    names
}

fn read_pattern(pattern: &Pattern<&str>, pieces: &mut Vec<PhrasePiece>) -> Result<(), String> {
    for element in &pattern.elements {
        pieces.push(match element {
            PatternElement::TextElement { value } => PhrasePiece::Text((*value).to_owned()),
            PatternElement::Placeable { expression: Expression::Inline(inline) } => read_inline(inline)?,
            PatternElement::Placeable { expression: Expression::Select { selector, variants } } => {
                let PhrasePiece::Argument(argument) = read_inline(selector)? else {
                    return Err("a selection by something that is no argument".to_owned());
                };
                let (mut cases, mut default) = (Vec::new(), Vec::new());
                for variant in variants {
                    let mut inner = Vec::new();
                    read_pattern(&variant.value, &mut inner)?;
                    let (VariantKey::Identifier { name: key } | VariantKey::NumberLiteral { value: key }) =
                        &variant.key;
                    match (*key, variant.default) {
                        ("other", true) => default = inner,
                        ("one", false) => cases.push(((*key).to_owned(), inner)),
                        (key, false) if key.parse::<u64>().is_ok() => cases.push((key.to_owned(), inner)),
                        (key, _) => {
                            return Err(format!("the variant [{key}]; use [one], a number, and *[other]"));
                        }
                    }
                }
                PhrasePiece::Select { argument, variants: cases, default }
            }
        });
    }
    Ok(())
}

fn read_inline(expression: &InlineExpression<&str>) -> Result<PhrasePiece, String> {
    match expression {
        InlineExpression::VariableReference { id } => Ok(PhrasePiece::Argument(id.name.to_owned())),
        InlineExpression::StringLiteral { value } => Ok(PhrasePiece::Text((*value).to_owned())),
        _ => Err("a reference or function, which is not supported".to_owned()),
    }
}

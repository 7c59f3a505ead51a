//! Reading a filter: never deeper, longer or with more conditions than is bounded.

use super::{Check, Filter, Operand, Operator, Spoken, Subject, Test};
use crate::limits::{SCIM_FILTER_BYTES_MAX, SCIM_FILTER_DEPTH_MAX, SCIM_FILTER_TESTS_MAX};
use crate::refusal::{Refusal, RefusalCode};
use crate::scim::ResourceKind;
use crate::scim::attribute::{Attribute, Kind};
use crate::scim::moment;
use crate::scim::place::Place;

/// What the names in a filter are names of.
#[derive(Clone, Copy)]
enum Names {
    Resource(ResourceKind, Spoken),
    Parts(&'static Attribute),
}

struct Reader<'a> {
    rest: &'a str,
    tests: usize,
}

pub(super) fn resource(kind: ResourceKind, spoken: Spoken, text: &str) -> Result<Filter, Refusal> {
    whole(Names::Resource(kind, spoken), text)
}

pub(super) fn elements(attribute: &'static Attribute, text: &str) -> Result<Filter, Refusal> {
    whole(Names::Parts(attribute), text)
}

fn whole(names: Names, text: &str) -> Result<Filter, Refusal> {
    if text.len() > SCIM_FILTER_BYTES_MAX {
        return Err(wrong("the filter is too long"));
    }
    let mut reader = Reader { rest: text, tests: 0 };
    let filter = reader.any(names, 0)?;
    if reader.spaced().is_empty() { Ok(filter) } else { Err(wrong("the filter goes on where it should end")) }
}

impl<'a> Reader<'a> {
    fn any(&mut self, names: Names, depth: usize) -> Result<Filter, Refusal> {
        if depth > SCIM_FILTER_DEPTH_MAX {
            return Err(wrong("the filter is nested too deeply"));
        }
        let mut parts = vec![self.every(names, depth)?];
        while self.takes_word("or") {
            parts.push(self.every(names, depth)?);
        }
        Ok(one_or(parts, Filter::Any))
    }

    fn every(&mut self, names: Names, depth: usize) -> Result<Filter, Refusal> {
        let mut parts = vec![self.one(names, depth)?];
        while self.takes_word("and") {
            parts.push(self.one(names, depth)?);
        }
        Ok(one_or(parts, Filter::Every))
    }

    fn one(&mut self, names: Names, depth: usize) -> Result<Filter, Refusal> {
        if self.takes_word("not") {
            if !self.takes("(") {
                return Err(wrong("not stands before a condition in parentheses"));
            }
            return Ok(Filter::Not(Box::new(self.enclosed(names, depth, ")")?)));
        }
        if self.takes("(") {
            return self.enclosed(names, depth, ")");
        }
        self.tests += 1;
        if self.tests > SCIM_FILTER_TESTS_MAX {
            return Err(wrong("the filter has too many conditions"));
        }
        let name = self.word();
        match names {
            Names::Parts(attribute) => {
                let part = attribute.part(name).ok_or_else(unknown)?;
                self.test(Subject::Part(part), part)
            }
            Names::Resource(kind, spoken) => match (Place::read(kind, name), spoken) {
                (Some(place), _) => self.about(place, depth),
                (None, Spoken::Own) => Err(unknown()),
                (None, Spoken::Everybodys) => {
                    let others = ResourceKind::ALL.iter().find_map(|kind| Place::read(*kind, name));
                    let place = others.ok_or_else(unknown)?;
                    match self.about(place, depth)? {
                        // An element of what is not there fulfils nothing.
                        Filter::Element(..) => Ok(Filter::Any(Vec::new())),
                        Filter::Test(test) => {
                            Ok(Filter::Test(Test { subject: Subject::Nowhere(place), ..test }))
                        }
                        other => Ok(other),
                    }
                }
            },
        }
    }

    /// What is said about a place: a condition on its values, or on one element of them.
    fn about(&mut self, place: Place, depth: usize) -> Result<Filter, Refusal> {
        if self.rest.starts_with('[') {
            self.rest = &self.rest[1..];
            if place.part.is_some() || place.attribute.parts.is_empty() {
                return Err(wrong("only the elements of a compound are filtered in brackets"));
            }
            let inner = self.enclosed(Names::Parts(place.attribute), depth, "]")?;
            // Directories write `emails[type eq "work"].value eq "x"` for an element that is both.
            let inner = match self.rest.strip_prefix('.') {
                None => inner,
                Some(rest) => {
                    self.rest = rest;
                    let part = place.attribute.part(self.word()).ok_or_else(unknown)?;
                    Filter::Every(vec![inner, self.test(Subject::Part(part), part)?])
                }
            };
            return Ok(Filter::Element(place, Box::new(inner)));
        }
        // Of a compound that has many values it is usually its `value` that is meant.
        let meant = match (place.part, place.attribute.part("value")) {
            (None, Some(value)) if place.attribute.is_many => Place { part: Some(value), ..place },
            _ => place,
        };
        self.test(Subject::At(meant), meant.meant()).map(|filter| match filter {
            Filter::Test(Test { check: Check::Present, .. }) => {
                Filter::Test(Test { subject: Subject::At(place), check: Check::Present })
            }
            other => other,
        })
    }

    fn enclosed(&mut self, names: Names, depth: usize, end: &str) -> Result<Filter, Refusal> {
        let inner = self.any(names, depth + 1)?;
        if self.takes(end) { Ok(inner) } else { Err(wrong("the filter opens what it does not close")) }
    }

    fn test(&mut self, subject: Subject, attribute: &Attribute) -> Result<Filter, Refusal> {
        self.spaced();
        let word = self.word();
        if word.eq_ignore_ascii_case("pr") {
            return Ok(Filter::Test(Test { subject, check: Check::Present }));
        }
        let known = Operator::WRITTEN.iter().find(|(known, _)| known.eq_ignore_ascii_case(word));
        let (_, operator) = known.ok_or_else(|| wrong("the filter compares in a way that is not known"))?;
        let operand = self.operand()?;
        let operand = fitting(attribute, *operator, operand)
            .ok_or_else(|| wrong("the filter compares an attribute with what it can never be"))?;
        Ok(Filter::Test(Test { subject, check: Check::Compared(*operator, operand) }))
    }

    fn operand(&mut self) -> Result<Operand, Refusal> {
        let malformed = || wrong("the filter compares with something that is no value");
        if !self.spaced().starts_with('"') {
            return match self.word() {
                "true" => Ok(Operand::Truth(true)),
                "false" => Ok(Operand::Truth(false)),
                "null" => Ok(Operand::Nothing),
                _ => Err(malformed()),
            };
        }
        let mut is_escaped = true;
        let end = self.rest.bytes().position(|byte| {
            let ends = byte == b'"' && !is_escaped;
            is_escaped = !is_escaped && byte == b'\\';
            ends
        });
        // The first quote was taken for an escaped one, so that it does not end what it begins.
        let (text, rest) = self.rest.split_at(end.ok_or_else(malformed)? + 1);
        self.rest = rest;
        serde_json::from_str(text).map(Operand::Text).map_err(|_| malformed())
    }

    /// The next word: what names, operators and plain values are made of.
    fn word(&mut self) -> &'a str {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '.' | '_' | '-' | '$');
        let end = self.spaced().find(|c: char| !is_part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    /// Takes this word, if it is the next one.
    fn takes_word(&mut self, word: &str) -> bool {
        let before = self.spaced();
        if self.word().eq_ignore_ascii_case(word) {
            return true;
        }
        self.rest = before;
        false
    }

    /// Takes this mark, if it is the next one.
    fn takes(&mut self, mark: &str) -> bool {
        match self.spaced().strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// What is left, without the spaces before it.
    fn spaced(&mut self) -> &'a str {
        self.rest = self.rest.trim_start_matches(' ');
        self.rest
    }
}

/// What is compared with, as the attribute has it, if the two can be compared like this.
fn fitting(attribute: &Attribute, operator: Operator, operand: Operand) -> Option<Operand> {
    let is_equality = matches!(operator, Operator::Equal | Operator::NotEqual);
    let is_order = matches!(
        operator,
        Operator::Greater | Operator::GreaterOrEqual | Operator::Less | Operator::LessOrEqual
    );
    match (attribute.kind, operand) {
        (_, Operand::Nothing) => is_equality.then_some(Operand::Nothing),
        (Kind::Boolean, Operand::Truth(truth)) => is_equality.then_some(Operand::Truth(truth)),
        // Entra ID writes a truth as a text.
        (Kind::Boolean, Operand::Text(text)) => {
            let truth = text.to_ascii_lowercase().parse().ok()?;
            is_equality.then_some(Operand::Truth(truth))
        }
        (Kind::Moment, Operand::Text(text)) => {
            let moment = moment::read(&text)?;
            (is_equality || is_order).then_some(Operand::Moment(moment))
        }
        (
            Kind::Text | Kind::Lines | Kind::Email | Kind::WebAddress | Kind::Reference,
            Operand::Text(text),
        ) => Some(Operand::Text(text)),
        (Kind::Complex | Kind::Boolean | Kind::Moment, _)
        | (Kind::Text | Kind::Lines | Kind::Email | Kind::WebAddress | Kind::Reference, _) => None,
    }
}

fn one_or(mut parts: Vec<Filter>, many: fn(Vec<Filter>) -> Filter) -> Filter {
    match (parts.pop(), parts.is_empty()) {
        (Some(only), true) => only,
        (Some(last), false) => {
            parts.push(last);
            many(parts)
        }
        (None, _) => many(parts),
    }
}

fn unknown() -> Refusal {
    wrong("the filter speaks of an attribute that is not known here")
}

fn wrong(public: &'static str) -> Refusal {
    Refusal::new(RefusalCode::InvalidFilter, public, "")
}

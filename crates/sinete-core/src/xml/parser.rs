//! The XML parser: a single pass without backtracking.

use super::{InvalidXml, XML, XmlAttribute, XmlChild, XmlDocument, XmlElement};
use crate::limits::{XML_ATTRIBUTES_MAX, XML_DEPTH_MAX, XML_ELEMENTS_MAX, XML_NAMESPACE_BYTES_MAX};
use std::collections::BTreeSet;

const XMLNS: &str = "http://www.w3.org/2000/xmlns/";

pub(super) fn parse_document(bytes: &[u8], bytes_max: usize) -> Result<XmlDocument, InvalidXml> {
    if bytes.len() > bytes_max {
        return Err(InvalidXml::LimitExceeded);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| InvalidXml::Characters)?;
    if !text.chars().all(is_character) {
        return Err(InvalidXml::Characters);
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = XmlParser { remaining: text, elements: Vec::new(), open_elements: Vec::new() };
    reader.read_declaration()?;
    reader.skip_space();
    reader.read_start_tag()?;
    while !reader.open_elements.is_empty() {
        reader.read_content()?;
    }
    reader.skip_space();
    match reader.remaining {
        "" => Ok(XmlDocument { elements: reader.elements }),
        rest if rest.starts_with("<!") || rest.starts_with("<?") => Err(InvalidXml::ForbiddenConstruct),
        _ => Err(InvalidXml::Malformed),
    }
}

/// XML 1.0 §2.2.
const fn is_character(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}')
}

const fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r')
}

struct XmlParser<'a> {
    remaining: &'a str,
    elements: Vec<XmlElement>,
    /// The indexes of the open elements, outermost first.
    open_elements: Vec<usize>,
}

/// A qualified name: a prefix, which may be empty, and the local part.
type QualifiedName<'a> = (&'a str, &'a str);

impl<'a> XmlParser<'a> {
    fn consume(&mut self, token: &str) -> bool {
        match self.remaining.strip_prefix(token) {
            Some(rest) => {
                self.remaining = rest;
                true
            }
            None => false,
        }
    }

    fn expect_token(&mut self, token: &str) -> Result<(), InvalidXml> {
        if self.consume(token) { Ok(()) } else { Err(InvalidXml::Malformed) }
    }

    /// Skips white space and returns whether there was any.
    fn skip_space(&mut self) -> bool {
        let rest = self.remaining.trim_start_matches(is_space);
        let was_there = rest.len() < self.remaining.len();
        self.remaining = rest;
        was_there
    }

    /// Reads up to this character, which must follow.
    fn read_until(&mut self, end: char) -> Result<&'a str, InvalidXml> {
        let (before, rest) = self.remaining.split_once(end).ok_or(InvalidXml::Malformed)?;
        self.remaining = rest;
        Ok(before)
    }

    /// Reads the optional declaration `<?xml version="1.0" encoding="UTF-8"?>` at the beginning. Similar
    /// constructs are rejected everywhere else.
    fn read_declaration(&mut self) -> Result<(), InvalidXml> {
        if !self.remaining.starts_with("<?xml") {
            return Ok(());
        }
        self.expect_token("<?xml")?;
        let mut attributes = Vec::new();
        while self.skip_space() && !self.remaining.starts_with("?>") {
            attributes.push(self.read_attribute()?);
        }
        if !self.consume("?>") {
            return Err(InvalidXml::ForbiddenConstruct);
        }
        let mut attributes =
            attributes.iter().map(|((prefix, name), value)| (*prefix, *name, value.as_str()));
        if attributes.next() != Some(("", "version", "1.0")) {
            return Err(InvalidXml::ForbiddenConstruct);
        }
        let mut next = attributes.next();
        if next.is_some_and(|(prefix, name, value)| {
            (prefix, name) == ("", "encoding") && value.eq_ignore_ascii_case("utf-8")
        }) {
            next = attributes.next();
        }
        if matches!(next, Some(("", "standalone", "yes" | "no"))) {
            next = attributes.next();
        }
        if next.is_none() { Ok(()) } else { Err(InvalidXml::ForbiddenConstruct) }
    }

    /// Reads an ASCII name: letters, digits, `_`, `-` and `.`, not beginning with a digit, `-` or `.`.
    fn read_ascii_name(&mut self) -> Result<&'a str, InvalidXml> {
        let is_in = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let end = self.remaining.find(|c: char| !is_in(c)).unwrap_or(self.remaining.len());
        let (word, rest) = self.remaining.split_at_checked(end).ok_or(InvalidXml::Malformed)?;
        if !word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return Err(InvalidXml::Malformed);
        }
        self.remaining = rest;
        Ok(word)
    }

    fn read_qualified_name(&mut self) -> Result<QualifiedName<'a>, InvalidXml> {
        let first = self.read_ascii_name()?;
        if self.consume(":") { Ok((first, self.read_ascii_name()?)) } else { Ok(("", first)) }
    }

    /// Reads the next content of the innermost open element: text, a child element, or its end tag.
    fn read_content(&mut self) -> Result<(), InvalidXml> {
        let end = self.remaining.find('<').ok_or(InvalidXml::Malformed)?;
        let (text, rest) = self.remaining.split_at_checked(end).ok_or(InvalidXml::Malformed)?;
        self.remaining = rest;
        if !text.is_empty() {
            // XML 1.0 §2.4: not allowed in text.
            if text.contains("]]>") {
                return Err(InvalidXml::Malformed);
            }
            let text = resolve_references(text, false)?;
            self.add_child(XmlChild::Text(text))?;
        }
        if self.remaining.starts_with("<!") || self.remaining.starts_with("<?") {
            return Err(InvalidXml::ForbiddenConstruct);
        }
        if self.consume("</") { self.read_end_tag() } else { self.read_start_tag() }
    }

    fn add_child(&mut self, child: XmlChild) -> Result<(), InvalidXml> {
        let index = self.open_elements.last().copied().ok_or(InvalidXml::Malformed)?;
        self.elements.get_mut(index).ok_or(InvalidXml::Malformed)?.children.push(child);
        Ok(())
    }

    fn read_end_tag(&mut self) -> Result<(), InvalidXml> {
        let (prefix, local) = self.read_qualified_name()?;
        self.skip_space();
        self.expect_token(">")?;
        let index = self.open_elements.pop().ok_or(InvalidXml::Malformed)?;
        let ended = self.elements.get(index).is_some_and(|it| it.prefix == prefix && it.local == local);
        if ended { Ok(()) } else { Err(InvalidXml::Malformed) }
    }

    fn read_start_tag(&mut self) -> Result<(), InvalidXml> {
        if self.remaining.starts_with("<!") || self.remaining.starts_with("<?") {
            return Err(InvalidXml::ForbiddenConstruct);
        }
        self.expect_token("<")?;
        let name = self.read_qualified_name()?;
        let mut raw: Vec<(QualifiedName<'a>, String)> = Vec::new();
        let is_empty = loop {
            let was_space = self.skip_space();
            if self.consume("/>") {
                break true;
            }
            if self.consume(">") {
                break false;
            }
            if !was_space {
                return Err(InvalidXml::Malformed);
            }
            let attribute = self.read_attribute()?;
            if raw.iter().any(|(existing_name, _)| *existing_name == attribute.0) {
                return Err(InvalidXml::DuplicateAttribute);
            }
            if raw.len() >= XML_ATTRIBUTES_MAX {
                return Err(InvalidXml::LimitExceeded);
            }
            raw.push(attribute);
        };
        self.open_element(name, raw)?;
        if is_empty {
            self.open_elements.pop();
        }
        Ok(())
    }

    fn read_attribute(&mut self) -> Result<(QualifiedName<'a>, String), InvalidXml> {
        let name = self.read_qualified_name()?;
        self.skip_space();
        self.expect_token("=")?;
        self.skip_space();
        let value = if self.consume("\"") {
            self.read_until('"')?
        } else {
            self.expect_token("'")?;
            self.read_until('\'')?
        };
        if value.contains('<') {
            return Err(InvalidXml::Malformed);
        }
        Ok((name, resolve_references(value, true)?))
    }

    /// Opens an element with its attributes, some of which are namespace declarations.
    fn open_element(
        &mut self,
        name: QualifiedName<'a>,
        raw: Vec<(QualifiedName<'a>, String)>,
    ) -> Result<(), InvalidXml> {
        let (prefix, local) = name;
        if self.elements.len() >= XML_ELEMENTS_MAX || self.open_elements.len() >= XML_DEPTH_MAX {
            return Err(InvalidXml::LimitExceeded);
        }
        let mut declared = Vec::new();
        let mut attributes = Vec::new();
        for (name, value) in raw {
            match name {
                ("", "xmlns") => declared.push((String::new(), validate_namespace("", value)?)),
                ("xmlns", prefix) => declared.push((prefix.to_owned(), validate_namespace(prefix, value)?)),
                (prefix, local) => attributes.push((prefix, local, value)),
            }
        }
        let parent = self.open_elements.last().copied();
        let namespace = self.resolve_namespace(prefix, &declared, parent)?;
        let mut expanded_names = BTreeSet::new();
        let mut xml_attributes = Vec::new();
        for (prefix, local, value) in attributes {
            // An attribute without a prefix has no namespace, regardless of the default namespace.
            let namespace = match prefix {
                "" => String::new(),
                prefix => self.resolve_namespace(prefix, &declared, parent)?,
            };
            if !expanded_names.insert((namespace.clone(), local)) {
                return Err(InvalidXml::DuplicateAttribute);
            }
            xml_attributes.push(XmlAttribute {
                prefix: prefix.to_owned(),
                local: local.to_owned(),
                namespace,
                value,
            });
        }
        let index = self.elements.len();
        self.elements.push(XmlElement {
            prefix: prefix.to_owned(),
            local: local.to_owned(),
            namespace,
            attributes: xml_attributes,
            namespace_declarations: declared,
            children: Vec::new(),
            parent,
        });
        if parent.is_some() {
            self.add_child(XmlChild::Element(index))?;
        }
        self.open_elements.push(index);
        Ok(())
    }

    /// Resolves a prefix at an element with these declarations.
    fn resolve_namespace(
        &self,
        prefix: &str,
        own_declarations: &[(String, String)],
        parent: Option<usize>,
    ) -> Result<String, InvalidXml> {
        if prefix == "xml" {
            return Ok(XML.to_owned());
        }
        let (mut declared, mut above) = (own_declarations, parent);
        loop {
            if let Some((_, meaning)) = declared.iter().find(|(it, _)| it == prefix) {
                return Ok(meaning.clone());
            }
            match above.and_then(|index| self.elements.get(index)) {
                Some(element) => (declared, above) = (&element.namespace_declarations, element.parent),
                None if prefix.is_empty() => return Ok(String::new()),
                None => return Err(InvalidXml::Prefix),
            }
        }
    }
}

/// Validates a namespace declaration.
fn validate_namespace(prefix: &str, uri: String) -> Result<String, InvalidXml> {
    if uri.len() > XML_NAMESPACE_BYTES_MAX {
        return Err(InvalidXml::LimitExceeded);
    }
    let is_reserved = matches!(prefix, "xml" | "xmlns") || uri == XML || uri == XMLNS;
    // Only the default namespace can be undeclared.
    if is_reserved || uri.is_empty() && !prefix.is_empty() { Err(InvalidXml::Prefix) } else { Ok(uri) }
}

/// Resolves character references and normalizes line ends and, in attributes, white space (XML 1.0 §2.11,
/// §3.3.3).
fn resolve_references(text: &str, is_attribute: bool) -> Result<String, InvalidXml> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        rest = rest.get(character.len_utf8()..).unwrap_or_default();
        match character {
            '&' => {
                let (name, after_entity) = rest.split_once(';').ok_or(InvalidXml::Entity)?;
                out.push(resolve_reference(name)?);
                rest = after_entity;
            }
            '\r' => {
                rest = rest.strip_prefix('\n').unwrap_or(rest);
                out.push(if is_attribute { ' ' } else { '\n' });
            }
            '\n' | '\t' if is_attribute => out.push(' '),
            other => out.push(other),
        }
    }
    Ok(out)
}

fn resolve_reference(name: &str) -> Result<char, InvalidXml> {
    let number = match name {
        "amp" => return Ok('&'),
        "lt" => return Ok('<'),
        "gt" => return Ok('>'),
        "quot" => return Ok('"'),
        "apos" => return Ok('\''),
        name => name.strip_prefix('#').ok_or(InvalidXml::Entity)?,
    };
    let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |digits| (digits, 16));
    if digits.is_empty() || digits.len() > 8 || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(InvalidXml::Entity);
    }
    let code = u32::from_str_radix(digits, radix).map_err(|_| InvalidXml::Entity)?;
    char::from_u32(code).filter(|it| is_character(*it)).ok_or(InvalidXml::Entity)
}

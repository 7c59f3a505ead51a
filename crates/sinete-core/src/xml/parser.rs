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
    let mut reader = XmlParser { rest: text, elements: Vec::new(), open: Vec::new() };
    reader.declaration()?;
    reader.space();
    reader.start()?;
    while !reader.open.is_empty() {
        reader.content()?;
    }
    reader.space();
    match reader.rest {
        "" => Ok(XmlDocument { elements: reader.elements }),
        more if more.starts_with("<!") || more.starts_with("<?") => Err(InvalidXml::ForbiddenConstruct),
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
    rest: &'a str,
    elements: Vec<XmlElement>,
    /// The indexes of the open elements, outermost first.
    open: Vec<usize>,
}

/// A qualified name: a prefix, which may be empty, and the local part.
type QualifiedName<'a> = (&'a str, &'a str);

impl<'a> XmlParser<'a> {
    fn takes(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn must(&mut self, token: &str) -> Result<(), InvalidXml> {
        if self.takes(token) { Ok(()) } else { Err(InvalidXml::Malformed) }
    }

    /// Skips white space and returns whether there was any.
    fn space(&mut self) -> bool {
        let rest = self.rest.trim_start_matches(is_space);
        let was_there = rest.len() < self.rest.len();
        self.rest = rest;
        was_there
    }

    /// Reads up to this character, which must follow.
    fn until(&mut self, end: char) -> Result<&'a str, InvalidXml> {
        let (before, rest) = self.rest.split_once(end).ok_or(InvalidXml::Malformed)?;
        self.rest = rest;
        Ok(before)
    }

    /// Reads the optional declaration `<?xml version="1.0" encoding="UTF-8"?>` at the beginning. Similar
    /// constructs are rejected everywhere else.
    fn declaration(&mut self) -> Result<(), InvalidXml> {
        if !self.rest.starts_with("<?xml") {
            return Ok(());
        }
        self.must("<?xml")?;
        let mut said = Vec::new();
        while self.space() && !self.rest.starts_with("?>") {
            said.push(self.attribute()?);
        }
        if !self.takes("?>") {
            return Err(InvalidXml::ForbiddenConstruct);
        }
        let mut said = said.iter().map(|((prefix, name), value)| (*prefix, *name, value.as_str()));
        if said.next() != Some(("", "version", "1.0")) {
            return Err(InvalidXml::ForbiddenConstruct);
        }
        let mut next = said.next();
        if next.is_some_and(|(prefix, name, value)| {
            (prefix, name) == ("", "encoding") && value.eq_ignore_ascii_case("utf-8")
        }) {
            next = said.next();
        }
        if matches!(next, Some(("", "standalone", "yes" | "no"))) {
            next = said.next();
        }
        if next.is_none() { Ok(()) } else { Err(InvalidXml::ForbiddenConstruct) }
    }

    /// Reads an ASCII name: letters, digits, `_`, `-` and `.`, not beginning with a digit, `-` or `.`.
    fn word(&mut self) -> Result<&'a str, InvalidXml> {
        let is_in = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let end = self.rest.find(|c: char| !is_in(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end).ok_or(InvalidXml::Malformed)?;
        if !word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return Err(InvalidXml::Malformed);
        }
        self.rest = rest;
        Ok(word)
    }

    fn name(&mut self) -> Result<QualifiedName<'a>, InvalidXml> {
        let first = self.word()?;
        if self.takes(":") { Ok((first, self.word()?)) } else { Ok(("", first)) }
    }

    /// Reads the next content of the innermost open element: text, a child element, or its end tag.
    fn content(&mut self) -> Result<(), InvalidXml> {
        let end = self.rest.find('<').ok_or(InvalidXml::Malformed)?;
        let (text, rest) = self.rest.split_at_checked(end).ok_or(InvalidXml::Malformed)?;
        self.rest = rest;
        if !text.is_empty() {
            // XML 1.0 §2.4: not allowed in text.
            if text.contains("]]>") {
                return Err(InvalidXml::Malformed);
            }
            let text = resolved(text, false)?;
            self.add(XmlChild::Text(text))?;
        }
        if self.rest.starts_with("<!") || self.rest.starts_with("<?") {
            return Err(InvalidXml::ForbiddenConstruct);
        }
        if self.takes("</") { self.end() } else { self.start() }
    }

    fn add(&mut self, child: XmlChild) -> Result<(), InvalidXml> {
        let index = self.open.last().copied().ok_or(InvalidXml::Malformed)?;
        self.elements.get_mut(index).ok_or(InvalidXml::Malformed)?.children.push(child);
        Ok(())
    }

    fn end(&mut self) -> Result<(), InvalidXml> {
        let (prefix, local) = self.name()?;
        self.space();
        self.must(">")?;
        let index = self.open.pop().ok_or(InvalidXml::Malformed)?;
        let ended = self.elements.get(index).is_some_and(|it| it.prefix == prefix && it.local == local);
        if ended { Ok(()) } else { Err(InvalidXml::Malformed) }
    }

    fn start(&mut self) -> Result<(), InvalidXml> {
        if self.rest.starts_with("<!") || self.rest.starts_with("<?") {
            return Err(InvalidXml::ForbiddenConstruct);
        }
        self.must("<")?;
        let name = self.name()?;
        let mut raw: Vec<(QualifiedName<'a>, String)> = Vec::new();
        let is_empty = loop {
            let was_space = self.space();
            if self.takes("/>") {
                break true;
            }
            if self.takes(">") {
                break false;
            }
            if !was_space {
                return Err(InvalidXml::Malformed);
            }
            let attribute = self.attribute()?;
            if raw.iter().any(|(known, _)| *known == attribute.0) {
                return Err(InvalidXml::DuplicateAttribute);
            }
            if raw.len() >= XML_ATTRIBUTES_MAX {
                return Err(InvalidXml::LimitExceeded);
            }
            raw.push(attribute);
        };
        self.begin(name, raw)?;
        if is_empty {
            self.open.pop();
        }
        Ok(())
    }

    fn attribute(&mut self) -> Result<(QualifiedName<'a>, String), InvalidXml> {
        let name = self.name()?;
        self.space();
        self.must("=")?;
        self.space();
        let value = if self.takes("\"") {
            self.until('"')?
        } else {
            self.must("'")?;
            self.until('\'')?
        };
        if value.contains('<') {
            return Err(InvalidXml::Malformed);
        }
        Ok((name, resolved(value, true)?))
    }

    /// Opens an element with its attributes, some of which are namespace declarations.
    fn begin(
        &mut self,
        name: QualifiedName<'a>,
        raw: Vec<(QualifiedName<'a>, String)>,
    ) -> Result<(), InvalidXml> {
        let (prefix, local) = name;
        if self.elements.len() >= XML_ELEMENTS_MAX || self.open.len() >= XML_DEPTH_MAX {
            return Err(InvalidXml::LimitExceeded);
        }
        let mut declared = Vec::new();
        let mut attributes = Vec::new();
        for (name, value) in raw {
            match name {
                ("", "xmlns") => declared.push((String::new(), meaning("", value)?)),
                ("xmlns", prefix) => declared.push((prefix.to_owned(), meaning(prefix, value)?)),
                (prefix, local) => attributes.push((prefix, local, value)),
            }
        }
        let parent = self.open.last().copied();
        let namespace = self.namespace(prefix, &declared, parent)?;
        let mut seen = BTreeSet::new();
        let mut xml_attributes = Vec::new();
        for (prefix, local, value) in attributes {
            // An attribute without a prefix has no namespace, regardless of the default namespace.
            let namespace = match prefix {
                "" => String::new(),
                prefix => self.namespace(prefix, &declared, parent)?,
            };
            if !seen.insert((namespace.clone(), local)) {
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
            declared,
            children: Vec::new(),
            parent,
        });
        if parent.is_some() {
            self.add(XmlChild::Element(index))?;
        }
        self.open.push(index);
        Ok(())
    }

    /// Resolves a prefix at an element with these declarations.
    fn namespace(
        &self,
        prefix: &str,
        own: &[(String, String)],
        parent: Option<usize>,
    ) -> Result<String, InvalidXml> {
        if prefix == "xml" {
            return Ok(XML.to_owned());
        }
        let (mut declared, mut above) = (own, parent);
        loop {
            if let Some((_, meaning)) = declared.iter().find(|(it, _)| it == prefix) {
                return Ok(meaning.clone());
            }
            match above.and_then(|index| self.elements.get(index)) {
                Some(element) => (declared, above) = (&element.declared, element.parent),
                None if prefix.is_empty() => return Ok(String::new()),
                None => return Err(InvalidXml::Prefix),
            }
        }
    }
}

/// Validates a namespace declaration.
fn meaning(prefix: &str, uri: String) -> Result<String, InvalidXml> {
    if uri.len() > XML_NAMESPACE_BYTES_MAX {
        return Err(InvalidXml::LimitExceeded);
    }
    let is_reserved = matches!(prefix, "xml" | "xmlns") || uri == XML || uri == XMLNS;
    // Only the default namespace can be undeclared.
    if is_reserved || uri.is_empty() && !prefix.is_empty() { Err(InvalidXml::Prefix) } else { Ok(uri) }
}

/// Resolves character references and normalizes line ends and, in attributes, white space (XML 1.0 §2.11,
/// §3.3.3).
fn resolved(text: &str, is_attribute: bool) -> Result<String, InvalidXml> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        rest = rest.get(character.len_utf8()..).unwrap_or_default();
        match character {
            '&' => {
                let (name, more) = rest.split_once(';').ok_or(InvalidXml::Entity)?;
                out.push(referred(name)?);
                rest = more;
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

fn referred(name: &str) -> Result<char, InvalidXml> {
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

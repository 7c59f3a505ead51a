//! The part of XML that SAML needs, read into one tree. What is signed is written out from this tree, and what is believed
//! is read from it: there is no second reading that could see something else.
//!
//! Everything unusual is refused before anything is made of it: document types, entities of one's own, comments,
//! processing instructions, CDATA, names outside ASCII.

mod canonicalization;
mod parser;

use std::fmt;

/// The namespace that the prefix `xml` always stands for.
pub const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// A document: a tree of elements, the outermost first.
#[derive(Clone, PartialEq, Eq)]
pub struct XmlDocument {
    elements: Vec<XmlElement>,
}

#[derive(Clone, PartialEq, Eq)]
struct XmlElement {
    prefix: String,
    local: String,
    namespace: String,
    attributes: Vec<XmlAttribute>,
    /// The prefixes it gives a meaning, with that meaning; no prefix is an empty one.
    declared: Vec<(String, String)>,
    children: Vec<XmlChild>,
    parent: Option<usize>,
}

#[derive(Clone, PartialEq, Eq)]
struct XmlAttribute {
    prefix: String,
    local: String,
    namespace: String,
    value: String,
}

#[derive(Clone, PartialEq, Eq)]
enum XmlChild {
    Element(usize),
    Text(String),
}

/// One element of a document.
#[derive(Clone, Copy)]
pub struct XmlNode<'a> {
    document: &'a XmlDocument,
    place: usize,
    element: &'a XmlElement,
}

/// The bytes are not a document that is read here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidXml {
    /// There is more of it than there may be.
    #[error("it is too long, too deep or has too many parts")]
    TooMuch,
    /// It is not text.
    #[error("it is not text in UTF-8, or holds characters that XML does not have")]
    Characters,
    /// It has a document type, a comment, a processing instruction or CDATA.
    #[error("it has a document type, a comment, a processing instruction or CDATA")]
    Unusual,
    /// It refers to something that is no character.
    #[error("it refers to an entity")]
    Entity,
    /// It does not hold together.
    #[error("it is not well-formed")]
    Malformed,
    /// An attribute stands there twice.
    #[error("an attribute stands there twice")]
    Twice,
    /// A prefix stands for nothing, or for something it may not stand for.
    #[error("a prefix stands for nothing")]
    Prefix,
}

impl XmlDocument {
    /// The document in these bytes, if there are at most this many of them.
    pub fn parse(bytes: &[u8], bytes_max: usize) -> Result<Self, InvalidXml> {
        parser::parse_document(bytes, bytes_max)
    }

    /// The outermost element. A document that was read has one.
    pub fn root(&self) -> Option<XmlNode<'_>> {
        self.node(0)
    }

    /// Every element, in the order in which they begin.
    pub fn iter_elements(&self) -> impl Iterator<Item = XmlNode<'_>> {
        self.elements.iter().enumerate().map(|(place, element)| XmlNode { document: self, place, element })
    }

    fn node(&self, place: usize) -> Option<XmlNode<'_>> {
        self.elements.get(place).map(|element| XmlNode { document: self, place, element })
    }
}

impl<'a> XmlNode<'a> {
    /// Whether it has this name in this namespace.
    pub fn has_name(self, namespace: &str, local: &str) -> bool {
        self.element.namespace == namespace && self.element.local == local
    }

    /// Its name, without the namespace.
    pub fn local(self) -> &'a str {
        &self.element.local
    }

    /// The attribute of this name that is in no namespace.
    pub fn attribute(self, local: &str) -> Option<&'a str> {
        let found = self.element.attributes.iter().find(|it| it.prefix.is_empty() && it.local == local);
        found.map(|it| it.value.as_str())
    }

    /// Every attribute: its namespace, its name and its value.
    pub fn attributes(self) -> impl Iterator<Item = (&'a str, &'a str, &'a str)> {
        let all = self.element.attributes.iter();
        all.map(|it| (it.namespace.as_str(), it.local.as_str(), it.value.as_str()))
    }

    /// The elements directly in it.
    pub fn children(self) -> impl Iterator<Item = Self> {
        let document = self.document;
        self.element.children.iter().filter_map(move |child| match child {
            XmlChild::Element(place) => document.node(*place),
            XmlChild::Text(_) => None,
        })
    }

    /// The elements directly in it that have this name.
    pub fn children_named(self, namespace: &'a str, local: &'a str) -> impl Iterator<Item = Self> {
        self.children().filter(move |child| child.has_name(namespace, local))
    }

    /// The one element of this name directly in it; nothing where there is none, or more than one.
    pub fn find_only_child(self, namespace: &'a str, local: &'a str) -> Option<Self> {
        let mut all = self.children_named(namespace, local);
        let first = all.next()?;
        all.next().is_none().then_some(first)
    }

    /// Whether there is nothing in it but elements, and space between them.
    pub fn holds_elements_only(self) -> bool {
        let is_space = |text: &String| text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
        self.element.children.iter().all(|child| match child {
            XmlChild::Element(_) => true,
            XmlChild::Text(text) => is_space(text),
        })
    }

    /// The text in it, if there is nothing else in it.
    pub fn text(self) -> Option<String> {
        let mut whole = String::new();
        for child in &self.element.children {
            match child {
                XmlChild::Text(text) => whole.push_str(text),
                XmlChild::Element(_) => return None,
            }
        }
        Some(whole)
    }

    /// The element it stands in.
    pub fn parent(self) -> Option<Self> {
        self.document.node(self.element.parent?)
    }

    /// Whether it is the same element of the same document.
    pub fn is_same(self, other: Self) -> bool {
        std::ptr::eq(self.document, other.document) && self.place == other.place
    }

    /// It as it is signed: exclusive canonical XML without comments (W3C xml-exc-c14n). One element in it can be left out,
    /// and prefixes can be named that are written out wherever they have a meaning.
    pub fn canonicalize(self, without: Option<Self>, prefixes: &[&str]) -> String {
        canonicalization::write_canonical(self, without, prefixes)
    }

    /// What a prefix stands for here; nothing where it has no meaning.
    fn meaning(self, prefix: &str) -> Option<&'a str> {
        let mut node = Some(self);
        while let Some(at) = node {
            if let Some((_, meaning)) = at.element.declared.iter().find(|(declared, _)| declared == prefix) {
                return Some(meaning).filter(|meaning| !meaning.is_empty()).map(String::as_str);
            }
            node = at.parent();
        }
        None
    }
}

impl fmt::Debug for XmlDocument {
    /// Without what is in it.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Document({} elements)", self.elements.len())
    }
}

impl fmt::Debug for XmlNode<'_> {
    /// Without what is in it.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Node({})", self.element.local)
    }
}

/// A text as it stands in an attribute or between elements.
pub fn escape_text(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => written.push_str("&amp;"),
            '<' => written.push_str("&lt;"),
            '>' => written.push_str("&gt;"),
            '"' => written.push_str("&quot;"),
            other => written.push(other),
        }
    }
    written
}

#[cfg(test)]
mod tests;

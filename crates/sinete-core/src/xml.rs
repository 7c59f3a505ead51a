//! The subset of XML that SAML needs, parsed into one tree. Canonicalization and data extraction both use
//! this tree, so they cannot disagree about the content.
//!
//! Everything unusual is rejected during parsing: document types, custom entities, comments, processing
//! instructions, CDATA, and names outside ASCII.

mod canonicalization;
mod parser;

use std::fmt;

/// The namespace of the prefix `xml`.
pub const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// An XML document: a tree of elements, root first.
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
    /// The namespace declarations: prefix (empty for the default namespace) and namespace.
    namespace_declarations: Vec<(String, String)>,
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

/// An element of a document.
#[derive(Clone, Copy)]
pub struct XmlNode<'a> {
    document: &'a XmlDocument,
    index: usize,
    element: &'a XmlElement,
}

/// Why the bytes are rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidXml {
    /// A limit is exceeded.
    #[error("it is too long, too deep or has too many parts")]
    LimitExceeded,
    /// It is not valid text.
    #[error("it is not text in UTF-8, or contains characters that XML does not allow")]
    Characters,
    /// It has a document type, a comment, a processing instruction or CDATA.
    #[error("it has a document type, a comment, a processing instruction or CDATA")]
    ForbiddenConstruct,
    /// An entity reference is not a character.
    #[error("it refers to an entity")]
    Entity,
    /// It is not well-formed.
    #[error("it is not well-formed")]
    Malformed,
    /// An attribute is repeated.
    #[error("an attribute is repeated")]
    DuplicateAttribute,
    /// A prefix is undeclared, or declared for a namespace that is not allowed.
    #[error("a prefix is undeclared, or declared for a namespace that is not allowed")]
    Prefix,
}

impl XmlDocument {
    /// Parses a document of at most this many bytes.
    pub fn parse(bytes: &[u8], bytes_max: usize) -> Result<Self, InvalidXml> {
        parser::parse_document(bytes, bytes_max)
    }

    /// The root element. A parsed document has one.
    pub fn root(&self) -> Option<XmlNode<'_>> {
        self.node(0)
    }

    /// Iterates over all elements in document order.
    pub fn iter_elements(&self) -> impl Iterator<Item = XmlNode<'_>> {
        self.elements.iter().enumerate().map(|(index, element)| XmlNode { document: self, index, element })
    }

    fn node(&self, index: usize) -> Option<XmlNode<'_>> {
        self.elements.get(index).map(|element| XmlNode { document: self, index, element })
    }
}

impl<'a> XmlNode<'a> {
    /// Whether it has this name in this namespace.
    pub fn has_name(self, namespace: &str, local: &str) -> bool {
        self.element.namespace == namespace && self.element.local == local
    }

    /// The local name.
    pub fn local(self) -> &'a str {
        &self.element.local
    }

    /// The value of an attribute without a namespace.
    pub fn attribute(self, local: &str) -> Option<&'a str> {
        let attribute = self.element.attributes.iter().find(|it| it.prefix.is_empty() && it.local == local);
        attribute.map(|it| it.value.as_str())
    }

    /// Iterates over the attributes: namespace, name and value.
    pub fn attributes(self) -> impl Iterator<Item = (&'a str, &'a str, &'a str)> {
        let all = self.element.attributes.iter();
        all.map(|it| (it.namespace.as_str(), it.local.as_str(), it.value.as_str()))
    }

    /// Iterates over the child elements.
    pub fn children(self) -> impl Iterator<Item = Self> {
        let document = self.document;
        self.element.children.iter().filter_map(move |child| match child {
            XmlChild::Element(index) => document.node(*index),
            XmlChild::Text(_) => None,
        })
    }

    /// Iterates over the child elements of this name.
    pub fn children_named(self, namespace: &'a str, local: &'a str) -> impl Iterator<Item = Self> {
        self.children().filter(move |child| child.has_name(namespace, local))
    }

    /// The only child element of this name; `None` if there is none or more than one.
    pub fn find_only_child(self, namespace: &'a str, local: &'a str) -> Option<Self> {
        let mut all = self.children_named(namespace, local);
        let first = all.next()?;
        all.next().is_none().then_some(first)
    }

    /// Whether the content is only elements and white space.
    pub fn has_only_elements(self) -> bool {
        let is_space = |text: &String| text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
        self.element.children.iter().all(|child| match child {
            XmlChild::Element(_) => true,
            XmlChild::Text(text) => is_space(text),
        })
    }

    /// The text content, if there are no child elements.
    pub fn text(self) -> Option<String> {
        let mut content = String::new();
        for child in &self.element.children {
            match child {
                XmlChild::Text(text) => content.push_str(text),
                XmlChild::Element(_) => return None,
            }
        }
        Some(content)
    }

    /// The parent element.
    pub fn parent(self) -> Option<Self> {
        self.document.node(self.element.parent?)
    }

    /// Whether both are the same element of the same document.
    pub fn is_same(self, other: Self) -> bool {
        std::ptr::eq(self.document, other.document) && self.index == other.index
    }

    /// Canonicalizes the element: exclusive canonical XML without comments (W3C xml-exc-c14n). One descendant
    /// can be omitted, and `prefixes` lists the inclusive namespace prefixes.
    pub fn canonicalize(self, without: Option<Self>, prefixes: &[&str]) -> String {
        canonicalization::write_canonical(self, without, prefixes)
    }

    /// The namespace of a prefix in scope here.
    fn resolve_prefix(self, prefix: &str) -> Option<&'a str> {
        let mut node = Some(self);
        while let Some(at) = node {
            if let Some((_, meaning)) =
                at.element.namespace_declarations.iter().find(|(declared, _)| declared == prefix)
            {
                return Some(meaning).filter(|meaning| !meaning.is_empty()).map(String::as_str);
            }
            node = at.parent();
        }
        None
    }
}

impl fmt::Debug for XmlDocument {
    /// Omits the content.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Document({} elements)", self.elements.len())
    }
}

impl fmt::Debug for XmlNode<'_> {
    /// Omits the content.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Node({})", self.element.local)
    }
}

/// Escapes a text for attributes and element content.
pub fn escape_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests;

//! Exclusive canonical XML without comments: the serialization that signatures cover.

use super::{XmlAttribute, XmlChild, XmlNode};
use std::collections::BTreeMap;

/// The namespaces declared in the output so far, by prefix (empty for the default namespace).
type NamespaceScope<'a> = BTreeMap<&'a str, &'a str>;

/// Options for writing an element.
struct CanonicalizationOptions<'a, 'p> {
    excluded: Option<XmlNode<'a>>,
    /// The inclusive namespace prefixes.
    prefixes: &'p [&'p str],
}

pub(super) fn write_canonical(node: XmlNode<'_>, without: Option<XmlNode<'_>>, prefixes: &[&str]) -> String {
    let mut out = String::new();
    write_element(
        node,
        &CanonicalizationOptions { excluded: without, prefixes },
        &NamespaceScope::new(),
        &mut out,
    );
    out
}

/// Writes an element. The recursion is bounded by the maximum document depth.
fn write_element<'a>(
    node: XmlNode<'a>,
    manner: &CanonicalizationOptions<'a, '_>,
    above: &NamespaceScope<'a>,
    out: &mut String,
) {
    let (mut rendered, new_declarations) = (above.clone(), list_declarations(node, manner, above));
    out.push('<');
    write_name(&node.element.prefix, &node.element.local, out);
    for (prefix, meaning) in new_declarations {
        out.push_str(" xmlns");
        if !prefix.is_empty() {
            out.push(':');
            out.push_str(prefix);
        }
        out.push_str("=\"");
        write_attribute_value(meaning, out);
        out.push('"');
        rendered.insert(prefix, meaning);
    }
    let mut attributes: Vec<&XmlAttribute> = node.element.attributes.iter().collect();
    attributes.sort_by(|one, other| (&one.namespace, &one.local).cmp(&(&other.namespace, &other.local)));
    for attribute in attributes {
        out.push(' ');
        write_name(&attribute.prefix, &attribute.local, out);
        out.push_str("=\"");
        write_attribute_value(&attribute.value, out);
        out.push('"');
    }
    out.push('>');
    for child in &node.element.children {
        match child {
            XmlChild::Text(words) => write_text(words, out),
            XmlChild::Element(index) => {
                let Some(child) = node.document.node(*index) else { continue };
                if !manner.excluded.is_some_and(|without| without.is_same(child)) {
                    write_element(child, manner, &rendered, out);
                }
            }
        }
    }
    out.push_str("</");
    write_name(&node.element.prefix, &node.element.local, out);
    out.push('>');
}

/// The namespace declarations to write at this element, in order of prefix: those that it uses or that are
/// listed as inclusive, if they differ from the output so far.
fn list_declarations<'a>(
    node: XmlNode<'a>,
    manner: &CanonicalizationOptions<'a, '_>,
    above: &NamespaceScope<'a>,
) -> Vec<(&'a str, &'a str)> {
    let mut used: BTreeMap<&'a str, Option<&'a str>> = BTreeMap::new();
    let element_prefix = node.element.prefix.as_str();
    used.insert(element_prefix, node.resolve_prefix(element_prefix));
    for attribute in node.element.attributes.iter().filter(|it| !it.prefix.is_empty()) {
        used.insert(&attribute.prefix, node.resolve_prefix(&attribute.prefix));
    }
    for prefix in manner.prefixes {
        let prefix = if *prefix == "#default" { "" } else { prefix };
        // A prefix in scope was declared at this element or at an ancestor.
        if let Some((declared, meaning)) = find_declaration(node, prefix) {
            used.insert(declared, Some(meaning).filter(|meaning| !meaning.is_empty()));
        }
    }
    // `xml` is never declared.
    let fresh = used.into_iter().filter(|(prefix, _)| *prefix != "xml");
    fresh
        .filter_map(|(prefix, meaning)| match (meaning, above.get(prefix)) {
            (Some(meaning), Some(rendered)) if *rendered == meaning => None,
            (Some(meaning), _) => Some((prefix, meaning)),
            (None, None | Some(&"")) => None,
            (None, Some(_)) => Some((prefix, "")),
        })
        .collect()
}

/// The nearest declaration of this prefix.
fn find_declaration<'a>(node: XmlNode<'a>, prefix: &str) -> Option<(&'a str, &'a str)> {
    let mut at = Some(node);
    while let Some(node) = at {
        let declaration = node.element.namespace_declarations.iter().find(|(declared, _)| declared == prefix);
        if let Some((declared, meaning)) = declaration {
            return Some((declared, meaning));
        }
        at = node.parent();
    }
    None
}

fn write_name(prefix: &str, local: &str, out: &mut String) {
    if !prefix.is_empty() {
        out.push_str(prefix);
        out.push(':');
    }
    out.push_str(local);
}

fn write_attribute_value(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '"' => out.push_str("&quot;"),
            '\t' => out.push_str("&#x9;"),
            '\n' => out.push_str("&#xA;"),
            '\r' => out.push_str("&#xD;"),
            other => out.push(other),
        }
    }
}

fn write_text(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\r' => out.push_str("&#xD;"),
            other => out.push(other),
        }
    }
}

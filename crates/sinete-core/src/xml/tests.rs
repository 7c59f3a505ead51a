//! Tests of accepted and rejected documents and of canonicalization.

use super::*;
use proptest::prelude::*;
use serde_json::Value;

fn read(text: &str) -> Result<XmlDocument, InvalidXml> {
    XmlDocument::parse(text.as_bytes(), 10_000)
}

#[test]
fn xml_canonicalization_matches_another_implementation() {
    let corpus: Vec<Value> = serde_json::from_str(include_str!("canonical_corpus.json")).unwrap();
    assert!(corpus.len() > 30);
    for entry in corpus {
        let document = read(entry["document"].as_str().unwrap()).unwrap();
        let index = usize::try_from(entry["element"].as_u64().unwrap()).unwrap();
        let prefixes: Vec<_> =
            entry["prefixes"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
        let canonical_xml = document.node(index).unwrap().canonicalize(None, &prefixes);
        assert_eq!(canonical_xml, entry["written"].as_str().unwrap(), "{entry}");
    }
}

#[test]
fn xml_with_doctype_entities_or_comments_is_refused() {
    for (text, invalid_xml) in [
        ("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", InvalidXml::ForbiddenConstruct),
        ("<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>", InvalidXml::ForbiddenConstruct),
        ("<?xml version=\"1.0\"?><!DOCTYPE a><a/>", InvalidXml::ForbiddenConstruct),
        ("<a><!-- c --></a>", InvalidXml::ForbiddenConstruct),
        ("<a>x<!---->y</a>", InvalidXml::ForbiddenConstruct),
        ("<a/><!-- c -->", InvalidXml::ForbiddenConstruct),
        ("<!-- c --><a/>", InvalidXml::ForbiddenConstruct),
        ("<a><![CDATA[x]]></a>", InvalidXml::ForbiddenConstruct),
        ("<a><?php x ?></a>", InvalidXml::ForbiddenConstruct),
        ("<?xml-stylesheet href=\"x\"?><a/>", InvalidXml::ForbiddenConstruct),
        ("<?xml version=\"1.1\"?><a/>", InvalidXml::ForbiddenConstruct),
        ("<?xml?><a/>", InvalidXml::ForbiddenConstruct),
        ("<?xmlversion=\"1.0\"?><a/>", InvalidXml::ForbiddenConstruct),
        ("<?xml<?xml version=\"1.0\"?><a/>", InvalidXml::ForbiddenConstruct),
        ("<?xml version=\"1.0'?><a/>", InvalidXml::Malformed),
        ("<?xml version=\"1.0\" encoding=\"UTF-8\" encoding=\"UTF-8\"?><a/>", InvalidXml::ForbiddenConstruct),
        ("<?xml version=\"1.0\" standalone=\"no\" encoding=\"UTF-8\"?><a/>", InvalidXml::ForbiddenConstruct),
        ("<?xml encoding=\"UTF-8\"?><a/>", InvalidXml::ForbiddenConstruct),
        ("<?xml version=\"1.0\" encoding=\"UTF-16\"?><a/>", InvalidXml::ForbiddenConstruct),
        ("<a><?xml version=\"1.0\"?></a>", InvalidXml::ForbiddenConstruct),
        ("<a>&b;</a>", InvalidXml::Entity),
        ("<a>&#0;</a>", InvalidXml::Entity),
        ("<a>&#xD800;</a>", InvalidXml::Entity),
        ("<a>&#x110000;</a>", InvalidXml::Entity),
        ("<a>&#99999999999999;</a>", InvalidXml::Entity),
        ("<a>& b</a>", InvalidXml::Entity),
        ("<a b='&c;'/>", InvalidXml::Entity),
        ("<a b='1' b='2'/>", InvalidXml::DuplicateAttribute),
        ("<a xmlns:x='urn:x' xmlns:y='urn:x' x:b='1' y:b='2'/>", InvalidXml::DuplicateAttribute),
        ("<a xmlns='urn:x' xmlns='urn:y'/>", InvalidXml::DuplicateAttribute),
        ("<p:a/>", InvalidXml::Prefix),
        ("<a p:b='1'/>", InvalidXml::Prefix),
        ("<a xmlns:p=''/>", InvalidXml::Prefix),
        ("<a xmlns:xml='urn:x'/>", InvalidXml::Prefix),
        ("<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>", InvalidXml::Prefix),
        ("<a xmlns:xmlns='urn:x'/>", InvalidXml::Prefix),
        ("", InvalidXml::Malformed),
        ("text", InvalidXml::Malformed),
        ("<a>", InvalidXml::Malformed),
        ("<a></b>", InvalidXml::Malformed),
        ("<a/><b/>", InvalidXml::Malformed),
        ("<a/>text", InvalidXml::Malformed),
        ("<a b=1/>", InvalidXml::Malformed),
        ("<a b='<'/>", InvalidXml::Malformed),
        ("<a b='1'c='2'/>", InvalidXml::Malformed),
        ("<a b/>", InvalidXml::Malformed),
        ("<1a/>", InvalidXml::Malformed),
        ("<é/>", InvalidXml::Malformed),
        ("<a:b:c xmlns:a='urn:a'/>", InvalidXml::Malformed),
        ("< a/>", InvalidXml::Malformed),
        ("<a>]]></a>", InvalidXml::Malformed),
        ("<a>\u{0}</a>", InvalidXml::Characters),
        ("<a>\u{b}</a>", InvalidXml::Characters),
        ("<a>\u{ffff}</a>", InvalidXml::Characters),
    ] {
        assert_eq!(read(text), Err(invalid_xml), "{text}");
    }
    assert_eq!(XmlDocument::parse(b"<a>\xff</a>", 100), Err(InvalidXml::Characters));
    assert_eq!(XmlDocument::parse(&[0xfe, 0xff, 0, b'<'], 100), Err(InvalidXml::Characters));
}

#[test]
fn xml_size_depth_and_counts_are_bounded() {
    assert_eq!(XmlDocument::parse(b"<a></a>", 6), Err(InvalidXml::LimitExceeded));
    let deep = |depth: usize| format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth));
    assert!(read(&deep(40)).is_ok());
    assert_eq!(read(&deep(41)), Err(InvalidXml::LimitExceeded));
    let many = format!("<a>{}</a>", "<b/>".repeat(4_000));
    assert_eq!(XmlDocument::parse(many.as_bytes(), 100_000), Err(InvalidXml::LimitExceeded));
    let wide: String = (0..41).map(|index| format!(" a{index}=''")).collect();
    assert_eq!(read(&format!("<a{wide}/>")), Err(InvalidXml::LimitExceeded));
    // The namespace name is stored with each element.
    assert_eq!(read(&format!("<a xmlns:b=\"{}\"/>", "u".repeat(257))), Err(InvalidXml::LimitExceeded));
    assert!(read(&format!("<a xmlns:b=\"{}\"/>", "u".repeat(256))).is_ok());
    for declared in ["", " encoding = 'utf-8'", " standalone='no'", " encoding=\"UTF-8\" standalone='yes' "] {
        assert!(read(&format!("<?xml version=\"1.0\"{declared}?><a/>")).is_ok(), "{declared}");
    }
}

#[test]
fn xml_round_trips() {
    let document = read(
        "\u{feff}<?xml version='1.0' encoding='utf-8' standalone='no'?>\n<a b=' 1&#10;' >x&amp;<c/> y</a> ",
    )
    .unwrap();
    let root = document.root().unwrap();
    assert_eq!((root.local(), root.attribute("b"), root.text()), ("a", Some(" 1\n"), None));
    assert!(!root.has_only_elements() && root.children().count() == 1);
    assert_eq!(read("<a>x&lt;y</a>").unwrap().root().unwrap().text().as_deref(), Some("x<y"));
    assert_eq!(escape_text("<a b=\"&\">"), "&lt;a b=&quot;&amp;&quot;&gt;");
}

/// An arbitrary tree of elements with text and prefixes, in one of many spellings.
fn tree() -> impl Strategy<Value = String> {
    let text = "[a-z<>&\"'\\t\\n\\r é]{0,6}".prop_map(|text| {
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
    });
    let leaf = text.prop_map(|text| format!("<b>{text}</b>"));
    leaf.prop_recursive(4, 24, 4, |inner| {
        let name = prop_oneof![Just("a"), Just("p:a"), Just("q:a")];
        let declared = prop_oneof![
            Just(""),
            Just(" xmlns=''"),
            Just(" xmlns='urn:d'"),
            Just(" xmlns:p='urn:other'"),
            Just(" q:k='v' k=\"w&#10;\""),
        ];
        (name, declared, prop::collection::vec(inner, 0..4)).prop_map(|(name, declared, children)| {
            format!("<{name}{declared}>{}</{name}>", children.concat())
        })
    })
    .prop_map(|inner| format!("<r xmlns:p='urn:p' xmlns:q='urn:q'>{inner}</r>"))
}

proptest! {
    #[test]
    fn xml_canonicalization_is_idempotent(text in tree()) {
        let document = XmlDocument::parse(text.as_bytes(), 100_000).unwrap();
        for node in document.iter_elements() {
            let once = node.canonicalize(None, &[]);
            let again = XmlDocument::parse(once.as_bytes(), 100_000).unwrap();
            prop_assert_eq!(again.root().unwrap().canonicalize(None, &[]), once);
        }
    }

    #[test]
    fn xml_parsing_of_any_bytes_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = XmlDocument::parse(&bytes, 1_000);
    }

    #[test]
    fn xml_parsing_of_any_markup_never_panics(text in "[<>/!?&;#x='\" a:b\\-\\[\\]]{0,80}") {
        if let Ok(document) = XmlDocument::parse(text.as_bytes(), 1_000) {
            let written = document.root().unwrap().canonicalize(None, &[]);
            prop_assert!(XmlDocument::parse(written.as_bytes(), 10_000).is_ok());
        }
    }
}

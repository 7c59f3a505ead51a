//! What is read, what is refused, and how it is written to be signed.

use super::*;
use proptest::prelude::*;
use serde_json::Value;

fn read(text: &str) -> Result<Document, NotXml> {
    Document::read(text.as_bytes(), 10_000)
}

#[test]
fn elements_are_written_as_another_implementation_writes_them() {
    let corpus: Vec<Value> = serde_json::from_str(include_str!("canonical_corpus.json")).unwrap();
    assert!(corpus.len() > 30);
    for entry in corpus {
        let document = read(entry["document"].as_str().unwrap()).unwrap();
        let place = usize::try_from(entry["element"].as_u64().unwrap()).unwrap();
        let prefixes: Vec<_> =
            entry["prefixes"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
        let written = document.node(place).unwrap().canonical(None, &prefixes);
        assert_eq!(written, entry["written"].as_str().unwrap(), "{entry}");
    }
}

#[test]
fn whatever_is_unusual_is_refused_before_anything_is_made_of_it() {
    for (text, why) in [
        ("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", NotXml::Unusual),
        ("<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>", NotXml::Unusual),
        ("<?xml version=\"1.0\"?><!DOCTYPE a><a/>", NotXml::Unusual),
        ("<a><!-- c --></a>", NotXml::Unusual),
        ("<a>x<!---->y</a>", NotXml::Unusual),
        ("<a/><!-- c -->", NotXml::Unusual),
        ("<!-- c --><a/>", NotXml::Unusual),
        ("<a><![CDATA[x]]></a>", NotXml::Unusual),
        ("<a><?php x ?></a>", NotXml::Unusual),
        ("<?xml-stylesheet href=\"x\"?><a/>", NotXml::Unusual),
        ("<?xml version=\"1.1\"?><a/>", NotXml::Unusual),
        ("<?xml?><a/>", NotXml::Unusual),
        ("<?xmlversion=\"1.0\"?><a/>", NotXml::Unusual),
        ("<?xml<?xml version=\"1.0\"?><a/>", NotXml::Unusual),
        ("<?xml version=\"1.0'?><a/>", NotXml::Malformed),
        ("<?xml version=\"1.0\" encoding=\"UTF-8\" encoding=\"UTF-8\"?><a/>", NotXml::Unusual),
        ("<?xml version=\"1.0\" standalone=\"no\" encoding=\"UTF-8\"?><a/>", NotXml::Unusual),
        ("<?xml encoding=\"UTF-8\"?><a/>", NotXml::Unusual),
        ("<?xml version=\"1.0\" encoding=\"UTF-16\"?><a/>", NotXml::Unusual),
        ("<a><?xml version=\"1.0\"?></a>", NotXml::Unusual),
        ("<a>&b;</a>", NotXml::Entity),
        ("<a>&#0;</a>", NotXml::Entity),
        ("<a>&#xD800;</a>", NotXml::Entity),
        ("<a>&#x110000;</a>", NotXml::Entity),
        ("<a>&#99999999999999;</a>", NotXml::Entity),
        ("<a>& b</a>", NotXml::Entity),
        ("<a b='&c;'/>", NotXml::Entity),
        ("<a b='1' b='2'/>", NotXml::Twice),
        ("<a xmlns:x='urn:x' xmlns:y='urn:x' x:b='1' y:b='2'/>", NotXml::Twice),
        ("<a xmlns='urn:x' xmlns='urn:y'/>", NotXml::Twice),
        ("<p:a/>", NotXml::Prefix),
        ("<a p:b='1'/>", NotXml::Prefix),
        ("<a xmlns:p=''/>", NotXml::Prefix),
        ("<a xmlns:xml='urn:x'/>", NotXml::Prefix),
        ("<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>", NotXml::Prefix),
        ("<a xmlns:xmlns='urn:x'/>", NotXml::Prefix),
        ("", NotXml::Malformed),
        ("text", NotXml::Malformed),
        ("<a>", NotXml::Malformed),
        ("<a></b>", NotXml::Malformed),
        ("<a/><b/>", NotXml::Malformed),
        ("<a/>text", NotXml::Malformed),
        ("<a b=1/>", NotXml::Malformed),
        ("<a b='<'/>", NotXml::Malformed),
        ("<a b='1'c='2'/>", NotXml::Malformed),
        ("<a b/>", NotXml::Malformed),
        ("<1a/>", NotXml::Malformed),
        ("<é/>", NotXml::Malformed),
        ("<a:b:c xmlns:a='urn:a'/>", NotXml::Malformed),
        ("< a/>", NotXml::Malformed),
        ("<a>]]></a>", NotXml::Malformed),
        ("<a>\u{0}</a>", NotXml::Characters),
        ("<a>\u{b}</a>", NotXml::Characters),
        ("<a>\u{ffff}</a>", NotXml::Characters),
    ] {
        assert_eq!(read(text), Err(why), "{text}");
    }
    assert_eq!(Document::read(b"<a>\xff</a>", 100), Err(NotXml::Characters));
    assert_eq!(Document::read(&[0xfe, 0xff, 0, b'<'], 100), Err(NotXml::Characters));
}

#[test]
fn there_is_a_bound_to_everything() {
    assert_eq!(Document::read(b"<a></a>", 6), Err(NotXml::TooMuch));
    let deep = |depth: usize| format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth));
    assert!(read(&deep(40)).is_ok());
    assert_eq!(read(&deep(41)), Err(NotXml::TooMuch));
    let many = format!("<a>{}</a>", "<b/>".repeat(4_000));
    assert_eq!(Document::read(many.as_bytes(), 100_000), Err(NotXml::TooMuch));
    let wide: String = (0..41).map(|place| format!(" a{place}=''")).collect();
    assert_eq!(read(&format!("<a{wide}/>")), Err(NotXml::TooMuch));
    // Each element has the name of its namespace again.
    assert_eq!(read(&format!("<a xmlns:b=\"{}\"/>", "u".repeat(257))), Err(NotXml::TooMuch));
    assert!(read(&format!("<a xmlns:b=\"{}\"/>", "u".repeat(256))).is_ok());
    for declared in ["", " encoding = 'utf-8'", " standalone='no'", " encoding=\"UTF-8\" standalone='yes' "] {
        assert!(read(&format!("<?xml version=\"1.0\"{declared}?><a/>")).is_ok(), "{declared}");
    }
}

#[test]
fn what_is_written_is_read_back_as_the_same() {
    let document = read(
        "\u{feff}<?xml version='1.0' encoding='utf-8' standalone='no'?>\n<a b=' 1&#10;' >x&amp;<c/> y</a> ",
    )
    .unwrap();
    let root = document.root().unwrap();
    assert_eq!((root.local(), root.attribute("b"), root.text()), ("a", Some(" 1\n"), None));
    assert!(!root.holds_elements_only() && root.children().count() == 1);
    assert_eq!(read("<a>x&lt;y</a>").unwrap().root().unwrap().text().as_deref(), Some("x<y"));
    assert_eq!(escaped("<a b=\"&\">"), "&lt;a b=&quot;&amp;&quot;&gt;");
}

/// Any tree of elements with any text and prefixes, written in one of many ways.
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
    fn writing_what_was_written_changes_nothing(text in tree()) {
        let document = Document::read(text.as_bytes(), 100_000).unwrap();
        for node in document.all() {
            let once = node.canonical(None, &[]);
            let again = Document::read(once.as_bytes(), 100_000).unwrap();
            prop_assert_eq!(again.root().unwrap().canonical(None, &[]), once);
        }
    }

    #[test]
    fn no_bytes_make_it_fail(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Document::read(&bytes, 1_000);
    }

    #[test]
    fn no_markup_makes_it_fail(text in "[<>/!?&;#x='\" a:b\\-\\[\\]]{0,80}") {
        if let Ok(document) = Document::read(text.as_bytes(), 1_000) {
            let written = document.root().unwrap().canonical(None, &[]);
            prop_assert!(Document::read(written.as_bytes(), 10_000).is_ok());
        }
    }
}

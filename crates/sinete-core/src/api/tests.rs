use super::*;
use proptest::prelude::*;

fn definition() -> ApiDefinition {
    serde_json::from_str(
        r#"{
            "identifier": "HTTPS://API.example.com/V1",
            "name": "Invoices",
            "permissions": [
                {"permission": "invoices:read", "english": "Read invoices", "portuguese": "Ler faturas"},
                {"permission": "invoices:delete", "english": "Delete invoices", "irreversible": true}
            ],
            "default_scope": "invoices:read"
        }"#,
    )
    .unwrap()
}

proptest! {
    #[test]
    fn what_is_plain_is_what_it_would_be_taken_apart(
        text in "https?://(xn--)?[a-z0-9-]{0,6}[.]?[a-z0-9-]{0,6}(:[0-9]{1,3})?(/[A-Za-z0-9._~%?/-]{0,12})?"
    ) {
        if is_plain(&text) {
            prop_assert_eq!(ApiIdentifier::taken_apart(&text).unwrap().to_string(), text);
        }
    }
}

#[test]
fn ordinary_addresses_are_plain_and_others_are_looked_at() {
    for text in ["https://api.example.com/v1/Things", "http://localhost", "https://a-1.b2.example/~x/."] {
        assert!(is_plain(text), "{text}");
    }
    for text in [
        "https://127.0.0.1/",
        "https://1.2.3.0x4/",
        "https://xn--a.example/",
        "https://API.example/",
        "https://a..example/",
        "https://api.example:443/",
        "https://api.example/%41",
        "https://x@api.example/",
        "https://api.example?x",
        "urn:x",
        "https://",
        "https:///x",
        "ftp://api.example/",
    ] {
        assert!(!is_plain(text), "{text}");
    }
}

#[test]
fn a_whole_definition_is_without_fault() {
    let api = definition();
    assert!(api.faults().is_empty(), "{:?}", api.faults());
    assert_eq!(api.identifier.as_str(), "https://api.example.com/V1");
    let again: ApiDefinition = serde_json::from_value(serde_json::to_value(&api).unwrap()).unwrap();
    assert_eq!(again, api);
}

#[test]
fn every_fault_is_named_at_once_with_its_place() {
    let mut api = definition();
    api.name = String::new();
    api.permissions[0].permission = "members:read".parse().unwrap();
    api.permissions[1].permission = "invoices:*".parse().unwrap();
    api.default_scope = "files:read".parse().unwrap();
    api.token_lifetime_seconds = Some(5);
    api.detail_types.insert("pay/now".into(), serde_json::json!("not a schema"));
    let places: Vec<_> = api.faults().iter().map(|fault| fault.pointer.clone()).collect();
    let expected = [
        "/name",
        "/permissions/0/permission",
        "/permissions/1/permission",
        "/default_scope",
        "/detail_types/pay~1now",
        "/token_lifetime_seconds",
    ];
    assert_eq!(places, expected);
}

#[test]
fn a_schema_of_details_promises_nothing_that_is_not_checked() {
    let with = |schema| {
        let mut api = definition();
        api.detail_types = [("payment".to_owned(), schema)].into();
        api.faults().iter().count()
    };
    use serde_json::json;
    assert_eq!(with(json!({"type": "object", "title": "x", "properties": {"a": {"maxLength": 3}}})), 0);
    assert_eq!(with(json!({"properties": {"a": {"pattern": "^x"}}})), 1);
    assert_eq!(with(json!({"oneOf": []})), 1);
    assert_eq!(with(json!({"items": {"$ref": "#/x"}})), 1);
}

#[test]
fn two_spellings_of_one_identifier_are_one_and_a_path_is_not_folded() {
    let identifier = |text: &str| text.parse::<ApiIdentifier>();
    assert_eq!(identifier("https://API.Example.com/a"), identifier("HTTPS://api.example.com/a"));
    assert_ne!(identifier("https://api.example.com/a"), identifier("https://api.example.com/A"));
    assert_eq!(identifier("URN:example:api").unwrap().as_str(), "urn:example:api");
    for text in [
        "",
        "api",
        "/api",
        "https://",
        "https://a.example/#x",
        "https://u@a.example",
        "ftp://a.example",
        "urn:",
        "https://a b",
    ] {
        assert_eq!(identifier(text), Err(InvalidApiIdentifier), "{text}");
    }
}

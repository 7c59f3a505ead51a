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
    fn api_identifier_fast_path_equals_full_parsing(
        text in "https?://(xn--)?[a-z0-9-]{0,6}[.]?[a-z0-9-]{0,6}(:[0-9]{1,3})?(/[A-Za-z0-9._~%?/-]{0,12})?"
    ) {
        if is_plain_url(&text) {
            prop_assert_eq!(ApiIdentifier::parse_url(&text).unwrap().to_string(), text);
        }
    }
}

#[test]
fn api_identifier_fast_path_covers_plain_urls_only() {
    for text in ["https://api.example.com/v1/Things", "http://localhost", "https://a-1.b2.example/~x/."] {
        assert!(is_plain_url(text), "{text}");
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
        assert!(!is_plain_url(text), "{text}");
    }
}

#[test]
fn api_definition_that_is_complete_has_no_faults() {
    let api = definition();
    assert!(api.validate().is_empty(), "{:?}", api.validate());
    assert_eq!(api.identifier.as_str(), "https://api.example.com/V1");
    let parsed_api: ApiDefinition = serde_json::from_value(serde_json::to_value(&api).unwrap()).unwrap();
    assert_eq!(parsed_api, api);
}

#[test]
fn api_definition_faults_are_all_reported_with_their_location() {
    let mut api = definition();
    api.name = String::new();
    api.permissions[0].permission = "members:read".parse().unwrap();
    api.permissions[1].permission = "invoices:*".parse().unwrap();
    api.default_scope = "files:read".parse().unwrap();
    api.token_lifetime_seconds = Some(5);
    api.detail_types.insert("pay/now".into(), serde_json::json!("not a schema"));
    let places: Vec<_> = api.validate().iter().map(|fault| fault.pointer.clone()).collect();
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
fn authorization_details_schema_with_unenforced_keywords_is_refused() {
    let with = |schema| {
        let mut api = definition();
        api.detail_types = [("payment".to_owned(), schema)].into();
        api.validate().iter().count()
    };
    use serde_json::json;
    assert_eq!(with(json!({"type": "object", "title": "x", "properties": {"a": {"maxLength": 3}}})), 0);
    assert_eq!(with(json!({"properties": {"a": {"pattern": "^x"}}})), 1);
    assert_eq!(with(json!({"oneOf": []})), 1);
    assert_eq!(with(json!({"items": {"$ref": "#/x"}})), 1);
}

#[test]
fn api_identifier_comparison_normalizes_the_host_but_not_the_path() {
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

//! Who may register which clients, and the responses.

use super::*;
use crate::refusal::RefusalCode;
use proptest::prelude::*;
use serde_json::json;

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(members) = value else { panic!("no object") };
    members
}

fn by_itself(value: Value) -> Result<ClientMetadata, Refusal> {
    parse_registration(&object(value), ClientRegistrar::Client)
}

fn refused_as(value: Value) -> (&'static str, Vec<String>) {
    let refusal = by_itself(value.clone()).expect_err(&value.to_string());
    (refusal.code().name(), refusal.validation_errors().iter().map(|fault| fault.pointer.clone()).collect())
}

fn four_fields() -> Value {
    json!({
        "client_name": "Notes",
        "redirect_uris": ["http://127.0.0.1/cb"],
        "token_endpoint_auth_method": "none",
        "scope": "openid invoices:read"
    })
}

#[test]
fn client_registration_needs_four_members_and_returns_the_defaults() {
    let members = describe_metadata(&by_itself(four_fields()).unwrap(), ClientRegistrar::Client);
    assert_eq!(members["client_name"], "Notes");
    assert_eq!(members["scope"], "openid invoices:read");
    assert_eq!(members["response_types"], json!(["code"]));
    let grants =
        json!(["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:token-exchange"]);
    assert_eq!(members["grant_types"], grants);
    assert_eq!(members["id_token_signed_response_alg"], "RS256");
    assert_eq!(members["subject_type"], "public");
    assert!(!members.contains_key("localized") && !members.contains_key("jwks"));
}

#[test]
fn client_registration_without_a_name_uses_the_redirect_host() {
    let metadata = by_itself(json!({"redirect_uris": ["https://notes.example/cb"]})).unwrap();
    assert_eq!(metadata.client_name, "notes.example");
    assert_eq!(
        metadata.allowed_scopes().to_string(),
        "openid profile email address phone groups roles offline_access"
    );
    assert!(
        !describe_metadata(&metadata, ClientRegistrar::Client).contains_key("scope"),
        "no ceiling of its own"
    );
    assert!(describe_metadata(&metadata, ClientRegistrar::Organization).contains_key("scope"));
    let metadata = by_itself(json!({"redirect_uris": ["com.example.notes:/cb"]})).unwrap();
    assert_eq!(metadata.client_name, "Unnamed application");
}

#[test]
fn client_registration_ignores_unknown_members_and_treats_null_as_omitted() {
    let mut registration = object(four_fields());
    registration.insert("frobnicate".to_owned(), json!({"deep": [1]}));
    registration.insert("localized".to_owned(), json!("not ours to choose"));
    registration.insert("consent".to_owned(), json!("implied"));
    registration.insert("jwks_uri".to_owned(), Value::Null);
    assert_eq!(
        parse_registration(&registration, ClientRegistrar::Client).unwrap(),
        by_itself(four_fields()).unwrap()
    );
}

#[test]
fn client_registration_accepts_localized_members() {
    let mut registration = object(four_fields());
    registration.insert("client_name#pt-BR".to_owned(), json!("Notas"));
    registration.insert("tos_uri#pt".to_owned(), json!("https://notes.example/termos"));
    let metadata = parse_registration(&registration, ClientRegistrar::Client).unwrap();
    let members = describe_metadata(&metadata, ClientRegistrar::Client);
    assert_eq!((&members["client_name#pt-BR"], &members["client_name"]), (&json!("Notas"), &json!("Notes")));
    assert_eq!(parse_registration(&members, ClientRegistrar::Client).unwrap().localized, metadata.localized);
    for (name, value) in [
        ("client_name#", json!("x")),
        ("client_name#pt BR", json!("x")),
        ("client_name#pt", json!("x\u{202e}y")),
        ("client_name#pt", json!(7)),
        ("tos_uri#pt", json!("javascript:alert(1)")),
    ] {
        let mut registration = object(four_fields());
        registration.insert(name.to_owned(), value);
        let refusal = parse_registration(&registration, ClientRegistrar::Client).expect_err(name);
        assert_eq!(refusal.code(), RefusalCode::InvalidClientMetadata, "{name}");
    }
}

#[test]
fn client_registration_with_bad_redirect_uris_is_invalid_redirect_uri_with_locations() {
    let registration =
        json!({"redirect_uris": ["https://a.example/cb#x", "https://a.example/cb", "javascript:x", 7]});
    let (code, places) = refused_as(registration);
    assert_eq!(code, "invalid_redirect_uri");
    assert_eq!(places, ["/redirect_uris/0", "/redirect_uris/2", "/redirect_uris/3"]);
    assert_eq!(refused_as(json!({})).0, "invalid_redirect_uri");
    let many = vec!["https://a.example/cb"; 21];
    assert_eq!(refused_as(json!({"redirect_uris": many})).0, "invalid_redirect_uri");
    let after = json!({"redirect_uris": ["https://a.example/cb"], "post_logout_redirect_uris": "x"});
    assert_eq!(refused_as(after).0, "invalid_redirect_uri");
}

#[test]
fn client_registration_of_unsupported_grants_or_methods_is_refused() {
    for (name, value) in [
        ("grant_types", json!(["password"])),
        ("grant_types", json!(["implicit", "authorization_code"])),
        ("grant_types", json!(["client_credentials"])),
        ("response_types", json!(["token"])),
        ("response_types", json!(["code id_token"])),
        ("token_endpoint_auth_method", json!("client_secret_jwt")),
        ("subject_type", json!("pairwise")),
        ("id_token_signed_response_alg", json!("none")),
        ("scope", json!("openid members:manage")),
        ("scope", json!("organizations:administer")),
        ("scope", json!("instance:*")),
        ("scope", json!("*:*")),
        ("scope", json!(["openid"])),
        ("client_name", json!("x".repeat(10_000))),
        ("client_name", json!(["x"])),
        ("jwks", json!({"keys": []})),
        ("sector_identifier_uri", json!("http://a.example/sector")),
        ("default_max_age", json!(-1)),
    ] {
        let mut registration = object(four_fields());
        registration.insert(name.to_owned(), value.clone());
        let refusal = parse_registration(&registration, ClientRegistrar::Client).expect_err(name);
        assert_eq!(refusal.code(), RefusalCode::InvalidClientMetadata, "{name}: {value}");
        assert!(!refusal.validation_errors().is_empty());
    }
}

#[test]
fn client_registration_for_client_credentials_is_limited_to_organizations() {
    let registration = object(json!({"client_name": "Nightly", "grant_types": ["client_credentials"]}));
    assert!(parse_registration(&registration, ClientRegistrar::Organization).is_ok());
    assert!(parse_registration(&registration, ClientRegistrar::Client).is_err());
}

#[test]
fn client_registration_accepts_jwks_or_jwks_uri_but_not_both() {
    let keys = json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AA"}]});
    let mut registration = object(four_fields());
    registration.insert("jwks".to_owned(), keys);
    assert!(parse_registration(&registration, ClientRegistrar::Client).is_ok());
    registration.insert("jwks_uri".to_owned(), json!("https://a.example/jwks"));
    assert!(parse_registration(&registration, ClientRegistrar::Client).is_err());
}

#[test]
fn sector_identifier_document_must_list_every_redirect_uri_exactly() {
    let uris = ["https://a.example/cb".parse().unwrap(), "https://b.example/cb".parse().unwrap()];
    assert!(check_sector_document(br#"["https://b.example/cb","x","https://a.example/cb"]"#, &uris));
    for document in [
        &b"[]"[..],
        br#"["https://a.example/cb"]"#,
        br#"{"a":1}"#,
        b"",
        br#"["https://A.example/cb","https://b.example/cb"]"#,
    ] {
        assert!(!check_sector_document(document, &uris));
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        prop::sample::select(vec!["none", "code", "ES256", "https://a.example/cb", "openid"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| prop::collection::vec(inner, 0..4).prop_map(Value::from))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn client_registration_response_can_be_registered_again(
        sent in prop::collection::btree_map(prop::sample::select(ClientMetadata::MEMBERS), any_value(), 0..6),
    ) {
        let mut document = object(four_fields());
        document.extend(sent.into_iter().map(|(name, value)| (name.to_owned(), value)));
        if let Ok(metadata) = parse_registration(&document, ClientRegistrar::Organization) {
            let members = describe_metadata(&metadata, ClientRegistrar::Organization);
            let again = parse_registration(&members, ClientRegistrar::Organization).unwrap();
            prop_assert_eq!(describe_metadata(&again, ClientRegistrar::Organization), members);
        }
    }
}

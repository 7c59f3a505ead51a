//! Which documents are accepted.

use super::*;
use serde_json::json;

const URL: &str = "https://notes.example/oauth/client.json";

fn parse(document: &Value) -> Result<ClientMetadata, ClientDocumentFailure> {
    parse_client_document(&URL.parse().unwrap(), document.to_string().as_bytes())
}

fn document(extra_fields: Value) -> Value {
    let mut document =
        json!({"client_id": URL, "client_name": "Notes", "redirect_uris": ["http://127.0.0.1/callback"]});
    document.as_object_mut().unwrap().extend(extra_fields.as_object().unwrap().clone());
    document
}

#[test]
fn client_document_becomes_metadata_with_the_host_as_name() {
    let metadata = parse(&document(json!({"unknown": 1, "client_name#pt": "Notas"}))).unwrap();
    assert_eq!(metadata.client_name, "notes.example (Notes)");
    assert_eq!(metadata.token_endpoint_auth_method, ClientAuthMethod::None);
    assert!(metadata.localized.is_empty());
    for nameless in [json!(null), json!(""), json!(7), json!("x".repeat(DISPLAY_TEXT_CHARACTERS_MAX))] {
        let metadata = parse(&document(json!({"client_name": nameless}))).unwrap();
        assert_eq!(metadata.client_name, "notes.example");
    }
    let keyed =
        json!({"token_endpoint_auth_method": "private_key_jwt", "jwks_uri": "https://notes.example/jwks"});
    let metadata = parse(&document(keyed)).unwrap();
    assert_eq!(metadata.token_endpoint_auth_method, ClientAuthMethod::PrivateKeyJwt);
    let sector = json!({"sector_identifier_uri": "https://notes.example/sector"});
    assert_eq!(parse(&document(sector)).unwrap().sector_identifier_uri, None);
    // Only administrators decide this.
    assert_eq!(
        parse(&document(json!({"consent": "implied"}))).unwrap(),
        parse(&document(json!({}))).unwrap()
    );
}

#[test]
fn client_document_that_contradicts_itself_is_refused() {
    for (extra_fields, expected_text) in [
        (json!({"client_id": "https://notes.example/oauth/client.json/"}), "client_id"),
        (json!({"client_id": null}), "client_id"),
        (json!({"client_secret": "x"}), "client_secret"),
        (json!({"client_secret": null}), "client_secret"),
        (json!({"client_secret_expires_at": 0}), "client_secret"),
        (json!({"token_endpoint_auth_method": "client_secret_basic"}), "token_endpoint_auth_method"),
        (json!({"token_endpoint_auth_method": "client_secret_post"}), "token_endpoint_auth_method"),
        (json!({"token_endpoint_auth_method": "tls_client_auth"}), "token_endpoint_auth_method"),
        (json!({"token_endpoint_auth_method": null}), "token_endpoint_auth_method"),
    ] {
        let Err(ClientDocumentFailure::Contradictory(cause)) = parse(&document(extra_fields.clone())) else {
            panic!("{extra_fields}")
        };
        assert!(cause.contains(expected_text), "{cause}");
    }
    for (extra_fields, expected_pointer) in [
        (json!({"redirect_uris": ["javascript:alert(1)"]}), "/redirect_uris/0"),
        (json!({"redirect_uris": []}), "/redirect_uris"),
        (json!({"grant_types": ["client_credentials"]}), "/grant_types"),
        (json!({"token_endpoint_auth_method": "private_key_jwt"}), "/jwks"),
        (json!({"jwks": {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AA", "d": "AA"}]}}), "/jwks"),
        (json!({"scope": "members:manage"}), "/scope"),
        (json!({"client_name": "Notes\u{202e}"}), "/client_name"),
    ] {
        let Err(ClientDocumentFailure::InvalidMetadata(errors)) = parse(&document(extra_fields.clone()))
        else {
            panic!("{extra_fields}")
        };
        assert!(errors.iter().any(|fault| fault.pointer == expected_pointer), "{errors:?}");
    }
    for body in [&b"[]"[..], b"", b"{", b"<html>", b"\"x\""] {
        let failure = parse_client_document(&URL.parse().unwrap(), body).unwrap_err();
        assert_eq!(failure, ClientDocumentFailure::Contradictory("it is not a JSON object"));
    }
}

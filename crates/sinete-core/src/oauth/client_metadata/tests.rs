//! Valid and invalid client metadata.

use super::*;

fn parse(text: &str) -> Result<ClientMetadata, serde_json::Error> {
    serde_json::from_str(text)
}

#[test]
fn client_metadata_defaults_are_filled_in() {
    let client = parse(
        r#"{"client_name":"Notes","redirect_uris":["https://notes.example/cb"],"token_endpoint_auth_method":"none","unknown":1}"#,
    )
    .unwrap();
    assert!(client.validate().is_empty() && client.validate_redirect_uris().is_empty());
    let grants = [GrantType::AuthorizationCode, GrantType::RefreshToken, GrantType::TokenExchange];
    assert_eq!(client.effective_grant_types(), grants.into());
    assert_eq!(parse("{}").unwrap().token_endpoint_auth_method, ClientAuthMethod::ClientSecretBasic);
}

#[test]
fn client_metadata_with_unsupported_grant_or_response_types_is_refused() {
    for text in [
        r#"{"grant_types":["password"]}"#,
        r#"{"grant_types":["implicit"]}"#,
        r#"{"response_types":["token"]}"#,
        r#"{"response_types":["code id_token"]}"#,
        r#"{"token_endpoint_auth_method":"client_secret_jwt"}"#,
        r#"{"id_token_signed_response_alg":"none"}"#,
        r#"{"id_token_signed_response_alg":"HS256"}"#,
        r#"{"redirect_uris":["http://evil.example/cb"]}"#,
        r#"{"scope":"anything goes"}"#,
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
}

#[test]
fn client_metadata_contradictions_are_all_reported() {
    let client = parse(
        r#"{
            "client_name": "x\u202ey",
            "grant_types": ["client_credentials", "refresh_token"],
            "token_endpoint_auth_method": "none",
            "request_object_signing_alg": "ES256",
            "logo_uri": "http://a.example/logo.png",
            "contacts": [""]
        }"#,
    )
    .unwrap();
    let places: Vec<_> = client.validate().iter().map(|fault| fault.pointer.clone()).collect();
    let expected =
        ["/client_name", "/grant_types", "/token_endpoint_auth_method", "/jwks", "/logo_uri", "/contacts/0"];
    assert_eq!(places, expected);
    assert_eq!(parse(r#"{"client_name":"x"}"#).unwrap().validate_redirect_uris().iter().count(), 1);
}

#[test]
fn client_metadata_member_names_match_the_standard() {
    let text = r#"{
        "client_name": "x", "redirect_uris": ["https://a.example"], "grant_types": [], "response_types": [],
        "scope": "openid", "jwks": {}, "jwks_uri": "x", "token_endpoint_auth_signing_alg": "ES256",
        "id_token_signed_response_alg": "ES256", "userinfo_signed_response_alg": "ES256",
        "request_object_signing_alg": "ES256", "client_uri": "x", "logo_uri": "x", "tos_uri": "x",
        "policy_uri": "x", "sector_identifier_uri": "x", "subject_type": "public",
        "localized": {"client_name#pt": "x"}, "contacts": ["x"], "software_id": "x", "software_version": "x",
        "initiate_login_uri": "x", "post_logout_redirect_uris": ["https://a.example"],
        "backchannel_logout_uri": "x", "backchannel_token_delivery_mode": "ping",
        "backchannel_client_notification_endpoint": "x", "backchannel_user_code_parameter": false,
        "backchannel_authentication_request_signing_alg": "ES256", "default_max_age": 1, "default_acr_values": ["x"],
        "authorization_details_types": ["x"], "interaction_url": "x", "consent": "implied",
        "serves": "everyone", "include_claims_in_id_token": true, "role_claims": ["groups"],
        "tls_client_auth_subject_dn": "x", "tls_client_auth_san_dns": "x", "tls_client_auth_san_uri": "x",
        "tls_client_auth_san_ip": "x", "tls_client_auth_san_email": "x",
        "tls_client_certificate_bound_access_tokens": true, "dpop_bound_access_tokens": true, "security_profile": "fapi2"
    }"#;
    let serialized_metadata = serde_json::to_value(parse(text).unwrap()).unwrap();
    let mut names: Vec<_> = serialized_metadata.as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected_names = ClientMetadata::MEMBERS.to_vec();
    names.sort_unstable();
    expected_names.sort_unstable();
    assert_eq!(names, expected_names);
}

#[test]
fn client_jwks_with_a_private_key_is_refused() {
    let with = |jwks: &str| parse(&format!(r#"{{"client_name":"x","jwks":{jwks}}}"#)).unwrap().validate();
    assert!(with(r#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AA"}]}"#).is_empty());
    assert!(!with(r#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AA","d":"BB"}]}"#).is_empty());
    assert!(!with(r#"{"keys":[]}"#).is_empty());
    assert!(!with(r#"[]"#).is_empty());
}

#[test]
fn ciba_client_must_authenticate_and_register_a_notification_endpoint_for_ping() {
    let ciba = "\"grant_types\": [\"urn:openid:params:grant-type:ciba\"]";
    let list_pointers = |extra_fields: &str| {
        let client = parse(&format!("{{\"client_name\": \"x\", {ciba}{extra_fields}}}")).unwrap();
        client.validate().iter().map(|fault| fault.pointer.clone()).collect::<Vec<_>>()
    };
    let ping_fields = r#", "backchannel_token_delivery_mode": "ping",
        "backchannel_client_notification_endpoint": "https://agent.example/told""#;
    for fine in ["", ping_fields, r#", "backchannel_token_delivery_mode": "poll""#] {
        assert!(list_pointers(fine).is_empty(), "{fine}");
    }
    for (extra_fields, expected_pointer) in [
        (r#", "token_endpoint_auth_method": "none""#, "/token_endpoint_auth_method"),
        (r#", "backchannel_token_delivery_mode": "ping""#, "/backchannel_client_notification_endpoint"),
        (
            r#", "backchannel_client_notification_endpoint": "http://agent.example/told""#,
            "/backchannel_client_notification_endpoint",
        ),
        (r#", "backchannel_user_code_parameter": true"#, "/backchannel_user_code_parameter"),
        (r#", "backchannel_authentication_request_signing_alg": "ES256""#, "/jwks"),
    ] {
        assert_eq!(list_pointers(extra_fields), [expected_pointer], "{extra_fields}");
    }
    for unknown in [
        r#"{"client_name": "x", "backchannel_token_delivery_mode": "push"}"#,
        r#"{"client_name": "x", "backchannel_authentication_request_signing_alg": "none"}"#,
    ] {
        assert!(parse(unknown).is_err(), "{unknown}");
    }
}

fn excess(
    metadata: &ClientMetadata,
    is_self_registered: bool,
    policy: ScopeCeilingPolicy,
    requested_scope: &str,
) -> Option<String> {
    let scope = metadata.allowed_scopes();
    let ceiling = metadata.scope_ceiling(&scope, is_self_registered, policy);
    ceiling.find_excess(&requested_scope.parse().unwrap()).map(|scope| scope.to_string())
}

#[test]
fn scope_ceiling_is_absent_only_for_self_registered_clients_that_named_none() {
    use ScopeCeilingPolicy::{Consent, Registered};
    let plain = ClientMetadata::default();
    let client_metadata =
        ClientMetadata { scope: Some("openid files:read".parse().unwrap()), ..plain.clone() };
    let implied = ClientMetadata { consent: ClientConsentMode::Implied, ..plain.clone() };
    let requested_scope = "openid invoices:read";
    assert_eq!(excess(&plain, true, Registered, requested_scope), None);
    assert_eq!(excess(&client_metadata, true, Registered, requested_scope).as_deref(), Some("invoices:read"));
    assert_eq!(excess(&client_metadata, true, Consent, requested_scope), None);
    for metadata in [&plain, &client_metadata] {
        assert_eq!(excess(metadata, false, Consent, requested_scope).as_deref(), Some("invoices:read"));
    }
    assert_eq!(excess(&implied, true, Consent, requested_scope).as_deref(), Some("invoices:read"));
    // Permissions of this service are above every ceiling that does not name them.
    assert_eq!(excess(&plain, true, Consent, "members:read").as_deref(), Some("members:read"));
    assert_eq!(excess(&client_metadata, true, Consent, "instance:read").as_deref(), Some("instance:read"));
}

#[test]
fn offline_access_is_below_the_ceiling_where_refresh_tokens_and_consent_are_in_use() {
    let client_metadata =
        ClientMetadata { scope: Some("files:read".parse().unwrap()), ..ClientMetadata::default() };
    let requested_scope = "files:read offline_access";
    let above =
        |metadata: &ClientMetadata| excess(metadata, false, ScopeCeilingPolicy::Registered, requested_scope);
    assert_eq!(above(&client_metadata), None);
    let grant_types = Some([GrantType::AuthorizationCode].into());
    assert!(above(&ClientMetadata { grant_types, ..client_metadata.clone() }).is_some());
    assert!(above(&ClientMetadata { consent: ClientConsentMode::Implied, ..client_metadata }).is_some());
}

//! Tests of issuers, settings and provider keys.

use super::*;
use crate::time::Lifetime;

#[test]
fn upstream_issuer_must_be_a_plain_https_url() {
    for text in ["https://accounts.example", "https://login.example/tenant/v2.0", "https://idp.example:8443/"]
    {
        assert_eq!(
            IdentityProviderIssuer::parse(text, InsecureProviderPolicy::Refused).unwrap().as_str(),
            text
        );
    }
    assert_eq!(
        IdentityProviderIssuer::parse("https://idp.example/a/", InsecureProviderPolicy::Refused)
            .unwrap()
            .discovery_url(),
        "https://idp.example/a/.well-known/openid-configuration"
    );
    for text in [
        "",
        "idp.example",
        "https://",
        "https://a:b@idp.example",
        "https://idp.example?x",
        "https://idp.example#x",
        "ftp://idp.example",
        "file:///etc/passwd",
        "https://idp.example\\@evil.example",
    ] {
        assert_eq!(
            IdentityProviderIssuer::parse(text, InsecureProviderPolicy::OnLoopback),
            Err(InvalidProviderIssuer::NotAUrl),
            "{text}"
        );
    }
    let plain = "http://127.0.0.1:8080";
    assert!(IdentityProviderIssuer::parse(plain, InsecureProviderPolicy::OnLoopback).is_ok());
    assert_eq!(
        IdentityProviderIssuer::parse(plain, InsecureProviderPolicy::Refused),
        Err(InvalidProviderIssuer::NotHttps)
    );
    assert_eq!(
        IdentityProviderIssuer::parse("http://idp.example", InsecureProviderPolicy::OnLoopback),
        Err(InvalidProviderIssuer::NotHttps)
    );
}

#[test]
fn upstream_sign_in_without_acr_or_amr_is_one_factor() {
    let now = Timestamp::from_seconds(10_000_000);
    let mapping = TwoFactorMapping { acr: ["high".to_owned()].into(), amr: ["mfa".to_owned()].into() };
    let map_level = |acr: Option<&str>, amr: &[&str], age: Option<Lifetime>| {
        let amr: Vec<_> = amr.iter().map(|it| (*it).to_owned()).collect();
        mapping.map_assurance_level(acr, &amr, age.map(|age| now.minus(age)), now)
    };
    assert_eq!(map_level(None, &[], None), AssuranceLevel::One);
    assert_eq!(map_level(Some("low"), &["pwd"], None), AssuranceLevel::One);
    assert_eq!(map_level(Some("high"), &[], None), AssuranceLevel::Two);
    assert_eq!(map_level(None, &["pwd", "mfa"], Some(Lifetime::from_hours(23))), AssuranceLevel::Two);
    assert_eq!(map_level(Some("high"), &["mfa"], Some(Lifetime::from_hours(25))), AssuranceLevel::One);
    let nothing = TwoFactorMapping::default();
    assert_eq!(
        nothing.map_assurance_level(Some("high"), &["mfa".to_owned()], None, now),
        AssuranceLevel::One
    );
}

#[test]
fn oidc_connection_faults_are_reported_at_their_location() {
    let settings: ConnectionSettings = serde_json::from_str(r#"{"name":"Acme","client_id":"abc"}"#).unwrap();
    assert!(settings.validate().is_empty());
    let ConnectionProtocol::OpenId(open_id) = settings.protocol.clone() else {
        panic!("it speaks OpenID Connect")
    };
    assert_eq!((open_id.scopes.len(), settings.external_id_claim.as_deref()), (3, None));
    let with = |changed: OidcConnectionSettings| ConnectionSettings {
        protocol: ConnectionProtocol::OpenId(changed),
        ..settings.clone()
    };
    for (changed, pointer) in [
        (ConnectionSettings { name: " ".into(), ..settings.clone() }, "/name"),
        (with(OidcConnectionSettings { client_id: "a b".into(), ..open_id.clone() }), "/client_id"),
        (with(OidcConnectionSettings { scopes: vec!["email".into()], ..open_id.clone() }), "/scopes"),
        (with(OidcConnectionSettings { scopes: vec!["openid".into(), "a b".into()], ..open_id }), "/scopes"),
        (
            ConnectionSettings { external_id_claim: Some(String::new()), ..settings.clone() },
            "/external_id_claim",
        ),
        (
            ConnectionSettings {
                two_factors: TwoFactorMapping { acr: ["a b".into()].into(), ..Default::default() },
                ..settings.clone()
            },
            "/two_factors/acr",
        ),
    ] {
        let errors = changed.validate();
        assert_eq!(errors.iter().map(|it| it.pointer.as_str()).collect::<Vec<_>>(), [pointer]);
    }
}

#[test]
fn saml_connection_faults_are_reported_at_their_location_and_never_mixed_with_oidc() {
    let valid_settings = serde_json::json!({
        "name": "Acme", "external_id_claim": "User Name",
        "saml": {"sso_url": "https://idp.example/sso?x=1", "certificates": ["pem"], "email": "urn:mail"},
    });
    let read = |settings: &serde_json::Value| serde_json::from_value::<ConnectionSettings>(settings.clone());
    assert!(read(&valid_settings).unwrap().validate().is_empty());
    assert_eq!(serde_json::to_value(read(&valid_settings).unwrap()).unwrap()["saml"]["subject"], "NameID");
    for (member, value, pointer) in [
        ("sso_url", serde_json::json!("http://idp.example"), "/saml/sso_url"),
        ("sso_url", serde_json::json!("javascript:alert(1)"), "/saml/sso_url"),
        ("certificates", serde_json::json!([]), "/saml/certificates"),
        ("certificates", serde_json::json!(["1", "2", "3", "4", "5", "6"]), "/saml/certificates"),
        ("subject", serde_json::json!(" x"), "/saml/subject"),
        ("email", serde_json::json!(""), "/saml/email"),
        ("contexts", serde_json::json!(["a\nb"]), "/saml/contexts"),
    ] {
        let mut settings = valid_settings.clone();
        settings["saml"][member] = value;
        let errors = read(&settings).unwrap().validate();
        assert_eq!(errors.iter().map(|it| it.pointer.as_str()).collect::<Vec<_>>(), [pointer]);
    }
    for (name, value) in [("client_id", serde_json::json!("x")), ("scopes", serde_json::json!(["openid"]))] {
        let mut settings = valid_settings.clone();
        settings[name] = value;
        assert!(read(&settings).is_err(), "{name}");
    }
    assert_eq!(
        IdentityProviderIssuer::parse_entity_id("urn:example:idp").unwrap().as_str(),
        "urn:example:idp"
    );
    for text in ["", "a b", "é", &"x".repeat(513)] {
        assert_eq!(IdentityProviderIssuer::parse_entity_id(text), Err(InvalidProviderIssuer::NotAnEntityId));
    }
}

#[test]
fn upstream_subjects_of_different_protocols_or_attributes_never_collide() {
    let saml = |subject: &str| ConnectionSettings {
        protocol: ConnectionProtocol::Saml(Box::new(SamlConnectionSettings {
            subject: subject.to_owned(),
            ..serde_json::from_str("{}").unwrap()
        })),
        ..serde_json::from_str(r#"{"name":"A"}"#).unwrap()
    };
    let issuer = IdentityProviderIssuer::parse_entity_id("https://idp.example/realm").unwrap();
    let open_id: ConnectionSettings = serde_json::from_str(r#"{"name":"A","client_id":"x"}"#).unwrap();
    let names = [
        open_id.provider_key(&issuer),
        saml("NameID").provider_key(&issuer),
        saml("uid").provider_key(&issuer),
    ];
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), 3);
    assert!(names.iter().all(|name| issuer_from_key(name) == issuer.as_str()), "{names:?}");
}

//! The required content of a response, one condition at a time.

use super::*;
use crate::identity_providers::saml::authn_request;
use crate::identity_providers::saml::authn_request::{SamlAuthnRequest, SamlServiceProvider};
use crate::identity_providers::saml::metadata::{InvalidSamlMetadata, SamlProviderMetadata};
use crate::identity_providers::saml::signature::XmlSignatureRejection;
use crate::identity_providers::saml::subject_description::describe_subject;
use proptest::prelude::*;
use std::collections::HashMap;
use url::Url;

#[test]
fn saml_response_with_signed_assertion_or_response_or_both_is_accepted() {
    let believed = judged(&usual("ana")).unwrap();
    assert_eq!(believed.assertion, "_assertion");
    let reported = believed.claims;
    assert_eq!((reported.subject.as_str(), reported.external_id.as_deref()), ("ana", Some("e-7")));
    assert_eq!(reported.verified_email.unwrap().as_str(), "ana@acme.example");
    assert_eq!(reported.acr.as_deref(), Some("urn:oasis:names:tc:SAML:2.0:ac:classes:X509"));
    assert_eq!(reported.auth_time, Some(Timestamp::from_seconds(1_763_207_998)));
    let template = plain("ana");
    let signed = template.replace("<!R!>", &signature(&template, "_response", "theirs")).replace("<!S!>", "");
    assert_eq!(judged(&signed).unwrap().claims.subject, "ana");
    let both = usual("ana");
    let over = signature(&both, "_response", "theirs");
    let both = both.replacen("<samlp:Status>", &format!("{over}<samlp:Status>"), 1);
    assert_eq!(judged(&both).unwrap().claims.subject, "ana");
    // Every signature is checked: an invalid one rejects the response even if another is valid.
    let spoiled = both.replacen("</samlp:Status>", " </samlp:Status>", 1);
    assert_eq!(judged(&spoiled), Err(SamlResponseRejection::NotSigned(XmlSignatureRejection::Digest)));
}

/// Verifies a response whose assertion was changed before signing.
fn signed_with(from: &str, to: &str) -> Result<VerifiedSamlAssertion, SamlResponseRejection> {
    let changed = plain("ana").replace(from, to);
    assert_ne!(changed, plain("ana"), "{from}");
    judged(&with_assertion_signed(&changed, "_assertion"))
}

#[test]
fn saml_response_with_any_invalid_statement_is_rejected() {
    use SamlResponseRejection as No;
    let conditions = "<saml:AudienceRestriction>";
    for (from, to, rejection) in [
        (THEM, "https://idp.example/other", No::Issuer),
        ("<saml:Issuer>", "<saml:Issuer Format=\"urn:other\">", No::Issuer),
        ("<saml:Issuer>", "<saml:Issuer> ", No::Issuer),
        ("Destination=\"", "Destination=\"https://evil.example/", No::Destination),
        ("Destination=", "Destined=", No::Destination),
        ("ID=\"_response\" Version=\"2.0\"", "ID=\"_response\" Version=\"1.1\"", No::NotAResponse),
        ("InResponseTo=\"_request\"><saml:Issuer", "InResponseTo=\"_other\"><saml:Issuer", No::InResponseTo),
        ("InResponseTo=\"_request\"><saml:Issuer", "><saml:Issuer", No::InResponseTo),
        ("InResponseTo=\"_request\" Recipient", "InResponseTo=\"_other\" Recipient", No::Confirmation),
        ("InResponseTo=\"_request\" Recipient", "Recipient", No::Confirmation),
        ("Recipient=\"", "Recipient=\"https://evil.example/", No::Confirmation),
        ("2.0:cm:bearer", "2.0:cm:sender-vouches", No::Confirmation),
        (
            "<saml:SubjectConfirmationData",
            "<saml:NameID>service</saml:NameID><saml:SubjectConfirmationData",
            No::Confirmation,
        ),
        ("NotOnOrAfter=\"2025-11-15T12:05:00Z\"/>", "/>", No::Confirmation),
        (
            "NotOnOrAfter=\"2025-11-15T12:05:00Z\"/>",
            "NotOnOrAfter=\"2025-11-15T11:59:00Z\"/>",
            No::Confirmation,
        ),
        ("NotOnOrAfter=\"2025-11-15T12:05:00Z\"/>", "NotOnOrAfter=\"soon\"/>", No::Confirmation),
        ("NotOnOrAfter=\"2025-11-15T12:05:00Z\">", "NotOnOrAfter=\"2025-11-15T11:59:30Z\">", No::Time),
        ("NotBefore=\"2025-11-15T11:59:00Z\"", "NotBefore=\"2025-11-15T12:02:00Z\"", No::Time),
        ("NotBefore=\"2025-11-15T11:59:00Z\"", "NotBefore=\"2025-11-15T11:59:00\"", No::Time),
        (US, "https://other.example", No::Audience),
        (
            conditions,
            "<saml:AudienceRestriction><saml:Audience>x</saml:Audience></saml:AudienceRestriction><saml:AudienceRestriction>",
            No::Audience,
        ),
        (conditions, "<saml:Condition/><saml:AudienceRestriction>", No::Condition),
        (
            "IssueInstant=\"2025-11-15T12:00:00Z\"><saml:Issuer>",
            "IssueInstant=\"2025-11-15T11:55:00Z\"><saml:Issuer>",
            No::IssuedAt,
        ),
        (
            "IssueInstant=\"2025-11-15T12:00:00Z\"><saml:Issuer>",
            "IssueInstant=\"2025-11-15T12:02:00Z\"><saml:Issuer>",
            No::IssuedAt,
        ),
        (
            "AuthnInstant=\"2025-11-15T11:59:58Z\"",
            "AuthnInstant=\"2025-11-15T12:59:58Z\"",
            No::Authentication,
        ),
        (
            "SessionNotOnOrAfter=\"2025-11-15T20:00:00Z\"",
            "SessionNotOnOrAfter=\"2025-11-15T11:00:00Z\"",
            No::Authentication,
        ),
        ("saml:AuthnStatement", "saml:AuthzDecisionStatement", No::Authentication),
        ("nameid-format:persistent", "nameid-format:transient", No::Subject),
        ("nameid-format:persistent\"", "nameid-format:persistent\" NameQualifier=\"other\"", No::Subject),
        ("nameid-format:persistent\"", "nameid-format:persistent\" SPNameQualifier=\"other\"", No::Subject),
        (">ana</saml:NameID>", "></saml:NameID>", No::Subject),
        (">ana</saml:NameID>", ">a<x>n</x>a</saml:NameID>", No::Subject),
        (">ana</saml:NameID>", ">a&#10;na</saml:NameID>", No::Subject),
    ] {
        assert_eq!(signed_with(from, to), Err(rejection), "{from} became {to}");
    }
}

#[test]
fn saml_response_tolerates_clock_skew_and_sp_name_qualifier_and_reports_failures() {
    use SamlResponseRejection as No;
    assert!(
        signed_with(
            "nameid-format:persistent\"",
            &format!("nameid-format:persistent\" SPNameQualifier=\"{US}\"")
        )
        .is_ok()
    );
    assert!(
        signed_with("NotBefore=\"2025-11-15T11:59:00Z\"", "NotBefore=\"2025-11-15T12:01:20.5Z\"").is_ok()
    );
    let denied = plain("ana").replace("status:Success\"/>", "status:Responder\"><samlp:StatusCode Value=\"urn:oasis:names:tc:SAML:2.0:status:AuthnFailed\"/></samlp:StatusCode>");
    assert_eq!(judged(&with_assertion_signed(&denied, "_assertion")), Err(No::Status("AuthnFailed".into())));
}

#[test]
fn saml_subject_of_a_rejected_assertion_is_described_only_if_it_is_signed() {
    let transient = plain("ana").replace("format:persistent", "format:transient");
    let verifies = |method: XmlSignatureAlgorithm, message: &[u8], signature: &[u8]| {
        method == XmlSignatureAlgorithm::RsaSha256 && signature == made("theirs", message)
    };
    let signed = with_assertion_signed(&transient, "_assertion");
    let described = describe_subject(signed.as_bytes(), &verifies).unwrap();
    assert_eq!(described.name_id_format.as_deref(), Some("transient"));
    let explanation = described.explain("NameID");
    assert!(explanation.contains("the format of the NameID is transient"), "{explanation}");
    assert!(
        explanation.contains("Attributes with one value: mail, employee.")
            && explanation.contains("such as mail"),
        "{explanation}"
    );
    let explanation = described.explain("groups");
    assert!(explanation.contains("does not contain the attribute groups with one value"), "{explanation}");
    assert_eq!(describe_subject(transient.as_bytes(), &verifies), None);
}

#[test]
fn saml_subject_attribute_must_have_exactly_one_value() {
    let by = |name: &str, xml: &str| {
        judged_by(xml, &SamlConnectionSettings { subject: name.to_owned(), ..settings() })
    };
    assert_eq!(by("employee", &usual("ana")).unwrap().claims.subject, "e-7");
    assert_eq!(by("groups", &usual("ana")), Err(SamlResponseRejection::Subject), "several values are none");
    assert_eq!(by("absent", &usual("ana")), Err(SamlResponseRejection::Subject));
    let second = "<saml:AttributeValue><x/></saml:AttributeValue><saml:AttributeValue>e-7";
    let two = with_assertion_signed(&plain("ana").replace("<saml:AttributeValue>e-7", second), "_assertion");
    assert_eq!(
        by("employee", &two),
        Err(SamlResponseRejection::Subject),
        "also where one of them is no text"
    );
    let many = "<saml:AttributeValue>x</saml:AttributeValue>".repeat(500);
    let many = plain("ana").replace("<saml:AttributeValue>a</saml:AttributeValue>", &many);
    assert_eq!(by("employee", &with_assertion_signed(&many, "_assertion")).unwrap().claims.subject, "e-7");
    // A transient `NameID` never identifies a user; it is ignored if the settings use an attribute.
    let transient = plain("ana").replace("format:persistent", "format:transient");
    let transient = with_assertion_signed(&transient, "_assertion");
    assert_eq!(by("employee", &transient).unwrap().claims.subject, "e-7");
    assert_eq!(by("NameID", &transient), Err(SamlResponseRejection::Subject));
    let by_mail =
        SamlConnectionSettings { subject: "employee".into(), email: Some("NameID".into()), ..settings() };
    assert_eq!(judged_by(&usual("ana"), &by_mail).unwrap().claims.verified_email, None);
    let mail = plain("ana")
        .replace("2.0:nameid-format:persistent\">ana<", "1.1:nameid-format:emailAddress\">ana@b.example<");
    let mail = judged_by(&with_assertion_signed(&mail, "_assertion"), &by_mail).unwrap();
    assert_eq!(mail.claims.verified_email.unwrap().as_str(), "ana@b.example");
}

#[test]
fn saml_authn_request_round_trips() {
    let saml = SamlConnectionSettings {
        sso_url: "https://idp.example/sso?tenant=1".into(),
        contexts: vec!["urn:<x>".into()],
        ..settings()
    };
    let us = SamlServiceProvider { entity_id: US, callback: CALLBACK };
    let request = SamlAuthnRequest { id: "_1", state: "st", issued_at: NOW, force_authn: true };
    let url = Url::parse(&authn_request::build_redirect_url(&saml, us, &request).unwrap()).unwrap();
    let query_params: HashMap<_, _> = url.query_pairs().into_owned().collect();
    assert_eq!((query_params["tenant"].as_str(), query_params["RelayState"].as_str()), ("1", "st"));
    let packed = STANDARD.decode(&query_params["SAMLRequest"]).unwrap();
    let (head, xml) = packed.split_at(5);
    let length = u16::try_from(xml.len()).unwrap();
    assert_eq!(head, [&[1], &length.to_le_bytes()[..], &(!length).to_le_bytes()].concat());
    let document = XmlDocument::parse(xml, 10_000).unwrap();
    let root = document.root().unwrap();
    assert!(root.has_name(crate::identity_providers::saml::SAMLP, "AuthnRequest"));
    for (name, value) in [
        ("ID", "_1"),
        ("IssueInstant", "2025-11-15T12:00:30Z"),
        ("Destination", "https://idp.example/sso?tenant=1"),
        ("AssertionConsumerServiceURL", CALLBACK),
        ("ForceAuthn", "true"),
    ] {
        assert_eq!(root.attribute(name), Some(value));
    }
    let policy = root.children().find(|it| it.local() == "NameIDPolicy").unwrap();
    assert!(policy.attribute("Format").unwrap().ends_with(":persistent"));
    let context = document.iter_elements().find(|it| it.local() == "AuthnContextClassRef").unwrap();
    assert_eq!(context.text().as_deref(), Some("urn:<x>"));
    let ours = authn_request::build_sp_metadata(us);
    assert!(
        XmlDocument::parse(ours.as_bytes(), 10_000).is_ok() && ours.contains(&format!("entityID=\"{US}\""))
    );
}

#[test]
fn saml_metadata_is_read_as_far_as_used() {
    let text = |role: &str| {
        format!(
            r#"<?xml version="1.0"?><md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="{THEM}"><md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:1.1:protocol urn:oasis:names:tc:SAML:2.0:protocol">{role}</md:IDPSSODescriptor></md:EntityDescriptor>"#
        )
    };
    let key = |used: &str, data: &str| {
        format!(
            r#"<md:KeyDescriptor{used}><ds:KeyInfo xmlns:ds="{DS}"><ds:X509Data><ds:X509Certificate>
{data}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>"#
        )
    };
    let service = |binding: &str, location: &str| {
        format!(
            r#"<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:{binding}" Location="{location}"/>"#
        )
    };
    let keys = [
        key(" use=\"signing\"", "AAAA"),
        key(" use=\"encryption\"", "BBBB"),
        key("", "CCCC"),
        key("", "AAAA"),
    ]
    .concat();
    let both = [
        service("HTTP-POST", "https://idp.example/post"),
        service("HTTP-Redirect", "https://idp.example/go"),
    ]
    .concat();
    let read = SamlProviderMetadata::parse(&text(&format!("{keys}{both}")), NOW).unwrap();
    assert_eq!((read.entity_id.as_str(), read.sso_url.as_str()), (THEM, "https://idp.example/go"));
    assert_eq!(read.certificates.len(), 2);
    assert!(read.certificates[1].contains("\nCCCC\n"));
    for (xml, saml_metadata) in [
        (text(&both), InvalidSamlMetadata::NoCertificate),
        (
            text(&format!("{keys}{}", service("HTTP-POST", "https://idp.example/post"))),
            InvalidSamlMetadata::NoSingleSignOnUrl,
        ),
        (
            text(&format!("{keys}{both}")).replace(":2.0:protocol", ":3.0:protocol"),
            InvalidSamlMetadata::NotAProvider,
        ),
        (
            text(&format!("{keys}{both}")).replace("EntityDescriptor", "EntitiesDescriptor"),
            InvalidSamlMetadata::NotAProvider,
        ),
        (
            text(&format!("{keys}{both}"))
                .replace(" entityID=", " validUntil=\"2025-11-15T12:00:00Z\" entityID="),
            InvalidSamlMetadata::Expired,
        ),
    ] {
        assert_eq!(SamlProviderMetadata::parse(&xml, NOW), Err(saml_metadata));
    }
    assert!(matches!(
        SamlProviderMetadata::parse("<!DOCTYPE a><a/>", NOW),
        Err(InvalidSamlMetadata::NotXml(_))
    ));
}

proptest! {
    /// Text inserted anywhere into a signed response either causes a rejection or leaves the subject
    /// unchanged.
    #[test]
    fn saml_response_with_inserted_text_never_changes_the_subject(
        place in 0_usize..6_000,
        what in prop_oneof![
            "[<>/a-z\"'= &;]{1,12}",
            Just("<!-- -->".to_owned()),
            Just("<saml:NameID>eva</saml:NameID>".to_owned()),
            Just(" ID=\"_assertion\"".to_owned()),
            Just("eva".to_owned()),
        ],
    ) {
        let signed = usual("ana");
        let place = place.min(signed.len());
        prop_assume!(signed.is_char_boundary(place));
        let (before, after) = signed.split_at(place);
        if let Ok(believed) = judged(&format!("{before}{what}{after}")) {
            prop_assert_eq!(believed, judged(&signed).unwrap());
        }
    }

    #[test]
    fn saml_response_with_removed_text_never_changes_the_subject(from in 0_usize..6_000, count in 1_usize..400) {
        let signed = usual("ana");
        let from = from.min(signed.len());
        let to = (from + count).min(signed.len());
        let taken = format!("{}{}", &signed[..from], &signed[to..]);
        if let Ok(believed) = judged(&taken) {
            prop_assert_eq!(believed, judged(&signed).unwrap());
        }
    }
}

#[test]
fn saml_requested_authn_context_must_be_in_the_response() {
    let verify_response = |contexts: &[&str]| {
        let contexts = contexts.iter().map(|it| (*it).to_owned()).collect();
        judged_by(&usual("ana"), &SamlConnectionSettings { contexts, ..settings() })
    };
    let certificate = "urn:oasis:names:tc:SAML:2.0:ac:classes:X509";
    assert!(verify_response(&[]).is_ok());
    assert!(verify_response(&["urn:other", certificate]).is_ok());
    assert_eq!(verify_response(&["urn:other"]), Err(SamlResponseRejection::Context));
    let unsaid = plain("ana").replace("AuthnContextClassRef", "AuthnContextDeclRef");
    let unsaid = with_assertion_signed(&unsaid, "_assertion");
    let demanding = SamlConnectionSettings { contexts: vec![certificate.to_owned()], ..settings() };
    assert_eq!(judged_by(&unsaid, &demanding), Err(SamlResponseRejection::Context));
}

//! Responses that an attacker forged from a valid one to be signed in as another user.

use super::*;
use crate::identity_providers::saml::signature::XmlSignatureRejection;

/// A signed response about the attacker.
fn own() -> String {
    usual("eva")
}

/// Its assertion with the signature, and the forged assertion.
fn parts() -> (String, String, String) {
    let response_xml = own();
    let start = response_xml.find("<saml:Assertion").unwrap();
    let signed = response_xml[start..].trim_end_matches("</samlp:Response>").to_owned();
    let (from, to) = (signed.find("<ds:Signature").unwrap(), signed.find("</ds:Signature>").unwrap());
    let signature = signed[from..to + "</ds:Signature>".len()].to_owned();
    let evil = assertion("_evil", "ana").replace("<!S!>", "");
    (signed, signature, evil)
}

fn refused(xml: &str) -> XmlSignatureRejection {
    match judged(xml) {
        Err(SamlResponseRejection::NotSigned(rejection)) => rejection,
        other => panic!("{other:?}: {xml}"),
    }
}

fn unmarked(xml: &str) -> String {
    xml.replace("<!R!>", "").replace("<!S!>", "")
}

#[test]
fn saml_signature_wrapping_is_rejected_in_every_form() {
    let (signed, signature, evil) = parts();
    let bare = signed.replace(&signature, "");
    let into =
        |outer: &str, inner: &str| outer.replacen("<saml:Subject>", &format!("{inner}<saml:Subject>"), 1);
    // XSW 1 and 2: a signed response, wrapped in another or placed next to its signature.
    let template = plain("eva");
    let over = super::signature(&template, "_response", "theirs");
    let genuine = unmarked(&template);
    let around = unmarked(&plain("ana"))
        .replace("ID=\"_response\"", "ID=\"_around\"")
        .replace("ID=\"_assertion\"", "ID=\"_a2\"");
    let first = over.replace("</ds:Signature>", &format!("<ds:Object>{genuine}</ds:Object></ds:Signature>"));
    let wrapped = |content: &str| around.replacen("<samlp:Status>", &format!("{content}<samlp:Status>"), 1);
    for xml in [wrapped(&first), wrapped(&format!("{genuine}{over}")), wrapped(&over)] {
        refused(&xml);
    }
    let shapes = [
        // XSW 3: the forged assertion before the signed one.
        response(&format!("{evil}{signed}")),
        // The same, after it.
        response(&format!("{signed}{evil}")),
        // XSW 4: the forged assertion around the signed one.
        response(&into(&evil, &signed)),
        // XSW 5: the forged assertion with the signature, the signed assertion after it.
        response(&format!("{}{bare}", into(&evil, &signature))),
        // XSW 6: the forged assertion with the signature, and the signed assertion inside the signature.
        response(&into(&evil, &signature.replace("</ds:SignedInfo>", &format!("</ds:SignedInfo>{bare}")))),
        // XSW 7: the signed assertion in `Extensions`.
        response(&format!("<samlp:Extensions>{signed}</samlp:Extensions>{evil}")),
        // XSW 8: the signed assertion in an `Object` of the signature.
        response(&into(
            &evil,
            &signature.replace("</ds:Signature>", &format!("<ds:Object>{bare}</ds:Object></ds:Signature>")),
        )),
        // The signed assertion in `Advice`, in the status and in the subject confirmation data.
        response(&into(&evil, &format!("<saml:Advice>{signed}</saml:Advice>"))),
        response(&evil).replace(
            "</samlp:Status>",
            &format!("<samlp:StatusDetail>{signed}</samlp:StatusDetail></samlp:Status>"),
        ),
        response(
            &evil.replace("12:05:00Z\"/>", &format!("12:05:00Z\">{signed}</saml:SubjectConfirmationData>")),
        ),
    ];
    for xml in shapes {
        let rejection = refused(&unmarked(&xml));
        assert!(
            matches!(
                rejection,
                XmlSignatureRejection::Assertions
                    | XmlSignatureRejection::Misplaced
                    | XmlSignatureRejection::SameId
            ),
            "{rejection}: {xml}"
        );
    }
}

#[test]
fn saml_duplicate_ids_are_rejected() {
    let (signed, signature, evil) = parts();
    let same = evil.replace("_evil", "_assertion");
    assert_eq!(refused(&unmarked(&response(&format!("{same}{signed}")))), XmlSignatureRejection::SameId);
    let with = same.replacen("<saml:Subject>", &format!("{signature}<saml:Subject>"), 1);
    assert_eq!(refused(&unmarked(&response(&with))), XmlSignatureRejection::Digest);
    for id in ["Id", "id", "xml:id"] {
        let other = own().replace("<samlp:Status>", &format!("<samlp:Status {id}=\"_assertion\">"));
        assert_eq!(refused(&other), XmlSignatureRejection::SameId, "{id}");
    }
}

#[test]
fn saml_assertion_in_another_namespace_is_not_a_second_assertion() {
    let (signed, _, evil) = parts();
    let other =
        evil.replace("xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\"", "xmlns:saml=\"urn:other\"");
    assert_eq!(refused(&unmarked(&response(&format!("{other}{signed}")))), XmlSignatureRejection::Assertions);
    let renamed = own().replace(
        "xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\" ID",
        "xmlns:saml=\"urn:oasis:names:tc:SAML:1.0:assertion\" ID",
    );
    assert_eq!(refused(&renamed), XmlSignatureRejection::Assertions);
}

#[test]
fn saml_response_unsigned_or_signed_by_another_key_is_rejected() {
    assert_eq!(refused(&unmarked(&plain("ana"))), XmlSignatureRejection::Missing);
    let template = plain("ana");
    let by_another = unmarked(&template.replace("<!S!>", &signature(&template, "_assertion", "another's")));
    assert_eq!(refused(&by_another), XmlSignatureRejection::Signature);
    // A signature over the assertion placed in the response, and one over the response placed in the
    // assertion.
    let moved = unmarked(&template.replace("<!R!>", &signature(&template, "_assertion", "theirs")));
    assert_eq!(refused(&moved), XmlSignatureRejection::Reference);
    let moved = unmarked(&template.replace("<!S!>", &signature(&template, "_response", "theirs")));
    assert_eq!(refused(&moved), XmlSignatureRejection::Reference);
    let twice = signature(&template, "_assertion", "theirs");
    assert_eq!(
        refused(&unmarked(&template.replace("<!S!>", &twice.repeat(2)))),
        XmlSignatureRejection::Misplaced
    );
    let deeper = own()
        .replace("<ds:Signature ", "<x><ds:Signature ")
        .replace("</ds:Signature>", "</ds:Signature></x>");
    assert_eq!(refused(&deeper), XmlSignatureRejection::Misplaced);
    for name in ["EncryptedAssertion", "EncryptedID"] {
        let hidden = own().replace(
            "</samlp:Response>",
            &format!("<saml:{name} xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\"/></samlp:Response>"),
        );
        assert_eq!(refused(&hidden), XmlSignatureRejection::Encrypted);
    }
}

/// A response about ana, signed with this change in its `SignedInfo`, as if made by the provider.
fn made_with(from: &str, to: &str) -> XmlSignatureRejection {
    let template = plain("ana");
    let valid_signature = signature(&template, "_assertion", "theirs");
    let (start, end) =
        (valid_signature.find("<ds:SignedInfo").unwrap(), valid_signature.find("</ds:SignedInfo>").unwrap());
    let info = &valid_signature[start..end + "</ds:SignedInfo>".len()];
    let changed = info.replacen(from, to, 1);
    assert_ne!(changed, info, "{from}");
    refused(&unmarked(&template.replace("<!S!>", &sealed(&changed, "theirs"))))
}

#[test]
fn saml_weak_signature_algorithms_are_rejected() {
    let rsa = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
    for weak in [
        "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
        "http://www.w3.org/2000/09/xmldsig#hmac-sha1",
        "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256",
        "http://www.w3.org/2000/09/xmldsig#dsa-sha1",
        "http://www.w3.org/2001/04/xmldsig-more#rsa-md5",
        "",
    ] {
        assert_eq!(made_with(rsa, weak), XmlSignatureRejection::Algorithm, "{weak}");
    }
    assert_eq!(made_with("xmlenc#sha256", "xmldsig#sha1"), XmlSignatureRejection::Algorithm);
    assert_eq!(
        made_with("http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2000/09/xmldsig#sha1"),
        XmlSignatureRejection::Algorithm
    );
    let exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#";
    for other in [
        "http://www.w3.org/TR/2001/REC-xml-c14n-20010315",
        "http://www.w3.org/2001/10/xml-exc-c14n#WithComments",
        "http://www.w3.org/2006/12/xml-c14n11",
    ] {
        assert_eq!(made_with(exclusive, other), XmlSignatureRejection::Transforms, "{other}");
    }
    let transform =
        "<ds:Transform Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\"></ds:Transform>";
    for other in [
        String::new(),
        transform.repeat(2),
        transform.replace("enveloped-signature", "base64"),
        "<ds:Transform Algorithm=\"http://www.w3.org/TR/1999/REC-xslt-19991116\"><x></x></ds:Transform>".to_owned(),
        "<ds:Transform Algorithm=\"http://www.w3.org/TR/1999/REC-xpath-19991116\"><ds:XPath>x</ds:XPath></ds:Transform>".to_owned(),
    ] {
        assert_eq!(made_with(transform, &other), XmlSignatureRejection::Transforms, "{other}");
    }
}

#[test]
fn saml_signature_reference_must_point_to_the_assertion() {
    for uri in [
        "",
        "#",
        "_assertion",
        "#_other",
        "#xpointer(/)",
        "#xpointer(id('_assertion'))",
        "https://evil.example/#_assertion",
    ] {
        assert_eq!(
            made_with("URI=\"#_assertion\"", &format!("URI=\"{uri}\"")),
            XmlSignatureRejection::Reference,
            "{uri}"
        );
    }
    assert_eq!(made_with(" URI=\"#_assertion\"", ""), XmlSignatureRejection::Reference);
    let reference = "</ds:Reference>";
    let second = "</ds:Reference><ds:Reference URI=\"#_assertion\"></ds:Reference>";
    assert_eq!(made_with(reference, second), XmlSignatureRejection::Shape);
    assert_eq!(made_with("<ds:Reference", "text<ds:Reference"), XmlSignatureRejection::Shape);
    let long = "<ds:SignatureMethod Algorithm=\"http://www.w3.org/2001/04/xmldsig-more#rsa-sha256\">";
    let truncated = format!("{long}<ds:HMACOutputLength>8</ds:HMACOutputLength>");
    assert_eq!(made_with(long, &truncated), XmlSignatureRejection::Shape);
}

#[test]
fn saml_name_id_with_a_comment_or_entity_is_rejected() {
    for inside in ["an<!-- -->a", "ana<!---->.evil", "an<?x?>a", "an<![CDATA[a]]>", "&ana;"] {
        let xml = own().replace(">eva</saml:NameID>", &format!(">{inside}</saml:NameID>"));
        assert!(matches!(judged(&xml), Err(SamlResponseRejection::NotXml(_))), "{inside}");
    }
    let bomb = format!("<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>{}", own());
    assert!(matches!(judged(&bomb), Err(SamlResponseRejection::NotXml(_))));
    // A character reference equals the character, both for the signer and for the parser.
    let spelled = own().replace(">eva</saml:NameID>", ">&#101;va</saml:NameID>");
    assert_eq!(judged(&spelled).unwrap().claims.subject, "eva");
}

#[test]
fn saml_response_with_equivalent_serialization_is_still_valid() {
    let same = own().replace("Version=\"2.0\" IssueInstant", "Version='2.0'\n  IssueInstant");
    assert_eq!(judged(&same).unwrap().claims.subject, "eva");
    let declared = own().replacen("<samlp:Response ", "<samlp:Response xmlns:unused=\"urn:x\" ", 1);
    assert_eq!(judged(&declared).unwrap().claims.subject, "eva");
    // Namespace declarations are part of what is signed.
    let other = own().replacen("<saml:Subject>", "<saml:Subject xmlns:saml=\"urn:other\">", 1);
    assert_eq!(refused(&other), XmlSignatureRejection::Digest);
}

#[test]
fn saml_response_is_not_canonicalized_before_its_signature_is_checked() {
    let bulk = "<saml:Attribute Name=\"a\"/>".repeat(1_000);
    let plain =
        plain("ana").replace("<saml:AttributeStatement>", &format!("<saml:AttributeStatement>{bulk}"));
    let forged = signature(&plain, "_assertion", "a stranger's");
    let cell = std::cell::Cell::new(0);
    let (settings, xml) = (settings(), unmarked(&plain.replace("<!S!>", &forged)));
    let expected = expected(&settings);
    let answer = verify_saml_response(xml.as_bytes(), &expected, &|_, message, _| {
        cell.set(message.len());
        false
    });
    assert_eq!(answer, Err(SamlResponseRejection::NotSigned(XmlSignatureRejection::Signature)));
    assert!((1..2_000).contains(&cell.get()), "{}", cell.get());
    // The signature is checked before the digest of a changed element.
    let changed = own().replace(">eva</saml:NameID>", ">ana</saml:NameID>");
    assert_eq!(refused(&changed), XmlSignatureRejection::Digest);
    let (from, to) =
        (changed.find("<ds:SignatureValue>").unwrap(), changed.find("</ds:SignatureValue>").unwrap());
    let changed = [&changed[..from], "<ds:SignatureValue>AAAA", &changed[to..]].concat();
    assert_eq!(refused(&changed), XmlSignatureRejection::Signature);
}

#[test]
fn saml_inclusive_namespaces_are_limited_and_unique() {
    let transform = "<ds:Transform Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\"></ds:Transform>";
    let naming = |prefixes: &str| {
        let list = format!(
            "<e:InclusiveNamespaces xmlns:e=\"http://www.w3.org/2001/10/xml-exc-c14n#\" PrefixList=\"{prefixes}\"></e:InclusiveNamespaces></ds:Transform>"
        );
        transform.replace("</ds:Transform>", &list)
    };
    let many: Vec<_> = (0..17).map(|number| format!("p{number}")).collect();
    assert_eq!(made_with(transform, &naming(&many.join(" "))), XmlSignatureRejection::Transforms);
    assert_eq!(made_with(transform, &naming("saml xs saml")), XmlSignatureRejection::Transforms);
}

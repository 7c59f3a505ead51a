//! Valid responses, and all known attacks on the verification of responses.
//!
//! They are signed with a toy algorithm whose keys are known, so that each test document can be built
//! completely.

mod hostile_responses;
mod verified_responses;

use super::DS;
use super::response::{
    SamlResponseExpectations, SamlResponseRejection, VerifiedSamlAssertion, verify_saml_response,
};
use super::settings::SamlConnectionSettings;
use super::signature::XmlSignatureAlgorithm;
use crate::time::Timestamp;
use crate::xml::XmlDocument;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

/// 2025-11-15T12:00:30Z.
const NOW: Timestamp = Timestamp::from_seconds(1_763_208_030);
const CALLBACK: &str = "https://id.example/sign-in/provider/1";
const US: &str = "https://id.example/sign-in/provider/1/metadata";
const THEM: &str = "https://idp.example/saml";

fn settings() -> SamlConnectionSettings {
    serde_json::from_value(serde_json::json!({
        "sso_url": "https://idp.example/sso", "certificates": ["x"], "email": "mail", "full_name": "displayName",
    }))
    .unwrap()
}

fn made(key: &str, message: &[u8]) -> Vec<u8> {
    Sha256::digest([key.as_bytes(), message].concat()).to_vec()
}

fn expected(settings: &SamlConnectionSettings) -> SamlResponseExpectations<'_> {
    SamlResponseExpectations {
        entity_id: THEM,
        sp_entity_id: US,
        callback: CALLBACK,
        request: "_request",
        settings,
        external_id: Some("employee"),
        now: NOW,
    }
}

fn judged_by(
    xml: &str,
    settings: &SamlConnectionSettings,
) -> Result<VerifiedSamlAssertion, SamlResponseRejection> {
    verify_saml_response(xml.as_bytes(), &expected(settings), &|method, message, signature| {
        method == XmlSignatureAlgorithm::RsaSha256 && signature == made("theirs", message)
    })
}

fn judged(xml: &str) -> Result<VerifiedSamlAssertion, SamlResponseRejection> {
    judged_by(xml, &settings())
}

/// An unsigned assertion with this id and subject. `{…}` marks placeholders.
fn assertion(id: &str, subject: &str) -> String {
    format!(
        r#"<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="{id}" Version="2.0" IssueInstant="2025-11-15T12:00:00Z"><saml:Issuer>{THEM}</saml:Issuer><!S!><saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">{subject}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData InResponseTo="_request" Recipient="{CALLBACK}" NotOnOrAfter="2025-11-15T12:05:00Z"/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="2025-11-15T11:59:00Z" NotOnOrAfter="2025-11-15T12:05:00Z"><saml:AudienceRestriction><saml:Audience>{US}</saml:Audience></saml:AudienceRestriction><saml:OneTimeUse/></saml:Conditions><saml:AuthnStatement AuthnInstant="2025-11-15T11:59:58Z" SessionNotOnOrAfter="2025-11-15T20:00:00Z"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:X509</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement><saml:Attribute Name="mail"><saml:AttributeValue>{subject}@acme.example</saml:AttributeValue></saml:Attribute><saml:Attribute Name="employee"><saml:AttributeValue>e-7</saml:AttributeValue></saml:Attribute><saml:Attribute Name="groups"><saml:AttributeValue>a</saml:AttributeValue><saml:AttributeValue>b</saml:AttributeValue></saml:Attribute></saml:AttributeStatement></saml:Assertion>"#
    )
}

/// A response around this content.
fn response(inner: &str) -> String {
    format!(
        r#"<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_response" Version="2.0" IssueInstant="2025-11-15T12:00:00Z" Destination="{CALLBACK}" InResponseTo="_request"><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">{THEM}</saml:Issuer><!R!><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>{inner}</samlp:Response>"#
    )
}

/// The element in canonical form, with its signature placeholder removed.
fn canonical(xml: &str, id: &str) -> String {
    let plain = xml.replace("<!S!>", "").replace("<!R!>", "");
    let document = XmlDocument::parse(plain.as_bytes(), 100_000).unwrap();
    document.iter_elements().find(|node| node.attribute("ID") == Some(id)).unwrap().canonicalize(None, &[])
}

/// A signature over this element of the document.
fn signature(xml: &str, id: &str, key: &str) -> String {
    let digest = STANDARD.encode(Sha256::digest(canonical(xml, id)));
    let info = format!(
        r##"<ds:SignedInfo xmlns:ds="{DS}"><ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"></ds:CanonicalizationMethod><ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"></ds:SignatureMethod><ds:Reference URI="#{id}"><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"></ds:Transform><ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"></ds:Transform></ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"></ds:DigestMethod><ds:DigestValue>{digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>"##
    );
    sealed(&info, key)
}

/// A signature with this `SignedInfo`, which is in canonical form.
fn sealed(info: &str, key: &str) -> String {
    let value = STANDARD.encode(made(key, info.as_bytes()));
    format!(
        r#"<ds:Signature xmlns:ds="{DS}">{info}<ds:SignatureValue>{value}</ds:SignatureValue></ds:Signature>"#
    )
}

/// Signs the assertion in the document.
fn with_assertion_signed(xml: &str, id: &str) -> String {
    let signature = signature(xml, id, "theirs");
    xml.replacen("<!S!>", &signature, 1).replace("<!S!>", "").replace("<!R!>", "")
}

/// A typical response about a subject, unsigned.
fn plain(subject: &str) -> String {
    response(&assertion("_assertion", subject))
}

/// A typical response about a subject.
fn usual(subject: &str) -> String {
    with_assertion_signed(&plain(subject), "_assertion")
}

//! Validation of a SAML response (SAML Profiles §4.1.4), and its claims about the user.

use super::settings::{NAME_ID, SamlConnectionSettings};
use super::signature;
use super::signature::{XmlSignatureRejection, XmlSignatureVerifier};
use super::{EMAIL, PERSISTENT, SAML, SAMLP, parse_date_time};
use crate::accounts::email_address::EmailAddress;
use crate::identity_providers::oidc::id_token::IdentityProviderClaims;
use crate::limits::{
    EXTERNAL_SUBJECT_BYTES_MAX, SAML_ASSERTION_AGE_MAX, SAML_ATTRIBUTES_DISPLAYED_MAX, SAML_CLOCK_TOLERANCE,
    SAML_RESPONSE_BYTES_MAX,
};
use crate::time::Timestamp;
use crate::xml::{InvalidXml, XmlDocument, XmlNode};
use serde::{Deserialize, Serialize};

const BEARER: &str = "urn:oasis:names:tc:SAML:2.0:cm:bearer";
const SUCCESS: &str = "urn:oasis:names:tc:SAML:2.0:status:Success";
const ENTITY: &str = "urn:oasis:names:tc:SAML:2.0:nameid-format:entity";
/// The attribute in which Microsoft Entra reports authentication methods.
const ENTRA_METHODS_ATTRIBUTE: &str = "http://schemas.microsoft.com/claims/authnmethodsreferences";

/// The expected values of a response.
#[derive(Clone, Copy, Debug)]
pub struct SamlResponseExpectations<'a> {
    /// The expected issuer.
    pub entity_id: &'a str,
    /// Our entity ID, the expected audience.
    pub sp_entity_id: &'a str,
    /// Our assertion consumer service URL.
    pub callback: &'a str,
    /// The `ID` of our request, the expected `InResponseTo`.
    pub request: &'a str,
    /// The settings of the connection.
    pub settings: &'a SamlConnectionSettings,
    /// The attribute that identifies a provisioned membership.
    pub external_id: Option<&'a str>,
    /// The time of validation.
    pub now: Timestamp,
}

/// A verified assertion: the claims about the user, and its id for replay detection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedSamlAssertion {
    /// The claims.
    pub claims: IdentityProviderClaims,
    /// The `ID` of the assertion, which is accepted once.
    pub assertion: String,
    /// The `NameID` and all attributes, as they were received.
    pub attributes: Vec<SamlAttribute>,
}

/// An attribute of an assertion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SamlAttribute {
    /// The name.
    pub name: String,
    /// The values that are text.
    pub values: Vec<String>,
}

/// Why a response is rejected. The reason is only for our log and for the administrator of the connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SamlResponseRejection {
    /// It cannot be parsed.
    #[error("the response cannot be parsed: {0}")]
    NotXml(#[from] InvalidXml),
    /// It is not a SAML 2.0 response.
    #[error("this is not a SAML 2.0 response")]
    NotAResponse,
    /// The status is not success.
    #[error("the provider returned the status {0}")]
    Status(String),
    /// The signature is missing or invalid.
    #[error("the signature of the response is not accepted: {0}")]
    NotSigned(#[from] XmlSignatureRejection),
    /// The issuer is another provider.
    #[error("the response is from another issuer")]
    Issuer,
    /// The `Destination` is another URL.
    #[error("the Destination of the response is another URL: check the ACS URL at the provider")]
    Destination,
    /// `InResponseTo` is missing or names another request.
    #[error(
        "the response does not name our request (InResponseTo): start the sign-in here, not at the provider"
    )]
    InResponseTo,
    /// `IssueInstant` is too far from the current time.
    #[error("the assertion was not issued recently")]
    IssuedAt,
    /// There is no valid bearer subject confirmation.
    #[error("the assertion has no valid bearer subject confirmation")]
    Confirmation,
    /// It has expired or is not yet valid.
    #[error("the assertion is not valid yet, or has expired")]
    Time,
    /// The audience is another service provider.
    #[error("the assertion is for another audience: check the entity ID at the provider")]
    Audience,
    /// It contains an unknown condition.
    #[error("the assertion has an unknown condition")]
    Condition,
    /// There is no authentication statement.
    #[error("the assertion has no authentication statement")]
    Authentication,
    /// The authentication context is not one that was requested.
    #[error("the authentication context of the assertion is not one that was requested")]
    Context,
    /// The subject identifier that the settings require is missing.
    #[error(
        "the assertion has no persistent NameID, or not exactly one value of the configured subject attribute"
    )]
    Subject,
}

/// Validates the response and returns the claims of its assertion.
pub fn verify_saml_response(
    bytes: &[u8],
    expected: &SamlResponseExpectations<'_>,
    verifies: XmlSignatureVerifier<'_>,
) -> Result<VerifiedSamlAssertion, SamlResponseRejection> {
    let document = XmlDocument::parse(bytes, SAML_RESPONSE_BYTES_MAX)?;
    let response = document.root().filter(|root| root.has_name(SAMLP, "Response") && is_saml_message(*root));
    let response = response.ok_or(SamlResponseRejection::NotAResponse)?;
    check_status(response)?;
    let assertion = signature::verify_signed_assertion(&document, verifies)?;
    check_response(response, expected)?;
    check_assertion(assertion, expected)?;
    parse_assertion(assertion, expected)
}

fn is_saml_message(node: XmlNode<'_>) -> bool {
    node.attribute("Version") == Some("2.0") && node.attribute("ID").is_some_and(|id| !id.is_empty())
}

/// Rejects a response whose status is not success, whether signed or not.
fn check_status(response: XmlNode<'_>) -> Result<(), SamlResponseRejection> {
    let status =
        response.find_only_child(SAMLP, "Status").and_then(|it| it.find_only_child(SAMLP, "StatusCode"));
    let status = status.ok_or(SamlResponseRejection::NotAResponse)?;
    let status_value = |node: XmlNode<'_>| node.attribute("Value").unwrap_or_default().to_owned();
    if status_value(status) == SUCCESS {
        return Ok(());
    }
    let inner = status.find_only_child(SAMLP, "StatusCode");
    let name = |it: String| {
        let last = it.rsplit(':').next().unwrap_or_default();
        last.chars().filter(char::is_ascii_alphanumeric).take(60).collect::<String>()
    };
    Err(SamlResponseRejection::Status(name(inner.map_or_else(|| status_value(status), status_value))))
}

/// Checks the elements around the assertion. If only the assertion is signed, they can only cause a
/// rejection.
fn check_response(
    response: XmlNode<'_>,
    expected: &SamlResponseExpectations<'_>,
) -> Result<(), SamlResponseRejection> {
    const ALLOWED_CHILDREN: [&str; 4] = ["Issuer", "Signature", "Status", "Assertion"];
    let is_known = |child: XmlNode<'_>| ALLOWED_CHILDREN.contains(&child.local());
    if !response.has_only_elements() || !response.children().all(is_known) {
        return Err(SamlResponseRejection::NotAResponse);
    }
    let mut issuers = response.children_named(SAML, "Issuer");
    match (issuers.next(), issuers.next()) {
        (None, None) => {}
        (Some(issuer), None) if is_issuer(issuer, expected.entity_id) => {}
        _ => return Err(SamlResponseRejection::Issuer),
    }
    if response.attribute("Destination") != Some(expected.callback) {
        return Err(SamlResponseRejection::Destination);
    }
    if response.attribute("InResponseTo") != Some(expected.request) {
        return Err(SamlResponseRejection::InResponseTo);
    }
    Ok(())
}

fn is_issuer(node: XmlNode<'_>, entity_id: &str) -> bool {
    let is_entity = node.attribute("Format").is_none_or(|format| format == ENTITY);
    is_entity && node.text().as_deref() == Some(entity_id)
}

/// Checks everything in the assertion except the subject.
fn check_assertion(
    assertion: XmlNode<'_>,
    expected: &SamlResponseExpectations<'_>,
) -> Result<(), SamlResponseRejection> {
    let now = expected.now;
    if !is_saml_message(assertion) || !assertion.has_only_elements() {
        return Err(SamlResponseRejection::NotAResponse);
    }
    if !assertion.find_only_child(SAML, "Issuer").is_some_and(|issuer| is_issuer(issuer, expected.entity_id))
    {
        return Err(SamlResponseRejection::Issuer);
    }
    let is_of_now =
        |at: Timestamp| now.since(at) <= SAML_ASSERTION_AGE_MAX && at <= now.plus(SAML_CLOCK_TOLERANCE);
    if !assertion.attribute("IssueInstant").and_then(parse_date_time).is_some_and(is_of_now) {
        return Err(SamlResponseRejection::IssuedAt);
    }
    let conditions = assertion.find_only_child(SAML, "Conditions").ok_or(SamlResponseRejection::Audience)?;
    if !is_within(conditions, now) {
        return Err(SamlResponseRejection::Time);
    }
    let mut is_for_us = false;
    for condition in conditions.children() {
        match condition.local() {
            "AudienceRestriction" if condition.has_name(SAML, "AudienceRestriction") => {
                let mut audiences = condition.children_named(SAML, "Audience");
                if !audiences.any(|it| it.text().as_deref() == Some(expected.sp_entity_id)) {
                    return Err(SamlResponseRejection::Audience);
                }
                is_for_us = true;
            }
            // Every assertion is accepted only once anyway, and we never pass assertions on.
            "OneTimeUse" | "ProxyRestriction" if condition.has_name(SAML, condition.local()) => {}
            _ => return Err(SamlResponseRejection::Condition),
        }
    }
    if is_for_us { Ok(()) } else { Err(SamlResponseRejection::Audience) }
}

/// Whether the current time is within the element's validity, if it has one. A time that cannot be parsed is
/// a rejection.
fn is_within(node: XmlNode<'_>, now: Timestamp) -> bool {
    let begins = node.attribute("NotBefore").map(parse_date_time);
    let ends = node.attribute("NotOnOrAfter").map(parse_date_time);
    let has_begun = begins.is_none_or(|at| at.is_some_and(|at| at <= now.plus(SAML_CLOCK_TOLERANCE)));
    has_begun && ends.is_none_or(|at| at.is_some_and(|at| now < at.plus(SAML_CLOCK_TOLERANCE)))
}

/// Parses the subject and its claims.
fn parse_assertion(
    assertion: XmlNode<'_>,
    expected: &SamlResponseExpectations<'_>,
) -> Result<VerifiedSamlAssertion, SamlResponseRejection> {
    let subject = assertion.find_only_child(SAML, "Subject").ok_or(SamlResponseRejection::Subject)?;
    if !subject.children_named(SAML, "SubjectConfirmation").any(|it| is_subject_confirmed(it, expected)) {
        return Err(SamlResponseRejection::Confirmation);
    }
    let name = subject.find_only_child(SAML, "NameID");
    let attribute_value = |attribute: &str| match attribute {
        NAME_ID => name.and_then(|name| persistent_name_id(name, expected)),
        attribute => single_attribute_value(assertion, attribute),
    };
    let is_name = |text: &String| {
        (1..=EXTERNAL_SUBJECT_BYTES_MAX).contains(&text.len()) && !text.chars().any(char::is_control)
    };
    let settings = expected.settings;
    let known_by =
        attribute_value(&settings.subject).filter(is_name).ok_or(SamlResponseRejection::Subject)?;
    let email = settings.email.as_deref().and_then(|attribute| match attribute {
        NAME_ID => name.filter(|name| name.attribute("Format") == Some(EMAIL)).and_then(XmlNode::text),
        attribute => single_attribute_value(assertion, attribute),
    });
    let text = |attribute: &Option<String>| {
        attribute.as_deref().and_then(|attribute| single_attribute_value(assertion, attribute))
    };
    let (acr, auth_time) = parse_authentication(assertion, expected.now)?;
    // The requested contexts passed through the user's browser, which can remove them, so they are checked
    // here.
    let is_asked = |class: &String| settings.contexts.contains(class);
    if !settings.contexts.is_empty() && !acr.as_ref().is_some_and(is_asked) {
        return Err(SamlResponseRejection::Context);
    }
    Ok(VerifiedSamlAssertion {
        claims: IdentityProviderClaims {
            subject: known_by,
            external_id: expected.external_id.and_then(attribute_value).filter(is_name),
            verified_email: email.and_then(|email| email.parse::<EmailAddress>().ok()),
            name: text(&settings.full_name),
            given_name: text(&settings.given_name),
            family_name: text(&settings.family_name),
            acr,
            amr: attribute_values(assertion, ENTRA_METHODS_ATTRIBUTE).flatten().collect(),
            auth_time: Some(auth_time),
        },
        assertion: assertion.attribute("ID").unwrap_or_default().to_owned(),
        attributes: list_attributes(assertion, name),
    })
}

/// The `NameID` and the attributes, for an administrator who tests the connection.
pub(super) fn list_attributes(assertion: XmlNode<'_>, name_id: Option<XmlNode<'_>>) -> Vec<SamlAttribute> {
    let name_id = name_id.and_then(XmlNode::text);
    let name_id = name_id.map(|text| SamlAttribute { name: NAME_ID.to_owned(), values: vec![text] });
    let statements = assertion.children_named(SAML, "AttributeStatement");
    let attributes = statements.flat_map(|statement| statement.children_named(SAML, "Attribute"));
    let read = attributes.map(|attribute| SamlAttribute {
        name: attribute.attribute("Name").unwrap_or_default().to_owned(),
        values: attribute.children_named(SAML, "AttributeValue").filter_map(XmlNode::text).collect(),
    });
    name_id.into_iter().chain(read).take(SAML_ATTRIBUTES_DISPLAYED_MAX).collect()
}

/// Whether it is a valid bearer confirmation for our URL, our request and the current time (SAML Profiles
/// §4.1.4.3).
fn is_subject_confirmed(confirmation: XmlNode<'_>, expected: &SamlResponseExpectations<'_>) -> bool {
    let Some(data) = confirmation.find_only_child(SAML, "SubjectConfirmationData") else { return false };
    // Any other child element would name a further party that may present the assertion.
    confirmation.children().count() == 1
        && confirmation.attribute("Method") == Some(BEARER)
        && data.attribute("Recipient") == Some(expected.callback)
        && data.attribute("InResponseTo") == Some(expected.request)
        && data.attribute("NotOnOrAfter").is_some()
        && is_within(data, expected.now)
}

/// The persistent `NameID`, if it is qualified for this provider and for us.
fn persistent_name_id(name: XmlNode<'_>, expected: &SamlResponseExpectations<'_>) -> Option<String> {
    let is_by = name.attribute("NameQualifier").is_none_or(|it| it == expected.entity_id);
    let is_for = name.attribute("SPNameQualifier").is_none_or(|it| it == expected.sp_entity_id);
    if name.attribute("Format") == Some(PERSISTENT) && is_by && is_for { name.text() } else { None }
}

/// The values of an attribute; `None` for a value that contains more than text.
fn attribute_values(assertion: XmlNode<'_>, name: &str) -> impl Iterator<Item = Option<String>> {
    let statements = assertion.children_named(SAML, "AttributeStatement");
    let attributes = statements.flat_map(|statement| statement.children_named(SAML, "Attribute"));
    let xml_nodes = attributes.filter(move |attribute| attribute.attribute("Name") == Some(name));
    xml_nodes.flat_map(|attribute| attribute.children_named(SAML, "AttributeValue")).map(XmlNode::text)
}

/// The value of an attribute that has exactly one.
fn single_attribute_value(assertion: XmlNode<'_>, name: &str) -> Option<String> {
    let mut values = attribute_values(assertion, name);
    let value = values.next()?;
    if values.next().is_some() { None } else { value }
}

/// Reads the authentication context and time.
fn parse_authentication(
    assertion: XmlNode<'_>,
    now: Timestamp,
) -> Result<(Option<String>, Timestamp), SamlResponseRejection> {
    let mut statements = assertion.children_named(SAML, "AuthnStatement");
    let (Some(statement), None) = (statements.next(), statements.next()) else {
        return Err(SamlResponseRejection::Authentication);
    };
    let session_expiry = statement.attribute("SessionNotOnOrAfter").map(parse_date_time);
    let is_over = session_expiry.is_some_and(|at| at.is_none_or(|at| now >= at.plus(SAML_CLOCK_TOLERANCE)));
    let at = statement
        .attribute("AuthnInstant")
        .and_then(parse_date_time)
        .ok_or(SamlResponseRejection::Authentication)?;
    if is_over || at > now.plus(SAML_CLOCK_TOLERANCE) {
        return Err(SamlResponseRejection::Authentication);
    }
    let context = statement.find_only_child(SAML, "AuthnContext");
    let class =
        context.and_then(|it| it.find_only_child(SAML, "AuthnContextClassRef")).and_then(XmlNode::text);
    Ok((class, at))
}

//! What the subject of a rejected assertion looks like, for an administrator who tests the connection.

use super::SAML;
use super::response::{SamlAttribute, list_attributes};
use super::settings::NAME_ID;
use super::signature;
use super::signature::XmlSignatureVerifier;
use crate::limits::SAML_RESPONSE_BYTES_MAX;
use crate::xml::XmlDocument;

/// The subject of a signed assertion. It identifies no user, because the connection accepts no part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SamlSubjectDescription {
    /// The last part of the format of the `NameID`; `None` without a `NameID`.
    pub name_id_format: Option<String>,
    /// The `NameID` and the attributes.
    pub attributes: Vec<SamlAttribute>,
}

/// Describes the subject of a response that was rejected only because of it. The signature is verified again.
pub fn describe_subject(bytes: &[u8], verifies: XmlSignatureVerifier<'_>) -> Option<SamlSubjectDescription> {
    let document = XmlDocument::parse(bytes, SAML_RESPONSE_BYTES_MAX).ok()?;
    let assertion = signature::verify_signed_assertion(&document, verifies).ok()?;
    let subject = assertion.find_only_child(SAML, "Subject")?;
    let name_id = subject.find_only_child(SAML, "NameID");
    let last_part =
        |format: &str| -> String { format.rsplit(':').next().unwrap_or_default().chars().take(60).collect() };
    let name_id_format = name_id.map(|it| last_part(it.attribute("Format").unwrap_or("unspecified")));
    Some(SamlSubjectDescription { name_id_format, attributes: list_attributes(assertion, name_id) })
}

impl SamlSubjectDescription {
    /// Why this subject attribute identifies no user, and what to enter.
    pub fn explain(&self, subject_attribute: &str) -> String {
        let problem = match (subject_attribute, &self.name_id_format) {
            (NAME_ID, Some(format)) => format!(
                "the format of the NameID is {format}, and only a persistent NameID of this provider identifies a user"
            ),
            (NAME_ID, None) => "the assertion contains no NameID".to_owned(),
            (name, _) => format!("the assertion does not contain the attribute {name} with one value"),
        };
        let single = |it: &&SamlAttribute| it.values.len() == 1 && it.name != NAME_ID;
        let names: Vec<&str> = self.attributes.iter().filter(single).map(|it| it.name.as_str()).collect();
        match names.first() {
            Some(first) => format!(
                "{problem}. Attributes with one value: {}. Enter one that never changes for a user, such as {first}, as \
                 the subject attribute of the connection, or let the provider send a persistent NameID",
                names.join(", ")
            ),
            None => {
                format!("{problem}. No attribute has one value. Let the provider send a persistent NameID")
            }
        }
    }
}

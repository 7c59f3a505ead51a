//! SAML 2.0 identity providers: authentication requests, metadata and response validation.

pub mod authn_request;
pub mod metadata;
pub mod response;
pub mod settings;
pub mod signature;
pub mod subject_description;

use crate::time::Timestamp;

/// The namespace of assertions.
const SAML: &str = "urn:oasis:names:tc:SAML:2.0:assertion";
/// The namespace of the protocol.
const SAMLP: &str = "urn:oasis:names:tc:SAML:2.0:protocol";
/// The namespace of metadata.
const METADATA: &str = "urn:oasis:names:tc:SAML:2.0:metadata";
/// The namespace of signatures.
const DS: &str = "http://www.w3.org/2000/09/xmldsig#";
/// The HTTP-POST binding, for responses.
const POST: &str = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";
/// The HTTP-Redirect binding, for requests.
const REDIRECT: &str = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
/// The persistent name identifier format.
const PERSISTENT: &str = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
/// The e-mail address name identifier format.
const EMAIL: &str = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";

/// Parses a SAML date-time (SAML Core §1.3.3): UTC, with or without fractional seconds.
fn parse_date_time(text: &str) -> Option<Timestamp> {
    let (date_time, part) = match text.strip_suffix('Z')?.split_once('.') {
        Some((date_time, part)) => (date_time, part),
        None => (text.strip_suffix('Z')?, "0"),
    };
    if !(1..=12).contains(&part.len()) || !part.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let micros: String = part.chars().chain(std::iter::repeat('0')).take(6).collect();
    format!("{date_time}.{micros}Z").parse().ok()
}

/// Formats a date-time for XML.
fn format_date_time(moment: Timestamp) -> String {
    let text = moment.to_string();
    format!("{}Z", text.split('.').next().unwrap_or_default())
}

#[cfg(test)]
mod tests;

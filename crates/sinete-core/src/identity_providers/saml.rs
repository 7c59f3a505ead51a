//! Providers that speak SAML 2.0: what they are asked, what they say about themselves, and what they must say about
//! somebody to be believed.

pub mod authn_request;
pub mod metadata;
pub mod response;
pub mod settings;
pub mod signature;

use crate::time::Timestamp;

/// The namespace of assertions.
const SAML: &str = "urn:oasis:names:tc:SAML:2.0:assertion";
/// The namespace of the protocol.
const SAMLP: &str = "urn:oasis:names:tc:SAML:2.0:protocol";
/// The namespace of descriptions.
const METADATA: &str = "urn:oasis:names:tc:SAML:2.0:metadata";
/// The namespace of signatures.
const DS: &str = "http://www.w3.org/2000/09/xmldsig#";
/// How an answer is brought to us.
const POST: &str = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";
/// How we ask.
const REDIRECT: &str = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
/// A name that stays somebody's for good.
const PERSISTENT: &str = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
/// A name that is an address.
const EMAIL: &str = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";

/// A moment as SAML writes it (SAML Core §1.3.3): in UTC, with or without a part of a second.
fn parse_date_time(text: &str) -> Option<Timestamp> {
    let (whole, part) = match text.strip_suffix('Z')?.split_once('.') {
        Some((whole, part)) => (whole, part),
        None => (text.strip_suffix('Z')?, "0"),
    };
    if !(1..=12).contains(&part.len()) || !part.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let micros: String = part.chars().chain(std::iter::repeat('0')).take(6).collect();
    format!("{whole}.{micros}Z").parse().ok()
}

/// A moment as we write it in XML.
fn format_date_time(moment: Timestamp) -> String {
    let text = moment.to_string();
    format!("{}Z", text.split('.').next().unwrap_or_default())
}

#[cfg(test)]
mod tests;

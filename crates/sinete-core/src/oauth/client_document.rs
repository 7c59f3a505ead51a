//! Client ID Metadata Documents (draft-ietf-oauth-client-id-metadata-document): the `client_id` is an https URL,
//! and the client metadata is the JSON document there. This module decides which documents are accepted and
//! how long they are cached; the organizations' and the instance's rules say which hosts may publish them.

mod cache_lifetime;

pub use cache_lifetime::compute_document_lifetime;

use super::client_metadata::{ClientAuthMethod, ClientMetadata};
use super::dcr;
use super::dcr::ClientRegistrar;
use crate::client_id::ClientId;
use crate::limits::DISPLAY_TEXT_CHARACTERS_MAX;
use crate::refusal::Refusal;
use crate::refusal::oauth::OAuthRefusal;
use crate::validation::ValidationErrors;
use serde_json::{Map, Value};

/// Why a document cannot be used. All of it may be shown to the client's developers, because it concerns
/// their own host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientDocumentFailure {
    /// The host did not respond, or the connection failed.
    Unreachable,
    /// The response took too long.
    TimedOut,
    /// The response is too large.
    TooLarge,
    /// The response is a redirect, which is not followed.
    Redirected,
    /// The host has an address that is not public.
    PrivateAddress,
    /// The status is not 200.
    StatusNotOk,
    /// The document contradicts itself or the draft.
    Contradictory(&'static str),
    /// The client metadata is not accepted.
    InvalidMetadata(ValidationErrors),
}

impl From<&ClientDocumentFailure> for Refusal {
    fn from(failure: &ClientDocumentFailure) -> Self {
        let reason = match failure {
            ClientDocumentFailure::Unreachable => OAuthRefusal::ClientDocumentUnreachable,
            ClientDocumentFailure::TimedOut => OAuthRefusal::ClientDocumentTimedOut,
            ClientDocumentFailure::TooLarge => OAuthRefusal::ClientDocumentTooLarge,
            ClientDocumentFailure::Redirected => OAuthRefusal::ClientDocumentRedirected,
            ClientDocumentFailure::PrivateAddress => OAuthRefusal::ClientDocumentPrivateAddress,
            ClientDocumentFailure::StatusNotOk => OAuthRefusal::ClientDocumentStatusNotOk,
            ClientDocumentFailure::Contradictory(cause) => OAuthRefusal::ClientDocumentInvalid(cause),
            ClientDocumentFailure::InvalidMetadata(errors) => {
                let places = errors.iter().map(|fault| format!("{} ", fault.pointer)).collect::<String>();
                let reason = OAuthRefusal::ClientDocumentInvalid("a member is not accepted");
                return Self::because(reason, places.trim_end()).with_validation_errors(errors.clone());
            }
        };
        Self::because(reason, "")
    }
}

/// Parses the document of a client.
///
/// It is validated like a self-registration, with the differences of the draft: its `client_id` is the URL, and
/// the client is public or authenticates with a key, because no secret can be agreed on. The name that users see
/// begins with the host, which alone identifies the client.
pub fn parse_client_document(id: &ClientId, body: &[u8]) -> Result<ClientMetadata, ClientDocumentFailure> {
    let contradictory = ClientDocumentFailure::Contradictory;
    let Ok(Value::Object(mut document)) = serde_json::from_slice(body) else {
        return Err(contradictory("it is not a JSON object"));
    };
    if document.get("client_id").and_then(Value::as_str) != Some(id.as_str()) {
        return Err(contradictory("its client_id is not the URL at which it is published"));
    }
    if ["client_secret", "client_secret_expires_at"].iter().any(|it| document.contains_key(*it)) {
        return Err(contradictory("it contains a client_secret, which must not be published"));
    }
    match document.get("token_endpoint_auth_method").map(Value::as_str) {
        None => drop(document.insert("token_endpoint_auth_method".to_owned(), "none".into())),
        Some(Some("none" | "private_key_jwt")) => {}
        Some(_) => {
            return Err(contradictory("token_endpoint_auth_method is neither none nor private_key_jwt"));
        }
    }
    document.retain(|name, _| !IGNORED_MEMBERS.contains(&name.as_str()));
    let name = identity_name(id, &document);
    document.retain(|name, _| !name.starts_with("client_name"));
    document.insert("client_name".to_owned(), name.into());
    let metadata = dcr::parse_registration(&document, ClientRegistrar::Client)
        .map_err(|refusal| ClientDocumentFailure::InvalidMetadata(refusal.validation_errors().clone()))?;
    debug_assert!(matches!(
        metadata.token_endpoint_auth_method,
        ClientAuthMethod::None | ClientAuthMethod::PrivateKeyJwt
    ));
    Ok(metadata)
}

/// Members that a registration has and a document has not: every subject is public, so no second document is
/// fetched for its sector.
const IGNORED_MEMBERS: [&str; 1] = ["sector_identifier_uri"];

/// The name that users see: the host, and behind it the name that the client claims.
fn identity_name(id: &ClientId, document: &Map<String, Value>) -> String {
    let host = id.document_authority().unwrap_or_default();
    let claimed = document.get("client_name").and_then(Value::as_str).map_or("", str::trim);
    let name = format!("{host} ({claimed})");
    let is_short = name.chars().count() <= DISPLAY_TEXT_CHARACTERS_MAX;
    if claimed.is_empty() || !is_short { host.to_owned() } else { name }
}

#[cfg(test)]
mod tests;

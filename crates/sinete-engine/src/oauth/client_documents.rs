//! Clients whose id is the URL of a metadata document (draft-ietf-oauth-client-id-metadata-document).
//!
//! Such a client is a self-registered client with an ordinary row, which is written from its document: created
//! when the document is first accepted, changed when it changes. Everything else reads the row, as for every
//! client (docs/contribute/decisions/0275-client-documents-are-rows-written-from-the-document.md).

use crate::oauth::cache::client_document::load_client_document;
use crate::oauth::dcr::count_new_client;
use crate::{ATTEMPTS_MAX, Engine, Error, EventCause, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::client_id::{ClientId, ClientKind, describe_document_url_fault};
use sinete_core::events::security_event::EventKind;
use sinete_core::oauth::client_metadata::ClientMetadata;
use sinete_core::oauth::client_trust::{ClientEditor, RevokedClientTrust};
use sinete_core::organizations::client_documents::ClientDocumentPolicy;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_store::oauth::clients::{ClientChange, ClientOrigin, ClientRow, NewClient};
use sinete_store::oauth::{clients, dcr};
use sinete_store::{JsonDocument, WriteBatch};

/// What the client is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentUse {
    /// Users are about to be asked: the document must be readable now.
    Authorization,
    /// A request that a client may begin with. If the document cannot be read, what is stored counts.
    FirstRequest,
    /// A request with something that was issued before. An unknown client is not fetched.
    LaterRequest,
}

impl DocumentUse {
    /// The use at an endpoint that authenticates clients.
    pub(super) fn at_endpoint(path: &str) -> Self {
        match path {
            "/connect/par" | "/connect/device" | "/connect/backchannel" => Self::FirstRequest,
            _ => Self::LaterRequest,
        }
    }
}

/// Brings the row of the client up to date with its document, if its id is the URL of one. The document is
/// fetched unless a cached one is fresh. Nothing is written for a document that is not accepted.
pub async fn update_document_client(
    engine: &Engine,
    id: &ClientId,
    used_for: DocumentUse,
    cause: &EventCause,
) -> Result<(), Error> {
    let Some(host) = id.document_host() else { return Ok(()) };
    check_instance_policy(engine, host)?;
    let mut client_row = clients::find_client(engine.store(), id).await?;
    let condition = client_row.as_ref().map_or(LifecycleCondition::Ended, |client| client.condition);
    match (condition, used_for) {
        // An operator disabled it: nothing is fetched, and the request is refused like that of any other client.
        (LifecycleCondition::Suspended, _) => return Ok(()),
        (LifecycleCondition::Ended, DocumentUse::LaterRequest) => return Ok(()),
        (LifecycleCondition::Enabled, _) | (LifecycleCondition::Ended, _) => {}
    }
    let metadata = match load_client_document(engine, id, cause.origin.address).await {
        Ok(metadata) => metadata,
        Err(_) if condition == LifecycleCondition::Enabled && used_for != DocumentUse::Authorization => {
            return Ok(());
        }
        Err(refusal) => return Err(refusal.into()),
    };
    if condition == LifecycleCondition::Ended {
        count_new_client(engine, cause.origin.address)?;
    }
    for _ in 0..ATTEMPTS_MAX {
        if write_client(engine, id, &metadata, client_row, cause).await? {
            return Ok(());
        }
        client_row = clients::find_client(engine.store(), id).await?;
    }
    Err(Failure::Contended.into())
}

/// Refuses a client id that begins like the URL of a metadata document and cannot be one, with what is wrong with it.
/// Any other text is left to the caller.
pub fn refuse_invalid_document_url(engine: &Engine, client_id: &str) -> Result<(), Refusal> {
    let Some(fault) = describe_document_url_fault(client_id) else { return Ok(()) };
    if engine.settings().client_documents.policy == ClientDocumentPolicy::Off {
        return Err(Refusal::because(OAuthRefusal::ClientDocumentsDisabled, ""));
    }
    Err(Refusal::because(OAuthRefusal::ClientDocumentInvalid(fault), ""))
}

fn check_instance_policy(engine: &Engine, host: &str) -> Result<(), Refusal> {
    let rules = &engine.settings().client_documents;
    if rules.accepts_host(host) {
        return Ok(());
    }
    Err(match rules.policy {
        ClientDocumentPolicy::Off => Refusal::because(OAuthRefusal::ClientDocumentsDisabled, ""),
        ClientDocumentPolicy::On | ClientDocumentPolicy::AllowList => {
            Refusal::because(OAuthRefusal::ClientDocumentHostNotAllowed, host)
        }
    })
}

/// Writes what the document says into the row. `false` if the row changed meanwhile.
async fn write_client(
    engine: &Engine,
    id: &ClientId,
    metadata: &ClientMetadata,
    client_row: Option<ClientRow>,
    cause: &EventCause,
) -> Result<bool, Failure> {
    let batch = match client_row {
        None => create_batch(engine, id, metadata, None, cause)?,
        Some(client) => match client.condition {
            LifecycleCondition::Ended => create_batch(engine, id, metadata, Some(&client), cause)?,
            LifecycleCondition::Suspended => return Ok(true),
            LifecycleCondition::Enabled => match change_batch(engine, &client, metadata, cause)? {
                Some(batch) => batch,
                None => return Ok(true),
            },
        },
    };
    Ok(engine.store().commit(batch).await?.is_committed())
}

/// Creates the client, or starts it anew if it had ended.
fn create_batch(
    engine: &Engine,
    id: &ClientId,
    metadata: &ClientMetadata,
    ended: Option<&ClientRow>,
    cause: &EventCause,
) -> Result<WriteBatch, Failure> {
    let now = engine.now();
    let (scope, document) = (metadata.allowed_scopes(), JsonDocument::from_value(metadata)?);
    let new = NewClient {
        id,
        kind: ClientKind::Application,
        origin: ClientOrigin::DynamicRegistration,
        name: &metadata.client_name,
        purpose: "",
        owner: None,
        scope: &scope,
        metadata: &document,
        created_at: now,
    };
    let event = engine
        .event(EventKind::ClientCreated, cause, now)
        .with_subject("client", id)
        .with_detail("kind", ClientKind::Application.as_str())
        .with_detail("metadata_document", true);
    let batch = match ended {
        None => WriteBatch::new().with_statement(clients::create_client(&new)),
        Some(_) => WriteBatch::new().with_statements(dcr::restart_document_client(&new)),
    };
    Ok(batch.with_event(&event))
}

/// Changes the client if its document changed. User consents may end, as if the client had changed its own
/// registration.
fn change_batch(
    engine: &Engine,
    client: &ClientRow,
    metadata: &ClientMetadata,
    cause: &EventCause,
) -> Result<Option<WriteBatch>, Failure> {
    let (now, before) = (engine.now(), client.metadata.parse::<ClientMetadata>()?);
    let trust = RevokedClientTrust::from_change(ClientEditor::RegistrationToken, &before, metadata);
    // Consent mode and interaction URL are not set by the document.
    let client_metadata = ClientMetadata {
        consent: trust.consent_mode(before.consent),
        interaction_url: before.interaction_url.clone(),
        ..metadata.clone()
    };
    if client_metadata == before {
        return Ok(None);
    }
    let (scope, document) = (client_metadata.allowed_scopes(), JsonDocument::from_value(&client_metadata)?);
    let change = ClientChange {
        name: &client_metadata.client_name,
        purpose: &client.purpose,
        owner: client.owner,
        scope: &scope,
        metadata: &document,
        trust,
    };
    let mut event = engine
        .event(EventKind::ClientChanged, cause, now)
        .with_subject("client", &client.id)
        .with_detail("metadata_document", true);
    if client.verified_at.is_some() && trust.ends_verification() {
        event = event.with_detail("verified", false);
    }
    let batch = WriteBatch::new()
        .with_statements(clients::change_client(&client.id, client.version, &change, now))
        .with_event(&event);
    Ok(Some(batch))
}

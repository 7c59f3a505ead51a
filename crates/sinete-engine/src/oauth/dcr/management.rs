//! Client configuration endpoint (RFC 7592): a client manages its registration with its registration access
//! token.

use crate::access_control::organization_access::with_audit_log_event;
use crate::oauth::clients::change_authentication_method;
use crate::oauth::dcr::{
    RegisteredClient, check_sector, invalid_client_metadata, require_supported_features,
};
use crate::platform::outbound_owner::client_outbound_owner;
use crate::{ATTEMPTS_MAX, Engine, Error, EventCause, Failure};
use serde_json::{Map, Value};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::client_id::ClientId;
use sinete_core::events::security_event::{EventKind, RequestOrigin, SecurityEvent, SecurityEventActor};
use sinete_core::oauth::client_metadata::{ClientMetadata, GrantType};
use sinete_core::oauth::client_trust::{ClientEditor, RevokedClientTrust};
use sinete_core::oauth::dcr;
use sinete_core::oauth::dcr::ClientRegistrar;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::secret::{ClientSecret, Digest, RegistrationToken, Secret};
use sinete_core::validation::ValidationErrors;
use sinete_store::oauth::clients::{ClientChange, ClientOrigin, ClientRow};
use sinete_store::oauth::dcr as store_dcr;
use sinete_store::oauth::dcr::RegistrationTokenStatus;
use sinete_store::oauth::{client_secrets, clients};
use sinete_store::organizations::memberships;
use sinete_store::{JsonDocument, WriteBatch};

/// A client authenticated by its registration access token.
#[derive(Debug)]
pub struct RegistrationTokenClient {
    /// The client.
    pub client: ClientRow,
    /// The metadata.
    pub metadata: ClientMetadata,
    cause: EventCause,
    token: Digest<RegistrationToken>,
}

/// Authenticates a registration access token. The first use of a new token ends the previous one.
pub async fn authenticate_registration_token(
    engine: &Engine,
    id: &str,
    bearer: &str,
    origin: RequestOrigin,
) -> Result<RegistrationTokenClient, Error> {
    let (Ok(id), Ok(secret)) = (id.parse::<ClientId>(), Secret::<RegistrationToken>::parse(bearer)) else {
        return Err(invalid_token("no client's id, or no registration token").into());
    };
    let token = secret.digest();
    let Some(status) = store_dcr::find_registration_token_status(engine.store(), &id, &token).await? else {
        return Err(invalid_token("not the registration token of an enabled client").into());
    };
    if status == RegistrationTokenStatus::Next {
        let adopted = WriteBatch::new().with_statement(store_dcr::adopt_registration_token(&id, &token));
        let _ = engine.store().commit(adopted).await?;
    }
    let Some(client) = clients::find_client(engine.store(), &id).await? else {
        return Err(invalid_token("the client is gone").into());
    };
    let metadata = client.metadata.parse()?;
    let cause = EventCause { actor: SecurityEventActor::Client(id), origin };
    Ok(RegistrationTokenClient { client, metadata, cause, token })
}

/// Replaces the registration. It is validated like a new one, and a new registration access token is issued;
/// the one used ends when the new one is first used.
pub async fn replace_registration(
    engine: &Engine,
    registrant: RegistrationTokenClient,
    document: &Map<String, Value>,
) -> Result<RegisteredClient, Error> {
    let RegistrationTokenClient { client, metadata: before, cause, .. } = &registrant;
    check_own_registration(engine, client, document).await?;
    let (client_metadata, trust) = validate_replacement(client, before, document)?;
    require_supported_features(engine, &client_metadata)?;
    check_sector(engine, client_outbound_owner(client), &client_metadata).await?;
    let token = Secret::<RegistrationToken>::mint(engine.entropy());
    let now = engine.now();
    let (proof, secret) = change_authentication_method(engine, &client.id, now, before, &client_metadata);
    let (scope, document) = (client_metadata.allowed_scopes(), JsonDocument::from_value(&client_metadata)?);
    let description = ClientChange {
        name: &client_metadata.client_name,
        purpose: &client.purpose,
        owner: client.owner,
        scope: &scope,
        metadata: &document,
        trust,
    };
    let batch = WriteBatch::new()
        .with_statements(clients::change_client(&client.id, client.version, &description, now))
        .with_statements(proof)
        .with_statement(store_dcr::prepare_registration_token(&client.id, &token.digest()));
    let mut event = engine.event(EventKind::ClientChanged, cause, now).with_subject("client", &client.id);
    if client.verified_at.is_some() && trust.ends_verification() {
        event = event.with_detail("verified", false);
    }
    if client_metadata.consent != before.consent {
        event = event.with_detail("consent", "ask");
    }
    if !engine.store().commit(with_client_event(batch, client, event)?).await?.is_committed() {
        return Err(Refusal::because(
            OAuthRefusal::RegistrationChanged,
            "the client was changed concurrently",
        )
        .into());
    }
    let client = client.clone().with_change(&description);
    Ok(RegisteredClient { client, metadata: client_metadata, secret, token })
}

/// Validates the new metadata, and returns the trust that it ends.
fn validate_replacement(
    client: &ClientRow,
    before: &ClientMetadata,
    document: &Map<String, Value>,
) -> Result<(ClientMetadata, RevokedClientTrust), Refusal> {
    let registrar = match client.origin {
        ClientOrigin::DynamicRegistration => ClientRegistrar::Client,
        ClientOrigin::Organization(_) | ClientOrigin::Operator => ClientRegistrar::Organization,
    };
    let client_metadata = dcr::parse_registration(document, registrar)?;
    let mut errors = ValidationErrors::default();
    if !before.security_profile.is_default() && client_metadata.security_profile.is_default() {
        errors.add(
            "/security_profile",
            "security requirements cannot be lowered with a registration access \
            token; use the management API",
        );
    }
    let begins = |grant| {
        client_metadata.effective_grant_types().contains(&grant)
            && !before.effective_grant_types().contains(&grant)
    };
    if begins(GrantType::ClientCredentials) {
        errors.add(
            "/grant_types",
            "client_credentials cannot be added with a registration access token; use the management API",
        );
    }
    // The scopes of a self-registered client grant nothing by themselves; those of an organization's client
    // must not be widened.
    if registrar == ClientRegistrar::Organization
        && !client_metadata.allowed_scopes().is_within(&client.scope)
    {
        errors.add(
            "/scope",
            "the scope cannot be extended with a registration access token; use the management API",
        );
    }
    if !errors.is_empty() {
        return Err(invalid_client_metadata(errors));
    }
    let trust = RevokedClientTrust::from_change(ClientEditor::RegistrationToken, before, &client_metadata);
    // Consent mode, interaction URL and the served users are not set by the client.
    let (consent, interaction_url) = (trust.consent_mode(before.consent), before.interaction_url.clone());
    Ok((ClientMetadata { consent, interaction_url, serves: before.serves, ..client_metadata }, trust))
}

/// Removes the client with all its access.
pub async fn delete_registration(engine: &Engine, registrant: &RegistrationTokenClient) -> Result<(), Error> {
    let RegistrationTokenClient { cause, token, .. } = registrant;
    let id = &registrant.client.id;
    for _ in 0..ATTEMPTS_MAX {
        let status = store_dcr::find_registration_token_status(engine.store(), id, token).await?;
        let (Some(_), Some(client)) = (status, clients::find_client(engine.store(), id).await?) else {
            return Err(invalid_token("the client has ended meanwhile").into());
        };
        let now = engine.now();
        let mut batch = WriteBatch::new();
        if let ClientOrigin::Organization(organization) = client.origin
            && let Some(member) =
                memberships::find_client_membership(engine.store(), organization, id).await?
        {
            batch = batch.with_statement(memberships::change_membership_condition(
                &member,
                LifecycleCondition::Ended,
                now,
            ));
        }
        batch = batch.with_statement(clients::change_client_condition(
            id,
            client.version,
            LifecycleCondition::Ended,
            now,
        ));
        let event = engine.event(EventKind::ClientRemoved, cause, now).with_subject("client", id);
        let batch = with_client_event(batch, &client, event)?;
        if engine.store().commit(batch).await?.is_committed() {
            return Ok(());
        }
    }
    Err(Failure::Contended.into())
}

/// Requires the client's own id, and rejects metadata that the server assigns (RFC 7592 §2.2).
async fn check_own_registration(
    engine: &Engine,
    client: &ClientRow,
    document: &Map<String, Value>,
) -> Result<(), Error> {
    let mut errors = ValidationErrors::default();
    if document.get("client_id").and_then(Value::as_str) != Some(client.id.as_str()) {
        errors.add("/client_id", "must be the client_id of this client");
    }
    for member in SERVER_ASSIGNED_MEMBERS {
        if document.get(member).is_some_and(|value| !value.is_null()) {
            errors.add(format!("/{member}"), "is created by the server; remove this member");
        }
    }
    if let Some(secret) = document.get("client_secret").filter(|secret| !secret.is_null()) {
        let presented_secret = secret.as_str().and_then(|text| Secret::<ClientSecret>::parse(text).ok());
        let is_own = match presented_secret {
            Some(secret) => {
                client_secrets::is_client_secret(engine.store(), &client.id, &secret.digest(), engine.now())
                    .await?
            }
            None => false,
        };
        if !is_own {
            errors.add("/client_secret", "must be the client_secret of this client, or be left out");
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(invalid_client_metadata(errors).into()) }
}

/// The members that the server assigns.
const SERVER_ASSIGNED_MEMBERS: [&str; 4] = [
    "registration_access_token",
    "registration_client_uri",
    "client_secret_expires_at",
    "client_id_issued_at",
];

/// Adds the event, which is also in the audit log of the client's organization.
fn with_client_event(
    batch: WriteBatch,
    client: &ClientRow,
    event: SecurityEvent,
) -> Result<WriteBatch, Failure> {
    match client.origin {
        ClientOrigin::Organization(organization) => {
            with_audit_log_event(batch, &event.with_organization(organization), organization, "")
        }
        ClientOrigin::DynamicRegistration | ClientOrigin::Operator => Ok(batch.with_event(&event)),
    }
}

fn invalid_token(reason: &str) -> Refusal {
    Refusal::because(OAuthRefusal::RegistrationTokenInvalid, reason)
}

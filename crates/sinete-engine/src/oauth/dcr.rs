//! Dynamic client registration (RFC 7591): by the client itself, unverified, or for an organization.

mod cleanup;
pub mod management;
pub mod registration_limits;

pub use cleanup::{IDLE_RETENTION, UNUSED_RETENTION, remove_unused};

use crate::access_control::admin_scope::AdminScope;
use crate::access_control::organization_access::OrganizationAccess;
use crate::oauth::clients;
use crate::oauth::clients::{NewClientRequest, SavedClient};
use crate::{Engine, Error, EventCause, Failure};
use serde_json::{Map, Value};
use sinete_core::access_control::permission_catalog::BuiltInRole;
use sinete_core::client_id::{ClientId, ClientKind};
use sinete_core::events::security_event::EventKind;
use sinete_core::id::RoleId;
use sinete_core::limits::RETRY_AFTER;
use sinete_core::oauth::client_metadata::{ClientMetadata, GrantType};
use sinete_core::oauth::dcr;
use sinete_core::oauth::dcr::ClientRegistrar;
use sinete_core::platform::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::secret::{ClientSecret, RegistrationToken, Secret};
use sinete_core::validation::ValidationErrors;
use sinete_store::oauth::clients::{ClientOrigin, ClientRow, NewClient};
use sinete_store::oauth::{client_secrets, clients as stored, dcr as store_dcr};
use sinete_store::organizations::roles;
use sinete_store::{JsonDocument, WriteBatch};
use std::net::IpAddr;

/// Who registers a client.
#[derive(Clone, Copy, Debug)]
pub enum RegistrationCaller<'a> {
    /// The client itself, unverified.
    Client(&'a EventCause),
    /// A caller for their organization, which owns the client.
    Organization(&'a OrganizationAccess),
}

/// A registered client with its secrets, which are shown once.
pub struct RegisteredClient {
    /// The client.
    pub client: ClientRow,
    /// The metadata.
    pub metadata: ClientMetadata,
    /// The client secret, if it has one.
    pub secret: Option<Secret<ClientSecret>>,
    /// The registration access token.
    pub token: Secret<RegistrationToken>,
}

/// Counts a client that registers itself from this address, dynamically or with a metadata document, or
/// refuses it if there were too many
/// (docs/contribute/decisions/0289-client-documents-count-as-registrations.md).
pub fn count_new_client(engine: &Engine, address: Option<IpAddr>) -> Result<(), Refusal> {
    let Some(address) = address else { return Ok(()) };
    engine.shared.registration_limiter.check_and_count(address, engine.now()).map_err(|wait| {
        let limited =
            Refusal::because(OAuthRefusal::RegistrationRateLimited, "registrations from one address");
        limited.with_retry_after(wait)
    })
}

/// Registers a client with this metadata document.
pub async fn register_client(
    engine: &Engine,
    registrar: RegistrationCaller<'_>,
    document: &Map<String, Value>,
) -> Result<RegisteredClient, Error> {
    let kind = match registrar {
        RegistrationCaller::Client(_) => ClientRegistrar::Client,
        RegistrationCaller::Organization(_) => ClientRegistrar::Organization,
    };
    let metadata =
        refuse_reserved_members(document).and_then(|()| dcr::parse_registration(document, kind))?;
    require_supported_features(engine, &metadata)?;
    let owner = match registrar {
        RegistrationCaller::Client(cause) => OutboundOwner::Registrant(cause.origin.address),
        RegistrationCaller::Organization(access) => OutboundOwner::Organization(access.organization.id),
    };
    check_sector(engine, owner, &metadata).await?;
    match registrar {
        RegistrationCaller::Client(cause) => Ok(register_self(engine, cause, metadata).await?),
        RegistrationCaller::Organization(access) => register_for_organization(engine, access, metadata).await,
    }
}

async fn register_self(
    engine: &Engine,
    cause: &EventCause,
    metadata: ClientMetadata,
) -> Result<RegisteredClient, Failure> {
    let (now, entropy) = (engine.now(), engine.entropy());
    let id = ClientId::mint(now, entropy);
    let token = Secret::<RegistrationToken>::mint(entropy);
    let needs_secret = metadata.token_endpoint_auth_method.needs_secret();
    let secret = needs_secret.then(|| Secret::<ClientSecret>::mint(entropy));
    let (scope, document) = (metadata.allowed_scopes(), JsonDocument::from_value(&metadata)?);
    let new = NewClient {
        id: &id,
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
        .with_subject("client", &id)
        .with_detail("kind", ClientKind::Application.as_str())
        .with_detail("self_registered", true);
    let batch = WriteBatch::new()
        .with_statement(stored::create_client(&new))
        .with_statement(store_dcr::issue_registration_token(&id, &token.digest()))
        .with_statements(
            secret.as_ref().map(|secret| client_secrets::add_client_secret(&secret.digest(), &id, now, None)),
        )
        .with_event(&event);
    // All rows have new ids, so this does not conflict.
    if !engine.store().commit(batch).await?.is_committed() {
        return Err(Failure::Contended);
    }
    let client = new.to_row();
    Ok(RegisteredClient { client, metadata, secret, token })
}

/// Registers a client of an organization, as through the management API. One that acts for itself becomes a
/// member with the member role.
async fn register_for_organization(
    engine: &Engine,
    access: &OrganizationAccess,
    metadata: ClientMetadata,
) -> Result<RegisteredClient, Error> {
    let token = Secret::<RegistrationToken>::mint(engine.entropy());
    let grants = metadata.effective_grant_types();
    let acts_for_itself = grants.contains(&GrantType::ClientCredentials);
    let serves_people = grants.contains(&GrantType::AuthorizationCode);
    let request = NewClientRequest {
        id: None,
        kind: if acts_for_itself && !serves_people { ClientKind::Service } else { ClientKind::Application },
        purpose: String::new(),
        owner: None,
        roles: if acts_for_itself { vec![find_default_role(engine, access).await?] } else { Vec::new() },
        is_verified: false,
        secret: None,
        registration: Some(token.digest()),
        metadata: metadata.clone(),
    };
    let SavedClient { overview, secret } =
        clients::create(engine, AdminScope::Organization(access), &request).await?;
    Ok(RegisteredClient { client: overview.client, metadata, secret, token })
}

async fn find_default_role(engine: &Engine, access: &OrganizationAccess) -> Result<RoleId, Failure> {
    let all = roles::list_roles(engine.store(), access.organization.id).await?;
    let role_row = all.iter().find(|it| it.role.name() == BuiltInRole::Member.name());
    role_row.map(|role| role.id).ok_or(Failure::Contended)
}

/// Rejects metadata that the server assigns.
fn refuse_reserved_members(document: &Map<String, Value>) -> Result<(), Refusal> {
    let mut errors = ValidationErrors::default();
    for member in ["client_id", "client_secret"] {
        if document.get(member).is_some_and(|value| !value.is_null()) {
            errors.add(format!("/{member}"), "is created by the server; remove this member");
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(invalid_client_metadata(errors)) }
}

/// Rejects unsupported features: device authorization without an interface, and mTLS if it is not configured.
pub(crate) fn require_supported_features(engine: &Engine, metadata: &ClientMetadata) -> Result<(), Refusal> {
    let leads = engine.settings().flows.interaction.has_screens();
    let mut errors = metadata.find_unavailable_mtls_features(engine.settings().accepted_certificates());
    if !leads && metadata.effective_grant_types().contains(&GrantType::DeviceCode) {
        errors.add("/grant_types", "the device grant and CIBA are not available on this instance");
    }
    if errors.is_empty() { Ok(()) } else { Err(invalid_client_metadata(errors)) }
}

/// Fetches and checks the document at `sector_identifier_uri`, if the client has one.
pub(crate) async fn check_sector(
    engine: &Engine,
    owner: OutboundOwner,
    metadata: &ClientMetadata,
) -> Result<(), Refusal> {
    let Some(url) = &metadata.sector_identifier_uri else { return Ok(()) };
    let mut errors = ValidationErrors::default();
    let target = OutboundTarget { purpose: OutboundPurpose::SectorIdentifier, owner, url };
    match engine.outbound_http().get(&target).await {
        Ok(document) if dcr::check_sector_document(&document, &metadata.redirect_uris) => return Ok(()),
        Ok(_) => {
            errors.add("/sector_identifier_uri", "the document at this URL does not list every redirect URI")
        }
        // No request was sent, so nothing is known about the URL.
        Err(not_reached) if not_reached.is_busy() => {
            let busy = Refusal::because(OAuthRefusal::SectorIdentifierUnavailable, "no free outbound slot");
            return Err(busy.with_retry_after(RETRY_AFTER));
        }
        Err(not_reached) => errors.add("/sector_identifier_uri", not_reached.to_string()),
    }
    Err(invalid_client_metadata(errors))
}

pub(crate) fn invalid_client_metadata(errors: ValidationErrors) -> Refusal {
    let reason = errors.iter().map(|fault| format!("{} ", fault.pointer)).collect::<String>();
    Refusal::because(OAuthRefusal::RegistrationRejected, reason.trim_end()).with_validation_errors(errors)
}

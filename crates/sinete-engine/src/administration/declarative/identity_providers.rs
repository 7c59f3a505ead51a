//! Domains and identity provider connections in a document: export and apply.

use super::apply::{authorize_in_declared, no_longer_exists};
use super::webhooks::DeclaredSecrets;
use crate::access_control::caller::AuthenticatedCaller;
use crate::identity_providers::connections;
use crate::identity_providers::connections::{
    ConnectionDraft, ConnectionOverview, ConnectionRow, DiscoveryPolicy,
};
use crate::identity_providers::saml::find_faults;
use crate::identity_providers::{decrypt_secret, insecure_provider_policy};
use crate::organizations::domains;
use crate::{Engine, Error, Failure};
use sinete_core::administration::declarative::identity_providers::{
    DeclaredConnection, DeclaredConnections, IdentityProviderChange, format_connection_pointer,
};
use sinete_core::administration::declarative::{DeclarativeConfig, SecretReference};
use sinete_core::id::{ConnectionId, OrganizationId};
use sinete_core::identity_providers::connections::{
    ConnectionProtocol, IdentityProviderIssuer, OidcConnectionSettings, ProviderAuthMethod,
};
use sinete_core::limits::{CONNECTIONS_PER_ORGANIZATION_MAX, DOMAINS_MAX};
use sinete_core::organizations::OrganizationSlug;
use sinete_core::organizations::domains::OrganizationDomain;
use sinete_core::secret::Digest;
use sinete_core::validation::ValidationErrors;
use std::collections::BTreeSet;

/// The digest type of a connection's secret.
enum ProviderSecretDigest {}

/// The digest reference of a secret.
pub(super) fn secret_reference(secret: &str) -> SecretReference {
    SecretReference::from(&Digest::<ProviderSecretDigest>::from_parts(&[secret.as_bytes()]))
}

/// Loads the domains and connections of an organization, with digests of the secrets.
pub(super) async fn load_current(
    engine: &Engine,
    organization: OrganizationId,
) -> Result<(BTreeSet<OrganizationDomain>, DeclaredConnections), Failure> {
    let store = engine.store();
    let all =
        sinete_store::organizations::domains::list_domains(store, organization, None, DOMAINS_MAX).await?;
    let mut connections = DeclaredConnections::new();
    for connection in sinete_store::identity_providers::connections::list_connections(
        store,
        organization,
        None,
        CONNECTIONS_PER_ORGANIZATION_MAX,
    )
    .await?
    {
        let issuer = connection.issuer.as_str();
        let host = issuer.split('/').nth(2).unwrap_or(issuer);
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let stem: String = host.chars().map(plain).collect();
        let numbered = (2_u32..).map(|number| format!("{stem}-{number}"));
        let free = std::iter::once(stem.clone()).chain(numbered).find(|name| !connections.contains_key(name));
        let declared = DeclaredConnection {
            domains: sinete_store::identity_providers::connections::list_connection_domains(
                store,
                connection.id,
            )
            .await?
            .into_iter()
            .collect(),
            enabled: connection.is_enabled,
            secret: load_secret_reference(engine, connection.id).await?,
            issuer: connection.issuer,
            settings: connection.settings,
        };
        connections.extend(free.map(|name| (name, declared)));
    }
    Ok((all.into_iter().map(|domain| domain.name).collect(), connections))
}

/// The digest reference of a connection's secret; `None` if there is none or it cannot be decrypted.
async fn load_secret_reference(
    engine: &Engine,
    id: ConnectionId,
) -> Result<Option<SecretReference>, Failure> {
    let encrypted_secret =
        sinete_store::identity_providers::connections::find_encrypted_secret(engine.store(), id).await?;
    Ok(encrypted_secret
        .and_then(|encrypted_secret| decrypt_secret(engine, id, &encrypted_secret))
        .map(|secret| secret_reference(&secret)))
}

/// Adds errors for what would be rejected on apply: a provider without TLS, or a new one without a secret.
pub(super) fn add_faults(
    engine: &Engine,
    current: &DeclarativeConfig,
    config: &DeclarativeConfig,
    errors: &mut ValidationErrors,
) {
    for (slug, organization) in &config.organizations {
        for (name, connection) in &organization.connections {
            let pointer = format_connection_pointer(slug, name);
            let open_id = match &connection.settings.protocol {
                ConnectionProtocol::OpenId(open_id) => open_id,
                ConnectionProtocol::Saml(saml) => {
                    errors.add_nested(&format!("{pointer}/saml"), &find_faults(engine, saml));
                    if connection.secret.is_some() {
                        errors.add(
                            format!("{pointer}/secret"),
                            "a SAML connection has none; remove this member",
                        );
                    }
                    continue;
                }
            };
            if let Err(provider_issuer) =
                IdentityProviderIssuer::parse(connection.issuer.as_str(), insecure_provider_policy(engine))
            {
                errors.add(format!("{pointer}/issuer"), provider_issuer.to_string());
            }
            let now = current.organizations.get(slug).into_iter().flat_map(|now| now.connections.values());
            let declared_connection = now.into_iter().find(|it| it.is_same_provider(connection));
            let has_secret =
                connection.secret.is_some() || declared_connection.is_some_and(|it| it.secret.is_some());
            match open_id.authentication {
                ProviderAuthMethod::ClientSecret if !has_secret => {
                    errors.add(
                        format!("{pointer}/secret"),
                        "is required: name where the client secret of the provider is stored",
                    );
                }
                ProviderAuthMethod::PrivateKey if connection.secret.is_some() => {
                    errors.add(
                        format!("{pointer}/secret"),
                        "a connection with private_key has none; remove this member",
                    );
                }
                ProviderAuthMethod::ClientSecret | ProviderAuthMethod::PrivateKey => {}
            }
        }
    }
}

/// Applies a change as the command line.
pub(super) async fn apply_change(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    slug: &OrganizationSlug,
    change: &IdentityProviderChange,
    secrets: &DeclaredSecrets,
) -> Result<(), Error> {
    let access = authorize_in_declared(engine, caller, slug).await?;
    match change {
        IdentityProviderChange::AddDomain(domain) => {
            domains::add(engine, &access, domain.as_str()).await.map(drop)
        }
        IdentityProviderChange::RemoveDomain(domain) => domains::remove(engine, &access, domain).await,
        IdentityProviderChange::CreateConnection(_, declared) => {
            let draft = to_connection_draft(declared, secrets);
            let issuer = Some(declared.issuer.as_str());
            connections::create(engine, &access, DiscoveryPolicy::Skipped, issuer, &draft).await.map(drop)
        }
        IdentityProviderChange::UpdateConnection(_, declared, _) => {
            let Some(before) = find_existing(engine, access.organization.id, declared).await? else {
                return Err(no_longer_exists("connection").into());
            };
            let mut draft = to_connection_draft(declared, secrets);
            // An unchanged secret is not replaced by itself.
            if load_secret_reference(engine, before.connection.id).await? == declared.secret {
                draft.secret = None;
            }
            connections::change(engine, &access, &before, &draft).await.map(drop)
        }
        IdentityProviderChange::RemoveConnection(_, declared) => {
            match find_existing(engine, access.organization.id, declared).await? {
                Some(before) => connections::remove(engine, &access, before.connection.id).await,
                None => Err(no_longer_exists("connection").into()),
            }
        }
    }
}

async fn find_existing(
    engine: &Engine,
    organization: OrganizationId,
    declared: &DeclaredConnection,
) -> Result<Option<ConnectionOverview>, Failure> {
    let all = sinete_store::identity_providers::connections::list_connections(
        engine.store(),
        organization,
        None,
        CONNECTIONS_PER_ORGANIZATION_MAX,
    )
    .await?;
    let is_it = |it: &ConnectionRow| {
        it.issuer == declared.issuer && it.settings.has_same_protocol(&declared.settings)
    };
    let Some(connection) = all.into_iter().find(is_it) else { return Ok(None) };
    let domains =
        sinete_store::identity_providers::connections::list_connection_domains(engine.store(), connection.id)
            .await?;
    Ok(Some(ConnectionOverview { connection, domains }))
}

fn to_connection_draft(declared: &DeclaredConnection, secrets: &DeclaredSecrets) -> ConnectionDraft {
    let secret = match &declared.settings.protocol {
        ConnectionProtocol::OpenId(OidcConnectionSettings {
            authentication: ProviderAuthMethod::ClientSecret,
            ..
        }) => secrets.find_provider_secret(declared.secret.as_ref()),
        ConnectionProtocol::OpenId(_) | ConnectionProtocol::Saml(_) => None,
    };
    ConnectionDraft {
        settings: declared.settings.clone(),
        secret,
        domains: declared.domains.iter().map(ToString::to_string).collect(),
        is_enabled: declared.enabled,
        metadata: None,
    }
}

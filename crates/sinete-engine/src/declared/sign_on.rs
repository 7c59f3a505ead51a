//! Domains and providers of organizations in a document: written down, and made what a document says.

use super::carry_out::{gone, inside};
use super::webhooks::DeclaredSecrets;
use crate::caller::AuthenticatedCaller;
use crate::connections::{self, ConnectionDraft, ConnectionOverview, ConnectionRow};
use crate::single_sign_on::saml::misfits;
use crate::single_sign_on::{opened, plain_providers};
use crate::{Engine, Failure, domains};
use sinete_core::declared::sign_on::{
    DeclaredConnection, DeclaredConnections, IdentityProviderChange, place,
};
use sinete_core::declared::{DeclarativeConfig, SecretReference};
use sinete_core::fault::ValidationErrors;
use sinete_core::id::{ConnectionId, OrganizationId};
use sinete_core::limits::{DOMAINS_MAX, PROVIDERS_MAX};
use sinete_core::people::domain::OrganizationDomain;
use sinete_core::people::organization::OrganizationSlug;
use sinete_core::provider::connection::{
    ConnectionProtocol, IdentityProviderIssuer, OidcConnectionSettings, ProviderAuthMethod,
};
use sinete_core::refusal::Refusal;
use sinete_core::secret::Digest;
use std::collections::BTreeSet;

/// What the secret of a connection is recognised by.
enum ProviderSecretDigest {}

/// What a secret is recognised by.
pub(super) fn recognised(secret: &str) -> SecretReference {
    SecretReference::from(&Digest::<ProviderSecretDigest>::of_parts(&[secret.as_bytes()]))
}

/// The domains and the providers of an organization, with what the secrets are recognised by.
pub(super) async fn current(
    engine: &Engine,
    organization: OrganizationId,
) -> Result<(BTreeSet<OrganizationDomain>, DeclaredConnections), Failure> {
    let store = engine.store();
    let all = sinete_store::domains::page(store, organization, None, DOMAINS_MAX).await?;
    let mut written = DeclaredConnections::new();
    for connection in sinete_store::connections::page(store, organization, None, PROVIDERS_MAX).await? {
        let whole = connection.issuer.as_str();
        let host = whole.split('/').nth(2).unwrap_or(whole);
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let stem: String = host.chars().map(plain).collect();
        let numbered = (2_u32..).map(|number| format!("{stem}-{number}"));
        let free = std::iter::once(stem.clone()).chain(numbered).find(|name| !written.contains_key(name));
        let declared = DeclaredConnection {
            domains: sinete_store::connections::domains(store, connection.id).await?.into_iter().collect(),
            enabled: connection.is_enabled,
            secret: recognised_by(engine, connection.id).await?,
            issuer: connection.issuer,
            chosen: connection.chosen,
        };
        written.extend(free.map(|name| (name, declared)));
    }
    Ok((all.into_iter().map(|domain| domain.name).collect(), written))
}

/// What the secret of a connection is recognised by; nothing where there is none, or it does not open.
async fn recognised_by(engine: &Engine, id: ConnectionId) -> Result<Option<SecretReference>, Failure> {
    let sealed = sinete_store::connections::sealed_secret(engine.store(), id).await?;
    Ok(sealed.and_then(|sealed| opened(engine, id, &sealed)).map(|secret| recognised(&secret)))
}

/// What would be refused when it is made: a provider without TLS, or one that is new and has no secret.
pub(super) fn add_misfits(
    engine: &Engine,
    (current, wanted): (&DeclarativeConfig, &DeclarativeConfig),
    faults: &mut ValidationErrors,
) {
    for (slug, organization) in &wanted.organizations {
        for (name, connection) in &organization.connections {
            let pointer = place(slug, name);
            let open_id = match &connection.chosen.protocol {
                ConnectionProtocol::OpenId(open_id) => open_id,
                ConnectionProtocol::Saml(saml) => {
                    faults.nest(&format!("{pointer}/saml"), &misfits(engine, saml));
                    if connection.secret.is_some() {
                        faults.add(format!("{pointer}/secret"), "with saml there is none");
                    }
                    continue;
                }
            };
            if let Err(why) =
                IdentityProviderIssuer::parse(connection.issuer.as_str(), plain_providers(engine))
            {
                faults.add(format!("{pointer}/issuer"), why.to_string());
            }
            let now = current.organizations.get(slug).into_iter().flat_map(|now| now.connections.values());
            let known = now.into_iter().find(|it| it.is_same(connection));
            let has_secret = connection.secret.is_some() || known.is_some_and(|it| it.secret.is_some());
            match open_id.authentication {
                ProviderAuthMethod::ClientSecret if !has_secret => {
                    faults.add(
                        format!("{pointer}/secret"),
                        "it is missing: say where the secret is found that the provider gave",
                    );
                }
                ProviderAuthMethod::PrivateKey if connection.secret.is_some() => {
                    faults.add(format!("{pointer}/secret"), "with private_key there is none");
                }
                ProviderAuthMethod::ClientSecret | ProviderAuthMethod::PrivateKey => {}
            }
        }
    }
}

/// Makes a change, as the command line.
pub(super) async fn carry_out(
    engine: &Engine,
    caller: &AuthenticatedCaller,
    slug: &OrganizationSlug,
    change: &IdentityProviderChange,
    secrets: &DeclaredSecrets,
) -> Result<Result<(), Refusal>, Failure> {
    let acting = match inside(engine, caller, slug).await? {
        Ok(acting) => acting,
        Err(refusal) => return Ok(Err(refusal)),
    };
    match change {
        IdentityProviderChange::AddDomain(domain) => {
            Ok(domains::add(engine, &acting, domain.as_str()).await?.map(drop))
        }
        IdentityProviderChange::RemoveDomain(domain) => domains::remove(engine, &acting, domain).await,
        IdentityProviderChange::CreateConnection(_, declared) => {
            let wanted = wanted(declared, secrets);
            let issuer = Some(declared.issuer.as_str());
            Ok(connections::create(engine, &acting, issuer, &wanted).await?.map(drop))
        }
        IdentityProviderChange::UpdateConnection(_, declared, _) => {
            let Some(before) = known(engine, acting.organization.id, declared).await? else {
                return Ok(Err(gone("connection")));
            };
            let mut wanted = wanted(declared, secrets);
            // The one that is there already is not put in its own place.
            if recognised_by(engine, before.connection.id).await? == declared.secret {
                wanted.secret = None;
            }
            Ok(connections::change(engine, &acting, &before, &wanted).await?.map(drop))
        }
        IdentityProviderChange::RemoveConnection(_, declared) => {
            match known(engine, acting.organization.id, declared).await? {
                Some(before) => connections::remove(engine, &acting, before.connection.id).await,
                None => Ok(Err(gone("connection"))),
            }
        }
    }
}

async fn known(
    engine: &Engine,
    organization: OrganizationId,
    declared: &DeclaredConnection,
) -> Result<Option<ConnectionOverview>, Failure> {
    let all = sinete_store::connections::page(engine.store(), organization, None, PROVIDERS_MAX).await?;
    let is_it = |it: &ConnectionRow| it.issuer == declared.issuer && it.chosen.speaks_as(&declared.chosen);
    let Some(connection) = all.into_iter().find(is_it) else { return Ok(None) };
    let domains = sinete_store::connections::domains(engine.store(), connection.id).await?;
    Ok(Some(ConnectionOverview { connection, domains }))
}

fn wanted(declared: &DeclaredConnection, secrets: &DeclaredSecrets) -> ConnectionDraft {
    let secret = match &declared.chosen.protocol {
        ConnectionProtocol::OpenId(OidcConnectionSettings {
            authentication: ProviderAuthMethod::ClientSecret,
            ..
        }) => secrets.of_provider(declared.secret.as_ref()),
        ConnectionProtocol::OpenId(_) | ConnectionProtocol::Saml(_) => None,
    };
    ConnectionDraft {
        chosen: declared.chosen.clone(),
        secret,
        domains: declared.domains.iter().map(ToString::to_string).collect(),
        is_enabled: declared.enabled,
        metadata: None,
    }
}

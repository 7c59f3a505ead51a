//! What the holder of a set-up link can do: open it in one browser, and prepare. Every step is recorded with the link
//! as the actor. Nothing else of the organization can be read through it than its name and what was prepared.

use crate::access_control::organization_access::{find_organization, with_audit_log_event};
use crate::identity_providers::connections::preparation;
use crate::identity_providers::connections::preparation::PreparedConnection;
use crate::identity_providers::connections::{ConnectionDraft, fetch_document};
use crate::{Engine, Error, EventCause, Failure};
use sinete_core::events::security_event::{EventKind, RequestOrigin, SecurityEventActor};
use sinete_core::organizations::domains::{OrganizationDomain, generate_verification_record};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::identity_providers::IdentityProviderRefusal;
use sinete_core::secret::{ApiKey, Secret, SetupLinkToken, SetupSessionToken};
use sinete_core::validation::ValidationErrors;
use sinete_store::identity_providers::connections;
use sinete_store::identity_providers::connections::ConnectionRow;
use sinete_store::organizations::setup_links::SetupLinkRow;
use sinete_store::organizations::{domains, setup_links};
use sinete_store::{BatchOutcome, GuardedStatement, WriteBatch};

/// A link that was opened, with the session of the browser, which is shown once.
pub struct OpenedSetupLink {
    /// The session token.
    pub session: Secret<SetupSessionToken>,
}

/// The holder of an open link, in the browser that opened it.
#[derive(Clone, Debug)]
pub struct SetupHolder {
    /// The link.
    pub link: SetupLinkRow,
    /// The name of the organization.
    pub organization: String,
    /// The connection that was prepared with this link.
    pub connection: Option<ConnectionRow>,
    /// The DNS record of the domain that was prepared with this link.
    pub record: Option<PreparedDomainRecord>,
    origin: RequestOrigin,
}

/// The DNS record of a prepared domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedDomainRecord {
    /// The domain.
    pub domain: OrganizationDomain,
    /// The text of the TXT record.
    pub value: String,
}

/// The name of the organization, if the link can be opened.
pub async fn find_unopened(engine: &Engine, token: &str) -> Result<Option<String>, Failure> {
    let Ok(token) = Secret::<SetupLinkToken>::parse(token) else { return Ok(None) };
    let setup_link = setup_links::find_unopened_link(engine.store(), &token.digest(), engine.now()).await?;
    match setup_link {
        Some(link) => organization_name(engine, &link).await.map(Some),
        None => Ok(None),
    }
}

async fn organization_name(engine: &Engine, link: &SetupLinkRow) -> Result<String, Failure> {
    let organization = find_organization(engine, &link.organization.to_string(), engine.now()).await?;
    Ok(organization.map(|organization| organization.name).unwrap_or_default())
}

/// Opens a link in this browser, and in no other.
pub async fn open_setup_link(
    engine: &Engine,
    token: &str,
    origin: &RequestOrigin,
) -> Result<OpenedSetupLink, Error> {
    let token = Secret::<SetupLinkToken>::parse(token).map_err(|_| unusable_link())?;
    let (digest, now) = (token.digest(), engine.now());
    let setup_link = setup_links::find_unopened_link(engine.store(), &digest, now).await?;
    let link = setup_link.ok_or_else(unusable_link)?;
    let session = Secret::<SetupSessionToken>::mint(engine.entropy());
    let step = setup_links::open_setup_link(&digest, &session.digest(), now);
    commit_step(engine, &link, origin, EventKind::SetupLinkOpened, "", [step]).await?;
    Ok(OpenedSetupLink { session })
}

impl SetupHolder {
    /// The holder whose browser has this session token.
    pub async fn authenticate(engine: &Engine, token: &str, origin: &RequestOrigin) -> Result<Self, Error> {
        let token = Secret::<SetupSessionToken>::parse(token).map_err(|_| unusable_link())?;
        let setup_link =
            setup_links::find_link_of_session(engine.store(), &token.digest(), engine.now()).await?;
        let link = setup_link.ok_or_else(unusable_link)?;
        let (store, organization) = (engine.store(), link.organization);
        let connection = connections::find_connection(store, organization, link.connection).await?;
        let record = match &link.domain {
            Some(name) => domains::find_domain(store, organization, name).await?,
            None => None,
        };
        let record = record.map(|row| PreparedDomainRecord { domain: row.name, value: row.proof });
        let name = organization_name(engine, &link).await?;
        Ok(Self { organization: name, connection, record, origin: origin.clone(), link })
    }

    async fn commit(
        &self,
        engine: &Engine,
        prepared_item: &'static str,
        steps: [GuardedStatement; 2],
    ) -> Result<(), Error> {
        let kind = EventKind::SetupLinkPrepared;
        commit_step(engine, &self.link, &self.origin, kind, prepared_item, steps).await
    }
}

/// Fetches SAML metadata for the organization of the link.
pub async fn fetch_metadata(engine: &Engine, holder: &SetupHolder, url: &str) -> Result<String, Error> {
    fetch_document(engine, holder.link.organization, url).await
}

/// Prepares the connection, in place of an earlier preparation.
pub async fn prepare_connection(
    engine: &Engine,
    holder: &SetupHolder,
    issuer: Option<&str>,
    draft: &ConnectionDraft,
) -> Result<(), Error> {
    // Domains, assurance and provisioned memberships are decided by the organization.
    let mut draft = ConnectionDraft { domains: Vec::new(), is_enabled: false, ..draft.clone() };
    draft.settings.external_id_claim = None;
    draft.settings.two_factors = Default::default();
    let prepared = PreparedConnection {
        organization: holder.link.organization,
        id: holder.link.connection,
        issuer,
        draft: &draft,
    };
    let stored = preparation::prepare_connection(engine, &prepared).await?;
    let noted = setup_links::record_prepared_connection(holder.link.id, engine.now());
    holder.commit(engine, "connection", [noted, stored]).await
}

/// Prepares the domain. It is not verified before an owner confirms.
pub async fn prepare_domain(engine: &Engine, holder: &SetupHolder, name: &str) -> Result<(), Error> {
    let mut errors = ValidationErrors::default();
    let Some(name) = errors.parse_text::<OrganizationDomain>("/domain", name) else {
        return Err(Refusal::from_validation_errors(errors).into());
    };
    let (organization, now) = (holder.link.organization, engine.now());
    let proof = generate_verification_record(engine.entropy());
    if domains::find_domain(engine.store(), organization, &name).await?.is_some() {
        errors.add("/domain", "cannot be prepared with this link; ask the organization");
        return Err(Refusal::from_validation_errors(errors).into());
    }
    let noted = setup_links::record_prepared_domain(holder.link.id, &name, now);
    let added = domains::add_domain(organization, &name, &proof, now);
    holder.commit(engine, "domain", [noted, added]).await
}

/// Prepares a SCIM token, in place of an earlier one, and returns it once. It has no effect before an owner
/// confirms.
pub async fn prepare_scim_token(engine: &Engine, holder: &SetupHolder) -> Result<Secret<ApiKey>, Error> {
    let secret = Secret::<ApiKey>::mint(engine.entropy());
    let noted = setup_links::record_prepared_scim(holder.link.id, &secret.digest(), engine.now());
    let kind = EventKind::SetupLinkPrepared;
    commit_step(engine, &holder.link, &holder.origin, kind, "scim", [noted]).await?;
    Ok(secret)
}

/// Commits a step of the holder with its event.
async fn commit_step<const STEPS: usize>(
    engine: &Engine,
    link: &SetupLinkRow,
    origin: &RequestOrigin,
    kind: EventKind,
    prepared_item: &'static str,
    steps: [GuardedStatement; STEPS],
) -> Result<(), Error> {
    let cause = EventCause { actor: SecurityEventActor::SetupLink(link.id), origin: origin.clone() };
    let event = engine.event(kind, &cause, engine.now()).with_organization(link.organization);
    let event = event.with_subject("setup_link", link.id);
    let event = if prepared_item.is_empty() { event } else { event.with_detail("prepared", prepared_item) };
    let batch =
        with_audit_log_event(WriteBatch::new().with_statements(steps), &event, link.organization, "")?;
    match engine.store().commit(batch).await? {
        BatchOutcome::Committed(_) => Ok(()),
        BatchOutcome::Conflict(conflict) if setup_links::is_link_conflict(&conflict) => {
            Err(unusable_link().into())
        }
        BatchOutcome::Conflict(_) => {
            let reason = "the connection or the domain can no longer be prepared";
            Err(Refusal::because(IdentityProviderRefusal::SetupLinkEnded, reason).into())
        }
    }
}

/// The same refusal for every reason why a link cannot be used.
fn unusable_link() -> Refusal {
    Refusal::because(IdentityProviderRefusal::SetupLinkUnusable, "no open set-up link")
}

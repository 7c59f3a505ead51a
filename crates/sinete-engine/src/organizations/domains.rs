//! Domains that an organization verifies by a DNS record. While a domain is verified, the organization can
//! assert e-mail addresses in it.

use crate::access_control::organization_access::{
    OrganizationAccess, organization_suspended, with_audit_log_event,
};
use crate::organizations::precondition_failed;
use crate::{Engine, Error, Failure};
use sinete_core::access_control::built_in_permissions::MANAGE_DOMAINS;
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::id::OrganizationId;
use sinete_core::limits::{DOMAIN_CHECK_BATCH_MAX, DOMAIN_CHECK_INTERVAL, DOMAINS_MAX};
use sinete_core::organizations::domains::{
    DomainRecordCheck, DomainVerification, OrganizationDomain, generate_verification_record,
};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::organizations::OrganizationRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::validation::ValidationErrors;
use sinete_store::organizations::domains;
use sinete_store::{BatchOutcome, WriteBatch, organizations};

pub use sinete_store::organizations::domains::DomainRow;

const MANAGE_PERMISSION: &str = MANAGE_DOMAINS;

/// Counts of re-checked domains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DomainCheckTally {
    /// Records found.
    pub verified: u32,
    /// Records missing, but not for too long.
    pub missing: u32,
    /// Lookups without an answer.
    pub unreachable: u32,
    /// Domains lost.
    pub lost: u32,
}

/// Adds a domain, with the TXT record to publish.
pub async fn add(engine: &Engine, access: &OrganizationAccess, name: &str) -> Result<DomainRow, Error> {
    access.require_change_permission(MANAGE_PERMISSION)?;
    let mut errors = ValidationErrors::default();
    let Some(name) = errors.parse_text::<OrganizationDomain>("/domain", name) else {
        return Err(Refusal::from_validation_errors(errors).into());
    };
    let (organization, now) = (access.organization.id, access.now());
    if domains::find_domain(engine.store(), organization, &name).await?.is_some() {
        return Err(Refusal::because(
            OrganizationRefusal::DomainAlreadyAdded,
            "the organization already has the domain",
        )
        .into());
    }
    if domains::count_domains(engine.store(), organization).await? >= DOMAINS_MAX {
        return Err(Refusal::because(OrganizationRefusal::DomainLimit, "too many domains").into());
    }
    let proof = generate_verification_record(engine.entropy());
    let batch =
        organization_guard(access).with_statement(domains::add_domain(organization, &name, &proof, now));
    let event = access.event(engine, EventKind::DomainAdded).with_subject("domain", &name);
    commit_change(engine, access, &name, access.record(batch, &event)?).await
}

/// Lists the domains by name.
pub async fn list(
    engine: &Engine,
    access: &OrganizationAccess,
    after: Option<&OrganizationDomain>,
    limit: u32,
) -> Result<Vec<DomainRow>, Error> {
    access.require_read_permission(MANAGE_PERMISSION)?;
    access.record_read_by_non_member(engine, "domains").await?;
    Ok(domains::list_domains(engine.store(), access.organization.id, after, limit).await?)
}

/// Shows a domain.
pub async fn show(
    engine: &Engine,
    access: &OrganizationAccess,
    name: &OrganizationDomain,
) -> Result<DomainRow, Error> {
    access.require_read_permission(MANAGE_PERMISSION)?;
    access.record_read_by_non_member(engine, "domains").await?;
    find_domain(engine, access, name).await
}

/// Looks up the record of a domain and verifies it, unless another organization has verified it and still
/// publishes its record.
pub async fn verify(
    engine: &Engine,
    access: &OrganizationAccess,
    name: &OrganizationDomain,
) -> Result<DomainRow, Error> {
    let domain = find_manageable(engine, access, name).await?;
    let record_check = check_record(engine, &domain).await;
    let now = engine.now();
    match (record_check, domain.verified_at) {
        (DomainRecordCheck::NoResponse, _) => {
            Err(Refusal::because(OrganizationRefusal::DnsUnavailable, "no answer").into())
        }
        (DomainRecordCheck::Missing, _) => {
            Err(Refusal::because(OrganizationRefusal::DomainRecordNotFound, "the record was not found")
                .into())
        }
        (DomainRecordCheck::Present, Some(_)) => {
            let Some(DomainVerification::Retained(verified_domain)) =
                domain.verified_domain().map(|it| it.apply_check(record_check, now))
            else {
                return Err(Failure::Contended.into());
            };
            let batch = organization_guard(access).with_statement(domains::record_domain_check(
                &domain,
                verified_domain,
                now,
            ));
            commit_change(engine, access, name, batch).await
        }
        (DomainRecordCheck::Present, None) => {
            if domains::find_domain_owner(engine.store(), name.as_str(), now).await?.is_some() {
                return Err(domain_taken().into());
            }
            let event = access.event(engine, EventKind::DomainVerified).with_subject("domain", name);
            let batch = access.record(
                organization_guard(access).with_statement(domains::mark_domain_verified(&domain, now)),
                &event,
            )?;
            match engine.store().commit(batch).await? {
                BatchOutcome::Committed(_) => find_domain(engine, access, name).await,
                BatchOutcome::Conflict(conflict) if organizations::is_lock_conflict(&conflict) => {
                    Err(organization_suspended().into())
                }
                // A suspended organization keeps its verified domains, and another request may have been
                // first.
                BatchOutcome::Conflict(_) => Err(domain_taken().into()),
            }
        }
    }
}

/// Removes a domain. The organization can no longer assert addresses in it.
pub async fn remove(
    engine: &Engine,
    access: &OrganizationAccess,
    name: &OrganizationDomain,
) -> Result<(), Error> {
    let domain = find_manageable(engine, access, name).await?;
    let event = access.event(engine, EventKind::DomainRemoved).with_subject("domain", name);
    let batch =
        access.record(organization_guard(access).with_statement(domains::remove_domain(&domain)), &event)?;
    match engine.store().commit(batch).await? {
        BatchOutcome::Committed(_) => Ok(()),
        BatchOutcome::Conflict(conflict) if organizations::is_lock_conflict(&conflict) => {
            Err(organization_suspended().into())
        }
        BatchOutcome::Conflict(_) => Err(precondition_failed().into()),
    }
}

/// Whether the address is in a verified domain of the organization.
pub(crate) async fn is_verified_address(
    engine: &Engine,
    organization: OrganizationId,
    address: &EmailAddress,
) -> Result<bool, Failure> {
    let owner = domains::find_domain_owner(engine.store(), address.domain(), engine.now()).await?;
    Ok(owner == Some(organization))
}

/// Re-checks the verified domains that were not checked for a day. A record missing for too long loses the
/// domain.
pub async fn recheck_verified_domains(engine: &Engine) -> Result<DomainCheckTally, Failure> {
    let before = engine.now().minus(DOMAIN_CHECK_INTERVAL);
    let mut looked = DomainCheckTally::default();
    for domain in domains::list_domains_to_check(engine.store(), before, DOMAIN_CHECK_BATCH_MAX).await? {
        let Some(verified_domain) = domain.verified_domain() else { continue };
        let record_check = check_record(engine, &domain).await;
        let now = engine.now();
        let event = |kind| {
            let event = SecurityEvent::new(kind, SecurityEventActor::System, now, engine.entropy());
            event.with_organization(domain.organization).with_subject("domain", &domain.name)
        };
        let batch = match verified_domain.apply_check(record_check, now) {
            DomainVerification::Lost => {
                looked.lost += 1;
                let batch = WriteBatch::new().with_statement(domains::mark_domain_lost(&domain, now));
                with_audit_log_event(batch, &event(EventKind::DomainLost), domain.organization, "")?
            }
            DomainVerification::Retained(verification) => {
                match record_check {
                    DomainRecordCheck::Present => looked.verified += 1,
                    DomainRecordCheck::Missing => looked.missing += 1,
                    DomainRecordCheck::NoResponse => looked.unreachable += 1,
                }
                let batch = WriteBatch::new().with_statement(domains::record_domain_check(
                    &domain,
                    verification,
                    now,
                ));
                if verification.missing_since.is_some() && verified_domain.missing_since.is_none() {
                    with_audit_log_event(batch, &event(EventKind::DomainMissing), domain.organization, "")?
                } else {
                    batch
                }
            }
        };
        // A concurrent change takes precedence; the domain is checked again later.
        let _ = engine.store().commit(batch).await?;
    }
    Ok(looked)
}

/// Looks up the record of a domain.
async fn check_record(engine: &Engine, domain: &DomainRow) -> DomainRecordCheck {
    match engine.dns_resolver().lookup_txt(&domain.name.record_name()).await {
        Ok(records) => DomainRecordCheck::from_records(&records, &domain.proof),
        Err(unanswered) => {
            tracing::debug!(reason = unanswered.reason(), "the record of a domain could not be looked up");
            DomainRecordCheck::NoResponse
        }
    }
}

/// A write batch with the guard that the organization is enabled.
fn organization_guard(access: &OrganizationAccess) -> WriteBatch {
    WriteBatch::new()
        .with_statement(organizations::lock_organization_row(access.organization.id, access.now()))
}

async fn commit_change(
    engine: &Engine,
    access: &OrganizationAccess,
    name: &OrganizationDomain,
    batch: WriteBatch,
) -> Result<DomainRow, Error> {
    match engine.store().commit(batch).await? {
        BatchOutcome::Committed(_) => find_domain(engine, access, name).await,
        BatchOutcome::Conflict(conflict) if organizations::is_lock_conflict(&conflict) => {
            Err(organization_suspended().into())
        }
        BatchOutcome::Conflict(_) => Err(precondition_failed().into()),
    }
}

async fn find_manageable(
    engine: &Engine,
    access: &OrganizationAccess,
    name: &OrganizationDomain,
) -> Result<DomainRow, Error> {
    access.require_change_permission(MANAGE_PERMISSION)?;
    find_domain(engine, access, name).await
}

async fn find_domain(
    engine: &Engine,
    access: &OrganizationAccess,
    name: &OrganizationDomain,
) -> Result<DomainRow, Error> {
    let domain = domains::find_domain(engine.store(), access.organization.id, name).await?;
    Ok(domain
        .ok_or_else(|| Refusal::because(RequestRefusal::NotFound, "no such domain of this organization"))?)
}

/// The refusal does not say which organization has the domain.
fn domain_taken() -> Refusal {
    Refusal::because(OrganizationRefusal::DomainOfAnotherOrganization, "the domain of another organization")
}

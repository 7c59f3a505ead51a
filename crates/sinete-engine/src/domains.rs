//! Domains that an organization proves to be its own by a record in the DNS. While one is proven, the organization
//! vouches for the addresses in it.

use crate::acting::{OrganizationAccess, in_trail, suspended};
use crate::organizations::outrun;
use crate::{Engine, Failure};
use sinete_core::fault::ValidationErrors;
use sinete_core::id::OrganizationId;
use sinete_core::limits::{DOMAIN_LOOK_EVERY, DOMAINS_LOOKED_AT_MAX, DOMAINS_MAX};
use sinete_core::people::address::EmailAddress;
use sinete_core::people::domain::{
    DomainRecordCheck, DomainVerification, OrganizationDomain as Name, new_proof,
};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::security::event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_store::{WriteBatch, domains, organizations};

pub use sinete_store::domains::DomainRow;

const MANAGE: &str = "domains:manage";

/// What became of looking at the records of proven domains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DomainCheckTally {
    /// How many were seen.
    pub seen: u32,
    /// How many are missing, and not for long enough.
    pub missing: u32,
    /// How many got no answer.
    pub unanswered: u32,
    /// How many are lost.
    pub lost: u32,
}

/// Adds a domain, with the record that proves it once it is published.
pub async fn add(
    engine: &Engine,
    acting: &OrganizationAccess,
    name: &str,
) -> Result<Result<DomainRow, Refusal>, Failure> {
    if let Err(refusal) = acting.may_change(MANAGE) {
        return Ok(Err(refusal));
    }
    let mut faults = ValidationErrors::default();
    let Some(name) = faults.read::<Name>("/domain", name) else { return Ok(Err(Refusal::unfit(faults))) };
    let (organization, now) = (acting.organization.id, acting.now());
    if domains::find(engine.store(), organization, &name).await?.is_some() {
        let public = "the domain was added before";
        return Ok(Err(Refusal::new(RefusalCode::Conflict, public, "a domain that is there already")));
    }
    if domains::count(engine.store(), organization).await? >= DOMAINS_MAX {
        let public = "an organization has at most 50 domains: remove one first";
        return Ok(Err(Refusal::new(RefusalCode::Conflict, public, "too many domains")));
    }
    let proof = new_proof(engine.entropy());
    let act = held(acting).with(domains::add(organization, &name, &proof, now));
    let event = acting.event(engine, EventKind::DomainAdded).about("domain", &name);
    done(engine, acting, &name, acting.record(act, &event)?).await
}

/// A page of the domains, in the order of their names.
pub async fn list(
    engine: &Engine,
    acting: &OrganizationAccess,
    after: Option<&Name>,
    most: u32,
) -> Result<Result<Vec<DomainRow>, Refusal>, Failure> {
    if let Err(refusal) = acting.may_look(MANAGE) {
        return Ok(Err(refusal));
    }
    acting.note_look(engine, "domains").await?;
    Ok(Ok(domains::page(engine.store(), acting.organization.id, after, most).await?))
}

/// One domain.
pub async fn show(
    engine: &Engine,
    acting: &OrganizationAccess,
    name: &Name,
) -> Result<Result<DomainRow, Refusal>, Failure> {
    if let Err(refusal) = acting.may_look(MANAGE) {
        return Ok(Err(refusal));
    }
    acting.note_look(engine, "domains").await?;
    found(engine, acting, name).await
}

/// Looks for the record of a domain. Whoever published it has proven that the domain is theirs, unless another
/// organization has, and its record was not given up.
pub async fn verify(
    engine: &Engine,
    acting: &OrganizationAccess,
    name: &Name,
) -> Result<Result<DomainRow, Refusal>, Failure> {
    let domain = match managed(engine, acting, name).await? {
        Ok(domain) => domain,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let seen = look(engine, &domain).await;
    let now = engine.now();
    match (seen, domain.verified_at) {
        (DomainRecordCheck::Nothing, _) => {
            let public = "the DNS did not answer: try again in a while";
            Ok(Err(Refusal::new(RefusalCode::Conflict, public, "no answer")))
        }
        (DomainRecordCheck::NoProof, _) => {
            let public = "the record was not found: publish it as it is shown, and wait until it can be seen";
            Ok(Err(Refusal::new(RefusalCode::Conflict, public, "an answer without the proof")))
        }
        (DomainRecordCheck::Proof, Some(_)) => {
            let Some(DomainVerification::Kept(proven)) = domain.proven().map(|it| it.after(seen, now)) else {
                return Err(Failure::Contended);
            };
            let act = held(acting).with(domains::keep(&domain, proven, now));
            done(engine, acting, name, act).await
        }
        (DomainRecordCheck::Proof, None) => {
            if domains::owner(engine.store(), name.as_str(), now).await?.is_some() {
                return Ok(Err(held_by_another()));
            }
            let event = acting.event(engine, EventKind::DomainVerified).about("domain", name);
            let act = acting.record(held(acting).with(domains::verify(&domain, now)), &event)?;
            match engine.store().commit(act).await? {
                Ok(_) => found(engine, acting, name).await,
                Err(conflict) if organizations::was_not_held(&conflict) => Ok(Err(suspended())),
                // A suspended organization keeps what it proved, and somebody may have been first.
                Err(_) => Ok(Err(held_by_another())),
            }
        }
    }
}

/// Forgets a domain. From then on the organization vouches for nobody in it.
pub async fn remove(
    engine: &Engine,
    acting: &OrganizationAccess,
    name: &Name,
) -> Result<Result<(), Refusal>, Failure> {
    let domain = match managed(engine, acting, name).await? {
        Ok(domain) => domain,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let event = acting.event(engine, EventKind::DomainRemoved).about("domain", name);
    let act = acting.record(held(acting).with(domains::remove(&domain)), &event)?;
    match engine.store().commit(act).await? {
        Ok(_) => Ok(Ok(())),
        Err(conflict) if organizations::was_not_held(&conflict) => Ok(Err(suspended())),
        Err(_) => Ok(Err(outrun())),
    }
}

/// Whether a domain that the organization proved vouches for an address.
pub(crate) async fn vouches(
    engine: &Engine,
    organization: OrganizationId,
    address: &EmailAddress,
) -> Result<bool, Failure> {
    let owner = domains::owner(engine.store(), address.domain(), engine.now()).await?;
    Ok(owner == Some(organization))
}

/// Looks again for the records of proven domains that were not looked at for a day. What is gone for too long is lost.
pub async fn look_again(engine: &Engine) -> Result<DomainCheckTally, Failure> {
    let before = engine.now().minus(DOMAIN_LOOK_EVERY);
    let mut looked = DomainCheckTally::default();
    for domain in domains::waiting(engine.store(), before, DOMAINS_LOOKED_AT_MAX).await? {
        let Some(proven) = domain.proven() else { continue };
        let seen = look(engine, &domain).await;
        let now = engine.now();
        let event = |kind| {
            let event = SecurityEvent::new(kind, SecurityEventActor::System, now, engine.entropy());
            event.within(domain.organization).about("domain", &domain.name)
        };
        let act = match proven.after(seen, now) {
            DomainVerification::Lost => {
                looked.lost += 1;
                let act = WriteBatch::new().with(domains::lose(&domain, now));
                in_trail(act, &event(EventKind::DomainLost), domain.organization, "")?
            }
            DomainVerification::Kept(kept) => {
                match seen {
                    DomainRecordCheck::Proof => looked.seen += 1,
                    DomainRecordCheck::NoProof => looked.missing += 1,
                    DomainRecordCheck::Nothing => looked.unanswered += 1,
                }
                let act = WriteBatch::new().with(domains::keep(&domain, kept, now));
                if kept.missing_since.is_some() && proven.missing_since.is_none() {
                    in_trail(act, &event(EventKind::DomainMissing), domain.organization, "")?
                } else {
                    act
                }
            }
        };
        // Whoever changed it meanwhile knows better: it is looked at again in its turn.
        let _ = engine.store().commit(act).await?;
    }
    Ok(looked)
}

/// What the record of a domain says now.
async fn look(engine: &Engine, domain: &DomainRow) -> DomainRecordCheck {
    match engine.dns().texts(&domain.name.record_name()).await {
        Ok(texts) => DomainRecordCheck::among(&texts, &domain.proof),
        Err(unanswered) => {
            tracing::debug!(reason = unanswered.reason(), "the record of a domain could not be looked for");
            DomainRecordCheck::Nothing
        }
    }
}

/// An act that finds the organization enabled when it is committed.
fn held(acting: &OrganizationAccess) -> WriteBatch {
    WriteBatch::new().with(organizations::hold(acting.organization.id, acting.now()))
}

async fn done(
    engine: &Engine,
    acting: &OrganizationAccess,
    name: &Name,
    act: WriteBatch,
) -> Result<Result<DomainRow, Refusal>, Failure> {
    match engine.store().commit(act).await? {
        Ok(_) => found(engine, acting, name).await,
        Err(conflict) if organizations::was_not_held(&conflict) => Ok(Err(suspended())),
        Err(_) => Ok(Err(outrun())),
    }
}

async fn managed(
    engine: &Engine,
    acting: &OrganizationAccess,
    name: &Name,
) -> Result<Result<DomainRow, Refusal>, Failure> {
    match acting.may_change(MANAGE) {
        Ok(()) => found(engine, acting, name).await,
        Err(refusal) => Ok(Err(refusal)),
    }
}

async fn found(
    engine: &Engine,
    acting: &OrganizationAccess,
    name: &Name,
) -> Result<Result<DomainRow, Refusal>, Failure> {
    let found = domains::find(engine.store(), acting.organization.id, name).await?;
    Ok(found.ok_or_else(|| {
        Refusal::new(
            RefusalCode::NotFound,
            "there is no such thing here",
            "no such domain of this organization",
        )
    }))
}

/// Who it is stays untold.
fn held_by_another() -> Refusal {
    let public =
        "the domain is proven by another organization, until the record it published is gone for 3 days";
    Refusal::new(RefusalCode::Conflict, public, "the domain of another organization")
}

//! Which domains lead to a connection, and what a change to it makes of them: what was added and what was taken away, and
//! nothing else. A domain is led elsewhere by changing another connection, which this one's version knows nothing of.

use super::Shown;
use crate::acting::Acting;
use crate::{Engine, Failed};
use sinete_core::fault::Faults;
use sinete_core::people::domain::Domain;
use sinete_store::Step;
use sinete_store::connections::{self, Connection};

/// The steps that lead the domains as they are wanted, from where they were read to lead.
pub(super) async fn led(
    engine: &Engine,
    acting: &Acting,
    before: &Shown,
    wanted: &[Domain],
    faults: &mut Faults,
) -> Result<Vec<Step>, Failed> {
    let Connection { id, organization, .. } = before.connection;
    let gone = before.domains.iter().filter(|domain| !wanted.contains(domain));
    let mut steps: Vec<Step> = gone.map(|domain| connections::release(organization, domain, id)).collect();
    let mut new: Vec<&Domain> = wanted.iter().filter(|domain| !before.domains.contains(domain)).collect();
    new.sort_unstable();
    new.dedup();
    if new.is_empty() {
        return Ok(steps);
    }
    let all = connections::led(engine.store(), acting.organization.id).await?;
    for domain in new {
        match all.iter().find(|(name, _)| name == domain) {
            Some((_, from)) => steps.push(connections::take(organization, domain, id, *from)),
            None => {
                not_theirs(faults);
                break;
            }
        }
    }
    Ok(steps)
}

/// A domain that the organization does not have leads nowhere.
pub(super) fn not_theirs(faults: &mut Faults) {
    faults.add("/domains", "domains of the organization: add them first");
}

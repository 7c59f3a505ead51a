//! Which domains lead to a connection, and what a change to it makes of them: what was added and what was taken away, and
//! nothing else. A domain is led elsewhere by changing another connection, which this one's version knows nothing of.

use super::ConnectionOverview;
use crate::access_control::organization_access::OrganizationAccess;
use crate::{Engine, Failure};
use sinete_core::organizations::domains::OrganizationDomain;
use sinete_core::validation::ValidationErrors;
use sinete_store::GuardedStatement;
use sinete_store::identity_providers::connections;
use sinete_store::identity_providers::connections::ConnectionRow;

/// The steps that lead the domains as they are wanted, from where they were read to lead.
pub(super) async fn route_domains(
    engine: &Engine,
    acting: &OrganizationAccess,
    before: &ConnectionOverview,
    wanted: &[OrganizationDomain],
    faults: &mut ValidationErrors,
) -> Result<Vec<GuardedStatement>, Failure> {
    let ConnectionRow { id, organization, .. } = before.connection;
    let gone = before.domains.iter().filter(|domain| !wanted.contains(domain));
    let mut steps: Vec<GuardedStatement> =
        gone.map(|domain| connections::release_domain(organization, domain, id)).collect();
    let mut new: Vec<&OrganizationDomain> =
        wanted.iter().filter(|domain| !before.domains.contains(domain)).collect();
    new.sort_unstable();
    new.dedup();
    if new.is_empty() {
        return Ok(steps);
    }
    let all = connections::list_domain_assignments(engine.store(), acting.organization.id).await?;
    for domain in new {
        match all.iter().find(|(name, _)| name == domain) {
            Some((_, from)) => steps.push(connections::reassign_domain(organization, domain, id, *from)),
            None => {
                add_unowned_domain_fault(faults);
                break;
            }
        }
    }
    Ok(steps)
}

/// A domain that the organization does not have leads nowhere.
pub(super) fn add_unowned_domain_fault(faults: &mut ValidationErrors) {
    faults.add("/domains", "domains of the organization: add them first");
}

//! The domains routed to a connection. A change adds and removes only the difference, because a domain can be
//! routed elsewhere by changing another connection, which does not change this one's version.

use super::ConnectionOverview;
use crate::access_control::organization_access::OrganizationAccess;
use crate::{Engine, Failure};
use sinete_core::organizations::domains::OrganizationDomain;
use sinete_core::validation::ValidationErrors;
use sinete_store::GuardedStatement;
use sinete_store::identity_providers::connections;
use sinete_store::identity_providers::connections::ConnectionRow;

/// The statements that change the routing from the domains that were read to those submitted.
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

/// Adds the error for a domain that the organization does not have.
pub(super) fn add_unowned_domain_fault(faults: &mut ValidationErrors) {
    faults.add("/domains", "one of them is not a domain of the organization; add it first");
}

//! The domains routed to a connection. A change adds and removes only the difference, because a domain can be
//! routed elsewhere by changing another connection, which does not change this one's version.
//!
//! Every assignment is decided here: a disabled connection takes no domain from another one, because its users would
//! have no provider to sign in at (docs/contribute/decisions/0328-connections-disabled-take-no-domain.md).

use super::{ConnectionDraft, ConnectionOverview};
use crate::access_control::organization_access::OrganizationAccess;
use crate::{Engine, Error, Failure};
use sinete_core::id::{ConnectionId, OrganizationId};
use sinete_core::organizations::domains::OrganizationDomain;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::identity_providers::IdentityProviderRefusal;
use sinete_core::validation::ValidationErrors;
use sinete_store::GuardedStatement;
use sinete_store::identity_providers::connections;
use sinete_store::identity_providers::connections::ConnectionRow;

/// The statements that route the submitted domains to a new connection.
pub(super) async fn assign_new_domains(
    engine: &Engine,
    organization: OrganizationId,
    id: ConnectionId,
    is_enabled: bool,
    domains: &[OrganizationDomain],
) -> Result<Vec<GuardedStatement>, Error> {
    if is_enabled {
        let assign = |domain| connections::assign_domain(organization, domain, id);
        return Ok(domains.iter().map(assign).collect());
    }
    let all = connections::list_domain_assignments(engine.store(), organization).await?;
    let mut statements = Vec::new();
    for domain in sort_unique(domains.iter()) {
        match all.iter().find(|(name, _)| name == domain) {
            Some((_, None)) => {
                statements.push(connections::reassign_domain(organization, domain, id, None));
            }
            Some((_, Some(holder))) => {
                return Err(domain_in_use(engine, organization, domain, *holder).await?);
            }
            None => return Err(unowned_domain().into()),
        }
    }
    Ok(statements)
}

/// The statements that change the routing from the domains that were read to those submitted.
pub(super) async fn route_domains(
    engine: &Engine,
    access: &OrganizationAccess,
    before: &ConnectionOverview,
    draft: &ConnectionDraft,
    domains: &[OrganizationDomain],
    errors: &mut ValidationErrors,
) -> Result<Vec<GuardedStatement>, Error> {
    let ConnectionRow { id, organization, .. } = before.connection;
    let gone = before.domains.iter().filter(|domain| !domains.contains(domain));
    let mut steps: Vec<GuardedStatement> =
        gone.map(|domain| connections::release_domain(organization, domain, id)).collect();
    let new = sort_unique(domains.iter().filter(|domain| !before.domains.contains(domain)));
    if new.is_empty() {
        return Ok(steps);
    }
    let all = connections::list_domain_assignments(engine.store(), access.organization.id).await?;
    for domain in new {
        match all.iter().find(|(name, _)| name == domain) {
            Some((_, Some(holder))) if *holder != id && !draft.is_enabled => {
                return Err(domain_in_use(engine, organization, domain, *holder).await?);
            }
            Some((_, from)) => steps.push(connections::reassign_domain(organization, domain, id, *from)),
            None => {
                add_unowned_domain_fault(errors);
                break;
            }
        }
    }
    Ok(steps)
}

fn sort_unique<'a>(domains: impl Iterator<Item = &'a OrganizationDomain>) -> Vec<&'a OrganizationDomain> {
    let mut domains: Vec<_> = domains.collect();
    domains.sort_unstable();
    domains.dedup();
    domains
}

/// The refusal that names the connection which has the domain.
async fn domain_in_use(
    engine: &Engine,
    organization: OrganizationId,
    domain: &OrganizationDomain,
    holder: ConnectionId,
) -> Result<Error, Failure> {
    let connection = connections::find_connection(engine.store(), organization, holder).await?;
    let refusal = Refusal::because(IdentityProviderRefusal::ConnectionDomainInUse, "the domain is in use");
    let Some(connection) = connection else { return Ok(refusal.into()) };
    // The public text is ASCII without quotes; a name that is not is replaced by the id.
    let is_plain = |c: char| matches!(c, ' '..='~') && c != '"' && c != '\\';
    let name = Some(connection.settings.name).filter(|name| name.chars().all(is_plain));
    let name = name.unwrap_or_else(|| holder.to_string());
    let text = format!(
        "The domain {domain} belongs to the connection {name}, and a disabled connection takes none from it. \
         Remove the domain there first, or enable this connection without it and add it then."
    );
    Ok(refusal.with_subject(holder).with_public_text(text).into())
}

fn unowned_domain() -> Refusal {
    let mut errors = ValidationErrors::default();
    add_unowned_domain_fault(&mut errors);
    Refusal::from_validation_errors(errors)
}

/// Adds the error for a domain that the organization does not have.
pub(super) fn add_unowned_domain_fault(errors: &mut ValidationErrors) {
    errors.add("/domains", "one of them is not a domain of the organization; add it first");
}

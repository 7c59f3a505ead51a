//! Whether an API may have its identifier: decision 0228.

use crate::access_control::admin_scope::AdminScope;
use crate::{Engine, Failure};
use sinete_core::id::OrganizationId;
use sinete_core::organizations::api_catalog::ApiIdentifier;
use sinete_core::organizations::api_catalog::ownership::IdentifierOwner;
use sinete_core::organizations::domains::OrganizationDomain;
use sinete_core::refusal::Refusal;
use sinete_core::time::Timestamp;
use sinete_core::validation::ValidationErrors;
use sinete_store::organizations::domains;

/// How many domains above a host are looked at, the host included. A name has no more labels than that in practice.
const DOMAIN_LABELS_MAX: usize = 16;

/// Whether whoever manages an API may call it by this identifier: an organization names only hosts of domains that it has
/// proven, operators everything but the issuer.
pub(super) async fn require_identifier_ownership(
    engine: &Engine,
    managing: AdminScope<'_>,
    identifier: &ApiIdentifier,
) -> Result<Result<(), Refusal>, Failure> {
    let organization = managing.owning_organization().filter(|_| !managing.is_command_line());
    let refused =
        match (IdentifierOwner::from_identifier(identifier, &engine.settings().issuer), organization) {
            (IdentifierOwner::Service, _) => Some("the issuer is this service itself, not an API"),
            (IdentifierOwner::Operators | IdentifierOwner::Domains(_), None) => None,
            (IdentifierOwner::Operators, Some(_)) => {
                Some("only operators can add an API with this identifier")
            }
            (IdentifierOwner::Domains(domains), Some(organization)) => {
                let is_own =
                    has_verified_closest_domain(engine, organization, &domains, managing.now()).await?;
                (!is_own).then_some("verify the domain of this host first, or ask an operator to add the API")
            }
        };
    Ok(refused.map_or(Ok(()), |text| {
        let mut faults = ValidationErrors::default();
        faults.add("/identifier", text);
        Err(Refusal::from_validation_errors(faults))
    }))
}

/// Whether the organization has proven the first of these domains that anybody has. Those that come first are closest.
async fn has_verified_closest_domain(
    engine: &Engine,
    organization: OrganizationId,
    above: &[String],
    now: Timestamp,
) -> Result<bool, Failure> {
    let names =
        above.iter().take(DOMAIN_LABELS_MAX).filter_map(|name| name.parse::<OrganizationDomain>().ok());
    for name in names {
        let own = domains::find_domain(engine.store(), organization, &name).await?;
        if own.is_some_and(|own| own.verified_at.is_some()) {
            return Ok(true);
        }
        if domains::find_domain_owner(engine.store(), name.as_str(), now).await?.is_some() {
            return Ok(false);
        }
    }
    Ok(false)
}

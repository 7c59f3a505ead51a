//! Ownership of API identifiers: decision 0228.

use crate::access_control::admin_scope::AdminScope;
use crate::{Engine, Error, Failure};
use sinete_core::id::OrganizationId;
use sinete_core::organizations::api_catalog::ApiIdentifier;
use sinete_core::organizations::api_catalog::ownership::ApiIdentifierOwner;
use sinete_core::organizations::domains::OrganizationDomain;
use sinete_core::refusal::Refusal;
use sinete_core::time::Timestamp;
use sinete_core::validation::ValidationErrors;
use sinete_store::organizations::domains;

/// Maximum domains that are checked, from the host upwards. Names have fewer labels in practice.
const DOMAIN_LABELS_MAX: usize = 16;

/// Requires that the caller may use this identifier: an organization only hosts in its verified domains,
/// operators everything except the issuer.
pub(super) async fn require_identifier_ownership(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    identifier: &ApiIdentifier,
) -> Result<(), Error> {
    let organization = admin_scope.owning_organization().filter(|_| !admin_scope.is_command_line());
    let refused =
        match (ApiIdentifierOwner::from_identifier(identifier, &engine.settings().issuer), organization) {
            (ApiIdentifierOwner::Service, _) => Some("the issuer is this service itself, not an API"),
            (ApiIdentifierOwner::Operators | ApiIdentifierOwner::Domains(_), None) => None,
            (ApiIdentifierOwner::Operators, Some(_)) => {
                Some("only operators can add an API with this identifier")
            }
            (ApiIdentifierOwner::Domains(domains), Some(organization)) => {
                let is_own =
                    has_verified_closest_domain(engine, organization, &domains, admin_scope.now()).await?;
                (!is_own).then_some("verify the domain of this host first, or ask an operator to add the API")
            }
        };
    Ok(refused.map_or(Ok(()), |text| {
        let mut errors = ValidationErrors::default();
        errors.add("/identifier", text);
        Err(Refusal::from_validation_errors(errors))
    })?)
}

/// Whether the organization verified the first of these domains that is verified at all. The closest domain
/// comes first.
async fn has_verified_closest_domain(
    engine: &Engine,
    organization: OrganizationId,
    above: &[String],
    now: Timestamp,
) -> Result<bool, Failure> {
    let names =
        above.iter().take(DOMAIN_LABELS_MAX).filter_map(|name| name.parse::<OrganizationDomain>().ok());
    for name in names {
        let domain = domains::find_domain(engine.store(), organization, &name).await?;
        if domain.is_some_and(|domain| domain.verified_at.is_some()) {
            return Ok(true);
        }
        if domains::find_domain_owner(engine.store(), name.as_str(), now).await?.is_some() {
            return Ok(false);
        }
    }
    Ok(false)
}

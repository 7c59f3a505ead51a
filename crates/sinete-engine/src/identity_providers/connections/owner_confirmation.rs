//! Owner confirmation: an administrator who controls a trusted identity provider could sign in as any member.
//! Every creation and change of a connection is checked here, for OpenID Connect and SAML.

use super::{ConnectionDraft, ConnectionOverview};
use crate::access_control::organization_access::OrganizationAccess;
use sinete_core::identity_providers::owner_confirmation::{
    ConnectionSettingsSnapshot, OwnerConfirmation, decide_confirmation,
};
use sinete_core::organizations::domains::OrganizationDomain;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::identity_providers::IdentityProviderRefusal;

/// Checks whether the caller may make this change, and returns whether the connection is owner-confirmed
/// afterwards.
pub(super) fn require_owner(
    acting: &OrganizationAccess,
    before: Option<&ConnectionOverview>,
    wanted: &ConnectionDraft,
) -> Result<OwnerConfirmation, Refusal> {
    // Invalid domains are ignored here and reported later.
    let domains: Vec<OrganizationDomain> =
        wanted.domains.iter().filter_map(|name| name.parse().ok()).collect();
    let after = ConnectionSettingsSnapshot {
        settings: &wanted.chosen,
        domains: &domains,
        is_enabled: wanted.is_enabled,
    };
    let before = before.map(|ConnectionOverview { connection, domains }| {
        let state = ConnectionSettingsSnapshot {
            settings: &connection.chosen,
            domains,
            is_enabled: connection.is_enabled,
        };
        (state, connection.confirmation)
    });
    decide_confirmation(acting.is_owner, before, after)
        .map_err(|why| Refusal::because(IdentityProviderRefusal::ConnectionNeedsOwner, why.to_string()))
}

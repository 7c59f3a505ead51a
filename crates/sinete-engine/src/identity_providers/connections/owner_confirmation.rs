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
    access: &OrganizationAccess,
    before: Option<&ConnectionOverview>,
    draft: &ConnectionDraft,
) -> Result<OwnerConfirmation, Refusal> {
    // Invalid domains are ignored here and reported later.
    let domains: Vec<OrganizationDomain> =
        draft.domains.iter().filter_map(|name| name.parse().ok()).collect();
    let after = ConnectionSettingsSnapshot {
        settings: &draft.settings,
        domains: &domains,
        is_enabled: draft.is_enabled,
    };
    let before = before.map(|ConnectionOverview { connection, domains }| {
        let state = ConnectionSettingsSnapshot {
            settings: &connection.settings,
            domains,
            is_enabled: connection.is_enabled,
        };
        (state, connection.confirmation)
    });
    decide_confirmation(access.is_owner, before, after).map_err(|confirmation_required| {
        Refusal::because(IdentityProviderRefusal::ConnectionNeedsOwner, confirmation_required.to_string())
    })
}

//! Which changes to a connection require an owner, for OpenID Connect and SAML alike.
//!
//! The provider, its keys, the claim that identifies a provisioned membership, the values that count as two
//! factors and the routed domains decide who is signed in as whom, including owners. Therefore only owners
//! may set them (docs/contribute/decisions/0221-identity-providers-owners-decide-trust-settings.md). `sso:manage` alone
//! allows renaming a connection, replacing its secret, narrowing it, and enabling it again after an owner
//! confirmed it.

use super::connections::ConnectionSettings;
use crate::organizations::domains::OrganizationDomain;

/// Whether an owner confirmed the settings of a connection. Provisioned memberships are claimed only through
/// confirmed connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnerConfirmation {
    /// An owner created or last saved it.
    Confirmed,
    /// No owner did, or an owner disabled it.
    Missing,
}

/// The relevant state of a connection, before or after a change.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionSettingsSnapshot<'a> {
    /// The connection's settings.
    pub settings: &'a ConnectionSettings,
    /// The domains routed to it.
    pub domains: &'a [OrganizationDomain],
    /// Whether it is used for sign-in.
    pub is_enabled: bool,
}

/// The change requires an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an owner is required to connect an identity provider or change its trust settings")]
pub struct OwnerConfirmationRequired;

/// Decides whether the change is allowed, and whether the connection is owner-confirmed afterwards.
pub fn decide_confirmation(
    is_owner: bool,
    before: Option<(ConnectionSettingsSnapshot<'_>, OwnerConfirmation)>,
    after: ConnectionSettingsSnapshot<'_>,
) -> Result<OwnerConfirmation, OwnerConfirmationRequired> {
    let Some((before, confirmation)) = before else {
        return if is_owner { Ok(OwnerConfirmation::Confirmed) } else { Err(OwnerConfirmationRequired) };
    };
    let is_widened = !is_same_trust(before.settings, after.settings)
        || after.domains.iter().any(|domain| !before.domains.contains(domain));
    let (is_switched_on, is_switched_off) =
        (after.is_enabled && !before.is_enabled, before.is_enabled && !after.is_enabled);
    if !is_owner {
        // A connection that an owner disabled cannot be enabled by an administrator who is not an owner.
        let needs_owner = is_widened || (is_switched_on && confirmation == OwnerConfirmation::Missing);
        return if needs_owner { Err(OwnerConfirmationRequired) } else { Ok(confirmation) };
    }
    if is_switched_off {
        return Ok(OwnerConfirmation::Missing);
    }
    Ok(if is_widened || after.is_enabled { OwnerConfirmation::Confirmed } else { confirmation })
}

/// Whether both trust the same provider for the same purposes: all settings except the display name.
fn is_same_trust(before: &ConnectionSettings, after: &ConnectionSettings) -> bool {
    let ConnectionSettings { name: _, two_factors, external_id_claim, protocol } = before;
    *two_factors == after.two_factors
        && *external_id_claim == after.external_id_claim
        && *protocol == after.protocol
}

#[cfg(test)]
mod tests {
    use super::OwnerConfirmation::{Confirmed, Missing};
    use super::*;
    use crate::identity_providers::connections::{
        ConnectionProtocol, OidcConnectionSettings, ProviderAuthMethod, TwoFactorMapping,
    };
    use crate::identity_providers::saml::settings::SamlConnectionSettings;

    fn open_id() -> ConnectionSettings {
        let open_id = OidcConnectionSettings {
            client_id: "sinete".into(),
            authentication: ProviderAuthMethod::ClientSecret,
            scopes: vec!["openid".into()],
        };
        ConnectionSettings {
            name: "Acme".into(),
            two_factors: TwoFactorMapping::default(),
            external_id_claim: None,
            protocol: ConnectionProtocol::OpenId(open_id),
        }
    }

    fn saml() -> ConnectionSettings {
        ConnectionSettings { protocol: ConnectionProtocol::Saml(Box::default()), ..open_id() }
    }

    fn state<'a>(
        settings: &'a ConnectionSettings,
        domains: &'a [OrganizationDomain],
        is_enabled: bool,
    ) -> ConnectionSettingsSnapshot<'a> {
        ConnectionSettingsSnapshot { settings, domains, is_enabled }
    }

    /// All variants of the settings that differ in what is trusted.
    fn decisive(settings: &ConnectionSettings) -> Vec<ConnectionSettings> {
        let two = TwoFactorMapping { amr: ["pwd".to_owned()].into(), ..TwoFactorMapping::default() };
        let mut others = vec![
            ConnectionSettings { two_factors: two, ..settings.clone() },
            ConnectionSettings { external_id_claim: Some("sub".into()), ..settings.clone() },
        ];
        match &settings.protocol {
            ConnectionProtocol::OpenId(set) => {
                let other = |set: OidcConnectionSettings| ConnectionSettings {
                    protocol: ConnectionProtocol::OpenId(set),
                    ..settings.clone()
                };
                others.push(other(OidcConnectionSettings { client_id: "mine".into(), ..set.clone() }));
                others.push(other(OidcConnectionSettings {
                    scopes: vec!["openid".into(), "x".into()],
                    ..set.clone()
                }));
                others.push(other(OidcConnectionSettings {
                    authentication: ProviderAuthMethod::PrivateKey,
                    ..set.clone()
                }));
            }
            ConnectionProtocol::Saml(set) => {
                let other = |set: SamlConnectionSettings| ConnectionSettings {
                    protocol: ConnectionProtocol::Saml(Box::new(set)),
                    ..settings.clone()
                };
                others.push(other(SamlConnectionSettings {
                    certificates: vec!["mine".into()],
                    ..(**set).clone()
                }));
                others.push(other(SamlConnectionSettings { subject: "uid".into(), ..(**set).clone() }));
                others.push(other(SamlConnectionSettings {
                    sso_url: "https://mine.example".into(),
                    ..(**set).clone()
                }));
            }
        }
        others
    }

    #[test]
    fn connection_creation_and_trust_changes_need_an_owner_for_oidc_and_saml() {
        let domains: [OrganizationDomain; 1] = ["acme.example".parse().unwrap()];
        for settings in [open_id(), saml()] {
            for is_enabled in [true, false] {
                let after = state(&settings, &[], is_enabled);
                assert_eq!(decide_confirmation(false, None, after), Err(OwnerConfirmationRequired));
                assert_eq!(decide_confirmation(true, None, after), Ok(Confirmed));
                let before = (after, Confirmed);
                for other in decisive(&settings) {
                    let changed = state(&other, &[], is_enabled);
                    assert_eq!(
                        decide_confirmation(false, Some(before), changed),
                        Err(OwnerConfirmationRequired),
                        "{other:?}"
                    );
                    assert_eq!(decide_confirmation(true, Some(before), changed), Ok(Confirmed));
                }
                let domain_state = state(&settings, &domains, is_enabled);
                assert_eq!(
                    decide_confirmation(false, Some(before), domain_state),
                    Err(OwnerConfirmationRequired),
                    "a domain leads there"
                );
                assert_eq!(
                    decide_confirmation(false, Some((domain_state, Confirmed)), after),
                    Ok(Confirmed),
                    "and no more"
                );
            }
        }
    }

    #[test]
    fn connection_rename_and_disable_need_no_owner_and_enable_only_if_confirmed() {
        for settings in [open_id(), saml()] {
            let renamed = ConnectionSettings { name: "Other".into(), ..settings.clone() };
            let (on, off) = (state(&settings, &[], true), state(&renamed, &[], false));
            for confirmation in [Confirmed, Missing] {
                assert_eq!(decide_confirmation(false, Some((on, confirmation)), off), Ok(confirmation));
            }
            assert_eq!(decide_confirmation(false, Some((off, Confirmed)), on), Ok(Confirmed));
            assert_eq!(decide_confirmation(false, Some((off, Missing)), on), Err(OwnerConfirmationRequired));
        }
    }

    #[test]
    fn connection_disabled_by_an_owner_loses_its_confirmation_and_saved_regains_it() {
        let (settings, renamed) = (open_id(), ConnectionSettings { name: "Other".into(), ..open_id() });
        let (on, off) = (state(&settings, &[], true), state(&settings, &[], false));
        assert_eq!(decide_confirmation(true, Some((on, Confirmed)), off), Ok(Missing));
        assert_eq!(decide_confirmation(true, Some((off, Missing)), on), Ok(Confirmed));
        assert_eq!(decide_confirmation(true, Some((on, Missing)), on), Ok(Confirmed), "nothing but saved");
        let renamed = state(&renamed, &[], false);
        assert_eq!(
            decide_confirmation(true, Some((off, Missing)), renamed),
            Ok(Missing),
            "a name confirms nothing"
        );
    }
}

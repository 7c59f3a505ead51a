//! Who may decide by whose word members are signed in: one rule for OpenID Connect and SAML.
//!
//! The provider, its keys, the claim that finds a provisioned membership, what counts as two factors and the domains that lead
//! there decide who is signed in as whom, owners included. So they are for owners to choose
//! (docs/contribute/decisions/0221-identity-providers-owners-decide-trust-settings.md). `sso:manage` alone renames a connection, replaces
//! its secret, narrows it, and switches on again what an owner confirmed.

use super::connections::ConnectionSettings;
use crate::organizations::domains::OrganizationDomain;

/// Whether an owner stands behind what is set about a connection. Only through one that is confirmed are provisioned
/// memberships claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnerConfirmation {
    /// An owner set it up, or has saved it since.
    Confirmed,
    /// No owner did, or an owner switched it off.
    Missing,
}

/// What decides about a connection, before or after a change.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionState<'a> {
    /// What is chosen about the provider.
    pub settings: &'a ConnectionSettings,
    /// The domains that lead there.
    pub domains: &'a [OrganizationDomain],
    /// Whether people are sent there.
    pub is_enabled: bool,
}

/// The change takes an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an owner is required to connect an identity provider or change its trust settings")]
pub struct OwnerConfirmationRequired;

/// Whether the connection may become this, and whether an owner stands behind it then.
pub fn decide_confirmation(
    is_owner: bool,
    before: Option<(ConnectionState<'_>, OwnerConfirmation)>,
    after: ConnectionState<'_>,
) -> Result<OwnerConfirmation, OwnerConfirmationRequired> {
    let Some((before, confirmation)) = before else {
        return if is_owner { Ok(OwnerConfirmation::Confirmed) } else { Err(OwnerConfirmationRequired) };
    };
    let is_widened = !is_same_trust(before.settings, after.settings)
        || after.domains.iter().any(|domain| !before.domains.contains(domain));
    let (is_switched_on, is_switched_off) =
        (after.is_enabled && !before.is_enabled, before.is_enabled && !after.is_enabled);
    if !is_owner {
        // What an owner switched off is not switched on again by somebody who holds less.
        let needs_owner = is_widened || (is_switched_on && confirmation == OwnerConfirmation::Missing);
        return if needs_owner { Err(OwnerConfirmationRequired) } else { Ok(confirmation) };
    }
    if is_switched_off {
        return Ok(OwnerConfirmation::Missing);
    }
    Ok(if is_widened || after.is_enabled { OwnerConfirmation::Confirmed } else { confirmation })
}

/// Whether both say the same about whose word counts and for what: everything but the name that people read.
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
        chosen: &'a ConnectionSettings,
        domains: &'a [OrganizationDomain],
        is_enabled: bool,
    ) -> ConnectionState<'a> {
        ConnectionState { settings: chosen, domains, is_enabled }
    }

    /// Every other way in which the connection could be set that decides whose word counts, or for what.
    fn decisive(chosen: &ConnectionSettings) -> Vec<ConnectionSettings> {
        let two = TwoFactorMapping { amr: ["pwd".to_owned()].into(), ..TwoFactorMapping::default() };
        let mut others = vec![
            ConnectionSettings { two_factors: two, ..chosen.clone() },
            ConnectionSettings { external_id_claim: Some("sub".into()), ..chosen.clone() },
        ];
        match &chosen.protocol {
            ConnectionProtocol::OpenId(set) => {
                let other = |set: OidcConnectionSettings| ConnectionSettings {
                    protocol: ConnectionProtocol::OpenId(set),
                    ..chosen.clone()
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
                    ..chosen.clone()
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
        for chosen in [open_id(), saml()] {
            for is_enabled in [true, false] {
                let after = state(&chosen, &[], is_enabled);
                assert_eq!(decide_confirmation(false, None, after), Err(OwnerConfirmationRequired));
                assert_eq!(decide_confirmation(true, None, after), Ok(Confirmed));
                let before = (after, Confirmed);
                for other in decisive(&chosen) {
                    let changed = state(&other, &[], is_enabled);
                    assert_eq!(
                        decide_confirmation(false, Some(before), changed),
                        Err(OwnerConfirmationRequired),
                        "{other:?}"
                    );
                    assert_eq!(decide_confirmation(true, Some(before), changed), Ok(Confirmed));
                }
                let led = state(&chosen, &domains, is_enabled);
                assert_eq!(
                    decide_confirmation(false, Some(before), led),
                    Err(OwnerConfirmationRequired),
                    "a domain leads there"
                );
                assert_eq!(
                    decide_confirmation(false, Some((led, Confirmed)), after),
                    Ok(Confirmed),
                    "and no more"
                );
            }
        }
    }

    #[test]
    fn connection_rename_and_disable_need_no_owner_and_enable_only_if_confirmed() {
        for chosen in [open_id(), saml()] {
            let renamed = ConnectionSettings { name: "Other".into(), ..chosen.clone() };
            let (on, off) = (state(&chosen, &[], true), state(&renamed, &[], false));
            for confirmation in [Confirmed, Missing] {
                assert_eq!(decide_confirmation(false, Some((on, confirmation)), off), Ok(confirmation));
            }
            assert_eq!(decide_confirmation(false, Some((off, Confirmed)), on), Ok(Confirmed));
            assert_eq!(decide_confirmation(false, Some((off, Missing)), on), Err(OwnerConfirmationRequired));
        }
    }

    #[test]
    fn connection_disabled_by_an_owner_loses_its_confirmation_and_saved_regains_it() {
        let (chosen, renamed) = (open_id(), ConnectionSettings { name: "Other".into(), ..open_id() });
        let (on, off) = (state(&chosen, &[], true), state(&chosen, &[], false));
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

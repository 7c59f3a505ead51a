//! What a person can sign in with, and what they may give up of it.

use crate::assurance::{Assurance, Evidence, Proof};

/// Something a person has set up to sign in with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WayIn {
    /// A passkey.
    Passkey,
    /// A password.
    Password,
    /// An authenticator application, in use.
    Totp,
    /// A set of recovery codes.
    RecoveryCodes,
    /// A proven e-mail address.
    Mail,
    /// A provider of an organization that knows whose account this is.
    Provider,
}

impl WayIn {
    /// Whether somebody can begin to sign in with it: the others only follow.
    pub const fn is_first(self) -> bool {
        match self {
            Self::Passkey | Self::Password | Self::Mail | Self::Provider => true,
            Self::Totp | Self::RecoveryCodes => false,
        }
    }

    /// What it proves at its best; nothing where somebody else decides that.
    const fn proof(self) -> Option<Proof> {
        match self {
            Self::Passkey => Some(Proof::Passkey { user_verified: true, device_bound: true }),
            Self::Password => Some(Proof::Password),
            Self::Totp => Some(Proof::Totp),
            Self::RecoveryCodes => Some(Proof::RecoveryCode),
            Self::Mail => Some(Proof::EmailCode),
            Self::Provider => None,
        }
    }
}

/// The highest level that everything a person has set up adds up to.
pub fn reach(ways: &[WayIn]) -> Assurance {
    at_best(Evidence::default(), ways).assurance().unwrap_or_default()
}

/// What would be proven by somebody who has proven this and proves everything they have set up.
pub fn at_best(proven: Evidence, ways: &[WayIn]) -> Evidence {
    ways.iter().filter_map(|way| way.proof()).fold(proven, Evidence::and)
}

/// Whether somebody who keeps only these can still sign in.
pub fn are_enough(kept: &[WayIn]) -> bool {
    kept.iter().any(|way| way.is_first())
}

/// What of the proofs given in a session counts for what decides about the account itself. The provider of one
/// organization does not decide about an account that others rely on too, where its owner has set up something of their
/// own to begin with: a passkey, a password, whether or not it is switched off now, or a proven address.
pub fn counting(evidence: &Evidence, has_own: bool) -> Evidence {
    if has_own { evidence.own() } else { evidence.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_locks_themselves_out_with_what_only_follows() {
        use WayIn::*;
        for (kept, enough) in [
            (&[][..], false),
            (&[Totp], false),
            (&[RecoveryCodes, Totp], false),
            (&[Passkey], true),
            (&[Password, Totp], true),
            (&[Mail], true),
            (&[Provider], true),
        ] {
            assert_eq!(are_enough(kept), enough, "{kept:?}");
        }
    }

    #[test]
    fn a_provider_decides_about_an_account_only_where_its_owner_has_nothing_of_their_own() {
        use crate::id::OrganizationId;
        let organization = OrganizationId::from_bytes([1; 16]);
        let vouched = Evidence::of(Proof::SingleSignOn { assurance: Assurance::Two, organization });
        assert!(!counting(&vouched, false).is_empty());
        assert!(counting(&vouched, true).is_empty());
        let both = vouched.and(Proof::Password);
        assert_eq!(counting(&both, true), Evidence::of(Proof::Password));
    }

    #[test]
    fn a_person_reaches_what_their_best_proofs_add_up_to() {
        use WayIn::*;
        for (ways, level) in [
            (&[][..], Assurance::One),
            (&[Password], Assurance::One),
            (&[Mail, Totp], Assurance::One),
            (&[Password, Totp], Assurance::Two),
            (&[Password, RecoveryCodes], Assurance::Two),
            (&[Passkey], Assurance::Two),
        ] {
            assert_eq!(reach(ways), level, "{ways:?}");
        }
    }
}

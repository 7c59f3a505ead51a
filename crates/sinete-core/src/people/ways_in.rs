//! What a person can sign in with, and what they may give up of it.

use crate::assurance::{AssuranceLevel, AuthenticationEvidence, AuthenticationProof};

/// Something a person has set up to sign in with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignInMethod {
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

impl SignInMethod {
    /// Whether somebody can begin to sign in with it: the others only follow.
    pub const fn is_first(self) -> bool {
        match self {
            Self::Passkey | Self::Password | Self::Mail | Self::Provider => true,
            Self::Totp | Self::RecoveryCodes => false,
        }
    }

    /// What it proves at its best; nothing where somebody else decides that.
    const fn proof(self) -> Option<AuthenticationProof> {
        match self {
            Self::Passkey => Some(AuthenticationProof::Passkey { user_verified: true, device_bound: true }),
            Self::Password => Some(AuthenticationProof::Password),
            Self::Totp => Some(AuthenticationProof::Totp),
            Self::RecoveryCodes => Some(AuthenticationProof::RecoveryCode),
            Self::Mail => Some(AuthenticationProof::EmailCode),
            Self::Provider => None,
        }
    }
}

/// The highest level that everything a person has set up adds up to.
pub fn reach(ways: &[SignInMethod]) -> AssuranceLevel {
    at_best(AuthenticationEvidence::default(), ways).assurance().unwrap_or_default()
}

/// What would be proven by somebody who has proven this and proves everything they have set up.
pub fn at_best(proven: AuthenticationEvidence, ways: &[SignInMethod]) -> AuthenticationEvidence {
    ways.iter().filter_map(|way| way.proof()).fold(proven, AuthenticationEvidence::and)
}

/// Whether somebody who keeps only these can still sign in.
pub fn are_enough(kept: &[SignInMethod]) -> bool {
    kept.iter().any(|way| way.is_first())
}

/// What of the proofs given in a session counts for what decides about the account itself. The provider of one
/// organization does not decide about an account that others rely on too, where its owner has set up something of their
/// own to begin with: a passkey, a password, whether or not it is switched off now, or a proven address.
pub fn counting(evidence: &AuthenticationEvidence, has_own: bool) -> AuthenticationEvidence {
    if has_own { evidence.own() } else { evidence.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_locks_themselves_out_with_what_only_follows() {
        use SignInMethod::*;
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
        let vouched = AuthenticationEvidence::of(AuthenticationProof::SingleSignOn {
            assurance: AssuranceLevel::Two,
            organization,
        });
        assert!(!counting(&vouched, false).is_empty());
        assert!(counting(&vouched, true).is_empty());
        let both = vouched.and(AuthenticationProof::Password);
        assert_eq!(counting(&both, true), AuthenticationEvidence::of(AuthenticationProof::Password));
    }

    #[test]
    fn a_person_reaches_what_their_best_proofs_add_up_to() {
        use SignInMethod::*;
        for (ways, level) in [
            (&[][..], AssuranceLevel::One),
            (&[Password], AssuranceLevel::One),
            (&[Mail, Totp], AssuranceLevel::One),
            (&[Password, Totp], AssuranceLevel::Two),
            (&[Password, RecoveryCodes], AssuranceLevel::Two),
            (&[Passkey], AssuranceLevel::Two),
        ] {
            assert_eq!(reach(ways), level, "{ways:?}");
        }
    }
}

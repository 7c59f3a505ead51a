//! The sign-in methods of an account, and which may be removed.

use crate::assurance::{AssuranceLevel, AuthenticationEvidence, AuthenticationProof};

/// An enrolled sign-in method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignInMethod {
    /// A passkey.
    Passkey,
    /// A password.
    Password,
    /// An authenticator app, in use.
    Totp,
    /// A set of recovery codes.
    RecoveryCodes,
    /// A verified e-mail address.
    Email,
    /// A linked identity provider of an organization.
    Provider,
}

impl SignInMethod {
    /// Whether sign-in can start with it; the others are only second factors.
    pub const fn can_start_sign_in(self) -> bool {
        match self {
            Self::Passkey | Self::Password | Self::Email | Self::Provider => true,
            Self::Totp | Self::RecoveryCodes => false,
        }
    }

    /// The strongest proof it can give; `None` if an identity provider decides that.
    const fn proof(self) -> Option<AuthenticationProof> {
        match self {
            Self::Passkey => Some(AuthenticationProof::Passkey { user_verified: true, device_bound: true }),
            Self::Password => Some(AuthenticationProof::Password),
            Self::Totp => Some(AuthenticationProof::Totp),
            Self::RecoveryCodes => Some(AuthenticationProof::RecoveryCode),
            Self::Email => Some(AuthenticationProof::EmailCode),
            Self::Provider => None,
        }
    }
}

/// The highest level that all methods reach together.
pub fn max_assurance_level(sign_in_methods: &[SignInMethod]) -> AssuranceLevel {
    best_evidence(AuthenticationEvidence::default(), sign_in_methods).assurance_level().unwrap_or_default()
}

/// The evidence after adding a proof by every enrolled method.
pub fn best_evidence(
    authentication_evidence: AuthenticationEvidence,
    sign_in_methods: &[SignInMethod],
) -> AuthenticationEvidence {
    sign_in_methods
        .iter()
        .filter_map(|sign_in_method| sign_in_method.proof())
        .fold(authentication_evidence, AuthenticationEvidence::with_proof)
}

/// Whether these methods are enough to sign in.
pub fn allow_sign_in(sign_in_methods: &[SignInMethod]) -> bool {
    sign_in_methods.iter().any(|sign_in_method| sign_in_method.can_start_sign_in())
}

/// The session evidence that counts for changes to the account itself. One organization's identity provider
/// must not control an account that others rely on, if its owner has a sign-in method of their own: a
/// passkey, a password (even if disabled now) or a verified address.
pub fn filter_account_evidence(evidence: &AuthenticationEvidence, has_own: bool) -> AuthenticationEvidence {
    if has_own { evidence.exclude_identity_providers() } else { evidence.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sign_in_methods_of_second_factors_only_are_not_enough() {
        use SignInMethod::*;
        for (sign_in_methods, enough) in [
            (&[][..], false),
            (&[Totp], false),
            (&[RecoveryCodes, Totp], false),
            (&[Passkey], true),
            (&[Password, Totp], true),
            (&[Email], true),
            (&[Provider], true),
        ] {
            assert_eq!(allow_sign_in(sign_in_methods), enough, "{sign_in_methods:?}");
        }
    }

    #[test]
    fn identity_provider_evidence_authenticates_the_account_only_without_other_sign_in_methods() {
        use crate::id::OrganizationId;
        let organization = OrganizationId::from_bytes([1; 16]);
        let vouched = AuthenticationEvidence::from_proof(AuthenticationProof::SingleSignOn {
            assurance: AssuranceLevel::Two,
            organization,
        });
        assert!(!filter_account_evidence(&vouched, false).is_empty());
        assert!(filter_account_evidence(&vouched, true).is_empty());
        let both = vouched.with_proof(AuthenticationProof::Password);
        assert_eq!(
            filter_account_evidence(&both, true),
            AuthenticationEvidence::from_proof(AuthenticationProof::Password)
        );
    }

    #[test]
    fn sign_in_methods_reach_the_assurance_of_their_best_combination() {
        use SignInMethod::*;
        for (sign_in_methods, level) in [
            (&[][..], AssuranceLevel::One),
            (&[Password], AssuranceLevel::One),
            (&[Email, Totp], AssuranceLevel::One),
            (&[Password, Totp], AssuranceLevel::Two),
            (&[Password, RecoveryCodes], AssuranceLevel::Two),
            (&[Passkey], AssuranceLevel::Two),
        ] {
            assert_eq!(max_assurance_level(sign_in_methods), level, "{sign_in_methods:?}");
        }
    }
}

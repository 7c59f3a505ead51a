//! What a person can sign in with, what they may give up of it, and when they must first prove it again.

use crate::assurance::{Assurance, Evidence, Proof};
use crate::limits::SENSITIVE_AGE_MAX;
use crate::time::Timestamp;

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
}

impl WayIn {
    /// Whether somebody can begin to sign in with it: the others only follow.
    pub const fn is_first(self) -> bool {
        match self {
            Self::Passkey | Self::Password | Self::Mail => true,
            Self::Totp | Self::RecoveryCodes => false,
        }
    }

    /// What it proves at its best.
    const fn proof(self) -> Proof {
        match self {
            Self::Passkey => Proof::Passkey { user_verified: true, device_bound: true },
            Self::Password => Proof::Password,
            Self::Totp => Proof::Totp,
            Self::RecoveryCodes => Proof::RecoveryCode,
            Self::Mail => Proof::EmailCode,
        }
    }
}

/// The highest level that everything a person has set up adds up to.
pub fn reach(ways: &[WayIn]) -> Assurance {
    let evidence = ways.iter().map(|way| way.proof()).fold(Evidence::default(), Evidence::and);
    evidence.assurance().unwrap_or_default()
}

/// Whether somebody who keeps only these can still sign in.
pub fn are_enough(kept: &[WayIn]) -> bool {
    kept.iter().any(|way| way.is_first())
}

/// Whether what was proven in a session is good for something sensitive: proven a moment ago, and as much as the
/// person could prove.
pub fn is_fresh(authenticated_at: Timestamp, assurance: Assurance, reach: Assurance, now: Timestamp) -> bool {
    now.since(authenticated_at) <= SENSITIVE_AGE_MAX && assurance >= reach
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Lifetime;

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
        ] {
            assert_eq!(are_enough(kept), enough, "{kept:?}");
        }
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

    #[test]
    fn what_is_sensitive_needs_a_fresh_proof_of_everything_one_could_prove() {
        let proven = Timestamp::from_seconds(1_000);
        let after = |seconds| proven.plus(Lifetime::from_seconds(seconds));
        assert!(is_fresh(proven, Assurance::One, Assurance::One, after(300)));
        assert!(!is_fresh(proven, Assurance::One, Assurance::One, after(301)));
        assert!(!is_fresh(proven, Assurance::One, Assurance::Two, after(0)));
        assert!(is_fresh(proven, Assurance::Two, Assurance::One, after(0)));
    }
}

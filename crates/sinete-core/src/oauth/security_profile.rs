//! How strictly a client is held to: as everybody is, or as FAPI 2.0 asks of those who move money or records of health.

use crate::platform::signing_keys::SigningAlgorithm;
use serde::{Deserialize, Serialize};

/// The profile a client is held to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecurityProfile {
    /// What holds for every client.
    #[default]
    Standard,
    /// The FAPI 2.0 Security Profile, beside that.
    Fapi2,
}

/// What becomes of a refresh token that is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshRotationPolicy {
    /// A successor takes its place, and using it again ends everything.
    Rotates,
    /// It stays what it is. Whoever else has it has neither the client's proof nor its certificate.
    Stays,
}

impl SecurityProfile {
    /// Every profile there is.
    pub const ALL: [Self; 2] = [Self::Standard, Self::Fapi2];

    /// The name, as metadata writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Fapi2 => "fapi2",
        }
    }

    /// Whether it is what holds for every client.
    pub const fn is_default(&self) -> bool {
        matches!(self, Self::Standard)
    }

    /// Whether something by or for the client may be signed with this (FAPI 2.0 §5.4).
    pub const fn allows_algorithm(self, algorithm: SigningAlgorithm) -> bool {
        match (self, algorithm) {
            (Self::Fapi2, SigningAlgorithm::Rs256) => false,
            (Self::Standard, _)
            | (Self::Fapi2, SigningAlgorithm::Ps256 | SigningAlgorithm::Es256 | SigningAlgorithm::EdDsa) => {
                true
            }
        }
    }

    /// How ID tokens are signed where the client does not say. Every instance has keys for both.
    pub const fn default_algorithm(self) -> SigningAlgorithm {
        match self {
            Self::Standard => SigningAlgorithm::Rs256,
            Self::Fapi2 => SigningAlgorithm::Es256,
        }
    }

    /// What becomes of its refresh tokens (FAPI 2.0 §5.3.2.1).
    pub const fn refresh_rotation_policy(self) -> RefreshRotationPolicy {
        match self {
            Self::Standard => RefreshRotationPolicy::Rotates,
            Self::Fapi2 => RefreshRotationPolicy::Stays,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fapi2_profile_allows_no_deprecated_signing_algorithm() {
        for profile in SecurityProfile::ALL {
            assert!(profile.allows_algorithm(profile.default_algorithm()));
            assert_eq!(serde_json::to_value(profile).unwrap(), profile.as_str());
        }
        let allowed = SigningAlgorithm::ALL
            .into_iter()
            .filter(|it| SecurityProfile::Fapi2.allows_algorithm(*it))
            .count();
        assert_eq!((allowed, SecurityProfile::Fapi2.allows_algorithm(SigningAlgorithm::Rs256)), (3, false));
    }
}

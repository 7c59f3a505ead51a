//! Security profiles: standard, or FAPI 2.0 for payments and health records.

use crate::platform::signing_keys::SigningAlgorithm;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The security profile of a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SecurityProfile {
    /// The requirements for all clients.
    #[default]
    Standard,
    /// Additionally, the FAPI 2.0 Security Profile.
    Fapi2,
}

/// What happens to a refresh token when it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshRotationPolicy {
    /// It is replaced, and its reuse revokes the grant.
    Rotates,
    /// It stays valid. A thief lacks the client's credentials and key.
    Stays,
}

impl SecurityProfile {
    /// All profiles.
    pub const ALL: [Self; 2] = [Self::Standard, Self::Fapi2];

    /// The value in metadata.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Fapi2 => "fapi2",
        }
    }

    /// Whether this is the default profile.
    pub const fn is_default(&self) -> bool {
        matches!(self, Self::Standard)
    }

    /// Whether the profile allows this signing algorithm (FAPI 2.0 §5.4).
    pub const fn allows_algorithm(self, algorithm: SigningAlgorithm) -> bool {
        match (self, algorithm) {
            (Self::Fapi2, SigningAlgorithm::Rs256) => false,
            (Self::Standard, _)
            | (Self::Fapi2, SigningAlgorithm::Ps256 | SigningAlgorithm::Es256 | SigningAlgorithm::EdDsa) => {
                true
            }
        }
    }

    /// The default signing algorithm of ID tokens. Every instance has keys for both.
    pub const fn default_algorithm(self) -> SigningAlgorithm {
        match self {
            Self::Standard => SigningAlgorithm::Rs256,
            Self::Fapi2 => SigningAlgorithm::Es256,
        }
    }

    /// The refresh token policy (FAPI 2.0 §5.3.2.1).
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

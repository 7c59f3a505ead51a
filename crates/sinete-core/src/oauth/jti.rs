//! The `jti` of an access token, which identifies what the token depends on.

use crate::entropy::{Entropy, draw_bytes};
use crate::id::{ApiKeyId, AssignmentId, DelegationId, GrantId};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use compact_str::CompactString;
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// A token's id. It starts with its root, so that revocation of the root can be checked from the token alone.
/// The id of an exchanged token also names the exchange.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Jti {
    /// What the token depends on.
    pub root: TokenRevocationRoot,
    /// The token exchange it came from, if any. It ends with that exchange and all earlier ones.
    pub delegation: Option<DelegationId>,
    random: CompactString,
}

/// What a token ultimately depends on, however often it was exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenRevocationRoot {
    /// A user's grant to a client: `<grant>`.
    Grant(GrantId),
    /// An API key: `key-<key>`.
    ApiKey(ApiKeyId),
    /// The machine itself: `own-<epoch>`.
    Machine {
        /// The machine's epoch at issue; a newer epoch revokes all earlier tokens.
        epoch: i64,
    },
    /// An assignment to impersonate a user: `acting-<assignment>`.
    Assignment(AssignmentId),
}

/// The text is not a `jti` of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the id of a token of ours")]
pub struct InvalidJti;

impl Jti {
    /// Creates a random id.
    pub fn mint(root: TokenRevocationRoot, delegation: Option<DelegationId>, entropy: &dyn Entropy) -> Self {
        let bytes: [u8; 16] = draw_bytes(entropy);
        Self { root, delegation, random: URL_SAFE_NO_PAD.encode(bytes).into() }
    }

    /// The grant it depends on, if any.
    pub const fn grant(&self) -> Option<GrantId> {
        match self.root {
            TokenRevocationRoot::Grant(grant) => Some(grant),
            TokenRevocationRoot::ApiKey(_)
            | TokenRevocationRoot::Machine { .. }
            | TokenRevocationRoot::Assignment(_) => None,
        }
    }
}

impl fmt::Display for TokenRevocationRoot {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Grant(grant) => write!(out, "{grant}"),
            Self::ApiKey(key) => write!(out, "key-{key}"),
            Self::Machine { epoch } => write!(out, "own-{epoch}"),
            Self::Assignment(assignment) => write!(out, "acting-{assignment}"),
        }
    }
}
impl FromStr for TokenRevocationRoot {
    type Err = InvalidJti;
    fn from_str(text: &str) -> Result<Self, InvalidJti> {
        if let Some(key) = text.strip_prefix("key-") {
            return key.parse().map(Self::ApiKey).map_err(|_| InvalidJti);
        }
        if let Some(assignment) = text.strip_prefix("acting-") {
            return assignment.parse().map(Self::Assignment).map_err(|_| InvalidJti);
        }
        if let Some(digits) = text.strip_prefix("own-") {
            let epoch = digits.parse::<u32>().map_err(|_| InvalidJti)?;
            // One spelling per number: no sign, no leading zeros.
            let is_plain = epoch.to_string() == digits;
            return if is_plain { Ok(Self::Machine { epoch: epoch.into() }) } else { Err(InvalidJti) };
        }
        text.parse().map(Self::Grant).map_err(|_| InvalidJti)
    }
}
impl fmt::Display for Jti {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.delegation {
            Some(delegation) => write!(out, "{}.{delegation}.{}", self.root, self.random),
            None => write!(out, "{}.{}", self.root, self.random),
        }
    }
}
impl FromStr for Jti {
    type Err = InvalidJti;
    fn from_str(text: &str) -> Result<Self, InvalidJti> {
        let (before, random) = text.rsplit_once('.').ok_or(InvalidJti)?;
        let (root, delegation) = match before.split_once('.') {
            Some((root, delegation)) => (root, Some(delegation.parse().map_err(|_| InvalidJti)?)),
            None => (before, None),
        };
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
        if random.len() != 22 || !random.bytes().all(plain) {
            return Err(InvalidJti);
        }
        Ok(Self { root: root.parse()?, delegation, random: random.into() })
    }
}
impl TryFrom<String> for Jti {
    type Error = InvalidJti;
    fn try_from(text: String) -> Result<Self, InvalidJti> {
        text.parse()
    }
}
impl Serialize for Jti {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::DangerouslySeededEntropy;

    #[test]
    fn jti_identifies_the_grant_key_or_assignment_of_the_token() {
        let grant = TokenRevocationRoot::Grant(GrantId::from_bytes([9; 16]));
        let key = TokenRevocationRoot::ApiKey(ApiKeyId::from_bytes([8; 16]));
        let exchange = Some(DelegationId::from_bytes([7; 16]));
        let revocation_root = TokenRevocationRoot::Assignment(AssignmentId::from_bytes([6; 16]));
        for root in [
            grant,
            key,
            revocation_root,
            TokenRevocationRoot::Machine { epoch: 0 },
            TokenRevocationRoot::Machine { epoch: 42 },
        ] {
            for delegation in [None, exchange] {
                let jti = Jti::mint(root, delegation, &DangerouslySeededEntropy::new(2));
                assert_eq!(jti.to_string().parse::<Jti>(), Ok(jti));
            }
        }
        let random = "x".repeat(22);
        let id = GrantId::from_bytes([9; 16]);
        for root in
            ["", "x", "own-", "own-01", "own--1", "own-+1", "own-9999999999", "key-", "key-1", "acting-x"]
        {
            assert_eq!(format!("{root}.{random}").parse::<Jti>(), Err(InvalidJti), "{root}");
        }
        for text in [
            "",
            ".",
            &random,
            &format!("{id}"),
            &format!("{id}.{random}="),
            &format!("{id}..{random}"),
            &format!("{id}.x.{random}"),
            &format!("{id}.{id}.{id}.{random}"),
            &format!("{id}.{}", &random[1..]),
        ] {
            assert_eq!(text.parse::<Jti>(), Err(InvalidJti), "{text}");
        }
    }
}

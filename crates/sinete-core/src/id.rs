//! Typed identifiers: an organization id cannot be used as an account id.

use crate::entropy::{Entropy, draw_bytes};
use crate::time::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::str::FromStr;

/// A UUIDv7 for a resource of kind `K`. Ordered by the time it was generated, and never reused.
///
/// ```
/// use sinete_core::id::{AccountId, OrganizationId};
/// fn suspend(_: OrganizationId) {}
/// # let bytes = [7; 16];
/// suspend(OrganizationId::from_bytes(bytes));
/// ```
///
/// ```compile_fail,E0308
/// use sinete_core::id::{AccountId, OrganizationId};
/// fn suspend(_: OrganizationId) {}
/// # let bytes = [7; 16];
/// suspend(AccountId::from_bytes(bytes));
/// ```
pub struct Id<K> {
    bytes: [u8; 16],
    kind: PhantomData<fn() -> K>,
}

/// A kind of resource with ids. The name appears in debug output only.
pub trait IdKind {
    /// The name of the kind.
    const NAME: &'static str;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident, $alias:ident, $name:literal;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub enum $kind {}
            impl IdKind for $kind {
                const NAME: &'static str = $name;
            }
            $(#[$doc])*
            pub type $alias = Id<$kind>;
        )*
    };
}

kinds! {
    /// An installation of Sinete, from its first start.
    Instance, InstanceId, "instance";
    /// A user account, global to the instance.
    Account, AccountId, "account";
    /// The picture of a user, new with every change.
    Picture, PictureId, "picture";
    /// A tenant.
    Organization, OrganizationId, "organization";
    /// A subject in one organization; the `sub` of a user.
    Membership, MembershipId, "membership";
    /// A named set of permissions in one organization.
    Role, RoleId, "role";
    /// A relationship at an API in an organization.
    Relationship, RelationshipId, "relationship";
    /// A resource server whose permissions we grant.
    Api, ApiId, "api";
    /// An invitation to an organization.
    Invitation, InvitationId, "invitation";
    /// A time-limited permission to administer an organization or impersonate a user.
    Assignment, AssignmentId, "assignment";
    /// A passkey, password, TOTP seed or set of recovery codes.
    Credential, CredentialId, "credential";
    /// An e-mail address or phone number of an account.
    Contact, ContactId, "contact";
    /// A grant: one authorization with its code, refresh tokens and access tokens.
    Grant, GrantId, "grant";
    /// A signed-in browser or device.
    Session, SessionId, "session";
    /// A run of an authentication flow.
    Flow, FlowId, "flow";
    /// A long-lived key of a membership or a service.
    ApiKey, ApiKeyId, "api key";
    /// One step of a token exchange, stored so that revoking the parent token revokes its descendants.
    Delegation, DelegationId, "delegation";
    /// An event of the security log.
    Event, EventId, "event";
    /// A message in the outbox.
    Message, MessageId, "message";
    /// A webhook.
    Webhook, WebhookId, "webhook";
    /// A connection of an organization to an identity provider.
    Connection, ConnectionId, "connection";
    /// A link with which another party prepares an organization's single sign-on.
    SetupLink, SetupLinkId, "set-up link";
    /// A SCIM request, as an administrator sees it.
    ScimRequest, ScimRequestId, "SCIM request";
    /// A delivery attempt of a webhook.
    Attempt, AttemptId, "attempt";
    /// A CIBA request.
    ApprovalRequest, ApprovalRequestId, "approval request";
    /// A running server: one process, from its start to its end.
    Node, NodeId, "node";
    /// An HTTP request, as in logs and error bodies.
    Request, RequestId, "request";
}

/// The last millisecond that fits into the 48 bits of an id.
const MILLIS_MAX: i64 = (1 << 48) - 1;

impl<K> Id<K> {
    /// Generates an id: the current millisecond, then 74 random bits (RFC 9562 §5.7).
    pub fn mint(now: Timestamp, entropy: &dyn Entropy) -> Self {
        Self::from_seed(now, draw_bytes(entropy))
    }

    /// The id of this time with these random bits. The same seed gives the same id.
    pub fn from_seed(now: Timestamp, seed: [u8; 16]) -> Self {
        let mut bytes = seed;
        let millis = now.millis().max(0).unsigned_abs().to_be_bytes();
        bytes[..6].copy_from_slice(&millis[2..]);
        bytes[6] = 0x70 | (bytes[6] & 0x0f);
        bytes[8] = 0x80 | (bytes[8] & 0x3f);
        Self::from_bytes(bytes)
    }

    /// The lowest id that could be generated at this time or later. Times beyond the 48-bit range, after the
    /// year 10,000, give the lower bound of the last millisecond.
    pub fn lower_bound_at(at: Timestamp) -> Self {
        let mut bytes = [0; 16];
        let millis = at.millis().clamp(0, MILLIS_MAX).unsigned_abs().to_be_bytes();
        bytes[..6].copy_from_slice(&millis[2..]);
        Self::from_bytes(bytes)
    }

    /// The id immediately before this one.
    pub fn previous(&self) -> Self {
        Self::from_bytes(u128::from_be_bytes(self.bytes).saturating_sub(1).to_be_bytes())
    }

    /// When it was generated, to the millisecond.
    pub const fn minted_at(&self) -> Timestamp {
        let [a, b, c, d, e, f, ..] = self.bytes;
        Timestamp::from_millis(i64::from_be_bytes([0, 0, a, b, c, d, e, f]))
    }

    /// Creates an id from stored bytes.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self { bytes, kind: PhantomData }
    }

    /// The sixteen bytes to store.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.bytes
    }
}

/// The text is not a lower-case, hyphenated UUID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a lower-case UUID such as 01936f5e-7c2a-7def-8a1b-2c3d4e5f6071")]
pub struct InvalidId;

impl<K> JsonSchema for Id<K> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Id".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": "string", "format": "uuid"})
    }
}

impl<K> FromStr for Id<K> {
    type Err = InvalidId;

    /// Accepts only the canonical spelling, so that an id has exactly one text.
    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let text = text.as_bytes();
        if text.len() != 36 {
            return Err(InvalidId);
        }
        let mut bytes = [0_u8; 16];
        let mut digits = 0;
        for (index, &character) in text.iter().enumerate() {
            if matches!(index, 8 | 13 | 18 | 23) {
                if character != b'-' {
                    return Err(InvalidId);
                }
                continue;
            }
            let value = match character {
                b'0'..=b'9' => character - b'0',
                b'a'..=b'f' => character - b'a' + 10,
                _ => return Err(InvalidId),
            };
            bytes[digits / 2] = bytes[digits / 2] << 4 | value;
            digits += 1;
        }
        Ok(Self::from_bytes(bytes))
    }
}

impl<K> fmt::Display for Id<K> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [b'-'; 36];
        let mut index = 0;
        for byte in self.bytes {
            if matches!(index, 8 | 13 | 18 | 23) {
                index += 1;
            }
            text[index] = b"0123456789abcdef"[usize::from(byte >> 4)];
            text[index + 1] = b"0123456789abcdef"[usize::from(byte & 0x0f)];
            index += 2;
        }
        out.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl<K: IdKind> fmt::Debug for Id<K> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {self}", K::NAME)
    }
}

impl<K> Clone for Id<K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K> Copy for Id<K> {}
impl<K> PartialEq for Id<K> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}
impl<K> Eq for Id<K> {}
impl<K> PartialOrd for Id<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<K> Ord for Id<K> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bytes.cmp(&other.bytes)
    }
}
impl<K> Hash for Id<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bytes.hash(state);
    }
}
impl<K> Serialize for Id<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
impl<'de, K> Deserialize<'de> for Id<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::DangerouslySeededEntropy;

    #[test]
    fn id_contains_its_creation_time_and_round_trips() {
        let now = Timestamp::from_seconds(1_794_700_323);
        let id = AccountId::mint(now, &DangerouslySeededEntropy::new(1));
        let text = id.to_string();
        assert_eq!(&text[..13], "01a1dc79-a8b8");
        assert_eq!(&text[14..15], "7");
        assert!(matches!(text.as_bytes()[19], b'8' | b'9' | b'a' | b'b'));
        assert_eq!(text.parse(), Ok(id));
        assert_eq!(serde_json::to_string(&id).unwrap(), format!("\"{text}\""));
        assert_eq!(serde_json::from_str::<AccountId>(&format!("\"{text}\"")).unwrap(), id);
    }

    #[test]
    fn ids_sort_by_creation_time() {
        let entropy = DangerouslySeededEntropy::new(2);
        let early = EventId::mint(Timestamp::from_seconds(100), &entropy);
        let late = EventId::mint(Timestamp::from_seconds(101), &entropy);
        assert!(early < late);
    }

    #[test]
    fn id_timestamp_has_millisecond_precision_and_sorts_above_its_floor() {
        let now = Timestamp::from_micros(1_794_700_323_456_789);
        let id = EventId::mint(now, &DangerouslySeededEntropy::new(3));
        assert_eq!(id.minted_at(), Timestamp::from_micros(1_794_700_323_456_000));
        assert!(EventId::lower_bound_at(now) < id);
        assert!(id < EventId::lower_bound_at(Timestamp::from_micros(1_794_700_323_457_000)));
        assert_eq!(EventId::lower_bound_at(Timestamp::from_seconds(-5)), EventId::from_bytes([0; 16]));
        assert!(
            EventId::lower_bound_at(Timestamp::from_micros(i64::MAX)) > id,
            "the end of time is no beginning"
        );
    }

    #[test]
    fn id_in_another_spelling_is_refused() {
        for text in [
            "",
            "01936F5E-7C2A-7DEF-8A1B-2C3D4E5F6071",
            "01936f5e7c2a7def8a1b2c3d4e5f6071",
            "{01936f5e-7c2a-7def-8a1b-2c3d4e5f607}",
            "01936f5e-7c2a-7def-8a1b-2c3d4e5f607",
            "01936f5e-7c2a-7def-8a1b-2c3d4e5f60711",
            "01936f5e-7c2a-7def-8a1b_2c3d4e5f6071",
            "01936f5e-7c2a-7def-8a1b-2c3d4e5f607é",
        ] {
            assert_eq!(text.parse::<AccountId>(), Err(InvalidId), "{text}");
        }
    }
}

//! The signed head, as it is shown, noted and compared.

use super::LogFailed;
use super::key::LogKeys;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sinete_core::id::InstanceId;
use sinete_core::security::chain::{Anchor, ChainHash, Finding, Head, Wrong};
use sinete_core::time::Timestamp;
use sinete_crypto::key::PublicKey;
use sinete_store::log_chain::StoredHead;

/// The signed end of the chain with all that is needed to check it: what `sinete log head` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedHead {
    /// The instance whose log it is.
    pub instance: InstanceId,
    /// The position of the last event.
    pub position: i64,
    /// The hash there.
    pub hash: ChainHash,
    /// When it was signed.
    pub sealed_at: Moment,
    /// The key it was signed with.
    pub kid: String,
    /// The signature.
    pub signature: Base64,
    /// The public half of the key, as a JWK.
    pub key: serde_json::Value,
}

/// Bytes that are written in base64url.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base64(pub Vec<u8>);

/// A point in time that is written as RFC 3339.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment(pub Timestamp);

impl SignedHead {
    /// The stored head, for those who are shown it. The key is the instance's, not what the database says.
    pub(super) fn of(instance: InstanceId, stored: &StoredHead, key: &PublicKey) -> Self {
        Self {
            instance,
            position: stored.head.position,
            hash: stored.head.hash,
            sealed_at: Moment(stored.head.sealed_at),
            kid: stored.kid.clone(),
            signature: Base64(stored.signature.clone()),
            key: key.to_jwk(),
        }
    }

    /// What was signed.
    pub const fn head(&self) -> Head {
        Head { position: self.position, hash: self.hash, sealed_at: self.sealed_at.0 }
    }

    /// Whether the key that comes with it signed it. Whose key that is, the caller has to know.
    pub(super) fn is_signed_by(&self, key: &PublicKey) -> bool {
        key.verify(&self.head().signed_bytes(self.instance), &self.signature.0).is_ok()
    }
}

/// Signs a head with the instance's newest key.
pub(super) fn sign(keys: &LogKeys, instance: InstanceId, head: &Head) -> Result<Vec<u8>, LogFailed> {
    keys.newest()?.sign(&head.signed_bytes(instance)).map_err(|_| LogFailed::NotSigned)
}

/// What is wrong with the head in itself: its signature, and whether the chain ends where it says.
pub(super) fn findings(keys: &LogKeys, instance: InstanceId, stored: &StoredHead) -> Vec<Finding> {
    let mut findings = Vec::new();
    let head = &stored.head;
    match keys.public(&stored.kid) {
        None => findings.push(Finding::whole(Wrong::HeadKeyUnknown { kid: stored.kid.clone() })),
        Some(key) if key.verify(&head.signed_bytes(instance), &stored.signature).is_err() => {
            findings.push(Finding::whole(Wrong::HeadForged));
        }
        Some(_) => {}
    }
    if let Some(end) = stored.chain_end.filter(|&end| end > head.position) {
        findings.push(Finding::at(end, Wrong::ChainTooLong { head: head.position }));
    }
    findings
}

/// What keeps a sealer from going on after this head. Signing what follows a head that is not ours, or does
/// not fit the chain, would make it look as if it were.
pub(super) fn obstacle(keys: &LogKeys, instance: InstanceId, stored: &StoredHead) -> Option<Finding> {
    if let Some(finding) = findings(keys, instance, stored).into_iter().next() {
        return Some(finding);
    }
    let head = &stored.head;
    let hash_in_chain = match stored.last {
        Some((_, hash)) => hash,
        None if head.position == 0 => Head::genesis(instance, head.sealed_at).hash,
        None => {
            let end = stored.chain_end.unwrap_or(0);
            return Some(Finding::at(end, Wrong::ChainTooShort { head: head.position }));
        }
    };
    (hash_in_chain != head.hash).then(|| Finding::at(head.position, Wrong::HeadElsewhere))
}

/// The heads that somebody noted: lines that `sinete log head` printed, or lines of the ordinary log, as JSON
/// or as text. Other lines are passed over.
pub fn noted_heads(text: &str) -> Vec<Anchor> {
    text.lines().filter_map(|line| head_in_json(line).or_else(|| head_in_text(line))).collect()
}

fn head_in_json(line: &str) -> Option<Anchor> {
    let line: serde_json::Value = serde_json::from_str(line).ok()?;
    // Structured logs put what was logged one level down.
    [Some(&line), line.get("fields")].into_iter().flatten().find_map(|object| {
        let position = object.get("position")?;
        let position = position.as_i64().or_else(|| position.as_str()?.parse().ok())?;
        let hash = object.get("hash")?.as_str()?.parse().ok()?;
        Some(Anchor { position, hash })
    })
}

fn head_in_text(line: &str) -> Option<Anchor> {
    let word = |name| line.split_whitespace().find_map(|word| word.strip_prefix(name));
    Some(Anchor { position: word("position=")?.parse().ok()?, hash: word("hash=")?.parse().ok()? })
}

impl std::fmt::Display for Base64 {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&URL_SAFE_NO_PAD.encode(&self.0))
    }
}
impl Serialize for Base64 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
impl<'de> Deserialize<'de> for Base64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        let bytes = URL_SAFE_NO_PAD.decode(text.as_ref());
        bytes.map(Self).map_err(|_| serde::de::Error::custom("the text is not base64url"))
    }
}
impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}
impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map(Self).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noted_heads_are_found_among_other_lines() {
        let hash = "9f".repeat(32);
        let text = format!(
            "2026-11-15T03:58:30Z INFO head of the security log position=5 hash={hash} kid=\"k\"\n\
             {{\"position\":7,\"hash\":\"{hash}\"}}\nnot json\n{{\"fields\":{{\"message\":\"x\"}}}}\n\
             {{\"timestamp\":\"t\",\"fields\":{{\"position\":9,\"hash\":\"{hash}\"}}}}\n{{\"position\":1,\"hash\":\"9f\"}}"
        );
        let positions: Vec<_> = noted_heads(&text).iter().map(|anchor| anchor.position).collect();
        assert_eq!(positions, [5, 7, 9]);
        assert_eq!(noted_heads("nothing here"), []);
    }
}

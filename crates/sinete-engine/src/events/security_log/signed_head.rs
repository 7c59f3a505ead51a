//! The signed head, for display, recording and comparison.

use super::SecurityLogError;
use super::keys::LogVerificationKeys;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sinete_core::events::log_chain::{LogChainAnchor, LogChainHash, LogChainHead, LogDefect, LogFinding};
use sinete_core::id::InstanceId;
use sinete_core::time::Timestamp;
use sinete_crypto::platform::signing_keys::PublicKey;
use sinete_store::events::log_chain::StoredChainHead;

/// The signed end of the chain with everything needed to verify it: the output of `sinete log head`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedLogHead {
    /// The instance of the log.
    pub instance: InstanceId,
    /// The position of the last event.
    pub position: i64,
    /// The hash of the last event.
    pub hash: LogChainHash,
    /// When it was signed.
    pub sealed_at: Rfc3339Time,
    /// The `kid` of the signing key.
    pub kid: String,
    /// The signature.
    pub signature: Base64UrlBytes,
    /// The public key, as a JWK.
    pub key: serde_json::Value,
}

/// Bytes serialized as base64url.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base64UrlBytes(pub Vec<u8>);

/// A time serialized as RFC 3339.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rfc3339Time(pub Timestamp);

impl SignedLogHead {
    /// Creates it from the stored head. The key is derived from the instance's own, not taken from the
    /// database.
    pub(super) fn from_stored(instance: InstanceId, stored: &StoredChainHead, key: &PublicKey) -> Self {
        Self {
            instance,
            position: stored.head.position,
            hash: stored.head.hash,
            sealed_at: Rfc3339Time(stored.head.sealed_at),
            kid: stored.kid.clone(),
            signature: Base64UrlBytes(stored.signature.clone()),
            key: key.to_jwk(),
        }
    }

    /// The signed head.
    pub const fn to_head(&self) -> LogChainHead {
        LogChainHead { position: self.position, hash: self.hash, sealed_at: self.sealed_at.0 }
    }

    /// Whether this key signed it. The caller must know whose key it is.
    pub(super) fn is_signed_by(&self, key: &PublicKey) -> bool {
        key.verify_signature(&self.to_head().signed_bytes(self.instance), &self.signature.0).is_ok()
    }
}

/// Signs a head with the newest key.
pub(super) fn sign_head(
    keys: &LogVerificationKeys,
    instance: InstanceId,
    head: &LogChainHead,
) -> Result<Vec<u8>, SecurityLogError> {
    keys.signing_key()?.sign(&head.signed_bytes(instance)).map_err(|_| SecurityLogError::SigningFailed)
}

/// Finds problems of the head itself: its signature, and whether the chain ends there.
pub(super) fn find_head_problems(
    keys: &LogVerificationKeys,
    instance: InstanceId,
    stored: &StoredChainHead,
) -> Vec<LogFinding> {
    let mut findings = Vec::new();
    let head = &stored.head;
    match keys.find_public_key(&stored.kid) {
        None => findings.push(LogFinding::for_log(LogDefect::HeadKeyUnknown { kid: stored.kid.clone() })),
        Some(key) if key.verify_signature(&head.signed_bytes(instance), &stored.signature).is_err() => {
            findings.push(LogFinding::for_log(LogDefect::HeadForged));
        }
        Some(_) => {}
    }
    if let Some(end) = stored.chain_end.filter(|&end| end > head.position) {
        findings.push(LogFinding::at_position(end, LogDefect::ChainTooLong { head: head.position }));
    }
    findings
}

/// Finds what prevents a sealer from continuing after this head. Signing after a head that is not ours or
/// does not match the chain would make it look genuine.
pub(super) fn find_sealing_obstacle(
    keys: &LogVerificationKeys,
    instance: InstanceId,
    stored: &StoredChainHead,
) -> Option<LogFinding> {
    if let Some(finding) = find_head_problems(keys, instance, stored).into_iter().next() {
        return Some(finding);
    }
    let head = &stored.head;
    let hash_in_chain = match stored.last {
        Some((_, hash)) => hash,
        None if head.position == 0 => LogChainHead::new_genesis(instance, head.sealed_at).hash,
        None => {
            let end = stored.chain_end.unwrap_or(0);
            return Some(LogFinding::at_position(end, LogDefect::ChainTooShort { head: head.position }));
        }
    };
    (hash_in_chain != head.hash).then(|| LogFinding::at_position(head.position, LogDefect::HeadDiffers))
}

/// Parses recorded heads: output of `sinete log head`, or lines of the application log in JSON or text. Other
/// lines are skipped.
pub fn parse_noted_heads(text: &str) -> Vec<LogChainAnchor> {
    text.lines().filter_map(|line| parse_json_head(line).or_else(|| parse_text_head(line))).collect()
}

fn parse_json_head(line: &str) -> Option<LogChainAnchor> {
    let line: serde_json::Value = serde_json::from_str(line).ok()?;
    // Structured logs nest the fields one level down.
    [Some(&line), line.get("fields")].into_iter().flatten().find_map(|object| {
        let position = object.get("position")?;
        let position = position.as_i64().or_else(|| position.as_str()?.parse().ok())?;
        let hash = object.get("hash")?.as_str()?.parse().ok()?;
        Some(LogChainAnchor { position, hash })
    })
}

fn parse_text_head(line: &str) -> Option<LogChainAnchor> {
    let word = |name| line.split_whitespace().find_map(|word| word.strip_prefix(name));
    Some(LogChainAnchor { position: word("position=")?.parse().ok()?, hash: word("hash=")?.parse().ok()? })
}

impl std::fmt::Display for Base64UrlBytes {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&URL_SAFE_NO_PAD.encode(&self.0))
    }
}
impl Serialize for Base64UrlBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
impl<'de> Deserialize<'de> for Base64UrlBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        let bytes = URL_SAFE_NO_PAD.decode(text.as_ref());
        bytes.map(Self).map_err(|_| serde::de::Error::custom("the text is not base64url"))
    }
}
impl Serialize for Rfc3339Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}
impl<'de> Deserialize<'de> for Rfc3339Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map(Self).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn security_log_heads_are_found_among_other_lines() {
        let hash = "9f".repeat(32);
        let text = format!(
            "2026-11-15T03:58:30Z INFO head of the security log position=5 hash={hash} kid=\"k\"\n\
             {{\"position\":7,\"hash\":\"{hash}\"}}\nnot json\n{{\"fields\":{{\"message\":\"x\"}}}}\n\
             {{\"timestamp\":\"t\",\"fields\":{{\"position\":9,\"hash\":\"{hash}\"}}}}\n{{\"position\":1,\"hash\":\"9f\"}}"
        );
        let positions: Vec<_> = parse_noted_heads(&text).iter().map(|anchor| anchor.position).collect();
        assert_eq!(positions, [5, 7, 9]);
        assert_eq!(parse_noted_heads("nothing here"), []);
    }
}

//! How long the entries of an audit log are kept: the organization's setting, else the instance's setting,
//! else forever.

use crate::json_schema::impl_value_schema;
use crate::limits::{AUDIT_RETENTION_DAYS_MAX, AUDIT_RETENTION_DAYS_MIN};
use crate::time::Lifetime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The audit log settings of an organization.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(inline)]
pub struct AuditLogSettings {
    /// How long entries are kept; `None` follows the instance.
    #[schemars(
        description = "How many days entries are kept and can be searched. If omitted, the instance's setting applies."
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retention_days: Option<AuditRetention>,
}

impl AuditLogSettings {
    /// Whether all settings have their defaults.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A retention of an audit log in whole days.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct AuditRetention(u32);

impl_value_schema!(AuditRetention, {
    "type": "integer", "minimum": AUDIT_RETENTION_DAYS_MIN, "maximum": AUDIT_RETENTION_DAYS_MAX,
});

/// The number of days is no retention of an audit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an audit log is kept for {AUDIT_RETENTION_DAYS_MIN} to {AUDIT_RETENTION_DAYS_MAX} days")]
pub struct InvalidAuditRetention;

impl AuditRetention {
    /// The shortest retention.
    pub const MIN: Self = Self(AUDIT_RETENTION_DAYS_MIN);

    /// As a span of time.
    pub const fn lifetime(self) -> Lifetime {
        Lifetime::from_days(self.0)
    }
}

impl TryFrom<u32> for AuditRetention {
    type Error = InvalidAuditRetention;

    fn try_from(days: u32) -> Result<Self, InvalidAuditRetention> {
        let fits = (AUDIT_RETENTION_DAYS_MIN..=AUDIT_RETENTION_DAYS_MAX).contains(&days);
        if fits { Ok(Self(days)) } else { Err(InvalidAuditRetention) }
    }
}

impl From<AuditRetention> for u32 {
    fn from(retention: AuditRetention) -> Self {
        retention.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn audit_retention_is_between_thirty_days_and_a_century() {
        for days in [30, 400, 36_500] {
            let retention = AuditRetention::try_from(days).unwrap();
            assert_eq!((u32::from(retention), retention.lifetime()), (days, Lifetime::from_days(days)));
        }
        for days in [0, 29, 36_501, u32::MAX] {
            assert_eq!(AuditRetention::try_from(days), Err(InvalidAuditRetention), "{days}");
        }
    }
}

//! The settings of the archive of the security log.

use crate::config::delivery::PasswordSource;
use crate::config::problem::ConfigProblem;
use crate::config::{ConfigSources, keys};
use sinete_core::limits::LOG_RETENTION_MIN;
use sinete_core::organizations::audit_log_settings::AuditRetention;
use sinete_core::time::Lifetime;
use std::fmt;
use std::path::PathBuf;
use url::Url;

/// Longest retention in days, some centuries.
const RETENTION_DAYS_MAX: u32 = 100_000;

/// The archive of the security log.
#[derive(Clone, Debug)]
pub struct LogArchiveConfig {
    /// Where it is.
    pub location: Option<ArchiveLocation>,
    /// How long events stay in the database.
    pub retention: Option<Lifetime>,
    /// How long audit logs of organizations without a setting of their own are kept.
    pub audit_retention: Option<AuditRetention>,
    /// Whether addresses and user agents are archived.
    pub has_origins: bool,
    /// The object store, if credentials are configured.
    pub s3: Option<S3Config>,
}

/// The place of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArchiveLocation {
    /// A folder.
    Folder(PathBuf),
    /// A bucket of an S3-compatible object store.
    Bucket {
        /// The bucket.
        bucket: String,
        /// What the names of all objects start with; empty or ending with a slash.
        prefix: String,
    },
}

/// An S3-compatible object store.
#[derive(Clone, Debug)]
pub struct S3Config {
    /// Its URL.
    pub endpoint: Url,
    /// The region.
    pub region: String,
    /// The access key id.
    pub access_key: String,
    /// The secret access key.
    pub secret_key: PasswordSource,
}

impl ArchiveLocation {
    /// Parses a folder or `s3://BUCKET/PREFIX`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let Some(bucket_and_prefix) = text.strip_prefix("s3://") else {
            return match text {
                "" => Err("a folder has a name".to_owned()),
                _ if text.contains("://") => {
                    Err(format!("{text:?} is neither a folder nor s3://BUCKET/PREFIX"))
                }
                _ => Ok(Self::Folder(PathBuf::from(text))),
            };
        };
        let (bucket, prefix) = bucket_and_prefix.split_once('/').unwrap_or((bucket_and_prefix, ""));
        let is_bucket = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-');
        let is_prefix = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '/');
        let prefix = prefix.trim_matches('/');
        if bucket.is_empty() || !bucket.chars().all(is_bucket) || !prefix.chars().all(is_prefix) {
            return Err(format!(
                "{text:?} is not s3://BUCKET/PREFIX, with letters, digits, dots and hyphens"
            ));
        }
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        Ok(Self::Bucket { bucket: bucket.to_owned(), prefix })
    }
}

impl fmt::Display for ArchiveLocation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => write!(out, "{}", path.display()),
            Self::Bucket { bucket, prefix } => write!(out, "s3://{bucket}/{prefix}"),
        }
    }
}

/// Parses a number of days or hours, as in `90d` or `36h`.
pub fn parse_retention(text: &str) -> Result<Lifetime, String> {
    let invalid = || format!("{text:?} is not a time such as 90d or 36h");
    let number = |digits: &str| digits.parse::<u32>().map_err(|_| invalid());
    let retention = if let Some(days) = text.strip_suffix('d') {
        Lifetime::from_days(number(days)?.min(RETENTION_DAYS_MAX))
    } else if let Some(hours) = text.strip_suffix('h') {
        Lifetime::from_hours(number(hours)?.min(RETENTION_DAYS_MAX))
    } else {
        return Err(invalid());
    };
    if retention < LOG_RETENTION_MIN {
        return Err(format!("{text:?} is too short: events stay for an hour at least"));
    }
    Ok(retention)
}

/// Parses the retention of audit logs, a number of days as in `400d`.
pub fn parse_audit_retention(text: &str) -> Result<AuditRetention, String> {
    let days = text.strip_suffix('d').and_then(|digits| digits.parse::<u32>().ok());
    let days = days.ok_or_else(|| format!("{text:?} is not a number of days such as 400d"))?;
    AuditRetention::try_from(days)
        .map_err(|audit_retention| format!("{text:?} does not fit: {audit_retention}"))
}

impl ConfigSources {
    pub(super) fn log_archive(&self) -> Result<LogArchiveConfig, ConfigProblem> {
        Ok(LogArchiveConfig {
            location: self.get(&keys::LOG_ARCHIVE),
            retention: self.get(&keys::LOG_RETENTION),
            audit_retention: self.get(&keys::LOG_AUDIT_RETENTION),
            has_origins: self.require(&keys::LOG_ARCHIVE_ORIGINS)?,
            s3: self.s3()?,
        })
    }

    fn s3(&self) -> Result<Option<S3Config>, ConfigProblem> {
        let secret_key = match (self.get(&keys::LOG_S3_SECRET_KEY), self.get(&keys::LOG_S3_SECRET_KEY_FILE)) {
            (Some(text), _) => PasswordSource::Text(text),
            (None, Some(path)) => PasswordSource::File(path),
            (None, None) => return Ok(None),
        };
        let Some(access_key) = self.get(&keys::LOG_S3_ACCESS_KEY) else { return Ok(None) };
        let endpoint = self.require(&keys::LOG_S3_ENDPOINT)?;
        let region = self.require(&keys::LOG_S3_REGION)?;
        Ok(Some(S3Config { endpoint, region, access_key, secret_key }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archive_location_is_a_folder_or_a_bucket() {
        let bucket = |bucket: &str, prefix: &str| {
            Ok(ArchiveLocation::Bucket { bucket: bucket.to_owned(), prefix: prefix.to_owned() })
        };
        assert_eq!(ArchiveLocation::parse("/srv/log"), Ok(ArchiveLocation::Folder("/srv/log".into())));
        assert_eq!(ArchiveLocation::parse("s3://audit"), bucket("audit", ""));
        assert_eq!(ArchiveLocation::parse("s3://audit/a/b/"), bucket("audit", "a/b/"));
        assert_eq!(ArchiveLocation::parse("s3://audit/a").unwrap().to_string(), "s3://audit/a/");
        for wrong in ["", "s3://", "s3:///a", "s3://Audit", "s3://a/b c", "s3://a/%2e", "https://a.example"] {
            assert!(ArchiveLocation::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn log_retention_is_at_least_an_hour() {
        assert_eq!(parse_retention("90d"), Ok(Lifetime::from_days(90)));
        assert_eq!(parse_retention("36h"), Ok(Lifetime::from_hours(36)));
        for wrong in ["", "90", "d", "0d", "0h", "-1d", "1.5d", "1w", "99999999999d"] {
            assert!(parse_retention(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn audit_retention_is_a_number_of_days() {
        assert_eq!(parse_audit_retention("400d"), Ok(AuditRetention::try_from(400).unwrap()));
        for wrong in ["", "400", "d", "29d", "36501d", "720h", "-40d", "99999999999d"] {
            assert!(parse_audit_retention(wrong).is_err(), "{wrong}");
        }
    }
}

//! Opens the configured archive of the security log.

use crate::config::Config;
use crate::config::log_archive::ArchiveLocation;
use crate::exit::CommandError;
use crate::outbound::archive_folder::ArchiveFolder;
use crate::outbound::s3::S3Bucket;
use sinete_engine::events::security_log::{ArchivePolicy, RequestOriginRetention};
use sinete_engine::ports::{ArchiveStorage, Clock};
use std::sync::Arc;

/// Opens an archive without connecting to it.
pub fn open_archive(
    config: &Config,
    location: &ArchiveLocation,
    clock: Arc<dyn Clock>,
) -> Result<Arc<dyn ArchiveStorage>, CommandError> {
    match location {
        ArchiveLocation::Folder(path) => Ok(Arc::new(ArchiveFolder::new(path))),
        ArchiveLocation::Bucket { bucket, prefix } => {
            let s3 = config.log_archive.s3.as_ref().ok_or_else(|| {
                CommandError::invalid_usage(
                    "a bucket needs credentials: set log.s3_access_key and log.s3_secret_key_file",
                )
            })?;
            let unusable =
                |reason| CommandError::invalid_usage(format!("the bucket cannot be used: {reason}"));
            Ok(Arc::new(S3Bucket::new(s3, bucket, prefix, clock).map_err(unusable)?))
        }
    }
}

/// The configured policy.
pub fn archive_policy(config: &Config) -> ArchivePolicy {
    ArchivePolicy {
        retention: config.log_archive.retention,
        origins: match config.log_archive.has_origins {
            true => RequestOriginRetention::Archived,
            false => RequestOriginRetention::Dropped,
        },
        ..ArchivePolicy::default()
    }
}

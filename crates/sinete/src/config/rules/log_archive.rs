//! Consistency rules of the archive of the security log.

use super::{is_set, problem_with_key};
use crate::config::ConfigSources;
use crate::config::keys;
use crate::config::log_archive::ArchiveLocation;
use crate::config::problem::ConfigProblem;

/// All rules.
pub(super) const RULES: [fn(&ConfigSources) -> Option<ConfigProblem>; 3] =
    [check_retention, check_credentials, check_single_secret];

fn check_retention(origins: &ConfigSources) -> Option<ConfigProblem> {
    if !is_set(origins, &keys::LOG_RETENTION) || is_set(origins, &keys::LOG_ARCHIVE) {
        return None;
    }
    problem_with_key(
        origins,
        &keys::LOG_RETENTION,
        "is set without log.archive".to_owned(),
        "set both: events are removed only after they were archived",
    )
}

fn check_credentials(origins: &ConfigSources) -> Option<ConfigProblem> {
    let needs = matches!(origins.get(&keys::LOG_ARCHIVE), Some(ArchiveLocation::Bucket { .. }));
    let secret = is_set(origins, &keys::LOG_S3_SECRET_KEY) || is_set(origins, &keys::LOG_S3_SECRET_KEY_FILE);
    if !needs || (secret && is_set(origins, &keys::LOG_S3_ACCESS_KEY)) {
        return None;
    }
    problem_with_key(
        origins,
        &keys::LOG_ARCHIVE,
        "is a bucket without credentials".to_owned(),
        "set log.s3_access_key and log.s3_secret_key_file",
    )
}

fn check_single_secret(origins: &ConfigSources) -> Option<ConfigProblem> {
    if !is_set(origins, &keys::LOG_S3_SECRET_KEY) || !is_set(origins, &keys::LOG_S3_SECRET_KEY_FILE) {
        return None;
    }
    let message = "is set, and so is log.s3_secret_key_file".to_owned();
    problem_with_key(origins, &keys::LOG_S3_SECRET_KEY, message, "keep one of them")
}

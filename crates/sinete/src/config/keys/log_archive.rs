//! The keys of the archive of the security log.

use crate::config::key::{ConfigKey, ConfigKeyEntry};
use crate::config::log_archive::{ArchiveLocation, parse_audit_retention, parse_retention};
use crate::config::parse;
use crate::config::values::MaskedText;
use sinete_core::organizations::audit_log_settings::AuditRetention;
use sinete_core::time::Lifetime;
use std::path::PathBuf;
use url::Url;

/// The archive of the security log.
pub static LOG_ARCHIVE: ConfigKey<ArchiveLocation> = ConfigKey::text(
    ConfigKeyEntry::new(
        "log.archive",
        "Where closed segments of the security log are archived, every hour: a folder, or a bucket of an S3-compatible \
         object store. All nodes name the same place.",
        "the path of a folder, or `s3://BUCKET/PREFIX`",
        "\"s3://audit/sinete\"",
    )
    .with_unset_meaning("the security log is not archived and grows"),
    ArchiveLocation::parse,
);

/// How long events stay in the database.
pub static LOG_RETENTION: ConfigKey<Lifetime> = ConfigKey::text(
    ConfigKeyEntry::new(
        "log.retention",
        "How long events of the security log stay in the database. Older ones are removed once they are in a verified \
         archive. The audit logs of organizations are not affected.",
        "days or hours, such as `90d` or `36h`, at least `1h`",
        "\"90d\"",
    )
    .with_unset_meaning("events stay in the database after they were archived"),
    parse_retention,
);

/// How long audit logs are kept.
pub static LOG_AUDIT_RETENTION: ConfigKey<AuditRetention> = ConfigKey::text(
    ConfigKeyEntry::new(
        "log.audit_retention",
        "How long entries of the audit logs of organizations are kept and can be searched, unless the organization \
         has its own setting `audit_log.retention_days`. It does not depend on `log.retention`.",
        "days, from `30d` to `36500d`",
        "\"400d\"",
    )
    .with_unset_meaning("entries are kept"),
    parse_audit_retention,
);

/// Whether addresses and user agents are archived.
pub static LOG_ARCHIVE_ORIGINS: ConfigKey<bool> = ConfigKey::flag(
    ConfigKeyEntry::new(
        "log.archive_origins",
        "Whether network addresses and user agents are archived, in files of their own from which they can be erased. \
         Otherwise they are lost when an event is removed from the database.",
        "`true` or `false`",
        "false",
    )
    .with_default("true"),
    |flag| flag,
);

/// The URL of the object store.
pub static LOG_S3_ENDPOINT: ConfigKey<Url> = ConfigKey::text(
    ConfigKeyEntry::new(
        "log.s3_endpoint",
        "The URL of the object store for `log.archive`. Buckets are addressed by path.",
        "an `http` or `https` URL",
        "\"https://minio.example.com\"",
    )
    .with_default("https://s3.amazonaws.com"),
    parse::endpoint,
);

/// The region of the object store.
pub static LOG_S3_REGION: ConfigKey<String> = ConfigKey::text(
    ConfigKeyEntry::new("log.s3_region", "The region of the object store.", "a text", "\"eu-central-1\"")
        .with_default("us-east-1"),
    parse::text,
);

/// The access key id at the object store.
pub static LOG_S3_ACCESS_KEY: ConfigKey<String> = ConfigKey::text(
    ConfigKeyEntry::new(
        "log.s3_access_key",
        "The access key id at the object store.",
        "a text",
        "\"sinete\"",
    )
    .with_unset_meaning("there is no object store"),
    parse::text,
);

/// The secret access key at the object store.
pub static LOG_S3_SECRET_KEY: ConfigKey<MaskedText> = ConfigKey::text(
    ConfigKeyEntry::new(
        "log.s3_secret_key",
        "The secret access key at the object store. Prefer the environment or `log.s3_secret_key_file`.",
        "a text",
        "\"a long one\"",
    )
    .with_unset_meaning("there is no object store")
    .secret(),
    parse::masked_text,
);

/// The file with that secret access key.
pub static LOG_S3_SECRET_KEY_FILE: ConfigKey<PathBuf> = ConfigKey::text(
    ConfigKeyEntry::new(
        "log.s3_secret_key_file",
        "A file whose first line is the secret access key at the object store.",
        "the path of a file",
        "\"/etc/sinete/s3-secret\"",
    )
    .with_unset_meaning("there is no object store"),
    parse::path,
);

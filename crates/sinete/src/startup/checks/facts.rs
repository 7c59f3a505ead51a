//! The facts about an instance: plain values, so that their evaluation can be tested without files, keys or a
//! database.

use crate::config::values::BaseUrl;
use crate::startup::file_exposure::FileExposure;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::Timestamp;
use sinete_store::{ClockOffset, DatabaseEngine, StoreFailure};
use std::path::PathBuf;

/// All facts.
#[derive(Clone, Debug)]
pub struct StartupFacts {
    /// The issuer.
    pub issuer: BaseUrl,
    /// The instance key.
    pub instance_key: InstanceKeyFact,
    /// The signing keys from all sources.
    pub signing: Vec<SigningKeyFact>,
    /// The database.
    pub database: DatabaseFact,
    /// The last recorded verification of the security log.
    pub log_verification: LogVerificationFact,
    /// Secret files, other than signing keys.
    pub files: Vec<FileFact>,
    /// Lookup files.
    pub lookup_files: Vec<LookupFileFact>,
    /// Whether the branding files are usable; `None` if none are configured.
    pub branding: Option<Result<(), String>>,
    /// The network settings.
    pub network: NetworkFact,
    /// Whether the log level exposes personal data.
    pub verbose_log: bool,
}

/// The state of the instance key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstanceKeyFact {
    /// Not configured.
    Missing,
    /// Not configured, and the key that the database was used with is not in the development location either.
    Lost,
    /// Configured, but unreadable for this reason.
    Unusable(String),
    /// Readable.
    Usable {
        /// Its origin, as text.
        origin: String,
        /// Whether it is the sample from our documentation.
        is_sample: bool,
        /// Whether a development instance generated it.
        is_generated: bool,
        /// Whether it is in the same folder as the data it protects.
        is_beside_data: bool,
        /// Whether it decrypts the check value in the database.
        key_match: InstanceKeyMatch,
    },
}

/// Whether the instance key is the one that the database was used with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstanceKeyMatch {
    /// Yes.
    Right,
    /// No.
    Wrong,
    /// There is nothing to compare with.
    NotCompared,
}

/// A signing key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SigningKeyFact {
    /// Its origin: a file, a setting, or its id in the database.
    pub origin: String,
    /// The key, or why it cannot be used.
    pub key: Result<UsableKeyFact, String>,
}

/// A usable signing key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsableKeyFact {
    /// The algorithm.
    pub algorithm: SigningAlgorithm,
    /// Whether it is a development key, by its own mark or by the database's record.
    pub is_development: bool,
    /// Whether it was published as a sample.
    pub is_sample: bool,
}

/// The database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatabaseFact {
    /// It does not exist yet and is created at startup.
    Absent,
    /// It could not be opened or read.
    Unreadable(StoreFailure),
    /// It is available.
    Open {
        /// The engine.
        engine: DatabaseEngine,
        /// The engine's version.
        version: String,
        /// A setting that can lose committed writes.
        durability_risk: Option<String>,
        /// The number of pending migrations.
        pending: usize,
        /// Whether startup applies them.
        migrates: bool,
        /// The clock difference to this node.
        offset: ClockOffset,
        /// Whether the connection is encrypted or local.
        is_private: bool,
        /// Why it is not writable.
        write_failure: Option<StoreFailure>,
    },
}

/// When the security log was last verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogVerificationFact {
    /// There is no database that could say so.
    Unknown,
    /// No verification is recorded.
    Never,
    /// The last one.
    Recorded {
        /// When it began.
        at: Timestamp,
        /// The number of findings.
        findings: u64,
        /// The position of the head.
        position: Option<i64>,
    },
}

/// A secret file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFact {
    /// Its content, as text.
    pub contents: String,
    /// The file.
    pub path: PathBuf,
    /// Who can read it.
    pub exposure: FileExposure,
    /// Whether exposure blocks production.
    pub blocks_production: bool,
}

/// A lookup file, read at startup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookupFileFact {
    /// The kind of list.
    pub kind: LookupFileKind,
    /// The file.
    pub path: PathBuf,
    /// Why it cannot be used, in one line that names the file.
    pub unusable: Option<String>,
}

/// A kind of lookup file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookupFileKind {
    /// Breached passwords.
    BreachedPasswords,
    /// The GeoIP database.
    GeoIp,
    /// Trusted CAs for client certificates.
    ClientAuthorities,
}

impl LookupFileKind {
    /// The configuration key.
    pub const fn config_key(self) -> &'static str {
        match self {
            Self::BreachedPasswords => "passwords.breached_file",
            Self::GeoIp => "alerts.geoip_file",
            Self::ClientAuthorities => "mutual_tls.authorities",
        }
    }
}

/// The mTLS settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MtlsFact {
    /// The base URL.
    pub address: String,
    /// Whether all connections are asked for a certificate, including browsers.
    pub requests_from_everyone: bool,
    /// Whether the proxy secret is the sample from our documentation.
    pub is_sample: bool,
}

/// A file descriptor limit that allows fewer connections than configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenFileShortage {
    /// The hard limit of file descriptors.
    pub allowed: u64,
    /// The configured connections.
    pub configured: usize,
    /// The connections that fit.
    pub connections: usize,
}

/// The network settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetworkFact {
    /// Whether the admin listener is reachable from other machines.
    pub admin_is_public: bool,
    /// Whether every proxy is trusted.
    pub trusts_every_proxy: bool,
    /// Why the certificate cannot be used.
    pub certificate: Option<String>,
    /// The mTLS settings, if enabled.
    pub mtls: Option<MtlsFact>,
    /// The shortage of file descriptors, if there is one.
    pub open_file_shortage: Option<OpenFileShortage>,
}

//! What is known about an instance before anything is said about it. Gathering is done elsewhere; these are
//! plain values, so that the judgement can be tested without files, keys or a database.

use crate::config::values::BaseUrl;
use crate::startup::file_exposure::FileExposure;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_store::{ClockOffset, DatabaseEngine, StoreFailure};
use std::path::PathBuf;

/// Everything the judgement looks at.
#[derive(Clone, Debug)]
pub struct StartupFacts {
    /// The address others know.
    pub issuer: BaseUrl,
    /// The key that encrypts stored secrets.
    pub instance_key: InstanceKeyFact,
    /// Keys that are to sign, wherever they are.
    pub signing: Vec<SigningKeyFact>,
    /// The database.
    pub database: DatabaseFact,
    /// Files that must be kept from others, besides those with keys that sign.
    pub files: Vec<FileFact>,
    /// Lists that something is looked up in.
    pub lists: Vec<ListFact>,
    /// Whether the files can be used that say what the screens look like, or why not; nothing, where none are named.
    pub branding: Option<Result<(), String>>,
    /// How the service is reached.
    pub network: NetworkFact,
    /// Whether the log says more than is good for people's privacy.
    pub verbose_log: bool,
}

/// The key that encrypts stored secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstanceKeyFact {
    /// Nobody configured one.
    Missing,
    /// Nobody configured one, and the database was used with one that is not where a development instance keeps its own.
    Lost,
    /// It was configured and cannot be read, because of this.
    Unusable(String),
    /// It can be read.
    Usable {
        /// Where it comes from, in words.
        origin: String,
        /// Whether it stands in our documentation.
        is_sample: bool,
        /// Whether a development instance made it for itself.
        is_generated: bool,
        /// Whether it lies in one folder with the data it protects.
        is_beside_data: bool,
        /// Whether it opens what the database holds, as far as that could be tried.
        fit: InstanceKeyMatch,
    },
}

/// Whether the instance key is the one the database was used with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstanceKeyMatch {
    /// It is.
    Right,
    /// It is not.
    Wrong,
    /// Nothing was there to try it on.
    Untried,
}

/// One key that is to sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SigningKeyFact {
    /// Where it is: a file, a setting, or the database and its id there.
    pub origin: String,
    /// What it is, or why it cannot be used.
    pub key: Result<UsableKeyFact, String>,
}

/// A key that can sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsableKeyFact {
    /// What it signs with.
    pub algorithm: SigningAlgorithm,
    /// Whether it was made for trying things out: by its own mark, or because this instance remembers it.
    pub is_development: bool,
    /// Whether it stands in a public document.
    pub is_sample: bool,
}

/// The database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatabaseFact {
    /// There is none yet; starting makes it.
    Absent,
    /// It could not be opened or read.
    Failed(StoreFailure),
    /// It answers.
    Open {
        /// Which engine, in which version.
        engine: DatabaseEngine,
        /// The engine's version.
        version: String,
        /// A setting that lets acknowledged writes be lost.
        at_risk: Option<String>,
        /// How many migrations are still to be applied.
        pending: usize,
        /// Whether starting applies them.
        migrates: bool,
        /// How far its clock is from this node's.
        offset: ClockOffset,
        /// Whether the way to it is encrypted or stays on this machine.
        private: bool,
        /// Why it takes no writes.
        unwritable: Option<StoreFailure>,
    },
}

/// A file that must be kept from others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFact {
    /// What it holds, in words.
    pub contents: String,
    /// The file.
    pub path: PathBuf,
    /// Who can read it.
    pub exposure: FileExposure,
    /// Whether production must not start while others can read it.
    pub blocks_production: bool,
}

/// A list that something is looked up in, which is read at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListFact {
    /// What is looked up there.
    pub list: LookupList,
    /// The file.
    pub path: PathBuf,
    /// Why it cannot be used, in one line that names the file.
    pub unusable: Option<String>,
}

/// What is looked up in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookupList {
    /// Passwords that nobody may choose.
    BreachedPasswords,
    /// Where network addresses are.
    GeoIp,
    /// Authorities that vouch for clients' certificates.
    ClientAuthorities,
}

impl LookupList {
    /// The key that names it.
    pub const fn config_key(self) -> &'static str {
        match self {
            Self::BreachedPasswords => "passwords.breached_file",
            Self::GeoIp => "alerts.geoip_file",
            Self::ClientAuthorities => "mutual_tls.authorities",
        }
    }
}

/// How clients' certificates are taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MtlsFact {
    /// Where they are shown.
    pub address: String,
    /// Whether everybody who connects is asked for one, people's browsers included.
    pub requests_from_everyone: bool,
    /// Whether the secret of the proxies stands in our documentation.
    pub is_sample: bool,
}

/// A limit on open files that leaves fewer connections than are configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenFileShortage {
    /// The files that may be open, once the soft limit is raised to the hard one.
    pub allowed: u64,
    /// The connections that are configured.
    pub configured: usize,
    /// The connections that there is room for beside everything else.
    pub connections: usize,
}

/// How the service is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetworkFact {
    /// Whether readiness and metrics are reachable from other machines.
    pub admin_is_public: bool,
    /// Whether everybody's word about where a request came from counts.
    pub trusts_every_proxy: bool,
    /// Why the certificate cannot be used.
    pub certificate: Option<String>,
    /// How clients' certificates are taken, where they are.
    pub mtls: Option<MtlsFact>,
    /// Where the system lets this process open too few files for the connections that are configured.
    pub open_file_shortage: Option<OpenFileShortage>,
}

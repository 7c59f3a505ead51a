//! The configuration: a TOML file, with an environment variable for every key. All problems are reported at
//! once.
//!
//! Loading only reads. Whether a configuration is *safe* is checked by [`crate::startup`].

mod database;
pub mod delivery;
pub mod environment;
pub mod explain;
mod file;
pub mod key;
pub mod keys;
pub mod log_archive;
pub mod mtls;
mod origins;
mod outbound;
mod parse;
pub mod problem;
mod rate_limits;
pub mod raw_value;
pub mod reference;
mod rules;
pub mod sign_in;
mod suggestion;
pub mod template;
pub mod values;

pub use database::DatabaseConfig;
pub use delivery::{EmailConfig, PasswordSource, ServiceLogin, SmsConfig};
use environment::Environment;
use ipnet::IpNet;
use log_archive::LogArchiveConfig;
use mtls::MtlsConfig;
pub use origins::ConfigSources;
pub use outbound::OutboundConfig;
use problem::ConfigProblems;
use sinete_core::organizations::client_documents::ClientDocumentRules;
use sinete_core::organizations::settings::ScopeCeilingPolicy;
use sinete_engine::oauth::dpop::DpopNoncePolicy;
#[cfg(feature = "screens")]
use sinete_http::screens::branding::BrandPalette;
use sinete_server::extract::peer::ForwardingHeader;
use sinete_server::rate_limits::RateLimits;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use url::Url;
use values::{BaseUrl, ConfiguredMode, KeyFile, LogFilter, LogFormat, MaskedText};

/// The default configuration file, if it exists.
pub const DEFAULT_FILE: &str = "sinete.toml";

/// A valid configuration.
#[derive(Clone, Debug)]
pub struct Config {
    /// The mode of this instance.
    pub mode: ConfiguredMode,
    base_url: Option<BaseUrl>,
    /// The address of the public listener.
    pub listen: SocketAddr,
    /// The address of the admin listener, for readiness and metrics.
    pub admin_listen: SocketAddr,
    /// The proxies whose forwarding headers are trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// The forwarding header that they send.
    pub proxy_header: ForwardingHeader,
    /// Certificate and key, if this process terminates TLS.
    pub tls: Option<TlsFiles>,
    /// The mTLS settings.
    pub mtls: Option<MtlsConfig>,
    /// Whether DPoP proofs must contain a nonce.
    pub dpop_nonces: DpopNoncePolicy,
    /// The data folder of this instance.
    pub data_dir: PathBuf,
    /// The database.
    pub database: DatabaseConfig,
    /// The key that encrypts stored secrets.
    pub instance_key: InstanceKey,
    /// The configured signing keys.
    pub signing: SigningConfig,
    /// Sign-in and sign-up.
    pub sign_in: sign_in::SignInConfig,
    /// Whether the hosted screens are served.
    pub screens: bool,
    /// Whether the console is served.
    #[cfg(feature = "screens")]
    pub console: bool,
    /// The branding.
    #[cfg(feature = "screens")]
    pub branding: BrandingConfig,
    /// The limits of one node.
    pub limits: LimitsConfig,
    /// The limits of dynamic client registration.
    pub registration: RegistrationConfig,
    /// Which client metadata documents are accepted.
    pub client_documents: ClientDocumentRules,
    /// The rate limits per network address.
    pub rate_limits: Option<RateLimits>,
    /// Outbound requests.
    pub outbound: OutboundConfig,
    /// Whether this node delivers messages.
    pub delivery_enabled: bool,
    /// The mail server.
    pub email: Option<EmailConfig>,
    /// The folder of e-mail templates.
    pub mail_templates: Option<PathBuf>,
    /// The SMS gateway.
    pub sms: Option<SmsConfig>,
    /// The GeoIP database.
    pub geoip_file: Option<PathBuf>,
    /// Logging.
    pub log: LogConfig,
    /// The archive of the security log.
    pub log_archive: LogArchiveConfig,
    /// How long usage counts are kept.
    pub usage_retention: sinete_core::time::Lifetime,
    /// The OTLP endpoint for traces.
    pub otlp_endpoint: Option<Url>,
    /// The file the configuration was read from.
    pub file: Option<PathBuf>,
    /// Keys with secret values that are set in that file.
    pub secrets_in_file: Vec<&'static str>,
}

/// Certificate and private key files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate chain, end-entity certificate first.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// The source of the instance key.
#[derive(Clone, Debug)]
pub enum InstanceKey {
    /// The configuration itself.
    Text {
        /// The key.
        current: MaskedText,
        /// The previous keys.
        previous: Vec<MaskedText>,
    },
    /// A file.
    File {
        /// The file.
        path: PathBuf,
        /// Previous keys, in addition to those in the file.
        previous: Vec<MaskedText>,
    },
    /// Not configured.
    Unset,
}

/// The configured signing keys.
#[derive(Clone, Debug, Default)]
pub struct SigningConfig {
    /// Files.
    pub files: Vec<KeyFile>,
    /// A key as text.
    pub text: Option<MaskedText>,
}

/// The branding of the hosted screens.
#[cfg(feature = "screens")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrandingConfig {
    /// The name of the service.
    pub name: String,
    /// The logo file.
    pub logo: Option<PathBuf>,
    /// The colors.
    pub palette: BrandPalette,
    /// An additional style sheet file.
    pub style: Option<PathBuf>,
    /// The URL of the documentation.
    pub documentation: Option<Url>,
}

/// The limits of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitsConfig {
    /// Maximum open connections.
    pub connections: usize,
    /// Maximum requests in progress.
    pub requests: usize,
    /// How long a stopping node reports that it is not ready before it stops accepting requests, in seconds.
    pub notice_seconds: u32,
    /// How long a stopping node completes requests in progress, in seconds.
    pub drain_seconds: u32,
}

/// The limits of dynamic client registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegistrationConfig {
    /// Per address and minute; 0 means no limit.
    pub per_minute: u32,
    /// The burst per address.
    pub burst: u32,
    /// Per day in total; 0 means no limit.
    pub per_day: u32,
    /// Whether the registered scope limits requests.
    pub scope_ceiling: ScopeCeilingPolicy,
}

/// The logging settings.
#[derive(Clone, Debug)]
pub struct LogConfig {
    /// The format.
    pub format: LogFormat,
    /// The filter.
    pub filter: LogFilter,
}

/// A configuration with the origin of each value.
#[derive(Debug)]
pub struct LoadedConfig {
    /// The configuration.
    pub config: Config,
    /// The configured values.
    pub origins: ConfigSources,
}

impl Config {
    /// Loads the configuration from the given file, or from `sinete.toml` if it exists, and the environment.
    pub fn load(file: Option<&Path>, environment: &Environment) -> Result<LoadedConfig, ConfigProblems> {
        let path = file.map(Path::to_owned).or_else(|| environment.get("SINETE_CONFIG").map(PathBuf::from));
        let default_path = Path::new(DEFAULT_FILE);
        let file = path.or_else(|| default_path.exists().then(|| default_path.to_owned()));
        Self::load_sources(file, environment)
    }

    /// Loads the configuration from these variables only, for programs that serve in process.
    pub fn from_environment(environment: &Environment) -> Result<Self, ConfigProblems> {
        Self::load_sources(None, environment).map(|loaded| loaded.config)
    }

    fn load_sources(
        file: Option<PathBuf>,
        environment: &Environment,
    ) -> Result<LoadedConfig, ConfigProblems> {
        let contents = file.as_deref().map(file::read_file).unwrap_or_default();
        let variables = environment.read_keys();

        let mut problems = contents.problems;
        problems.extend(variables.problems);
        let mut origins = ConfigSources::default();
        for (key, located_value) in variables.values.into_iter().chain(contents.values) {
            origins.0.entry(key).or_default().push(located_value);
        }
        problems.extend(origins.find_invalid_values());
        problems.extend(rules::find_violations(&origins));
        ConfigProblems::require_none(problems)?;
        let config = origins.build_config(file)?;
        Ok(LoadedConfig { config, origins })
    }

    /// The issuer. If not configured, it follows from the bound address.
    pub fn issuer(&self, bound: SocketAddr) -> BaseUrl {
        self.base_url.clone().unwrap_or_else(|| BaseUrl::localhost(bound.port()))
    }
}

#[cfg(test)]
mod tests;

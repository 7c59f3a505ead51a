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
pub mod mtls;
mod parse;
pub mod problem;
mod rate_limits;
pub mod raw_value;
pub mod reference;
mod rules;
pub mod sign_in;
mod suggestion;
pub mod values;

pub use database::DatabaseConfig;
pub use delivery::{EmailConfig, PasswordSource, ServiceLogin, SmsConfig};
use environment::Environment;
use ipnet::IpNet;
use key::{ConfigKey, DefaultValue};
use mtls::MtlsConfig;
use problem::{ConfigProblem, ConfigProblems};
use raw_value::{LocatedValue, RawValue, ValueLocation};
use sinete_engine::oauth::dpop::DpopNoncePolicy;
use sinete_http::extract::peer::ForwardingHeader;
use sinete_http::paces::RateLimits;
#[cfg(feature = "screens")]
use sinete_http::screens::branding::BrandPalette;
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
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
    /// Signing keys from outside the database.
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
    /// The rate limits per network address.
    pub rate_limits: Option<RateLimits>,
    /// Outbound requests.
    pub outbound: OutboundConfig,
    /// Whether this node delivers messages.
    pub delivery_enabled: bool,
    /// The mail server.
    pub email: Option<EmailConfig>,
    /// The SMS gateway.
    pub sms: Option<SmsConfig>,
    /// The GeoIP database.
    pub geoip_file: Option<PathBuf>,
    /// Logging.
    pub log: LogConfig,
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

/// Signing keys from outside the database.
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
}

/// The settings of outbound requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboundConfig {
    /// Private networks that client-supplied URLs may lead to.
    pub own_networks: Vec<IpNet>,
    /// The DNS servers; if empty, those of the system.
    pub dns_servers: Vec<SocketAddr>,
}

/// The logging settings.
#[derive(Clone, Debug)]
pub struct LogConfig {
    /// The format.
    pub format: LogFormat,
    /// The filter.
    pub filter: LogFilter,
}

/// The configured values by key. If several sources set a key, the effective one comes first.
#[derive(Debug, Default)]
pub struct ConfigOrigins(BTreeMap<&'static str, Vec<LocatedValue>>);

/// A configuration with the origin of each value.
#[derive(Debug)]
pub struct LoadedConfig {
    /// The configuration.
    pub config: Config,
    /// The configured values.
    pub origins: ConfigOrigins,
}

impl Config {
    /// Loads the configuration from the given file, or from `sinete.toml` if it exists, and the environment.
    pub fn load(file: Option<&Path>, environment: &Environment) -> Result<LoadedConfig, ConfigProblems> {
        let named = file.map(Path::to_owned).or_else(|| environment.get("SINETE_CONFIG").map(PathBuf::from));
        let usual = Path::new(DEFAULT_FILE);
        let file = named.or_else(|| usual.exists().then(|| usual.to_owned()));
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
        let mut written = ConfigOrigins::default();
        for (key, given) in variables.values.into_iter().chain(contents.values) {
            written.0.entry(key).or_default().push(given);
        }
        problems.extend(written.find_invalid_values());
        problems.extend(rules::find_violations(&written));
        ConfigProblems::require_none(problems)?;
        let config = written.build_config(file)?;
        Ok(LoadedConfig { config, origins: written })
    }

    /// The issuer. If not configured, it follows from the bound address.
    pub fn issuer(&self, bound: SocketAddr) -> BaseUrl {
        self.base_url.clone().unwrap_or_else(|| BaseUrl::localhost(bound.port()))
    }
}

impl ConfigOrigins {
    /// The effective value of a key.
    pub fn effective_value(&self, key: &str) -> Option<&LocatedValue> {
        self.0.get(key)?.first()
    }

    /// Finds all invalid values.
    fn find_invalid_values(&self) -> Vec<ConfigProblem> {
        let mut problems = Vec::new();
        for key in keys::ALL {
            for given in self.0.get(key.entry().name).into_iter().flatten() {
                if let Some(what) = key.fault(&given.raw) {
                    problems.push(key.entry().problem(&given.location, what));
                }
            }
        }
        problems
    }

    /// The effective value of a key, if it is set and valid.
    fn get<T>(&self, key: &ConfigKey<T>) -> Option<T> {
        key.parse(&self.effective_value(key.entry.name)?.raw).ok()
    }

    /// The value of a key that always has one.
    fn require<T>(&self, key: &ConfigKey<T>) -> Result<T, ConfigProblem> {
        let fixed = || match key.entry.default_value {
            DefaultValue::Fixed(word) => key.parse(&RawValue::Word(word.to_owned())).ok(),
            DefaultValue::Derived { .. } | DefaultValue::Unset(_) => None,
        };
        let what = "has no value, and none to fall back on".to_owned();
        let problem =
            ConfigProblem { location: None, key: Some(key.entry.name.to_owned()), message: what, fix: None };
        self.get(key).or_else(fixed).ok_or(problem)
    }

    fn build_config(&self, file: Option<PathBuf>) -> Result<Config, ConfigProblem> {
        let mode = self.require(&keys::MODE)?;
        let data_dir = self.require(&keys::DATA_DIR)?;
        Ok(Config {
            mode,
            base_url: self.get(&keys::BASE_URL),
            listen: self.require(&keys::LISTEN)?,
            admin_listen: self.require(&keys::ADMIN_LISTEN)?,
            trusted_proxies: self.get(&keys::TRUSTED_PROXIES).unwrap_or_default(),
            proxy_header: self.require(&keys::PROXY_HEADER)?,
            tls: self
                .get(&keys::TLS_CERTIFICATE)
                .zip(self.get(&keys::TLS_KEY))
                .map(|(certificate, key)| TlsFiles { certificate, key }),
            mtls: MtlsConfig::from_origins(self),
            dpop_nonces: self.require(&keys::DPOP_NONCE)?,
            database: DatabaseConfig::from_origins(self, &data_dir)?,
            data_dir,
            instance_key: self.build_instance_key(),
            signing: SigningConfig {
                files: self.get(&keys::SIGNING_KEYS).unwrap_or_default(),
                text: self.get(&keys::SIGNING_KEY),
            },
            sign_in: sign_in::SignInConfig::from_origins(self, mode)?,
            screens: self.require(&keys::SCREENS_ENABLED)?,
            #[cfg(feature = "screens")]
            console: self.require(&keys::SCREENS_CONSOLE)?,
            #[cfg(feature = "screens")]
            branding: BrandingConfig {
                name: self.require(&keys::SCREENS_NAME)?,
                logo: self.get(&keys::SCREENS_LOGO),
                palette: BrandPalette {
                    accent: self.get(&keys::SCREENS_ACCENT),
                    background: self.get(&keys::SCREENS_BACKGROUND),
                },
                style: self.get(&keys::SCREENS_STYLE),
            },
            limits: LimitsConfig {
                connections: self.require(&keys::LIMITS_CONNECTIONS)?,
                requests: self.require(&keys::LIMITS_REQUESTS)?,
                notice_seconds: self.require(&keys::SHUTDOWN_NOTICE_SECONDS)?,
                drain_seconds: self.require(&keys::SHUTDOWN_DRAIN_SECONDS)?,
            },
            registration: RegistrationConfig {
                per_minute: self.require(&keys::REGISTRATION_PER_MINUTE)?,
                burst: self.require(&keys::REGISTRATION_BURST)?,
                per_day: self.require(&keys::REGISTRATION_PER_DAY)?,
            },
            rate_limits: self.rate_limits(mode)?,
            outbound: OutboundConfig {
                own_networks: self.get(&keys::OUTBOUND_OWN_NETWORKS).unwrap_or_else(|| match mode {
                    ConfiguredMode::Development => loopback_networks(),
                    ConfiguredMode::Production => Vec::new(),
                }),
                dns_servers: self.get(&keys::OUTBOUND_DNS_SERVERS).unwrap_or_default(),
            },
            delivery_enabled: self.require(&keys::DELIVERY_ENABLED)?,
            email: self.email(),
            sms: self.sms(),
            geoip_file: self.get(&keys::ALERTS_GEOIP_FILE),
            log: LogConfig {
                format: self.get(&keys::LOG_FORMAT).unwrap_or(match mode {
                    ConfiguredMode::Development => LogFormat::Text,
                    ConfiguredMode::Production => LogFormat::Json,
                }),
                filter: self.require(&keys::LOG_LEVEL)?,
            },
            otlp_endpoint: self.get(&keys::TELEMETRY_OTLP_ENDPOINT),
            secrets_in_file: self.secrets_in_file(),
            file,
        })
    }

    fn build_instance_key(&self) -> InstanceKey {
        let previous = self.get(&keys::PREVIOUS_INSTANCE_KEYS).unwrap_or_default();
        match (self.get(&keys::INSTANCE_KEY), self.get(&keys::INSTANCE_KEY_FILE)) {
            (Some(current), _) => InstanceKey::Text { current, previous },
            (None, Some(path)) => InstanceKey::File { path, previous },
            (None, None) => InstanceKey::Unset,
        }
    }

    /// The secret keys whose effective value is set in a file; a database URL counts if it contains a
    /// password.
    fn secrets_in_file(&self) -> Vec<&'static str> {
        let in_file = |name: &str| {
            self.effective_value(name)
                .is_some_and(|given| matches!(given.location, ValueLocation::File { .. }))
        };
        let database = self.effective_value(keys::DATABASE_URL.entry.name);
        let password = database.is_some_and(|given| given.raw.has_password());
        keys::ALL
            .iter()
            .map(|key| key.entry())
            .filter(|entry| entry.secret || (entry.name == keys::DATABASE_URL.entry.name && password))
            .map(|entry| entry.name)
            .filter(|name| in_file(name))
            .collect()
    }
}

/// All loopback networks.
fn loopback_networks() -> Vec<IpNet> {
    [IpNet::new(Ipv4Addr::LOCALHOST.into(), 8), IpNet::new(Ipv6Addr::LOCALHOST.into(), 128)]
        .into_iter()
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests;

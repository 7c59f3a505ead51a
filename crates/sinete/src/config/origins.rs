//! The configured values by key and source, and the configuration built from them.

#[cfg(feature = "screens")]
use super::BrandingConfig;
use super::database::DatabaseConfig;
use super::key::{ConfigKey, ConfigKeyDefault};
use super::mtls::MtlsConfig;
use super::problem::ConfigProblem;
use super::raw_value::{LocatedValue, RawValue, ValueLocation};
use super::values::{ConfiguredMode, LogFormat};
use super::{
    Config, InstanceKey, LimitsConfig, LogConfig, OutboundConfig, RegistrationConfig, SigningConfig,
    TlsFiles, keys, sign_in,
};
use sinete_core::organizations::client_documents::ClientDocumentRules;
#[cfg(feature = "screens")]
use sinete_http::screens::branding::BrandPalette;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The configured values by key. If several sources set a key, the effective one comes first.
#[derive(Debug, Default)]
pub struct ConfigSources(pub(super) BTreeMap<&'static str, Vec<LocatedValue>>);

impl ConfigSources {
    /// The effective value of a key.
    pub fn effective_value(&self, key: &str) -> Option<&LocatedValue> {
        self.0.get(key)?.first()
    }

    /// Finds all invalid values.
    pub(super) fn find_invalid_values(&self) -> Vec<ConfigProblem> {
        let mut problems = Vec::new();
        for key in keys::ALL {
            for located_value in self.0.get(key.entry().name).into_iter().flatten() {
                if let Some(message) = key.fault(&located_value.raw) {
                    problems.push(key.entry().problem(&located_value.location, message));
                }
            }
        }
        problems
    }

    /// The effective value of a key, if it is set and valid.
    pub(super) fn get<T>(&self, key: &ConfigKey<T>) -> Option<T> {
        key.parse(&self.effective_value(key.entry.name)?.raw).ok()
    }

    /// The value of a key that always has one.
    pub(super) fn require<T>(&self, key: &ConfigKey<T>) -> Result<T, ConfigProblem> {
        let fixed = || match key.entry.default_value {
            ConfigKeyDefault::Fixed(word) => key.parse(&RawValue::Untyped(word.to_owned())).ok(),
            ConfigKeyDefault::Derived { .. } | ConfigKeyDefault::Unset(_) => None,
        };
        let message = "has no value, and none to fall back on".to_owned();
        let problem =
            ConfigProblem { location: None, key: Some(key.entry.name.to_owned()), message, fix: None };
        self.get(key).or_else(fixed).ok_or(problem)
    }

    pub(super) fn build_config(&self, file: Option<PathBuf>) -> Result<Config, ConfigProblem> {
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
                documentation: self.get(&keys::SCREENS_DOCUMENTATION),
            },
            limits: LimitsConfig {
                connections: self.require(&keys::LIMITS_CONNECTIONS)?,
                requests: self.require(&keys::LIMITS_REQUESTS)?,
                notice_seconds: self.require(&keys::SHUTDOWN_NOTICE_SECONDS)?,
                drain_seconds: self.require(&keys::SHUTDOWN_DRAIN_SECONDS)?,
            },
            registration: self.registration()?,
            client_documents: ClientDocumentRules {
                policy: self.require(&keys::CLIENT_DOCUMENTS_POLICY)?,
                hosts: self.get(&keys::CLIENT_DOCUMENTS_HOSTS).unwrap_or_default(),
            },
            rate_limits: self.rate_limits(mode)?,
            outbound: OutboundConfig::from_origins(self, mode),
            delivery_enabled: self.require(&keys::DELIVERY_ENABLED)?,
            email: self.email(),
            mail_templates: self.get(&keys::MAIL_TEMPLATES),
            sms: self.sms(),
            geoip_file: self.get(&keys::ALERTS_GEOIP_FILE),
            log: LogConfig {
                format: self.get(&keys::LOG_FORMAT).unwrap_or(match mode {
                    ConfiguredMode::Development => LogFormat::Text,
                    ConfiguredMode::Production => LogFormat::Json,
                }),
                filter: self.require(&keys::LOG_LEVEL)?,
            },
            log_archive: self.log_archive()?,
            usage_retention: self.require(&keys::USAGE_RETENTION)?,
            otlp_endpoint: self.get(&keys::TELEMETRY_OTLP_ENDPOINT),
            secrets_in_file: self.secrets_in_file(),
            file,
        })
    }

    fn registration(&self) -> Result<RegistrationConfig, ConfigProblem> {
        Ok(RegistrationConfig {
            per_minute: self.require(&keys::REGISTRATION_PER_MINUTE)?,
            burst: self.require(&keys::REGISTRATION_BURST)?,
            per_day: self.require(&keys::REGISTRATION_PER_DAY)?,
            scope_ceiling: self.require(&keys::REGISTRATION_SCOPE_CEILING)?,
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
                .is_some_and(|located_value| matches!(located_value.location, ValueLocation::File { .. }))
        };
        let database = self.effective_value(keys::DATABASE_URL.entry.name);
        let password = database.is_some_and(|located_value| located_value.raw.has_password());
        keys::ALL
            .iter()
            .map(|key| key.entry())
            .filter(|entry| entry.secret || (entry.name == keys::DATABASE_URL.entry.name && password))
            .map(|entry| entry.name)
            .filter(|name| in_file(name))
            .collect()
    }
}

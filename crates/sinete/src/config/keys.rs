//! All configuration keys. The program, its error messages, `config check` and the reference in the
//! documentation all use this table.

mod client_documents;
mod database;
mod delivery;
mod dpop;
mod limits;
mod log;
mod log_archive;
mod mtls;
mod outbound;
mod rate_limits;
mod registration;
mod screens;
mod sign_in;
mod tls;
mod usage;

pub use client_documents::{CLIENT_DOCUMENTS_HOSTS, CLIENT_DOCUMENTS_POLICY};
pub use database::{
    DATABASE_ANSWER_SECONDS, DATABASE_MIGRATE_ON_START, DATABASE_POOL_SIZE, DATABASE_POOLING,
    DATABASE_PREPARED_STATEMENTS, DATABASE_URL,
};
pub use delivery::{
    ALERTS_GEOIP_FILE, DELIVERY_ENABLED, MAIL_CA_FILE, MAIL_FROM, MAIL_PASSWORD, MAIL_PASSWORD_FILE,
    MAIL_SERVER, MAIL_TEMPLATES, MAIL_USER, SMS_FROM, SMS_GATEWAY, SMS_PASSWORD, SMS_PASSWORD_FILE, SMS_USER,
};
pub use dpop::DPOP_NONCE;
pub use limits::{LIMITS_CONNECTIONS, LIMITS_REQUESTS, SHUTDOWN_DRAIN_SECONDS, SHUTDOWN_NOTICE_SECONDS};
pub use log::{LOG_FORMAT, LOG_LEVEL, TELEMETRY_OTLP_ENDPOINT};
pub use log_archive::{
    LOG_ARCHIVE, LOG_ARCHIVE_ORIGINS, LOG_AUDIT_RETENTION, LOG_RETENTION, LOG_S3_ACCESS_KEY, LOG_S3_ENDPOINT,
    LOG_S3_REGION, LOG_S3_SECRET_KEY, LOG_S3_SECRET_KEY_FILE,
};
pub use mtls::{MUTUAL_TLS_AUTHORITIES, MUTUAL_TLS_BASE_URL, MUTUAL_TLS_PROXY_SECRET};
pub use outbound::{OUTBOUND_CA_FILE, OUTBOUND_DNS_SERVERS, OUTBOUND_OWN_NETWORKS};
pub use rate_limits::{
    RATE_LIMITS_ACCOUNT, RATE_LIMITS_ENABLED, RATE_LIMITS_FLOWS, RATE_LIMITS_GRANT_TOKENS,
    RATE_LIMITS_INVITATIONS, RATE_LIMITS_MESSAGE_BUDGET, RATE_LIMITS_PROOFS,
    RATE_LIMITS_REGISTRATION_CHANGES, RATE_LIMITS_SENDS, RATE_LIMITS_STORED_REQUESTS, RATE_LIMITS_TOKEN,
};
pub use registration::{
    REGISTRATION_BURST, REGISTRATION_PER_DAY, REGISTRATION_PER_MINUTE, REGISTRATION_SCOPE_CEILING,
};

pub use sign_in::{
    ACCOUNTS_SIGN_UP, FLOWS_ALLOWED_ORIGINS, FLOWS_INTERACTION_URL, PASSWORDS_BREACHED_FILE,
    PASSWORDS_BREACHED_SERVICE, PASSWORDS_HASHED_AT_ONCE, PASSWORDS_LENGTH_MIN, PASSWORDS_MEMORY_KIB,
    PASSWORDS_PASSES, TOTP_STEPS_LATE, WEBAUTHN_ORIGINS, WEBAUTHN_RP_ID,
};
pub use tls::{TLS_CERTIFICATE, TLS_KEY};
pub use usage::USAGE_RETENTION;

pub use screens::SCREENS_ENABLED;
#[cfg(feature = "screens")]
pub use screens::{
    SCREENS_ACCENT, SCREENS_BACKGROUND, SCREENS_CONSOLE, SCREENS_DOCUMENTATION, SCREENS_LOGO, SCREENS_NAME,
    SCREENS_STYLE,
};

use crate::config::key::{AnyKey, ConfigKey, ConfigKeyEntry};
use crate::config::parse;
use crate::config::values::{BaseUrl, ConfiguredMode, KeyFile, MaskedText};
use ipnet::IpNet;
use sinete_server::extract::peer::ForwardingHeader;
use std::net::SocketAddr;
use std::path::PathBuf;

/// All keys, in the order of the reference.
pub static ALL: &[&dyn AnyKey] = &[
    &MODE,
    &BASE_URL,
    &LISTEN,
    &ADMIN_LISTEN,
    &TRUSTED_PROXIES,
    &PROXY_HEADER,
    &TLS_CERTIFICATE,
    &TLS_KEY,
    &MUTUAL_TLS_BASE_URL,
    &MUTUAL_TLS_AUTHORITIES,
    &MUTUAL_TLS_PROXY_SECRET,
    &DPOP_NONCE,
    &DATA_DIR,
    &DATABASE_URL,
    &DATABASE_POOL_SIZE,
    &DATABASE_ANSWER_SECONDS,
    &DATABASE_MIGRATE_ON_START,
    &DATABASE_POOLING,
    &DATABASE_PREPARED_STATEMENTS,
    &INSTANCE_KEY,
    &INSTANCE_KEY_FILE,
    &PREVIOUS_INSTANCE_KEYS,
    &SIGNING_KEYS,
    &SIGNING_KEY,
    &ACCOUNTS_SIGN_UP,
    &PASSWORDS_LENGTH_MIN,
    &PASSWORDS_MEMORY_KIB,
    &PASSWORDS_PASSES,
    &PASSWORDS_HASHED_AT_ONCE,
    &PASSWORDS_BREACHED_FILE,
    &PASSWORDS_BREACHED_SERVICE,
    &WEBAUTHN_RP_ID,
    &WEBAUTHN_ORIGINS,
    &TOTP_STEPS_LATE,
    &FLOWS_ALLOWED_ORIGINS,
    &FLOWS_INTERACTION_URL,
    &SCREENS_ENABLED,
    #[cfg(feature = "screens")]
    &SCREENS_CONSOLE,
    #[cfg(feature = "screens")]
    &SCREENS_NAME,
    #[cfg(feature = "screens")]
    &SCREENS_LOGO,
    #[cfg(feature = "screens")]
    &SCREENS_ACCENT,
    #[cfg(feature = "screens")]
    &SCREENS_BACKGROUND,
    #[cfg(feature = "screens")]
    &SCREENS_STYLE,
    #[cfg(feature = "screens")]
    &SCREENS_DOCUMENTATION,
    &LIMITS_CONNECTIONS,
    &LIMITS_REQUESTS,
    &RATE_LIMITS_ENABLED,
    &RATE_LIMITS_MESSAGE_BUDGET,
    &RATE_LIMITS_FLOWS,
    &RATE_LIMITS_STORED_REQUESTS,
    &RATE_LIMITS_PROOFS,
    &RATE_LIMITS_SENDS,
    &RATE_LIMITS_TOKEN,
    &RATE_LIMITS_ACCOUNT,
    &RATE_LIMITS_INVITATIONS,
    &RATE_LIMITS_REGISTRATION_CHANGES,
    &RATE_LIMITS_GRANT_TOKENS,
    &SHUTDOWN_NOTICE_SECONDS,
    &SHUTDOWN_DRAIN_SECONDS,
    &REGISTRATION_PER_MINUTE,
    &REGISTRATION_BURST,
    &REGISTRATION_PER_DAY,
    &REGISTRATION_SCOPE_CEILING,
    &CLIENT_DOCUMENTS_POLICY,
    &CLIENT_DOCUMENTS_HOSTS,
    &OUTBOUND_OWN_NETWORKS,
    &OUTBOUND_DNS_SERVERS,
    &OUTBOUND_CA_FILE,
    &DELIVERY_ENABLED,
    &MAIL_SERVER,
    &MAIL_FROM,
    &MAIL_USER,
    &MAIL_PASSWORD,
    &MAIL_PASSWORD_FILE,
    &MAIL_CA_FILE,
    &MAIL_TEMPLATES,
    &SMS_GATEWAY,
    &SMS_FROM,
    &SMS_USER,
    &SMS_PASSWORD,
    &SMS_PASSWORD_FILE,
    &ALERTS_GEOIP_FILE,
    &LOG_FORMAT,
    &LOG_LEVEL,
    &LOG_ARCHIVE,
    &LOG_RETENTION,
    &LOG_AUDIT_RETENTION,
    &LOG_ARCHIVE_ORIGINS,
    &LOG_S3_ENDPOINT,
    &LOG_S3_REGION,
    &LOG_S3_ACCESS_KEY,
    &LOG_S3_SECRET_KEY,
    &LOG_S3_SECRET_KEY_FILE,
    &TELEMETRY_OTLP_ENDPOINT,
    &USAGE_RETENTION,
];

/// Finds a key by name.
pub fn find_key(name: &str) -> Option<&'static dyn AnyKey> {
    ALL.iter().copied().find(|key| key.entry().name == name)
}

/// The names of all keys.
pub fn key_names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|key| key.entry().name)
}

/// The mode of the instance.
pub static MODE: ConfigKey<ConfiguredMode> = ConfigKey::text(
    ConfigKeyEntry::new(
        "mode",
        "The mode of the instance. Development generates missing keys; production refuses to start while anything \
         is missing or unsafe.",
        "`development` or `production`",
        "\"production\"",
    )
    .with_default("development"),
    parse::mode,
);

/// The public base URL.
pub static BASE_URL: ConfigKey<BaseUrl> = ConfigKey::text(
    ConfigKeyEntry::new(
        "base_url",
        "The public base URL. It is the issuer of every token and the beginning of every link, and is never taken \
         from a request. Changing it invalidates all tokens.",
        "an `http` or `https` URL without query and fragment",
        "\"https://id.example.com\"",
    )
    .with_derived_default("`http://localhost` with the port of `listen`", |config| {
        config.issuer(config.listen).to_string()
    }),
    parse::base_url,
);

/// The address of the public listener.
pub static LISTEN: ConfigKey<SocketAddr> = ConfigKey::text(
    ConfigKeyEntry::new(
        "listen",
        "The address of the public listener. Port 0 takes any free port.",
        "an IP address with a port",
        "\"0.0.0.0:8443\"",
    )
    .with_default("127.0.0.1:8080"),
    parse::address,
);

/// The address of the admin listener.
pub static ADMIN_LISTEN: ConfigKey<SocketAddr> = ConfigKey::text(
    ConfigKeyEntry::new(
        "admin_listen",
        "The address of the admin listener, which serves readiness and metrics. Keep it private.",
        "an IP address with a port",
        "\"127.0.0.1:9090\"",
    )
    .with_default("127.0.0.1:9090"),
    parse::address,
);

/// The trusted proxies.
pub static TRUSTED_PROXIES: ConfigKey<Vec<IpNet>> = ConfigKey::list(
    ConfigKeyEntry::new(
        "trusted_proxies",
        "Proxies whose forwarding header is trusted. From any other address the header is ignored.",
        "IP addresses or networks",
        "[\"10.0.0.0/8\", \"192.0.2.7\"]",
    )
    .with_unset_meaning("no proxy is trusted"),
    parse::networks,
);

/// The forwarding header of the proxies.
pub static PROXY_HEADER: ConfigKey<ForwardingHeader> = ConfigKey::text(
    ConfigKeyEntry::new(
        "proxy_header",
        "The header in which trusted proxies send the client's address. Set the one that your proxy writes: the \
         other is ignored, because a proxy forwards headers that it does not know.",
        "`x-forwarded-for` or `forwarded`",
        "\"forwarded\"",
    )
    .with_default("x-forwarded-for"),
    parse::forwarding_header,
);

/// The data folder.
pub static DATA_DIR: ConfigKey<PathBuf> = ConfigKey::text(
    ConfigKeyEntry::new(
        "data_dir",
        "The folder for the SQLite database and, in development, the generated keys. It is created when missing, \
         readable by its owner only.",
        "the path of a folder",
        "\"/var/lib/sinete\"",
    )
    .with_default("sinete-data"),
    parse::path,
);

/// The instance key.
pub static INSTANCE_KEY: ConfigKey<MaskedText> = ConfigKey::text(
    ConfigKeyEntry::new(
        "instance_key",
        "The key that encrypts secrets in the database. Losing it loses them. Prefer the environment or \
         `instance_key_file` over writing it into the configuration file.",
        "32 random bytes in base64 or hexadecimal, as `sinete keys instance-key` prints them",
        "\"5FykkKIe0lq_7ZxZlQWvHyfXGmVYKLUbOtZ5PyLnSAM\"",
    )
    .with_unset_meaning("development generates one in `data_dir`; production refuses to start")
    .secret(),
    parse::instance_key,
);

/// The file with the instance key.
pub static INSTANCE_KEY_FILE: ConfigKey<PathBuf> = ConfigKey::text(
    ConfigKeyEntry::new(
        "instance_key_file",
        "A file with the instance key on its first line, readable by its owner only. Further lines are \
         previous keys.",
        "the path of a file",
        "\"/etc/sinete/instance.key\"",
    )
    .with_unset_meaning("development generates one in `data_dir`; production refuses to start"),
    parse::path,
);

/// The previous instance keys.
pub static PREVIOUS_INSTANCE_KEYS: ConfigKey<Vec<MaskedText>> = ConfigKey::list(
    ConfigKeyEntry::new(
        "previous_instance_keys",
        "Previous instance keys, so that what they encrypted can be read until `sinete keys reencrypt` has \
         encrypted it again.",
        "a list of keys like `instance_key`",
        "[\"5FykkKIe0lq_7ZxZlQWvHyfXGmVYKLUbOtZ5PyLnSAM\"]",
    )
    .with_unset_meaning("no previous key")
    .secret(),
    parse::instance_keys,
);

/// Signing key files.
pub static SIGNING_KEYS: ConfigKey<Vec<KeyFile>> = ConfigKey::list(
    ConfigKeyEntry::new(
        "signing.keys",
        "Files with private signing keys, PEM or JWK, readable by their owner only. SIGHUP reads them \
         again. An RSA key signs RS256, unless `PS256:` precedes its path. Keys can also be in the \
         database: see `sinete keys`.",
        "a list of paths of files",
        "[\"/etc/sinete/es256.pem\", \"PS256:/etc/sinete/rsa.pem\"]",
    )
    .with_unset_meaning("only keys in the database sign"),
    parse::key_files,
);

/// A signing key as text.
pub static SIGNING_KEY: ConfigKey<MaskedText> = ConfigKey::text(
    ConfigKeyEntry::new(
        "signing.key",
        "Private signing keys as text, for platforms that pass secrets in the environment. PEM blocks follow each \
         other; in a single line, write `\\n` for each line break.",
        "private keys in PEM, a private JWK, or a set of them",
        "\"\"\"\\n-----BEGIN PRIVATE KEY-----\\n…\\n-----END PRIVATE KEY-----\"\"\"",
    )
    .with_unset_meaning("only keys in files and in the database sign")
    .secret(),
    parse::masked_text,
);

//! The keys of logging and tracing.

use crate::config::key::{ConfigKey, ConfigKeyEntry};
use crate::config::parse;
use crate::config::values::{LogFilter, LogFormat};
use url::Url;

/// The log format.
pub static LOG_FORMAT: ConfigKey<LogFormat> = ConfigKey::text(
    ConfigKeyEntry::new("log.format", "The format of log lines.", "`text` or `json`", "\"json\"")
        .with_derived_default("`text` in development, `json` in production", |config| {
            config.log.format.to_string()
        }),
    parse::log_format,
);

/// The log filter.
pub static LOG_LEVEL: ConfigKey<LogFilter> = ConfigKey::text(
    ConfigKeyEntry::new(
        "log.level",
        "The log level, for the whole program or for parts of it.",
        "`error`, `warn`, `info`, `debug` or `trace`, or a list such as `info,sinete_store=debug`",
        "\"info,sinete_store=debug\"",
    )
    .with_default("info"),
    parse::log_filter,
);

/// The OTLP endpoint for traces.
pub static TELEMETRY_OTLP_ENDPOINT: ConfigKey<Url> = ConfigKey::text(
    ConfigKeyEntry::new(
        "telemetry.otlp_endpoint",
        "The OpenTelemetry collector that receives traces, over OTLP/HTTP.",
        "an `http` or `https` URL",
        "\"http://127.0.0.1:4318\"",
    )
    .with_unset_meaning("no traces are sent"),
    parse::endpoint,
);

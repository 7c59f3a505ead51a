//! Logging as text or JSON, and traces if an endpoint is configured. Log messages are constant texts
//! with ids and never contain secrets.

#[cfg(feature = "otel")]
mod traces;

use crate::config::Config;
use crate::config::values::LogFormat;
use crate::exit::CommandError;
use sinete_server::context::TracePolicy;
use sinete_server::log_context;
use std::io::IsTerminal as _;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Registry, fmt};

/// Active logging. Pending traces are sent when it is shut down.
#[derive(Debug)]
pub struct LoggingGuard {
    #[cfg(feature = "otel")]
    exporter: Option<traces::TraceExporter>,
}

type Line = Box<dyn tracing_subscriber::Layer<Registry> + Send + Sync>;

impl LoggingGuard {
    /// Starts logging to standard error. May be called once per process.
    pub fn start(config: &Config, colours: bool) -> Result<Self, CommandError> {
        let mut layers: Vec<Line> = vec![build_log_layer(config, colours)?];
        #[cfg(feature = "otel")]
        let exporter = match &config.otlp_endpoint {
            Some(endpoint) => {
                let (exporter, layer) = traces::TraceExporter::start(endpoint)?;
                layers.push(layer);
                Some(exporter)
            }
            None => None,
        };
        tracing_subscriber::registry()
            .with(std::mem::take(&mut layers))
            .try_init()
            .map_err(|error| CommandError::failed(format!("logging cannot begin: {error}")))?;
        Ok(Self {
            #[cfg(feature = "otel")]
            exporter,
        })
    }

    /// Sends pending traces. Blocks, so it must not be called on an async worker.
    pub fn shut_down(self) {
        #[cfg(feature = "otel")]
        drop(self.exporter);
    }

    /// How incoming trace contexts are handled.
    pub fn trace_policy(config: &Config) -> TracePolicy {
        #[cfg(feature = "otel")]
        if config.otlp_endpoint.is_some() {
            return TracePolicy::Continue(traces::set_parent_trace);
        }
        let _ = config;
        TracePolicy::StartNew
    }
}

fn build_log_layer(config: &Config, colours: bool) -> Result<Line, CommandError> {
    let filter = EnvFilter::try_new(config.log.filter.as_str())
        .map_err(|error| CommandError::invalid_usage(format!("log.level cannot be used: {error}")))?;
    let layer = fmt::layer().with_writer(std::io::stderr);
    Ok(match config.log.format {
        LogFormat::Json => layer.json().event_format(log_context::json_format()).with_filter(filter).boxed(),
        LogFormat::Text => {
            let colours = colours && std::io::stderr().is_terminal();
            layer
                .with_ansi(colours)
                .event_format(log_context::text_format(colours))
                .with_filter(filter)
                .boxed()
        }
    })
}

//! Log lines, for people or for machines, and traces where an endpoint is configured. No line holds a secret:
//! whatever is logged is one of our own sentences with ids beside it.

#[cfg(feature = "otel")]
mod traces;

use crate::config::Config;
use crate::config::values::LogFormat;
use crate::exit::CommandError;
use sinete_http::lines;
use sinete_http::state::TracePolicy;
use std::io::IsTerminal as _;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Registry, fmt};

/// Logging, until it is ended: what is still to be sent is sent then.
#[derive(Debug)]
pub struct LoggingGuard {
    #[cfg(feature = "otel")]
    exporter: Option<traces::TraceExporter>,
}

type Line = Box<dyn tracing_subscriber::Layer<Registry> + Send + Sync>;

impl LoggingGuard {
    /// Begins to log, to standard error. May be called once in a process.
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

    /// Sends what is still to be sent. Must not be called where other work waits.
    pub fn shut_down(self) {
        #[cfg(feature = "otel")]
        drop(self.exporter);
    }

    /// What is done with a trace that a caller began.
    pub fn trace_policy(config: &Config) -> TracePolicy {
        #[cfg(feature = "otel")]
        if config.otlp_endpoint.is_some() {
            return TracePolicy::Continue(traces::set_parent_trace);
        }
        let _ = config;
        TracePolicy::BeginOwn
    }
}

fn build_log_layer(config: &Config, colours: bool) -> Result<Line, CommandError> {
    let filter = EnvFilter::try_new(config.log.filter.as_str())
        .map_err(|error| CommandError::invalid_usage(format!("log.level cannot be used: {error}")))?;
    let layer = fmt::layer().with_writer(std::io::stderr);
    Ok(match config.log.format {
        LogFormat::Json => layer.json().event_format(lines::json_format()).with_filter(filter).boxed(),
        LogFormat::Text => {
            let colours = colours && std::io::stderr().is_terminal();
            layer.with_ansi(colours).event_format(lines::text_format(colours)).with_filter(filter).boxed()
        }
    })
}

//! Export of traces to an OpenTelemetry collector over OTLP/HTTP. If the collector is unavailable, only
//! traces are lost: spans are exported in batches on a separate thread and dropped if too many are pending.

use crate::exit::CommandError;
use crate::logging::Line;
use opentelemetry::trace::{
    SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState, TracerProvider as _,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use sinete_server::extract::trace_parent::TraceParent;
use std::time::Duration;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::Layer as _;
use url::Url;

/// Maximum time of an export.
const BATCH_MAX: Duration = Duration::from_secs(5);

/// The span exporter. Dropping it exports pending spans within a time limit.
#[derive(Debug)]
pub struct TraceExporter(SdkTracerProvider);

impl TraceExporter {
    /// Starts the exporter, and returns the layer that creates spans. Only our own spans are recorded: the
    /// exporting HTTP client creates spans too, which would be exported endlessly.
    pub fn start(endpoint: &Url) -> Result<(Self, Line), CommandError> {
        let exporter = SpanExporter::builder()
            .with_http()
            .with_endpoint(otlp_traces_url(endpoint))
            .with_timeout(BATCH_MAX)
            .build()
            .map_err(|error| CommandError::failed(format!("traces cannot be sent to {endpoint}: {error}")))?;
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let resource = Resource::builder().with_service_name("sinete").with_attribute(version).build();
        let provider =
            SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build();
        let ours = Targets::new().with_target("sinete", LevelFilter::INFO);
        let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("sinete"));
        Ok((Self(provider), layer.with_filter(ours).boxed()))
    }
}

impl Drop for TraceExporter {
    fn drop(&mut self) {
        // Export errors must not keep the program from ending.
        let _ = self.0.shutdown_with_timeout(BATCH_MAX);
    }
}

/// The traces URL; an endpoint without a path gets the default one.
fn otlp_traces_url(endpoint: &Url) -> String {
    let text = endpoint.as_str().trim_end_matches('/');
    if endpoint.path().len() > 1 { text.to_owned() } else { format!("{text}/v1/traces") }
}

/// Sets the parent trace of a span.
pub fn set_parent_trace(span: &tracing::Span, parent: &TraceParent) {
    let flags = if parent.sampled { TraceFlags::SAMPLED } else { TraceFlags::default() };
    let (trace, caller) = (TraceId::from_bytes(parent.trace), SpanId::from_bytes(parent.span));
    let remote = SpanContext::new(trace, caller, flags, true, TraceState::default());
    // A span that is not recorded needs no parent.
    let _ = span.set_parent(Context::new().with_remote_span_context(remote));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn otlp_endpoint_without_a_path_gets_the_default_path() {
        for (endpoint, expected) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
            ("http://127.0.0.1:4318/", "http://127.0.0.1:4318/v1/traces"),
            ("https://collector.example/otlp/v1/traces", "https://collector.example/otlp/v1/traces"),
        ] {
            assert_eq!(otlp_traces_url(&Url::parse(endpoint).unwrap()), expected);
        }
    }
}

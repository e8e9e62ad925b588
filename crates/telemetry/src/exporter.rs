//! Export of spans to the collector.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use hyper::body::Bytes;
use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_http::{HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{
    ExporterBuildError, Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracerProvider, Tracer};
use tokio::runtime::Handle;
use tracing::{Metadata, Subscriber};
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

use crate::TARGET;
use crate::collector::Collector;
use crate::post::{SendError, post};

/// Timeout for sending the last spans at shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Exporter that collects spans and sends them in batches.
///
/// Spans that the collector does not accept in time are dropped. Queue limits and sampling follow the variables
/// that OpenTelemetry defines (`OTEL_BSP_…`, `OTEL_TRACES_SAMPLER`).
#[derive(Debug, Clone)]
pub struct TraceExporter {
    provider: SdkTracerProvider,
}

/// Failure to create an exporter.
#[derive(Debug, thiserror::Error)]
#[error("spans cannot be exported: {0}; check the variables that begin with OTEL_")]
pub struct ExporterError(#[from] ExporterBuildError);

impl TraceExporter {
    /// Creates an exporter for a collector. Its requests run on `runtime`.
    pub fn new(collector: &Collector, runtime: Handle) -> Result<Self, ExporterError> {
        let text =
            |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers: HashMap<String, String> = collector
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), text(value)))
            .collect();
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(ExporterClient {
                runtime,
                failing: Arc::default(),
                place: collector.url(),
            })
            .with_endpoint(collector.url())
            .with_protocol(Protocol::HttpBinary)
            .with_headers(headers)
            .build()?;
        let resource = Resource::builder()
            .with_service_name(collector.service.clone())
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .build();
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource)
            .build();
        Ok(Self { provider })
    }

    /// Returns the subscriber layer that exports spans with our target.
    pub fn layer<S>(&self) -> impl Layer<S> + Send + Sync + 'static
    where
        S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        let ours = |metadata: &Metadata<'_>| metadata.is_span() && metadata.target() == TARGET;
        let tracer: Tracer = self.provider.tracer("pincite");
        OpenTelemetryLayer::new(tracer)
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_level(false)
            .with_tracked_inactivity(false)
            .with_filter(filter_fn(ours))
    }

    /// Sends the remaining spans. Blocks, so it must not be called on the only thread of the runtime.
    pub fn shut_down(&self) {
        // A failure was logged by the client already.
        let _ = self.provider.shutdown_with_timeout(SHUTDOWN_TIMEOUT);
    }
}

/// HTTP client of the exporter.
#[derive(Debug)]
struct ExporterClient {
    runtime: Handle,
    /// True after a failed attempt. Only changes are logged.
    failing: Arc<AtomicBool>,
    place: String,
}

#[async_trait]
impl HttpClient for ExporterClient {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        // The exporter calls this on a thread without a runtime.
        let sent = self.runtime.spawn(post(request)).await?;
        let refused = |answer: &Response<Bytes>| {
            let status = answer.status();
            (!status.is_success()).then(|| SendError::Status(status.as_u16()))
        };
        let error = match &sent {
            Ok(answer) => refused(answer).map(|error| error.to_string()),
            Err(error) => Some(error.to_string()),
        };
        let failed_before = self.failing.swap(error.is_some(), Ordering::Relaxed);
        match error {
            Some(error) if !failed_before => tracing::warn!(
                collector = self.place,
                "traces are lost: {error}; start the collector, or remove telemetry.otlp from the configuration"
            ),
            None if failed_before => {
                tracing::info!(collector = self.place, "traces are sent again");
            }
            _ => {}
        }
        Ok(sent?)
    }
}

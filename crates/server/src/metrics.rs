//! Metrics for Prometheus.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use gateway::{RunMetrics, VerificationMetrics};

/// Label of the HTTP status.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestOutcomeLabel {
    status: u16,
}

/// Metrics of a server.
pub(crate) struct ServerMetrics {
    registry: Registry,
    /// Requested runs.
    pub(crate) runs: Counter,
    requests: Family<RequestOutcomeLabel, Counter>,
    /// Runs in progress.
    pub(crate) open: Gauge,
    /// Subscribers of runs in progress.
    pub(crate) subscribers: Gauge,
    /// Documents that are being read or wait for it.
    pub(crate) reading: Gauge,
    /// Writes that wait for the database.
    pub(crate) storing: Gauge,
}

impl ServerMetrics {
    pub(crate) fn new(runs: &RunMetrics, verifications: &VerificationMetrics) -> Self {
        let mut registry = Registry::with_prefix("pincite");
        let metrics = Self {
            runs: Counter::default(),
            requests: Family::default(),
            open: Gauge::default(),
            subscribers: Gauge::default(),
            reading: Gauge::default(),
            storing: Gauge::default(),
            registry: Registry::default(),
        };
        registry.register("runs", "Requested runs", metrics.runs.clone());
        registry.register("runs_open", "Runs in progress", metrics.open.clone());
        registry.register(
            "events",
            "Events of runs that were stored and sent",
            runs.events.clone(),
        );
        registry.register(
            "subscribers",
            "Clients that receive the events of runs in progress",
            metrics.subscribers.clone(),
        );
        registry.register(
            "subscriber_lag_events",
            "Events that wait for a subscriber when it reads",
            runs.subscriber_lag.clone(),
        );
        registry.register(
            "citations_checked",
            "Verified citations by status",
            verifications.citations.clone(),
        );
        registry.register(
            "verification_seconds",
            "Duration of a verification, including opening its documents",
            verifications.duration.clone(),
        );
        registry.register(
            "http_requests",
            "Requests by HTTP status",
            metrics.requests.clone(),
        );
        registry.register(
            "documents_waiting",
            "Documents that are being read or wait for it",
            metrics.reading.clone(),
        );
        registry.register(
            "store_writes_waiting",
            "Writes that wait for the database",
            metrics.storing.clone(),
        );
        Self {
            registry,
            ..metrics
        }
    }

    /// Counts a response.
    pub(crate) fn count_response(&self, status: u16) {
        self.requests
            .get_or_create(&RequestOutcomeLabel { status })
            .inc();
    }

    /// Returns the metrics in OpenMetrics format.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn metrics_match_the_operating_guide() {
        let verifications = VerificationMetrics::default();
        let metrics = ServerMetrics::new(&RunMetrics::default(), &verifications);
        // Families appear with their first label.
        verifications.record("found", std::time::Duration::ZERO);
        metrics.count_response(200);
        let text = metrics.text();
        let exported = text.lines().filter_map(|line| line.strip_prefix("# HELP "));
        let exported: BTreeSet<&str> = exported.filter_map(|line| line.split(' ').next()).collect();
        let page = include_str!("../../../docs/operating.md");
        let listed = page
            .lines()
            .filter_map(|line| line.strip_prefix("| `pincite_"));
        let listed = listed.filter_map(|line| line.split('`').next());
        let listed: BTreeSet<String> = listed.map(|name| format!("pincite_{name}")).collect();
        let listed: BTreeSet<&str> = listed.iter().map(String::as_str).collect();
        assert_eq!(listed, exported);
    }
}

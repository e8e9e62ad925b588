//! Metrics of the server, in the format of Prometheus.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use gateway::{RunMetrics, VerificationMetrics};

/// Label of answered requests.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestOutcomeLabel {
    status: u16,
}

/// Metrics of a server.
pub(crate) struct ServerMetrics {
    registry: Registry,
    /// Run requests.
    pub(crate) runs: Counter,
    requests: Family<RequestOutcomeLabel, Counter>,
    /// Open runs.
    pub(crate) open: Gauge,
    /// Subscribers of open runs.
    pub(crate) watchers: Gauge,
    /// Documents that wait to be read or are being read.
    pub(crate) reading: Gauge,
    /// Writes that wait for the store.
    pub(crate) storing: Gauge,
}

impl ServerMetrics {
    pub(crate) fn new(runs: &RunMetrics, verifications: &VerificationMetrics) -> Self {
        let mut registry = Registry::with_prefix("pincite");
        let metrics = Self {
            runs: Counter::default(),
            requests: Family::default(),
            open: Gauge::default(),
            watchers: Gauge::default(),
            reading: Gauge::default(),
            storing: Gauge::default(),
            registry: Registry::default(),
        };
        registry.register("runs", "Run requests", metrics.runs.clone());
        registry.register("runs_open", "Open runs", metrics.open.clone());
        registry.register(
            "events",
            "Events that were stored and sent",
            runs.events.clone(),
        );
        registry.register(
            "watchers",
            "Subscribers of open runs",
            metrics.watchers.clone(),
        );
        registry.register(
            "watcher_lag_events",
            "Number of events that a subscriber is behind when it takes a batch",
            runs.subscriber_lag.clone(),
        );
        registry.register(
            "citations_checked",
            "Verified citations by status",
            verifications.citations.clone(),
        );
        registry.register(
            "verification_seconds",
            "Duration of a verification in seconds, including opening its documents",
            verifications.duration.clone(),
        );
        registry.register(
            "http_requests",
            "Answered requests by status",
            metrics.requests.clone(),
        );
        registry.register(
            "documents_waiting",
            "Documents that wait to be read or are being read",
            metrics.reading.clone(),
        );
        registry.register(
            "store_writes_waiting",
            "Writes that wait for the store",
            metrics.storing.clone(),
        );
        Self {
            registry,
            ..metrics
        }
    }

    /// Counts an answered request.
    pub(crate) fn answered(&self, status: u16) {
        self.requests
            .get_or_create(&RequestOutcomeLabel { status })
            .inc();
    }

    /// Returns the metrics in the text format of Prometheus.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_operating_guide_lists_exactly_the_metrics() {
        let verifications = VerificationMetrics::default();
        let metrics = ServerMetrics::new(&RunMetrics::default(), &verifications);
        // A family with labels appears with its first value.
        verifications.record("found", std::time::Duration::ZERO);
        metrics.answered(200);
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

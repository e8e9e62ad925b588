//! What is counted.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::runs::RunCounts;

/// Seconds that a check may take: from what is found at once to what a deadline ends.
const SECONDS: [f64; 10] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 2.0, 10.0,
];

/// The status of a citation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CitationStatusLabel {
    status: String,
}

/// The outcome of a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestOutcomeLabel {
    status: u16,
}

/// Counters of a server.
pub(crate) struct ServerMetrics {
    registry: Registry,
    /// Runs that were asked for.
    pub(crate) runs: Counter,
    citations: Family<CitationStatusLabel, Counter>,
    checking: Histogram,
    requests: Family<RequestOutcomeLabel, Counter>,
    /// Runs that go on.
    pub(crate) open: Gauge,
    /// Those who watch runs.
    pub(crate) watchers: Gauge,
    /// Documents that wait to be read, or are.
    pub(crate) reading: Gauge,
    /// Writes that wait to be stored.
    pub(crate) storing: Gauge,
}

impl ServerMetrics {
    pub(crate) fn new(runs: &RunCounts) -> Self {
        let mut registry = Registry::with_prefix("pincite");
        let metrics = Self {
            runs: Counter::default(),
            citations: Family::default(),
            checking: Histogram::new(SECONDS),
            requests: Family::default(),
            open: Gauge::default(),
            watchers: Gauge::default(),
            reading: Gauge::default(),
            storing: Gauge::default(),
            registry: Registry::default(),
        };
        registry.register("runs", "Runs that were asked for", metrics.runs.clone());
        registry.register("runs_open", "Runs that go on", metrics.open.clone());
        registry.register(
            "events",
            "Events of runs that were stored and shown",
            runs.events.clone(),
        );
        registry.register(
            "watchers",
            "Clients that watch runs which go on",
            metrics.watchers.clone(),
        );
        registry.register(
            "watcher_lag_events",
            "How many events wait for a watcher when it takes some",
            runs.lag.clone(),
        );
        registry.register(
            "citations_checked",
            "Citations that were checked, by what is true of them",
            metrics.citations.clone(),
        );
        registry.register(
            "verification_seconds",
            "How long a check took, with opening its documents",
            metrics.checking.clone(),
        );
        registry.register(
            "http_requests",
            "Requests that were answered, by status",
            metrics.requests.clone(),
        );
        registry.register(
            "documents_waiting",
            "Documents that wait to be read, or are being read",
            metrics.reading.clone(),
        );
        registry.register(
            "store_writes_waiting",
            "Writes that wait to be stored",
            metrics.storing.clone(),
        );
        Self {
            registry,
            ..metrics
        }
    }

    /// A citation was checked.
    pub(crate) fn checked(&self, status: &str, took: Duration) {
        let status = CitationStatusLabel {
            status: status.to_owned(),
        };
        self.citations.get_or_create(&status).inc();
        self.checking.observe(took.as_secs_f64());
    }

    /// A request was answered.
    pub(crate) fn answered(&self, status: u16) {
        self.requests
            .get_or_create(&RequestOutcomeLabel { status })
            .inc();
    }

    /// In the form that Prometheus reads.
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
    fn the_page_for_operators_has_the_metrics_and_no_others() {
        let metrics = ServerMetrics::new(&RunCounts::default());
        // What is told by status is told once there is one.
        metrics.checked("found", Duration::ZERO);
        metrics.answered(200);
        let text = metrics.text();
        let told = text.lines().filter_map(|line| line.strip_prefix("# HELP "));
        let told: BTreeSet<&str> = told.filter_map(|line| line.split(' ').next()).collect();
        let page = include_str!("../../../docs/operating.md");
        let listed = page
            .lines()
            .filter_map(|line| line.strip_prefix("| `pincite_"));
        let listed = listed.filter_map(|line| line.split('`').next());
        let listed: BTreeSet<String> = listed.map(|name| format!("pincite_{name}")).collect();
        let listed: BTreeSet<&str> = listed.iter().map(String::as_str).collect();
        assert_eq!(listed, told);
    }
}

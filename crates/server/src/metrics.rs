//! What is counted.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use gateway::{RunMetrics, VerificationMetrics};

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
            runs.subscriber_lag.clone(),
        );
        registry.register(
            "citations_checked",
            "Citations that were checked, by what is true of them",
            verifications.citations.clone(),
        );
        registry.register(
            "verification_seconds",
            "How long a check took, with opening its documents",
            verifications.duration.clone(),
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
        let verifications = VerificationMetrics::default();
        let metrics = ServerMetrics::new(&RunMetrics::default(), &verifications);
        // What is told by status is told once there is one.
        verifications.record("found", std::time::Duration::ZERO);
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

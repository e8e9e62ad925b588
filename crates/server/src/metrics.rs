//! What is counted.

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// Counters of a server.
pub(crate) struct Metrics {
    registry: Registry,
    /// Runs that were asked for.
    pub(crate) runs: Counter,
    /// Citations that were checked.
    pub(crate) checked: Counter,
    /// Runs that go on.
    pub(crate) open: Gauge,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("pincite");
        let (runs, checked, open) = (Counter::default(), Counter::default(), Gauge::default());
        registry.register("runs", "Runs that were asked for", runs.clone());
        registry.register(
            "citations_checked",
            "Citations that were checked",
            checked.clone(),
        );
        registry.register("runs_open", "Runs that go on", open.clone());
        Self {
            registry,
            runs,
            checked,
            open,
        }
    }

    /// In the form that Prometheus reads.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

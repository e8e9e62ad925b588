//! Metrics of runs and verifications. The server registers and exports them.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;

/// Buckets for the duration of a verification in seconds: from an exact match to the deadline of a run.
const VERIFICATION_SECONDS: [f64; 10] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 2.0, 10.0,
];
/// Buckets for the number of events that a subscriber is behind.
const LAG_EVENTS: [f64; 6] = [1.0, 10.0, 100.0, 1_000.0, 10_000.0, 100_000.0];

/// Label of verified citations.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct CitationStatusLabel {
    status: String,
}

/// Metrics of runs.
#[derive(Debug, Clone)]
pub struct RunMetrics {
    /// Events that were stored and sent.
    pub events: Counter,
    /// Number of events that a subscriber is behind each time it takes a batch.
    pub subscriber_lag: Histogram,
}

impl Default for RunMetrics {
    fn default() -> Self {
        Self {
            events: Counter::default(),
            subscriber_lag: Histogram::new(LAG_EVENTS),
        }
    }
}

/// Metrics of verifications.
#[derive(Debug, Clone)]
pub struct VerificationMetrics {
    /// Verified citations by status.
    pub citations: Family<CitationStatusLabel, Counter>,
    /// Duration of verifications in seconds.
    pub duration: Histogram,
}

impl Default for VerificationMetrics {
    fn default() -> Self {
        Self {
            citations: Family::default(),
            duration: Histogram::new(VERIFICATION_SECONDS),
        }
    }
}

impl VerificationMetrics {
    /// Records one verification.
    pub fn record(&self, status: &str, duration: Duration) {
        let status = CitationStatusLabel {
            status: status.to_owned(),
        };
        self.citations.get_or_create(&status).inc();
        self.duration.observe(duration.as_secs_f64());
    }
}

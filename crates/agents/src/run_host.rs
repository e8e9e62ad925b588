//! Services of the program around an agent: clock, ids, randomness.

/// Clock, ids and randomness, which library code does not create itself.
pub trait RunHost: Send + Sync {
    /// Returns the milliseconds since 1970.
    fn now(&self) -> u64;

    /// Returns a new unique id.
    fn new_id(&self) -> String;

    /// Returns a random number from 0 to below 1, which spreads retries.
    fn random(&self) -> f64;
}

/// Host with a counter for ids, a clock that stands still and no randomness, for tests and examples.
#[derive(Debug, Default)]
pub struct FixedHost {
    ids: std::sync::atomic::AtomicU64,
    /// Milliseconds since 1970.
    pub time: std::sync::atomic::AtomicU64,
}

impl RunHost for FixedHost {
    fn now(&self) -> u64 {
        self.time.load(std::sync::atomic::Ordering::Relaxed)
    }

    fn new_id(&self) -> String {
        let id = self.ids.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        format!("id-{}", id + 1)
    }

    fn random(&self) -> f64 {
        0.0
    }
}

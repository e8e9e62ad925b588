//! Log level, which can be changed while the server runs.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tracing::Level;

/// Control of the log level.
#[derive(Clone)]
pub struct LogControl {
    set: Arc<dyn Fn(Level) + Send + Sync>,
    level: Arc<Mutex<Level>>,
}

impl LogControl {
    /// Creates a control with the current level and a function that changes it.
    pub fn new(level: Level, set: impl Fn(Level) + Send + Sync + 'static) -> Self {
        Self {
            set: Arc::new(set),
            level: Arc::new(Mutex::new(level)),
        }
    }

    pub(crate) fn level(&self) -> Level {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set(&self, level: Level) {
        let mut current = self.level.lock().unwrap_or_else(PoisonError::into_inner);
        (self.set)(level);
        *current = level;
    }
}

impl fmt::Debug for LogControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LogControl").field(&self.level()).finish()
    }
}

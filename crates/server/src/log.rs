//! Log level, which can be changed while the server runs.

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
use tracing::Level;

/// Log level and the function that sets it.
#[derive(Clone)]
pub struct LogControl {
    set: Arc<dyn Fn(Level) + Send + Sync>,
    level: Arc<Mutex<Level>>,
}

impl LogControl {
    /// Creates a control for a log with this level; `set` changes the level.
    pub fn new(level: Level, set: impl Fn(Level) + Send + Sync + 'static) -> Self {
        Self {
            set: Arc::new(set),
            level: Arc::new(Mutex::new(level)),
        }
    }

    pub(crate) fn level(&self) -> Level {
        *self.level.lock()
    }

    pub(crate) fn set(&self, level: Level) {
        let mut current = self.level.lock();
        (self.set)(level);
        *current = level;
    }
}

impl fmt::Debug for LogControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LogControl").field(&self.level()).finish()
    }
}

//! How far a long command has come, for people who wait.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Nobody waits for less.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often the line is written anew.
const EVERY: Duration = Duration::from_millis(100);

/// A line on stderr that counts, on a terminal only, and only if it takes a while.
pub(crate) struct Progress {
    what: &'static str,
    total: usize,
    done: usize,
    next: Option<Instant>,
    shown: bool,
}

impl Progress {
    /// Counts to `total`.
    pub(crate) fn new(what: &'static str, total: usize) -> Self {
        let seen = std::io::stderr().is_terminal() && !crate::failure::is_quiet();
        Self {
            what,
            total,
            done: 0,
            next: seen.then(|| Instant::now() + PATIENCE),
            shown: false,
        }
    }

    /// One more.
    pub(crate) fn step(&mut self) {
        self.reach(self.done + 1);
    }

    /// So many.
    pub(crate) fn reach(&mut self, done: usize) {
        self.done = self.done.max(done);
        let now = Instant::now();
        if self.next.is_some_and(|next| now >= next) {
            self.next = Some(now + EVERY);
            self.shown = true;
            let (done, total) = (self.done, self.total);
            // Nobody can be told that stderr is gone.
            let _ = write!(std::io::stderr(), "\r{done} of {total} {}\x1b[K", self.what);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

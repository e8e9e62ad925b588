//! How far a long command has come, for people who wait.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::failure::shown;

/// Nobody waits for less.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often the line is written anew.
const EVERY: Duration = Duration::from_millis(100);

/// A line on stderr that counts, on a terminal only, and only if it takes a while.
pub(crate) struct ProgressLine {
    what: &'static str,
    total: usize,
    done: usize,
    /// What is being done.
    detail: String,
    next: Option<Instant>,
    shown: bool,
}

impl ProgressLine {
    /// Counts to `total`.
    pub(crate) fn new(what: &'static str, total: usize) -> Self {
        let seen = std::io::stderr().is_terminal() && !crate::failure::is_quiet();
        Self {
            what,
            total,
            done: 0,
            detail: String::new(),
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
        self.show();
    }

    /// What is being done now.
    pub(crate) fn say(&mut self, detail: &str) {
        self.detail = shown(detail);
        self.show();
    }

    fn show(&mut self) {
        let now = Instant::now();
        if self.next.is_none_or(|next| now < next) {
            return;
        }
        self.next = Some(now + EVERY);
        self.shown = true;
        let line = match (self.total, self.detail.as_str()) {
            (total, "") => format!("{} of {total} {}", self.done, self.what),
            (1, detail) => detail.to_owned(),
            (total, detail) => format!("{} of {total} {}; {detail}", self.done, self.what),
        };
        // Nobody can be told that stderr is gone.
        let _ = write!(std::io::stderr(), "\r{line}\x1b[K");
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

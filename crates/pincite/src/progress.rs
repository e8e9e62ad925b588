//! Progress line of long commands.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::command_error::printable;

/// Time before the line appears; short commands show none.
const DELAY: Duration = Duration::from_millis(500);
/// Interval between updates.
const INTERVAL: Duration = Duration::from_millis(100);

/// A line on stderr that is updated in place. It appears only on a terminal.
pub(crate) struct ProgressLine {
    /// Unit of the count, such as "documents read".
    unit: &'static str,
    total: usize,
    done: usize,
    /// Current step.
    detail: String,
    /// Time of the next update; `None` without a terminal.
    next: Option<Instant>,
    shown: bool,
}

impl ProgressLine {
    pub(crate) fn new(unit: &'static str, total: usize) -> Self {
        let is_visible = std::io::stderr().is_terminal() && !crate::command_error::is_quiet();
        Self {
            unit,
            total,
            done: 0,
            detail: String::new(),
            next: is_visible.then(|| Instant::now() + DELAY),
            shown: false,
        }
    }

    /// Adds one to the count.
    pub(crate) fn step(&mut self) {
        self.reach(self.done + 1);
    }

    /// Sets the count, which never decreases.
    pub(crate) fn reach(&mut self, done: usize) {
        self.done = self.done.max(done);
        self.show();
    }

    /// Sets the current step.
    pub(crate) fn set_detail(&mut self, detail: &str) {
        self.detail = printable(detail);
        self.show();
    }

    fn show(&mut self) {
        let now = Instant::now();
        if self.next.is_none_or(|next| now < next) {
            return;
        }
        self.next = Some(now + INTERVAL);
        self.shown = true;
        let line = match (self.total, self.detail.as_str()) {
            (0, "") => format!("{} {}", self.done, self.unit),
            (0, detail) => format!("{} {}; {detail}", self.done, self.unit),
            (total, "") => format!("{} of {total} {}", self.done, self.unit),
            (1, detail) => detail.to_owned(),
            (total, detail) => format!("{} of {total} {}; {detail}", self.done, self.unit),
        };
        // A closed stderr cannot be reported anywhere.
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

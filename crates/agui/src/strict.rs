//! What the reference accepts and a careful producer avoids.

use crate::event::{Event, EventData};
use crate::json::{JsonError, MAX_DEPTH, Scanner, unescape};
use crate::model::RunOutcome;

/// A finding about the stream as a whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Finding {
    /// A run has no end.
    #[error("the stream ends without RUN_FINISHED or RUN_ERROR")]
    NoTerminalEvent,
    /// `RUN_FINISHED` or the next run names another thread.
    #[error("the threadId changes from '{from}' to '{to}'")]
    ThreadIdChanges {
        /// Before.
        from: String,
        /// After.
        to: String,
    },
    /// `RUN_FINISHED` names another run.
    #[error("the runId changes from '{from}' to '{to}' within a run")]
    RunIdChanges {
        /// Before.
        from: String,
        /// After.
        to: String,
    },
    /// Two interrupts of one run have the same id.
    #[error("two interrupts have the id '{id}'")]
    DuplicateInterruptId {
        /// The id.
        id: String,
    },
}

impl Finding {
    /// A short name for the rule.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::NoTerminalEvent => "no-terminal-event",
            Self::ThreadIdChanges { .. } => "thread-id-changes",
            Self::RunIdChanges { .. } => "run-id-changes",
            Self::DuplicateInterruptId { .. } => "duplicate-interrupt-id",
        }
    }

    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::NoTerminalEvent => "end every run with RUN_FINISHED or RUN_ERROR",
            Self::ThreadIdChanges { .. } | Self::RunIdChanges { .. } => {
                "repeat the ids of RUN_STARTED in RUN_FINISHED"
            }
            Self::DuplicateInterruptId { .. } => "give every interrupt an id of its own",
        }
    }
}

/// Watches the verified events of one stream.
#[derive(Debug, Default)]
pub struct StrictChecker {
    thread_id: Option<String>,
    run_id: Option<String>,
    open: bool,
}

impl StrictChecker {
    /// A checker for a new stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks at the next event.
    pub fn check(&mut self, event: &Event, mut found: impl FnMut(Finding)) {
        match event.data() {
            EventData::RunStarted(data) => {
                self.thread(&data.thread_id, &mut found);
                self.run_id = Some(data.run_id.to_string());
                self.open = true;
            }
            EventData::RunFinished(data) => {
                self.thread(&data.thread_id, &mut found);
                if let Some(from) = self.run_id.take().filter(|from| *from != *data.run_id) {
                    found(Finding::RunIdChanges {
                        from,
                        to: data.run_id.to_string(),
                    });
                }
                if let Some(RunOutcome::Interrupt { interrupts }) = data.outcome.as_deref() {
                    let mut ids = hashbrown::HashSet::new();
                    for interrupt in interrupts {
                        if !ids.insert(interrupt.id.as_str()) {
                            found(Finding::DuplicateInterruptId {
                                id: interrupt.id.clone(),
                            });
                        }
                    }
                }
                self.open = false;
            }
            EventData::RunError(_) => self.open = false,
            _ => {}
        }
    }

    fn thread(&mut self, id: &str, found: &mut impl FnMut(Finding)) {
        if let Some(from) = self
            .thread_id
            .replace(id.to_owned())
            .filter(|from| from != id)
        {
            found(Finding::ThreadIdChanges {
                from,
                to: id.to_owned(),
            });
        }
    }

    /// Looks at the end of the stream.
    pub fn finish(&self) -> Option<Finding> {
        self.open.then_some(Finding::NoTerminalEvent)
    }
}

/// Something in a JSON text that readers treat differently.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} at byte {offset}")]
pub struct Oddity {
    /// What it is, in words.
    pub what: String,
    /// A short name for the rule.
    pub rule: &'static str,
    /// Byte offset in the event's JSON.
    pub offset: usize,
}

/// Finds duplicate keys, lone surrogates and numbers that doubles cannot hold.
pub fn oddities(json: &str) -> Vec<Oddity> {
    let mut found = Vec::new();
    // Texts come from a reader that has found them to be valid.
    let _ = look(&mut Scanner::new(json, 0), 0, &mut found);
    found
}

fn look(scanner: &mut Scanner<'_>, depth: usize, found: &mut Vec<Oddity>) -> Result<(), JsonError> {
    if depth > MAX_DEPTH {
        return Ok(());
    }
    match scanner.peek() {
        b'{' => {
            scanner.take(b'{');
            let mut keys = hashbrown::HashSet::new();
            while !scanner.take(b'}') {
                let offset = scanner.pos();
                let key = text(scanner, found)?;
                if keys.contains(&key) {
                    found.push(Oddity {
                        what: format!("the key '{key}' stands twice in one object"),
                        rule: "duplicate-key",
                        offset,
                    });
                }
                keys.insert(key);
                scanner.expect(b':', "")?;
                look(scanner, depth + 1, found)?;
                scanner.take(b',');
            }
        }
        b'[' => {
            scanner.take(b'[');
            while !scanner.take(b']') {
                look(scanner, depth + 1, found)?;
                scanner.take(b',');
            }
        }
        b'"' => drop(text(scanner, found)?),
        b't' | b'f' | b'n' => {
            scanner.skip(depth)?;
        }
        _ => {
            let offset = scanner.pos();
            let literal = scanner.number()?;
            let value: f64 = literal.parse().unwrap_or(f64::INFINITY);
            let integer = !literal.contains(['.', 'e', 'E']);
            if !value.is_finite() || (integer && value.abs() > 9_007_199_254_740_991.0) {
                found.push(Oddity {
                    what: format!(
                        "the number {} is beyond what every reader holds (2^53)",
                        &literal[..literal.len().min(40)]
                    ),
                    rule: "unsafe-number",
                    offset,
                });
            }
        }
    }
    Ok(())
}

fn text(scanner: &mut Scanner<'_>, found: &mut Vec<Oddity>) -> Result<String, JsonError> {
    scanner.peek();
    let offset = scanner.pos();
    let literal = scanner.string()?;
    let inside = &scanner.text()[literal.range];
    if !literal.escaped {
        return Ok(inside.to_owned());
    }
    let meaning = unescape(inside);
    if has_lone_surrogate(inside) {
        found.push(Oddity {
            what: "a lone surrogate stands in a string".to_owned(),
            rule: "lone-surrogate",
            offset,
        });
    }
    Ok(meaning)
}

/// Whether the inside of a string literal has half a pair of surrogate escapes.
fn has_lone_surrogate(inside: &str) -> bool {
    let mut rest = inside.as_bytes();
    let mut high = false;
    loop {
        let unit = match rest {
            [b'\\', b'u', digits @ ..] => {
                let hex = digits
                    .get(..4)
                    .and_then(|hex| std::str::from_utf8(hex).ok());
                rest = digits.get(4..).unwrap_or_default();
                hex.and_then(|hex| u16::from_str_radix(hex, 16).ok())
                    .unwrap_or(0)
            }
            [b'\\', _, after @ ..] | [_, after @ ..] => {
                rest = after;
                0
            }
            [] => return high,
        };
        let low = (0xDC00..0xE000).contains(&unit);
        if high != low {
            return true;
        }
        high = (0xD800..0xDC00).contains(&unit);
    }
}

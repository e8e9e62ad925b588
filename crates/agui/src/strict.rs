//! Strict checks: things that the reference accepts and a careful producer avoids.

use crate::event::{Event, EventData};
use crate::model::RunOutcome;
use json::{JsonError, MAX_DEPTH, Scanner, unescape};

/// Finding about a stream.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StrictFinding {
    /// Run without an end.
    #[error("the stream ends without RUN_FINISHED or RUN_ERROR")]
    NoTerminalEvent,
    /// `RUN_FINISHED` or the next run names another thread.
    #[error("the threadId changes from '{from}' to '{to}'")]
    ThreadIdChanges {
        /// Id before the change.
        from: String,
        /// Id after the change.
        to: String,
    },
    /// `RUN_FINISHED` names another run.
    #[error("the runId changes from '{from}' to '{to}' within a run")]
    RunIdChanges {
        /// Id before the change.
        from: String,
        /// Id after the change.
        to: String,
    },
    /// Two interrupts of one run have the same id.
    #[error("two interrupts have the id '{id}'")]
    DuplicateInterruptId {
        /// Repeated id.
        id: String,
    },
}

impl StrictFinding {
    /// Returns a short name of the rule.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::NoTerminalEvent => "no-terminal-event",
            Self::ThreadIdChanges { .. } => "thread-id-changes",
            Self::RunIdChanges { .. } => "run-id-changes",
            Self::DuplicateInterruptId { .. } => "duplicate-interrupt-id",
        }
    }

    /// Returns what to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoTerminalEvent => "end every run with RUN_FINISHED or RUN_ERROR",
            Self::ThreadIdChanges { .. } | Self::RunIdChanges { .. } => {
                "repeat the ids of RUN_STARTED in RUN_FINISHED"
            }
            Self::DuplicateInterruptId { .. } => "give every interrupt a unique id",
        }
    }
}

/// Checks the verified events of one stream.
#[derive(Debug, Default)]
pub struct StrictChecker {
    thread_id: Option<String>,
    run_id: Option<String>,
    open: bool,
}

impl StrictChecker {
    /// Creates a checker for a new stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Checks the next event and calls `found` for each finding.
    pub fn check(&mut self, event: &Event, mut found: impl FnMut(StrictFinding)) {
        match event.data() {
            EventData::RunStarted(data) => {
                self.thread(&data.thread_id, &mut found);
                self.run_id = Some(data.run_id.to_string());
                self.open = true;
            }
            EventData::RunFinished(data) => {
                self.thread(&data.thread_id, &mut found);
                if let Some(from) = self.run_id.take().filter(|from| *from != *data.run_id) {
                    found(StrictFinding::RunIdChanges {
                        from,
                        to: data.run_id.to_string(),
                    });
                }
                if let Some(RunOutcome::Interrupt { interrupts }) = data.outcome.as_deref() {
                    let mut ids = hashbrown::HashSet::new();
                    for interrupt in interrupts {
                        if !ids.insert(interrupt.id.as_str()) {
                            found(StrictFinding::DuplicateInterruptId {
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

    fn thread(&mut self, id: &str, found: &mut impl FnMut(StrictFinding)) {
        if let Some(from) = self
            .thread_id
            .replace(id.to_owned())
            .filter(|from| from != id)
        {
            found(StrictFinding::ThreadIdChanges {
                from,
                to: id.to_owned(),
            });
        }
    }

    /// Checks the end of the stream.
    pub fn finish(&self) -> Option<StrictFinding> {
        self.open.then_some(StrictFinding::NoTerminalEvent)
    }
}

/// Part of a JSON text that readers treat differently.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{description} at byte {offset}")]
pub struct JsonOddity {
    /// Description.
    pub description: String,
    /// Short name of the rule.
    pub rule: &'static str,
    /// Byte offset in the event's JSON.
    pub offset: usize,
}

/// Finds duplicate keys, lone surrogates and numbers that doubles cannot hold.
pub fn find_oddities(json: &str) -> Vec<JsonOddity> {
    let mut found = Vec::new();
    // The text was checked to be valid JSON when it was read.
    let _ = scan_value(&mut Scanner::new(json, 0), 0, &mut found);
    found
}

fn scan_value(
    scanner: &mut Scanner<'_>,
    depth: usize,
    found: &mut Vec<JsonOddity>,
) -> Result<(), JsonError> {
    if depth > MAX_DEPTH {
        return Ok(());
    }
    match scanner.peek() {
        b'{' => {
            scanner.take(b'{');
            let mut keys = hashbrown::HashSet::new();
            while !scanner.take(b'}') {
                let offset = scanner.pos();
                let key = scan_string(scanner, found)?;
                if keys.contains(&key) {
                    found.push(JsonOddity {
                        description: format!("the key '{key}' occurs twice in one object"),
                        rule: "duplicate-key",
                        offset,
                    });
                }
                keys.insert(key);
                scanner.expect(b':', "")?;
                scan_value(scanner, depth + 1, found)?;
                scanner.take(b',');
            }
        }
        b'[' => {
            scanner.take(b'[');
            while !scanner.take(b']') {
                scan_value(scanner, depth + 1, found)?;
                scanner.take(b',');
            }
        }
        b'"' => drop(scan_string(scanner, found)?),
        b't' | b'f' | b'n' => {
            scanner.skip_value(depth)?;
        }
        _ => {
            let offset = scanner.pos();
            let literal = scanner.read_number_literal()?;
            let value: f64 = literal.parse().unwrap_or(f64::INFINITY);
            let integer = !literal.contains(['.', 'e', 'E']);
            if !value.is_finite() || (integer && value.abs() > 9_007_199_254_740_991.0) {
                found.push(JsonOddity {
                    description: format!(
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

fn scan_string(
    scanner: &mut Scanner<'_>,
    found: &mut Vec<JsonOddity>,
) -> Result<String, JsonError> {
    scanner.peek();
    let offset = scanner.pos();
    let literal = scanner.read_string_literal()?;
    let inside = &scanner.text()[literal.range];
    if !literal.escaped {
        return Ok(inside.to_owned());
    }
    let meaning = unescape(inside);
    if has_lone_surrogate(inside) {
        found.push(JsonOddity {
            description: "a string contains a lone surrogate".to_owned(),
            rule: "lone-surrogate",
            offset,
        });
    }
    Ok(meaning)
}

/// Returns true if a string literal contains half a pair of surrogate escapes.
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

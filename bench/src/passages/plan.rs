//! Benchmark of passages and citations: contestants, rows and required figures.

use std::process::Command;

use crate::contestant_process::BenchPaths;
use crate::plan::ContestantKind;

/// Program with its mode and input file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contestant {
    pub(crate) name: &'static str,
    program: Program,
    mode: &'static str,
    file: &'static str,
}

/// Location of a contestant's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Program {
    /// A binary of this package.
    Rust(&'static str),
    /// The script `peers/python/quotes.py`.
    Python,
}

impl Contestant {
    /// Returns the command with mode and file, to which the seconds are appended.
    pub(crate) fn command(&self, field: &BenchPaths) -> Command {
        let mut command = match self.program {
            Program::Rust(name) => Command::new(field.binaries.join(name)),
            Program::Python => {
                let mut command = Command::new(&field.python);
                command.arg(field.bench.join("peers/python/quotes.py"));
                command
            }
        };
        command.arg(self.mode).arg(field.corpus.join(self.file));
        command
    }

    /// Returns the peer that must be installed for it.
    pub(crate) fn who(&self) -> ContestantKind {
        match self.program {
            Program::Rust(_) => ContestantKind::Ours,
            Program::Python => ContestantKind::Python,
        }
    }

    /// Returns a description for progress and errors.
    pub(crate) fn job(&self) -> String {
        format!("{} {} {}", self.name, self.mode, self.file)
    }
}

/// Requirement on the CPU time of a contestant.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound {
    /// The other contestant needs at least this many times as much.
    TimesFaster(Other, f64),
    /// It needs at most this many times as much as the other contestant.
    AtMostTimes(Other, f64),
    /// It needs at most this many milliseconds per megabyte.
    MillisecondsPerMegabyte(f64),
}

/// Peer that a contestant is compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Other {
    pub(crate) name: &'static str,
    pub(crate) measured: Contestant,
    /// Factor on the measured time; 1 unless `measured` represents a program that is not run.
    pub(crate) scale: f64,
}

/// A line of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) contestant: Contestant,
    pub(crate) bound: Bound,
}

impl Row {
    /// Returns all contestants of the row.
    pub(crate) fn contestants(&self) -> impl Iterator<Item = Contestant> {
        let other = match self.bound {
            Bound::TimesFaster(other, _) | Bound::AtMostTimes(other, _) => Some(other.measured),
            Bound::MillisecondsPerMegabyte(_) => None,
        };
        [self.contestant].into_iter().chain(other)
    }
}

const fn ours(mode: &'static str, file: &'static str) -> Contestant {
    Contestant {
        name: "ours",
        program: Program::Rust("ours-passages"),
        mode,
        file,
    }
}

const fn python(name: &'static str, mode: &'static str, file: &'static str) -> Other {
    let measured = Contestant {
        name,
        program: Program::Python,
        mode,
        file,
    };
    Other {
        name,
        measured,
        scale: 1.0,
    }
}

const fn edlib(name: &'static str, file: &'static str, required: f64) -> Row {
    Row {
        name,
        contestant: ours("locate", file),
        bound: Bound::TimesFaster(python("edlib", "edlib", file), required),
    }
}

const fn rapidfuzz(name: &'static str, file: &'static str, required: f64) -> Row {
    Row {
        name,
        contestant: ours("locate", file),
        bound: Bound::TimesFaster(python("rapidfuzz", "rapidfuzz", file), required),
    }
}

const fn build(name: &'static str, mode: &'static str, limit: f64) -> Row {
    Row {
        name,
        contestant: ours(mode, "typeset-10MB.txt"),
        bound: Bound::MillisecondsPerMegabyte(limit),
    }
}

/// Row about parsing an answer, compared with the public citation SDK.
///
/// The SDK does not run here. A plain parser of the block was measured beside the SDK once, and the
/// SDK took `factor` times as long (median of three runs). The time of the plain parser in this run
/// times that factor represents the SDK.
const fn cite(name: &'static str, file: &'static str, factor: f64) -> Row {
    let measured = Contestant {
        name: "plain block",
        program: Program::Rust("plain-block"),
        mode: "cite",
        file,
    };
    let sdk = Other {
        name: "citation SDK (scaled)",
        measured,
        scale: factor,
    };
    Row {
        name,
        contestant: ours("cite", file),
        bound: Bound::TimesFaster(sdk, 8.0),
    }
}

/// Our own time for an answer in one piece.
const AT_ONCE: Other = Other {
    name: "ours, at once",
    measured: ours("cite", "answer-10KB.txt"),
    scale: 1.0,
};

/// Rows of the table.
pub(crate) const ROWS: &[Row] = &[
    edlib("locate-10MB-edlib", "edited-10MB.json", 200.0),
    rapidfuzz("locate-10MB-rapidfuzz", "edited-10MB.json", 200.0),
    edlib("locate-1MB-edlib", "edited-1MB.json", 50.0),
    rapidfuzz("locate-1MB-rapidfuzz", "edited-1MB.json", 50.0),
    edlib("locate-100KB-edlib", "edited-100KB.json", 20.0),
    rapidfuzz("locate-100KB-rapidfuzz", "edited-100KB.json", 20.0),
    Row {
        name: "exact-10MB",
        contestant: ours("exact", "exact-10MB.json"),
        bound: Bound::TimesFaster(python("str.find", "find", "exact-10MB.json"), 10.0),
    },
    build("index-10MB", "index", 20.0),
    build("fold-index-10MB", "fold-index", 35.0),
    cite("cite-2KB", "answer-2KB.txt", 14.0),
    cite("cite-10KB", "answer-10KB.txt", 16.0),
    cite("cite-100KB", "answer-100KB.txt", 21.0),
    Row {
        name: "cite-deltas-10KB",
        contestant: ours("cite-deltas", "answer-10KB.txt"),
        bound: Bound::AtMostTimes(AT_ONCE, 3.0),
    },
];

/// Returns every row name, in the order of the run.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.name)
}

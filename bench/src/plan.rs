//! Library benchmark: rows of the table and required figures.

/// Contestant of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContestantKind {
    /// The crate under test.
    Ours,
    /// The JavaScript packages.
    Node,
    /// The JavaScript gateways.
    NodeGateway,
    /// The Python package.
    Python,
    /// The json-patch crate.
    JsonPatch,
}

/// One measurement: contestant, mode and stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    pub(crate) who: ContestantKind,
    pub(crate) mode: &'static str,
    pub(crate) stream: &'static str,
}

/// SpeedResult comparison; `ours` must reach `required` times the rate of `peer`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) against: &'static str,
    pub(crate) ours: Job,
    pub(crate) peer: Job,
    pub(crate) required: f64,
}

/// Limit on peak memory, measured on all of [`STREAMS`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryRow {
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    pub(crate) limit_mb: f64,
}

/// Check that several contestants have the same result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SameRow {
    pub(crate) name: &'static str,
    pub(crate) mode: &'static str,
    pub(crate) stream: &'static str,
    pub(crate) peers: &'static [(&'static str, ContestantKind)],
}

/// Streams for the checks of results and memory.
pub(crate) const STREAMS: [&str; 5] = ["S1", "S2", "S3", "S4", "S5"];

const CLIENT: &str = "@ag-ui/client";
const CLIENT_ONLY: &[(&str, ContestantKind)] = &[(CLIENT, ContestantKind::Node)];

/// Returns a row with the same job on both sides.
const fn versus(
    name: &'static str,
    (mode, stream): (&'static str, &'static str),
    (against, who): (&'static str, ContestantKind),
    required: f64,
) -> Row {
    let ours = Job {
        who: ContestantKind::Ours,
        mode,
        stream,
    };
    let peer = Job { who, mode, stream };
    Row {
        name,
        against,
        ours,
        peer,
        required,
    }
}

const fn full(name: &'static str, stream: &'static str, required: f64) -> Row {
    versus(
        name,
        ("full", stream),
        (CLIENT, ContestantKind::Node),
        required,
    )
}

/// Ratio of our rate on a long message to that on a short one.
const LINEARITY: Row = Row {
    name: "linearity",
    against: "ours, 200 deltas",
    ours: Job {
        who: ContestantKind::Ours,
        mode: "full",
        stream: "S1_20000",
    },
    peer: Job {
        who: ContestantKind::Ours,
        mode: "full",
        stream: "E2E200",
    },
    required: 0.8,
};

/// The speed rows.
pub(crate) const ROWS: [Row; 13] = [
    full("full-E2E200", "E2E200", 100.0),
    full("full-S1", "S1", 500.0),
    full("full-S2", "S2", 1500.0),
    full("full-S3", "S3", 1400.0),
    full("full-S4", "S4", 60.0),
    full("full-S5", "S5", 850.0),
    LINEARITY,
    versus(
        "encode-sse-js",
        ("encode-sse", "S1"),
        ("@ag-ui/encoder", ContestantKind::Node),
        8.0,
    ),
    versus(
        "encode-sse-py",
        ("encode-sse", "S1"),
        ("ag-ui-protocol", ContestantKind::Python),
        50.0,
    ),
    versus(
        "proto-encode",
        ("proto-encode", "S1"),
        ("@ag-ui/proto", ContestantKind::Node),
        20.0,
    ),
    versus(
        "proto-decode",
        ("proto-decode", "S1"),
        ("@ag-ui/proto", ContestantKind::Node),
        20.0,
    ),
    versus(
        "patch-js",
        ("patch", "S3"),
        ("fast-json-patch", ContestantKind::Node),
        2.0,
    ),
    versus(
        "patch-crate",
        ("patch", "S3"),
        ("json-patch", ContestantKind::JsonPatch),
        1.0,
    ),
];

/// Peak memory of our contestant in mode `full`.
pub(crate) const MEMORY_OURS: MemoryRow = MemoryRow {
    name: "memory-ours",
    what: "ours full",
    limit_mb: 16.0,
};

/// Peak memory of the product's command.
pub(crate) const MEMORY_FOLD: MemoryRow = MemoryRow {
    name: "memory-fold",
    what: "pincite stream fold",
    limit_mb: 32.0,
};

/// The checks of equal results.
pub(crate) const SAME: [SameRow; 6] = [
    same("same-S1", "S1"),
    same("same-S2", "S2"),
    same("same-S3", "S3"),
    same("same-S4", "S4"),
    same("same-S5", "S5"),
    SameRow {
        name: "same-patch",
        mode: "patch",
        stream: "S3",
        peers: &[
            ("fast-json-patch", ContestantKind::Node),
            ("json-patch", ContestantKind::JsonPatch),
        ],
    },
];

const fn same(name: &'static str, stream: &'static str) -> SameRow {
    SameRow {
        name,
        mode: "full",
        stream,
        peers: CLIENT_ONLY,
    }
}

/// Returns every row name, in the order of the run.
pub(crate) fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = ROWS.iter().map(|row| row.name).collect();
    names.extend([MEMORY_OURS.name, MEMORY_FOLD.name]);
    names.extend(SAME.iter().map(|row| row.name));
    names
}

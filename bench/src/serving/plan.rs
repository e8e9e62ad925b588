//! HTTP benchmark: contestants, rows of the tables and required figures.
//!
//! A new contestant is a binary in `src/bin`, a constant here, and its rows. A server gets the
//! arguments `MODE FILE` and prints its URL in the first line. A client gets `URL CLIENTS
//! MIN_SECONDS` and prints the line of a [`pincite_bench::harness::Sample`] with runs as
//! iterations.

use std::process::Command;

use crate::contestant_process::BenchPaths;
use crate::plan::ContestantKind;
use crate::rounds::NamedContestant;

/// Number of parallel runs.
pub(crate) const CLIENTS: usize = 16;
/// Number of parallel runs when memory is measured.
pub(crate) const MEMORY_CLIENTS: usize = 128;
/// Number of events of a run: 200 text deltas, and the ends of the message and of the run.
pub(crate) const EVENTS: usize = 204;
/// Stream that the servers replay.
pub(crate) const STREAM: &str = "E2E200";

/// Program with its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contestant {
    pub(crate) name: &'static str,
    program: Program,
    pub(crate) role: Role,
}

impl NamedContestant for Contestant {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// Role of a contestant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// ServerProcess in one of its modes.
    ServerProcess(&'static str),
    /// Client of the server [`FEED`].
    Client,
}

/// Location of a contestant's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Program {
    /// `pincite stream serve`; the mode is its option.
    Pincite,
    /// A binary of this package.
    Rust(&'static str),
    /// A script in `peers/node`.
    Node(&'static str),
    /// A script in `peers/python`.
    Python(&'static str),
}

impl Contestant {
    const fn server(name: &'static str, program: Program, mode: &'static str) -> Self {
        let role = Role::ServerProcess(mode);
        Self {
            name,
            program,
            role,
        }
    }

    const fn client(name: &'static str, program: Program) -> Self {
        let role = Role::Client;
        Self {
            name,
            program,
            role,
        }
    }

    /// Returns the command with its mode, to which the other arguments are appended.
    pub(crate) fn command(&self, field: &BenchPaths) -> Command {
        let peers = field.bench.join("peers");
        let mut command = match self.program {
            Program::Pincite => {
                let mut command = Command::new(field.binaries.join("pincite"));
                command.args(["--quiet", "stream", "serve", "--listen", "127.0.0.1:0"]);
                command
            }
            Program::Rust(name) => Command::new(field.binaries.join(name)),
            Program::Node(script) => {
                let mut command = Command::new("node");
                command.arg(peers.join("node").join(script));
                command
            }
            Program::Python(script) => {
                let mut command = Command::new(&field.python);
                command.arg(peers.join("python").join(script));
                command
            }
        };
        if let Role::ServerProcess(mode) = self.role {
            command.arg(mode).arg(field.stream(STREAM));
        }
        command
    }

    /// Returns the peer that must be installed for it.
    pub(crate) fn who(&self) -> ContestantKind {
        match self.program {
            Program::Pincite | Program::Rust(_) => ContestantKind::Ours,
            Program::Node(_) => ContestantKind::Node,
            Program::Python(_) => ContestantKind::Python,
        }
    }
}

const OURS_EACH: Contestant =
    Contestant::server("pincite, each event", Program::Pincite, "--pace=0");
/// Verbatim, because peers that send prepared frames do not insert the ids of the run, either.
const OURS_READY: Contestant =
    Contestant::server("pincite, all ready", Program::Pincite, "--verbatim");
const AXUM_EACH: Contestant =
    Contestant::server("bare axum, each event", Program::Rust("bare-axum"), "each");
const AXUM_READY: Contestant =
    Contestant::server("bare axum, all ready", Program::Rust("bare-axum"), "ready");
const NODE_EACH: Contestant =
    Contestant::server("node http, each event", Program::Node("server.mjs"), "each");
const NODE_READY: Contestant =
    Contestant::server("node http, all ready", Program::Node("server.mjs"), "ready");
const SDK: Contestant = Contestant::server("ag-ui-protocol", Program::Python("server.py"), "sdk");
const PYDANTIC_AI: Contestant =
    Contestant::server("pydantic-ai", Program::Python("server.py"), "pydantic-ai");
const OUR_CLIENT: Contestant =
    Contestant::client("HttpAgent and Session", Program::Rust("http-agent"));
const HTTP_AGENT: Contestant = Contestant::client("@ag-ui/client", Program::Node("client.mjs"));

/// ServerProcess with which clients are measured.
pub(crate) const FEED: Contestant = AXUM_READY;

/// Comparison; `against` must need at least `required` times the CPU time of `contestant`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) contestant: Contestant,
    pub(crate) against: Contestant,
    pub(crate) required: f64,
}

const fn row(
    name: &'static str,
    contestant: Contestant,
    against: Contestant,
    required: f64,
) -> Row {
    Row {
        name,
        contestant,
        against,
        required,
    }
}

/// The comparisons.
pub(crate) const ROWS: &[Row] = &[
    row("http-each-axum", OURS_EACH, AXUM_EACH, 0.9),
    row("http-each-node", OURS_EACH, NODE_EACH, 2.5),
    row("http-each-sdk", OURS_EACH, SDK, 4.0),
    row("http-each-pydantic-ai", OURS_EACH, PYDANTIC_AI, 45.0),
    row("http-ready-node", OURS_READY, NODE_EACH, 12.0),
    row("http-ready-node-ready", OURS_READY, NODE_READY, 2.5),
    row("http-ready-pydantic-ai", OURS_READY, PYDANTIC_AI, 250.0),
    row("http-client", OUR_CLIENT, HTTP_AGENT, 50.0),
];

/// Limit on the peak memory of a server with [`MEMORY_CLIENTS`] open streams.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryRow {
    pub(crate) name: &'static str,
    pub(crate) server: Contestant,
    pub(crate) limit_mb: f64,
}

/// The limits on memory.
pub(crate) const MEMORY: &[MemoryRow] = &[MemoryRow {
    name: "http-memory",
    server: OURS_EACH,
    limit_mb: 12.0,
}];

/// Returns every row name, in the order of the run.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let rows = ROWS.iter().map(|row| row.name);
    rows.chain(MEMORY.iter().map(|row| row.name))
}

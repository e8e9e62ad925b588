//! Gateway benchmark: contestants, rows of the table and required figures.

use pincite_bench::corpus::gateway::CITED;

use crate::rounds::NamedContestant;

/// Program between clients and an agent, with its load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contestant {
    pub(crate) name: &'static str,
    pub(crate) program: Program,
    pub(crate) feed: AgentFeed,
    /// Number of parallel runs.
    pub(crate) clients: usize,
}

impl NamedContestant for Contestant {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// Program between the clients and the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    /// `pincite serve --in-memory`.
    InMemory,
    /// `pincite serve` with its store in a folder.
    Stored,
    /// A mode of `peers/gateway/gateway.mjs`.
    Node(&'static str),
    /// No gateway: the clients call the agent directly.
    Direct,
}

/// Mode and stream of the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AgentFeed {
    /// A mode of `bare-axum`.
    pub(crate) mode: &'static str,
    pub(crate) stream: &'static str,
    pub(crate) events: usize,
}

const fn feed(mode: &'static str, stream: &'static str, events: usize) -> AgentFeed {
    AgentFeed {
        mode,
        stream,
        events,
    }
}

const BURST: AgentFeed = feed("ready", "E2E200", 204);
const PACED: AgentFeed = feed("each", "E2E200", 204);
const CITES: AgentFeed = feed("ready", CITED, 204);
const LONG: AgentFeed = feed("ready", "S1", 5_004);
const LONGER: AgentFeed = feed("ready", "S1_20000", 20_004);

const fn contestant(
    name: &'static str,
    program: Program,
    feed: AgentFeed,
    clients: usize,
) -> Contestant {
    Contestant {
        name,
        program,
        feed,
        clients,
    }
}

const COPILOTKIT: Program = Program::Node("copilotkit");
const OURS_BURST: Contestant = contestant("pincite, burst", Program::InMemory, BURST, 16);
const OURS_PACED: Contestant = contestant("pincite, paced", Program::InMemory, PACED, 16);
const OURS_CITED: Contestant = contestant("pincite, 10 citations", Program::Stored, CITES, 16);
const OURS_ALONE: Contestant = contestant("pincite, one client", Program::Stored, CITES, 1);
const OURS_LONG: Contestant = contestant("pincite, 5,000", Program::InMemory, LONG, 2);
const OURS_LONGER: Contestant = contestant("pincite, 20,000", Program::InMemory, LONGER, 2);
const KIT_BURST: Contestant = contestant("CopilotKit, burst", COPILOTKIT, BURST, 16);
const KIT_PACED: Contestant = contestant("CopilotKit, paced", COPILOTKIT, PACED, 16);
const KIT_CITED: Contestant = contestant("CopilotKit, unchecked", COPILOTKIT, CITES, 16);
const KIT_LONG: Contestant = contestant("CopilotKit, 5,000", COPILOTKIT, LONG, 2);
const PIPE_BURST: Contestant = contestant("node pipe, burst", Program::Node("pipe"), BURST, 16);
const DIRECT_BURST: Contestant = contestant("direct, burst", Program::Direct, BURST, 16);
const DIRECT_PACED: Contestant = contestant("direct, paced", Program::Direct, PACED, 16);
const OURS_MANY: Contestant = contestant("pincite, 128 streams", Program::Stored, PACED, 128);

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) ours: Contestant,
    pub(crate) against: Option<Contestant>,
    pub(crate) measure: Measure,
    pub(crate) required: f64,
}

/// Quantity that a row compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// CPU time per run of the peer divided by ours; a minimum.
    Cpu,
    /// CPU time per event of the peer divided by ours; a minimum.
    CpuPerEvent,
    /// Additional milliseconds to the first event compared with the peer, median; a maximum.
    FirstAdded,
    /// Milliseconds from the end of the message to the last result, median; a maximum.
    Verified,
    /// Peak memory in MB; a maximum.
    MemoryResult,
}

impl Measure {
    /// Returns true if the figure is a maximum.
    pub(crate) fn is_limit(self) -> bool {
        !matches!(self, Self::Cpu | Self::CpuPerEvent)
    }

    pub(crate) fn unit(self) -> &'static str {
        match self {
            Self::Cpu | Self::CpuPerEvent => "times",
            Self::FirstAdded | Self::Verified => "ms",
            Self::MemoryResult => "MB",
        }
    }
}

const fn row(
    name: &'static str,
    measure: Measure,
    ours: Contestant,
    against: Option<Contestant>,
    required: f64,
) -> Row {
    Row {
        name,
        ours,
        against,
        measure,
        required,
    }
}

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    row(
        "gateway-burst-copilotkit",
        Measure::Cpu,
        OURS_BURST,
        Some(KIT_BURST),
        40.0,
    ),
    row(
        "gateway-burst-pipe",
        Measure::Cpu,
        OURS_BURST,
        Some(PIPE_BURST),
        2.0,
    ),
    row(
        "gateway-paced-copilotkit",
        Measure::Cpu,
        OURS_PACED,
        Some(KIT_PACED),
        12.0,
    ),
    row(
        "gateway-cited-copilotkit",
        Measure::Cpu,
        OURS_CITED,
        Some(KIT_CITED),
        10.0,
    ),
    row(
        "gateway-long-copilotkit",
        Measure::Cpu,
        OURS_LONG,
        Some(KIT_LONG),
        200.0,
    ),
    row(
        "gateway-linear",
        Measure::CpuPerEvent,
        OURS_LONGER,
        Some(OURS_LONG),
        0.8,
    ),
    row(
        "gateway-first-burst",
        Measure::FirstAdded,
        OURS_BURST,
        Some(DIRECT_BURST),
        3.0,
    ),
    row(
        "gateway-first-paced",
        Measure::FirstAdded,
        OURS_PACED,
        Some(DIRECT_PACED),
        3.0,
    ),
    row("gateway-verified", Measure::Verified, OURS_ALONE, None, 5.0),
    row(
        "gateway-memory",
        Measure::MemoryResult,
        OURS_MANY,
        None,
        40.0,
    ),
];

/// Returns every row name, in the order of the run.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.name)
}

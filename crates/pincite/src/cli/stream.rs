//! Commands and options of `pincite stream`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use server::settings::listen_address;

use super::ReportFormat;

/// Commands of `pincite stream`.
#[derive(Debug, Subcommand)]
pub(crate) enum StreamCommand {
    /// Check a stream against the rules of AG-UI 1.0
    ///
    /// Reports for each problem the event and a hint. Exits with 1 if a rule is broken.
    #[command(
        after_help = "Examples:\n  pincite stream check answer.sse\n  curl -N … | pincite stream check --strict --format json"
    )]
    Check(StreamCheckArgs),
    /// Run a remote agent and show its events live
    ///
    /// Shows text as it arrives, reasoning, tool calls with arguments and results, changes of the state, and
    /// timings at the end. Exits with 1 if the run fails or breaks a rule.
    #[command(
        after_help = "Examples:\n  pincite stream run http://127.0.0.1:8788/ --message 'When is high tide?'\n  pincite stream run https://agents.example/run --input turn2.json --header 'Authorization: Bearer …' --record turn2.sse"
    )]
    Run(StreamRunArgs),
    /// Serve recordings as an AG-UI agent, to develop a frontend
    ///
    /// POST a RunAgentInput to any path: the first request receives the first recording, the second request
    /// the second; the last recording repeats. Web pages of this machine may send requests (CORS).
    #[command(
        after_help = "Examples:\n  pincite stream serve samples/answer.sse\n  pincite stream serve turn1.sse turn2.sse --pace 20"
    )]
    Serve(StreamServeArgs),
    /// Print the messages and the state that a stream produces, as JSON
    ///
    /// Uses all events before the first broken rule. Exits with 1 if a rule is broken.
    #[command(
        after_help = "Examples:\n  pincite stream fold answer.sse\n  pincite stream fold turn1.sse turn2.sse --state before.json"
    )]
    Fold(FoldArgs),
    /// Compare two recordings: messages, state, order, timing
    ///
    /// Ignores ids and the boundaries of text deltas. Exits with 1 if the conversations differ.
    #[command(after_help = "Example: pincite stream diff before.sse after.sse")]
    Diff(DiffArgs),
    /// Write the same events in another encoding
    #[command(after_help = "Example: pincite stream convert answer.sse --to proto > answer.bin")]
    Convert(TransformArgs),
    /// Write the events with older forms upgraded and chunks expanded
    Expand(TransformArgs),
    /// Write fewer events that produce the same messages and state
    Compact(TransformArgs),
}

/// Options for the input of a stream command.
#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// Streams to read; `-` or nothing reads standard input
    ///
    /// Several files are consecutive requests of one conversation: messages, state and open interrupts carry
    /// over.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Encoding of the input [default: detected from the first bytes]
    #[arg(long, value_name = "ENCODING")]
    pub(crate) from: Option<InputFormat>,
}

/// Encodings of input.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum InputFormat {
    /// Server-sent events
    Sse,
    /// One JSON object per line
    Jsonl,
    /// A JSON array of events, or one event
    Json,
    /// Protobuf frames
    Proto,
}

/// Encodings of output.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum OutputFormat {
    /// Server-sent events
    Sse,
    /// One compact JSON object per line
    Jsonl,
    /// Protobuf frames
    Proto,
}

/// Options of `pincite stream check`.
#[derive(Debug, Args)]
pub(crate) struct StreamCheckArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Also reject what the reference client accepts
    ///
    /// Rejects a run without an end, a runId or threadId that changes, and two interrupts with the same id.
    /// Warns about JSON that readers interpret differently: duplicate keys, lone surrogates, numbers beyond
    /// 2^53, invalid UTF-8.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,
}

/// Options of `pincite stream fold`.
#[derive(Debug, Args)]
pub(crate) struct FoldArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// JSON file with the state before the first event [default: {}]
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// JSON file with the messages before the first event [default: []]
    #[arg(long, value_name = "FILE")]
    pub(crate) messages: Option<PathBuf>,
}

/// Options of `pincite stream expand`, `compact` and `convert`.
#[derive(Debug, Args)]
pub(crate) struct TransformArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Encoding of the output
    #[arg(long, value_name = "ENCODING", default_value = "jsonl")]
    pub(crate) to: OutputFormat,
}

/// Encodings to request from an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EncodingChoice {
    /// Server-sent events
    Sse,
    /// Protobuf, if the agent supports it
    Proto,
}

/// Options of `pincite stream run`.
#[derive(Debug, Args)]
pub(crate) struct StreamRunArgs {
    /// URL of the agent
    #[arg(value_name = "URL")]
    pub(crate) url: String,
    /// Message of the user; `-` reads it from standard input
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    /// JSON file with a RunAgentInput; missing ids are generated
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
    /// Header of the request; repeatable
    #[arg(long = "header", short = 'H', value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<String>,
    /// Encoding to request
    #[arg(long, value_name = "ENCODING", default_value = "sse")]
    pub(crate) accept: EncodingChoice,
    /// JSON file with the state to send
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Stop after this many seconds [default: no limit while events arrive]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<f64>,
    /// Write the events to a file as they arrive, with their times
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Format of the output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds.is_finite() => Ok(seconds),
        _ => Err("expected a number of seconds greater than 0".to_owned()),
    }
}

/// Options of `pincite stream serve`.
#[derive(Debug, Args)]
pub(crate) struct StreamServeArgs {
    /// Recordings in any encoding
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Encoding of the recordings [default: detected from the first bytes]
    #[arg(long, value_name = "ENCODING")]
    pub(crate) from: Option<InputFormat>,
    /// Address to listen on; port 0 selects a free port
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8788", value_parser = listen_address)]
    pub(crate) listen: SocketAddr,
    /// Milliseconds before each event; 0 sends events singly without a pause [default: all at once]
    #[arg(long, value_name = "MS")]
    pub(crate) pace: Option<u64>,
    /// Keep the recorded threadId and runId instead of those of the request
    #[arg(long)]
    pub(crate) verbatim: bool,
}

/// Options of `pincite stream diff`.
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// First recording
    #[arg(value_name = "A")]
    pub(crate) a: PathBuf,
    /// Second recording
    #[arg(value_name = "B")]
    pub(crate) b: PathBuf,
    /// Encoding of the recordings [default: detected from the first bytes]
    #[arg(long, value_name = "ENCODING")]
    pub(crate) from: Option<InputFormat>,
    /// Format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,
}

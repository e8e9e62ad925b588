//! What can be typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

const ABOUT: &str = "Checks what AI agents say, over AG-UI";

const LONG_ABOUT: &str = "\
Checks what AI agents say, over AG-UI.

A pincite is a citation to the exact passage. This version holds the AG-UI 1.0 core: tools that read, \
check and convert the event streams of agents.

Exit codes: 0 fine, 1 a finding (a broken rule), 2 usage or configuration, 3 internal.";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "pincite",
    version,
    about = ABOUT,
    long_about = LONG_ABOUT,
    after_help = "Try: pincite stream check samples/answer.sse",
    max_term_width = 100
)]
pub(crate) struct Cli {
    /// Keep warnings to yourself; errors are still said
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The first word.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Look at, check and convert recorded AG-UI streams
    #[command(subcommand)]
    Stream(StreamCommand),
    /// Print a completion script for your shell
    #[command(
        after_help = "Example: pincite completions bash > ~/.local/share/bash-completion/completions/pincite"
    )]
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    #[command(after_help = "Example: pincite man | man -l -")]
    Man,
}

/// `pincite stream …`
#[derive(Debug, Subcommand)]
pub(crate) enum StreamCommand {
    /// Check a stream against every rule of AG-UI 1.0
    ///
    /// Says for each finding where it is and how to repair it. Exit 0 if the stream is fine, 1 if not.
    #[command(
        after_help = "Examples:\n  pincite stream check answer.sse\n  curl -N … | pincite stream check --strict --format json"
    )]
    Check(CheckArgs),
    /// Show the messages and the state that a stream builds, as JSON
    ///
    /// Everything before the first broken rule counts. Exit 1 if a rule is broken.
    #[command(
        after_help = "Examples:\n  pincite stream fold answer.sse\n  pincite stream fold turn1.sse turn2.sse --state before.json"
    )]
    Fold(FoldArgs),
    /// Write the events as the rules see them: older forms upgraded, chunks expanded
    Expand(TransformArgs),
    /// Write fewer events that build the same messages and state
    Compact(TransformArgs),
    /// Write the same events in another form, unchanged
    #[command(after_help = "Example: pincite stream convert answer.sse --to proto > answer.bin")]
    Convert(TransformArgs),
}

/// What is read.
#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// Streams to read; `-` or none means standard input
    ///
    /// Several are segments of one conversation: each is a request of its own; messages, state and
    /// open interrupts carry over.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The form of the input [default: recognised by its first bytes]
    #[arg(long, value_name = "FORM")]
    pub(crate) from: Option<InputForm>,
}

/// Forms of input.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum InputForm {
    /// Server-sent events
    Sse,
    /// One JSON object per line
    Jsonl,
    /// A JSON array of events, or one event
    Json,
    /// Protobuf frames
    Proto,
}

/// Forms of output.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum OutputForm {
    /// Server-sent events
    Sse,
    /// One compact JSON object per line
    Jsonl,
    /// Protobuf frames
    Proto,
}

/// Forms of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportForm {
    /// For people
    Text,
    /// For machines
    Json,
}

/// `pincite stream check`
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Also refuse what the reference client lets pass
    ///
    /// A run without an end, a runId or threadId that changes, two interrupts with one id. And warn of
    /// JSON that readers understand differently: duplicate keys, lone surrogates, numbers beyond 2^53,
    /// invalid UTF-8.
    #[arg(long)]
    pub(crate) strict: bool,
    /// The form of the report
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub(crate) format: ReportForm,
}

/// `pincite stream fold`
#[derive(Debug, Args)]
pub(crate) struct FoldArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// A JSON file with the state before the first event [default: {}]
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// A JSON file with the messages before the first event [default: []]
    #[arg(long, value_name = "FILE")]
    pub(crate) messages: Option<PathBuf>,
}

/// `pincite stream expand|compact|convert`
#[derive(Debug, Args)]
pub(crate) struct TransformArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "jsonl")]
    pub(crate) to: OutputForm,
}

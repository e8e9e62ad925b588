//! What can be typed.

mod operating;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use server::settings::listen_address;

use crate::opening::OpenArgs;

pub(crate) use operating::{
    ConfigCommand, ConfigInitArgs, ConfigShowArgs, DoctorArgs, KeysCommand, KeysCreateArgs,
    KeysListArgs, KeysRevokeArgs,
};

const ABOUT: &str = "Checks what AI agents say, over AG-UI";

const LONG_ABOUT: &str = "\
Checks what AI agents say, over AG-UI.

A pincite is a citation to the exact passage. This version holds the AG-UI 1.0 core: tools that run \
agents and record, check, convert, compare and serve their event streams.

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
    /// Check what an answer quotes against its sources
    ///
    /// Reads the citations of an answer in every common form ([1] with a data block, <cite> tags, links,
    /// footnotes, JSON) and looks for the quoted words: `found` means that they are there. A changed digit,
    /// a dropped negation, a swapped name are never found. Exit 0 only if everything quoted is found.
    #[command(
        after_help = "Examples:\n  pincite verify answer.md --source report.txt --source law=law.html\n  some-agent | pincite verify --source library/ --format json\n  pincite verify essay.md --quotes --source notes/ --watch\n  pincite verify answer.md --source contract.pdf --password contract.pdf=SECRET --format sarif"
    )]
    Verify(VerifyArgs),
    /// Show what is understood of a document: pages, lines with their numbers, what stands apart
    #[command(
        after_help = "Examples:\n  pincite document report.html\n  pincite document notes.md --deep-text > prompt.txt\n  pincite document book.pdf --page 12 --format json"
    )]
    Document(DocumentArgs),
    /// Draw the page that a quote stands on, with the quote marked
    ///
    /// Exit 1 if the quote is not there, or only partly.
    #[command(
        override_usage = "pincite evidence FILE --quote TEXT -o PICTURE",
        after_help = "Examples:\n  pincite evidence report.pdf --quote 'Sales rose by 12 %' -o page.png\n  pincite evidence notes.md --quote 'the second quay' --strip --dark -o strip.avif"
    )]
    Evidence(EvidenceArgs),
    /// Serve agents with their citations checked, for any AG-UI frontend
    ///
    /// In front of any AG-UI agent (--upstream), or with the built-in demo: text passes at once, every
    /// quotation is looked for in the documents while the answer streams, and the results reach the
    /// frontend as changes of the shared state.
    #[command(
        after_help = "Examples:\n  pincite serve\n  pincite serve --upstream law=http://localhost:8000/\n  curl -F file=@report.pdf http://127.0.0.1:8787/documents"
    )]
    Serve(ServeArgs),
    /// Show, check, begin or describe the configuration of a server
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Look for what usually goes wrong: data, disk, port, agents, proxies, clock
    ///
    /// Each line is ok, warn or fail, with what to do. Exit 1 if something fails. Agents are sent a
    /// conversation in which nothing was said. Works beside a running server.
    #[command(
        after_help = "Examples:\n  pincite doctor\n  pincite doctor --config /etc/pincite.toml --json | jq '.checks[] | select(.state != \"ok\")'"
    )]
    Doctor(DoctorArgs),
    /// Make, list and revoke the keys that open a server's API
    ///
    /// Without any key a server listens on this machine only, and whoever is on it may do everything. From
    /// the first key on every request needs one. Works beside a running server.
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Write a copy of all data to a new directory, also while a server uses it
    #[command(
        after_help = "Example: pincite backup /backups/pincite-$(date +%F) --data /var/lib/pincite"
    )]
    Backup(BackupArgs),
    /// Put a backup in place of all data
    ///
    /// A server that uses the data goes on with what is restored; runs that it has open end with an error.
    #[command(after_help = "Example: pincite restore /backups/pincite-2026-11-16")]
    Restore(RestoreArgs),
    /// Look for damage in the data, also while a server uses it
    ///
    /// Exit 1 if there is any.
    #[command(after_help = "Example: pincite check-data --full")]
    CheckData(CheckDataArgs),
    /// Look at, check, convert, record and serve AG-UI streams
    #[command(subcommand)]
    Stream(StreamCommand),
    /// Read documents for another process of this program
    #[command(hide = true, name = crate::opening::CHILD)]
    ReadDocument,
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

/// Which data.
#[derive(Debug, Args)]
pub(crate) struct DataArgs {
    /// The data directory [default: that of the configuration, or pincite-data]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// A configuration file [default: pincite.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// `pincite backup`
#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// The directory to write; it must not exist
    #[arg(value_name = "TARGET")]
    pub(crate) target: PathBuf,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// `pincite restore`
#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// A directory that `pincite backup` has written
    #[arg(value_name = "BACKUP")]
    pub(crate) backup: PathBuf,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// `pincite check-data`
#[derive(Debug, Args)]
pub(crate) struct CheckDataArgs {
    /// Read every index and every file too
    #[arg(long)]
    pub(crate) full: bool,
    #[command(flatten)]
    pub(crate) data: DataArgs,
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
    Check(StreamCheckArgs),
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
    /// Run a remote agent and show what it does, live
    ///
    /// Text as it comes, reasoning dimmed, tool calls with arguments and results, changes of the state;
    /// timings at the end. Exit 1 if the run fails or breaks a rule.
    #[command(
        after_help = "Examples:\n  pincite stream run http://127.0.0.1:8788/ --message 'When is high tide?'\n  pincite stream run https://agents.example/run --input turn2.json --header 'Authorization: Bearer …' --record turn2.sse"
    )]
    Run(StreamRunArgs),
    /// Serve recordings as an AG-UI agent, to build a frontend without one
    ///
    /// POST a RunAgentInput to any path: the first request gets the first recording, the second the
    /// second; the last repeats. Any page on this machine may ask (CORS).
    #[command(
        after_help = "Examples:\n  pincite stream serve samples/answer.sse\n  pincite stream serve turn1.sse turn2.sse --pace 20"
    )]
    Serve(StreamServeArgs),
    /// Compare two recordings as conversations: messages, state, order, timing
    ///
    /// Ids are left aside, and how text was cut into deltas. Exit 1 if the conversations differ.
    #[command(after_help = "Example: pincite stream diff before.sse after.sse")]
    Diff(DiffArgs),
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
    pub(crate) from: Option<InputFormat>,
}

/// Forms of input.
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

/// Forms of output.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum OutputFormat {
    /// Server-sent events
    Sse,
    /// One compact JSON object per line
    Jsonl,
    /// Protobuf frames
    Proto,
}

/// Forms of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people
    Text,
    /// For machines
    Json,
}

/// `pincite stream check`
#[derive(Debug, Args)]
pub(crate) struct StreamCheckArgs {
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
    pub(crate) format: ReportFormat,
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
    pub(crate) to: OutputFormat,
}

/// Wires to ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EncodingChoice {
    /// Server-sent events
    Sse,
    /// Protobuf, if the agent knows it
    Proto,
}

/// `pincite stream run`
#[derive(Debug, Args)]
pub(crate) struct StreamRunArgs {
    /// Where the agent is
    #[arg(value_name = "URL")]
    pub(crate) url: String,
    /// What to say; `-` reads it from standard input
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    /// A JSON file with a RunAgentInput; ids that are missing are made up
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
    /// A header for the request; may be given several times
    #[arg(long = "header", short = 'H', value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<String>,
    /// The wire to ask for
    #[arg(long, value_name = "WIRE", default_value = "sse")]
    pub(crate) accept: EncodingChoice,
    /// A JSON file with the state to send
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Give up after so many seconds [default: as long as events come]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<f64>,
    /// Write the events to a file as they come, with their times
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub(crate) format: ReportFormat,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds.is_finite() => Ok(seconds),
        _ => Err("a number of seconds greater than 0 is needed".to_owned()),
    }
}

/// `pincite stream serve`
#[derive(Debug, Args)]
pub(crate) struct StreamServeArgs {
    /// Recordings in any form
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The form of the recordings [default: recognised by their first bytes]
    #[arg(long, value_name = "FORM")]
    pub(crate) from: Option<InputFormat>,
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8788", value_parser = listen_address)]
    pub(crate) listen: SocketAddr,
    /// Milliseconds before each event; 0 sends each on its own, without a pause [default: all at once]
    #[arg(long, value_name = "MS")]
    pub(crate) pace: Option<u64>,
    /// Keep the recorded threadId and runId instead of those of the request
    #[arg(long)]
    pub(crate) verbatim: bool,
}

/// `pincite stream diff`
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The one recording
    #[arg(value_name = "A")]
    pub(crate) a: PathBuf,
    /// The other
    #[arg(value_name = "B")]
    pub(crate) b: PathBuf,
    /// The form of the recordings [default: recognised by their first bytes]
    #[arg(long, value_name = "FORM")]
    pub(crate) from: Option<InputFormat>,
    /// The form of the report
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub(crate) format: ReportFormat,
}

/// `pincite verify`
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The answer; `-` or none means standard input
    #[arg(value_name = "ANSWER")]
    pub(crate) answer: Option<PathBuf>,
    /// What to check against: a file, a folder or an address, with the name that citations use for it
    #[arg(long = "source", short, value_name = "[ID=]FILE|DIR|URL")]
    pub(crate) sources: Vec<String>,
    #[command(flatten)]
    pub(crate) opening: OpenArgs,
    /// A JSON file of citations instead of an answer: {key: {fullPhrase, anchorText, pageNumber, …}}
    #[arg(long, value_name = "FILE")]
    pub(crate) citations: Option<PathBuf>,
    /// The field names of the JSON: g2 (fullPhrase) or g3 (sourceContext)
    #[arg(long, value_name = "GENERATION", default_value = "g2")]
    pub(crate) names: NamesFormat,
    /// Also check every passage of five or more words in quotation marks
    #[arg(long)]
    pub(crate) quotes: bool,
    /// What is good enough besides found
    #[arg(long, value_name = "STATES", value_delimiter = ',')]
    pub(crate) allow: Vec<AllowedState>,
    /// Check again whenever the answer or a source is saved, and show what changed
    #[arg(long)]
    pub(crate) watch: bool,
    /// Exit 1 if there is nothing to check
    #[arg(long)]
    pub(crate) require_citations: bool,
    /// The form of the report
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub(crate) format: VerifyFormat,
}

/// `pincite evidence`
#[derive(Debug, Args)]
pub(crate) struct EvidenceArgs {
    /// The document: a file or an address
    #[arg(value_name = "FILE|URL")]
    pub(crate) file: PathBuf,
    /// What is quoted
    #[arg(long, value_name = "TEXT")]
    pub(crate) quote: String,
    /// The words of the quote that matter most
    #[arg(long, value_name = "TEXT")]
    pub(crate) anchor: Option<String>,
    /// The page it should be on, counted from 1
    #[arg(long, value_name = "N")]
    pub(crate) page: Option<u32>,
    /// Only what is around the quote, from all of its pages
    #[arg(long)]
    pub(crate) strip: bool,
    /// Light letters on a dark page
    #[arg(long)]
    pub(crate) dark: bool,
    /// Dim what is around the quote
    #[arg(long)]
    pub(crate) spotlight: bool,
    /// 2 for fine screens
    #[arg(long, value_name = "FACTOR", default_value = "1")]
    pub(crate) scale: f32,
    /// The picture: .png, .webp, .avif or .jpeg
    #[arg(long, short, value_name = "PICTURE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) opening: OpenArgs,
}

/// `pincite serve`
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Where to listen; port 0 takes a free one [default: 127.0.0.1:8787]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = listen_address)]
    pub(crate) listen: Option<SocketAddr>,
    /// Where everything is kept [default: pincite-data]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Keep everything in memory only
    #[arg(long, conflicts_with = "data")]
    pub(crate) in_memory: bool,
    /// A configuration file [default: pincite.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// An AG-UI agent to put checked citations on; may be given several times
    ///
    /// Without a NAME it is called `default`. If the configuration has an agent of that name, this is its address,
    /// and what else is configured for it stays.
    #[arg(long = "upstream", value_name = "[NAME=]URL")]
    pub(crate) upstreams: Vec<String>,
    /// Also serve the built-in demo; without any upstream it is served anyway
    #[arg(long)]
    pub(crate) demo: bool,
    /// A host that documents may be fetched from; `*` means any public one
    #[arg(long, value_name = "HOST")]
    pub(crate) allow_fetch: Vec<String>,
    /// The form of the log
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub(crate) log_format: LogFormat,
    /// What is logged: error, warn, info, debug or trace; PUT /log changes it while it runs
    #[arg(long, value_name = "LEVEL", default_value = "warn")]
    pub(crate) log_level: tracing::Level,
}

/// Forms of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people
    Text,
    /// One JSON object per line
    Json,
}

/// Generations of field names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NamesFormat {
    /// fullPhrase, anchorText
    G2,
    /// sourceContext, sourceMatch
    G3,
}

/// States that can be let pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AllowedState {
    /// Partly found, or only its key words
    Partly,
    /// On another page or line
    Elsewhere,
}

/// Forms of the verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerifyFormat {
    /// For people
    Text,
    /// For machines
    Json,
    /// A table for a page
    Markdown,
    /// For code hosts and editors (SARIF 2.1.0)
    Sarif,
    /// For build servers (JUnit XML)
    Junit,
    /// One page to send: the answer, its citations, pictures of the sources
    Html,
}

/// `pincite document`
#[derive(Debug, Args)]
pub(crate) struct DocumentArgs {
    /// The document
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) opening: OpenArgs,
    /// Only this page, counted from 1
    #[arg(long, value_name = "N")]
    pub(crate) page: Option<u32>,
    /// The text as a model is given it, to cite pages and lines from
    #[arg(long)]
    pub(crate) deep_text: bool,
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub(crate) format: ReportFormat,
}

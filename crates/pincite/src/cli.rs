//! Command line: commands, options and their help texts.

mod attribution;
mod canvas;
mod library;
mod operating;
mod serve;
mod stream;
mod verify;

use clap::{CommandFactory, Parser, Subcommand, ValueEnum};

pub(crate) use attribution::{
    AttributionCommand, CompareArgs, CoverageArgs, ImportArgs, ImportSource, MergesArgs,
    ResolveArgs,
};
pub(crate) use canvas::{
    CanvasCheckArgs, CanvasCommand, CanvasRenderArgs, MessageKindChoice, RenderChoice,
};
pub(crate) use library::{AnswerFormat, AskArgs, IngestArgs, McpArgs, ReindexArgs, SearchArgs};
pub(crate) use operating::{
    AccessCommand, BackupArgs, CheckDataArgs, ConfigCommand, ConfigInitArgs, ConfigShowArgs,
    DataArgs, DoctorArgs, KeysCommand, KeysCreateArgs, KeysListArgs, KeysRevokeArgs, RestoreArgs,
};
pub(crate) use serve::{LogFormat, ServeArgs};
pub(crate) use stream::{
    DiffArgs, EncodingChoice, FoldArgs, InputArgs, InputFormat, OutputFormat, StreamCheckArgs,
    StreamCommand, StreamRunArgs, StreamServeArgs, TransformArgs,
};
pub(crate) use verify::{
    AllowedState, DocumentArgs, EvidenceArgs, NamesFormat, VerifyArgs, VerifyFormat,
};

const ABOUT: &str = "Verifies the quotations of AI agents against their sources";

const LONG_ABOUT: &str = "\
Verifies the quotations of AI agents against their sources.

A pincite is a citation of the exact passage. `pincite verify` checks a finished answer. `pincite serve` \
stands in front of an AG-UI agent and checks every quotation while the answer streams.";

const EXIT_CODES: &str = "\
Exit codes:
  0  success
  1  a finding: a quotation that is not found, a broken rule, a failed check
  2  wrong usage or configuration
  3  internal error";

const EXAMPLES: &str = "\
Examples:
  pincite verify answer.md --source report.pdf
  pincite serve --upstream http://localhost:8000/";

/// Headings of the overview with the commands below each.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "Commands",
        &["verify", "serve", "prompt", "evidence", "document"],
    ),
    (
        "Document library",
        &["ask", "ingest", "search", "reindex", "mcp"],
    ),
    ("Music credits", &["attribution"]),
    (
        "Operating a server",
        &[
            "config",
            "doctor",
            "keys",
            "access",
            "backup",
            "restore",
            "check-data",
        ],
    ),
    ("AG-UI event streams", &["stream"]),
    ("Agent-generated UI", &["canvas"]),
    ("Shell", &["completions", "man", "help"]),
];

/// Command line of the program.
#[derive(Debug, Parser)]
#[command(
    name = "pincite",
    version,
    about = ABOUT,
    long_about = LONG_ABOUT,
    after_help = EXAMPLES,
    after_long_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"),
    max_term_width = 100
)]
pub(crate) struct Cli {
    /// Suppress warnings and notes; errors are still printed
    #[arg(long, short, global = true, display_order = 900)]
    pub(crate) quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Top-level commands in the order of the help text.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check quotations against their sources
    ///
    /// Reads the citations of an answer in every common form: [1] with a data block, <cite> tags, links, footnotes, JSON,
    /// and quotations with their source: "…" (report.pdf, p. 3).
    /// `found` means that the quoted words are in the source. A changed digit, a dropped negation or a
    /// swapped name is never found. Exits with 0 only if every quotation is found.
    #[command(
        after_help = "Examples:\n  pincite verify answer.md --source report.txt --source law=law.html\n  some-agent | pincite verify --source library/ --format json\n  pincite verify essay.md --quotes --source notes/ --watch\n  pincite verify article.docx --source library/ --aliases names.toml --format docx -o checked.docx"
    )]
    Verify(VerifyArgs),
    /// Serve agents and verify their citations
    ///
    /// Works in front of any AG-UI agent (--upstream) or with the built-in demo agent. Text passes through
    /// at once. Each quotation is checked against the uploaded documents; results reach the frontend as
    /// changes of the shared state.
    #[command(
        after_help = "Examples:\n  pincite serve\n  pincite serve --upstream law=http://localhost:8000/\n  curl -F file=@report.pdf http://127.0.0.1:8787/documents"
    )]
    Serve(ServeArgs),
    /// Print a prompt that teaches a model to cite
    ///
    /// Paste it into the instructions of your own agent, before the documents, and the reminder after them. The
    /// grammar of the form follows. `citations.instruct` in the configuration does this for an agent behind the
    /// server.
    #[command(
        after_help = "Examples:\n  pincite prompt > cite.txt\n  pincite prompt --format footnotes\n  { pincite prompt; pincite document report.pdf --deep-text; } > prompt.txt"
    )]
    Prompt(PromptArgs),
    /// Render a page with a quote highlighted
    ///
    /// Finds the quote in the document and writes an image of its page. Exits with 1 if the quote is not found or only partly found.
    #[command(
        override_usage = "pincite evidence FILE --quote TEXT -o IMAGE",
        after_help = "Examples:\n  pincite evidence report.pdf --quote 'Sales rose by 12 %' -o page.png\n  pincite evidence notes.md --quote 'the second quay' --strip --dark -o strip.avif"
    )]
    Evidence(EvidenceArgs),
    /// Show the text of a document, line by line
    #[command(
        after_help = "Examples:\n  pincite document report.html\n  pincite document notes.md --deep-text > prompt.txt\n  pincite document book.pdf --page 12 --format json"
    )]
    Document(DocumentArgs),
    /// Ask a question about your documents
    ///
    /// The answer quotes the documents, with numbered sources, or says that they do not have the answer.
    /// Without a model the program selects sentences itself and nothing leaves the machine. Works while a
    /// server is running on the same data. Exits with 1 if a quote is not verified; a refusal exits with 0.
    #[command(
        after_help = "Examples:\n  pincite ask 'When was the quay opened?'\n  pincite ask 'Who signed the lease?' --document quay-lease.pdf\n  pincite ask 'What was the profit in 2023?' --model ollama:llama3.2 --format json"
    )]
    Ask(AskArgs),
    /// Add documents to the library
    ///
    /// Files, folders and URLs are read, stored and indexed; the command returns when they can be searched.
    /// Files that did not change cost nothing. A changed file replaces its earlier version in search. Works
    /// while a server is running on the same data. Exits with 1 if a document could not be read.
    #[command(
        after_help = "Examples:\n  pincite ingest ~/papers --label papers\n  pincite ingest report.pdf https://example.org/law.html\n  pincite ingest ~/notes --watch --prune\n  curl https://example.org/a.md | pincite ingest - --name a.md"
    )]
    Ingest(IngestArgs),
    /// Find passages in the library
    ///
    /// Words are alternatives; a passage with more and rarer ones comes first. Phrases in quotes must occur.
    /// A word after a space and a minus sign excludes passages. Works while a server is running on the same
    /// data. Exits with 1 if nothing is found.
    #[command(
        after_help = "Examples:\n  pincite search tide tables\n  pincite search '\"high tide\" -harbour' --document almanac.pdf\n  pincite search tides --label papers --format json | jq '.items[].snippet.text'"
    )]
    Search(SearchArgs),
    /// Make the search index anew
    ///
    /// The index is derived from the stored documents; nothing is lost without it. Failed documents are
    /// tried again. Works while a server is running, which then does the work.
    #[command(after_help = "Example: pincite reindex --data /var/lib/pincite")]
    Reindex(ReindexArgs),
    /// Serve the library to MCP clients
    ///
    /// Clients of the Model Context Protocol such as Claude Code, Cursor and VS Code start it and talk to it on standard input and output. It offers
    /// tools to search, read, ask, verify quotes and add documents. Works while a server is running on the same data.
    /// A server offers the same at /mcp.
    #[command(
        after_help = "Examples:\n  claude mcp add pincite -- pincite mcp\n  pincite mcp --read-only --data ~/papers-library"
    )]
    Mcp(McpArgs),
    /// Import, resolve and compare music credits
    #[command(subcommand)]
    Attribution(AttributionCommand),
    /// Show, check or create the configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Diagnose common problems of a server
    ///
    /// Checks configuration, data, disk, port, agents, proxies, fonts, OCR and clock. Each line is ok, warn or fail, with a hint. Sends each agent an empty conversation. Works while a
    /// server is running. Exits with 1 if a check fails.
    #[command(
        after_help = "Examples:\n  pincite doctor\n  pincite doctor --config /etc/pincite.toml --json | jq '.checks[] | select(.state != \"ok\")'"
    )]
    Doctor(DoctorArgs),
    /// Create, list and revoke API keys
    ///
    /// A server without keys listens on this machine only and needs none. As soon as there is a key, every
    /// request needs one. Works while a server is running.
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Show or switch off the need for keys
    ///
    /// The first key switches access on: every request then needs a key or token. It stays on when keys expire, are
    /// revoked or are deleted, until it is switched off here.
    #[command(subcommand)]
    Access(AccessCommand),
    /// Copy all data to a new directory
    ///
    /// Works while a server is running.
    #[command(
        after_help = "Example: pincite backup /backups/pincite-$(date +%F) --data /var/lib/pincite"
    )]
    Backup(BackupArgs),
    /// Replace all data with a backup
    ///
    /// A running server continues with the restored data; its open runs end with an error.
    #[command(after_help = "Example: pincite restore /backups/pincite-2026-11-16")]
    Restore(RestoreArgs),
    /// Check the data for damage
    ///
    /// Works while a server is running. Exits with 1 if the data is damaged.
    #[command(after_help = "Example: pincite check-data --full")]
    CheckData(CheckDataArgs),
    /// Check, convert, run and serve event streams
    ///
    /// Works with recorded and live streams of AG-UI events.
    #[command(subcommand)]
    Stream(StreamCommand),
    /// Read documents for another process of this program
    #[command(hide = true, name = crate::document_reader::WORKER_COMMAND)]
    ReadDocument,
    /// Check or render agent-generated UI
    #[command(subcommand)]
    Canvas(CanvasCommand),
    /// Print a completion script for a shell
    #[command(
        after_help = "Example: pincite completions bash > ~/.local/share/bash-completion/completions/pincite"
    )]
    Completions {
        /// Shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    #[command(after_help = "Example: pincite man | man -l -")]
    Man,
}

/// Options of `pincite prompt`.
#[derive(Debug, clap::Args)]
pub(crate) struct PromptArgs {
    /// Form in which the model cites
    #[arg(long, value_name = "FORMAT", default_value = "block")]
    pub(crate) format: PromptChoice,
}

/// Forms in which a model can be taught to cite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PromptChoice {
    /// Markers such as [1], and a data block at the end
    Block,
    /// <cite …/> tags
    Tags,
    /// Markdown footnotes
    Footnotes,
    /// JSON with the answer and its citations
    Json,
}

/// Formats of most reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Text for people
    Text,
    /// JSON for programs
    Json,
}

/// Returns the command line with an overview that lists the commands in groups.
///
/// clap does not wrap the overview: keep the first lines of the commands within 45 characters.
pub(crate) fn command_line() -> clap::Command {
    let mut command = Cli::command();
    command.build();
    let template = overview(&command);
    // A fresh command: the built one has its help command already.
    Cli::command().help_template(template)
}

fn overview(command: &clap::Command) -> String {
    let heading = command.get_styles().get_header();
    let name_style = command.get_styles().get_literal();
    let mut text = String::from("{before-help}{about-with-newline}\n{usage-heading} {usage}\n");
    for (title, names) in GROUPS {
        text.push_str(&format!("\n{heading}{title}:{heading:#}\n"));
        for name in *names {
            let about = command
                .find_subcommand(name)
                .and_then(clap::Command::get_about);
            let about = match *name {
                "help" => "Print the help of a command".to_owned(),
                _ => about.map(ToString::to_string).unwrap_or_default(),
            };
            text.push_str(&format!("  {name_style}{name:<12}{name_style:#} {about}\n"));
        }
    }
    text.push_str(&format!(
        "\n{heading}Options:{heading:#}\n{{options}}{{after-help}}"
    ));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_visible_command_is_in_one_group() {
        let mut command = Cli::command();
        command.build();
        let mut visible: Vec<&str> = command
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
            .map(clap::Command::get_name)
            .collect();
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| names.iter().copied())
            .collect();
        visible.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(visible, grouped);
    }
}

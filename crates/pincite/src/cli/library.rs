//! Commands for the document library: ingest, search, reindex.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{DataArgs, ReportFormat};

/// Options of `pincite ingest`.
#[derive(Debug, Args)]
pub(crate) struct IngestArgs {
    /// Files, folders or URLs; `-` reads a document from standard input
    #[arg(value_name = "PATH|URL|-", required = true)]
    pub(crate) sources: Vec<PathBuf>,
    /// Label of the documents; repeatable
    #[arg(long = "label", value_name = "LABEL")]
    pub(crate) labels: Vec<String>,
    /// Keep running, and ingest files that are added or changed
    #[arg(long)]
    pub(crate) watch: bool,
    /// Remove documents whose files no longer exist in the folders
    #[arg(long)]
    pub(crate) prune: bool,
    /// File name of the document from standard input
    #[arg(long, value_name = "NAME", default_value = "stdin.txt")]
    pub(crate) name: String,
    /// Owner of the documents
    #[arg(long, value_name = "PRINCIPAL", default_value = "local")]
    pub(crate) principal: String,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// Options of `pincite mcp`.
#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Offer no tool that adds documents
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Add the sample documents to the library first
    #[arg(long)]
    pub(crate) samples: bool,
    /// Owner of the documents
    #[arg(long, value_name = "PRINCIPAL", default_value = "local")]
    pub(crate) principal: String,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// Options of `pincite ask`.
#[derive(Debug, Args)]
pub(crate) struct AskArgs {
    /// Question
    #[arg(value_name = "QUESTION", required = true, num_args = 1..)]
    pub(crate) question: Vec<String>,
    /// Document to ask, by id or file name; repeatable
    #[arg(long = "document", value_name = "ID")]
    pub(crate) documents: Vec<String>,
    /// Label that documents must have; repeatable
    #[arg(long = "label", value_name = "LABEL")]
    pub(crate) labels: Vec<String>,
    /// Model that answers, such as anthropic:claude-haiku-4-5 or ollama:llama3.2 [default: models.default]
    #[arg(long, value_name = "PROVIDER:MODEL")]
    pub(crate) model: Option<String>,
    /// Owner of the documents
    #[arg(long, value_name = "PRINCIPAL", default_value = "local")]
    pub(crate) principal: String,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Format of the output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: AnswerFormat,
}

/// Formats of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnswerFormat {
    /// Text, then the sources
    Text,
    /// Markdown with footnotes
    Markdown,
    /// One JSON object
    Json,
}

/// Options of `pincite search`.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Words, phrases in quotes, and excluded words after a space and a minus sign
    #[arg(value_name = "QUERY", required = true, num_args = 1.., allow_hyphen_values = false)]
    pub(crate) query: Vec<String>,
    /// Largest number of hits, from 1 to 100
    #[arg(long, value_name = "NUMBER", default_value_t = 10, value_parser = limit)]
    pub(crate) limit: usize,
    /// Label that documents must have; repeatable
    #[arg(long = "label", value_name = "LABEL")]
    pub(crate) labels: Vec<String>,
    /// Document to search, by id or file name; repeatable
    #[arg(long = "document", value_name = "ID")]
    pub(crate) documents: Vec<String>,
    /// Show the reasons for the rank of each hit
    #[arg(long)]
    pub(crate) explain: bool,
    /// Owner of the documents
    #[arg(long, value_name = "PRINCIPAL", default_value = "local")]
    pub(crate) principal: String,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Format of the output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,
}

/// Options of `pincite reindex`.
#[derive(Debug, Args)]
pub(crate) struct ReindexArgs {
    /// Also embed all documents again with the configured model
    #[arg(long)]
    pub(crate) vectors: bool,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

fn limit(text: &str) -> Result<usize, String> {
    let limit = text.parse().ok();
    limit
        .filter(|limit| (1..=100).contains(limit))
        .ok_or_else(|| "expected a number from 1 to 100".to_owned())
}

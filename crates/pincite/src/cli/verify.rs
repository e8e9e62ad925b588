//! Options of `pincite verify`, `pincite evidence` and `pincite document`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::ReportFormat;
use crate::document_reader::ReaderArgs;

/// Options of `pincite verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Answer to check: text, Markdown, DOCX, PDF or HTML; `-` or nothing reads standard input
    #[arg(value_name = "ANSWER")]
    pub(crate) answer: Option<PathBuf>,
    /// Source to check against: a file, a folder or a URL; repeatable
    ///
    /// ID is the name that citations use for it. Without an ID it is the file name.
    #[arg(long = "source", short, value_name = "[ID=]FILE|DIR|URL")]
    pub(crate) sources: Vec<String>,
    #[command(flatten)]
    pub(crate) reader: ReaderArgs,
    /// JSON file of citations instead of an answer
    ///
    /// It holds an object: {key: {fullPhrase, anchorText, pageNumber, …}}. The report has the same keys.
    #[arg(long, value_name = "FILE")]
    pub(crate) citations: Option<PathBuf>,
    /// Field names in the JSON: g2 (fullPhrase) or g3 (sourceContext)
    #[arg(long, value_name = "GENERATION", default_value = "g2")]
    pub(crate) names: NamesFormat,
    /// Also check quotations that name no source
    ///
    /// Every passage of five or more words in quotation marks is one. Quotations that name their source are always
    /// checked: "…" (report.pdf, p. 3), "…" — report.pdf, p. 3, Larsen (2015, p. 14) writes: "…", "…" [3, p. 7] with a
    /// list of references, and footnotes.
    #[arg(long)]
    pub(crate) quotes: bool,
    /// TOML file of names: "Larsen 2015" = "report.pdf"
    ///
    /// The names are those that the answer uses for sources.
    #[arg(long, value_name = "FILE")]
    pub(crate) aliases: Option<PathBuf>,
    /// Results to accept besides found
    #[arg(long, value_name = "RESULTS", value_delimiter = ',')]
    pub(crate) allow: Vec<AllowedState>,
    /// Check again when a file is saved, and show the changes
    #[arg(long)]
    pub(crate) watch: bool,
    /// Exit with 1 if the answer contains no citations
    #[arg(long)]
    pub(crate) require_citations: bool,
    /// Format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: VerifyFormat,
    /// File to write the report to, instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Generations of field names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NamesFormat {
    /// fullPhrase, anchorText
    G2,
    /// sourceContext, sourceMatch
    G3,
}

/// Results that `--allow` accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AllowedState {
    /// Partly found, or only its key words
    Partly,
    /// Found on another page or line
    Elsewhere,
}

/// Formats of a verification report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerifyFormat {
    /// Text for people
    Text,
    /// JSON for programs
    Json,
    /// Markdown table
    Markdown,
    /// SARIF 2.1.0 for code hosts and editors
    Sarif,
    /// JUnit XML for build servers
    Junit,
    /// One HTML page with the answer, its citations and images of the sources
    Html,
    /// Copy of a DOCX answer with a comment at each quote
    Docx,
}

/// Options of `pincite evidence`.
#[derive(Debug, Args)]
pub(crate) struct EvidenceArgs {
    /// Document: a file or a URL
    #[arg(value_name = "FILE|URL")]
    pub(crate) file: PathBuf,
    /// Quoted text
    #[arg(long, value_name = "TEXT")]
    pub(crate) quote: String,
    /// Key words of the quote
    #[arg(long, value_name = "TEXT")]
    pub(crate) anchor: Option<String>,
    /// Expected page, counted from 1
    #[arg(long, value_name = "N")]
    pub(crate) page: Option<u32>,
    /// Show only the lines around the quote, from all of its pages
    #[arg(long)]
    pub(crate) strip: bool,
    /// Light text on a dark page
    #[arg(long)]
    pub(crate) dark: bool,
    /// Dim everything except the quote
    #[arg(long)]
    pub(crate) spotlight: bool,
    /// Scale of the image; 2 suits high-resolution screens
    #[arg(long, value_name = "FACTOR", default_value = "1")]
    pub(crate) scale: f32,
    /// Image to write: .png, .webp, .avif or .jpeg
    #[arg(long, short, value_name = "IMAGE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) reader: ReaderArgs,
}

/// Options of `pincite document`.
#[derive(Debug, Args)]
pub(crate) struct DocumentArgs {
    /// Document: a file or a URL
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) reader: ReaderArgs,
    /// Show only this page, counted from 1
    #[arg(long, value_name = "N")]
    pub(crate) page: Option<u32>,
    /// Print the text for a prompt, with page and line tags to cite
    #[arg(long)]
    pub(crate) deep_text: bool,
    /// Format of the output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,
}

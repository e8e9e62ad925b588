//! Commands for agent-generated UI: check, render.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Commands of `pincite canvas`.
#[derive(Debug, Subcommand)]
pub(crate) enum CanvasCommand {
    /// Check messages that agents or clients send
    ///
    /// FILE has one message, a list or JSON Lines. Nothing is repaired. Prints
    /// {"valid","errors":[{"path","code","message"}]}; exits with 1 if something is not valid.
    #[command(
        after_help = "Examples:\n  pincite canvas check message.json\n  pincite canvas check surface.jsonl --as a2ui\n  pincite canvas check action.json --as a2ui-client"
    )]
    Check(CanvasCheckArgs),
    /// Render messages as a page or as text
    ///
    /// For mail, print and terminals: no scripts, nothing is loaded. Reads messages of the canvas and of A2UI.
    #[command(
        after_help = "Examples:\n  pincite canvas render surface.jsonl --to text\n  pincite canvas render message.json --to html > page.html"
    )]
    Render(CanvasRenderArgs),
}

/// Options of `pincite canvas check`.
#[derive(Debug, Args)]
pub(crate) struct CanvasCheckArgs {
    /// File with messages; `-` is standard input
    pub(crate) file: PathBuf,
    /// Protocol and direction of the messages
    #[arg(long = "as", value_name = "KIND", default_value = "canvas")]
    pub(crate) kind: MessageKindChoice,
    /// Catalog of A2UI components to check against [default: the basic catalog]
    #[arg(long, value_name = "FILE")]
    pub(crate) catalog: Option<PathBuf>,
}

/// Protocols of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MessageKindChoice {
    /// Messages of the canvas
    Canvas,
    /// A2UI 0.9 from an agent
    A2ui,
    /// A2UI 0.9 from a client
    A2uiClient,
}

/// Options of `pincite canvas render`.
#[derive(Debug, Args)]
pub(crate) struct CanvasRenderArgs {
    /// File with messages; `-` is standard input
    pub(crate) file: PathBuf,
    /// Form of the output
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub(crate) to: RenderChoice,
}

/// Forms of rendered messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RenderChoice {
    /// Page without scripts
    Html,
    /// Text with Markdown marks
    Text,
}

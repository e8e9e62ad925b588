//! What whoever runs a server types: configuration, keys, the doctor.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use server::access::AccessScope;

use super::{DataArgs, ReportFormat};

/// `pincite config …`
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show every setting as it is
    #[command(after_help = "Example: pincite config show --origin")]
    Show(ConfigShowArgs),
    /// Say whether the configuration is right, and what is not
    Check(ConfigCheckArgs),
    /// Write a file with every setting and its default, commented out
    Init(ConfigInitArgs),
    /// Print a JSON Schema of the file, for editors
    #[command(after_help = "Example: pincite config schema > pincite.schema.json")]
    Schema,
}

/// `pincite config show`
#[derive(Debug, Args)]
pub(crate) struct ConfigShowArgs {
    /// The configuration file [default: pincite.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Also say where each comes from: a file, the environment, a default
    #[arg(long)]
    pub(crate) origin: bool,
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub(crate) format: ReportFormat,
}

/// `pincite config check`
#[derive(Debug, Args)]
pub(crate) struct ConfigCheckArgs {
    /// The configuration file [default: pincite.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// `pincite config init`
#[derive(Debug, Args)]
pub(crate) struct ConfigInitArgs {
    /// Where to write it [default: pincite.toml]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// `pincite doctor`
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// The configuration file [default: pincite.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The data directory [default: as configured]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// For machines
    #[arg(long)]
    pub(crate) json: bool,
}

/// `pincite keys …`
#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Make a key and print its secret, which is not kept
    #[command(
        after_help = "Examples:\n  pincite keys create ada\n  pincite keys create dashboard --scope read --expires 90d\n  pincite keys create me --principal local    # what was stored without keys"
    )]
    Create(KeysCreateArgs),
    /// List the keys there are
    List(KeysListArgs),
    /// Make a key open nothing any more, at once
    #[command(
        after_help = "Examples:\n  pincite keys revoke ada\n  pincite keys revoke k-0123456789"
    )]
    Revoke(KeysRevokeArgs),
}

/// `pincite keys create`
#[derive(Debug, Args)]
pub(crate) struct KeysCreateArgs {
    /// What people call the key
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Whose documents and threads it opens [default: the NAME]
    #[arg(long, value_name = "PRINCIPAL")]
    pub(crate) principal: Option<String>,
    /// What may be done with it: read, write, admin; may be given several times
    #[arg(long = "scope", value_name = "SCOPE", value_parser = scope, value_delimiter = ',', default_values = ["read", "write"])]
    pub(crate) scopes: Vec<AccessScope>,
    /// How long it is valid, 90d or 12h [default: until it is revoked]
    #[arg(long, value_name = "SPAN", value_parser = span)]
    pub(crate) expires: Option<Duration>,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub(crate) format: ReportFormat,
}

/// `pincite keys list`
#[derive(Debug, Args)]
pub(crate) struct KeysListArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub(crate) format: ReportFormat,
}

/// `pincite keys revoke`
#[derive(Debug, Args)]
pub(crate) struct KeysRevokeArgs {
    /// The key's id, as pincite keys list shows it, or its name if no other key has that
    #[arg(value_name = "KEY")]
    pub(crate) key: String,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

fn scope(word: &str) -> Result<AccessScope, String> {
    AccessScope::from_word(word).ok_or_else(|| "there are read, write and admin".to_owned())
}

fn span(text: &str) -> Result<Duration, String> {
    let wrong = || "a span of time is needed: 90d, 12h, 30m".to_owned();
    // A day here has 24 hours: keys know no summer time.
    let span: jiff::Span = text.parse().map_err(|_| wrong())?;
    let span = span.to_duration(jiff::SpanRelativeTo::days_are_24_hours());
    let span = span.map_err(|_| wrong())?;
    Duration::try_from(span)
        .ok()
        .filter(|span| !span.is_zero())
        .ok_or_else(wrong)
}

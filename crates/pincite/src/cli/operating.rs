//! Commands for operators: configuration, diagnosis, keys, backups.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use server::access::AccessScope;

use super::ReportFormat;

/// Commands of `pincite config`.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show every setting with its value
    #[command(after_help = "Example: pincite config show --origin")]
    Show(ConfigShowArgs),
    /// Check the configuration and report errors
    Check(ConfigCheckArgs),
    /// Write a configuration file with every setting, commented out
    Init(ConfigInitArgs),
    /// Print the reference of all settings, as Markdown
    Reference,
    /// Print a JSON Schema of the configuration file, for editors
    #[command(after_help = "Example: pincite config schema > pincite.schema.json")]
    Schema,
}

/// Options of `pincite config show`.
#[derive(Debug, Args)]
pub(crate) struct ConfigShowArgs {
    /// Configuration file [default: pincite.toml, if it exists]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Also show the origin of each value: file, environment or default
    #[arg(long)]
    pub(crate) origin: bool,
    /// Format of the output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,
}

/// Options of `pincite config check`.
#[derive(Debug, Args)]
pub(crate) struct ConfigCheckArgs {
    /// Configuration file [default: pincite.toml, if it exists]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// Options of `pincite config init`.
#[derive(Debug, Args)]
pub(crate) struct ConfigInitArgs {
    /// File to write [default: pincite.toml]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Options of `pincite doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Configuration file [default: pincite.toml, if it exists]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Data directory [default: from the configuration]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Commands of `pincite keys`.
#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Create a key and print its secret, which is not stored
    #[command(
        after_help = "Examples:\n  pincite keys create ada\n  pincite keys create dashboard --scope read --expires 90d\n  pincite keys create me --principal local    # data that was stored without keys"
    )]
    Create(KeysCreateArgs),
    /// List the keys
    List(KeysListArgs),
    /// Revoke a key at once
    #[command(
        after_help = "Examples:\n  pincite keys revoke ada\n  pincite keys revoke k-0123456789"
    )]
    Revoke(KeysRevokeArgs),
}

/// Options of `pincite keys create`.
#[derive(Debug, Args)]
pub(crate) struct KeysCreateArgs {
    /// Name of the key, for people
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Owner of the documents and threads that the key gives access to [default: NAME]
    #[arg(long, value_name = "PRINCIPAL")]
    pub(crate) principal: Option<String>,
    /// Permission: read, write or admin; repeatable
    #[arg(long = "scope", value_name = "SCOPE", value_parser = scope, value_delimiter = ',', default_values = ["read", "write"])]
    pub(crate) scopes: Vec<AccessScope>,
    /// Period of validity, such as 90d or 12h [default: until it is revoked]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) expires: Option<Duration>,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Format of the output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,
}

/// Options of `pincite keys list`.
#[derive(Debug, Args)]
pub(crate) struct KeysListArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Format of the output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,
}

/// Options of `pincite keys revoke`.
#[derive(Debug, Args)]
pub(crate) struct KeysRevokeArgs {
    /// Id of the key (see `pincite keys list`), or its name if it is unique
    #[arg(value_name = "KEY")]
    pub(crate) key: String,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// Commands of `pincite access`.
#[derive(Debug, Subcommand)]
pub(crate) enum AccessCommand {
    /// Show if requests need a key
    Show(DataArgs),
    /// Let requests on this machine work without a key again
    #[command(after_help = "Example: pincite access off --data pincite-data")]
    Off(DataArgs),
}

/// Options that select a data directory.
#[derive(Debug, Args)]
pub(crate) struct DataArgs {
    /// Data directory [default: from the configuration, or pincite-data]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Configuration file [default: pincite.toml, if it exists]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// Options of `pincite backup`.
#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// Directory to create; it must not exist
    #[arg(value_name = "TARGET")]
    pub(crate) target: PathBuf,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// Options of `pincite restore`.
#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// Directory that `pincite backup` created
    #[arg(value_name = "BACKUP")]
    pub(crate) backup: PathBuf,
    /// Replace data that exists; it is kept in a directory beside
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// Options of `pincite check-data`.
#[derive(Debug, Args)]
pub(crate) struct CheckDataArgs {
    /// Also check every index and every file; slower
    #[arg(long)]
    pub(crate) full: bool,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

fn scope(word: &str) -> Result<AccessScope, String> {
    AccessScope::from_word(word).ok_or_else(|| "expected read, write or admin".to_owned())
}

fn duration(text: &str) -> Result<Duration, String> {
    let invalid = || "expected a duration such as 90d, 12h or 30m".to_owned();
    // Days have 24 hours here; daylight saving time does not matter for keys.
    let span: jiff::Span = text.parse().map_err(|_| invalid())?;
    let span = span.to_duration(jiff::SpanRelativeTo::days_are_24_hours());
    let span = span.map_err(|_| invalid())?;
    Duration::try_from(span)
        .ok()
        .filter(|span| !span.is_zero())
        .ok_or_else(invalid)
}

//! Commands for music credits: import, resolve, compare, merges, coverage.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{DataArgs, ReportFormat};

/// Commands below `pincite attribution`.
#[derive(Debug, Subcommand)]
pub(crate) enum AttributionCommand {
    /// Import files of sources into the catalogue
    ///
    /// Reads dumps of Discogs (XML, also compressed), JSON of MusicBrainz and AcoustID, tags of audio files, and tables
    /// or JSON of artists. Then resolves and scores the works. Importing a file again changes nothing. Works offline,
    /// and while a server is running on the same data. Exits with 1 if a record could not be used.
    #[command(
        after_help = "Examples:\n  pincite attribution import discogs_releases.xml.gz\n  pincite attribution import ~/music --source file-metadata\n  pincite attribution import credits.csv"
    )]
    Import(ImportArgs),
    /// Resolve and score all works of the catalogue
    #[command(after_help = "Example: pincite attribution resolve")]
    Resolve(ResolveArgs),
    /// Tell if two credits mean the same person
    ///
    /// Each line of the file is a pair {"id", "a": record, "b": record}; a record has a `name` and may have `type`,
    /// `identifiers`, `aliases` and `context`. Prints {"id", "same", "score", "reasons"} per line. `same` is null if
    /// it cannot be told. Needs no data directory. Exits with 1 if a line is not a pair.
    #[command(
        after_help = "Example:\n  echo '{\"id\":1,\"a\":{\"name\":\"I. Heap\"},\"b\":{\"name\":\"Imogen Heap\"}}' | pincite attribution compare -"
    )]
    Compare(CompareArgs),
    /// List doubtful merges, or decide one
    ///
    /// Without arguments lists the merges that the evidence neither supports nor excludes. With two keys of that list,
    /// or of the source records of a work, stores a decision and resolves the catalogue again: `--apart` takes a merge
    /// back.
    #[command(
        after_help = "Examples:\n  pincite attribution merges\n  pincite attribution merges DISCOGS:26 MUSICBRAINZ:5b1e… --same"
    )]
    Merges(MergesArgs),
    /// Measure the coverage of prediction sets
    ///
    /// Generates labels with simulated sources, splits them at random many times, and prints the mean coverage and
    /// the mean size of the prediction sets as JSON.
    #[command(after_help = "Example: pincite attribution coverage --labels 2000")]
    Coverage(CoverageArgs),
}

/// Kinds of sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportSource {
    /// JSON of MusicBrainz
    Musicbrainz,
    /// XML dumps of Discogs
    Discogs,
    /// JSON of AcoustID
    Acoustid,
    /// CSV or JSON of artists
    ArtistInput,
    /// Tags of audio files
    FileMetadata,
}

/// Options of `pincite attribution import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Files or folders
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Kind of source [default: by the name and content of each file]
    #[arg(long, value_name = "KIND")]
    pub(crate) source: Option<ImportSource>,
    /// Store the records, but do not resolve and score them
    #[arg(long)]
    pub(crate) no_resolve: bool,
    /// Owner of the catalogue
    #[arg(long, value_name = "PRINCIPAL", default_value = "local")]
    pub(crate) principal: String,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Format of the output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,
}

/// Options of `pincite attribution resolve`.
#[derive(Debug, Args)]
pub(crate) struct ResolveArgs {
    /// Owner of the catalogue
    #[arg(long, value_name = "PRINCIPAL", default_value = "local")]
    pub(crate) principal: String,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// Options of `pincite attribution compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// JSON Lines file with pairs of records; `-` reads standard input
    #[arg(value_name = "PAIRS")]
    pub(crate) pairs: PathBuf,
}

/// Options of `pincite attribution merges`.
#[derive(Debug, Args)]
pub(crate) struct MergesArgs {
    /// Key of one side
    #[arg(value_name = "ONE", requires = "other")]
    pub(crate) one: Option<String>,
    /// Key of the other side
    #[arg(value_name = "OTHER")]
    pub(crate) other: Option<String>,
    /// Merge them
    #[arg(long, conflicts_with = "apart", requires = "one")]
    pub(crate) same: bool,
    /// Keep them apart
    #[arg(long, requires = "one")]
    pub(crate) apart: bool,
    /// Owner of the catalogue
    #[arg(long, value_name = "PRINCIPAL", default_value = "local")]
    pub(crate) principal: String,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// Options of `pincite attribution coverage`.
#[derive(Debug, Args)]
pub(crate) struct CoverageArgs {
    /// Number of generated labels
    #[arg(long, value_name = "NUMBER", default_value_t = 2000)]
    pub(crate) labels: usize,
    /// Number of random splits
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    pub(crate) splits: usize,
    /// Seed of the random numbers
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,
}

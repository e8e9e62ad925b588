//! `pincite attribution`: music credits on the command line.

mod compare;
mod import;

use std::io::Write;
use std::path::Path;

use attribution::{generate_labels, measure_coverage};
use server::{CatalogueError, MusicCatalogue, ResolveSummary, system_clock};
use store::Principal;

use crate::cli::{AttributionCommand, CoverageArgs, MergesArgs, ResolveArgs};
use crate::command_error::CommandError;
use crate::data_commands::existing_directory;
use crate::keys;
use crate::library::{principal, runtime};

/// Runs a command below `pincite attribution`.
pub(crate) fn run(command: &AttributionCommand) -> Result<(), CommandError> {
    match command {
        AttributionCommand::Import(args) => import::run(args),
        AttributionCommand::Resolve(args) => resolve(args),
        AttributionCommand::Compare(args) => compare::run(args),
        AttributionCommand::Merges(args) => merges(args),
        AttributionCommand::Coverage(args) => coverage(args),
    }
}

fn open(data: &Path) -> Result<MusicCatalogue, CommandError> {
    let store = std::sync::Arc::new(keys::open_store(data)?);
    Ok(MusicCatalogue::new(store, system_clock, || {
        uuid::Uuid::new_v4().to_string()
    }))
}

fn catalogue_error(error: &CatalogueError) -> CommandError {
    CommandError::Configuration(error.to_string())
}

fn resolve(args: &ResolveArgs) -> Result<(), CommandError> {
    let catalogue = open(&existing_directory(&args.data)?)?;
    let owner = principal(&args.principal)?;
    let summary = runtime()?.block_on(catalogue.resolve_all(&owner));
    let summary = summary.map_err(|error| catalogue_error(&error))?;
    print_resolved(&summary)
}

fn print_resolved(summary: &ResolveSummary) -> Result<(), CommandError> {
    writeln!(
        anstream::stdout(),
        "{} works and {} people from {} records; {} works new or changed, {} doubtful merges",
        summary.works,
        summary.people,
        summary.records,
        summary.changed,
        summary.doubtful
    )?;
    Ok(())
}

fn merges(args: &MergesArgs) -> Result<(), CommandError> {
    let catalogue = open(&existing_directory(&args.data)?)?;
    let owner = principal(&args.principal)?;
    let runtime = runtime()?;
    if let (Some(one), Some(other)) = (&args.one, &args.other) {
        if args.same == args.apart {
            return Err(CommandError::Usage(
                "say --same to merge them or --apart to keep them apart",
            ));
        }
        let decided = runtime.block_on(decide(&catalogue, &owner, one, other, args.same));
        return print_resolved(&decided.map_err(|error| catalogue_error(&error))?);
    }
    let merges = runtime
        .block_on(catalogue.doubtful_merges(&owner))
        .map_err(|error| catalogue_error(&error))?;
    let mut output = anstream::stdout();
    for merge in merges {
        writeln!(
            output,
            "{:.2}  {}  {}\n      {} / {}\n      {}",
            merge.score,
            merge.one,
            merge.other,
            merge.one_name,
            merge.other_name,
            merge.reasons.join("; ")
        )?;
    }
    Ok(())
}

async fn decide(
    catalogue: &MusicCatalogue,
    owner: &Principal,
    one: &str,
    other: &str,
    same: bool,
) -> Result<ResolveSummary, CatalogueError> {
    catalogue.decide_merge(owner, one, other, same).await?;
    catalogue.resolve_all(owner).await
}

fn coverage(args: &CoverageArgs) -> Result<(), CommandError> {
    let labels = generate_labels(args.labels, args.seed);
    let report = measure_coverage(&labels, 0.9, args.splits, args.seed.wrapping_add(1));
    let text = serde_json::to_string_pretty(&report).map_err(std::io::Error::other)?;
    writeln!(anstream::stdout(), "{text}")?;
    Ok(())
}

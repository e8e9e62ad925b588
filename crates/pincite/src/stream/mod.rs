//! `pincite stream`: recorded AG-UI streams.

mod check;
mod fold;
mod input;
mod report;
mod transform;

use crate::cli::StreamCommand;
use crate::failure::Failure;

/// Runs one of the commands.
pub(crate) fn run(command: StreamCommand) -> Result<(), Failure> {
    match command {
        StreamCommand::Check(args) => check::run(&args),
        StreamCommand::Fold(args) => fold::run(&args),
        StreamCommand::Expand(args) => transform::expand(&args),
        StreamCommand::Compact(args) => transform::compact(&args),
        StreamCommand::Convert(args) => transform::convert(&args),
    }
}

/// Ids for older streams that have none: numbered, so that the same input gives the same output.
pub(crate) fn minted(count: &mut usize) -> impl FnMut() -> String {
    move || {
        *count += 1;
        format!("minted-{count}")
    }
}

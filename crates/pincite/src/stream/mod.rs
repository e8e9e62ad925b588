//! `pincite stream`: AG-UI streams, recorded and live.

mod check;
mod cited;
mod conversation;
mod diff;
mod fold;
mod input;
mod record;
mod report;
mod run;
mod serve;
mod show;
mod transform;

pub(crate) use fold::read as read_text;

use crate::cli::StreamCommand;
use crate::failure::CommandError;

/// Runs one of the commands.
pub(crate) fn run(command: StreamCommand) -> Result<(), CommandError> {
    match command {
        StreamCommand::Check(args) => check::run(&args),
        StreamCommand::Fold(args) => fold::run(&args),
        StreamCommand::Expand(args) => transform::expand(&args),
        StreamCommand::Compact(args) => transform::compact(&args),
        StreamCommand::Convert(args) => transform::convert(&args),
        StreamCommand::Run(args) => run::run(&args),
        StreamCommand::Serve(args) => serve::run(&args),
        StreamCommand::Diff(args) => diff::run(&args),
    }
}

/// Ids for older streams that have none: numbered, so that the same input gives the same output.
pub(crate) fn minted(count: &mut usize) -> impl FnMut() -> String {
    move || {
        *count += 1;
        format!("minted-{count}")
    }
}

/// What commands that talk over the network run on: one thread. They wait for others most of the time,
/// and threads would only hand the little work to each other.
fn runtime() -> Result<tokio::runtime::Runtime, CommandError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CommandError::Configuration(format!("cannot start threads: {error}")))
}

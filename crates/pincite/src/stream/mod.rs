//! `pincite stream`: recorded and live event streams.

mod check;
mod citation_lines;
mod conversation_json;
mod diff;
mod event_printer;
mod fold;
mod input;
mod problems;
mod recorder;
mod recording_side;
mod run;
mod serve;
mod transform;

pub(crate) use fold::read as read_text;

use crate::cli::StreamCommand;
use crate::command_error::CommandError;

/// Runs the command.
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

/// Returns a generator of ids for older streams without ids. They are numbered, so that output is reproducible.
pub(crate) fn generated_ids(count: &mut usize) -> impl FnMut() -> String {
    move || {
        *count += 1;
        format!("minted-{count}")
    }
}

/// Creates a single-threaded runtime. The commands wait for the network most of the time.
fn runtime() -> Result<tokio::runtime::Runtime, CommandError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| {
            CommandError::Configuration(format!(
                "cannot start: {error}; check the limits of the process"
            ))
        })
}

//! The `pincite` program: command line, configuration, reports.

mod access_command;
mod ask;
mod attribution_commands;
mod canvas_command;
mod cli;
mod command_error;
mod config;
mod config_command;
mod console_files;
mod data_commands;
mod doctor;
mod document;
mod document_reader;
mod embedding_model;
mod evidence;
mod keys;
mod library;
mod mcp_command;
mod models;
mod progress;
mod prompt;
mod samples;
mod serve;
mod settings_reference;
mod stream;
mod verify;

use std::io::Write;
use std::panic::catch_unwind;
use std::process::ExitCode;

use clap::FromArgMatches;

use cli::{Cli, Command};
use command_error::CommandError;

// With the C library's allocator a run spends a quarter of its time on allocation: many small values on several threads.
#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    // clap prints usage errors with a hint and exits with 2.
    let cli = Cli::from_arg_matches(&cli::command_line().get_matches())
        .unwrap_or_else(|error| error.exit());
    if cli.quiet {
        command_error::suppress_warnings();
    }
    let result = catch_unwind(|| run(cli.command)).unwrap_or(Err(CommandError::Panic));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            error.print();
            ExitCode::from(error.exit_code())
        }
    }
}

fn run(command: Command) -> Result<(), CommandError> {
    match command {
        Command::Verify(args) => verify::run(&args),
        Command::Canvas(command) => canvas_command::run(&command),
        Command::Document(args) => document::run(&args),
        Command::Evidence(args) => evidence::run(&args),
        Command::Prompt(args) => prompt::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Ask(args) => ask::run(&args),
        Command::Ingest(args) => library::ingest(&args),
        Command::Search(args) => library::search(&args),
        Command::Reindex(args) => library::reindex(&args),
        Command::Attribution(command) => attribution_commands::run(&command),
        Command::Mcp(args) => mcp_command::run(&args),
        Command::Config(command) => config_command::run(&command),
        Command::Doctor(args) => doctor::run(&args),
        Command::Keys(command) => keys::run(&command),
        Command::Access(command) => access_command::run(&command),
        Command::Backup(args) => data_commands::backup(&args),
        Command::Restore(args) => data_commands::restore(&args),
        Command::CheckData(args) => data_commands::check(&args),
        Command::Stream(command) => stream::run(command),
        Command::ReadDocument => Ok(sandbox::serve(
            std::io::stdin().lock(),
            std::io::stdout().lock(),
        )?),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut cli::command_line(), "pincite", &mut script);
            write(&script)
        }
        Command::Man => {
            let mut pages = Vec::new();
            let mut command = cli::command_line();
            command.build();
            render_manual(&command, &mut pages)?;
            write(&pages)
        }
    }
}

/// Appends the manual page of a command and those of its subcommands.
fn render_manual(command: &clap::Command, pages: &mut Vec<u8>) -> Result<(), CommandError> {
    clap_mangen::Man::new(command.clone()).render(pages)?;
    for command in command
        .get_subcommands()
        .filter(|command| command.get_name() != "help")
    {
        render_manual(command, pages)?;
    }
    Ok(())
}

fn write(bytes: &[u8]) -> Result<(), CommandError> {
    std::io::stdout().lock().write_all(bytes)?;
    Ok(())
}

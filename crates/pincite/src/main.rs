//! The `pincite` command.

mod cli;
mod config;
mod config_command;
mod data;
mod doctor;
mod document;
mod evidence;
mod failure;
mod keys;
mod opening;
mod progress;
mod serve;
mod settings_table;
mod stream;
mod verify;

use std::io::Write;
use std::panic::catch_unwind;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use cli::{Cli, Command};
use failure::CommandError;

/// A run makes and drops many small values on several threads; the C library's allocator took a quarter of its time.
#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    // clap ends the process with 2 on a usage error, and prints it with a hint.
    let cli = Cli::parse();
    if cli.quiet {
        failure::be_quiet();
    }
    let result = catch_unwind(|| run(cli.command)).unwrap_or(Err(CommandError::Panic));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.tell();
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(command: Command) -> Result<(), CommandError> {
    match command {
        Command::Verify(args) => verify::run(&args),
        Command::Document(args) => document::run(&args),
        Command::Evidence(args) => evidence::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Config(command) => config_command::run(&command),
        Command::Doctor(args) => doctor::run(&args),
        Command::Keys(command) => keys::run(&command),
        Command::Backup(args) => data::backup(&args),
        Command::Restore(args) => data::restore(&args),
        Command::CheckData(args) => data::check(&args),
        Command::Stream(command) => stream::run(command),
        Command::ReadDocument => Ok(sandbox::serve(
            std::io::stdin().lock(),
            std::io::stdout().lock(),
        )?),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "pincite", &mut script);
            write(&script)
        }
        Command::Man => {
            let mut pages = Vec::new();
            let mut command = Cli::command();
            command.build();
            manual(&command, &mut pages)?;
            write(&pages)
        }
    }
}

/// The page of a command and those of the commands under it.
fn manual(command: &clap::Command, pages: &mut Vec<u8>) -> Result<(), CommandError> {
    clap_mangen::Man::new(command.clone()).render(pages)?;
    for command in command
        .get_subcommands()
        .filter(|command| command.get_name() != "help")
    {
        manual(command, pages)?;
    }
    Ok(())
}

fn write(bytes: &[u8]) -> Result<(), CommandError> {
    std::io::stdout().lock().write_all(bytes)?;
    Ok(())
}

//! The `pincite` command.

mod cli;
mod failure;
mod stream;

use std::panic::catch_unwind;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use cli::{Cli, Command};
use failure::Failure;

fn main() -> ExitCode {
    // clap ends the process with 2 on a usage error, and prints it with a hint.
    let cli = Cli::parse();
    let result = catch_unwind(|| run(cli.command)).unwrap_or(Err(Failure::Panic));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.tell();
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Stream(command) => stream::run(command),
        Command::Completions { shell } => {
            clap_complete::generate(
                shell,
                &mut Cli::command(),
                "pincite",
                &mut std::io::stdout(),
            );
            Ok(())
        }
        Command::Man => {
            clap_mangen::Man::new(Cli::command()).render(&mut std::io::stdout())?;
            Ok(())
        }
    }
}

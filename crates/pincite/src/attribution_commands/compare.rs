//! `pincite attribution compare`: pairs of credits, one per line.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use crate::cli::CompareArgs;
use crate::command_error::{CommandError, print_error};

/// Compares the pairs of a file and prints a line for each.
pub(crate) fn run(args: &CompareArgs) -> Result<(), CommandError> {
    let pairs = open(&args.pairs)?;
    let mut output = BufWriter::new(std::io::stdout().lock());
    let mut has_failed = false;
    for (number, line) in (1..).zip(pairs.lines()) {
        let line = line.map_err(|error| unreadable(&args.pairs, error))?;
        if line.trim().is_empty() {
            continue;
        }
        match attribution::compare_line(&line) {
            Ok(result) => writeln!(output, "{result}")?,
            Err(error) => {
                has_failed = true;
                output.flush()?;
                print_error(&format!("line {number}: {error}"));
            }
        }
    }
    output.flush()?;
    match has_failed {
        true => Err(CommandError::Finding),
        false => Ok(()),
    }
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, CommandError> {
    if path == Path::new("-") {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let file = File::open(path).map_err(|error| unreadable(path, error))?;
    Ok(Box::new(BufReader::new(file)))
}

fn unreadable(path: &Path, error: std::io::Error) -> CommandError {
    CommandError::Unreadable {
        path: path.to_owned(),
        error,
    }
}

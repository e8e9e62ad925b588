//! Destination of a report: standard output or a file.

use std::fs::{self, File};
use std::io::{BufWriter, IsTerminal, Write};

use super::VerifyInput;
use crate::cli::{VerifyArgs, VerifyFormat};
use crate::command_error::CommandError;

/// Checks that the report can be written, before anything is read.
pub(super) fn check(args: &VerifyArgs, input: &VerifyInput<'_>) -> Result<(), CommandError> {
    if args.format == VerifyFormat::Docx {
        let is_docx = matches!(input, VerifyInput::Answer(answer) if answer.manuscript.is_some());
        if !is_docx {
            return Err(CommandError::Usage(
                "--format docx needs an answer that is a DOCX file; use --format html for other answers",
            ));
        }
        if args.output.is_none() && std::io::stdout().is_terminal() {
            return Err(CommandError::Usage(
                "a DOCX file cannot be shown on a terminal; name a file with --output FILE",
            ));
        }
    }
    let Some(output) = args
        .output
        .as_deref()
        .and_then(|path| fs::canonicalize(path).ok())
    else {
        return Ok(());
    };
    let given = args.sources.iter().map(|source| {
        source
            .rsplit_once('=')
            .map_or(source.as_str(), |(_, path)| path)
    });
    let files = given
        .map(std::path::Path::new)
        .chain(args.answer.as_deref());
    let mut files = files.chain(args.citations.as_deref());
    match files.any(|path| fs::canonicalize(path).is_ok_and(|path| path == output)) {
        true => Err(CommandError::Configuration(format!(
            "{} is the answer or a source; name another file with --output",
            output.display()
        ))),
        false => Ok(()),
    }
}

/// Opens the destination.
pub(super) fn open(args: &VerifyArgs) -> Result<BufWriter<Box<dyn Write>>, CommandError> {
    let is_text = args.format == VerifyFormat::Text;
    let out: Box<dyn Write> = match &args.output {
        Some(path) => {
            let file = File::create(path).map_err(|error| CommandError::Unwritable {
                path: path.clone(),
                error,
            })?;
            match is_text {
                true => Box::new(anstream::StripStream::new(file)),
                false => Box::new(file),
            }
        }
        None if is_text => Box::new(anstream::stdout()),
        None => Box::new(std::io::stdout()),
    };
    Ok(BufWriter::with_capacity(1 << 16, out))
}

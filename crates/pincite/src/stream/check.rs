//! `pincite stream check`: reports broken rules.

use std::io::Write;

use agui::fold::Fold;
use anstyle::{AnsiColor, Style};
use json::Value;

use super::fold::FoldResult;
use super::input;
use super::problems::{FatalStreamError, MAX_SHOWN, StreamWarning, place};
use crate::cli::{ReportFormat, StreamCheckArgs};
use crate::command_error::{CommandError, printable};

/// Runs the command.
pub(crate) fn run(args: &StreamCheckArgs) -> Result<(), CommandError> {
    let mut folded = FoldResult::new(Fold::default(), args.strict);
    folded.read(input::open(&args.input, args.strict)?)?;
    // A finding of the strict rules is earlier in the stream than the error that ended it.
    if let Some((warning, finding)) = folded.finding.take().filter(|_| args.strict) {
        folded.error = Some(FatalStreamError {
            file: warning.file,
            stage: "verify",
            index: warning.index,
            rule: warning.rule,
            message: warning.message,
            path: None,
            hint: finding.hint(),
        });
    }
    let written = match args.format {
        ReportFormat::Json => write_json(&folded),
        ReportFormat::Text => write_text(&folded),
    };
    match (folded.error, written) {
        (Some(_), Ok(())) => Err(CommandError::Finding),
        // The exit code reports the error even if the output is closed.
        (Some(_), Err(failure)) if failure.exit_code() == 0 => Err(CommandError::Finding),
        (_, written) => written,
    }
}

fn write_json(folded: &FoldResult) -> Result<(), CommandError> {
    let warnings: Vec<Value> = folded
        .warnings
        .iter()
        .map(StreamWarning::to_value)
        .collect();
    let mut report = Value::from([
        ("ok", folded.error.is_none().into()),
        ("events", folded.events.into()),
        (
            "error",
            folded.error.as_ref().map(FatalStreamError::to_value).into(),
        ),
        ("warnings", warnings.into()),
    ]);
    if let Some(report) = report.as_object_mut().filter(|_| folded.more_warnings > 0) {
        report.insert("moreWarnings".into(), folded.more_warnings.into());
    }
    let mut out = std::io::stdout().lock();
    out.write_all(report.to_json().as_bytes())?;
    out.write_all(b"\n")?;
    Ok(())
}

fn write_text(folded: &FoldResult) -> Result<(), CommandError> {
    let style = |color: AnsiColor| Style::new().bold().fg_color(Some(color.into()));
    let (red, yellow, green) = (
        style(AnsiColor::Red),
        style(AnsiColor::Yellow),
        style(AnsiColor::Green),
    );
    let mut out = anstream::stdout().lock();
    let is_error = |warning: &StreamWarning| {
        let same = |error: &FatalStreamError| {
            error.rule == warning.rule && error.index == warning.index && error.file == warning.file
        };
        folded.error.as_ref().is_some_and(same)
    };
    let warnings = folded.warnings.iter().filter(|warning| !is_error(warning));
    let mut listed = 0;
    for warning in warnings.clone().take(MAX_SHOWN) {
        let line = format!(
            "{}: {} [{}]",
            place(warning.file.as_ref(), warning.index),
            warning.message,
            warning.rule
        );
        writeln!(out, "{yellow}warning{yellow:#} {}", printable(&line))?;
        listed += 1;
    }
    let unlisted = warnings.count() - listed + folded.more_warnings;
    if unlisted > 0 {
        writeln!(
            out,
            "{yellow}warning{yellow:#} … and {unlisted} more warnings; --format json lists all"
        )?;
    }
    let events = match folded.events {
        1 => "1 event".to_owned(),
        count => format!("{count} events"),
    };
    match &folded.error {
        None => {
            let warnings = match listed + unlisted {
                0 => String::new(),
                1 => ", 1 warning".to_owned(),
                count => format!(", {count} warnings"),
            };
            writeln!(
                out,
                "{green}ok{green:#} {events}, no rule is broken{warnings}"
            )?;
        }
        Some(error) => {
            let line = format!(
                "{}: {} [{}, {}]",
                place(error.file.as_ref(), error.index),
                error.message,
                error.stage,
                error.rule
            );
            writeln!(out, "{red}error{red:#} {}", printable(&line))?;
            writeln!(out, "  hint: {}", error.hint)?;
            writeln!(out, "{red}not ok{red:#} {events} read")?;
        }
    }
    Ok(())
}

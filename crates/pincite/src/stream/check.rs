//! `pincite stream check`.

use std::io::Write;

use agui::fold::Fold;
use anstyle::{AnsiColor, Style};
use json::Value;

use super::fold::FoldResult;
use super::input;
use super::report::{FatalStreamError, SHOWN, StreamWarning, place};
use crate::cli::{ReportFormat, StreamCheckArgs};
use crate::failure::{CommandError, shown};

/// Runs the command.
pub(crate) fn run(args: &StreamCheckArgs) -> Result<(), CommandError> {
    let mut walk = FoldResult::new(Fold::default(), args.strict);
    walk.read(input::open(&args.input, args.strict)?)?;
    // What strictness minds comes before what ended the stream.
    if let Some((warning, finding)) = walk.finding.take().filter(|_| args.strict) {
        walk.error = Some(FatalStreamError {
            file: warning.file,
            stage: "verify",
            index: warning.index,
            rule: warning.rule,
            message: warning.message,
            path: None,
            remedy: finding.hint(),
        });
    }
    let written = match args.format {
        ReportFormat::Json => write_json(&walk),
        ReportFormat::Text => write_text(&walk),
    };
    match (walk.error, written) {
        (Some(_), Ok(())) => Err(CommandError::Finding),
        // Whoever closed the output still gets to know by the exit code.
        (Some(_), Err(failure)) if failure.exit_code() == 0 => Err(CommandError::Finding),
        (_, written) => written,
    }
}

fn write_json(walk: &FoldResult) -> Result<(), CommandError> {
    let warnings: Vec<Value> = walk.warnings.iter().map(StreamWarning::to_value).collect();
    let mut report = Value::from([
        ("ok", walk.error.is_none().into()),
        ("events", walk.events.into()),
        (
            "error",
            walk.error.as_ref().map(FatalStreamError::to_value).into(),
        ),
        ("warnings", warnings.into()),
    ]);
    if let Some(report) = report.as_object_mut().filter(|_| walk.more_warnings > 0) {
        report.insert("moreWarnings".into(), walk.more_warnings.into());
    }
    let mut out = std::io::stdout().lock();
    out.write_all(report.to_json().as_bytes())?;
    out.write_all(b"\n")?;
    Ok(())
}

fn write_text(walk: &FoldResult) -> Result<(), CommandError> {
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
        walk.error.as_ref().is_some_and(same)
    };
    let warnings = walk.warnings.iter().filter(|warning| !is_error(warning));
    let mut listed = 0;
    for warning in warnings.clone().take(SHOWN) {
        let line = format!(
            "{}: {} [{}]",
            place(warning.file.as_ref(), warning.index),
            warning.message,
            warning.rule
        );
        writeln!(out, "{yellow}warning{yellow:#} {}", shown(&line))?;
        listed += 1;
    }
    let unlisted = warnings.count() - listed + walk.more_warnings;
    if unlisted > 0 {
        writeln!(
            out,
            "{yellow}warning{yellow:#} … and {unlisted} more; --format json lists them"
        )?;
    }
    let events = match walk.events {
        1 => "1 event".to_owned(),
        count => format!("{count} events"),
    };
    match &walk.error {
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
            writeln!(out, "{red}error{red:#} {}", shown(&line))?;
            writeln!(out, "  to repair: {}", error.remedy)?;
            writeln!(out, "{red}not ok{red:#} {events} read")?;
        }
    }
    Ok(())
}

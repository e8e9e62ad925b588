//! `pincite stream check`.

use std::io::Write;

use agui::fold::Fold;
use agui::json::Value;
use anstyle::{AnsiColor, Style};

use super::fold::Walk;
use super::input;
use super::report::{Fatal, Warning};
use crate::cli::{CheckArgs, ReportForm};
use crate::failure::Failure;

/// How many warnings of one rule the text form lists.
const SHOWN: usize = 20;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> Result<(), Failure> {
    let mut walk = Walk::new(Fold::default(), args.strict);
    walk.read(input::open(&args.input)?)?;
    if args.strict && walk.error.is_none() {
        walk.error = walk.findings.first().map(|(warning, finding)| Fatal {
            file: warning.file.clone(),
            stage: "verify",
            index: warning.index,
            rule: warning.rule,
            message: warning.message.clone(),
            path: None,
            remedy: finding.remedy(),
        });
    }
    match args.format {
        ReportForm::Json => write_json(&walk)?,
        ReportForm::Text => write_text(&walk)?,
    }
    match walk.error {
        Some(_) => Err(Failure::Finding),
        None => Ok(()),
    }
}

fn write_json(walk: &Walk) -> Result<(), Failure> {
    let warnings: Vec<Value> = walk.warnings.iter().map(Warning::to_value).collect();
    let report = Value::from([
        ("ok", walk.error.is_none().into()),
        ("events", walk.events.into()),
        ("error", walk.error.as_ref().map(Fatal::to_value).into()),
        ("warnings", warnings.into()),
    ]);
    let mut out = std::io::stdout().lock();
    out.write_all(report.to_json().as_bytes())?;
    out.write_all(b"\n")?;
    Ok(())
}

fn write_text(walk: &Walk) -> Result<(), Failure> {
    let style = |color: AnsiColor| Style::new().bold().fg_color(Some(color.into()));
    let (red, yellow, green) = (
        style(AnsiColor::Red),
        style(AnsiColor::Yellow),
        style(AnsiColor::Green),
    );
    let mut out = anstream::stdout().lock();
    let is_error = |warning: &Warning| {
        let same = |error: &Fatal| error.rule == warning.rule && error.index == warning.index;
        walk.error.as_ref().is_some_and(same)
    };
    let warnings = walk.warnings.iter().filter(|warning| !is_error(warning));
    let mut listed = 0;
    for warning in warnings.clone().take(SHOWN) {
        let place = place(warning.file.as_ref(), warning.index);
        writeln!(
            out,
            "{yellow}warning{yellow:#} {place}: {} [{}]",
            warning.message, warning.rule
        )?;
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
        None => writeln!(out, "{green}ok{green:#} {events}, no rule is broken")?,
        Some(error) => {
            let place = place(error.file.as_ref(), error.index);
            writeln!(
                out,
                "{red}error{red:#} {place}: {} [{}, {}]",
                error.message, error.stage, error.rule
            )?;
            writeln!(out, "  to repair: {}", error.remedy)?;
            writeln!(out, "{red}not ok{red:#} {events} read")?;
        }
    }
    Ok(())
}

fn place(file: Option<&String>, index: usize) -> String {
    match file {
        Some(file) => format!("{file}, event {index}"),
        None => format!("event {index}"),
    }
}

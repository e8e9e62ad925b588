//! `pincite doctor`: checks for common problems.

mod network;

use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime};

use anstyle::{AnsiColor, Style};
use json::Value;
use rendering::{DocumentRenderer, PageView, RenderOptions, RenderSource};
use store::{CheckDepth, OpenOptions, SqliteStore};

use crate::cli::DoctorArgs;
use crate::command_error::{CommandError, printable};
use crate::config::{self, LoadedConfig};

/// Free space in bytes below which the check fails.
const MIN_SPACE: u64 = 64 << 20;
/// Free space in bytes below which the check warns.
const LOW_SPACE: u64 = 1 << 30;
/// Start of 2025 since 1970. An earlier clock was never set.
const EARLIEST_TIME: Duration = Duration::from_secs(1_735_689_600);

/// Result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CheckState {
    Ok,
    Warn,
    Fail,
}

impl CheckState {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// Result of one check, with what was found.
#[derive(Debug)]
struct CheckLine {
    /// Name of the check.
    name: String,
    state: CheckState,
    found: String,
    /// Hint for a warning or a failure; otherwise empty.
    hint: String,
}

fn line(
    name: &str,
    state: CheckState,
    found: impl Into<String>,
    hint: impl Into<String>,
) -> CheckLine {
    CheckLine {
        name: name.to_owned(),
        state,
        found: found.into(),
        hint: hint.into(),
    }
}

fn ok(name: &str, found: impl Into<String>) -> CheckLine {
    line(name, CheckState::Ok, found, "")
}

/// Runs all checks. Returns an error if one fails.
pub(crate) fn run(args: &DoctorArgs) -> Result<(), CommandError> {
    if let Some(data) = args.data.as_ref().filter(|data| !data.exists()) {
        return Err(CommandError::Configuration(format!(
            "{} does not exist; check --data, or leave it out to check the configured directory",
            data.display()
        )));
    }
    let mut lines = Vec::new();
    match config::load(args.config.as_deref()) {
        Ok(configured) => {
            let data = args.data.clone();
            let data = data.unwrap_or_else(|| configured.settings.server.data.clone());
            lines.extend(configuration(&configured));
            lines.push(directory(&data));
            lines.push(disk(&data));
            lines.push(database(&data));
            lines.extend(network::check(&configured.settings)?);
        }
        Err(error) => lines.push(line(
            "configuration",
            CheckState::Fail,
            error.to_string(),
            "correct the configuration; the other checks need it",
        )),
    }
    lines.push(fonts());
    lines.push(ocr(std::env::var_os("PATH").as_deref()));
    lines.push(clock(SystemTime::now()));
    print_lines(&lines, args.json)?;
    match lines.iter().any(|line| line.state == CheckState::Fail) {
        true => Err(CommandError::Finding),
        false => Ok(()),
    }
}

fn print_lines(lines: &[CheckLine], json: bool) -> Result<(), CommandError> {
    let mut output = anstream::stdout();
    if json {
        let items = lines.iter().map(|line| {
            Value::from([
                ("check", line.name.as_str().into()),
                ("state", line.state.word().into()),
                ("found", line.found.as_str().into()),
                ("hint", line.hint.as_str().into()),
            ])
        });
        let worst = lines.iter().map(|line| line.state).max();
        let report = Value::from([
            ("state", worst.unwrap_or(CheckState::Ok).word().into()),
            ("checks", Value::Array(items.collect())),
        ]);
        writeln!(output, "{}", report.to_json())?;
        return Ok(());
    }
    let width = lines.iter().map(|line| line.name.chars().count());
    let width = width.max().unwrap_or_default();
    for line in lines {
        let color = match line.state {
            CheckState::Ok => AnsiColor::Green,
            CheckState::Warn => AnsiColor::Yellow,
            CheckState::Fail => AnsiColor::Red,
        };
        let style = Style::new().bold().fg_color(Some(color.into()));
        let mut text = format!(
            "{style}{:<4}{style:#}  {:<width$}  {}",
            line.state.word(),
            line.name,
            printable(&line.found)
        );
        if !line.hint.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n      {:<width$}  → {}", "", printable(&line.hint));
        }
        writeln!(output, "{text}")?;
    }
    Ok(())
}

fn configuration(configured: &LoadedConfig) -> Vec<CheckLine> {
    let from = match &configured.file {
        Some(file) => format!("{}, environment and defaults", file.display()),
        None => "environment and defaults; no configuration file".to_owned(),
    };
    let mut lines = vec![match crate::serve::check_settings(&configured.settings) {
        Ok(()) => ok("configuration", from),
        Err(error) => line(
            "configuration",
            CheckState::Fail,
            error.to_string(),
            "correct it; `pincite config show --origin` shows where a value comes from",
        ),
    }];
    if configured.settings.agents.is_empty() {
        lines.push(ok("agents", "none configured; the demo agent is served"));
    }
    lines
}

fn directory(data: &Path) -> CheckLine {
    let name = "data directory";
    if !data.exists() {
        let parent = data
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        return match fs::metadata(parent) {
            Ok(found) if found.is_dir() && !found.permissions().readonly() => {
                ok(name, format!("{} will be created", data.display()))
            }
            _ => line(
                name,
                CheckState::Fail,
                format!("{} does not exist and cannot be created", data.display()),
                "create it, or choose another directory with --data",
            ),
        };
    }
    let probe = data.join(format!(".doctor-{}", std::process::id()));
    let written = fs::write(&probe, b"doctor").and_then(|()| fs::remove_file(&probe));
    match written {
        Ok(()) => ok(name, format!("{} is writable", data.display())),
        Err(error) => line(
            name,
            CheckState::Fail,
            format!("{} is not writable: {error}", data.display()),
            "change its permissions, or choose another directory with --data",
        ),
    }
}

/// Returns the path or its nearest parent that exists.
fn existing_parent(path: &Path) -> &Path {
    let mut existing = path;
    while !existing.exists() {
        match existing
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
        {
            Some(parent) => existing = parent,
            None => return Path::new("."),
        }
    }
    existing
}

fn disk(data: &Path) -> CheckLine {
    match rustix::fs::statvfs(existing_parent(data)) {
        Ok(found) => space(found.f_bavail.saturating_mul(found.f_frsize)),
        Err(error) => line(
            "disk",
            CheckState::Warn,
            format!("cannot determine the free space: {error}"),
            "check it with df",
        ),
    }
}

fn space(free: u64) -> CheckLine {
    let found = format!("{} MiB free", free >> 20);
    match free {
        free if free < MIN_SPACE => line(
            "disk",
            CheckState::Fail,
            found,
            "free some space; the server cannot store more soon",
        ),
        free if free < LOW_SPACE => line(
            "disk",
            CheckState::Warn,
            found,
            "free some space before the disk is full",
        ),
        _ => ok("disk", found),
    }
}

fn database(data: &Path) -> CheckLine {
    let name = "database";
    if !data.join("pincite.db").exists() {
        return ok(name, "none yet");
    }
    let damaged = |found: String| {
        line(
            name,
            CheckState::Fail,
            found,
            "stop the server and restore a backup with `pincite restore`",
        )
    };
    let store = match SqliteStore::open(&OpenOptions::new(data)) {
        Ok(store) => store,
        Err(error) => {
            return line(
                name,
                CheckState::Fail,
                format!("cannot open it: {error}"),
                error.hint(),
            );
        }
    };
    match store.check(CheckDepth::Quick).wait() {
        Ok(faults) if faults.is_empty() => ok(name, "no damage found"),
        Ok(faults) => damaged(format!("{} faults; the first: {}", faults.len(), faults[0])),
        Err(error) => line(name, CheckState::Fail, error.to_string(), error.hint()),
    }
}

/// Renders a page with the built-in fonts.
fn fonts() -> CheckLine {
    let drawn = RenderSource::open(
        "Ag 123".as_bytes(),
        "sample.txt",
        &documents::ReadOptions::default(),
    )
    .and_then(|source| {
        let view = PageView::Page {
            number: 1,
            highlights: &[],
        };
        DocumentRenderer::new(&source).draw(
            &view,
            &rendering::RenderStyle::default(),
            &RenderOptions::default(),
        )
    });
    match drawn {
        Ok(_) => ok("fonts", "built in; a page renders"),
        Err(error) => line(
            "fonts",
            CheckState::Fail,
            format!("cannot render a page: {error}"),
            error.hint(),
        ),
    }
}

fn ocr(path: Option<&std::ffi::OsStr>) -> CheckLine {
    let mut folders = path.map(std::env::split_paths).into_iter().flatten();
    match folders.find(|folder| folder.join("tesseract").is_file()) {
        Some(folder) => ok("OCR", format!("tesseract in {}", folder.display())),
        None => line(
            "OCR",
            CheckState::Warn,
            "tesseract is not installed; scanned pages and images have no text",
            "install tesseract-ocr (apt install tesseract-ocr), with the languages of your documents",
        ),
    }
}

fn clock(now: SystemTime) -> CheckLine {
    let since = now
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    if since < EARLIEST_TIME {
        return line(
            "clock",
            CheckState::Fail,
            "the clock shows a time before 2025",
            "set the clock; keys, tokens and links expire by it",
        );
    }
    let now =
        jiff::Timestamp::try_from(now).map_or_else(|_| String::new(), |now| format!("{now:.0}"));
    ok("clock", now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_low_space_and_a_wrong_clock_with_hints() {
        assert_eq!(space(1 << 20).state, CheckState::Fail);
        assert_eq!(space(100 << 20).state, CheckState::Warn);
        assert_eq!(space(10 << 30).state, CheckState::Ok);
        assert_eq!(clock(SystemTime::UNIX_EPOCH).state, CheckState::Fail);
        assert_eq!(
            clock(SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)).state,
            CheckState::Ok
        );
        assert_eq!(ocr(None).state, CheckState::Warn);
        for line in [space(1), clock(SystemTime::UNIX_EPOCH), ocr(None)] {
            assert!(!line.hint.is_empty(), "{line:?}");
        }
    }

    #[test]
    fn renders_a_page_with_built_in_fonts() {
        assert_eq!(fonts().state, CheckState::Ok, "{:?}", fonts());
    }
}

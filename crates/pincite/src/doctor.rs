//! `pincite doctor`: what usually goes wrong, looked at before it does.

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
use crate::config::{self, LoadedConfig};
use crate::failure::{CommandError, shown};

/// Less free space than this is too little, and little; in bytes.
const TOO_LITTLE: u64 = 64 << 20;
const LITTLE: u64 = 1 << 30;
/// 2025: a clock before that was never set.
const FIRST_YEAR: Duration = Duration::from_secs(1_735_689_600);

/// How something is.
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

/// One thing that was looked at.
#[derive(Debug)]
struct CheckLine {
    about: String,
    state: CheckState,
    found: String,
    /// What to do; empty if all is well.
    remedy: String,
}

fn line(
    about: &str,
    state: CheckState,
    found: impl Into<String>,
    remedy: impl Into<String>,
) -> CheckLine {
    CheckLine {
        about: about.to_owned(),
        state,
        found: found.into(),
        remedy: remedy.into(),
    }
}

fn fine(about: &str, found: impl Into<String>) -> CheckLine {
    line(about, CheckState::Ok, found, "")
}

/// Looks at everything; exit 1 if something fails.
pub(crate) fn run(args: &DoctorArgs) -> Result<(), CommandError> {
    let mut lines = Vec::new();
    match config::of(args.config.as_deref()) {
        Ok(configured) => {
            let data = args.data.clone();
            let data = data.unwrap_or_else(|| configured.settings.server.data.clone());
            lines.extend(configuration(&configured));
            lines.push(directory(&data));
            lines.push(disk(&data));
            lines.push(database(&data));
            lines.extend(network::look(&configured.settings)?);
        }
        Err(error) => lines.push(line(
            "configuration",
            CheckState::Fail,
            error.to_string(),
            "correct it; the rest is looked at then",
        )),
    }
    lines.push(fonts());
    lines.push(ocr(std::env::var_os("PATH").as_deref()));
    lines.push(clock(SystemTime::now()));
    tell(&lines, args.json)?;
    match lines.iter().any(|line| line.state == CheckState::Fail) {
        true => Err(CommandError::Finding),
        false => Ok(()),
    }
}

fn tell(lines: &[CheckLine], json: bool) -> Result<(), CommandError> {
    let mut output = anstream::stdout();
    if json {
        let items = lines.iter().map(|line| {
            Value::from([
                ("check", line.about.as_str().into()),
                ("state", line.state.word().into()),
                ("found", line.found.as_str().into()),
                ("remedy", line.remedy.as_str().into()),
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
    let width = lines.iter().map(|line| line.about.chars().count());
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
            line.about,
            shown(&line.found)
        );
        if !line.remedy.is_empty() {
            // Writing to a text cannot fail.
            let _ = write!(text, "\n      {:<width$}  → {}", "", shown(&line.remedy));
        }
        writeln!(output, "{text}")?;
    }
    Ok(())
}

fn configuration(configured: &LoadedConfig) -> Vec<CheckLine> {
    let from = match &configured.file {
        Some(file) => format!("{}, the environment and defaults", file.display()),
        None => "the environment and defaults; there is no file".to_owned(),
    };
    let mut lines = vec![match crate::serve::usable(&configured.settings) {
        Ok(()) => fine("configuration", from),
        Err(error) => line(
            "configuration",
            CheckState::Fail,
            error.to_string(),
            "correct it: pincite config show --origin",
        ),
    }];
    if configured.settings.agents.is_empty() {
        lines.push(fine("agents", "none configured; the demo is served"));
    }
    lines
}

fn directory(data: &Path) -> CheckLine {
    let about = "data directory";
    if !data.exists() {
        let parent = data
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        return match fs::metadata(parent) {
            Ok(found) if found.is_dir() && !found.permissions().readonly() => {
                fine(about, format!("{} will be made", data.display()))
            }
            _ => line(
                about,
                CheckState::Fail,
                format!("{} is not there, and cannot be made", data.display()),
                "make it, or choose another with --data",
            ),
        };
    }
    let probe = data.join(format!(".doctor-{}", std::process::id()));
    let written = fs::write(&probe, b"doctor").and_then(|()| fs::remove_file(&probe));
    match written {
        Ok(()) => fine(about, format!("{} can be written", data.display())),
        Err(error) => line(
            about,
            CheckState::Fail,
            format!("{} cannot be written: {error}", data.display()),
            "give its owner the right to write, or choose another with --data",
        ),
    }
}

/// The first of a path and its parents that is there.
fn existing(path: &Path) -> &Path {
    let mut there = path;
    while !there.exists() {
        match there
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
        {
            Some(parent) => there = parent,
            None => return Path::new("."),
        }
    }
    there
}

fn disk(data: &Path) -> CheckLine {
    match rustix::fs::statvfs(existing(data)) {
        Ok(found) => space(found.f_bavail.saturating_mul(found.f_frsize)),
        Err(error) => line(
            "disk",
            CheckState::Warn,
            format!("free space is not known: {error}"),
            "look with df",
        ),
    }
}

fn space(free: u64) -> CheckLine {
    let found = format!("{} MiB free", free >> 20);
    match free {
        free if free < TOO_LITTLE => line(
            "disk",
            CheckState::Fail,
            found,
            "make room: nothing can be stored soon",
        ),
        free if free < LITTLE => line(
            "disk",
            CheckState::Warn,
            found,
            "make room before it is full",
        ),
        _ => fine("disk", found),
    }
}

fn database(data: &Path) -> CheckLine {
    let about = "database";
    if !data.join("pincite.db").exists() {
        return fine(about, "there is none yet");
    }
    let damaged = |found: String| {
        line(
            about,
            CheckState::Fail,
            found,
            "stop the server and restore a backup",
        )
    };
    let store = match SqliteStore::open(&OpenOptions::new(data)) {
        Ok(store) => store,
        Err(error) => {
            return line(
                about,
                CheckState::Fail,
                format!("it cannot be opened: {error}"),
                error.hint(),
            );
        }
    };
    match store.check(CheckDepth::Quick).wait() {
        Ok(faults) if faults.is_empty() => fine(about, "whole"),
        Ok(faults) => damaged(format!("{} faults, the first: {}", faults.len(), faults[0])),
        Err(error) => line(about, CheckState::Fail, error.to_string(), error.hint()),
    }
}

/// Draws a page: with the fonts that are part of the program.
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
        Ok(_) => fine("fonts", "built in; a page can be drawn"),
        Err(error) => line(
            "fonts",
            CheckState::Fail,
            format!("a page cannot be drawn: {error}"),
            error.hint(),
        ),
    }
}

fn ocr(path: Option<&std::ffi::OsStr>) -> CheckLine {
    let mut places = path.map(std::env::split_paths).into_iter().flatten();
    match places.find(|place| place.join("tesseract").is_file()) {
        Some(place) => fine("OCR", format!("tesseract is in {}", place.display())),
        None => line(
            "OCR",
            CheckState::Warn,
            "tesseract is not installed; pages that are pictures have no text to quote from",
            "install tesseract-ocr (apt install tesseract-ocr), with the languages of your documents",
        ),
    }
}

fn clock(now: SystemTime) -> CheckLine {
    let since = now
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    if since < FIRST_YEAR {
        return line(
            "clock",
            CheckState::Fail,
            "it is before 2025",
            "set the clock: keys, tokens and links expire by it",
        );
    }
    let now =
        jiff::Timestamp::try_from(now).map_or_else(|_| String::new(), |now| format!("{now:.0}"));
    fine("clock", now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_little_space_and_an_old_clock_are_told() {
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
            assert!(!line.remedy.is_empty(), "{line:?}");
        }
    }

    #[test]
    fn a_page_can_be_drawn() {
        assert_eq!(fonts().state, CheckState::Ok, "{:?}", fonts());
    }
}

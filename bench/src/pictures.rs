//! Cost of page images and reports.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use pincite_bench::harness::Sample;
use pincite_bench::{sample_pdf, workspace_binaries};

use crate::contestant_process::{BenchPaths, finished};
use crate::note;
use crate::options::Options;
use crate::table::{aligned, median, one_line, short};

/// The rows.
const ROWS: [Row; 4] = [
    (
        "picture-page",
        "a page with a line marked, WebP",
        25.0,
        "ms CPU",
    ),
    (
        "picture-strip",
        "what is around a line, AVIF",
        60.0,
        "ms CPU",
    ),
    ("report-time", "HTML report of 100 citations", 3.0, "s"),
    ("report-size", "HTML report of 100 citations", 6.0, "MB"),
];
/// Number of pages of the document.
const PAGES: usize = 60;

/// Returns every row name.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.0)
}

/// Returns true if one of the rows was selected.
pub(crate) fn wanted(options: &Options) -> bool {
    names().any(|name| options.wants(name))
}

/// Row: name, figure, limit and unit.
type Row = (&'static str, &'static str, f64, &'static str);

/// Measured figures.
pub(crate) struct Report(Vec<(Row, Result<f64, String>)>);

impl Report {
    /// Measures the selected rows.
    pub(crate) fn measure(field: &BenchPaths, options: &Options) -> Self {
        let file = field.corpus.join("printed.pdf");
        let written = std::fs::write(&file, sample_pdf::pdf(&sample_pdf::pages(PAGES)))
            .map_err(|error| format!("cannot write {}: {error}", file.display()));
        let rows = ROWS.iter().filter(|row| options.wants(row.0));
        let measured = rows.map(|row| {
            let name = row.0;
            note(name);
            let figure = written.clone().and_then(|()| {
                let rounds = (0..options.rounds).map(|_| match name {
                    "picture-page" => drawn("page", &file, field, options),
                    "picture-strip" => drawn("strip", &file, field, options),
                    "report-time" => Ok(report(&file, field)?.0),
                    _ => Ok(report(&file, field)?.1),
                });
                Ok(median(&rounds.collect::<Result<Vec<f64>, String>>()?))
            });
            (*row, figure)
        });
        Self(measured.collect())
    }

    /// Returns true if all figures are within their limits.
    pub(crate) fn ok(&self) -> bool {
        self.0
            .iter()
            .all(|(row, figure)| figure.as_ref().is_ok_and(|figure| *figure <= row.2))
    }

    /// Returns the table.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        if self.0.is_empty() {
            return out;
        }
        let rows = self.0.iter().map(|((name, what, most, unit), figure)| {
            let (measured, verdict) = match figure {
                Ok(figure) if figure <= most => {
                    (format!("{} {unit}", short(*figure)), "ok".to_owned())
                }
                Ok(figure) => (format!("{} {unit}", short(*figure)), "ABOVE".to_owned()),
                Err(error) => ("-".to_owned(), format!("FAILED: {}", one_line(error))),
            };
            let required = format!("<= {} {unit}", short(*most));
            vec![
                (*name).to_owned(),
                (*what).to_owned(),
                measured,
                required,
                verdict,
            ]
        });
        let _ = writeln!(out, "\nPictures and reports, median of the rounds\n");
        aligned(
            &mut out,
            &["row", "what", "ours", "required", ""],
            rows.collect(),
        );
        out
    }
}

/// Measures the CPU milliseconds of one picture.
fn drawn(mode: &str, file: &Path, field: &BenchPaths, options: &Options) -> Result<f64, String> {
    let mut command = Command::new(field.binaries.join("ours-pictures"));
    let output = finished(
        command
            .arg(mode)
            .arg(file)
            .arg(options.min_seconds().to_string()),
    )?;
    let sample = Sample::from_line(String::from_utf8_lossy(&output.stdout).trim())?;
    Ok(1e3 / sample.rate())
}

/// Measures the seconds and megabytes of a report.
fn report(file: &Path, field: &BenchPaths) -> Result<(f64, f64), String> {
    let answer = field.corpus.join("printed.md");
    std::fs::write(&answer, sample_pdf::answer(&sample_pdf::pages(PAGES), 100))
        .map_err(|error| format!("cannot write {}: {error}", answer.display()))?;
    let start = Instant::now();
    let output = Command::new(workspace_binaries::binary_dir()?.join("pincite"))
        .args(["verify", "--format", "html", "--source"])
        .arg(format!("d={}", file.display()))
        .arg(&answer)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot start pincite: {error}"))?;
    let seconds = start.elapsed().as_secs_f64();
    let text = String::from_utf8_lossy(&output.stdout);
    if !text.contains("100 of 100 quotes verified") || text.matches("<img ").count() < 100 {
        return Err("the report does not tell of 100 quotes with pictures".to_owned());
    }
    Ok((seconds, output.stdout.len() as f64 / 1e6))
}

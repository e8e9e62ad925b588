//! Results over HTTP and their tables.

use std::fmt::Write as _;

use super::Figures;
use super::plan::{CLIENTS, Contestant, MEMORY_CLIENTS, MemoryRow, Row};
use crate::rounds::Rounds;
use crate::table::{aligned, median, one_line, percentile, short, spread};

/// Measured figures.
pub(crate) struct Report {
    contestants: Rounds<Contestant, Figures>,
    rows: Vec<(Row, Result<Vec<f64>, String>)>,
    memory: Vec<(MemoryRow, Result<f64, String>)>,
}

impl Report {
    pub(super) fn new(contestants: &[Contestant]) -> Self {
        Self {
            contestants: Rounds::new(contestants),
            rows: Vec::new(),
            memory: Vec::new(),
        }
    }

    /// Returns true if a round of the contestant failed.
    pub(super) fn has_failed(&self, contestant: &Contestant) -> bool {
        self.contestants.has_failed(contestant)
    }

    /// Adds one round of a contestant; a failure becomes its result.
    pub(super) fn add(&mut self, contestant: &Contestant, figures: Result<Figures, String>) {
        self.contestants.add(contestant, figures);
    }

    /// Computes the ratios of each round.
    pub(super) fn compare(&mut self, rows: &[Row]) {
        for row in rows {
            let ratios = self.contestants.of(&row.contestant).and_then(|ours| {
                let theirs = self.contestants.of(&row.against)?;
                let pairs = ours.iter().zip(theirs);
                Ok(pairs
                    .map(|(ours, theirs)| theirs.cpu_ms / ours.cpu_ms)
                    .collect())
            });
            self.rows.push((*row, ratios));
        }
    }

    /// Adds the peak memory of a server.
    pub(super) fn add_memory(&mut self, row: &MemoryRow, peak: Result<f64, String>) {
        self.memory.push((*row, peak));
    }

    /// Returns true if every row reaches its figure.
    pub(crate) fn ok(&self) -> bool {
        let rows = self.rows.iter();
        let memory = self.memory.iter();
        rows.map(|(row, ratios)| reaches(row, ratios))
            .chain(memory.map(|(row, peak)| within(row, peak)))
            .all(|verdict| verdict == OK)
    }

    /// Returns the tables; empty if no row was selected.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        if !self.rows.is_empty() {
            let _ = writeln!(
                out,
                "\nRuns of 200 deltas over HTTP, {CLIENTS} at once, median of the rounds\n"
            );
            let head = [
                "who",
                "CPU ms/run",
                "first event p50 ms",
                "p99 ms",
                "peak MB",
                "",
            ];
            let cells = |(one, rounds): &(Contestant, _)| contestant_cells(one.name, rounds);
            aligned(
                &mut out,
                &head,
                self.contestants.iter().map(cells).collect(),
            );
            let _ = writeln!(out, "\nCPU time of the one over that of the other\n");
            let head = ["what", "who", "against", "ratio [min..max]", "required", ""];
            let cells = |(row, ratios): &(Row, _)| row_cells(row, ratios);
            aligned(&mut out, &head, self.rows.iter().map(cells).collect());
        }
        if !self.memory.is_empty() {
            let _ = writeln!(out, "\nPeak memory with {MEMORY_CLIENTS} open streams\n");
            let head = ["what", "who", "MB", "required", ""];
            let cells = |(row, peak): &(MemoryRow, _)| memory_cells(row, peak);
            aligned(&mut out, &head, self.memory.iter().map(cells).collect());
        }
        out
    }
}

const OK: &str = "ok";

fn reaches(row: &Row, ratios: &Result<Vec<f64>, String>) -> String {
    match ratios {
        Err(error) => format!("FAILED: {}", one_line(error)),
        Ok(ratios) if median(ratios) >= row.required => OK.to_owned(),
        Ok(_) => "BELOW".to_owned(),
    }
}

fn within(row: &MemoryRow, peak: &Result<f64, String>) -> String {
    match peak {
        Err(error) => format!("FAILED: {}", one_line(error)),
        Ok(peak) if *peak <= row.limit_mb => OK.to_owned(),
        Ok(_) => "ABOVE".to_owned(),
    }
}

fn contestant_cells(name: &str, rounds: &Result<Vec<Figures>, String>) -> Vec<String> {
    let rounds = match rounds {
        Ok(rounds) => rounds,
        Err(error) => {
            let dashes = ["-"; 4].map(str::to_owned);
            let failed = format!("FAILED: {}", one_line(error));
            return [vec![name.to_owned()], dashes.to_vec(), vec![failed]].concat();
        }
    };
    let middle = |of: &dyn Fn(&Figures) -> f64| median(&rounds.iter().map(of).collect::<Vec<_>>());
    let first = |share: f64| {
        if rounds.iter().any(|round| round.first_ms.is_empty()) {
            return "-".to_owned();
        }
        format!("{:.2}", middle(&|round| percentile(&round.first_ms, share)))
    };
    vec![
        name.to_owned(),
        format!("{:.3}", middle(&|round| round.cpu_ms)),
        first(0.5),
        first(0.99),
        format!("{:.1}", middle(&|round| round.peak_mb)),
        String::new(),
    ]
}

fn row_cells(row: &Row, ratios: &Result<Vec<f64>, String>) -> Vec<String> {
    vec![
        row.name.to_owned(),
        row.contestant.name.to_owned(),
        row.against.name.to_owned(),
        ratios
            .as_ref()
            .map_or("-".to_owned(), |ratios| spread(ratios)),
        format!(">= {}", short(row.required)),
        reaches(row, ratios),
    ]
}

fn memory_cells(row: &MemoryRow, peak: &Result<f64, String>) -> Vec<String> {
    vec![
        row.name.to_owned(),
        row.server.name.to_owned(),
        peak.as_ref()
            .map_or("-".to_owned(), |peak| format!("{peak:.1}")),
        format!("<= {}", short(row.limit_mb)),
        within(row, peak),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::plan::{MEMORY, ROWS};
    use super::{Figures, Report};

    fn figures(cpu_ms: f64) -> Result<Figures, String> {
        Ok(Figures {
            cpu_ms,
            peak_mb: 5.0,
            first_ms: vec![1.0, 2.0],
        })
    }

    fn report(theirs: &[Result<Figures, String>]) -> Report {
        let row = &ROWS[0];
        let mut report = Report::new(&[row.contestant, row.against]);
        for theirs in theirs {
            report.add(&row.contestant, figures(1.0));
            report.add(&row.against, theirs.clone());
        }
        report.compare(&ROWS[..1]);
        report
    }

    #[test]
    fn the_median_ratio_decides() {
        let required = ROWS[0].required;
        let (low, high) = (required * 0.9, required * 1.1);
        assert!(report(&[figures(high), figures(low), figures(high)]).ok());
        assert!(!report(&[figures(low), figures(low), figures(high)]).ok());
    }

    #[test]
    fn a_failed_round_fails_the_row() {
        let report = report(&[figures(1000.0), Err("gone".to_owned())]);
        assert!(!report.ok());
        let failed = format!("FAILED: {}: gone", ROWS[0].against.name);
        assert!(report.text().contains(&failed));
    }

    #[test]
    fn memory_has_a_limit() {
        let row = &MEMORY[0];
        for (peak, ok) in [(row.limit_mb, true), (row.limit_mb + 0.1, false)] {
            let mut report = Report::new(&[]);
            report.add_memory(row, Ok(peak));
            assert_eq!(report.ok(), ok);
        }
    }
}

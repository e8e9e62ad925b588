//! Results of the gateways and their tables.

use std::fmt::Write as _;

use super::Figures;
use super::plan::{Contestant, Measure, Row};
use crate::rounds::Rounds;
use crate::table::{aligned, median, one_line, percentile, short, spread};

/// Measured figures.
pub(crate) struct Report {
    contestants: Rounds<Contestant, Figures>,
    rows: Vec<(Row, Result<Vec<f64>, String>)>,
}

impl Report {
    pub(super) fn new(contestants: &[Contestant]) -> Self {
        Self {
            contestants: Rounds::new(contestants),
            rows: Vec::new(),
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

    /// Computes the figure of each row for each round.
    pub(super) fn compare(&mut self, rows: &[Row]) {
        for row in rows {
            let figures = self.figures(row);
            self.rows.push((*row, figures));
        }
    }

    fn figures(&self, row: &Row) -> Result<Vec<f64>, String> {
        let ours = self.contestants.of(&row.ours)?;
        let Some(against) = &row.against else {
            return Ok(ours.iter().map(|ours| alone(row.measure, ours)).collect());
        };
        let theirs = self.contestants.of(against)?;
        let events = |one: &Contestant| one.feed.events as f64;
        let pair = |(ours, theirs): (&Figures, &Figures)| match row.measure {
            Measure::CpuPerEvent => {
                (theirs.cpu_ms / events(against)) / (ours.cpu_ms / events(&row.ours))
            }
            Measure::FirstAdded => {
                percentile(&ours.first_ms, 0.5) - percentile(&theirs.first_ms, 0.5)
            }
            _ => theirs.cpu_ms / ours.cpu_ms,
        };
        Ok(ours.iter().zip(theirs).map(pair).collect())
    }

    /// Returns true if every row reaches its figure.
    pub(crate) fn ok(&self) -> bool {
        self.rows
            .iter()
            .all(|(row, found)| verdict(row, found) == OK)
    }

    /// Returns the tables; empty if no row was selected.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        if self.rows.is_empty() {
            return out;
        }
        let _ = writeln!(
            out,
            "\nBetween clients and an agent, median of the rounds\n"
        );
        let head = [
            "who",
            "CPU ms/run",
            "first p50 ms",
            "run p50 ms",
            "peak MB",
            "",
        ];
        let cells = |(one, rounds): &(Contestant, _)| contestant_cells(one.name, rounds);
        aligned(
            &mut out,
            &head,
            self.contestants.iter().map(cells).collect(),
        );
        let _ = writeln!(out, "\nGateways compared\n");
        let head = [
            "what",
            "who",
            "against",
            "figure [min..max]",
            "required",
            "",
        ];
        let cells = |(row, found): &(Row, _)| row_cells(row, found);
        aligned(&mut out, &head, self.rows.iter().map(cells).collect());
        out
    }
}

/// Returns the figure of a row without a peer.
fn alone(measure: Measure, ours: &Figures) -> f64 {
    match measure {
        Measure::Verified => percentile(&ours.verified_ms, 0.5),
        Measure::FirstAdded => percentile(&ours.first_ms, 0.5),
        Measure::MemoryResult => ours.peak_mb,
        Measure::Cpu | Measure::CpuPerEvent => ours.cpu_ms,
    }
}

const OK: &str = "ok";

fn verdict(row: &Row, found: &Result<Vec<f64>, String>) -> String {
    match found {
        Err(error) => format!("FAILED: {}", one_line(error)),
        Ok(found) if row.measure.is_limit() && median(found) > row.required => "ABOVE".to_owned(),
        Ok(found) if !row.measure.is_limit() && median(found) < row.required => "BELOW".to_owned(),
        Ok(_) => OK.to_owned(),
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
    vec![
        name.to_owned(),
        format!("{:.3}", middle(&|round| round.cpu_ms)),
        format!("{:.2}", middle(&|round| percentile(&round.first_ms, 0.5))),
        format!("{:.2}", middle(&|round| percentile(&round.run_ms, 0.5))),
        format!("{:.1}", middle(&|round| round.peak_mb)),
        String::new(),
    ]
}

fn row_cells(row: &Row, found: &Result<Vec<f64>, String>) -> Vec<String> {
    let sign = if row.measure.is_limit() { "<=" } else { ">=" };
    vec![
        row.name.to_owned(),
        row.ours.name.to_owned(),
        row.against.map_or("", |against| against.name).to_owned(),
        found.as_ref().map_or("-".to_owned(), |found| spread(found)),
        format!("{sign} {} {}", short(row.required), row.measure.unit()),
        verdict(row, found),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::plan::{Measure, ROWS};
    use super::{Figures, Report};

    fn figures(cpu_ms: f64, peak_mb: f64) -> Result<Figures, String> {
        Ok(Figures {
            cpu_ms,
            peak_mb,
            first_ms: vec![1.0, 2.0],
            run_ms: vec![3.0],
            verified_ms: vec![0.0],
        })
    }

    #[test]
    fn a_ratio_must_be_reached() {
        let row = &ROWS[0];
        let against = row.against.expect("the first row has a peer");
        for (factor, ok) in [(0.9, false), (1.1, true)] {
            let mut report = Report::new(&[row.ours, against]);
            report.add(&row.ours, figures(1.0, 1.0));
            report.add(&against, figures(row.required * factor, 1.0));
            report.compare(&[*row]);
            assert_eq!(report.ok(), ok, "{factor}");
        }
    }

    #[test]
    fn a_limit_must_not_be_exceeded() {
        let row = ROWS.iter().find(|row| row.measure == Measure::MemoryResult);
        let row = row.expect("a row about memory");
        for (factor, ok) in [(0.9, true), (1.1, false)] {
            let mut report = Report::new(&[row.ours]);
            report.add(&row.ours, figures(1.0, row.required * factor));
            report.compare(&[*row]);
            assert_eq!(report.ok(), ok, "{factor}");
        }
    }

    #[test]
    fn a_failed_round_fails_the_row() {
        let row = &ROWS[0];
        let mut report = Report::new(&[row.ours]);
        report.add(&row.ours, Err("gone".to_owned()));
        report.compare(&[*row]);
        assert!(!report.ok());
        assert!(report.text().contains("FAILED"));
    }
}

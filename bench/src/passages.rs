//! Benchmark of passages and citations: CPU time per quote, megabyte or answer.

mod plan;

use std::fmt::Write as _;

use pincite_bench::harness::Sample;

use crate::contestant_process::{BenchPaths, finished};
use crate::note;
use crate::options::Options;
use crate::plan::ContestantKind;
use crate::table::{aligned, median, one_line, short, spread};

pub(crate) use plan::names;
use plan::{Bound, Contestant, ROWS, Row};

/// Chosen rows with their contestants.
pub(crate) struct Passages {
    rows: Vec<Row>,
    contestants: Vec<Contestant>,
}

impl Passages {
    /// Selects the rows that the options ask for.
    pub(crate) fn new(options: &Options) -> Self {
        let rows: Vec<Row> = ROWS
            .iter()
            .filter(|row| options.wants(row.name))
            .copied()
            .collect();
        let mut contestants = Vec::new();
        for contestant in rows.iter().flat_map(Row::contestants) {
            if !contestants.contains(&contestant) {
                contestants.push(contestant);
            }
        }
        Self { rows, contestants }
    }

    /// Returns true if no row was selected.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the peers that must be installed.
    pub(crate) fn peers(&self) -> impl Iterator<Item = ContestantKind> {
        self.contestants.iter().map(Contestant::who)
    }

    /// Measures every contestant once per round, in alternating order.
    pub(crate) fn measure(&self, field: &BenchPaths, options: &Options) -> Report {
        let mut figures: Vec<Figures> = self.contestants.iter().map(|_| Ok(Vec::new())).collect();
        for round in 0..options.rounds {
            for index in 0..figures.len() {
                let index = match round % 2 {
                    0 => index,
                    _ => figures.len() - 1 - index,
                };
                let (contestant, figures) = (&self.contestants[index], &mut figures[index]);
                let Ok(times) = figures else { continue };
                let (now, all) = (round + 1, options.rounds);
                note(&format!("round {now}/{all} {}", contestant.job()));
                match microseconds(contestant, field, options.min_seconds()) {
                    Ok(time) => times.push(time),
                    Err(error) => *figures = Err(error),
                }
            }
        }
        let of = |contestant: Contestant| {
            let place = self.contestants.iter().position(|one| *one == contestant);
            place.map_or_else(|| Err("not measured".to_owned()), |at| figures[at].clone())
        };
        Report {
            lines: self.rows.iter().map(|row| Line::new(*row, of)).collect(),
        }
    }
}

/// CPU microseconds per unit of each round, or the failure.
type Figures = Result<Vec<f64>, String>;

/// Measures the CPU microseconds per quote, megabyte or answer.
fn microseconds(contestant: &Contestant, field: &BenchPaths, seconds: f64) -> Result<f64, String> {
    let output = finished(contestant.command(field).arg(seconds.to_string()))?;
    let sample = Sample::from_line(String::from_utf8_lossy(&output.stdout).trim())?;
    Ok(1e6 / sample.rate())
}

/// Row with its measurements.
struct Line {
    row: Row,
    ours: Figures,
    /// Scaled times of the other contestant; `None` for a plain limit.
    other: Option<(&'static str, Figures)>,
}

impl Line {
    fn new(row: Row, of: impl Fn(Contestant) -> Figures) -> Self {
        let other = match row.bound {
            Bound::TimesFaster(other, _) | Bound::AtMostTimes(other, _) => {
                let scaled =
                    |times: Vec<f64>| times.iter().map(|time| time * other.scale).collect();
                Some((other.name, of(other.measured).map(scaled)))
            }
            Bound::MillisecondsPerMegabyte(_) => None,
        };
        let ours = of(row.contestant);
        Self { row, ours, other }
    }

    /// Returns for each round the value that is compared with the required figure.
    fn values(&self) -> Figures {
        let ours = self.ours.clone()?;
        let Some((_, other)) = &self.other else {
            return Ok(ours.iter().map(|time| time / 1e3).collect());
        };
        let other = other.clone()?;
        let pairs = ours.iter().zip(&other);
        Ok(match self.row.bound {
            Bound::AtMostTimes(..) => pairs.map(|(ours, other)| ours / other).collect(),
            _ => pairs.map(|(ours, other)| other / ours).collect(),
        })
    }

    fn ok(&self) -> bool {
        let Ok(value) = self.values().map(|values| median(&values)) else {
            return false;
        };
        match self.row.bound {
            Bound::TimesFaster(_, required) => value >= required,
            Bound::AtMostTimes(_, limit) | Bound::MillisecondsPerMegabyte(limit) => value <= limit,
        }
    }

    fn cells(&self) -> Vec<String> {
        let middle = |times: &Figures| match times {
            Ok(times) => short(median(times)),
            Err(_) => "-".to_owned(),
        };
        let (name, other) = match &self.other {
            Some((name, times)) => ((*name).to_owned(), middle(times)),
            None => ("-".to_owned(), "-".to_owned()),
        };
        let required = match self.row.bound {
            Bound::TimesFaster(_, required) => format!(">= {}", short(required)),
            Bound::AtMostTimes(_, limit) => format!("<= {}", short(limit)),
            Bound::MillisecondsPerMegabyte(limit) => format!("<= {} ms", short(limit)),
        };
        let values = self.values();
        let verdict = match &values {
            Err(error) => format!("FAILED: {}", one_line(error)),
            Ok(_) if self.ok() => "ok".to_owned(),
            Ok(_) => match self.row.bound {
                Bound::TimesFaster(..) => "BELOW".to_owned(),
                _ => "ABOVE".to_owned(),
            },
        };
        let values = values.map_or_else(|_| "-".to_owned(), |values| spread(&values));
        vec![
            self.row.name.to_owned(),
            name,
            middle(&self.ours),
            other,
            values,
            required,
            verdict,
        ]
    }
}

/// The measured rows.
pub(crate) struct Report {
    lines: Vec<Line>,
}

impl Report {
    /// Returns true if every row is within its bound.
    pub(crate) fn ok(&self) -> bool {
        self.lines.iter().all(Line::ok)
    }

    /// Returns the table; empty if no row was selected.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        if self.lines.is_empty() {
            return out;
        }
        let _ = writeln!(
            out,
            "\nMicroseconds of CPU time per quote, megabyte or answer, median of the rounds\n"
        );
        let head = [
            "what",
            "against",
            "ours",
            "peer",
            "ratio [min..max]",
            "required",
            "",
        ];
        aligned(
            &mut out,
            &head,
            self.lines.iter().map(Line::cells).collect(),
        );
        out
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, ROWS};

    fn line(name: &str, ours: f64, peer: f64) -> Line {
        let row = ROWS.iter().find(|row| row.name == name).expect("a row");
        let mine = row.contestant;
        Line::new(*row, |who| {
            Ok(vec![if who == mine { ours } else { peer }; 3])
        })
    }

    #[test]
    fn computes_the_ratio_to_the_other_contestant() {
        assert!(line("locate-1MB-edlib", 10.0, 500.0).ok());
        assert!(!line("locate-1MB-edlib", 10.0, 499.0).ok());
    }

    #[test]
    fn scales_the_unit() {
        // Eight times faster than 14 times the unit.
        assert!(line("cite-2KB", 14.0, 8.0).ok());
        assert!(!line("cite-2KB", 14.1, 8.0).ok());
    }

    #[test]
    fn limits_are_upper_bounds() {
        assert!(line("cite-deltas-10KB", 3.0, 1.0).ok());
        assert!(!line("cite-deltas-10KB", 3.1, 1.0).ok());
        assert!(line("index-10MB", 20_000.0, 0.0).ok());
        assert!(!line("index-10MB", 20_001.0, 0.0).ok());
    }

    #[test]
    fn reports_a_failure() {
        let row = ROWS[0];
        let failed = Line::new(row, |who| match who == row.contestant {
            true => Ok(vec![1.0]),
            false => Err("edlib is missing".to_owned()),
        });
        assert!(!failed.ok());
        assert!(failed.cells().concat().contains("edlib is missing"));
    }
}

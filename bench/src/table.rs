//! Results of the library benchmark and their tables.

use std::fmt::Write as _;

use crate::plan::{MemoryRow, Row, STREAMS};

/// Rounds of one speed row.
#[derive(Clone, Debug)]
pub(crate) struct SpeedResult {
    pub(crate) row: Row,
    ours: Vec<f64>,
    peer: Vec<f64>,
    ratios: Vec<f64>,
    /// Reason for which the row could not be measured.
    pub(crate) error: Option<String>,
}

impl SpeedResult {
    pub(crate) fn new(row: Row) -> Self {
        Self {
            row,
            ours: Vec::new(),
            peer: Vec::new(),
            ratios: Vec::new(),
            error: None,
        }
    }

    /// Adds one round, in events per CPU second.
    pub(crate) fn add(&mut self, ours: f64, peer: f64) {
        self.ours.push(ours);
        self.peer.push(peer);
        self.ratios.push(ours / peer);
    }

    /// Returns true if the median ratio reaches the requirement.
    pub(crate) fn ok(&self) -> bool {
        self.error.is_none() && median(&self.ratios) >= self.row.required
    }

    fn cells(&self) -> Vec<String> {
        let row = &self.row;
        let required = format!(">= {}", short(row.required));
        let what = vec![row.name.to_owned(), row.against.to_owned()];
        let measured = match &self.error {
            Some(_) => ["-", "-", "-"].map(str::to_owned),
            None => [
                whole(median(&self.ours)),
                whole(median(&self.peer)),
                spread(&self.ratios),
            ],
        };
        let verdict = match (&self.error, self.ok()) {
            (Some(error), _) => format!("FAILED: {}", one_line(error)),
            (None, true) => "ok".to_owned(),
            (None, false) => "BELOW".to_owned(),
        };
        [what, measured.to_vec(), vec![required, verdict]].concat()
    }
}

/// Peak memory of one command on every stream.
#[derive(Clone, Debug)]
pub(crate) struct MemoryResult {
    row: MemoryRow,
    peaks: Result<Vec<f64>, String>,
}

impl MemoryResult {
    /// Measures all streams up to the first failure.
    pub(crate) fn new(row: MemoryRow, peak: impl Fn(&'static str) -> Result<f64, String>) -> Self {
        let peaks = STREAMS.into_iter().map(peak).collect();
        Self { row, peaks }
    }

    /// Returns true if every stream stays within the limit.
    pub(crate) fn ok(&self) -> bool {
        let within = |peak: &f64| *peak <= self.row.limit_mb;
        self.peaks
            .as_ref()
            .is_ok_and(|peaks| peaks.iter().all(within))
    }

    fn cells(&self) -> Vec<String> {
        let mut cells = vec![self.row.name.to_owned(), self.row.what.to_owned()];
        match &self.peaks {
            Ok(peaks) => cells.extend(peaks.iter().map(|peak| format!("{peak:.1}"))),
            Err(_) => cells.extend(STREAMS.map(|_| "-".to_owned())),
        }
        cells.push(format!("<= {}", short(self.row.limit_mb)));
        cells.push(match &self.peaks {
            Err(error) => format!("FAILED: {}", one_line(error)),
            Ok(_) if self.ok() => "ok".to_owned(),
            Ok(_) => "ABOVE".to_owned(),
        });
        cells
    }
}

/// Comparison of a result with that of a peer.
#[derive(Clone, Debug)]
pub(crate) struct EqualResult {
    pub(crate) what: String,
    pub(crate) peer: &'static str,
    /// First difference, or the reason for which there is nothing to compare.
    pub(crate) found: Result<(), String>,
}

impl EqualResult {
    fn cells(&self) -> Vec<String> {
        let verdict = match &self.found {
            Ok(()) => "the same".to_owned(),
            Err(difference) => format!("DIFFERENT: {}", one_line(difference)),
        };
        vec![self.what.clone(), self.peer.to_owned(), verdict]
    }
}

/// Returns the report of a run.
pub(crate) fn text(
    speeds: &[SpeedResult],
    memory: &[MemoryResult],
    same: &[EqualResult],
) -> String {
    let mut out = String::new();
    if !speeds.is_empty() {
        let head = [
            "what",
            "against",
            "ours ev/s",
            "peer ev/s",
            "ratio [min..max]",
            "required",
            "",
        ];
        let rows = speeds.iter().map(SpeedResult::cells).collect();
        let _ = writeln!(out, "Events per CPU second, median of the rounds\n");
        aligned(&mut out, &head, rows);
    }
    if !memory.is_empty() {
        let mut head = vec!["what", "of"];
        head.extend(STREAMS);
        head.extend(["required", ""]);
        let rows = memory.iter().map(MemoryResult::cells).collect();
        let _ = writeln!(out, "\nPeak memory in MB\n");
        aligned(&mut out, &head, rows);
    }
    if !same.is_empty() {
        let rows = same.iter().map(EqualResult::cells).collect();
        let _ = writeln!(out, "\nFinal result compared with the peer's\n");
        aligned(&mut out, &["mode and stream", "peer", "result"], rows);
    }
    out
}

/// Writes a table with padded columns; the last column is not padded.
pub(crate) fn aligned(out: &mut String, head: &[&str], mut rows: Vec<Vec<String>>) {
    rows.insert(0, head.iter().map(|cell| (*cell).to_owned()).collect());
    let width = |column: usize| {
        let widths = rows.iter().map(|row| row[column].chars().count());
        widths.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len() - 1).map(width).collect();
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(line, "{cell:<width$}  ");
        }
        line.push_str(row.last().map_or("", String::as_str));
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

/// Returns the median.
pub(crate) fn median(values: &[f64]) -> f64 {
    let values = sorted(values);
    match values.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[n / 2],
        n => f64::midpoint(values[n / 2 - 1], values[n / 2]),
    }
}

/// Returns the value that this share of the ascending values does not exceed.
pub(crate) fn percentile(ascending: &[f64], share: f64) -> f64 {
    let rank = (ascending.len() as f64 * share).ceil() as usize;
    ascending
        .get(rank.saturating_sub(1))
        .copied()
        .unwrap_or(0.0)
}

/// Formats median and range, as in `12.3 [11.9..14]`.
pub(crate) fn spread(values: &[f64]) -> String {
    let values = sorted(values);
    let (Some(first), Some(last)) = (values.first(), values.last()) else {
        return "-".to_owned();
    };
    format!(
        "{} [{}..{}]",
        short(median(&values)),
        short(*first),
        short(*last)
    )
}

/// Formats a ratio with its significant digits.
pub(crate) fn short(value: f64) -> String {
    match value {
        v if v >= 99.5 => format!("{v:.0}"),
        v if v >= 9.95 && v.fract() != 0.0 => format!("{v:.1}"),
        v if v.fract() == 0.0 => format!("{v:.0}"),
        v => format!("{v:.2}"),
    }
}

/// Formats a whole number with thousands separators.
fn whole(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Returns the first line of an error, limited to the width of a table.
pub(crate) fn one_line(text: &str) -> String {
    text.lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(160)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{median, percentile, short, spread, whole};

    #[test]
    fn computes_percentiles() {
        let values: Vec<f64> = (1..=200).map(f64::from).collect();
        assert_eq!(percentile(&values, 0.5), 100.0);
        assert_eq!(percentile(&values, 0.99), 198.0);
        assert_eq!(percentile(&[], 0.5), 0.0);
    }

    #[test]
    fn computes_medians() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
    }

    #[test]
    fn numbers() {
        assert_eq!(whole(1_234_567.4), "1,234,567");
        assert_eq!(whole(999.0), "999");
        assert_eq!(short(645.3), "645");
        assert_eq!(short(0.8), "0.80");
        assert_eq!(spread(&[12.34, 11.0, 14.26]), "12.3 [11..14.3]");
    }
}

//! Rows with required figures.

use std::fmt::Write as _;

/// Figure with its requirement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) got: String,
    pub(crate) required: String,
    pub(crate) ok: bool,
    /// Figures of the peers, if measured.
    pub(crate) peers: String,
}

impl Row {
    /// Creates a row for a share of cases that must be right.
    pub(crate) fn share(what: impl Into<String>, right: usize, count: usize, least: f64) -> Self {
        let share = right as f64 / count.max(1) as f64;
        Self {
            what: what.into(),
            got: format!("{} ({right} of {count})", percent(share)),
            required: format!(">= {}", percent(least)),
            ok: count > 0 && share >= least,
            peers: String::new(),
        }
    }

    /// Creates a row for a number of cases that must be 0.
    pub(crate) fn none(what: impl Into<String>, number: usize, count: usize) -> Self {
        Self {
            what: what.into(),
            got: format!("{number} of {count}"),
            required: "0".to_owned(),
            ok: count > 0 && number == 0,
            peers: String::new(),
        }
    }

    /// Creates a row for a number with a bound.
    pub(crate) fn bound(what: impl Into<String>, got: f64, bound: Bound) -> Self {
        let (sign, limit, ok) = match bound {
            Bound::AtLeast(limit) => (">=", limit, got >= limit),
            Bound::AtMost(limit) => ("<=", limit, got <= limit),
        };
        Self {
            what: what.into(),
            got: format!("{got:.3}"),
            required: format!("{sign} {limit}"),
            ok,
            peers: String::new(),
        }
    }
}

/// Direction of a bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

/// Formats a share in percent with enough decimals to differ from 100.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.2} %", share * 100.0)
}

/// Returns the rows as a table.
pub(crate) fn table(rows: &[Row]) -> String {
    let width = |of: fn(&Row) -> &str| {
        let widths = rows.iter().map(|row| of(row).chars().count());
        widths.max().unwrap_or(0)
    };
    let (what, got, required) = (
        width(|row| &row.what),
        width(|row| &row.got),
        width(|row| &row.required),
    );
    let mut out = String::new();
    for row in rows {
        let verdict = if row.ok { "ok" } else { "BELOW" };
        let line = format!(
            "{:what$}  {:>got$}  {:required$}  {verdict:5}  {}",
            row.what, row.got, row.required, row.peers
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Bound, Row, table};

    #[test]
    fn compares_figures_with_their_bounds() {
        assert!(Row::share("a", 997, 1000, 0.997).ok);
        assert!(!Row::share("a", 996, 1000, 0.997).ok);
        assert!(!Row::share("nothing was asked", 0, 0, 0.5).ok);
        assert!(Row::none("a", 0, 10).ok && !Row::none("a", 1, 10).ok && !Row::none("a", 0, 0).ok);
        assert!(Row::bound("a", 0.5, Bound::AtMost(0.5)).ok);
        assert!(!Row::bound("a", 0.4, Bound::AtLeast(0.5)).ok);
        let rows = [
            Row::none("panics", 0, 7),
            Row::bound("time", 0.51, Bound::AtMost(0.5)),
        ];
        assert_eq!(
            table(&rows),
            "panics  0 of 7  0       ok\ntime     0.510  <= 0.5  BELOW\n"
        );
    }
}

//! Report: a line per kind, and the first failures.

use std::fmt::Write as _;

use crate::case::{Case, CaseGroup, CaseKind, ExpectedVerdict, PassagePlace};
use crate::judge::{GivenVerdict, is_right};

/// Results of one kind.
#[derive(Clone, Debug)]
struct KindResults {
    kind: &'static CaseKind,
    count: usize,
    right: usize,
    failures: Vec<String>,
}

/// Results of a run.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    tallies: Vec<KindResults>,
    /// Maximum number of failures shown per kind.
    shown: usize,
}

impl Report {
    /// Creates a report of these kinds that shows up to `shown` failures of each.
    pub(crate) fn new(kinds: impl Iterator<Item = &'static CaseKind>, shown: usize) -> Self {
        let tally = |kind| KindResults {
            kind,
            count: 0,
            right: 0,
            failures: Vec::new(),
        };
        Self {
            tallies: kinds.map(tally).collect(),
            shown,
        }
    }

    /// Adds a case of a source with its verdict.
    pub(crate) fn add(&mut self, source: &str, case: &Case, given: &GivenVerdict) {
        let Some(tally) = self
            .tallies
            .iter_mut()
            .find(|tally| tally.kind == case.kind)
        else {
            return;
        };
        tally.count += 1;
        if is_right(case, given) {
            tally.right += 1;
        } else if tally.failures.len() < self.shown {
            tally.failures.push(failure(source, case, given));
        }
    }

    /// Returns the numbers of cases and of right verdicts of some kinds.
    pub(crate) fn total_of(&self, wanted: impl Fn(&CaseKind) -> bool) -> (usize, usize) {
        let some = self.tallies.iter().filter(|tally| wanted(tally.kind));
        some.fold((0, 0), |(count, right), tally| {
            (count + tally.count, right + tally.right)
        })
    }

    /// Returns the numbers of cases and of right verdicts of a group.
    fn total(&self, group: CaseGroup) -> (usize, usize) {
        self.total_of(|kind| kind.group == group)
    }

    /// Returns true if a group reaches its required share.
    pub(crate) fn ok(&self, group: CaseGroup) -> bool {
        let (count, right) = self.total(group);
        right as f64 >= count as f64 * group.required()
    }

    /// Returns the tables and the failures.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        let mut line = |group: &str, kind: &str, count: usize, right: usize, verdict: &str| {
            let share = format!("{:.2} %", right as f64 * 100.0 / count.max(1) as f64);
            let share = if count == 0 { "-" } else { &share };
            let row = format!(
                "{group:10} {kind:26} {count:6} {:6} {share:>9}  {verdict}",
                count - right
            );
            let _ = writeln!(out, "{}", row.trim_end());
        };
        for tally in &self.tallies {
            line(
                tally.kind.group.name(),
                tally.kind.name,
                tally.count,
                tally.right,
                "",
            );
        }
        let of_group =
            |group: &CaseGroup| self.tallies.iter().any(|tally| tally.kind.group == *group);
        for group in CaseGroup::ALL.into_iter().filter(of_group) {
            let (count, right) = self.total(group);
            let ok = if self.ok(group) { "ok" } else { "BELOW" };
            let verdict = format!(">= {:.1} %  {ok}", group.required() * 100.0);
            line(group.name(), "all", count, right, &verdict);
        }
        let head = format!(
            "{:10} {:26} {:>6} {:>6} {:>9}",
            "group", "kind", "cases", "wrong", "right"
        );
        let mut out = format!("{head}\n{out}");
        for tally in self
            .tallies
            .iter()
            .filter(|tally| !tally.failures.is_empty())
        {
            let _ = writeln!(out, "\n{}:", tally.kind.name);
            for failure in &tally.failures {
                let _ = writeln!(out, "{failure}");
            }
        }
        out
    }
}

fn failure(source: &str, case: &Case, given: &GivenVerdict) -> String {
    let expected = match &case.expected {
        ExpectedVerdict::ElsewhereWithProblem(problem, places) => {
            let first = places.first().map_or_else(|| "nowhere".to_owned(), place);
            format!("found at {first}, with the problem {problem}")
        }
        ExpectedVerdict::Exactly(status, places) => {
            let first = places.first().map_or_else(|| "nowhere".to_owned(), place);
            let more = places.len().saturating_sub(1);
            let more = if more == 0 {
                String::new()
            } else {
                format!(" or {more} more")
            };
            format!("{status} at {first}{more}")
        }
        ExpectedVerdict::FoundOrPartial => "found or partial_text_found".to_owned(),
        ExpectedVerdict::NotConfirmed => "not confirmed".to_owned(),
    };
    let at = given
        .place
        .as_ref()
        .map_or_else(String::new, |given| format!(" at {}", place(given)));
    let anchor = case
        .anchor
        .as_ref()
        .map_or_else(String::new, |anchor| format!(", anchor {anchor:?}"));
    let cited = match (case.page, case.lines.as_slice()) {
        (None, _) => "no page".to_owned(),
        (Some(page), []) => format!("page {page}"),
        (Some(page), lines) => format!("page {page} lines {lines:?}"),
    };
    format!(
        "  {source}, {cited}{anchor}\n    {:?}\n    expected {expected}, got {}{at}",
        case.phrase, given.status
    )
}

fn place(place: &PassagePlace) -> String {
    format!("page {} lines {:?}", place.page, place.lines)
}

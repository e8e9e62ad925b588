//! Test case: a citation with the expected verdict.

use std::collections::HashSet;

use pincite_bench::corpus::rng::Rng;

use crate::source::Source;

/// Distance in lines between the cited and the actual beginning that still counts as the same place.
pub(crate) const LINES_NEAR: u32 = 4;

/// Position of a passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PassagePlace {
    pub(crate) page: u32,
    /// Lines of that page that the passage touches.
    pub(crate) lines: Vec<u32>,
}

impl PassagePlace {
    /// Returns true if both are the same place. Unknown lines match any.
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        self.page == other.page && (other.lines.is_empty() || self.lines == other.lines)
    }
}

/// Citation with its expected verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) kind: &'static CaseKind,
    pub(crate) phrase: String,
    pub(crate) anchor: Option<String>,
    pub(crate) page: Option<u32>,
    pub(crate) lines: Vec<u32>,
    pub(crate) expected: ExpectedVerdict,
}

/// ExpectedVerdict verdict of a citation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExpectedVerdict {
    /// This status at one of these places.
    Exactly(&'static str, Vec<PassagePlace>),
    /// Found on another page than cited, at one of these places, with a problem of this name.
    ElsewhereWithProblem(&'static str, Vec<PassagePlace>),
    /// Found at least in part.
    FoundOrPartial,
    /// Any status that does not confirm the quote.
    NotConfirmed,
}

/// CaseGroup of kinds with a required share of right verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CaseGroup {
    Honest,
    Break,
    Slip,
    Dishonest,
    Edge,
}

impl CaseGroup {
    pub(crate) const ALL: [Self; 5] = [
        Self::Honest,
        Self::Break,
        Self::Slip,
        Self::Dishonest,
        Self::Edge,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Honest => "honest",
            Self::Break => "break",
            Self::Slip => "slip",
            Self::Dishonest => "dishonest",
            Self::Edge => "edge",
        }
    }

    /// Returns the share of cases that must be right.
    pub(crate) fn required(self) -> f64 {
        match self {
            Self::Honest | Self::Edge => 0.999,
            Self::Break => 0.97,
            Self::Slip => 0.99,
            Self::Dishonest => 1.0,
        }
    }
}

/// Generator of cases.
#[derive(Debug)]
pub(crate) struct CaseKind {
    pub(crate) name: &'static str,
    pub(crate) group: CaseGroup,
    /// Number of cases to generate, if the texts allow it.
    pub(crate) count: usize,
    pub(crate) draft: fn(&mut Rng, &Source) -> Option<CaseDraft>,
}

impl PartialEq for CaseKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for CaseKind {}

/// Case before it is assigned to a kind.
#[derive(Clone, Debug)]
pub(crate) struct CaseDraft {
    pub(crate) phrase: String,
    pub(crate) anchor: Option<String>,
    pub(crate) page: Option<u32>,
    pub(crate) lines: Vec<u32>,
    pub(crate) expected: ExpectedVerdict,
}

/// Number of failed drafts after which a text is skipped for a kind.
const TRIES: usize = 400;

/// Generates cases of a kind, alternating between the sources. Returns each case with the index of
/// its source.
pub(crate) fn make(
    kind: &'static CaseKind,
    sources: &[Source],
    seed: &str,
    count: usize,
) -> Vec<(usize, Case)> {
    let mut rng = Rng::new(&format!("{seed}/{}", kind.name));
    let mut open: Vec<usize> = (0..sources.len()).collect();
    let (mut seen, mut cases) = (HashSet::new(), Vec::new());
    while !open.is_empty() && cases.len() < count {
        open.retain(|&source| {
            if cases.len() >= count {
                return true;
            }
            let fresh = |draft: &CaseDraft| seen.insert((source, draft.phrase.clone(), draft.page));
            let mut drafts = (0..TRIES).filter_map(|_| (kind.draft)(&mut rng, &sources[source]));
            let Some(draft) = drafts.by_ref().find(fresh) else {
                return false;
            };
            let CaseDraft {
                phrase,
                anchor,
                page,
                lines,
                expected,
            } = draft;
            let case = Case {
                kind,
                phrase,
                anchor,
                page,
                lines,
                expected,
            };
            cases.push((source, case));
            true
        });
    }
    cases
}

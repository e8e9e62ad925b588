//! Test case: a citation with the expected verdict.

use std::collections::HashSet;

use pincite_bench::corpus::rng::Rng;

use crate::source::Source;

/// Distance in lines between the cited and the actual beginning that still counts as the same place.
pub(crate) const LINES_NEAR: u32 = 4;

/// Place of a passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) page: u32,
    /// The lines of that page that it touches.
    pub(crate) lines: Vec<u32>,
}

impl Place {
    /// Returns true if this is another place, of which the lines may be unknown.
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        self.page == other.page && (other.lines.is_empty() || self.lines == other.lines)
    }
}

/// A citation with its right verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) kind: &'static Kind,
    pub(crate) phrase: String,
    pub(crate) anchor: Option<String>,
    pub(crate) page: Option<u32>,
    pub(crate) lines: Vec<u32>,
    pub(crate) expected: Expected,
}

/// Expected verdict of a citation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// This status, at one of these places.
    Exactly(&'static str, Vec<Place>),
    /// Found at one of these places, and a problem of this name reported.
    FoundWithProblem(&'static str, Vec<Place>),
    /// It is there, at least in part.
    FoundOrPartial,
    /// Any status that does not confirm the quote.
    NotConfirmed,
}

/// Group of kinds with the required share of right verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    Honest,
    Break,
    Slip,
    Dishonest,
    Edge,
}

impl Group {
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

    /// The share of its cases that must be right.
    pub(crate) fn required(self) -> f64 {
        match self {
            Self::Honest | Self::Edge => 0.999,
            Self::Break => 0.97,
            Self::Slip => 0.99,
            Self::Dishonest => 1.0,
        }
    }
}

/// A way to make cases.
#[derive(Debug)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) group: Group,
    /// Number of are made, if the texts allow it.
    pub(crate) count: usize,
    pub(crate) draft: fn(&mut Rng, &Source) -> Option<Draft>,
}

impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Kind {}

/// A case before it has its kind.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) phrase: String,
    pub(crate) anchor: Option<String>,
    pub(crate) page: Option<u32>,
    pub(crate) lines: Vec<u32>,
    pub(crate) expected: Expected,
}

/// Drafts that may fail before a text is given up for a kind.
const TRIES: usize = 400;

/// Makes so many cases of a kind, taking turns among the sources; beside each is the source's number.
pub(crate) fn make(
    kind: &'static Kind,
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
            let fresh = |draft: &Draft| seen.insert((source, draft.phrase.clone(), draft.page));
            let mut drafts = (0..TRIES).filter_map(|_| (kind.draft)(&mut rng, &sources[source]));
            let Some(draft) = drafts.by_ref().find(fresh) else {
                return false;
            };
            let Draft {
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

//! Numbers of markers and entries.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::{CitationForm, Marker, MarkerTarget, ParsedCitation};
use crate::problem::{Problem, ProblemReason};

/// Most different markers that are tracked.
const MAX_MARKERS: usize = 1 << 20;

/// Numbers that entries have and that markers use.
#[derive(Debug, Default)]
pub(crate) struct EntryNumbers {
    /// Offset of the first marker with a number; `None` once an entry has that number.
    numbers: HashMap<u64, Option<usize>>,
    /// Number of markers without an entry.
    open: usize,
    footnotes: HashMap<String, Option<usize>>,
    overflow: Option<usize>,
}

impl EntryNumbers {
    fn is_full(&self) -> bool {
        self.open + self.footnotes.len() >= MAX_MARKERS
    }

    pub(crate) fn cited(&mut self, found: &ParsedCitation) {
        if matches!(found.form, CitationForm::Block | CitationForm::Structured)
            && let Some(number) = found.citation.marker()
        {
            let used = self.numbers.insert(number, None).flatten();
            self.open -= usize::from(used.is_some());
        }
    }

    pub(crate) fn used(&mut self, marker: &Marker) {
        let offset = marker.range.start;
        if self.is_full() {
            self.overflow.get_or_insert(offset);
            return;
        }
        match &marker.reference {
            MarkerTarget::Number(number) | MarkerTarget::Link { number, .. } => {
                if let Entry::Vacant(place) = self.numbers.entry(*number) {
                    place.insert(Some(offset));
                    self.open += 1;
                }
            }
            MarkerTarget::Footnote { label } => {
                self.footnotes.entry(label.clone()).or_insert(Some(offset));
            }
        }
    }

    pub(crate) fn footnote_defined(&mut self, label: &str) {
        if !self.is_full() {
            self.footnotes.insert(label.to_owned(), None);
        }
    }

    /// Returns problems for the markers that no entry has, at the end of the input.
    pub(crate) fn unresolved(&mut self) -> Vec<Problem> {
        let footnotes = self.footnotes.drain().filter_map(|(_, offset)| offset);
        let numbers = self.numbers.drain().filter_map(|(_, offset)| offset);
        let problem = |offset| Problem {
            offset,
            reason: ProblemReason::MarkerWithoutEntry,
        };
        let mut problems: Vec<Problem> = numbers.chain(footnotes).map(problem).collect();
        self.open = 0;
        problems.sort_unstable_by_key(|problem| problem.offset);
        let overflow = self.overflow.take();
        problems.extend(overflow.map(|offset| Problem {
            offset,
            reason: ProblemReason::TooManyMarkers,
        }));
        problems
    }
}

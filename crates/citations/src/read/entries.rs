//! Which markers have an entry.

use hashbrown::{HashMap, HashSet};

use super::{Form, Found, Marker, Reference};
use crate::problem::{Problem, Reason};

/// More different markers than this are not followed.
const MOST_MARKERS: usize = 1 << 20;

/// The numbers that entries have and markers use.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    numbers: HashSet<u64>,
    open: HashMap<u64, usize>,
    footnotes: HashMap<String, Option<usize>>,
    overflow: Option<usize>,
}

impl Entries {
    fn is_full(&self) -> bool {
        self.open.len() + self.footnotes.len() >= MOST_MARKERS
    }

    pub(crate) fn cited(&mut self, found: &Found) {
        if matches!(found.form, Form::Block | Form::Structured)
            && let Some(number) = found.citation.marker()
        {
            self.open.remove(&number);
            self.numbers.insert(number);
        }
    }

    pub(crate) fn used(&mut self, marker: &Marker) {
        let offset = marker.range.start;
        if self.is_full() {
            self.overflow.get_or_insert(offset);
            return;
        }
        match &marker.reference {
            Reference::Number(number) | Reference::Link { number, .. } => {
                if !self.numbers.contains(number) {
                    self.open.entry(*number).or_insert(offset);
                }
            }
            Reference::Footnote { label } => {
                self.footnotes.entry(label.clone()).or_insert(Some(offset));
            }
        }
    }

    pub(crate) fn footnote_defined(&mut self, label: &str) {
        if !self.is_full() {
            self.footnotes.insert(label.to_owned(), None);
        }
    }

    /// The markers that no entry has, once the input has ended.
    pub(crate) fn unresolved(&mut self) -> Vec<Problem> {
        let footnotes = self.footnotes.drain().filter_map(|(_, offset)| offset);
        let open = self.open.drain().map(|(_, offset)| offset).chain(footnotes);
        let problem = |offset| Problem {
            offset,
            reason: Reason::MarkerWithoutEntry,
        };
        let mut problems: Vec<Problem> = open.map(problem).collect();
        problems.sort_unstable_by_key(|problem| problem.offset);
        let overflow = self.overflow.take();
        problems.extend(overflow.map(|offset| Problem {
            offset,
            reason: Reason::TooManyMarkers,
        }));
        problems
    }
}

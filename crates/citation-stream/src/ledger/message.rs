//! Messages of the ledger.

use std::sync::Arc;

use citations::CitationKey;
use hashbrown::{HashMap, HashSet};
use json::{Json, Number};

use super::entry::LedgerEntry;
use super::is_safe_name;
use crate::summary::{CitationSummary, MessageProgress};

/// A message of the thread.
#[derive(Debug, Clone)]
pub struct LedgerMessage {
    /// Message id.
    pub id: Arc<str>,
    /// Citations in the order of their appearance.
    pub(crate) cited: Vec<CitationPlacement>,
    /// Positions in `cited` by ledger entry.
    positions: HashMap<usize, usize>,
    /// Markers and the keys that they stand for.
    pub(crate) markers: Vec<(String, CitationKey)>,
    /// Positions in `markers`.
    marker_positions: HashMap<String, usize>,
    /// Markers that come from the numbers of a source list and are not in the text.
    list_markers: HashSet<String>,
    /// Number of citations that wait for a result.
    pub(crate) open: usize,
    /// True if the message has, or once had, a source list.
    pub(crate) listed: bool,
    /// Counts of the citations by category.
    pub summary: CitationSummary,
    /// Progress of the message.
    pub progress: MessageProgress,
    /// Description of an error.
    pub error: Option<String>,
    /// Outcome of the answer in the form of the state, if the agent stated one.
    pub outcome: Option<Json>,
}

/// A citation at its position in a message.
#[derive(Debug, Clone)]
pub(crate) struct CitationPlacement {
    /// Index of the ledger entry.
    pub(crate) entry: usize,
    /// The citation in the form of the state, with the number that it has in this message.
    pub(crate) json: Json,
    /// That number.
    pub(crate) number: Option<Number>,
}

impl LedgerMessage {
    pub(super) fn new(id: Arc<str>) -> Self {
        Self {
            id,
            cited: Vec::new(),
            positions: HashMap::new(),
            markers: Vec::new(),
            marker_positions: HashMap::new(),
            list_markers: HashSet::new(),
            open: 0,
            listed: false,
            summary: CitationSummary::default(),
            progress: MessageProgress::Streaming,
            error: None,
            outcome: None,
        }
    }

    /// Returns true if the id can be a member name of the state.
    pub(crate) fn is_writable(&self) -> bool {
        is_safe_name(&self.id)
    }

    /// Returns the position of an entry among the citations.
    pub(crate) fn position_of(&self, entry: usize) -> Option<usize> {
        self.positions.get(&entry).copied()
    }

    /// Adds a citation and returns true, unless the message has it already.
    pub(super) fn add(&mut self, cited: CitationPlacement, entry: &LedgerEntry) -> bool {
        if self.positions.contains_key(&cited.entry) {
            return false;
        }
        self.positions.insert(cited.entry, self.cited.len());
        self.cited.push(cited);
        self.summary.add(entry.category());
        self.open += usize::from(entry.is_open());
        self.listed = true;
        true
    }

    /// Returns true if a source list may define the marker, because the text does not.
    pub(crate) fn is_free(&self, marker: &str) -> bool {
        !self.marker_positions.contains_key(marker) || self.list_markers.contains(marker)
    }

    /// Notes that a marker is only a number of a source list.
    pub(crate) fn mark_as_list_number(&mut self, marker: &str) {
        self.list_markers.insert(marker.to_owned());
    }

    /// Sets the key of a marker. Returns true if that is a change.
    pub(crate) fn set_marker(&mut self, marker: String, key: CitationKey) -> bool {
        if !self.list_markers.is_empty() {
            self.list_markers.remove(&marker);
        }
        match self.marker_positions.get(&marker) {
            Some(&at) => std::mem::replace(&mut self.markers[at].1, key) != key,
            None => {
                self.marker_positions
                    .insert(marker.clone(), self.markers.len());
                self.markers.push((marker, key));
                true
            }
        }
    }

    /// Takes over markers, progress and error of a message with the same text.
    pub(super) fn copy_details(&mut self, source: LedgerMessage) {
        for (marker, key) in source.markers {
            self.set_marker(marker, key);
        }
        self.list_markers = source.list_markers;
        self.progress = source.progress;
        self.error = source.error;
        self.outcome = source.outcome;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lets_the_text_redefine_numbers_of_a_list() {
        let mut message = LedgerMessage::new(Arc::from("m"));
        let key = |hex: &str| CitationKey::from_hex(hex).expect("16 hex digits");
        let (first, second) = (key("b4ba9bdb57544aa1"), key("b4ba9bdb57544aa2"));
        assert!(message.is_free("1"));
        assert!(message.set_marker("1".to_owned(), first));
        assert!(!message.is_free("1"));
        message.mark_as_list_number("1");
        assert!(message.is_free("1"));
        assert!(message.set_marker("1".to_owned(), second));
        assert!(!message.is_free("1"));
        assert!(!message.set_marker("1".to_owned(), second));
        assert_eq!(message.markers, [("1".to_owned(), second)]);
    }
}

//! Answers that were parsed as a whole.

use hashbrown::HashMap;
use json::Value;
use smallvec::SmallVec;

use crate::key::CitationKey;
use crate::parser::{
    CitationForm, CitationParser, Marker, MarkerTarget, ParseEvent, ParsedCitation,
};
use crate::problem::Problem;

/// Most citations for which memory is reserved in advance.
const MAX_RESERVED: usize = 1024;

/// Parsed answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedAnswer {
    /// Text to show: the answer without data blocks and tags. Markers stay in it.
    pub visible: String,
    /// Citations in the order in which they were complete.
    pub citations: Vec<CitedPassage>,
    /// Markers in the order of the text.
    pub markers: Vec<Marker>,
    /// Parts that could not be used as written.
    pub problems: Vec<Problem>,
}

/// Citation with the markers that refer to it.
#[derive(Debug, Clone, PartialEq)]
pub struct CitedPassage {
    /// Citation.
    pub found: ParsedCitation,
    /// Indices of its markers in [`ParsedAnswer::markers`].
    pub markers: SmallVec<[usize; 2]>,
}

impl ParsedAnswer {
    /// Parses an answer.
    pub fn of(answer: &str) -> Self {
        Self::of_deltas([answer])
    }

    /// Parses an answer that was received in pieces.
    pub fn of_deltas<'a>(deltas: impl IntoIterator<Item = &'a str>) -> Self {
        Self::with(CitationParser::new(), deltas)
    }

    /// Parses an answer that is a JSON value.
    pub fn of_value(value: &Value) -> Self {
        Self::with(CitationParser::structured(), [value.to_json().as_str()])
    }

    fn with<'a>(mut parser: CitationParser, deltas: impl IntoIterator<Item = &'a str>) -> Self {
        let mut answer = Self::default();
        for delta in deltas {
            parser.feed(delta, &mut |event| answer.add(event));
        }
        parser.finish(&mut |event| answer.add(event));
        answer.resolve();
        answer
    }

    /// Adds an event of a [`CitationParser`]. Call [`ParsedAnswer::resolve`] after the last one.
    pub fn add(&mut self, event: ParseEvent<'_>) {
        match event {
            ParseEvent::Text { text, .. } => self.visible.push_str(text),
            ParseEvent::Marker(marker) => self.markers.push(marker),
            ParseEvent::Citation(found) => {
                if self.citations.is_empty() {
                    // Entries follow the text, and there are about as many as markers.
                    self.citations.reserve(self.markers.len().min(MAX_RESERVED));
                }
                self.citations.push(CitedPassage {
                    found: *found,
                    markers: SmallVec::new(),
                });
            }
            ParseEvent::Problem(problem) => self.problems.push(problem),
        }
    }

    /// Assigns markers to citations. Of two entries with the same number the last one counts.
    pub fn resolve(&mut self) {
        let mut numbers: HashMap<u64, usize> = HashMap::with_capacity(self.citations.len());
        let mut footnotes: HashMap<String, usize> = HashMap::new();
        for (index, cited) in self.citations.iter_mut().enumerate() {
            cited.markers.clear();
            let number = cited.found.citation.marker();
            match cited.found.form {
                CitationForm::Block | CitationForm::Structured => {
                    numbers.extend(number.map(|number| (number, index)));
                }
                CitationForm::Footnote => {
                    footnotes.extend(cited.found.label.clone().map(|label| (label, index)));
                }
                CitationForm::Tag | CitationForm::Quote => {}
            }
        }
        for (index, marker) in self.markers.iter().enumerate() {
            let cited = match &marker.reference {
                MarkerTarget::Number(number) | MarkerTarget::Link { number, .. } => {
                    numbers.get(number)
                }
                MarkerTarget::Footnote { label } => footnotes.get(label),
            };
            if let Some(cited) = cited.and_then(|cited| self.citations.get_mut(*cited)) {
                cited.markers.push(index);
            }
        }
    }

    /// Returns the citation that markers with this number refer to.
    pub fn by_number(&self, number: u64) -> Option<&ParsedCitation> {
        let own = |cited: &&CitedPassage| {
            matches!(
                cited.found.form,
                CitationForm::Block | CitationForm::Structured
            ) && cited.found.citation.marker() == Some(number)
        };
        self.citations
            .iter()
            .rev()
            .find(own)
            .map(|cited| &cited.found)
    }

    /// Returns the citations with a key: several if they name different documents or numbers.
    pub fn by_key(&self, key: CitationKey) -> impl Iterator<Item = &ParsedCitation> {
        self.citations
            .iter()
            .map(|cited| &cited.found)
            .filter(move |found| found.key == key)
    }

    /// Returns the citations of each document, in the order of their first citations. Web pages are under "".
    pub fn by_attachment(&self) -> Vec<(&str, Vec<&ParsedCitation>)> {
        let mut groups: Vec<(&str, Vec<&ParsedCitation>)> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for cited in &self.citations {
            let web = cited.found.citation.kind == crate::SourceKind::Url;
            let attachment = cited
                .found
                .citation
                .attachment_id
                .as_deref()
                .filter(|_| !web);
            let attachment = attachment.unwrap_or_default();
            let place = *places.entry(attachment).or_insert_with(|| {
                groups.push((attachment, Vec::new()));
                groups.len() - 1
            });
            groups[place].1.push(&cited.found);
        }
        groups
    }

    /// Returns the visible text without markers. Links leave their labels.
    pub fn stripped(&self) -> String {
        let mut out = String::with_capacity(self.visible.len());
        let mut kept = 0;
        for marker in &self.markers {
            let start = marker.visible;
            let end = start + marker.range.len();
            if start < kept {
                continue;
            }
            out.push_str(self.visible.get(kept..start).unwrap_or_default());
            if let MarkerTarget::Link { label, .. } = &marker.reference {
                let label = start + 1..start + 1 + label.len();
                out.push_str(self.visible.get(label).unwrap_or_default());
            }
            kept = end;
        }
        out.push_str(self.visible.get(kept..).unwrap_or_default());
        out
    }
}

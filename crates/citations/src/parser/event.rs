//! Events of the parser.

use std::ops::Range;

use crate::citation::Citation;
use crate::key::CitationKey;
use crate::problem::Problem;

/// Event of the parser.
#[derive(Debug)]
pub enum ParseEvent<'a> {
    /// Text to show: the input without data blocks and tags.
    Text {
        /// Next piece of the text.
        text: &'a str,
        /// Offset of the piece in the input.
        offset: usize,
    },
    /// A marker in the text. It is part of the text, too.
    Marker(Marker),
    /// A citation is complete.
    Citation(Box<ParsedCitation>),
    /// A part of the input could not be used as written.
    Problem(Problem),
}

/// Form in which a citation was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CitationForm {
    /// An entry of a data block.
    Block,
    /// A `<cite …/>` tag.
    Tag,
    /// An object of an answer that is JSON.
    Structured,
    /// A footnote with a quote.
    Footnote,
    /// A block quote with its source.
    Quote,
}

/// Citation in the input.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedCitation {
    /// The citation.
    pub citation: Citation,
    /// Key of the citation.
    pub key: CitationKey,
    /// Form in which it was written.
    pub form: CitationForm,
    /// Range of bytes in the input.
    pub range: Range<usize>,
    /// Index from 0 in the list of documents that the model was given, as in the blocks of Anthropic's API.
    pub document_index: Option<u64>,
    /// Label of a footnote.
    pub label: Option<String>,
}

impl ParsedCitation {
    pub(super) fn new(citation: Citation, form: CitationForm, range: Range<usize>) -> Self {
        let key = citation.key();
        Self {
            citation,
            key,
            ..Self::empty(form, range)
        }
    }

    /// Returns a value whose citation will be filled in.
    pub(super) fn empty(form: CitationForm, range: Range<usize>) -> Self {
        Self {
            citation: Citation::default(),
            key: CitationKey::default(),
            form,
            range,
            document_index: None,
            label: None,
        }
    }
}

/// Part of the text that refers to a citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// Citation that it refers to.
    pub reference: MarkerTarget,
    /// Range of bytes in the input.
    pub range: Range<usize>,
    /// Offset of its start in the text to show.
    pub visible: usize,
}

/// Reference of a marker to a citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarkerTarget {
    /// `[N]`
    Number(u64),
    /// `[label](cite:N)` or `[label](cite:N 'source match')`
    Link {
        /// Number of the entry.
        number: u64,
        /// Range of the label in the input.
        label: Range<usize>,
        /// Words of the source, if they were given.
        source_match: Option<String>,
    },
    /// `[^label]`
    Footnote {
        /// Label of the footnote.
        label: String,
    },
}

impl Marker {
    /// Returns the number of the entry; footnotes have labels instead.
    pub fn number(&self) -> Option<u64> {
        match self.reference {
            MarkerTarget::Number(number) | MarkerTarget::Link { number, .. } => Some(number),
            MarkerTarget::Footnote { .. } => None,
        }
    }
}

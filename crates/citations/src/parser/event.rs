//! What a reader reports.

use std::ops::Range;

use crate::citation::Citation;
use crate::key::CitationKey;
use crate::problem::Problem;

/// Something in the input.
#[derive(Debug)]
pub enum ParseEvent<'a> {
    /// Text to show: the input without data blocks and tags.
    Text {
        /// The next piece of it.
        text: &'a str,
        /// Where the piece stands in the input.
        offset: usize,
    },
    /// A marker in the text. It stays in the text.
    Marker(Marker),
    /// A citation is complete.
    Citation(Box<ParsedCitation>),
    /// Something could not be used as it stood.
    Problem(Problem),
}

/// The form a citation was written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CitationForm {
    /// An entry of a data block.
    Block,
    /// A `<cite …/>` tag.
    Tag,
    /// An object of an answer that is JSON.
    Structured,
    /// A footnote that quotes.
    Footnote,
    /// A quoted block with its source.
    Quote,
}

/// A citation in the input.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedCitation {
    /// What it says.
    pub citation: Citation,
    /// Its key on the wire.
    pub key: CitationKey,
    /// The form it was written in.
    pub form: CitationForm,
    /// Where it stands in the input.
    pub range: Range<usize>,
    /// Which of the documents given to the model it is from, counted from 0, where it says so.
    pub document_index: Option<u64>,
    /// The label of a footnote.
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

    /// One that is yet to be filled in.
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

/// A place in the text that refers to a citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// What it refers to.
    pub reference: MarkerTarget,
    /// Where it stands in the input.
    pub range: Range<usize>,
    /// Where it begins in the text to show.
    pub visible: usize,
}

/// What a marker refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarkerTarget {
    /// `[N]`
    Number(u64),
    /// `[label](cite:N)` or `[label](cite:N 'source match')`
    Link {
        /// The number of the entry.
        number: u64,
        /// Where the label stands in the input.
        label: Range<usize>,
        /// The words of the source, if they were given.
        source_match: Option<String>,
    },
    /// `[^label]`
    Footnote {
        /// The label of the footnote.
        label: String,
    },
}

impl Marker {
    /// The number of the entry; footnotes have labels instead.
    pub fn number(&self) -> Option<u64> {
        match self.reference {
            MarkerTarget::Number(number) | MarkerTarget::Link { number, .. } => Some(number),
            MarkerTarget::Footnote { .. } => None,
        }
    }
}

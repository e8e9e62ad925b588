//! Chunks that a search may return, decided before anything is ranked.

use std::sync::Arc;

use tantivy::columnar::ColumnValues;
use tantivy::index::InvertedIndexReader;
use tantivy::postings::Postings;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, SegmentReader, TERMINATED, Term};

use super::schema::{CONTENT, CONTEXT_LENGTH, CREATED, IndexFields, KEY, LENGTH};
use super::{IndexError, SearchFilter};

/// Segment of the index with the chunks that a search may see.
pub(super) struct SegmentScope {
    pub(super) words: Arc<InvertedIndexReader>,
    pub(super) terms: Arc<InvertedIndexReader>,
    pub(super) context: Arc<InvertedIndexReader>,
    /// Chunks of the owner; the statistics of the ranking are theirs.
    pub(super) owned: Vec<bool>,
    /// Chunks that may be returned.
    pub(super) allowed: Vec<bool>,
    pub(super) lengths: Arc<dyn ColumnValues<u64>>,
    pub(super) context_lengths: Arc<dyn ColumnValues<u64>>,
    pub(super) keys: Arc<dyn ColumnValues<u64>>,
    /// Keys of the texts that are embedded.
    pub(super) contents: Arc<dyn ColumnValues<u64>>,
}

impl SegmentScope {
    /// Applies a filter to a segment.
    pub(super) fn new(
        reader: &SegmentReader,
        fields: &IndexFields,
        filter: &SearchFilter,
    ) -> Result<Self, IndexError> {
        let mut owned = marked(reader, fields.owner, std::slice::from_ref(&filter.owner))?;
        if let Some(alive) = reader.alive_bitset() {
            for (doc, owned) in (0..).zip(&mut owned) {
                *owned &= alive.is_alive(doc);
            }
        }
        let mut allowed = owned.clone();
        let mut restrict = |field, names: Option<&[String]>| -> Result<(), IndexError> {
            if let Some(names) = names {
                let marks = marked(reader, field, names)?;
                allowed
                    .iter_mut()
                    .zip(marks)
                    .for_each(|(allowed, mark)| *allowed &= mark);
            }
            Ok(())
        };
        let documents: Option<Vec<String>> = filter
            .documents
            .as_ref()
            .map(|ids| ids.iter().map(ToString::to_string).collect());
        restrict(fields.document, documents.as_deref())?;
        restrict(fields.language, filter.languages.as_deref())?;
        for label in &filter.labels {
            restrict(fields.label, Some(std::slice::from_ref(label)))?;
        }
        let columns = reader.fast_fields();
        let column =
            |name| -> Result<_, IndexError> { Ok(columns.u64(name)?.first_or_default_col(0)) };
        if filter.created.is_some() {
            let created = columns.i64(CREATED)?.first_or_default_col(0);
            let range = filter.created.clone().unwrap_or(i64::MIN..i64::MAX);
            for (doc, allowed) in (0..).zip(&mut allowed) {
                *allowed = *allowed && range.contains(&created.get_val(doc));
            }
        }
        Ok(Self {
            words: reader.inverted_index(fields.words)?,
            terms: reader.inverted_index(fields.terms)?,
            context: reader.inverted_index(fields.context)?,
            lengths: column(LENGTH)?,
            context_lengths: column(CONTEXT_LENGTH)?,
            keys: column(KEY)?,
            contents: column(CONTENT)?,
            owned,
            allowed,
        })
    }

    /// Returns the number of the owner's chunks, and the sums of their lengths and of those of their headings.
    pub(super) fn totals(&self) -> (u64, u64, u64) {
        let owned = (0..).zip(&self.owned).filter(|(_, owned)| **owned);
        owned.fold((0, 0, 0), |(count, words, context), (doc, _)| {
            (
                count + 1,
                words + self.lengths.get_val(doc),
                context + self.context_lengths.get_val(doc),
            )
        })
    }
}

/// Returns for each chunk of a segment if a field has one of these values.
pub(super) fn marked(
    reader: &SegmentReader,
    field: Field,
    values: &[String],
) -> Result<Vec<bool>, IndexError> {
    let mut marks = vec![false; reader.max_doc() as usize];
    let index = reader.inverted_index(field)?;
    for value in values {
        let term = Term::from_field_text(field, value);
        let Some(mut postings) = index.read_postings(&term, IndexRecordOption::Basic)? else {
            continue;
        };
        each_posting(&mut postings, |doc, _| {
            if let Some(mark) = marks.get_mut(doc as usize) {
                *mark = true;
            }
        });
    }
    Ok(marks)
}

/// Calls a function with every chunk of a posting list and the number of occurrences.
pub(super) fn each_posting(postings: &mut impl Postings, mut with: impl FnMut(DocId, u32)) {
    let mut doc = postings.doc();
    while doc != TERMINATED {
        with(doc, postings.term_freq());
        doc = postings.advance();
    }
}

//! Occurrences of terms and phrases in the chunks of the owner.

use tantivy::postings::Postings;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, TERMINATED, Term};

use super::IndexError;
use super::schema::IndexFields;
use super::scope::{SegmentScope, each_posting};
use crate::analysis::SearchToken;

/// Field in which a term is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum TermField {
    Words,
    Terms,
    Context,
}

/// Chunks with the number of occurrences, ascending, one list for each segment.
pub(super) type Occurrences = Vec<Vec<(DocId, u32)>>;

/// Returns the number of chunks.
pub(super) fn count(occurrences: &Occurrences) -> usize {
    occurrences.iter().map(Vec::len).sum()
}

/// Returns the chunks of the owner that contain any of the terms. A chunk that contains several has the largest of
/// their numbers of occurrences.
pub(super) fn find_any(
    scopes: &[SegmentScope],
    fields: &IndexFields,
    terms: &[(TermField, String)],
) -> Result<Occurrences, IndexError> {
    let of_segment = |scope| find_in_segment(scope, fields, terms);
    scopes.iter().map(of_segment).collect()
}

fn find_in_segment(
    scope: &SegmentScope,
    fields: &IndexFields,
    terms: &[(TermField, String)],
) -> Result<Vec<(DocId, u32)>, IndexError> {
    let mut merged: Vec<(DocId, u32)> = Vec::new();
    for (field, text) in terms {
        let (index, field) = match field {
            TermField::Words => (&scope.words, fields.words),
            TermField::Terms => (&scope.terms, fields.terms),
            TermField::Context => (&scope.context, fields.context),
        };
        let term = Term::from_field_text(field, text);
        let Some(mut postings) = index.read_postings(&term, IndexRecordOption::WithFreqs)? else {
            continue;
        };
        let mut found = Vec::new();
        each_posting(&mut postings, |doc, frequency| {
            if scope.owned[doc as usize] {
                found.push((doc, frequency));
            }
        });
        merged = merge(merged, found, u32::max);
    }
    Ok(merged)
}

/// Merges two ascending lists.
pub(super) fn merge<T: Copy>(
    left: Vec<(DocId, T)>,
    right: Vec<(DocId, T)>,
    join: impl Fn(T, T) -> T,
) -> Vec<(DocId, T)> {
    if left.is_empty() {
        return right;
    }
    if right.is_empty() {
        return left;
    }
    let mut merged = Vec::with_capacity(left.len().max(right.len()));
    let mut right = right.into_iter().peekable();
    for (doc, value) in left {
        while let Some(before) = right.next_if(|(other, _)| *other < doc) {
            merged.push(before);
        }
        match right.next_if(|(other, _)| *other == doc) {
            Some((_, other)) => merged.push((doc, join(value, other))),
            None => merged.push((doc, value)),
        }
    }
    merged.extend(right);
    merged
}

/// Returns the chunks of the owner that contain the words one after another.
pub(super) fn find_phrase(
    scopes: &[SegmentScope],
    fields: &IndexFields,
    phrase: &[SearchToken],
) -> Result<Occurrences, IndexError> {
    let of_segment = |scope| phrase_in_segment(scope, fields, phrase);
    scopes.iter().map(of_segment).collect()
}

fn phrase_in_segment(
    scope: &SegmentScope,
    fields: &IndexFields,
    phrase: &[SearchToken],
) -> Result<Vec<(DocId, u32)>, IndexError> {
    let mut lists = Vec::new();
    for token in phrase {
        let term = Term::from_field_text(fields.words, &token.folded);
        let option = IndexRecordOption::WithFreqsAndPositions;
        match scope.words.read_postings(&term, option)? {
            Some(postings) => lists.push((token.position, postings)),
            None => return Ok(Vec::new()),
        }
    }
    let Some(((first, leader), others)) = lists.split_first_mut() else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    let (mut starts, mut next) = (Vec::new(), Vec::new());
    let mut doc = leader.doc();
    while doc != TERMINATED {
        let in_all = scope.owned[doc as usize]
            && others
                .iter_mut()
                .all(|(_, list)| list.doc() == doc || (list.doc() < doc && list.seek(doc) == doc));
        if in_all {
            leader.positions(&mut starts);
            for (position, list) in others.iter_mut() {
                let distance = *position - *first;
                list.positions(&mut next);
                starts.retain(|start| next.binary_search(&(start + distance)).is_ok());
            }
            if !starts.is_empty() {
                found.push((doc, u32::try_from(starts.len()).unwrap_or(u32::MAX)));
            }
        }
        doc = leader.advance();
    }
    Ok(found)
}

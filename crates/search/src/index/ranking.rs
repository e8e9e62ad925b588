//! BM25.

use tantivy::DocId;

use super::postings::{Occurrences, count};
use super::scope::SegmentScope;

/// Saturation of the number of occurrences. Chosen on whole documents of Cranfield and XQuAD: 1.5 gains .006 on the
/// English ones and loses .003 on the German ones.
const K1: f32 = 1.2;
/// Influence of the length of a chunk.
const B: f32 = 0.75;

/// Scores of chunks, ascending by chunk, one list for each segment.
pub(super) type Scores = Vec<Vec<(DocId, f32)>>;

/// Statistics of the chunks of the owner.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OwnerStatistics {
    /// Number of chunks.
    pub(super) chunks: u64,
    mean_length: f32,
    mean_context: f32,
}

impl OwnerStatistics {
    pub(super) fn new(scopes: &[SegmentScope]) -> Self {
        let totals = scopes.iter().map(SegmentScope::totals);
        let (chunks, words, context) = totals.fold((0, 0, 0), |sum, add| {
            (sum.0 + add.0, sum.1 + add.1, sum.2 + add.2)
        });
        let mean = |sum: u64| sum as f32 / chunks.max(1) as f32;
        Self {
            chunks,
            mean_length: mean(words).max(1.0),
            mean_context: mean(context).max(1.0),
        }
    }

    /// Returns the weight of a term that is in so many chunks.
    pub(super) fn idf(&self, chunks: usize) -> f32 {
        let (all, with) = (self.chunks as f32, chunks as f32);
        (1.0 + (all - with + 0.5).max(0.0) / (with + 0.5)).ln()
    }

    /// Returns the scores of a term in the text of chunks.
    pub(super) fn text_scores(
        &self,
        scopes: &[SegmentScope],
        found: &Occurrences,
        weight: f32,
    ) -> Scores {
        let weight = weight * self.idf(count(found));
        score(scopes, found, weight, |scope, doc| {
            scope.lengths.get_val(doc) as f32 / self.mean_length
        })
    }

    /// Returns the scores of a term in title and headings of chunks.
    pub(super) fn context_scores(
        &self,
        scopes: &[SegmentScope],
        found: &Occurrences,
        weight: f32,
    ) -> Scores {
        let weight = weight * self.idf(count(found));
        score(scopes, found, weight, |scope, doc| {
            scope.context_lengths.get_val(doc) as f32 / self.mean_context
        })
    }
}

fn score(
    scopes: &[SegmentScope],
    found: &Occurrences,
    weight: f32,
    relative_length: impl Fn(&SegmentScope, DocId) -> f32,
) -> Scores {
    let of_segment = |(scope, found): (&SegmentScope, &Vec<(DocId, u32)>)| {
        let of_chunk = |(doc, frequency): &(DocId, u32)| {
            let frequency = *frequency as f32;
            let length = relative_length(scope, *doc);
            let norm = K1 * (1.0 - B + B * length);
            (*doc, weight * frequency * (K1 + 1.0) / (frequency + norm))
        };
        found.iter().map(of_chunk).collect()
    };
    scopes.iter().zip(found).map(of_segment).collect()
}

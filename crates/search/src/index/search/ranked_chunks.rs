//! Ranked lists of a search, and their fusion.

use std::collections::{HashMap, HashSet};

use tantivy::DocAddress;

use super::super::scope::SegmentScope;
use super::term_matches::TermMatch;
use crate::fusion::{FusionMethod, RankedList, fuse};
use crate::vectors::VectorComparison;

/// Number of chunks of the full-text list that are fused. It grows if more hits are asked for.
const TEXT_DEPTH: usize = 1_000;
/// Number of chunks of the vector list that are fused.
const VECTOR_DEPTH: usize = 1_000;
/// Cosine below which a chunk has nothing to do with the query. Unrelated English sentences have up to 0.23.
const MIN_COSINE: f32 = 0.25;
/// Weight of the list of connected documents.
const CONNECTED_WEIGHT: f32 = 0.3;
/// Share of a connection for a document that shares no word with the query.
const UNMATCHED_SHARE: f32 = 0.25;
/// Method of fusion; see `bench/README.md`.
const METHOD: FusionMethod = FusionMethod::NormalisedScore;

/// Name of a ranked list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankedListName {
    /// Full text.
    Text,
    /// Vectors.
    Vector,
    /// Documents that are connected in the ontology.
    Connected,
}

impl RankedListName {
    /// Returns the name that clients read.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Vector => "vector",
            Self::Connected => "connected",
        }
    }
}

/// Rank of a hit in one of the lists.
#[derive(Debug, Clone, PartialEq)]
pub struct ListRank {
    /// Name of the list.
    pub list: RankedListName,
    /// Rank in the list, from 1.
    pub rank: usize,
    /// Score in the list.
    pub score: f32,
    /// Weight of the list.
    pub weight: f32,
    /// Contribution to the score of the hit.
    pub contribution: f32,
}

/// Hit of a page.
pub(super) struct RankedChunk {
    pub(super) address: DocAddress,
    pub(super) score: f32,
    pub(super) ranks: Vec<ListRank>,
}

/// Chunk with its score. Equal scores are in the order of the keys, which is the same in every index.
type ScoredChunk = (f32, u64, DocAddress);

/// Chunks of a document that is connected to what is searched for.
pub(super) struct ConnectedChunks {
    pub(super) chunks: Vec<DocAddress>,
    /// Strength of the connection.
    pub(super) strength: f32,
}

/// Ranked lists of a search.
pub(super) struct RankedChunks {
    /// Matches by full text, in any order.
    text: Vec<ScoredChunk>,
    /// Weight of full text; 0 leaves it out.
    text_weight: f32,
    others: Vec<(RankedListName, RankedList<DocAddress>)>,
}

impl RankedChunks {
    /// Ranks the allowed chunks that match terms.
    pub(super) fn by_text(
        scopes: &[SegmentScope],
        allowed: &[Vec<bool>],
        terms: &[TermMatch],
    ) -> Self {
        let mut text: Vec<ScoredChunk> = Vec::new();
        for (segment, (scope, allowed)) in (0..).zip(scopes.iter().zip(allowed)) {
            let mut scores = vec![0.0_f32; allowed.len()];
            for (doc, score) in terms.iter().flat_map(|term| &term.scores[segment as usize]) {
                scores[*doc as usize] += score;
            }
            let matching = (0..).zip(scores).zip(allowed);
            let matching = matching.filter(|((_, score), allowed)| **allowed && *score > 0.0);
            text.extend(matching.map(|((doc, score), _)| {
                let key = scope.keys.get_val(doc);
                (score, key, DocAddress::new(segment, doc))
            }));
        }
        Self {
            text,
            text_weight: 1.0,
            others: Vec::new(),
        }
    }

    /// Adds the allowed chunks whose vectors are closest. The weights of both lists add up to 1.
    pub(super) fn add_vectors(
        &mut self,
        scopes: &[SegmentScope],
        allowed: &[Vec<bool>],
        comparison: &VectorComparison<'_>,
        weight: f32,
    ) {
        let mut close: Vec<ScoredChunk> = Vec::new();
        for (segment, (scope, allowed)) in (0..).zip(scopes.iter().zip(allowed)) {
            let docs = (0..).zip(allowed).filter(|(_, allowed)| **allowed);
            close.extend(docs.filter_map(|(doc, _)| {
                let cosine = comparison.cosine(scope.contents.get_val(doc))?;
                let address = DocAddress::new(segment, doc);
                (cosine >= MIN_COSINE).then(|| (cosine, scope.keys.get_val(doc), address))
            }));
        }
        best(&mut close, VECTOR_DEPTH);
        self.text_weight = 1.0 - weight;
        self.others.push((
            RankedListName::Vector,
            RankedList {
                weight,
                floor: Some(MIN_COSINE),
                entries: entries(&close),
            },
        ));
    }

    /// Ranks by the other lists alone.
    pub(super) fn leave_out_text(&mut self) {
        self.text_weight = 0.0;
        for (_, list) in &mut self.others {
            list.weight = 1.0;
        }
    }

    /// Adds the chunks of connected documents that match by full text, and the first chunk of documents without one.
    pub(super) fn add_connected(&mut self, documents: Vec<ConnectedChunks>) {
        let scores = self.text.iter().map(|(score, ..)| *score);
        let highest = scores.fold(f32::MIN_POSITIVE, f32::max);
        let connected: HashSet<DocAddress> = documents
            .iter()
            .flat_map(|document| document.chunks.iter().copied())
            .collect();
        let text: HashMap<DocAddress, (f32, u64)> = self
            .text
            .iter()
            .filter(|(_, _, address)| connected.contains(address))
            .map(|(score, key, address)| (*address, (score / highest, *key)))
            .collect();
        let mut ranked: Vec<ScoredChunk> = Vec::new();
        for ConnectedChunks { chunks, strength } in documents {
            let matching = chunks.iter().filter_map(|address| {
                let (score, key) = text.get(address)?;
                Some((strength * (0.5 + score / 2.0), *key, *address))
            });
            let before = ranked.len();
            ranked.extend(matching);
            if let Some(first) = chunks.first().filter(|_| ranked.len() == before) {
                ranked.push((strength * UNMATCHED_SHARE, 0, *first));
            }
        }
        best(&mut ranked, TEXT_DEPTH);
        self.others.push((
            RankedListName::Connected,
            RankedList {
                weight: CONNECTED_WEIGHT,
                floor: Some(0.0),
                entries: entries(&ranked),
            },
        ));
    }

    /// Returns the number of chunks in any list.
    pub(super) fn total(&self) -> usize {
        let lists = self.others.iter().flat_map(|(_, list)| &list.entries);
        let mut others: HashSet<DocAddress> = lists.map(|(address, _)| *address).collect();
        if self.text_weight <= 0.0 {
            return others.len();
        }
        if !others.is_empty() {
            for (_, _, address) in &self.text {
                others.remove(address);
            }
        }
        self.text.len() + others.len()
    }

    /// Returns a page of the fused ranking.
    pub(super) fn into_page(mut self, offset: usize, limit: usize) -> Vec<RankedChunk> {
        let end = offset.saturating_add(limit);
        if self.others.is_empty() {
            return self.into_text_page(offset, end);
        }
        best(&mut self.text, TEXT_DEPTH.max(end));
        let mut names = vec![RankedListName::Text];
        let mut lists = vec![RankedList {
            weight: self.text_weight,
            floor: Some(0.0),
            entries: entries(&self.text),
        }];
        for (name, list) in self.others {
            names.push(name);
            lists.push(list);
        }
        let fused = fuse(&lists, METHOD).into_iter().skip(offset).take(limit);
        fused
            .map(|(address, score)| RankedChunk {
                address,
                score,
                ranks: ranks(address, &names, &lists),
            })
            .collect()
    }

    fn into_text_page(mut self, offset: usize, end: usize) -> Vec<RankedChunk> {
        best(&mut self.text, end);
        let page = (offset + 1..).zip(self.text.into_iter().skip(offset));
        page.map(|(rank, (score, _, address))| RankedChunk {
            address,
            score,
            ranks: vec![ListRank {
                list: RankedListName::Text,
                rank,
                score,
                weight: 1.0,
                contribution: score,
            }],
        })
        .collect()
    }
}

/// Keeps the best chunks, in order.
fn best(chunks: &mut Vec<ScoredChunk>, count: usize) {
    let order = |a: &ScoredChunk, b: &ScoredChunk| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if count < chunks.len() {
        chunks.select_nth_unstable_by(count, order);
        chunks.truncate(count);
    }
    chunks.sort_unstable_by(order);
}

fn entries(chunks: &[ScoredChunk]) -> Vec<(DocAddress, f32)> {
    let entries = chunks.iter();
    entries
        .map(|(score, _, address)| (*address, *score))
        .collect()
}

/// Returns the ranks of a chunk in the lists that count.
fn ranks(
    address: DocAddress,
    names: &[RankedListName],
    lists: &[RankedList<DocAddress>],
) -> Vec<ListRank> {
    let lists = names
        .iter()
        .zip(lists)
        .filter(|(_, list)| list.weight > 0.0);
    lists
        .filter_map(|(name, list)| {
            let at = list
                .entries
                .iter()
                .position(|(other, _)| *other == address)?;
            Some(ListRank {
                list: *name,
                rank: at + 1,
                score: list.entries[at].1,
                weight: list.weight,
                contribution: list.contributions(METHOD).nth(at)?,
            })
        })
        .collect()
}

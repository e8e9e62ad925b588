//! Search, chunks and labels.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Search in the documents. `label`, `document` and `language` may be repeated.
#[derive(JsonSchema)]
#[allow(dead_code)] // only the schema is used; repeated parameters are read by hand
pub(crate) struct SearchParameters {
    /// Words, phrases in quotes, and excluded words after a space and a minus sign.
    q: String,
    /// Maximum number of hits; 10 if absent.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<usize>,
    /// Cursor: the `next` of the previous page. Absent for the first page.
    after: Option<String>,
    /// Labels, all of which a document must have.
    label: Option<String>,
    /// Documents, any of them: attachment id, document id or file name.
    document: Option<String>,
    /// Languages, any of them (ISO 639-1).
    language: Option<String>,
    /// Earliest time of attachment (RFC 3339).
    since: Option<String>,
    /// Latest time of attachment (RFC 3339).
    until: Option<String>,
    /// Lists to use; hybrid if absent.
    #[schemars(extend("enum" = ["hybrid", "text", "vector"]))]
    mode: Option<String>,
    /// True also ranks documents that are connected to those found, in the ontology.
    #[schemars(extend("enum" = ["true", "false"]))]
    connected: Option<String>,
    /// True adds the reasons for the rank of each hit.
    #[schemars(extend("enum" = ["true", "false"]))]
    explain: Option<String>,
}

/// Hits of a search.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SearchResultPage {
    /// Hits, the best first.
    pub(crate) items: Vec<SearchResult>,
    /// Cursor of the next page, to send as `after`; null on the last page.
    pub(crate) next: Option<String>,
    /// Duration in milliseconds.
    pub(crate) took_ms: u64,
    /// Remarks about the search, such as a phrase that was not found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

/// Hit of a search.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SearchResult {
    /// Chunk id.
    pub(crate) chunk_id: String,
    /// Hash of the file.
    pub(crate) document_id: String,
    /// Attachment id.
    pub(crate) attachment_id: String,
    /// File name, without folders.
    pub(crate) filename: String,
    /// Title of the document; null if it has none.
    pub(crate) document_title: Option<String>,
    /// Headings above the passage, the outermost first.
    pub(crate) headings: Vec<String>,
    /// Numbers of the pages that the passage is on.
    pub(crate) pages: Vec<u32>,
    /// Best part of the passage.
    pub(crate) snippet: SearchSnippet,
    /// Score; comparable only within one response.
    pub(crate) score: f32,
    /// Reasons for the rank, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) explain: Option<SearchExplanation>,
}

/// About 240 characters around the best passage.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SearchSnippet {
    /// Text in one line.
    pub(crate) text: String,
    /// Start and end of each highlighted word, in UTF-16 units.
    pub(crate) highlights: Vec<[usize; 2]>,
}

/// Reasons for the rank of a hit.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SearchExplanation {
    /// Ranks in the lists that found it.
    pub(crate) lists: Vec<RankExplanation>,
    /// Words of the query that it matches.
    pub(crate) terms: Vec<TermExplanation>,
}

/// Rank of a hit in one list.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RankExplanation {
    /// Name of the list: `text`, `vector` or `connected`.
    pub(crate) list: &'static str,
    /// Rank in the list, from 1.
    pub(crate) rank: usize,
    /// Score in the list.
    pub(crate) score: f32,
    /// Weight of the list.
    pub(crate) weight: f32,
    /// Contribution to the score of the hit.
    pub(crate) contribution: f32,
}

/// Share of a word in the full-text score.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TermExplanation {
    /// Word of the query.
    pub(crate) word: String,
    /// Kind of the match: `word`, `prefix`, `spelling`, `heading` or `compound`.
    pub(crate) kind: &'static str,
    /// Words that were searched for.
    pub(crate) searched: Vec<String>,
    /// Share of the score.
    pub(crate) score: f32,
}

/// Chunk with its place on the pages.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChunkInfo {
    /// Chunk id, or the citation key that was asked for.
    pub(crate) chunk_id: String,
    /// Hash of the file.
    pub(crate) document_id: String,
    /// Attachment id.
    pub(crate) attachment_id: String,
    /// File name, without folders.
    pub(crate) filename: String,
    /// Title of the document; null if it has none.
    pub(crate) document_title: Option<String>,
    /// Headings above it, the outermost first.
    pub(crate) headings: Vec<String>,
    /// Text.
    pub(crate) content: String,
    /// Pages that it is on.
    pub(crate) pages: Vec<ChunkPage>,
}

/// Page with the boxes of a chunk.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChunkPage {
    /// Page number, from 1.
    pub(crate) page: u32,
    /// Address of the page image.
    pub(crate) image: String,
    /// Boxes of the lines; empty if the file has no positions.
    pub(crate) boxes: Vec<FractionBox>,
}

/// Box on a page, as fractions of its width and height.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FractionBox {
    /// Distance from the left edge.
    pub(crate) x: f32,
    /// Distance from the top edge.
    pub(crate) y: f32,
    /// Width.
    pub(crate) width: f32,
    /// Height.
    pub(crate) height: f32,
}

/// Size of the neighbourhood that a chunk is returned with.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ChunkQuery {
    /// Number of characters that the chunk is expanded to, at most 20000; not expanded if absent.
    #[schemars(range(min = 1, max = 20000))]
    pub(crate) expand: Option<usize>,
}

/// Labels of the documents.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LabelList {
    /// Labels in alphabetical order.
    pub(crate) items: Vec<LabelInfo>,
}

/// Label with the number of its documents.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LabelInfo {
    /// Label.
    pub(crate) label: String,
    /// Number of documents that have it.
    pub(crate) documents: u64,
}

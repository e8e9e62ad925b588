//! Evidence of a citation for frontends that show it themselves.

use schemars::JsonSchema;
use serde::Serialize;

/// Evidence of a citation: the content of its evidence page.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EvidenceInfo {
    /// Evidence id.
    pub(crate) id: String,
    /// Citation key.
    pub(crate) key: String,
    /// Status of the citation, such as `found` or `not_found`.
    pub(crate) status: String,
    /// Status in words.
    pub(crate) words: String,
    /// Sentences that explain the status and say what can be done.
    pub(crate) reasons: Vec<String>,
    /// Quote.
    pub(crate) quote: String,
    /// Word diff of quote and source; empty if they do not differ or nothing is similar.
    pub(crate) difference: Vec<DifferencePart>,
    /// Name of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<String>,
    /// Hash of the document; absent if it does not exist, or no longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) document_id: Option<String>,
    /// Pages and lines of the passage in words, such as `page 2, line 7`; empty if there is none.
    pub(crate) place: String,
    /// Rendered page that shows the passage, from 1; absent without a document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) page: Option<u32>,
    /// Number of rendered pages of the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) page_count: Option<u32>,
    /// Boxes of the passage, as fractions of its rendered page.
    pub(crate) boxes: Vec<EvidenceBox>,
    /// True if the passage is only the most similar one, because the quote was not found.
    pub(crate) is_nearest: bool,
}

/// Part of a word diff.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DifferencePart {
    /// True if quote and source say the same.
    pub(crate) is_same: bool,
    /// Words of the quote; empty if only the source has some.
    pub(crate) quote: String,
    /// Words of the source; empty if only the quote has some.
    pub(crate) source: String,
}

/// Box on a rendered page, as fractions of its width and height from the top left corner.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EvidenceBox {
    /// Rendered page, from 1.
    pub(crate) page: u32,
    /// Left edge.
    pub(crate) x: f32,
    /// Top edge.
    pub(crate) y: f32,
    /// Width.
    pub(crate) width: f32,
    /// Height.
    pub(crate) height: f32,
}

//! Text of pages with its places, and outlines.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FractionBox;

/// Page whose text is wanted.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct PageTextQuery {
    /// Number of the page image, from 1; 1 if absent.
    #[schemars(range(min = 1))]
    pub(crate) page: Option<u32>,
}

/// Text of a page image.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PageLines {
    /// Number of the page image, from 1.
    pub(crate) page: u32,
    /// Number of page images of the document.
    pub(crate) page_count: u32,
    /// Printed page number, if it differs from `page`.
    pub(crate) label: Option<String>,
    /// Lines in reading order.
    pub(crate) lines: Vec<PageTextLine>,
}

/// Line of a page image.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PageTextLine {
    /// Page of the file, from 1. It differs from the page image if the file has no pages of its own.
    pub(crate) page: u32,
    /// Number on its page of the file, from 1, as citations use it.
    pub(crate) line: u32,
    /// Text.
    pub(crate) text: String,
    /// Role on the page. Running heads, page numbers and line numbers are not part of the text that is searched.
    #[schemars(extend("enum" = ["text", "heading", "running", "pageNumber", "lineNumber", "footnote", "caption", "aside"]))]
    pub(crate) role: &'static str,
    /// Box around its words.
    #[serde(rename = "box")]
    pub(crate) area: FractionBox,
}

/// Outline of a document.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OutlineList {
    /// Headings in order.
    pub(crate) items: Vec<OutlineEntry>,
}

/// Heading of an outline.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OutlineEntry {
    /// Text of the heading.
    pub(crate) title: String,
    /// Page it leads to, from 1; null if it leads nowhere.
    pub(crate) page: Option<u32>,
    /// Number of headings above it in the hierarchy.
    pub(crate) depth: u32,
}

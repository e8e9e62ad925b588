//! Text of a page with the places of its lines, as a layer over the page image; the outline of a document.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use documents::{Document, Line, LineRole, PageSize, Word};
use search::outline_of;

use super::documents::open as open_document;
use super::ok;
use crate::access::Caller;
use crate::api::{FractionBox, OutlineEntry, OutlineList, PageLines, PageTextLine, PageTextQuery};
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;

/// Returns the lines of a page image.
pub(super) async fn text(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
    Query(query): Query<PageTextQuery>,
) -> Result<Response, ApiError> {
    let document = open_document(&app, &caller.principal, &id).await?;
    let page = query.page.unwrap_or(1);
    let page_count = document.rendered_page_count();
    if !(1..=page_count).contains(&page) {
        return Err(ApiError::new(
            ErrorCode::NotFound,
            format!("Page not found: {page}"),
            "GET /documents/ID returns the number of pages",
        ));
    }
    let lines = match document.rendered_page_size(page) {
        Some(size) => lines_of(&document, page, &size),
        None => Vec::new(),
    };
    ok(&PageLines {
        page,
        page_count,
        label: printed_label(&document, page),
        lines,
    })
}

/// Returns the headings of a document.
pub(super) async fn outline(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let document = open_document(&app, &caller.principal, &id).await?;
    let headings = outline_of(&document).into_iter();
    let items = headings.map(|heading| OutlineEntry {
        title: heading.title,
        page: heading.page,
        depth: heading.depth,
    });
    ok(&OutlineList {
        items: items.collect(),
    })
}

/// Returns the printed number of a page, if page images are pages of the file.
fn printed_label(document: &Document, page: u32) -> Option<String> {
    if document.rendered_page_word() != "page" {
        return None;
    }
    let index = usize::try_from(page.checked_sub(1)?).ok()?;
    document.pages().get(index)?.label.clone()
}

/// Returns the lines that have words on a page image, in reading order.
fn lines_of(document: &Document, page: u32, size: &PageSize) -> Vec<PageTextLine> {
    let lines = document.lines_near_rendered_page(page);
    lines
        .iter()
        .filter_map(|line| {
            let words = document.words_of(line);
            let mut here = words.iter().filter(|word| word.rendered_page == page);
            let first = here.next()?;
            Some(described_line(line, first, here, size))
        })
        .collect()
}

fn described_line<'a>(
    line: &Line,
    first: &'a Word,
    rest: impl Iterator<Item = &'a Word>,
    size: &PageSize,
) -> PageTextLine {
    let (mut left, mut top) = (first.x, first.y);
    let (mut right, mut bottom) = (first.x + first.width, first.y + first.height);
    let mut range = first.range.clone();
    for word in rest {
        left = left.min(word.x);
        top = top.min(word.y);
        right = right.max(word.x + word.width);
        bottom = bottom.max(word.y + word.height);
        range.end = range.end.max(word.range.end);
    }
    let shown = line.text.get(range.start as usize..range.end as usize);
    PageTextLine {
        page: line.page,
        line: line.number,
        text: shown.unwrap_or(&line.text).to_owned(),
        role: role_name(line.role),
        area: FractionBox {
            x: left / size.width,
            y: top / size.height,
            width: (right - left) / size.width,
            height: (bottom - top) / size.height,
        },
    }
}

fn role_name(role: LineRole) -> &'static str {
    match role {
        LineRole::Heading => "heading",
        LineRole::Running => "running",
        LineRole::PageNumber => "pageNumber",
        LineRole::LineNumber => "lineNumber",
        LineRole::Footnote => "footnote",
        LineRole::Caption => "caption",
        LineRole::Aside => "aside",
        _ => "text",
    }
}

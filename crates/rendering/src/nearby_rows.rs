//! Rows of words near a passage. A crop is cut between them.

use documents::{Document, PageBox};

/// Largest distance of a row from a passage at which a crop may still cut it, in points.
const MAX_DISTANCE: f32 = 72.0;
/// Limit on the number of rows that are considered.
const MAX_ROWS: usize = 400;

/// Returns the rows of words near some boxes.
pub(crate) fn find_nearby_rows(document: &Document, boxes: &[PageBox]) -> Vec<PageBox> {
    let is_near = |row: &PageBox| {
        boxes.iter().any(|part| {
            part.rendered_page == row.rendered_page
                && row.y < part.y + part.height + MAX_DISTANCE
                && part.y < row.y + row.height + MAX_DISTANCE
        })
    };
    let (first, last) = boxes.iter().fold((u32::MAX, 0), |(first, last), part| {
        (first.min(part.rendered_page), last.max(part.rendered_page))
    });
    let mut rows = Vec::new();
    for line in document.lines() {
        let words = document.words_of(line);
        let (Some(begin), Some(end)) = (words.first(), words.last()) else {
            continue;
        };
        if end.rendered_page < first || begin.rendered_page > last {
            continue;
        }
        let mut row: Option<PageBox> = None;
        for word in words {
            let word = PageBox {
                rendered_page: word.rendered_page,
                x: word.x,
                y: word.y,
                width: word.width,
                height: word.height,
            };
            row = match row {
                Some(row) if is_in_row(&row, &word) => Some(row.union(word)),
                row => {
                    rows.extend(row.filter(is_near));
                    Some(word)
                }
            };
        }
        rows.extend(row.filter(is_near));
        if rows.len() > MAX_ROWS {
            // So many rows that close together leave no gap to cut in.
            return Vec::new();
        }
    }
    rows
}

fn is_in_row(row: &PageBox, word: &PageBox) -> bool {
    row.rendered_page == word.rendered_page
        && row.y < word.y + word.height
        && word.y < row.y + row.height
}

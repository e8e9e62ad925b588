//! Crop of a page around a passage, cut between lines instead of through them.

use documents::{Document, PageBox};

use crate::highlight::MarkedBlock;
use crate::image::PixelArea;
use crate::style::{RenderStyle, SIDE};

/// Largest distance of a row from a passage at which a crop may still cut it, in points.
const NEAR: f32 = 72.0;
/// Limit on the number of rows that are considered.
const MOST: usize = 400;

/// Returns the rows of words near some boxes.
pub(crate) fn rows_near(document: &Document, boxes: &[PageBox]) -> Vec<PageBox> {
    let is_near = |row: &PageBox| {
        boxes.iter().any(|part| {
            part.page == row.page
                && row.y < part.y + part.height + NEAR
                && part.y < row.y + row.height + NEAR
        })
    };
    let (first, last) = boxes.iter().fold((u32::MAX, 0), |(first, last), part| {
        (first.min(part.page), last.max(part.page))
    });
    let mut rows = Vec::new();
    for line in document.lines() {
        let words = document.words_of(line);
        let (Some(begin), Some(end)) = (words.first(), words.last()) else {
            continue;
        };
        if end.sheet < first || begin.sheet > last {
            continue;
        }
        let mut row: Option<PageBox> = None;
        for word in words {
            let word = PageBox {
                page: word.sheet,
                x: word.x,
                y: word.y,
                width: word.width,
                height: word.height,
            };
            row = match row {
                Some(row) if is_beside(&row, &word) => Some(row.union(word)),
                row => {
                    rows.extend(row.filter(is_near));
                    Some(word)
                }
            };
        }
        rows.extend(row.filter(is_near));
        if rows.len() > MOST {
            // So many rows that close together leave no gap to cut in.
            return Vec::new();
        }
    }
    rows
}

fn is_beside(row: &PageBox, word: &PageBox) -> bool {
    row.page == word.page && row.y < word.y + word.height && word.y < row.y + row.height
}

/// Returns the part of a page around lines that belong together. Their rows are shown whole; rows above and
/// below are shown whole or not at all. Without rows, or for vertical text, it is a margin around the lines.
pub(crate) fn cut(block: &MarkedBlock, rows: &[PixelArea], style: &RenderStyle) -> PixelArea {
    let wanted = block.around.grown(style.pixels(style.padding));
    let runs_down = |line: &&PixelArea| line.height() > line.width();
    if block.lines.iter().filter(runs_down).count() * 2 > block.lines.len() {
        return wanted;
    }
    let rows = NearbyRows::around(block, rows);
    let mut own = rows.level.iter().filter(|row| {
        let covers = |line: &PixelArea| !row.intersection(*line).is_empty();
        block.lines.iter().any(covers)
    });
    let Some(first) = own.next() else {
        return wanted;
    };
    let mut shown = own.fold(block.around.union(*first), |all, row| all.union(*row));
    // Text beside the passage, such as the next column, ends the crop.
    let left = rows.level.iter().map(|row| row.right);
    let left = left.filter(|right| *right <= shown.left).max();
    let right = rows.level.iter().map(|row| row.left);
    let right = right.filter(|left| *left >= shown.right).min();
    let is_beyond = |row: &PixelArea| {
        left.is_some_and(|left| row.right <= left) || right.is_some_and(|right| row.left >= right)
    };
    // A row that is half inside is shown, unless it spans the columns.
    let fits = |row: &PixelArea| {
        let seen = row.bottom.min(wanted.bottom) - row.top.max(wanted.top);
        seen * 2 >= row.height()
            && left.is_none_or(|left| row.left >= left)
            && right.is_none_or(|right| row.right <= right)
    };
    let mut reach = |rows: &[PixelArea]| {
        for row in rows.iter().filter(|row| !is_beyond(row)) {
            if !fits(row) {
                return Some((*row, shown));
            }
            shown = shown.union(*row);
        }
        None
    };
    let top = reach(&rows.above).map(|(row, shown)| i64::midpoint(row.bottom, shown.top));
    let bottom = reach(&rows.below).map(|(row, shown)| i64::midpoint(shown.bottom, row.top));
    let (side, margin) = (style.pixels(SIDE), style.pixels(SIDE / 3));
    let from = shown.left - side;
    let to = shown.right + side;
    PixelArea::new(
        left.map_or(from, |left| from.max(i64::midpoint(left, shown.left))),
        top.unwrap_or(wanted.top.min(shown.top - margin)),
        right.map_or(to, |right| to.min(i64::midpoint(right, shown.right))),
        bottom.unwrap_or(wanted.bottom.max(shown.bottom + margin)),
    )
}

/// Rows by position, the nearest first.
struct NearbyRows {
    level: Vec<PixelArea>,
    above: Vec<PixelArea>,
    below: Vec<PixelArea>,
}

impl NearbyRows {
    fn around(block: &MarkedBlock, rows: &[PixelArea]) -> Self {
        let middle = |row: &PixelArea| i64::midpoint(row.top, row.bottom);
        let (mut above, rest): (Vec<PixelArea>, Vec<PixelArea>) =
            rows.iter().partition(|row| middle(row) < block.around.top);
        let (mut below, level): (Vec<PixelArea>, Vec<PixelArea>) = rest
            .into_iter()
            .partition(|row| middle(row) >= block.around.bottom);
        above.sort_by_key(|row| -row.bottom);
        below.sort_by_key(|row| row.top);
        Self {
            level,
            above,
            below,
        }
    }
}

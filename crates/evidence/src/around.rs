//! What stands around a passage, so that a strip is cut between lines and not through them.

use documents::{Document, PageBox};

use crate::image::Area;
use crate::marks::Block;
use crate::style::{SIDE, Style};

/// How far from a passage a row may be and still be cut by a strip, in points.
const NEAR: f32 = 72.0;
/// So many rows are looked at.
const MOST: usize = 400;

/// The rows of words near some boxes.
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
            // Where so many stand close together nothing lies between them.
            return Vec::new();
        }
    }
    rows
}

fn is_beside(row: &PageBox, word: &PageBox) -> bool {
    row.page == word.page && row.y < word.y + word.height && word.y < row.y + row.height
}

/// The part of a page around lines that stand together. The rows they stand on are shown whole, and those above
/// and below whole or not at all. Without rows, or where text runs downwards, it is what is around the lines.
pub(crate) fn cut(block: &Block, rows: &[Area], style: &Style) -> Area {
    let wanted = block.around.grown(style.pixels(style.padding));
    let runs_down = |line: &&Area| line.height() > line.width();
    if block.lines.iter().filter(runs_down).count() * 2 > block.lines.len() {
        return wanted;
    }
    let rows = Rows::around(block, rows);
    let mut own = rows.level.iter().filter(|row| {
        let covers = |line: &Area| !row.intersection(*line).is_empty();
        block.lines.iter().any(covers)
    });
    let Some(first) = own.next() else {
        return wanted;
    };
    let mut shown = own.fold(block.around.union(*first), |all, row| all.union(*row));
    // What stands beside it, as the next column does, ends the strip.
    let left = rows.level.iter().map(|row| row.right);
    let left = left.filter(|right| *right <= shown.left).max();
    let right = rows.level.iter().map(|row| row.left);
    let right = right.filter(|left| *left >= shown.right).min();
    let is_beyond = |row: &Area| {
        left.is_some_and(|left| row.right <= left) || right.is_some_and(|right| row.left >= right)
    };
    // What is half seen is shown, unless it reaches over the columns.
    let fits = |row: &Area| {
        let seen = row.bottom.min(wanted.bottom) - row.top.max(wanted.top);
        seen * 2 >= row.height()
            && left.is_none_or(|left| row.left >= left)
            && right.is_none_or(|right| row.right <= right)
    };
    let mut reach = |rows: &[Area]| {
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
    Area::new(
        left.map_or(from, |left| from.max(i64::midpoint(left, shown.left))),
        top.unwrap_or(wanted.top.min(shown.top - margin)),
        right.map_or(to, |right| to.min(i64::midpoint(right, shown.right))),
        bottom.unwrap_or(wanted.bottom.max(shown.bottom + margin)),
    )
}

/// Rows by where they are, the nearest first.
struct Rows {
    level: Vec<Area>,
    above: Vec<Area>,
    below: Vec<Area>,
}

impl Rows {
    fn around(block: &Block, rows: &[Area]) -> Self {
        let middle = |row: &Area| i64::midpoint(row.top, row.bottom);
        let (mut above, rest): (Vec<Area>, Vec<Area>) =
            rows.iter().partition(|row| middle(row) < block.around.top);
        let (mut below, level): (Vec<Area>, Vec<Area>) = rest
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

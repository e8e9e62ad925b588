//! Crop of a page around a passage, cut between lines instead of through them.

use crate::highlight_blocks::HighlightBlock;
use crate::image::PixelArea;
use crate::style::{RenderStyle, SIDE};

/// Returns the part of a page around lines that belong together. Their rows are shown whole; rows above and
/// below are shown whole or not at all. Without rows, or for vertical text, it is a margin around the lines.
pub(crate) fn crop_around(
    block: &HighlightBlock,
    rows: &[PixelArea],
    style: &RenderStyle,
) -> PixelArea {
    let wanted = block.around.grow(style.pixels(style.padding));
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
    fn around(block: &HighlightBlock, rows: &[PixelArea]) -> Self {
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

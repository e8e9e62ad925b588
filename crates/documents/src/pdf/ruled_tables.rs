//! Tables with rules: rows of cells, each cell read to its end.
//!
//! The main order of a page reads a table line by line or column by column. A quote of a row continues from
//! the last line of a cell to the first line of the next one. So the rows of tables whose rules form a grid
//! are indexed as alternate passages.

use std::ops::Range;

use hayro_font::kurbo::Rect;
use passage::PieceBreak;

use super::glyphs::TextDirection;
use super::line::PdfLine;

/// Largest distance between two parts of one rule, in points.
const JOIN: f64 = 3.5;
/// Smallest height of a row, in points.
const MIN_ROW: f64 = 5.0;
/// Maximum number of rows and columns of the tables of a page.
const MAX_GRID: usize = 1024;

/// Part of a line that belongs to a cell, and the break after it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CellPart {
    /// Index of the line on the page.
    pub(super) line: usize,
    /// Range of the text of the line.
    pub(super) range: Range<usize>,
    pub(super) then: PieceBreak,
}

/// Rule along one axis.
#[derive(Debug, Clone, Copy, PartialEq)]
struct TableRule {
    /// Position across the rule.
    at: f64,
    start: f64,
    end: f64,
}

/// Row of a table: its vertical range and the borders of its cells.
struct RuledRow {
    top: f64,
    bottom: f64,
    borders: Vec<f64>,
}

/// Returns the rows of the tables of a page, from top to bottom.
pub(super) fn ruled_rows(lines: &[PdfLine], rules: &[Rect], right_to_left: bool) -> Vec<CellPart> {
    let (level, upright): (Vec<&Rect>, Vec<&Rect>) =
        rules.iter().partition(|rule| rule.width() >= rule.height());
    let level = level.into_iter().map(|rule| TableRule {
        at: rule.center().y,
        start: rule.x0,
        end: rule.x1,
    });
    let upright = upright.into_iter().map(|rule| TableRule {
        at: rule.center().x,
        start: rule.y0,
        end: rule.y1,
    });
    let (level, upright) = (joined(level.collect()), joined(upright.collect()));
    if level.len() < 2 || upright.len() < 3 {
        return Vec::new();
    }
    let mut parts = Vec::new();
    for row in grid_rows(&level, &upright) {
        let mut cells: Vec<Vec<CellPart>> = row
            .borders
            .windows(2)
            .map(|border| cell_parts(lines, border[0]..border[1], row.top..row.bottom))
            .collect();
        if right_to_left {
            cells.reverse();
        }
        for mut cell in cells {
            if let Some(last) = cell.last_mut() {
                last.then = PieceBreak::Space;
            }
            parts.extend(cell);
        }
        if let Some(last) = parts.last_mut() {
            last.then = PieceBreak::Line;
        }
    }
    if let Some(last) = parts.last_mut() {
        last.then = PieceBreak::Cell;
    }
    parts
}

/// Joins the parts of rules, which are often drawn cell by cell.
fn joined(mut rules: Vec<TableRule>) -> Vec<TableRule> {
    rules.sort_by(|a, b| a.at.total_cmp(&b.at));
    let mut joined: Vec<TableRule> = Vec::new();
    let mut rest = rules.as_mut_slice();
    while !rest.is_empty() {
        let first = rest[0].at;
        let count = rest.iter().take_while(|rule| rule.at - first < 2.0).count();
        let (same, others) = std::mem::take(&mut rest).split_at_mut(count);
        rest = others;
        same.sort_by(|a, b| a.start.total_cmp(&b.start));
        for rule in same {
            match joined.last_mut() {
                Some(last) if last.at == first && rule.start <= last.end + JOIN => {
                    last.end = last.end.max(rule.end);
                }
                _ => joined.push(TableRule { at: first, ..*rule }),
            }
        }
    }
    joined.truncate(MAX_GRID);
    joined
}

/// Returns the rows between rules that lie one below the other and have borders of at least two cells.
fn grid_rows(level: &[TableRule], upright: &[TableRule]) -> Vec<RuledRow> {
    let mut rows = Vec::new();
    for (nth, top) in level.iter().enumerate() {
        let overlap = |other: &&TableRule| {
            let shared = top.end.min(other.end) - top.start.max(other.start);
            shared > 0.5 * (top.end - top.start).min(other.end - other.start)
        };
        let below = level[nth + 1..]
            .iter()
            .filter(|other| other.at - top.at >= MIN_ROW);
        let Some(bottom) = below.clone().find(overlap) else {
            continue;
        };
        let range = top.start.max(bottom.start) - JOIN..=top.end.min(bottom.end) + JOIN;
        let spans = |rule: &&TableRule| {
            range.contains(&rule.at) && rule.start <= top.at + JOIN && rule.end >= bottom.at - JOIN
        };
        let mut borders: Vec<f64> = upright.iter().filter(spans).map(|rule| rule.at).collect();
        borders.dedup_by(|a, b| (*a - *b).abs() < JOIN);
        // Tables often have no rules at their sides.
        for side in [*range.start() + JOIN, *range.end() - JOIN] {
            if borders
                .iter()
                .all(|border| (border - side).abs() > 3.0 * JOIN)
            {
                borders.push(side);
            }
        }
        borders.sort_by(f64::total_cmp);
        if borders.len() > 2 {
            rows.push(RuledRow {
                top: top.at,
                bottom: bottom.at,
                borders,
            });
        }
    }
    rows
}

/// Returns the parts of lines inside a cell, from top to bottom.
fn cell_parts(lines: &[PdfLine], across: Range<f64>, down: Range<f64>) -> Vec<CellPart> {
    let mut parts: Vec<(f32, f32, CellPart)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let middle = f64::from(line.extent.top + line.extent.bottom) / 2.0;
        if line.direction != TextDirection::Right || !down.contains(&middle) {
            continue;
        }
        let inside =
            |word: &&crate::geometry::Word| across.contains(&f64::from(word.x + word.width / 2.0));
        // The words of a cell follow each other in the text of the line.
        let mut words = line
            .words
            .iter()
            .skip_while(|word| !inside(word))
            .take_while(inside);
        let Some(first) = words.next() else {
            continue;
        };
        let last = words.last().unwrap_or(first);
        let range = first.range.start as usize..last.range.end as usize;
        let part = CellPart {
            line: at,
            range,
            then: PieceBreak::Line,
        };
        parts.push((line.base, first.x, part));
    }
    parts.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    parts.into_iter().map(|(_, _, part)| part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(at: f64, start: f64, end: f64) -> TableRule {
        TableRule { at, start, end }
    }

    #[test]
    fn rules_drawn_cell_by_cell_are_joined() {
        let parts = vec![
            rule(10.0, 100.0, 200.0),
            rule(10.5, 0.0, 98.0),
            rule(10.2, 300.0, 400.0),
            rule(30.0, 0.0, 9.0),
        ];
        let joined = joined(parts);
        assert_eq!(
            joined,
            [
                rule(10.0, 0.0, 200.0),
                rule(10.0, 300.0, 400.0),
                rule(30.0, 0.0, 9.0)
            ]
        );
    }

    #[test]
    fn rows_need_borders_between_their_cells() {
        let level = [
            rule(0.0, 0.0, 100.0),
            rule(20.0, 0.0, 100.0),
            rule(50.0, 0.0, 100.0),
        ];
        let upright = [
            rule(0.0, 0.0, 50.0),
            rule(40.0, 0.0, 20.0),
            rule(100.0, 0.0, 50.0),
        ];
        let rows = grid_rows(&level, &upright);
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].top, rows[0].bottom), (0.0, 20.0));
        assert_eq!(rows[0].borders, [0.0, 40.0, 100.0]);
    }
}

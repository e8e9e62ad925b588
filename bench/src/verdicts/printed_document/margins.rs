//! Lines in the margins: running heads and feet, page numbers.

use std::collections::HashMap;

use super::layout::{Line, Page};
use crate::skeleton::Skeleton;

/// Number of rows at the top and at the bottom of a page that may be in a margin.
const ROWS: usize = 3;
/// Number of pages with the same text at the same height that make it a running head.
const REPEATED: usize = 3;
/// Maximum number of words of a margin line that is not repeated. Lines of code or charts are
/// closer to each other than those of the text.
const FEW_WORDS: usize = 8;
/// Minimum distance to the next row, relative to the usual distance of rows.
const APART: f64 = 1.5;
/// Minimum distance to the next row, relative to the height of the row.
const LOOSE: f64 = 1.6;
/// Number of first words that identify a running head; the words after them name the section.
const BEGINNING: usize = 3;

/// A line of a page: index of its block, and of the line in the block.
type LinePosition = (usize, usize);

/// Returns for each page the lines that are in a margin.
pub(super) fn margins(pages: &[Page]) -> Vec<Vec<LinePosition>> {
    let rows: Vec<Vec<Vec<LinePosition>>> = pages.iter().map(rows).collect();
    let line = |page: usize, at: LinePosition| &pages[page].blocks[at.0].lines[at.1];
    let (mut texts, mut heights) = (HashMap::new(), HashMap::new());
    for (page, rows) in rows.iter().enumerate() {
        let outer = rows.iter().take(ROWS).chain(rows.iter().rev().take(ROWS));
        for &at in outer.flatten() {
            for key in [text_key(line(page, at)), beginning_key(line(page, at))] {
                *texts.entry(key).or_insert(0) += 1;
            }
        }
        let ends = [rows.first(), rows.last()];
        for &at in ends.into_iter().flatten().flatten() {
            *heights.entry(height_key(line(page, at))).or_insert(0) += 1;
        }
    }
    let margin = |page: usize, rows: &[Vec<LinePosition>], next: &[Vec<LinePosition>]| {
        let apart = is_apart(&pages[page], rows, next);
        rows.iter().flatten().all(|&at| {
            let line = line(page, at);
            let repeated = |key: &(String, i64)| texts.get(key).is_some_and(|&n| n >= REPEATED);
            let begins = apart && repeated(&beginning_key(line));
            let repeated = begins || repeated(&text_key(line));
            let level = heights.get(&height_key(line)).copied().unwrap_or(0);
            let regular = level >= REPEATED && level * 4 >= pages.len();
            is_number(line) || repeated || (apart && regular && line.words.len() <= FEW_WORDS)
        })
    };
    let of_page = |page: usize, rows: &[Vec<LinePosition>]| {
        let mut found = Vec::new();
        let (mut first, mut end) = (0, rows.len());
        while first < end.min(ROWS) && margin(page, &rows[first..=first], &rows[first + 1..end]) {
            found.extend(&rows[first]);
            first += 1;
        }
        while end > first
            && rows.len() - end < ROWS
            && margin(
                page,
                &rows[end - 1..end],
                rows[first..end - 1]
                    .last()
                    .map_or(&[], std::slice::from_ref),
            )
        {
            end -= 1;
            found.extend(&rows[end]);
        }
        found
    };
    rows.iter()
        .enumerate()
        .map(|(page, rows)| of_page(page, rows))
        .collect()
}

/// Returns the lines of a page in rows from the top.
fn rows(page: &Page) -> Vec<Vec<LinePosition>> {
    let mut lines: Vec<(f64, LinePosition)> = Vec::new();
    for (number, block) in page.blocks.iter().enumerate() {
        let of_block = block.lines.iter().enumerate();
        lines.extend(of_block.map(|(at, line)| (line.area.middle(), (number, at))));
    }
    lines.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut rows: Vec<Vec<LinePosition>> = Vec::new();
    let mut height = f64::MIN;
    for (middle, at) in lines {
        match rows.last_mut().filter(|_| middle - height < 4.0) {
            Some(row) => row.push(at),
            None => {
                rows.push(vec![at]);
                height = middle;
            }
        }
    }
    rows
}

/// Returns true if the distance of a row to the next one is larger than usual on this page.
fn is_apart(page: &Page, row: &[Vec<LinePosition>], next: &[Vec<LinePosition>]) -> bool {
    let middle = |row: &[LinePosition]| {
        row.first()
            .map(|at| page.blocks[at.0].lines[at.1].area.middle())
    };
    // Only lines of the same block are compared, because rows of two columns may interleave.
    let blocks = page.blocks.iter().flat_map(|block| block.lines.windows(2));
    let mut steps: Vec<f64> = blocks
        .map(|pair| pair[1].area.middle() - pair[0].area.middle())
        .collect();
    steps.sort_by(f64::total_cmp);
    let usual = steps.get(steps.len() / 2).copied().unwrap_or(f64::MAX);
    let (row, next) = (row.first(), next.first());
    match (
        row.and_then(|row| middle(row)),
        next.and_then(|row| middle(row)),
    ) {
        (Some(one), Some(other)) => {
            // Lines of formulas are close to each other.
            let height = row.and_then(|row| row.first());
            let height = height.map_or(0.0, |at| page.blocks[at.0].lines[at.1].area.height());
            (one - other).abs() > (usual * APART).max(height * LOOSE)
        }
        _ => false,
    }
}

/// Returns the letters of a line without its digits, and its height on the page.
fn text_key(line: &Line) -> (String, i64) {
    let bones = Skeleton::new(&line.text()).into_bones();
    let letters = bones.chars().filter(|c| !c.is_numeric()).collect();
    (letters, height_key(line))
}

/// Returns the key of the first words, marked to differ from keys of whole lines.
fn beginning_key(line: &Line) -> (String, i64) {
    let words = line.words.iter().take(BEGINNING);
    let words: Vec<&str> = words.map(|word| word.text.as_str()).collect();
    let bones = Skeleton::new(&words.join(" ")).into_bones();
    (format!("{bones}…"), height_key(line))
}

fn height_key(line: &Line) -> i64 {
    (line.area.middle() / 4.0).round() as i64
}

/// Returns true if a line consists of a number, which may be Roman.
fn is_number(line: &Line) -> bool {
    let bones = Skeleton::new(&line.text()).into_bones();
    let roman = |c: char| "ivxlc".contains(c);
    // "[ 1 -1 ]" is code.
    let numbers = line
        .words
        .iter()
        .filter(|w| w.text.contains(char::is_numeric));
    !bones.is_empty()
        && numbers.count() < 2
        && (bones.chars().all(char::is_numeric) || (bones.len() < 8 && bones.chars().all(roman)))
}

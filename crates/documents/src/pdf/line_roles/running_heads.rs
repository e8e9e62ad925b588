//! Running heads, running feet and page numbers.
//!
//! They have the same position on many pages and the same text, except for page numbers; or they
//! have the same position and a distance from the text. Recognising them needs all pages.

use std::collections::{HashMap, HashSet};

use super::super::line::PdfLine;
use super::BodyMetrics;
use super::footnotes_and_captions::is_caption;
use crate::document::LineRole;

/// Maximum number of rows at the top and at the bottom of a page that are examined.
const MAX_EDGE_ROWS: usize = 3;

/// Distance up to which two rows have the same position, in points.
const MAX_POSITION_DIFFERENCE: f32 = 2.0;

/// A row of lines at the top or bottom of a page.
#[derive(Debug)]
struct EdgeRow {
    page: u32,
    /// True at the top of the page; `rank` counts from the edge.
    top: bool,
    rank: usize,
    /// Position from the top of the page, in points.
    base: f32,
    /// Distance to the next row, in points.
    apart: f32,
    size: f32,
    lines: Vec<usize>,
    /// Text with a sign in place of each number.
    pattern: String,
    numbers: Vec<i64>,
}

/// Rows at the margins of all pages.
#[derive(Debug, Default)]
pub(in super::super) struct Margins {
    marks: HashMap<u32, Vec<(usize, LineRole)>>,
}

impl Margins {
    pub(in super::super) fn of_pages(pages: &[Vec<PdfLine>], body: &BodyMetrics) -> Self {
        let edges: Vec<EdgeRow> = (1..)
            .zip(pages)
            .flat_map(|(number, lines)| edge_rows(number, lines))
            .collect();
        let mut is_running = vec![false; edges.len()];
        mark_repeated(&edges, pages.len(), &mut is_running);
        mark_regular(&edges, pages.len(), body, &mut is_running);
        mark_page_numbers(&edges, body, &mut is_running);
        unmark_inner(&edges, &mut is_running);
        let mut margins = Self::default();
        for (edge, _) in edges.iter().zip(&is_running).filter(|(_, is)| **is) {
            let marks = margins.marks.entry(edge.page).or_default();
            for line in &edge.lines {
                let text = &pages[edge.page as usize - 1][*line].text;
                let role = if is_page_number(text) {
                    LineRole::PageNumber
                } else {
                    LineRole::Running
                };
                marks.push((*line, role));
            }
        }
        margins
    }

    pub(super) fn mark(&self, page: u32, roles: &mut [LineRole]) {
        for (line, role) in self.marks.get(&page).into_iter().flatten() {
            if roles[*line] == LineRole::Text {
                roles[*line] = *role;
            }
        }
    }
}

/// Returns the first and last rows of a page.
fn edge_rows(page: u32, lines: &[PdfLine]) -> Vec<EdgeRow> {
    let direction = lines.first().map(|line| line.direction);
    let mut order: Vec<usize> = (0..lines.len())
        .filter(|at| Some(lines[*at].direction) == direction && lines[*at].margin_text.is_none())
        .collect();
    order.sort_by(|a, b| lines[*a].base.total_cmp(&lines[*b].base));
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for at in order {
        match rows.last_mut() {
            Some(row) if lines[at].base - lines[row[0]].base < MAX_POSITION_DIFFERENCE => {
                row.push(at);
            }
            _ => rows.push(vec![at]),
        }
    }
    let base = |row: &[usize]| lines[row[0]].base;
    let count = rows.len();
    let mut edges = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let is_top = index < MAX_EDGE_ROWS.min(count / 2 + 1);
        let is_bottom = count - 1 - index < MAX_EDGE_ROWS.min(count / 2 + 1);
        for (top, is) in [(true, is_top), (false, is_bottom)] {
            let next = if top {
                index.checked_add(1)
            } else {
                index.checked_sub(1)
            };
            if !is {
                continue;
            }
            let apart = next
                .and_then(|next| rows.get(next))
                .map_or(f32::INFINITY, |next| (base(next) - base(row)).abs());
            let mut by_start = row.clone();
            by_start.sort_by(|a, b| lines[*a].extent.start.total_cmp(&lines[*b].extent.start));
            let (pattern, numbers) =
                number_pattern(by_start.iter().map(|at| lines[*at].text.as_str()));
            edges.push(EdgeRow {
                page,
                top,
                rank: if top { index } else { count - 1 - index },
                base: base(row),
                apart,
                size: row.iter().map(|at| lines[*at].size).fold(0.0, f32::max),
                lines: by_start,
                pattern,
                numbers,
            });
        }
    }
    edges
}

/// Returns a text with a sign in place of each number, and the numbers.
fn number_pattern<'t>(texts: impl Iterator<Item = &'t str>) -> (String, Vec<i64>) {
    let mut pattern = String::new();
    let mut numbers = Vec::new();
    for word in texts.flat_map(str::split_whitespace) {
        if let Some(number) = front_matter_number(word) {
            numbers.push(number);
            pattern.push('#');
        } else {
            let mut digits = String::new();
            for c in word.chars().chain([' ']) {
                if c.is_ascii_digit() {
                    digits.push(c);
                    continue;
                }
                if !digits.is_empty() {
                    numbers.push(digits.parse().unwrap_or(-1));
                    digits.clear();
                    pattern.push('#');
                }
                pattern.extend(c.to_lowercase());
            }
        }
        pattern.push(' ');
    }
    (
        pattern.split_whitespace().collect::<Vec<_>>().join(" "),
        numbers,
    )
}

/// Parses a lower-case Roman number, as used in front matter.
fn front_matter_number(word: &str) -> Option<i64> {
    let is_numeral = word.len() <= 8 && word.chars().all(|c| "ivxlc".contains(c));
    let number = passage::parse_roman(word).filter(|_| is_numeral)?;
    Some(number.into())
}

/// Marks rows with the same text at the same position on several pages.
fn mark_repeated(edges: &[EdgeRow], pages: usize, is_running: &mut [bool]) {
    let mut groups: HashMap<(bool, &str), Vec<usize>> = HashMap::new();
    for (at, edge) in edges.iter().enumerate() {
        groups
            .entry((edge.top, &edge.pattern))
            .or_default()
            .push(at);
    }
    let enough = if pages <= 4 { 2 } else { 3 };
    for group in groups.values_mut() {
        group.sort_by(|a, b| {
            let (a, b) = (&edges[*a], &edges[*b]);
            a.base.total_cmp(&b.base).then(a.page.cmp(&b.page))
        });
        for place in
            group.chunk_by_mut(|a, b| edges[*b].base - edges[*a].base < MAX_POSITION_DIFFERENCE)
        {
            place.sort_by_key(|at| edges[*at].page);
            let pairs = place.windows(2);
            let counted = pairs
                .clone()
                .filter(|pair| counts_pages(&edges[pair[0]], &edges[pair[1]]));
            if place.len() >= enough && counted.count() * 2 >= pairs.len() {
                for at in place.iter() {
                    is_running[*at] = true;
                }
            }
        }
    }
}

/// Returns true if the numbers of two rows are equal or differ by the distance of their pages.
fn counts_pages(a: &EdgeRow, b: &EdgeRow) -> bool {
    let pages = i64::from(b.page) - i64::from(a.page);
    let has_letters = a.pattern.chars().any(char::is_alphabetic);
    let mut counting = 0;
    for (a, b) in a.numbers.iter().zip(&b.numbers) {
        match b - a {
            0 => {}
            by if by == pages => counting += 1,
            _ => return false,
        }
    }
    has_letters || counting > 0
}

/// Marks rows with a distance from the text at a position at which most pages have such a row.
fn mark_regular(edges: &[EdgeRow], pages: usize, body: &BodyMetrics, is_running: &mut [bool]) {
    for top in [true, false] {
        let is_apart = |edge: &EdgeRow| {
            edge.top == top
                && edge.rank == 0
                && edge.apart > 1.5 * body.leading
                && edge.apart.is_finite()
                && edge.size < 1.15 * body.size
        };
        let mut rows: Vec<usize> = (0..edges.len())
            .filter(|at| is_apart(&edges[*at]))
            .collect();
        rows.sort_by(|a, b| edges[*a].base.total_cmp(&edges[*b].base));
        for place in rows.chunk_by(|a, b| edges[*b].base - edges[*a].base < 1.0) {
            if place.len() >= 4 && place.len() * 5 >= pages * 2 {
                for at in place {
                    is_running[*at] = true;
                }
            }
        }
    }
}

/// Marks rows that consist of a page number.
fn mark_page_numbers(edges: &[EdgeRow], body: &BodyMetrics, is_running: &mut [bool]) {
    for (edge, is) in edges.iter().zip(is_running) {
        // Only other running feet may be between a page number and the edge of the page, no text.
        if edge.rank < 2 && edge.apart > 1.4 * body.leading && edge.apart.is_finite() {
            let text = edge.pattern.as_str();
            *is |= edge.lines.len() == 1
                && matches!(
                    text,
                    "#" | "- # -"
                        | "– # –"
                        | "-#-"
                        | "[#]"
                        | "(#)"
                        | "page #"
                        | "# / #"
                        | "#/#"
                        | "page # of #"
                        | "seite #"
                );
        }
    }
}

/// Removes the mark from rows that have text between them and the edge of the page.
fn unmark_inner(edges: &[EdgeRow], is_running: &mut [bool]) {
    let outer: HashSet<(u32, bool, usize)> = edges
        .iter()
        .zip(&*is_running)
        .filter(|(_, is)| **is)
        .map(|(edge, _)| (edge.page, edge.top, edge.rank))
        .collect();
    for (edge, is) in edges.iter().zip(is_running) {
        // "Figure 3" may match the page number by chance.
        *is &= !is_caption(&edge.pattern.replace('#', "1"), false);
        *is &= (0..edge.rank).all(|rank| outer.contains(&(edge.page, edge.top, rank)));
    }
}

fn is_page_number(text: &str) -> bool {
    let (pattern, numbers) = number_pattern([text].into_iter());
    let letters = pattern.chars().filter(|c| c.is_alphabetic()).count();
    !numbers.is_empty() && numbers.len() <= 2 && letters <= 6 && !pattern.contains(',')
}

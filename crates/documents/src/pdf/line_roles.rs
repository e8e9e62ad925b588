//! Roles of lines: text, headings, running heads, footnotes and others.

mod footnotes_and_captions;
mod running_heads;

use std::collections::{HashMap, HashSet};

use super::line::PdfLine;
use super::reading_order::MarginText;
use crate::document::LineRole;
use crate::metadata::OutlineHeading;

pub(super) use running_heads::Margins;

/// Typical size and line distance of a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BodyMetrics {
    /// Font size of the body, in points.
    size: f32,
    /// Distance between two baselines of the body, in points.
    leading: f32,
}

impl BodyMetrics {
    pub(super) fn of_pages(pages: &[Vec<PdfLine>]) -> Self {
        let key = |value: f32| (value * 10.0).round() as i32;
        let most = |counts: HashMap<i32, usize>| {
            let most = counts.into_iter().max_by_key(|(key, count)| (*count, -key));
            most.map(|(key, _)| key as f32 / 10.0)
        };
        let mut sizes: HashMap<i32, usize> = HashMap::new();
        for line in pages.iter().flatten() {
            *sizes.entry(key(line.size)).or_default() += line.text.len();
        }
        let size = most(sizes).unwrap_or(10.0).max(0.1);
        let mut gaps: HashMap<i32, usize> = HashMap::new();
        for pair in pages.iter().flat_map(|page| page.windows(2)) {
            let gap = pair[1].base - pair[0].base;
            let is_body = |line: &PdfLine| (line.size - size).abs() < 0.1 * size;
            if pair[0].column == pair[1].column
                && is_body(&pair[0])
                && is_body(&pair[1])
                && gap > 0.8 * size
                && gap < 3.0 * size
            {
                *gaps.entry(key(gap)).or_default() += 1;
            }
        }
        let leading = most(gaps).unwrap_or(1.2 * size);
        Self { size, leading }
    }
}

/// Returns the roles of the lines of a page.
pub(super) fn assign_roles(
    lines: &[PdfLine],
    page: u32,
    body: &BodyMetrics,
    margins: &Margins,
    titles: &HashSet<(u32, String)>,
) -> Vec<LineRole> {
    let mut roles: Vec<LineRole> = lines
        .iter()
        .map(|line| match line {
            line if line.margin_text == Some(MarginText::LineNumber) => LineRole::LineNumber,
            line if line.margin_text == Some(MarginText::Note) => LineRole::Footnote,
            line if !line.is_main => LineRole::Running,
            _ => LineRole::Text,
        })
        .collect();
    margins.mark(page, &mut roles);
    footnotes_and_captions::mark_footnotes(lines, body, &mut roles);
    footnotes_and_captions::mark_captions(lines, body, &mut roles);
    for (at, role) in roles.iter_mut().enumerate() {
        if *role == LineRole::Text && is_heading(lines, at, page, body, titles) {
            *role = LineRole::Heading;
        }
    }
    roles
}

/// Returns the titles of an outline in the form in which they are compared with lines.
pub(super) fn outline_titles(outline: &[OutlineHeading]) -> HashSet<(u32, String)> {
    outline
        .iter()
        .filter_map(|heading| Some((heading.page?, bare_title(&heading.title))))
        .filter(|(_, title)| !title.is_empty())
        .collect()
}

/// Returns the letters of a title without its number.
fn bare_title(text: &str) -> String {
    let is_number = |c: char| c.is_numeric() || c == '.' || c.is_whitespace();
    text.trim_start_matches(is_number)
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

fn is_heading(
    lines: &[PdfLine],
    at: usize,
    page: u32,
    body: &BodyMetrics,
    titles: &HashSet<(u32, String)>,
) -> bool {
    let line = &lines[at];
    let letters = line.text.chars().filter(|c| c.is_alphabetic()).count();
    if letters == 0 || line.text.chars().count() > 200 || line.text.contains('\t') {
        return false;
    }
    if line.size > 1.15 * body.size || titles.contains(&(page, bare_title(&line.text))) {
        return true;
    }
    let stands_apart = match at.checked_sub(1).map(|before| &lines[before]) {
        Some(before) if before.column == line.column => {
            line.base - before.base > 1.3 * body.leading
        }
        _ => true,
    };
    let is_sentence = line.text.ends_with(['.', ',', ';', ':']);
    line.is_bold && stands_apart && !is_sentence && line.text.chars().count() < 100
}

//! Place that a citation names.

use documents::{Document, PassageLocation};
use passage::parse_roman;

use super::page_labels::PageLabels;
use crate::citation::Citation;
use crate::search_attempt::{SearchLocation, SearchedLines};

/// Largest distance in lines between the cited lines and the start of a quote at the cited place. Models see
/// only every fifth line number.
const LINE_TOLERANCE: u32 = 4;

/// Place that a citation names, as far as the document has it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ExpectedPlace {
    /// Page number, from 1.
    pub(super) page: Option<u32>,
    /// Other pages that the citation may mean: those with the printed number that it names.
    pub(super) other_pages: Vec<u32>,
    /// Line numbers on that page.
    pub(super) lines: Vec<u32>,
    /// Page that the citation names although the document does not have it.
    pub(super) page_outside: Option<String>,
}

/// Relation of a match to the expected place, the nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PlaceMatch {
    /// At the expected place, or the citation names no place.
    Here,
    /// On the expected page, on other lines.
    OtherLine,
    /// On another page.
    OtherPage,
}

impl ExpectedPlace {
    pub(super) fn of(citation: &Citation, document: &Document, labels: &PageLabels) -> Self {
        let pages = document.pages().len() as u64;
        let given = citation.page();
        let in_file = given.filter(|page| (1..=pages).contains(page));
        let in_file = in_file.and_then(|page| u32::try_from(page).ok());
        let label = match given {
            Some(page) => Some(page.to_string()),
            None => {
                let is_page =
                    |label: &&str| parse_roman(label).is_some() || !labels.pages(label).is_empty();
                citation.page_label().filter(is_page).map(str::to_owned)
            }
        };
        let printed = label
            .as_deref()
            .map_or(&[][..], |label| labels.pages(label));
        let page = in_file.or(printed.first().copied());
        // Line numbers count per page, so they need a page unless there is only one.
        let of_lines = page.or((label.is_none() && pages == 1).then_some(1));
        let lines = citation.line_ids.ids().iter();
        Self {
            page: page.or(of_lines.filter(|_| !citation.line_ids.ids().is_empty())),
            other_pages: printed
                .iter()
                .copied()
                .filter(|at| Some(*at) != page)
                .collect(),
            lines: match of_lines {
                Some(_) => lines.filter_map(|&line| u32::try_from(line).ok()).collect(),
                None => Vec::new(),
            },
            page_outside: label.filter(|_| page.is_none()),
        }
    }

    /// Compares a place with the expected one.
    pub(super) fn place_match(&self, place: &PassageLocation) -> PlaceMatch {
        if self.page_outside.is_some() {
            return PlaceMatch::OtherPage;
        }
        let Some(page) = self.page else {
            return PlaceMatch::Here;
        };
        if self
            .other_pages
            .iter()
            .any(|page| place.pages.contains(page))
        {
            return PlaceMatch::Here;
        }
        if !place.pages.contains(&page) {
            return PlaceMatch::OtherPage;
        }
        if self.lines.is_empty() || self.line_distance(place) <= LINE_TOLERANCE {
            PlaceMatch::Here
        } else {
            PlaceMatch::OtherLine
        }
    }

    /// Returns the number of lines between the start of a place and the nearest cited line.
    pub(super) fn line_distance(&self, place: &PassageLocation) -> u32 {
        let (first_page, line) = place.first;
        // A match that began on the previous page continues at the top of this one.
        let start = if Some(first_page) == self.page {
            line
        } else {
            1
        };
        let distance = |line: &u32| line.abs_diff(start);
        self.lines.iter().map(distance).min().unwrap_or(0)
    }

    /// Returns the position of the first expected line, counted through the document.
    pub(super) fn first_line(&self, document: &Document) -> Option<u32> {
        let line = self.lines.iter().min().copied().unwrap_or(1);
        document.line_position(self.page?, line)
    }

    /// Returns the expected place for a search attempt.
    pub(super) fn location(&self) -> Option<SearchLocation> {
        Some(SearchLocation {
            page: Some(self.page?.into()),
            line: self.lines.iter().min().map(|&line| line.into()),
        })
    }

    /// Returns the expected lines for a search attempt.
    pub(super) fn line_searched(&self) -> Option<SearchedLines> {
        match self.lines.as_slice() {
            [] => None,
            [line] => Some(SearchedLines::One((*line).into())),
            lines => Some(SearchedLines::Several(
                lines.iter().map(|&line| line.into()).collect(),
            )),
        }
    }
}

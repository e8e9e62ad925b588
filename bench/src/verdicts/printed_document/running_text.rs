//! RunningText text of pages, and its continuations in another column or on the next page.

use super::layout::{Block, Line, Page, PageArea};
use super::margins::margins;
use super::{Continuation, PrintedWord, SideBySideLines};
use crate::source::is_spaceless;

/// Minimum share of a column that a line must fill to be continued.
const FULL: f64 = 0.8;
/// Minimum share if no lower-case letter shows that the sentence continues.
const QUITE_FULL: f64 = 0.95;
/// Maximum difference between letters of the same size, as a share.
const SAME_SIZE: f64 = 0.06;
/// Maximum gap between words that touch, as a share of their height.
const TOUCHING: f64 = 0.06;
/// Permitted distances between columns, in points.
const GUTTER: std::ops::Range<f64> = 8.0..70.0;

/// RunningText text of a file.
pub(super) struct RunningText {
    pub(super) text: String,
    pub(super) gaps: Vec<Continuation>,
    pub(super) abreast: Vec<SideBySideLines>,
    pub(super) barriers: Vec<usize>,
    pub(super) odd: Vec<usize>,
}

/// A line of the text.
struct TextLine<'a> {
    line: &'a Line,
    block: usize,
    start: usize,
    end: usize,
    caption: bool,
}

/// A page with its lines outside the margins, and those of them that are running text.
struct TextPage<'a> {
    body: Vec<&'a Line>,
    lines: Vec<TextLine<'a>>,
    to_the_left: bool,
}

/// Joins the running text of all pages.
pub(super) fn text(pages: &[Page]) -> RunningText {
    let mut text = String::new();
    let (mut barriers, mut odd) = (Vec::new(), Vec::new());
    let mut sheets = Vec::with_capacity(pages.len());
    for (page, margins) in pages.iter().zip(margins(pages)) {
        if !sheets.is_empty() {
            text.push('\u{c}');
        }
        let mut sheet = TextPage {
            body: Vec::new(),
            lines: Vec::new(),
            to_the_left: page.is_right_to_left(),
        };
        for (number, block) in page.blocks.iter().enumerate() {
            let inside = (0..block.lines.len()).filter(|&at| !margins.contains(&(number, at)));
            let lines: Vec<&Line> = inside.map(|at| &block.lines[at]).collect();
            sheet.body.extend(&lines);
            if !is_running(block) {
                continue;
            }
            let caption = is_caption(block);
            for line in lines.into_iter().filter(|line| !line.words.is_empty()) {
                let start = text.len();
                let follows = |last: &TextLine<'_>| {
                    follows(last, line, number, sheet.to_the_left)
                        && !stands_between(page, last.line, line)
                };
                if !sheet.lines.last().is_some_and(follows) {
                    barriers.push(start);
                }
                for (at, word) in line.words.iter().enumerate() {
                    if text.len() > start {
                        text.push(' ');
                    }
                    // Brackets of right-to-left text are mirrored in the output.
                    let mirrored = sheet.to_the_left
                        && word.text.contains(['(', ')', '[', ']', '{', '}', '«', '»']);
                    if mirrored || is_odd(word, line, page) || is_part(at, line) {
                        odd.push(text.len());
                    }
                    text.push_str(&word.text);
                }
                sheet.lines.push(TextLine {
                    line,
                    block: number,
                    start,
                    end: text.len(),
                    caption,
                });
                text.push('\n');
            }
            text.push('\n');
        }
        sheets.push(sheet);
    }
    let mut gaps: Vec<Continuation> = sheets
        .iter()
        .flat_map(|sheet| sheet.columns(&text))
        .collect();
    gaps.extend(
        sheets
            .windows(2)
            .filter_map(|pair| over_page(&text, &pair[0], &pair[1])),
    );
    let abreast = sheets.iter().flat_map(TextPage::abreast).collect();
    RunningText {
        text,
        gaps,
        abreast,
        barriers,
        odd,
    }
}

/// Returns true if a line continues the same text: below, of the same size, at the same edge.
fn follows(last: &TextLine<'_>, line: &Line, block: usize, to_the_left: bool) -> bool {
    let (one, other) = (&last.line.area, &line.area);
    let step = other.middle() - one.middle();
    let height = last.line.letter_height();
    let same_size = (height - line.letter_height()).abs() <= height * SAME_SIZE;
    let edge = match to_the_left {
        true => one.right - other.right,
        false => one.left - other.left,
    };
    let aligned = last.block == block || edge.abs() < 25.0;
    same_size && aligned && one.shares_column(other) && step > height * 0.5 && step < height * 2.6
}

/// Returns true if another line of the page is between the two.
fn stands_between(page: &Page, upper: &Line, lower: &Line) -> bool {
    let is_between = |line: &Line| {
        let (top, bottom) = (upper.area.middle(), lower.area.middle());
        let slack = 0.3 * (bottom - top);
        (top + slack..bottom - slack).contains(&line.area.middle())
            && (line.area.shares_column(&upper.area) || line.area.shares_column(&lower.area))
    };
    let lines = page.blocks.iter().flat_map(|block| &block.lines);
    lines.filter(|line| !line.words.is_empty()).any(is_between)
}

/// Returns true if a block is the caption of a figure or a table, by its first words.
fn is_caption(block: &Block) -> bool {
    let words = block.lines.first().map(|line| line.words.as_slice());
    let [word, number, ..] = words.unwrap_or_default() else {
        return false;
    };
    let names = [
        "fig", "tab", "abb", "图", "圖", "表", "図", "그림", "표", "شکل", "جدول",
    ];
    let word = word.text.to_lowercase();
    names.iter().any(|name| word.starts_with(name)) && number.text.contains(char::is_numeric)
}

/// Returns true if a word is raised, lowered, smaller than its neighbours, or cut off by the edge
/// of the paper.
fn is_odd(word: &PrintedWord, line: &Line, page: &Page) -> bool {
    let height = line.letter_height();
    let mut feet: Vec<f64> = line.words.iter().map(|word| word.area.bottom).collect();
    feet.sort_by(f64::total_cmp);
    let foot = feet[feet.len() / 2];
    word.area.height() < height * 0.8
        || (word.area.bottom - foot).abs() > height * 0.2
        || word.area.right > page.width - 2.0
        || word.area.left < 2.0
}

/// Returns true if a word touches a neighbour and is part of a longer one, such as a logo, a
/// formula, or letters with a separate accent.
fn is_part(at: usize, line: &Line) -> bool {
    let touches = |other: Option<&PrintedWord>| {
        let (word, Some(other)) = (&line.words[at].area, other.map(|other| &other.area)) else {
            return false;
        };
        let gap = (other.left - word.right).max(word.left - other.right);
        gap < line.letter_height() * TOUCHING
    };
    let next = line.words.get(at + 1);
    touches(next) || touches(at.checked_sub(1).map(|before| &line.words[before]))
}

/// Returns true if a block is prose: lines of several words, mostly letters, without dot leaders.
fn is_running(block: &Block) -> bool {
    let words = || block.lines.iter().flat_map(|line| &line.words);
    let count = words().count();
    let letters = |word: &&PrintedWord| {
        let all = word.text.chars().count();
        word.text.chars().filter(|c| c.is_alphabetic()).count() * 2 > all
    };
    let spaceless = words()
        .flat_map(|word| word.text.chars())
        .filter(|c| is_spaceless(*c))
        .count();
    let wide = if spaceless > 12 {
        spaceless >= block.lines.len() * 12
    } else {
        count >= block.lines.len() * 5
    };
    let dotted = words().any(|word| word.text.contains("...") || word.text == ".");
    wide && !dotted && words().filter(letters).count() * 10 >= count * 7
}

impl TextPage<'_> {
    /// Returns true if no body text except footnotes is below a line in its column.
    fn is_last(&self, of: &Line) -> bool {
        let below = |line: &&&Line| {
            line.area.middle() > of.area.middle() + 2.0 && line.area.shares_column(&of.area)
        };
        let mut below: Vec<&Line> = self.body.iter().filter(below).copied().collect();
        below.sort_by(|one, other| one.area.top.total_cmp(&other.area.top));
        let small = |line: &&Line| line.letter_height() < of.letter_height() * (1.0 - SAME_SIZE);
        let marked = |line: &&Line| {
            let text = line.text();
            let begins = text.starts_with(|c: char| c.is_numeric() || "*†‡§[(".contains(c));
            // "[ 1 -1 ]" is code.
            begins && text.chars().filter(|c| c.is_alphabetic()).count() > 2
        };
        below.first().is_none_or(marked) && below.iter().all(small)
    }

    /// Returns true if no body text is above a line in its column, except text that is also above
    /// the other line.
    fn is_first(&self, of: &Line, beside: Option<&Line>) -> bool {
        self.body.iter().all(|line| {
            let above =
                line.area.middle() < of.area.middle() - 2.0 && line.area.shares_column(&of.area);
            !above || beside.is_some_and(|beside| line.area.shares_column(&beside.area))
        })
    }

    /// Returns true if no body text is beside a line on the side where reading continues or came
    /// from.
    fn is_outermost(&self, of: &Line, last: bool) -> bool {
        let to_the_right = last != self.to_the_left;
        self.body.iter().all(|line| match to_the_right {
            true => line.area.left <= of.area.right,
            false => line.area.right >= of.area.left,
        })
    }

    /// Returns the column of a line: from its leftmost to its rightmost edge.
    fn column(&self, of: &Line) -> PageArea {
        let width = |set: &&TextLine<'_>| set.line.area.right - set.line.area.left;
        let mut same: Vec<&TextLine<'_>> = self
            .lines
            .iter()
            .filter(|set| set.line.area.shares_column(&of.area))
            .collect();
        same.sort_by(|one, other| width(one).total_cmp(&width(other)));
        // A title over all columns is wider than the lines of one column.
        let usual = same.get(same.len() / 2).map_or(0.0, width);
        same.retain(|set| width(set) <= usual * 1.25);
        same.iter().fold(of.area, |all, set| PageArea {
            left: all.left.min(set.line.area.left),
            right: all.right.max(set.line.area.right),
            ..all
        })
    }

    /// Returns the share of its column that a line fills.
    fn fills(&self, line: &Line) -> f64 {
        let column = self.column(line);
        let filled = match self.to_the_left {
            true => column.right - line.area.left,
            false => line.area.right - column.left,
        };
        filled / (column.right - column.left)
    }

    /// Returns the continuations in the next column.
    fn columns(&self, text: &str) -> Vec<Continuation> {
        let lasts = self.lines.iter().filter(|set| self.is_last(set.line));
        let gaps = lasts.filter_map(|last| {
            let beside = self.lines.iter().filter(|set| {
                let gutter = set.line.area.left - self.column(last.line).right;
                GUTTER.contains(&gutter)
                    && set.line.area.top < last.line.area.top - 60.0
                    && self.is_first(set.line, Some(last.line))
            });
            let first =
                beside.min_by(|one, other| one.line.area.left.total_cmp(&other.line.area.left))?;
            runs_on(text, self, last, self, first).then(|| gap(last, first, false))
        });
        gaps.collect()
    }

    /// Returns pairs of lines at the same height in neighbouring columns.
    fn abreast(&self) -> Vec<SideBySideLines> {
        let mut pairs = Vec::new();
        for left in &self.lines {
            pairs.extend(self.lines.iter().filter_map(|right| {
                let level = (left.line.area.middle() - right.line.area.middle()).abs() < 2.5;
                let gutter = GUTTER.contains(&(right.line.area.left - left.line.area.right));
                let long = left.line.words.len() > 3 && right.line.words.len() > 3;
                (level && gutter && long && left.block != right.block).then_some(SideBySideLines {
                    left: (left.start, left.end),
                    right: (right.start, right.end),
                })
            }));
        }
        pairs
    }
}

/// Returns the continuation at the top of the next page.
fn over_page(text: &str, page: &TextPage<'_>, next: &TextPage<'_>) -> Option<Continuation> {
    let last = page
        .lines
        .iter()
        .find(|set| page.is_last(set.line) && page.is_outermost(set.line, true))?;
    let first = next
        .lines
        .iter()
        .find(|set| next.is_first(set.line, None) && next.is_outermost(set.line, false))?;
    runs_on(text, page, last, next, first).then(|| gap(last, first, true))
}

fn gap(last: &TextLine<'_>, first: &TextLine<'_>, turns_page: bool) -> Continuation {
    Continuation {
        line: last.start,
        before: last.end,
        after: first.start,
        turns_page,
    }
}

/// Returns true if a sentence continues from one line to the other, judged by letters, size and
/// position.
fn runs_on(
    text: &str,
    page: &TextPage<'_>,
    last: &TextLine<'_>,
    next: &TextPage<'_>,
    first: &TextLine<'_>,
) -> bool {
    let end = text[..last.end].chars().next_back().unwrap_or('.');
    let begin = text[first.start..].chars().next().unwrap_or('.');
    let cased = begin.is_lowercase() && (end.is_alphabetic() || matches!(end, ',' | '-'));
    let caseless = |c: char| c.is_alphabetic() && !c.is_lowercase() && !c.is_uppercase();
    let full = page.fills(last.line);
    let goes_on =
        (cased && full >= FULL) || (caseless(begin) && caseless(end) && full >= QUITE_FULL);
    let (one, other) = (last.line.letter_height(), first.line.letter_height());
    let same_size = (one - other).abs() <= one * SAME_SIZE;
    let indent = |sheet: &TextPage<'_>, line: &Line| match sheet.to_the_left {
        true => sheet.column(line).right - line.area.right,
        false => line.area.left - sheet.column(line).left,
    };
    let aligned = (indent(page, last.line) - indent(next, first.line)).abs() < 20.0;
    goes_on && same_size && aligned && !last.caption && !first.caption
}

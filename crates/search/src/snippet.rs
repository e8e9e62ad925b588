//! Snippets: the best passage of a hit with its words marked.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::analysis::tokens;
use crate::index::{ChunkHit, TermMatchKind};

/// Length of a snippet in characters.
const SNIPPET_CHARS: usize = 240;
/// Sign of text that was left out.
const ELLIPSIS: char = '…';

/// Passage of a chunk with marked words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snippet {
    /// Text, in one line.
    pub text: String,
    /// Ranges of the marked words, in UTF-16 units.
    pub highlights: Vec<Range<usize>>,
}

/// Marked word of a text.
struct Mark {
    range: Range<usize>,
    /// Word of the query.
    word: usize,
    score: f32,
}

/// Returns about 240 characters around the passage of a hit that has most of the words.
pub fn make_snippet(hit: &ChunkHit) -> Snippet {
    let text = &hit.chunk.text;
    let marks = marks(hit);
    let window = best_window(text, &marks);
    render(text, window, &marks)
}

/// Returns the words of the text that the query matched, ascending.
fn marks(hit: &ChunkHit) -> Vec<Mark> {
    let language = hit.chunk.language();
    let stem = |word: &str| {
        let token = tokens(word).into_iter().next()?;
        token.stems(language).0
    };
    let mut words: HashMap<String, (usize, f32)> = HashMap::new();
    let mut stems: HashMap<String, (usize, f32)> = HashMap::new();
    let mut parts: Vec<(String, usize, f32)> = Vec::new();
    for (at, term) in hit.terms.iter().enumerate() {
        for word in &term.searched {
            let value = (at, term.score);
            words.entry(word.clone()).or_insert(value);
            let stem = stem(word);
            if let Some(stem) = &stem
                && term.kind != TermMatchKind::Prefix
            {
                stems.entry(stem.clone()).or_insert(value);
            }
            if term.kind == TermMatchKind::Compound {
                parts.extend(stem.map(|stem| (stem, at, term.score)));
            }
        }
    }
    let mut marks: Vec<Mark> = Vec::new();
    for token in tokens(text_of(hit)) {
        let stemmed = || {
            token
                .stems(language)
                .0
                .and_then(|stem| stems.get(&stem).copied())
        };
        let compound = || {
            let part = parts
                .iter()
                .find(|(part, ..)| token.folded.contains(part.as_str()));
            part.map(|(_, word, score)| (*word, *score))
        };
        let found = words
            .get(&token.folded)
            .copied()
            .or_else(stemmed)
            .or_else(compound);
        if let Some((word, score)) = found {
            marks.push(Mark {
                range: token.range,
                word,
                score,
            });
        }
    }
    marks
}

fn text_of(hit: &ChunkHit) -> &str {
    &hit.chunk.text
}

/// Returns the window of the text with the largest sum of scores of different words.
fn best_window(text: &str, marks: &[Mark]) -> Range<usize> {
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    if starts.len() <= SNIPPET_CHARS {
        return 0..text.len();
    }
    let char_at = |byte: usize| starts.partition_point(|start| *start < byte);
    let mut best = (0.0, 0, 0);
    for (at, mark) in marks.iter().enumerate() {
        let first = char_at(mark.range.start);
        let inside = marks[at..]
            .iter()
            .take_while(|other| char_at(other.range.end) <= first + SNIPPET_CHARS * 3 / 4);
        let (mut seen, mut sum, mut last) = (HashSet::new(), 0.0, first);
        for other in inside {
            // A word that occurs again adds little.
            sum += other.score * if seen.insert(other.word) { 1.0 } else { 0.1 };
            last = char_at(other.range.end);
        }
        if sum > best.0 {
            best = (sum, first, last);
        }
    }
    let (_, first, last) = best;
    let room = SNIPPET_CHARS.saturating_sub(last - first);
    let start = first
        .saturating_sub(room / 2)
        .min(starts.len() - SNIPPET_CHARS);
    let end = start + SNIPPET_CHARS;
    let byte = |char: usize| starts.get(char).copied().unwrap_or(text.len());
    let is_space = |char: usize| text[byte(char)..].starts_with(char::is_whitespace);
    // Words are not cut, unless the text has no spaces near.
    let start = match start {
        0 => 0,
        _ => (start..(start + 24).min(first + 1))
            .find(|at| is_space(*at))
            .unwrap_or(start),
    };
    let end = match end {
        end if end >= starts.len() => starts.len(),
        end => (last.max(end - 24)..=end)
            .rev()
            .find(|at| is_space(*at))
            .unwrap_or(end),
    };
    byte(start)..byte(end)
}

/// Writes a window of the text in one line, with ellipses where it is cut.
fn render(text: &str, window: Range<usize>, marks: &[Mark]) -> Snippet {
    let mut snippet = Snippet::default();
    let mut units = 0;
    let mut push = |snippet: &mut Snippet, char: char| {
        snippet.text.push(char);
        units += char.len_utf16();
        units
    };
    if window.start > 0 {
        push(&mut snippet, ELLIPSIS);
    }
    let mut marks = marks
        .iter()
        .filter(|mark| window.start <= mark.range.start && mark.range.end <= window.end)
        .peekable();
    let mut open: Option<(usize, usize)> = None;
    let mut is_space = true;
    let mut position = usize::from(window.start > 0);
    for (at, char) in text[window.clone()].char_indices() {
        let at = window.start + at;
        if let Some((start, end)) = open
            && at >= end
        {
            snippet.highlights.push(start..position);
            open = None;
        }
        while let Some(mark) = marks.next_if(|mark| mark.range.start <= at) {
            // Bigrams overlap, so marks that touch are one.
            let start = open.map_or(position, |(start, _)| start);
            let end = open.map_or(mark.range.end, |(_, end)| end.max(mark.range.end));
            if open.is_none()
                && let Some(last) = snippet.highlights.pop_if(|last| last.end == position)
            {
                open = Some((last.start, end));
            } else {
                open = Some((start, end));
            }
        }
        let is_blank = char.is_whitespace() || char.is_control() || char == '│';
        if is_blank && is_space {
            continue;
        }
        is_space = is_blank;
        position = push(&mut snippet, if is_blank { ' ' } else { char });
    }
    if let Some((start, _)) = open {
        snippet.highlights.push(start..position);
    }
    if window.end < text.len() {
        push(&mut snippet, ELLIPSIS);
    }
    snippet
}

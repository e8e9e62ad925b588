//! Quotations as people write them: words in quotation marks, and the source and page that follow them.
//!
//! ```text
//! “High tide is at noon” (harbour.pdf, p. 3)      “…” — harbour.pdf, p. 3
//! ‘High tide is at noon’ (Larsen 2015, p. xiv)    «…».[^1]  with  [^1]: Larsen 2015, S. 3
//! Larsen (2015, p. 14) writes: “High tide …”      “…” [3, p. 7]  with  [3] report.pdf
//! ```
//!
//! This works on a finished answer; the incremental parser of model output is [`crate::CitationParser`].

mod block_quotes;
mod footnote_texts;
mod marks;
mod narrative;
mod page_labels;
mod reference;
mod reference_list;

use std::ops::Range;

pub use reference::WrittenReference;

use footnote_texts::{FootnoteTexts, footnote_mark};
use marks::MarkedQuote;
use reference_list::ReferenceList;

/// Longest text in brackets that is read as a reference, in bytes.
const LONGEST_REFERENCE: usize = 600;
/// Longest distance in bytes between a quotation and a reference at the end of its sentence.
const LONGEST_DISTANCE: usize = 1000;

/// Passage in quotation marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quotation {
    /// Range with the quotation marks.
    pub range: Range<usize>,
    /// Range of the words between them.
    pub words: Range<usize>,
    /// Source that is named after it.
    pub attribution: Option<Attribution>,
}

/// Source and page that a text names for a quotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribution {
    /// Source and page.
    pub reference: WrittenReference,
    /// Other sources and pages that the same brackets or the same footnote name.
    pub others: Vec<WrittenReference>,
    /// End of the attribution, or of the mark that refers to its footnote.
    pub end: usize,
    /// True if the reference follows the quotation directly, so that a name without page or year may be meant.
    pub is_adjacent: bool,
}

impl Attribution {
    /// Returns true if the text is a reference by its form: it has a page or a year, repeats the one before, or is
    /// a number of a list.
    pub fn is_certain(&self) -> bool {
        let reference = &self.reference;
        reference.page.is_some()
            || reference.has_year
            || reference.is_repeated
            || reference.is_listed
    }

    /// Returns an attribution to the first of these references. Returns `None` if there are none.
    fn to_first(references: Vec<WrittenReference>, end: usize, is_adjacent: bool) -> Option<Self> {
        let mut references = references.into_iter();
        Some(Self {
            reference: references.next()?,
            others: references.collect(),
            end,
            is_adjacent,
        })
    }
}

/// Footnotes and lists that the references of a text point to.
struct ReferenceTargets<'t> {
    footnotes: FootnoteTexts<'t>,
    list: ReferenceList<'t>,
}

impl<'t> ReferenceTargets<'t> {
    fn find(text: &'t str) -> Self {
        Self {
            footnotes: FootnoteTexts::find(text),
            list: ReferenceList::find(text),
        }
    }

    /// Reads the references of a footnote.
    fn in_footnote(&self, label: &str) -> Vec<WrittenReference> {
        let note = self.footnotes.get(label);
        note.map(reference::read_all).unwrap_or_default()
    }

    /// Reads the references in brackets.
    fn in_brackets(&self, inside: &str) -> Vec<WrittenReference> {
        let listed = self.list.read(inside);
        if listed.is_empty() {
            reference::read_all(inside)
        } else {
            listed
        }
    }
}

/// Finds the quotations of a text in order, with their attributions: passages in quotation marks, and block quotes with an
/// attribution.
///
/// ```
/// let text = "He wrote “High tide is at noon” (harbour.pdf, pp. 3–4).";
/// let found = citations::find_quotations(text);
/// assert_eq!(&text[found[0].words.clone()], "High tide is at noon");
/// let reference = &found[0].attribution.as_ref().unwrap().reference;
/// assert_eq!(reference.source.as_deref(), Some("harbour.pdf"));
/// assert_eq!(reference.page.as_deref(), Some("3"));
/// ```
pub fn find_quotations(text: &str) -> Vec<Quotation> {
    let targets = ReferenceTargets::find(text);
    let marked = marks::find(text);
    let mut found: Vec<Quotation> = Vec::with_capacity(marked.len());
    for (at, quote) in marked.iter().enumerate() {
        let next = marked
            .get(at + 1)
            .map_or(text.len(), |next| next.range.start);
        let limit = quote.paragraph_end.min(next);
        let after = attribution_after(text, quote, limit, &targets);
        // A bracket that belongs to the quotation before says nothing about this one.
        let floor = found.last().map_or(0, |before| {
            let attribution = before.attribution.as_ref();
            attribution.map_or(before.range.end, |found| found.end.max(before.range.end))
        });
        found.push(Quotation {
            range: quote.range.clone(),
            words: quote.words.clone(),
            attribution: with_narrative(text, quote, floor, after),
        });
    }
    share_attributions(text, &mut found);
    found.extend(block_quotes::find(text, &targets));
    found.sort_by_key(|quote| quote.range.start);
    repeat_sources(&mut found);
    found
}

/// Reads a reference such as `Larsen 2015, p. 14`. Returns `None` if it names neither a source nor a page.
pub fn read_reference(text: &str) -> Option<WrittenReference> {
    reference::read(text).map(|(reference, _)| reference)
}

/// Finds the attribution of a quotation in the text up to `limit`.
fn attribution_after(
    text: &str,
    quote: &MarkedQuote,
    limit: usize,
    targets: &ReferenceTargets<'_>,
) -> Option<Attribution> {
    let close = quote.range.end;
    let rest = text.get(close..limit)?;
    let gap = rest.len() - rest.trim_start_matches(is_gap).len();
    let adjacent = close + gap;
    if let Some(found) = dash_attribution(text, close, adjacent, limit) {
        return Some(found);
    }
    let mut at = adjacent;
    while at < limit && at - close <= LONGEST_DISTANCE {
        let here = &text[at..limit];
        let first = here.chars().next()?;
        if let Some((label, length)) = footnote_mark(here) {
            return Attribution::to_first(targets.in_footnote(label), at + length, true);
        }
        if let Some((inside, length)) = bracketed(here) {
            let references = match narrative::reference_at(text, close, at, inside) {
                Some(reference) => vec![reference],
                None => targets.in_brackets(inside),
            };
            let found = Attribution::to_first(references, at + length, at == adjacent);
            if let Some(found) = found.filter(|found| found.is_adjacent || found.is_certain()) {
                return Some(found);
            }
            at += length;
            continue;
        }
        if ends_sentence(here) {
            return None;
        }
        at += first.len_utf8();
    }
    None
}

/// Completes the attribution after a quotation by the source that the sentence names before it.
fn with_narrative(
    text: &str,
    quote: &MarkedQuote,
    floor: usize,
    after: Option<Attribution>,
) -> Option<Attribution> {
    let start = quote.range.start;
    let is_complete =
        |after: &Attribution| after.reference.source.is_some() || after.reference.is_repeated;
    if after.as_ref().is_some_and(is_complete) {
        return after;
    }
    let mut floor = text.floor_char_boundary(floor.max(start.saturating_sub(LONGEST_DISTANCE)));
    if let Some(blank) = text[floor..start].rfind("\n\n") {
        floor += blank;
    }
    let Some(narrative) = narrative::find_before(text, floor, start) else {
        return after;
    };
    let page = after
        .as_ref()
        .and_then(|after| after.reference.page.clone());
    Some(Attribution {
        reference: WrittenReference {
            page: page.or(narrative.page),
            ..narrative
        },
        others: Vec::new(),
        end: after.map_or(quote.range.end, |after| after.end),
        is_adjacent: true,
    })
}

/// Returns true for characters between a quotation and its reference.
fn is_gap(char: char) -> bool {
    char.is_whitespace()
        || matches!(
            char,
            '.' | ',' | ';' | ':' | '!' | '?' | '…' | '*' | '_' | '>' | '。' | '，' | '、'
        )
}

/// Reads an attribution after a dash: on the same line, or on the next.
fn dash_attribution(text: &str, close: usize, at: usize, limit: usize) -> Option<Attribution> {
    let here = &text[at..limit];
    let is_new_line = text[close..at].contains('\n');
    let dash = ["—", "–", "―", "--", "⸺"]
        .into_iter()
        .find(|dash| here.starts_with(dash))
        .or_else(|| (is_new_line && here.starts_with("- ")).then_some("-"))?;
    let after = here[dash.len()..].trim_start_matches('-');
    let start = at + here.len() - after.len();
    let line = after.split('\n').next()?;
    let (reference, end) = reference::read(line)?;
    // Without a page the name is the whole line, so that a dash in a sentence is not an attribution by itself.
    let end = start
        + if reference.page.is_some() {
            end
        } else {
            line.trim_end().len()
        };
    Some(Attribution {
        reference,
        others: Vec::new(),
        end,
        is_adjacent: true,
    })
}

/// Returns the text in the brackets at the start of `here`, and the length with them. Markers such as `[1]` are none.
fn bracketed(here: &str) -> Option<(&str, usize)> {
    let open = here.chars().next()?;
    let close = match open {
        '(' => ')',
        '（' => '）',
        '[' => ']',
        '［' => '］',
        _ => return None,
    };
    let mut depth = 0_usize;
    for (at, char) in here
        .char_indices()
        .take_while(|(at, _)| *at <= LONGEST_REFERENCE)
    {
        if char == open {
            depth += 1;
        } else if char == close {
            depth -= 1;
            if depth == 0 {
                let inside = &here[open.len_utf8()..at];
                return Some((inside, at + char.len_utf8()));
            }
        }
    }
    None
}

/// Returns true if a sentence ends with the first character: white space and a capital letter follow, or the text ends.
fn ends_sentence(here: &str) -> bool {
    let mut chars = here.chars();
    match chars.next() {
        Some('.' | '!' | '?') => {}
        Some('。' | '！' | '？' | '؟' | '۔') => return true,
        _ => return false,
    }
    let after = chars.as_str();
    let next = after.trim_start();
    next.len() < after.len()
        && next.starts_with(|char: char| {
            char.is_uppercase() || (char.is_alphabetic() && !char.is_lowercase())
        })
}

/// Shares attributions between the quotations of one sentence: “a” and “b” (source, p. 3).
fn share_attributions(text: &str, found: &mut [Quotation]) {
    for at in (1..found.len()).rev() {
        share(text, found, at, at - 1);
    }
    for at in 1..found.len() {
        // Only a source that is named before the first quotation is meant for the second as well.
        let before = &found[at - 1];
        let is_narrative = before
            .attribution
            .as_ref()
            .is_some_and(|attribution| attribution.end == before.range.end);
        if is_narrative {
            share(text, found, at - 1, at);
        }
    }
}

/// Gives the attribution of one quotation to its neighbour if that has none and both are in one sentence.
fn share(text: &str, found: &mut [Quotation], from: usize, to: usize) {
    let shared = found[from].attribution.clone();
    let Some(shared) = shared.filter(Attribution::is_certain) else {
        return;
    };
    let between = found[from.min(to)].range.end..found[from.max(to)].range.start;
    let is_one_sentence = text.get(between).is_some_and(|words| {
        words.len() <= LONGEST_DISTANCE
            && !words.contains("\n\n")
            && !words.trim_end().ends_with(['.', '!', '?'])
            && !words
                .char_indices()
                .any(|(at, _)| ends_sentence(&words[at..]))
    });
    if found[to].attribution.is_none() && is_one_sentence {
        found[to].attribution = Some(Attribution {
            end: found[to].range.end,
            ..shared
        });
    }
}

/// Replaces `ibid.` by the source before it.
fn repeat_sources(found: &mut [Quotation]) {
    let mut last: Option<WrittenReference> = None;
    for attribution in found
        .iter_mut()
        .filter_map(|quote| quote.attribution.as_mut())
    {
        let reference = &mut attribution.reference;
        if reference.is_repeated
            && let Some(last) = &last
        {
            reference.source.clone_from(&last.source);
            if reference.page.is_none() {
                reference.page.clone_from(&last.page);
            }
        }
        last = Some(reference.clone());
    }
}

#[cfg(test)]
mod tests;

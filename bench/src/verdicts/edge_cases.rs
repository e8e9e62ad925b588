//! Quotes that are right but elsewhere, or in several places.

use std::ops::Range;

use pincite_bench::corpus::rng::Rng;

use crate::case::{CaseDraft, CaseGroup, CaseKind, ExpectedVerdict, LINES_NEAR, PassagePlace};
use crate::honest::{fits, passage};
use crate::source::Source;

const fn kind(name: &'static str, draft: fn(&mut Rng, &Source) -> Option<CaseDraft>) -> CaseKind {
    CaseKind {
        name,
        group: CaseGroup::Edge,
        count: 200,
        draft,
    }
}

/// Kinds of edge cases.
pub(crate) static KINDS: [CaseKind; 7] = [
    kind("wrong page", wrong_page),
    kind("page that is not there", missing_page),
    kind("wrong line", wrong_line),
    kind("line nearby", near_line),
    kind("repeated, lines given", |rng, source| {
        repeated(rng, source, true)
    }),
    kind("repeated, page given", |rng, source| {
        repeated(rng, source, false)
    }),
    kind("anchor elsewhere", anchor_elsewhere),
];

/// Returns a passage that is in one place only.
fn unique(rng: &mut Rng, source: &Source) -> Option<(Range<usize>, String, PassagePlace)> {
    let words = passage(rng, source, 5..30)?;
    let phrase = source.joined(words.clone());
    let place = source.place(&words);
    (source.places(&phrase) == [place.clone()]).then_some((words, phrase, place))
}

fn draft(
    phrase: String,
    page: u32,
    lines: Vec<u32>,
    status: &'static str,
    places: Vec<PassagePlace>,
) -> CaseDraft {
    CaseDraft {
        phrase,
        anchor: None,
        page: Some(page),
        lines,
        expected: ExpectedVerdict::Exactly(status, places),
    }
}

fn wrong_page(rng: &mut Rng, source: &Source) -> Option<CaseDraft> {
    let (_, phrase, place) = unique(rng, source)?;
    let page = rng.within(1, source.pages as usize) as u32;
    let elsewhere = page != place.page;
    elsewhere.then(|| draft(phrase, page, Vec::new(), "found_on_other_page", vec![place]))
}

fn missing_page(rng: &mut Rng, source: &Source) -> Option<CaseDraft> {
    let (_, phrase, place) = unique(rng, source)?;
    let page = source.pages + rng.within(1, 50) as u32;
    let mut draft = draft(phrase, page, Vec::new(), "found", Vec::new());
    draft.expected = ExpectedVerdict::ElsewhereWithProblem("page_outside", vec![place]);
    Some(draft)
}

/// Returns a line of the page at this distance from the beginning of the passage.
fn line_at(
    rng: &mut Rng,
    source: &Source,
    place: &PassagePlace,
    distance: Range<u32>,
) -> Option<u32> {
    let first = *place.lines.first()?;
    let on_page = source.words.iter().filter(|word| word.page == place.page);
    let last = on_page.map(|word| word.line).max()?;
    let lines: Vec<u32> = (1..=last)
        .filter(|line| distance.contains(&line.abs_diff(first)))
        .collect();
    (!lines.is_empty()).then(|| lines[rng.below(lines.len())])
}

fn wrong_line(rng: &mut Rng, source: &Source) -> Option<CaseDraft> {
    let (_, phrase, place) = unique(rng, source)?;
    let line = line_at(rng, source, &place, LINES_NEAR + 1..u32::MAX)?;
    // A line that the passage itself touches is not wrong.
    let reached = place.lines.contains(&line);
    (!reached).then(|| {
        draft(
            phrase,
            place.page,
            vec![line],
            "found_on_other_line",
            vec![place],
        )
    })
}

fn near_line(rng: &mut Rng, source: &Source) -> Option<CaseDraft> {
    let (_, phrase, place) = unique(rng, source)?;
    let line = line_at(rng, source, &place, 1..LINES_NEAR + 1)?;
    Some(draft(phrase, place.page, vec![line], "found", vec![place]))
}

fn repeated(rng: &mut Rng, source: &Source, with_lines: bool) -> Option<CaseDraft> {
    let words = passage(rng, source, 3..25)?;
    let phrase = source.joined(words.clone());
    let mut places = source.places(&phrase);
    if places.len() < 2 {
        return None;
    }
    // The other places may have different punctuation, so the words are cited at their origin.
    let meant = source.place(&words);
    places.push(meant.clone());
    let lines = if with_lines { meant.lines } else { Vec::new() };
    places.retain(|place| fits(place, Some(meant.page), &lines));
    Some(draft(phrase, meant.page, lines, "found", places))
}

fn anchor_elsewhere(rng: &mut Rng, source: &Source) -> Option<CaseDraft> {
    let (_, phrase, place) = unique(rng, source)?;
    let words = passage(rng, source, 2..4)?;
    let anchor = source.joined(words);
    let plain = anchor.chars().all(|c| c.is_alphabetic() || c == ' ');
    if !plain || !phrase_lacks(&phrase, &anchor) {
        return None;
    }
    let mut draft = draft(
        phrase,
        place.page,
        Vec::new(),
        "found_phrase_missed_anchor_text",
        vec![place],
    );
    draft.anchor = Some(anchor);
    Some(draft)
}

/// Returns true if none of the anchor's words is in the phrase.
fn phrase_lacks(phrase: &str, anchor: &str) -> bool {
    let phrase = phrase.to_lowercase();
    let mut words = anchor.split(' ').map(str::to_lowercase);
    words.all(|word| !phrase.contains(&word))
}

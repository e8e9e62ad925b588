//! Quotes of printed text across the end of a line, column or page, or with an omission.

use std::ops::Range;

use pincite_bench::corpus::rng::Rng;

use crate::case::{CaseDraft, CaseGroup, CaseKind, ExpectedVerdict, PassagePlace};
use crate::honest::{cited, passage};
use crate::printed_document::Continuation;
use crate::source::Source;

const fn kind(
    name: &'static str,
    count: usize,
    draft: fn(&mut Rng, &Source) -> Option<CaseDraft>,
) -> CaseKind {
    CaseKind {
        name,
        group: CaseGroup::Break,
        count,
        draft,
    }
}

/// Number of cases per gap.
const EACH: usize = 4;

/// Kinds that exist only in printed text.
pub(crate) static KINDS: [CaseKind; 4] = [
    kind("across a page break", 600, |rng, source| {
        across(rng, source, true)
    }),
    kind("across a column break", 300, |rng, source| {
        across(rng, source, false)
    }),
    kind("with an ellipsis", 600, ellipsis),
    kind("hyphenated words", 400, hyphenated),
];

/// Returns a passage that begins before a gap and ends behind it.
fn across(rng: &mut Rng, source: &Source, turns_page: bool) -> Option<CaseDraft> {
    let gaps = &source.printed.as_ref()?.gaps;
    let gaps: Vec<&Continuation> = gaps
        .iter()
        .filter(|gap| gap.turns_page == turns_page)
        .collect();
    if gaps.is_empty() {
        return None;
    }
    let gap = gaps[rng.below(gaps.len())];
    // Only a few cases per gap, so that many gaps are covered.
    let mut rng = Rng::new(&format!("{}/{}", gap.before, rng.below(EACH)));
    let before = source.word_from(gap.before);
    let after = source.word_from(gap.after);
    let start = before.checked_sub(rng.within(3, 16))?;
    let end = after + rng.within(3, 16);
    let (tail, head) = (start..before, after..end.min(source.words.len()));
    let good = source.may_begin(tail.start)
        && source.may_end(head.end - 1)
        && source.on_one_page(&tail)
        && source.on_one_page(&head)
        && source.is_certain(&tail)
        && source.is_certain(&head);
    if !good {
        return None;
    }
    let phrase = over(source, &tail, &head);
    let (first, second) = (source.words[tail.start].page, source.words[head.start].page);
    let page = [None, Some(first), Some(second)][rng.below(3)];
    // Another place with the same words is right if the citation names it.
    let mut places = source.places(&phrase);
    places.retain(|place| page.is_none_or(|page| page == place.page));
    places.push(PassagePlace {
        page: first,
        lines: Vec::new(),
    });
    Some(CaseDraft {
        phrase,
        anchor: None,
        page,
        lines: Vec::new(),
        expected: ExpectedVerdict::Exactly("found", places),
    })
}

/// Joins two ranges of words into one line; a word divided between them is joined.
fn over(source: &Source, tail: &Range<usize>, head: &Range<usize>) -> String {
    let (mut phrase, head) = (source.joined(tail.clone()), source.joined(head.clone()));
    let mut ending = phrase.chars().rev();
    let divided = ending.next() == Some('-')
        && ending.next().is_some_and(char::is_alphabetic)
        && head.starts_with(char::is_lowercase);
    let spaceless = |c: Option<char>| c.is_some_and(crate::source::is_spaceless);
    if divided {
        phrase.pop();
    } else if !(spaceless(phrase.chars().next_back()) && spaceless(head.chars().next())) {
        phrase.push(' ');
    }
    phrase + &head
}

fn hyphenated(rng: &mut Rng, source: &Source) -> Option<CaseDraft> {
    let words = passage(rng, source, 5..40)?;
    let divided = (words.start + 1..words.end).any(|at| source.is_divided_before(at));
    let phrase = source.joined(words.clone());
    divided.then(|| cited(rng, source, words, phrase))
}

/// Returns the beginning and the end of a passage.
fn ellipsis(rng: &mut Rng, source: &Source) -> Option<CaseDraft> {
    let words = passage(rng, source, 14..60)?;
    let head = words.start + rng.within(4, words.len() / 2 - 2);
    let tail = rng.within(head + 2, words.end - 4);
    if !source.may_end(head - 1) || !source.may_begin(tail) {
        return None;
    }
    let (first, last) = (
        source.joined(words.start..head),
        source.joined(tail..words.end),
    );
    // Words that are adjacent elsewhere in the text are no ellipsis.
    if source.says(&format!("{first} {last}")) {
        return None;
    }
    let mark = rng.pick(&["…", "...", "[...]", "[…]"]);
    let place = source.place(&words);
    // Both parts may also be on another page, or on two consecutive pages.
    let mut places = source.places(&first);
    let others = source.places(&last);
    let follows = |place: &PassagePlace, other: &PassagePlace| {
        (0..2).contains(&(i64::from(other.page) - i64::from(place.page)))
    };
    places.retain(|place| others.iter().any(|other| follows(place, other)));
    places.push(place.clone());
    let page = (rng.below(2) == 0).then_some(place.page);
    places.retain(|place| page.is_none_or(|page| place.page == page));
    Some(CaseDraft {
        phrase: format!("{first} {mark} {last}"),
        anchor: None,
        page,
        lines: Vec::new(),
        expected: ExpectedVerdict::Exactly("partial_text_found", places),
    })
}

//! Dishonest quotes, which change the meaning of the text.

mod numbers;
mod order;
mod words;

use pincite_bench::corpus::rng::Rng;

use crate::case::{CaseDraft, CaseGroup, CaseKind, ExpectedVerdict};
use crate::honest::anchor;
use crate::source::Source;

/// Change of a sentence, given as words; `None` if it has nothing to change.
type Change = fn(&mut Rng, &Source, Vec<String>) -> Option<Vec<String>>;

const fn kind(name: &'static str, draft: fn(&mut Rng, &Source) -> Option<CaseDraft>) -> CaseKind {
    CaseKind {
        name,
        group: CaseGroup::Dishonest,
        count: 330,
        draft,
    }
}

/// Kinds of dishonest quotes.
pub(crate) static KINDS: [CaseKind; 17] = [
    kind("digit changed", |rng, source| {
        changed(rng, source, numbers::digit)
    }),
    kind("decimal moved", |rng, source| {
        changed(rng, source, numbers::decimal)
    }),
    kind("unit changed", |rng, source| {
        changed(rng, source, numbers::unit)
    }),
    kind("currency changed", |rng, source| {
        changed(rng, source, numbers::currency)
    }),
    kind("percent changed", |rng, source| {
        changed(rng, source, numbers::percent)
    }),
    kind("date shifted", |rng, source| {
        changed(rng, source, numbers::date)
    }),
    kind("sign changed", |rng, source| {
        changed(rng, source, numbers::sign)
    }),
    kind("name swapped", |rng, source| {
        changed(rng, source, words::name)
    }),
    kind("negation added", |rng, source| {
        changed(rng, source, words::negation_added)
    }),
    kind("negation removed", |rng, source| {
        changed(rng, source, words::negation_removed)
    }),
    kind("comparison flipped", |rng, source| {
        changed(rng, source, words::comparison)
    }),
    kind("modal changed", |rng, source| {
        changed(rng, source, words::modal)
    }),
    kind("quantifier changed", |rng, source| {
        changed(rng, source, words::quantifier)
    }),
    kind("word dropped", |rng, source| {
        changed(rng, source, words::dropped)
    }),
    kind("nouns exchanged", |rng, source| {
        changed(rng, source, order::nouns)
    }),
    kind("sentences fused", order::fused),
    kind("own words", order::own_words),
];

/// Kinds that exist only in printed text or in other languages.
pub(crate) static PRINTED: [CaseKind; 3] = [
    kind("across the gutter", order::gutter),
    kind("line left out", order::line_left_out),
    kind("negating character removed", words::character_removed),
];

/// Returns a sentence, or a part of it, with a change that makes it differ from the text.
fn changed(rng: &mut Rng, source: &Source, change: Change) -> Option<CaseDraft> {
    let sentence = sentence(rng, source)?;
    let mut range = sentence;
    if range.len() > 8 && rng.below(2) == 0 {
        let length = rng.within(7, range.len());
        range.start += rng.below(range.len() - length + 1);
        range.end = range.start + length;
    }
    let page = source.words[range.start].page;
    let place = source.place(&range);
    let words: Vec<String> = source.joined(range).split(' ').map(str::to_owned).collect();
    let words = change(rng, source, words)?;
    let mut draft = unsaid(rng, source, words.join(" "), page)?;
    if draft.page.is_some() && rng.below(2) == 0 {
        draft.lines = place.lines;
    }
    Some(draft)
}

/// Returns a case of a quote that the text does not contain; `None` if it does by chance.
fn unsaid(rng: &mut Rng, source: &Source, phrase: String, page: u32) -> Option<CaseDraft> {
    (!source.says(&phrase)).then(|| CaseDraft {
        anchor: anchor(rng, &phrase),
        phrase,
        page: (rng.below(2) == 0).then_some(page),
        lines: Vec::new(),
        expected: ExpectedVerdict::NotConfirmed,
    })
}

fn sentence(rng: &mut Rng, source: &Source) -> Option<std::ops::Range<usize>> {
    let count = source.sentences.len();
    (count > 0).then(|| source.sentences[rng.below(count)].clone())
}

/// Splits a word into the punctuation before it, the word, and the punctuation after it.
fn parts(word: &str) -> (&str, &str, &str) {
    let core = word.trim_matches(|c: char| !c.is_alphanumeric());
    let start = word.find(core).unwrap_or(0);
    (&word[..start], core, &word[start + core.len()..])
}

/// Replaces a word and keeps its capital and punctuation.
fn replace(word: &mut String, with: &str) {
    let (before, core, after) = parts(word);
    let capital = core.starts_with(char::is_uppercase);
    let mut letters = with.chars();
    let with: String = match letters.next().filter(|_| capital) {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => with.to_owned(),
    };
    *word = format!("{before}{with}{after}");
}

/// Returns one of the positions at which a word has a property.
fn site(rng: &mut Rng, words: &[String], has: impl Fn(usize, &str) -> bool) -> Option<usize> {
    let sites: Vec<usize> = (0..words.len())
        .filter(|&at| has(at, parts(&words[at]).1))
        .collect();
    (!sites.is_empty()).then(|| sites[rng.below(sites.len())])
}

/// Returns another word of the group of a word, in lower case.
fn other_in(rng: &mut Rng, groups: &[&[&'static str]], word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    let group = groups.iter().find(|group| group.contains(&word.as_str()))?;
    let others: Vec<&'static str> = group
        .iter()
        .filter(|other| **other != word)
        .copied()
        .collect();
    Some(rng.pick(&others))
}

//! Quotes with forgivable errors: typos and ellipses.

use pincite_bench::corpus::rng::Rng;

use crate::case::{CaseDraft, CaseGroup, CaseKind, ExpectedVerdict};
use crate::honest::passage;
use crate::source::Source;

const fn kind(name: &'static str, draft: fn(&mut Rng, &Source) -> Option<CaseDraft>) -> CaseKind {
    CaseKind {
        name,
        group: CaseGroup::Slip,
        count: 1000,
        draft,
    }
}

/// Kinds of forgivable errors.
pub(crate) static KINDS: [CaseKind; 2] = [kind("typos", typos), kind("ellipsis", ellipsis)];

fn draft(rng: &mut Rng, source: &Source, first: usize, phrase: String) -> CaseDraft {
    let page = source.words[first].page;
    CaseDraft {
        phrase,
        anchor: None,
        page: (rng.below(2) == 0).then_some(page),
        lines: Vec::new(),
        expected: ExpectedVerdict::FoundOrPartial,
    }
}

/// Changes one to three letters in words of five letters or more.
fn typos(rng: &mut Rng, source: &Source) -> Option<CaseDraft> {
    let range = passage(rng, source, 8..40)?;
    let mut words: Vec<String> = source
        .joined(range.clone())
        .split(' ')
        .map(str::to_owned)
        .collect();
    let long = |word: &String| word.len() > 4 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let mut sites: Vec<usize> = (0..words.len()).filter(|&at| long(&words[at])).collect();
    let before = words.join(" ");
    for _ in 0..rng.within(1, 3) {
        if sites.is_empty() {
            break;
        }
        let site = sites.swap_remove(rng.below(sites.len()));
        words[site] = mistyped(rng, &words[site]);
    }
    let phrase = words.join(" ");
    let changed = phrase != before && phrase.len() >= 40 && !source.says(&phrase);
    changed.then(|| draft(rng, source, range.start, phrase))
}

/// Swaps, drops, doubles or replaces one letter of a word.
fn mistyped(rng: &mut Rng, word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let at = rng.below(letters.len() - 1);
    match rng.below(4) {
        0 => letters.swap(at, at + 1),
        1 => drop(letters.remove(at)),
        2 => letters.insert(at, letters[at]),
        _ => letters[at] = char::from(b'a' + rng.below(26) as u8),
    }
    letters.into_iter().collect()
}

fn ellipsis(rng: &mut Rng, source: &Source) -> Option<CaseDraft> {
    let range = passage(rng, source, 14..60)?;
    let head = range.start + rng.within(4, range.len() / 2 - 2);
    let tail = rng.within(head + 2, range.end - 4);
    if !source.may_end(head - 1) || !source.may_begin(tail) {
        return None;
    }
    let (first, last) = (
        source.joined(range.start..head),
        source.joined(tail..range.end),
    );
    let gap = rng.pick(&["…", "...", "[...]", "[…]"]);
    let phrase = format!("{first} {gap} {last}");
    Some(draft(rng, source, range.start, phrase))
}

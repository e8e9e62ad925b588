//! The text's own words in another order.

use pincite_bench::corpus::rng::Rng;

use super::{parts, replace, sentence, unsaid};
use crate::case::Draft;
use crate::source::Source;

/// Words that stand before a noun.
const BEFORE_NOUNS: &[&str] = &["the", "a", "an", "this", "that", "of", "by", "to", "each"];
/// Words between two sentences that are put together.
const APART: usize = 30;

/// Two nouns in each other's place.
pub(super) fn nouns(rng: &mut Rng, _: &Source, mut words: Vec<String>) -> Option<Vec<String>> {
    let noun = |at: usize| {
        let core = parts(&words[at]).1;
        let announced = at > 0 && BEFORE_NOUNS.contains(&words[at - 1].to_lowercase().as_str());
        announced && core.len() > 4 && core.chars().all(char::is_lowercase)
    };
    let mut sites: Vec<usize> = (0..words.len()).filter(|&at| noun(at)).collect();
    if sites.len() < 2 {
        return None;
    }
    let first = sites.swap_remove(rng.below(sites.len()));
    let second = sites[rng.below(sites.len())];
    let (one, other) = (
        parts(&words[first]).1.to_owned(),
        parts(&words[second]).1.to_owned(),
    );
    if one == other {
        return None;
    }
    replace(&mut words[first], &other);
    replace(&mut words[second], &one);
    Some(words)
}

/// The beginning of one sentence with the end of another.
pub(super) fn fused(rng: &mut Rng, source: &Source) -> Option<Draft> {
    let (one, other) = (sentence(rng, source)?, sentence(rng, source)?);
    if one.start.abs_diff(other.start) < APART {
        return None;
    }
    let half = one.start + rng.within(3, one.len() - 2);
    let rest = rng.within(other.start + 2, other.end - 3);
    let phrase = format!(
        "{} {}",
        source.joined(one.start..half),
        source.joined(rest..other.end)
    );
    unsaid(rng, source, phrase, source.words[one.start].page)
}

/// A sentence of words that stand in the text, but not together.
pub(super) fn own_words(rng: &mut Rng, source: &Source) -> Option<Draft> {
    let count = rng.within(7, 16);
    let words: Vec<String> = (0..count * 4)
        .filter_map(|_| {
            let sentence = sentence(rng, source)?;
            let (_, core, _) = parts(source.word(rng.within(sentence.start, sentence.end - 1)));
            (!core.is_empty()).then(|| core.to_lowercase())
        })
        .take(count)
        .collect();
    if words.len() < count {
        return None;
    }
    unsaid(rng, source, words.join(" ") + ".", 1)
}

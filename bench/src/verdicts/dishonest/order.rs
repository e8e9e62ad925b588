//! Words of the text in another order.

use pincite_bench::corpus::rng::Rng;

use super::{parts, replace, sentence, unsaid};
use crate::case::CaseDraft;
use crate::source::Source;

/// Words that precede a noun.
const BEFORE_NOUNS: &[&str] = &["the", "a", "an", "this", "that", "of", "by", "to", "each"];
/// Minimum number of words between two sentences that are joined.
const APART: usize = 30;

/// Swaps two nouns.
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

/// Joins the beginning of one sentence with the end of another.
pub(super) fn fused(rng: &mut Rng, source: &Source) -> Option<CaseDraft> {
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

/// Forms a sentence of words that are in the text, but not together.
pub(super) fn own_words(rng: &mut Rng, source: &Source) -> Option<CaseDraft> {
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

/// Joins the end of a line with the beginning of the line beside it in another column.
pub(super) fn gutter(rng: &mut Rng, source: &Source) -> Option<CaseDraft> {
    let abreast = &source.printed.as_ref()?.abreast;
    if abreast.is_empty() {
        return None;
    }
    let pair = &abreast[rng.below(abreast.len())];
    let words = |(start, end): (usize, usize)| source.word_from(start)..source.word_from(end);
    let (left, right) = (words(pair.left), words(pair.right));
    let tail = left.end.checked_sub(rng.within(3, 7))?.max(left.start);
    let head = right.end.min(right.start + rng.within(3, 7));
    let (tail, head) = (
        source.joined(tail..left.end),
        source.joined(right.start..head),
    );
    unsaid(
        rng,
        source,
        format!("{tail} {head}"),
        source.words[left.start].page,
    )
}

/// Drops the middle one of three lines.
pub(super) fn line_left_out(rng: &mut Rng, source: &Source) -> Option<CaseDraft> {
    source.printed.as_ref()?;
    let sentence = sentence(rng, source)?;
    let line = |at: usize| source.words[at].line;
    let first = line(sentence.start);
    let left_out = rng.within(first as usize + 1, first as usize + 3) as u32;
    let kept = |wanted: fn(&u32, &u32) -> bool| {
        let at: Vec<usize> = sentence
            .clone()
            .filter(|&at| wanted(&line(at), &left_out))
            .collect();
        Some(source.joined(*at.first()?..*at.last()? + 1))
    };
    let phrase = format!("{} {}", kept(u32::lt)?, kept(u32::gt)?);
    unsaid(rng, source, phrase, source.words[sentence.start].page)
}

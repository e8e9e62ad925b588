//! Honest quotes: verbatim, and with differences that do not change the meaning.

use std::ops::Range;

use pincite_bench::corpus::rng::Rng;
use unicode_normalization::UnicodeNormalization;

use crate::case::{CaseDraft, CaseGroup, CaseKind, ExpectedVerdict, LINES_NEAR, PassagePlace};
use crate::source::Source;

/// Maximum length of a quote in characters.
const LONGEST: usize = 400;

const fn kind(
    name: &'static str,
    count: usize,
    draft: fn(&mut Rng, &Source) -> Option<CaseDraft>,
) -> CaseKind {
    CaseKind {
        name,
        group: CaseGroup::Honest,
        count,
        draft,
    }
}

/// Kinds of honest quotes.
pub(crate) static KINDS: [CaseKind; 13] = [
    kind("verbatim", 1500, verbatim),
    kind("across lines", 1000, across_lines),
    kind("other case", 300, |rng, source| {
        normalisation_change(rng, source, other_case)
    }),
    kind("other quotation marks", 300, |rng, source| {
        normalisation_change(rng, source, other_quotes)
    }),
    kind("other dashes", 300, |rng, source| {
        normalisation_change(rng, source, other_dashes)
    }),
    kind("other spaces", 300, |rng, source| {
        normalisation_change(rng, source, other_spaces)
    }),
    kind("ligatures", 300, |rng, source| {
        normalisation_change(rng, source, ligatures)
    }),
    kind("accents apart", 300, |rng, source| {
        normalisation_change(rng, source, accents_apart)
    }),
    kind("invisible characters", 300, |rng, source| {
        normalisation_change(rng, source, invisible)
    }),
    kind("divided words", 300, |rng, source| {
        normalisation_change(rng, source, divided)
    }),
    kind("as typed", 300, |rng, source| {
        normalisation_change(rng, source, as_typed)
    }),
    kind("thousands", 300, |rng, source| {
        normalisation_change(rng, source, thousands)
    }),
    kind("punctuation at the ends", 300, |rng, source| {
        normalisation_change(rng, source, edges)
    }),
];

/// Returns a range of at least three words on one page that may be quoted.
pub(crate) fn passage(rng: &mut Rng, source: &Source, words: Range<usize>) -> Option<Range<usize>> {
    let count = rng.within(words.start, words.end - 1);
    let room = source.words.len().checked_sub(count)?;
    let start = rng.below(room + 1);
    let range = start..start + count;
    let letters = source
        .joined(range.clone())
        .chars()
        .filter(|c| c.is_alphabetic())
        .count();
    let good = source.on_one_page(&range)
        && source.may_begin(range.start)
        && source.may_end(range.end - 1)
        && source.raw(range.clone()).chars().count() <= LONGEST
        && letters >= 8
        && source.is_certain(&range);
    good.then_some(range)
}

/// Returns a passage; short ones are as frequent as long ones.
fn any_passage(rng: &mut Rng, source: &Source) -> Option<Range<usize>> {
    match rng.below(3) {
        0 => passage(rng, source, 3..7),
        1 => passage(rng, source, 6..20),
        _ => passage(rng, source, 15..70),
    }
}

/// Returns a citation of a range of words with an equivalent phrase.
///
/// It names the page and the lines, or only the page, or nothing. Every place with these words that
/// fits the named page and lines is right.
pub(crate) fn cited(
    rng: &mut Rng,
    source: &Source,
    words: Range<usize>,
    phrase: String,
) -> CaseDraft {
    let place = source.place(&words);
    let joined = source.joined(words);
    let mut places = source.places(&joined);
    places.push(place.clone());
    let (page, lines) = match rng.below(3) {
        0 => (None, Vec::new()),
        1 => (Some(place.page), Vec::new()),
        _ => (Some(place.page), place.lines),
    };
    places.retain(|place| fits(place, page, &lines));
    CaseDraft {
        anchor: anchor(rng, &joined),
        phrase,
        page,
        lines,
        expected: ExpectedVerdict::Exactly("found", places),
    }
}

/// Returns true if a place fits the page and lines of a citation.
pub(crate) fn fits(place: &PassagePlace, page: Option<u32>, lines: &[u32]) -> bool {
    let first = place.lines.first().copied().unwrap_or_default();
    let near = |line: &u32| line.abs_diff(first) <= LINES_NEAR;
    page.is_none_or(|page| page == place.page) && (lines.is_empty() || lines.iter().any(near))
}

/// Returns up to three plain words of the phrase as anchor, for every third citation.
pub(crate) fn anchor(rng: &mut Rng, phrase: &str) -> Option<String> {
    if rng.below(3) > 0 {
        return None;
    }
    let words: Vec<&str> = phrase.split(' ').collect();
    let count = rng.within(1, words.len().min(3));
    let start = rng.below(words.len() - count + 1);
    let chosen = &words[start..start + count];
    let plain = |word: &&str| word.len() > 2 && word.chars().all(char::is_alphabetic);
    chosen.iter().all(plain).then(|| chosen.join(" "))
}

fn verbatim(rng: &mut Rng, source: &Source) -> Option<CaseDraft> {
    let words = any_passage(rng, source)?;
    let phrase = source.raw(words.clone()).to_owned();
    Some(cited(rng, source, words, phrase))
}

fn across_lines(rng: &mut Rng, source: &Source) -> Option<CaseDraft> {
    let words = any_passage(rng, source)?;
    if source.lines(&words).len() < 2 {
        return None;
    }
    let phrase = match rng.below(2) {
        0 => source.raw(words.clone()).to_owned(),
        _ => source.joined(words.clone()),
    };
    Some(cited(rng, source, words, phrase))
}

/// Returns a passage with a change that normalisation ignores; `None` if nothing changed.
fn normalisation_change(
    rng: &mut Rng,
    source: &Source,
    change: fn(&mut Rng, &str) -> String,
) -> Option<CaseDraft> {
    let words = any_passage(rng, source)?;
    let joined = source.joined(words.clone());
    let phrase = change(rng, &joined);
    (phrase != joined).then(|| cited(rng, source, words, phrase))
}

/// Changes each character, given the characters before and after it, without spaces.
fn each(
    text: &str,
    mut change: impl FnMut(Option<char>, char, Option<char>, &mut String),
) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len() * 2);
    for (at, &c) in chars.iter().enumerate() {
        let before = chars[..at].iter().rev().find(|c| !c.is_whitespace());
        let after = chars[at + 1..].iter().find(|c| !c.is_whitespace());
        change(before.copied(), c, after.copied(), &mut out);
    }
    out
}

fn letter(c: Option<char>) -> bool {
    c.is_some_and(char::is_alphabetic)
}

fn digit(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_numeric())
}

/// Changes the case of letters. Letters with a longer counterpart stay.
fn other_case(rng: &mut Rng, text: &str) -> String {
    let way = rng.below(3);
    each(text, |_, c, _, out| {
        let upper: Vec<char> = c.to_uppercase().collect();
        let lower: Vec<char> = c.to_lowercase().collect();
        let turned = match way {
            0 => &upper,
            1 => &lower,
            _ if rng.below(2) == 0 => &upper,
            _ => &lower,
        };
        let back = |of: &[char]| {
            of.iter()
                .flat_map(|c| c.to_lowercase())
                .eq(lower.iter().copied())
        };
        match turned.as_slice() {
            [one] if back(&[*one]) => out.push(*one),
            _ => out.push(c),
        }
    })
}

fn other_quotes(rng: &mut Rng, text: &str) -> String {
    each(text, |before, c, after, out| match c {
        _ if digit(before) || digit(after) => out.push(c),
        '"' | '“' | '”' => out.push(['"', '“', '”', '„', '«', '»'][rng.below(6)]),
        '\'' | '‘' | '’' => out.push(['\'', '‘', '’'][rng.below(3)]),
        c => out.push(c),
    })
}

fn other_dashes(rng: &mut Rng, text: &str) -> String {
    each(text, |before, c, after, out| match c {
        '-' | '‐' | '‑' | '–' | '—' if letter(before) && letter(after) => {
            out.push(['-', '‐', '‑', '–', '—'][rng.below(5)]);
        }
        c => out.push(c),
    })
}

/// Changes white space between words, but never between two numbers.
fn other_spaces(rng: &mut Rng, text: &str) -> String {
    each(text, |before, c, after, out| match c {
        ' ' if (letter(before) || letter(after)) && rng.below(3) == 0 => {
            out.push_str(rng.pick(&["  ", "\n", "\t", "\u{a0}", "\r\n", "\u{2003}", " \u{2009}"]));
        }
        c => out.push(c),
    })
}

fn ligatures(_: &mut Rng, text: &str) -> String {
    let forms = [
        ("ffi", "ﬃ"),
        ("ffl", "ﬄ"),
        ("ff", "ﬀ"),
        ("fi", "ﬁ"),
        ("fl", "ﬂ"),
    ];
    forms.iter().fold(text.to_owned(), |text, (plain, form)| {
        text.replace(plain, form)
    })
}

fn accents_apart(_: &mut Rng, text: &str) -> String {
    text.nfd().collect()
}

/// Inserts invisible characters into words.
fn invisible(rng: &mut Rng, text: &str) -> String {
    let mut last = ' ';
    each(text, |_, c, _, out| {
        if last.is_alphabetic() && c.is_alphabetic() && rng.below(5) == 0 {
            out.push(['\u{200b}', '\u{ad}', '\u{2060}', '\u{feff}', '\u{200c}'][rng.below(5)]);
        }
        out.push(c);
        last = c;
    })
}

/// Hyphenates a long word at the end of a line, as in text copied from a page.
fn divided(rng: &mut Rng, text: &str) -> String {
    let long = |word: &str| word.len() > 6 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let sites: Vec<usize> = (0..words.len()).filter(|&at| long(&words[at])).collect();
    if !sites.is_empty() {
        let word = &mut words[sites[rng.below(sites.len())]];
        let cut = rng.within(3, word.len() - 3);
        word.insert_str(cut, "-\n");
    }
    words.join(" ")
}

/// Rewrites the text as typed on a keyboard: no ligatures, straight quotation marks, composed accents.
fn as_typed(_: &mut Rng, text: &str) -> String {
    let mut text: String = text.nfc().collect();
    for (form, plain) in [
        ("ﬃ", "ffi"),
        ("ﬄ", "ffl"),
        ("ﬀ", "ff"),
        ("ﬁ", "fi"),
        ("ﬂ", "fl"),
    ] {
        text = text.replace(form, plain);
    }
    each(&text, |before, c, after, out| match c {
        _ if digit(before) || digit(after) => out.push(c),
        '“' | '”' => out.push('"'),
        '‘' | '’' => out.push('\''),
        '–' | '—' if letter(before) && letter(after) => out.push('-'),
        c => out.push(c),
    })
}

/// Removes or replaces the separators of numbers with several groups.
fn thousands(rng: &mut Rng, text: &str) -> String {
    let words = text.split(' ').map(|word| {
        let core = word.trim_matches(|c: char| !c.is_ascii_digit());
        let mut groups = core.split(',');
        let first = groups
            .next()
            .is_some_and(|group| (1..=3).contains(&group.len()));
        let rest: Vec<&str> = groups.collect();
        let digits = core
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b',');
        if first && digits && rest.len() > 1 && rest.iter().all(|group| group.len() == 3) {
            let other = core.replace(',', rng.pick(&["", "'", "’", "\u{202f}"]));
            word.replace(core, &other)
        } else {
            word.to_owned()
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Adds or removes punctuation around the words.
fn edges(rng: &mut Rng, text: &str) -> String {
    let bare = text
        .trim_matches(|c: char| matches!(c, '.' | ',' | ';' | ':' | '(' | ')' | '"' | '“' | '”'));
    let plain = bare.starts_with(char::is_alphabetic) && bare.ends_with(char::is_alphabetic);
    if !plain {
        return text.to_owned();
    }
    match rng.below(5) {
        0 => bare.to_owned(),
        1 => format!("“{bare}.”"),
        2 => format!("({bare})"),
        3 => format!("\"{bare},\""),
        _ => format!("{bare};"),
    }
}

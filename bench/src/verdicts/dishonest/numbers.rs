//! Changes of numbers, units, currencies and dates.

use pincite_bench::corpus::rng::Rng;

use super::{other_in, parts, replace, site};
use crate::source::Source;

const UNITS: &[&[&str]] = &[
    &["thousand", "million", "billion"],
    &[
        "seconds", "minutes", "hours", "days", "weeks", "months", "years",
    ],
    &["second", "minute", "hour", "day", "week", "month", "year"],
    &["metres", "kilometres", "miles"],
    &["grams", "kilograms", "tonnes"],
    &["litres", "gallons"],
    &["kb", "mb", "gb"],
    &["bits", "bytes"],
    &["ms", "s"],
];
const MONTHS: &[&[&str]] = &[&[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]];
const CURRENCIES: [char; 4] = ['$', '€', '£', '¥'];
const CURRENCY_WORDS: &[&[&str]] = &[
    &["dollars", "euros", "pounds", "francs"],
    &["usd", "eur", "gbp", "chf"],
];

fn has_digit(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit())
}

/// Returns true if a word is a number, possibly with separators.
fn is_number(core: &str) -> bool {
    has_digit(core)
        && core
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','))
}

fn other_digit(rng: &mut Rng, digit: u8) -> char {
    char::from(b'0' + ((digit - b'0') + rng.within(1, 9) as u8) % 10)
}

/// Changes one digit.
pub(super) fn digit(rng: &mut Rng, _: &Source, mut words: Vec<String>) -> Option<Vec<String>> {
    let at = site(rng, &words, |_, core| has_digit(core))?;
    let word = &mut words[at];
    let digits: Vec<usize> = word
        .match_indices(|c: char| c.is_ascii_digit())
        .map(|found| found.0)
        .collect();
    let place = digits[rng.below(digits.len())];
    let other = other_digit(rng, word.as_bytes()[place]);
    word.replace_range(place..place + 1, &other.to_string());
    Some(words)
}

/// Moves or removes a decimal point.
pub(super) fn decimal(rng: &mut Rng, _: &Source, mut words: Vec<String>) -> Option<Vec<String>> {
    let decimal =
        |core: &str| is_number(core) && core.matches('.').count() == 1 && !core.contains(',');
    let at = site(rng, &words, |_, core| decimal(core))?;
    let core = parts(&words[at]).1.to_owned();
    let old = core.find('.')?;
    let mut digits = core.replace('.', "");
    let new = rng.within(1, digits.len());
    if new == old {
        return None;
    }
    if new < digits.len() {
        digits.insert(new, '.');
    }
    replace(&mut words[at], &digits);
    Some(words)
}

/// Changes the unit of a number.
pub(super) fn unit(rng: &mut Rng, _: &Source, mut words: Vec<String>) -> Option<Vec<String>> {
    let after_number = |at: usize| at > 0 && has_digit(&words[at - 1]);
    let known = |core: &str| {
        UNITS
            .iter()
            .any(|group| group.contains(&core.to_lowercase().as_str()))
    };
    let at = site(rng, &words, |at, core| after_number(at) && known(core))?;
    let other = other_in(rng, UNITS, parts(&words[at]).1)?;
    replace(&mut words[at], other);
    Some(words)
}

/// Changes the currency of an amount.
pub(super) fn currency(rng: &mut Rng, _: &Source, mut words: Vec<String>) -> Option<Vec<String>> {
    let known = |core: &str| {
        CURRENCY_WORDS
            .iter()
            .any(|group| group.contains(&core.to_lowercase().as_str()))
    };
    let number = |word: &str| has_digit(word) && word.contains(CURRENCIES);
    let at = site(rng, &words, |at, core| known(core) || number(&words[at]))?;
    if let Some(other) = other_in(rng, CURRENCY_WORDS, parts(&words[at]).1) {
        replace(&mut words[at], other);
        return Some(words);
    }
    let old = words[at].find(CURRENCIES)?;
    let old = words[at][old..].chars().next()?;
    let others: Vec<char> = CURRENCIES
        .into_iter()
        .filter(|other| *other != old)
        .collect();
    words[at] = words[at].replace(old, &others[rng.below(others.len())].to_string());
    Some(words)
}

/// Changes or removes a percent sign.
pub(super) fn percent(rng: &mut Rng, _: &Source, mut words: Vec<String>) -> Option<Vec<String>> {
    let is_percent = |word: &str| matches!(parts(word).1, "percent") || word.contains('%');
    let at = site(rng, &words, |at, _| is_percent(&words[at]))?;
    let (kept, lost) = match rng.below(2) {
        0 => ("‰", "points"),
        _ => ("", ""),
    };
    if words[at].contains('%') {
        words[at] = words[at].replace('%', kept);
    } else {
        replace(&mut words[at], lost);
    }
    words.retain(|word| !word.is_empty());
    Some(words)
}

/// Changes a day, month or year.
pub(super) fn date(rng: &mut Rng, _: &Source, mut words: Vec<String>) -> Option<Vec<String>> {
    let beside_number = |at: usize| {
        let number = |word: Option<&String>| word.is_some_and(|word| has_digit(word));
        number(words.get(at + 1)) || number(at.checked_sub(1).and_then(|at| words.get(at)))
    };
    let month = |core: &str| {
        core.starts_with(char::is_uppercase) && MONTHS[0].contains(&core.to_lowercase().as_str())
    };
    let year = |core: &str| {
        core.parse::<u32>()
            .is_ok_and(|year| core.len() == 4 && (1800..2100).contains(&year))
    };
    let day = |core: &str| {
        let fields: Vec<&str> = core.split('-').collect();
        matches!(fields.as_slice(), [y, m, d] if year(y) && m.len() == 2 && d.parse::<u8>().is_ok())
    };
    let at = site(rng, &words, |at, core| {
        (month(core) && beside_number(at)) || year(core) || day(core)
    })?;
    let core = parts(&words[at]).1.to_owned();
    let other = match other_in(rng, MONTHS, &core) {
        Some(other) => other.to_owned(),
        None if day(&core) => {
            let last = core.as_bytes()[core.len() - 1];
            format!("{}{}", &core[..core.len() - 1], other_digit(rng, last))
        }
        None => (core.parse::<u32>().ok()? + rng.within(1, 9) as u32).to_string(),
    };
    replace(&mut words[at], &other);
    Some(words)
}

/// Adds, changes or removes the sign of a number.
pub(super) fn sign(rng: &mut Rng, _: &Source, mut words: Vec<String>) -> Option<Vec<String>> {
    let at = site(rng, &words, |at, core| at > 0 && is_number(core))?;
    let (before, core, after) = parts(&words[at]);
    let sign = rng.pick(&["-", "−"]);
    words[at] = match before {
        "" => format!("{sign}{core}{after}"),
        "-" | "−" => format!("{}{core}{after}", rng.pick(&["", "+"])),
        "+" => format!("{sign}{core}{after}"),
        _ => return None,
    };
    Some(words)
}

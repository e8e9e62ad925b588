//! Dates that denote exactly one day.
//!
//! "3 March 2024", "March 3, 2024" and "2024-03-03" are the same day. "03/04/2024" may be two days,
//! so it is not recognised as a date and equals only itself.

use crate::bit_set::BitSet;

/// A date in a normalised text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DateMark {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) day: Day,
}

/// A day, as the number 20240303 for 3 March 2024.
pub(crate) type Day = u32;

/// Month names in normalised form, with their numbers.
const MONTHS: &[(&str, u32)] = &[
    ("january", 1),
    ("jan", 1),
    ("januar", 1),
    ("jänner", 1),
    ("janvier", 1),
    ("enero", 1),
    ("gennaio", 1),
    ("janeiro", 1),
    ("januari", 1),
    ("february", 2),
    ("feb", 2),
    ("februar", 2),
    ("février", 2),
    ("febrero", 2),
    ("febbraio", 2),
    ("fevereiro", 2),
    ("februari", 2),
    ("march", 3),
    ("mar", 3),
    ("märz", 3),
    ("mars", 3),
    ("marzo", 3),
    ("março", 3),
    ("maart", 3),
    ("april", 4),
    ("apr", 4),
    ("avril", 4),
    ("abril", 4),
    ("aprile", 4),
    ("may", 5),
    ("mai", 5),
    ("mayo", 5),
    ("maggio", 5),
    ("maio", 5),
    ("mei", 5),
    ("june", 6),
    ("jun", 6),
    ("juni", 6),
    ("juin", 6),
    ("junio", 6),
    ("giugno", 6),
    ("junho", 6),
    ("july", 7),
    ("jul", 7),
    ("juli", 7),
    ("juillet", 7),
    ("julio", 7),
    ("luglio", 7),
    ("julho", 7),
    ("august", 8),
    ("aug", 8),
    ("août", 8),
    ("agosto", 8),
    ("augustus", 8),
    ("september", 9),
    ("sep", 9),
    ("sept", 9),
    ("septembre", 9),
    ("septiembre", 9),
    ("settembre", 9),
    ("setembro", 9),
    ("october", 10),
    ("oct", 10),
    ("oktober", 10),
    ("okt", 10),
    ("octobre", 10),
    ("octubre", 10),
    ("ottobre", 10),
    ("outubro", 10),
    ("november", 11),
    ("nov", 11),
    ("novembre", 11),
    ("noviembre", 11),
    ("novembro", 11),
    ("december", 12),
    ("dec", 12),
    ("dezember", 12),
    ("dez", 12),
    ("décembre", 12),
    ("diciembre", 12),
    ("dicembre", 12),
    ("dezembro", 12),
];

/// Finds the dates of a normalised text, given the positions of its four-digit numbers.
pub(crate) fn find_dates(normalised: &str, edges: &BitSet, years: &[u32]) -> Vec<DateMark> {
    let mut dates: Vec<DateMark> = Vec::new();
    for &at in years {
        let at = at as usize;
        let found =
            date_before_year(normalised, edges, at).or_else(|| date_after_year(normalised, at));
        let Some((start, end, day)) = found else {
            continue;
        };
        let apart = dates.last().is_none_or(|last| last.end as usize <= start);
        if apart && edges.get(start) && edges.get(end) {
            dates.push(DateMark {
                start: start as u32,
                end: end as u32,
                day,
            });
        }
    }
    dates
}

/// Returns the day if it exists in the calendar and the year has four digits.
fn valid_day(year: u32, month: u32, day: u32) -> Option<Day> {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let length = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    ((1..=length).contains(&day) && year >= 1000).then_some(year * 10_000 + month * 100 + day)
}

/// Reads a date that begins with the year at `at`: 2024-03-03, 2024年3月3日.
fn date_after_year(normalised: &str, at: usize) -> Option<(usize, usize, Day)> {
    let year: u32 = normalised.get(at..at + 4)?.parse().ok()?;
    let rest = normalised.get(at + 4..)?;
    if let Some(rest) = rest.strip_prefix('-') {
        let (month, rest) = (rest.get(..2)?, rest.get(2..)?);
        let number = rest.strip_prefix('-')?.get(..2)?;
        let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_digits(month) || !is_digits(number) {
            return None;
        }
        let day = valid_day(year, month.parse().ok()?, number.parse().ok()?)?;
        return Some((at, at + 10, day));
    }
    let (month, rest) = short_number(rest.strip_prefix('年')?, '月')?;
    let (number, rest) = short_number(rest, '日')?;
    Some((
        at,
        normalised.len() - rest.len(),
        valid_day(year, month, number)?,
    ))
}

/// Reads a number of one or two digits that is followed by `mark`. Returns also the text after it.
fn short_number(text: &str, mark: char) -> Option<(u32, &str)> {
    let digits = text.bytes().take(3).take_while(u8::is_ascii_digit).count();
    let number = text.get(..digits)?.parse().ok()?;
    (digits <= 2).then_some((number, text.get(digits..)?.strip_prefix(mark)?))
}

/// Reader of tokens from a position towards the start of the text.
#[derive(Clone, Copy)]
struct BackwardTokens<'a> {
    normalised: &'a str,
    edges: &'a BitSet,
    at: usize,
}

impl<'a> BackwardTokens<'a> {
    /// Returns the token before the position, and its start.
    fn token(&self) -> Option<(usize, &'a str)> {
        let mut end = self.at;
        loop {
            let start = self.edges.previous(end.checked_sub(1)?)?;
            let token = self.normalised.get(start..end)?;
            if token != " " {
                return Some((start, token));
            }
            end = start;
        }
    }

    /// Skips a token if it is one of `words`.
    fn skip(mut self, words: &[&str]) -> Self {
        if let Some((start, token)) = self.token()
            && words.contains(&token)
        {
            self.at = start;
        }
        self
    }

    fn month(self) -> Option<(Self, u32)> {
        let (start, token) = self.token()?;
        let &(_, month) = MONTHS.iter().find(|(name, _)| *name == token)?;
        Some((Self { at: start, ..self }, month))
    }

    /// Reads a day of one or two digits, with or without an ordinal suffix.
    fn day(self) -> Option<(Self, u32)> {
        let (start, token) = self.token()?;
        let digits = token.bytes().take(3).take_while(u8::is_ascii_digit).count();
        let (number, rest) = token.split_at_checked(digits)?;
        let is_day = digits <= 2 && ["", "st", "nd", "rd", "th", "er"].contains(&rest);
        is_day.then_some((Self { at: start, ..self }, number.parse().ok()?))
    }
}

/// Reads a date that ends with the year at `at`: 3 March 2024, March 3, 2024.
fn date_before_year(normalised: &str, edges: &BitSet, at: usize) -> Option<(usize, usize, Day)> {
    let year: u32 = normalised.get(at..at + 4)?.parse().ok()?;
    let reader = BackwardTokens {
        normalised,
        edges,
        at,
    };
    let day_first = || {
        let (rest, month) = reader.skip(&[",", "de", "of"]).skip(&["."]).month()?;
        let (rest, number) = rest.skip(&["of", "de", "."]).day()?;
        Some((rest.at, month, number))
    };
    let month_first = || {
        let (rest, number) = reader.skip(&[",", ", "]).day()?;
        let (rest, month) = rest.skip(&["."]).month()?;
        Some((rest.at, month, number))
    };
    let (start, month, number) = day_first().or_else(month_first)?;
    Some((start, at + 4, valid_day(year, month, number)?))
}

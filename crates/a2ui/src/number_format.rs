//! Numbers, amounts and dates as text, in the conventions of American English, which A2UI takes as its default.

use std::iter::Peekable;
use std::str::Chars;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde_json::Value;

/// Most decimals that a number is written with.
const MAX_DECIMALS: usize = 20;

/// A number with its thousands separated. Without a number of decimals up to three are written.
pub(crate) fn format_number(value: f64, decimals: Option<usize>, grouping: bool) -> String {
    let mut text = format!(
        "{:.*}",
        decimals.unwrap_or(3).min(MAX_DECIMALS),
        value.abs()
    );
    if decimals.is_none() && text.contains('.') {
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let whole = if grouping {
        group_thousands(whole)
    } else {
        whole.to_owned()
    };
    let zero = whole
        .chars()
        .chain(fraction.chars())
        .all(|c| matches!(c, '0' | '.'));
    let sign = if value < 0.0 && !zero { "-" } else { "" };
    format!("{sign}{whole}{fraction}")
}

fn group_thousands(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Symbols of currencies; others are written with their code and a no-break space.
const SYMBOLS: [(&str, &str); 18] = [
    ("USD", "$"),
    ("EUR", "€"),
    ("GBP", "£"),
    ("JPY", "¥"),
    ("INR", "₹"),
    ("CNY", "CN¥"),
    ("KRW", "₩"),
    ("BRL", "R$"),
    ("CAD", "CA$"),
    ("AUD", "A$"),
    ("MXN", "MX$"),
    ("NZD", "NZ$"),
    ("HKD", "HK$"),
    ("TWD", "NT$"),
    ("ILS", "₪"),
    ("VND", "₫"),
    ("PHP", "₱"),
    ("XAF", "FCFA\u{a0}"),
];

/// An amount of money.
pub(crate) fn format_currency(
    value: f64,
    currency: &str,
    decimals: Option<usize>,
    grouping: bool,
) -> String {
    let code = currency.to_ascii_uppercase();
    let symbol = SYMBOLS.iter().find(|(known, _)| *known == code);
    let symbol = symbol.map_or_else(
        || format!("{code}\u{a0}"),
        |(_, symbol)| (*symbol).to_owned(),
    );
    let number = format_number(value, Some(decimals.unwrap_or(2)), grouping);
    match number.strip_prefix('-') {
        Some(positive) => format!("-{symbol}{positive}"),
        None => format!("{symbol}{number}"),
    }
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

/// A moment by a Unicode pattern (`MMM d, yyyy`); nothing if the value is no moment.
pub(crate) fn format_date(value: &Value, pattern: &str) -> Option<String> {
    let moment = read_moment(value)?;
    if pattern == "ISO" {
        return Some(format!("{}Z", moment.strftime("%Y-%m-%dT%H:%M:%S%.3f")));
    }
    let mut text = String::new();
    let mut characters = pattern.chars().peekable();
    while let Some(letter) = characters.next() {
        if letter == '\'' {
            text += &quoted_text(&mut characters);
            continue;
        }
        let mut width = 1;
        while characters.next_if_eq(&letter).is_some() {
            width += 1;
        }
        text += &date_field(&moment, letter, width);
    }
    Some(text)
}

/// The text up to the closing mark. Two marks are one, inside and outside of quoted text.
fn quoted_text(characters: &mut Peekable<Chars<'_>>) -> String {
    let mut text = String::new();
    if characters.next_if_eq(&'\'').is_some() {
        return "'".to_owned();
    }
    while let Some(character) = characters.next() {
        if character == '\'' && characters.next_if_eq(&'\'').is_none() {
            break;
        }
        text.push(character);
    }
    text
}

fn date_field(moment: &DateTime, letter: char, width: usize) -> String {
    let number = |value: i32| format!("{value:0width$}");
    let name = |names: &[&str], index: i8| {
        let name = usize::try_from(index)
            .ok()
            .and_then(|index| names.get(index))
            .copied();
        let name = name.unwrap_or_default();
        if width >= 4 {
            name.to_owned()
        } else {
            name.chars().take(3).collect()
        }
    };
    match letter {
        'y' if width == 2 => format!("{:02}", moment.year().rem_euclid(100)),
        'y' => number(i32::from(moment.year())),
        'M' | 'L' if width >= 3 => name(&MONTHS, moment.month() - 1),
        'M' | 'L' => number(i32::from(moment.month())),
        'd' => number(i32::from(moment.day())),
        'E' => name(&DAYS, moment.weekday().to_monday_zero_offset()),
        'H' => number(i32::from(moment.hour())),
        'h' => number(i32::from((moment.hour() + 11) % 12 + 1)),
        'm' => number(i32::from(moment.minute())),
        's' => number(i32::from(moment.second())),
        'a' => (if moment.hour() < 12 { "AM" } else { "PM" }).to_owned(),
        other => other.to_string().repeat(width),
    }
}

/// A moment in UTC from an ISO text, a date, or milliseconds since 1970.
fn read_moment(value: &Value) -> Option<DateTime> {
    match value {
        Value::Number(number) => {
            let moment = Timestamp::from_millisecond(number.as_i64()?).ok()?;
            Some(moment.to_zoned(TimeZone::UTC).datetime())
        }
        Value::String(text) => text
            .parse::<Timestamp>()
            .map(|moment| moment.to_zoned(TimeZone::UTC).datetime())
            .or_else(|_| text.parse::<DateTime>())
            .or_else(|_| text.parse::<Date>().map(|date| date.at(0, 0, 0, 0)))
            .ok(),
        _ => None,
    }
}

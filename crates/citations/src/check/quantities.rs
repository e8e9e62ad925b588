//! Numbers and units of a quote and a passage.

use passage::{NormalisedText, Token, TokenKind, parse_roman};

/// Prefixes of unit symbols.
const SYMBOL_PREFIXES: [&str; 10] = ["n", "μ", "u", "m", "c", "d", "k", "M", "G", "T"];
/// Symbols of units that take prefixes, in their own case.
const SYMBOLS: &str = "m g s l L W Wh Hz B b V A J N Pa mol eV F Ω bit bps cal K t bar lm";
/// Other symbols and abbreviations of units.
const OTHER_SYMBOLS: &str = "lb lbs oz ft in mi yd ha min h hr hrs mph kph kn dpi ppm ppb rpm °C °F pt gal qt \
    km kg KB kB MB GB TB PB KiB MiB GiB TiB kbit Mbit Gbit Mbps Gbps kW MW GW TW kWh MWh GWh TWh mAh Ah dB \
    bbl psi ac cl dl Std mn mrd";
/// Prefixes of the names of units.
const NAME_PREFIXES: [&str; 20] = [
    "kilo",
    "mega",
    "giga",
    "tera",
    "peta",
    "milli",
    "micro",
    "nano",
    "centi",
    "zenti",
    "deci",
    "hecto",
    "mikro",
    "kibi",
    "mebi",
    "gibi",
    "кило",
    "мега",
    "милли",
    "کیلو",
];
/// Names of units without their plural endings.
const NAMES: &str = "metre meter mètre metro gram gramme gramm gramo litre liter litro watt watthour wattstunde hertz \
    byte bit volt amp ampere joule pascal second minute hour day week fortnight month year decade century calorie \
    ton tonne mile foot inch yard pound ounce gallon pint acre hectare kelvin degree percent knot fathom barrel \
    celsius fahrenheit euro dollar cent yen franc pence rupee rouble yuan prozent jahr monat woche tag stunde \
    sekunde jour semaine mois année heure día semana mes año hora minuto giorno settimana mese anno ora dag maand \
    jaar uur год день час месяц метр грамм литр متر گرم لیتر سال ماه روز ساعت";

/// Returns the numbers of tokens, each with its sign and separators, in order.
pub(super) fn numbers<'a>(tokens: impl Iterator<Item = &'a Token<'a>>) -> Vec<String> {
    let mut numbers = Vec::new();
    for token in tokens {
        let raised = |c: char| matches!(c, '⁰' | '¹' | '²' | '³' | '⁴'..='⁹' | '⁺' | '⁻');
        if !matches!(token.kind, TokenKind::Number | TokenKind::Mixed) {
            continue;
        }
        let mut number = String::new();
        for c in token.normalised.chars() {
            if c.is_alphabetic() && !number.is_empty() {
                numbers.push(std::mem::take(&mut number));
            } else if !c.is_alphabetic() || raised(c) {
                number.push(c);
            }
        }
        if !number.is_empty() {
            numbers.push(number);
        }
    }
    numbers.iter().map(|number| trimmed(number)).collect()
}

/// Returns a number without punctuation at its edges, which a mixed token may have.
fn trimmed(number: &str) -> String {
    let edge = |c: char| matches!(c, '_' | '"' | '\'' | ',' | '/' | ':');
    number.trim_matches(edge).to_owned()
}

/// Returns the letters of a token that has digits as well, without its digits.
pub(super) fn letters_of(normalised: &str) -> &str {
    let digit = |c: char| !c.is_alphabetic() && c != '°';
    normalised.trim_matches(digit)
}

/// Returns true if two words are different Roman numerals.
pub(super) fn are_roman_numerals(quoted: &str, actual: &str) -> bool {
    matches!((parse_roman(quoted), parse_roman(actual)), (Some(one), Some(other)) if one != other)
}

/// Returns true for the two halves of the day.
pub(super) fn are_halves_of_day(quoted: &str, actual: &str) -> bool {
    matches!((quoted, actual), ("am", "pm") | ("pm", "am"))
}

/// Unit of measure: a prefix and a base.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MeasureUnit<'a> {
    prefix: &'a str,
    base: &'a str,
    exponent: &'a str,
}

/// Returns the unit that a word names, in normalised form ("kwh", "kilometres", "m²").
pub(super) fn unit_named(word: &str) -> Option<MeasureUnit<'_>> {
    let base = word.trim_end_matches(|c: char| !c.is_alphabetic());
    let exponent = &word[base.len()..];
    let unit = |prefix, base| {
        Some(MeasureUnit {
            prefix,
            base,
            exponent,
        })
    };
    let is_symbol = |word: &str| {
        let listed = SYMBOLS
            .split_ascii_whitespace()
            .chain(OTHER_SYMBOLS.split_ascii_whitespace());
        listed
            .into_iter()
            .any(|symbol| symbol.to_lowercase() == word)
    };
    if is_symbol(base) {
        return unit("", base);
    }
    let prefixed = SYMBOL_PREFIXES.iter().find_map(|prefix| {
        let rest = base.strip_prefix(prefix.to_lowercase().as_str())?;
        let known = SYMBOLS
            .split_ascii_whitespace()
            .any(|symbol| symbol.to_lowercase() == rest);
        known.then(|| (&base[..base.len() - rest.len()], rest))
    });
    if let Some((prefix, base)) = prefixed {
        return unit(prefix, base);
    }
    let name = |word: &'_ str| -> Option<usize> {
        let endings = ["", "s", "es", "n", "en", "e", "ов", "а", "ы"];
        let forms = endings
            .iter()
            .filter_map(|ending| word.strip_suffix(ending));
        { forms }
            .find(|stem| NAMES.split_ascii_whitespace().any(|name| name == *stem))
            .map(str::len)
            .or(match word {
                "feet" | "inches" | "centuries" | "pence" | "cents" => Some(word.len()),
                _ => None,
            })
    };
    if let Some(length) = name(base) {
        return unit("", &base[..length]);
    }
    NAME_PREFIXES.iter().find_map(|prefix| {
        let rest = base.strip_prefix(prefix)?;
        let length = name(rest)?;
        unit(&base[..prefix.len()], &rest[..length])
    })
}

/// Returns true if a symbol, in its own case, is a unit.
fn is_exact_symbol(symbol: &str) -> bool {
    let whole = |symbol: &str| {
        SYMBOLS
            .split_ascii_whitespace()
            .any(|known| known == symbol)
    };
    let symbol = symbol.replace('µ', "μ");
    whole(&symbol)
        || OTHER_SYMBOLS
            .split_ascii_whitespace()
            .any(|known| known == symbol)
        || SYMBOL_PREFIXES
            .iter()
            .any(|prefix| symbol.strip_prefix(prefix).is_some_and(whole))
}

/// Returns true if a quote that matches a passage apart from case has another unit, as in "5 mW" and "5 MW".
pub(super) fn differs_in_unit_case<'a>(
    (quote, quoted): (&NormalisedText, impl Iterator<Item = Token<'a>>),
    (passage, actual): (&NormalisedText, impl Iterator<Item = Token<'a>>),
) -> bool {
    let mut after_number = false;
    for (mine, its) in quoted.zip(actual) {
        if mine.normalised != its.normalised {
            return false;
        }
        let written = |text: &NormalisedText, token: &Token<'_>| {
            let word = text.source().get(token.range.clone()).unwrap_or_default();
            let digits = word.len() - word.trim_start_matches(|c: char| !c.is_alphabetic()).len();
            word.get(digits..).unwrap_or_default().to_owned()
        };
        let is_unit = match mine.kind {
            TokenKind::Word => after_number,
            TokenKind::Mixed => mine.normalised.starts_with(|c: char| c.is_ascii_digit()),
            _ => false,
        };
        if is_unit {
            let (one, other) = (written(quote, &mine), written(passage, &its));
            if one != other && is_exact_symbol(&one) && is_exact_symbol(&other) {
                return true;
            }
        }
        after_number = mine.kind == TokenKind::Number;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_roman_numerals_are_different_numbers() {
        assert!(are_roman_numerals("iv", "vi"));
        assert!(!are_roman_numerals("iv", "iv") && !are_roman_numerals("iv", "of"));
    }

    #[test]
    fn units_are_known_by_symbol_and_name() {
        for (one, other) in [
            ("mg", "μg"),
            ("mb", "gb"),
            ("mwh", "kwh"),
            ("m²", "m³"),
            ("ms", "s"),
            ("km", "mi"),
            ("hours", "days"),
            ("kilometres", "metres"),
            ("milligrams", "micrograms"),
            ("jahre", "monate"),
            ("megawattstunden", "kilowattstunden"),
        ] {
            let units = (unit_named(one), unit_named(other));
            assert!(
                matches!(&units, (Some(one), Some(other)) if one != other),
                "{units:?}"
            );
        }
        for (one, other) in [("metre", "metres"), ("hour", "hours"), ("gramm", "gramme")] {
            assert!(
                unit_named(one).is_some() && unit_named(other).is_some(),
                "{one}"
            );
        }
        for word in ["harbour", "the", "budget", "", "committee"] {
            assert_eq!(unit_named(word), None, "{word}");
        }
        assert!(is_exact_symbol("mW") && is_exact_symbol("MW") && is_exact_symbol("µg"));
        assert!(!is_exact_symbol("KG"));
    }
}

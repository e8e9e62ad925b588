//! How JavaScript turns values into text, numbers and an order: the wire's keys depend on it.

use std::borrow::Cow;

use json::{Number, Value};

/// A number as JavaScript prints it.
pub(crate) fn number_text(number: &Number) -> Cow<'static, str> {
    let Number::Literal(_) = number else {
        // Integers beyond 2^53 print as the nearest double.
        if let Some(int) = number.as_safe_int() {
            return Cow::Owned(int.to_string());
        }
        return double_text(number.as_f64());
    };
    double_text(number.as_f64())
}

/// Hands over a number as JavaScript prints it.
pub fn print_number(number: &Number, out: &mut impl FnMut(&str)) {
    match number {
        Number::Int(int @ 0..=MOST_EXACT) => match usize::try_from(*int) {
            Ok(int) => print_digits(int, out),
            Err(_) => out(&number_text(number)),
        },
        other => out(&number_text(other)),
    }
}

/// The largest integer that a double holds exactly with all before it.
const MOST_EXACT: i64 = (1 << 53) - 1;

/// The numbers up to 99 in two digits.
const PAIRS: &str = concat!(
    "00010203040506070809",
    "10111213141516171819",
    "20212223242526272829",
    "30313233343536373839",
    "40414243444546474849",
    "50515253545556575859",
    "60616263646566676869",
    "70717273747576777879",
    "80818283848586878889",
    "90919293949596979899",
);

/// Hands over an integer in decimal; formatting by the standard library takes longer than a hash.
fn print_digits(int: usize, out: &mut impl FnMut(&str)) {
    if int < 10 {
        return out(&PAIRS[2 * int + 1..][..1]);
    }
    if int >= 100 {
        print_digits(int / 100, out);
    }
    out(&PAIRS[2 * (int % 100)..][..2]);
}

fn double_text(double: f64) -> Cow<'static, str> {
    if double.is_nan() {
        return Cow::Borrowed("NaN");
    }
    if double.is_infinite() {
        return Cow::Borrowed(if double > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        });
    }
    if double == 0.0 {
        return Cow::Borrowed("0");
    }
    if (1e-6..1e21).contains(&double.abs()) {
        return Cow::Owned(double.to_string());
    }
    // Rust writes 1e23 and 1e-7, JavaScript 1e+23 and 1e-7.
    let text = format!("{double:e}");
    Cow::Owned(match text.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => text,
    })
}

/// A value as text, the way string concatenation makes it.
pub(crate) fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed("null"),
        Value::Bool(true) => Cow::Borrowed("true"),
        Value::Bool(false) => Cow::Borrowed("false"),
        Value::Number(number) => number_text(number),
        Value::String(text) => Cow::Borrowed(text),
        Value::Array(items) => {
            let items: Vec<Cow<'_, str>> = items.iter().map(joined).collect();
            Cow::Owned(items.join(","))
        }
        Value::Object(_) => Cow::Borrowed("[object Object]"),
    }
}

/// A value as an element of a joined array: `null` is nothing there.
pub(crate) fn joined(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        other => text(other),
    }
}

/// Whether a condition takes it for true.
pub(crate) fn truthy(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Number(number) => number.as_f64() != 0.0,
        Value::String(text) => !text.is_empty(),
        Value::Bool(true) | Value::Array(_) | Value::Object(_) => true,
    }
}

/// White space as `\s` and `trim` know it.
pub(crate) fn is_space(char: char) -> bool {
    char == '\u{feff}' || (char.is_whitespace() && char != '\u{85}')
}

/// The text without white space at its ends.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// A value in arithmetic; NaN if it is no number.
fn number(value: &Value) -> f64 {
    match value {
        Value::Null | Value::Bool(false) => 0.0,
        Value::Bool(true) => 1.0,
        Value::Number(number) => number.as_f64(),
        Value::Object(_) => f64::NAN,
        Value::String(_) | Value::Array(_) => number_in(&text(value)),
    }
}

fn number_in(text: &str) -> f64 {
    let text = trim(text);
    let digits = |prefix: &str| {
        text.strip_prefix(prefix)
            .or_else(|| text.strip_prefix(&prefix.to_uppercase()))
    };
    #[allow(clippy::cast_precision_loss)]
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = digits(prefix) {
            let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let parsed = u64::from_str_radix(digits, radix).map(|int| int as f64);
            return parsed.ok().filter(|_| plain).unwrap_or(f64::NAN);
        }
    }
    match text {
        "" => 0.0,
        "Infinity" | "+Infinity" => f64::INFINITY,
        "-Infinity" => f64::NEG_INFINITY,
        // Rust also reads "inf", "nan" and "infinity", JavaScript does not.
        _ if text
            .bytes()
            .any(|byte| byte.is_ascii_alphabetic() && !matches!(byte, b'e' | b'E')) =>
        {
            f64::NAN
        }
        _ => text.parse().unwrap_or(f64::NAN),
    }
}

/// Sorts by `a - b`, in the order the common engine arrives at even where that is no order.
pub(crate) fn sort_numerically(items: &mut Vec<Value>) {
    let mut keyed: Vec<(f64, Value)> = items.drain(..).map(|item| (number(&item), item)).collect();
    let less = |a: f64, b: f64| a - b < 0.0;
    if keyed.iter().all(|(key, _)| key.is_finite()) {
        keyed.sort_by(|(a, _), (b, _)| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    } else if keyed.len() < SHORT {
        // A run at the front, then binary insertion: comparing with NaN makes the result depend on it.
        let mut run = keyed.len().min(2);
        if run == 2 {
            let descending = less(keyed[1].0, keyed[0].0);
            while run < keyed.len() && less(keyed[run].0, keyed[run - 1].0) == descending {
                run += 1;
            }
            if descending {
                keyed[..run].reverse();
            }
        }
        for start in run..keyed.len() {
            let pivot = keyed[start].0;
            let (mut left, mut right) = (0, start);
            while left < right {
                let middle = left + (right - left) / 2;
                if less(pivot, keyed[middle].0) {
                    right = middle;
                } else {
                    left = middle + 1;
                }
            }
            keyed[left..=start].rotate_right(1);
        }
    }
    items.extend(keyed.into_iter().map(|(_, item)| item));
}

/// Longer lists are sorted in several runs by the engine; with NaN among them we leave them alone.
const SHORT: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_print_as_in_javascript() {
        for (literal, printed) in [
            ("1", "1"),
            ("1e0", "1"),
            ("1.50", "1.5"),
            ("-0", "0"),
            ("0.000001", "0.000001"),
            ("1e-7", "1e-7"),
            ("1.5e-7", "1.5e-7"),
            ("100000000000000000000", "100000000000000000000"),
            ("1e21", "1e+21"),
            ("1e400", "Infinity"),
            ("9007199254740993", "9007199254740992"),
        ] {
            let value = Value::parse(literal).expect("a number");
            assert_eq!(text(&value), printed, "{literal}");
        }
    }

    #[test]
    fn values_print_as_in_javascript() {
        let value = Value::parse(r#"[1,null,["a",true],{}]"#).expect("JSON");
        assert_eq!(text(&value), "1,,a,true,[object Object]");
    }

    #[test]
    fn sorting_is_numeric_and_survives_what_is_no_number() {
        let sorted = |json: &str| {
            let Ok(Value::Array(mut items)) = Value::parse(json) else {
                panic!("an array");
            };
            sort_numerically(&mut items);
            Value::Array(items).to_json()
        };
        assert_eq!(sorted("[30,4,100,9]"), "[4,9,30,100]");
        assert_eq!(sorted(r#"["12","3"]"#), r#"["3","12"]"#);
        // Checked with node 20.
        for (given, expected) in [
            (r#"["1","2",",","1","3"]"#, r#"["1","2",",","1","3"]"#),
            (r#"["5","-","3"]"#, r#"["5","-","3"]"#),
            (r#"["9","8","-","7","1"]"#, r#"["1","7","8","9","-"]"#),
            (
                r#"["2","0","x","1","y","5","0"]"#,
                r#"["0","1","2","x","y","0","5"]"#,
            ),
        ] {
            assert_eq!(sorted(given), expected);
        }
    }
}

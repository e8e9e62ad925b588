//! JavaScript's conversion of values to text and numbers, and its sort order. The citation SDK's keys depend on
//! them.

use std::borrow::Cow;

use json::{Number, Value};

/// Returns a number as JavaScript prints it.
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

/// Writes a number as JavaScript prints it.
pub fn print_number(number: &Number, out: &mut impl FnMut(&str)) {
    match number {
        Number::Int(int @ 0..=MAX_EXACT) => match usize::try_from(*int) {
            Ok(int) => print_digits(int, out),
            Err(_) => out(&number_text(number)),
        },
        other => out(&number_text(other)),
    }
}

/// Largest integer below which a double represents every integer exactly.
const MAX_EXACT: i64 = (1 << 53) - 1;

/// Numbers up to 99 in two digits.
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

/// Writes an integer in decimal. The standard library's formatting takes longer than the hash of the key.
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

/// Returns a value as text, as in a string concatenation.
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

/// Returns a value as an element of a joined array, where `null` is empty.
pub(crate) fn joined(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        other => text(other),
    }
}

/// Returns true if a condition accepts the value.
pub(crate) fn truthy(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Number(number) => number.as_f64() != 0.0,
        Value::String(text) => !text.is_empty(),
        Value::Bool(true) | Value::Array(_) | Value::Object(_) => true,
    }
}

/// Returns true for white space as `\s` and `trim` define it.
pub(crate) fn is_space(char: char) -> bool {
    char == '\u{feff}' || (char.is_whitespace() && char != '\u{85}')
}

/// Returns a text without white space at its ends.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// Returns the value as a number in arithmetic, or NaN.
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
        // Rust also reads "inf", "nan" and "infinity"; JavaScript does not.
        _ if text
            .bytes()
            .any(|byte| byte.is_ascii_alphabetic() && !matches!(byte, b'e' | b'E')) =>
        {
            f64::NAN
        }
        _ => text.parse().unwrap_or(f64::NAN),
    }
}

/// Sorts by `a - b` in the order that V8 produces, also for values that are no numbers.
pub(crate) fn sort_numerically(items: &mut Vec<Value>) {
    let mut keyed: Vec<(f64, Value)> = items.drain(..).map(|item| (number(&item), item)).collect();
    let less = |a: f64, b: f64| a - b < 0.0;
    if keyed.iter().all(|(key, _)| key.is_finite()) {
        keyed.sort_by(|(a, _), (b, _)| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    } else if keyed.len() < SHORT {
        // V8 extends a run at the front and inserts the rest by binary search. With NaN the result depends on
        // that.
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

/// V8 sorts longer lists in several runs. With NaN among them the order is left unchanged.
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
    fn sorting_is_numeric_also_with_other_values() {
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

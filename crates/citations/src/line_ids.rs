//! Line ids of citations, and the form in which they are part of the key.

use json::{Map, Number, Value, write_string};
use smallvec::SmallVec;

use crate::field_names::schema::{MemberSchema, SdkSchema};
use crate::field_names::{SdkMember, SdkVersion};
use crate::js_format;
use crate::object::list;

/// Longest range that is expanded to all its lines. Longer ones are sampled.
const LONGEST_RANGE: i64 = 1000;
/// Number of lines that represent a longer range.
const SAMPLES: i64 = 50;
/// Most lines that are kept.
const MAX_LINES: usize = 65_536;

/// List of line numbers, mostly short.
type LineNumbers = SmallVec<[i64; 4]>;

/// Lines that a citation names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineIds {
    ids: LineNumbers,
    /// Texts that the key is made of, if they differ from the ids.
    written: Option<Box<[String]>>,
}

impl LineIds {
    /// Creates line ids from numbers.
    pub fn new(ids: Vec<i64>) -> Self {
        Self {
            ids: ids.into(),
            written: None,
        }
    }

    /// Line numbers.
    pub fn ids(&self) -> &[i64] {
        &self.ids
    }

    /// Returns true if no lines are named.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.written.is_none()
    }

    /// Reads an array, in its order.
    pub(crate) fn as_given(value: &Value) -> Self {
        match value {
            Value::Array(items) => Self::from_items(items),
            _ => Self::default(),
        }
    }

    /// Reads the lines of a data block and sorts them.
    ///
    /// A string is read as a list of lines and ranges. For the key it is split into characters, as the
    /// citation SDK does.
    pub(crate) fn from_block(value: Value) -> Self {
        match value {
            Value::Array(items) if items.iter().all(is_plain) => {
                Self::sorted(items.iter().filter_map(line))
            }
            Value::Array(mut items) => {
                js_format::sort_numerically(&mut items);
                Self::from_items(&items)
            }
            Value::String(text) => {
                let letter = |char: char| Value::String(char.to_string());
                let mut letters: Vec<Value> = text.chars().take(MAX_LINES).map(letter).collect();
                js_format::sort_numerically(&mut letters);
                let spread = Self::from_items(&letters);
                let ids = LineNumbers::from(parse_list(&text));
                let written = || {
                    letters
                        .iter()
                        .map(|letter| js_format::joined(letter).into())
                        .collect()
                };
                if spread.written.is_none() && spread.ids == ids {
                    return spread;
                }
                Self {
                    ids,
                    written: (!letters.is_empty()).then(written),
                }
            }
            _ => Self::default(),
        }
    }

    /// Creates sorted line ids from the numbers of a data block.
    pub(crate) fn sorted(lines: impl Iterator<Item = i64>) -> Self {
        let mut ids = LineNumbers::new();
        lines.for_each(|line| ids.push(line));
        ids.sort_unstable();
        Self { ids, written: None }
    }

    fn from_items(items: &[Value]) -> Self {
        let ids: LineNumbers = items.iter().filter_map(line).collect();
        let same = ids.len() == items.len()
            && ids
                .iter()
                .zip(items)
                .all(|(id, item)| js_format::joined(item) == id.to_string());
        let written = || {
            items
                .iter()
                .map(|item| js_format::joined(item).into_owned())
                .collect()
        };
        Self {
            ids,
            written: (!same).then(written),
        }
    }

    /// Writes the text that the key is made of.
    pub(crate) fn print(&self, out: &mut impl FnMut(&str)) {
        if let Some(written) = &self.written {
            out(&written.join(","));
            return;
        }
        for (index, id) in self.ids.iter().enumerate() {
            if index > 0 {
                out(",");
            }
            js_format::print_number(&Number::Int(*id), out);
        }
    }
}

impl FromIterator<i64> for LineIds {
    fn from_iter<I: IntoIterator<Item = i64>>(ids: I) -> Self {
        Self {
            ids: ids.into_iter().collect(),
            written: None,
        }
    }
}

impl SdkMember for LineIds {
    fn take(value: Option<&Value>) -> Self {
        value.map(Self::as_given).unwrap_or_default()
    }

    fn is_absent(&self) -> bool {
        match &self.written {
            Some(written) => written.is_empty(),
            None => self.ids.is_empty(),
        }
    }

    fn put(&self, _: SdkVersion, out: &mut String) {
        match &self.written {
            Some(written) => list(written, out, |text, out| write_string(text, out)),
            None => list(&self.ids, out, |id, out| Value::from(*id).write(out)),
        }
    }
}

impl MemberSchema for LineIds {
    const IS_REQUIRED: bool = false;

    fn schema(version: SdkVersion, definitions: &mut Map) -> Value {
        // Ids that are no numbers are written as the citation gives them.
        let forms = vec![
            <u64 as SdkSchema>::schema(version, definitions),
            <String as SdkSchema>::schema(version, definitions),
        ];
        let items = Value::from([("anyOf", Value::Array(forms))]);
        Value::from([("type", "array".into()), ("items", items)])
    }
}

/// Returns true for a number that JavaScript prints as we do.
fn is_plain(value: &Value) -> bool {
    matches!(value, Value::Number(Number::Int(int)) if int.unsigned_abs() < 1 << 53)
}

/// Reads a line number, also one that is written as a string.
fn line(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_safe_int(),
        Value::String(text) => {
            let text = text.trim();
            let end = text
                .find(|char: char| !char.is_ascii_digit())
                .unwrap_or(text.len());
            text[..end].parse().ok()
        }
        _ => None,
    }
}

/// Reads lines and ranges such as `1, 5-7`, sorted and without duplicates. Letters and brackets are ignored.
pub(crate) fn parse_list(text: &str) -> Vec<i64> {
    let mut lines: Vec<i64> = Vec::new();
    let ignored = |char: &char| !char.is_ascii_alphabetic() && !"_:[](){}".contains(*char);
    let plain: String = text.chars().filter(ignored).collect();
    for part in plain.split(',') {
        if lines.len() >= MAX_LINES {
            break;
        }
        let mut numbers = part.split('-').map(str::trim);
        let mut next = || numbers.next().and_then(|number| line(&Value::from(number)));
        let Some(start) = next() else { continue };
        match next() {
            Some(end) if start <= end => lines.extend(range(start, end)),
            _ => lines.push(start),
        }
    }
    lines.sort_unstable();
    lines.dedup();
    lines.truncate(MAX_LINES);
    lines
}

fn range(start: i64, end: i64) -> Vec<i64> {
    if end - start < LONGEST_RANGE {
        return (start..=end).collect();
    }
    let step = (end - start) / (SAMPLES - 1);
    let mut lines: Vec<i64> = (0..SAMPLES - 1)
        .map(|sample| start + step * sample)
        .collect();
    lines.push(end);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges_are_expanded() {
        for (text, lines) in [
            ("2-6", &[2, 3, 4, 5, 6][..]),
            ("10,5-7,6,1", &[1, 5, 6, 7, 10]),
            ("9-3", &[9]),
            ("[L3, L4]", &[3, 4]),
            ("", &[]),
            ("x", &[]),
            ("99999999999999999999", &[]),
        ] {
            assert_eq!(parse_list(text), lines, "{text}");
        }
        assert_eq!(parse_list("1-1000").len(), 1000);
        assert_eq!(parse_list("1-1001").len(), 50);
        assert_eq!(parse_list("0-9223372036854775807").len(), 50);
    }

    #[test]
    fn many_ranges_are_bounded() {
        let text = "1-999,2000-2999,".repeat(1000);
        assert!(parse_list(&text).len() <= MAX_LINES);
    }

    #[test]
    fn a_string_is_read_as_lines_and_keyed_by_characters() {
        let lines = LineIds::from_block(Value::from("12-14"));
        assert_eq!(lines.ids(), [12, 13, 14]);
        let joined = |lines: &LineIds| {
            let mut joined = String::new();
            lines.print(&mut |part| joined.push_str(part));
            joined
        };
        assert_eq!(joined(&lines), "1,2,-,1,4");
        let mut written = String::new();
        lines.put(SdkVersion::V2, &mut written);
        let again = LineIds::as_given(&Value::parse(&written).expect("a list"));
        assert_eq!(joined(&again), joined(&lines));
    }
}

//! The functions of the basic catalog, on arguments whose bindings are resolved.

use regex::RegexBuilder;
use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::ExpressionError;
use crate::number_format::{format_currency, format_date, format_number};

/// A call that has no result.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum FunctionError {
    /// No such function.
    #[error("the catalog has no function `{0}`")]
    Unknown(String),
    /// A pattern that is not a regular expression, or one with look-around or references, which take exponential time.
    #[error("`{0}` is not a regular expression that can be used here")]
    BadPattern(String),
    /// Arguments that the function cannot use.
    #[error("`{function}` needs {expected}")]
    BadArgument {
        /// The function's name.
        function: &'static str,
        /// The missing or wrong argument in words.
        expected: &'static str,
    },
    /// A template that cannot be read.
    #[error(transparent)]
    Template(#[from] ExpressionError),
    /// An address that is not opened.
    #[error("addresses of this kind are not opened: `{0}`")]
    BadAddress(String),
}

/// Largest compiled regular expression, in bytes.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// Calls a function other than `formatString`, which needs the data of its surface.
///
/// # Errors
///
/// Unknown function, or arguments that it cannot use.
pub fn call_function(name: &str, arguments: &Map<String, Value>) -> Result<Value, FunctionError> {
    let value = arguments.get("value").unwrap_or(&Value::Null);
    let number = |key: &str| arguments.get(key).and_then(to_number);
    let decimals = number("decimals").map(|decimals| decimals.clamp(0.0, 20.0) as usize);
    let grouping = arguments.get("grouping").is_none_or(is_truthy);
    Ok(match name {
        "required" => {
            json!(!(value.is_null() || value == "" || value.as_array().is_some_and(Vec::is_empty)))
        }
        "regex" => json!(matches_pattern(value, arguments.get("pattern"))?),
        "length" => json!(within(length_of(value), number("min"), number("max"))),
        "numeric" => {
            json!(to_number(value).is_some_and(|value| within(value, number("min"), number("max"))))
        }
        "email" => json!(is_email(&plain_text(value))),
        "formatNumber" => json!(format_number(
            required_number(value, "formatNumber")?,
            decimals,
            grouping
        )),
        "formatCurrency" => {
            let currency = arguments
                .get("currency")
                .map_or_else(|| "USD".to_owned(), plain_text);
            let amount = required_number(value, "formatCurrency")?;
            json!(format_currency(amount, &currency, decimals, grouping))
        }
        "formatDate" => {
            let pattern = arguments
                .get("format")
                .map_or_else(|| "yyyy-MM-dd".to_owned(), plain_text);
            json!(format_date(value, &pattern).unwrap_or_default())
        }
        "pluralize" => json!(pluralize(required_number(value, "pluralize")?, arguments)),
        "and" | "or" => combine(name == "and", arguments)?,
        "not" => json!(!is_truthy(value)),
        "openUrl" => open_address(arguments.get("url"))?,
        other => return Err(FunctionError::Unknown(other.to_owned())),
    })
}

/// A value as it is shown: nothing for null, JSON for objects and lists.
pub(crate) fn plain_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => float.to_string(),
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}

/// The truth of any value: null, false, zero and the empty text are false.
pub(crate) fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(truth) => *truth,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

pub(crate) fn to_number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text
            .trim()
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite()),
        Value::Bool(truth) => Some(f64::from(u8::from(*truth))),
        _ => None,
    }
}

fn required_number(value: &Value, function: &'static str) -> Result<f64, FunctionError> {
    let error = FunctionError::BadArgument {
        function,
        expected: "a number as `value`",
    };
    to_number(value).ok_or(error)
}

fn within(value: f64, min: Option<f64>, max: Option<f64>) -> bool {
    min.is_none_or(|min| value >= min) && max.is_none_or(|max| value <= max)
}

fn length_of(value: &Value) -> f64 {
    let length = match value {
        Value::Array(items) => items.len(),
        other => plain_text(other).chars().count(),
    };
    length as f64
}

fn matches_pattern(value: &Value, pattern: Option<&Value>) -> Result<bool, FunctionError> {
    let pattern = pattern.map(plain_text).unwrap_or_default();
    let compiled = RegexBuilder::new(&pattern)
        .size_limit(MAX_PATTERN_BYTES)
        .build();
    let compiled = compiled.map_err(|_| FunctionError::BadPattern(pattern))?;
    Ok(compiled.is_match(&plain_text(value)))
}

/// A local part, a host with at least one point, and a top-level domain of at least two letters.
fn is_email(text: &str) -> bool {
    let allowed = |part: &str, marks: &str| {
        !part.is_empty()
            && part
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || marks.contains(c))
    };
    let Some((local, domain)) = text.split_once('@') else {
        return false;
    };
    let Some((host, top)) = domain.rsplit_once('.') else {
        return false;
    };
    allowed(local, "._%+-")
        && allowed(host, ".-")
        && top.len() >= 2
        && top.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Explicit forms for 0, 1 and 2 win over the category of the language.
fn pluralize(value: f64, arguments: &Map<String, Value>) -> String {
    let explicit = [("zero", 0.0), ("one", 1.0), ("two", 2.0)];
    let form = explicit
        .into_iter()
        .filter(|(_, number)| (value - number).abs() < f64::EPSILON)
        .find_map(|(name, _)| arguments.get(name));
    plain_text(
        form.or_else(|| arguments.get("other"))
            .unwrap_or(&Value::Null),
    )
}

fn combine(all: bool, arguments: &Map<String, Value>) -> Result<Value, FunctionError> {
    let function = if all { "and" } else { "or" };
    let values = arguments
        .get("values")
        .and_then(Value::as_array)
        .filter(|values| values.len() >= 2);
    let error = FunctionError::BadArgument {
        function,
        expected: "a list `values` of at least two",
    };
    let values = values.ok_or(error)?;
    Ok(json!(if all {
        values.iter().all(is_truthy)
    } else {
        values.iter().any(is_truthy)
    }))
}

/// An address is never opened here. It is checked, and a renderer may offer it to a person.
fn open_address(address: Option<&Value>) -> Result<Value, FunctionError> {
    let address = address
        .and_then(Value::as_str)
        .map(str::trim)
        .unwrap_or_default();
    let scheme = address
        .split_once(':')
        .map_or("", |(scheme, _)| scheme)
        .to_ascii_lowercase();
    if address.is_empty() || ["http", "https", "mailto", "tel"].contains(&scheme.as_str()) {
        Ok(Value::Null)
    } else {
        Err(FunctionError::BadAddress(address.to_owned()))
    }
}

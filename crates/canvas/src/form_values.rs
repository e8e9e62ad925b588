//! Check of the values that a person submits with a form: types, limits, patterns and comparisons between fields.

use json::{Map, Value};
use regex::RegexBuilder;

use crate::components::{items, text};
use crate::error::InvalidMessage;
use crate::rules::moment;
use crate::schema::{Checker, is_numeric};

/// Largest compiled pattern, in bytes.
const MAX_PATTERN_SIZE: usize = 1 << 20;

/// Fields of a form and the comparisons between them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FormRules {
    fields: Vec<Value>,
    checks: Vec<Value>,
}

impl FormRules {
    /// Reads the rules of a form's data.
    pub(crate) fn of(data: &Value) -> Self {
        Self {
            fields: items(data, "fields").to_vec(),
            checks: items(data, "checks").to_vec(),
        }
    }

    fn field(&self, name: &str) -> Option<&Value> {
        self.fields.iter().find(|field| text(field, "name") == name)
    }
}

/// Checks the values of a form. Returns them without unknown fields.
pub(crate) fn check_form(rules: &FormRules, params: &Value) -> Result<Value, InvalidMessage> {
    let mut checker = Checker::default();
    let mut checked = Map::new();
    checker.within("params", |checker| {
        for field in &rules.fields {
            let name = text(field, "name");
            let value = params
                .get(name)
                .filter(|value| !matches!(value, Value::Null));
            checker.within(name, |checker| check_field_value(field, value, checker));
            if let Some(value) = value {
                checked.insert(name.to_owned(), value.clone());
            }
        }
        if checker.is_valid() {
            check_comparisons(rules, &checked, checker);
        }
    });
    match checker.is_valid() {
        true => Ok(Value::Object(checked)),
        false => Err(InvalidMessage {
            errors: checker.errors,
        }),
    }
}

fn check_field_value(field: &Value, value: Option<&Value>, checker: &mut Checker<'_>) {
    let is_required = field.get("required") == Some(&Value::Bool(true));
    // A box that must be checked is empty while it is not.
    let is_empty = value.is_none_or(|value| {
        value.as_str() == Some("")
            || (text(field, "type") == "checkbox" && *value == Value::Bool(false))
    });
    match value {
        _ if is_empty && is_required => {
            let message = format!("'{}' is required.", text(field, "label"));
            checker.fail("required", message);
        }
        Some(value) if value.as_str() != Some("") => check_value(field, value, checker),
        _ => {}
    }
}

fn check_value(field: &Value, value: &Value, checker: &mut Checker<'_>) {
    let options = items(field, "options");
    let (is_right, expected) = match text(field, "type") {
        "number" => (number_of(value).is_some(), "a number"),
        "checkbox" => (matches!(value, Value::Bool(_)), "true or false"),
        "select" => (options.contains(value), "one of the options"),
        "date" => (
            value.as_str().is_some_and(|text| moment(text).is_some()),
            "a date",
        ),
        "email" => (value.as_str().is_some_and(is_email), "an e-mail address"),
        _ => (value.as_str().is_some(), "a string"),
    };
    if !is_right {
        return checker.expect(
            "wrong_type",
            format!("'{}' has a wrong value.", text(field, "label")),
            expected,
        );
    }
    check_limits(field, value, checker);
}

/// Checks the limits of a value, then its pattern.
fn check_limits(field: &Value, value: &Value, checker: &mut Checker<'_>) {
    let Some(limits) = field.get("validation") else {
        return;
    };
    let limit = |name: &str| match limits.get(name) {
        Some(Value::Number(number)) => Some(number.as_f64()),
        _ => None,
    };
    #[allow(clippy::cast_precision_loss)]
    let length = value.as_str().map(|text| text.chars().count() as f64);
    let (measure, low, high) = match text(field, "type") {
        "number" => (number_of(value), "min", "max"),
        _ => (length, "minLength", "maxLength"),
    };
    let is_outside = measure.is_some_and(|measure| {
        limit(low).is_some_and(|min| measure < min) || limit(high).is_some_and(|max| measure > max)
    });
    let own_message = Some(text(limits, "message")).filter(|message| !message.is_empty());
    let message = |otherwise: &str| match own_message {
        Some(message) => message.to_owned(),
        None => format!("'{}' {otherwise}", text(field, "label")),
    };
    if is_outside {
        let bounds = [
            limit(low).map(|min| format!("at least {min}")),
            limit(high).map(|max| format!("at most {max}")),
        ];
        let bounds: Vec<String> = bounds.into_iter().flatten().collect();
        checker.expect(
            "out_of_range",
            message("is out of range."),
            bounds.join(", "),
        );
    }
    let pattern = text(limits, "pattern");
    if let (false, Some(value)) = (pattern.is_empty(), value.as_str())
        && !matches_pattern(pattern, value)
    {
        checker.expect(
            "pattern_mismatch",
            message("does not have the expected form."),
            pattern,
        );
    }
}

/// Returns true if the whole text matches. Patterns with features that could take for ever, such as look-around and
/// back-references, are left to the client.
fn matches_pattern(pattern: &str, text: &str) -> bool {
    let regex = RegexBuilder::new(&format!(r"\A(?:{pattern})\z"))
        .size_limit(MAX_PATTERN_SIZE)
        .build();
    regex.map_or(true, |regex| regex.is_match(text))
}

/// Checks the comparisons between fields. Fields without a value are not compared.
fn check_comparisons<'r>(rules: &'r FormRules, values: &Map, checker: &mut Checker<'r>) {
    let value = |name: &str| values.get(name).filter(|value| value.as_str() != Some(""));
    for check in &rules.checks {
        let (name, other) = (text(check, "field"), text(check, "other"));
        let (Some(left), Some(right)) = (value(name), value(other)) else {
            continue;
        };
        let kind = rules.field(name).map_or("", |field| text(field, "type"));
        if !holds(text(check, "operator"), kind, left, right) {
            checker.within(name, |checker| {
                checker.fail("comparison_failed", text(check, "message"));
            });
        }
    }
}

/// Returns true if a comparison holds: numbers and dates by value, others as text.
fn holds(operator: &str, kind: &str, left: &Value, right: &Value) -> bool {
    let order = match kind {
        "number" => number_of(left).partial_cmp(&number_of(right)),
        "date" => moment_of(left).partial_cmp(&moment_of(right)),
        _ => Some(plain_text(left).cmp(&plain_text(right))),
    };
    let Some(order) = order else {
        return false;
    };
    match operator {
        "eq" => order.is_eq(),
        "ne" => order.is_ne(),
        "lt" => order.is_lt(),
        "le" => order.is_le(),
        "gt" => order.is_gt(),
        "ge" => order.is_ge(),
        _ => true,
    }
}

fn number_of(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => Some(number.as_f64()),
        Value::String(text) if is_numeric(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn moment_of(value: &Value) -> Option<i64> {
    moment(value.as_str()?)
}

fn plain_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_json(),
    }
}

fn is_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && host.contains('.') && !host.starts_with('.') && !host.ends_with('.')
    }) && !text.chars().any(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form() -> FormRules {
        let data = r#"{"fields":[
            {"name":"code","label":"Code","type":"text","validation":{"pattern":"[A-Z]{2}-\\d+","message":"Two capitals."}},
            {"name":"from","label":"From","type":"date"},
            {"name":"to","label":"To","type":"date"},
            {"name":"low","label":"Low","type":"number"},
            {"name":"high","label":"High","type":"number","validation":{"min":1,"max":10}},
            {"name":"odd","label":"Odd","type":"text","validation":{"pattern":"(?=a)a"}}],
          "checks":[
            {"field":"to","operator":"ge","other":"from","message":"Ends before it begins."},
            {"field":"high","operator":"gt","other":"low","message":"Must be more."}]}"#;
        FormRules::of(&Value::parse(data).expect("JSON"))
    }

    fn errors(params: &str) -> Vec<(String, &'static str, String)> {
        match check_form(&form(), &Value::parse(params).expect("JSON")) {
            Ok(_) => Vec::new(),
            Err(invalid) => { invalid.errors.into_iter() }
                .map(|error| (error.path, error.code, error.message))
                .collect(),
        }
    }

    #[test]
    fn patterns_and_limits_are_enforced() {
        assert!(errors(r#"{"code":"DE-7","high":5}"#).is_empty());
        let found = errors(r#"{"code":"x DE-7","high":11}"#);
        assert_eq!(found[0].0, "/params/code");
        assert_eq!(
            (found[0].1, found[0].2.as_str()),
            ("pattern_mismatch", "Two capitals.")
        );
        assert_eq!(
            (found[1].0.as_str(), found[1].1),
            ("/params/high", "out_of_range")
        );
        assert!(errors(r#"{"odd":"b"}"#).is_empty(), "left to the client");
    }

    #[test]
    fn comparisons_between_fields_are_enforced() {
        assert!(errors(r#"{"from":"2026-01-02","to":"2026-01-02"}"#).is_empty());
        assert!(errors(r#"{"from":"2026-01-02"}"#).is_empty());
        let found = errors(r#"{"from":"2026-01-02","to":"2026-01-01","low":"9","high":10}"#);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, "/params/to");
        assert_eq!(
            (found[0].1, found[0].2.as_str()),
            ("comparison_failed", "Ends before it begins.")
        );
        let found = errors(r#"{"low":10,"high":9}"#);
        assert_eq!(found[0].2, "Must be more.");
    }
}

//! Form.

use json::Value;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as AnyJson;

use super::{ComponentData, ComponentRules, check_unique, items, plain, text, titled};
use crate::rules::{asks_for_secret, moment};
use crate::schema::{CanvasId, Checker, LabelText, ProseText};

/// Longest pattern of a field, in characters.
const MAX_PATTERN: usize = 256;

/// Data of a form.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FormData {
    /// Title.
    pub title: LabelText,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<ProseText>,
    /// Fields in order.
    #[schemars(length(min = 1, max = 100))]
    pub fields: Vec<FormFieldData>,
    /// Text of the button.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submit_label: Option<LabelText>,
    /// Action that submitting executes. Its parameters are the values by field name.
    pub on_submit_action_id: CanvasId,
    /// Checks between fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 50))]
    pub checks: Option<Vec<FormCheck>>,
}

/// Field of a form.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FormFieldData {
    /// Name, unique in the form.
    pub name: CanvasId,
    /// Label.
    pub label: LabelText,
    /// Kind of input.
    #[serde(rename = "type")]
    pub kind: FieldKind,
    /// True if a value is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// Options of a `select` field.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1_000))]
    pub options: Option<Vec<LabelText>>,
    /// Value at the beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_value: Option<AnyJson>,
    /// Limits: `min`, `max`, `minLength`, `maxLength`, `pattern` (regular expression for the whole value), `message`.
    /// Others are kept and ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation: Option<AnyJson>,
    /// Example text in the empty field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<LabelText>,
    /// Explanation below the field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<ProseText>,
}

/// Kind of input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FieldKind {
    /// One line of text.
    Text,
    /// E-mail address.
    Email,
    /// Number.
    Number,
    /// One of several options.
    Select,
    /// `true` or `false`.
    Checkbox,
    /// Date.
    Date,
    /// Several lines of text.
    Textarea,
}

/// Check between two fields.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FormCheck {
    /// Name of a field.
    pub field: CanvasId,
    /// Comparison that must hold.
    pub operator: ComparisonOperator,
    /// Name of the field to compare with.
    pub other: CanvasId,
    /// Message if it does not hold.
    pub message: LabelText,
}

/// Comparison of two fields. Numbers and dates are compared by value, others as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ComparisonOperator {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

impl ComponentData for FormData {
    const NAME: &'static str = "form";
    const SUMMARY: &'static str = "Fields to fill in. Submitting executes the action onSubmitActionId with the values. A select field needs options. Never ask for passwords or other secrets.";

    fn example() -> Self {
        let field = |name: &str, label: &str, kind: FieldKind| FormFieldData {
            name: name.into(),
            label: label.into(),
            kind,
            required: Some(true),
            options: None,
            default_value: None,
            validation: None,
            placeholder: None,
            help: None,
        };
        Self {
            title: "New campaign".into(),
            description: None,
            fields: vec![
                field("name", "Name", FieldKind::Text),
                FormFieldData {
                    options: Some(["Email", "Social"].map(Into::into).into()),
                    ..field("channel", "Channel", FieldKind::Select)
                },
            ],
            submit_label: Some("Create".into()),
            on_submit_action_id: "create_campaign".into(),
            checks: None,
        }
    }
}

impl ComponentRules for FormData {
    fn check(data: &mut Value, checker: &mut Checker<'_>) {
        let fields = items(data, "fields");
        check_unique(checker, "fields", fields, "name");
        checker.within("fields", |checker| {
            for (index, field) in fields.iter().enumerate() {
                checker.at(index, |checker| check_field(field, checker));
            }
        });
        let has_field = |name: &str| fields.iter().any(|field| text(field, "name") == name);
        checker.within("checks", |checker| {
            for (index, check) in items(data, "checks").iter().enumerate() {
                for member in ["field", "other"] {
                    if !has_field(text(check, member)) {
                        checker.at(index, |checker| {
                            checker.within(member, |checker| {
                                checker.expect(
                                    "unknown_reference",
                                    "The form has no such field.",
                                    "the name of a field of the form",
                                );
                            });
                        });
                    }
                }
            }
        });
    }

    fn text(data: &Value) -> String {
        let fields = items(data, "fields").iter().map(|field| {
            let options: Vec<String> = items(field, "options").iter().map(plain).collect();
            let options = if options.is_empty() {
                String::new()
            } else {
                format!(" ({})", options.join(", "))
            };
            let required = if field.get("required") == Some(&Value::Bool(true)) {
                ", required"
            } else {
                ""
            };
            format!(
                "- {}: {}{options}{required}",
                text(field, "label"),
                text(field, "type")
            )
        });
        titled(data, fields)
    }
}

fn check_field(field: &Value, checker: &mut Checker<'_>) {
    let kind = text(field, "type");
    let is_typed = matches!(kind, "text" | "email" | "number" | "textarea");
    for member in ["name", "label"] {
        if is_typed && asks_for_secret(text(field, member)) {
            checker.within(member, |checker| {
                let expected = "a field that does not ask for a password, key, card number or code";
                checker.expect(
                    "secret_requested",
                    "Forms of agents may not ask for secrets.",
                    expected,
                );
            });
        }
    }
    let options = items(field, "options");
    if kind == "select" && options.is_empty() {
        checker.within("options", |checker| {
            checker.expect(
                "required",
                "A select field needs options.",
                "an array of strings",
            );
        });
    }
    if let Some(value) = field.get("defaultValue") {
        checker.within("defaultValue", |checker| {
            check_default(kind, options, value, checker);
        });
    }
    if let Some(Value::Object(validation)) = field.get("validation") {
        checker.within("validation", |checker| {
            let number = |name: &str| match validation.get(name) {
                Some(Value::Number(number)) => Some(number.as_f64()),
                _ => None,
            };
            for (low, high) in [("min", "max"), ("minLength", "maxLength")] {
                if let (Some(min), Some(max)) = (number(low), number(high))
                    && min > max
                {
                    checker.within(high, |checker| {
                        checker.expect(
                            "out_of_range",
                            format!("{max} is less than {low}."),
                            format!("at least {min}"),
                        );
                    });
                }
            }
            if let Some(pattern) = validation.get("pattern") {
                checker.within("pattern", |checker| check_pattern(pattern, checker));
            }
        });
    }
}

/// Checks the value that a field has at the beginning.
fn check_default(kind: &str, options: &[Value], value: &Value, checker: &mut Checker<'_>) {
    let is_right = match kind {
        "number" => {
            matches!(value, Value::Number(_))
                || value
                    .as_str()
                    .is_some_and(|text| text.is_empty() || crate::schema::is_numeric(text))
        }
        "checkbox" => matches!(value, Value::Bool(_)),
        "select" => options.contains(value) || value.as_str() == Some(""),
        "date" => value
            .as_str()
            .is_some_and(|text| text.is_empty() || moment(text).is_some()),
        _ => matches!(value, Value::String(_) | Value::Number(_)),
    };
    if !is_right {
        let expected = match kind {
            "number" => "a number",
            "checkbox" => "true or false",
            "select" => "one of the options",
            "date" => "a date in ISO 8601",
            _ => "a string",
        };
        checker.expect(
            "wrong_type",
            format!("This is no value for a field of type '{kind}'."),
            expected,
        );
    }
}

/// Checks that a pattern is short and has no nested repetition, with which matching can take forever.
fn check_pattern(pattern: &Value, checker: &mut Checker<'_>) {
    let Some(pattern) = pattern.as_str() else {
        return checker.expect(
            "wrong_type",
            "A pattern is a string.",
            "a regular expression",
        );
    };
    if pattern.chars().count() > MAX_PATTERN {
        return checker.expect(
            "too_long",
            "The pattern is too long.",
            format!("at most {MAX_PATTERN} characters"),
        );
    }
    if has_nested_repetition(pattern) {
        let expected = "a pattern without a repetition inside of a repeated group, such as (a+)+";
        checker.expect(
            "unsafe_pattern",
            "The pattern could take very long to match.",
            expected,
        );
    }
}

/// Returns true if a group that contains a repetition or alternatives is itself repeated without a bound, or if the
/// parentheses do not match.
fn has_nested_repetition(pattern: &str) -> bool {
    let mut groups: Vec<bool> = Vec::new();
    let mut is_in_class = false;
    let mut characters = pattern.chars().peekable();
    while let Some(it) = characters.next() {
        match it {
            '\\' => drop(characters.next()),
            ']' => is_in_class = false,
            _ if is_in_class => {}
            '[' => is_in_class = true,
            '(' => groups.push(false),
            ')' => {
                let Some(repeats) = groups.pop() else {
                    return true;
                };
                let is_repeated = matches!(characters.peek(), Some('*' | '+' | '{'));
                if repeats && is_repeated {
                    return true;
                }
                if let Some(outer) = groups.last_mut() {
                    *outer |= repeats || is_repeated;
                }
            }
            '*' | '+' | '{' | '|' => {
                if let Some(group) = groups.last_mut() {
                    *group = true;
                }
            }
            _ => {}
        }
    }
    is_in_class || !groups.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_repetitions_are_found() {
        for pattern in [
            "(a+)+",
            "(a|aa)*",
            "((a*)b)*",
            "(a",
            "a)",
            "[a",
            "(\\w+\\s?)*",
        ] {
            assert!(has_nested_repetition(pattern), "{pattern}");
        }
        for pattern in [
            "[A-Z]{2}-\\d+",
            "(ab)+",
            "(?:\\d{3})",
            "a\\)",
            "[(+]*",
            "^\\S+@\\S+$",
        ] {
            assert!(!has_nested_repetition(pattern), "{pattern}");
        }
    }
}

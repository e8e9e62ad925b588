//! Schemas compiled into shapes, which are fast to check against.

use serde_json::Value as Schema;

use crate::rules::TextFormat;

/// Shape that a value must have.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    /// Any JSON value.
    Any,
    /// `true` or `false`.
    Boolean,
    /// Number.
    Number(NumberShape),
    /// Text.
    Text(TextShape),
    /// One of these words.
    Choice(Vec<String>),
    /// Array.
    List {
        /// Shape of every item.
        items: Box<Shape>,
        /// Smallest number of items.
        min: usize,
        /// Largest number of items.
        max: usize,
    },
    /// Object.
    Record {
        /// Known members.
        members: Vec<ShapeMember>,
        /// Shape of all other members; `None` if they are not allowed.
        others: Option<Box<Shape>>,
    },
    /// One of several shapes.
    OneOf(Vec<Shape>),
}

/// Bounds of a number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NumberShape {
    /// True if fractions are not allowed.
    pub(crate) is_integer: bool,
    /// Smallest value.
    pub(crate) min: Option<f64>,
    /// Largest value.
    pub(crate) max: Option<f64>,
}

/// Length in characters and format of a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TextShape {
    pub(crate) min: usize,
    pub(crate) max: usize,
    pub(crate) format: TextFormat,
}

/// Member of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ShapeMember {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) is_required: bool,
}

impl Shape {
    /// Compiles a schema that [`schema_of`](super::schema_of) returned.
    pub(crate) fn compile(schema: &Schema) -> Self {
        if let Some(constant) = schema.get("const").and_then(Schema::as_str) {
            return Self::Choice(vec![constant.to_owned()]);
        }
        if let Some(choices) = schema.get("enum").and_then(Schema::as_array) {
            let words = choices.iter().filter_map(Schema::as_str);
            return Self::Choice(words.map(str::to_owned).collect());
        }
        let arms = schema.get("anyOf").or_else(|| schema.get("oneOf"));
        if let Some(arms) = arms.and_then(Schema::as_array) {
            return Self::OneOf(arms.iter().map(Self::compile).collect());
        }
        match schema.get("type") {
            Some(Schema::String(kind)) => Self::of_type(kind, schema),
            Some(Schema::Array(kinds)) => {
                let kinds = kinds.iter().filter_map(Schema::as_str);
                Self::OneOf(kinds.map(|kind| Self::of_type(kind, schema)).collect())
            }
            _ => Self::Any,
        }
    }

    fn of_type(kind: &str, schema: &Schema) -> Self {
        let count = |name: &str| {
            let count = schema.get(name).and_then(Schema::as_u64);
            count.and_then(|count| usize::try_from(count).ok())
        };
        match kind {
            "boolean" => Self::Boolean,
            "number" | "integer" => Self::Number(NumberShape {
                is_integer: kind == "integer",
                min: schema.get("minimum").and_then(Schema::as_f64),
                max: schema.get("maximum").and_then(Schema::as_f64),
            }),
            "string" => Self::Text(TextShape {
                min: count("minLength").unwrap_or(0),
                max: count("maxLength").unwrap_or(usize::MAX),
                format: TextFormat::from_name(schema.get("format").and_then(Schema::as_str)),
            }),
            "array" => Self::List {
                items: Box::new(schema.get("items").map_or(Self::Any, Self::compile)),
                min: count("minItems").unwrap_or(0),
                max: count("maxItems").unwrap_or(usize::MAX),
            },
            "object" => Self::of_object(schema),
            _ => Self::Any,
        }
    }

    fn of_object(schema: &Schema) -> Self {
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Schema::as_array)
            .map(|names| names.iter().filter_map(Schema::as_str).collect())
            .unwrap_or_default();
        let members = schema.get("properties").and_then(Schema::as_object);
        let members = members
            .into_iter()
            .flatten()
            .map(|(name, shape)| ShapeMember {
                name: name.clone(),
                shape: Self::compile(shape),
                is_required: required.contains(&name.as_str()),
            });
        Self::Record {
            members: members.collect(),
            others: match schema.get("additionalProperties") {
                Some(Schema::Bool(false)) => None,
                Some(others) => Some(Box::new(Self::compile(others))),
                None => Some(Box::new(Self::Any)),
            },
        }
    }

    /// Returns the words for the shape in messages.
    pub(crate) fn description(&self) -> String {
        match self {
            Self::Any => "any value".to_owned(),
            Self::Boolean => "true or false".to_owned(),
            Self::Number(number) if number.is_integer => "an integer".to_owned(),
            Self::Number(_) => "a number".to_owned(),
            Self::Text(_) => "a string".to_owned(),
            Self::Choice(words) => format!("one of: {}", words.join(", ")),
            Self::List { .. } => "an array".to_owned(),
            Self::Record { .. } => "an object".to_owned(),
            Self::OneOf(arms) => {
                let arms: Vec<String> = arms.iter().map(Self::description).collect();
                arms.join(" or ")
            }
        }
    }
}

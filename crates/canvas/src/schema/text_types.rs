//! Kinds of text in messages. Each has a format in the published schema, which the validator enforces.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

/// Defines a text type with its length in characters and its format.
macro_rules! text_type {
    ($(#[$doc:meta])* $name:ident, $format:literal, $min:literal..=$max:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                match $min {
                    0 => json_schema!({"type": "string", "format": $format, "maxLength": $max}),
                    min => json_schema!({
                        "type": "string", "format": $format, "minLength": min, "maxLength": $max
                    }),
                }
            }
        }

        impl<T: Into<String>> From<T> for $name {
            fn from(text: T) -> Self {
                Self(text.into())
            }
        }
    };
}

text_type! {
    /// Short text that people read to decide: titles, labels, names. No control, bidirectional or zero-width
    /// characters.
    LabelText, "label", 0..=500
}
text_type! {
    /// Long text: answers, descriptions, Markdown. Renderers escape it and isolate its direction.
    ProseText, "prose", 0..=200_000
}
text_type! {
    /// Identifier within a message, such as the id of an action. No control or hidden characters.
    CanvasId, "identifier", 1..=256
}
text_type! {
    /// Colour in CSS notation: `#rgb`, a colour name, `rgb(…)`, `hsl(…)`, `var(--chart-N)` or
    /// `hsl(var(--chart-N))`.
    CssColor, "color", 1..=64
}
text_type! {
    /// Absolute address with the scheme `https`, `http` or `mailto`, without user name and password.
    LinkUrl, "link", 1..=2_048
}
text_type! {
    /// Name of an icon, such as `download`, or one emoji.
    IconName, "icon", 1..=64
}
text_type! {
    /// Height in CSS notation: a number with `px`, `rem`, `em`, `vh`, `vw` or `%`, or a word such as `auto`.
    CssLength, "css-length", 1..=32
}
text_type! {
    /// Date (`2026-11-18`) or date and time (`2026-11-18T09:30`, with or without offset) in ISO 8601.
    MomentText, "moment", 1..=64
}

//! Schemas of messages and components: generated from the Rust types, published, and compiled into shapes that
//! values are checked against.

mod checker;
mod compile;
mod generate;
mod text_types;

pub(crate) use checker::{Checker, is_numeric};
pub(crate) use compile::Shape;
pub(crate) use generate::{schema_of, to_json_value};
pub use text_types::{
    CanvasId, CssColor, CssLength, IconName, LabelText, LinkUrl, MomentText, ProseText,
};

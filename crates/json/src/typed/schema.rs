//! Schemas as data. Validation walks them; the typed readers implement them.

use crate::Map;

/// Description of one JSON value.
#[derive(Debug)]
pub enum Schema {
    /// String.
    Text,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// Integer within ±(2^53−1).
    SafeInt,
    /// Integer from 0 to 2^53−1.
    Count,
    /// JSON Pointer.
    Pointer,
    /// Any JSON.
    Any,
    /// Any JSON but `null`.
    NotNull,
    /// Any JSON; `null` reads as absent.
    NullIsAbsent,
    /// Object with arbitrary members.
    Opaque,
    /// Array.
    Array(&'static Schema),
    /// Array with at least one item.
    NonEmpty(&'static Schema),
    /// String, or a value of the inner schema.
    TextOr(&'static Schema),
    /// Object with described members.
    Object(&'static [SchemaField]),
    /// Object whose members depend on the value of its member `tag`.
    Union(&'static SchemaUnion),
}

/// Described member of an object.
#[derive(Debug)]
pub struct SchemaField {
    /// Member name.
    pub key: &'static str,
    /// Schema of the value.
    pub schema: &'static Schema,
    /// True if validation reports a missing member.
    pub required: bool,
}

/// Objects of several kinds, told apart by the string in one member.
#[derive(Debug)]
pub struct SchemaUnion {
    /// Name of the member that tells the kind.
    pub tag: &'static str,
    /// Kinds of objects.
    pub arms: &'static [UnionArm],
    /// True if members that are not described are kept.
    pub open: bool,
}

/// One kind of object in a union.
#[derive(Debug)]
pub struct UnionArm {
    /// Value of the tag.
    pub name: &'static str,
    /// Members besides the tag.
    pub fields: &'static [SchemaField],
}

impl SchemaUnion {
    /// Returns the kind of an object, or `None` if it is unknown.
    pub fn arm_of(&self, members: &Map) -> Option<&'static UnionArm> {
        let name = members.get(self.tag)?.as_str()?;
        self.arms.iter().find(|arm| arm.name == name)
    }
}

/// Describes a member that must be present.
pub const fn required(key: &'static str, schema: &'static Schema) -> SchemaField {
    SchemaField {
        key,
        schema,
        required: true,
    }
}

/// Describes a member that may be absent.
pub const fn optional(key: &'static str, schema: &'static Schema) -> SchemaField {
    SchemaField {
        key,
        schema,
        required: false,
    }
}

//! What the protocol describes, as data: enforcement walks it, the typed readers implement it.

use crate::json::Map;

/// What may stand at one place of an event, a message or an input.
#[derive(Debug)]
pub(crate) enum Schema {
    /// A string.
    Text,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// An integer within ±(2^53−1).
    SafeInt,
    /// An integer from 0 to 2^53−1.
    Count,
    /// A JSON Pointer as AG-UI checks it.
    Pointer,
    /// Any JSON.
    Any,
    /// Any JSON but `null`.
    NotNull,
    /// Any JSON; `null` reads as absent.
    NullIsAbsent,
    /// An object whose members belong to somebody else.
    Opaque,
    /// An array.
    Array(&'static Schema),
    /// An array with at least one item.
    NonEmpty(&'static Schema),
    /// A string, or what the inner schema says.
    TextOr(&'static Schema),
    /// An object with described members.
    Object(&'static [Field]),
    /// An object whose member `tag` says which members it has.
    Union(&'static Union),
}

/// A described member of an object.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) key: &'static str,
    pub(crate) schema: &'static Schema,
    pub(crate) required: bool,
}

/// A family of objects told apart by one member.
#[derive(Debug)]
pub(crate) struct Union {
    pub(crate) tag: &'static str,
    pub(crate) arms: &'static [Arm],
    /// Whether members that are not described are kept.
    pub(crate) open: bool,
}

/// One kind of a union.
#[derive(Debug)]
pub(crate) struct Arm {
    pub(crate) name: &'static str,
    pub(crate) fields: &'static [Field],
}

impl Union {
    /// Which kind an object is, if it is a known one.
    pub(crate) fn arm_of(&self, members: &Map) -> Option<&'static Arm> {
        let name = members.get(self.tag)?.as_str()?;
        self.arms.iter().find(|arm| arm.name == name)
    }
}

/// A described member.
pub(crate) const fn required(key: &'static str, schema: &'static Schema) -> Field {
    Field {
        key,
        schema,
        required: true,
    }
}

/// A described member that may be absent.
pub(crate) const fn optional(key: &'static str, schema: &'static Schema) -> Field {
    Field {
        key,
        schema,
        required: false,
    }
}

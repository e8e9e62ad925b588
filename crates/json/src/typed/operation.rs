//! [`TypedJson`] for JSON Patch operations.

use super::{
    NotTyped, Schema, SchemaField, SchemaUnion, TypedJson, TypedReader, UnionArm, read_member,
    required,
};
use crate::patch::{PatchOp, PatchOperation, is_pointer};
use crate::{Json, Text, unescape};

const PATH: SchemaField = required("path", &Schema::Pointer);
const FROM: SchemaField = required("from", &Schema::Pointer);
const VALUE: SchemaField = required("value", &Schema::Any);

const fn arm(name: &'static str, fields: &'static [SchemaField]) -> UnionArm {
    UnionArm { name, fields }
}

impl TypedJson for PatchOperation {
    /// Open union: unknown members of an operation are kept.
    const SCHEMA: Schema = Schema::Union(&SchemaUnion {
        tag: "op",
        open: true,
        arms: &[
            arm("add", &[PATH, VALUE]),
            arm("remove", &[PATH]),
            arm("replace", &[PATH, VALUE]),
            arm("move", &[FROM, PATH]),
            arm("copy", &[FROM, PATH]),
            arm("test", &[PATH, VALUE]),
        ],
    });

    fn read(reader: &mut TypedReader<'_>) -> Result<Self, NotTyped> {
        let (mut op, mut path) = (None::<Text>, None::<Text>);
        let (mut from, mut value) = (None::<Json>, None::<Json>);
        let mut extended = false;
        reader.peek();
        let start = reader.pos();
        reader.read_members(|reader, key| match key {
            "op" => read_member(&mut op, reader),
            "path" => read_member(&mut path, reader),
            "from" => read_member(&mut from, reader),
            "value" => read_member(&mut value, reader),
            // A described key written with escapes.
            _ if key.contains('\\')
                && matches!(&*unescape(key), "op" | "path" | "from" | "value") =>
            {
                Err(NotTyped)
            }
            _ => {
                extended = true;
                reader.skip_value().map(drop)
            }
        })?;
        let op = op
            .and_then(|op| op.parse::<PatchOp>().ok())
            .ok_or(NotTyped)?;
        let path = path.filter(|path| is_pointer(path)).ok_or(NotTyped)?;
        let needs_from = matches!(op, PatchOp::Move | PatchOp::Copy);
        let needs_value = matches!(op, PatchOp::Add | PatchOp::Replace | PatchOp::Test);
        extended |= from.is_some() != needs_from || value.is_some() != needs_value;
        let from = match from.filter(|_| needs_from) {
            Some(from) => Some(
                from.value()
                    .as_str()
                    .filter(|from| is_pointer(from))
                    .map(Text::from)
                    .ok_or(NotTyped)?,
            ),
            None if needs_from => return Err(NotTyped),
            None => None,
        };
        let value = value.filter(|_| needs_value);
        if needs_value && value.is_none() {
            return Err(NotTyped);
        }
        Ok(Self {
            op,
            path,
            from,
            value,
            extended: extended.then(|| reader.slice(start..reader.pos())),
        })
    }

    fn write(&self, out: &mut String) {
        Self::write(self, out);
    }
}

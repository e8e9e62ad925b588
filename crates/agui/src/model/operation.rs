//! The wire form of JSON Patch operations.

use crate::json::{Json, Text, unescape};
use crate::patch::{Op, Operation, is_pointer};
use crate::schema::{Arm, Field, Schema, Union, required};
use crate::typed::{Reader, Typed, Unclean, fill};

const PATH: Field = required("path", &Schema::Pointer);
const FROM: Field = required("from", &Schema::Pointer);
const VALUE: Field = required("value", &Schema::Any);

const fn arm(name: &'static str, fields: &'static [Field]) -> Arm {
    Arm { name, fields }
}

impl Typed for Operation {
    /// The one family of objects whose unknown members are kept.
    const SCHEMA: Schema = Schema::Union(&Union {
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

    fn read(reader: &mut Reader<'_>) -> Result<Self, Unclean> {
        let (mut op, mut path) = (None::<Text>, None::<Text>);
        let (mut from, mut value) = (None::<Json>, None::<Json>);
        let mut extended = false;
        reader.peek();
        let start = reader.pos();
        reader.members(|reader, key| match key {
            "op" => fill(&mut op, reader),
            "path" => fill(&mut path, reader),
            "from" => fill(&mut from, reader),
            "value" => fill(&mut value, reader),
            // A described member in disguise.
            _ if key.contains('\\')
                && matches!(&*unescape(key), "op" | "path" | "from" | "value") =>
            {
                Err(Unclean)
            }
            _ => {
                extended = true;
                reader.skip().map(drop)
            }
        })?;
        let op = op.and_then(|op| op.parse::<Op>().ok()).ok_or(Unclean)?;
        let path = path.filter(|path| is_pointer(path)).ok_or(Unclean)?;
        let moves = matches!(op, Op::Move | Op::Copy);
        let sets = matches!(op, Op::Add | Op::Replace | Op::Test);
        extended |= from.is_some() != moves || value.is_some() != sets;
        let from = match from.filter(|_| moves) {
            Some(from) => Some(
                from.value()
                    .as_str()
                    .filter(|from| is_pointer(from))
                    .map(Text::from)
                    .ok_or(Unclean)?,
            ),
            None if moves => return Err(Unclean),
            None => None,
        };
        let value = value.filter(|_| sets);
        if sets && value.is_none() {
            return Err(Unclean);
        }
        Ok(Self {
            op,
            path,
            from,
            value,
            extended: extended.then(|| reader.cut(start..reader.pos())),
        })
    }

    fn write(&self, out: &mut String) {
        Self::write(self, out);
    }
}

//! [`TypedJson`] for strings, booleans, JSON values, options, boxes and lists.

use std::sync::Arc;

use super::{NotTyped, Schema, TypedJson, TypedReader};
use crate::{Json, JsonObject, Text, unescape, write_string};

impl TypedJson for Text {
    const SCHEMA: Schema = Schema::Text;

    #[inline]
    fn read(reader: &mut TypedReader<'_>) -> Result<Self, NotTyped> {
        let literal = reader.string_literal()?;
        if literal.escaped {
            return Ok(Self::from(unescape(&reader.scanner.text()[literal.range])));
        }
        Ok(reader.slice(literal.range))
    }

    #[inline]
    fn read_in_place(&mut self, reader: &mut TypedReader<'_>) -> Result<(), NotTyped> {
        let literal = reader.string_literal()?;
        if literal.escaped {
            *self = Self::from(unescape(&reader.scanner.text()[literal.range]));
        } else {
            reader.reslice(self, literal.range);
        }
        Ok(())
    }

    fn write(&self, out: &mut String) {
        write_string(self, out);
    }
}

impl TypedJson for String {
    const SCHEMA: Schema = Schema::Text;

    fn read(reader: &mut TypedReader<'_>) -> Result<Self, NotTyped> {
        let literal = reader.string_literal()?;
        let inside = &reader.scanner.text()[literal.range];
        Ok(if literal.escaped {
            unescape(inside)
        } else {
            inside.to_owned()
        })
    }

    fn write(&self, out: &mut String) {
        write_string(self, out);
    }
}

impl TypedJson for bool {
    const SCHEMA: Schema = Schema::Flag;

    fn read(reader: &mut TypedReader<'_>) -> Result<Self, NotTyped> {
        let flag = reader.peek() == b't';
        reader
            .scanner
            .read_keyword(if flag { "true" } else { "false" })?;
        Ok(flag)
    }

    fn write(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }
}

impl TypedJson for Json {
    const SCHEMA: Schema = Schema::Any;
    const OPTIONAL: Schema = Schema::NotNull;

    fn read(reader: &mut TypedReader<'_>) -> Result<Self, NotTyped> {
        let range = reader.skip_value()?;
        Ok(Self::from_scanned(reader.slice(range)))
    }

    fn write(&self, out: &mut String) {
        Self::write(self, out);
    }
}

impl TypedJson for JsonObject {
    const SCHEMA: Schema = Schema::Opaque;

    fn read(reader: &mut TypedReader<'_>) -> Result<Self, NotTyped> {
        Self::new(Json::read(reader)?).ok_or(NotTyped)
    }

    fn write(&self, out: &mut String) {
        self.as_json().write(out);
    }
}

impl<T: TypedJson> TypedJson for Option<T> {
    const SCHEMA: Schema = T::OPTIONAL;
    const REQUIRED: bool = false;

    fn read(reader: &mut TypedReader<'_>) -> Result<Self, NotTyped> {
        // An optional member is left out, never `null`.
        if reader.peek() == b'n' {
            return Err(NotTyped);
        }
        T::read(reader).map(Some)
    }

    fn absent() -> Result<Self, NotTyped> {
        Ok(None)
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }

    fn write(&self, out: &mut String) {
        if let Some(value) = self {
            value.write(out);
        }
    }
}

impl<T: TypedJson> TypedJson for Box<T> {
    const SCHEMA: Schema = T::SCHEMA;
    const OPTIONAL: Schema = T::OPTIONAL;

    fn read(reader: &mut TypedReader<'_>) -> Result<Self, NotTyped> {
        T::read(reader).map(Self::new)
    }

    fn write(&self, out: &mut String) {
        T::write(self, out);
    }
}

impl<T: TypedJson> TypedJson for Arc<T> {
    const SCHEMA: Schema = T::SCHEMA;

    fn read(reader: &mut TypedReader<'_>) -> Result<Self, NotTyped> {
        T::read(reader).map(Self::new)
    }

    fn write(&self, out: &mut String) {
        T::write(self, out);
    }
}

impl<T: TypedJson> TypedJson for Vec<T> {
    const SCHEMA: Schema = Schema::Array(&T::SCHEMA);

    fn read(reader: &mut TypedReader<'_>) -> Result<Self, NotTyped> {
        let mut items = Self::new();
        reader.read_items(|reader| {
            items.push(T::read(reader)?);
            Ok(())
        })?;
        Ok(items)
    }

    fn write(&self, out: &mut String) {
        out.push('[');
        for (index, item) in self.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            item.write(out);
        }
        out.push(']');
    }
}

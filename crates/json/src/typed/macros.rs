//! Macros that derive a type, its schema, its reader and its writer from one list of members.

/// Defines a struct with a described JSON form.
///
/// A field is written `field: Type = "key"`. It may be absent if the type is an `Option`.
/// `"key" [may_be_missing]` tells validation to accept a missing member of another type, because the
/// caller adds it before reading; `"key" as SCHEMA` overrides the schema of the type.
#[macro_export]
macro_rules! typed_object {
    (
        $(#[$meta:meta])*
        $name:ident {
            $( $(#[$field_meta:meta])* $field:ident: $type:ty = $key:literal $([$presence:ident])? $(as $schema:expr)? ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $( $(#[$field_meta])* pub $field: $type, )*
        }

        impl $name {
            /// Parses JSON text. Members that are not described are ignored.
            pub fn from_json(json: &str) -> Result<Self, $crate::typed::InvalidJson> {
                $crate::typed::read_text(json, |_| {})
            }

            /// Returns compact JSON.
            pub fn to_json(&self) -> String {
                let mut out = String::new();
                $crate::typed::TypedJson::write(self, &mut out);
                out
            }

            pub(crate) const FIELDS: &'static [$crate::typed::SchemaField] = &[
                $( $crate::typed::SchemaField {
                    key: $key,
                    schema: $crate::typed_object!(@schema $type $(, $schema)?),
                    required: $crate::typed_object!(@required $type $(, $presence)?),
                }, )*
            ];
        }

        impl $crate::typed::TypedJson for $name {
            const SCHEMA: $crate::typed::Schema = $crate::typed::Schema::Object(Self::FIELDS);

            fn read(reader: &mut $crate::typed::TypedReader<'_>) -> Result<Self, $crate::typed::NotTyped> {
                $( let mut $field: Option<$type> = None; )*
                reader.read_members(|reader, key| match key {
                    $( $key => $crate::typed::read_member(&mut $field, reader), )*
                    _ => Err($crate::typed::NotTyped),
                })?;
                Ok(Self {
                    $( $field: match $field {
                        Some(value) => value,
                        None => <$type as $crate::typed::TypedJson>::absent()?,
                    }, )*
                })
            }

            fn write(&self, out: &mut String) {
                out.push('{');
                $( $crate::typed::write_member($key, &self.$field, out); )*
                out.push('}');
            }
        }
    };
    (@schema $type:ty) => { &<$type as $crate::typed::TypedJson>::SCHEMA };
    (@schema $type:ty, $schema:expr) => { &$schema };
    (@required $type:ty) => { <$type as $crate::typed::TypedJson>::REQUIRED };
    (@required $type:ty, may_be_missing) => { false };
}

/// Defines an enum whose JSON form is one of a fixed set of strings.
#[macro_export]
macro_rules! string_enum {
    (
        $(#[$meta:meta])*
        $name:ident { $( $(#[$variant_meta:meta])* $variant:ident = $word:literal ),* $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $( $(#[$variant_meta])* $variant, )* }

        impl $name {
            /// All strings, in the order of the variants.
            pub const NAMES: &'static [&'static str] = &[$($word),*];

            /// Returns the string in JSON.
            pub fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word, )* }
            }

            /// Returns the variant of a string, or `None` if there is none.
            #[allow(clippy::should_implement_trait)]
            pub fn from_str(name: &str) -> Option<Self> {
                match name { $( $word => Some(Self::$variant), )* _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl $crate::typed::TypedJson for $name {
            const SCHEMA: $crate::typed::Schema = $crate::typed::Schema::OneOf(Self::NAMES);

            fn read(reader: &mut $crate::typed::TypedReader<'_>) -> Result<Self, $crate::typed::NotTyped> {
                Self::from_str(reader.read_unescaped()?).ok_or($crate::typed::NotTyped)
            }

            fn write(&self, out: &mut String) {
                out.push('"');
                out.push_str(self.as_str());
                out.push('"');
            }
        }
    };
}

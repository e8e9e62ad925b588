//! Definitions of described types: one list of members gives the struct, its schema, its reader and
//! its writer.

/// Defines a struct with a described JSON form: `field: Type = "key"`, optional if the type is.
macro_rules! object {
    (
        $(#[$meta:meta])*
        $name:ident {
            $( $(#[$field_meta:meta])* $field:ident: $type:ty = $key:literal $(as $schema:expr)? ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $( $(#[$field_meta])* pub $field: $type, )*
        }

        impl $name {
            /// Reads it from JSON text; members that are not described are left out.
            pub fn from_json(json: &str) -> Result<Self, $crate::enforce::InvalidJson> {
                $crate::enforce::read_described(json, |_| {})
            }

            /// It as compact JSON.
            pub fn to_json(&self) -> String {
                let mut out = String::new();
                $crate::typed::Typed::write(self, &mut out);
                out
            }

            pub(crate) const FIELDS: &'static [$crate::schema::Field] = &[
                $( $crate::schema::Field {
                    key: $key,
                    schema: crate::typed::object!(@schema $type $(, $schema)?),
                    required: <$type as $crate::typed::Typed>::REQUIRED,
                }, )*
            ];
        }

        impl $crate::typed::Typed for $name {
            const SCHEMA: $crate::schema::Schema = $crate::schema::Schema::Object(Self::FIELDS);

            fn read(reader: &mut $crate::typed::Reader<'_>) -> Result<Self, $crate::typed::Unclean> {
                $( let mut $field: Option<$type> = None; )*
                reader.members(|reader, key| match key {
                    $( $key => $crate::typed::fill(&mut $field, reader), )*
                    _ => Err($crate::typed::Unclean),
                })?;
                Ok(Self {
                    $( $field: match $field {
                        Some(value) => value,
                        None => <$type as $crate::typed::Typed>::absent()?,
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
    (@schema $type:ty) => { &<$type as $crate::typed::Typed>::SCHEMA };
    (@schema $type:ty, $schema:expr) => { &$schema };
}

/// Defines an enum of fixed strings.
macro_rules! words {
    (
        $(#[$meta:meta])*
        $name:ident { $( $(#[$variant_meta:meta])* $variant:ident = $word:literal ),* $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $( $(#[$variant_meta])* $variant, )* }

        impl $name {
            /// Every word.
            pub const WORDS: &'static [&'static str] = &[$($word),*];

            /// The word on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word, )* }
            }

            /// The meaning of a word.
            #[allow(clippy::should_implement_trait)]
            pub fn from_str(word: &str) -> Option<Self> {
                match word { $( $word => Some(Self::$variant), )* _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl $crate::typed::Typed for $name {
            const SCHEMA: $crate::schema::Schema = $crate::schema::Schema::OneOf(Self::WORDS);

            fn read(reader: &mut $crate::typed::Reader<'_>) -> Result<Self, $crate::typed::Unclean> {
                Self::from_str(reader.plain()?).ok_or($crate::typed::Unclean)
            }

            fn write(&self, out: &mut String) {
                out.push('"');
                out.push_str(self.as_str());
                out.push('"');
            }
        }
    };
}

pub(crate) use {object, words};

//! Macro that defines the event types from one table.

/// Defines `EventType`, `EventData`, one struct per event, and their reading and writing.
///
/// An entry is `Name = "TYPE" { field: Type = "key", … }`. `attributable false` marks events that
/// carry no `subagentRunId`; `as boxed` stores the struct of a long and rare event in a box, which
/// keeps `EventData` small.
macro_rules! define_events {
    ($(
        $(#[$meta:meta])*
        $name:ident = $type:literal $( attributable $attributable:literal )? $( as $boxed:ident )? {
            $( $(#[$field_meta:meta])* $field:ident: $field_type:ty = $key:literal ),* $(,)?
        }
    )*) => {
        string_enum! {
            /// Type of an event.
            EventType { $( $(#[$meta])* $name = $type, )* }
        }

        $(
            $(#[$meta])*
            #[derive(Debug, Clone, PartialEq)]
            pub struct $name { $( $(#[$field_meta])* pub $field: $field_type, )* }

            impl $name {
                const ATTRIBUTABLE: bool = true $(&& $attributable)?;
                const FIELDS: &'static [SchemaField] = &[ $( SchemaField {
                    key: $key,
                    schema: &<$field_type as TypedJson>::SCHEMA,
                    required: <$field_type as TypedJson>::REQUIRED,
                }, )* ];

                /// Reads the members. `typed`: the reader is behind the type, the first member.
                fn read_into(
                    event: &mut Event,
                    reader: &mut TypedReader<'_>,
                    mut typed: bool,
                ) -> Result<(), NotTyped> {
                    if typed && let EventData::$name(data) = &mut event.data {
                        // Fast path for a series of deltas: the slot holds an event of the same type,
                        // and this one has all its members in order and no others.
                        let start = reader.mark();
                        reader.enter();
                        let matches = true $( && reader.take_key(concat!(",\"", $key, "\":"))
                            && data.$field.read_in_place(reader).is_ok() )*;
                        reader.leave();
                        if matches && reader.take_last_brace() {
                            return Ok(());
                        }
                        reader.rewind(start);
                    }
                    let common = &mut event.common;
                    $( let mut $field: Option<$field_type> = None; )*
                    if typed {
                        // Most producers write the members in the order of the protocol.
                        reader.enter();
                        $( if reader.take_key(concat!(",\"", $key, "\":")) {
                            read_member(&mut $field, reader)?;
                        } )*
                        reader.leave();
                    }
                    reader.read_members_from(typed, |reader, key| match key {
                        $( $key => read_member(&mut $field, reader), )*
                        "type" if !typed => {
                            typed = true;
                            reader.skip_value().map(drop)
                        }
                        _ => common.read(reader, key, Self::ATTRIBUTABLE),
                    })?;
                    event.data = EventData::$name(Self { $( $field: match $field {
                        Some(value) => value,
                        None => <$field_type as TypedJson>::absent()?,
                    }, )* }.into());
                    reader.expect_end()
                }

                fn write(&self, out: &mut String) {
                    $( write_member($key, &self.$field, out); )*
                }
            }

            impl From<$name> for EventData {
                fn from(data: $name) -> Self {
                    Self::$name(data.into())
                }
            }

            impl From<$name> for Event {
                fn from(data: $name) -> Self {
                    Self::new(data.into())
                }
            }
        )*

        /// Content of an event, by type.
        #[derive(Debug, Clone, PartialEq)]
        pub enum EventData { $( $(#[$meta])* $name(define_events!(@payload $name $($boxed)?)), )* }

        impl EventData {
            /// Returns the type of the event.
            pub fn kind(&self) -> EventType {
                match self { $( Self::$name(_) => EventType::$name, )* }
            }

            pub(super) fn write(&self, out: &mut String) {
                match self { $( Self::$name(data) => data.write(out), )* }
            }
        }

        impl Event {
            pub(super) fn read_data(
                &mut self,
                kind: EventType,
                reader: &mut TypedReader<'_>,
                typed: bool,
            ) -> Result<(), NotTyped> {
                match kind { $( EventType::$name => $name::read_into(self, reader, typed), )* }
            }
        }

        impl EventType {
            /// Returns the described members besides the common ones.
            pub(crate) fn fields(self) -> &'static [SchemaField] {
                match self { $( Self::$name => $name::FIELDS, )* }
            }

            /// Returns true if the event may carry a `subagentRunId`.
            pub fn is_attributable(self) -> bool {
                match self { $( Self::$name => $name::ATTRIBUTABLE, )* }
            }

            /// Returns the common members that this type may have.
            pub(crate) fn common_fields(self) -> &'static [SchemaField] {
                let fields: &'static [SchemaField] = &CommonFields::FIELDS;
                &fields[..fields.len() - usize::from(!self.is_attributable())]
            }
        }
    };
    (@payload $name:ident) => { $name };
    (@payload $name:ident boxed) => { Box<$name> };
}

pub(super) use define_events;

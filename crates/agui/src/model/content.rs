//! Content parts: text, images, audio, video, documents.

use json::string_enum;
use json::typed::{NotTyped, TypedJson, TypedReader, read_member, write_key, write_member};
use json::typed::{Schema, SchemaField, SchemaUnion, UnionArm, optional, required};
use json::{Json, Text};

string_enum! {
    /// Kind of a media part.
    MediaKind {
        /// Image.
        Image = "image",
        /// Audio.
        Audio = "audio",
        /// Video.
        Video = "video",
        /// Document.
        Document = "document",
    }
}

/// Part of a user message or of a tool result.
#[derive(Debug, Clone, PartialEq)]
pub struct ContentPart {
    /// Text or media.
    pub body: PartBody,
    /// Optional id.
    pub id: Option<String>,
    /// Any JSON but `null`.
    pub metadata: Option<Json>,
}

/// Body of a content part.
#[derive(Debug, Clone, PartialEq)]
pub enum PartBody {
    /// Plain text.
    Text(String),
    /// Media and its source.
    Media(MediaKind, MediaSource),
}

/// Source of media.
#[derive(Debug, Clone, PartialEq)]
pub enum MediaSource {
    /// Data in the message itself.
    Data {
        /// Base64, not checked.
        value: String,
        /// Media type.
        mime_type: String,
    },
    /// Data at a URL.
    Url {
        /// URL, not checked.
        value: String,
        /// Media type, if known.
        mime_type: Option<String>,
    },
    /// Data stored by a provider.
    File {
        /// Handle of the provider.
        value: String,
        /// Name of the provider.
        provider: Option<String>,
        /// Media type, if known.
        mime_type: Option<String>,
    },
}

const TEXT: Schema = Schema::Text;
const NOT_NULL: Schema = Schema::NotNull;

const SOURCES: SchemaUnion = SchemaUnion {
    tag: "type",
    open: false,
    arms: &[
        UnionArm {
            name: "data",
            fields: &[required("value", &TEXT), required("mimeType", &TEXT)],
        },
        UnionArm {
            name: "url",
            fields: &[required("value", &TEXT), optional("mimeType", &TEXT)],
        },
        UnionArm {
            name: "file",
            fields: &[
                required("value", &TEXT),
                optional("provider", &TEXT),
                optional("mimeType", &TEXT),
            ],
        },
    ],
};

const MEDIA: &[SchemaField] = &[
    optional("id", &TEXT),
    required("source", &Schema::Union(&SOURCES)),
    optional("metadata", &NOT_NULL),
];

const fn media(name: &'static str) -> UnionArm {
    UnionArm {
        name,
        fields: MEDIA,
    }
}

const PARTS: SchemaUnion = SchemaUnion {
    tag: "type",
    open: false,
    arms: &[
        UnionArm {
            name: "text",
            fields: &[
                optional("id", &TEXT),
                required("text", &TEXT),
                optional("metadata", &NOT_NULL),
            ],
        },
        media("image"),
        media("audio"),
        media("video"),
        media("document"),
    ],
};

impl TypedJson for MediaSource {
    const SCHEMA: Schema = Schema::Union(&SOURCES);

    fn read(reader: &mut TypedReader<'_>) -> Result<Self, NotTyped> {
        let (mut kind, mut value) = (None::<Text>, None::<String>);
        let (mut mime_type, mut provider) = (None::<String>, None::<String>);
        reader.read_members(|reader, key| match key {
            "type" => read_member(&mut kind, reader),
            "value" => read_member(&mut value, reader),
            "mimeType" => read_member(&mut mime_type, reader),
            "provider" => read_member(&mut provider, reader),
            _ => Err(NotTyped),
        })?;
        let value = value.ok_or(NotTyped)?;
        match (kind.as_deref().ok_or(NotTyped)?, provider) {
            ("data", None) => Ok(Self::Data {
                value,
                mime_type: mime_type.ok_or(NotTyped)?,
            }),
            ("url", None) => Ok(Self::Url { value, mime_type }),
            ("file", provider) => Ok(Self::File {
                value,
                provider,
                mime_type,
            }),
            _ => Err(NotTyped),
        }
    }

    fn write(&self, out: &mut String) {
        let (kind, value, provider, mime_type) = match self {
            Self::Data { value, mime_type } => ("data", value, None, Some(mime_type)),
            Self::Url { value, mime_type } => ("url", value, None, mime_type.as_ref()),
            Self::File {
                value,
                provider,
                mime_type,
            } => ("file", value, provider.as_ref(), mime_type.as_ref()),
        };
        out.push_str("{\"type\":\"");
        out.push_str(kind);
        out.push('"');
        write_member("value", value, out);
        for (key, text) in [("provider", provider), ("mimeType", mime_type)] {
            if let Some(text) = text {
                write_member(key, text, out);
            }
        }
        out.push('}');
    }
}

impl TypedJson for ContentPart {
    const SCHEMA: Schema = Schema::Union(&PARTS);

    fn read(reader: &mut TypedReader<'_>) -> Result<Self, NotTyped> {
        let (mut kind, mut text) = (None::<Text>, None::<String>);
        let (mut source, mut id) = (None::<MediaSource>, None::<Option<String>>);
        let mut metadata = None::<Option<Json>>;
        reader.read_members(|reader, key| match key {
            "type" => read_member(&mut kind, reader),
            "text" => read_member(&mut text, reader),
            "source" => read_member(&mut source, reader),
            "id" => read_member(&mut id, reader),
            "metadata" => read_member(&mut metadata, reader),
            _ => Err(NotTyped),
        })?;
        let kind = kind.ok_or(NotTyped)?;
        let body = match (MediaKind::from_str(&kind), text, source) {
            (Some(kind), None, Some(source)) => PartBody::Media(kind, source),
            (None, Some(text), None) if kind == "text" => PartBody::Text(text),
            _ => return Err(NotTyped),
        };
        Ok(Self {
            body,
            id: id.flatten(),
            metadata: metadata.flatten().map(|json| json.detached()),
        })
    }

    fn write(&self, out: &mut String) {
        out.push('{');
        match &self.body {
            PartBody::Text(text) => {
                out.push_str("\"type\":\"text\"");
                write_member("text", text, out);
            }
            PartBody::Media(kind, source) => {
                write_key("type", out);
                kind.write(out);
                write_member("source", source, out);
            }
        }
        write_member("id", &self.id, out);
        write_member("metadata", &self.metadata, out);
        out.push('}');
    }
}

/// String or content parts.
#[derive(Debug, Clone, PartialEq)]
pub enum TextOrParts {
    /// Plain text.
    Text(Text),
    /// Content parts.
    Parts(Vec<ContentPart>),
}

impl TypedJson for TextOrParts {
    const SCHEMA: Schema = Schema::TextOr(&<Vec<ContentPart> as TypedJson>::SCHEMA);

    fn read(reader: &mut TypedReader<'_>) -> Result<Self, NotTyped> {
        match reader.peek() {
            b'"' => Text::read(reader).map(Self::Text),
            _ => Vec::read(reader).map(Self::Parts),
        }
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Text(text) => text.write(out),
            Self::Parts(parts) => parts.write(out),
        }
    }
}

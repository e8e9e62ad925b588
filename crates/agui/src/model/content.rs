//! Content parts: text, images, audio, video, documents.

use crate::json::{Json, Text};
use crate::schema::{Arm, Field, Schema, Union, optional, required};
use crate::typed::{Reader, Typed, Unclean, fill, words, write_key, write_member};

words! {
    /// The kind of a media part.
    MediaKind {
        /// A picture.
        Image = "image",
        /// Sound.
        Audio = "audio",
        /// A film.
        Video = "video",
        /// A file to read.
        Document = "document",
    }
}

/// One piece of a user's message or of a tool's result.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// What the piece is.
    pub body: PartBody,
    /// Its id, if it has one.
    pub id: Option<String>,
    /// Anything but `null`.
    pub metadata: Option<Json>,
}

/// What a content part carries.
#[derive(Debug, Clone, PartialEq)]
pub enum PartBody {
    /// Plain text.
    Text(String),
    /// A medium and where it is.
    Media(MediaKind, Source),
}

/// Where a medium is.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// In the message itself.
    Data {
        /// Base64, not checked.
        value: String,
        /// Its media type.
        mime_type: String,
    },
    /// Behind a URL.
    Url {
        /// The URL, not checked.
        value: String,
        /// Its media type, if known.
        mime_type: Option<String>,
    },
    /// With a provider, under a handle of its own.
    File {
        /// The handle.
        value: String,
        /// Whose handle it is.
        provider: Option<String>,
        /// Its media type, if known.
        mime_type: Option<String>,
    },
}

const TEXT: Schema = Schema::Text;
const NOT_NULL: Schema = Schema::NotNull;

const SOURCES: Union = Union {
    tag: "type",
    open: false,
    arms: &[
        Arm {
            name: "data",
            fields: &[required("value", &TEXT), required("mimeType", &TEXT)],
        },
        Arm {
            name: "url",
            fields: &[required("value", &TEXT), optional("mimeType", &TEXT)],
        },
        Arm {
            name: "file",
            fields: &[
                required("value", &TEXT),
                optional("provider", &TEXT),
                optional("mimeType", &TEXT),
            ],
        },
    ],
};

const MEDIA: &[Field] = &[
    optional("id", &TEXT),
    required("source", &Schema::Union(&SOURCES)),
    optional("metadata", &NOT_NULL),
];

const fn media(name: &'static str) -> Arm {
    Arm {
        name,
        fields: MEDIA,
    }
}

const PARTS: Union = Union {
    tag: "type",
    open: false,
    arms: &[
        Arm {
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

impl Typed for Source {
    const SCHEMA: Schema = Schema::Union(&SOURCES);

    fn read(reader: &mut Reader<'_>) -> Result<Self, Unclean> {
        let (mut kind, mut value) = (None::<Text>, None::<String>);
        let (mut mime_type, mut provider) = (None::<String>, None::<String>);
        reader.members(|reader, key| match key {
            "type" => fill(&mut kind, reader),
            "value" => fill(&mut value, reader),
            "mimeType" => fill(&mut mime_type, reader),
            "provider" => fill(&mut provider, reader),
            _ => Err(Unclean),
        })?;
        let value = value.ok_or(Unclean)?;
        match (kind.as_deref().ok_or(Unclean)?, provider) {
            ("data", None) => Ok(Self::Data {
                value,
                mime_type: mime_type.ok_or(Unclean)?,
            }),
            ("url", None) => Ok(Self::Url { value, mime_type }),
            ("file", provider) => Ok(Self::File {
                value,
                provider,
                mime_type,
            }),
            _ => Err(Unclean),
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

impl Typed for Part {
    const SCHEMA: Schema = Schema::Union(&PARTS);

    fn read(reader: &mut Reader<'_>) -> Result<Self, Unclean> {
        let (mut kind, mut text) = (None::<Text>, None::<String>);
        let (mut source, mut id) = (None::<Source>, None::<Option<String>>);
        let mut metadata = None::<Option<Json>>;
        reader.members(|reader, key| match key {
            "type" => fill(&mut kind, reader),
            "text" => fill(&mut text, reader),
            "source" => fill(&mut source, reader),
            "id" => fill(&mut id, reader),
            "metadata" => fill(&mut metadata, reader),
            _ => Err(Unclean),
        })?;
        let kind = kind.ok_or(Unclean)?;
        let body = match (MediaKind::from_str(&kind), text, source) {
            (Some(kind), None, Some(source)) => PartBody::Media(kind, source),
            (None, Some(text), None) if kind == "text" => PartBody::Text(text),
            _ => return Err(Unclean),
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

/// A string, or content parts.
#[derive(Debug, Clone, PartialEq)]
pub enum TextOrParts {
    /// Plain text.
    Text(Text),
    /// Pieces.
    Parts(Vec<Part>),
}

impl Typed for TextOrParts {
    const SCHEMA: Schema = Schema::TextOr(&<Vec<Part> as Typed>::SCHEMA);

    fn read(reader: &mut Reader<'_>) -> Result<Self, Unclean> {
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

//! The forms of what is taken and answered.

/// A form of JSON.
#[derive(Debug, Clone, Copy)]
pub(crate) enum JsonShape {
    /// Anything.
    Any,
    /// A text.
    Text,
    /// A text that is not empty.
    Word,
    /// A name for a document.
    AttachmentId,
    /// A moment, or `never`.
    Moment,
    /// A whole number within bounds.
    Whole(i64, i64),
    /// True or false.
    Flag,
    /// One of some words.
    OneOf(&'static [&'static str]),
    /// A list.
    List(&'static JsonShape),
    /// An object with values of one form.
    Map(&'static JsonShape),
    /// An object.
    Object(&'static [ShapeField]),
    /// Null, or this.
    OrNull(&'static JsonShape),
    /// One of [`NAMED`].
    Named(&'static str),
    /// A file.
    Bytes,
    /// Lines or pages of text.
    Lines,
}

/// A member of an object, or a parameter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShapeField {
    pub(crate) name: &'static str,
    pub(crate) form: JsonShape,
    pub(crate) required: bool,
    pub(crate) about: &'static str,
}

/// A member that is always there.
pub(super) const fn must(name: &'static str, form: JsonShape, about: &'static str) -> ShapeField {
    ShapeField {
        name,
        form,
        required: true,
        about,
    }
}

/// A member that may be there.
pub(super) const fn may(name: &'static str, form: JsonShape, about: &'static str) -> ShapeField {
    ShapeField {
        required: false,
        ..must(name, form, about)
    }
}

const COUNT: JsonShape = JsonShape::Whole(0, i64::MAX);
const TEXTS: JsonShape = JsonShape::List(&JsonShape::Text);
/// What could not be read of a document.
pub(super) const WARNINGS: ShapeField = may(
    "warnings",
    TEXTS,
    "What could not be read of it, or is not told, and what to do about it",
);
/// Where pictures of pages are.
pub(super) const PAGE_IMAGES: JsonShape = JsonShape::List(&JsonShape::Map(&JsonShape::Any));
pub(super) const PAGE_IMAGES_LISTED: &str = "Where pictures of all its pages are; none, if it has more than 2,000 pages, \
     or pages that take several sheets";
const CITATIONS: JsonShape = JsonShape::Map(&JsonShape::Named("Citation"));
const VERIFICATIONS: JsonShape = JsonShape::Map(&JsonShape::Named("Verification"));

/// Forms that are used in several places.
pub(crate) const NAMED: &[(&str, JsonShape)] = &[
    (
        "Error",
        JsonShape::Object(&[must(
            "error",
            JsonShape::Object(&[
                must(
                    "code",
                    JsonShape::Text,
                    "What is wrong, for programs; see docs/errors.md",
                ),
                must("message", JsonShape::Text, "What is wrong, for people"),
                must("hint", JsonShape::Text, "What to do about it"),
                must("docs", JsonShape::Text, "Where to read more"),
                must(
                    "requestId",
                    JsonShape::Text,
                    "The request, as the log knows it",
                ),
            ]),
            "What is wrong",
        )]),
    ),
    (
        "Agent",
        JsonShape::Object(&[
            must("name", JsonShape::Text, "What it is called by"),
            must("url", JsonShape::Text, "Where it is run"),
            must(
                "builtIn",
                JsonShape::Flag,
                "Whether it is part of the program",
            ),
            must(
                "capabilities",
                JsonShape::Map(&JsonShape::Any),
                "What it can do",
            ),
        ]),
    ),
    (
        "Document",
        JsonShape::Object(&[
            must("id", JsonShape::Text, "What it is called by"),
            must("documentId", JsonShape::Text, "The hash of its file"),
            may("filename", JsonShape::Text, "What people call it"),
            may(
                "url",
                JsonShape::Text,
                "The address that it was fetched from",
            ),
            may("endUserId", JsonShape::Text, "A label of your own"),
            must("mimeType", JsonShape::Text, "What kind of file it is"),
            must("fileSize", COUNT, "In bytes"),
            may("pageCount", COUNT, "How many pages it has"),
            may("title", JsonShape::Text, "Its own title"),
            WARNINGS,
            must("createdAt", JsonShape::Moment, "When it was attached"),
            may("expiresAt", JsonShape::Moment, "From when on it is gone"),
        ]),
    ),
    (
        "Prepared",
        JsonShape::Object(&[
            must(
                "attachmentId",
                JsonShape::AttachmentId,
                "What it is called by",
            ),
            must(
                "deepTextPromptPortion",
                JsonShape::Text,
                "Its text for a model, with pages and lines",
            ),
            must(
                "deepTextPages",
                TEXTS,
                "The same, page by page, without the tags of pages",
            ),
            must("pageImages", PAGE_IMAGES, PAGE_IMAGES_LISTED),
            WARNINGS,
            must(
                "metadata",
                JsonShape::Map(&JsonShape::Any),
                "What is known of it",
            ),
            must("status", JsonShape::Text, "ready"),
            must("processingTimeMs", COUNT, "How long it took"),
            must("expiresAt", JsonShape::Moment, "From when on it is gone"),
        ]),
    ),
    (
        "Removed",
        JsonShape::Object(&[
            must("attachmentId", JsonShape::Text, "What it was called by"),
            must("deleted", JsonShape::Flag, "True"),
        ]),
    ),
    (
        "Thread",
        JsonShape::Object(&[
            must("id", JsonShape::Text, "What it is called by"),
            must("agent", JsonShape::Text, "The agent of its first run"),
            must(
                "title",
                JsonShape::OrNull(&JsonShape::Text),
                "What people call it",
            ),
            must("archived", JsonShape::Flag, "Whether it was put away"),
            must("running", JsonShape::Flag, "Whether a run goes on"),
            must("createdAt", JsonShape::Moment, "When it began"),
            must(
                "updatedAt",
                JsonShape::Moment,
                "When something last changed",
            ),
            may("messageCount", COUNT, "How many messages it has"),
            may("lastRun", JsonShape::Named("Run"), "Its last run"),
        ]),
    ),
    (
        "Run",
        JsonShape::Object(&[
            must("id", JsonShape::Text, "What it is called by"),
            must("agent", JsonShape::Text, "The agent"),
            must("status", JsonShape::Text, "How it stands"),
            must("after", COUNT, "The event before its first"),
            must("startedAt", JsonShape::Moment, "When it began"),
        ]),
    ),
    ("Citation", JsonShape::Object(&[])),
    (
        "Verification",
        JsonShape::Object(&[must(
            "status",
            JsonShape::Text,
            "What is true of the citation",
        )]),
    ),
    (
        "Verified",
        JsonShape::Object(&[
            must("citations", CITATIONS, "What was cited, by key"),
            must("verifications", VERIFICATIONS, "What is true of it, by key"),
            must(
                "problems",
                JsonShape::List(&JsonShape::Object(&[
                    must("code", JsonShape::Text, "What could not be read"),
                    must("message", JsonShape::Text, "The same for people"),
                    must("offset", COUNT, "Where, in bytes"),
                ])),
                "What could not be read as a citation",
            ),
        ]),
    ),
    (
        "Link",
        JsonShape::Object(&[
            must("url", JsonShape::Text, "The link"),
            must("expiresAt", JsonShape::Moment, "Until when it works"),
        ]),
    ),
    (
        "Caller",
        JsonShape::Object(&[
            must("principal", JsonShape::Text, "Whose things are seen"),
            must("key", JsonShape::OrNull(&JsonShape::Text), "The key's id"),
            must(
                "scopes",
                JsonShape::List(&JsonShape::OneOf(&["read", "write", "admin"])),
                "What may be done",
            ),
        ]),
    ),
    (
        "Done",
        JsonShape::Object(&[
            must("principal", JsonShape::Text, "Who"),
            must("key", JsonShape::OrNull(&JsonShape::Text), "With which key"),
            must("action", JsonShape::Text, "What"),
            must("target", JsonShape::Text, "To what"),
            must(
                "requestId",
                JsonShape::OrNull(&JsonShape::Text),
                "In which request",
            ),
            must("at", JsonShape::Moment, "When"),
        ]),
    ),
    (
        "Level",
        JsonShape::Object(&[must(
            "level",
            JsonShape::OneOf(&["error", "warn", "info", "debug", "trace"]),
            "From which level on something is logged",
        )]),
    ),
];

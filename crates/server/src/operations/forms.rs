//! The forms of what is taken and answered.

/// A form of JSON.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Form {
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
    List(&'static Form),
    /// An object with values of one form.
    Map(&'static Form),
    /// An object.
    Object(&'static [Field]),
    /// Null, or this.
    OrNull(&'static Form),
    /// One of [`NAMED`].
    Named(&'static str),
    /// A file.
    Bytes,
    /// Lines or pages of text.
    Lines,
}

/// A member of an object, or a parameter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) form: Form,
    pub(crate) required: bool,
    pub(crate) about: &'static str,
}

/// A member that is always there.
pub(super) const fn must(name: &'static str, form: Form, about: &'static str) -> Field {
    Field {
        name,
        form,
        required: true,
        about,
    }
}

/// A member that may be there.
pub(super) const fn may(name: &'static str, form: Form, about: &'static str) -> Field {
    Field {
        required: false,
        ..must(name, form, about)
    }
}

const COUNT: Form = Form::Whole(0, i64::MAX);
const TEXTS: Form = Form::List(&Form::Text);
/// What could not be read of a document.
pub(super) const WARNINGS: Field = may(
    "warnings",
    TEXTS,
    "What could not be read of it, or is not told, and what to do about it",
);
/// Where pictures of pages are.
pub(super) const PAGE_IMAGES: Form = Form::List(&Form::Map(&Form::Any));
pub(super) const PAGE_IMAGES_LISTED: &str = "Where pictures of all its pages are; none, if it has more than 2,000 pages, \
     or pages that take several sheets";
const CITATIONS: Form = Form::Map(&Form::Named("Citation"));
const VERIFICATIONS: Form = Form::Map(&Form::Named("Verification"));

/// Forms that are used in several places.
pub(crate) const NAMED: &[(&str, Form)] = &[
    (
        "Error",
        Form::Object(&[must(
            "error",
            Form::Object(&[
                must(
                    "code",
                    Form::Text,
                    "What is wrong, for programs; see docs/errors.md",
                ),
                must("message", Form::Text, "What is wrong, for people"),
                must("hint", Form::Text, "What to do about it"),
                must("docs", Form::Text, "Where to read more"),
                must("requestId", Form::Text, "The request, as the log knows it"),
            ]),
            "What is wrong",
        )]),
    ),
    (
        "Agent",
        Form::Object(&[
            must("name", Form::Text, "What it is called by"),
            must("url", Form::Text, "Where it is run"),
            must("builtIn", Form::Flag, "Whether it is part of the program"),
            must("capabilities", Form::Map(&Form::Any), "What it can do"),
        ]),
    ),
    (
        "Document",
        Form::Object(&[
            must("id", Form::Text, "What it is called by"),
            must("documentId", Form::Text, "The hash of its file"),
            may("filename", Form::Text, "What people call it"),
            may("url", Form::Text, "The address that it was fetched from"),
            may("endUserId", Form::Text, "A label of your own"),
            must("mimeType", Form::Text, "What kind of file it is"),
            must("fileSize", COUNT, "In bytes"),
            may("pageCount", COUNT, "How many pages it has"),
            may("title", Form::Text, "Its own title"),
            WARNINGS,
            must("createdAt", Form::Moment, "When it was attached"),
            may("expiresAt", Form::Moment, "From when on it is gone"),
        ]),
    ),
    (
        "Prepared",
        Form::Object(&[
            must("attachmentId", Form::AttachmentId, "What it is called by"),
            must(
                "deepTextPromptPortion",
                Form::Text,
                "Its text for a model, with pages and lines",
            ),
            must(
                "deepTextPages",
                TEXTS,
                "The same, page by page, without the tags of pages",
            ),
            must("pageImages", PAGE_IMAGES, PAGE_IMAGES_LISTED),
            WARNINGS,
            must("metadata", Form::Map(&Form::Any), "What is known of it"),
            must("status", Form::Text, "ready"),
            must("processingTimeMs", COUNT, "How long it took"),
            must("expiresAt", Form::Moment, "From when on it is gone"),
        ]),
    ),
    (
        "Removed",
        Form::Object(&[
            must("attachmentId", Form::Text, "What it was called by"),
            must("deleted", Form::Flag, "True"),
        ]),
    ),
    (
        "Thread",
        Form::Object(&[
            must("id", Form::Text, "What it is called by"),
            must("agent", Form::Text, "The agent of its first run"),
            must("title", Form::OrNull(&Form::Text), "What people call it"),
            must("archived", Form::Flag, "Whether it was put away"),
            must("running", Form::Flag, "Whether a run goes on"),
            must("createdAt", Form::Moment, "When it began"),
            must("updatedAt", Form::Moment, "When something last changed"),
            may("messageCount", COUNT, "How many messages it has"),
            may("lastRun", Form::Named("Run"), "Its last run"),
        ]),
    ),
    (
        "Run",
        Form::Object(&[
            must("id", Form::Text, "What it is called by"),
            must("agent", Form::Text, "The agent"),
            must("status", Form::Text, "How it stands"),
            must("after", COUNT, "The event before its first"),
            must("startedAt", Form::Moment, "When it began"),
        ]),
    ),
    ("Citation", Form::Object(&[])),
    (
        "Verification",
        Form::Object(&[must("status", Form::Text, "What is true of the citation")]),
    ),
    (
        "Verified",
        Form::Object(&[
            must("citations", CITATIONS, "What was cited, by key"),
            must("verifications", VERIFICATIONS, "What is true of it, by key"),
            must(
                "problems",
                Form::List(&Form::Object(&[
                    must("code", Form::Text, "What could not be read"),
                    must("message", Form::Text, "The same for people"),
                    must("offset", COUNT, "Where, in bytes"),
                ])),
                "What could not be read as a citation",
            ),
        ]),
    ),
    (
        "Link",
        Form::Object(&[
            must("url", Form::Text, "The link"),
            must("expiresAt", Form::Moment, "Until when it works"),
        ]),
    ),
    (
        "Caller",
        Form::Object(&[
            must("principal", Form::Text, "Whose things are seen"),
            must("key", Form::OrNull(&Form::Text), "The key's id"),
            must(
                "scopes",
                Form::List(&Form::OneOf(&["read", "write", "admin"])),
                "What may be done",
            ),
        ]),
    ),
    (
        "Done",
        Form::Object(&[
            must("principal", Form::Text, "Who"),
            must("key", Form::OrNull(&Form::Text), "With which key"),
            must("action", Form::Text, "What"),
            must("target", Form::Text, "To what"),
            must("requestId", Form::OrNull(&Form::Text), "In which request"),
            must("at", Form::Moment, "When"),
        ]),
    ),
    (
        "Level",
        Form::Object(&[must(
            "level",
            Form::OneOf(&["error", "warn", "info", "debug", "trace"]),
            "From which level on something is logged",
        )]),
    ),
];

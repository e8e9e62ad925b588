//! Fields of the index.

use tantivy::schema::{
    FAST, Field, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions,
};

/// Fields of a chunk in the index.
#[derive(Debug, Clone, Copy)]
pub(super) struct IndexFields {
    /// Owner and document, by which chunks are replaced.
    pub(super) entry: Field,
    /// Owner.
    pub(super) owner: Field,
    /// Document id.
    pub(super) document: Field,
    /// Labels of the document.
    pub(super) label: Field,
    /// Code of the language.
    pub(super) language: Field,
    /// Chunk id.
    pub(super) chunk: Field,
    /// Folded words and bigrams with their positions.
    pub(super) words: Field,
    /// Stems and parts of compounds, each with its language.
    pub(super) terms: Field,
    /// Words and stems of title, headings and table header.
    pub(super) context: Field,
    /// Chunk as it is returned.
    pub(super) data: Field,
}

/// Name of the column with the time of attachment.
pub(super) const CREATED: &str = "created";
/// Name of the column with the number of words.
pub(super) const LENGTH: &str = "length";
/// Name of the column with the number of words of title and headings.
pub(super) const CONTEXT_LENGTH: &str = "context_length";
/// Name of the column with the number of the chunk id.
pub(super) const KEY: &str = "key";
/// Name of the column with the key of the text that is embedded.
pub(super) const CONTENT: &str = "content";

/// Returns the schema and its fields.
pub(super) fn build() -> (Schema, IndexFields) {
    let mut schema = Schema::builder();
    let text = |option| {
        TextOptions::default().set_indexing_options(
            TextFieldIndexing::default()
                .set_tokenizer("raw")
                .set_fieldnorms(false)
                .set_index_option(option),
        )
    };
    let name = || text(IndexRecordOption::Basic);
    let fields = IndexFields {
        entry: schema.add_text_field("entry", name()),
        owner: schema.add_text_field("owner", name()),
        document: schema.add_text_field("document", name()),
        label: schema.add_text_field("label", name()),
        language: schema.add_text_field("language", name()),
        chunk: schema.add_text_field("chunk", name()),
        words: schema.add_text_field("words", text(IndexRecordOption::WithFreqsAndPositions)),
        terms: schema.add_text_field("terms", text(IndexRecordOption::WithFreqs)),
        context: schema.add_text_field("context", text(IndexRecordOption::WithFreqs)),
        data: schema.add_bytes_field("data", STORED),
    };
    schema.add_i64_field(CREATED, FAST);
    schema.add_u64_field(LENGTH, FAST);
    schema.add_u64_field(CONTEXT_LENGTH, FAST);
    schema.add_u64_field(KEY, FAST);
    schema.add_u64_field(CONTENT, FAST);
    (schema.build(), fields)
}

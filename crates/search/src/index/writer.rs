//! Writer of the index.

use std::collections::HashSet;

use documents::{ContentId, Document};
use tantivy::schema::Field;
use tantivy::tokenizer::{PreTokenizedString, Token};
use tantivy::{IndexWriter, TantivyDocument, Term};

use super::schema::{CONTENT, CONTEXT_LENGTH, CREATED, KEY, LENGTH};
use super::{ChunkIndex, IndexError, IndexFields, StoredChunk};
use crate::analysis::{SearchToken, grams, tokens};
use crate::chunk::Chunk;
use crate::language::{Language, LanguageDetector};
use crate::term::{gram_term, stem_term};

/// Memory of the writer in bytes, before it writes a segment.
const WRITER_BYTES: usize = 64 << 20;

/// Document of a principal to be indexed.
#[derive(Debug, Clone)]
pub struct IndexedDocument<'a> {
    /// Owner.
    pub owner: &'a str,
    /// Document.
    pub document: &'a Document,
    /// Title, or name if it has none.
    pub title: &'a str,
    /// Labels.
    pub labels: &'a [String],
    /// Time of attachment, in milliseconds since 1970.
    pub created: i64,
    /// Chunks of the document.
    pub chunks: &'a [Chunk],
}

/// Writer of a [`ChunkIndex`]. There is at most one for an index, in all processes.
pub struct ChunkIndexWriter {
    writer: IndexWriter,
    fields: IndexFields,
    created: Field,
    length: Field,
    context_length: Field,
    key: Field,
    content: Field,
    detector: LanguageDetector,
}

impl ChunkIndex {
    /// Returns the writer; [`IndexError::Locked`] if there is one already.
    pub fn writer(&self) -> Result<ChunkIndexWriter, IndexError> {
        let schema = self.index.schema();
        Ok(ChunkIndexWriter {
            writer: self.index.writer_with_num_threads(1, WRITER_BYTES)?,
            fields: self.fields,
            created: schema.get_field(CREATED)?,
            length: schema.get_field(LENGTH)?,
            context_length: schema.get_field(CONTEXT_LENGTH)?,
            key: schema.get_field(KEY)?,
            content: schema.get_field(CONTENT)?,
            detector: LanguageDetector::default(),
        })
    }
}

impl ChunkIndexWriter {
    /// Adds the chunks of a document, in place of those that the owner's document had.
    pub fn add(&mut self, entry: &IndexedDocument<'_>) -> Result<(), IndexError> {
        let id = entry.document.id();
        self.remove(entry.owner, id);
        let texts = entry.chunks.iter().map(|chunk| chunk.text(entry.document));
        let languages = self.detector.detect_parts(texts.clone());
        for ((chunk, text), language) in entry.chunks.iter().zip(texts).zip(languages) {
            let document = self.chunk_document(entry, chunk, text, language)?;
            self.writer.add_document(document)?;
        }
        Ok(())
    }

    /// Removes the chunks of an owner's document.
    pub fn remove(&mut self, owner: &str, document: ContentId) {
        let entry = entry_key(owner, document);
        self.writer
            .delete_term(Term::from_field_text(self.fields.entry, &entry));
    }

    /// Stores all changes. They are visible to an index after [`ChunkIndex::reload`].
    pub fn commit(&mut self) -> Result<(), IndexError> {
        self.writer.commit()?;
        Ok(())
    }

    /// Rewrites the segments that contain removed chunks, so that their words leave the files of the index. Changes must
    /// be committed before.
    pub fn purge(&mut self, index: &ChunkIndex) -> Result<(), IndexError> {
        for segment in self.writer.index().searchable_segment_metas()? {
            if segment.has_deletes() {
                // A segment that is being merged in the background loses its removed chunks there.
                let _ = self.writer.merge(&[segment.id()]).wait();
            }
        }
        // The files of old segments stay as long as a reader has them.
        index.reload()?;
        self.writer.garbage_collect_files().wait()?;
        Ok(())
    }

    /// Waits for background work and releases the index.
    pub fn close(self) -> Result<(), IndexError> {
        Ok(self.writer.wait_merging_threads()?)
    }

    fn chunk_document(
        &self,
        entry: &IndexedDocument<'_>,
        chunk: &Chunk,
        text: &str,
        language: Language,
    ) -> Result<TantivyDocument, IndexError> {
        let id = entry.document.id();
        let mut document = TantivyDocument::default();
        document.add_text(self.fields.entry, entry_key(entry.owner, id));
        document.add_text(self.fields.owner, entry.owner);
        document.add_text(self.fields.document, id.to_string());
        for label in entry.labels.iter().collect::<HashSet<_>>() {
            document.add_text(self.fields.label, label);
        }
        document.add_text(self.fields.language, language.code());
        document.add_text(self.fields.chunk, chunk.id.to_string());
        document.add_i64(self.created, entry.created);
        document.add_u64(self.key, chunk.id.key());

        let words = tokens(text);
        document.add_u64(self.length, words.len() as u64);
        document
            .add_pre_tokenized_text(self.fields.terms, pretokenised(terms_of(&words, language)));
        let own = words.into_iter().map(|word| (word.folded, word.position));
        document.add_pre_tokenized_text(self.fields.words, pretokenised(own));

        let context = tokens(&context_text(entry.title, chunk));
        document.add_u64(self.context_length, context.len() as u64);
        let stems = terms_of(&context, language);
        let folded = context.iter().map(|word| (word.folded.clone(), 0));
        let all: Vec<_> = folded.chain(stems).collect();
        document.add_pre_tokenized_text(self.fields.context, pretokenised(all.into_iter()));

        let stored = StoredChunk::new(id, chunk.clone(), language, text.to_owned());
        document.add_u64(self.content, stored.content_key());
        let data =
            postcard::to_stdvec(&stored).map_err(|error| IndexError::Damaged(error.to_string()))?;
        document.add_bytes(self.fields.data, &data);
        Ok(document)
    }
}

/// Returns the key by which the chunks of an owner's document are replaced.
fn entry_key(owner: &str, document: ContentId) -> String {
    format!("{document} {owner}")
}

/// Returns the text that describes a chunk beside its own: title, headings, table header.
fn context_text(title: &str, chunk: &Chunk) -> String {
    let mut parts = vec![title];
    parts.extend(chunk.headings.iter().map(String::as_str));
    parts.extend(chunk.table_header.as_deref());
    // A title that is also the first heading counts once.
    parts.dedup();
    parts.join("\n")
}

/// Returns the stems of words, and the parts of compounds.
fn terms_of(words: &[SearchToken], language: Language) -> impl Iterator<Item = (String, u32)> {
    let mut terms = Vec::new();
    for word in words {
        let (stem, other) = word.stems(language);
        for stem in stem.iter().chain(&other) {
            terms.push((stem_term(language, stem), 0));
        }
        if let Some(stem) = stem.filter(|_| language.has_compounds()) {
            terms.extend(grams(&stem).map(|gram| (gram_term(language, gram), 0)));
        }
    }
    terms.into_iter()
}

fn pretokenised(terms: impl Iterator<Item = (String, u32)>) -> PreTokenizedString {
    let tokens = terms.map(|(text, position)| Token {
        offset_from: 0,
        offset_to: 0,
        position: position as usize,
        text,
        position_length: 1,
    });
    PreTokenizedString {
        text: String::new(),
        tokens: tokens.collect(),
    }
}

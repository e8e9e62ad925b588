//! Feed of the HTML tokenizer, which keeps its cost proportional to the length of the text.
//!
//! The tokenizer compares every attribute of a tag with those before it, so attributes are counted while a tag is
//! open. Text is passed in pieces that begin at each `<`; the tag began with the first piece after the last token.

use std::cell::Cell;

use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};

use crate::error::DocumentError;

/// Bytes that are passed at once.
pub(crate) const PIECE: usize = 4096;
/// Largest number of attributes of an element.
const MAX_ATTRIBUTES: usize = 512;

/// Tokenizer with its remaining input.
pub(crate) struct TokenFeed<S> {
    tokenizer: Tokenizer<CountingSink<S>>,
    input: BufferQueue,
    /// Tag that may be open.
    open: Option<OpenTag>,
}

impl<S: TokenSink> TokenFeed<S> {
    pub(crate) fn new(sink: S) -> Self {
        let counted = CountingSink {
            sink,
            tokens: Cell::new(0),
        };
        Self {
            tokenizer: Tokenizer::new(counted, TokenizerOpts::default()),
            input: BufferQueue::default(),
            open: None,
        }
    }

    /// Returns the sink of the tokens.
    pub(crate) fn sink(&self) -> &S {
        &self.tokenizer.sink.sink
    }

    /// Reads a text. `check` gets the number of bytes read so far and returns how many may be read next.
    pub(crate) fn read(
        &mut self,
        text: &StrTendril,
        mut check: impl FnMut(&S, usize) -> Result<usize, DocumentError>,
    ) -> Result<(), DocumentError> {
        let mut at = 0;
        let mut most = PIECE;
        while at < text.len() {
            let end = text.floor_char_boundary((at + most.max(4)).min(text.len()));
            let piece = &text.as_bytes()[at..end];
            let length = memchr::memchr(b'<', &piece[1..]).map_or(piece.len(), |next| next + 1);
            // The limits keep texts below 4 GiB.
            self.read_piece(&text.subtendril(at as u32, length as u32))?;
            at += length;
            most = check(self.sink(), at)?;
        }
        Ok(())
    }

    /// Reads to the end. Returns the sink.
    pub(crate) fn finish(self) -> S {
        self.tokenizer.end();
        self.tokenizer.sink.sink
    }

    fn read_piece(&mut self, piece: &StrTendril) -> Result<(), DocumentError> {
        let before = self.tokenizer.sink.tokens.get();
        self.input.push_back(piece.clone());
        while !matches!(self.tokenizer.feed(&self.input), TokenizerResult::Done) {}
        if self.tokenizer.sink.tokens.get() != before {
            self.open = None;
            return Ok(());
        }
        let open = self.open.get_or_insert_with(|| OpenTag::new(piece));
        open.read(piece);
        if open.attributes > MAX_ATTRIBUTES {
            let limit = MAX_ATTRIBUTES;
            return Err(DocumentError::TooManyAttributes { limit });
        }
        Ok(())
    }
}

/// Sink that counts its tokens.
struct CountingSink<S> {
    sink: S,
    tokens: Cell<u64>,
}

impl<S: TokenSink> TokenSink for CountingSink<S> {
    type Handle = S::Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<S::Handle> {
        if !matches!(token, Token::ParseError(_)) {
            self.tokens.set(self.tokens.get().wrapping_add(1));
        }
        self.sink.process_token(token, line)
    }

    fn end(&self) {
        self.sink.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.sink
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Tag whose end was not read yet, or something else that begins with `<`.
struct OpenTag {
    inside: TagPosition,
    attributes: usize,
}

/// Position in a tag.
#[derive(Clone, Copy)]
enum TagPosition {
    /// Comment or declaration, which is no tag.
    Other,
    /// Before the slash of an end tag.
    Closing,
    TagName,
    Between,
    Name,
    AfterName,
    BeforeValue,
    Value,
    Quoted(u8),
}

impl OpenTag {
    fn new(text: &str) -> Self {
        let name = text.strip_prefix('<').unwrap_or(text);
        let inside = if name.starts_with(['!', '?']) {
            TagPosition::Other
        } else if name.starts_with('/') {
            TagPosition::Closing
        } else {
            TagPosition::TagName
        };
        Self {
            inside,
            attributes: 0,
        }
    }

    fn read(&mut self, text: &str) {
        for byte in text.bytes() {
            let ends = byte.is_ascii_whitespace();
            self.inside = match self.inside {
                TagPosition::Other => return,
                TagPosition::Closing if byte == b'/' => TagPosition::TagName,
                TagPosition::TagName if ends || byte == b'/' => TagPosition::Between,
                TagPosition::Between | TagPosition::AfterName if ends || byte == b'/' => {
                    self.inside
                }
                TagPosition::AfterName | TagPosition::Name if byte == b'=' => {
                    TagPosition::BeforeValue
                }
                TagPosition::Between | TagPosition::AfterName => {
                    self.attributes += 1;
                    TagPosition::Name
                }
                TagPosition::Name if byte == b'/' => TagPosition::Between,
                TagPosition::Name if ends => TagPosition::AfterName,
                TagPosition::BeforeValue if ends => TagPosition::BeforeValue,
                TagPosition::BeforeValue if matches!(byte, b'"' | b'\'') => {
                    TagPosition::Quoted(byte)
                }
                TagPosition::BeforeValue => TagPosition::Value,
                TagPosition::Value if ends => TagPosition::Between,
                TagPosition::Quoted(quote) if byte == quote => TagPosition::Between,
                TagPosition::Closing
                | TagPosition::TagName
                | TagPosition::Name
                | TagPosition::Value
                | TagPosition::Quoted(_) => self.inside,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_of_an_open_tag_are_counted() {
        for (text, attributes) in [
            ("<p a b=c d = 'e f g' h", 4),
            ("</p/a/b", 2),
            ("<p a='<x y z", 1),
            ("<p a=x/y z", 2),
            ("<p a='b'c", 2),
            ("<p", 0),
            ("<!-- a b c", 0),
            ("<?a b c", 0),
            ("", 0),
        ] {
            let mut open = OpenTag::new(text);
            open.read(text);
            assert_eq!(open.attributes, attributes, "{text}");
        }
    }
}

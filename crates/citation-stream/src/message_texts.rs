//! Texts of assistant messages: parsed while they stream, and recognised when a snapshot repeats them.

use std::sync::Arc;

use agui::model::{Content, Message, Role};
use citations::{CitationParser, ParseEvent, ParsedCitation};
use hashbrown::HashMap;

/// Limit on the bytes that wait for the parser while no citation can end in them. Parsing several deltas together is
/// faster than parsing each.
const MAX_PENDING_BYTES: usize = 4096;

/// First 16 bytes of the BLAKE3 hash of a text.
type TextHash = [u8; 16];

fn short_hash(hasher: &blake3::Hasher) -> TextHash {
    let mut hash = [0; 16];
    hash.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    hash
}

fn hash_of(text: &str) -> TextHash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(text.as_bytes());
    short_hash(&hasher)
}

/// Text of a message that streams.
pub(crate) struct OpenText {
    /// Index of the message in the ledger.
    pub(crate) message: usize,
    parser: CitationParser,
    hasher: blake3::Hasher,
    /// Text that is not parsed and hashed yet, because no citation can end in it.
    pending: String,
    /// Text without data blocks and tags, as far as the caller keeps it.
    pub(crate) visible: String,
    /// True if any text has arrived.
    pub(crate) has_text: bool,
    /// True if the text exceeds the limit: the rest is not parsed.
    pub(crate) is_too_long: bool,
    bytes: usize,
    /// Citations that are published at the end of the message.
    pub(crate) held: Vec<ParsedCitation>,
}

impl OpenText {
    fn new(message: usize) -> Self {
        Self {
            message,
            parser: CitationParser::new(),
            hasher: blake3::Hasher::new(),
            pending: String::new(),
            visible: String::new(),
            has_text: false,
            is_too_long: false,
            bytes: 0,
            held: Vec::new(),
        }
    }

    /// Takes the next delta. Adds complete citations to `found` and passes visible text to `show`, later unless it is
    /// needed `at_once`. Returns false when the text exceeds `limit` bytes for the first time: from there on nothing is
    /// parsed and everything is shown.
    #[inline]
    pub(crate) fn feed(
        &mut self,
        delta: &str,
        limit: usize,
        at_once: bool,
        found: &mut Vec<ParsedCitation>,
        mut show: impl FnMut(&mut String, &str),
    ) -> bool {
        self.has_text |= !delta.is_empty();
        self.bytes = self.bytes.saturating_add(delta.len());
        if self.bytes > limit {
            return self.overflow(delta, found, show);
        }
        self.pending.push_str(delta);
        // Entries, tags and lines end with one of these bytes.
        let may_end = memchr::memchr3(b'}', b'>', b'\n', delta.as_bytes()).is_some();
        if at_once || may_end || self.pending.len() >= MAX_PENDING_BYTES {
            self.parse_pending(found, &mut show);
        }
        true
    }

    fn parse_pending(
        &mut self,
        found: &mut Vec<ParsedCitation>,
        show: &mut impl FnMut(&mut String, &str),
    ) {
        let Self {
            parser,
            visible,
            pending,
            hasher,
            ..
        } = self;
        hasher.update(pending.as_bytes());
        parser.feed(pending, &mut |event| {
            take_event(event, found, |text| show(visible, text));
        });
        pending.clear();
    }

    #[cold]
    fn overflow(
        &mut self,
        delta: &str,
        found: &mut Vec<ParsedCitation>,
        mut show: impl FnMut(&mut String, &str),
    ) -> bool {
        let was_too_long = std::mem::replace(&mut self.is_too_long, true);
        if !was_too_long {
            self.parse_pending(found, &mut show);
            let Self {
                parser, visible, ..
            } = self;
            parser.finish(&mut |event| take_event(event, found, |text| show(visible, text)));
        }
        self.hasher.update(delta.as_bytes());
        show(&mut self.visible, delta);
        was_too_long
    }

    /// Parses the rest of the text at its end.
    pub(crate) fn finish(
        &mut self,
        found: &mut Vec<ParsedCitation>,
        mut show: impl FnMut(&mut String, &str),
    ) {
        if self.is_too_long {
            return;
        }
        let Self {
            parser,
            visible,
            pending,
            ..
        } = self;
        parser.feed(pending, &mut |event| {
            take_event(event, found, |text| show(visible, text));
        });
        parser.finish(&mut |event| take_event(event, found, |text| show(visible, text)));
    }
}

fn take_event(event: ParseEvent<'_>, found: &mut Vec<ParsedCitation>, mut show: impl FnMut(&str)) {
    match event {
        ParseEvent::Text { text, .. } => show(text),
        ParseEvent::Citation(citation) => found.push(*citation),
        ParseEvent::Marker(_) | ParseEvent::Problem(_) => {}
    }
}

/// Hashes of a message's text.
struct KnownText {
    /// Text that the agent wrote or the client sent.
    written: TextHash,
    /// Text that the client was shown, if it differs.
    shown: Option<TextHash>,
    /// The message in the last snapshot. Snapshots share messages that did not change.
    message: Option<Arc<Message>>,
}

impl KnownText {
    fn has(&self, hash: &TextHash) -> bool {
        self.written == *hash || self.shown.as_ref() == Some(hash)
    }
}

/// Relation of a snapshot message to the known texts.
pub(crate) enum SnapshotRepeat {
    /// A known message with its known text.
    Known,
    /// The known text of the message with this id, under a new id.
    Renamed(String),
    /// A new text.
    New,
}

/// Texts of all assistant messages of a stream.
#[derive(Default)]
pub(crate) struct MessageTexts {
    open: HashMap<String, OpenText>,
    known: HashMap<String, KnownText>,
    /// Id of a message that has the text now; one of them, if several do.
    by_hash: HashMap<TextHash, String>,
}

impl MessageTexts {
    /// Remembers the messages that a run starts with.
    pub(crate) fn new(messages: &[Message]) -> Self {
        let mut texts = Self::default();
        for message in messages.iter().filter(|message| is_answer(message)) {
            texts.remember(&message.id, hash_of(text_of(message)));
        }
        texts
    }

    fn remember(&mut self, id: &str, written: TextHash) {
        self.forget(id);
        self.by_hash.insert(written, id.to_owned());
        let known = KnownText {
            written,
            shown: None,
            message: None,
        };
        self.known.insert(id.to_owned(), known);
    }

    /// Forgets the text of a message. Returns false if it was not known.
    pub(crate) fn forget(&mut self, id: &str) -> bool {
        let Some(known) = self.known.remove(id) else {
            return false;
        };
        for hash in [Some(known.written), known.shown].into_iter().flatten() {
            if self.by_hash.get(&hash).is_some_and(|owner| owner == id) {
                self.by_hash.remove(&hash);
            }
        }
        true
    }

    /// Starts the text of a message with this index in the ledger.
    pub(crate) fn start(&mut self, id: &str, message: usize) {
        self.open.insert(id.to_owned(), OpenText::new(message));
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: &str) -> Option<&mut OpenText> {
        self.open.get_mut(id)
    }

    pub(crate) fn is_open(&self, id: &str) -> bool {
        self.open.contains_key(id)
    }

    /// Ends a text and remembers it.
    pub(crate) fn end(&mut self, id: &str) -> Option<OpenText> {
        let mut text = self.open.remove(id)?;
        // A message that had a text before continues it, so the hash would be that of a part.
        if text.has_text && !self.forget(id) {
            text.hasher.update(text.pending.as_bytes());
            let hash = short_hash(&text.hasher);
            self.remember(id, hash);
        }
        Some(text)
    }

    /// Remembers that the client was shown another text than the agent wrote.
    pub(crate) fn set_shown(&mut self, id: &str, visible: &str) {
        if let Some(known) = self.known.get_mut(id) {
            let hash = hash_of(visible);
            known.shown = Some(hash);
            self.by_hash.insert(hash, id.to_owned());
        }
    }

    /// Returns the ids of all open texts, sorted.
    pub(crate) fn open_ids(&self) -> Vec<String> {
        let mut ids: Vec<String> = self.open.keys().cloned().collect();
        ids.sort_unstable();
        ids
    }

    /// Compares a snapshot message with the known texts and remembers it.
    pub(crate) fn recognise(&mut self, message: &Arc<Message>) -> SnapshotRepeat {
        let known = self.known.get_mut(&message.id);
        if let Some(last) = known.as_ref().and_then(|known| known.message.as_ref())
            && Arc::ptr_eq(last, message)
        {
            return SnapshotRepeat::Known;
        }
        let hash = hash_of(text_of(message));
        let repeat = match known {
            Some(known) if known.has(&hash) => {
                known.message = Some(Arc::clone(message));
                return SnapshotRepeat::Known;
            }
            Some(_) => SnapshotRepeat::New,
            None => match self.by_hash.get(&hash) {
                Some(id) => SnapshotRepeat::Renamed(id.clone()),
                None => SnapshotRepeat::New,
            },
        };
        self.remember(&message.id, hash);
        if let Some(known) = self.known.get_mut(&message.id) {
            known.message = Some(Arc::clone(message));
        }
        repeat
    }
}

/// Returns true for assistant messages with text.
pub(crate) fn is_answer(message: &Message) -> bool {
    message.role == Role::Assistant && !text_of(message).is_empty()
}

/// Returns the text of a message, or an empty text if its content has another form.
pub(crate) fn text_of(message: &Message) -> &str {
    match &message.content {
        Content::Text(text) => text,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: &str, text: &str) -> Arc<Message> {
        Arc::new(Message {
            content: Content::Text(text.to_owned()),
            ..Message::new(id, Role::Assistant)
        })
    }

    #[test]
    fn recognises_texts_by_id_and_by_content() {
        let mut texts = MessageTexts::new(&[(*message("a", "One.")).clone()]);
        texts.start("b", 0);
        let text = texts.get_mut("b").expect("it is open");
        text.feed("Tw", 100, false, &mut Vec::new(), |_, _| {});
        text.feed("o.", 100, false, &mut Vec::new(), |_, _| {});
        texts.end("b").expect("it was open");
        texts.set_shown("b", "T.");
        for (id, content, expected) in [
            ("a", "One.", "known"),
            ("b", "Two.", "known"),
            ("b", "T.", "known"),
            ("c", "Two.", "renamed from b"),
            ("c", "Three.", "new"),
            ("d", "Four.", "new"),
        ] {
            let repeat = match texts.recognise(&message(id, content)) {
                SnapshotRepeat::Known => "known".to_owned(),
                SnapshotRepeat::Renamed(from) => format!("renamed from {from}"),
                SnapshotRepeat::New => "new".to_owned(),
            };
            assert_eq!(repeat, expected, "{id} {content}");
        }
    }

    #[test]
    fn shows_everything_after_the_limit() {
        let mut text = OpenText::new(0);
        let mut shown = String::new();
        let mut found = Vec::new();
        let mut fits = Vec::new();
        for delta in ["abc", "def", "ghi"] {
            fits.push(text.feed(delta, 5, false, &mut found, |_, piece| {
                shown.push_str(piece);
            }));
        }
        assert_eq!(fits, [true, false, true]);
        assert_eq!(shown, "abcdefghi");
    }
}

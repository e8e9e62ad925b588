//! The texts of assistant messages: read as they stream, and recognised when they come again.

use std::sync::Arc;

use agui::model::{Content, Message, Role};
use hashbrown::HashMap;

use citations::{CitationParser, ParseEvent, ParsedCitation};

/// So much text is read at once, though no citation may end in it.
const MOST_PENDING: usize = 4096;

/// What a text hashes to.
type Print = [u8; 16];

fn print(hasher: &blake3::Hasher) -> Print {
    let mut print = [0; 16];
    print.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    print
}

fn print_of(text: &str) -> Print {
    let mut hasher = blake3::Hasher::new();
    hasher.update(text.as_bytes());
    print(&hasher)
}

/// A message whose text is coming.
pub(super) struct OpenText {
    /// Its place in the ledger.
    pub(super) place: usize,
    reader: CitationParser,
    hasher: blake3::Hasher,
    /// Text that is yet to be read and hashed: words in which no citation can end.
    pending: String,
    /// The text without what is hidden, if somebody wants it.
    pub(super) visible: String,
    /// Whether anything was said.
    pub(super) any: bool,
    /// The text is longer than is read.
    pub(super) too_long: bool,
    bytes: usize,
    /// Citations that are shown when the message has ended.
    pub(super) held: Vec<ParsedCitation>,
}

impl OpenText {
    fn new(place: usize) -> Self {
        Self {
            place,
            reader: CitationParser::new(),
            hasher: blake3::Hasher::new(),
            pending: String::new(),
            visible: String::new(),
            any: false,
            too_long: false,
            bytes: 0,
            held: Vec::new(),
        }
    }

    /// Takes the next piece of text. What is complete is added to `found`, what can be shown is given to
    /// `show`; unless it has to be shown `at_once`, that may be later. False if the text has just become
    /// too long: then nothing more is read, and all of it shown.
    #[inline]
    pub(super) fn feed(
        &mut self,
        delta: &str,
        limit: usize,
        at_once: bool,
        found: &mut Vec<ParsedCitation>,
        mut show: impl FnMut(&mut String, &str),
    ) -> bool {
        self.any |= !delta.is_empty();
        self.bytes = self.bytes.saturating_add(delta.len());
        if self.bytes > limit {
            return self.overflow(delta, found, show);
        }
        self.pending.push_str(delta);
        // Entries, tags and lines end with one of these.
        let may_end = memchr::memchr3(b'}', b'>', b'\n', delta.as_bytes()).is_some();
        if at_once || may_end || self.pending.len() >= MOST_PENDING {
            self.read(found, &mut show);
        }
        true
    }

    /// Reads what is pending.
    fn read(&mut self, found: &mut Vec<ParsedCitation>, show: &mut impl FnMut(&mut String, &str)) {
        let Self {
            reader,
            visible,
            pending,
            hasher,
            ..
        } = self;
        hasher.update(pending.as_bytes());
        reader.feed(pending, &mut |event| {
            take(event, found, |text| show(visible, text));
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
        let before = std::mem::replace(&mut self.too_long, true);
        if !before {
            self.read(found, &mut show);
            let Self {
                reader, visible, ..
            } = self;
            reader.finish(&mut |event| take(event, found, |text| show(visible, text)));
        }
        self.hasher.update(delta.as_bytes());
        show(&mut self.visible, delta);
        before
    }

    /// The text has ended.
    pub(super) fn finish(
        &mut self,
        found: &mut Vec<ParsedCitation>,
        mut show: impl FnMut(&mut String, &str),
    ) {
        if self.too_long {
            return;
        }
        let Self {
            reader,
            visible,
            pending,
            ..
        } = self;
        reader.feed(pending, &mut |event| {
            take(event, found, |text| show(visible, text));
        });
        reader.finish(&mut |event| take(event, found, |text| show(visible, text)));
    }
}

fn take(event: ParseEvent<'_>, found: &mut Vec<ParsedCitation>, mut show: impl FnMut(&str)) {
    match event {
        ParseEvent::Text { text, .. } => show(text),
        ParseEvent::Citation(citation) => found.push(*citation),
        ParseEvent::Marker(_) | ParseEvent::Problem(_) => {}
    }
}

/// What is known of a message's text.
struct SeenText {
    /// As the agent wrote it, or as the client sent it.
    written: Print,
    /// As the client was shown it, if that differs.
    shown: Option<Print>,
    /// The message of the last snapshot, which is shared from snapshot to snapshot.
    message: Option<Arc<Message>>,
}

impl SeenText {
    fn has(&self, print: &Print) -> bool {
        self.written == *print || self.shown.as_ref() == Some(print)
    }
}

/// What a message of a snapshot is.
pub(super) enum SnapshotRepeat {
    /// One that is known, with the text that is known.
    Known,
    /// A text that is known, of the message with this id.
    Renamed(String),
    /// A text that was not seen before.
    New,
}

/// The texts of a run's messages.
#[derive(Default)]
pub(super) struct MessageTexts {
    open: HashMap<String, OpenText>,
    seen: HashMap<String, SeenText>,
    /// The message that has a text now; one of them, if several do.
    by_print: HashMap<Print, String>,
}

impl MessageTexts {
    /// Takes note of the messages that a run begins with.
    pub(super) fn know(&mut self, messages: &[Message]) {
        for message in messages.iter().filter(|message| is_answer(message)) {
            let print = print_of(text_of(message));
            self.note(&message.id, print);
        }
    }

    /// This is what a message says now.
    fn note(&mut self, id: &str, written: Print) {
        self.forget(id);
        self.by_print.insert(written, id.to_owned());
        let seen = SeenText {
            written,
            shown: None,
            message: None,
        };
        self.seen.insert(id.to_owned(), seen);
    }

    /// What a message says is not known, or is not said any more; whether anything was known.
    pub(super) fn forget(&mut self, id: &str) -> bool {
        let Some(seen) = self.seen.remove(id) else {
            return false;
        };
        for print in [Some(seen.written), seen.shown].into_iter().flatten() {
            if self.by_print.get(&print).is_some_and(|owner| owner == id) {
                self.by_print.remove(&print);
            }
        }
        true
    }

    pub(super) fn start(&mut self, id: &str, place: usize) {
        self.open.insert(id.to_owned(), OpenText::new(place));
    }

    #[inline]
    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut OpenText> {
        self.open.get_mut(id)
    }

    pub(super) fn is_open(&self, id: &str) -> bool {
        self.open.contains_key(id)
    }

    /// Takes a text that has ended away; it is known from now on.
    pub(super) fn end(&mut self, id: &str) -> Option<OpenText> {
        let mut text = self.open.remove(id)?;
        // Behind a text that was there before, it is only a part of what the message says.
        if text.any && !self.forget(id) {
            text.hasher.update(text.pending.as_bytes());
            let whole = print(&text.hasher);
            self.note(id, whole);
        }
        Some(text)
    }

    /// The client was shown another text than the agent wrote.
    pub(super) fn shown_as(&mut self, id: &str, visible: &str) {
        if let Some(seen) = self.seen.get_mut(id) {
            let print = print_of(visible);
            seen.shown = Some(print);
            self.by_print.insert(print, id.to_owned());
        }
    }

    /// The ids of all texts that are open, in no order.
    pub(super) fn open_ids(&self) -> Vec<String> {
        self.open.keys().cloned().collect()
    }

    /// Looks at a message of a snapshot, and knows it from now on.
    pub(super) fn recognise(&mut self, message: &Arc<Message>) -> SnapshotRepeat {
        let seen = self.seen.get_mut(&message.id);
        if let Some(known) = seen.as_ref().and_then(|seen| seen.message.as_ref())
            && Arc::ptr_eq(known, message)
        {
            return SnapshotRepeat::Known;
        }
        let print = print_of(text_of(message));
        let answer = match seen {
            Some(seen) if seen.has(&print) => {
                seen.message = Some(Arc::clone(message));
                return SnapshotRepeat::Known;
            }
            Some(_) => SnapshotRepeat::New,
            None => match self.by_print.get(&print) {
                Some(id) => SnapshotRepeat::Renamed(id.clone()),
                None => SnapshotRepeat::New,
            },
        };
        self.note(&message.id, print);
        if let Some(seen) = self.seen.get_mut(&message.id) {
            seen.message = Some(Arc::clone(message));
        }
        answer
    }
}

/// Whether a message is one whose text is checked.
pub(super) fn is_answer(message: &Message) -> bool {
    message.role == Role::Assistant && !text_of(message).is_empty()
}

pub(super) fn text_of(message: &Message) -> &str {
    match &message.content {
        Content::Text(text) => text,
        _ => "",
    }
}

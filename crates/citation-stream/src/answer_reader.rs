//! Assistant messages: their citations are parsed from streamed texts and from message snapshots.

use std::sync::Arc;

use agui::event::{Event, MessagesSnapshot};
use agui::model::{Content, Message, Role, RunAgentInput, SnapshotMessages};
use citations::{ParsedAnswer, ParsedCitation};
use hashbrown::HashSet;

use crate::citation_tracker::CitationTracker;
use crate::ledger::Ledger;
use crate::message_texts::{MessageTexts, OpenText, SnapshotRepeat, is_answer, text_of};
use crate::options::LayerOptions;
use crate::published_ledger::PublishedLedger;
use crate::summary::MessageProgress;
use crate::turn::CitationTurn;

/// Reads the messages with which an agent answers, and follows the turn that they belong to.
pub(crate) struct AnswerReader {
    options: Arc<LayerOptions>,
    texts: MessageTexts,
    pub(crate) turn: CitationTurn,
    /// Citations of the present delta; a field so that its memory is reused.
    found: Vec<ParsedCitation>,
}

impl AnswerReader {
    pub(crate) fn new(options: Arc<LayerOptions>, input: &RunAgentInput, ledger: &Ledger) -> Self {
        Self {
            options,
            texts: MessageTexts::new(&input.messages),
            turn: CitationTurn::new(input, ledger),
            found: Vec::new(),
        }
    }

    /// Starts a message.
    pub(crate) fn start(&mut self, id: &str, tracker: &mut CitationTracker) {
        let published = &mut tracker.published;
        let index = published.begin_message(id);
        self.texts.start(id, index);
        if let Some(message) = published.ledger().message_at(index)
            && published.has_session()
        {
            let earlier = message.cited.len();
            self.turn.begin_message(&message.id, index, earlier);
        }
        published.publish_message(index, MessageProgress::Streaming, None);
        self.evict(published);
    }

    /// Takes a text delta. Most deltas only become pending text of the parser.
    #[inline]
    pub(crate) fn content(
        &mut self,
        id: &str,
        delta: &str,
        event: &Event,
        tracker: &mut CitationTracker,
    ) {
        let Some(text) = self.texts.get_mut(id) else {
            return;
        };
        let limit = self.options.max_message_bytes;
        let hide = self.options.hide_block;
        let keep = hide || tracker.published.has_session();
        let mut shown = String::new();
        let message = text.message;
        let fits = text.feed(delta, limit, hide, &mut self.found, |visible, piece| {
            if keep && visible.len() < limit {
                visible.push_str(piece);
            }
            if hide {
                shown.push_str(piece);
            }
        });
        if hide && shown != delta {
            tracker.published.outgoing.replace_delta(id, shown, event);
        }
        if !self.found.is_empty() {
            self.take_found(id, message, tracker);
        }
        if !fits {
            let reason = format!("the message is longer than {limit} bytes, the rest is not read");
            let published = &mut tracker.published;
            published.publish_progress(message, MessageProgress::Error, Some(reason));
        }
    }

    /// Cites what was found in a delta, or holds it until the message ends.
    fn take_found(&mut self, id: &str, message: usize, tracker: &mut CitationTracker) {
        if self.options.early {
            for found in self.found.drain(..) {
                tracker.cite(message, found.into());
            }
        } else if let Some(text) = self.texts.get_mut(id) {
            text.held.append(&mut self.found);
        }
    }

    /// Ends a message.
    pub(crate) fn end(&mut self, id: &str, event: &Event, tracker: &mut CitationTracker) {
        let Some(mut text) = self.texts.end(id) else {
            return;
        };
        let mut found = std::mem::take(&mut text.held);
        let shown = self.finish(id, &mut text, &mut found, &tracker.published);
        let published = &mut tracker.published;
        if !shown.is_empty() {
            published
                .outgoing
                .send_withheld_text(id, shown, Some(event));
        }
        if text.has_text && !text.is_too_long {
            published.publish_progress(text.message, MessageProgress::Extracting, None);
        }
        for found in found {
            tracker.cite(text.message, found.into());
        }
        if !text.is_too_long {
            tracker.published.finish_message(text.message);
        }
        self.evict(&mut tracker.published);
    }

    /// Parses the rest of a text and adds it to the turn. Returns text that was withheld and is shown now.
    fn finish(
        &mut self,
        id: &str,
        text: &mut OpenText,
        found: &mut Vec<ParsedCitation>,
        published: &PublishedLedger,
    ) -> String {
        let hide = self.options.hide_block;
        let keep = hide || published.has_session();
        let mut shown = String::new();
        text.finish(found, |visible, piece| {
            if keep {
                visible.push_str(piece);
            }
            if hide {
                shown.push_str(piece);
            }
        });
        if hide {
            self.texts.set_shown(id, &text.visible);
        }
        let limit = self.options.max_message_bytes;
        let visible = std::mem::take(&mut text.visible);
        self.turn.end_message(id, visible, limit);
        if text.has_text {
            self.turn.note_answer(text.message);
        }
        shown
    }

    /// Ends all open messages because the run broke off. They are in error, but their citations count.
    pub(crate) fn fail_open(&mut self, reason: &str, tracker: &mut CitationTracker) {
        for id in self.texts.open_ids() {
            let Some(mut text) = self.texts.end(&id) else {
                continue;
            };
            let shown = self.finish(&id, &mut text, &mut Vec::new(), &tracker.published);
            if !shown.is_empty() {
                // It was withheld because a data block could have begun with it.
                let outgoing = &mut tracker.published.outgoing;
                outgoing.send_withheld_text(&id, shown, None);
            }
            for found in text.held {
                tracker.cite(text.message, found.into());
            }
            let reason = format!("the run ended before the message did: {reason}");
            let published = &mut tracker.published;
            published.publish_progress(text.message, MessageProgress::Error, Some(reason));
        }
    }

    /// Takes a snapshot of the conversation. `shown` are its messages as the client must see them, if they differ
    /// already; at most one message is missing there, and only at the front. `on_rename` is called with the old and the
    /// new id of a message.
    pub(crate) fn snapshot(
        &mut self,
        data: &MessagesSnapshot,
        event: &Event,
        mut shown: Option<SnapshotMessages>,
        tracker: &mut CitationTracker,
        mut on_rename: impl FnMut(&str, &str),
    ) {
        let skipped = shown
            .as_ref()
            .map_or(0, |shown| data.messages.len() - shown.len());
        // Messages before the last question belong to earlier turns.
        let asked = data
            .messages
            .iter()
            .rposition(|message| message.role == Role::User);
        let mut renamed = Vec::new();
        for (at, message) in data.messages.iter().enumerate() {
            if let Some(call) = &message.tool_call_id {
                self.turn.end_call(call);
            }
            if message.role != Role::Assistant || self.texts.is_open(&message.id) {
                continue;
            }
            if !is_answer(message) {
                self.empty_message(message, &mut tracker.published);
                continue;
            }
            let repeat = self.texts.recognise(message);
            if self.options.hide_block
                && let Some(visible) = self.hidden_text(message)
            {
                let shown = shown.get_or_insert_with(|| data.messages.clone());
                if let Some(shown) = shown.0.get_mut(at - skipped) {
                    Arc::make_mut(shown).content = Content::Text(visible);
                }
            }
            let renamed_from = match repeat {
                SnapshotRepeat::Known => {
                    self.turn.mark_shown(message);
                    continue;
                }
                SnapshotRepeat::Renamed(id) => {
                    on_rename(&id, &message.id);
                    Some(id)
                }
                SnapshotRepeat::New => None,
            };
            let is_in_turn =
                asked.is_none_or(|asked| at > asked) || self.turn.contains(&message.id);
            let published = &mut tracker.published;
            let copied = renamed_from.as_deref();
            let copied = copied.and_then(|from| published.copy_message(from, &message.id));
            renamed.extend(renamed_from.map(|from| (from, message.id.as_str())));
            match copied {
                Some(index) => {
                    if is_in_turn {
                        self.add_to_turn(index, message, published);
                    }
                    published.send_message(index);
                }
                None => self.parse_message(message, is_in_turn, tracker),
            }
        }
        self.remove_renamed(data, &renamed, &mut tracker.published);
        self.turn.retain_shown();
        self.evict(&mut tracker.published);
        if let Some(messages) = shown {
            tracker.published.outgoing.replace_messages(messages, event);
        }
    }

    /// Removes the entries of messages that a snapshot contains under new ids only.
    fn remove_renamed(
        &mut self,
        data: &MessagesSnapshot,
        renamed: &[(String, &str)],
        published: &mut PublishedLedger,
    ) {
        if renamed.is_empty() {
            return;
        }
        let shown: HashSet<&str> = data.messages.iter().map(|m| m.id.as_str()).collect();
        for (from, to) in renamed {
            if shown.contains(from.as_str()) || self.texts.is_open(from) {
                continue;
            }
            self.texts.forget(from);
            let ledger = published.ledger();
            let Some(before) = ledger.message_index(from) else {
                continue;
            };
            if let Some(now) = ledger.message_index(to) {
                self.turn.rename_answer(before, now);
            }
            published.remove_message(before);
        }
    }

    /// Returns the text of a snapshot message without data blocks and tags, if it has any.
    fn hidden_text(&mut self, message: &Message) -> Option<String> {
        let visible = ParsedAnswer::of(text_of(message)).visible;
        if visible == text_of(message) {
            return None;
        }
        self.texts.set_shown(&message.id, &visible);
        Some(visible)
    }

    /// Adds a snapshot message to the turn.
    fn add_to_turn(&mut self, index: usize, message: &Arc<Message>, published: &PublishedLedger) {
        self.turn.note_answer(index);
        if let Some(entry) = published.ledger().message_at(index)
            && published.has_session()
        {
            self.turn.replace_message(&entry.id, index, message);
        }
    }

    /// Removes the citations of a message whose text is gone.
    fn empty_message(&mut self, message: &Message, published: &mut PublishedLedger) {
        if self.texts.forget(&message.id)
            && let Some(index) = published.ledger().message_index(&message.id)
        {
            let before = published.reset_message(index);
            published.publish_message(index, MessageProgress::Complete, None);
            published.remove_uncited(&before);
        }
    }

    /// Parses the whole text of a message that is new or has changed.
    fn parse_message(
        &mut self,
        message: &Arc<Message>,
        is_in_turn: bool,
        tracker: &mut CitationTracker,
    ) {
        let published = &mut tracker.published;
        let index = published.begin_message(&message.id);
        let before = published.reset_message(index);
        if is_in_turn {
            self.add_to_turn(index, message, published);
        }
        let limit = self.options.max_message_bytes;
        let text = text_of(message);
        if text.len() > limit {
            let reason = format!("the message is longer than {limit} bytes and is not read");
            published.publish_message(index, MessageProgress::Error, Some(reason));
        } else {
            published.publish_message(index, MessageProgress::Extracting, None);
            for cited in ParsedAnswer::of(text).citations {
                tracker.cite(index, cited.found.into());
            }
            tracker.published.finish_message(index);
        }
        tracker.published.remove_uncited(&before);
    }

    /// Ends the turn and records it, if the session projection is written.
    pub(crate) fn end_turn(&mut self, published: &mut PublishedLedger) {
        if published.has_session() {
            let limit = self.options.max_message_bytes;
            if let Some(answer) = self.turn.answer(published.ledger(), limit) {
                published.add_turn(self.turn.question(), &answer.text, &answer.entries);
            }
        }
        self.turn.end();
        self.evict(published);
    }

    /// Evicts the oldest messages beyond the configured number. Open messages stay, and so do those of the turn if its
    /// end records what they cite.
    fn evict(&self, published: &mut PublishedLedger) {
        let until = self.turn.first_message();
        let until = until.filter(|_| published.has_session());
        published.evict(self.options.keep_messages, until, |message| {
            !self.texts.is_open(&message.id)
        });
    }
}

//! Editor of a model's answer: checks each sentence while it streams and adds missing citations.

use std::sync::{Arc, Mutex, PoisonError};

use agui::Event;

use super::answer_text::{UnsupportedText, citation_block, outcome_event};
use super::confidence::ConfidenceFactor;
use super::extractive::ReaderOutcome;
use super::lexicon::lexicons;
use super::session::ReaderSession;
use crate::tool_loop::AnswerEditor;

/// Start of a block of citation data that the model writes itself; it is left to the citation layer.
const BLOCK: &str = "<<<";

/// Editor of one answer.
pub(super) struct CitationEditor {
    session: Arc<Mutex<ReaderSession>>,
    /// Model that writes.
    model: String,
    /// Sentence so far, as it was sent.
    sentence: String,
    /// White space after the end of a sentence that is held back, because a marker may follow.
    held: String,
    /// True after a mark that may end a sentence.
    is_after_end: bool,
    /// Text of a marker that is being written.
    marker: Option<String>,
    /// Numbers of the markers of the sentence.
    numbers: Vec<usize>,
    /// UTF-16 units sent so far.
    sent: usize,
    /// Position of the sentence.
    start: usize,
    is_block: bool,
    supported: usize,
    unsupported: Vec<UnsupportedText>,
    text: String,
}

impl CitationEditor {
    pub(super) fn new(session: Arc<Mutex<ReaderSession>>, model: String) -> Self {
        Self {
            session,
            model,
            sentence: String::new(),
            held: String::new(),
            is_after_end: false,
            marker: None,
            numbers: Vec::new(),
            sent: 0,
            start: 0,
            is_block: false,
            supported: 0,
            unsupported: Vec::new(),
            text: String::new(),
        }
    }

    fn send(&mut self, text: &str, out: &mut String) {
        out.push_str(text);
        self.sent += text.encode_utf16().count();
        self.text.push_str(text);
    }

    fn take_char(&mut self, char: char, out: &mut String) {
        if self.is_block {
            return out.push(char);
        }
        if let Some(marker) = &mut self.marker {
            marker.push(char);
            let is_done = char == ']' || marker.len() > 12;
            if is_done {
                self.end_marker(out);
            }
            return;
        }
        match char {
            '[' => {
                // A marker after the full stop belongs to the sentence before it.
                let held = std::mem::take(&mut self.held);
                self.add(&held, out);
                self.marker = Some("[".to_owned());
            }
            '\n' => {
                self.is_after_end = true;
                self.held.push(char);
            }
            char if char.is_whitespace() && self.is_after_end => self.held.push(char),
            char => {
                let is_next = self.is_after_end && self.is_new_sentence(char);
                if is_next {
                    self.end_sentence(out);
                } else {
                    let held = std::mem::take(&mut self.held);
                    self.add(&held, out);
                }
                self.is_after_end = match char {
                    '.' | '!' | '?' | '。' | '！' | '？' => true,
                    '"' | '”' | '’' | ')' | '」' | '*' => self.is_after_end && !is_next,
                    _ => false,
                };
                let mut buffer = [0; 4];
                self.add(char.encode_utf8(&mut buffer), out);
                if self.sentence.ends_with(BLOCK) {
                    self.is_block = true;
                }
            }
        }
    }

    /// Returns true if a character after the end of a sentence begins another one.
    fn is_new_sentence(&self, char: char) -> bool {
        let is_wide_end = self.sentence.ends_with(['。', '！', '？']);
        let is_line = self.held.contains('\n');
        let has_gap = !self.held.is_empty();
        let is_closing = matches!(char, '"' | '”' | '’' | ')' | '」' | '.' | '!' | '?');
        !is_closing && (is_wide_end || is_line || (has_gap && !char.is_lowercase()))
    }

    fn add(&mut self, text: &str, out: &mut String) {
        self.send(text, out);
        self.sentence.push_str(text);
    }

    fn end_marker(&mut self, out: &mut String) {
        let marker = self.marker.take().unwrap_or_default();
        let inside = marker.trim_start_matches('[').trim_end_matches(']');
        let numbers = inside
            .split([',', ' '])
            .filter_map(|number| number.parse::<usize>().ok());
        self.numbers.extend(numbers);
        self.add(&marker, out);
    }

    /// Ends a sentence: adds a citation if it states a fact without one and a passage supports it.
    fn end_sentence(&mut self, out: &mut String) {
        let sentence = std::mem::take(&mut self.sentence);
        let numbers = std::mem::take(&mut self.numbers);
        let end = self.sent;
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let is_cited =
            !numbers.is_empty() && numbers.iter().all(|number| session.has_number(*number));
        let is_claim = session.is_claim(&sentence);
        let added = match is_claim && !is_cited {
            true => session.support(&sentence, numbers.first().copied()),
            false => None,
        };
        drop(session);
        match (is_claim, is_cited, added) {
            (true, true, _) => self.supported += 1,
            (true, false, Some(number)) => {
                self.supported += 1;
                if !numbers.contains(&number) {
                    self.send(&format!(" [{number}]"), out);
                }
            }
            (true, false, None) => {
                let text = sentence.trim();
                let lead = sentence.len() - sentence.trim_start().len();
                let start = self.start + sentence[..lead].encode_utf16().count();
                self.unsupported.push(UnsupportedText {
                    text: text.to_owned(),
                    start,
                    end,
                });
            }
            (false, _, _) => {}
        }
        let held = std::mem::take(&mut self.held);
        self.send(&held, out);
        self.start = self.sent;
        self.is_after_end = false;
    }

    fn end_text(&mut self, out: &mut String) {
        if self.marker.is_some() {
            self.end_marker(out);
        }
        if !self.is_block {
            self.end_sentence(out);
        }
    }

    /// Returns true if the model says that the documents do not have the answer.
    fn is_refusal(&self) -> bool {
        let refusals = lexicons().iter().map(|lexicon| lexicon.refusal);
        let text = self.text.trim_start();
        self.supported == 0
            && refusals
                .into_iter()
                .any(|refusal| text.starts_with(refusal))
    }
}

impl AnswerEditor for CitationEditor {
    fn edit(&mut self, delta: &str, out: &mut String) {
        for char in delta.chars() {
            self.take_char(char, out);
        }
    }

    fn flush(&mut self, out: &mut String) {
        self.end_text(out);
        // Remarks before a call are no part of the answer.
        (self.sent, self.start, self.supported) = (0, 0, 0);
        self.unsupported.clear();
        self.text.clear();
        self.is_block = false;
    }

    fn finish(&mut self, out: &mut String) {
        self.end_text(out);
        if !self.is_refusal() {
            let session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
            out.push_str(&citation_block(&session.used_sources(&self.text)));
        }
    }

    fn closing_event(&mut self, message_id: &str) -> Option<Event> {
        let claims = self.supported + self.unsupported.len();
        let share = match claims {
            0 => 0.0,
            claims => self.supported as f32 / claims as f32,
        };
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let retrieval = session.retrieval();
        drop(session);
        let (outcome, confidence) = match (self.is_refusal(), self.unsupported.is_empty()) {
            (true, _) => (ReaderOutcome::Refused, 1.0 - 0.5 * retrieval),
            (false, true) if self.supported > 0 => (ReaderOutcome::Answered, 0.5 + 0.5 * retrieval),
            (false, _) => (ReaderOutcome::Partly, share * (0.5 + 0.5 * retrieval)),
        };
        let factors = [
            ConfidenceFactor {
                name: "supported",
                value: share,
            },
            ConfidenceFactor {
                name: "passage",
                value: retrieval,
            },
        ];
        let unsupported = match outcome {
            ReaderOutcome::Refused => &[][..],
            _ => &self.unsupported[..],
        };
        Some(outcome_event(
            message_id,
            outcome,
            confidence,
            &factors,
            unsupported,
            &self.model,
        ))
    }
}

//! Brackets and members of the scanned JSON.

use super::InputBuffer;
use super::block_scanner::{BlockScanner, LONGEST_VALUE, MAX_DEPTH, ScanSink, ScannedKind};
use super::tokens::{
    BracketPlace, ClosedObject, ExpectedToken, JsonToken, JsonTokenKind, ObjectMember, OpenBracket,
};
use crate::field_aliases::{self, BlockField};

impl BlockScanner {
    /// Records that the text is not JSON here.
    pub(super) fn defective(&mut self) {
        self.defect.get_or_insert(self.at);
    }

    pub(super) fn comma(&mut self) {
        let clean = match self.brackets.last_mut() {
            Some(bracket) if self.excess == 0 => {
                let clean = bracket.expect == ExpectedToken::Comma;
                bracket.expect = if bracket.is_array {
                    ExpectedToken::Value
                } else {
                    ExpectedToken::Key
                };
                clean
            }
            bracket => bracket.is_some(),
        };
        if !clean {
            self.defective();
        }
    }

    pub(super) fn colon(&mut self) {
        let clean = match self.brackets.last_mut() {
            Some(bracket) if self.excess == 0 => {
                let clean = bracket.expect == ExpectedToken::Colon;
                bracket.is_damaged |= !clean;
                if clean {
                    bracket.expect = ExpectedToken::Value;
                }
                clean
            }
            bracket => bracket.is_some(),
        };
        if !clean {
            self.defective();
        }
    }

    pub(super) fn open(&mut self, is_array: bool, buffer: &InputBuffer, sink: &mut dyn ScanSink) {
        let start = self.at - 1;
        if self.excess > 0 || self.brackets.len() >= MAX_DEPTH {
            self.excess += 1;
            self.too_deep.get_or_insert(start);
            return;
        }
        // An opening brace where a name is expected: the closing brace of this object is missing.
        let unclosed = |bracket: &OpenBracket| {
            !is_array
                && !bracket.is_array
                && bracket.is_in_list
                && matches!(bracket.expect, ExpectedToken::Key | ExpectedToken::Comma)
        };
        if self.brackets.last().is_some_and(unclosed) {
            self.defective();
            self.close_top(start, buffer, sink);
        }
        let place = self.place(is_array, buffer);
        if let Some(parent) = self.brackets.last_mut() {
            let expected = parent.expect == ExpectedToken::Value
                || (parent.is_array && parent.expect == ExpectedToken::Key);
            if !expected {
                self.defect.get_or_insert(start);
            }
            parent.has_children |= place.is_candidate && !is_array;
        }
        self.roots += usize::from(self.brackets.is_empty());
        self.brackets
            .push(OpenBracket::new(is_array, start, place, self.members.len()));
    }

    /// Returns the properties of a bracket that opens here.
    fn place(&self, is_array: bool, buffer: &InputBuffer) -> BracketPlace {
        let Some(parent) = self.brackets.last() else {
            return BracketPlace {
                is_candidate: true,
                group: None,
                is_in_list: false,
            };
        };
        if parent.is_array {
            // Arrays in arrays are rare, so objects in an array take the group from their parent.
            let group = if is_array { parent.group.clone() } else { None };
            return BracketPlace {
                is_candidate: parent.is_candidate,
                group,
                is_in_list: true,
            };
        }
        let name = parent.key.map(|key| key.name(buffer)).unwrap_or_default();
        let is_candidate = match self.kind {
            ScannedKind::Block => {
                let own = field_aliases::block_field(name.as_bytes());
                // Timestamps are an object. A list of this name is the group of a document with the same name.
                let nested = own.is_some_and(|(field, _)| match field {
                    BlockField::Supporting => true,
                    BlockField::Timestamps => !is_array,
                    _ => false,
                });
                parent.is_candidate && !parent.is_entry && !nested
            }
            ScannedKind::JsonAnswer => matches!(&*name, "citation" | "citations"),
        };
        let group = (is_candidate && self.kind == ScannedKind::Block).then(|| name.into());
        BracketPlace {
            is_candidate,
            group,
            is_in_list: false,
        }
    }

    pub(super) fn close(&mut self, is_array: bool, buffer: &InputBuffer, sink: &mut dyn ScanSink) {
        if self.excess > 0 {
            self.excess -= 1;
            return;
        }
        let Some(depth) = self
            .brackets
            .iter()
            .rposition(|bracket| bracket.is_array == is_array)
        else {
            self.defective();
            return;
        };
        if depth + 1 < self.brackets.len() {
            self.defective();
        }
        while self.brackets.len() > depth + 1 {
            self.close_top(self.at - 1, buffer, sink);
        }
        if let Some(bracket) = self.brackets.last() {
            let empty = bracket.count == 0;
            let clean = match bracket.expect {
                ExpectedToken::Comma => true,
                ExpectedToken::Key => empty && !bracket.is_array,
                ExpectedToken::Value => empty && bracket.is_array,
                ExpectedToken::Colon => false,
            };
            if !clean {
                self.defective();
            }
        }
        self.close_top(self.at, buffer, sink);
    }

    /// Closes the innermost bracket, which ends before `end`.
    pub(super) fn close_top(&mut self, end: usize, buffer: &InputBuffer, sink: &mut dyn ScanSink) {
        let Some(mut bracket) = self.brackets.pop() else {
            return;
        };
        if !bracket.is_array
            && matches!(bracket.expect, ExpectedToken::Colon | ExpectedToken::Value)
        {
            bracket.is_damaged = true;
        }
        if bracket.is_array && bracket.has_entries {
            self.counted += bracket.count;
        }
        if bracket.is_array
            && bracket.has_children
            && let Some(stray) = bracket.stray
        {
            sink.stray(stray);
        }
        let too_long = self.kind == ScannedKind::JsonAnswer && end - bracket.start > LONGEST_VALUE;
        if !bracket.is_array && bracket.is_candidate && !bracket.is_dropped && !too_long {
            let position = match self.brackets.last() {
                Some(parent) if parent.is_array => parent.count,
                _ => 0,
            };
            let group = match self.brackets.last() {
                Some(parent) if parent.is_array => parent.group.as_deref(),
                _ => bracket.group.as_deref(),
            };
            sink.object(&ClosedObject {
                range: bracket.start..end,
                members: &self.members[bracket.members..],
                group,
                is_in_list: bracket.is_in_list,
                is_entry: bracket.is_entry,
                has_children: bracket.has_children,
                is_damaged: bracket.is_damaged,
                is_doubtful: self.doubt,
                number: self.counted + position + 1,
            });
            if bracket.is_entry {
                match self.brackets.last_mut() {
                    Some(parent) if parent.is_array => parent.has_entries = true,
                    _ => self.counted += 1,
                }
            }
        }
        if let Some(parent) = self.brackets.last_mut() {
            parent.has_children |= bracket.has_children;
        }
        self.members.truncate(bracket.members);
        let token = JsonToken {
            start: bracket.start,
            end,
            kind: JsonTokenKind::Compound,
        };
        self.value(token, buffer);
    }

    /// Handles the end of a scalar or of a bracket.
    pub(super) fn value(&mut self, token: JsonToken, buffer: &InputBuffer) {
        if self.excess > 0 {
            return;
        }
        let is_text = matches!(token.kind, JsonTokenKind::Text { .. });
        let Some(bracket) = self.brackets.last_mut() else {
            // A scalar at the root is valid JSON, but holds no citation.
            self.roots += 1;
            return;
        };
        if bracket.is_array {
            let missing = bracket.expect == ExpectedToken::Comma;
            bracket.expect = ExpectedToken::Comma;
            bracket.count += 1;
            if token.kind != JsonTokenKind::Compound {
                bracket.stray.get_or_insert(token.start);
            }
            if missing {
                self.defect.get_or_insert(token.start);
            }
            return;
        }
        match bracket.expect {
            ExpectedToken::Key | ExpectedToken::Comma => {
                let clean = bracket.expect == ExpectedToken::Key && is_text;
                if token.kind == JsonTokenKind::Compound {
                    bracket.is_damaged = true;
                } else {
                    bracket.key = Some(token);
                    bracket.expect = ExpectedToken::Colon;
                }
                if !clean {
                    self.defect.get_or_insert(token.start);
                }
            }
            ExpectedToken::Colon => {
                bracket.is_damaged = true;
                self.defect.get_or_insert(token.start);
            }
            ExpectedToken::Value => {
                bracket.expect = ExpectedToken::Comma;
                bracket.count += 1;
                let Some(key) = bracket.key else { return };
                if bracket.is_candidate {
                    match self.kind {
                        ScannedKind::Block => {
                            let member = ObjectMember::new(key, token, buffer);
                            bracket.is_entry |= member.is_field();
                            self.members.push(member);
                        }
                        ScannedKind::JsonAnswer if !bracket.is_entry => {
                            let field = field_aliases::field(&key.name(buffer));
                            bracket.is_entry = field.is_some_and(field_aliases::marks_citation);
                        }
                        ScannedKind::JsonAnswer => {}
                    }
                }
            }
        }
    }
}

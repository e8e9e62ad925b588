//! Brackets and members of the scanned JSON.

use super::InputBuffer;
use super::block_scanner::{BlockFlavour, BlockScanner, LONGEST_VALUE, MAX_DEPTH, ScanSink};
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
        let clean = match self.frames.last_mut() {
            Some(frame) if self.excess == 0 => {
                let clean = frame.expect == ExpectedToken::Comma;
                frame.expect = if frame.array {
                    ExpectedToken::Value
                } else {
                    ExpectedToken::Key
                };
                clean
            }
            frame => frame.is_some(),
        };
        if !clean {
            self.defective();
        }
    }

    pub(super) fn colon(&mut self) {
        let clean = match self.frames.last_mut() {
            Some(frame) if self.excess == 0 => {
                let clean = frame.expect == ExpectedToken::Colon;
                frame.is_damaged |= !clean;
                if clean {
                    frame.expect = ExpectedToken::Value;
                }
                clean
            }
            frame => frame.is_some(),
        };
        if !clean {
            self.defective();
        }
    }

    pub(super) fn open(&mut self, array: bool, buffer: &InputBuffer, sink: &mut dyn ScanSink) {
        let start = self.at - 1;
        if self.excess > 0 || self.frames.len() >= MAX_DEPTH {
            self.excess += 1;
            self.too_deep.get_or_insert(start);
            return;
        }
        // An opening brace where a name is expected: the closing brace of this object is missing.
        let unclosed = |frame: &OpenBracket| {
            !array
                && !frame.array
                && frame.in_list
                && matches!(frame.expect, ExpectedToken::Key | ExpectedToken::Comma)
        };
        if self.frames.last().is_some_and(unclosed) {
            self.defective();
            self.close_top(start, buffer, sink);
        }
        let place = self.place(array, buffer);
        if let Some(parent) = self.frames.last_mut() {
            let expected = parent.expect == ExpectedToken::Value
                || (parent.array && parent.expect == ExpectedToken::Key);
            if !expected {
                self.defect.get_or_insert(start);
            }
            parent.children |= place.candidate && !array;
        }
        self.roots += usize::from(self.frames.is_empty());
        self.frames
            .push(OpenBracket::new(array, start, place, self.members.len()));
    }

    /// Returns the properties of a bracket that opens here.
    fn place(&self, array: bool, buffer: &InputBuffer) -> BracketPlace {
        let Some(parent) = self.frames.last() else {
            return BracketPlace {
                candidate: true,
                group: None,
                in_list: false,
            };
        };
        if parent.array {
            // Arrays in arrays are rare, so objects in an array take the group from their parent.
            let group = if array { parent.group.clone() } else { None };
            return BracketPlace {
                candidate: parent.candidate,
                group,
                in_list: true,
            };
        }
        let name = parent.key.map(|key| key.name(buffer)).unwrap_or_default();
        let candidate = match self.flavour {
            BlockFlavour::Block => {
                let own = field_aliases::block_field(name.as_bytes());
                // Timestamps are an object. A list of this name is the group of a document with the same name.
                let nested = own.is_some_and(|(field, _)| match field {
                    BlockField::Supporting => true,
                    BlockField::Timestamps => !array,
                    _ => false,
                });
                parent.candidate && !parent.item && !nested
            }
            BlockFlavour::Structured => matches!(&*name, "citation" | "citations"),
        };
        let group = (candidate && self.flavour == BlockFlavour::Block).then(|| name.into());
        BracketPlace {
            candidate,
            group,
            in_list: false,
        }
    }

    pub(super) fn close(&mut self, array: bool, buffer: &InputBuffer, sink: &mut dyn ScanSink) {
        if self.excess > 0 {
            self.excess -= 1;
            return;
        }
        let Some(depth) = self.frames.iter().rposition(|frame| frame.array == array) else {
            self.defective();
            return;
        };
        if depth + 1 < self.frames.len() {
            self.defective();
        }
        while self.frames.len() > depth + 1 {
            self.close_top(self.at - 1, buffer, sink);
        }
        if let Some(frame) = self.frames.last() {
            let empty = frame.count == 0;
            let clean = match frame.expect {
                ExpectedToken::Comma => true,
                ExpectedToken::Key => empty && !frame.array,
                ExpectedToken::Value => empty && frame.array,
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
        let Some(mut frame) = self.frames.pop() else {
            return;
        };
        if !frame.array && matches!(frame.expect, ExpectedToken::Colon | ExpectedToken::Value) {
            frame.is_damaged = true;
        }
        if frame.array && frame.has_entries {
            self.counted += frame.count;
        }
        if frame.array
            && frame.children
            && let Some(stray) = frame.stray
        {
            sink.stray(stray);
        }
        let too_long =
            self.flavour == BlockFlavour::Structured && end - frame.start > LONGEST_VALUE;
        if !frame.array && frame.candidate && !frame.is_dropped && !too_long {
            let position = match self.frames.last() {
                Some(parent) if parent.array => parent.count,
                _ => 0,
            };
            let group = match self.frames.last() {
                Some(parent) if parent.array => parent.group.as_deref(),
                _ => frame.group.as_deref(),
            };
            sink.object(&ClosedObject {
                range: frame.start..end,
                members: &self.members[frame.members..],
                group,
                in_list: frame.in_list,
                item: frame.item,
                children: frame.children,
                is_damaged: frame.is_damaged,
                doubtful: self.doubt,
                number: self.counted + position + 1,
            });
            if frame.item {
                match self.frames.last_mut() {
                    Some(parent) if parent.array => parent.has_entries = true,
                    _ => self.counted += 1,
                }
            }
        }
        if let Some(parent) = self.frames.last_mut() {
            parent.children |= frame.children;
        }
        self.members.truncate(frame.members);
        let token = JsonToken {
            start: frame.start,
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
        let Some(frame) = self.frames.last_mut() else {
            // A scalar at the root is valid JSON, but holds no citation.
            self.roots += 1;
            return;
        };
        if frame.array {
            let missing = frame.expect == ExpectedToken::Comma;
            frame.expect = ExpectedToken::Comma;
            frame.count += 1;
            if token.kind != JsonTokenKind::Compound {
                frame.stray.get_or_insert(token.start);
            }
            if missing {
                self.defect.get_or_insert(token.start);
            }
            return;
        }
        match frame.expect {
            ExpectedToken::Key | ExpectedToken::Comma => {
                let clean = frame.expect == ExpectedToken::Key && is_text;
                if token.kind == JsonTokenKind::Compound {
                    frame.is_damaged = true;
                } else {
                    frame.key = Some(token);
                    frame.expect = ExpectedToken::Colon;
                }
                if !clean {
                    self.defect.get_or_insert(token.start);
                }
            }
            ExpectedToken::Colon => {
                frame.is_damaged = true;
                self.defect.get_or_insert(token.start);
            }
            ExpectedToken::Value => {
                frame.expect = ExpectedToken::Comma;
                frame.count += 1;
                let Some(key) = frame.key else { return };
                if frame.candidate {
                    match self.flavour {
                        BlockFlavour::Block => {
                            let member = ObjectMember::new(key, token, buffer);
                            frame.item |= member.is_field();
                            self.members.push(member);
                        }
                        BlockFlavour::Structured if !frame.item => {
                            let field = field_aliases::field(&key.name(buffer));
                            frame.item = field.is_some_and(field_aliases::marks_citation);
                        }
                        BlockFlavour::Structured => {}
                    }
                }
            }
        }
    }
}

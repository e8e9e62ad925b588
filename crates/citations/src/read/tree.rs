//! Brackets and members: what the cursor makes of the tokens it finds.

use super::Buffer;
use super::frame::{Expect, Frame, Member, Object, Place, Token, TokenKind};
use super::scan::{DEEPEST, Flavour, LONGEST_VALUE, Scanner, Sink};
use crate::fields::{self, BlockField};

impl Scanner {
    /// Notes that the text is not JSON here.
    pub(super) fn defective(&mut self) {
        self.defect.get_or_insert(self.at);
    }

    pub(super) fn comma(&mut self) {
        let clean = match self.frames.last_mut() {
            Some(frame) if self.excess == 0 => {
                let clean = frame.expect == Expect::Comma;
                frame.expect = if frame.array {
                    Expect::Value
                } else {
                    Expect::Key
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
                let clean = frame.expect == Expect::Colon;
                frame.damaged |= !clean;
                if clean {
                    frame.expect = Expect::Value;
                }
                clean
            }
            frame => frame.is_some(),
        };
        if !clean {
            self.defective();
        }
    }

    pub(super) fn open(&mut self, array: bool, buffer: &Buffer, sink: &mut dyn Sink) {
        let start = self.at - 1;
        if self.excess > 0 || self.frames.len() >= DEEPEST {
            self.excess += 1;
            self.too_deep.get_or_insert(start);
            return;
        }
        // A brace where a name should stand: the brace that closes this object is missing.
        let unclosed = |frame: &Frame| {
            !array
                && !frame.array
                && frame.in_list
                && matches!(frame.expect, Expect::Key | Expect::Comma)
        };
        if self.frames.last().is_some_and(unclosed) {
            self.defective();
            self.close_top(start, buffer, sink);
        }
        let place = self.place(array, buffer);
        if let Some(parent) = self.frames.last_mut() {
            let expected =
                parent.expect == Expect::Value || (parent.array && parent.expect == Expect::Key);
            if !expected {
                self.defect.get_or_insert(start);
            }
            parent.children |= place.candidate && !array;
        }
        self.roots += usize::from(self.frames.is_empty());
        self.frames
            .push(Frame::new(array, start, place, self.members.len()));
    }

    /// What may stand where the next bracket opens.
    fn place(&self, array: bool, buffer: &Buffer) -> Place {
        let Some(parent) = self.frames.last() else {
            return Place {
                candidate: true,
                group: None,
                in_list: false,
            };
        };
        if parent.array {
            // Arrays in arrays are rare, objects in arrays are not: those look at their parent.
            let group = if array { parent.group.clone() } else { None };
            return Place {
                candidate: parent.candidate,
                group,
                in_list: true,
            };
        }
        let name = parent.key.map(|key| key.name(buffer)).unwrap_or_default();
        let candidate = match self.flavour {
            Flavour::Block => {
                let own = fields::block_field(name.as_bytes());
                // A list is no timestamps: then it is a document that has the same name.
                let nested = own.is_some_and(|(field, _)| match field {
                    BlockField::Supporting => true,
                    BlockField::Timestamps => !array,
                    _ => false,
                });
                parent.candidate && !parent.item && !nested
            }
            Flavour::Structured => matches!(&*name, "citation" | "citations"),
        };
        let group = (candidate && self.flavour == Flavour::Block).then(|| name.into());
        Place {
            candidate,
            group,
            in_list: false,
        }
    }

    pub(super) fn close(&mut self, array: bool, buffer: &Buffer, sink: &mut dyn Sink) {
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
                Expect::Comma => true,
                Expect::Key => empty && !frame.array,
                Expect::Value => empty && frame.array,
                Expect::Colon => false,
            };
            if !clean {
                self.defective();
            }
        }
        self.close_top(self.at, buffer, sink);
    }

    /// Closes the innermost bracket; its last byte is before `end`.
    pub(super) fn close_top(&mut self, end: usize, buffer: &Buffer, sink: &mut dyn Sink) {
        let Some(mut frame) = self.frames.pop() else {
            return;
        };
        if !frame.array && matches!(frame.expect, Expect::Colon | Expect::Value) {
            frame.damaged = true;
        }
        if frame.array && frame.telling {
            self.counted += frame.count;
        }
        if frame.array
            && frame.children
            && let Some(stray) = frame.stray
        {
            sink.stray(stray);
        }
        let too_long = self.flavour == Flavour::Structured && end - frame.start > LONGEST_VALUE;
        if !frame.array && frame.candidate && !frame.gone && !too_long {
            let position = match self.frames.last() {
                Some(parent) if parent.array => parent.count,
                _ => 0,
            };
            let group = match self.frames.last() {
                Some(parent) if parent.array => parent.group.as_deref(),
                _ => frame.group.as_deref(),
            };
            sink.object(&Object {
                range: frame.start..end,
                members: &self.members[frame.members..],
                group,
                in_list: frame.in_list,
                item: frame.item,
                children: frame.children,
                damaged: frame.damaged,
                doubtful: self.doubt,
                number: self.counted + position + 1,
            });
            if frame.item {
                match self.frames.last_mut() {
                    Some(parent) if parent.array => parent.telling = true,
                    _ => self.counted += 1,
                }
            }
        }
        if let Some(parent) = self.frames.last_mut() {
            parent.children |= frame.children;
        }
        self.members.truncate(frame.members);
        let token = Token {
            start: frame.start,
            end,
            kind: TokenKind::Compound,
        };
        self.value(token, buffer);
    }

    /// A scalar ended, or a bracket closed.
    pub(super) fn value(&mut self, token: Token, buffer: &Buffer) {
        if self.excess > 0 {
            return;
        }
        let is_text = matches!(token.kind, TokenKind::Text { .. });
        let Some(frame) = self.frames.last_mut() else {
            // A scalar at the root is valid JSON but holds nothing.
            self.roots += 1;
            return;
        };
        if frame.array {
            let missing = frame.expect == Expect::Comma;
            frame.expect = Expect::Comma;
            frame.count += 1;
            if token.kind != TokenKind::Compound {
                frame.stray.get_or_insert(token.start);
            }
            if missing {
                self.defect.get_or_insert(token.start);
            }
            return;
        }
        match frame.expect {
            Expect::Key | Expect::Comma => {
                let clean = frame.expect == Expect::Key && is_text;
                if token.kind == TokenKind::Compound {
                    frame.damaged = true;
                } else {
                    frame.key = Some(token);
                    frame.expect = Expect::Colon;
                }
                if !clean {
                    self.defect.get_or_insert(token.start);
                }
            }
            Expect::Colon => {
                frame.damaged = true;
                self.defect.get_or_insert(token.start);
            }
            Expect::Value => {
                frame.expect = Expect::Comma;
                frame.count += 1;
                let Some(key) = frame.key else { return };
                if frame.candidate {
                    match self.flavour {
                        Flavour::Block => {
                            let member = Member::new(key, token, buffer);
                            frame.item |= member.is_field();
                            self.members.push(member);
                        }
                        Flavour::Structured if !frame.item => {
                            let field = fields::field(&key.name(buffer));
                            frame.item = field.is_some_and(fields::is_telling);
                        }
                        Flavour::Structured => {}
                    }
                }
            }
        }
    }
}

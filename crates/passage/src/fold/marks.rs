//! What is not a letter: numbers, dashes and signs, quotation marks, punctuation, raised digits.

use super::{DASH, LEADING_POINT, QUOTATION, SIGN, TextFolder, UnitGap};
use crate::chars::{CharClass, class, digit_value, is_long_dash, is_single_quotation};
use crate::numbers::{self, GroupSeparator};

impl TextFolder<'_> {
    pub(super) fn number(&mut self) {
        self.keep_space_between_digits();
        let number = numbers::read(self.source, self.at, self.reading);
        let mut joined = self.is_adjacent() && self.last.class.is_wordlike();
        let starts_token = !joined && !self.join_next;
        let first = self.out.len();
        let mut separated = false;
        while self.at < number.end {
            let Some(c) = self.char_at(self.at) else {
                break;
            };
            if let Some(value) = digit_value(c) {
                let digit = [b'0' + value];
                let folded = std::str::from_utf8(&digit).unwrap_or_default();
                let end = self.at + c.len_utf8();
                self.emit(folded, self.at, end, CharClass::Digit, joined);
                self.at = end;
                joined = true;
            } else if number.group.is_some() && self.reading.group(c) == number.group {
                if number.group == Some(GroupSeparator::Space) {
                    self.joints.push(self.out.len() as u32);
                }
                self.at += c.len_utf8();
            } else if class(c) == CharClass::Ignored {
                self.at += c.len_utf8();
            } else if is_single_quotation(c) {
                let end = self.at + c.len_utf8();
                self.emit("'", self.at, end, CharClass::Quotation, true);
                self.at = end;
                separated = true;
            } else {
                self.single(c, CharClass::Punctuation, true);
                separated = true;
            }
        }
        if starts_token && !separated && self.out.len() == first + 4 {
            self.years.push(first as u32);
        }
    }

    /// Dashes of one kind: nothing between letters, a sign before a number, otherwise a dash.
    pub(super) fn dashes(&mut self, c: char) {
        let from = self.at;
        let (count, end) = self.dash_run(c);
        let (gap_after, next) = self.next_visible(end);
        let adjacent = self.is_adjacent();
        if self.last.class.is_letter() && next.is_some_and(CharClass::is_letter) {
            let one_word = adjacent
                && gap_after == UnitGap::Line
                && count == 1
                && !is_long_dash(c)
                && self.last.class != CharClass::Dense
                && next != Some(CharClass::Dense);
            self.join_next = one_word;
            if adjacent {
                self.gap = UnitGap::Space;
                self.gap_at = from;
            }
        } else if count == 1 && self.is_sign(c, end, gap_after, next) {
            self.emit(SIGN, from, end, CharClass::Dash, false);
            self.join_next = true;
        } else if self.last.class == CharClass::Digit || next == Some(CharClass::Digit) {
            // Beside a number every dash counts: 5--6 is not 5-6.
            while self.at < end {
                let Some(c) = self.char_at(self.at) else {
                    break;
                };
                let to = self.at + c.len_utf8();
                if class(c) == CharClass::Dash {
                    self.emit(DASH, self.at, to, CharClass::Dash, false);
                }
                self.at = to;
            }
        } else {
            self.emit(DASH, from, end, CharClass::Dash, false);
        }
        self.at = end;
    }

    /// How many dashes of one kind stand here, and where they end; after another one a dash may be a
    /// sign, as in 3–−5.
    fn dash_run(&self, dash: char) -> (usize, usize) {
        let (mut count, mut end, mut at) = (0, self.at, self.at);
        for c in self.source[self.at..].chars() {
            at += c.len_utf8();
            if c == dash {
                count += 1;
                end = at;
            } else if class(c) != CharClass::Ignored {
                break;
            }
        }
        (count, end)
    }

    /// Whether a dash that ends at `end` is the sign of the number after it.
    fn is_sign(&self, c: char, end: usize, gap_after: UnitGap, next: Option<CharClass>) -> bool {
        let closes = self.last.class.is_wordlike()
            || matches!(
                self.last.class,
                CharClass::Dense | CharClass::Superscript | CharClass::Percent
            )
            || matches!(self.last.folded, ')' | ']' | '}');
        if is_long_dash(c) || (self.is_adjacent() && closes) {
            return false;
        }
        if gap_after == UnitGap::None {
            return self.starts_number(end);
        }
        // Set apart on both sides a dash joins clauses; a true minus after an operator does not.
        c == '−' && next == Some(CharClass::Digit) && !closes
    }

    /// Whether a number begins at `at`, with its point or currency symbol.
    fn starts_number(&self, at: usize) -> bool {
        let mut chars = self.source[at..]
            .chars()
            .map(|c| (c, class(c)))
            .filter(|&(_, class)| class != CharClass::Ignored);
        match chars.next() {
            Some((_, CharClass::Digit)) => true,
            Some(('.', _) | (_, CharClass::Currency)) => chars
                .next()
                .is_some_and(|(_, class)| class == CharClass::Digit),
            _ => false,
        }
    }

    pub(super) fn quotation(&mut self, c: char) {
        let end = self.at + c.len_utf8();
        let adjacent = self.is_adjacent();
        if adjacent && self.last.class == CharClass::Quotation && self.last.folded == '"' {
            self.at = end;
            return;
        }
        let single = is_single_quotation(c);
        let inside = single
            && adjacent
            && self.last.class.is_wordlike()
            && self.next_adjacent(end).is_some_and(CharClass::is_wordlike);
        // After a digit one stroke and two are different units of measure.
        let folded = if single && adjacent && self.last.class == CharClass::Digit {
            "'"
        } else {
            QUOTATION
        };
        self.emit(folded, self.at, end, CharClass::Quotation, inside);
        self.join_next = inside;
        self.at = end;
    }

    pub(super) fn punctuation(&mut self, c: char) {
        let end = self.at + c.len_utf8();
        let adjacent = self.is_adjacent();
        match c {
            '_' => {
                let inside = adjacent
                    && self.last.class.is_wordlike()
                    && self.next_adjacent(end).is_some_and(CharClass::is_wordlike);
                self.single(c, CharClass::Punctuation, inside);
                self.join_next = inside;
            }
            '.' | '．' if self.is_leading_point(end) => {
                self.keep_space_between_digits();
                self.emit(LEADING_POINT, self.at, end, CharClass::Punctuation, false);
                self.at = end;
                self.join_next = true;
            }
            '.' | ',' | ':' | '．' | '，' | '：' | '٫' | '٬'
                if self.last.class == CharClass::Digit =>
            {
                let (gap_after, next) = self.next_visible(end);
                let apart = !adjacent || gap_after != UnitGap::None;
                if apart && next == Some(CharClass::Digit) {
                    // "12. 5" is not "12.5"; wherever the space is, it is kept after the point.
                    let folded = match c {
                        '.' | '．' => ". ",
                        ',' | '，' => ", ",
                        ':' | '：' => ": ",
                        '٫' => "٫ ",
                        _ => "٬ ",
                    };
                    self.emit(folded, self.at, end, CharClass::Punctuation, false);
                    self.at = end;
                } else {
                    self.single(c, CharClass::Punctuation, false);
                }
            }
            _ => self.single(c, CharClass::Punctuation, false),
        }
    }

    /// Whether a point that ends at `end` begins a number: ".5", but not "No.5" and not "...5".
    fn is_leading_point(&self, end: usize) -> bool {
        let belongs_before = self.is_adjacent()
            && (self.last.class.is_wordlike()
                || self.last.class == CharClass::Dense
                || self.last.folded == '.');
        !belongs_before && self.next_adjacent(end) == Some(CharClass::Digit)
    }

    pub(super) fn symbol(&mut self, c: char) {
        let after_sign = self.join_next;
        let class = class(c);
        self.single(c, class, false);
        // A sign reaches over the currency to the number; a tolerance is a sign too.
        let tolerance =
            matches!(c, '±' | '∓') && self.next_visible(self.at).1 == Some(CharClass::Digit);
        self.join_next = tolerance || (after_sign && class == CharClass::Currency);
    }

    /// A raised digit: part of a number or a unit of measure, but not of a word it marks.
    pub(super) fn superscript(&mut self, c: char) {
        let joined = self.is_adjacent()
            && match self.last.class {
                CharClass::Superscript | CharClass::Digit | CharClass::Numeral => true,
                CharClass::Letter | CharClass::Mark => {
                    matches!(c, '⁺' | '⁻')
                        || self.last.letters <= super::MAX_UNIT_LETTERS
                        || self.last.after_number
                }
                _ => false,
            };
        self.single(c, CharClass::Superscript, joined);
    }

    /// Lowered digits are digits after a letter: CO₂ is CO2. Elsewhere they stay what they are.
    pub(super) fn subscripts(&mut self) {
        let run = self.source[self.at..]
            .chars()
            .take_while(|&c| class(c) == CharClass::Subscript);
        let end = self.at + run.map(char::len_utf8).sum::<usize>();
        let is_digit = self.is_adjacent()
            && matches!(self.last.class, CharClass::Letter | CharClass::Mark)
            && self.next_adjacent(end) != Some(CharClass::Digit);
        while self.at < end {
            let Some(c) = self.char_at(self.at) else {
                break;
            };
            if !is_digit {
                let joined = self.is_adjacent() && self.last.class.is_wordlike();
                self.single(c, CharClass::Subscript, joined);
                continue;
            }
            let digit = [b'0' + (c as u32 - '₀' as u32) as u8];
            let folded = std::str::from_utf8(&digit).unwrap_or_default();
            let to = self.at + c.len_utf8();
            self.emit(folded, self.at, to, CharClass::Digit, true);
            self.at = to;
        }
    }
}

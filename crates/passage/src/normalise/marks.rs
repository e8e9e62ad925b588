//! Normalisation of numbers, dashes and signs, quotation marks, punctuation, superscripts and
//! subscripts.

use super::{DASH, LEADING_POINT, QUOTATION, SIGN, TextNormaliser, UnitGap};
use crate::char_classes::{CharClass, class, digit_value, is_long_dash, is_single_quotation};
use crate::numbers::{self, GroupSeparator, fraction_digits};

/// Longest whole number, in digits, that forms one number with a fraction after it.
const MAX_WHOLE_DIGITS: u32 = 3;

impl TextNormaliser<'_> {
    pub(super) fn read_number(&mut self) {
        let number = numbers::read(self.source, self.at, self.number_rules);
        let mixed = self.follows_whole_number() && self.is_fraction(self.at, number.end);
        self.write_space_between_digits(mixed);
        self.join_next |= mixed;
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
                let normalised = std::str::from_utf8(&digit).unwrap_or_default();
                let end = self.at + c.len_utf8();
                self.write_unit(normalised, self.at, end, CharClass::Digit, joined);
                self.at = end;
                joined = true;
            } else if number.group.is_some() && self.number_rules.group(c) == number.group {
                if number.group == Some(GroupSeparator::Space) {
                    self.group_spaces.push(self.out.len() as u32);
                }
                self.at += c.len_utf8();
            } else if class(c) == CharClass::Ignored {
                self.at += c.len_utf8();
            } else if is_single_quotation(c) {
                let end = self.at + c.len_utf8();
                self.write_unit("'", self.at, end, CharClass::Quotation, true);
                self.at = end;
                separated = true;
            } else {
                self.write_single(c, CharClass::Punctuation, true);
                separated = true;
            }
        }
        if starts_token && !separated && self.out.len() == first + 4 {
            self.years.push(first as u32);
        }
    }

    /// Returns true after a whole number of at most three digits and a space within the line, to
    /// which a fraction may belong.
    fn follows_whole_number(&self) -> bool {
        self.gap == UnitGap::Space
            && self.last.class == CharClass::Digit
            && (1..=MAX_WHOLE_DIGITS).contains(&self.last.digits)
    }

    /// Returns true if a number is a fraction below one, such as "1/2" or "15/16".
    fn is_fraction(&self, start: usize, end: usize) -> bool {
        let Some((above, below)) = self.source[start..end].split_once('/') else {
            return false;
        };
        let short = |digits: &str| digits.len() <= 3 && !digits.starts_with('0');
        match (above.parse::<u32>(), below.parse::<u32>()) {
            (Ok(above_value), Ok(below_value)) => {
                above_value < below_value && short(above) && short(below)
            }
            _ => false,
        }
    }

    /// Handles a numeral of one character. A fraction is written with digits, so that "½" equals
    /// "1/2" and "3½" equals "3 1/2".
    pub(super) fn read_numeral(&mut self, c: char) {
        let end = self.at + c.len_utf8();
        let joined = self.is_adjacent() && self.last.class.is_wordlike();
        match fraction_digits(c).filter(|_| self.next_adjacent(end) != Some(CharClass::Digit)) {
            Some(digits) if joined && self.last.class == CharClass::Digit => {
                let digits = format!(" {digits}");
                self.write_unit(&digits, self.at, end, CharClass::Digit, true);
                self.at = end;
            }
            Some(digits) => {
                let mixed = self.follows_whole_number();
                self.write_space_between_digits(mixed);
                self.write_unit(&digits, self.at, end, CharClass::Digit, joined || mixed);
                self.last.digits = 0;
                self.at = end;
            }
            None => self.write_single(c, CharClass::Numeral, joined),
        }
    }

    /// Returns the symbol of the currency code that begins here beside a number, as in "EUR 120",
    /// and its end.
    ///
    /// Codes whose symbol several currencies share are left out, apart from the dollar.
    pub(super) fn currency_code(&self) -> Option<(&'static str, usize)> {
        let end = self.at + 3;
        let code = self.source.get(self.at..end)?;
        if !code.bytes().all(|byte| byte.is_ascii_uppercase()) {
            return None;
        }
        let symbol = match code {
            "EUR" => "€",
            "USD" => "$",
            "GBP" => "£",
            "INR" => "₹",
            "KRW" => "₩",
            "ILS" => "₪",
            "TRY" => "₺",
            "UAH" => "₴",
            "RUB" => "₽",
            _ => return None,
        };
        let begins = !self.is_adjacent() || !self.last.class.is_letter();
        let (gap, next) = self.next_visible(end);
        let ends = gap != UnitGap::None || !next.is_some_and(CharClass::is_letter);
        let beside_number = self.last.class == CharClass::Digit || next == Some(CharClass::Digit);
        (begins && ends && beside_number).then_some((symbol, end))
    }

    /// Handles a run of equal dashes: dropped between letters, a sign before a number, otherwise a
    /// dash.
    pub(super) fn read_dashes(&mut self, c: char) {
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
            self.write_unit(SIGN, from, end, CharClass::Dash, false);
            self.join_next = true;
        } else if self.last.class == CharClass::Digit || next == Some(CharClass::Digit) {
            // Beside a number every dash is kept: "5--6" differs from "5-6".
            while self.at < end {
                let Some(c) = self.char_at(self.at) else {
                    break;
                };
                let to = self.at + c.len_utf8();
                if class(c) == CharClass::Dash {
                    self.write_unit(DASH, self.at, to, CharClass::Dash, false);
                }
                self.at = to;
            }
        } else {
            self.write_unit(DASH, from, end, CharClass::Dash, false);
        }
        self.at = end;
    }

    /// Returns the length of the run of equal dashes at the current position, and its end. A
    /// different dash ends the run because it may be a sign, as in "3–−5".
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

    /// Returns true if a dash that ends at `end` is the sign of the number after it.
    fn is_sign(&self, c: char, end: usize, gap_after: UnitGap, next: Option<CharClass>) -> bool {
        let closes = self.last.class.is_wordlike()
            || matches!(
                self.last.class,
                CharClass::Dense | CharClass::Superscript | CharClass::Percent
            )
            || matches!(self.last.normalised, ')' | ']' | '}');
        if is_long_dash(c) || (self.is_adjacent() && closes) {
            return false;
        }
        if gap_after == UnitGap::None {
            return self.starts_number(end);
        }
        // A dash with spaces on both sides joins clauses, unless it is a true minus after an
        // operator.
        c == '−' && next == Some(CharClass::Digit) && !closes
    }

    /// Returns true if a number begins at `at`, possibly with a point or currency symbol before its
    /// digits.
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

    pub(super) fn read_quotation_mark(&mut self, c: char) {
        let end = self.at + c.len_utf8();
        let adjacent = self.is_adjacent();
        if adjacent && self.last.class == CharClass::Quotation && self.last.normalised == '"' {
            self.at = end;
            return;
        }
        let single = is_single_quotation(c);
        let inside = single
            && adjacent
            && self.last.class.is_wordlike()
            && self.next_adjacent(end).is_some_and(CharClass::is_wordlike);
        // After a digit, one stroke and two strokes are different units of measure.
        let normalised = if single && adjacent && self.last.class == CharClass::Digit {
            "'"
        } else {
            QUOTATION
        };
        self.write_unit(normalised, self.at, end, CharClass::Quotation, inside);
        self.join_next = inside;
        self.at = end;
    }

    pub(super) fn read_punctuation(&mut self, c: char) {
        let end = self.at + c.len_utf8();
        let adjacent = self.is_adjacent();
        match c {
            '_' => {
                let inside = adjacent
                    && self.last.class.is_wordlike()
                    && self.next_adjacent(end).is_some_and(CharClass::is_wordlike);
                self.write_single(c, CharClass::Punctuation, inside);
                self.join_next = inside;
            }
            '.' | '．' if self.is_leading_point(end) => {
                self.write_space_between_digits(false);
                self.write_unit(LEADING_POINT, self.at, end, CharClass::Punctuation, false);
                self.at = end;
                self.join_next = true;
            }
            '.' | ',' | ':' | '．' | '，' | '：' | '٫' | '٬'
                if self.last.class == CharClass::Digit =>
            {
                let (gap_after, next) = self.next_visible(end);
                let apart = !adjacent || gap_after != UnitGap::None;
                if apart && next == Some(CharClass::Digit) {
                    // "12. 5" differs from "12.5". The space is written after the point, on
                    // whichever side it was.
                    let normalised = match c {
                        '.' | '．' => ". ",
                        ',' | '，' => ", ",
                        ':' | '：' => ": ",
                        '٫' => "٫ ",
                        _ => "٬ ",
                    };
                    self.write_unit(normalised, self.at, end, CharClass::Punctuation, false);
                    self.at = end;
                } else {
                    self.write_single(c, CharClass::Punctuation, false);
                }
            }
            _ => self.write_single(c, CharClass::Punctuation, false),
        }
    }

    /// Returns true if a point that ends at `end` begins a number: ".5", but not "No.5" and not "...5".
    fn is_leading_point(&self, end: usize) -> bool {
        let belongs_before = self.is_adjacent()
            && (self.last.class.is_wordlike()
                || self.last.class == CharClass::Dense
                || self.last.normalised == '.');
        !belongs_before && self.next_adjacent(end) == Some(CharClass::Digit)
    }

    pub(super) fn read_symbol(&mut self, c: char) {
        let after_sign = self.join_next;
        let class = class(c);
        self.write_single(c, class, false);
        // A sign extends over a currency symbol to the number. A tolerance is a sign, too.
        let tolerance =
            matches!(c, '±' | '∓') && self.next_visible(self.at).1 == Some(CharClass::Digit);
        self.join_next = tolerance || (after_sign && class == CharClass::Currency);
    }

    /// Handles a superscript digit. It is part of a number or a unit of measure, but not of the
    /// word that it marks.
    pub(super) fn read_superscript(&mut self, c: char) {
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
        self.write_single(c, CharClass::Superscript, joined);
    }

    /// Handles subscript digits. After a letter they are digits (CO₂ equals CO2); elsewhere they
    /// stay.
    pub(super) fn read_subscripts(&mut self) {
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
                self.write_single(c, CharClass::Subscript, joined);
                continue;
            }
            let digit = [b'0' + (c as u32 - '₀' as u32) as u8];
            let normalised = std::str::from_utf8(&digit).unwrap_or_default();
            let to = self.at + c.len_utf8();
            self.write_unit(normalised, self.at, to, CharClass::Digit, true);
            self.at = to;
        }
    }
}

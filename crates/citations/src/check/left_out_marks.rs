//! Footnote marks and emphasis, which quotes leave out.

use passage::{ChangeKind, DiffChange, Token, TokenKind};

use super::change_assessment::{ComparedTexts, after_number};
use super::quantities::unit_named;

impl ComparedTexts<'_> {
    /// Returns true if the change is only a footnote mark that the quote leaves out: "¹", "[12]", "*".
    pub(super) fn is_mark(
        &self,
        change: &DiffChange,
        quoted: &[Token<'_>],
        actual: &[Token<'_>],
    ) -> bool {
        if is_copied_mark(quoted, actual) {
            return true;
        }
        if let ([quoted], [actual]) = (quoted, actual) {
            return self.is_marked(quoted, actual, change.passage.start);
        }
        if self.is_emphasis(change) {
            return true;
        }
        if change.kind != ChangeKind::OnlyInPassage {
            return false;
        }
        let touches = |token: &Token<'_>| {
            let before = self.passage.source().get(..token.range.start);
            before.is_some_and(|before| before.ends_with(|c: char| !c.is_whitespace()))
        };
        let sign = |token: &Token<'_>| matches!(token.normalised, "*" | "†" | "‡" | "§" | "¶");
        actual.iter().all(|token| token.kind == TokenKind::Raised)
            || is_reference(actual)
            || self.is_attached_number(actual)
            || actual.iter().all(|token| sign(token) && touches(token))
    }

    /// Returns true for a number that touches the end of a sentence before it, as footnote marks do in texts
    /// that lost their raised digits: "so it is.11 Then".
    fn is_attached_number(&self, actual: &[Token<'_>]) -> bool {
        let [number] = actual else {
            return false;
        };
        let source = self.passage.source();
        let before = source.get(..number.range.start).unwrap_or_default();
        let after = source.get(number.range.end..).unwrap_or_default();
        let word = before.trim_end_matches(['.', ',', ';', ')', '”', '"']);
        let letters = word
            .chars()
            .rev()
            .take(3)
            .filter(|c| c.is_lowercase())
            .count();
        number.kind == TokenKind::Number
            && number.normalised.len() <= 3
            && number.normalised.bytes().all(|byte| byte.is_ascii_digit())
            && word.len() < before.len()
            && letters == 3
            && (after.is_empty() || after.starts_with(char::is_whitespace))
    }

    /// Returns true if only one side has the asterisks or underscores with which Markdown emphasises words.
    fn is_emphasis(&self, change: &DiffChange) -> bool {
        let is_sign = |token: &Token<'_>| matches!(token.normalised, "*" | "_");
        let (tokens, range, source) = match change.kind {
            ChangeKind::OnlyInQuote => (&self.diff.quote, &change.quote, self.quote.source()),
            ChangeKind::OnlyInPassage => {
                (&self.diff.passage, &change.passage, self.passage.source())
            }
            ChangeKind::Same | ChangeKind::Replaced => return false,
        };
        let signs = &tokens[range.clone()];
        let (Some(first), Some(last)) = (signs.first(), signs.last()) else {
            return false;
        };
        let is_number = |at: Option<usize>| {
            let token = at.and_then(|at| tokens.get(at));
            token.is_some_and(|token| matches!(token.kind, TokenKind::Number | TokenKind::Mixed))
        };
        let numbers = (
            is_number(range.start.checked_sub(1)),
            is_number(Some(range.end)),
        );
        let is_product = match numbers {
            (false, false) => false,
            (true, true) => true,
            // Signs of emphasis touch the words on one side only.
            _ => !touches_one_side(source, first.range.start, last.range.end),
        };
        signs.iter().all(is_sign) && !is_product
    }

    /// Returns true if a word or a year of the passage is the quoted one with a footnote mark.
    fn is_marked(&self, quoted: &Token<'_>, actual: &Token<'_>, at: usize) -> bool {
        let raised = |c: char| matches!(c, '⁰' | '¹' | '²' | '³' | '⁴'..='⁹');
        let plain = actual.normalised.trim_end_matches(raised);
        if plain.len() == actual.normalised.len() || plain != quoted.normalised {
            return false;
        }
        match actual.kind {
            TokenKind::Word => {
                plain.chars().count() > 1
                    && !after_number(&self.diff.passage, at)
                    && unit_named(plain).is_none()
            }
            TokenKind::Number => plain
                .parse::<u32>()
                .is_ok_and(|year| (1000..2100).contains(&year)),
            _ => false,
        }
    }
}

/// Returns true if exactly one end of a range touches a letter or digit.
fn touches_one_side(source: &str, start: usize, end: usize) -> bool {
    let before = source
        .get(..start)
        .and_then(|text| text.chars().next_back());
    let after = source.get(end..).and_then(|text| text.chars().next());
    before.is_some_and(char::is_alphanumeric) != after.is_some_and(char::is_alphanumeric)
}

/// Returns true if the quote has the footnote marks of the passage as plain digits, as copying from a PDF gives
/// them: "function2" for "function²".
fn is_copied_mark(quoted: &[Token<'_>], actual: &[Token<'_>]) -> bool {
    let plain = |c: char| match c {
        '⁰' => '0',
        '¹' => '1',
        '²' => '2',
        '³' => '3',
        '⁴'..='⁹' => char::from_u32(c as u32 - '⁴' as u32 + '4' as u32).unwrap_or(c),
        _ => c,
    };
    let quote: String = quoted.iter().map(|token| token.normalised).collect();
    let mut passage = String::new();
    let mut has_mark = false;
    for token in actual {
        let is_raised = token.kind == TokenKind::Raised;
        has_mark |= is_raised;
        match is_raised {
            true => passage.extend(token.normalised.chars().map(plain)),
            false => passage.push_str(token.normalised),
        }
    }
    has_mark && quote == passage
}

/// Returns true for references in brackets such as "[12]" or "[a]", which quotes leave out.
fn is_reference(tokens: &[Token<'_>]) -> bool {
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
        return false;
    };
    let inner = tokens
        .get(1..tokens.len().saturating_sub(1))
        .unwrap_or_default();
    matches!((first.normalised, last.normalised), ("[", "]"))
        && !inner.is_empty()
        && inner.iter().all(|token| match token.kind {
            TokenKind::Number => token.normalised.chars().all(|char| char.is_ascii_digit()),
            TokenKind::Word => token.normalised.chars().count() == 1 || token.normalised == "note",
            kind => kind.is_optional_at_edge() || kind == TokenKind::Symbol,
        })
}

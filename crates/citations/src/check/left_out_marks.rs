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
            || actual.iter().all(|token| sign(token) && touches(token))
    }

    /// Returns true if only one side has the asterisks or underscores with which Markdown emphasises words.
    fn is_emphasis(&self, change: &DiffChange) -> bool {
        let is_sign = |token: &Token<'_>| matches!(token.normalised, "*" | "_");
        let beside_number = |tokens: &[Token<'_>], range: &std::ops::Range<usize>| {
            let beside = [range.start.checked_sub(1), Some(range.end)];
            let beside = beside.into_iter().flatten().filter_map(|at| tokens.get(at));
            { beside }.any(|token| matches!(token.kind, TokenKind::Number | TokenKind::Mixed))
        };
        let (tokens, range) = match change.kind {
            ChangeKind::OnlyInQuote => (&self.diff.quote, &change.quote),
            ChangeKind::OnlyInPassage => (&self.diff.passage, &change.passage),
            ChangeKind::Same | ChangeKind::Replaced => return false,
        };
        tokens[range.clone()].iter().all(is_sign) && !beside_number(tokens, range)
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

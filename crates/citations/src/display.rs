//! Results as people read them: states, words and signs, and text for HTML and XML.

use passage::ChangeKind;

use crate::check::DiffSpan;
use crate::resolve::StatusCategory;
use crate::status::VerificationStatus;

/// State of a citation as it is shown to people. It refines [`StatusCategory`]: a partial match is shown as
/// `Partly` or as `Elsewhere`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DisplayState {
    /// The quote is in the source.
    Verified,
    /// A part of the quote is in the source.
    Partly,
    /// The quote is in the source, on another page or line than cited.
    Elsewhere,
    /// The quote is not in the source, or there is no source.
    Missing,
    /// The result is not known yet.
    Pending,
}

impl DisplayState {
    /// Returns the name for style sheets.
    pub fn name(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Partly => "partly",
            Self::Elsewhere => "elsewhere",
            Self::Missing => "missing",
            Self::Pending => "pending",
        }
    }

    /// Returns a sign that distinguishes the states without colour.
    pub fn sign(self) -> char {
        match self {
            Self::Verified => '✓',
            Self::Partly => '~',
            Self::Elsewhere => '→',
            Self::Missing => '✗',
            Self::Pending => '…',
        }
    }
}

impl VerificationStatus {
    /// Returns the state that is shown for this status.
    pub fn state(&self) -> DisplayState {
        match (StatusCategory::of(self), self) {
            (StatusCategory::Verified, _) => DisplayState::Verified,
            (StatusCategory::Partial, Self::FoundOnOtherPage | Self::FoundOnOtherLine) => {
                DisplayState::Elsewhere
            }
            (StatusCategory::Partial, _) => DisplayState::Partly,
            (StatusCategory::Missed, _) => DisplayState::Missing,
            (StatusCategory::Pending, _) => DisplayState::Pending,
        }
    }

    /// Returns the status in words.
    pub fn words(&self) -> &'static str {
        match self {
            Self::Found => "verified",
            Self::FoundPhraseMissedAnchorText => "verified, its key words are not in it",
            Self::FoundOnOtherPage => "on another page",
            Self::FoundOnOtherLine => "on another line",
            Self::PartialTextFound => "partly found",
            Self::FoundAnchorTextOnly => "only its key words found",
            Self::FirstWordFound => "only its first word found",
            Self::Pending | Self::Loading | Self::Other(_) => "pending",
            Self::Skipped => "not checked: there is no document",
            Self::TimestampWip => "not checked: sound and film are not matched",
            Self::NotFound => "not found",
        }
    }
}

/// Words shown instead of [`VerificationStatus::words`] for a citation whose source does not exist.
pub const SOURCE_MISSING: &str = "source missing";

/// Escapes a text for HTML and XML, also inside of attributes. Characters that XML does not allow become
/// replacement characters.
///
/// ```
/// assert_eq!(citations::escaped("\"a\" < b\u{1}"), "&quot;a&quot; &lt; b\u{fffd}");
/// ```
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + text.len() / 16);
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' => escaped.push(char),
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => {
                escaped.push('\u{fffd}');
            }
            char => escaped.push(char),
        }
    }
    escaped
}

/// Punctuation before which no space is written.
const CLOSING: [char; 10] = [',', '.', ';', ':', '!', '?', ')', ']', '”', '%'];

/// Writes a word diff as HTML: `del` holds words of the quote only, `ins` words of the source.
///
/// Elements of the class `unseen` say the same in words, for people who do not see the markup.
pub fn difference(spans: &[DiffSpan]) -> String {
    let mut html = String::new();
    for span in spans {
        let (quote, source) = (span.quote.trim(), span.source.trim());
        let parts = match span.kind {
            ChangeKind::Same => [escaped(source), String::new()],
            _ => [
                marked("del", "only in the quote:", quote),
                marked("ins", "in the source:", source),
            ],
        };
        for part in parts.iter().filter(|part| !part.is_empty()) {
            if !html.is_empty() && !part.starts_with(CLOSING) {
                html.push(' ');
            }
            html.push_str(part);
        }
    }
    html
}

fn marked(element: &str, spoken: &str, words: &str) -> String {
    match words {
        "" => String::new(),
        words => format!(
            "<{element}><span class=\"unseen\">[{spoken} </span>{}<span class=\"unseen\">]</span></{element}>",
            escaped(words)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field_names::SdkVersion;

    #[test]
    fn a_diff_says_its_markup_in_words() {
        let span = |kind, quote: &str, source: &str| DiffSpan {
            kind,
            quote: quote.to_owned(),
            source: source.to_owned(),
        };
        let html = difference(&[
            span(ChangeKind::Same, "it was", "It was"),
            span(ChangeKind::Replaced, "3.2", "2.4"),
            span(ChangeKind::OnlyInQuote, "<metres>", ""),
            span(ChangeKind::Same, ", high", ", high"),
        ]);
        let unseen = |text: &str| format!("<span class=\"unseen\">{text}</span>");
        assert_eq!(
            html,
            format!(
                "It was <del>{quote}3.2{end}</del> <ins>{source}2.4{end}</ins> <del>{quote}&lt;metres&gt;{end}</del>, high",
                quote = unseen("[only in the quote: "),
                source = unseen("[in the source: "),
                end = unseen("]"),
            )
        );
    }

    #[test]
    fn statuses_of_both_sdk_versions_have_the_same_words() {
        for (name, state, words) in [
            ("found", DisplayState::Verified, "verified"),
            (
                "found_context_missed_source_match",
                DisplayState::Verified,
                "verified, its key words are not in it",
            ),
            (
                "found_source_match_only",
                DisplayState::Partly,
                "only its key words found",
            ),
            (
                "found_anchor_text_only",
                DisplayState::Partly,
                "only its key words found",
            ),
            (
                "found_on_other_line",
                DisplayState::Elsewhere,
                "on another line",
            ),
            ("loading", DisplayState::Pending, "pending"),
            ("nonsense", DisplayState::Pending, "pending"),
        ] {
            let status = VerificationStatus::from_name(name);
            assert_eq!((status.state(), status.words()), (state, words), "{name}");
            if name != "nonsense" {
                let again = VerificationStatus::from_name(status.name(SdkVersion::V2));
                assert_eq!(again, status);
            }
        }
    }

    #[test]
    fn states_have_different_signs() {
        let all = [
            DisplayState::Verified,
            DisplayState::Partly,
            DisplayState::Elsewhere,
            DisplayState::Missing,
            DisplayState::Pending,
        ];
        for (at, one) in all.iter().enumerate() {
            for other in &all[..at] {
                assert_ne!((one.sign(), one.name()), (other.sign(), other.name()));
                assert_ne!(one.sign(), other.sign());
            }
        }
    }
}

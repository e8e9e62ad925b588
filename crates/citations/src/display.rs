//! How results are told to people: one set of states and words everywhere, and text that markup can hold.

use passage::ChangeKind;

use crate::check::DiffSpan;
use crate::status::VerificationStatus;

/// What a status means for a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DisplayState {
    /// The words are there.
    Verified,
    /// Something of them is.
    Partly,
    /// They are there, but not where it was said.
    Elsewhere,
    /// They are not, or nobody could look.
    Missing,
    /// It is not known yet.
    Pending,
}

impl DisplayState {
    /// A name for style sheets.
    pub fn name(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Partly => "partly",
            Self::Elsewhere => "elsewhere",
            Self::Missing => "missing",
            Self::Pending => "pending",
        }
    }

    /// A sign that tells the states apart without colour.
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
    /// What the status means for a reader.
    pub fn state(&self) -> DisplayState {
        match self {
            Self::Found | Self::FoundPhraseMissedAnchorText => DisplayState::Verified,
            Self::FoundOnOtherPage | Self::FoundOnOtherLine => DisplayState::Elsewhere,
            Self::PartialTextFound | Self::FoundAnchorTextOnly | Self::FirstWordFound => {
                DisplayState::Partly
            }
            Self::Pending | Self::Loading => DisplayState::Pending,
            Self::NotFound | Self::TimestampWip | Self::Skipped | Self::Other(_) => {
                DisplayState::Missing
            }
        }
    }

    /// The status in words.
    pub fn words(&self) -> &'static str {
        match self {
            Self::Found => "verified",
            Self::FoundPhraseMissedAnchorText => "verified, its key words are not in it",
            Self::FoundOnOtherPage => "on another page",
            Self::FoundOnOtherLine => "on another line",
            Self::PartialTextFound => "partly found",
            Self::FoundAnchorTextOnly => "only its key words found",
            Self::FirstWordFound => "only its first word found",
            Self::Pending | Self::Loading => "pending",
            Self::Skipped => "not checked: there is no document",
            Self::TimestampWip => "not checked: sound and film are not matched",
            Self::NotFound | Self::Other(_) => "not found",
        }
    }
}

/// What is said instead of [`VerificationStatus::words`] when the citation names a source that is not there.
pub const SOURCE_MISSING: &str = "source missing";

/// Text as HTML and XML may hold it, also between quotation marks; what they may not hold at all is
/// shown as such.
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

/// Marks that stand close to the word before them.
const CLOSING: [char; 10] = [',', '.', ';', ':', '!', '?', ')', ']', '”', '%'];

/// How quote and source differ, as HTML: both texts in one, `del` what only the quote has, `ins` what the source
/// has. What the marks mean is said in words, too, in elements of the class `unseen`: not everybody sees marks.
pub fn difference(stretches: &[DiffSpan]) -> String {
    let mut html = String::new();
    for stretch in stretches {
        let (quote, source) = (stretch.quote.trim(), stretch.source.trim());
        let parts = match stretch.kind {
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

fn marked(element: &str, said: &str, words: &str) -> String {
    match words {
        "" => String::new(),
        words => format!(
            "<{element}><span class=\"unseen\">[{said} </span>{}<span class=\"unseen\">]</span></{element}>",
            escaped(words)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field_names::SdkVersion;

    #[test]
    fn a_difference_can_be_heard() {
        let stretch = |kind, quote: &str, source: &str| DiffSpan {
            kind,
            quote: quote.to_owned(),
            source: source.to_owned(),
        };
        let html = difference(&[
            stretch(ChangeKind::Same, "it was", "It was"),
            stretch(ChangeKind::Replaced, "3.2", "2.4"),
            stretch(ChangeKind::OnlyInQuote, "<metres>", ""),
            stretch(ChangeKind::Same, ", high", ", high"),
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
    fn both_generations_are_told_alike() {
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
            ("nonsense", DisplayState::Missing, "not found"),
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
    fn states_differ_in_more_than_colour() {
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

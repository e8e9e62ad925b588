//! Formats of texts, named in the published schemas.

use jiff::civil::{Date, DateTime};
use jiff::{Timestamp, Zoned, tz::TimeZone};

use super::color::is_color;
use super::hidden_text::find_hidden;
use super::links::is_safe_link;

/// Format of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextFormat {
    /// Any text.
    Free,
    /// Text that people read to decide, or an identifier.
    Label,
    /// Colour.
    Color,
    /// Address.
    Link,
    /// Name of an icon.
    Icon,
    /// Length in CSS notation.
    CssLength,
    /// Date, or date and time.
    Moment,
}

/// Violation of a format.
#[derive(Debug)]
pub(crate) struct FormatFault {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) expected: &'static str,
}

impl TextFormat {
    /// Returns the format of a name in a schema.
    pub(crate) fn from_name(name: Option<&str>) -> Self {
        match name {
            Some("label" | "identifier") => Self::Label,
            Some("color") => Self::Color,
            Some("link") => Self::Link,
            Some("icon") => Self::Icon,
            Some("css-length") => Self::CssLength,
            Some("moment") => Self::Moment,
            _ => Self::Free,
        }
    }

    /// Checks a text.
    pub(crate) fn check(self, text: &str) -> Result<(), FormatFault> {
        let fault = |code, message: String, expected| {
            Err(FormatFault {
                code,
                message,
                expected,
            })
        };
        match self {
            Self::Free => Ok(()),
            Self::Label => match find_hidden(text) {
                None => Ok(()),
                Some(hidden) => fault(
                    "hidden_text",
                    format!(
                        "The text contains the invisible character U+{:04X}.",
                        u32::from(hidden)
                    ),
                    "text without control, bidirectional and zero-width characters",
                ),
            },
            Self::Color if is_color(text) => Ok(()),
            Self::Color => fault(
                "invalid_color",
                "This is not a colour that is allowed here.".to_owned(),
                "#rgb, #rrggbb, a CSS colour name, rgb(…), hsl(…), oklch(…), var(--chart-N) or hsl(var(--chart-N))",
            ),
            Self::Link if is_safe_link(text) => Ok(()),
            Self::Link => fault(
                "unsafe_url",
                "This address is not allowed.".to_owned(),
                "an absolute https, http or mailto address without user name and password",
            ),
            Self::Icon if is_icon(text) => Ok(()),
            Self::Icon => fault(
                "invalid_icon",
                "This is not the name of an icon.".to_owned(),
                "a name of letters, digits, '-' and '_', or one emoji",
            ),
            Self::CssLength if is_css_length(text) => Ok(()),
            Self::CssLength => fault(
                "invalid_length",
                "This is not a length that is allowed here.".to_owned(),
                "a number with px, rem, em, vh, vw or %, or a word such as auto",
            ),
            Self::Moment if moment(text).is_some() => Ok(()),
            Self::Moment => fault(
                "invalid_date",
                "This is not a date.".to_owned(),
                "a date (2026-11-18) or date and time (2026-11-18T09:30:00Z) in ISO 8601",
            ),
        }
    }
}

/// Returns true for a name of letters, digits, `-` and `_`, or a short text without ASCII, such as an emoji.
fn is_icon(text: &str) -> bool {
    let is_name = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_');
    text.chars().all(is_name)
        || (text.chars().count() <= 8 && !text.bytes().any(|it| it.is_ascii()))
}

fn is_css_length(text: &str) -> bool {
    let digits = text.trim_end_matches(|it: char| it.is_ascii_lowercase() || it == '%');
    let unit = &text[digits.len()..];
    match digits.is_empty() {
        true => !unit.is_empty() && !unit.contains('%'),
        false => {
            let is_number = digits.bytes().all(|it| it.is_ascii_digit() || it == b'.');
            let is_finite = digits.parse().is_ok_and(|it: f64| it.is_finite());
            is_number
                && is_finite
                && matches!(
                    unit,
                    "" | "px" | "rem" | "em" | "vh" | "dvh" | "svh" | "vw" | "%"
                )
        }
    }
}

/// Reads a date, or a date and time, as seconds since 1970 for comparison. Without an offset it is read as UTC.
pub(crate) fn moment(text: &str) -> Option<i64> {
    let utc = |at: DateTime| at.to_zoned(TimeZone::UTC).ok();
    let text = text.trim();
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(at.as_second());
    }
    let zoned: Option<Zoned> = match text.contains(['T', 't', ' ']) {
        true => text.parse::<DateTime>().ok().and_then(utc),
        false => text.parse::<Date>().ok().map(DateTime::from).and_then(utc),
    };
    zoned.map(|at| at.timestamp().as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_numbers_with_units_or_words() {
        for text in ["400px", "12.5rem", "50%", "400", "auto", "full", "60vh"] {
            assert!(is_css_length(text), "{text}");
        }
        for text in [
            "expression(1)",
            "1px;x",
            "-1px",
            "url(x)",
            "1e9px",
            "1pxx",
            "%",
            "",
        ] {
            assert!(!is_css_length(text), "{text}");
        }
    }

    #[test]
    fn icons_are_names_or_emoji() {
        for text in ["download", "arrow-up_2", "📈", "👩‍💻"] {
            assert!(is_icon(text), "{text}");
        }
        for text in ["javascript:alert(1)", "a b", "<svg>", "/x.svg", "📈:"] {
            assert!(!is_icon(text), "{text}");
        }
    }

    #[test]
    fn moments_are_dates_with_or_without_time_and_offset() {
        assert_eq!(moment("1970-01-02"), Some(86_400));
        assert_eq!(moment("1970-01-01T01:00"), Some(3_600));
        assert_eq!(moment("1970-01-01T01:00:00Z"), Some(3_600));
        assert_eq!(moment("1970-01-01T01:00:00+01:00"), Some(0));
        for text in ["tomorrow", "2026-13-01", "2026-02-30", "", "18/11/2026"] {
            assert_eq!(moment(text), None, "{text}");
        }
    }
}

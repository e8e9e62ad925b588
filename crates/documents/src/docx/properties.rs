//! Properties of a DOCX: title, author, dates.

use super::xml::{XmlNode, XmlPart};
use crate::error::DocumentError;
use crate::metadata::{DocumentMetadata, MetadataDate};

/// Properties of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct DocxProperties {
    pub(super) metadata: DocumentMetadata,
    pub(super) title: Option<String>,
    pub(super) language: Option<String>,
}

impl DocxProperties {
    pub(super) fn read(mut xml: XmlPart<'_, '_, '_>) -> Result<Self, DocumentError> {
        let mut properties = Self::default();
        let metadata = &mut properties.metadata;
        loop {
            let element = match xml.next()? {
                XmlNode::Open(element) => element,
                XmlNode::End => return Ok(properties),
                XmlNode::Close | XmlNode::Text(_) => continue,
            };
            let field = match element.name() {
                "title" => &mut properties.title,
                "language" => &mut properties.language,
                "creator" => &mut metadata.author,
                "subject" => &mut metadata.subject,
                "keywords" => &mut metadata.keywords,
                "created" => {
                    metadata.created = date(xml.text()?.trim());
                    continue;
                }
                "modified" => {
                    metadata.modified = date(xml.text()?.trim());
                    continue;
                }
                _ => continue,
            };
            let text = xml.text()?;
            let words: Vec<&str> = text.split_whitespace().collect();
            let text: String = words
                .join(" ")
                .chars()
                .filter(|c| !c.is_control())
                .collect();
            *field = (!text.is_empty()).then_some(text);
        }
    }
}

/// Parses a date of RFC 3339, or only its beginning.
fn date(text: &str) -> Option<MetadataDate> {
    let (day, time) = text.split_once('T').unwrap_or((text, ""));
    let mut parts = day.splitn(3, '-').map(str::parse::<u16>);
    let year = parts.next()?.ok()?;
    let mut part = || u8::try_from(parts.next()?.ok()?).ok();
    let (month, day) = (part().unwrap_or(1), part().unwrap_or(1));
    let (clock, offset) = match time.find(['Z', '+', '-']) {
        Some(at) => time.split_at(at),
        None => (time, ""),
    };
    let mut parts = clock.splitn(3, ':').map(|part| {
        let whole = part.split('.').next().unwrap_or_default();
        whole.parse::<u8>().unwrap_or(0)
    });
    let mut part = || parts.next().unwrap_or(0);
    let (hour, minute, second) = (part(), part(), part());
    let valid = (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    valid.then(|| MetadataDate {
        year,
        month,
        day,
        hour,
        minute,
        second,
        offset: minutes(offset).unwrap_or(0),
    })
}

/// Returns the minutes of an offset such as `+05:30`.
fn minutes(offset: &str) -> Option<i16> {
    let sign = match offset.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let (hours, minutes) = offset.get(1..)?.split_once(':')?;
    let hours: i16 = hours.parse().ok().filter(|hours| (0..24).contains(hours))?;
    let minutes: i16 = minutes
        .parse()
        .ok()
        .filter(|minutes| (0..60).contains(minutes))?;
    Some(sign * (hours * 60 + minutes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_full_or_in_part() {
        for (text, expected) in [
            ("2024-03-09T07:05:01Z", Some("2024-03-09T07:05:01Z")),
            (
                "2024-03-09T07:05:01.123-03:30",
                Some("2024-03-09T07:05:01-03:30"),
            ),
            ("2024-03-09", Some("2024-03-09T00:00:00Z")),
            ("2024", Some("2024-01-01T00:00:00Z")),
            ("2024-13-09", None),
            ("2024-03-09T25:00:00Z", None),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(
                date(text).map(|date| date.to_string()).as_deref(),
                expected,
                "{text}"
            );
        }
    }
}

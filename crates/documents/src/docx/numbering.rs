//! Numbering of lists: numbers that are shown before paragraphs but are not in the text.

use std::collections::{HashMap, HashSet};

use super::styles::StyleSheet;
use super::xml::{XmlElement, XmlNode, XmlPart};
use crate::error::DocumentError;

/// Levels of a list.
const LEVELS: usize = 9;
/// Limit of numbers in letters and Roman numerals; larger ones are written in digits.
const MAX_LETTERED: u32 = 4000;

/// Format of the numbers of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum NumberFormat {
    #[default]
    Decimal,
    DecimalZero,
    Roman {
        upper: bool,
    },
    Letter {
        upper: bool,
    },
    Ordinal,
    Bullet,
    /// Unknown format.
    Other,
}

/// Level of a list.
#[derive(Debug, Clone, Default)]
struct ListLevel {
    start: Option<u32>,
    format: NumberFormat,
    /// Text with `%1` for the number of the first level, and so on.
    text: String,
    /// Level after which it restarts, from 1; 0 is never.
    restart: Option<u32>,
    /// True if the numbers of all levels are written in digits.
    is_legal: bool,
    /// Style whose paragraphs have this level.
    style: Option<String>,
}

/// Definition of a list.
#[derive(Debug, Clone, Default)]
struct AbstractNumbering {
    levels: [ListLevel; LEVELS],
    /// Style with the actual definition.
    link: Option<String>,
}

/// List that uses a definition.
#[derive(Debug, Clone, Default)]
struct ListInstance {
    abstract_id: u32,
    starts: [Option<u32>; LEVELS],
}

/// Lists of a document with their counters.
#[derive(Debug, Default)]
pub(super) struct ListNumbering {
    abstracts: HashMap<u32, AbstractNumbering>,
    lists: HashMap<u32, ListInstance>,
    /// Last numbers of the levels by definition.
    counts: HashMap<u32, [Option<u32>; LEVELS]>,
    /// Lists and levels that were begun.
    begun: HashSet<(u32, usize)>,
}

/// Marker before a paragraph of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ListMarker {
    Bullet,
    Number(String),
}

impl ListNumbering {
    pub(super) fn read(mut xml: XmlPart<'_, '_, '_>) -> Result<Self, DocumentError> {
        let mut numbering = Self::default();
        let (mut abstract_id, mut list_id, mut level, mut overridden) = (None, None, None, false);
        loop {
            let element = match xml.next()? {
                XmlNode::Open(element) if element.is_word() => element,
                XmlNode::End => return Ok(numbering),
                _ => continue,
            };
            let number =
                |name: &str| -> Option<u32> { element.attribute(name)?.trim().parse().ok() };
            match element.name() {
                "abstractNum" => {
                    abstract_id = number("abstractNumId");
                    list_id = None;
                    if let Some(id) = abstract_id {
                        numbering.abstracts.insert(id, AbstractNumbering::default());
                    }
                }
                "num" => {
                    (list_id, abstract_id) = (number("numId"), None);
                    if let Some(id) = list_id {
                        numbering.lists.insert(id, ListInstance::default());
                    }
                }
                "abstractNumId" => {
                    if let Some(list) = list_id.and_then(|id| numbering.lists.get_mut(&id)) {
                        list.abstract_id = element.number().unwrap_or(u32::MAX);
                    }
                }
                "lvlOverride" => (level, overridden) = (number("ilvl"), true),
                "startOverride" if overridden => {
                    let list = list_id.and_then(|id| numbering.lists.get_mut(&id));
                    let at = level.and_then(|level| usize::try_from(level).ok());
                    if let (Some(list), Some(at)) = (list, at)
                        && let Some(start) = list.starts.get_mut(at)
                    {
                        *start = element.number();
                    }
                }
                "lvl" => (level, overridden) = (number("ilvl"), false),
                "numStyleLink" => {
                    if let Some(list) = abstract_id.and_then(|id| numbering.abstracts.get_mut(&id))
                    {
                        list.link = element.value().map(|style| style.into_owned());
                    }
                }
                _ => {
                    let list = abstract_id.and_then(|id| numbering.abstracts.get_mut(&id));
                    let at = level.and_then(|level| usize::try_from(level).ok());
                    if let (Some(list), Some(at)) = (list, at)
                        && let Some(level) = list.levels.get_mut(at)
                    {
                        level.take(&element);
                    }
                }
            }
        }
    }

    /// Counts a paragraph of a list. Returns its marker, if it is known.
    pub(super) fn count(
        &mut self,
        list_id: u32,
        level: Option<u32>,
        style: Option<&str>,
        styles: &StyleSheet,
    ) -> Option<ListMarker> {
        let list = self.lists.get(&list_id)?;
        let mut abstract_id = list.abstract_id;
        if let Some(link) = &self.abstracts.get(&abstract_id)?.link {
            let linked = self.lists.get(&styles.list_of(link)?)?;
            abstract_id = linked.abstract_id;
        }
        let levels = &self.abstracts.get(&abstract_id)?.levels;
        let of_style = || {
            levels
                .iter()
                .position(|level| level.style.as_deref() == style)
        };
        let at = match level {
            Some(level) => usize::try_from(level).ok()?,
            None => style.and_then(|_| of_style()).unwrap_or(0),
        };
        let counted = levels.get(at)?;
        if counted.format == NumberFormat::Bullet {
            return Some(ListMarker::Bullet);
        }
        let counts = self.counts.entry(abstract_id).or_default();
        if self.begun.insert((list_id, at)) && list.starts[at].is_some() {
            counts[at] = None;
        }
        let start = list.starts[at].or(counted.start).unwrap_or(1);
        counts[at] = Some(counts[at].map_or(start, |last| last.saturating_add(1)));
        // A level restarts after one above it was counted.
        for (below, level) in levels.iter().enumerate().skip(at + 1) {
            let after = level.restart.map_or(below, |restart| restart as usize);
            if at < after {
                counts[below] = None;
            }
        }
        format_number(levels, at, counts).map(ListMarker::Number)
    }
}

/// Returns the number of a paragraph as its level writes it.
fn format_number(
    levels: &[ListLevel; LEVELS],
    at: usize,
    counts: &[Option<u32>; LEVELS],
) -> Option<String> {
    let counted = &levels[at];
    let mut out = String::new();
    let mut rest = counted.text.as_str();
    while let Some(percent) = rest.find('%') {
        out.push_str(&rest[..percent]);
        rest = &rest[percent + 1..];
        let digit = rest.chars().next().and_then(|c| c.to_digit(10));
        let Some(which @ 1..=9) = digit else {
            out.push('%');
            continue;
        };
        rest = &rest[1..];
        let which = which as usize - 1;
        let number = counts[which].or(levels[which].start).unwrap_or(1);
        let format = match counted.is_legal {
            true => NumberFormat::Decimal,
            false => levels[which].format,
        };
        out.push_str(&format.write(number)?);
    }
    out.push_str(rest);
    let out = out.trim();
    (!out.is_empty()).then(|| out.to_owned())
}

impl ListLevel {
    fn take(&mut self, element: &XmlElement<'_>) {
        match element.name() {
            "start" => self.start = element.number(),
            "lvlText" => {
                self.text = element
                    .value()
                    .unwrap_or_default()
                    .chars()
                    .take(64)
                    .collect();
            }
            "lvlRestart" => self.restart = element.number(),
            "isLgl" => self.is_legal = element.is_on(),
            "pStyle" => self.style = element.value().map(|style| style.into_owned()),
            "numFmt" => {
                self.format = match element.value().as_deref() {
                    None | Some("decimal" | "none") => NumberFormat::Decimal,
                    Some("decimalZero") => NumberFormat::DecimalZero,
                    Some("upperRoman") => NumberFormat::Roman { upper: true },
                    Some("lowerRoman") => NumberFormat::Roman { upper: false },
                    Some("upperLetter") => NumberFormat::Letter { upper: true },
                    Some("lowerLetter") => NumberFormat::Letter { upper: false },
                    Some("ordinal") => NumberFormat::Ordinal,
                    Some("bullet") => NumberFormat::Bullet,
                    Some(_) => NumberFormat::Other,
                };
            }
            _ => {}
        }
    }
}

impl NumberFormat {
    fn write(self, number: u32) -> Option<String> {
        let cased = |text: String, upper: bool| match upper {
            true => text.to_uppercase(),
            false => text,
        };
        Some(match self {
            Self::Roman { upper } if (1..MAX_LETTERED).contains(&number) => {
                cased(passage::format_roman(number), upper)
            }
            Self::Letter { upper } if (1..MAX_LETTERED).contains(&number) => {
                cased(letters(number), upper)
            }
            Self::Decimal | Self::Roman { .. } | Self::Letter { .. } => number.to_string(),
            Self::DecimalZero => format!("{number:02}"),
            Self::Ordinal => {
                let ending = match (number % 10, number % 100) {
                    (1..=3, 11..=13) => "th",
                    (1, _) => "st",
                    (2, _) => "nd",
                    (3, _) => "rd",
                    _ => "th",
                };
                format!("{number}{ending}")
            }
            Self::Bullet => String::new(),
            Self::Other => return None,
        })
    }
}

/// Returns a to z, then aa to zz and so on, repeating the same letter.
fn letters(number: u32) -> String {
    let letter = char::from(b'a' + ((number - 1) % 26) as u8);
    std::iter::repeat_n(letter, 1 + (number as usize - 1) / 26).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted() {
        for (format, number, written) in [
            (NumberFormat::Decimal, 12, "12"),
            (NumberFormat::DecimalZero, 7, "07"),
            (NumberFormat::Roman { upper: true }, 1994, "MCMXCIV"),
            (NumberFormat::Roman { upper: false }, 4, "iv"),
            (NumberFormat::Roman { upper: false }, 0, "0"),
            (NumberFormat::Letter { upper: false }, 26, "z"),
            (NumberFormat::Letter { upper: true }, 28, "BB"),
            (NumberFormat::Letter { upper: true }, 4_000_000, "4000000"),
            (NumberFormat::Ordinal, 22, "22nd"),
            (NumberFormat::Ordinal, 112, "112th"),
        ] {
            assert_eq!(format.write(number).as_deref(), Some(written));
        }
        assert_eq!(NumberFormat::Other.write(1), None);
    }
}

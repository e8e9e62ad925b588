//! Pictures that are asked for, and those that are made.

use documents::PageBox;
use evidence::{Format, Marks, State, Style, Theme, View};

/// A picture that is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// What it shows.
    pub shown: Shown,
    /// How it looks.
    pub style: Style,
    /// What it is written as.
    pub format: Format,
    /// Whether shades that are hardly seen are left out, for a small file.
    pub coarse: bool,
}

/// What a picture shows; see [`View`].
#[derive(Debug, Clone, PartialEq)]
pub enum Shown {
    /// A page.
    Page {
        /// Which, from 1.
        number: u32,
        /// What is marked on it.
        marks: Vec<Marks>,
    },
    /// What is around a passage.
    Strip {
        /// The passage.
        marks: Marks,
    },
}

/// A picture as a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// How wide it is, in pixels.
    pub width: u32,
    /// How high it is, in pixels.
    pub height: u32,
    /// What it is written as.
    pub format: Format,
    /// The file.
    pub bytes: Vec<u8>,
}

impl Shown {
    /// The same for drawing.
    pub fn view(&self) -> View<'_> {
        match self {
            Self::Page { number, marks } => View::Page {
                number: *number,
                marks,
            },
            Self::Strip { marks } => View::Strip { marks },
        }
    }
}

const STATES: [State; 3] = [State::Exact, State::Partial, State::Missed];
const FORMATS: [Format; 4] = [Format::Png, Format::WebP, Format::Avif, Format::Jpeg];

impl Wanted {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        // All by name: what is new must be sent along.
        let Style {
            dpi,
            scale,
            theme,
            spotlight,
            padding,
        } = self.style;
        let at = FORMATS.iter().position(|format| *format == self.format);
        out.extend([
            at.unwrap_or_default() as u8,
            u8::from(theme == Theme::Dark),
            u8::from(spotlight),
            u8::from(self.coarse),
        ]);
        out.extend(dpi.to_le_bytes());
        out.extend(scale.to_le_bytes());
        out.extend(padding.to_le_bytes());
        let (number, marks) = match &self.shown {
            Shown::Page { number, marks } => (*number, marks.as_slice()),
            Shown::Strip { marks } => (0, std::slice::from_ref(marks)),
        };
        out.extend(number.to_le_bytes());
        for Marks {
            state,
            phrase,
            anchor,
            rows,
        } in marks
        {
            let at = STATES.iter().position(|other| other == state);
            out.push(at.unwrap_or_default() as u8);
            for boxes in [phrase, anchor, rows] {
                out.extend((boxes.len() as u32).to_le_bytes());
                for part in boxes {
                    out.extend(part.page.to_le_bytes());
                    for length in [part.x, part.y, part.width, part.height] {
                        out.extend(length.to_le_bytes());
                    }
                }
            }
        }
        out
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let format = *FORMATS.get(usize::from(byte(&mut rest)?))?;
        let theme = match byte(&mut rest)? {
            0 => Theme::Light,
            _ => Theme::Dark,
        };
        let spotlight = byte(&mut rest)? != 0;
        let coarse = byte(&mut rest)? != 0;
        let style = Style {
            dpi: float(&mut rest)?,
            scale: float(&mut rest)?,
            theme,
            spotlight,
            padding: number(&mut rest)?,
        };
        let page = number(&mut rest)?;
        let mut all = Vec::new();
        while !rest.is_empty() {
            all.push(Marks {
                state: *STATES.get(usize::from(byte(&mut rest)?))?,
                phrase: boxes(&mut rest)?,
                anchor: boxes(&mut rest)?,
                rows: boxes(&mut rest)?,
            });
        }
        let shown = match page {
            0 => Shown::Strip { marks: all.pop()? },
            number => Shown::Page { number, marks: all },
        };
        Some(Self {
            shown,
            style,
            format,
            coarse,
        })
    }
}

fn byte(rest: &mut &[u8]) -> Option<u8> {
    let (first, others) = rest.split_first()?;
    *rest = others;
    Some(*first)
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    let (first, others) = rest.split_first_chunk::<4>()?;
    *rest = others;
    Some(u32::from_le_bytes(*first))
}

fn float(rest: &mut &[u8]) -> Option<f32> {
    number(rest).map(f32::from_bits)
}

fn boxes(rest: &mut &[u8]) -> Option<Vec<PageBox>> {
    let count = number(rest)?;
    let mut boxes = Vec::new();
    for _ in 0..count {
        boxes.push(PageBox {
            page: number(rest)?,
            x: float(rest)?,
            y: float(rest)?,
            width: float(rest)?,
            height: float(rest)?,
        });
    }
    Some(boxes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_arrives_as_it_was_sent() {
        let part = |page| PageBox {
            page,
            x: 1.5,
            y: -2.0,
            width: 30.25,
            height: 12.0,
        };
        let marks = Marks {
            state: State::Partial,
            phrase: vec![part(1), part(2)],
            anchor: vec![part(2)],
            rows: vec![part(1), part(2), part(2)],
        };
        let style = Style {
            dpi: 72.0,
            scale: 2.0,
            theme: Theme::Dark,
            spotlight: true,
            padding: 7,
        };
        let strip = Shown::Strip {
            marks: marks.clone(),
        };
        let page = Shown::Page {
            number: 9,
            marks: vec![marks.clone(), Marks::default(), marks],
        };
        for shown in [strip, page] {
            for format in FORMATS {
                let wanted = Wanted {
                    shown: shown.clone(),
                    style,
                    format,
                    coarse: format == Format::WebP,
                };
                let bytes = wanted.to_bytes();
                assert_eq!(Wanted::from_bytes(&bytes), Some(wanted.clone()));
                for end in 0..bytes.len() {
                    assert_ne!(Wanted::from_bytes(&bytes[..end]), Some(wanted.clone()));
                }
            }
        }
    }
}

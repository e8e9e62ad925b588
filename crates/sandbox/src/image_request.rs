//! Requests for pictures, and rendered pictures.

use documents::PageBox;
use rendering::{Highlight, HighlightState, ImageFormat, ImageTheme, PageView, RenderStyle};

/// Request for a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct ImageRequest {
    /// Part of the document to show.
    pub shown: RequestedView,
    /// Appearance.
    pub style: RenderStyle,
    /// Format of the file.
    pub format: ImageFormat,
    /// True to reduce the number of shades, for a small file.
    pub coarse: bool,
}

/// Part of a document to show; see [`PageView`].
#[derive(Debug, Clone, PartialEq)]
pub enum RequestedView {
    /// Whole page.
    Page {
        /// Page, from 1.
        number: u32,
        /// Highlights.
        marks: Vec<Highlight>,
    },
    /// Crop around a passage.
    Strip {
        /// Passage.
        marks: Highlight,
    },
}

/// Rendered picture as a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageImageFile {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Format of the file.
    pub format: ImageFormat,
    /// Content of the file.
    pub bytes: Vec<u8>,
}

impl RequestedView {
    /// Returns the view for the renderer.
    pub fn view(&self) -> PageView<'_> {
        match self {
            Self::Page { number, marks } => PageView::Page {
                number: *number,
                marks,
            },
            Self::Strip { marks } => PageView::Strip { marks },
        }
    }
}

const STATES: [HighlightState; 3] = [
    HighlightState::Exact,
    HighlightState::Partial,
    HighlightState::Missed,
];
const FORMATS: [ImageFormat; 4] = [
    ImageFormat::Png,
    ImageFormat::WebP,
    ImageFormat::Avif,
    ImageFormat::Jpeg,
];

impl ImageRequest {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        // The pattern names every field, so that a new one cannot be forgotten.
        let RenderStyle {
            dpi,
            scale,
            theme,
            spotlight,
            padding,
        } = self.style;
        let at = FORMATS.iter().position(|format| *format == self.format);
        out.extend([
            at.unwrap_or_default() as u8,
            u8::from(theme == ImageTheme::Dark),
            u8::from(spotlight),
            u8::from(self.coarse),
        ]);
        out.extend(dpi.to_le_bytes());
        out.extend(scale.to_le_bytes());
        out.extend(padding.to_le_bytes());
        let (number, marks) = match &self.shown {
            RequestedView::Page { number, marks } => (*number, marks.as_slice()),
            RequestedView::Strip { marks } => (0, std::slice::from_ref(marks)),
        };
        out.extend(number.to_le_bytes());
        for Highlight {
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
            0 => ImageTheme::Light,
            _ => ImageTheme::Dark,
        };
        let spotlight = byte(&mut rest)? != 0;
        let coarse = byte(&mut rest)? != 0;
        let style = RenderStyle {
            dpi: float(&mut rest)?,
            scale: float(&mut rest)?,
            theme,
            spotlight,
            padding: number(&mut rest)?,
        };
        let page = number(&mut rest)?;
        let mut all = Vec::new();
        while !rest.is_empty() {
            all.push(Highlight {
                state: *STATES.get(usize::from(byte(&mut rest)?))?,
                phrase: boxes(&mut rest)?,
                anchor: boxes(&mut rest)?,
                rows: boxes(&mut rest)?,
            });
        }
        let shown = match page {
            0 => RequestedView::Strip { marks: all.pop()? },
            number => RequestedView::Page { number, marks: all },
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
        let marks = Highlight {
            state: HighlightState::Partial,
            phrase: vec![part(1), part(2)],
            anchor: vec![part(2)],
            rows: vec![part(1), part(2), part(2)],
        };
        let style = RenderStyle {
            dpi: 72.0,
            scale: 2.0,
            theme: ImageTheme::Dark,
            spotlight: true,
            padding: 7,
        };
        let strip = RequestedView::Strip {
            marks: marks.clone(),
        };
        let page = RequestedView::Page {
            number: 9,
            marks: vec![marks.clone(), Highlight::default(), marks],
        };
        for shown in [strip, page] {
            for format in FORMATS {
                let wanted = ImageRequest {
                    shown: shown.clone(),
                    style,
                    format,
                    coarse: format == ImageFormat::WebP,
                };
                let bytes = wanted.to_bytes();
                assert_eq!(ImageRequest::from_bytes(&bytes), Some(wanted.clone()));
                for end in 0..bytes.len() {
                    assert_ne!(
                        ImageRequest::from_bytes(&bytes[..end]),
                        Some(wanted.clone())
                    );
                }
            }
        }
    }
}

//! Fonts of the layout, and the widths of letters in them.

use std::sync::OnceLock;

use harfrust::{Buffer, Direction, ShapeOptions, ShaperFont};
use skrifa::charmap::Charmap;
use skrifa::instance::{LocationRef, Size};
use skrifa::metrics::GlyphMetrics;
use skrifa::{FontRef, MetadataProvider};

use super::sketch::FontFace;

/// Font of the layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LayoutFont(u8);

/// Glyph of a font with its position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlacedGlyph {
    /// Number in the font.
    pub id: u16,
    /// Distance to the right of the origin of the text, in points.
    pub x: f32,
    /// Distance above the baseline, in points.
    pub y: f32,
}

const FONTS: [&[u8]; 11] = [
    include_bytes!("../../fonts/serif-Regular.ttf"),
    include_bytes!("../../fonts/serif-Bold.ttf"),
    include_bytes!("../../fonts/serif-Italic.ttf"),
    include_bytes!("../../fonts/serif-BoldItalic.ttf"),
    include_bytes!("../../fonts/mono-Regular.ttf"),
    include_bytes!("../../fonts/mono-Bold.ttf"),
    include_bytes!("../../fonts/arabic.ttf"),
    include_bytes!("../../fonts/hebrew.ttf"),
    include_bytes!("../../fonts/wide.otf"),
    include_bytes!("../../fonts/math.ttf"),
    include_bytes!("../../fonts/symbols.ttf"),
];
/// Number of fonts that a style can ask for. The others provide characters that these lack.
const STYLES: usize = 6;
/// Marker of characters that no font has.
const MISSING: LayoutFont = LayoutFont(u8::MAX);
/// Marker of invisible characters.
const INVISIBLE: LayoutFont = LayoutFont(u8::MAX - 1);

impl LayoutFont {
    /// Returns the font file, TrueType or OpenType.
    pub fn data(self) -> &'static [u8] {
        FONTS.get(usize::from(self.0)).copied().unwrap_or(FONTS[0])
    }

    /// Returns all fonts.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..FONTS.len() as u8).map(Self)
    }

    /// Returns the font for a style.
    pub(super) fn of(face: FontFace) -> Self {
        Self(match (face.mono, face.bold, face.italic) {
            (true, bold, _) => 4 + u8::from(bold),
            (false, bold, italic) => u8::from(bold) + 2 * u8::from(italic),
        })
    }

    /// Returns true if no font has the letters.
    pub(super) fn is_missing(self) -> bool {
        self == MISSING
    }

    /// Returns true if the letters are invisible.
    pub(super) fn is_invisible(self) -> bool {
        self == INVISIBLE
    }
}

/// Character in a font.
#[derive(Debug, Clone, Copy)]
pub(super) struct FontLetter {
    /// Width in em.
    pub(super) advance: f32,
    pub(super) glyph: u16,
    pub(super) font: LayoutFont,
}

struct ParsedFont {
    letters: Charmap<'static>,
    metrics: GlyphMetrics<'static>,
}

fn parsed() -> &'static [ParsedFont] {
    static PARSED: OnceLock<Vec<ParsedFont>> = OnceLock::new();
    PARSED.get_or_init(|| {
        let fonts = FONTS.iter().filter_map(|data| FontRef::new(data).ok());
        fonts
            .map(|font| ParsedFont {
                letters: font.charmap(),
                metrics: font.glyph_metrics(Size::new(1.0), LocationRef::default()),
            })
            .collect()
    })
}

type Letters = [FontLetter; 256];

/// Returns the glyph of a character in a font, or in one that replaces it.
pub(super) fn letter(asked: LayoutFont, c: char) -> FontLetter {
    static TABLES: [[OnceLock<Box<Letters>>; 256]; STYLES] =
        [const { [const { OnceLock::new() }; 256] }; STYLES];
    let (page, at) = (c as usize >> 8, c as usize & 255);
    match TABLES[usize::from(asked.0) % STYLES].get(page) {
        Some(table) => {
            let letters = table.get_or_init(|| {
                let first = page << 8;
                Box::new(std::array::from_fn(|at| {
                    let c = char::from_u32((first + at) as u32).unwrap_or('\u{fffd}');
                    look_up(asked, c)
                }))
            });
            letters[at]
        }
        None => look_up(asked, c),
    }
}

fn look_up(asked: LayoutFont, c: char) -> FontLetter {
    if is_invisible(c) {
        return FontLetter {
            advance: 0.0,
            glyph: 0,
            font: INVISIBLE,
        };
    }
    let fonts = parsed();
    let order = std::iter::once(asked.0)
        .chain([0])
        .chain(STYLES as u8..FONTS.len() as u8);
    for font in order {
        let Some(parsed) = fonts.get(usize::from(font)) else {
            continue;
        };
        if let Some(glyph) = parsed.letters.map(c) {
            return FontLetter {
                advance: parsed.metrics.advance_width(glyph).unwrap_or(0.5),
                glyph: u16::try_from(glyph.to_u32()).unwrap_or(0),
                font: LayoutFont(font),
            };
        }
    }
    FontLetter {
        advance: if is_wide(c) { 1.0 } else { 0.6 },
        glyph: 0,
        font: MISSING,
    }
}

/// Returns true for characters that only control the layout of others.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns true for characters that are as wide as high, and beside which lines may be broken.
pub(super) fn is_wide(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{303e}' | '\u{3041}'..='\u{a4cf}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff01}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}' | '\u{20000}'..='\u{3fffd}')
}

/// Returns true for characters that change or move the letters around them.
pub(super) fn is_shaped(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5c7}' | '\u{600}'..='\u{8ff}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe20}'..='\u{fe2f}' | '\u{fe70}'..='\u{fefe}')
}

/// Shapes text of one font and direction. Returns its glyphs from left to right, and its width.
pub(super) fn shape(
    font: LayoutFont,
    text: &str,
    is_rtl: bool,
    size: f32,
) -> (Vec<PlacedGlyph>, f32) {
    static FACES: OnceLock<Vec<harfrust::Font>> = OnceLock::new();
    let faces = FACES.get_or_init(|| {
        let faces = FONTS
            .iter()
            .filter_map(|data| harfrust::Font::new(*data, 0));
        faces.collect()
    });
    let Some(face) = faces.get(usize::from(font.0)) else {
        return (Vec::new(), 0.0);
    };
    let mut buffer = Buffer::new();
    buffer.push_str(text);
    buffer.guess_segment_properties();
    buffer.set_direction(match is_rtl {
        true => Direction::RightToLeft,
        false => Direction::LeftToRight,
    });
    if harfrust::shape(&ShaperFont::new(face), &mut buffer, ShapeOptions::default()).is_err() {
        return (Vec::new(), 0.0);
    }
    let scale = size / f32::from(face.units_per_em().max(1));
    let mut x = 0;
    let mut glyphs = Vec::with_capacity(buffer.len());
    for (glyph, place) in buffer.glyph_infos().iter().zip(buffer.glyph_positions()) {
        glyphs.push(PlacedGlyph {
            id: u16::try_from(glyph.glyph_id).unwrap_or(0),
            x: (x + place.x_offset) as f32 * scale,
            y: place.y_offset as f32 * scale,
        });
        x += place.x_advance;
    }
    (glyphs, x as f32 * scale)
}

//! Fonts: text of character codes, widths and heights of glyphs.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use hayro_cmap::{BfString, CMap, CMapName, CharacterCollection, CidFamily};
use hayro_font::{CMapResolverFn, FontCache, FontGlyph, FontQuery, FontResolverFn, StandardFont};
use hayro_syntax::object::{Array, Dict, Name, Object, Rect, Stream, String as PdfString};
use unicode_normalization::UnicodeNormalization;

use super::bounded_streams::{StreamTooLarge, check_size};
use super::glyph_names::named_by_code;

/// Text and width of a character code.
#[derive(Debug, Clone)]
pub(super) struct GlyphCode {
    /// Text with ligatures expanded; empty if it is unknown.
    pub(super) text: Box<str>,
    /// Advance along the line in em; downwards for vertical fonts.
    pub(super) advance: f32,
}

/// Font of a PDF.
pub(super) struct PdfFont<'a> {
    /// Number of the font in its file.
    pub(super) number: u32,
    font: hayro_font::Font<'a>,
    /// Character collection, for fonts without their own mapping to text.
    collection: Option<Rc<CidCollection>>,
    /// Characters of codes with unusual glyph names.
    named: HashMap<u32, char>,
    /// True if lines of the font run from top to bottom.
    pub(super) vertical: bool,
    /// Height above the baseline in em.
    pub(super) ascent: f32,
    /// Depth below the baseline in em; negative.
    pub(super) descent: f32,
    /// Size of an em relative to the font size of the text.
    pub(super) em: f32,
    /// True if the glyphs are drawn upside down and set with a mirrored matrix.
    pub(super) mirrored: bool,
    /// True if the name of the font contains "bold".
    pub(super) bold: bool,
    codes: std::cell::RefCell<HashMap<u32, Rc<GlyphCode>>>,
}

impl PdfFont<'_> {
    /// Returns the next code of a string and its length in bytes. The string must not be empty.
    pub(super) fn next_code(&self, text: &[u8]) -> (u32, usize) {
        self.font.read_code(text, 0)
    }

    /// Returns the text and width of a code.
    pub(super) fn code(&self, code: u32) -> Rc<GlyphCode> {
        if let Some(known) = self.codes.borrow().get(&code) {
            return Rc::clone(known);
        }
        let advance = self.font.code_advance(code);
        let advance = if self.vertical { -advance.y } else { advance.x };
        let shown = match self.font.glyph(self.font.map_code(code), code) {
            FontGlyph::Outline(glyph) => glyph.as_unicode(),
            FontGlyph::Type3(glyph) => glyph.as_unicode(),
        };
        let shown = shown
            .or_else(|| self.collection.as_ref()?.text(code))
            .or_else(|| Some(BfString::Char(*self.named.get(&code)?)));
        let code_shown = Rc::new(GlyphCode {
            text: clean_text(shown),
            advance: advance as f32 / hayro_font::UNITS_PER_EM,
        });
        self.codes.borrow_mut().insert(code, Rc::clone(&code_shown));
        code_shown
    }
}

/// Returns the text of a glyph without control characters, with ligatures and presentation forms
/// expanded.
fn clean_text(shown: Option<BfString>) -> Box<str> {
    let text = match shown {
        Some(BfString::Char(c)) if c.is_ascii_graphic() || c == ' ' => return c.to_string().into(),
        Some(BfString::Char(c)) => c.to_string(),
        Some(BfString::String(text)) => text,
        None => return Box::default(),
    };
    let mut letters = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{fb00}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' => {
                letters.extend([c].into_iter().nfkc());
            }
            c if c.is_whitespace() => letters.push(' '),
            '\u{fffd}' | '\u{feff}' => {}
            c if c.is_control() => {}
            c => letters.push(c),
        }
    }
    letters.into()
}

/// Standard character collection with known codes.
struct CidCollection {
    encoding: CMap,
    letters: CMap,
}

impl CidCollection {
    /// Returns the collection of a font that has no mapping to text in the file.
    fn of_font(dict: &Dict<'_>) -> Option<Self> {
        let encoding = match dict.get::<Object<'_>>("Encoding")? {
            Object::Name(name) => match CMapName::from_bytes(&name) {
                CMapName::IdentityH => CMap::identity_h(),
                CMapName::IdentityV => CMap::identity_v(),
                name => CMap::parse(hayro_cmap::load_embedded(name)?, hayro_cmap::load_embedded)?,
            },
            Object::Stream(stream) => {
                CMap::parse(&stream.decoded_data().ok()?, hayro_cmap::load_embedded)?
            }
            _ => return None,
        };
        let descendant = dict.get::<Array<'_>>("DescendantFonts")?;
        let descendant = descendant.iter::<Dict<'_>>().next()?;
        let family = match &encoding.metadata().character_collection {
            Some(CharacterCollection { family, .. }) if *family != CidFamily::AdobeIdentity => {
                family.clone()
            }
            _ => {
                let system = descendant.get::<Dict<'_>>("CIDSystemInfo")?;
                CidFamily::from_registry_ordering(
                    &system.get::<PdfString<'_>>("Registry")?,
                    &system.get::<PdfString<'_>>("Ordering")?,
                )
            }
        };
        let letters = hayro_cmap::load_embedded(family.ucs2_cmap()?)?;
        Some(Self {
            encoding,
            letters: CMap::parse(letters, hayro_cmap::load_embedded)?,
        })
    }

    fn text(&self, code: u32) -> Option<BfString> {
        let id = (1..=4).find_map(|size| self.encoding.lookup_cid_code(code, size))?;
        self.letters.lookup_bf_string(id)
    }
}

/// Cache of the fonts of a file.
pub(super) struct PdfFontCache<'a> {
    cache: FontCache<'a>,
    font_resolver: FontResolverFn,
    cmap_resolver: CMapResolverFn,
    /// Fonts by the position of their dictionaries in the file, because inline dictionaries have no
    /// object number.
    known: HashMap<(usize, usize), Option<Rc<PdfFont<'a>>>>,
    fallback: Option<Rc<PdfFont<'a>>>,
    room: usize,
}

impl<'a> PdfFontCache<'a> {
    pub(super) fn new(room: usize) -> Self {
        Self {
            cache: FontCache::new(),
            font_resolver: Arc::new(|query| match query {
                FontQuery::Standard(font) => Some(font.get_font_data()),
                FontQuery::Fallback(font) => Some(font.pick_standard_font().get_font_data()),
            }),
            cmap_resolver: Arc::new(hayro_cmap::load_embedded),
            known: HashMap::new(),
            fallback: None,
            room,
        }
    }

    /// Returns the font of a dictionary, or a replacement.
    pub(super) fn font(
        &mut self,
        dict: &Dict<'a>,
    ) -> Result<Option<Rc<PdfFont<'a>>>, StreamTooLarge> {
        let place = (dict.data().as_ptr().addr(), dict.data().len());
        if let Some(known) = self.known.get(&place) {
            return Ok(known.clone());
        }
        check_streams(dict, self.room)?;
        let number = self.known.len() as u32 + 1;
        let font = self
            .cache
            .font(dict, &self.font_resolver, &self.cmap_resolver)
            .map(|font| Rc::new(loaded(font, dict, number)))
            .or_else(|| self.fallback());
        self.known.insert(place, font.clone());
        Ok(font)
    }

    /// Returns the font for text without a font.
    pub(super) fn fallback(&mut self) -> Option<Rc<PdfFont<'a>>> {
        if self.fallback.is_none() {
            let font = self
                .cache
                .standard_font(StandardFont::Helvetica, &self.font_resolver)?;
            self.fallback = Some(Rc::new(loaded(font, &Dict::default(), 0)));
        }
        self.fallback.clone()
    }
}

/// Checks that all streams that the parser reads for a font are within the limit.
fn check_streams(dict: &Dict<'_>, room: usize) -> Result<(), StreamTooLarge> {
    let check_key = |dict: &Dict<'_>, key: &str| match dict.get::<Stream<'_>>(key) {
        Some(stream) => check_size(&stream, room),
        None => Ok(()),
    };
    let descendant = dict
        .get::<Array<'_>>("DescendantFonts")
        .and_then(|fonts| fonts.iter::<Dict<'_>>().next());
    for dict in [Some(dict), descendant.as_ref()].into_iter().flatten() {
        for key in ["ToUnicode", "Encoding", "CIDToGIDMap"] {
            check_key(dict, key)?;
        }
        if let Some(descriptor) = dict.get::<Dict<'_>>("FontDescriptor") {
            for key in ["FontFile", "FontFile2", "FontFile3"] {
                check_key(&descriptor, key)?;
            }
        }
    }
    Ok(())
}

fn loaded<'a>(font: hayro_font::Font<'a>, dict: &Dict<'a>, number: u32) -> PdfFont<'a> {
    let GlyphHeights {
        ascent,
        descent,
        em,
    } = GlyphHeights::of_font(dict);
    let drawn = dict.get::<[f32; 6]>("FontMatrix");
    let is_named = dict.contains_key("ToUnicode") || !dict.contains_key("DescendantFonts");
    PdfFont {
        number,
        vertical: !font.is_horizontal(),
        collection: if is_named {
            None
        } else {
            CidCollection::of_font(dict).map(Rc::new)
        },
        named: named_by_code(dict),
        ascent,
        descent,
        em,
        mirrored: drawn.is_some_and(|[a, b, c, d, ..]| a * d - b * c < 0.0),
        bold: is_bold(dict),
        font,
        codes: std::cell::RefCell::default(),
    }
}

fn is_bold(dict: &Dict<'_>) -> bool {
    let name = dict.get::<Name<'_>>("BaseFont");
    let name = name.as_ref().map_or("", |name| name.as_str());
    ["Bold", "Black", "Heavy", "CMBX", "-Bd"]
        .iter()
        .any(|part| name.contains(part))
}

/// Heights of the glyphs of a font.
#[derive(Debug, Clone, Copy, PartialEq)]
struct GlyphHeights {
    /// Height above the baseline in em.
    ascent: f32,
    /// Depth below the baseline in em; negative.
    descent: f32,
    /// Size of an em relative to the font size of the text.
    em: f32,
}

/// Heights for fonts without plausible values.
const DEFAULT_HEIGHTS: GlyphHeights = GlyphHeights {
    ascent: 0.95,
    descent: -0.35,
    em: 1.0,
};

/// Heights of the standard fonts by prefix of their names, from their metrics.
const STANDARD_HEIGHTS: &[(&str, f32, f32)] = &[
    ("Courier", 0.629, -0.157),
    ("Helvetica", 0.718, -0.207),
    ("Arial", 0.718, -0.207),
    ("Times", 0.683, -0.217),
    ("Symbol", 1.010, -0.293),
    ("ZapfDingbats", 0.820, -0.143),
];

impl GlyphHeights {
    fn of_font(dict: &Dict<'_>) -> Self {
        if dict.get::<Name<'_>>("Subtype").as_deref() == Some(b"Type3") {
            return Self::of_drawings(dict);
        }
        let descendant = dict
            .get::<Array<'_>>("DescendantFonts")
            .and_then(|fonts| fonts.iter::<Dict<'_>>().next());
        let described = descendant.as_ref().unwrap_or(dict);
        let descriptor = described
            .get::<Dict<'_>>("FontDescriptor")
            .unwrap_or_default();
        let is_embedded = ["FontFile", "FontFile2", "FontFile3"]
            .iter()
            .any(|key| descriptor.contains_key(key));
        let name = dict.get::<Name<'_>>("BaseFont");
        let name = name.as_ref().map_or("Helvetica", |name| name.as_str());
        let standard = STANDARD_HEIGHTS
            .iter()
            .find(|(start, ..)| name.starts_with(start));
        if let Some((_, ascent, descent)) = standard
            && !is_embedded
        {
            return Self {
                ascent: *ascent,
                descent: *descent,
                em: 1.0,
            };
        }
        // Values of descriptors may be missing, zero or absurd.
        let stated = |key: &str| Some(descriptor.get::<f32>(key)?.abs() / 1000.0);
        let plausible = |height: &f32| (0.001..1.9).contains(height);
        Self {
            ascent: stated("Ascent")
                .filter(plausible)
                .unwrap_or(DEFAULT_HEIGHTS.ascent),
            descent: -stated("Descent")
                .filter(plausible)
                .unwrap_or(-DEFAULT_HEIGHTS.descent),
            em: 1.0,
        }
    }

    /// Returns the heights of a Type 3 font. Its units are arbitrary, so the size of an em is
    /// estimated.
    fn of_drawings(dict: &Dict<'_>) -> Self {
        let matrix = dict.get::<[f32; 6]>("FontMatrix");
        let scale = matrix.map_or(0.001, |matrix| matrix[3].abs());
        let bounds = dict.get::<Rect>("FontBBox").unwrap_or(Rect::ZERO);
        let (top, bottom) = (bounds.y1 as f32 * scale, bounds.y0 as f32 * scale);
        let height = top - bottom;
        // A bounding box of one unit is a placeholder.
        let is_stated = bounds.y1 - bounds.y0 > 1.5 || scale > 0.1;
        if is_stated && height.is_finite() && height > 1e-6 {
            let em = if (0.3..3.0).contains(&height) {
                1.0
            } else {
                height / 1.2
            };
            return Self {
                ascent: (top / em).clamp(0.3, 1.9),
                descent: (bottom / em).clamp(-1.9, 0.0),
                em,
            };
        }
        let across = matrix.map_or(0.001, |matrix| matrix[0].abs());
        let widths = dict.get::<Array<'_>>("Widths");
        let widths: Vec<f32> = widths
            .iter()
            .flat_map(|widths| widths.iter::<f32>())
            .filter(|width| *width > 0.0)
            .collect();
        let mean = widths.iter().sum::<f32>() / widths.len().max(1) as f32 * across;
        Self {
            ascent: 0.75,
            descent: -0.25,
            em: if mean.is_finite() && mean > 1e-6 {
                mean / 0.5
            } else {
                1.0
            },
        }
    }
}

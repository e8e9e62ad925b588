//! Fonts: what the codes of a text mean, how far each moves on, how high letters stand.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use hayro_cmap::{BfString, CMap, CMapName, CharacterCollection, CidFamily};
use hayro_font::{CMapResolverFn, FontCache, FontGlyph, FontQuery, FontResolverFn, StandardFont};
use hayro_syntax::object::{
    Array, Dict, Name, Object, ObjectIdentifier, Rect, Stream, String as PdfString,
};
use unicode_normalization::UnicodeNormalization;

use super::stream::{TooMuch, check};

/// What a code of a font shows.
#[derive(Debug, Clone)]
pub(super) struct Code {
    /// The letters, ligatures expanded; empty if the file does not say.
    pub(super) text: Box<str>,
    /// How far it moves on along the line, in em; down, if the font is vertical.
    pub(super) advance: f32,
}

/// A font that text is set in.
pub(super) struct Font<'a> {
    font: hayro_font::Font<'a>,
    /// From a code to what it shows, if the font has no letters of its own in the file.
    collection: Option<Rc<Collection>>,
    /// Whether its lines run from top to bottom.
    pub(super) vertical: bool,
    /// How far letters reach above the line, in em.
    pub(super) ascent: f32,
    /// How far letters reach below the line, in em; negative.
    pub(super) descent: f32,
    /// Whether its name says that it is bold.
    pub(super) bold: bool,
    codes: std::cell::RefCell<HashMap<u32, Rc<Code>>>,
}

impl Font<'_> {
    /// The next code of a text, and how many bytes it has; the text must not be empty.
    pub(super) fn next_code(&self, text: &[u8]) -> (u32, usize) {
        self.font.read_code(text, 0)
    }

    /// What a code shows.
    pub(super) fn code(&self, code: u32) -> Rc<Code> {
        if let Some(known) = self.codes.borrow().get(&code) {
            return Rc::clone(known);
        }
        let advance = self.font.code_advance(code);
        let advance = if self.vertical { -advance.y } else { advance.x };
        let shown = match self.font.glyph(self.font.map_code(code), code) {
            FontGlyph::Outline(glyph) => glyph.as_unicode(),
            FontGlyph::Type3(glyph) => glyph.as_unicode(),
        };
        let shown = shown.or_else(|| self.collection.as_ref()?.letters(code));
        let code_shown = Rc::new(Code {
            text: letters(shown),
            advance: advance as f32 / hayro_font::UNITS_PER_EM,
        });
        self.codes.borrow_mut().insert(code, Rc::clone(&code_shown));
        code_shown
    }
}

/// The letters of a glyph: without control characters, ligatures and presentation forms expanded.
fn letters(shown: Option<BfString>) -> Box<str> {
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

/// A known set of characters, whose codes say what they are.
struct Collection {
    encoding: CMap,
    letters: CMap,
}

impl Collection {
    /// The collection of a font whose letters the file does not name itself.
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

    fn letters(&self, code: u32) -> Option<BfString> {
        let id = (1..=4).find_map(|size| self.encoding.lookup_cid_code(code, size))?;
        self.letters.lookup_bf_string(id)
    }
}

/// The fonts of a file, each read once.
pub(super) struct Fonts<'a> {
    cache: FontCache<'a>,
    font_resolver: FontResolverFn,
    cmap_resolver: CMapResolverFn,
    known: HashMap<ObjectIdentifier, Option<Rc<Font<'a>>>>,
    fallback: Option<Rc<Font<'a>>>,
    room: usize,
}

impl<'a> Fonts<'a> {
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

    /// The font of a dictionary, or one in its place.
    pub(super) fn font(&mut self, dict: &Dict<'a>) -> Result<Option<Rc<Font<'a>>>, TooMuch> {
        let id = dict.obj_id();
        if let Some(known) = id.and_then(|id| self.known.get(&id)) {
            return Ok(known.clone());
        }
        check_streams(dict, self.room)?;
        let font = self
            .cache
            .font(dict, &self.font_resolver, &self.cmap_resolver)
            .map(|font| Rc::new(loaded(font, dict)))
            .or_else(|| self.fallback());
        if let Some(id) = id {
            self.known.insert(id, font.clone());
        }
        Ok(font)
    }

    /// What text without a font is read as.
    pub(super) fn fallback(&mut self) -> Option<Rc<Font<'a>>> {
        if self.fallback.is_none() {
            let font = self
                .cache
                .standard_font(StandardFont::Helvetica, &self.font_resolver)?;
            self.fallback = Some(Rc::new(loaded(font, &Dict::default())));
        }
        self.fallback.clone()
    }
}

/// Whether all streams that the parser reads for a font are small enough.
fn check_streams(dict: &Dict<'_>, room: usize) -> Result<(), TooMuch> {
    let check_key = |dict: &Dict<'_>, key: &str| match dict.get::<Stream<'_>>(key) {
        Some(stream) => check(&stream, room),
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

fn loaded<'a>(font: hayro_font::Font<'a>, dict: &Dict<'a>) -> Font<'a> {
    let (ascent, descent) = heights(dict);
    let is_named = dict.contains_key("ToUnicode") || !dict.contains_key("DescendantFonts");
    Font {
        vertical: !font.is_horizontal(),
        collection: if is_named {
            None
        } else {
            Collection::of_font(dict).map(Rc::new)
        },
        ascent,
        descent,
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

/// Heights of the standard fonts, as their metrics state them, by how their names begin.
const STANDARD: &[(&str, f32, f32)] = &[
    ("Courier", 0.629, -0.157),
    ("Helvetica", 0.718, -0.207),
    ("Arial", 0.718, -0.207),
    ("Times", 0.683, -0.217),
    ("Symbol", 1.010, -0.293),
    ("ZapfDingbats", 0.820, -0.143),
];

/// How far a font reaches above and below the line, in em.
///
/// Descriptors may be absent, zero or absurd; then a usual height stands in.
fn heights(dict: &Dict<'_>) -> (f32, f32) {
    let descendant = dict
        .get::<Array<'_>>("DescendantFonts")
        .and_then(|fonts| fonts.iter::<Dict<'_>>().next());
    let described = descendant.as_ref().unwrap_or(dict);
    let (mut ascent, mut descent) = (0.95, -0.35);
    let Some(descriptor) = described.get::<Dict<'_>>("FontDescriptor") else {
        if let Some(bounds) = type3_heights(dict) {
            return bounds;
        }
        let name = dict.get::<Name<'_>>("BaseFont");
        let name = name.as_ref().map_or("Helvetica", |name| name.as_str());
        let standard = STANDARD.iter().find(|(start, ..)| name.starts_with(start));
        return standard.map_or((ascent, descent), |(_, ascent, descent)| {
            (*ascent, *descent)
        });
    };
    if let Some(stated) = descriptor.get::<f32>("Ascent") {
        let stated = stated / 1000.0;
        if stated > 0.0 && stated < 1.9 {
            ascent = stated;
        }
    }
    if let Some(stated) = descriptor.get::<f32>("Descent") {
        let stated = -stated.abs() / 1000.0;
        if stated < 0.0 && stated > -1.9 {
            descent = stated;
        }
    }
    (ascent, descent)
}

/// The heights of a font whose letters are drawings.
fn type3_heights(dict: &Dict<'_>) -> Option<(f32, f32)> {
    let bounds = dict.get::<Rect>("FontBBox")?;
    let scale = dict.get::<[f32; 6]>("FontMatrix")?[3];
    let (top, bottom) = (bounds.y1 as f32 * scale, bounds.y0 as f32 * scale);
    let plausible = top > bottom && top > 0.0 && top < 2.0 && bottom > -1.0 && bottom <= 0.0;
    plausible.then_some((top, bottom))
}

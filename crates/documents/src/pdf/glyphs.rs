//! What a page shows, in the order it is drawn: glyphs, and the unbroken strokes of writing they form.

use std::ops::Range;

use super::accents;

/// Which way a text runs on the displayed page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum TextDirection {
    /// To the right.
    #[default]
    Right,
    /// To the bottom: turned text, and vertical scripts.
    Down,
    /// To the left, upside down.
    Left,
    /// To the top.
    Up,
}

impl TextDirection {
    /// The direction nearest to a vector of the displayed page, whose y axis points down.
    pub(super) fn of_vector(x: f64, y: f64) -> Self {
        match (x.abs() >= y.abs(), x >= 0.0, y >= 0.0) {
            (true, true, _) => Self::Right,
            (true, false, _) => Self::Left,
            (false, _, true) => Self::Down,
            (false, _, false) => Self::Up,
        }
    }

    /// A point of the page as a place along lines of that direction, and across them.
    pub(super) fn turn(self, x: f32, y: f32) -> (f32, f32) {
        match self {
            Self::Right => (x, y),
            Self::Down => (y, -x),
            Self::Left => (-x, -y),
            Self::Up => (-y, x),
        }
    }

    /// The reverse of [`Self::turn`].
    pub(super) fn unturn(self, along: f32, across: f32) -> (f32, f32) {
        match self {
            Self::Right => (along, across),
            Self::Down => (-across, along),
            Self::Left => (-along, -across),
            Self::Up => (across, -along),
        }
    }
}

/// A part of a line: where it begins and ends along the line, and how far it reaches across.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LineExtent {
    pub(super) start: f32,
    pub(super) end: f32,
    pub(super) top: f32,
    pub(super) bottom: f32,
}

impl LineExtent {
    pub(super) fn cover(&mut self, other: &Self) {
        self.start = self.start.min(other.start);
        self.end = self.end.max(other.end);
        self.top = self.top.min(other.top);
        self.bottom = self.bottom.max(other.bottom);
    }

    pub(super) fn height(&self) -> f32 {
        self.bottom - self.top
    }

    /// The part of the lower of the two heights that both share; negative if they are apart.
    pub(super) fn shared_height(&self, other: &Self) -> f32 {
        let shared = self.bottom.min(other.bottom) - self.top.max(other.top);
        shared / self.height().min(other.height()).max(0.01)
    }
}

/// A glyph with letters.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextGlyph {
    pub(super) start: f32,
    pub(super) end: f32,
    /// Where its letters are in [`PageGlyphs::text`].
    text: u32,
    length: u16,
}

/// Glyphs that follow each other without a gap.
#[derive(Debug, Clone)]
pub(super) struct GlyphRun {
    pub(super) direction: TextDirection,
    pub(super) extent: LineExtent,
    /// Where the line stands, across.
    pub(super) base: f32,
    /// The size of the font as displayed.
    pub(super) size: f32,
    /// Its glyphs, as places in [`PageGlyphs::all`].
    pub(super) glyphs: Range<u32>,
    /// Whether it is set in a bold font.
    pub(super) bold: bool,
    /// The font of its last glyph.
    pub(super) font: u32,
    /// Whether a space was drawn after it.
    pub(super) spaced: bool,
}

/// A glyph as it is drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct DrawnGlyph {
    pub(super) direction: TextDirection,
    pub(super) extent: LineExtent,
    pub(super) base: f32,
    pub(super) size: f32,
    /// How much the letters of its text are set apart on purpose.
    pub(super) tracking: f32,
    pub(super) bold: bool,
    /// The number of its font.
    pub(super) font: u32,
}

/// A larger gap between glyphs parts words, in em.
pub(super) const WORD_GAP: f32 = 0.1;

/// The glyphs of a page.
#[derive(Debug, Default)]
pub(super) struct PageGlyphs {
    text: String,
    pub(super) all: Vec<TextGlyph>,
    pub(super) pieces: Vec<GlyphRun>,
    /// Whether the last piece may go on.
    open: bool,
    /// An accent that waits for the letter below it.
    accent: Option<(char, DrawnGlyph)>,
    /// Glyphs whose letters are not known.
    pub(super) unreadable: usize,
    /// Images.
    pub(super) images: usize,
}

impl PageGlyphs {
    /// The letters of a glyph.
    pub(super) fn letters(&self, glyph: &TextGlyph) -> &str {
        let start = glyph.text as usize;
        &self.text[start..start + usize::from(glyph.length)]
    }

    /// The glyphs of a piece.
    pub(super) fn of_piece(&self, piece: &GlyphRun) -> &[TextGlyph] {
        &self.all[piece.glyphs.start as usize..piece.glyphs.end as usize]
    }

    /// Adds what was drawn, with its letters. Spaces among them part what stands before and after.
    pub(super) fn add(&mut self, letters: &str, drawn: &DrawnGlyph) {
        let composed = self.accented(letters, drawn);
        let letters = composed.as_deref().unwrap_or(letters);
        if self.holds_accent(letters, drawn) {
            return;
        }
        if !letters.contains(' ') {
            return self.add_unspaced(letters, drawn);
        }
        let count = letters.chars().count() as f32;
        let width = drawn.extent.end - drawn.extent.start;
        let mut seen = 0.0;
        for part in letters.split_inclusive(' ') {
            let word = part.trim_end_matches(' ');
            let length = word.chars().count() as f32;
            if !word.is_empty() {
                let mut drawn = *drawn;
                drawn.extent.start += width * seen / count;
                drawn.extent.end = drawn.extent.start + width * length / count;
                self.add_unspaced(word, &drawn);
            }
            if word.len() < part.len() {
                self.space();
            }
            seen += part.chars().count() as f32;
        }
    }

    /// The letter with the accent that was drawn above or below it just before.
    fn accented(&mut self, letters: &str, drawn: &DrawnGlyph) -> Option<String> {
        let (accent, above) = self.accent.take()?;
        let composed = sits_on(&above, drawn)
            .then(|| accents::composed(letters, accent))
            .flatten();
        if composed.is_none() {
            self.add_unspaced(accent.encode_utf8(&mut [0; 4]), &above);
        }
        composed
    }

    /// Whether the letters are an accent: it is kept for the next letter, or given to the last one.
    fn holds_accent(&mut self, letters: &str, drawn: &DrawnGlyph) -> bool {
        let mut chars = letters.chars();
        let (Some(accent), None) = (chars.next(), chars.next()) else {
            return false;
        };
        if accent.is_ascii_alphanumeric() || !accents::is_accent(accent) {
            return false;
        }
        let last = self.pieces.last().zip(self.all.last());
        let composed = last
            .filter(|(piece, glyph)| {
                let below = piece.last_drawn(glyph);
                self.open && sits_on(drawn, &below) && drawn.extent.start < glyph.end
            })
            .and_then(|(_, glyph)| accents::composed(self.letters(glyph), accent));
        match composed {
            Some(composed) => {
                let (text, length) = (self.text.len() as u32, composed.len() as u16);
                self.text.push_str(&composed);
                if let Some(glyph) = self.all.last_mut() {
                    (glyph.text, glyph.length) = (text, length);
                }
            }
            None => self.accent = Some((accent, *drawn)),
        }
        true
    }

    /// Ends the page.
    pub(super) fn finish(&mut self) {
        self.space();
    }

    /// Ends the stroke.
    pub(super) fn space(&mut self) {
        if let Some((accent, drawn)) = self.accent.take() {
            self.add_unspaced(accent.encode_utf8(&mut [0; 4]), &drawn);
        }
        if self.open
            && let Some(last) = self.pieces.last_mut()
        {
            last.spaced = true;
        }
        self.open = false;
    }

    fn add_unspaced(&mut self, letters: &str, drawn: &DrawnGlyph) {
        let Ok(length) = u16::try_from(letters.len()) else {
            return;
        };
        if self.repeats(letters, drawn) {
            return;
        }
        let at = self.all.len() as u32;
        let glyph = TextGlyph {
            start: drawn.extent.start,
            end: drawn.extent.end,
            text: self.text.len() as u32,
            length,
        };
        self.text.push_str(letters);
        self.all.push(glyph);
        if self.open
            && let Some(last) = self.pieces.last_mut()
            && last.goes_on_with(drawn)
        {
            last.extent.cover(&drawn.extent);
            last.glyphs.end = at + 1;
            last.bold &= drawn.bold;
            last.font = drawn.font;
        } else {
            self.open = true;
            self.pieces.push(GlyphRun {
                direction: drawn.direction,
                extent: drawn.extent,
                base: drawn.base,
                size: drawn.size,
                glyphs: at..at + 1,
                bold: drawn.bold,
                font: drawn.font,
                spaced: false,
            });
        }
    }

    /// Whether the same glyph was just drawn there, to make it bolder.
    fn repeats(&self, letters: &str, drawn: &DrawnGlyph) -> bool {
        let (Some(piece), Some(glyph)) = (self.pieces.last(), self.all.last()) else {
            return false;
        };
        let near = |a: f32, b: f32| (a - b).abs() < 0.1 * drawn.size;
        piece.direction == drawn.direction
            && near(glyph.start, drawn.extent.start)
            && near(piece.base, drawn.base)
            && drawn.extent.end - drawn.extent.start > 0.1 * drawn.size
            && self.letters(glyph) == letters
    }
}

/// Whether an accent is drawn above or below a letter.
fn sits_on(accent: &DrawnGlyph, letter: &DrawnGlyph) -> bool {
    let middle = (accent.extent.start + accent.extent.end) / 2.0;
    let slack = 0.05 * letter.size;
    accent.direction == letter.direction
        && (accent.base - letter.base).abs() < 0.6 * letter.size
        && (letter.extent.start - slack..=letter.extent.end + slack).contains(&middle)
}

impl GlyphRun {
    /// How its last glyph was drawn.
    fn last_drawn(&self, glyph: &TextGlyph) -> DrawnGlyph {
        DrawnGlyph {
            direction: self.direction,
            extent: LineExtent {
                start: glyph.start,
                end: glyph.end,
                ..self.extent
            },
            base: self.base,
            size: self.size,
            tracking: 0.0,
            bold: self.bold,
            font: self.font,
        }
    }

    fn goes_on_with(&self, next: &DrawnGlyph) -> bool {
        // Letters that are set wide apart are one word all the same.
        let tracking = next.tracking;
        let spread = if tracking > 0.8 * WORD_GAP * self.size {
            tracking
        } else {
            0.0
        };
        let gap = next.extent.start - self.extent.end - spread;
        // Another font may be a little larger without being seen to be.
        let alike = if self.font == next.font { 0.05 } else { 0.005 };
        self.direction == next.direction
            && (self.base - next.base).abs() < 0.05 * self.size
            && (self.size - next.size).abs() < alike * self.size
            && gap < WORD_GAP * self.size
            && gap > -0.3 * self.size
    }
}

//! Glyphs of a page in drawing order, and runs of glyphs without a gap.

use std::ops::Range;

use hayro_font::kurbo::Rect;

use super::accents;

/// Direction of text on the displayed page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum TextDirection {
    /// Left to right.
    #[default]
    Right,
    /// Top to bottom: rotated text and vertical scripts.
    Down,
    /// Right to left, upside down.
    Left,
    /// Bottom to top.
    Up,
}

impl TextDirection {
    /// Returns the direction nearest to a vector of the displayed page, with the y axis pointing
    /// down.
    pub(super) fn of_vector(x: f64, y: f64) -> Self {
        match (x.abs() >= y.abs(), x >= 0.0, y >= 0.0) {
            (true, true, _) => Self::Right,
            (true, false, _) => Self::Left,
            (false, _, true) => Self::Down,
            (false, _, false) => Self::Up,
        }
    }

    /// Converts a point of the page to coordinates along and across lines of this direction.
    pub(super) fn to_line(self, x: f32, y: f32) -> (f32, f32) {
        match self {
            Self::Right => (x, y),
            Self::Down => (y, -x),
            Self::Left => (-x, -y),
            Self::Up => (-y, x),
        }
    }

    /// Converts coordinates along and across lines back to a point of the page.
    pub(super) fn to_page(self, along: f32, across: f32) -> (f32, f32) {
        match self {
            Self::Right => (along, across),
            Self::Down => (-across, along),
            Self::Left => (-along, -across),
            Self::Up => (across, -along),
        }
    }
}

/// Part of a line: start and end along the line, and the range across it.
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

    /// Returns the overlap of the two heights as a share of the smaller one; negative if they do
    /// not overlap.
    pub(super) fn shared_height(&self, other: &Self) -> f32 {
        let shared = self.bottom.min(other.bottom) - self.top.max(other.top);
        shared / self.height().min(other.height()).max(0.01)
    }
}

/// A glyph with its text.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextGlyph {
    pub(super) start: f32,
    pub(super) end: f32,
    /// Start of its text in [`PageGlyphs::text`].
    text: u32,
    length: u16,
}

/// Glyphs that follow each other without a gap.
#[derive(Debug, Clone)]
pub(super) struct GlyphRun {
    pub(super) direction: TextDirection,
    pub(super) extent: LineExtent,
    /// Position of the baseline across the line.
    pub(super) base: f32,
    /// Font size as displayed, in points.
    pub(super) size: f32,
    /// Range of its glyphs in [`PageGlyphs::all`].
    pub(super) glyphs: Range<u32>,
    /// True if the font is bold.
    pub(super) bold: bool,
    /// Number of the font of its last glyph.
    pub(super) font: u32,
    /// True if a space was drawn after it.
    pub(super) spaced: bool,
}

/// A drawn glyph.
#[derive(Debug, Clone, Copy)]
pub(super) struct DrawnGlyph {
    pub(super) direction: TextDirection,
    pub(super) extent: LineExtent,
    pub(super) base: f32,
    pub(super) size: f32,
    /// Extra distance between letters that are spaced on purpose, in points.
    pub(super) tracking: f32,
    pub(super) bold: bool,
    /// Number of its font.
    pub(super) font: u32,
}

/// Gap between glyphs that separates words, in em.
pub(super) const WORD_GAP: f32 = 0.1;

/// Glyphs of a page.
#[derive(Debug, Default)]
pub(super) struct PageGlyphs {
    text: String,
    pub(super) all: Vec<TextGlyph>,
    pub(super) runs: Vec<GlyphRun>,
    /// True if the last run may be continued.
    open: bool,
    /// Accent that was drawn before its letter.
    accent: Option<(char, DrawnGlyph)>,
    /// Number of glyphs without known text.
    pub(super) unreadable: usize,
    /// Number of images.
    pub(super) images: usize,
    /// Thin lines along the axes of the page, which may be the rules of a table.
    pub(super) rules: Vec<Rect>,
}

/// Maximum number of rules of a page. Pages with more are drawings.
const MAX_RULES: usize = 8192;

impl PageGlyphs {
    /// Adds thin lines that were drawn.
    pub(super) fn add_rules(&mut self, rules: &[Rect]) {
        let room = MAX_RULES.saturating_sub(self.rules.len());
        self.rules.extend(rules.iter().take(room));
    }

    /// Returns the text of a glyph.
    pub(super) fn letters(&self, glyph: &TextGlyph) -> &str {
        let start = glyph.text as usize;
        &self.text[start..start + usize::from(glyph.length)]
    }

    /// Returns the glyphs of a run.
    pub(super) fn glyphs_of(&self, run: &GlyphRun) -> &[TextGlyph] {
        &self.all[run.glyphs.start as usize..run.glyphs.end as usize]
    }

    /// Adds a drawn glyph with its text. Spaces in the text end the run.
    pub(super) fn add(&mut self, letters: &str, drawn: &DrawnGlyph) {
        let composed = self.compose_with_accent(letters, drawn);
        let letters = composed.as_deref().unwrap_or(letters);
        if self.take_accent(letters, drawn) {
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
                self.end_run();
            }
            seen += part.chars().count() as f32;
        }
    }

    /// Returns the letter composed with the accent that was drawn just before it.
    fn compose_with_accent(&mut self, letters: &str, drawn: &DrawnGlyph) -> Option<String> {
        let (accent, above) = self.accent.take()?;
        let composed = is_on_letter(&above, drawn)
            .then(|| accents::compose(letters, accent))
            .flatten();
        if composed.is_none() {
            self.add_unspaced(accent.encode_utf8(&mut [0; 4]), &above);
        }
        composed
    }

    /// Returns true if the text is an accent, which is kept for the next letter or added to the
    /// last one.
    fn take_accent(&mut self, letters: &str, drawn: &DrawnGlyph) -> bool {
        let mut chars = letters.chars();
        let (Some(accent), None) = (chars.next(), chars.next()) else {
            return false;
        };
        if accent.is_ascii_alphanumeric() || !accents::is_accent(accent) {
            return false;
        }
        let last = self.runs.last().zip(self.all.last());
        let composed = last
            .filter(|(run, glyph)| {
                let below = run.last_drawn(glyph);
                self.open && is_on_letter(drawn, &below) && drawn.extent.start < glyph.end
            })
            .and_then(|(_, glyph)| accents::compose(self.letters(glyph), accent));
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

    /// Completes the page.
    pub(super) fn finish(&mut self) {
        self.end_run();
    }

    /// Ends the current run.
    pub(super) fn end_run(&mut self) {
        if let Some((accent, drawn)) = self.accent.take() {
            self.add_unspaced(accent.encode_utf8(&mut [0; 4]), &drawn);
        }
        if self.open
            && let Some(last) = self.runs.last_mut()
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
            && let Some(last) = self.runs.last_mut()
            && last.goes_on_with(drawn)
        {
            last.extent.cover(&drawn.extent);
            last.glyphs.end = at + 1;
            last.bold &= drawn.bold;
            last.font = drawn.font;
        } else {
            self.open = true;
            self.runs.push(GlyphRun {
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

    /// Returns true if the same glyph was just drawn at the same position, which imitates bold
    /// type.
    fn repeats(&self, letters: &str, drawn: &DrawnGlyph) -> bool {
        let (Some(run), Some(glyph)) = (self.runs.last(), self.all.last()) else {
            return false;
        };
        let near = |a: f32, b: f32| (a - b).abs() < 0.1 * drawn.size;
        run.direction == drawn.direction
            && near(glyph.start, drawn.extent.start)
            && near(run.base, drawn.base)
            && drawn.extent.end - drawn.extent.start > 0.1 * drawn.size
            && self.letters(glyph) == letters
    }
}

/// Returns true if an accent is drawn above or below a letter.
fn is_on_letter(accent: &DrawnGlyph, letter: &DrawnGlyph) -> bool {
    let middle = (accent.extent.start + accent.extent.end) / 2.0;
    let slack = 0.05 * letter.size;
    accent.direction == letter.direction
        && (accent.base - letter.base).abs() < 0.6 * letter.size
        && (letter.extent.start - slack..=letter.extent.end + slack).contains(&middle)
}

impl GlyphRun {
    /// Returns the last glyph as it was drawn.
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
        // Letters that are spaced on purpose form one word.
        let tracking = next.tracking;
        let spread = if tracking > 0.8 * WORD_GAP * self.size {
            tracking
        } else {
            0.0
        };
        let gap = next.extent.start - self.extent.end - spread;
        // In another font a slightly different size is not visible.
        let alike = if self.font == next.font { 0.05 } else { 0.005 };
        self.direction == next.direction
            && (self.base - next.base).abs() < 0.05 * self.size
            && (self.size - next.size).abs() < alike * self.size
            && gap < WORD_GAP * self.size
            && gap > -0.3 * self.size
    }
}

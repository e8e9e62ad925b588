//! Text atoms: pieces of text that stay together, such as words, spaces and wide characters.

use std::ops::Range;

use unicode_bidi::{BidiInfo, Level as BidiLevel};

use super::fonts::{LayoutFont, is_shaped, is_wide, letter, shape};
use super::sketch::{BaselineLevel, BlockShape, DocumentSketch, FontFace, SketchRun};

/// Piece of text in one font that stays together.
#[derive(Debug, Clone)]
pub(super) struct TextAtom {
    /// Range of [`DocumentSketch::text`].
    pub(super) text: Range<u32>,
    /// Position in [`DocumentSketch::runs`].
    pub(super) run: u32,
    pub(super) font: LayoutFont,
    pub(super) kind: AtomKind,
    /// True if a row may begin with it.
    pub(super) can_begin_row: bool,
    /// True if a row must begin with it.
    pub(super) begins_row: bool,
    /// Bidirectional level; odd if it runs from right to left.
    pub(super) level: u8,
    pub(super) size: f32,
    pub(super) width: f32,
}

/// Kind of an atom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AtomKind {
    Word,
    Space,
    Wide,
    /// Space up to the next tab stop.
    Tab,
}

/// Largest number of columns of typed text; longer lines are broken.
pub(crate) const MAX_COLUMNS: u8 = 112;

/// Returns the font size of a block, in points.
pub(super) fn size_of(shape: BlockShape) -> f32 {
    match shape {
        BlockShape::Heading(1) => 20.0,
        BlockShape::Heading(2) => 16.0,
        BlockShape::Heading(3) => 13.5,
        BlockShape::Heading(4) => 12.0,
        BlockShape::Paragraph | BlockShape::Prose | BlockShape::Heading(_) => 10.5,
        // The width of a letter is three fifths of the font size.
        BlockShape::Typed(columns) => 805.0 / f32::from(columns.clamp(80, MAX_COLUMNS)),
        BlockShape::Code | BlockShape::Note => 9.0,
    }
}

/// Returns true if a block keeps its white space.
pub(super) fn keeps_space(shape: BlockShape) -> bool {
    matches!(shape, BlockShape::Code | BlockShape::Typed(_))
}

/// Returns the style of text in a block.
fn face_in(shape: BlockShape, face: FontFace, heading: bool) -> FontFace {
    FontFace {
        mono: face.mono || keeps_space(shape),
        bold: face.bold || heading || matches!(shape, BlockShape::Heading(_)),
        ..face
    }
}

/// Returns the font size of text in a block.
fn size_in(shape: BlockShape, face: FontFace) -> f32 {
    let size = size_of(shape);
    match face.level {
        BaselineLevel::Raised => size * 0.7,
        // The letters of the monospaced font look larger.
        BaselineLevel::Normal if face.mono && !keeps_space(shape) => size * 0.9,
        BaselineLevel::Normal => size,
    }
}

/// Directions of the text of a block.
pub(super) struct TextDirections {
    /// Level of each byte; empty if all text runs from left to right.
    levels: Vec<BidiLevel>,
    /// Start of the block in [`DocumentSketch::text`].
    start: u32,
    /// True if the block as a whole runs from right to left.
    pub(super) is_rtl: bool,
}

impl TextDirections {
    /// Determines the directions of a block.
    pub(super) fn of(sketch: &DocumentSketch, runs: &Range<u32>) -> Self {
        let of_block = sketch.runs.get(runs.start as usize..runs.end as usize);
        let of_block = of_block.unwrap_or_default();
        let start = of_block.first().map_or(0, |run| run.text.start);
        let end = of_block.last().map_or(start, |run| run.text.end);
        let text = sketch.shown(&(start..end));
        if text.is_ascii() || !text.chars().any(is_rtl_letter) {
            return Self {
                levels: Vec::new(),
                start,
                is_rtl: false,
            };
        }
        let info = BidiInfo::new(text, None);
        let is_rtl = info
            .paragraphs
            .first()
            .is_some_and(|first| first.level.is_rtl());
        Self {
            levels: info.levels,
            start,
            is_rtl,
        }
    }

    fn at(&self, text: u32) -> u8 {
        let level = self.levels.get((text - self.start) as usize);
        level.map_or(0, |level| level.number())
    }
}

/// Returns true for letters and controls that run from right to left.
fn is_rtl_letter(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{200f}' | '\u{202b}' | '\u{202e}' | '\u{2067}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

/// Returns true for white space at which a row may end.
fn is_space(c: char) -> bool {
    c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{2007}' | '\u{202f}')
}

/// Returns true if no row may begin with a character.
fn must_not_begin_row(c: char) -> bool {
    matches!(
        c,
        '、' | '。'
            | '，'
            | '．'
            | '：'
            | '；'
            | '！'
            | '？'
            | '）'
            | '］'
            | '｝'
            | '」'
            | '』'
            | '】'
            | '〕'
            | '〉'
            | '》'
            | '〗'
            | '〙'
            | 'ー'
            | '々'
            | 'ゝ'
            | 'ゞ'
            | 'ぁ'
            | 'ぃ'
            | 'ぅ'
            | 'ぇ'
            | 'ぉ'
            | 'っ'
            | 'ゃ'
            | 'ゅ'
            | 'ょ'
            | 'ゎ'
            | 'ァ'
            | 'ィ'
            | 'ゥ'
            | 'ェ'
            | 'ォ'
            | 'ッ'
            | 'ャ'
            | 'ュ'
            | 'ョ'
            | 'ヮ'
            | 'ヵ'
            | 'ヶ'
            | '·'
            | '・'
            | '”'
            | '’'
            | ','
            | '.'
            | ':'
            | ';'
            | '!'
            | '?'
            | ')'
            | ']'
            | '}'
            | '%'
    )
}

/// Returns true if no row may end with a character.
fn must_not_end_row(c: char) -> bool {
    matches!(
        c,
        '（' | '［'
            | '｛'
            | '「'
            | '『'
            | '【'
            | '〔'
            | '〈'
            | '《'
            | '〖'
            | '〘'
            | '“'
            | '‘'
            | '('
            | '['
            | '{'
            | '$'
            | '¥'
            | '￥'
    )
}

/// Cuts the runs of a block into atoms and passes each to `take`.
pub(super) fn cut_atoms(
    sketch: &DocumentSketch,
    runs: &Range<u32>,
    shape: BlockShape,
    heading: bool,
    directions: &TextDirections,
    mut take: impl FnMut(TextAtom),
) {
    let mut last = None;
    for number in runs.clone() {
        let Some(run) = sketch.runs.get(number as usize) else {
            return;
        };
        let mut cutter = AtomCutter {
            sketch,
            number,
            face: face_in(shape, run.face, heading),
            size: size_in(shape, run.face),
            keeps_space: keeps_space(shape),
            directions,
            last,
            begins_row: run.starts_row,
        };
        cutter.cut_run(run, &mut take);
        last = cutter.last;
    }
}

/// Cutter of one run of text.
struct AtomCutter<'s> {
    sketch: &'s DocumentSketch,
    number: u32,
    face: FontFace,
    size: f32,
    keeps_space: bool,
    directions: &'s TextDirections,
    /// Character before the current one.
    last: Option<char>,
    begins_row: bool,
}

impl AtomCutter<'_> {
    fn cut_run(&mut self, run: &SketchRun, take: &mut impl FnMut(TextAtom)) {
        let text = self.sketch.shown(&run.text);
        let wanted = LayoutFont::of(self.face);
        let mut atom: Option<TextAtom> = None;
        let mut shaped = false;
        for (at, c) in text.char_indices() {
            let place = run.text.start + at as u32;
            let end = place + c.len_utf8() as u32;
            let found = letter(wanted, c);
            let kind = match c {
                '\t' if self.keeps_space => AtomKind::Tab,
                c if is_space(c) => AtomKind::Space,
                c if is_wide(c) => AtomKind::Wide,
                _ => AtomKind::Word,
            };
            let level = self.directions.at(place);
            let (font, advance) = match kind {
                // All white space has the width of a space.
                AtomKind::Space | AtomKind::Tab => (wanted, letter(wanted, ' ').advance),
                _ => (found.font, found.advance),
            };
            let width = advance * self.size;
            if let Some(open) = &mut atom
                && open.kind == kind
                && (kind == AtomKind::Word || kind == AtomKind::Space && self.keeps_space)
                && open.level == level
                && (open.font == font || font.is_invisible())
                && !self.can_break_after_last(c)
            {
                open.text.end = end;
                open.width += width;
                shaped |= is_shaped(c);
                self.last = Some(c);
                continue;
            }
            if let Some(done) = atom.take() {
                take(self.with_shaped_width(done, shaped));
            }
            shaped = is_shaped(c);
            atom = Some(TextAtom {
                text: place..end,
                run: self.number,
                font,
                kind,
                can_begin_row: self.can_begin_row(kind, c),
                begins_row: std::mem::take(&mut self.begins_row),
                level,
                size: self.size,
                width,
            });
            self.last = Some(c);
        }
        if let Some(done) = atom {
            take(self.with_shaped_width(done, shaped));
        }
    }

    fn with_shaped_width(&self, mut atom: TextAtom, shaped: bool) -> TextAtom {
        if shaped && !atom.font.is_missing() && !atom.font.is_invisible() {
            let text = self.sketch.shown(&atom.text);
            atom.width = shape(atom.font, text, atom.level % 2 == 1, atom.size).1;
        }
        atom
    }

    fn can_break_after_last(&self, next: char) -> bool {
        matches!(self.last, Some('-' | '–' | '—' | '\u{ad}' | '\u{200b}')) && next.is_alphabetic()
    }

    fn can_begin_row(&self, kind: AtomKind, c: char) -> bool {
        let Some(last) = self.last else {
            return true;
        };
        match kind {
            AtomKind::Space | AtomKind::Tab => false,
            _ if is_space(last) => true,
            AtomKind::Word | AtomKind::Wide => {
                let beside_wide = kind == AtomKind::Wide || is_wide(last);
                (beside_wide && !must_not_begin_row(c) && !must_not_end_row(last))
                    || self.can_break_after_last(c)
            }
        }
    }
}

//! Text cut into pieces that stay together: words, spaces, wide characters.

use std::ops::Range;

use unicode_bidi::{BidiInfo, Level as BidiLevel};

use super::fonts::{LayoutFont, is_shaped, is_wide, letter, shape};
use super::sketch::{BaselineLevel, BlockShape, DocumentSketch, FontFace, SketchRun};

/// A piece of text in one font that stays together.
#[derive(Debug, Clone)]
pub(super) struct TextAtom {
    /// Of [`DocumentSketch::text`].
    pub(super) text: Range<u32>,
    /// Of [`DocumentSketch::runs`].
    pub(super) run: u32,
    pub(super) font: LayoutFont,
    pub(super) kind: AtomKind,
    /// A row may begin with it.
    pub(super) may_begin: bool,
    /// A row must begin with it.
    pub(super) must_begin: bool,
    /// Odd if it runs from right to left.
    pub(super) level: u8,
    pub(super) size: f32,
    pub(super) width: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AtomKind {
    Word,
    Space,
    Wide,
    /// Up to the next stop.
    Tab,
}

/// Longer lines of a typewriter are broken.
pub(crate) const MAX_COLUMNS: u8 = 112;

/// The font size of a block, in points.
pub(super) fn size_of(shape: BlockShape) -> f32 {
    match shape {
        BlockShape::Heading(1) => 20.0,
        BlockShape::Heading(2) => 16.0,
        BlockShape::Heading(3) => 13.5,
        BlockShape::Heading(4) => 12.0,
        BlockShape::Paragraph | BlockShape::Prose | BlockShape::Heading(_) => 10.5,
        // Letters are three fifths as wide as they are high.
        BlockShape::Typed(columns) => 805.0 / f32::from(columns.clamp(80, MAX_COLUMNS)),
        BlockShape::Code | BlockShape::Note => 9.0,
    }
}

/// Whether white space stays as it is.
pub(super) fn keeps_space(shape: BlockShape) -> bool {
    matches!(shape, BlockShape::Code | BlockShape::Typed(_))
}

/// The face that text has in a block.
fn face_in(shape: BlockShape, face: FontFace, heading: bool) -> FontFace {
    FontFace {
        mono: face.mono || keeps_space(shape),
        bold: face.bold || heading || matches!(shape, BlockShape::Heading(_)),
        ..face
    }
}

/// The size that text has in a block.
fn size_in(shape: BlockShape, face: FontFace) -> f32 {
    let size = size_of(shape);
    match face.level {
        BaselineLevel::Raised => size * 0.7,
        // The letters of the mono font look larger.
        BaselineLevel::Normal if face.mono && !keeps_space(shape) => size * 0.9,
        BaselineLevel::Normal => size,
    }
}

/// The directions of a block's text.
pub(super) struct TextDirections {
    /// For each byte; empty if all of it runs from left to right.
    levels: Vec<BidiLevel>,
    /// Where the block's text begins.
    start: u32,
    /// The block itself runs from right to left.
    pub(super) leftwards: bool,
}

impl TextDirections {
    /// Looks at the text of a block.
    pub(super) fn of(sketch: &DocumentSketch, runs: &Range<u32>) -> Self {
        let of_block = sketch.runs.get(runs.start as usize..runs.end as usize);
        let of_block = of_block.unwrap_or_default();
        let start = of_block.first().map_or(0, |run| run.text.start);
        let end = of_block.last().map_or(start, |run| run.text.end);
        let text = sketch.shown(&(start..end));
        if text.is_ascii() || !text.chars().any(is_leftward) {
            return Self {
                levels: Vec::new(),
                start,
                leftwards: false,
            };
        }
        let info = BidiInfo::new(text, None);
        let leftwards = info
            .paragraphs
            .first()
            .is_some_and(|first| first.level.is_rtl());
        Self {
            levels: info.levels,
            start,
            leftwards,
        }
    }

    fn at(&self, text: u32) -> u8 {
        let level = self.levels.get((text - self.start) as usize);
        level.map_or(0, |level| level.number())
    }
}

fn is_leftward(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{200f}' | '\u{202b}' | '\u{202e}' | '\u{2067}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

/// White space where a row may end.
fn is_space(c: char) -> bool {
    c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{2007}' | '\u{202f}')
}

/// Whether a row must not begin with a character.
fn clings_back(c: char) -> bool {
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

/// Whether a row must not end with a character.
fn clings_on(c: char) -> bool {
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

/// Cuts the runs of a block into atoms, one after the other.
pub(super) fn each(
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
            keeps: keeps_space(shape),
            directions,
            last,
            must_begin: run.new_row,
        };
        cutter.run(run, &mut take);
        last = cutter.last;
    }
}

struct AtomCutter<'s> {
    sketch: &'s DocumentSketch,
    number: u32,
    face: FontFace,
    size: f32,
    keeps: bool,
    directions: &'s TextDirections,
    /// The character before this one.
    last: Option<char>,
    must_begin: bool,
}

impl AtomCutter<'_> {
    fn run(&mut self, run: &SketchRun, take: &mut impl FnMut(TextAtom)) {
        let text = self.sketch.shown(&run.text);
        let asked = LayoutFont::of(self.face);
        let mut atom: Option<TextAtom> = None;
        let mut shaped = false;
        for (at, c) in text.char_indices() {
            let place = run.text.start + at as u32;
            let end = place + c.len_utf8() as u32;
            let found = letter(asked, c);
            let kind = match c {
                '\t' if self.keeps => AtomKind::Tab,
                c if is_space(c) => AtomKind::Space,
                c if is_wide(c) => AtomKind::Wide,
                _ => AtomKind::Word,
            };
            let level = self.directions.at(place);
            let (font, advance) = match kind {
                // Every white space is as wide as a space.
                AtomKind::Space | AtomKind::Tab => (asked, letter(asked, ' ').advance),
                _ => (found.font, found.advance),
            };
            let width = advance * self.size;
            if let Some(open) = &mut atom
                && open.kind == kind
                && (kind == AtomKind::Word || kind == AtomKind::Space && self.keeps)
                && open.level == level
                && (open.font == font || font.is_unseen())
                && !self.may_break_after_last(c)
            {
                open.text.end = end;
                open.width += width;
                shaped |= is_shaped(c);
                self.last = Some(c);
                continue;
            }
            if let Some(done) = atom.take() {
                take(self.finished(done, shaped));
            }
            shaped = is_shaped(c);
            atom = Some(TextAtom {
                text: place..end,
                run: self.number,
                font,
                kind,
                may_begin: self.may_begin(kind, c),
                must_begin: std::mem::take(&mut self.must_begin),
                level,
                size: self.size,
                width,
            });
            self.last = Some(c);
        }
        if let Some(done) = atom {
            take(self.finished(done, shaped));
        }
    }

    fn finished(&self, mut atom: TextAtom, shaped: bool) -> TextAtom {
        if shaped && !atom.font.is_missing() && !atom.font.is_unseen() {
            let text = self.sketch.shown(&atom.text);
            atom.width = shape(atom.font, text, atom.level % 2 == 1, atom.size).1;
        }
        atom
    }

    fn may_break_after_last(&self, next: char) -> bool {
        matches!(self.last, Some('-' | '–' | '—' | '\u{ad}' | '\u{200b}')) && next.is_alphabetic()
    }

    fn may_begin(&self, kind: AtomKind, c: char) -> bool {
        let Some(last) = self.last else {
            return true;
        };
        match kind {
            AtomKind::Space | AtomKind::Tab => false,
            _ if is_space(last) => true,
            AtomKind::Word | AtomKind::Wide => {
                let beside_wide = kind == AtomKind::Wide || is_wide(last);
                (beside_wide && !clings_back(c) && !clings_on(last)) || self.may_break_after_last(c)
            }
        }
    }
}

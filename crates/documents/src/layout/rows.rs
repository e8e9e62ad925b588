//! Atoms set in rows.

use std::ops::Range;

use super::atoms::{self, AtomKind, TextAtom, TextDirections, keeps_space, size_of};
use super::fonts::{letter, shape as shape_text};
use super::sketch::{BlockShape, DocumentSketch};

/// Columns between two stops.
const TAB: usize = 8;

/// Atoms that stand beside each other.
#[derive(Debug, Clone, Default)]
pub(super) struct AtomRow {
    /// In the order they are read.
    pub(super) atoms: Vec<TextAtom>,
    pub(super) width: f32,
    /// From its top to the top of the next.
    pub(super) height: f32,
    /// From its top to the base line.
    pub(super) base: f32,
}

/// The height of a row, by its font size.
fn leading(shape: BlockShape) -> f32 {
    match shape {
        BlockShape::Heading(_) => 1.3,
        BlockShape::Code | BlockShape::Typed(_) => 1.32,
        _ => 1.45,
    }
}

/// The rows of a block.
pub(super) struct RowList {
    pub(super) rows: Vec<AtomRow>,
    /// The block runs from right to left.
    pub(super) leftwards: bool,
}

/// Sets a block in rows of a width, and hands them over as they fill up.
pub(super) fn set(
    sketch: &DocumentSketch,
    runs: &Range<u32>,
    shape: BlockShape,
    heading: bool,
    width: f32,
    mut take: impl FnMut(RowList),
) {
    /// So many rows are handed over together.
    const TOGETHER: usize = 512;
    let directions = TextDirections::of(sketch, runs);
    let leftwards = directions.leftwards;
    let mut setter = RowSetter {
        sketch,
        shape,
        width: width.max(1.0),
        row: AtomRow::default(),
        last_break: 0,
        rows: Vec::new(),
    };
    atoms::each(sketch, runs, shape, heading, &directions, |atom| {
        setter.add(atom);
        if setter.rows.len() >= TOGETHER {
            let rows = std::mem::take(&mut setter.rows);
            take(RowList { rows, leftwards });
        }
    });
    setter.end_row();
    if !setter.rows.is_empty() {
        take(RowList {
            rows: setter.rows,
            leftwards,
        });
    }
}

/// How wide a block is if it is not broken, and how wide it must be for its longest word.
pub(super) fn widths(
    sketch: &DocumentSketch,
    runs: &Range<u32>,
    shape: BlockShape,
    heading: bool,
) -> (f32, f32) {
    let directions = TextDirections::of(sketch, runs);
    let (mut most, mut word): (f32, f32) = (0.0, 0.0);
    let (mut row, mut joined) = (0.0, 0.0);
    atoms::each(sketch, runs, shape, heading, &directions, |atom| {
        if atom.must_begin {
            row = 0.0;
        }
        joined = match atom.may_begin || atom.must_begin {
            true => atom.width,
            false => joined + atom.width,
        };
        row += atom.width;
        most = most.max(row);
        if atom.kind != AtomKind::Space {
            word = word.max(joined);
        }
    });
    (most, word)
}

struct RowSetter<'s> {
    sketch: &'s DocumentSketch,
    shape: BlockShape,
    width: f32,
    row: AtomRow,
    /// The last atom of the row that may begin another; 0 if none may.
    last_break: usize,
    rows: Vec<AtomRow>,
}

impl RowSetter<'_> {
    fn add(&mut self, mut atom: TextAtom) {
        let keeps = keeps_space(self.shape);
        if atom.must_begin && !self.row.atoms.is_empty() {
            self.end_row();
        }
        match atom.kind {
            AtomKind::Tab => {
                let stop = atom.width * TAB as f32;
                let column = (self.row.width / stop + 0.01).floor();
                atom.width = (column + 1.0) * stop - self.row.width;
            }
            AtomKind::Space if !keeps => {
                // White space at the beginning of a row, and after other white space, is not set.
                let after = self.row.atoms.last().map(|last| last.kind);
                if matches!(after, None | Some(AtomKind::Space)) {
                    return;
                }
            }
            _ => {}
        }
        let is_space = matches!(atom.kind, AtomKind::Space | AtomKind::Tab);
        while self.row.width + atom.width > self.width + 0.01 && !is_space {
            if atom.may_begin && !self.row.atoms.is_empty() {
                self.end_row();
            } else if self.last_break > 0 {
                let rest = self.row.atoms.split_off(self.last_break);
                self.end_row();
                self.row.width = rest.iter().map(|atom| atom.width).sum();
                self.row.atoms = rest;
            } else if !self.row.atoms.is_empty() && self.row.width > self.width * 0.5 {
                self.end_row();
            } else {
                // Longer than a row.
                let Some(rest) = self.cut(&mut atom) else {
                    break;
                };
                self.push(atom);
                self.end_row();
                atom = rest;
            }
        }
        self.push(atom);
    }

    fn push(&mut self, atom: TextAtom) {
        if atom.may_begin && !self.row.atoms.is_empty() {
            self.last_break = self.row.atoms.len();
        }
        self.row.width += atom.width;
        self.row.atoms.push(atom);
    }

    /// Cuts what does not fit off an atom.
    fn cut(&self, atom: &mut TextAtom) -> Option<TextAtom> {
        let text = self.sketch.shown(&atom.text);
        let room = self.width - self.row.width;
        let mut width = 0.0;
        let mut cut = None;
        for (at, c) in text.char_indices() {
            let advance = letter(atom.font, c).advance * atom.size;
            if at > 0 && width + advance > room {
                cut = Some(at);
                break;
            }
            width += advance;
        }
        let at = atom.text.start + cut? as u32;
        let mut rest = atom.clone();
        rest.text.start = at;
        rest.may_begin = true;
        rest.must_begin = false;
        rest.width = (atom.width - width).max(0.0);
        atom.text.end = at;
        atom.width = width;
        Some(rest)
    }

    fn end_row(&mut self) {
        let mut row = std::mem::take(&mut self.row);
        self.last_break = 0;
        let was_empty = row.atoms.is_empty();
        while let Some(last) = row.atoms.pop_if(|last| last.kind == AtomKind::Space) {
            row.width -= last.width;
        }
        // Where white space stays, a row may be empty.
        if row.atoms.is_empty() && (was_empty || !keeps_space(self.shape)) {
            return;
        }
        let size = row.atoms.iter().map(|atom| atom.size).fold(0.0, f32::max);
        let size = size.max(size_of(self.shape) * 0.7);
        row.height = size * leading(self.shape);
        row.base = row.height / 2.0 + size * 0.34;
        self.rows.push(row);
    }
}

/// Atoms of a row as they stand, from left to right.
pub(super) fn visual_order(atoms: &[TextAtom]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..atoms.len()).collect();
    let highest = atoms.iter().map(|atom| atom.level).max().unwrap_or(0);
    for level in (1..=highest).rev() {
        let mut from = 0;
        while from < order.len() {
            let is_part = |at: &usize| atoms[*at].level >= level;
            if !is_part(&order[from]) {
                from += 1;
                continue;
            }
            let length = order[from..].iter().take_while(|at| is_part(at)).count();
            order[from..from + length].reverse();
            from += length;
        }
    }
    order
}

/// How wide a text is when it is set in one font.
pub(super) fn width_of(text: &str, font: super::fonts::LayoutFont, size: f32) -> f32 {
    match text.chars().any(super::fonts::is_shaped) {
        true => shape_text(font, text, false, size).1,
        false => text.chars().map(|c| letter(font, c).advance * size).sum(),
    }
}

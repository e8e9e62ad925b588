//! Rows of atoms.

use std::ops::Range;

use super::fonts::{LayoutFont, is_shaped, letter, shape as shape_text};
use super::sketch::{BlockShape, DocumentSketch};
use super::text_atoms::{AtomKind, TextAtom, TextDirections, cut_atoms, keeps_space, size_of};

/// Columns between two tab stops.
const TAB_COLUMNS: usize = 8;

/// Row of atoms.
#[derive(Debug, Clone, Default)]
pub(super) struct AtomRow {
    /// Atoms in reading order.
    pub(super) atoms: Vec<TextAtom>,
    pub(super) width: f32,
    /// Distance from its top to the top of the next row.
    pub(super) height: f32,
    /// Distance from its top to the baseline.
    pub(super) baseline: f32,
}

/// Returns the height of a row as a multiple of the font size.
fn leading(shape: BlockShape) -> f32 {
    match shape {
        BlockShape::Heading(_) => 1.3,
        BlockShape::Code | BlockShape::Typed(_) => 1.32,
        _ => 1.45,
    }
}

/// Rows of a block.
pub(super) struct RowList {
    pub(super) rows: Vec<AtomRow>,
    /// True if the block runs from right to left.
    pub(super) is_rtl: bool,
}

/// Sets a block in rows of a width, and passes them to `take` in batches.
pub(super) fn set_rows(
    sketch: &DocumentSketch,
    runs: &Range<u32>,
    shape: BlockShape,
    heading: bool,
    width: f32,
    mut take: impl FnMut(RowList),
) {
    /// Rows of a batch.
    const BATCH: usize = 512;
    let directions = TextDirections::of(sketch, runs);
    let is_rtl = directions.is_rtl;
    let mut setter = RowSetter {
        sketch,
        shape,
        width: width.max(1.0),
        row: AtomRow::default(),
        last_break: 0,
        rows: Vec::new(),
    };
    cut_atoms(sketch, runs, shape, heading, &directions, |atom| {
        setter.add(atom);
        if setter.rows.len() >= BATCH {
            let rows = std::mem::take(&mut setter.rows);
            take(RowList { rows, is_rtl });
        }
    });
    setter.end_row();
    if !setter.rows.is_empty() {
        take(RowList {
            rows: setter.rows,
            is_rtl,
        });
    }
}

/// Returns the width of a block in one row, and the width of its longest word.
pub(super) fn widths(
    sketch: &DocumentSketch,
    runs: &Range<u32>,
    shape: BlockShape,
    heading: bool,
) -> (f32, f32) {
    let directions = TextDirections::of(sketch, runs);
    let (mut most, mut word): (f32, f32) = (0.0, 0.0);
    let (mut row, mut joined) = (0.0, 0.0);
    cut_atoms(sketch, runs, shape, heading, &directions, |atom| {
        if atom.begins_row {
            row = 0.0;
        }
        joined = match atom.can_begin_row || atom.begins_row {
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

/// Setter of the rows of a block.
struct RowSetter<'s> {
    sketch: &'s DocumentSketch,
    shape: BlockShape,
    width: f32,
    row: AtomRow,
    /// Position of the last atom of the row that can begin another row; 0 if there is none.
    last_break: usize,
    rows: Vec<AtomRow>,
}

impl RowSetter<'_> {
    fn add(&mut self, mut atom: TextAtom) {
        let keeps = keeps_space(self.shape);
        if atom.begins_row && !self.row.atoms.is_empty() {
            self.end_row();
        }
        match atom.kind {
            AtomKind::Tab => {
                let stop = atom.width * TAB_COLUMNS as f32;
                let column = (self.row.width / stop + 0.01).floor();
                atom.width = (column + 1.0) * stop - self.row.width;
            }
            AtomKind::Space if !keeps => {
                // White space at the beginning of a row or after other white space is dropped.
                let after = self.row.atoms.last().map(|last| last.kind);
                if matches!(after, None | Some(AtomKind::Space)) {
                    return;
                }
            }
            _ => {}
        }
        let is_space = matches!(atom.kind, AtomKind::Space | AtomKind::Tab);
        while self.row.width + atom.width > self.width + 0.01 && !is_space {
            if atom.can_begin_row && !self.row.atoms.is_empty() {
                self.end_row();
            } else if self.last_break > 0 {
                let rest = self.row.atoms.split_off(self.last_break);
                self.end_row();
                self.row.width = rest.iter().map(|atom| atom.width).sum();
                self.row.atoms = rest;
            } else if !self.row.atoms.is_empty() && self.row.width > self.width * 0.5 {
                self.end_row();
            } else {
                // The atom is longer than a row.
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
        if atom.can_begin_row && !self.row.atoms.is_empty() {
            self.last_break = self.row.atoms.len();
        }
        self.row.width += atom.width;
        self.row.atoms.push(atom);
    }

    /// Cuts an atom at the end of the row. Returns the rest, if there is any.
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
        rest.can_begin_row = true;
        rest.begins_row = false;
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
        // In blocks that keep white space, a row may be empty.
        if row.atoms.is_empty() && (was_empty || !keeps_space(self.shape)) {
            return;
        }
        let size = row.atoms.iter().map(|atom| atom.size).fold(0.0, f32::max);
        let size = size.max(size_of(self.shape) * 0.7);
        row.height = size * leading(self.shape);
        row.baseline = row.height / 2.0 + size * 0.34;
        self.rows.push(row);
    }
}

/// Returns the positions of the atoms of a row, from left to right.
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

/// Returns the width of a text in one font.
pub(super) fn width_of(text: &str, font: LayoutFont, size: f32) -> f32 {
    match text.chars().any(is_shaped) {
        true => shape_text(font, text, false, size).1,
        false => text.chars().map(|c| letter(font, c).advance * size).sum(),
    }
}

//! How lines of a DOCX look on a page.

use std::ops::Range;

use super::story::StoryLine;
use crate::document::LineRole;
use crate::figure::DocumentImage;
use crate::layout::{BlockParent, BlockShape, DocumentSketch, FontFace};

/// Says line by line how a document looks.
#[derive(Debug, Default)]
pub(super) struct DocxSketcher {
    /// The table that is open.
    table: Option<u32>,
}

impl DocxSketcher {
    /// Nothing more belongs to the table that is open.
    pub(super) fn end_table(&mut self, sketch: &mut DocumentSketch) {
        if self.table.take().is_some() {
            sketch.close_table();
        }
    }

    /// A line of the document, by its place, and the images on it.
    pub(super) fn line(
        &mut self,
        sketch: &mut DocumentSketch,
        line: &StoryLine,
        at: u32,
        figures: &[DocumentImage],
    ) {
        let look = &line.look;
        if self.table != look.table {
            if self.table.is_some() {
                sketch.close_table();
            }
            if look.table.is_some() {
                sketch.open_table();
            }
            self.table = look.table;
        }
        if look.table.is_some() {
            return row(sketch, line, at, figures);
        }
        images(sketch, line, figures, (0, false));
        if line.text.is_empty() {
            return;
        }
        if look.continues && look.level == 0 && sketch.has_block() {
            sketch.new_row();
        } else {
            for level in 1..=look.level {
                let marker = match look.bullet && level == look.level {
                    true => String::from("•"),
                    false => String::new(),
                };
                sketch.open(BlockParent::Item { marker });
            }
            sketch.block(shape(line));
        }
        if let Some(number) = &line.number {
            sketch.text(
                at,
                0..number.len() + 1,
                &format!("{number} "),
                FontFace::default(),
            );
        }
        text(sketch, line, at, 0..line.text.len());
        images(sketch, line, figures, (0, true));
        for _ in 0..look.level {
            sketch.close();
        }
    }
}

fn shape(line: &StoryLine) -> BlockShape {
    match (line.role, line.depth) {
        (LineRole::Heading, Some(depth)) => BlockShape::Heading(depth.min(4) as u8 + 1),
        (LineRole::Heading, None) => BlockShape::Heading(1),
        (LineRole::Text, _) => BlockShape::Paragraph,
        _ => BlockShape::Note,
    }
}

/// The cells of a row, each with its images.
fn row(sketch: &mut DocumentSketch, line: &StoryLine, at: u32, figures: &[DocumentImage]) {
    sketch.row();
    for (nth, cell) in line.look.cells.iter().enumerate() {
        sketch.cell(false);
        images(sketch, line, figures, (nth, false));
        if !cell.is_empty() {
            text(sketch, line, at, cell.clone());
        }
        images(sketch, line, figures, (nth, true));
    }
}

/// The images of a cell that stand before its text, or after.
fn images(
    sketch: &mut DocumentSketch,
    line: &StoryLine,
    figures: &[DocumentImage],
    place: (usize, bool),
) {
    let both = line.look.drawings.iter().zip(figures);
    let here: Vec<DocumentImage> = both
        .filter(|(drawing, _)| (drawing.cell, drawing.after_text) == place)
        .map(|(_, figure)| figure.clone())
        .collect();
    if !here.is_empty() {
        sketch.images(here);
    }
}

/// A part of a line, by the looks of its letters.
fn text(sketch: &mut DocumentSketch, line: &StoryLine, at: u32, part: Range<usize>) {
    // The number before a line is part of what the document calls its text.
    let before = line.number.as_ref().map_or(0, |number| number.len() + 1);
    let first = line
        .faces
        .partition_point(|(start, _)| *start <= part.start);
    let mut start = part.start;
    for nth in first.saturating_sub(1)..line.faces.len().max(1) {
        let face = line
            .faces
            .get(nth)
            .map(|(_, face)| *face)
            .unwrap_or_default();
        let next = line.faces.get(nth + 1).map_or(part.end, |(next, _)| *next);
        let end = next.clamp(start, part.end);
        if let Some(shown) = line.text.get(start..end) {
            sketch.text(at, before + start..before + end, shown, face);
        }
        start = end;
        if start >= part.end {
            break;
        }
    }
}

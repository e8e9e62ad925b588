//! Sketch of the layout of a DOCX.

use std::ops::Range;

use super::story::StoryLine;
use crate::document::LineRole;
use crate::embedded_image::DocumentImage;
use crate::layout::{BlockParent, BlockShape, DocumentSketch, FontFace};

/// Sketcher of a document, line by line.
#[derive(Debug, Default)]
pub(super) struct DocxSketcher {
    /// Number of the open table.
    table: Option<u32>,
}

impl DocxSketcher {
    /// Ends the open table.
    pub(super) fn end_table(&mut self, sketch: &mut DocumentSketch) {
        if self.table.take().is_some() {
            sketch.close_table();
        }
    }

    /// Sketches a line of the document with its images. `at` is its position among all lines.
    pub(super) fn add_line(
        &mut self,
        sketch: &mut DocumentSketch,
        line: &StoryLine,
        at: u32,
        images: &[DocumentImage],
    ) {
        let placement = &line.placement;
        if self.table != placement.table {
            if self.table.is_some() {
                sketch.close_table();
            }
            if placement.table.is_some() {
                sketch.open_table();
            }
            self.table = placement.table;
        }
        if placement.table.is_some() {
            return add_row(sketch, line, at, images);
        }
        add_images(sketch, line, images, (0, false));
        if line.text.is_empty() {
            return;
        }
        if placement.is_continuation && placement.level == 0 && sketch.has_open_block() {
            sketch.begin_row();
        } else {
            for level in 1..=placement.level {
                let marker = match placement.has_bullet && level == placement.level {
                    true => String::from("•"),
                    false => String::new(),
                };
                sketch.open_container(BlockParent::Item { marker });
            }
            sketch.begin_block(shape(line));
        }
        if let Some(number) = &line.number {
            sketch.add_text(
                at,
                0..number.len() + 1,
                &format!("{number} "),
                FontFace::default(),
            );
        }
        add_text(sketch, line, at, 0..line.text.len());
        add_images(sketch, line, images, (0, true));
        for _ in 0..placement.level {
            sketch.close_container();
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

/// Sketches the cells of a row, each with its images.
fn add_row(sketch: &mut DocumentSketch, line: &StoryLine, at: u32, images: &[DocumentImage]) {
    sketch.begin_table_row();
    for (nth, cell) in line.placement.cells.iter().enumerate() {
        sketch.begin_cell(false);
        add_images(sketch, line, images, (nth, false));
        if !cell.is_empty() {
            add_text(sketch, line, at, cell.clone());
        }
        add_images(sketch, line, images, (nth, true));
    }
}

/// Sketches the images of a cell before its text, or those after it. `position` is the cell and true for those
/// after the text.
fn add_images(
    sketch: &mut DocumentSketch,
    line: &StoryLine,
    images: &[DocumentImage],
    position: (usize, bool),
) {
    let both = line.placement.drawings.iter().zip(images);
    let here: Vec<DocumentImage> = both
        .filter(|(drawing, _)| (drawing.cell, drawing.is_after_text) == position)
        .map(|(_, image)| image.clone())
        .collect();
    if !here.is_empty() {
        sketch.add_images(here);
    }
}

/// Sketches a part of a line with the styles of its letters.
fn add_text(sketch: &mut DocumentSketch, line: &StoryLine, at: u32, part: Range<usize>) {
    // The line of the document begins with the number.
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
            sketch.add_text(at, before + start..before + end, shown, face);
        }
        start = end;
        if start >= part.end {
            break;
        }
    }
}

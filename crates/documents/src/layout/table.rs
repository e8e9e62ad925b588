//! Tables: columns as wide as they need to be, rows that stay on a page.

use std::ops::Range;

use super::InkColour;
use super::images::ImageRow;
use super::pages::{PageSetter, TextColumn, space_before};
use super::rows::{AtomRow, set, widths};
use super::sketch::SketchItem;

/// Tables with more columns are set cell by cell.
const MAX_COLUMNS: usize = 24;
/// So many rows decide how wide the columns are.
const MEASURED: usize = 1000;
/// The room around the text of a cell.
const PADDING: (f32, f32) = (5.0, 3.0);
/// How high an image in a cell is, at most.
const IMAGE_HEIGHT: f32 = 400.0;
/// How narrow an image in a cell becomes before text does.
const IMAGE_WIDTH: f32 = 60.0;

/// A cell: its items, and whether it is a heading.
#[derive(Debug, Clone)]
struct TableCell {
    items: Range<usize>,
    heading: bool,
}

/// What stands in a cell, and how far below its top.
enum CellContent {
    Text(f32, AtomRow, bool),
    Images(f32, ImageRow),
}

impl PageSetter<'_> {
    /// Sets a table; its items are given.
    pub(super) fn table(&mut self, items: Range<usize>) {
        let rows = self.cells(items.clone());
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let whole = self.column();
        if columns == 0 || columns > MAX_COLUMNS || whole.width < 30.0 * columns as f32 {
            return self.stack(items);
        }
        // What stands before the first row, a caption for example.
        let first = rows
            .iter()
            .flatten()
            .next()
            .map_or(items.end, |cell| cell.items.start);
        self.stack(items.start..first);
        let widths = self.widths(&rows, columns, whole.width);
        if !self.is_at_top() {
            self.y += 7.0;
        }
        for (nth, row) in rows.iter().enumerate() {
            let set = self.set_row(row, &widths);
            // A heading stays with the row below it.
            if row.iter().all(|cell| cell.heading)
                && let Some(next) = rows.get(nth + 1)
            {
                let next = self.set_row(next, &widths).1;
                if set.1 + next <= Self::highest_row() {
                    self.room(set.1 + next);
                }
            }
            self.table_row(row, set, &widths, whole.left);
        }
        self.y += 4.0;
    }

    /// Sets items one below the other.
    fn stack(&mut self, items: Range<usize>) {
        let sketch = self.sketch;
        for item in sketch.items.get(items).unwrap_or_default() {
            self.item(item);
        }
    }

    fn cells(&self, items: Range<usize>) -> Vec<Vec<TableCell>> {
        let mut rows: Vec<Vec<TableCell>> = Vec::new();
        let mut at = items.start;
        let close = |rows: &mut Vec<Vec<TableCell>>, at: usize| {
            if let Some(cell) = rows.last_mut().and_then(|row| row.last_mut())
                && cell.items.end == usize::MAX
            {
                cell.items.end = at;
            }
        };
        while at < items.end {
            match &self.sketch.items[at] {
                SketchItem::Row => {
                    close(&mut rows, at);
                    rows.push(Vec::new());
                }
                SketchItem::Cell { heading } => {
                    close(&mut rows, at);
                    if rows.is_empty() {
                        rows.push(Vec::new());
                    }
                    if let Some(row) = rows.last_mut() {
                        row.push(TableCell {
                            items: at + 1..usize::MAX,
                            heading: *heading,
                        });
                    }
                }
                // A table in a cell is set cell by cell.
                SketchItem::Table { end } => at = (*end as usize).min(items.end),
                _ => {}
            }
            at += 1;
        }
        close(&mut rows, items.end);
        rows.retain(|row| !row.is_empty());
        rows
    }

    fn widths(&self, rows: &[Vec<TableCell>], columns: usize, whole: f32) -> Vec<f32> {
        let mut most = vec![0.0_f32; columns];
        let mut least = vec![0.0_f32; columns];
        for row in rows.iter().take(MEASURED) {
            for (column, cell) in row.iter().enumerate() {
                for item in self.items_of(cell) {
                    let (wide, word) = match item {
                        SketchItem::Block { shape, runs } => {
                            widths(self.sketch, runs, *shape, cell.heading)
                        }
                        SketchItem::Images(shown) => {
                            let wide = self.widest_image(shown, (whole, IMAGE_HEIGHT));
                            (wide, wide.min(IMAGE_WIDTH))
                        }
                        _ => continue,
                    };
                    most[column] = most[column].max(wide);
                    least[column] = least[column].max(word);
                }
            }
        }
        let padding = 2.0 * PADDING.0;
        let room = whole - padding * columns as f32;
        let total: f32 = most.iter().sum();
        if total <= room {
            return most.iter().map(|width| width + padding + 0.5).collect();
        }
        // No word takes more than its share, so that others keep theirs.
        let share = room / columns as f32;
        let least: Vec<f32> = least.iter().map(|width| width.min(share)).collect();
        let rest = room - least.iter().sum::<f32>();
        let wished: f32 = most
            .iter()
            .zip(&least)
            .map(|(most, least)| (most - least).max(0.0))
            .sum();
        let grown = |(most, least): (&f32, &f32)| {
            least + rest * (most - least).max(0.0) / wished.max(1.0) + padding
        };
        most.iter().zip(&least).map(grown).collect()
    }

    fn items_of(&self, cell: &TableCell) -> &[SketchItem] {
        self.sketch
            .items
            .get(cell.items.clone())
            .unwrap_or_default()
    }

    /// What is higher than this is set cell by cell.
    fn highest_row() -> f32 {
        Self::bottom() - 140.0
    }

    /// The cells of a row, and how high it is.
    fn set_row(&self, row: &[TableCell], widths: &[f32]) -> (Vec<Vec<CellContent>>, f32) {
        let sketch = self.sketch;
        let mut set_cells: Vec<Vec<CellContent>> = Vec::new();
        let mut height: f32 = 0.0;
        let limit = Self::highest_row();
        for (cell, width) in row.iter().zip(widths) {
            let mut rows = Vec::new();
            let mut y = PADDING.1;
            for item in self.items_of(cell) {
                let inner = width - 2.0 * PADDING.0;
                match item {
                    SketchItem::Block { shape, runs } => {
                        if !rows.is_empty() {
                            y += space_before(*shape, 1);
                        }
                        set(sketch, runs, *shape, cell.heading, inner, |set| {
                            for row in set.rows {
                                let next = y + row.height;
                                // What is higher than a page is set in another way.
                                if next < limit * 2.0 {
                                    rows.push(CellContent::Text(y, row, set.leftwards));
                                }
                                y = next;
                            }
                        });
                    }
                    SketchItem::Images(shown) => {
                        for row in self.image_rows(shown, (inner, IMAGE_HEIGHT)) {
                            let next = y + row.height + 4.0;
                            rows.push(CellContent::Images(y + 2.0, row));
                            y = next;
                        }
                    }
                    _ => {}
                }
            }
            height = height.max(y + PADDING.1);
            set_cells.push(rows);
        }
        (set_cells, height)
    }

    fn table_row(
        &mut self,
        row: &[TableCell],
        (set_cells, height): (Vec<Vec<CellContent>>, f32),
        widths: &[f32],
        left: f32,
    ) {
        let sketch = self.sketch;
        if height > Self::highest_row() {
            for cell in row {
                let items = sketch.items.get(cell.items.clone()).unwrap_or_default();
                for item in items {
                    match item {
                        SketchItem::Block { shape, runs } => self.block(*shape, runs, cell.heading),
                        other => self.item(other),
                    }
                }
            }
            return;
        }
        self.room(height);
        let (top, mut x) = (self.y, left);
        for ((cell, rows), width) in row.iter().zip(&set_cells).zip(widths) {
            if cell.heading {
                self.fill(x, top, *width, height, InkColour::Ground);
            }
            self.frame(x, top, *width + 0.75, height + 0.75);
            let inner = TextColumn {
                left: x + PADDING.0,
                width: width - 2.0 * PADDING.0,
            };
            for part in rows {
                match part {
                    CellContent::Text(y, row, leftwards) => {
                        self.row(row, inner, top + y, *leftwards);
                    }
                    CellContent::Images(y, row) => self.image_row(row, inner.left, top + y),
                }
            }
            x += width;
        }
        self.y = top + height;
    }
}

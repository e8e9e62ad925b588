//! Tables: columns as wide as their content, rows that stay on one page.

use std::ops::Range;

use super::InkColour;
use super::canvas::TextColumn;
use super::images::ImageRow;
use super::pages::{PageSetter, space_before};
use super::rows::{AtomRow, set_rows, widths};
use super::sketch::SketchItem;

/// Largest number of columns of a table; one with more is set cell by cell.
const MAX_COLUMNS: usize = 24;
/// Number of rows that decide the widths of the columns.
const MEASURED_ROWS: usize = 1000;
/// Horizontal and vertical space around the text of a cell.
const PADDING: (f32, f32) = (5.0, 3.0);
/// Largest height of an image in a cell.
const MAX_IMAGE_HEIGHT: f32 = 400.0;
/// Width to which an image in a cell shrinks before text does.
const MIN_IMAGE_WIDTH: f32 = 60.0;

/// Cell with the range of its items.
#[derive(Debug, Clone)]
struct TableCell {
    items: Range<usize>,
    is_heading: bool,
}

/// Content of a cell, with its distance from the top.
enum CellContent {
    Text(f32, AtomRow, bool),
    Images(f32, ImageRow),
}

impl PageSetter<'_> {
    /// Sets a table with these items.
    pub(super) fn set_table(&mut self, items: Range<usize>) {
        let rows = self.table_cells(items.clone());
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let whole = self.column();
        if columns == 0 || columns > MAX_COLUMNS || whole.width < 30.0 * columns as f32 {
            return self.set_stacked(items);
        }
        // Items before the first row, a caption for example.
        let first = rows
            .iter()
            .flatten()
            .next()
            .map_or(items.end, |cell| cell.items.start);
        self.set_stacked(items.start..first);
        let widths = self.column_widths(&rows, columns, whole.width);
        if !self.is_at_top() {
            self.y += 7.0;
        }
        for (nth, row) in rows.iter().enumerate() {
            let set = self.set_row(row, &widths);
            // A heading stays with the row below it.
            if row.iter().all(|cell| cell.is_heading)
                && let Some(next) = rows.get(nth + 1)
            {
                let next = self.set_row(next, &widths).1;
                if set.1 + next <= Self::max_row_height() {
                    self.ensure_room(set.1 + next);
                }
            }
            self.add_table_row(row, set, &widths, whole.left);
        }
        self.y += 4.0;
    }

    /// Sets items one below the other.
    fn set_stacked(&mut self, items: Range<usize>) {
        let sketch = self.sketch;
        for item in sketch.items.get(items).unwrap_or_default() {
            self.set_item(item);
        }
    }

    /// Returns the cells of a table, row by row.
    fn table_cells(&self, items: Range<usize>) -> Vec<Vec<TableCell>> {
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
                            is_heading: *heading,
                        });
                    }
                }
                // A table in a cell is set cell by cell later.
                SketchItem::Table { end } => at = (*end as usize).min(items.end),
                _ => {}
            }
            at += 1;
        }
        close(&mut rows, items.end);
        rows.retain(|row| !row.is_empty());
        rows
    }

    /// Returns the widths of the columns, which together fit into `whole`.
    fn column_widths(&self, rows: &[Vec<TableCell>], columns: usize, whole: f32) -> Vec<f32> {
        let mut most = vec![0.0_f32; columns];
        let mut least = vec![0.0_f32; columns];
        for row in rows.iter().take(MEASURED_ROWS) {
            for (column, cell) in row.iter().enumerate() {
                for item in self.items_of(cell) {
                    let (wide, word) = match item {
                        SketchItem::Block { shape, runs } => {
                            widths(self.sketch, runs, *shape, cell.is_heading)
                        }
                        SketchItem::Images(shown) => {
                            let wide = self.widest_image(shown, (whole, MAX_IMAGE_HEIGHT));
                            (wide, wide.min(MIN_IMAGE_WIDTH))
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
        // A long word gets at most an equal share of the width.
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

    /// Returns the height above which a row is set cell by cell.
    fn max_row_height() -> f32 {
        Self::bottom() - 140.0
    }

    /// Sets the cells of a row. Returns their contents and the height of the row.
    fn set_row(&self, row: &[TableCell], widths: &[f32]) -> (Vec<Vec<CellContent>>, f32) {
        let sketch = self.sketch;
        let mut set_cells: Vec<Vec<CellContent>> = Vec::new();
        let mut height: f32 = 0.0;
        let limit = Self::max_row_height();
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
                        set_rows(sketch, runs, *shape, cell.is_heading, inner, |set| {
                            for row in set.rows {
                                let next = y + row.height;
                                // A cell that is higher than a page is set in another way.
                                if next < limit * 2.0 {
                                    rows.push(CellContent::Text(y, row, set.is_rtl));
                                }
                                y = next;
                            }
                        });
                    }
                    SketchItem::Images(shown) => {
                        for row in self.image_rows(shown, (inner, MAX_IMAGE_HEIGHT)) {
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

    /// Adds a row that was set, or stacks its cells if it is too high for a page.
    fn add_table_row(
        &mut self,
        row: &[TableCell],
        (set_cells, height): (Vec<Vec<CellContent>>, f32),
        widths: &[f32],
        left: f32,
    ) {
        let sketch = self.sketch;
        if height > Self::max_row_height() {
            for cell in row {
                let items = sketch.items.get(cell.items.clone()).unwrap_or_default();
                for item in items {
                    match item {
                        SketchItem::Block { shape, runs } => {
                            self.set_block(*shape, runs, cell.is_heading);
                        }
                        other => self.set_item(other),
                    }
                }
            }
            return;
        }
        self.ensure_room(height);
        let (top, mut x) = (self.y, left);
        for ((cell, rows), width) in row.iter().zip(&set_cells).zip(widths) {
            if cell.is_heading {
                self.canvas.fill(x, top, *width, height, InkColour::Ground);
            }
            self.canvas.frame(x, top, *width + 0.75, height + 0.75);
            let inner = TextColumn {
                left: x + PADDING.0,
                width: width - 2.0 * PADDING.0,
            };
            for part in rows {
                match part {
                    CellContent::Text(y, row, is_rtl) => {
                        self.canvas.set_row(row, inner, top + y, *is_rtl);
                    }
                    CellContent::Images(y, row) => self.set_image_row(row, inner.left, top + y),
                }
            }
            x += width;
        }
        self.y = top + height;
    }
}

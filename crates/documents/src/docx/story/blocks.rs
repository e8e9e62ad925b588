//! Paragraphs, rows of tables and text boxes, which become lines.

use super::super::line::DocxLine;
use super::super::styles::DocxStyle;
use super::lines::{InlineDrawing, LinePlacement, StoryLine, flatten};
use crate::digit_position::DigitPosition;
use crate::document::{LineRole, TextStreamRole};
use crate::layout::FontFace;

/// Largest number of bytes of a row that becomes one line. A row with headings or tables in it does not.
const MAX_ROW: usize = 600;
/// Deepest nesting of tables and text boxes; lines of deeper ones are ordinary lines.
const MAX_CONTAINERS: usize = 24;

/// Paragraph under construction.
#[derive(Debug, Default)]
pub(super) struct ParagraphBlock {
    line: DocxLine,
    hidden: DocxLine,
    ruby: DocxLine,
    beside: Vec<(TextStreamRole, String)>,
    /// Lines of notes and text boxes that belong to this paragraph.
    pub(super) apart: Vec<StoryLine>,
    pub(super) style: Option<String>,
    pub(super) depth: Option<u32>,
    pub(super) is_title: bool,
    /// List and level, until the paragraph is counted.
    pub(super) list: Option<(u32, Option<u32>)>,
    pub(super) number: Option<String>,
    /// True if the next paragraph continues it.
    pub(super) joins_next: bool,
    /// True if the next line continues the paragraph.
    pub(super) is_continuation: bool,
    /// Nesting level of lists, from 1; 0 outside of lists.
    pub(super) level: usize,
    pub(super) has_bullet: bool,
    drawings: Vec<InlineDrawing>,
    /// Pages that begin before the line.
    pages: PageStarts,
    /// Pages that begin before the next line.
    next_pages: PageStarts,
    /// True if a page ends with it.
    pub(super) ends_page: bool,
}

/// Reason of a page break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageBreak {
    /// Explicit break in the text.
    Asked,
    /// Property of the paragraph or section.
    Implied,
    /// Break of the last rendering by the word processor, for any reason.
    Rendered,
}

/// Pages that begin at one position.
#[derive(Debug, Clone, Copy, Default)]
struct PageStarts {
    count: u32,
    /// True if the last break was in the last rendering.
    is_rendered: bool,
}

impl PageStarts {
    /// Adds a break. One break may be stated in several ways; only explicit ones add up.
    fn add(&mut self, kind: PageBreak) {
        match kind {
            PageBreak::Asked => {
                self.count = self.count.saturating_add(1);
                self.is_rendered = false;
            }
            PageBreak::Implied => self.count = self.count.max(1),
            PageBreak::Rendered => {
                if self.count == 0 || self.is_rendered {
                    self.count = self.count.saturating_add(1);
                }
                self.is_rendered = true;
            }
        }
    }
}

/// Largest number of images on a line.
const MAX_DRAWINGS: usize = 16;

impl ParagraphBlock {
    /// Begins a paragraph with the default style. Text that was added before belongs to it.
    pub(super) fn begin(&mut self, default: &DocxStyle) {
        self.style = None;
        self.depth = default.paragraph.outline.filter(|depth| *depth < 9);
        self.is_title = false;
        self.list = None;
        self.number = None;
        self.joins_next = false;
        self.is_continuation = false;
        self.level = 0;
        self.has_bullet = false;
    }

    /// Returns true if the line has text or images.
    pub(super) fn is_begun(&self) -> bool {
        !self.line.is_empty() || !self.drawings.is_empty()
    }

    /// Ends a page before the line, or after it if it was begun.
    pub(super) fn end_page(&mut self, kind: PageBreak) {
        match self.is_begun() {
            true => self.next_pages.add(kind),
            false => self.pages.add(kind),
        }
    }

    /// Adds an image to the line.
    pub(super) fn add_drawing(&mut self, drawing: InlineDrawing) {
        if self.drawings.len() < MAX_DRAWINGS {
            let is_after_text = !self.line.is_empty();
            self.drawings.push(InlineDrawing {
                is_after_text,
                ..drawing
            });
        }
    }

    /// Returns the last image.
    pub(super) fn last_drawing(&mut self) -> Option<&mut InlineDrawing> {
        self.drawings.last_mut()
    }

    /// Returns the visible text.
    pub(super) fn line(&mut self) -> &mut DocxLine {
        self.end_hidden();
        &mut self.line
    }

    /// Returns the hidden text.
    pub(super) fn hidden(&mut self) -> &mut DocxLine {
        &mut self.hidden
    }

    /// Returns the reading of characters.
    pub(super) fn ruby(&mut self) -> &mut DocxLine {
        &mut self.ruby
    }

    fn end_hidden(&mut self) {
        if !self.hidden.is_empty() {
            let text = self.hidden.take();
            self.beside.push((TextStreamRole::Hidden, text));
        }
    }

    /// Ends the reading of characters.
    pub(super) fn end_ruby(&mut self) {
        if !self.ruby.is_empty() {
            let text = self.ruby.take();
            self.beside.push((TextStreamRole::Apart, text));
        }
    }

    /// Adds a text of another text stream to the line.
    pub(super) fn add_beside(&mut self, role: TextStreamRole, text: &str) {
        let mut line = DocxLine::default();
        line.push(text, DigitPosition::Normal, FontFace::default());
        if !line.is_empty() {
            self.beside.push((role, line.take()));
        }
    }

    /// Returns the text so far as a line.
    pub(super) fn take_line(&mut self, role: LineRole) -> StoryLine {
        self.end_hidden();
        self.end_ruby();
        let mut pages = 0;
        if self.is_begun() {
            pages = std::mem::replace(&mut self.pages, self.next_pages).count;
            self.next_pages = PageStarts::default();
        }
        let (text, faces) = self.line.take_with_faces();
        let is_heading = self.depth.is_some() || self.is_title;
        StoryLine {
            pages,
            text,
            faces,
            placement: LinePlacement {
                is_continuation: self.is_continuation,
                level: self.level,
                has_bullet: std::mem::take(&mut self.has_bullet),
                table: None,
                cells: Vec::new(),
                drawings: std::mem::take(&mut self.drawings),
            },
            role: match role {
                LineRole::Text if is_heading => LineRole::Heading,
                role => role,
            },
            number: self.number.take(),
            depth: self.depth,
            is_title: self.is_title,
            beside: std::mem::take(&mut self.beside),
            apart: std::mem::take(&mut self.apart),
        }
    }
}

/// Container of lines.
#[derive(Debug)]
enum BlockContainer {
    Row {
        /// Positions of the first lines of its cells.
        cells: Vec<usize>,
        /// True if the last cell is deleted.
        cell_deleted: bool,
        deleted: bool,
        /// True if there is a table in it.
        has_tables: bool,
    },
    /// Text box with the paragraph that it belongs to.
    TextBox(Box<ParagraphBlock>),
}

/// Lines of a story.
#[derive(Debug, Default)]
pub(super) struct StoryBlocks {
    lines: Vec<StoryLine>,
    /// Open containers, each with the lines before it.
    open: Vec<(BlockContainer, Vec<StoryLine>)>,
    /// Numbers of the open tables.
    tables: Vec<u32>,
    /// Number of tables so far.
    count: u32,
}

impl StoryBlocks {
    /// Adds a line, unless it is empty or deleted.
    pub(super) fn push(&mut self, line: StoryLine) {
        let deleted = matches!(
            self.open.last(),
            Some((
                BlockContainer::Row {
                    cell_deleted: true,
                    ..
                },
                _
            ))
        );
        let is_empty = line.text.is_empty()
            && line.beside.is_empty()
            && line.apart.is_empty()
            && line.placement.drawings.is_empty();
        if deleted || is_empty {
            return;
        }
        self.lines.push(line);
    }

    /// Returns true if nothing was added.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.open.is_empty()
    }

    pub(super) fn is_in_row(&self) -> bool {
        matches!(self.open.last(), Some((BlockContainer::Row { .. }, _)))
    }

    pub(super) fn begin_table(&mut self) {
        self.count = self.count.saturating_add(1);
        self.tables.push(self.count);
    }

    pub(super) fn end_table(&mut self) {
        self.tables.pop();
    }

    /// Begins a row. Returns false if tables are nested too deeply.
    pub(super) fn begin_row(&mut self) -> bool {
        let row = BlockContainer::Row {
            cells: Vec::new(),
            cell_deleted: false,
            deleted: false,
            has_tables: false,
        };
        self.begin(row)
    }

    fn begin(&mut self, container: BlockContainer) -> bool {
        if self.open.len() >= MAX_CONTAINERS {
            return false;
        }
        self.open.push((container, std::mem::take(&mut self.lines)));
        true
    }

    pub(super) fn begin_cell(&mut self) {
        let at = self.lines.len();
        if let Some((
            BlockContainer::Row {
                cells,
                cell_deleted,
                ..
            },
            _,
        )) = self.open.last_mut()
        {
            cells.push(at);
            *cell_deleted = false;
        }
    }

    /// Marks the row or its last cell as deleted.
    pub(super) fn delete(&mut self, row: bool) {
        if let Some((
            BlockContainer::Row {
                deleted,
                cell_deleted,
                ..
            },
            _,
        )) = self.open.last_mut()
        {
            match row {
                true => *deleted = true,
                false => *cell_deleted = true,
            }
        }
    }

    pub(super) fn end_row(&mut self) {
        let Some((container, around)) = self.open.pop() else {
            return;
        };
        let lines = std::mem::replace(&mut self.lines, around);
        let BlockContainer::Row {
            cells,
            deleted,
            has_tables,
            ..
        } = container
        else {
            return;
        };
        if deleted {
            return;
        }
        let letters: usize = lines.iter().map(|line| line.text.len()).sum();
        let is_separate = |line: &StoryLine| line.depth.is_some() || line.number.is_some();
        if has_tables || letters > MAX_ROW || lines.iter().any(is_separate) {
            self.lines.extend(lines);
        } else {
            let mut row = one_line(lines, &cells);
            row.placement.table = self.tables.last().copied();
            self.push(row);
        }
        if let Some((BlockContainer::Row { has_tables, .. }, _)) = self.open.last_mut() {
            *has_tables = true;
        }
    }

    /// Begins a text box and keeps the current paragraph for its end. Returns false if boxes are nested too deeply.
    pub(super) fn begin_box(&mut self, block: &mut ParagraphBlock) -> bool {
        if self.open.len() >= MAX_CONTAINERS {
            return false;
        }
        let around = BlockContainer::TextBox(Box::new(std::mem::take(block)));
        self.begin(around)
    }

    /// Ends a text box. Its lines go to the paragraph that it belongs to.
    pub(super) fn end_box(&mut self, block: &mut ParagraphBlock) {
        let Some((container, around)) = self.open.pop() else {
            return;
        };
        let lines = std::mem::replace(&mut self.lines, around);
        let BlockContainer::TextBox(paragraph) = container else {
            return;
        };
        *block = *paragraph;
        for mut line in flatten(lines) {
            if line.role.is_body() {
                line.role = LineRole::Aside;
            }
            (line.depth, line.is_title) = (None, false);
            block.apart.push(line);
        }
    }

    /// Returns the lines so far.
    pub(super) fn take(&mut self) -> Vec<StoryLine> {
        while !self.open.is_empty() {
            self.end_row();
        }
        std::mem::take(&mut self.lines)
    }
}

/// Joins the lines of a row to one, with a tab between cells.
fn one_line(lines: Vec<StoryLine>, cells: &[usize]) -> StoryLine {
    let mut row = StoryLine::default();
    let mut cells = cells.iter().peekable();
    for (at, line) in lines.into_iter().enumerate() {
        let mut gap = " ";
        while cells.next_if(|cell| **cell <= at).is_some() {
            gap = "\t";
            row.placement.cells.push(row.text.len()..row.text.len());
        }
        if !row.text.is_empty() && !line.text.is_empty() {
            row.text.push_str(gap);
        }
        let start = row.text.len();
        row.pages = row.pages.saturating_add(line.pages);
        row.text.push_str(&line.text);
        let faces = line.faces.into_iter();
        row.faces.extend(faces.map(|(at, face)| (start + at, face)));
        if row.placement.cells.is_empty() {
            row.placement.cells.push(0..0);
        }
        let nth = row.placement.cells.len() - 1;
        if let Some(cell) = row.placement.cells.last_mut()
            && !line.text.is_empty()
        {
            let was_empty = cell.start == cell.end;
            let begins = if was_empty { start } else { cell.start };
            *cell = begins..row.text.len();
        }
        let drawings = line.placement.drawings.into_iter();
        row.placement
            .drawings
            .extend(drawings.map(|drawing| InlineDrawing {
                cell: nth,
                ..drawing
            }));
        if line.role != LineRole::Text {
            row.role = line.role;
        }
        row.beside.extend(line.beside);
        row.apart.extend(line.apart);
    }
    // Empty cells at the end.
    let end = row.text.len();
    row.placement.cells.extend(cells.map(|_| end..end));
    row
}

//! Lines as they come out of paragraphs, rows of tables and text boxes.

use super::super::line::DocxLine;
use super::super::styles::DocxStyle;
use super::{InlineDrawing, LinePlacement, PageBreak, StoryLine, flat};
use crate::document::{LineRole, TextStreamRole};
use crate::layout::FontFace;

/// A row with more letters than this is not one line, nor is one with headings or tables in it.
const MAX_ROW: usize = 600;
/// Tables in tables and boxes in boxes, beyond which their lines are simply lines.
const MAX_CONTAINERS: usize = 24;

/// A paragraph that is being set.
#[derive(Debug, Default)]
pub(super) struct ParagraphBlock {
    line: DocxLine,
    hidden: DocxLine,
    ruby: DocxLine,
    beside: Vec<(TextStreamRole, String)>,
    /// Lines that belong to this paragraph and stand apart.
    pub(super) apart: Vec<StoryLine>,
    pub(super) style: Option<String>,
    pub(super) depth: Option<u32>,
    pub(super) title: bool,
    /// Its list and level, until it was counted.
    pub(super) list: Option<(u32, Option<u32>)>,
    pub(super) number: Option<String>,
    /// The next paragraph goes on with it.
    pub(super) joins: bool,
    /// It was broken: the next line goes on with it.
    pub(super) continues: bool,
    /// How deep in lists it is, from 1.
    pub(super) level: usize,
    pub(super) bullet: bool,
    drawings: Vec<InlineDrawing>,
    /// How many pages begin before the line, and before the next one.
    pages: PageStarts,
    next: PageStarts,
    /// A page ends with it.
    pub(super) ends_page: bool,
}

/// Pages that begin at one place.
#[derive(Debug, Clone, Copy, Default)]
struct PageStarts {
    count: u32,
    /// Whether the word processor has said so of the last one.
    rendered: bool,
}

impl PageStarts {
    /// One break is said in several ways; only those that the writer asked for add up.
    fn add(&mut self, kind: PageBreak) {
        match kind {
            PageBreak::Asked => {
                self.count = self.count.saturating_add(1);
                self.rendered = false;
            }
            PageBreak::Implied => self.count = self.count.max(1),
            PageBreak::Rendered => {
                if self.count == 0 || self.rendered {
                    self.count = self.count.saturating_add(1);
                }
                self.rendered = true;
            }
        }
    }
}

/// More images on a line than there are.
const MAX_DRAWINGS: usize = 16;

impl ParagraphBlock {
    /// Begins a paragraph that has what is usual; what was set already belongs to it.
    pub(super) fn begin(&mut self, usual: &DocxStyle) {
        self.style = None;
        self.depth = usual.paragraph.outline.filter(|depth| *depth < 9);
        self.title = false;
        self.list = None;
        self.number = None;
        self.joins = false;
        self.continues = false;
        self.level = 0;
        self.bullet = false;
    }

    /// Whether there is something on the line.
    pub(super) fn is_begun(&self) -> bool {
        !self.line.is_empty() || !self.drawings.is_empty()
    }

    /// A page ends before the line, or after it if it was begun.
    pub(super) fn end_page(&mut self, kind: PageBreak) {
        match self.is_begun() {
            true => self.next.add(kind),
            false => self.pages.add(kind),
        }
    }

    /// There is an image on the line.
    pub(super) fn draw(&mut self, drawing: InlineDrawing) {
        if self.drawings.len() < MAX_DRAWINGS {
            let after_text = !self.line.is_empty();
            self.drawings.push(InlineDrawing {
                after_text,
                ..drawing
            });
        }
    }

    /// The image that was drawn last.
    pub(super) fn last_drawing(&mut self) -> Option<&mut InlineDrawing> {
        self.drawings.last_mut()
    }

    pub(super) fn line(&mut self) -> &mut DocxLine {
        self.end_hidden();
        &mut self.line
    }

    pub(super) fn hidden(&mut self) -> &mut DocxLine {
        &mut self.hidden
    }

    pub(super) fn ruby(&mut self) -> &mut DocxLine {
        &mut self.ruby
    }

    fn end_hidden(&mut self) {
        if !self.hidden.is_empty() {
            let text = self.hidden.take();
            self.beside.push((TextStreamRole::Hidden, text));
        }
    }

    /// What was set as the reading of characters is complete.
    pub(super) fn end_ruby(&mut self) {
        if !self.ruby.is_empty() {
            let text = self.ruby.take();
            self.beside.push((TextStreamRole::Apart, text));
        }
    }

    /// Adds a text that belongs to the line.
    pub(super) fn beside(&mut self, role: TextStreamRole, text: &str) {
        let mut line = DocxLine::default();
        line.push(text, super::VerticalAlign::Normal, FontFace::default());
        if !line.is_empty() {
            self.beside.push((role, line.take()));
        }
    }

    /// What was set so far, as a line.
    pub(super) fn take_line(&mut self, role: LineRole) -> StoryLine {
        self.end_hidden();
        self.end_ruby();
        let mut pages = 0;
        if self.is_begun() {
            pages = std::mem::replace(&mut self.pages, self.next).count;
            self.next = PageStarts::default();
        }
        let (text, faces) = self.line.take_with_faces();
        let is_heading = self.depth.is_some() || self.title;
        StoryLine {
            pages,
            text,
            faces,
            look: LinePlacement {
                continues: self.continues,
                level: self.level,
                bullet: std::mem::take(&mut self.bullet),
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
            title: self.title,
            beside: std::mem::take(&mut self.beside),
            apart: std::mem::take(&mut self.apart),
        }
    }
}

/// What lines are collected in.
#[derive(Debug)]
enum BlockContainer {
    Row {
        /// Where its cells begin among its lines.
        cells: Vec<usize>,
        /// Whether the cell that was begun last is deleted.
        cell_deleted: bool,
        deleted: bool,
        /// Whether there is a table in it.
        tables: bool,
    },
    /// A text box, and the paragraph that it hangs on.
    TextBox(Box<ParagraphBlock>),
}

/// The lines of a story.
#[derive(Debug, Default)]
pub(super) struct StoryBlocks {
    lines: Vec<StoryLine>,
    /// What is open, each with the lines around it.
    open: Vec<(BlockContainer, Vec<StoryLine>)>,
    /// The tables that are open, by number.
    tables: Vec<u32>,
    /// How many tables there were.
    count: u32,
}

impl StoryBlocks {
    /// Adds a line, if there is anything on it.
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
            && line.look.drawings.is_empty();
        if deleted || is_empty {
            return;
        }
        self.lines.push(line);
    }

    /// Whether nothing was added yet.
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

    /// Begins a row, unless tables are too deep in tables.
    pub(super) fn begin_row(&mut self) -> bool {
        let row = BlockContainer::Row {
            cells: Vec::new(),
            cell_deleted: false,
            deleted: false,
            tables: false,
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

    /// The row, or the cell that was begun last, is deleted.
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
            tables,
            ..
        } = container
        else {
            return;
        };
        if deleted {
            return;
        }
        let letters: usize = lines.iter().map(|line| line.text.len()).sum();
        let apart = |line: &StoryLine| line.depth.is_some() || line.number.is_some();
        if tables || letters > MAX_ROW || lines.iter().any(apart) {
            self.lines.extend(lines);
        } else {
            let mut row = one_line(lines, &cells);
            row.look.table = self.tables.last().copied();
            self.push(row);
        }
        if let Some((BlockContainer::Row { tables, .. }, _)) = self.open.last_mut() {
            *tables = true;
        }
    }

    /// Begins a text box, unless boxes are too deep in boxes. The paragraph is put aside.
    pub(super) fn begin_box(&mut self, block: &mut ParagraphBlock) -> bool {
        if self.open.len() >= MAX_CONTAINERS {
            return false;
        }
        let around = BlockContainer::TextBox(Box::new(std::mem::take(block)));
        self.begin(around)
    }

    /// The lines of the box go to the paragraph that it hangs on.
    pub(super) fn end_box(&mut self, block: &mut ParagraphBlock) {
        let Some((container, around)) = self.open.pop() else {
            return;
        };
        let lines = std::mem::replace(&mut self.lines, around);
        let BlockContainer::TextBox(paragraph) = container else {
            return;
        };
        *block = *paragraph;
        for mut line in flat(lines) {
            if line.role.is_body() {
                line.role = LineRole::Aside;
            }
            (line.depth, line.title) = (None, false);
            block.apart.push(line);
        }
    }

    /// The lines so far.
    pub(super) fn take(&mut self) -> Vec<StoryLine> {
        while !self.open.is_empty() {
            self.end_row();
        }
        std::mem::take(&mut self.lines)
    }

    pub(super) fn finish(mut self) -> Vec<StoryLine> {
        self.take()
    }
}

/// The lines of a row as one, with a tab between cells.
fn one_line(lines: Vec<StoryLine>, cells: &[usize]) -> StoryLine {
    let mut row = StoryLine::default();
    let mut cells = cells.iter().peekable();
    for (at, line) in lines.into_iter().enumerate() {
        let mut gap = " ";
        while cells.next_if(|cell| **cell <= at).is_some() {
            gap = "\t";
            row.look.cells.push(row.text.len()..row.text.len());
        }
        if !row.text.is_empty() && !line.text.is_empty() {
            row.text.push_str(gap);
        }
        let start = row.text.len();
        row.pages = row.pages.saturating_add(line.pages);
        row.text.push_str(&line.text);
        let faces = line.faces.into_iter();
        row.faces.extend(faces.map(|(at, face)| (start + at, face)));
        if row.look.cells.is_empty() {
            row.look.cells.push(0..0);
        }
        let nth = row.look.cells.len() - 1;
        if let Some(cell) = row.look.cells.last_mut()
            && !line.text.is_empty()
        {
            let was_empty = cell.start == cell.end;
            let begins = if was_empty { start } else { cell.start };
            *cell = begins..row.text.len();
        }
        let drawings = line.look.drawings.into_iter();
        row.look
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
    // Cells at the end that are empty.
    let end = row.text.len();
    row.look.cells.extend(cells.map(|_| end..end));
    row
}

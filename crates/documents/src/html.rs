//! Reader of HTML: the text of a page in the order of its elements.
//!
//! The page is parsed as browsers do, then walked through once. Lines end where blocks begin and end. Style sheets
//! are ignored; only attributes of elements count.

pub(crate) mod elements;
mod line;
mod style;
pub(crate) mod token_feed;
mod tree;

use html5ever::{Attribute, QualName, ns};
use passage::{CommaMeaning, PieceBreak};

use crate::builder::DocumentDraft;
use crate::digit_position::DigitPosition;
use crate::document::TextStreamRole;
use crate::error::DocumentError;
use crate::layout::{BaselineLevel, BlockShape, FontFace};
use elements::{ElementVisibility, FormField, HtmlEffect};
use line::{HtmlGap, HtmlLine, LineMark};
use style::{ElementEnd, HtmlStyle};
use tree::{HtmlTree, TreeStep};

/// Reads a page.
pub(crate) fn read(text: &str, draft: &mut DocumentDraft<'_>) -> Result<(), DocumentError> {
    let tree = HtmlTree::parse(text, draft.limits)?;
    let mut page = HtmlPage {
        draft,
        line: HtmlLine::new(),
        aside: OutsideText::new(),
        title: None,
        open: Vec::new(),
        style: HtmlStyle::default(),
    };
    tree.walk(|step| page.step(step))?;
    page.finish()
}

/// State of the text in an element.
#[derive(Clone, Copy)]
struct ElementState {
    role: TextStreamRole,
    /// True if nothing inside can be shown.
    is_removed: bool,
    is_preformatted: bool,
    digits: DigitPosition,
    /// True inside the first title of the page.
    is_title: bool,
    /// Effect of the element, for its end.
    effect: HtmlEffect,
    face: FontFace,
    shape: BlockShape,
    end: ElementEnd,
}

/// State outside of all elements.
const OUTSIDE: ElementState = ElementState {
    role: TextStreamRole::Body,
    is_removed: false,
    is_preformatted: false,
    digits: DigitPosition::Normal,
    is_title: false,
    effect: HtmlEffect::Inline,
    face: FontFace {
        bold: false,
        italic: false,
        mono: false,
        struck: false,
        link: false,
        level: BaselineLevel::Normal,
    },
    shape: BlockShape::Paragraph,
    end: ElementEnd::Nothing,
};

/// Text outside the body. It belongs to the last line of the body.
struct OutsideText {
    role: TextStreamRole,
    line: HtmlLine,
}

impl OutsideText {
    fn new() -> Self {
        Self {
            role: TextStreamRole::Hidden,
            line: HtmlLine::new(),
        }
    }
}

/// Page that is being read.
struct HtmlPage<'d, 'l> {
    draft: &'d mut DocumentDraft<'l>,
    line: HtmlLine,
    aside: OutsideText,
    title: Option<HtmlLine>,
    open: Vec<ElementState>,
    style: HtmlStyle,
}

impl HtmlPage<'_, '_> {
    fn step(&mut self, step: TreeStep<'_>) -> Result<bool, DocumentError> {
        match step {
            TreeStep::Enter(name, attributes) => self.enter(name, attributes),
            TreeStep::Leave => {
                self.leave()?;
                Ok(false)
            }
            TreeStep::Text(text) => {
                self.add_text(text)?;
                Ok(false)
            }
        }
    }

    fn state(&self) -> ElementState {
        self.open.last().copied().unwrap_or(OUTSIDE)
    }

    /// Begins an element. Returns false if its content is skipped.
    fn enter(&mut self, name: &QualName, attributes: &[Attribute]) -> Result<bool, DocumentError> {
        let effect = elements::effect(&name.ns, &name.local);
        let mut state = ElementState {
            effect,
            is_title: false,
            end: ElementEnd::Nothing,
            ..self.state()
        };
        if matches!(&*name.local, "html" | "body") && self.open.len() < 2 {
            self.read_language(attributes);
        }
        match effect {
            HtmlEffect::Ignored => return Ok(false),
            HtmlEffect::Title if self.title.is_some() => return Ok(false),
            HtmlEffect::Title => {
                self.title = Some(HtmlLine::new());
                state.is_title = true;
            }
            HtmlEffect::Raised => state.digits = DigitPosition::Raised,
            HtmlEffect::Lowered => state.digits = DigitPosition::Lowered,
            HtmlEffect::Preformatted => state.is_preformatted = true,
            HtmlEffect::Apart if state.role == TextStreamRole::Body => {
                state.role = TextStreamRole::Apart;
            }
            HtmlEffect::Hidden => conceal(&mut state),
            _ => {}
        }
        match elements::visibility(&name.local, attributes) {
            ElementVisibility::Removed => conceal(&mut state),
            ElementVisibility::Invisible if state.role != TextStreamRole::Hidden => {
                self.line.add_gap(HtmlGap::Space);
                state.role = TextStreamRole::Hidden;
            }
            ElementVisibility::Visible
                if state.role == TextStreamRole::Hidden && !state.is_removed =>
            {
                state.role = TextStreamRole::Body;
            }
            _ => {}
        }
        self.apply_boundary(state)?;
        self.read_attributes(name, attributes, state);
        if state.role == TextStreamRole::Body && name.ns == ns!(html) {
            self.style
                .apply(&name.local, &mut state.face, &mut state.shape);
            if matches!(&*name.local, "tr" | "table") {
                let sketch = &mut self.draft.sketch;
                self.style.end_empty_line(&mut self.line, true, sketch);
            }
            state.end = self
                .style
                .enter(&name.local, &mut self.line, &mut self.draft.sketch);
            let pixels = self.draft.limits.pixels;
            if &*name.local == "img"
                && let Some(image) = elements::image(attributes, &mut self.draft.sketch, pixels)
            {
                self.style.add_image(image, &mut self.line);
            }
        }
        self.open.push(state);
        Ok(true)
    }

    fn leave(&mut self) -> Result<(), DocumentError> {
        let state = self.open.pop().unwrap_or(OUTSIDE);
        self.apply_boundary(state)?;
        if state.end == ElementEnd::Table {
            let sketch = &mut self.draft.sketch;
            self.style.end_empty_line(&mut self.line, true, sketch);
        }
        self.style.leave(state.end, &mut self.draft.sketch);
        if state.role != self.state().role {
            self.end_aside();
        }
        Ok(())
    }

    /// Applies the beginning or the end of an element to the line.
    fn apply_boundary(&mut self, state: ElementState) -> Result<(), DocumentError> {
        let line = match state.role {
            TextStreamRole::Body => &mut self.line,
            _ => &mut self.aside.line,
        };
        match state.effect {
            HtmlEffect::Block | HtmlEffect::Preformatted | HtmlEffect::LineBreak => {
                match state.role {
                    TextStreamRole::Body => {
                        self.end_line()?;
                        let is_line_break = state.effect == HtmlEffect::LineBreak;
                        self.style.end_line(is_line_break, &mut self.draft.sketch);
                    }
                    _ => self.end_aside(),
                }
            }
            HtmlEffect::Cell => line.add_gap(HtmlGap::Cell),
            HtmlEffect::Separate | HtmlEffect::Replaced => line.add_gap(HtmlGap::Space),
            _ => {}
        }
        Ok(())
    }

    /// Reads the texts in the attributes of an element.
    fn read_attributes(&mut self, name: &QualName, attributes: &[Attribute], state: ElementState) {
        if attributes.is_empty() {
            return;
        }
        for attribute in ["alt", "title"] {
            if let Some(text) = elements::value(attributes, attribute) {
                self.end_aside();
                self.add_aside(TextStreamRole::Hidden, text, state.digits);
                self.end_aside();
            }
        }
        if &*name.local == "input"
            && let Some(text) = elements::value(attributes, "value")
        {
            match elements::form_field(attributes) {
                FormField::Shown if state.role == TextStreamRole::Body => {
                    self.line.push(text, state.digits);
                }
                FormField::Shown | FormField::Hidden => {
                    self.end_aside();
                    self.add_aside(TextStreamRole::Hidden, text, state.digits);
                    self.end_aside();
                }
                FormField::Other => {}
            }
        }
    }

    /// Reads the language, which decides the meaning of a comma between digits.
    fn read_language(&mut self, attributes: &[Attribute]) {
        let value = |name| elements::value(attributes, name);
        if let Some(tag) = value("lang").or_else(|| value("xml:lang")) {
            self.draft
                .builder
                .comma(CommaMeaning::of_language(tag.trim()));
        }
    }

    fn add_text(&mut self, text: &str) -> Result<(), DocumentError> {
        let state = self.state();
        if state.is_title {
            if let Some(title) = &mut self.title {
                title.push(text, state.digits);
            }
            return Ok(());
        }
        if state.role == TextStreamRole::Body {
            self.line.add_mark(LineMark::Face(state.face));
            self.style.shape = state.shape;
        }
        match state.role {
            TextStreamRole::Body if state.is_preformatted => {
                let mut lines = text.split('\n');
                if let Some(first) = lines.next() {
                    self.add_preformatted(first, state.digits);
                }
                for line in lines {
                    self.end_line()?;
                    self.style.end_line(true, &mut self.draft.sketch);
                    self.line.add_mark(LineMark::Face(state.face));
                    self.add_preformatted(line, state.digits);
                }
            }
            TextStreamRole::Body => self.line.push(text, state.digits),
            role => self.add_aside(role, text, state.digits),
        }
        Ok(())
    }

    /// Adds text of one line and keeps its white space.
    fn add_preformatted(&mut self, text: &str, digits: DigitPosition) {
        if self.line.is_empty() {
            self.style.set_indent(text);
        }
        self.line.push_preformatted(text, digits);
    }

    /// Adds text outside the body.
    fn add_aside(&mut self, role: TextStreamRole, text: &str, digits: DigitPosition) {
        if self.aside.role != role {
            self.end_aside();
            self.aside.role = role;
        }
        self.aside.line.push(text, digits);
    }

    fn end_line(&mut self) -> Result<(), DocumentError> {
        if self.line.is_empty() {
            self.line.take();
            let sketch = &mut self.draft.sketch;
            self.style.end_empty_line(&mut self.line, false, sketch);
            return Ok(());
        }
        self.end_aside();
        let marks = self.line.take_marks();
        let Some(text) = self.line.take() else {
            return Ok(());
        };
        let at = self.draft.line_count();
        self.draft.add_body_line(&text)?;
        self.style
            .add_line(at, &text, &marks, &mut self.draft.sketch);
        Ok(())
    }

    fn end_aside(&mut self) {
        let Some(text) = self.aside.line.take() else {
            return;
        };
        // The current line is counted when it ends.
        let begun = self.draft.line_count() + u32::from(!self.line.is_empty());
        let line = begun.saturating_sub(1);
        self.draft
            .builder
            .add_text(self.aside.role, line, &text, PieceBreak::Line);
    }

    fn finish(mut self) -> Result<(), DocumentError> {
        self.end_line()?;
        self.end_aside();
        if let Some(title) = self.title.and_then(|mut title| title.take()) {
            self.draft.builder.title(title);
        }
        Ok(())
    }
}

/// Hides an element with everything in it.
fn conceal(state: &mut ElementState) {
    state.is_removed = true;
    state.role = TextStreamRole::Hidden;
}

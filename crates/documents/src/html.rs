//! HTML: the text of a page in the order of its elements.
//!
//! The page is parsed as browsers parse it, then walked through once. Lines end where blocks begin and
//! end; style sheets are not looked at, only the attributes of the elements themselves.

pub(crate) mod elements;
pub(crate) mod feed;
mod line;
mod look;
mod tree;

use html5ever::{Attribute, QualName, ns};
use passage::{CommaMeaning, PieceBreak};

use crate::document::TextStreamRole;
use crate::draft::DocumentDraft;
use crate::error::DocumentError;
use crate::layout::{BaselineLevel, BlockShape, FontFace};
use elements::{ElementVisibility, FormField, HtmlEffect};
use line::{HtmlGap, HtmlLine, HtmlVerticalAlign, LineMark};
use look::{ElementEnd, HtmlStyle};
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
        look: HtmlStyle::default(),
    };
    tree.walk(|step| page.step(step))?;
    page.finish()
}

/// How the text in an element is read.
#[derive(Clone, Copy)]
struct ElementState {
    role: TextStreamRole,
    /// Nothing inside is shown, whatever it says.
    gone: bool,
    preformatted: bool,
    height: HtmlVerticalAlign,
    /// The first title of the page is being read.
    title: bool,
    /// What the element does, for its end.
    manner: HtmlEffect,
    face: FontFace,
    shape: BlockShape,
    end: ElementEnd,
}

const OUTSIDE: ElementState = ElementState {
    role: TextStreamRole::Body,
    gone: false,
    preformatted: false,
    height: HtmlVerticalAlign::Normal,
    title: false,
    manner: HtmlEffect::Inline,
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

/// Text outside the body; it stands at the line of the body that was last begun.
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

struct HtmlPage<'d, 'l> {
    draft: &'d mut DocumentDraft<'l>,
    line: HtmlLine,
    aside: OutsideText,
    title: Option<HtmlLine>,
    open: Vec<ElementState>,
    look: HtmlStyle,
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
                self.text(text)?;
                Ok(false)
            }
        }
    }

    fn state(&self) -> ElementState {
        self.open.last().copied().unwrap_or(OUTSIDE)
    }

    /// Whether to go into an element.
    fn enter(&mut self, name: &QualName, attributes: &[Attribute]) -> Result<bool, DocumentError> {
        let manner = elements::manner(&name.ns, &name.local);
        let mut state = ElementState {
            manner,
            title: false,
            end: ElementEnd::Nothing,
            ..self.state()
        };
        if matches!(&*name.local, "html" | "body") && self.open.len() < 2 {
            self.language(attributes);
        }
        match manner {
            HtmlEffect::Left => return Ok(false),
            HtmlEffect::Title if self.title.is_some() => return Ok(false),
            HtmlEffect::Title => {
                self.title = Some(HtmlLine::new());
                state.title = true;
            }
            HtmlEffect::Raised => state.height = HtmlVerticalAlign::Raised,
            HtmlEffect::Lowered => state.height = HtmlVerticalAlign::Lowered,
            HtmlEffect::Preformatted => state.preformatted = true,
            HtmlEffect::Apart if state.role == TextStreamRole::Body => {
                state.role = TextStreamRole::Apart;
            }
            HtmlEffect::Hidden => conceal(&mut state),
            _ => {}
        }
        match elements::shown(&name.local, attributes) {
            ElementVisibility::Gone => conceal(&mut state),
            ElementVisibility::Invisible if state.role != TextStreamRole::Hidden => {
                self.line.gap(HtmlGap::Space);
                state.role = TextStreamRole::Hidden;
            }
            ElementVisibility::Visible if state.role == TextStreamRole::Hidden && !state.gone => {
                state.role = TextStreamRole::Body;
            }
            _ => {}
        }
        self.boundary(state)?;
        self.attributes(name, attributes, state);
        if state.role == TextStreamRole::Body && name.ns == ns!(html) {
            self.look
                .style(&name.local, &mut state.face, &mut state.shape);
            if matches!(&*name.local, "tr" | "table") {
                let sketch = &mut self.draft.sketch;
                self.look.empty_line(&mut self.line, true, sketch);
            }
            state.end = self
                .look
                .enter(&name.local, &mut self.line, &mut self.draft.sketch);
            let pixels = self.draft.limits.pixels;
            if &*name.local == "img"
                && let Some(figure) = elements::figure(attributes, &mut self.draft.sketch, pixels)
            {
                self.look.figure(figure, &mut self.line);
            }
        }
        self.open.push(state);
        Ok(true)
    }

    fn leave(&mut self) -> Result<(), DocumentError> {
        let state = self.open.pop().unwrap_or(OUTSIDE);
        self.boundary(state)?;
        if state.end == ElementEnd::Table {
            let sketch = &mut self.draft.sketch;
            self.look.empty_line(&mut self.line, true, sketch);
        }
        self.look.leave(state.end, &mut self.draft.sketch);
        if state.role != self.state().role {
            self.end_aside();
        }
        Ok(())
    }

    /// What the beginning and the end of an element do to the line.
    fn boundary(&mut self, state: ElementState) -> Result<(), DocumentError> {
        let line = match state.role {
            TextStreamRole::Body => &mut self.line,
            _ => &mut self.aside.line,
        };
        match state.manner {
            HtmlEffect::Block | HtmlEffect::Preformatted | HtmlEffect::LineBreak => {
                match state.role {
                    TextStreamRole::Body => {
                        self.end_line()?;
                        let breaks = state.manner == HtmlEffect::LineBreak;
                        self.look.boundary(breaks, &mut self.draft.sketch);
                    }
                    _ => self.end_aside(),
                }
            }
            HtmlEffect::Cell => line.gap(HtmlGap::Cell),
            HtmlEffect::Separate | HtmlEffect::Replaced => line.gap(HtmlGap::Space),
            _ => {}
        }
        Ok(())
    }

    /// Texts that elements have in attributes.
    fn attributes(&mut self, name: &QualName, attributes: &[Attribute], state: ElementState) {
        if attributes.is_empty() {
            return;
        }
        for attribute in ["alt", "title"] {
            if let Some(text) = elements::value(attributes, attribute) {
                self.end_aside();
                self.beside(TextStreamRole::Hidden, text, state.height);
                self.end_aside();
            }
        }
        if &*name.local == "input"
            && let Some(text) = elements::value(attributes, "value")
        {
            match elements::field(attributes) {
                FormField::Shown if state.role == TextStreamRole::Body => {
                    self.line.push(text, state.height);
                }
                FormField::Shown | FormField::Hidden => {
                    self.end_aside();
                    self.beside(TextStreamRole::Hidden, text, state.height);
                    self.end_aside();
                }
                FormField::Other => {}
            }
        }
    }

    fn language(&mut self, attributes: &[Attribute]) {
        let value = |name| elements::value(attributes, name);
        if let Some(tag) = value("lang").or_else(|| value("xml:lang")) {
            self.draft
                .builder
                .comma(CommaMeaning::of_language(tag.trim()));
        }
    }

    fn text(&mut self, text: &str) -> Result<(), DocumentError> {
        let state = self.state();
        if state.title {
            if let Some(title) = &mut self.title {
                title.push(text, state.height);
            }
            return Ok(());
        }
        if state.role == TextStreamRole::Body {
            self.line.mark(LineMark::Face(state.face));
            self.look.shape = state.shape;
        }
        match state.role {
            TextStreamRole::Body if state.preformatted => {
                let mut lines = text.split('\n');
                if let Some(first) = lines.next() {
                    self.preformatted(first, state.height);
                }
                for line in lines {
                    self.end_line()?;
                    self.look.boundary(true, &mut self.draft.sketch);
                    self.line.mark(LineMark::Face(state.face));
                    self.preformatted(line, state.height);
                }
            }
            TextStreamRole::Body => self.line.push(text, state.height),
            role => self.beside(role, text, state.height),
        }
        Ok(())
    }

    /// Text of one line in which white space stays.
    fn preformatted(&mut self, text: &str, height: HtmlVerticalAlign) {
        if self.line.is_empty() {
            self.look.indent(text);
        }
        self.line.push_preformatted(text, height);
    }

    /// Text that is not of the body.
    fn beside(&mut self, role: TextStreamRole, text: &str, height: HtmlVerticalAlign) {
        if self.aside.role != role {
            self.end_aside();
            self.aside.role = role;
        }
        self.aside.line.push(text, height);
    }

    fn end_line(&mut self) -> Result<(), DocumentError> {
        if self.line.is_empty() {
            self.line.take();
            let sketch = &mut self.draft.sketch;
            self.look.empty_line(&mut self.line, false, sketch);
            return Ok(());
        }
        self.end_aside();
        let marks = self.line.take_marks();
        let Some(text) = self.line.take() else {
            return Ok(());
        };
        let at = self.draft.lines();
        self.draft.body_line(&text)?;
        self.look.line(at, &text, &marks, &mut self.draft.sketch);
        Ok(())
    }

    fn end_aside(&mut self) {
        let Some(text) = self.aside.line.take() else {
            return;
        };
        // The line that is being set is counted when it ends.
        let begun = self.draft.lines() + u32::from(!self.line.is_empty());
        let line = begun.saturating_sub(1);
        self.draft
            .builder
            .text(self.aside.role, line, &text, PieceBreak::Line);
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

fn conceal(state: &mut ElementState) {
    state.gone = true;
    state.role = TextStreamRole::Hidden;
}

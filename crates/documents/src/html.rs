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
use passage::{Break, Comma};

use crate::document::FlowRole;
use crate::draft::Draft;
use crate::error::ReadError;
use crate::layout::{Face, Level, Shape};
use elements::{Field, Manner, Shown};
use line::{Gap, Height, Line, Mark};
use look::{End, Look};
use tree::{Step, Tree};

/// Reads a page.
pub(crate) fn read(text: &str, draft: &mut Draft<'_>) -> Result<(), ReadError> {
    let tree = Tree::parse(text, draft.limits)?;
    let mut page = Page {
        draft,
        line: Line::new(),
        aside: Aside::new(),
        title: None,
        open: Vec::new(),
        look: Look::default(),
    };
    tree.walk(|step| page.step(step))?;
    page.finish()
}

/// How the text in an element is read.
#[derive(Clone, Copy)]
struct State {
    role: FlowRole,
    /// Nothing inside is shown, whatever it says.
    gone: bool,
    preformatted: bool,
    height: Height,
    /// The first title of the page is being read.
    title: bool,
    /// What the element does, for its end.
    manner: Manner,
    face: Face,
    shape: Shape,
    end: End,
}

const OUTSIDE: State = State {
    role: FlowRole::Body,
    gone: false,
    preformatted: false,
    height: Height::Normal,
    title: false,
    manner: Manner::Inline,
    face: Face {
        bold: false,
        italic: false,
        mono: false,
        struck: false,
        link: false,
        level: Level::Normal,
    },
    shape: Shape::Paragraph,
    end: End::Nothing,
};

/// Text outside the body; it stands at the line of the body that was last begun.
struct Aside {
    role: FlowRole,
    line: Line,
}

impl Aside {
    fn new() -> Self {
        Self {
            role: FlowRole::Hidden,
            line: Line::new(),
        }
    }
}

struct Page<'d, 'l> {
    draft: &'d mut Draft<'l>,
    line: Line,
    aside: Aside,
    title: Option<Line>,
    open: Vec<State>,
    look: Look,
}

impl Page<'_, '_> {
    fn step(&mut self, step: Step<'_>) -> Result<bool, ReadError> {
        match step {
            Step::Enter(name, attributes) => self.enter(name, attributes),
            Step::Leave => {
                self.leave()?;
                Ok(false)
            }
            Step::Text(text) => {
                self.text(text)?;
                Ok(false)
            }
        }
    }

    fn state(&self) -> State {
        self.open.last().copied().unwrap_or(OUTSIDE)
    }

    /// Whether to go into an element.
    fn enter(&mut self, name: &QualName, attributes: &[Attribute]) -> Result<bool, ReadError> {
        let manner = elements::manner(&name.ns, &name.local);
        let mut state = State {
            manner,
            title: false,
            end: End::Nothing,
            ..self.state()
        };
        if matches!(&*name.local, "html" | "body") && self.open.len() < 2 {
            self.language(attributes);
        }
        match manner {
            Manner::Left => return Ok(false),
            Manner::Title if self.title.is_some() => return Ok(false),
            Manner::Title => {
                self.title = Some(Line::new());
                state.title = true;
            }
            Manner::Raised => state.height = Height::Raised,
            Manner::Lowered => state.height = Height::Lowered,
            Manner::Preformatted => state.preformatted = true,
            Manner::Apart if state.role == FlowRole::Body => state.role = FlowRole::Apart,
            Manner::Hidden => conceal(&mut state),
            _ => {}
        }
        match elements::shown(&name.local, attributes) {
            Shown::Gone => conceal(&mut state),
            Shown::Invisible if state.role != FlowRole::Hidden => {
                self.line.gap(Gap::Space);
                state.role = FlowRole::Hidden;
            }
            Shown::Visible if state.role == FlowRole::Hidden && !state.gone => {
                state.role = FlowRole::Body;
            }
            _ => {}
        }
        self.boundary(state)?;
        self.attributes(name, attributes, state);
        if state.role == FlowRole::Body && name.ns == ns!(html) {
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

    fn leave(&mut self) -> Result<(), ReadError> {
        let state = self.open.pop().unwrap_or(OUTSIDE);
        self.boundary(state)?;
        if state.end == End::Table {
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
    fn boundary(&mut self, state: State) -> Result<(), ReadError> {
        let line = match state.role {
            FlowRole::Body => &mut self.line,
            _ => &mut self.aside.line,
        };
        match state.manner {
            Manner::Block | Manner::Preformatted | Manner::LineBreak => match state.role {
                FlowRole::Body => {
                    self.end_line()?;
                    let breaks = state.manner == Manner::LineBreak;
                    self.look.boundary(breaks, &mut self.draft.sketch);
                }
                _ => self.end_aside(),
            },
            Manner::Cell => line.gap(Gap::Cell),
            Manner::Separate | Manner::Replaced => line.gap(Gap::Space),
            _ => {}
        }
        Ok(())
    }

    /// Texts that elements have in attributes.
    fn attributes(&mut self, name: &QualName, attributes: &[Attribute], state: State) {
        if attributes.is_empty() {
            return;
        }
        for attribute in ["alt", "title"] {
            if let Some(text) = elements::value(attributes, attribute) {
                self.end_aside();
                self.beside(FlowRole::Hidden, text, state.height);
                self.end_aside();
            }
        }
        if &*name.local == "input"
            && let Some(text) = elements::value(attributes, "value")
        {
            match elements::field(attributes) {
                Field::Shown if state.role == FlowRole::Body => {
                    self.line.push(text, state.height);
                }
                Field::Shown | Field::Hidden => {
                    self.end_aside();
                    self.beside(FlowRole::Hidden, text, state.height);
                    self.end_aside();
                }
                Field::Other => {}
            }
        }
    }

    fn language(&mut self, attributes: &[Attribute]) {
        let value = |name| elements::value(attributes, name);
        if let Some(tag) = value("lang").or_else(|| value("xml:lang")) {
            self.draft.builder.comma(Comma::of_language(tag.trim()));
        }
    }

    fn text(&mut self, text: &str) -> Result<(), ReadError> {
        let state = self.state();
        if state.title {
            if let Some(title) = &mut self.title {
                title.push(text, state.height);
            }
            return Ok(());
        }
        if state.role == FlowRole::Body {
            self.line.mark(Mark::Face(state.face));
            self.look.shape = state.shape;
        }
        match state.role {
            FlowRole::Body if state.preformatted => {
                let mut lines = text.split('\n');
                if let Some(first) = lines.next() {
                    self.preformatted(first, state.height);
                }
                for line in lines {
                    self.end_line()?;
                    self.look.boundary(true, &mut self.draft.sketch);
                    self.line.mark(Mark::Face(state.face));
                    self.preformatted(line, state.height);
                }
            }
            FlowRole::Body => self.line.push(text, state.height),
            role => self.beside(role, text, state.height),
        }
        Ok(())
    }

    /// Text of one line in which white space stays.
    fn preformatted(&mut self, text: &str, height: Height) {
        if self.line.is_empty() {
            self.look.indent(text);
        }
        self.line.push_preformatted(text, height);
    }

    /// Text that is not of the body.
    fn beside(&mut self, role: FlowRole, text: &str, height: Height) {
        if self.aside.role != role {
            self.end_aside();
            self.aside.role = role;
        }
        self.aside.line.push(text, height);
    }

    fn end_line(&mut self) -> Result<(), ReadError> {
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
            .text(self.aside.role, line, &text, Break::Line);
    }

    fn finish(mut self) -> Result<(), ReadError> {
        self.end_line()?;
        self.end_aside();
        if let Some(title) = self.title.and_then(|mut title| title.take()) {
            self.draft.builder.title(title);
        }
        Ok(())
    }
}

fn conceal(state: &mut State) {
    state.gone = true;
    state.role = FlowRole::Hidden;
}

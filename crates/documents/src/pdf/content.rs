//! The content of a page: runs its drawing operators as far as text depends on them.

mod state;

use std::rc::Rc;

use hayro_font::kurbo::{Affine, Point, Rect};
use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::{
    Array, Dict, Name, Object, ObjectIdentifier, Stream, String as PdfString,
};
use hayro_syntax::page::{Page, Resources};

use self::state::{GraphicsState, MarkedContent, affine, number};
use super::font::{PdfFont, PdfFontCache};
use super::glyphs::PageGlyphs;
use super::layers::HiddenLayers;
use super::stream::{StreamTooLarge, content};
use super::strings::text_string;
use crate::error::DocumentError;
use crate::read::ReadOptions;

/// Drawings in drawings are followed by calls in calls; the stack bounds them.
const MAX_NESTING: usize = 48;

/// States that are kept to return to; files that are made to hurt ask for more.
const MAX_SAVED: usize = 1 << 12;

/// Glyphs that a page may have for each word it may have.
const GLYPHS_PER_WORD: usize = 32;

/// How many operators are run before the caller is asked whether to give up.
const PATIENCE: u32 = 1 << 14;

/// Runs the content of pages.
pub(super) struct ContentInterpreter<'r, 'a> {
    reading: &'r ReadOptions<'r>,
    fonts: PdfFontCache<'a>,
    layers: HiddenLayers,
}

impl<'r, 'a> ContentInterpreter<'r, 'a> {
    pub(super) fn new(reading: &'r ReadOptions<'r>, layers: HiddenLayers) -> Self {
        Self {
            reading,
            fonts: PdfFontCache::new(reading.limits.decompressed),
            layers,
        }
    }

    /// What a page shows.
    pub(super) fn page(
        &mut self,
        page: &Page<'a>,
        number: u32,
    ) -> Result<PageGlyphs, DocumentError> {
        let (width, height) = page.render_dimensions();
        let bounds = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        let mut run = PageRun {
            reading: self.reading,
            fonts: &mut self.fonts,
            layers: &self.layers,
            page: number,
            glyphs: PageGlyphs::default(),
            state: GraphicsState::new(
                Affine::new(page.initial_transform(true).as_coeffs()),
                bounds,
            ),
            saved: Vec::new(),
            marked: Vec::new(),
            path: None,
            clipping: false,
            open_forms: Vec::new(),
            room: self.reading.limits.decompressed,
            max_glyphs: self
                .reading
                .limits
                .words_per_page
                .saturating_mul(GLYPHS_PER_WORD),
            patience: PATIENCE,
        };
        let streams = match page.raw().get::<Object<'_>>("Contents") {
            Some(Object::Stream(stream)) => vec![stream],
            Some(Object::Array(array)) => array.iter::<Stream<'_>>().collect(),
            _ => Vec::new(),
        };
        // An operator may be divided between two streams.
        let mut joined = Vec::new();
        let several = streams.len() > 1;
        for stream in &streams {
            let Some(data) = run.content(stream)? else {
                continue;
            };
            if several {
                joined.extend_from_slice(&data);
                joined.push(b'\n');
            } else {
                run.operators(&data, page.resources())?;
            }
        }
        if several {
            run.operators(&joined, page.resources())?;
        }
        run.annotations(page)?;
        run.glyphs.finish();
        Ok(run.glyphs)
    }
}

/// A page that is being run.
struct PageRun<'i, 'r, 'a> {
    reading: &'r ReadOptions<'r>,
    fonts: &'i mut PdfFontCache<'a>,
    layers: &'i HiddenLayers,
    page: u32,
    glyphs: PageGlyphs,
    state: GraphicsState<'a>,
    saved: Vec<GraphicsState<'a>>,
    marked: Vec<MarkedContent>,
    /// The bounds of the path that is being drawn.
    path: Option<Rect>,
    /// Whether that path is to clip what follows.
    clipping: bool,
    open_forms: Vec<ObjectIdentifier>,
    /// How many more bytes of content may be decompressed.
    room: usize,
    max_glyphs: usize,
    patience: u32,
}

impl<'a> PageRun<'_, '_, 'a> {
    fn too_much(&self, _: StreamTooLarge) -> DocumentError {
        DocumentError::TooMuchData {
            limit: self.reading.limits.decompressed,
        }
    }

    fn content(
        &mut self,
        stream: &Stream<'a>,
    ) -> Result<Option<std::borrow::Cow<'a, [u8]>>, DocumentError> {
        let data = content(stream, self.room).map_err(|refused| self.too_much(refused))?;
        // Content costs something even if it is empty: it can be drawn again and again.
        let size = data.as_ref().map_or(0, |data| data.len()).max(64);
        self.room = self
            .room
            .checked_sub(size)
            .ok_or(self.too_much(StreamTooLarge))?;
        Ok(data)
    }

    fn operators(&mut self, data: &[u8], resources: &Resources<'a>) -> Result<(), DocumentError> {
        let (saved, marked) = (self.saved.len(), self.marked.len());
        let mut operators = TypedIter::new(data);
        while let Some(operator) = operators.next() {
            self.patience -= 1;
            if self.patience == 0 {
                self.patience = PATIENCE;
                if (self.reading.give_up)() {
                    return Err(DocumentError::GivenUp { page: self.page });
                }
            }
            self.operator(operator, resources, saved)?;
            if self.glyphs.all.len() > self.max_glyphs {
                return Err(DocumentError::TooManyWords {
                    page: self.page,
                    limit: self.reading.limits.words_per_page,
                });
            }
        }
        // What a content stream begins, ends with it.
        while self.marked.len() > marked {
            self.end_marked();
        }
        if self.saved.len() > saved {
            self.saved.truncate(saved + 1);
            self.restore();
        }
        (self.path, self.clipping) = (None, false);
        Ok(())
    }

    fn operator(
        &mut self,
        operator: TypedInstruction<'_, '_>,
        resources: &Resources<'a>,
        saved: usize,
    ) -> Result<(), DocumentError> {
        use TypedInstruction as Op;
        let text = &mut self.state.text;
        match operator {
            Op::SaveState(_) if self.saved.len() < MAX_SAVED => self.saved.push(self.state.clone()),
            Op::RestoreState(_) if self.saved.len() > saved => self.restore(),
            Op::Transform(t) => {
                self.state.transform *= affine([t.0, t.1, t.2, t.3, t.4, t.5]);
            }
            Op::BeginText(_) => text.place(Affine::IDENTITY),
            Op::EndText(_) => {}
            Op::TextFont(font) => {
                text.size = number(font.1);
                let dict = resources.get_font(font.0);
                self.set_font(dict.as_ref())?;
            }
            Op::CharacterSpacing(by) => text.character_spacing = number(by.0),
            Op::WordSpacing(by) => text.word_spacing = number(by.0),
            Op::HorizontalScaling(by) => text.scaling = number(by.0) / 100.0,
            Op::TextLeading(by) => text.leading = number(by.0),
            Op::TextRise(by) => text.rise = number(by.0),
            Op::NextLine(by) => text.next_line(number(by.0), number(by.1)),
            Op::NextLineAndSetLeading(by) => {
                text.leading = -number(by.1);
                text.next_line(number(by.0), number(by.1));
            }
            Op::NextLineUsingLeading(_) => text.next_line(0.0, -text.leading),
            Op::SetTextMatrix(t) => text.place(affine([t.0, t.1, t.2, t.3, t.4, t.5])),
            Op::ShowText(shown) => self.show(shown.0),
            Op::NextLineAndShowText(shown) => {
                text.next_line(0.0, -text.leading);
                self.show(shown.0);
            }
            Op::ShowTextWithParameters(shown) => {
                text.word_spacing = number(shown.0);
                text.character_spacing = number(shown.1);
                text.next_line(0.0, -text.leading);
                self.show(shown.2);
            }
            Op::ShowTexts(shown) => {
                for item in shown.0.iter::<Object<'_>>() {
                    match item {
                        Object::Number(by) => self.state.text.adjust(number(by)),
                        Object::String(shown) => self.show(&shown),
                        _ => {}
                    }
                }
            }
            Op::XObject(name) => {
                if let Some(stream) = resources.get_x_object(name.0) {
                    self.x_object(&stream, resources)?;
                }
            }
            Op::InlineImage(_) => self.image(),
            Op::SetGraphicsState(name) => {
                let graphics = resources.get_ext_g_state(name.0);
                let font = graphics.and_then(|graphics| graphics.get::<Array<'_>>("Font"));
                if let Some(font) = font {
                    let mut items = font.flex_iter();
                    let dict = items.next::<Dict<'_>>();
                    self.state.text.size = items.next::<f64>().unwrap_or(1.0);
                    self.set_font(dict.as_ref())?;
                }
            }
            Op::BeginMarkedContent(_) => self.marked.push(MarkedContent::default()),
            Op::BeginMarkedContentWithProperties(begun) => {
                let named = match begun.1 {
                    Object::Name(name) => resources.properties.get::<Dict<'_>>(&**name),
                    _ => None,
                };
                let is_layer = begun.0.as_ref() == b"OC";
                let hidden = match begun.1 {
                    Object::Name(name) => {
                        is_layer && !self.layers.shows(&resources.properties, name)
                    }
                    _ => false,
                };
                let actual = match (begun.1, &named) {
                    (Object::Dict(dict), _) => dict
                        .get::<PdfString<'_>>("ActualText")
                        .map(|text| text_string(&text)),
                    (_, Some(dict)) => dict
                        .get::<PdfString<'_>>("ActualText")
                        .map(|text| text_string(&text)),
                    _ => None,
                };
                self.begin_marked(hidden, actual);
            }
            Op::EndMarkedContent(_) => self.end_marked(),
            Op::RectPath(r) => {
                let (x, y) = (number(r.0), number(r.1));
                let (right, top) = (x + number(r.2), y + number(r.3));
                for (x, y) in [(x, y), (right, y), (x, top), (right, top)] {
                    self.path_to(x, y);
                }
            }
            Op::MoveTo(to) => self.path_to(number(to.0), number(to.1)),
            Op::LineTo(to) => self.path_to(number(to.0), number(to.1)),
            Op::CubicTo(to) => {
                self.path_to(number(to.0), number(to.1));
                self.path_to(number(to.2), number(to.3));
                self.path_to(number(to.4), number(to.5));
            }
            Op::CubicStartTo(to) => {
                self.path_to(number(to.0), number(to.1));
                self.path_to(number(to.2), number(to.3));
            }
            Op::CubicEndTo(to) => {
                self.path_to(number(to.0), number(to.1));
                self.path_to(number(to.2), number(to.3));
            }
            Op::ClipNonZero(_) | Op::ClipEvenOdd(_) => self.clipping = true,
            Op::EndPath(_)
            | Op::StrokePath(_)
            | Op::CloseAndStrokePath(_)
            | Op::FillPathNonZero(_)
            | Op::FillPathNonZeroCompatibility(_)
            | Op::FillPathEvenOdd(_)
            | Op::FillAndStrokeNonZero(_)
            | Op::FillAndStrokeEvenOdd(_)
            | Op::CloseFillAndStrokeNonZero(_)
            | Op::CloseFillAndStrokeEvenOdd(_) => self.end_path(),
            _ => {}
        }
        Ok(())
    }

    fn restore(&mut self) {
        if let Some(state) = self.saved.pop() {
            self.state = state;
        }
    }

    fn set_font(&mut self, dict: Option<&Dict<'a>>) -> Result<(), DocumentError> {
        let font = match dict {
            Some(dict) => self.fonts.font(dict),
            None => Ok(self.fonts.fallback()),
        };
        self.state.text.font = font.map_err(|refused| self.too_much(refused))?;
        Ok(())
    }

    fn path_to(&mut self, x: f64, y: f64) {
        let point = self.state.transform * Point::new(x, y);
        let bounds = Rect::from_points(point, point);
        self.path = Some(match self.path {
            Some(path) => path.union(bounds),
            None => bounds,
        });
    }

    fn end_path(&mut self) {
        if let Some(path) = self.path.take()
            && self.clipping
        {
            self.state.clip = self.state.clip.intersect(path);
        }
        self.clipping = false;
    }

    fn is_hidden(&self) -> bool {
        self.marked.last().is_some_and(|marked| marked.hidden)
    }

    fn image(&mut self) {
        if !self.is_hidden() {
            self.glyphs.images += 1;
        }
    }

    fn x_object(
        &mut self,
        stream: &Stream<'a>,
        resources: &Resources<'a>,
    ) -> Result<(), DocumentError> {
        let dict = stream.dict();
        match dict.get::<Name<'_>>("Subtype").as_deref() {
            Some(b"Image") => {
                self.image();
                Ok(())
            }
            Some(b"Form") if !self.is_hidden() && self.layers.shows(dict, b"OC") => {
                self.form(stream, resources, Affine::IDENTITY)
            }
            _ => Ok(()),
        }
    }

    fn form(
        &mut self,
        stream: &Stream<'a>,
        resources: &Resources<'a>,
        placed: Affine,
    ) -> Result<(), DocumentError> {
        let id = stream.obj_id();
        if self.open_forms.contains(&id) {
            return Ok(());
        }
        let limit = self.reading.limits.nesting.min(MAX_NESTING);
        if self.open_forms.len() >= limit {
            return Err(DocumentError::TooDeep { limit });
        }
        let Some(data) = self.content(stream)? else {
            return Ok(());
        };
        let dict = stream.dict();
        let before = self.state.clone();
        self.state.transform *= placed * form_matrix(dict);
        if let Some(bounds) = dict.get::<hayro_syntax::object::Rect>("BBox") {
            let bounds = Rect::new(bounds.x0, bounds.y0, bounds.x1, bounds.y1);
            let bounds = self.state.transform.transform_rect_bbox(bounds);
            self.state.clip = self.state.clip.intersect(bounds);
        }
        self.open_forms.push(id);
        let own = dict.get::<Dict<'_>>("Resources").map(Resources::new);
        self.operators(&data, own.as_ref().unwrap_or(resources))?;
        self.open_forms.pop();
        self.state = before;
        Ok(())
    }

    /// Runs what notes and the fields of forms look like.
    fn annotations(&mut self, page: &Page<'a>) -> Result<(), DocumentError> {
        const HIDDEN: u32 = 1 << 1;
        const NO_VIEW: u32 = 1 << 5;
        let annotations = page.raw().get::<Array<'_>>("Annots");
        for note in annotations
            .iter()
            .flat_map(|notes| notes.iter::<Dict<'_>>())
        {
            let flags = note.get::<u32>("F").unwrap_or(0);
            if flags & (HIDDEN | NO_VIEW) != 0 || !self.layers.shows(&note, b"OC") {
                continue;
            }
            let look = note
                .get::<Dict<'_>>("AP")
                .and_then(|looks| looks.get::<Object<'_>>("N"));
            let look = match look {
                Some(Object::Stream(look)) => Some(look),
                Some(Object::Dict(looks)) => note
                    .get::<Name<'_>>("AS")
                    .and_then(|chosen| looks.get::<Stream<'_>>(&*chosen)),
                _ => None,
            };
            let (Some(look), Some(rect)) = (look, note.get::<hayro_syntax::object::Rect>("Rect"))
            else {
                continue;
            };
            let Some(bounds) = look.dict().get::<hayro_syntax::object::Rect>("BBox") else {
                continue;
            };
            let bounds = Rect::new(bounds.x0, bounds.y0, bounds.x1, bounds.y1);
            let bounds = form_matrix(look.dict()).transform_rect_bbox(bounds);
            let scale = |from: f64, to: f64| if from > 0.0 { to / from } else { 1.0 };
            let (x, y) = (
                scale(bounds.width(), rect.width()),
                scale(bounds.height(), rect.height()),
            );
            let placed = Affine::new([
                x,
                0.0,
                0.0,
                y,
                rect.x0 - x * bounds.x0,
                rect.y0 - y * bounds.y0,
            ]);
            self.glyphs.space();
            self.form(&look, page.resources(), placed)?;
        }
        Ok(())
    }

    fn begin_marked(&mut self, hidden: bool, actual: Option<String>) {
        let outer = self.marked.last();
        let replaced = outer.is_some_and(MarkedContent::is_replaced);
        self.marked.push(MarkedContent {
            hidden: hidden || outer.is_some_and(|marked| marked.hidden),
            // The outermost replacement stands for all that is in it.
            actual: actual.filter(|_| !replaced),
            replaced,
            drawn: None,
        });
    }

    fn end_marked(&mut self) {
        let Some(ended) = self.marked.pop() else {
            return;
        };
        match (ended.actual, ended.drawn) {
            (Some(actual), Some(drawn)) => self.glyphs.add(&actual, &drawn),
            (None, Some(drawn)) => {
                if let Some(outer) = self.marked.last_mut() {
                    outer.draw(drawn);
                }
            }
            _ => {}
        }
    }

    fn show(&mut self, shown: &PdfString<'_>) {
        let Some(font) = self
            .state
            .text
            .font
            .clone()
            .or_else(|| self.fonts.fallback())
        else {
            return;
        };
        let mut rest = shown.as_bytes();
        // Some programs make spaces by setting two letters far apart.
        let is_spread = !rest.is_empty() && rest.len() >= 5 * font.next_code(rest).1;
        while !rest.is_empty() && self.glyphs.all.len() <= self.max_glyphs {
            let (code, length) = font.next_code(rest);
            let is_space = code == 32 && length == 1;
            rest = &rest[length.clamp(1, rest.len())..];
            self.glyph(&font, code, is_space, is_spread);
        }
    }

    fn glyph(&mut self, font: &Rc<PdfFont<'a>>, code: u32, is_space: bool, is_spread: bool) {
        let shown = font.code(code);
        let text = &mut self.state.text;
        let advance = f64::from(shown.advance);
        let placed = self.state.transform * text.matrix;
        let extra = text.character_spacing + if is_space { text.word_spacing } else { 0.0 };
        let tracking = if is_spread {
            text.character_spacing
        } else {
            0.0
        };
        let drawn = text.drawn(font, placed, advance, tracking);
        text.advance(font.vertical, advance * text.size, extra);
        if self.marked.last().is_some_and(|marked| marked.hidden) {
            return;
        }
        let Some((drawn, center)) = drawn else {
            return;
        };
        if !self.state.clip.contains(center) {
            return;
        }
        match self.marked.last_mut() {
            Some(marked) if marked.is_replaced() => marked.draw(drawn),
            _ if shown.text.is_empty() => {
                self.glyphs.unreadable += 1;
                self.glyphs.space();
            }
            _ => self.glyphs.add(&shown.text, &drawn),
        }
    }
}

fn form_matrix(dict: &Dict<'_>) -> Affine {
    let identity = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    Affine::new(dict.get::<[f64; 6]>("Matrix").unwrap_or(identity))
}

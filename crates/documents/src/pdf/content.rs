//! Interpreter of page content: executes drawing operators as far as they affect text.

mod annotations;
mod clip_path;
mod form_fields;
mod marked_content;
mod state;

use std::rc::Rc;

use hayro_font::kurbo::{Affine, Rect};
use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::{
    Array, Dict, Name, Object, ObjectIdentifier, Stream, String as PdfString,
};
use hayro_syntax::page::{Page, Resources};

use self::annotations::{AnnotationContent, form_matrix, visible_annotations};
use self::clip_path::ClipPath;
pub(super) use self::form_fields::FormDefaults;
use self::marked_content::MarkedContentStack;
use self::state::{GraphicsState, affine, number};
use super::bounded_streams::{StreamTooLarge, decompress};
use super::font::{PdfFont, PdfFontCache};
use super::glyphs::PageGlyphs;
use super::hidden_layers::HiddenLayers;
use super::text_strings::text_string;
use crate::error::DocumentError;
use crate::read_options::ReadOptions;

/// Maximum nesting of forms, which bounds the depth of recursion.
const MAX_NESTING: usize = 48;

/// Maximum number of saved graphics states; hostile files save more.
const MAX_SAVED: usize = 1 << 12;

/// Number of glyphs per word, for deriving a limit on glyphs from that on words.
const GLYPHS_PER_WORD: usize = 32;

/// Number of operators between two calls of the cancel callback.
const CANCEL_INTERVAL: u32 = 1 << 14;

/// Interpreter of the content of pages.
pub(super) struct ContentInterpreter<'r, 'a> {
    options: &'r ReadOptions<'r>,
    fonts: PdfFontCache<'a>,
    layers: HiddenLayers,
    forms: FormDefaults<'a>,
}

impl<'r, 'a> ContentInterpreter<'r, 'a> {
    pub(super) fn new(
        options: &'r ReadOptions<'r>,
        layers: HiddenLayers,
        forms: FormDefaults<'a>,
    ) -> Self {
        Self {
            options,
            fonts: PdfFontCache::new(options.limits.decompressed),
            layers,
            forms,
        }
    }

    /// Returns the glyphs of a page.
    pub(super) fn page(
        &mut self,
        page: &Page<'a>,
        number: u32,
    ) -> Result<PageGlyphs, DocumentError> {
        let (width, height) = page.render_dimensions();
        let bounds = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        let initial = GraphicsState::new(
            Affine::new(page.initial_transform(true).as_coeffs()),
            bounds,
        );
        let mut run = PageRun {
            options: self.options,
            fonts: &mut self.fonts,
            layers: &self.layers,
            forms: &self.forms,
            page: number,
            glyphs: PageGlyphs::default(),
            state: initial.clone(),
            saved: Vec::new(),
            marked: MarkedContentStack::default(),
            path: ClipPath::default(),
            open_forms: Vec::new(),
            decompression_budget: self.options.limits.decompressed,
            max_glyphs: self
                .options
                .limits
                .words_per_page
                .saturating_mul(GLYPHS_PER_WORD),
            operators_until_check: CANCEL_INTERVAL,
        };
        let streams = match page.raw().get::<Object<'_>>("Contents") {
            Some(Object::Stream(stream)) => vec![stream],
            Some(Object::Array(array)) => array.iter::<Stream<'_>>().collect(),
            _ => Vec::new(),
        };
        // An operator may be split between two streams, so several are joined.
        let mut joined = Vec::new();
        let several = streams.len() > 1;
        for stream in &streams {
            let Some(data) = run.decompress(stream)? else {
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
        run.annotations(page, initial)?;
        run.glyphs.finish();
        Ok(run.glyphs)
    }
}

/// Execution of one page.
struct PageRun<'i, 'r, 'a> {
    options: &'r ReadOptions<'r>,
    fonts: &'i mut PdfFontCache<'a>,
    layers: &'i HiddenLayers,
    forms: &'i FormDefaults<'a>,
    page: u32,
    glyphs: PageGlyphs,
    state: GraphicsState<'a>,
    saved: Vec<GraphicsState<'a>>,
    marked: MarkedContentStack,
    path: ClipPath,
    open_forms: Vec<ObjectIdentifier>,
    /// Budget of bytes that may still be decompressed.
    decompression_budget: usize,
    max_glyphs: usize,
    operators_until_check: u32,
}

impl<'a> PageRun<'_, '_, 'a> {
    fn too_much_data(&self, _: StreamTooLarge) -> DocumentError {
        DocumentError::TooMuchData {
            limit: self.options.limits.decompressed,
        }
    }

    fn decompress(
        &mut self,
        stream: &Stream<'a>,
    ) -> Result<Option<std::borrow::Cow<'a, [u8]>>, DocumentError> {
        let data = decompress(stream, self.decompression_budget)
            .map_err(|refused| self.too_much_data(refused))?;
        // Even empty content has a cost, because it can be drawn again and again.
        let size = data.as_ref().map_or(0, |data| data.len()).max(64);
        self.decompression_budget = self
            .decompression_budget
            .checked_sub(size)
            .ok_or(self.too_much_data(StreamTooLarge))?;
        Ok(data)
    }

    fn operators(&mut self, data: &[u8], resources: &Resources<'a>) -> Result<(), DocumentError> {
        let (saved, marked) = (self.saved.len(), self.marked.depth());
        let mut operators = TypedIter::new(data);
        while let Some(operator) = operators.next() {
            self.operators_until_check -= 1;
            if self.operators_until_check == 0 {
                self.operators_until_check = CANCEL_INTERVAL;
                if (self.options.give_up)() {
                    return Err(DocumentError::GivenUp { page: self.page });
                }
            }
            self.operator(operator, resources, saved)?;
            if self.glyphs.all.len() > self.max_glyphs {
                return Err(DocumentError::TooManyWords {
                    page: self.page,
                    limit: self.options.limits.words_per_page,
                });
            }
        }
        // States and marked content that a stream opens end with the stream.
        while self.marked.depth() > marked {
            self.end_marked();
        }
        if self.saved.len() > saved {
            self.saved.truncate(saved + 1);
            self.restore();
        }
        self.path = ClipPath::default();
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
            Op::TextFont(font) => {
                text.size = number(font.1);
                let dict = resources.get_font(font.0);
                self.set_font(dict.as_ref())?;
            }
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
            Op::BeginMarkedContent(_) => self.marked.begin_plain(),
            Op::BeginMarkedContentWithProperties(begun) => {
                let is_layer = begun.0.as_ref() == b"OC";
                self.begin_marked(is_layer, begun.1, resources);
            }
            Op::EndMarkedContent(_) => self.end_marked(),
            other => {
                self.state.text.apply(&other);
                if let Some(effect) = self.path.apply(&other, self.state.transform) {
                    self.glyphs.add_rules(&effect.rules);
                    if let Some(clip) = effect.clip {
                        self.state.clip = self.state.clip.intersect(clip);
                    }
                }
            }
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
        self.state.text.font = font.map_err(|refused| self.too_much_data(refused))?;
        Ok(())
    }

    fn begin_marked(&mut self, is_layer: bool, properties: &Object<'_>, resources: &Resources<'a>) {
        let actual_text = |dict: &Dict<'_>| {
            let text = dict.get::<PdfString<'_>>("ActualText");
            text.map(|text| text_string(&text))
        };
        let (hidden, actual) = match properties {
            Object::Name(name) => (
                is_layer && !self.layers.shows(&resources.properties, name),
                resources
                    .properties
                    .get::<Dict<'_>>(&**name)
                    .and_then(|dict| actual_text(&dict)),
            ),
            Object::Dict(dict) => (false, actual_text(dict)),
            _ => (false, None),
        };
        self.marked.begin(hidden, actual);
    }

    fn end_marked(&mut self) {
        if let Some((actual, drawn)) = self.marked.end() {
            self.glyphs.add(&actual, &drawn);
        }
    }

    fn image(&mut self) {
        if !self.marked.is_hidden() {
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
            Some(b"Form") if !self.marked.is_hidden() && self.layers.shows(dict, b"OC") => {
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
        let limit = self.options.limits.nesting.min(MAX_NESTING);
        if self.open_forms.len() >= limit {
            return Err(DocumentError::TooDeep { limit });
        }
        let Some(data) = self.decompress(stream)? else {
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

    /// Executes the appearance of annotations and form fields. They begin with the state of an empty page, whatever
    /// the content of the page has left.
    fn annotations(
        &mut self,
        page: &Page<'a>,
        initial: GraphicsState<'a>,
    ) -> Result<(), DocumentError> {
        self.state = initial;
        self.saved.clear();
        self.marked = MarkedContentStack::default();
        let forms = self.forms;
        let defaults = forms.resources();
        let fonts = defaults.as_ref().unwrap_or(page.resources());
        for content in visible_annotations(page, self.layers, forms) {
            self.glyphs.end_run();
            match content {
                AnnotationContent::Appearance(form, placed) => {
                    self.form(&form, page.resources(), placed)?;
                }
                AnnotationContent::Value(operators) => self.operators(&operators, fonts)?,
            }
        }
        Ok(())
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
        // Some programs separate words by setting two letters far apart. Only longer strings are
        // letter-spaced.
        let is_letter_spaced = !rest.is_empty() && rest.len() >= 5 * font.next_code(rest).1;
        while !rest.is_empty() && self.glyphs.all.len() <= self.max_glyphs {
            let (code, length) = font.next_code(rest);
            let is_space = code == 32 && length == 1;
            rest = &rest[length.clamp(1, rest.len())..];
            self.glyph(&font, code, is_space, is_letter_spaced);
        }
    }

    fn glyph(&mut self, font: &Rc<PdfFont<'a>>, code: u32, is_space: bool, is_letter_spaced: bool) {
        let shown = font.code(code);
        let text = &mut self.state.text;
        let advance = f64::from(shown.advance);
        let placed = self.state.transform * text.matrix;
        let extra = text.character_spacing + if is_space { text.word_spacing } else { 0.0 };
        let tracking = if is_letter_spaced {
            text.character_spacing
        } else {
            0.0
        };
        let drawn = text.drawn(font, placed, advance, tracking);
        text.advance(font.vertical, advance * text.size, extra);
        if self.marked.is_hidden() {
            return;
        }
        let Some((drawn, center)) = drawn else {
            return;
        };
        if !self.state.clip.contains(center) {
            return;
        }
        let Some(drawn) = self.marked.absorb(drawn) else {
            return;
        };
        if shown.text.is_empty() {
            self.glyphs.unreadable += 1;
            self.glyphs.end_run();
        } else {
            self.glyphs.add(&shown.text, &drawn);
        }
    }
}

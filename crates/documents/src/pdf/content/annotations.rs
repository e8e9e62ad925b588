//! Appearance of annotations and form fields.

use hayro_font::kurbo::{Affine, Rect};
use hayro_syntax::object::{Array, Dict, Name, Object, Stream};
use hayro_syntax::page::Page;

use super::super::hidden_layers::HiddenLayers;
use super::form_fields::FormDefaults;

/// Flag of annotations that are not shown at all.
const HIDDEN: u32 = 1 << 1;
/// Flag of annotations that are only printed.
const NO_VIEW: u32 = 1 << 5;

/// Content that an annotation shows.
pub(super) enum AnnotationContent<'a> {
    /// Appearance, and the matrix that places it on the page.
    Appearance(Stream<'a>, Affine),
    /// Operators that draw the value of a form field.
    Value(Vec<u8>),
}

/// Returns the content of each visible annotation.
pub(super) fn visible_annotations<'a>(
    page: &Page<'a>,
    layers: &HiddenLayers,
    forms: &FormDefaults<'a>,
) -> Vec<AnnotationContent<'a>> {
    let annotations = page.raw().get::<Array<'a>>("Annots");
    annotations
        .iter()
        .flat_map(|annotations| annotations.iter::<Dict<'a>>())
        .filter(|annotation| {
            let flags = annotation.get::<u32>("F").unwrap_or(0);
            flags & (HIDDEN | NO_VIEW) == 0 && layers.shows(annotation, b"OC")
        })
        .filter_map(|annotation| {
            if annotation.get::<Dict<'a>>("AP").is_none() {
                let value = forms.value_operators(&annotation)?;
                return Some(AnnotationContent::Value(value));
            }
            let form = normal_appearance(&annotation)?;
            let placed = placement(&annotation, form.dict())?;
            Some(AnnotationContent::Appearance(form, placed))
        })
        .collect()
}

/// Returns the appearance of an annotation in its current state.
fn normal_appearance<'a>(annotation: &Dict<'a>) -> Option<Stream<'a>> {
    let appearances = annotation.get::<Dict<'a>>("AP")?;
    match appearances.get::<Object<'a>>("N")? {
        Object::Stream(form) => Some(form),
        Object::Dict(states) => {
            let state = annotation.get::<Name<'a>>("AS");
            let shown = state.and_then(|state| states.get::<Stream<'a>>(&*state));
            // Like the renderer, so that text and image agree.
            shown.or_else(|| states.get::<Stream<'a>>("Off"))
        }
        _ => None,
    }
}

/// Returns the matrix that maps the bounding box of a form to the rectangle of its annotation.
fn placement(annotation: &Dict<'_>, form: &Dict<'_>) -> Option<Affine> {
    let rect = annotation.get::<hayro_syntax::object::Rect>("Rect")?;
    let bounds = form.get::<hayro_syntax::object::Rect>("BBox")?;
    let bounds = Rect::new(bounds.x0, bounds.y0, bounds.x1, bounds.y1);
    let bounds = form_matrix(form).transform_rect_bbox(bounds);
    let scale = |from: f64, to: f64| if from > 0.0 { to / from } else { 1.0 };
    let (x, y) = (
        scale(bounds.width(), rect.width()),
        scale(bounds.height(), rect.height()),
    );
    Some(Affine::new([
        x,
        0.0,
        0.0,
        y,
        rect.x0 - x * bounds.x0,
        rect.y0 - y * bounds.y0,
    ]))
}

/// Returns the matrix of a form.
pub(super) fn form_matrix(dict: &Dict<'_>) -> Affine {
    let identity = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    Affine::new(dict.get::<[f64; 6]>("Matrix").unwrap_or(identity))
}

//! Drawings: images, what they are called, and letters drawn as pictures.

use super::super::xml::XmlElement;
use super::{InlineDrawing, StoryReader};
use crate::document::TextStreamRole;
use crate::figure::{ImageDisplay, ImageLength};

/// The drawing that is being read.
#[derive(Debug, Default)]
pub(super) struct DrawingCanvas {
    /// What it is called.
    label: String,
    /// How wide and high it is, in points.
    size: Option<(f32, f32)>,
    /// Whether it is made of several drawings, each with a size of its own.
    grouped: bool,
    /// How many images it has so far.
    images: usize,
}

/// Units of length in a point, and of an angle in a quarter of a turn.
const UNITS: f32 = 12_700.0;
const QUARTER: f32 = 5_400_000.0;

impl StoryReader<'_> {
    /// Begins a drawing.
    pub(super) fn begin_drawing(&mut self) {
        self.canvas = DrawingCanvas::default();
    }

    /// Elements of drawings.
    pub(super) fn other(&mut self, element: &XmlElement<'_>) {
        let canvas = &mut self.canvas;
        match element.name() {
            "extent" => canvas.size = size(element),
            "wgp" | "grpSp" | "wpc" | "group" => canvas.grouped = true,
            "docPr" => {
                let label = element.attribute("descr").or(element.attribute("title"));
                canvas.label = label.unwrap_or_default().into_owned();
                for name in ["title", "descr"] {
                    if let Some(text) = element.attribute(name) {
                        self.block.beside(TextStreamRole::Hidden, &text);
                    }
                }
            }
            "blip" => self.image(element, "embed", [0.0; 4]),
            "srcRect" => {
                let cut = ["l", "t", "r", "b"].map(|side| part(element, side, 100_000.0));
                self.change(|wish| wish.cut = cut);
            }
            "xfrm" => {
                let angle = element.attribute("rot").and_then(|rot| rot.parse().ok());
                let quarters = (angle.unwrap_or(0.0_f32) / QUARTER).round().rem_euclid(4.0);
                if quarters != 0.0 {
                    self.change(|wish| wish.turn_by(quarters as u8));
                }
            }
            "ext" if canvas.grouped => {
                let whole = canvas.size;
                if let Some((width, height)) = size(element) {
                    let (most_wide, most_high) = whole.unwrap_or((width, height));
                    self.change(|wish| {
                        let quarters = wish.quarters.take();
                        wish.width = Some(ImageLength::Points(width.min(most_wide)));
                        wish.height = Some(ImageLength::Points(height.min(most_high)));
                        if let Some(quarters) = quarters {
                            wish.turn_by(quarters);
                        }
                    });
                }
            }
            "shape" | "rect" => {
                *canvas = DrawingCanvas {
                    grouped: canvas.grouped,
                    ..DrawingCanvas::default()
                };
                // In groups lengths are in units of the group.
                if let Some(style) = element.attribute("style")
                    && !canvas.grouped
                {
                    let side = |side| match ImageLength::in_style(&style, side) {
                        Some(ImageLength::Points(points)) => Some(points),
                        _ => None,
                    };
                    canvas.size = side("width").zip(side("height"));
                }
                if let Some(text) = element.attribute("alt") {
                    canvas.label = text.clone().into_owned();
                    self.block.beside(TextStreamRole::Hidden, &text);
                }
            }
            "imagedata" => {
                if let Some(text) = element.attribute("alt") {
                    canvas.label = text.clone().into_owned();
                    self.block.beside(TextStreamRole::Hidden, &text);
                }
                let cut = ["cropleft", "croptop", "cropright", "cropbottom"]
                    .map(|side| part(element, side, 65_536.0));
                self.image(element, "id", cut);
            }
            "textpath" => {
                if let Some(text) = element.attribute("string") {
                    self.block.beside(TextStreamRole::Apart, &text);
                }
            }
            _ => {}
        }
    }

    /// An image, by the attribute that refers to its part.
    fn image(&mut self, element: &XmlElement<'_>, reference: &str, cut: [f32; 4]) {
        let reference = element.attribute(reference);
        let part = reference.and_then(|id| self.images.get(&*id).cloned());
        let points =
            |side: fn((f32, f32)) -> f32| self.canvas.size.map(side).map(ImageLength::Points);
        let wish = ImageDisplay {
            width: points(|size| size.0),
            height: points(|size| size.1),
            cut,
            quarters: None,
        };
        self.block.draw(InlineDrawing {
            label: self.canvas.label.clone(),
            part,
            wish,
            ..InlineDrawing::default()
        });
        self.canvas.images += 1;
    }

    /// Changes how the last image of the drawing is shown.
    fn change(&mut self, change: impl FnOnce(&mut ImageDisplay)) {
        if self.canvas.images > 0
            && let Some(drawing) = self.block.last_drawing()
        {
            change(&mut drawing.wish);
        }
    }
}

/// The size that an element gives.
fn size(element: &XmlElement<'_>) -> Option<(f32, f32)> {
    let side = |name| {
        let units: f32 = element.attribute(name)?.trim().parse().ok()?;
        (units > 0.0 && units.is_finite()).then_some(units / UNITS)
    };
    Some((side("cx")?, side("cy")?))
}

/// A part that is cut off, given in so many parts of the whole.
fn part(element: &XmlElement<'_>, side: &str, whole: f32) -> f32 {
    let given = element.attribute(side).unwrap_or_default();
    let number: Option<f32> = given.trim().trim_end_matches('f').parse().ok();
    let part = number.map_or(0.0, |number| number / whole);
    // What would be added is left out.
    if part.is_finite() {
        part.clamp(0.0, 0.99)
    } else {
        0.0
    }
}

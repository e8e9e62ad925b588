//! Page images with highlights.
//!
//! A [`DocumentRenderer`] draws pages of a [`RenderSource`], which is a PDF file, an image, or a file that was laid out on
//! pages. A [`Highlight`] marks a passage: brackets around it in the colour of its [`HighlightState`], and a tint
//! over its key words. A [`PageView`] is a whole page or a crop around the passage; a [`RenderStyle`] sets
//! resolution, theme and dimming. An [`Image`] is encoded as PNG, WebP, AVIF or JPEG.
//!
//! The same document, view and style always give the same bytes, so that pictures can be cached under
//! [`PageView::key`]. This crate opens no files. Pages are untrusted: [`RenderLimits`] bound their cost, and every
//! refusal is a [`RenderError`].

mod crop;
mod dark;
mod decode;
mod document_renderer;
mod embedded_images;
mod encode;
mod error;
mod highlight;
mod image;
mod pdf;
mod raster;
mod render_layout;
mod scale;
mod source;
pub mod style;

pub use document_renderer::{DocumentRenderer, PageView, RenderLimits, RenderOptions};
pub use encode::ImageFormat;
pub use error::RenderError;
pub use highlight::Highlight;
pub use image::Image;
pub use pdf::PdfSource;
pub use raster::RasterPage;
pub use source::RenderSource;
pub use style::{HighlightState, ImageTheme, RenderStyle};

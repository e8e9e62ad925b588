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
mod dark_theme;
mod document_renderer;
mod embedded_images;
mod error;
mod highlight;
mod highlight_blocks;
mod highlight_drawing;
mod image;
mod image_decoding;
mod image_encoding;
mod image_scaling;
mod layout_renderer;
mod nearby_rows;
mod page_view;
mod pdf_renderer;
mod raster_page;
mod render_options;
mod render_source;
pub mod style;

pub use document_renderer::DocumentRenderer;
pub use error::RenderError;
pub use highlight::Highlight;
pub use image::Image;
pub use image_encoding::ImageFormat;
pub use page_view::PageView;
pub use pdf_renderer::PdfSource;
pub use raster_page::RasterPage;
pub use render_options::{RenderLimits, RenderOptions};
pub use render_source::RenderSource;
pub use style::{HighlightState, ImageTheme, RenderStyle};

//! Integration tests of the crate.

mod document_renderer;
mod glyphs;
mod images;
mod layout;
mod raster;
mod sample_pdf;

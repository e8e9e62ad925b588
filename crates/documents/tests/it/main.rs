//! Integration tests of the crate.

mod cpu_time;
mod docx_builder;
mod docx_document;
mod docx_limits;
mod docx_pages;
mod docx_structure;
mod docx_text;
mod fuzz_replay;
mod fuzz_target;
mod html;
mod images;
mod layout;
mod markdown;
mod pdf_alternative_order;
mod pdf_columns;
mod pdf_damage;
mod pdf_document;
mod pdf_limits;
mod pdf_notes;
mod pdf_scripts;
mod pdf_text;
mod plain;
mod properties;
mod text_dump;
mod text_limits;
mod words;

//! Prints the words of a PDF with their boxes: page, left, top, right, bottom and word, separated by tabs.
//!
//!     cargo run --release --example pdf_words -- [--lines | --time] file.pdf [password]
//!
//! `--lines` prints the lines with their numbers and roles instead; `--time` only reads.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use documents::{Document, ReadOptions};

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mode = match arguments.first() {
        Some(first) if first.starts_with("--") => arguments.remove(0),
        _ => String::new(),
    };
    let Some(path) = arguments.first() else {
        eprintln!("usage: pdf_words [--lines | --time] file.pdf [password]");
        return ExitCode::from(2);
    };
    let options = ReadOptions {
        password: arguments.get(1).map_or("", String::as_str),
        ..ReadOptions::default()
    };
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let document = match Document::read_as(&bytes, path, &options) {
        Ok(document) => document,
        Err(error) => {
            eprintln!("{path}: {error}. {}", error.hint());
            return ExitCode::FAILURE;
        }
    };
    for warning in document.warnings() {
        eprintln!("{path}: {warning}");
    }
    match print(&document, &mode) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn print(document: &Document, mode: &str) -> std::io::Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in document.lines() {
        match mode {
            "--time" => {}
            "--lines" => writeln!(
                out,
                "{}\t{}\t{:?}\t{}",
                line.page, line.number, line.role, line.text
            )?,
            _ => {
                for word in document.words_of(line) {
                    let text = &line.text[word.range.start as usize..word.range.end as usize];
                    writeln!(
                        out,
                        "{}\t{:.3}\t{:.3}\t{:.3}\t{:.3}\t{text}",
                        line.page,
                        word.x,
                        word.y,
                        word.x + word.width,
                        word.y + word.height
                    )?;
                }
            }
        }
    }
    out.flush()
}

//! Measures the stored form of a document: its size, and the time of encoding and decoding it.
//!
//!     cargo run --release -p documents --example stored_document [file]
//!
//! Without a file, it makes a PDF of 500 pages with 252,000 words.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use documents::{Document, ReadLimits};
use testkit::pdf_builder::PdfBuilder;

fn main() -> Result<(), Box<dyn Error>> {
    let (file, name) = match std::env::args().nth(1) {
        Some(path) => (std::fs::read(&path)?, path),
        None => (long_pdf(), "long.pdf".to_owned()),
    };
    let start = Instant::now();
    let document = Document::read(&file, &name, &ReadLimits::default())?;
    println!("read:   {:8.2} ms", milliseconds(start.elapsed()));
    let stored = document.to_bytes();
    let indexes = document.text_streams().iter();
    let indexes: usize = indexes.map(|stream| stream.index.to_bytes().len()).sum();
    let encode = fastest(|| document.to_bytes().len());
    let encode_indexes = fastest(|| {
        let streams = document.text_streams().iter();
        streams.map(|stream| stream.index.to_bytes().len()).sum()
    });
    let decode = fastest(|| Document::from_bytes(&stored).map_or(0, |read| read.lines().len()));
    println!("encode: {:8.2} ms", milliseconds(encode));
    println!(
        "        {:8.2} ms of them for the indexes",
        milliseconds(encode_indexes)
    );
    println!("decode: {:8.2} ms", milliseconds(decode));
    println!(
        "{} pages, {} words: {} bytes, {} of them in indexes",
        document.pages().len(),
        document.words().len(),
        stored.len(),
        indexes
    );
    Ok(())
}

/// Returns the shortest time of 30 runs.
fn fastest(run: impl Fn() -> usize) -> Duration {
    let time = |_| {
        let start = Instant::now();
        std::hint::black_box(run());
        start.elapsed()
    };
    (0..30).map(time).min().unwrap_or_default()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Returns a PDF of 500 pages with 42 lines of 12 words each.
fn long_pdf() -> Vec<u8> {
    const WORDS: [&str; 16] = [
        "the", "tide", "of", "revenue", "rose", "in", "quarter", "and", "harbour", "was", "by",
        "percent", "while", "board", "reported", "figures",
    ];
    // Linear congruential generator: words in an order that does not repeat soon.
    let mut state = 3_u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let mut pdf = PdfBuilder::new();
    for _ in 0..500 {
        let mut page = String::new();
        for line in 0..42 {
            let mut text = String::new();
            for _ in 0..12 {
                match random() % 4 {
                    0 => text += &format!("{} ", random() % 100_000),
                    _ => text += &format!("{} ", WORDS[random() as usize % WORDS.len()]),
                }
            }
            let y = 740 - line * 16;
            let _ = write!(page, "BT /F1 10 Tf 1 0 0 1 50 {y} Tm ({text}) Tj ET ");
        }
        pdf.page(&page);
    }
    pdf.file()
}

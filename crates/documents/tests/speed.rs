//! How long reading takes: `cargo test --release -p documents --test speed -- --ignored --nocapture`.

mod made;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use documents::{Document, ReadLimits};

/// Words in an order that does not repeat soon.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        self.0 >> 33
    }

    fn sentence(&mut self) -> String {
        const WORDS: &[&str] = &[
            "the", "tide", "of", "revenue", "rose", "in", "quarter", "and", "harbour", "was",
            "élan", "by", "percent", "while", "board", "reported", "figures", "strongly",
        ];
        let mut sentence = String::new();
        for _ in 0..12 {
            match self.next() % 24 {
                number @ 18.. => {
                    let _ = write!(sentence, "{}.{number} ", self.next() % 100_000);
                }
                word => {
                    sentence.push_str(WORDS[word as usize]);
                    sentence.push(' ');
                }
            }
        }
        sentence
    }
}

fn html(size: usize) -> String {
    let mut words = Words(1);
    let mut page = String::from("<!doctype html><html lang=en><head><title>A page</title><body>");
    while page.len() < size {
        let (one, two, three) = (words.sentence(), words.sentence(), words.sentence());
        let _ = writeln!(
            page,
            "<div class=\"section wide\"><h2 id=\"s{}\">{one}</h2><p>{two}<a href=\"/x/y?z=1&amp;w=2\">link</a> \
             <b>{three}</b>&nbsp;&mdash; {one}</p><ul><li>{two}<li>{three}</ul>\
             <table><tr><td>{}</td><td>{}</td></tr></table></div>",
            words.next(),
            words.next(),
            words.next(),
        );
    }
    page
}

fn markdown(size: usize) -> String {
    let mut words = Words(2);
    let mut text = String::from("# A file\n\n");
    while text.len() < size {
        let (one, two, three) = (words.sentence(), words.sentence(), words.sentence());
        let _ = write!(
            text,
            "## {one}\n\n{two}\n*{}* and [a link](http://a.example/b) with `code`\n{three}\n\n- {one}\n- {two}\n\n\
             | a | b |\n|---|---|\n| {} | {} |\n\n",
            three.trim(),
            words.next(),
            words.next(),
        );
    }
    text
}

fn best(file: &str, name: &str) -> Duration {
    let run = |_| {
        let start = Instant::now();
        let document =
            Document::read(file.as_bytes(), name, &ReadLimits::default()).expect("it is read");
        assert!(document.lines().len() > 1000);
        start.elapsed()
    };
    (0..20).map(run).min().unwrap_or_default()
}

#[test]
#[ignore = "measures"]
#[allow(clippy::print_stdout)]
fn a_megabyte() {
    const SIZE: usize = 1 << 20;
    let markdown = markdown(SIZE);
    for (file, name, bound) in [
        (&html(SIZE), "a.html", 100),
        (&markdown, "a.md", 60),
        (&markdown, "a.txt", 60),
    ] {
        let time = best(file, name);
        println!(
            "{name}: {:.1} ms for {} bytes",
            time.as_secs_f64() * 1e3,
            file.len()
        );
        assert!(time < Duration::from_millis(bound), "{name}: {time:?}");
    }
}

#[test]
#[ignore = "measures"]
#[allow(clippy::print_stdout)]
fn five_hundred_pages_stored() {
    let mut words = Words(3);
    let mut made = made::Made::new();
    for _ in 0..500 {
        let mut page = String::new();
        for line in 0..42 {
            let text = words.sentence();
            let _ = write!(
                page,
                "BT /F1 10 Tf 1 0 0 1 50 {} Tm ({}) Tj ET ",
                740 - line * 16,
                text.replace('é', "e"),
            );
        }
        made.page(&page);
    }
    let file = made.file();
    let start = Instant::now();
    let document = Document::read(&file, "a.pdf", &ReadLimits::default()).expect("it is read");
    let reading = start.elapsed();
    assert_eq!(document.pages().len(), 500);
    let stored = document.to_bytes();
    let run = |_| {
        let start = Instant::now();
        let opened = Document::from_bytes(&stored);
        let time = start.elapsed();
        assert_eq!(opened.as_ref(), Ok(&document));
        time
    };
    let opening = (0..20).map(run).min().unwrap_or_default();
    println!(
        "500 pages, {} words, {} bytes of text: read in {:.1} ms; {} bytes stored, opened in {:.2} ms",
        document.words().len(),
        document.flows()[0].index.text().source().len(),
        reading.as_secs_f64() * 1e3,
        stored.len(),
        opening.as_secs_f64() * 1e3,
    );
    assert!(opening * 20 < reading, "{opening:?} of {reading:?}");
}

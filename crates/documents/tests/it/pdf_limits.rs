//! PDF: limits, passwords and hostile files.

use std::cell::RefCell;
use std::io::Write as _;
use std::time::Duration;

use crate::cpu_time::cpu_time;
use crate::fuzz_target::check_words;
use documents::{Document, DocumentError, ReadLimits, ReadOptions};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use proptest::prelude::*;
use testkit::pdf_builder::{PdfBuilder, lines, text};

fn pages(count: usize) -> PdfBuilder {
    let mut pdf = PdfBuilder::new();
    for number in 1..=count {
        pdf.page(&text(72.0, 700.0, 10.0, &format!("This is page {number}")));
    }
    pdf
}

fn deflated(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

fn refused(pdf: &PdfBuilder, limits: ReadLimits) -> (String, &'static str) {
    let error = Document::read(&pdf.file(), "a.pdf", &limits).expect_err("it is over the limit");
    (error.to_string(), error.hint())
}

#[test]
fn limits_have_their_own_errors() {
    let usual = ReadLimits::default();
    let three = pages(3);
    for (limits, message) in [
        (
            ReadLimits { bytes: 99, ..usual },
            format!(
                "the file has {} bytes; at most 99 are read",
                three.file().len()
            ),
        ),
        (
            ReadLimits { pages: 2, ..usual },
            "the file has more than 2 pages".to_owned(),
        ),
        (
            ReadLimits { lines: 2, ..usual },
            "the file has more than 2 lines".to_owned(),
        ),
        (
            ReadLimits {
                words_per_page: 3,
                ..usual
            },
            "page 1 has more than 3 words".to_owned(),
        ),
        (
            ReadLimits {
                objects: 9,
                ..usual
            },
            "the file has 15 objects; at most 9 are read".to_owned(),
        ),
        (
            ReadLimits {
                decompressed: 50,
                ..usual
            },
            "something in the file decompresses to more than 50 bytes".to_owned(),
        ),
    ] {
        let (error, hint) = refused(&three, limits);
        assert_eq!(error, message);
        assert!(hint.ends_with("limit."), "{hint}");
    }
    assert!(Document::read(&three.file(), "a.pdf", &usual).is_ok());
}

#[test]
fn streams_that_decompress_to_too_much_are_refused() {
    let limits = ReadLimits {
        decompressed: 1 << 20,
        ..ReadLimits::default()
    };
    let spaces = deflated(&vec![b' '; 4 << 20]);
    let twice = deflated(&spaces);
    for (filter, data) in [
        ("/FlateDecode", &spaces),
        ("[/FlateDecode/FlateDecode]", &twice),
    ] {
        let mut pdf = pages(1);
        let form = pdf.stream(&format!("/Subtype/Form/BBox[0 0 9 9]/Filter{filter}"), data);
        pdf.page_as(
            "/MediaBox[0 0 612 792]",
            &format!("/XObject<</A {form} 0 R>>"),
            "/A Do",
        );
        assert_eq!(
            refused(&pdf, limits).0,
            "something in the file decompresses to more than 1048576 bytes"
        );
        // Unused objects cost nothing.
        let mut pdf = pages(1);
        pdf.stream(&format!("/Filter{filter}"), data);
        assert!(Document::read(&pdf.file(), "a.pdf", &limits).is_ok());
        // The map of a font is unpacked by the parser.
        let mut pdf = pages(1);
        let map = pdf.stream(&format!("/Filter{filter}"), data);
        let keys = format!(
            "/Subtype/Form/BBox[0 0 612 792]/Resources<</Font<</X<</Type/Font/Subtype/Type1\
             /BaseFont/Helvetica/ToUnicode {map} 0 R>>>>>>"
        );
        let form = pdf.stream(&keys, b"BT /X 9 Tf 72 700 Td (a) Tj ET");
        pdf.page_as(
            "/MediaBox[0 0 612 792]",
            &format!("/XObject<</A {form} 0 R>>"),
            "/A Do",
        );
        let read = Document::read(&pdf.file(), "a.pdf", &limits);
        assert_eq!(read, Err(DocumentError::TooMuchData { limit: 1 << 20 }));
    }
}

#[test]
fn nested_drawings_are_bounded() {
    // Each drawing draws the next one twice, which would take exponential time.
    let mut pdf = PdfBuilder::new();
    let mut below = pdf.stream("/Subtype/Form/BBox[0 0 612 792]", b" ");
    for _ in 0..40 {
        let keys =
            format!("/Subtype/Form/BBox[0 0 612 792]/Resources<</XObject<</A {below} 0 R>>>>");
        below = pdf.stream(&keys, b"/A Do /A Do");
    }
    pdf.page_as(
        "/MediaBox[0 0 612 792]",
        &format!("/XObject<</A {below} 0 R>>"),
        "/A Do",
    );
    let limits = ReadLimits {
        decompressed: 1 << 20,
        ..ReadLimits::default()
    };
    assert!(
        refused(&pdf, limits)
            .0
            .starts_with("something in the file decompresses")
    );
    let asked = RefCell::new(0);
    let reading = ReadOptions {
        give_up: &|| {
            *asked.borrow_mut() += 1;
            *asked.borrow() > 3
        },
        ..ReadOptions::default()
    };
    let given_up = Document::read_as(&pdf.file(), "a.pdf", &reading);
    assert_eq!(given_up, Err(DocumentError::GivenUp { page: 1 }));
    let limits = ReadLimits {
        nesting: 9,
        ..ReadLimits::default()
    };
    assert_eq!(
        refused(&pdf, limits).0,
        "the file nests more than 9 levels deep"
    );
    // A drawing that draws itself is drawn once.
    let mut pdf = PdfBuilder::new();
    let own = pdf.stream("/Subtype/Form/BBox[0 0 612 792]", b"");
    let content = format!(
        "/Subtype/Form/BBox[0 0 612 792]/Resources<</XObject<</A {} 0 R>>/Font<</F1 3 0 R>>>>",
        own + 1
    );
    let own = pdf.stream(
        &content,
        format!("{} /A Do", text(72.0, 700.0, 10.0, "once")).as_bytes(),
    );
    pdf.page_as(
        "/MediaBox[0 0 612 792]",
        &format!("/XObject<</A {own} 0 R>>"),
        "/A Do",
    );
    let document = Document::read(&pdf.file(), "a.pdf", &ReadLimits::default()).expect("it ends");
    assert_eq!(document.lines().len(), 1);
}

#[test]
fn progress_is_reported_and_reading_can_be_cancelled() {
    let file = pages(5).file();
    let reported = RefCell::new(Vec::new());
    let reading = ReadOptions {
        progress: &|done, all| reported.borrow_mut().push((done, all)),
        ..ReadOptions::default()
    };
    Document::read_as(&file, "a.pdf", &reading).expect("it is well made");
    assert_eq!(*reported.borrow(), [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]);
    reported.borrow_mut().clear();
    let reading = ReadOptions {
        give_up: &|| reported.borrow().len() == 2,
        ..reading
    };
    let error = Document::read_as(&file, "a.pdf", &reading).expect_err("it was given up");
    assert_eq!(error.to_string(), "reading was given up at page 3");
}

#[test]
fn passwords_open_encrypted_files() {
    // Files of the builder, encrypted: with AES-256 and the password "tide", with RC4 and no password.
    let locked = include_bytes!("../data/password.pdf");
    let open = include_bytes!("../data/no-password.pdf");
    let read = |file: &[u8], password| {
        let reading = ReadOptions {
            password,
            ..ReadOptions::default()
        };
        let document = Document::read_as(file, "a.pdf", &reading)?;
        Ok(document.lines()[0].text.clone())
    };
    assert_eq!(read(locked, ""), Err(DocumentError::NeedsPassword));
    assert_eq!(read(locked, "ebb"), Err(DocumentError::WrongPassword));
    assert_eq!(read(locked, "tide").as_deref(), Ok("High tide at noon"));
    assert_eq!(read(open, "").as_deref(), Ok("High tide at noon"));
    assert_eq!(read(open, "tide").as_deref(), Ok("High tide at noon"));
    assert_eq!(
        DocumentError::NeedsPassword.to_string(),
        "the file is protected by a password"
    );
}

/// Returns pages that take long if the time of reading is quadratic.
fn crowded(words: usize) -> Vec<String> {
    let mut grid = String::new();
    let mut same = String::new();
    let mut columns = String::new();
    for at in 0..words {
        grid += &text(
            (at % 100) as f32 * 6.0,
            (at / 100) as f32 * 3.0 % 780.0,
            2.0,
            "a",
        );
        same += &text(300.0, 400.0, 10.0, if at % 2 == 0 { "a" } else { "b" });
        columns += &text(
            (at % 7) as f32 * 80.0,
            790.0 - (at / 7) as f32 * 700.0 / words as f32,
            0.5,
            "1 Note",
        );
    }
    vec![grid, same, columns]
}

#[test]
fn reading_time_grows_linearly_with_the_page() {
    let time = |content: &str| {
        let mut pdf = PdfBuilder::new();
        pdf.page(content);
        let file = pdf.file();
        let timed = || {
            let start = cpu_time();
            Document::read(&file, "a.pdf", &ReadLimits::default()).expect("it is well made");
            cpu_time() - start
        };
        (0..3).map(|_| timed()).min().unwrap_or_default()
    };
    for (one, four) in crowded(5_000).iter().zip(&crowded(20_000)) {
        let (one, four) = (time(one).max(Duration::from_millis(5)), time(four));
        assert!(four < one * 12, "{four:?} for four times what took {one:?}");
    }
}

/// Returns a file with a title and three pages.
fn small_file() -> Vec<u8> {
    let mut pdf = pages(2);
    pdf.info("/Title(Tides)");
    pdf.page(&lines(72.0, 700.0, &["one", "two", "three"]));
    pdf.file()
}

/// The file is read as Windows-1252 text, because its header is damaged, and has a no-break space between
/// spaces.
#[test]
fn a_damaged_file_has_no_word_of_white_space() {
    // The numbers of a case that a property test found, as parts of the length in 1/2^64.
    let part = |number: u64, length: usize| ((u128::from(number) * length as u128) >> 64) as usize;
    let mut file = small_file();
    file[0] = b' ';
    let changed = part(12_625_563_414_239_447_765, file.len());
    file[changed] = 0xa0;
    let half = file.len() / 2;
    file.truncate(half + part(6_845_410_522_703_713_576, half + 1));
    let document = Document::read(&file, "a.pdf", &ReadLimits::default()).expect("it is text");
    assert_eq!(document.media_type(), "text/plain");
    assert!(
        document
            .lines()
            .iter()
            .any(|line| line.text.contains('\u{a0}'))
    );
    check_words(&document);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn damaged_files_are_read_or_refused(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut file = small_file();
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        file.truncate(file.len() / 2 + cut.index(file.len() / 2 + 1));
        if let Ok(document) = Document::read(&file, "a.pdf", &ReadLimits::default()) {
            check_words(&document);
        }
    }

    #[test]
    fn two_columns_of_any_shape_are_read_in_order(
        left in proptest::collection::vec("[a-z]{3,9}( [a-z]{3,9}){4,6}", 3..30),
        right in proptest::collection::vec("[a-z]{3,9}( [a-z]{3,9}){4,6}", 3..30),
        leading in 11.0f32..15.0,
        shift in 0.0f32..12.0,
        gutter in 12.0f32..40.0,
        turns in any::<bool>(),
    ) {
        // Lines of at most 62 letters of 4 points fit into 190 points.
        let size = 7.0;
        let mut drawn: Vec<(usize, String)> = Vec::new();
        for (at, line) in left.iter().enumerate() {
            drawn.push((at, text(40.0, 740.0 - leading * at as f32, size, line)));
        }
        for (at, line) in right.iter().enumerate() {
            let line = text(40.0 + 270.0 + gutter, 740.0 - shift - leading * at as f32, size, line);
            drawn.push((at, line));
        }
        if turns {
            drawn.sort_by_key(|(at, _)| *at);
        }
        let content: String = drawn.into_iter().map(|(_, line)| line).collect();
        let mut pdf = PdfBuilder::new();
        pdf.page(&content);
        let document = Document::read(&pdf.file(), "a.pdf", &ReadLimits::default()).expect("it is well made");
        let read: Vec<&str> = document.lines().iter().map(|line| line.text.as_str()).collect();
        let expected: Vec<&str> = left.iter().chain(&right).map(String::as_str).collect();
        prop_assert_eq!(read, expected);
    }
}

//! PDF: damaged files, and files with cyclic, deeply nested or very many objects.

use std::fmt::Write as _;

use crate::pdf_document::texts;
use documents::{Document, DocumentError, ReadLimits, ReadWarning};

const FONT: &str = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>";
const SAYS: &str = "The tide came in at noon.";

fn stream(keys: &str, data: &str) -> String {
    format!(
        "<<{keys}/Length {}>>\nstream\n{data}\nendstream",
        data.len()
    )
}

fn shows(text: &str) -> String {
    stream("", &format!("BT /F1 10 Tf 72 700 Td ({text}) Tj ET"))
}

/// Returns a page below object 2; `content` and `font` are numbers of objects.
fn page(keys: &str, content: usize, font: usize) -> String {
    format!(
        "<</Type/Page/Parent 2 0 R{keys}/Resources<</Font<</F1 {font} 0 R>>>>/Contents {content} 0 R>>"
    )
}

const SIZE: &str = "/MediaBox[0 0 612 792]";

/// Returns a file of objects from number 2; the first is the catalog.
fn file(objects: &[String]) -> Vec<u8> {
    let catalog = "<</Type/Catalog/Pages 2 0 R>>".to_owned();
    let mut file = "%PDF-1.7\n".to_owned();
    let count = objects.len() + 2;
    let mut table = format!("xref\n0 {count}\n0000000000 65535 f \n");
    for (number, object) in (1..).zip([&catalog].into_iter().chain(objects)) {
        let _ = writeln!(table, "{:010} 00000 n ", file.len());
        let _ = write!(file, "{number} 0 obj\n{object}\nendobj\n");
    }
    let start = file.len();
    let _ = write!(
        file,
        "{table}trailer\n<</Size {count}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n"
    );
    file.into_bytes()
}

fn read(objects: &[String]) -> Result<Document, DocumentError> {
    Document::read(&file(objects), "a.pdf", &ReadLimits::default())
}

#[test]
fn cyclic_objects_are_read_once() {
    let pages = "<</Type/Pages/Count 1/Kids[3 0 R]>>".to_owned();
    let tree = "<</Type/Pages/Count 1/Kids[2 0 R]>>".to_owned();
    let damaged = read(&[tree]).map(|document| document.lines().len());
    assert!(
        matches!(damaged, Err(DocumentError::Broken { .. })),
        "{damaged:?}"
    );
    // Contents that refer to themselves, a drawing that draws itself, and a stream whose length refers to the
    // stream.
    let own = "4 0 R".to_owned();
    let drawing = stream(
        "/Type/XObject/Subtype/Form/BBox[0 0 600 700]/Resources<</XObject<</X 4 0 R>>>>",
        "/X Do /X Do",
    );
    let drawn = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</XObject<</X 4 0 R>>>>\
                 /Contents 6 0 R>>";
    let long = "<</Length 4 0 R>>\nstream\nBT ET\nendstream".to_owned();
    for objects in [
        [pages.clone(), page(SIZE, 4, 5), own, FONT.to_owned()].to_vec(),
        [
            pages.clone(),
            drawn.to_owned(),
            drawing,
            FONT.to_owned(),
            stream("", "/X Do"),
        ]
        .to_vec(),
        [pages, page(SIZE, 4, 5), long, FONT.to_owned()].to_vec(),
    ] {
        let document = read(&objects).expect("it has a page");
        assert_eq!((document.pages().len(), document.lines().len()), (1, 0));
    }
}

#[test]
fn a_deep_tree_of_pages_is_read() {
    const DEEP: usize = 10_000;
    let mut objects: Vec<String> = (0..DEEP)
        .map(|at| format!("<</Type/Pages/Count 1/Kids[{} 0 R]>>", at + 3))
        .collect();
    objects.push(page(SIZE, DEEP + 3, DEEP + 4));
    objects.extend([shows(SAYS), FONT.to_owned()]);
    // It is read or refused; the stack does not overflow.
    match read(&objects) {
        Ok(document) => assert_eq!(texts(&document), [SAYS]),
        Err(error) => assert!(matches!(error, DocumentError::Broken { .. }), "{error}"),
    }
}

#[test]
fn many_pages_are_read() {
    const MANY: usize = 2_000;
    let mut kids = String::new();
    let mut objects = vec![String::new(), FONT.to_owned()];
    for at in 0..MANY {
        let number = objects.len() + 2;
        let _ = write!(kids, "{number} 0 R ");
        objects.push(page(SIZE, number + 1, 3));
        objects.push(shows(&format!("Tide {at} came in at noon.")));
    }
    objects[0] = format!("<</Type/Pages/Count {MANY}/Kids[{kids}]>>");
    let document = read(&objects).expect("it is well made");
    assert_eq!(document.pages().len(), MANY);
    assert_eq!(texts(&document).last(), Some(&"Tide 1999 came in at noon."));
}

#[test]
fn a_page_without_size_is_a_page() {
    let pages = "<</Type/Pages/Count 1/Kids[3 0 R]>>".to_owned();
    for size in [
        "/MediaBox[0 0 0 0]",
        "",
        "/MediaBox[9 9 9 900]",
        "/MediaBox[0 0 999999999 999999999]",
    ] {
        let objects = [
            pages.clone(),
            page(size, 4, 5),
            shows(SAYS),
            FONT.to_owned(),
        ];
        let document = read(&objects).expect("it has a page");
        assert_eq!(document.pages().len(), 1, "{size}");
        let words = document.words();
        let is_placed = |at: f32| at.is_finite();
        assert!(
            words
                .iter()
                .all(|word| is_placed(word.x) && is_placed(word.y)),
            "{size}"
        );
    }
}

#[test]
fn ten_million_letters_on_a_page_are_bounded() {
    let pages = "<</Type/Pages/Count 1/Kids[3 0 R]>>".to_owned();
    let many = "a".repeat(10_000_000);
    let objects = [pages, page(SIZE, 4, 5), shows(&many), FONT.to_owned()];
    // Nearly all of them are outside of the page.
    let document = read(&objects).expect("it has a page");
    assert_eq!(document.lines().len(), 1);
    assert!(document.lines()[0].text.len() < 1_000);
}

#[test]
fn an_empty_file_is_refused() {
    let error = Document::read(b"", "a.PDF", &ReadLimits::default()).expect_err("it is empty");
    assert_eq!(error.to_string(), "this PDF is damaged: it is empty");
    let html = b"<!doctype html><p>The tide came in.";
    let document = Document::read(html, "a.pdf", &ReadLimits::default()).expect("it is HTML");
    assert_eq!(texts(&document), ["The tide came in."]);
    let warning = document.warnings().first().expect("there is a warning");
    assert!(warning.to_string().starts_with("this is no PDF"));
}

#[test]
fn a_truncated_file_has_a_warning() {
    let pages = "<</Type/Pages/Count 1/Kids[3 0 R]>>".to_owned();
    let long = "The tide came in at noon. ".repeat(100);
    let objects = [pages, page(SIZE, 5, 4), FONT.to_owned(), shows(&long)];
    let whole = file(&objects);
    let read = |bytes: &[u8]| Document::read(bytes, "a.pdf", &ReadLimits::default());
    let warned = |bytes: &[u8]| read(bytes).expect("it has a page").warnings().to_vec();
    assert_eq!(warned(&whole), []);
    // Bytes after the end are ignored.
    assert_eq!(warned(&[&whole[..], b"\n<!-- sent -->\n"].concat()), []);
    assert_eq!(warned(&whole[..1500]), [ReadWarning::CutOff]);
    // Files that are optimised for the web have the same keyword near their beginning.
    let mut linear = b"%PDF-1.7\nstartxref\n0\n%%EOF\n".to_vec();
    linear.extend_from_slice(&whole[9..]);
    assert_eq!(warned(&linear), []);
    assert_eq!(warned(&linear[..900]), [ReadWarning::CutOff]);
    assert!(
        ReadWarning::CutOff
            .to_string()
            .contains("get the whole file")
    );
}

//! DOCX: storage, pages and layout.

use documents::{Document, LineRole};
use passage::Quote;

use crate::docx_builder::{DocxBuilder, p, r, styled};
use crate::docx_document::{STYLES, lines, read, table_row};

#[test]
fn a_docx_survives_storage() {
    let document =
        read(&DocxBuilder::new(&(p("One") + &styled("berschrift1", "Two"))).part("styles", STYLES));
    assert_eq!(Document::from_bytes(&document.to_bytes()), Ok(document));
}

#[test]
fn a_docx_is_laid_out_on_rendered_pages() {
    let text = "Words of a paragraph that runs on for a while. ".repeat(20);
    let part = |title: &str| styled("berschrift1", title) + &p(&text).repeat(12);
    let document = read(
        &DocxBuilder::new(&(part("First") + &part("Second") + &part("Third")))
            .part("styles", STYLES),
    );
    assert!(document.rendered_page_count() > 2);
    assert_eq!(document.pages().len(), 1);
    let rendered_pages: Vec<u32> = document
        .lines()
        .iter()
        .filter(|line| line.role == LineRole::Heading)
        .map(|line| document.words_of(line)[0].rendered_page)
        .collect();
    assert!(
        rendered_pages.is_sorted() && rendered_pages[0] == 1 && rendered_pages[2] > 1,
        "{rendered_pages:?}"
    );
}

#[test]
fn page_breaks_of_the_file_end_pages() {
    let asked = "<w:p><w:r><w:t>Two</w:t><w:br w:type=\"page\"/></w:r></w:p>";
    let rendered = "<w:p><w:r><w:lastRenderedPageBreak/><w:t>Three begins</w:t></w:r>\
                    <w:r><w:t xml:space=\"preserve\"> and runs </w:t><w:lastRenderedPageBreak/><w:t>on</w:t></w:r></w:p>";
    let before = "<w:p><w:pPr><w:pageBreakBefore/></w:pPr><w:r><w:t>Five</w:t></w:r></w:p>";
    let section = |kind: &str| {
        format!(
            "<w:p><w:pPr><w:sectPr><w:pgSz w:w=\"1\"/>{kind}</w:sectPr></w:pPr><w:r><w:t>Last of its section</w:t></w:r></w:p>"
        )
    };
    let same = section("<w:type w:val=\"continuous\"/>");
    let empty = "<w:p><w:r><w:br w:type=\"page\"/></w:r></w:p>";
    // A page break property of the first paragraph makes no empty page.
    let body = [
        &before.replace("Five", "One"),
        asked,
        rendered,
        before,
        &same,
        &p("Still five"),
        &section(""),
        &p("Six"),
        empty,
        empty,
        &p("Eight"),
    ]
    .concat();
    let document = read(&DocxBuilder::new(&body));
    let at: Vec<(u32, u32, &str)> = document
        .lines()
        .iter()
        .map(|line| (line.page, line.number, line.text.as_str()))
        .collect();
    assert_eq!(
        at,
        [
            (1, 1, "One"),
            (1, 2, "Two"),
            (2, 1, "Three begins and runs"),
            (3, 1, "on"),
            (4, 1, "Five"),
            (4, 2, "Last of its section"),
            (4, 3, "Still five"),
            (4, 4, "Last of its section"),
            (5, 1, "Six"),
            (7, 1, "Eight"),
        ]
    );
    assert_eq!(
        (document.pages().len(), document.rendered_page_count()),
        (7, 7)
    );
    let last = document.words().last().expect("it has words");
    assert_eq!(last.rendered_page, 7);
    let body = &document.text_streams()[0];
    let across = Quote::new("runs on", body.index.text()).expect("it has words");
    let found = body.index.find(&across, None).expect("it says so");
    let place = document.locate(body, found.range).expect("it has a place");
    assert_eq!(place.pages, 2..4);
}

#[test]
fn rows_of_tables_begin_pages() {
    let cell = |text: &str| format!("<w:tc><w:p><w:r>{text}</w:r></w:p></w:tc>");
    let row = |one: &str, two: &str| format!("<w:tr>{}{}</w:tr>", cell(one), cell(two));
    let body = format!(
        "<w:tbl>{}{}{}</w:tbl>{}",
        row("<w:t>a</w:t>", "<w:t>b</w:t>"),
        row("<w:lastRenderedPageBreak/><w:t>c</w:t>", "<w:t>d</w:t>"),
        row("<w:t>e</w:t>", "<w:t>f</w:t>"),
        p("After"),
    );
    let document = read(&DocxBuilder::new(&body));
    let at: Vec<(u32, &str)> = document
        .lines()
        .iter()
        .map(|line| (line.page, line.text.as_str()))
        .collect();
    assert_eq!(at, [(1, "a\tb"), (2, "c\td"), (2, "e\tf"), (2, "After")]);
    let rendered_pages: Vec<u32> = document
        .words()
        .iter()
        .map(|word| word.rendered_page)
        .collect();
    assert_eq!(rendered_pages, [1, 1, 2, 2, 2, 2, 2]);
}

#[test]
fn words_have_boxes_at_their_position() {
    let level =
        "<w:lvl w:ilvl=\"0\"><w:numFmt w:val=\"decimal\"/><w:lvlText w:val=\"%1.\"/></w:lvl>";
    let document = read(
        &DocxBuilder::new(&format!(
            "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Bold</w:t></w:r>{}<w:r><w:br/><w:t>below</w:t></w:r></w:p>\
             <w:tbl>{}{}</w:tbl><w:p><w:pPr><w:numPr><w:numId w:val=\"1\"/></w:numPr></w:pPr>{}</w:p>",
            r("and plain"),
            table_row(&[&p("Port"), &p("Height")]),
            table_row(&[&p("Brest"), &p("7.3 m")]),
            r("An item"),
        ))
        .part(
            "numbering",
            &format!(
                "<w:abstractNum w:abstractNumId=\"0\">{level}</w:abstractNum>\
                 <w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num>"
            ),
        ),
    );
    assert_eq!(
        lines(&document),
        [
            "Boldand plain",
            "below",
            "Port\tHeight",
            "Brest\t7.3 m",
            "1. An item"
        ]
    );
    let body = &document.text_streams()[0];
    let place = |quoted: &str| {
        let quote = Quote::new(quoted, body.index.text()).expect("short");
        let found = body.index.find(&quote, None).expect("it is there");
        let boxes = document.boxes(body, found.range);
        assert_eq!(boxes.len(), 1, "{quoted}: {boxes:?}");
        boxes[0]
    };
    let (bold, below) = (place("Boldand plain"), place("below"));
    assert!(bold.y + bold.height <= below.y + 1.0, "{bold:?} {below:?}");
    assert!((bold.x - below.x).abs() < 0.5);
    // Cells of a row are side by side, those of a column below each other.
    let (port, height) = (place("Port"), place("Height"));
    let (brest, metres) = (place("Brest"), place("7.3 m"));
    assert!(port.x + port.width < height.x && (port.y - height.y).abs() < 0.5);
    assert!((height.x - metres.x).abs() < 0.5 && brest.y > port.y);
    // The number of an item is before its text.
    let item = place("An item");
    let number = document.words_of(&document.lines()[4])[0].clone();
    assert!(number.x < item.x && (number.y - item.y).abs() < 3.0);
}

//! PDF: visibility of text, fonts, scripts, metadata and warnings.

use documents::{
    Document, DocumentBuilder, DocumentError, LineRole, ReadLimits, ReadWarning, TextStreamRole,
};
use passage::PieceBreak;
use testkit::pdf_builder::{PdfBuilder, any, lines, text, units};

use crate::pdf_document::{FILLER, assert_near, find_boxes, read, read_page, texts};

#[test]
fn only_visible_text_is_read() {
    let mut pdf = PdfBuilder::new();
    let content = "BT 3 Tr /F1 10 Tf 72 700 Td (scanned) Tj ET\n\
                   q 0 0 100 100 re W n BT 0 Tr /F1 10 Tf 72 650 Td (clipped) Tj ET Q\n\
                   BT /F1 10 Tf 72 900 Td (outside) Tj ET\n\
                   /OC /Off BDC BT /F1 10 Tf 72 600 Td (off) Tj ET EMC\n\
                   /OC /On BDC BT /F1 10 Tf 72 550 Td (on) Tj ET EMC\n\
                   /Form Do";
    let off = pdf.object("<</Type/OCG/Name(Off)>>");
    let on = pdf.object("<</Type/OCG/Name(On)>>");
    pdf.catalog(&format!(
        "/OCProperties<</OCGs[{off} 0 R {on} 0 R]/D<</OFF[{off} 0 R]>>>>"
    ));
    let form = pdf.stream(
        "/Type/XObject/Subtype/Form/BBox[0 0 200 20]/Matrix[1 0 0 1 72 500]/Resources<</Font<</F1 3 0 R>>>>",
        b"BT /F1 10 Tf 0 5 Td (inside) Tj 300 0 Td (beside) Tj ET",
    );
    let keys = format!("/Properties<</Off {off} 0 R/On {on} 0 R>>/XObject<</Form {form} 0 R>>");
    pdf.page_as("/MediaBox[0 0 612 792]", &keys, content);
    assert_eq!(texts(&read(&pdf)), ["scanned", "on", "inside"]);
}

#[test]
fn glyphs_are_mapped_to_characters() {
    let content = any("U", 72.0, 700.0, 10.0, "e\u{fb03}cient")
        + "/Span <</ActualText (two words)>> BDC "
        + &text(72.0, 650.0, 10.0, "xxxxxxxxx")
        + "EMC\n"
        // Text that is drawn twice to make it bolder.
        + &text(72.0, 600.0, 10.0, "bold")
        + &text(72.3, 600.0, 10.0, "bold")
        // Spaced letters.
        + "BT /F1 10 Tf 3 Tc 72 550 Td (NOTICE) Tj ET\n"
        + "BT /F1 10 Tf 0 Tc 72 500 Td [(T)-400(I)-400(D)-400(E)-400(S)] TJ ET";
    let document = read_page(&content);
    assert_eq!(
        texts(&document),
        ["efficient", "two words", "bold", "NOTICE", "TIDES"]
    );
    assert_eq!(document.words_of(&document.lines()[1]).len(), 2);
}

#[test]
fn inline_fonts_are_distinguished() {
    let mut pdf = PdfBuilder::new();
    let font = |name: &str| format!("<</Type/Font/Subtype/Type1/BaseFont/{name}>>");
    let keys = format!(
        "/Subtype/Form/BBox[0 0 612 792]/Resources<</Font<</A{}/B{}>>>>",
        font("Helvetica"),
        font("Courier")
    );
    let form = pdf.stream(
        &keys,
        b"BT /A 10 Tf 72 700 Td (iii) Tj /B 10 Tf 0 -50 Td (iii) Tj ET",
    );
    let resources = format!("/XObject<</Form {form} 0 R>>");
    pdf.page_as("/MediaBox[0 0 612 792]", &resources, "/Form Do");
    let document = read(&pdf);
    assert_near(document.words()[0].width, 6.66);
    assert_near(document.words()[1].width, 18.0);
}

#[test]
fn text_in_other_directions_and_scripts_is_read() {
    // Hebrew that is drawn from left to right.
    let hebrew: String = "שלום עולם 1911".chars().rev().collect();
    let hebrew = hebrew.replace("1191", "1911");
    let document = read_page(&any("U", 72.0, 700.0, 10.0, &hebrew));
    assert_eq!(texts(&document), ["שלום עולם 1911"]);
    assert!(find_boxes(&document, TextStreamRole::Body, "שלום עולם").is_some());
    // Text from top to bottom; the second line is to the left of the first.
    let vertical =
        any("V", 300.0, 700.0, 10.0, "潮は高く") + &any("V", 280.0, 700.0, 10.0, "なった。");
    let document = read_page(&vertical);
    assert_eq!(texts(&document), ["潮は高く", "なった。"]);
    let boxes = find_boxes(&document, TextStreamRole::Body, "高くなった").expect("it runs on");
    assert_eq!(boxes.len(), 2);
    assert_near(boxes[0].height, 20.0);
    assert_near(boxes[0].x, 295.0);
    // A rotated table.
    let mut turned = String::new();
    for (at, line) in FILLER.iter().enumerate() {
        turned += &format!(
            "BT /F1 10 Tf 0 1 -1 0 {} 72 Tm ({line}) Tj ET\n",
            100 + 12 * at
        );
    }
    assert_eq!(texts(&read_page(&turned)), FILLER);
    // A note in the margin does not interrupt the lines.
    let note = "BT /F1 10 Tf 0 1 -1 0 30 300 Tm (Copy 7) Tj ET\n";
    let document = read_page(&(note.to_owned() + &lines(72.0, 700.0, &FILLER)));
    let margin = document.lines().iter().find(|line| line.text == "Copy 7");
    assert_eq!(margin.map(|line| line.role), Some(LineRole::Running));
}

#[test]
fn metadata_and_outline_are_read() {
    let mut pdf = PdfBuilder::new();
    let pages: Vec<usize> = FILLER
        .iter()
        .map(|line| pdf.page(&text(72.0, 700.0, 10.0, line)))
        .collect();
    pdf.info(
        "/Title(Tides)/Author(\\376\\377\\000A\\000\\344)/CreationDate(D:20240309070500+01'30)",
    );
    let (first, second, child) = (pdf.object(""), pdf.object(""), pdf.object(""));
    let outline = pdf.object(format!("<</First {first} 0 R>>"));
    pdf.catalog(&format!(
        "/Outlines {outline} 0 R/PageLabels<</Nums[0<</S/r>>2<</S/D/P(A-)>>]>>"
    ));
    // Outline items refer to each other, also in cycles.
    let mut file = String::from_utf8(pdf.file()).expect("it is plain");
    for (id, item) in [
        (
            first,
            format!(
                "<</Title(One)/Dest[{} 0 R/Fit]/Next {second} 0 R/First {child} 0 R>>",
                pages[0]
            ),
        ),
        (
            second,
            format!(
                "<</Title(Two)/A<</S/GoTo/D[{} 0 R/Fit]>>/Next {first} 0 R>>",
                pages[2]
            ),
        ),
        (
            child,
            format!("<</Title(Below)/Dest[{} 0 R/Fit]>>", pages[1]),
        ),
    ] {
        file = file.replace(
            &format!("\n{id} 0 obj\n\nendobj"),
            &format!("\n{id} 0 obj\n{item}\nendobj"),
        );
    }
    let document =
        Document::read(file.as_bytes(), "a.pdf", &ReadLimits::default()).expect("it is mended");
    assert_eq!(document.title(), Some("Tides"));
    let about = document.metadata();
    assert_eq!(about.author.as_deref(), Some("Aä"));
    let created = about.created.map(|date| date.to_string());
    assert_eq!(created.as_deref(), Some("2024-03-09T07:05:00+01:30"));
    let outline: Vec<(&str, Option<u32>, u32)> = document
        .outline()
        .iter()
        .map(|heading| (heading.title.as_str(), heading.page, heading.depth))
        .collect();
    assert_eq!(
        outline,
        [
            ("One", Some(1), 0),
            ("Below", Some(2), 1),
            ("Two", Some(3), 0)
        ]
    );
    let labels: Vec<Option<&str>> = document
        .pages()
        .iter()
        .map(|page| page.label.as_deref())
        .collect();
    assert_eq!(
        labels,
        [
            Some("i"),
            Some("ii"),
            Some("A-1"),
            Some("A-2"),
            Some("A-3"),
            Some("A-4")
        ]
    );
}

#[test]
fn unreadable_pages_have_warnings() {
    let mut pdf = PdfBuilder::new();
    pdf.page(&text(72.0, 700.0, 10.0, "Tide"));
    let image = pdf.stream(
        "/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8",
        b"0",
    );
    pdf.page_as(
        "/MediaBox[0 0 612 792]",
        &format!("/XObject<</Im {image} 0 R>>"),
        "/Im Do",
    );
    pdf.page(&format!("BT /N 10 Tf 72 700 Td {} Tj ET", units("tide")));
    pdf.page("");
    let document = read(&pdf);
    let warnings = document.warnings();
    assert_eq!(
        warnings,
        [
            ReadWarning::NoText { page: 2 },
            ReadWarning::NoText { page: 3 }
        ]
    );
    assert_eq!(
        warnings[1].to_string(),
        "no text can be read on page 3, try OCR: install tesseract-ocr to have its picture read"
    );
}

#[test]
fn documents_without_geometry_have_no_boxes() {
    let mut builder = DocumentBuilder::new("text/plain");
    let line = builder.add_line("The tide was high.");
    builder.add_text(
        TextStreamRole::Body,
        line,
        "The tide was high.",
        PieceBreak::Line,
    );
    let document = builder.finish().expect("it is short");
    let body = &document.text_streams()[0];
    assert!(document.words().is_empty());
    assert_eq!(document.boxes(body, 0..9), []);
    assert!(matches!(
        Document::read(b"%PDF-1.7\nnothing", "a.pdf", &ReadLimits::default()),
        Err(DocumentError::Broken { kind: "PDF" })
    ));
}

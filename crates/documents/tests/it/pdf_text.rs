//! PDF: words, boxes, reading order.

use documents::{
    Document, DocumentBuilder, DocumentError, LineRole, PageBox, ReadLimits, ReadWarning,
    TextStreamRole,
};
use passage::{PieceBreak, Quote};
use testkit::pdf_builder::{PdfBuilder, any, bold, lines, text, units};

fn read(pdf: &PdfBuilder) -> Document {
    Document::read(&pdf.file(), "a.pdf", &ReadLimits::default()).expect("it is well made")
}

fn page(content: &str) -> Document {
    let mut pdf = PdfBuilder::new();
    pdf.page(content);
    read(&pdf)
}

fn texts(document: &Document) -> Vec<&str> {
    document
        .lines()
        .iter()
        .map(|line| line.text.as_str())
        .collect()
}

fn roles(document: &Document) -> Vec<(LineRole, &str)> {
    let role = |line: &documents::Line| line.role;
    let lines = document.lines().iter();
    lines.map(|line| (role(line), line.text.as_str())).collect()
}

/// Where a quote stands in the body or apart from it.
fn found(document: &Document, role: TextStreamRole, quote: &str) -> Option<Vec<PageBox>> {
    let flow = document
        .text_streams()
        .iter()
        .find(|flow| flow.role == role)?;
    let quote = Quote::new(quote, flow.index.text()).expect("it is short");
    let found = flow.index.find(&quote, None)?;
    let boxes = document.boxes(flow, found.range.clone());
    let place = document.locate(flow, found.range).expect("it has lines");
    let pages: Vec<u32> = place.pages.collect();
    assert!(boxes.iter().all(|area| pages.contains(&area.rendered_page)));
    Some(boxes)
}

#[track_caller]
fn assert_near(actual: f32, expected: f32) {
    assert!((actual - expected).abs() < 0.01, "{actual} for {expected}");
}

const FILLER: [&str; 6] = [
    "The harbour lies open to the north and is",
    "closed by a bar of sand on the eastern side",
    "where the current of the river meets the sea",
    "and boats wait for the flood before they go",
    "into the inner basin to unload their catch",
    "at the long wooden pier below the old town",
];

const OTHER: [&str; 6] = [
    "Winter storms have moved the bar by half a",
    "mile within a single night so that pilots",
    "must take soundings every week and mark the",
    "deepest water with buoys of different kinds",
    "which are listed in the notices for mariners",
    "that the port authority prints each quarter",
];

/// Six lines that differ from page to page.
fn varied(page: usize) -> Vec<&'static str> {
    let all = FILLER.into_iter().chain(OTHER).cycle();
    all.skip(page * 5 % 12)
        .step_by(page % 2 * 4 + 1)
        .take(6)
        .collect()
}

#[test]
fn words_have_boxes_from_the_top_left() {
    let document = page(&text(100.0, 700.0, 10.0, "High tide"));
    assert_eq!(texts(&document), ["High tide"]);
    let [high, tide] = document.words() else {
        panic!("two words: {:?}", document.words());
    };
    assert_eq!((high.range.clone(), tide.range.clone()), (0..4, 5..9));
    // Widths of Helvetica: H 722, i 222, g 556, h 556, space 278; it reaches from 718 to -207.
    assert_near(high.x, 100.0);
    assert_near(high.width, 20.56);
    assert_near(tide.x, 123.34);
    assert_near(high.y, 92.0 - 7.18);
    assert_near(high.height, 9.25);
    let size = document.pages()[0].size.expect("pages have sizes");
    assert_eq!((size.width, size.height), (612.0, 792.0));
}

#[test]
fn pages_are_cropped_and_turned_as_displayed() {
    let mut pdf = PdfBuilder::new();
    let content = text(100.0, 700.0, 10.0, "Tide");
    pdf.page_as(
        "/MediaBox[0 0 612 792]/CropBox[50 100 550 750]",
        "",
        &content,
    );
    pdf.page_as("/MediaBox[0 0 612 792]/Rotate 90", "", &content);
    let turned = "BT /F1 10 Tf 0 1 -1 0 100 700 Tm (Tide) Tj ET";
    pdf.page_as("/MediaBox[0 0 612 792]/Rotate 90", "", turned);
    let document = read(&pdf);
    let words = document.words();
    assert_near(words[0].x, 50.0);
    assert_near(words[0].y, 50.0 - 7.18);
    // Turned clockwise, the text runs down: its line is 700 from the right edge's old place.
    assert_near(words[1].x, 700.0 - 2.07);
    assert_near(words[1].y, 100.0);
    assert_near(words[1].width, 9.25);
    // Text that was turned against the page is upright.
    assert_near(words[2].x, 700.0);
    assert_near(words[2].height, 9.25);
    let sizes: Vec<f32> = document
        .pages()
        .iter()
        .filter_map(|page| Some(page.size?.width))
        .collect();
    assert_eq!(sizes, [500.0, 792.0, 792.0]);
}

#[test]
fn columns_are_read_one_after_the_other() {
    for shift in [0.0, 5.0] {
        let mut content = text(
            72.0,
            740.0,
            10.0,
            "A title that stands over both of the columns of this page, from edge to edge",
        );
        // Drawn in turns, as some programs do.
        for at in 0..6 {
            let y = 700.0 - 12.0 * at as f32;
            content += &text(72.0, y, 10.0, FILLER[at]);
            content += &text(310.0, y - shift, 10.0, OTHER[at]);
        }
        let document = page(&content);
        let expected: Vec<&str> = FILLER.into_iter().chain(OTHER).collect();
        assert_eq!(texts(&document)[1..], expected, "{shift}");
        let boxes = found(
            &document,
            TextStreamRole::Body,
            "below the old town Winter storms",
        );
        let boxes = boxes.expect("it runs on in the next column");
        assert_eq!(boxes.len(), 2);
        assert!(boxes[0].x > 72.0 && boxes[0].x + boxes[0].width < 310.0);
        assert_near(boxes[1].x, 310.0);
        assert!(boxes[1].y < boxes[0].y);
        let across = "to the north and is Winter storms have";
        assert_eq!(found(&document, TextStreamRole::Body, across), None);
    }
}

#[test]
fn what_spans_the_columns_divides_them() {
    let content = lines(72.0, 700.0, &FILLER[..3])
        + &lines(310.0, 700.0, &OTHER[..3])
        + &text(
            72.0,
            640.0,
            10.0,
            "A line that spans both of the columns of this page, all the way from edge to edge",
        )
        + &lines(72.0, 610.0, &FILLER[3..])
        + &lines(310.0, 610.0, &OTHER[3..]);
    let document = page(&content);
    let lines = texts(&document);
    assert_eq!(lines[..3], FILLER[..3]);
    assert_eq!(lines[3..6], OTHER[..3]);
    assert!(lines[6].starts_with("A line that spans"));
    assert_eq!(lines[7..10], FILLER[3..]);
    assert_eq!(lines[10..], OTHER[3..]);
}

#[test]
fn tables_are_read_row_by_row() {
    let rows = [
        ["Port", "High", "Low"],
        ["Brest", "6.9", "1.2"],
        ["Dover", "6.7", "0.8"],
        ["Leith", "5.6", "0.9"],
    ];
    let mut content = String::new();
    for column in 0..3 {
        for (at, row) in rows.iter().enumerate() {
            let x = 72.0 + 90.0 * column as f32;
            content += &text(x, 700.0 - 12.0 * at as f32, 10.0, row[column]);
        }
    }
    let document = page(&content);
    let expected: Vec<String> = rows.iter().map(|row| row.join("\t")).collect();
    assert_eq!(texts(&document), expected);
    assert!(found(&document, TextStreamRole::Body, "Dover 6.7 0.8").is_some());
}

#[test]
fn leader_dots_stand_apart_as_one_sign() {
    let content = text(72.0, 700.0, 10.0, "Tides..............................12")
        + &text(72.0, 688.0, 10.0, "Winds . . . . . . . . . . . . . 14")
        + &text(72.0, 676.0, 10.0, "And so on... or not");
    let document = page(&content);
    assert_eq!(
        texts(&document),
        ["Tides … 12", "Winds … 14", "And so on... or not"]
    );
}

#[test]
fn the_body_runs_on_over_pages_without_their_furniture() {
    let mut pdf = PdfBuilder::new();
    for number in 1..=4 {
        let mut content = text(72.0, 760.0, 9.0, "Tides of the northern ports");
        content += &text(300.0, 40.0, 9.0, &format!("{number}"));
        content += &lines(72.0, 700.0, &varied(number));
        if number == 2 {
            content += &text(72.0, 628.0, 10.0, "as agreed after long co-");
        } else if number == 3 {
            content += &text(72.0, 712.0, 10.0, "operation between both ports:");
        }
        pdf.page(&content);
    }
    let document = read(&pdf);
    let boxes = found(
        &document,
        TextStreamRole::Body,
        "long cooperation between both ports",
    );
    let boxes = boxes.expect("head and number do not part it");
    let pages: Vec<u32> = boxes.iter().map(|area| area.rendered_page).collect();
    assert_eq!(pages, [2, 3]);
    assert!(
        found(
            &document,
            TextStreamRole::Apart,
            "Tides of the northern ports"
        )
        .is_some()
    );
    assert!(
        found(
            &document,
            TextStreamRole::Body,
            "Tides of the northern ports"
        )
        .is_none()
    );
    let of_role = |role| {
        document
            .lines()
            .iter()
            .filter(|line| line.role == role)
            .count()
    };
    assert_eq!(of_role(LineRole::Running), 4);
    assert_eq!(of_role(LineRole::PageNumber), 4);
    // Furniture is numbered where it stands.
    assert_eq!(document.lines()[0].role, LineRole::Running);
    assert_eq!(document.lines()[0].number, 1);
}

#[test]
fn numbers_that_do_not_count_pages_are_no_furniture() {
    let mut pdf = PdfBuilder::new();
    for (at, number) in (1..).zip(["17", "4", "230", "55"]) {
        pdf.page(&(lines(72.0, 700.0, &varied(at)) + &text(72.0, 628.0, 10.0, number)));
    }
    let document = read(&pdf);
    assert!(
        document
            .lines()
            .iter()
            .all(|line| line.role == LineRole::Text)
    );
    let quote = format!("{} 17 {}", varied(1)[5], varied(2)[0]);
    assert!(found(&document, TextStreamRole::Body, &quote).is_some());
}

#[test]
fn footnotes_captions_and_headings_are_told_apart() {
    let content = bold(72.0, 740.0, 14.0, "2 The bar")
        + &lines(72.0, 700.0, &FILLER[..1])
        + &format!(
            "BT /F1 10 Tf 72 688 Td ({}) Tj /F1 6 Tf 4 Ts (1) Tj ET 0 Ts\n",
            FILLER[1]
        )
        + &text(72.0, 676.0, 10.0, FILLER[2])
        + &text(72.0, 640.0, 9.0, "Figure 2: The bar in winter")
        + &text(72.0, 629.0, 9.0, "after three storms")
        + &lines(72.0, 600.0, &FILLER[3..])
        + &text(72.0, 100.0, 8.0, "1 Measured in the spring of 1911,")
        + &text(72.0, 90.0, 8.0, "before the pier was built.");
    let document = page(&content);
    let roles = roles(&document);
    assert_eq!(roles[0], (LineRole::Heading, "2 The bar"));
    assert_eq!(roles[2].1, "closed by a bar of sand on the eastern side¹");
    assert_eq!(roles[4], (LineRole::Caption, "Figure 2: The bar in winter"));
    assert_eq!(roles[5], (LineRole::Caption, "after three storms"));
    assert_eq!(
        roles[9],
        (LineRole::Footnote, "1 Measured in the spring of 1911,")
    );
    assert_eq!(roles[10].0, LineRole::Footnote);
    let text: Vec<LineRole> = roles[1..4]
        .iter()
        .chain(&roles[6..9])
        .map(|line| line.0)
        .collect();
    assert_eq!(text, [LineRole::Text; 6]);
    assert!(
        found(
            &document,
            TextStreamRole::Apart,
            "winter after three storms"
        )
        .is_some()
    );
    assert!(
        found(
            &document,
            TextStreamRole::Body,
            "is closed by a bar of sand on the eastern side"
        )
        .is_some()
    );
}

#[test]
fn numbers_beside_lines_are_no_part_of_them() {
    let mut content = String::new();
    for (at, line) in FILLER.iter().chain(&OTHER).enumerate() {
        let y = 700.0 - 14.0 * at as f32;
        content += &text(
            50.0 - if at > 8 { 5.0 } else { 0.0 },
            y,
            9.0,
            &format!("{}", at + 1),
        );
        content += &text(80.0, y, 10.0, line);
    }
    let document = page(&content);
    let roles = roles(&document);
    assert_eq!(roles[11], (LineRole::LineNumber, "12"));
    assert_eq!(roles[12], (LineRole::Text, FILLER[0]));
    assert!(
        found(
            &document,
            TextStreamRole::Body,
            "the north and is closed by a bar"
        )
        .is_some()
    );
}

#[test]
fn exponents_stay_raised_and_indices_are_plain() {
    let content = "BT /F1 10 Tf 72 700 Td (CO) Tj /F1 6 Tf 0 -2 Td 15 0 Td (2) Tj ET\n\
                   BT /F1 10 Tf 72 600 Td (10) Tj /F1 6 Tf 11.12 4 Td (12) Tj ET\n";
    assert_eq!(texts(&page(content)), ["CO2", "10¹²"]);
}

#[test]
fn text_is_read_if_it_could_be_seen() {
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
fn glyphs_say_what_they_are() {
    let content = any("U", 72.0, 700.0, 10.0, "e\u{fb03}cient")
        + "/Span <</ActualText (two words)>> BDC "
        + &text(72.0, 650.0, 10.0, "xxxxxxxxx")
        + "EMC\n"
        // The same twice, to make it bolder.
        + &text(72.0, 600.0, 10.0, "bold")
        + &text(72.3, 600.0, 10.0, "bold")
        // Letters set apart.
        + "BT /F1 10 Tf 3 Tc 72 550 Td (NOTICE) Tj ET\n"
        + "BT /F1 10 Tf 0 Tc 72 500 Td [(T)-400(I)-400(D)-400(E)-400(S)] TJ ET";
    let document = page(&content);
    assert_eq!(
        texts(&document),
        ["efficient", "two words", "bold", "NOTICE", "TIDES"]
    );
    assert_eq!(document.words_of(&document.lines()[1]).len(), 2);
}

#[test]
fn fonts_without_a_number_are_told_apart() {
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
fn other_directions_and_scripts() {
    // Hebrew, drawn from left to right as it looks.
    let hebrew: String = "שלום עולם 1911".chars().rev().collect();
    let hebrew = hebrew.replace("1191", "1911");
    let document = page(&any("U", 72.0, 700.0, 10.0, &hebrew));
    assert_eq!(texts(&document), ["שלום עולם 1911"]);
    assert!(found(&document, TextStreamRole::Body, "שלום עולם").is_some());
    // From top to bottom, the second line to the left of the first.
    let vertical =
        any("V", 300.0, 700.0, 10.0, "潮は高く") + &any("V", 280.0, 700.0, 10.0, "なった。");
    let document = page(&vertical);
    assert_eq!(texts(&document), ["潮は高く", "なった。"]);
    let boxes = found(&document, TextStreamRole::Body, "高くなった").expect("it runs on");
    assert_eq!(boxes.len(), 2);
    assert_near(boxes[0].height, 20.0);
    assert_near(boxes[0].x, 295.0);
    // A table that was turned to fit.
    let mut turned = String::new();
    for (at, line) in FILLER.iter().enumerate() {
        turned += &format!(
            "BT /F1 10 Tf 0 1 -1 0 {} 72 Tm ({line}) Tj ET\n",
            100 + 12 * at
        );
    }
    assert_eq!(texts(&page(&turned)), FILLER);
    // A note on the margin does not come between lines.
    let note = "BT /F1 10 Tf 0 1 -1 0 30 300 Tm (Copy 7) Tj ET\n";
    let document = page(&(note.to_owned() + &lines(72.0, 700.0, &FILLER)));
    let margin = document.lines().iter().find(|line| line.text == "Copy 7");
    assert_eq!(margin.map(|line| line.role), Some(LineRole::Running));
}

#[test]
fn what_the_file_says_of_itself() {
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
    // Objects are filled in where they are: outline items point at each other, and in circles.
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
fn pages_that_cannot_be_read_are_named() {
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

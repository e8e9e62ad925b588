//! PDF: words, boxes, reading order, roles of lines.

use documents::{LineRole, TextStreamRole};
use testkit::pdf_builder::{PdfBuilder, bold, lines, text};

use crate::pdf_document::{FILLER, assert_near, find_boxes, read, read_page, roles, texts};

/// Lines of another column.
const OTHER: [&str; 6] = [
    "Winter storms have moved the bar by half a",
    "mile within a single night so that pilots",
    "must take soundings every week and mark the",
    "deepest water with buoys of different kinds",
    "which are listed in the notices for mariners",
    "that the port authority prints each quarter",
];

/// Returns six lines that differ from page to page.
fn varied(page: usize) -> Vec<&'static str> {
    let all = FILLER.into_iter().chain(OTHER).cycle();
    all.skip(page * 5 % 12)
        .step_by(page % 2 * 4 + 1)
        .take(6)
        .collect()
}

#[test]
fn words_have_boxes_from_the_top_left() {
    let document = read_page(&text(100.0, 700.0, 10.0, "High tide"));
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
    // After a clockwise rotation the text runs down; its baseline was 700 points above the bottom.
    assert_near(words[1].x, 700.0 - 2.07);
    assert_near(words[1].y, 100.0);
    assert_near(words[1].width, 9.25);
    // Text that is rotated against the page is upright.
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
        // The columns are drawn in turns, as some programs do.
        for at in 0..6 {
            let y = 700.0 - 12.0 * at as f32;
            content += &text(72.0, y, 10.0, FILLER[at]);
            content += &text(310.0, y - shift, 10.0, OTHER[at]);
        }
        let document = read_page(&content);
        let expected: Vec<&str> = FILLER.into_iter().chain(OTHER).collect();
        assert_eq!(texts(&document)[1..], expected, "{shift}");
        let boxes = find_boxes(
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
        assert_eq!(find_boxes(&document, TextStreamRole::Body, across), None);
    }
}

#[test]
fn text_over_both_columns_divides_them() {
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
    let document = read_page(&content);
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
    let document = read_page(&content);
    let expected: Vec<String> = rows.iter().map(|row| row.join("\t")).collect();
    assert_eq!(texts(&document), expected);
    assert!(find_boxes(&document, TextStreamRole::Body, "Dover 6.7 0.8").is_some());
}

#[test]
fn leader_dots_become_one_character() {
    let content = text(72.0, 700.0, 10.0, "Tides..............................12")
        + &text(72.0, 688.0, 10.0, "Winds . . . . . . . . . . . . . 14")
        + &text(72.0, 676.0, 10.0, "And so on... or not");
    let document = read_page(&content);
    assert_eq!(
        texts(&document),
        ["Tides … 12", "Winds … 14", "And so on... or not"]
    );
}

#[test]
fn the_body_continues_over_pages_without_headers_and_page_numbers() {
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
    let boxes = find_boxes(
        &document,
        TextStreamRole::Body,
        "long cooperation between both ports",
    );
    let boxes = boxes.expect("head and number do not part it");
    let pages: Vec<u32> = boxes.iter().map(|area| area.rendered_page).collect();
    assert_eq!(pages, [2, 3]);
    assert!(
        find_boxes(
            &document,
            TextStreamRole::Apart,
            "Tides of the northern ports"
        )
        .is_some()
    );
    assert!(
        find_boxes(
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
    // Running headers and page numbers are numbered lines at their position.
    assert_eq!(document.lines()[0].role, LineRole::Running);
    assert_eq!(document.lines()[0].number, 1);
}

#[test]
fn numbers_that_do_not_count_pages_belong_to_the_body() {
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
    assert!(find_boxes(&document, TextStreamRole::Body, &quote).is_some());
}

#[test]
fn footnotes_captions_and_headings_have_roles() {
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
    let document = read_page(&content);
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
        find_boxes(
            &document,
            TextStreamRole::Apart,
            "winter after three storms"
        )
        .is_some()
    );
    assert!(
        find_boxes(
            &document,
            TextStreamRole::Body,
            "is closed by a bar of sand on the eastern side"
        )
        .is_some()
    );
}

#[test]
fn line_numbers_are_not_in_the_body() {
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
    let document = read_page(&content);
    let roles = roles(&document);
    assert_eq!(roles[11], (LineRole::LineNumber, "12"));
    assert_eq!(roles[12], (LineRole::Text, FILLER[0]));
    assert!(
        find_boxes(
            &document,
            TextStreamRole::Body,
            "the north and is closed by a bar"
        )
        .is_some()
    );
}

#[test]
fn exponents_are_raised_and_indices_are_plain() {
    let content = "BT /F1 10 Tf 72 700 Td (CO) Tj /F1 6 Tf 0 -2 Td 15 0 Td (2) Tj ET\n\
                   BT /F1 10 Tf 72 600 Td (10) Tj /F1 6 Tf 11.12 4 Td (12) Tj ET\n";
    assert_eq!(texts(&read_page(content)), ["CO2", "10¹²"]);
}

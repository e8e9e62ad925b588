//! PDF: columns, cells and notes on pages with charts and tables.

use documents::{LineRole, TextStreamRole};
use passage::Quote;
use testkit::pdf_builder::{PdfBuilder, any, lines, text};

use crate::pdf_document::{finds, read, read_page, role_of};

const LEFT: [&str; 3] = [
    "Boats that wait for the flood tide lie",
    "at anchor on the east side of the bar",
    "until the pilot has come on board and",
];

const RIGHT: [&str; 14] = [
    "takes them over it. The depth is read",
    "from a gauge at the end of the pier,",
    "which is lit at night, and called out",
    "by the watch every quarter of an hour",
    "as long as a ship is under way. Fog",
    "ends all traffic, and so does a gale",
    "from the north. In the last ten years",
    "the harbour was closed on forty days,",
    "most of them in November, when storms",
    "bring in more sand than the dredger",
    "can move in a week of work. A second",
    "one has been ordered and will be here",
    "in spring, together with a new tender",
    "and a crew of eleven men and women.",
];

/// Returns two columns; below the text of the first is a chart whose axis is written letter by letter.
fn page_with_a_chart() -> String {
    let mut content = lines(60.0, 700.0, &LEFT) + &lines(320.0, 700.0, &RIGHT);
    for (at, label) in ["300", "S", "e", "c", "o", "n", "d", "s", "100", "0"]
        .into_iter()
        .enumerate()
    {
        content += &text(70.0, 655.0 - 9.0 * at as f32, 7.0, label);
    }
    content
}

#[test]
fn a_column_of_text_with_a_chart_is_a_column() {
    let document = read_page(&page_with_a_chart());
    let found = |quote: &str| finds(&document, TextStreamRole::Body, quote);
    assert!(found("lie at anchor on the east side of the bar"));
    assert!(found("at night, and called out by the watch every quarter"));
    assert!(found(
        "as long as a ship is under way. Fog ends all traffic"
    ));
    assert!(!found("flood tide lie takes them over it"));
}

#[test]
fn sentences_side_by_side_do_not_run_into_each_other() {
    // Captions of two figures, in a page of full lines.
    let full =
        "The harbour lies open to the north and is closed by a bar of sand on the east side of it";
    let mut content = lines(72.0, 700.0, &[full; 6]);
    content += &lines(72.0, 600.0, &["Server architecture. In this one"]);
    content += &lines(330.0, 600.0, &["Single process. The library is"]);
    content += &lines(72.0, 560.0, &[full; 6]);
    let document = read_page(&content);
    assert!(finds(
        &document,
        TextStreamRole::Body,
        "architecture. In this one"
    ));
    assert!(finds(
        &document,
        TextStreamRole::Body,
        "Single process. The library"
    ));
    assert!(!finds(
        &document,
        TextStreamRole::Body,
        "In this one Single process."
    ));
    // A label and its explanation are one passage.
    let document =
        read_page(&(text(72.0, 700.0, 10.0, "bar") + &text(150.0, 700.0, 10.0, "a bank of sand")));
    assert_eq!(document.lines().len(), 1);
    assert!(finds(&document, TextStreamRole::Body, "bar a bank of sand"));
}

#[test]
fn boxes_of_cells_are_those_of_their_words() {
    let row = text(72.0, 700.0, 10.0, "one two three four five")
        + &text(330.0, 700.0, 10.0, "six seven eight nine ten");
    let document = read_page(&row);
    let stream = &document.text_streams()[0];
    let quote = Quote::new("eight nine", stream.index.text()).expect("it is short");
    let found = stream.index.find(&quote, None).expect("it is there");
    let boxes = document.boxes(stream, found.range);
    assert_eq!(boxes.len(), 1);
    assert!(boxes[0].x > 350.0 && boxes[0].x < 420.0, "{boxes:?}");
}

const PROSE: [&str; 6] = [
    "The harbour lies open to the north and is closed by a bar of sand on the east",
    "where the current of the river meets the sea and boats wait for the flood tide",
    "before they go into the inner basin to unload their catch at the wooden pier",
    "below the old town. Winter storms have moved the bar by half a mile within a",
    "single night so that pilots must take soundings every week and mark the water",
    "with buoys of different kinds which are listed in the notices for",
];

#[test]
fn notes_numbered_like_lists_are_footnotes() {
    let mut pdf = PdfBuilder::new();
    let note = text(
        80.0,
        600.0,
        8.0,
        "14. Ou la documentation sur la page de son auteur.",
    );
    pdf.page(&(lines(72.0, 700.0, &PROSE) + &note));
    pdf.page(&lines(
        72.0,
        700.0,
        &["mariners, in every language that is spoken on the coast."],
    ));
    let document = read(&pdf);
    let found = |quote: &str| finds(&document, TextStreamRole::Body, quote);
    assert!(found(
        "which are listed in the notices for mariners, in every language"
    ));
    assert!(finds(
        &document,
        TextStreamRole::Apart,
        "14. Ou la documentation"
    ));
    // In the font size of the text it is an item of a list.
    let item = text(
        80.0,
        600.0,
        10.0,
        "14. Ou la documentation sur la page de son auteur.",
    );
    let document = read_page(&(lines(72.0, 700.0, &PROSE) + &item));
    assert!(finds(
        &document,
        TextStreamRole::Body,
        "14. Ou la documentation"
    ));
}

#[test]
fn a_number_in_small_text_begins_no_note() {
    let mut content = lines(72.0, 700.0, &PROSE);
    for (at, line) in [
        "[1] A. Fauser. Clifford: a Maple",
        "11 Package for algebra, version 11.",
    ]
    .into_iter()
    .enumerate()
    {
        content += &text(72.0, 600.0 - 9.5 * at as f32, 8.0, line);
    }
    let document = read_page(&content);
    assert!(finds(
        &document,
        TextStreamRole::Body,
        "a Maple 11 Package for algebra"
    ));
}

#[test]
fn the_last_line_of_a_caption_belongs_to_it() {
    let mut content = lines(60.0, 500.0, &LEFT) + &lines(320.0, 500.0, &RIGHT);
    content += &text(
        60.0,
        700.0,
        10.0,
        "Figure 3: The bar of sand in the years from 1970 to this day, by soundings of",
    );
    content += &text(60.0, 688.0, 10.0, "the pilots.");
    let document = read_page(&content);
    assert_eq!(role_of(&document, "the pilots."), Some(LineRole::Caption));
}

#[test]
fn a_right_to_left_page_is_read_from_the_right() {
    let prose = "שלום עולם זה טקסט בעברית";
    let drawn: String = prose.chars().rev().collect();
    let mut content = String::new();
    for at in 0..6 {
        content += &any("U", 200.0, 700.0 - 14.0 * at as f32, 10.0, &drawn);
    }
    // Most letters of this page are Latin.
    let mixed: String = "כמו".chars().rev().collect();
    content += &any(
        "U",
        200.0,
        600.0,
        10.0,
        &format!("ASCII, Latin 1, IBM 437/850 and more {mixed}"),
    );
    content += &any("U", 200.0, 580.0, 10.0, &format!("{drawn} .2"));
    let document = read_page(&content);
    let found = |quote: &str| finds(&document, TextStreamRole::Body, quote);
    assert!(found("כמו ASCII, Latin 1, IBM 437/850 and more"));
    assert!(found("2. שלום עולם"), "{:?}", document.lines().last());
}

#[test]
fn a_word_behind_a_wide_space_is_no_note_in_the_margin() {
    // The first pages have narrow text, as a table of contents.
    let mut pdf = PdfBuilder::new();
    let narrow: Vec<String> = (0..24)
        .map(|at| format!("Of boats that wait for the tide, and why {at:02}"))
        .collect();
    let narrow: Vec<&str> = narrow.iter().map(String::as_str).collect();
    pdf.page(&lines(72.0, 700.0, &narrow));
    pdf.page("");
    let mut content = lines(72.0, 700.0, &PROSE);
    content += &lines(72.0, 600.0, &PROSE);
    content += &text(
        72.0,
        520.0,
        10.0,
        "Bars of sand are closed to all ships but those of the pilots.",
    );
    content += &text(352.0, 520.0, 10.0, "The watch");
    content += &text(
        72.0,
        508.0,
        10.0,
        "tells them when to go in, and when to wait for the next tide to come.",
    );
    pdf.page(&content);
    let document = read(&pdf);
    assert!(finds(
        &document,
        TextStreamRole::Body,
        "those of the pilots. The watch tells them"
    ));
}

#[test]
fn letters_drawn_upside_down_and_turned_stand_upright() {
    let mut pdf = PdfBuilder::new();
    let glyph = pdf.stream("", b"602 0 0 0 600 600 d1 0 0 600 600 re f");
    let font = pdf.object(format!(
        "<</Type/Font/Subtype/Type3/FontBBox[0 0 1 -1]/FontMatrix[0.008 0 0 -0.008 0 0]/FirstChar 136/LastChar 136\
         /Widths[602]/CharProcs<</bullet {glyph} 0 R>>/Encoding<</Type/Encoding/Differences[136/bullet]>>>>"
    ));
    let bullet = "BT /B 1 Tf 1 0 0 -1 72 700 Tm <88> Tj ET\n";
    let content = format!("{bullet}{}", text(84.0, 700.0, 10.0, "A sandy bank"));
    pdf.page_as(
        "/MediaBox[0 0 612 792]",
        &format!("/Font<</F1 3 0 R/B {font} 0 R>>"),
        &content,
    );
    let document = read(&pdf);
    let texts: Vec<&str> = document
        .lines()
        .iter()
        .map(|line| line.text.as_str())
        .collect();
    assert_eq!(texts, ["• A sandy bank"]);
}

/// Returns a table of four columns with rules around its cells, each drawn as a rectangle or as lines.
fn ruled_table(rows: &[[&[&str]; 4]], as_rectangles: bool) -> String {
    let mut content = String::new();
    let mut top = 700.0;
    for row in rows {
        let height = 14.0 * row.iter().map(|cell| cell.len()).max().unwrap_or(1) as f32;
        for (column, cell) in row.iter().enumerate() {
            let left = 60.0 + 120.0 * column as f32;
            content += &match as_rectangles {
                true => format!("{left} {} 120 {height} re S\n", top - height),
                false => format!(
                    "{left} {top} m {right} {top} l {right} {bottom} l {left} {bottom} l {left} {top} l S\n",
                    right = left + 120.0,
                    bottom = top - height
                ),
            };
            for (nth, line) in cell.iter().enumerate() {
                content += &text(left + 4.0, top - 11.0 - 14.0 * nth as f32, 10.0, line);
            }
        }
        top -= height;
    }
    content
}

#[test]
fn rows_of_ruled_tables_are_read_cell_by_cell() {
    let rows: [[&[&str]; 4]; 4] = [
        [
            &["Name of the pier"],
            &["Depth at low tide"],
            &["Lights on the end"],
            &["Owner of the pier"],
        ],
        [
            &["East pier with a", "stone head"],
            &["nine feet and", "a half"],
            &["a red one that", "turns at night"],
            &["the town"],
        ],
        [
            &["West pier of old", "timber"],
            &["seven feet on", "the inner side"],
            &["none at all"],
            &["the guild of", "the pilots"],
        ],
        [
            &["Long mole beside", "the inner basin"],
            &["twelve feet", "and more"],
            &["white and green", "in turn"],
            &["the crown"],
        ],
    ];
    for as_rectangles in [true, false] {
        let document = read_page(&ruled_table(&rows, as_rectangles));
        for row in &rows {
            let quote = row.map(|cell| cell.join(" ")).join(" ");
            let roles = [TextStreamRole::Body, TextStreamRole::Alternative];
            assert!(
                roles.iter().any(|role| finds(&document, *role, &quote)),
                "{quote}"
            );
        }
    }
    // Columns of prose without rules are not read across.
    let columns = lines(60.0, 700.0, &LEFT) + &lines(320.0, 700.0, &RIGHT);
    let document = read_page(&columns);
    assert!(!finds(
        &document,
        TextStreamRole::Alternative,
        "flood tide lie takes them over it"
    ));
}

//! PDF: notes in the margin and below the text, accents, cells of several lines.

use documents::{LineRole, TextStreamRole};
use passage::Quote;
use testkit::pdf_builder::{PdfBuilder, lines, text, units};

use crate::pdf_document::{finds, read, read_page, role_of, texts};

const PROSE: [&str; 8] = [
    "The harbour lies open to the north and is closed by a bar of sand on the east",
    "where the current of the river meets the sea and boats wait for the flood tide",
    "before they go into the inner basin to unload their catch at the wooden pier",
    "below the old town. Winter storms have moved the bar by half a mile within a",
    "single night so that pilots must take soundings every week and mark the water",
    "with buoys of different kinds which are listed in the notices for mariners",
    "that the port authority prints each quarter and hangs up at the gate of the",
    "custom house, where captains read them before they sign on a local pilot",
];

/// Returns the prose from a line on. Pages must differ, because text that repeats on pages is not body text.
fn prose_from(first: usize) -> Vec<&'static str> {
    let all = PROSE.into_iter().cycle();
    all.skip(first).take(PROSE.len()).collect()
}

/// Returns a page full of text.
fn full_page(first: usize) -> String {
    let (upper, lower) = (prose_from(first), prose_from(first + 4));
    lines(72.0, 700.0, &upper) + &lines(72.0, 560.0, &lower)
}

#[test]
fn accents_join_the_letters_they_are_drawn_on() {
    let accent = format!(
        "BT /U 10 Tf 100 700 Td [{} {} 500 {}] TJ ET",
        units("Schr"),
        units("¨"),
        units("oder")
    );
    let behind = format!(
        "BT /U 10 Tf 100 650 Td [{} 500 {} {}] TJ ET",
        units("cafe"),
        units("´"),
        units("s")
    );
    let apart = format!("BT /U 10 Tf 100 600 Td {} Tj ET", units("2^n"));
    let document = read_page(&format!("{accent}\n{behind}\n{apart}"));
    assert_eq!(texts(&document), ["Schröder", "cafés", "2^n"]);
}

#[test]
fn a_word_in_two_sizes_has_two_boxes_and_no_gap() {
    let logo = "BT /F1 10 Tf 100 700 Td [(in L) 360] TJ /F1 7 Tf 2.15 Ts [(A) 150] TJ /F1 10 Tf 0 Ts (TEX it) Tj ET";
    let document = read_page(logo);
    assert_eq!(texts(&document), ["in LATEX it"]);
    let words: Vec<&str> = document
        .words()
        .iter()
        .map(|word| &document.lines()[0].text[word.range.start as usize..word.range.end as usize])
        .collect();
    assert_eq!(words, ["in", "L", "A", "TEX", "it"]);
}

#[test]
fn notes_in_the_margin_are_not_in_the_body() {
    let mut pdf = PdfBuilder::new();
    for first in 1..4 {
        pdf.page(&full_page(first));
        pdf.page("");
    }
    let mut noted = lines(72.0, 700.0, &PROSE);
    noted += &text(470.0, 676.0, 8.0, "See the charts");
    noted += &text(470.0, 667.0, 8.0, "of the coast.");
    pdf.page(&noted);
    let document = read(&pdf);
    assert_eq!(
        role_of(&document, "See the charts"),
        Some(LineRole::Footnote)
    );
    assert_eq!(
        role_of(&document, "of the coast."),
        Some(LineRole::Footnote)
    );
    let last = document.pages().len() as u32;
    let body = &document.text_streams()[0];
    let range = document.range_of_pages(body, last..last + 1);
    let quote = Quote::new("at the wooden pier below the old town", body.index.text());
    let quote = quote.expect("it is short");
    assert!(body.index.find(&quote, range).is_some());
    assert!(!finds(
        &document,
        TextStreamRole::Body,
        "wooden pier See the"
    ));
    assert!(finds(
        &document,
        TextStreamRole::Apart,
        "See the charts of the coast"
    ));
}

#[test]
fn short_lines_of_a_column_are_not_notes() {
    let long = "the pilots took the soundings of every channel";
    let mut columns = String::new();
    let mut expected = Vec::new();
    for line in 0..22 {
        columns += &text(40.0, 740.0 - 12.0 * line as f32, 7.0, long);
        expected.push(long);
    }
    for line in 0..28 {
        let said = match line {
            4 | 9 => "and wrote them down",
            _ if line % 2 == 0 => "at ebb and at flood, by day and by night",
            _ => "whenever weather let them out",
        };
        columns += &text(345.0, 735.0 - 12.0 * line as f32, 7.0, said);
        expected.push(said);
    }
    assert_eq!(texts(&read_page(&columns)), expected);
}

#[test]
fn terms_beside_their_explanations_are_not_notes() {
    let mut pdf = PdfBuilder::new();
    for first in 1..3 {
        pdf.page(&full_page(first));
        pdf.page("");
    }
    let list = text(72.0, 700.0, 10.0, "sounding")
        + &text(150.0, 700.0, 10.0, "the depth of the water at a place")
        + &text(72.0, 676.0, 10.0, "buoy")
        + &text(150.0, 676.0, 10.0, "a float that marks deep water");
    pdf.page(&list);
    let document = read(&pdf);
    assert!(finds(&document, TextStreamRole::Body, "sounding the depth"));
    assert!(finds(
        &document,
        TextStreamRole::Body,
        "buoy a float that marks"
    ));
}

#[test]
fn cells_of_several_lines_are_read_whole() {
    let mut table = String::new();
    for (top, term, cell) in [
        (
            700.0,
            "Bar",
            [
                "A bank of sand before a harbour,",
                "over which boats pass at flood",
            ],
        ),
        (
            664.0,
            "Basin",
            [
                "The inner part of a harbour, as",
                "a rule closed by gates at ebb",
            ],
        ),
        (
            628.0,
            "Pier",
            [
                "A platform on posts to which",
                "boats are made fast in the port",
            ],
        ),
    ] {
        table += &text(72.0, top, 10.0, term);
        table += &lines(200.0, top, &cell);
    }
    let document = read_page(&table);
    for whole in [
        "Bar A bank of sand before a harbour, over which boats pass",
        "The inner part of a harbour, as a rule closed by gates",
        "A platform on posts to which boats are made fast",
    ] {
        assert!(finds(&document, TextStreamRole::Body, whole), "{whole}");
    }
}

#[test]
fn a_raised_mark_begins_a_note_of_any_size() {
    let note = "BT /F1 6 Tf 72 96 Td 4 Ts (1) Tj /F1 10 Tf 0 Ts (As the pilots of the harbour have called it ever since.) Tj ET";
    let mut pdf = PdfBuilder::new();
    pdf.page(&[lines(72.0, 700.0, &PROSE).as_str(), note].concat());
    pdf.page(&lines(72.0, 700.0, &prose_from(3)));
    let document = read(&pdf);
    let role = document
        .lines()
        .iter()
        .find(|line| line.text.contains("ever since"));
    assert_eq!(role.map(|line| line.role), Some(LineRole::Footnote));
    assert!(finds(
        &document,
        TextStreamRole::Body,
        "sign on a local pilot below the old town"
    ));
}

#[test]
fn words_above_each_other_make_no_column() {
    // In a listing in a monospaced font, gaps of some lines meet.
    let listing = [
        ["# take", "the", "soundings", "every", "week"],
        ["# mark", "all", "the", "deepest", "water"],
        ["# list", "new", "buoys", "in", "notices"],
        ["# hang", "one", "copy", "at", "the gate"],
    ];
    let mut content = String::new();
    for (row, words) in listing.iter().enumerate() {
        let mut x = 72.0;
        for word in words {
            content += &text(x, 700.0 - 12.0 * row as f32, 10.0, word);
            x += 6.0 * (word.len() as f32 + 1.0);
        }
    }
    let document = read_page(&content);
    assert!(finds(
        &document,
        TextStreamRole::Body,
        "take the soundings every week # mark all the deepest water"
    ));
}

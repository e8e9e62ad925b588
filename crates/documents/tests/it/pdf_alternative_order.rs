//! PDF: texts that are read on to what stands right below them, and what is no such text.

use documents::{Document, PageBox, ReadLimits, TextStream, TextStreamRole};
use passage::Quote;
use testkit::pdf_builder::{PdfBuilder, lines, text};

fn read(content: &str) -> Document {
    let mut pdf = PdfBuilder::new();
    pdf.page(content);
    Document::read(&pdf.file(), "a.pdf", &ReadLimits::default()).expect("it is well made")
}

fn flow(document: &Document, role: TextStreamRole) -> Option<&TextStream> {
    document
        .text_streams()
        .iter()
        .find(|flow| flow.role == role)
}

/// Where a quote stands in a flow.
fn boxes(document: &Document, role: TextStreamRole, quote: &str) -> Option<Vec<PageBox>> {
    let flow = flow(document, role)?;
    let quote = Quote::new(quote, flow.index.text()).expect("it is short");
    let found = flow.index.find(&quote, None)?;
    Some(document.boxes(flow, found.range))
}

fn finds(document: &Document, role: TextStreamRole, quote: &str) -> bool {
    boxes(document, role, quote).is_some()
}

const TEXT: [&str; 6] = [
    "Boats that wait for the flood tide lie at anchor on the east side of the bar until",
    "the pilot has come on board and takes them over it. The depth is read from a gauge",
    "at the end of the pier, which is lit at night, and called out by the watch every",
    "quarter of an hour as long as a ship is under way. Fog ends all traffic, and so",
    "does a gale from the north. In the last ten years the harbour was closed on forty",
    "days, most of them in November, when storms bring in more sand than one can move.",
];

#[test]
fn a_caption_goes_on_in_the_text_below_it_and_the_text_around_it() {
    let content = lines(60.0, 700.0, &TEXT[..4])
        + &text(
            60.0,
            630.0,
            10.0,
            "Figure 1: The gauge at the end of the pier is lit.",
        )
        + &lines(60.0, 610.0, &TEXT[4..]);
    let document = read(&content);
    assert!(finds(
        &document,
        TextStreamRole::Body,
        "and so does a gale from the north"
    ));
    let quote = "the end of the pier is lit. does a gale from the north";
    assert!(!finds(&document, TextStreamRole::Body, quote));
    let places = boxes(&document, TextStreamRole::Alternative, quote).expect("it stands there");
    let [caption, below] = places.as_slice() else {
        panic!("two rows: {places:?}");
    };
    assert!(caption.x > 100.0 && (below.x - 60.0).abs() < 1.0 && below.y > caption.y);
}

#[test]
fn the_cells_of_a_column_are_read_down() {
    // What is explained stands at half the height of what explains it.
    let explained = [
        ("anchor", "a weight that holds a ship where it is"),
        ("bar", "a bank of sand before the mouth of a river"),
        ("gauge", "a rod that shows how deep the water is now"),
        ("tender", "a boat that serves a larger ship in a port"),
    ];
    let mut content = String::new();
    for (at, (word, first)) in explained.into_iter().enumerate() {
        let top = 700.0 - 40.0 * at as f32;
        content += &text(60.0, top - 6.0, 10.0, word);
        content += &text(200.0, top, 10.0, first);
        content += &text(
            200.0,
            top - 12.0,
            10.0,
            &format!("and number {at} in the list of words"),
        );
    }
    let document = read(&content);
    let quote = "the mouth of a river and number 1 in the list";
    let in_any = |quote: &str| {
        [TextStreamRole::Body, TextStreamRole::Alternative]
            .into_iter()
            .find_map(|role| boxes(&document, role, quote))
    };
    let places = in_any(quote).expect("it is one cell");
    assert_eq!(places.len(), 2);
    assert!(places.iter().all(|place| place.x >= 199.0), "{places:?}");
}

#[test]
fn a_column_does_not_go_on_in_what_spans_it_and_the_next() {
    let left = [
        "Boats that wait for the flood tide lie",
        "at anchor on the east side of the bar",
        "until the pilot has come on board and",
        "takes them over it. The depth is read",
        "from a gauge at the end of the pier,",
    ];
    let right = [
        "which is lit at night, and called out",
        "by the watch every quarter of an hour",
        "as long as a ship is under way. Fog",
        "ends all traffic, and so does a gale",
        "from the north. In the last ten years",
    ];
    let content =
        lines(60.0, 700.0, &left) + &lines(320.0, 700.0, &right) + &lines(60.0, 640.0, &TEXT[4..]);
    let document = read(&content);
    for (quote, role) in [
        (
            "flood tide lie which is lit at night",
            TextStreamRole::Alternative,
        ),
        ("flood tide lie which is lit at night", TextStreamRole::Body),
        (
            "at the end of the pier, does a gale",
            TextStreamRole::Alternative,
        ),
        ("at the end of the pier, does a gale", TextStreamRole::Body),
    ] {
        assert!(!finds(&document, role, quote), "{quote}");
    }
    assert!(finds(
        &document,
        TextStreamRole::Body,
        "the end of the pier, which is lit"
    ));
}

#[test]
fn a_page_that_is_read_from_top_to_bottom_is_read_in_one_way() {
    let document = read(&lines(60.0, 700.0, &TEXT));
    assert!(flow(&document, TextStreamRole::Alternative).is_none());
}

#[test]
fn numbers_behind_a_large_bullet_are_not_raised() {
    let content = text(60.0, 696.0, 16.0, "*")
        + &text(72.0, 700.0, 10.0, "see part 3.5 on the options -us and -uc")
        + &lines(60.0, 680.0, &TEXT);
    let document = read(&content);
    let line = document.lines().first().map(|line| line.text.as_str());
    assert_eq!(line, Some("* see part 3.5 on the options -us and -uc"));
}

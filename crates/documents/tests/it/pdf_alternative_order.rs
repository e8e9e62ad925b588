//! PDF: streams in an alternative reading order, from a text to the one below it.

use documents::TextStreamRole;
use testkit::pdf_builder::{lines, text};

use crate::pdf_document::{find_boxes, finds, read_page, stream};

const TEXT: [&str; 6] = [
    "Boats that wait for the flood tide lie at anchor on the east side of the bar until",
    "the pilot has come on board and takes them over it. The depth is read from a gauge",
    "at the end of the pier, which is lit at night, and called out by the watch every",
    "quarter of an hour as long as a ship is under way. Fog ends all traffic, and so",
    "does a gale from the north. In the last ten years the harbour was closed on forty",
    "days, most of them in November, when storms bring in more sand than one can move.",
];

#[test]
fn a_caption_may_continue_in_the_text_below_it() {
    let content = lines(60.0, 700.0, &TEXT[..4])
        + &text(
            60.0,
            630.0,
            10.0,
            "Figure 1: The gauge at the end of the pier is lit.",
        )
        + &lines(60.0, 610.0, &TEXT[4..]);
    let document = read_page(&content);
    assert!(finds(
        &document,
        TextStreamRole::Body,
        "and so does a gale from the north"
    ));
    let quote = "the end of the pier is lit. does a gale from the north";
    assert!(!finds(&document, TextStreamRole::Body, quote));
    let places =
        find_boxes(&document, TextStreamRole::Alternative, quote).expect("it stands there");
    let [caption, below] = places.as_slice() else {
        panic!("two rows: {places:?}");
    };
    assert!(caption.x > 100.0 && (below.x - 60.0).abs() < 1.0 && below.y > caption.y);
}

#[test]
fn the_cells_of_a_column_are_read_down() {
    // The term is at half the height of its explanation.
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
    let document = read_page(&content);
    let quote = "the mouth of a river and number 1 in the list";
    let in_any = |quote: &str| {
        [TextStreamRole::Body, TextStreamRole::Alternative]
            .into_iter()
            .find_map(|role| find_boxes(&document, role, quote))
    };
    let places = in_any(quote).expect("it is one cell");
    assert_eq!(places.len(), 2);
    assert!(places.iter().all(|place| place.x >= 199.0), "{places:?}");
}

#[test]
fn a_column_does_not_continue_in_text_that_spans_two_columns() {
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
    let document = read_page(&content);
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
fn a_simple_page_has_no_alternative_order() {
    let document = read_page(&lines(60.0, 700.0, &TEXT));
    assert!(stream(&document, TextStreamRole::Alternative).is_none());
}

#[test]
fn numbers_behind_a_large_bullet_are_not_raised() {
    let content = text(60.0, 696.0, 16.0, "*")
        + &text(72.0, 700.0, 10.0, "see part 3.5 on the options -us and -uc")
        + &lines(60.0, 680.0, &TEXT);
    let document = read_page(&content);
    let line = document.lines().first().map(|line| line.text.as_str());
    assert_eq!(line, Some("* see part 3.5 on the options -us and -uc"));
}

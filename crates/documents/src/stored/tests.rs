//! Round trips, damage and forgery.

use super::*;
use crate::{DocumentBuilder, MetadataDate, ReadLimits, Word};
use passage::{CommaMeaning, PieceBreak};
use proptest::prelude::*;

const LINE_ROLES: [LineRole; 8] = [
    LineRole::Text,
    LineRole::Heading,
    LineRole::Running,
    LineRole::PageNumber,
    LineRole::LineNumber,
    LineRole::Footnote,
    LineRole::Caption,
    LineRole::Aside,
];

const STREAM_ROLES: [TextStreamRole; 5] = [
    TextStreamRole::Body,
    TextStreamRole::Apart,
    TextStreamRole::Hidden,
    TextStreamRole::Markup,
    TextStreamRole::Alternative,
];

fn word(x: f32) -> impl Strategy<Value = Word> {
    let place = prop_oneof![Just(10.0f32), -1e4f32..1e4];
    (any::<(u16, u16)>(), place.clone(), place).prop_map(move |((start, len), y, height)| Word {
        range: u32::from(start)..u32::from(start) + u32::from(len),
        rendered_page: 1,
        x,
        y,
        width: x + 1.5,
        height,
    })
}

fn date() -> impl Strategy<Value = Option<MetadataDate>> {
    prop::option::of(
        any::<(u16, u8, u8, i16)>().prop_map(|(year, month, second, offset)| MetadataDate {
            year,
            month,
            day: month,
            hour: second,
            minute: 7,
            second,
            offset,
        }),
    )
}

/// Text, role, words, text streams as bits, and true if a page begins before the line.
type GeneratedLine = (String, u8, Vec<Word>, u8, bool);

fn line() -> impl Strategy<Value = GeneratedLine> {
    (
        "[a-zé東 ,.0-9-]{0,20}",
        0..LINE_ROLES.len() as u8,
        prop::collection::vec(word(3.25), 0..4),
        any::<u8>(),
        prop::bool::weighted(0.2),
    )
}

prop_compose! {
    fn document()(
        texts in prop::collection::vec(prop::option::of(".{0,8}"), 6),
        dates in (date(), date()),
        lines in prop::collection::vec(line(), 0..12),
        outline in prop::collection::vec((".{0,5}", any::<Option<u32>>(), any::<u32>()), 0..3),
        comma in prop::option::of(Just(CommaMeaning::Decimal)),
        pages in prop::collection::vec(any::<u32>(), 0..3),
        rendered_pages in prop::option::of((1..9u32, prop::collection::vec(1..9u32, 48))),
    ) -> Document {
        let mut builder = DocumentBuilder::new("application/x-any");
        let [title, author, subject, keywords, label, _] = texts.try_into().expect("six");
        if let Some(title) = title {
            builder.title(title);
        }
        if let Some(comma) = comma {
            builder.comma(comma);
        }
        builder.metadata(DocumentMetadata { author, subject, keywords, created: dates.0, modified: dates.1 });
        for (title, page, depth) in outline {
            builder.add_heading(OutlineHeading { title, page, depth });
        }
        for page in pages {
            builder.add_warning(ReadWarning::NoText { page });
            builder.add_warning(ReadWarning::NoPdf);
            builder.add_warning(ReadWarning::CutOff);
        }
        for (text, role, words, streams, begins_page) in lines {
            if begins_page {
                builder.begin_page();
                builder.set_page(label.clone(), Some(PageSize { width: 612.5, height: 792.0 }));
            }
            let at = builder.add_line(text.as_str());
            builder.set_line(LINE_ROLES[role as usize], words);
            for (nth, stream) in STREAM_ROLES.iter().enumerate() {
                if streams >> nth & 1 == 1 {
                    builder.add_text(*stream, at, &text, PieceBreak::Line);
                }
            }
        }
        let mut document = builder.finish().expect("it is short");
        if let Some((count, numbers)) = rendered_pages {
            document.rendered_pages = count;
            for (word, number) in document.words.iter_mut().zip(numbers) {
                word.rendered_page = number;
            }
        }
        document
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_stored_document_is_restored(document in document()) {
        let stored = document.to_bytes();
        prop_assert_eq!(Document::from_bytes(&stored), Ok(document));
    }

    #[test]
    fn damage_at_any_position_is_detected(
        document in document(),
        at in any::<prop::sample::Index>(),
        bit in 0..8u8,
        cut in any::<prop::sample::Index>(),
    ) {
        let stored = document.to_bytes();
        let mut changed = stored.clone();
        changed[at.index(stored.len())] ^= 1 << bit;
        prop_assert!(Document::from_bytes(&changed).is_err());
        prop_assert!(Document::from_bytes(&stored[..cut.index(stored.len())]).is_err());
        let mut longer = stored;
        longer.push(0);
        prop_assert_eq!(Document::from_bytes(&longer), Err(StoredDocumentError::Damaged));
    }

    /// Bytes with a correct checksum are untrusted as well.
    #[test]
    fn forged_bytes_never_panic(
        document in document(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut stored = document.to_bytes();
        let length = stored[5..13].try_into().map_or(0, u64::from_le_bytes) as usize;
        for (at, byte) in changes {
            let at = HEADER + at.index(length - HEADER);
            stored[at] = byte;
        }
        let sum = checksum(&stored[..length]);
        stored[length..length + 8].copy_from_slice(&sum.to_le_bytes());
        if let Ok(read) = Document::from_bytes(&stored) {
            for stream in read.text_streams() {
                let all = 0..stream.index.text().source().len();
                prop_assert!(read.boxes(stream, all.clone()).len() <= read.lines().len() * 4);
                if let Some(location) = read.locate(stream, all) {
                    prop_assert!(location.pages.end as usize <= read.pages().len() + 1);
                }
            }
            let on_pages: usize = read.pages().iter().map(|page| page.lines.len()).sum();
            prop_assert_eq!(on_pages, read.lines().len());
            let words: usize = read.lines().iter().map(|line| read.words_of(line).len()).sum();
            prop_assert_eq!(words, read.words().len());
            prop_assert_eq!(Document::from_bytes(&read.to_bytes()).is_ok(), true);
        }
    }
}

#[test]
fn other_bytes_and_versions_are_refused() {
    let read = |bytes: &[u8]| Document::from_bytes(bytes).map(|_| ());
    assert_eq!(read(b""), Err(StoredDocumentError::NotADocument));
    assert_eq!(read(b"%PDF-1.4"), Err(StoredDocumentError::NotADocument));
    assert_eq!(read(b"pdoc"), Err(StoredDocumentError::Damaged));
    assert_eq!(read(b"pdoc\xff"), Err(StoredDocumentError::Version));
    let document = Document::read(b"The tide", "", &ReadLimits::default()).expect("a text");
    let stored = document.to_bytes();
    let index = stored
        .windows(4)
        .position(|part| part == b"pasg")
        .expect("an index");
    let mut older = stored;
    older[index + 4] = 0xff;
    assert_eq!(read(&older), Err(StoredDocumentError::Version));
}

/// A forged length that exceeds the bytes is refused and allocates no memory.
#[test]
fn forged_lengths_are_refused() {
    // Without words, because their boxes may have any numbers.
    let mut builder = DocumentBuilder::new("text/plain");
    let line = builder.add_line("The tide");
    builder.add_text(TextStreamRole::Body, line, "The tide", PieceBreak::Line);
    let document = builder.finish().expect("it is short");
    let stored = document.to_bytes();
    let lie = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    for at in (5..HEADER).chain(HEADER + 32..stored.len() - lie.len()) {
        let mut forged = stored.clone();
        forged[at..at + lie.len()].copy_from_slice(&lie);
        let length = stored[5..13].try_into().map_or(0, u64::from_le_bytes) as usize;
        if (HEADER..length).contains(&at) {
            let sum = checksum(&forged[..length]);
            forged[length..length + 8].copy_from_slice(&sum.to_le_bytes());
        }
        assert!(Document::from_bytes(&forged).is_err(), "at {at}");
    }
}

#[test]
fn confidences_are_stored_and_checked() {
    let word = |at: u32| Word {
        range: at..at + 4,
        rendered_page: 1,
        x: 1.0,
        y: 2.0,
        width: 3.0,
        height: 4.0,
    };
    let mut builder = DocumentBuilder::new("image/png");
    let sure = builder.add_line("High");
    builder.set_line(LineRole::Text, [word(0)]);
    builder.add_text(TextStreamRole::Body, sure, "High", PieceBreak::Line);
    let unsure = builder.add_line("tide came");
    builder.set_line(LineRole::Text, [word(0), word(5)]);
    builder.set_confidences(&[41, 77]);
    builder.add_text(TextStreamRole::Body, unsure, "tide came", PieceBreak::Line);
    let document = builder.finish().expect("short");
    let again = Document::from_bytes(&document.to_bytes()).expect("as written");
    assert_eq!(again, document);
    assert_eq!([0, 1, 2].map(|at| again.confidence(at)), [100, 41, 77]);
    let body = &again.text_streams()[0];
    let doubt = again.doubtful_word(body, 0..body.index.text().source().len());
    let doubt = doubt.map(|doubt| (doubt.word, doubt.confidence));
    assert_eq!(doubt, Some(("tide".to_owned(), 41)));
    // Only words that the range touches count.
    assert_eq!(again.doubtful_word(body, 0..4), None);
    // Too few confidences, and one above 100 percent.
    for confidences in [vec![41], vec![101, 1, 1]] {
        let forged = Document {
            confidences,
            ..document.clone()
        };
        assert_eq!(
            Document::from_bytes(&forged.to_bytes()),
            Err(StoredDocumentError::Damaged)
        );
    }
}

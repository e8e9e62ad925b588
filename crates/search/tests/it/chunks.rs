//! Division of documents into chunks.

use search::Chunker;

use crate::library::read;

#[test]
fn chunks_follow_headings_and_keep_their_lines() {
    let text = "# Guide\n\n## Arrival\n\nShips wait outside.\n\n```\n# no heading\n```\n\n## Departure\n\nPilots leave first.\n";
    let document = read("guide.md", text);
    let chunks = Chunker::default().chunks(&document);
    let headings: Vec<_> = chunks
        .iter()
        .map(|chunk| chunk.headings.join(" / "))
        .collect();
    assert_eq!(headings, ["Guide / Arrival", "Guide / Departure"]);
    assert!(chunks[0].text(&document).contains("Ships wait outside."));
    assert!(chunks[1].first > chunks[0].last);
    assert_eq!(chunks[0].pages(), 1..=1);
}

#[test]
fn chunks_have_whole_sentences_within_the_limits() {
    let sentence = "The quick survey of the northern coast found seven wrecks and one cave. ";
    let document = read("survey.txt", &sentence.repeat(100));
    let chunks = Chunker::default().chunks(&document);
    assert!(chunks.len() > 4);
    for chunk in &chunks {
        let text = chunk.text(&document);
        let words = text.split_whitespace().count();
        assert!((120..=220).contains(&words), "{words}");
        assert!(
            text.starts_with("The quick") && text.ends_with("cave."),
            "{text}"
        );
    }
    // Everything is in exactly one chunk.
    assert!(
        chunks
            .windows(2)
            .all(|pair| pair[0].span.end <= pair[1].span.start)
    );
    let words: usize = chunks
        .iter()
        .map(|chunk| chunk.text(&document).split_whitespace().count())
        .sum();
    assert_eq!(words, 1_300);
}

#[test]
fn a_sentence_over_the_limit_is_cut_between_words() {
    let document = read("long.txt", &"word ".repeat(1_000));
    let chunks = Chunker::default().chunks(&document);
    assert_eq!(chunks.len(), 5);
    for chunk in &chunks {
        assert!(chunk.text(&document).split(' ').all(|word| word == "word"));
    }
}

#[test]
fn rows_after_the_first_chunk_of_a_table_keep_its_header() {
    let rows: String = (0..120)
        .map(|row| format!("| Port {row} | open on weekdays | {row} m |\n"))
        .collect();
    let document = read(
        "ports.md",
        &format!("| Port | Hours | Depth |\n|---|---|---|\n{rows}"),
    );
    let chunks = Chunker::default().chunks(&document);
    assert!(chunks.len() > 2);
    assert!(chunks[0].text(&document).contains("Hours"));
    for chunk in &chunks[1..] {
        assert!(!chunk.text(&document).contains("Hours"));
        assert!(
            chunk
                .table_header
                .as_deref()
                .unwrap_or_default()
                .contains("Hours")
        );
    }
}

#[test]
fn expansion_grows_inside_the_section_first_and_cuts_no_word() {
    let section = |name: &str| {
        let lines: String = (0..60)
            .map(|line| format!("Sentence {line} of {name} describes a distant island.\n"))
            .collect();
        format!("## {name}\n\n{lines}\n")
    };
    let document = read(
        "islands.md",
        &format!("# Islands\n\n{}{}", section("North"), section("South")),
    );
    let chunks = Chunker::default().chunks(&document);
    let chunk = chunks
        .iter()
        .find(|chunk| chunk.headings[1] == "North")
        .unwrap();
    let source = document.text_streams()[0].index.text().source();

    let inside = chunk.expand(&document, &chunks, 2_000);
    let text = &source[inside.clone()];
    assert!(text.chars().count() <= 2_000 && text.chars().count() > 1_900);
    assert!(inside.start <= chunk.span.start && inside.end >= chunk.span.end);
    assert!(!text.contains("South"));
    assert!(source[inside.end..].starts_with(char::is_whitespace));

    let across = chunk.expand(&document, &chunks, 5_000);
    assert!(source[across].contains("South"));
    let same = chunk.expand(&document, &chunks, 10);
    assert_eq!(same, chunk.span);
}

#[test]
fn ids_do_not_depend_on_anything_but_document_and_span() {
    let ids = |text: &str| -> Vec<String> {
        let document = read("a.md", text);
        let chunks = Chunker::default().chunks(&document);
        chunks.iter().map(|chunk| chunk.id.to_string()).collect()
    };
    assert_eq!(ids("# A\n\nOne.\n"), ids("# A\n\nOne.\n"));
    assert_ne!(ids("# A\n\nOne.\n"), ids("# A\n\nTwo.\n"));
    assert!(ids("").is_empty());
}
